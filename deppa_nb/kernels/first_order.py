"""Projective trees with arc scores alone: log Z, marginals, the best tree.

Eisner's algorithm (1996) in the manner of `second_order`, without siblings: an arc between s and t,
of either direction, joins CR(s, r) and CL(r + 1, t), so that both incomplete items come from one
sum, B(s, t).
"""

import numpy as np

from deppa_nb.kernels import forest
from deppa_nb.kernels._float import LEAST, exp, flush_denormals, in_range, restore_denormals
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels._rows import argmax_sum, clear, dot, give, max_sum
from deppa_nb.kernels.items import (
    COMPLETE_LEFT,
    COMPLETE_RIGHT,
    INCOMPLETE_LEFT,
    INCOMPLETE_RIGHT,
    ROOT,
    ZERO,
    push,
)

__all__ = ["best_tree", "inside_outside", "workspace"]

VALUES, GRADIENTS = np.int64(0), np.int64(6)  # where the charts begin in a workspace


@jit()
def workspace(n):
    """Return room for sentences of up to n words: charts, transposed charts and their gradients."""
    return np.empty((13, (n + 1) * (n + 1)))


@jit(inline=True)
def _charts(work, k):
    """Return six charts as flat arrays; those that end in t are transposed."""
    return work[k], work[k + 1], work[k + 2], work[k + 3], work[k + 4], work[k + 5]


@jit()
def inside_outside(arcs, single_root, marginals, work):
    """Return log Z and compute the marginals of all arcs.

    Parameters
    ----------
    arcs : float64 array (n + 1, n + 1)
        ``arcs[head, dependent]``; minus infinity forbids. The first column and the diagonal are
        not read.
    single_root : bool
        Whether the root has exactly one dependent.
    marginals : float64 array (n + 1, n + 1)
        Result, ``p(head -> dependent)``; zeros if there is no tree.
    work : float64 array
        From `workspace`, for this many words or more.
    """
    n = arcs.shape[0] - 1
    state = flush_denormals()
    log_z = _weigh(n, arcs, marginals, work[12])
    Z = 0.0
    if log_z > -np.inf:
        Z = _inside(n, marginals, work, single_root)
    reliable = in_range(Z, n)
    if reliable:
        log_z += np.log(Z)
        _outside(n, marginals, work, single_root, Z)
    restore_denormals(state)
    if not reliable:
        none = work[12][:0]
        log_z = forest.inside_outside(arcs, none, single_root, marginals, none)
    return log_z


@jit(vector=True)
def _weigh(n, arcs, A, top):
    """Fill A with weights of at most 1 for each word; return what they lack of log Z."""
    for m in range(n + 1):
        top[m] = -np.inf
    for h in range(n + 1):
        for m in range(1, n + 1):
            top[m] = max(top[m], arcs[h, m] if h != m else -np.inf)
    for h in range(n + 1):
        for m in range(1, n + 1):
            A[h, m] = exp(arcs[h, m] - max(top[m], LEAST))
        A[h, h] = A[h, 0] = 0.0
    taken = 0.0
    for m in range(1, n + 1):
        taken += top[m]
    return taken


@jit(vector=True)
def _inside(n, A, work, single_root):
    """Fill the charts with sums of products of weights; return Z."""
    CR, CRt, CL, CLt, IR, ILt = _charts(work, VALUES)
    N = n + 1
    for i in range(N):
        CR[i * N + i] = CRt[i * N + i] = CL[i * N + i] = 1.0
        if i > 0:
            CLt[i * N + i - 1] = 1.0  # CL(r, t) stands at column r - 1
    for w in range(1, N):
        for s in range(N - w):
            t = s + w
            i, j = s * N + s, t * N + s
            both = dot(CR, i, CLt, j, w) if s > 0 or not single_root else CLt[j]
            IR[i + w] = A[s, t] * both
            CR[i + w] = CRt[j] = dot(IR, i + 1, CRt, j + 1, w)
            if s > 0:
                ILt[j] = A[t, s] * both
                CL[i + w] = CLt[j - 1] = dot(CL, i, ILt, j, w)
    return CR[n]


