"""Projective trees with adjacent-sibling parts: log Z, all marginals, the best tree.

The algorithm is Eisner's with sibling items (Eisner 1996; McDonald and Pereira 2006); `items` tells
what the charts CR, CL, IR, IL and S hold and how the parts are packed. A tree's score is the sum
over words m with head h of ``arcs[h, m]`` and of one part: the score of the dependent of h that is
next to m, on the inside.

Sums run in the probability domain, where an inner loop is a dot product. Every word has one head
and one part, so that the largest score of the parts of a row may be moved to its arc and the
largest of the arcs into a word to log Z: no distribution changes, and Z stays within range but for
scores so wide that the log domain has to take over (`forest.inside_outside`).
"""

import numpy as np

from deppa_nb.kernels import forest
from deppa_nb.kernels._float import LEAST, exp, flush_denormals, in_range, restore_denormals
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels._rows import (
    argmax_sum,
    argmax_sum3,
    clear,
    dot,
    dot3,
    give,
    give_left,
    give_right,
    max_sum,
    max_sum3,
)
from deppa_nb.kernels.items import (
    COMPLETE_LEFT,
    COMPLETE_RIGHT,
    INCOMPLETE_LEFT,
    INCOMPLETE_RIGHT,
    ROOT,
    SIBLINGS,
    ZERO,
    push,
    row,
)

__all__ = ["best_tree", "inside_outside", "workspace"]

VALUES, GRADIENTS = np.int64(0), np.int64(8)  # where the charts begin in a workspace


@jit()
def workspace(n):
    """Return room for sentences of up to n words: charts, transposed charts and their gradients."""
    return np.empty((17, (n + 1) * (n + 1)))


@jit(inline=True)
def _charts(work, k):
    """Return eight charts as flat arrays; those that end in t are transposed."""
    return (
        work[k], work[k + 1], work[k + 2], work[k + 3], work[k + 4], work[k + 5], work[k + 6],
        work[k + 7],
    )  # fmt: skip


@jit()
def inside_outside(arcs, siblings, single_root, arc_marginals, sibling_marginals, work):
    """Return log Z and compute the marginals of all arcs and parts.

    Z is the sum over projective trees of the exponential of their scores; the marginal of a part
    is the share of the trees that have it, d log Z / d score.

    Parameters
    ----------
    arcs : float64 array (n + 1, n + 1)
        ``arcs[head, dependent]``; minus infinity forbids. The first column and the diagonal are
        not read.
    siblings : float64 array (parts(n),)
        Scores of parts, packed.
    single_root : bool
        Whether the root has exactly one dependent.
    arc_marginals, sibling_marginals : float64 arrays of the shapes of `arcs` and `siblings`
        Results; zeros if there is no tree.
    work : float64 array
        From `workspace`, for this many words or more.
    """
    n = arcs.shape[0] - 1
    state = flush_denormals()
    log_z = _weigh(n, arcs, siblings, arc_marginals, sibling_marginals, work[16])
    Z = 0.0
    if log_z > -np.inf:
        Z = _inside(n, arc_marginals, sibling_marginals, work, single_root)
    reliable = in_range(Z, n)
    if reliable:
        log_z += np.log(Z)
        _outside(n, arc_marginals, sibling_marginals, work, single_root, Z)
    restore_denormals(state)
    if not reliable:
        log_z = forest.inside_outside(arcs, siblings, single_root, arc_marginals, sibling_marginals)
    return log_z


@jit(vector=True)
def _weigh(n, arcs, siblings, A, X, top):
    """Fill A and X with weights of arcs and parts, at most 1; return what they lack of log Z."""
    for m in range(n + 1):
        top[m] = -np.inf
        A[m, m] = 0.0
    c = ZERO
    for w in range(1, n + 1):
        for s in range(n + 1 - w):
            t = s + w
            A[s, t] = arcs[s, t] + _lower_row(siblings, X, c, w)
            top[t] = max(top[t], A[s, t])
            c += w
            if s > 0:
                A[t, s] = arcs[t, s] + _lower_row(siblings, X, c, w)
                top[s] = max(top[s], A[t, s])
                c += w
    for k in range(np.uint64(c)):
        X[k] = exp(X[k])
    for h in range(n + 1):
        for m in range(1, n + 1):
            A[h, m] = exp(A[h, m] - max(top[m], LEAST))
        A[h, h] = A[h, 0] = 0.0
    taken = 0.0
    for m in range(1, n + 1):
        taken += top[m]
    return taken


