"""Learning from forests of trees, and decoding, sentence after sentence without Python between.

A sentence with some heads given stands for the forest F of all trees that have them; a full tree
is a forest of one (Li et al. 2016). What is minimised is

    loss = - log p(F) = log Z - log Z_F,    d loss / d score(part) = p(part) - p(part | F).
"""

import numpy as np

from deppa_nb.kernels import first_order, second_order
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels._rows import clear
from deppa_nb.kernels.constraints import constrain
from deppa_nb.kernels.items import parts
from deppa_nb.kernels.scoring import add_gradient, score
from deppa_nb.kernels.slots import room

__all__ = ["collect", "decode", "differences", "layout", "update"]


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
def _is_open(heads, first, end):
    """Tell whether no head is given."""
    for word in range(first, end):
        if heads[word] >= 0:
            return False
    return True


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
def differences(
    slots, heads, importance, sentences, chosen, single_root, weights, at, arcs, siblings, losses
):
    """Compute the gradient of the loss by the scores: p(part) - p(part | F).

    Parameters
    ----------
    slots : Slots
        Of all sentences, see `scoring`.
    heads : int32 array (tokens,)
        Given heads, -1 where a word is open; laid out as the slots.
    importance : float64 array (sentences of slots,)
        What the loss of each sentence is multiplied by.
    sentences : int64 array
        The sentences of a batch.
    chosen : int64 array
        Which of the batch are computed here; another thread may compute others.
    single_root : bool
    weights : float32 array (2**bits,)
    at : int64 array (2, sentences of the batch + 1)
        From `layout`.
    arcs, siblings : float64 arrays
        Results, of the sizes that `layout` gives.
    losses : float64 array (sentences of the batch,)
        Result.
    """
    longest = _longest(slots.firsts, sentences)
    second = siblings.size > 0
    squares = np.empty((2, (longest + 1) * (longest + 1)))
    packed = np.empty((2, parts(longest) if second else 0))
    free = np.zeros((longest + 1) * (longest + 1), np.bool_)
    work = second_order.workspace(longest)
    codes, sums = room(longest)
    for j in chosen:
        k = sentences[j]
        first, size = slots.firsts[k], slots.firsts[k + 1] - slots.firsts[k]
        p, p_parts = _square(arcs[at[0, j] :], size), siblings[at[1, j] : at[1, j + 1]]
        if importance[k] == 0.0 or _is_open(heads, first, first + size):  # F is all trees
            losses[j] = 0.0
            clear(arcs, at[0, j], size * size)
            clear(siblings, at[1, j], p_parts.size)
            continue
        scores, q = _square(squares[0], size), _square(squares[1], size)
        scored, q_parts = packed[0, : p_parts.size], packed[1, : p_parts.size]
        score(slots, k, weights, scores, scored, codes, sums)
        log_z = _sums(scores, scored, single_root, p, p_parts, work)
        constrain(scores, heads[first : first + size], _square(free, size), scores)
        log_f = _sums(scores, scored, single_root, q, q_parts, work)
        losses[j] = importance[k] * (log_z - log_f)
        _subtract(p.ravel(), q.ravel(), importance[k])
        _subtract(p_parts, q_parts, importance[k])


@jit(vector=True)
def _subtract(p, q, factor):
    for k in range(np.uint64(p.size)):
        p[k] = (p[k] - q[k]) * factor


@jit()
def collect(slots, sentences, at, arcs, siblings, least, low, high, gradient, touched):
    """Add up the gradient by the weights from `low` to `high`; return how many it touches.

    Parameters
    ----------
    slots, sentences, at, arcs, siblings
        As `differences` left them.
    least, low, high, gradient, touched
        As in `scoring.add_gradient`; the gradient must be zero before.
    """
    codes, sums = room(_longest(slots.firsts, sentences))
    count = 0
    for j in range(sentences.size):
        size = slots.firsts[sentences[j] + 1] - slots.firsts[sentences[j]]
        p, p_parts = _square(arcs[at[0, j] :], size), siblings[at[1, j] : at[1, j + 1]]
        count = add_gradient(
            slots, sentences[j], p, p_parts, least, low, high, gradient, touched, count, codes, sums
        )
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
def decode(slots, sentences, second, single_root, weights, expected, heads):
    """Write the best tree of some sentences.

    Parameters
    ----------
    slots, sentences, single_root, weights
        As in `differences`.
    second : bool
        Whether there are sibling parts.
    expected : bool
        Whether the best tree is the one with most expected right arcs, the sum of its arcs'
        marginals (minimum Bayes risk), or the one with the highest score.
    heads : int32 array (tokens,)
        Result, -1 for each root.
    """
    longest = _longest(slots.firsts, sentences)
    squares = np.empty((2, (longest + 1) * (longest + 1)))
    packed = np.empty((2, parts(longest) if second else 0))
    work = second_order.workspace(longest)
    codes, sums = room(longest)
    for k in sentences:
        first, size = slots.firsts[k], slots.firsts[k + 1] - slots.firsts[k]
        best = heads[first : first + size]
        arcs, p = _square(squares[0], size), _square(squares[1], size)
        n_parts = parts(size - 1) if second else 0
        siblings, p_parts = packed[0, :n_parts], packed[1, :n_parts]
        score(slots, k, weights, arcs, siblings, codes, sums)
        if expected:
            _sums(arcs, siblings, single_root, p, p_parts, work)
            first_order.best_tree(p, single_root, best, work)
        elif second:
            second_order.best_tree(arcs, siblings, single_root, best, work)
        else:
            first_order.best_tree(arcs, single_root, best, work)
