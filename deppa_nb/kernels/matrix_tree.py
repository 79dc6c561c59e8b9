"""The distribution over non-projective trees: log partition and marginals.

The matrix-tree theorem (Tutte, 1984; Koo, Globerson, Carreras & Collins, 2007) makes the sum over
all trees a determinant of the Laplacian of the weights w[h, m] = exp(score[h, m]). A determinant
and an inverse by the usual elimination subtract, and lose all digits where a few trees have almost
all probability. Here words are eliminated as states of a Markov chain (Grassmann, Taksar & Heyman,
1985), which never subtracts. With d = sum_h w[h, k] over the heads h that are left, word k goes by

    w[h, m] += w[k, m] w[h, k] / d        and        Z *= d:

a dependent of k becomes a dependent of k's heads. The diagonal is never needed.

One root dependent: d is summed over words only, and w[0, .] goes through the same update; the
word that is left last takes its w[0, .] as d. (Let Z_r be the sum over the trees of the words
below r. Then Z = sum_r w[0, r] Z_r, with Z_r = d Z'_r for r != k and Z_k = sum_j w[k, j] Z'_j.)

Gradients of log Z run through the elimination backwards. With q[h, m] = d log Z / d w[h, m],
pi[h] = w[h, k] / d and a[h] = sum_m q[h, m] w[k, m], the heads of k and its dependents have

    q[h, k] = (1 + a[h] - sum_g pi[g] a[g]) / d        and        q[k, m] = sum_h pi[h] q[h, m]

(without the 1 and the sum for h = 0 if there is one root dependent). What is subtracted there are
expected numbers of dependents, so that marginals p = w q are right to n machine epsilons or so.

Weights of a word are scaled to sum to 1, so that every d is at most 1 (but the last). If Z or the
product of the d falls below 1e-200, weights may have been lost below the range of floats, and the
same is done with logarithms (`matrix_tree_logs`).
"""

import numpy as np

from deppa_nb.kernels._float import exp, flush_denormals, restore_denormals
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.matrix_tree_logs import differentiate_logs, eliminate_logs, exchange

__all__ = ["factorise", "log_partition", "padded", "tree_marginals"]

_SMALLEST = 1e-200
_RARE = 1e-50  # if the words have so little weight as heads, the root is meant
_BLOCK = 8  # rows are padded to whole vectors, and loops run over the padding, which does no harm


