"""Features of some parts of a sentence: the arcs that were kept, the parts with a gradient.

A list has a column for each part, with five numbers: words a and b, what x is looked up besides
them (``extra[x]``: a hash of what stands between, or the slot of a third word), and the two places
within a line, near and far. So one loop serves arcs, first dependents, neighbours and triples.
"""

import numpy as np

from deppa_nb.kernels._jit import jit
from deppa_nb.kernels._memory import prefetch
from deppa_nb.kernels._rows import clear
from deppa_nb.kernels.items import ZERO
from deppa_nb.kernels.slots import EACH, FAR, FLAGS, KINDS, NEAR, describe, places, scramble

__all__ = ["add_gradient", "list_room", "score_kept"]

_A, _B, _X, _NEAR, _FAR = np.arange(5)
_AHEAD = np.uint64(24)  # parts whose weights are asked for before they are added
_WAITING = 4096  # features whose memory was asked for before their gradient is added


@jit()
def list_room(n, most):
    """Return room for lists of arcs of n words, or of so many parts, with a number for each."""
    size = max((n + 1) * (n + 1), most)
    return np.empty((5, size), np.uint32), np.empty(size)


@jit(inline=True)
def _append(listed, count, a, b, x, codes, c, far):
    """Put a part on a list; return how many there are now."""
    p = np.uint64(count)
    listed[_A, p], listed[_B, p], listed[_X, p] = a, b, x
    listed[_NEAR, p], listed[_FAR, p] = codes[NEAR, c], codes[far, c]
    return count + 1


@jit()
def _none(slots):
    """Return, for each template, that nothing between is looked at."""
    return np.zeros(max(slots.first_h.shape[0], slots.pair_s.shape[0]), np.int64)


@jit()
def _third(slots, first, N):
    """Return the slots of neighbours, as a matrix like the codes, and all its rows."""
    return slots.triple_s[:, first : first + N].copy(), np.arange(slots.triple_s.shape[0])


@jit()
def score_kept(slots, k, weights, kept, arcs, siblings, codes, sums, listed, values):
    """Compute the scores of the arcs that were kept, and of parts that have no others.

    Parameters
    ----------
    slots, k, weights, arcs, siblings, codes, sums
        As in `scoring.score`. Arcs that were not kept become minus infinity; parts with such arcs
        mean nothing.
    kept : bool array ((n + 1)**2,)
    listed, values
        From `list_room`, for as many parts as there may be.
    """
    first = slots.firsts[k]
    N = arcs.shape[0]
    describe(slots.kinds, first, N, codes)
    count = ZERO
    for h in range(N):
        for m in range(N):
            arcs[h, m] = -np.inf
            if m != 0 and h != m and kept[h * N + m]:
                count = _append(listed, count, h, m, h * N + m, codes, h * N + m, FAR)
    clear(values, ZERO, count)
    _add_list(weights, slots.arc_h, slots.arc_m, codes, slots.between, first, listed, count, values)
    _add_each(weights, slots, first, codes, listed, count, values)
    for p in range(count):
        arcs[listed[_A, p], listed[_B, p]] = values[p]
    if siblings.size > 0:
        _score_kept_parts(
            slots, first, weights, kept, N, siblings, codes, sums, listed, count, values
        )


@jit()
def _score_kept_parts(
    slots, first, weights, kept, N, siblings, codes, sums, listed, count, values
):  # fmt: skip
    """Go on with the parts of the arcs in the list."""
    clear(siblings, ZERO, siblings.size)
    none, neighbours = _none(slots), sums[0]
    clear(values, ZERO, count)
    _add_list(weights, slots.first_h, slots.first_m, codes, none, first, listed, count, values)
    for p in range(count):
        siblings[places(N - 1, np.int64(listed[_A, p]), np.int64(listed[_B, p]))[0]] = values[p]
    count = _list_pairs(kept, N, codes, neighbours, listed)
    clear(values, ZERO, count)
    _add_list(weights, slots.pair_m, slots.pair_s, codes, none, first, listed, count, values)
    for p in range(count):
        neighbours[listed[_X, p]] = values[p]
    count = ZERO
    for h in range(N):
        for m in range(1, N):
            if h != m and kept[h * N + m]:
                _, _, s, size = places(N - 1, h, m)
                for r in range(s, s + size):
                    if kept[h * N + r]:
                        values[count] = neighbours[m * N + r]
                        count = _append(listed, count, h, m, r, codes, m * N + r, FLAGS)
    third, every = _third(slots, first, N)
    _add_list(weights, slots.triple_h, slots.triple_m, third, every, first, listed, count, values)
    for p in range(count):
        _, c, s, _ = places(N - 1, np.int64(listed[_A, p]), np.int64(listed[_B, p]))
        siblings[c + listed[_X, p] - s] = values[p]


