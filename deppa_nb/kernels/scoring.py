"""Scores of all arcs and sibling parts from slots of tokens and a table of weights.

A feature of template t about head h and modifier m has the index

    i = (H[t, h] ^ M[t, m] ^ b) & mask,

b a hash of what stands between them, and its weight is there twice: at ``i ^ near``, near the
direction, and at ``i ^ far``, far the direction and the distance. Both codes are below 16, so that
the two lie in one line of the processor's cache: fetching it is what scoring costs. Features of
neighbours (s, m) that do not look at the head are summed once for all heads. Inner loops run over
words, for which the slots of a template stand one after the other.
"""

import numpy as np

from deppa_nb.kernels._jit import jit
from deppa_nb.kernels._memory import prefetch
from deppa_nb.kernels._rows import clear
from deppa_nb.kernels.items import ZERO
from deppa_nb.kernels.slots import (
    EACH,
    FAR,
    FLAGS,
    KINDS,
    NEAR,
    NOTHING,
    describe,
    places,
    scramble,
)

__all__ = ["score"]


@jit()
def score(slots, k, weights, arcs, siblings, codes, sums):
    """Compute the scores of sentence k.

    Parameters
    ----------
    slots : Slots
    k : int
        Which sentence.
    weights : float32 array (2**bits,)
    arcs : float64 array (n + 1, n + 1)
        Result, ``arcs[head, dependent]``; the first column and the diagonal mean nothing.
    siblings : float64 array (parts(n),) or (0,)
        Result, packed as `items` says; empty for a model of first order.
    codes, sums
        From `slots.room`, for this many words or more.
    """
    first = slots.firsts[k]
    N = arcs.shape[0]
    describe(slots.kinds, first, N, codes)
    scores, alone, neighbours = arcs.ravel(), sums[0], sums[1]
    _add_pairs(weights, slots.arc_h, slots.arc_m, slots.between, first, N, codes, scores)
    _add_each(weights, slots, first, N, codes, scores)
    if siblings.size == 0:
        return
    between = np.zeros(max(slots.first_h.shape[0], slots.pair_s.shape[0]), np.int64)
    _add_pairs(weights, slots.first_h, slots.first_m, between, first, N, codes, alone)
    _add_pairs(weights, slots.pair_m, slots.pair_s, between, first, N, codes, neighbours)
    for h in range(N):
        for m in range(1, N):
            if h != m:
                _score_row(slots, first, weights, h, m, N, codes, alone, neighbours, siblings)


@jit()
def _add_pairs(weights, rows, columns, between, first, N, codes, out):
    """Compute the sums over templates of two words, of rows and columns of a matrix."""
    clear(out, ZERO, N * N)
    mask = np.uint64(weights.size - 1)
    near, far = codes[NEAR], codes[FAR]
    for t in range(rows.shape[0]):
        if between[t] == EACH:
            continue
        code = codes[between[t]]
        _fetch_row(weights, mask, rows[t, first], columns, t, first, code, ZERO, N)
        for a in range(N):
            if a + 1 < N:
                ahead, at = rows[t, first + a + 1], (a + 1) * N
                _fetch_row(weights, mask, ahead, columns, t, first, code, at, N)
            base, at = rows[t, first + a], a * N
            _add_row(weights, mask, base, columns, t, first, code, near, far, at, out, at, N)


@jit()
def _score_row(slots, first, weights, h, m, N, codes, alone, neighbours, siblings):
    """Compute the scores of the parts of h -> m."""
    mask = np.uint64(weights.size - 1)
    near, far, nothing = codes[NEAR], codes[FLAGS], codes[NOTHING]
    lone, c, s, size = places(N - 1, h, m)
    at = m * N + s
    siblings[lone] = alone[h * N + m]
    for j in range(size):
        siblings[c + j] = neighbours[at + j]
    after = m + 1 if m + 1 < N and m + 1 != h else m
    _, _, s_after, size_after = places(N - 1, h, after)
    for t in range(slots.triple_h.shape[0]):
        base, word = slots.triple_h[t, first + h], first + s
        ahead, word_after = base ^ slots.triple_m[t, first + after], first + s_after
        _fetch_row(weights, mask, ahead, slots.triple_s, t, word_after, nothing, ZERO, size_after)
        base ^= slots.triple_m[t, first + m]
        _add_row(
            weights, mask, base, slots.triple_s, t, word, nothing, near, far, at, siblings, c, size
        )


@jit(vector=True, inline=True)
def _add_row(weights, mask, base, slots, t, word, between, near, far, code, out, at, size):
    """Add the weights of a template's features, for a row of words, to their scores."""
    w, c, o = np.uint64(word), np.uint64(code), np.uint64(at)
    for k in range(np.uint64(size)):
        i = (base ^ slots[t, w + k] ^ between[c + k]) & mask
        out[o + k] += weights[i ^ near[c + k]] + weights[i ^ far[c + k]]


@jit(inline=True)
def _fetch_row(weights, mask, base, slots, t, word, between, code, size):
    """Ask for the weights that `_add_row` will need."""
    w, c = np.uint64(word), np.uint64(code)
    for k in range(np.uint64(size)):
        prefetch(weights, (base ^ slots[t, w + k] ^ between[c + k]) & mask)


@jit()
def _add_each(weights, slots, first, N, codes, out):
    """Do as `_add_pairs`, for templates that have a feature for each kind of word between."""
    mask = np.uint64(weights.size - 1)
    for t in range(slots.between.size):
        for c in range(N * N if slots.between[t] == EACH else 0):
            base = slots.arc_h[t, first + c // N] ^ slots.arc_m[t, first + c % N]
            rest = codes[KINDS, c]
            while rest:
                others = rest & (rest - np.uint32(1))
                i = (base ^ scramble(np.uint64(rest ^ others))) & mask
                out[c] += weights[i ^ codes[NEAR, c]] + weights[i ^ codes[FAR, c]]
                rest = others