@jit(vector=True)
def _add_scaled(row, scale, other, end):
    """Add ``scale * other[:end]`` to ``row[:end]``."""
    for m in range((end + _BLOCK - 1) // _BLOCK * _BLOCK):
        row[m] += scale * other[m]


@jit(vector=True)
def _dot(row, other, end):
    """Return the inner product of ``row[:end]`` and ``other[:end]``."""
    total = 0.0
    for m in range((end + _BLOCK - 1) // _BLOCK * _BLOCK):
        total += row[m] * other[m]
    return total


@jit()
def padded(size):
    """Return a matrix of zeros with `size` rows."""
    return np.zeros((size, (size + _BLOCK - 1) // _BLOCK * _BLOCK))


@jit(vector=True)
def best_heads(scores, top):
    """Write every word's highest arc score to `top`; return their sum."""
    top.fill(-np.inf)
    for h in range(top.size):
        for m in range(1, top.size):
            top[m] = max(top[m], scores[h, m] if m != h else -np.inf)
    total = 0.0
    for m in range(1, top.size):
        total += top[m]
    return total


@jit(vector=True)
def _write_weights(scores, top, weights, w):
    """Write exp(scores), scaled so that a word's weights sum to 1; return the log of the scales."""
    size = top.size
    sums = np.zeros(size)
    for h in range(size):
        weights[h, 0] = 0.0
        for m in range(1, size):
            weights[h, m] = exp(scores[h, m] - top[m]) if m != h else 0.0
        for m in range(1, size):
            sums[m] += weights[h, m]
    for h in range(size):
        for m in range(1, size):
            weights[h, m] /= sums[m]
            w[h, m] = weights[h, m]
    total = 0.0
    for m in range(1, size):
        total += np.log(sums[m])
    return total


@jit()
def _total(w, first, k):
    """Return d, the weight of all heads of k from `first` on that are left."""
    d = 0.0
    for h in range(first, k):
        d += w[h, k]
    return d


@jit()
def _eliminate(w, pi, single_root, at):
    """Eliminate all words, the last place first; return Z, or 0 if floats are not wide enough.

    What is needed later stays: ``w[k, :k]``, the weights of the dependents of k at its turn,
    ``pi[k, :k]``, the share of each of its heads, and d, kept as ``pi[k, k]``.
    """
    z = 1.0
    for k in range(at.size - 1, 0, -1):
        first = 1 if single_root and k > 1 else 0
        d = _total(w, first, k)
        if first == 1 and d < _RARE:  # k should be the root's dependent, and so the last word
            exchange(w, pi, at, k)
            d = _total(w, np.int64(1), k)
        if z * min(d, 1.0) < _SMALLEST:
            return 0.0
        z *= d
        pi[k, k] = d
        for h in range(k):
            pi[k, h] = w[h, k] / d
            if pi[k, h] != 0.0:
                _add_scaled(w[h], pi[k, h], w[k], k)
    return z


@jit()
def _differentiate(w, pi, single_root, q):
    """Write the gradient of log Z to `q` (zeros), putting the words back one by one."""
    a = np.empty(q.shape[0])
    for k in range(1, a.size):
        first = 1 if single_root and k > 1 else 0
        mean = 0.0
        for h in range(k):
            a[h] = _dot(q[h], w[k], k)
            mean += pi[k, h] * a[h]
            if pi[k, h] != 0.0:
                _add_scaled(q[k], pi[k, h], q[h], k)
        for h in range(k):
            q[h, k] = (a[h] + (1.0 - mean if h >= first else 0.0)) / pi[k, k]


@jit()
def factorise(scores, single_root, weights, w, pi, at):
    """Eliminate all words (see `_eliminate`) from the scaled `weights`, which are kept.

    Returns log Z, minus infinity if there is no tree, and whether `weights`, `w` and `pi` hold
    logarithms. Word ``at[k]`` is in row and column k of `w` and `pi`.
    """
    top = np.empty(at.size)
    log_scale = best_heads(scores, top)
    if log_scale == -np.inf:
        return -np.inf, False
    log_sums = _write_weights(scores, top, weights, w)
    state = flush_denormals()
    z = _eliminate(w, pi, single_root, at)
    restore_denormals(state)
    if z > 0.0:
        return np.log(z) + log_sums + log_scale, False
    for h in range(at.size):
        at[h] = h
        for m in range(at.size):
            weights[h, m] = scores[h, m] - top[m] if 0 < m != h else -np.inf
            w[h, m] = weights[h, m]
    return eliminate_logs(w, pi, single_root, at) + log_scale, True


@jit()
def log_partition(scores, single_root):
    """Return log Z, the log of the sum of exp(score) over all trees, O(n^3).

    Parameters
    ----------
    scores : float64 array (n + 1, n + 1)
        ``scores[head, dependent]``; minus infinity forbids. Column 0 and the diagonal do not count.
    single_root : bool
        Whether exactly one word depends on the root.

    Returns
    -------
    float
        log Z, minus infinity if there is no tree.
    """
    size = scores.shape[0]
    w, pi, at = padded(size), padded(size), np.arange(size)
    return factorise(scores, single_root, np.empty((size, size)), w, pi, at)[0]


@jit()
def tree_marginals(scores, single_root, marginals):
    """Write the probability of every arc, p[h, m] = d log Z / d scores[h, m], O(n^3).

    Parameters
    ----------
    scores, single_root
        As in `log_partition`.
    marginals : float64 array (n + 1, n + 1)
        Receives p; zeros if there is no tree. A forbidden arc has exactly 0.

    Returns
    -------
    float
        log Z.
    """
    size = scores.shape[0]
    w, pi, q, at = padded(size), padded(size), padded(size), np.arange(size)
    log_z, logs = factorise(scores, single_root, marginals, w, pi, at)
    if log_z == -np.inf:
        marginals.fill(0.0)
        return log_z
    state = flush_denormals()
    if logs:
        differentiate_logs(w, pi, single_root, q)
    else:
        _differentiate(w, pi, single_root, q)
    restore_denormals(state)
    for h in range(size):
        for m in range(size):
            weight = marginals[at[h], at[m]]
            p = exp(weight + q[h, m]) if logs else weight * q[h, m]
            marginals[at[h], at[m]] = min(max(p, 0.0), 1.0)
    return log_z