@jit()
def _list_pairs(kept, N, codes, seen, listed):
    """List the words and neighbours that have a head in common; return how many."""
    clear(seen, ZERO, N * N)
    count = ZERO
    for h in range(N):
        for m in range(1, N):
            if h != m and kept[h * N + m]:
                _, _, s, size = places(N - 1, h, m)
                for r in range(s, s + size):
                    at = m * N + r
                    if kept[h * N + r] and seen[at] == 0.0:
                        seen[at] = 1.0
                        count = _append(listed, count, m, r, at, codes, at, FAR)
    return count


@jit(inline=True)
def _index(row, column, extra, first, listed, p, mask):
    """Return the index of a template's feature about part p of the list."""
    a, b = first + np.uint64(listed[_A, p]), first + np.uint64(listed[_B, p])
    return (row[a] ^ column[b] ^ extra[np.uint64(listed[_X, p])]) & mask


@jit()
def _add_list(weights, rows, columns, extras, which, first, listed, count, out):
    """Add the weights of all templates to the scores of the parts of a list."""
    mask, begin, size = np.uint64(weights.size - 1), np.uint64(first), np.uint64(count)
    for t in range(rows.shape[0]):
        if which[t] == EACH:
            continue
        row, column, extra = rows[t], columns[t], extras[which[t]]
        for p in range(min(_AHEAD, size)):
            prefetch(weights, _index(row, column, extra, begin, listed, p, mask))
        for p in range(size):
            if p + _AHEAD < size:
                ahead = _index(row, column, extra, begin, listed, p + _AHEAD, mask)
                prefetch(weights, ahead)
            i = _index(row, column, extra, begin, listed, p, mask)
            out[p] += weights[i ^ listed[_NEAR, p]] + weights[i ^ listed[_FAR, p]]


@jit()
def _add_each(weights, slots, first, codes, listed, count, out):
    """Do so for templates that have a feature for each kind of word between."""
    mask = np.uint64(weights.size - 1)
    for t in range(slots.between.size):
        for p in range(count if slots.between[t] == EACH else 0):
            base = slots.arc_h[t, first + listed[_A, p]] ^ slots.arc_m[t, first + listed[_B, p]]
            rest = codes[KINDS, listed[_X, p]]
            while rest:
                others = rest & (rest - np.uint32(1))
                i = (base ^ scramble(np.uint64(rest ^ others))) & mask
                out[p] += weights[i ^ listed[_NEAR, p]] + weights[i ^ listed[_FAR, p]]
                rest = others


@jit()
def add_gradient(
    slots, k, arcs, siblings, least, low, high, gradient, touched, count, codes, sums, listed,
    values,
):  # fmt: skip
    """Add the gradient of sentence k by its scores to that by some of the weights.

    Parameters
    ----------
    slots, k, codes, sums
        As in `scoring.score`.
    arcs, siblings : float64 arrays
        The gradient by the scores, of the shapes of `scoring.score`.
    least : float
        Parts whose gradient is not larger are left out.
    low, high : int
        Only weights from `low` to below `high`, multiples of 16, are looked at: threads that have
        different ones do not disturb each other, and no sum depends on how many there are.
    gradient : float32 array (2**bits,)
        Result.
    touched : int32 array (high - low,)
        Result: the weights whose gradient was 0 before, from place `count` on.
    count : int
        How many were touched before.
    listed, values
        From `list_room`, for all parts.

    Returns
    -------
    int
        How many are touched now; if more than there is place for, any may be.
    """
    first = slots.firsts[k]
    N = arcs.shape[0]
    describe(slots.kinds, first, N, codes)
    table = gradient, touched, low, high
    none = _none(slots)
    size = _list_matrix(arcs.ravel(), least, N, codes, listed, values)
    count = _spread(
        slots.arc_h, slots.arc_m, codes, slots.between, first, listed, values, size, table, count
    )
    count = _spread_each(slots, first, codes, listed, values, size, table, count)
    if siblings.size == 0:
        return count
    pairs = sums[0]
    size = _list_triples(siblings, least, N, codes, listed, values, pairs)
    third, every = _third(slots, first, N)
    count = _spread(
        slots.triple_h, slots.triple_m, third, every, first, listed, values, size, table, count
    )
    size = _list_matrix(pairs, least, N, codes, listed, values)
    count = _spread(
        slots.pair_m, slots.pair_s, codes, none, first, listed, values, size, table, count
    )
    size = _list_firsts(siblings, least, N, codes, listed, values)
    return _spread(
        slots.first_h, slots.first_m, codes, none, first, listed, values, size, table, count
    )