@jit(vector=True, inline=True)
def _lower_row(siblings, X, c, w):
    """Copy a row of scores, less the largest; return the largest."""
    first = np.uint64(c)
    high = -np.inf
    for k in range(np.uint64(w)):
        high = max(high, siblings[first + k])
    finite = max(high, LEAST)
    for k in range(np.uint64(w)):
        X[first + k] = siblings[first + k] - finite
    return high


@jit(vector=True)
def _inside(n, A, X, work, single_root):
    """Fill the charts with sums of products of weights; return Z."""
    CR, CRt, CL, CLt, S, St, IR, ILt = _charts(work, VALUES)
    N = n + 1
    for i in range(N):
        CR[i * N + i] = CRt[i * N + i] = CL[i * N + i] = 1.0
        if i > 0:
            CLt[i * N + i - 1] = 1.0  # CL(r, t) stands at column r - 1
    c = 0
    for w in range(1, N):
        for s in range(N - w):
            t = s + w
            i, j = s * N + s, t * N + s
            value = CLt[j] * X[c]
            if s > 0 or not single_root:
                value += dot3(IR, i + 1, St, j + 1, X, c + 1, w - 1)
            IR[i + w] = A[s, t] * value
            CR[i + w] = CRt[j] = dot(IR, i + 1, CRt, j + 1, w)
            c += w
            if s > 0:
                value = CR[i + w - 1] * X[c + w - 1] + dot3(S, i + 1, ILt, j + 1, X, c, w - 1)
                ILt[j] = A[t, s] * value
                S[i + w] = St[j] = dot(CR, i, CLt, j, w)
                CL[i + w] = CLt[j - 1] = dot(CL, i, ILt, j, w)
                c += w
    return CR[n]


@jit(vector=True)
def _outside(n, A, X, work, single_root, Z):
    """Run `_inside` backwards: gradients of log Z, and marginals in place of weights."""
    CR, CRt, CL, CLt, S, St, IR, ILt = _charts(work, VALUES)
    dCR, dCRt, dCL, dCLt, dS, dSt, dIR, dILt = _charts(work, GRADIENTS)
    N = n + 1
    for chart in range(GRADIENTS, 2 * GRADIENTS):
        clear(work[chart], ZERO, N * N)
    dCR[n] = 1.0 / Z
    for w in range(n, 0, -1):
        c = row(n, ROOT, w)
        for s in range(N - w):
            t = s + w
            i, j = s * N + s, t * N + s
            complete = dCR[i + w] + dCRt[j]
            g = complete + dIR[i + w]
            weight, A[s, t] = g * A[s, t], g * IR[i + w]
            first = weight * X[c]
            dCLt[j] += first
            X[c] = first * CLt[j]
            if s > 0 or not single_root:
                give_right(
                    weight, IR, i + 1, dIR, St, j + 1, dSt, X, c + 1, complete, CRt, dCRt, w - 1
                )
            else:
                give(complete, IR, i + 1, dIR, CRt, j + 1, dCRt, w - 1)
                clear(X, c + 1, w - 1)
            c += w
            if s > 0:
                give(dS[i + w] + dSt[j], CR, i, dCR, CLt, j, dCLt, w)
                complete = dCL[i + w] + dCLt[j - 1]
                g = complete + dILt[j]
                weight, A[t, s] = g * A[t, s], g * ILt[j]
                first = weight * X[c + w - 1]
                dCR[i + w - 1] += first
                X[c + w - 1] = first * CR[i + w - 1]
                give_left(weight, S, i + 1, dS, ILt, j + 1, dILt, X, c, complete, CL, dCL, w - 1)
                c += w


@jit()
def best_tree(arcs, siblings, single_root, heads, work):
    """Write the heads of the best projective tree; return its score.

    Parameters
    ----------
    arcs, siblings, single_root, work
        As in `inside_outside`.
    heads : int32 array (n + 1,)
        Result, with -1 for the root; all -1 if there is no tree, whose score is minus infinity.
    """
    n = arcs.shape[0] - 1
    heads.fill(-1)
    score = _fill(n, arcs, siblings, work, single_root)
    if score > -np.inf:
        _follow(n, siblings, work, single_root, heads)
    return score


