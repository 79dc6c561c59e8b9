"""Learning from forests of trees, batch after batch without Python between.

A sentence with some heads given stands for the forest F of all trees that have them; a full tree
is a forest of one (Li et al. 2016). What is minimised is

    loss = - log p(F) = log Z - log Z_F,    d loss / d score(part) = p(part) - p(part | F).

Several threads work on one table: each computes the gradients of some sentences of a batch by
their scores; then each takes the step for its own part of the table, over all sentences in the
same order. So no bit of the result depends on how many there are.
"""

from collections import namedtuple

import numpy as np

from deppa_nb.kernels import second_order
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels._memory import prefetch
from deppa_nb.kernels._rows import clear
from deppa_nb.kernels._threads import meet, take
from deppa_nb.kernels.batches import (
    layout,
    longest,
    score_one,
    scoring_room,
    square,
    sum_one,
)
from deppa_nb.kernels.constraints import constrain
from deppa_nb.kernels.items import ZERO, parts
from deppa_nb.kernels.listed import add_gradient, list_room
from deppa_nb.kernels.slots import places, room

__all__ = [
    "Lesson",
    "Table",
    "add_tree",
    "collect",
    "differ",
    "differ_room",
    "learn",
    "update",
]

Lesson = namedtuple("Lesson", "slots heads importance kept_at kept second projective single_root")
"""What is learned from.

slots : Slots
heads : int32 (tokens,), the given ones, -1 where a word is open; laid out as the slots
importance : float64 (sentences,), what the loss of each counts
kept_at, kept : as in `batches.score_one`
second : bool, whether there are sibling parts
projective, single_root : bool, which trees there are
"""

Table = namedtuple("Table", "weights squares gradient touched rate delta decay least")
"""What is learned, and how.

weights : float32 (2**bits,)
squares : float32 (2**bits,) or, for gradient descent, (0,): sums of squares of gradients
gradient : float32 (2**bits,), zero between steps
touched : int32 (2**bits,), for the places whose gradient is not zero
rate, delta, decay : float, see `update`
least : float, parts whose gradient is not larger are not worth their features
"""

_AHEAD = 16  # weights that are asked for before they are changed


@jit()
def learn(
    lesson, table, sentences, batch_size, p_arcs, p_siblings, losses, thread, threads, counters
):  # fmt: skip
    """Take a step after each batch of sentences, together with other threads.

    Parameters
    ----------
    lesson : Lesson
    table : Table
    sentences : int64 array
        In the order in which they are learned from.
    batch_size : int
    p_arcs, p_siblings : float64 arrays
        Room for the gradients by the scores of any of the batches, as `layout` tells.
    losses : float64 array (sentences,)
        Result.
    thread, threads : int
        Which thread this is, and of how many.
    counters : int64 array (2, 8)
        All 0 before: meetings of the threads and sentences taken, see `_threads`.
    """
    firsts = lesson.slots.firsts
    lines = table.weights.size // 16
    low, high = lines * thread // threads * 16, lines * (thread + 1) // threads * 16
    n = longest(firsts, sentences)
    space = differ_room(n, lesson.second, lesson.kept.size > 0)
    meetings = taken = ZERO
    for start in range(0, sentences.size, batch_size):
        batch = sentences[start : start + batch_size]
        at, longest_first = layout(firsts, batch, lesson.second), _longest_first(firsts, batch)
        while True:
            place = take(counters[1]) - taken
            if place >= batch.size:
                break
            j = longest_first[place]
            p, p_parts = p_arcs[at[0, j] : at[0, j + 1]], p_siblings[at[1, j] : at[1, j + 1]]
            losses[start + j] = differ(lesson, batch[j], table.weights, p, p_parts, space)
        taken += batch.size + threads  # each took one number in vain
        if not meet(counters[0], threads, meetings + 1):
            return
        update(lesson.slots, batch, at, p_arcs, p_siblings, table, low, high)
        if not meet(counters[0], threads, meetings + 2):
            return
        meetings += 2


@jit()
def _longest_first(firsts, batch):
    """Return the sentences of a batch in an order that leaves little to wait for at its end."""
    order = np.arange(batch.size)
    for j in range(1, batch.size):
        k = j
        while k > 0 and _size(firsts, batch[order[k]]) > _size(firsts, batch[order[k - 1]]):
            order[k], order[k - 1] = order[k - 1], order[k]
            k -= 1
    return order


@jit(inline=True)
def _size(firsts, k):
    """Return how many tokens sentence k has, with its root."""
    return firsts[k + 1] - firsts[k]


@jit()
def differ_room(n, second, pruned):
    """Return what `differ` needs for sentences of up to n words."""
    size = (n + 1) * (n + 1)
    floats = np.empty((2, size + (parts(n) if second else 0)))
    return (
        scoring_room(n, second, pruned),
        floats,
        np.zeros(size, np.bool_),
        second_order.workspace(n),
    )