@jit()
def _list_matrix(matrix, least, N, codes, listed, values):
    """List the pairs of words that have a gradient; return how many."""
    count = ZERO
    for a in range(N):
        for b in range(1, N):
            c = a * N + b
            if a != b and abs(matrix[c]) > least:
                values[count] = matrix[c]
                count = _append(listed, count, a, b, c, codes, c, FAR)
    return count


@jit()
def _list_firsts(siblings, least, N, codes, listed, values):
    """List the first dependents that have a gradient; return how many."""
    count = ZERO
    for h in range(N):
        for m in range(1, N):
            if h != m:
                g = siblings[places(N - 1, h, m)[0]]
                if abs(g) > least:
                    values[count] = g
                    count = _append(listed, count, h, m, h * N + m, codes, h * N + m, FAR)
    return count


@jit()
def _list_triples(siblings, least, N, codes, listed, values, pairs):
    """List the parts of three words that have a gradient and sum it up for words and neighbours."""
    clear(pairs, ZERO, N * N)
    count = ZERO
    for h in range(N):
        for m in range(1, N):
            if h == m:
                continue
            _, c, s, size = places(N - 1, h, m)
            for j in range(size):
                g, at = siblings[c + j], m * N + s + j
                pairs[at] += g
                if abs(g) > least:
                    values[count] = g
                    count = _append(listed, count, h, m, s + j, codes, at, FLAGS)
    return count


@jit()
def _spread(rows, columns, extras, which, first, listed, values, size, table, count):
    """Add the gradient of the parts of a list to that of all their features."""
    gradient, touched, low, high = table
    mask, begin = np.uint64(gradient.size - 1), np.uint64(first)
    own, end = np.uint64(low), np.uint64(high)
    indices, changes = np.empty(_WAITING + 2, np.uint32), np.empty(_WAITING + 2, np.float32)
    waiting = np.uint64(0)
    for t in range(rows.shape[0]):
        if which[t] == EACH:
            continue
        row, column, extra = rows[t], columns[t], extras[which[t]]
        for p in range(np.uint64(size)):
            i = _index(row, column, extra, begin, listed, p, mask)
            is_own = own <= i < end
            prefetch(gradient, i if is_own else own)
            indices[waiting], changes[waiting] = i ^ listed[_NEAR, p], values[p]
            indices[waiting + 1], changes[waiting + 1] = i ^ listed[_FAR, p], values[p]
            waiting += np.uint64(2 * is_own)
            if waiting >= _WAITING:
                count = _touch(indices, changes, waiting, gradient, touched, count)
                waiting = np.uint64(0)
    return _touch(indices, changes, waiting, gradient, touched, count)


@jit()
def _spread_each(slots, first, codes, listed, values, size, table, count):
    """Do so for templates that have a feature for each kind of word between."""
    gradient, touched, low, high = table
    mask = np.uint64(gradient.size - 1)
    indices, changes = np.empty(2, np.uint32), np.empty(2, np.float32)
    for t in range(slots.between.size):
        for p in range(size if slots.between[t] == EACH else 0):
            base = slots.arc_h[t, first + listed[_A, p]] ^ slots.arc_m[t, first + listed[_B, p]]
            rest = codes[KINDS, listed[_X, p]]
            changes[:] = values[p]
            while rest:
                others = rest & (rest - np.uint32(1))
                i = (base ^ scramble(np.uint64(rest ^ others))) & mask
                if np.uint64(low) <= i < np.uint64(high):
                    indices[0], indices[1] = i ^ listed[_NEAR, p], i ^ listed[_FAR, p]
                    count = _touch(indices, changes, np.uint64(2), gradient, touched, count)
                rest = others
    return count


@jit()
def _touch(indices, changes, size, gradient, touched, count):
    """Add changes to the gradient; note whose was 0 before and return how many were noted."""
    for j in range(size):
        i = np.uint64(indices[j])
        if gradient[i] == 0.0:
            if count < touched.size:
                touched[count] = i
            count += 1
        gradient[i] += changes[j]
    return count
