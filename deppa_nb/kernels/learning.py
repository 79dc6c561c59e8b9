"""Learning from forests of trees, and decoding, sentence after sentence without Python between.

A sentence with some heads given stands for the forest F of all trees that have them; a full tree
is a forest of one (Li et al. 2016). What is minimised is

    loss = - log p(F) = log Z - log Z_F,    d loss / d score(part) = p(part) - p(part | F).
"""

import numpy as np

from deppa_nb.kernels import first_order, second_order
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels._memory import prefetch
from deppa_nb.kernels.constraints import constrain
from deppa_nb.kernels.items import ZERO, parts
from deppa_nb.kernels.listed import add_gradient, list_room, score_kept
from deppa_nb.kernels.scoring import score
from deppa_nb.kernels.slots import places, room

__all__ = [
    "collect",
    "constrain_batch",
    "decode",
    "layout",
    "leave_trees",
    "score_batch",
    "sum_batch",
    "update",
]

_AHEAD = 16  # weights that are asked for before they are changed


@jit()
def _square(flat, size):
    """Return the beginning of a flat array as a square matrix."""
    return flat[: size * size].reshape((size, size))


@jit()
def _longest(firsts, sentences):
    n = 1
    for k in sentences:
        n = max(n, firsts[k + 1] - firsts[k] - 1)
    return n


@jit()
def layout(firsts, sentences, second):
    """Return where the arcs and the parts of each sentence stand in flat arrays, ends included."""
    at = np.zeros((2, sentences.size + 1), np.int64)
    for j in range(sentences.size):
        n = firsts[sentences[j] + 1] - firsts[sentences[j]] - 1
        at[0, j + 1] = at[0, j] + (n + 1) * (n + 1)
        at[1, j + 1] = at[1, j] + (parts(n) if second else 0)
    return at


@jit()
def score_batch(slots, sentences, chosen, weights, kept_at, kept, at, arcs, siblings):
    """Compute the scores of some sentences of a batch.

    Parameters
    ----------
    slots : Slots
        Of all sentences, see `slots`.
    sentences : int64 array
        The sentences of a batch.
    chosen : int64 array
        Which of the batch are computed here; another thread may compute others.
    weights : float32 array (2**bits,)
    kept_at, kept : int64 array (sentences of slots,), bool array
        Where the square of each sentence begins that tells which arcs are kept; if it is empty,
        all are.
    at : int64 array (2, sentences of the batch + 1)
        From `layout`.
    arcs, siblings : float64 arrays
        Results, of the sizes that `layout` gives.
    """
    longest = _longest(slots.firsts, sentences)
    second = siblings.size > 0
    codes, sums = room(longest)
    listed, values = list_room(longest, parts(longest) if kept.size > 0 and second else 0)
    for j in chosen:
        k = sentences[j]
        size = slots.firsts[k + 1] - slots.firsts[k]
        scores, scored = _square(arcs[at[0, j] :], size), siblings[at[1, j] : at[1, j + 1]]
        if kept.size == 0:
            score(slots, k, weights, scores, scored, codes, sums)
        else:
            some = kept[kept_at[k] : kept_at[k] + size * size]
            score_kept(slots, k, weights, some, scores, scored, codes, sums, listed, values)


@jit()
def sum_batch(firsts, sentences, chosen, single_root, at, arcs, siblings, p_arcs, p_siblings, logs):
    """Compute log Z and marginals of some sentences of a batch.

    Parameters
    ----------
    firsts : int64 array (sentences + 1,)
        Where sentences begin.
    sentences, chosen, at, arcs, siblings
        As `score_batch` left them; of first order if there are no siblings.
    single_root : bool
    p_arcs, p_siblings : float64 arrays
        Results, laid out as the scores.
    logs : float64 array (sentences of the batch,)
        Result, log Z.
    """
    work = second_order.workspace(_longest(firsts, sentences))
    for j in chosen:
        k = sentences[j]
        size = firsts[k + 1] - firsts[k]
        scores, p = _square(arcs[at[0, j] :], size), _square(p_arcs[at[0, j] :], size)
        scored, q = siblings[at[1, j] : at[1, j + 1]], p_siblings[at[1, j] : at[1, j + 1]]
        if scored.size == 0:
            logs[j] = first_order.inside_outside(scores, single_root, p, work)
        else:
            logs[j] = second_order.inside_outside(scores, scored, single_root, p, q, work)


@jit()
def constrain_batch(firsts, heads, sentences, chosen, at, arcs):
    """Let the scores of arcs that contradict given heads be minus infinity.

    Parameters
    ----------
    firsts, sentences, chosen, at, arcs
        As in `sum_batch`.
    heads : int32 array (tokens,)
        Given heads, -1 where a word is open; laid out as the slots.
    """
    longest = _longest(firsts, sentences)
    free = np.zeros((longest + 1) * (longest + 1), np.bool_)
    for j in chosen:
        k = sentences[j]
        size = firsts[k + 1] - firsts[k]
        scores = _square(arcs[at[0, j] :], size)
        constrain(scores, heads[firsts[k] : firsts[k + 1]], _square(free, size), scores)