@jit(merge=True)
def differ(lesson, k, weights, p, p_parts, space):
    """Compute the gradient of the loss of sentence k by its scores, and return the loss.

    Parameters
    ----------
    lesson : Lesson
    weights : float32 array (2**bits,)
    p, p_parts : float64 arrays ((n + 1)**2,), (parts(n),) or (0,)
        Results.
    space
        From `differ_room`.
    """
    scoring, floats, free, work = space
    firsts, importance = lesson.slots.firsts, lesson.importance[k]
    heads = lesson.heads[firsts[k] : firsts[k + 1]]
    size, given = heads.size, 0
    for word in range(1, size):
        given += heads[word] >= 0
    if given == 0 or importance == 0.0:
        clear(p, ZERO, p.size)
        clear(p_parts, ZERO, p_parts.size)
        return 0.0
    arcs, siblings = square(floats[0], size), floats[0, p.size : p.size + p_parts.size]
    score_one(lesson.slots, k, weights, lesson.kept_at, lesson.kept, arcs, siblings, scoring)
    projective, single_root = lesson.projective, lesson.single_root
    loss = sum_one(arcs, siblings, projective, single_root, square(p, size), p_parts, work)
    if given == size - 1:
        loss -= add_tree(heads, -1.0, arcs, siblings, square(p, size), p_parts)
    else:
        q, q_parts = floats[1, : p.size], floats[1, p.size : p.size + p_parts.size]
        constrain(arcs, heads, square(free, size), arcs)
        loss -= sum_one(arcs, siblings, projective, single_root, square(q, size), q_parts, work)
        _subtract(p, q)
        _subtract(p_parts, q_parts)
    if importance != 1.0:
        _multiply(p, importance)
        _multiply(p_parts, importance)
    return importance * loss


@jit()
def _subtract(a, b):
    for c in range(a.size):
        a[c] -= b[c]


@jit()
def _multiply(a, factor):
    for c in range(a.size):
        a[c] *= factor


@jit()
def add_tree(heads, amount, arcs, siblings, p, p_parts):
    """Add an amount to each part of a tree; return its score."""
    size = heads.size
    total = 0.0
    last = np.zeros(size, np.int64)  # the dependent of each head that was seen last, or 0
    for turn in range(2):  # dependents to the right of their heads, then those to the left
        last[:] = 0
        for step in range(1, size):
            m = step if turn == 0 else size - step
            h = np.int64(heads[m])
            if (h < m) != (turn == 0):
                continue
            p[h, m] += amount
            total += arcs[h, m]
            if siblings.size > 0:
                alone, c, s, _ = places(size - 1, h, m)
                part = c + last[h] - s if last[h] > 0 else alone
                p_parts[part] += amount
                total += siblings[part]
            last[h] = m
    return total


@jit(merge=True)
def collect(slots, sentences, at, arcs, siblings, table, low, high):
    """Add up the gradient by the weights from `low` to `high`; return how many it touches.

    Parameters
    ----------
    slots, sentences, at, arcs, siblings
        The gradient by the scores, laid out by `layout`.
    table : Table
        Its gradient is the result, and the places of `touched` from `low` on.
    low, high : int
        As in `listed.add_gradient`.
    """
    n = longest(slots.firsts, sentences)
    codes, sums = room(n)
    listed, values = list_room(n, parts(n) if siblings.size > 0 else ZERO)
    touched = table.touched[low:high]
    count = ZERO
    for j in range(sentences.size):
        size = _size(slots.firsts, sentences[j])
        p, p_parts = square(arcs[at[0, j] :], size), siblings[at[1, j] : at[1, j + 1]]
        count = add_gradient(
            slots, sentences[j], p, p_parts, table.least, low, high, table.gradient, touched, count,
            codes, sums, listed, values,
        )  # fmt: skip
    return count


@jit()
def update(slots, sentences, at, arcs, siblings, table, low, high):
    """Take a step with the weights from `low` to `high`.

    AdaGrad, w -= rate g / (sqrt(G) + delta) with G the sum of all g**2 so far; or, if there is no
    place for G (`squares` is empty), gradient descent, w -= rate g. g is the sum over the batch.
    Then all these weights shrink, w -= rate decay w. See `collect` for the other arguments; the
    gradient is left as it was, zero.
    """
    weights, squares, gradient = table.weights, table.squares, table.gradient
    touched = table.touched[low:high]
    count = collect(slots, sentences, at, arcs, siblings, table, low, high)
    if count > touched.size:  # so many that they were not noted
        count = touched.size
        for j in range(count):
            touched[j] = low + j
    for j in range(count):
        i = touched[min(j + _AHEAD, count - 1)]
        for some in (gradient, weights, squares):
            prefetch(some, i)
        i = touched[j]
        g = gradient[i]
        gradient[i] = 0.0
        if squares.size == 0:
            weights[i] -= table.rate * g
        elif g != 0.0:
            squares[i] += g * g
            weights[i] -= table.rate * g / (np.sqrt(squares[i]) + table.delta)
    if table.decay > 0.0:
        factor = max(1.0 - table.rate * table.decay, 0.0)
        for i in range(low, high):
            weights[i] *= factor
