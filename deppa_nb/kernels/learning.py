"""Learning from forests of trees, and decoding, sentence after sentence without Python between.

A sentence with some heads given stands for the forest F of all trees that have them; a full tree
is a forest of one (Li et al. 2016). What is minimised is

    loss = - log p(F) = log Z - log Z_F,    d loss / d score(part) = p(part) - p(part | F).
"""

import numpy as np

from deppa_nb.kernels import first_order, second_order
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.constraints import constrain
from deppa_nb.kernels.items import parts
from deppa_nb.kernels.scoring import add_gradient, score
from deppa_nb.kernels.slots import room

__all__ = ["decode", "learn", "train"]


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
def _sums(arcs, siblings, single_root, arc_marginals, sibling_marginals, work):
    """Return log Z and compute marginals, of first order if there are no parts."""
    if siblings.size == 0:
        return first_order.inside_outside(arcs, single_root, arc_marginals, work)
    return second_order.inside_outside(
        arcs, siblings, single_root, arc_marginals, sibling_marginals, work
    )


@jit()
def learn(
    slots, heads, importance, sentences, second, single_root, weights, gradient, touched, least
):
    """Add up the gradient of the loss of some sentences; return the loss and how many it touches.

    Parameters
    ----------
    slots : Slots
        Of all sentences, see `scoring`.
    heads : int32 array (tokens,)
        Given heads, -1 where a word is open; laid out as the slots.
    importance : float64 array (sentences of slots,)
        What the loss of each sentence is multiplied by.
    sentences : int64 array
        Which sentences.
    second : bool
        Whether there are sibling parts.
    weights, gradient : float32 arrays (2**bits,)
        The gradient must be zero; it is the result.
    touched : int64 array (2**bits,)
        Result: which entries of the gradient are not 0.
    least : float
        Parts whose gradient is smaller are left out.
    """
    longest = _longest(slots.firsts, sentences)
    squares = np.empty((4, (longest + 1) * (longest + 1)))
    packed = np.empty((3, parts(longest) if second else 0))
    free = np.zeros((longest + 1) * (longest + 1), np.bool_)
    work = second_order.workspace(longest)
    codes, sums = room(longest)
    total, count = 0.0, 0
    for k in sentences:
        first, size = slots.firsts[k], slots.firsts[k + 1] - slots.firsts[k]
        given = heads[first : first + size]
        if importance[k] == 0.0 or given.max() < 0:
            continue  # nothing is known: the forest is all trees
        arcs, p, q = _square(squares[0], size), _square(squares[1], size), _square(squares[2], size)
        n_parts = parts(size - 1) if second else 0
        siblings, p_parts, q_parts = packed[0, :n_parts], packed[1, :n_parts], packed[2, :n_parts]
        score(slots, k, weights, arcs, siblings, codes, sums)
        log_z = _sums(arcs, siblings, single_root, p, p_parts, work)
        constrain(arcs, given, _square(free, size), arcs)
        log_f = _sums(arcs, siblings, single_root, q, q_parts, work)
        total += importance[k] * (log_z - log_f)
        _subtract(p.ravel(), q.ravel(), importance[k])
        _subtract(p_parts, q_parts, importance[k])
        count = add_gradient(slots, k, p, p_parts, least, gradient, touched, count, codes, sums)
    return total, count


@jit(vector=True)
def _subtract(p, q, factor):
    for k in range(np.uint64(p.size)):
        p[k] = (p[k] - q[k]) * factor


@jit()
def train(
    slots, heads, importance, sentences, second, single_root, weights, squares, gradient, touched,
    least, batch, rate, delta, decay,
):  # fmt: skip
    """Take a step after every batch of sentences; return the sum of their losses.

    AdaGrad, w -= rate g / (sqrt(G) + delta) with G the sum of all g**2 so far; or, if there is no
    place for G (`squares` is empty), gradient descent, w -= rate g. g is the mean over the batch.
    Then all weights shrink, w -= rate decay w.

    Parameters
    ----------
    slots, heads, importance, sentences, second, single_root, weights, gradient, touched, least
        As in `learn`; the gradient is left as it was, zero.
    squares : float32 array (2**bits,) or (0,)
        G.
    batch : int
        How many sentences make a step.
    rate, delta, decay : float
    """
    total = 0.0
    for j in range(0, sentences.size, batch):
        loss, count = learn(
            slots, heads, importance, sentences[j : j + batch], second, single_root, weights,
            gradient, touched, least,
        )  # fmt: skip
        total += loss
        if count > touched.size:  # so many that they were not noted
            for i in range(touched.size):
                touched[i] = i
        _step(weights, squares, gradient, touched, count, batch, rate, delta)
        if decay > 0.0:
            _shrink(weights, 1.0 - rate * decay)
    return total


@jit()
def _step(weights, squares, gradient, touched, count, batch, rate, delta):
    """Step against the gradient where it is not zero, and clear it."""
    for j in range(min(count, touched.size)):
        i = touched[j]
        g = gradient[i] / batch
        gradient[i] = 0.0
        if squares.size == 0:
            weights[i] -= rate * g
        elif g != 0.0:
            squares[i] += g * g
            weights[i] -= rate * g / (np.sqrt(squares[i]) + delta)


@jit(vector=True)
def _shrink(weights, factor):
    for i in range(np.uint64(weights.size)):
        weights[i] *= factor


@jit()
def decode(slots, sentences, second, single_root, weights, expected, heads):
    """Write the best tree of some sentences.

    Parameters
    ----------
    slots, sentences, second, single_root, weights
        As in `learn`.
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
