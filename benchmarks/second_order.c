/* The design of deppa_nb/kernels/second_order.py in plain C, for `deppa bench kernels`: what gcc makes
 * of it on any processor. Several roots are allowed, parts are packed as kernels/items.py tells, and
 * charts are laid out as there, with rows padded to `ld`. */
#include <math.h>
#include <string.h>

typedef double *restrict row;
typedef const double *restrict source;

static inline double dot(int size, source a, source b) {
    double total = 0;
    for (int k = 0; k < size; k++) total += a[k] * b[k];
    return total;
}

static inline double dot3(int size, source a, source b, source x) {
    double total = 0;
    for (int k = 0; k < size; k++) total += a[k] * b[k] * x[k];
    return total;
}

static double inside_outside(int n, int ld, long parts, source siblings, source arcs, row work,
                             row A, row X) {
    const int N = n + 1;
    const size_t size = (size_t)N * ld;
    double *CR = work, *CRt = CR + size, *CL = CRt + size, *CLt = CL + size;
    double *S = CLt + size, *St = S + size, *IR = St + size, *ILt = IR + size;
    double *dCR = ILt + size, *dCRt = dCR + size, *dCL = dCRt + size, *dCLt = dCL + size;
    double *dS = dCLt + size, *dSt = dS + size, *dIR = dSt + size, *dILt = dIR + size;
    double top[512], taken = 0;

    for (int m = 0; m < N; m++) top[m] = -1e300;
    for (int h = 0; h < N; h++)
        for (int m = 1; m < N; m++) top[m] = h != m && arcs[h * N + m] > top[m] ? arcs[h * N + m] : top[m];
    for (int m = 1; m < N; m++) taken += top[m];
    for (int h = 0; h < N; h++)
        for (int m = 1; m < N; m++) A[h * N + m] = exp(arcs[h * N + m] - top[m]);
    for (long k = 0; k < parts; k++) X[k] = exp(siblings[k]);

    for (int i = 0; i < N; i++) {
        CR[i * ld + i] = CRt[i * ld + i] = CL[i * ld + i] = 1;
        if (i) CLt[i * ld + i - 1] = 1;
    }
    size_t c = 0;
    for (int w = 1; w <= n; w++)
        for (int s = 0; s + w <= n; s++) {
            const int t = s + w, k = w - 1;
            const size_t i = (size_t)s * ld + s, j = (size_t)t * ld + s;
            double value = A[s * N + t] * (CLt[j] * X[c] + dot3(k, IR + i + 1, St + j + 1, X + c + 1));
            IR[i + w] = value;
            CR[i + w] = CRt[j] = value + dot(k, IR + i + 1, CRt + j + 1);
            c += w;
            if (s) {
                value = A[t * N + s] * (CR[i + k] * X[c + k] + dot3(k, S + i + 1, ILt + j + 1, X + c));
                ILt[j] = value;
                S[i + w] = St[j] = CLt[j] + dot(k, CR + i + 1, CLt + j + 1);
                CL[i + w] = CLt[j - 1] = value + dot(k, CL + i + 1, ILt + j + 1);
                c += w;
            }
        }
    const double Z = CR[n];
    memset(dCR, 0, 8 * size * sizeof(double));
    dCR[n] = 1 / Z;
    for (int w = n; w; w--) {
        c -= (size_t)w * (2 * (n - w) + 1);
        size_t p = c;
        for (int s = 0; s + w <= n; s++) {
            const int t = s + w, k = w - 1;
            const size_t i = (size_t)s * ld + s, j = (size_t)t * ld + s;
            const double right = dCR[i + w] + dCRt[j], of_arc = right + dIR[i + w];
            const double g = of_arc * A[s * N + t], first = g * X[p];
            A[s * N + t] = of_arc * IR[i + w];
            X[p] = first * CLt[j];
            dCLt[j] += first;
            {
                row x = X + p + 1, da = dIR + i + 1, db = dSt + j + 1, de = dCRt + j + 1;
                source a = IR + i + 1, b = St + j + 1, e = CRt + j + 1;
                for (int q = 0; q < k; q++) {
                    const double gx = g * x[q], gxb = gx * b[q];
                    da[q] += gxb + right * e[q];
                    db[q] += gx * a[q];
                    de[q] += right * a[q];
                    x[q] = gxb * a[q];
                }
            }
            p += w;
            if (s) {
                const double both = dS[i + w] + dSt[j], left = dCL[i + w] + dCLt[j - 1];
                const double to_left = left + dILt[j], h = to_left * A[t * N + s], last = h * X[p + k];
                A[t * N + s] = to_left * ILt[j];
                X[p + k] = last * CR[i + k];
                dCR[i + k] += last;
                dCLt[j] += both;
                {
                    row x = X + p, da = dS + i + 1, db = dILt + j + 1, de = dCL + i + 1;
                    source a = S + i + 1, b = ILt + j + 1, e = CL + i + 1;
                    for (int q = 0; q < k; q++) {
                        const double hx = h * x[q], hxa = hx * a[q];
                        da[q] += hx * b[q];
                        db[q] += hxa + left * e[q];
                        de[q] += left * b[q];
                        x[q] = hxa * b[q];
                    }
                }
                {
                    row da = dCR + i + 1, db = dCLt + j + 1;
                    source a = CR + i + 1, b = CLt + j + 1;
                    for (int q = 0; q < k; q++) {
                        da[q] += both * b[q];
                        db[q] += both * a[q];
                    }
                }
                p += w;
            }
        }
    }
    return taken + log(Z);
}

double repeat(int times, int n, int ld, long parts, const double *siblings, const double *arcs,
              double *work, double *A, double *X) {
    double log_z = 0;
    for (int k = 0; k < times; k++) log_z = inside_outside(n, ld, parts, siblings, arcs, work, A, X);
    return log_z;
}
