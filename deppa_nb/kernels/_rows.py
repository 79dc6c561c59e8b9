"""Inner loops over rows of flat arrays, the whole cost of every chart.

A row is an array with the offset of its first entry. Offsets become unsigned here: numba lets a
negative index count from the end, and the test for that would keep a loop from being vectorised.
"""

import numpy as np

from deppa_nb.kernels._jit import jit

__all__ = [
    "argmax_sum",
    "argmax_sum3",
    "clear",
    "dot",
    "dot3",
    "give",
    "give_left",
    "give_right",
    "max_sum",
    "max_sum3",
]


@jit(vector=True, inline=True)
def clear(a, i, size):
    """Set a row to 0, as a slice assignment does, which takes much longer to compile."""
    p = np.uint64(i)
    for k in range(np.uint64(size)):
        a[p + k] = 0.0


@jit(vector=True, inline=True)
def dot(a, i, b, j, size):
    """Return the sum over k of a[i + k] b[j + k]."""
    p, q = np.uint64(i), np.uint64(j)
    total = 0.0
    for k in range(np.uint64(size)):
        total += a[p + k] * b[q + k]
    return total


@jit(vector=True, inline=True)
def dot3(a, i, b, j, x, at, size):
    """Return the sum over k of a[i + k] b[j + k] x[at + k]."""
    p, q, r = np.uint64(i), np.uint64(j), np.uint64(at)
    total = 0.0
    for k in range(np.uint64(size)):
        total += a[p + k] * b[q + k] * x[r + k]
    return total


@jit(maxima=True, inline=True)
def max_sum(a, i, b, j, size):
    """Return the maximum over k of a[i + k] + b[j + k]: `dot` of the max-plus semiring."""
    p, q = np.uint64(i), np.uint64(j)
    top = -np.inf
    for k in range(np.uint64(size)):
        top = max(top, a[p + k] + b[q + k])
    return top


@jit(maxima=True, inline=True)
def max_sum3(a, i, b, j, x, at, size):
    """Return the maximum over k of a[i + k] + b[j + k] + x[at + k]."""
    p, q, r = np.uint64(i), np.uint64(j), np.uint64(at)
    top = -np.inf
    for k in range(np.uint64(size)):
        top = max(top, a[p + k] + b[q + k] + x[r + k])
    return top


@jit()
def argmax_sum(a, i, b, j, size):
    """Return the first k at which a[i + k] + b[j + k] is largest."""
    best, top = 0, -np.inf
    for k in range(size):
        value = a[i + k] + b[j + k]
        if value > top:
            best, top = k, value
    return best


@jit()
def argmax_sum3(a, i, b, j, x, at, size):
    """Return the first k at which a[i + k] + b[j + k] + x[at + k] is largest."""
    best, top = 0, -np.inf
    for k in range(size):
        value = a[i + k] + b[j + k] + x[at + k]
        if value > top:
            best, top = k, value
    return best


@jit(vector=True, inline=True)
def give(g, a, i, da, b, j, db, size):
    """Pass the gradient g of `dot` on to both rows: da += g b, db += g a."""
    p, q = np.uint64(i), np.uint64(j)
    for k in range(np.uint64(size)):
        da[p + k] += g * b[q + k]
        db[q + k] += g * a[p + k]


@jit(vector=True, inline=True)
def give_right(g, a, i, da, b, j, db, x, at, h, c, dc, size):
    """Pass on the gradients g of ``dot3(a, b, x)`` and h of ``dot(a, c)`` (c beside b).

    Then x, a row of weights, becomes their marginals g x a b. One loop for both, as they read
    the same rows.
    """
    p, q, r = np.uint64(i), np.uint64(j), np.uint64(at)
    for k in range(np.uint64(size)):
        gx = g * x[r + k]
        gxb = gx * b[q + k]
        da[p + k] += gxb + h * c[q + k]
        db[q + k] += gx * a[p + k]
        dc[q + k] += h * a[p + k]
        x[r + k] = gxb * a[p + k]


@jit(vector=True, inline=True)
def give_left(g, a, i, da, b, j, db, x, at, h, c, dc, size):
    """Pass on the gradients g of ``dot3(a, b, x)`` and h of ``dot(c, b)`` (c beside a).

    The mirror image of `give_right`.
    """
    p, q, r = np.uint64(i), np.uint64(j), np.uint64(at)
    for k in range(np.uint64(size)):
        gx = g * x[r + k]
        gxa = gx * a[p + k]
        da[p + k] += gx * b[q + k]
        db[q + k] += gxa + h * c[p + k]
        dc[p + k] += h * b[q + k]
        x[r + k] = gxa * b[q + k]