@jit(maxima=True)
def _fill(n, arcs, siblings, work, single_root):
    """Do as `_inside`, with maxima of sums for sums of products."""
    CR, CRt, CL, CLt, S, St, IR, ILt = _charts(work, VALUES)
    N = n + 1
    for i in range(N):
        CR[i * N + i] = CRt[i * N + i] = CL[i * N + i] = 0.0
        if i > 0:
            CLt[i * N + i - 1] = 0.0
    c = 0
    for w in range(1, N):
        for s in range(N - w):
            t = s + w
            i, j = s * N + s, t * N + s
            value = CLt[j] + siblings[c]
            if s > 0 or not single_root:
                value = max(value, max_sum3(IR, i + 1, St, j + 1, siblings, c + 1, w - 1))
            IR[i + w] = arcs[s, t] + value
            CR[i + w] = CRt[j] = max_sum(IR, i + 1, CRt, j + 1, w)
            c += w
            if s > 0:
                value = CR[i + w - 1] + siblings[c + w - 1]
                value = max(value, max_sum3(S, i + 1, ILt, j + 1, siblings, c, w - 1))
                ILt[j] = arcs[t, s] + value
                S[i + w] = St[j] = max_sum(CR, i, CLt, j, w)
                CL[i + w] = CLt[j - 1] = max_sum(CL, i, ILt, j, w)
                c += w
    return CR[n]


@jit()
def _follow(n, siblings, work, single_root, heads):
    """Find again how each item of the best tree came about, from the whole sentence down."""
    CR, CRt, CL, CLt, S, St, IR, ILt = _charts(work, VALUES)
    N = n + 1
    items = np.empty((2 * N, 3), np.int64)
    waiting = push(items, ZERO, COMPLETE_RIGHT, ROOT, n)
    while waiting:
        waiting -= 1
        kind, s, t = items[waiting]
        w = t - s
        i, j, c = s * N + s, t * N + s, row(n, s, t)
        if kind == COMPLETE_RIGHT:
            r = s + 1 + argmax_sum(IR, i + 1, CRt, j + 1, w)
            waiting = push(items, waiting, INCOMPLETE_RIGHT, s, r)
            waiting = push(items, waiting, COMPLETE_RIGHT, r, t)
        elif kind == COMPLETE_LEFT:
            r = s + argmax_sum(CL, i, ILt, j, w)
            waiting = push(items, waiting, COMPLETE_LEFT, s, r)
            waiting = push(items, waiting, INCOMPLETE_LEFT, r, t)
        elif kind == SIBLINGS:
            r = s + argmax_sum(CR, i, CLt, j, w)
            waiting = push(items, waiting, COMPLETE_RIGHT, s, r)
            waiting = push(items, waiting, COMPLETE_LEFT, r + 1, t)
        elif kind == INCOMPLETE_RIGHT:
            heads[t] = s
            size = w - 1 if s > 0 or not single_root else 0
            r = s + 1 + argmax_sum3(IR, i + 1, St, j + 1, siblings, c + 1, size)
            if CLt[j] + siblings[c] >= max_sum3(IR, i + 1, St, j + 1, siblings, c + 1, size):
                waiting = push(items, waiting, COMPLETE_LEFT, s + 1, t)
            else:
                waiting = push(items, waiting, INCOMPLETE_RIGHT, s, r)
                waiting = push(items, waiting, SIBLINGS, r, t)
        else:
            heads[s] = t
            c += w
            r = s + 1 + argmax_sum3(S, i + 1, ILt, j + 1, siblings, c, w - 1)
            first = CR[i + w - 1] + siblings[c + w - 1]
            if first > max_sum3(S, i + 1, ILt, j + 1, siblings, c, w - 1):
                waiting = push(items, waiting, COMPLETE_RIGHT, s, t - 1)
            else:
                waiting = push(items, waiting, SIBLINGS, s, r)
                waiting = push(items, waiting, INCOMPLETE_LEFT, r, t)