@jit()
def leave_trees(
    firsts, heads, sentences, chosen, at, arcs, siblings, p_arcs, p_siblings, logs
):  # fmt: skip
    """Subtract p(part | F) where F is one tree: 1 from each of its parts; and log Z_F, its score.

    Parameters
    ----------
    firsts, heads, sentences, chosen, at, arcs, siblings
        As in `constrain_batch` and `sum_batch`; the chosen sentences have all their heads.
    p_arcs, p_siblings, logs
        Of `sum_batch`; changed.
    """
    for j in chosen:
        k = sentences[j]
        size = firsts[k + 1] - firsts[k]
        given = heads[firsts[k] : firsts[k + 1]]
        last = np.zeros(size, np.int64)  # the dependent of each head that was seen last, or 0
        for turn in range(2):  # dependents to the right of their heads, then those to the left
            last[:] = 0
            for step in range(1, size):
                m = step if turn == 0 else size - step
                h = np.int64(given[m])
                if (h < m) != (turn == 0):
                    continue
                arc = at[0, j] + h * size + m
                p_arcs[arc] -= 1.0
                logs[j] -= arcs[arc]
                if siblings.size > 0:
                    alone, c, s, _ = places(size - 1, h, m)
                    part = at[1, j] + (c + last[h] - s if last[h] > 0 else alone)
                    p_siblings[part] -= 1.0
                    logs[j] -= siblings[part]
                last[h] = m


@jit()
def collect(slots, sentences, at, arcs, siblings, least, low, high, gradient, touched):
    """Add up the gradient by the weights from `low` to `high`; return how many it touches.

    Parameters
    ----------
    slots, sentences, at, arcs, siblings
        The gradient by the scores, laid out by `layout`.
    least, low, high, gradient, touched
        As in `listed.add_gradient`; the gradient must be zero before.
    """
    longest = _longest(slots.firsts, sentences)
    codes, sums = room(longest)
    listed, values = list_room(longest, parts(longest) if siblings.size > 0 else 0)
    count = ZERO
    for j in range(sentences.size):
        size = slots.firsts[sentences[j] + 1] - slots.firsts[sentences[j]]
        p, p_parts = _square(arcs[at[0, j] :], size), siblings[at[1, j] : at[1, j + 1]]
        count = add_gradient(
            slots, sentences[j], p, p_parts, least, low, high, gradient, touched, count, codes,
            sums, listed, values,
        )  # fmt: skip
    return count


@jit()
def update(
    slots, sentences, at, arcs, siblings, least, low, high, gradient, touched, weights, squares,
    rate, delta, decay,
):  # fmt: skip
    """Take a step with the weights from `low` to `high`.

    AdaGrad, w -= rate g / (sqrt(G) + delta) with G the sum of all g**2 so far; or, if there is no
    place for G (`squares` is empty), gradient descent, w -= rate g. g is the sum over the batch.
    Then all these weights shrink, w -= rate decay w.

    Parameters
    ----------
    slots, sentences, at, arcs, siblings, least, low, high, gradient, touched
        As in `collect`; the gradient is left as it was, zero.
    weights : float32 array (2**bits,)
    squares : float32 array (2**bits,) or (0,)
        G.
    rate, delta, decay : float
    """
    count = collect(slots, sentences, at, arcs, siblings, least, low, high, gradient, touched)
    if count > touched.size:  # so many that they were not noted
        count = touched.size
        for j in range(count):
            touched[j] = low + j
    for j in range(count):
        i = touched[min(j + _AHEAD, count - 1)]
        for table in (gradient, weights, squares):
            prefetch(table, i)
        i = touched[j]
        g = gradient[i]
        gradient[i] = 0.0
        if squares.size == 0:
            weights[i] -= rate * g
        elif g != 0.0:
            squares[i] += g * g
            weights[i] -= rate * g / (np.sqrt(squares[i]) + delta)
    if decay > 0.0:
        factor = 1.0 - rate * decay
        for i in range(low, high):
            weights[i] *= factor


@jit()
def decode(firsts, sentences, single_root, at, arcs, siblings, heads):
    """Write the best trees of sentences.

    Parameters
    ----------
    firsts, sentences, single_root, at, arcs, siblings
        As in `sum_batch`, for all sentences.
    heads : int32 array (tokens,)
        Result, -1 for each root.
    """
    work = second_order.workspace(_longest(firsts, sentences))
    for j in range(sentences.size):
        k = sentences[j]
        best = heads[firsts[k] : firsts[k + 1]]
        scores = _square(arcs[at[0, j] :], best.size)
        if siblings.size == 0:
            first_order.best_tree(scores, single_root, best, work)
        else:
            scored = siblings[at[1, j] : at[1, j + 1]]
            second_order.best_tree(scores, scored, single_root, best, work)
