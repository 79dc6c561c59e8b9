"""Learning from forests of trees, and decoding, sentence after sentence without Python between.

A sentence with some heads given stands for the forest F of all trees that have them; a full tree
is a forest of one (Li et al. 2016). What is minimised is

    loss = - log p(F) = log Z - log Z_F,    d loss / d score(part) = p(part) - p(part | F).
"""

import numpy as np

from deppa_nb.kernels import first_order, second_order
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels._memory import prefetch
from deppa_nb.kernels._rows import clear
from deppa_nb.kernels.constraints import constrain
from deppa_nb.kernels.items import parts
from deppa_nb.kernels.listed import add_gradient, list_room, score_kept
from deppa_nb.kernels.scoring import score
from deppa_nb.kernels.slots import places, room

__all__ = ["collect", "decode", "differences", "layout", "score_batch", "update"]

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
def _given(heads, first, end):
    """Return how many heads are given."""
    count = 0
    for word in range(first, end):
        count += heads[word] >= 0
    return count


@jit()
def _sums(arcs, siblings, single_root, arc_marginals, sibling_marginals, work):
    """Return log Z and compute marginals, of first order if there are no parts."""
    if siblings.size == 0:
        return first_order.inside_outside(arcs, single_root, arc_marginals, work)
    return second_order.inside_outside(
        arcs, siblings, single_root, arc_marginals, sibling_marginals, work
    )


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
def differences(
    firsts, heads, importance, sentences, chosen, single_root, at, arcs, siblings, losses
):
    """Replace scores by the gradient of the loss by them: p(part) - p(part | F).

    Parameters
    ----------
    firsts : int64 array (sentences + 1,)
        Where sentences begin.
    heads : int32 array (tokens,)
        Given heads, -1 where a word is open; laid out as the slots.
    importance : float64 array (sentences,)
        What the loss of each sentence is multiplied by.
    sentences, chosen, at, arcs, siblings
        As `score_batch` left them.
    single_root : bool
    losses : float64 array (sentences of the batch,)
        Result.
    """
    longest = _longest(firsts, sentences)
    squares = np.empty((2, (longest + 1) * (longest + 1)))
    packed = np.empty((2, parts(longest) if siblings.size > 0 else 0))
    free = np.zeros((longest + 1) * (longest + 1), np.bool_)
    work = second_order.workspace(longest)
    for j in chosen:
        k = sentences[j]
        first, size = firsts[k], firsts[k + 1] - firsts[k]
        scores, scored = _square(arcs[at[0, j] :], size), siblings[at[1, j] : at[1, j + 1]]
        given = heads[first : first + size]
        known = _given(heads, first, first + size)
        if importance[k] == 0.0 or known == 0:  # F is all trees
            losses[j] = 0.0
            clear(arcs, at[0, j], size * size)
            clear(siblings, at[1, j], scored.size)
            continue
        p, q = _square(squares[0], size), _square(squares[1], size)
        p_parts, q_parts = packed[0, : scored.size], packed[1, : scored.size]
        log_z = _sums(scores, scored, single_root, p, p_parts, work)
        if known == size - 1:  # F is one tree
            log_f = _leave_tree(given, scores, scored, q, q_parts)
        else:
            constrain(scores, given, _square(free, size), scores)
            log_f = _sums(scores, scored, single_root, q, q_parts, work)
        losses[j] = importance[k] * (log_z - log_f)
        _subtract(p.ravel(), q.ravel(), importance[k], scores.ravel())
        _subtract(p_parts, q_parts, importance[k], scored)


@jit()
def _leave_tree(heads, arcs, siblings, q, q_parts):
    """Return the score of a tree, and 1 for each of its parts."""
    N = heads.size
    clear(q.ravel(), 0, N * N)
    clear(q_parts, 0, q_parts.size)
    last = np.zeros(N, np.int64)  # the dependent of each head that was seen last, or 0
    total = 0.0
    for turn in range(2):  # dependents to the right of their heads, then those to the left
        last[:] = 0
        for m in range(1, N) if turn == 0 else range(N - 1, 0, -1):
            h = np.int64(heads[m])
            if (h < m) != (turn == 0):
                continue
            q[h, m] = 1.0
            total += arcs[h, m]
            if siblings.size > 0:
                alone, c, s, _ = places(N - 1, h, m)
                at = c + last[h] - s if last[h] > 0 else alone
                q_parts[at] = 1.0
                total += siblings[at]
            last[h] = m
    return total


@jit(vector=True)
def _subtract(p, q, factor, out):
    for k in range(np.uint64(p.size)):
        out[k] = (p[k] - q[k]) * factor


@jit()
def collect(slots, sentences, at, arcs, siblings, least, low, high, gradient, touched):
    """Add up the gradient by the weights from `low` to `high`; return how many it touches.

    Parameters
    ----------
    slots, sentences, at, arcs, siblings
        As `differences` left them.
    least, low, high, gradient, touched
        As in `listed.add_gradient`; the gradient must be zero before.
    """
    longest = _longest(slots.firsts, sentences)
    codes, sums = room(longest)
    listed, values = list_room(longest, parts(longest) if siblings.size > 0 else 0)
    count = 0
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
def decode(firsts, sentences, single_root, expected, at, arcs, siblings, heads):
    """Write the best trees of sentences.

    Parameters
    ----------
    firsts, sentences, single_root, at, arcs, siblings
        As in `differences`.
    expected : bool
        Whether the best tree is the one with most expected right arcs, the sum of its arcs'
        marginals (minimum Bayes risk), or the one with the highest score.
    heads : int32 array (tokens,)
        Result, -1 for each root.
    """
    longest = _longest(firsts, sentences)
    square = np.empty((longest + 1) * (longest + 1))
    packed = np.empty(parts(longest) if siblings.size > 0 else 0)
    work = second_order.workspace(longest)
    for j in range(sentences.size):
        k = sentences[j]
        first, size = firsts[k], firsts[k + 1] - firsts[k]
        best = heads[first : first + size]
        scores, scored = _square(arcs[at[0, j] :], size), siblings[at[1, j] : at[1, j + 1]]
        if expected:
            p = _square(square, size)
            _sums(scores, scored, single_root, p, packed[: scored.size], work)
            _forbid(scores.ravel(), p.ravel())
            first_order.best_tree(p, single_root, best, work)
        elif scored.size > 0:
            second_order.best_tree(scores, scored, single_root, best, work)
        else:
            first_order.best_tree(scores, single_root, best, work)


@jit()
def _forbid(scores, p):
    """Let what is forbidden be worse than what is improbable."""
    for k in range(p.size):
        if scores[k] == -np.inf:
            p[k] = -np.inf