@jit(vector=True)
def _outside(n, A, work, single_root, Z):
    """Run `_inside` backwards: gradients of log Z, and marginals in place of weights."""
    CR, CRt, CL, CLt, IR, ILt = _charts(work, VALUES)
    dCR, dCRt, dCL, dCLt, dIR, dILt = _charts(work, GRADIENTS)
    N = n + 1
    for chart in range(GRADIENTS, 2 * GRADIENTS):
        clear(work[chart], ZERO, N * N)
    dCR[n] = 1.0 / Z
    for w in range(n, 0, -1):
        for s in range(N - w):
            t = s + w
            i, j = s * N + s, t * N + s
            give(dCR[i + w] + dCRt[j], IR, i + 1, dIR, CRt, j + 1, dCRt, w)
            both, A[s, t] = dIR[i + w] * A[s, t], dIR[i + w] * IR[i + w]
            if s > 0:
                give(dCL[i + w] + dCLt[j - 1], CL, i, dCL, ILt, j, dILt, w)
                both += dILt[j] * A[t, s]
                A[t, s] = dILt[j] * ILt[j]
            if s > 0 or not single_root:
                give(both, CR, i, dCR, CLt, j, dCLt, w)
            else:
                dCLt[j] += both


@jit()
def best_tree(arcs, single_root, heads, work):
    """Write the heads of the best projective tree; return its score.

    Parameters
    ----------
    arcs, single_root, work
        As in `inside_outside`.
    heads : int32 array (n + 1,)
        Result, with -1 for the root; all -1 if there is no tree, whose score is minus infinity.
    """
    n = arcs.shape[0] - 1
    heads.fill(-1)
    score = _fill(n, arcs, work, single_root)
    if score > -np.inf:
        _follow(n, work, single_root, heads)
    return score


@jit(maxima=True)
def _fill(n, arcs, work, single_root):
    """Do as `_inside`, with maxima of sums for sums of products."""
    CR, CRt, CL, CLt, IR, ILt = _charts(work, VALUES)
    N = n + 1
    for i in range(N):
        CR[i * N + i] = CRt[i * N + i] = CL[i * N + i] = 0.0
        if i > 0:
            CLt[i * N + i - 1] = 0.0
    for w in range(1, N):
        for s in range(N - w):
            t = s + w
            i, j = s * N + s, t * N + s
            both = max_sum(CR, i, CLt, j, w) if s > 0 or not single_root else CLt[j]
            IR[i + w] = arcs[s, t] + both
            CR[i + w] = CRt[j] = max_sum(IR, i + 1, CRt, j + 1, w)
            if s > 0:
                ILt[j] = arcs[t, s] + both
                CL[i + w] = CLt[j - 1] = max_sum(CL, i, ILt, j, w)
    return CR[n]


@jit()
def _follow(n, work, single_root, heads):
    """Find again how each item of the best tree came about, from the whole sentence down."""
    CR, CRt, CL, CLt, IR, ILt = _charts(work, VALUES)
    N = n + 1
    items = np.empty((2 * N, 3), np.int64)
    waiting = push(items, ZERO, COMPLETE_RIGHT, ROOT, n)
    while waiting:
        waiting -= 1
        kind, s, t = items[waiting]
        w = t - s
        i, j = s * N + s, t * N + s
        if kind == COMPLETE_RIGHT:
            r = s + 1 + argmax_sum(IR, i + 1, CRt, j + 1, w)
            waiting = push(items, waiting, INCOMPLETE_RIGHT, s, r)
            waiting = push(items, waiting, COMPLETE_RIGHT, r, t)
        elif kind == COMPLETE_LEFT:
            r = s + argmax_sum(CL, i, ILt, j, w)
            waiting = push(items, waiting, COMPLETE_LEFT, s, r)
            waiting = push(items, waiting, INCOMPLETE_LEFT, r, t)
        else:
            if kind == INCOMPLETE_RIGHT:
                heads[t] = s
            else:
                heads[s] = t
            r = s + argmax_sum(CR, i, CLt, j, w if s > 0 or not single_root else 1)
            waiting = push(items, waiting, COMPLETE_RIGHT, s, r)
            waiting = push(items, waiting, COMPLETE_LEFT, r + 1, t)
