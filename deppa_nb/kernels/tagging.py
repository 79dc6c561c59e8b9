"""Tags of words: a linear chain whose scores are sums of hashed rows of weights.

Template t sees of a word what `slots[t, word]` hashes, and has a row of weights there, one for each
tag; the scores of a word's tags are the sum of its rows. Neighbouring tags have scores of their
own. What is minimised is -log p(given tags); words may be open, see `chain`.
"""

import numpy as np

from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.chain import weigh
from deppa_nb.kernels.chain_loss import count_given, partial_loss
from deppa_nb.kernels.chain_paths import viterbi

__all__ = ["learn_tags", "tag_batch"]

_LEAST = 1e-3  # words with smaller gradients are not worth their features


@jit()
def tag_batch(slots, firsts, weights, transitions, tags):
    """Write the best tags of sentences.

    Parameters
    ----------
    slots : uint32 array (templates, words)
        Sentences laid end to end.
    firsts : int64 array (sentences + 1,)
        Where they begin.
    weights : float32 array (2**bits, tags)
    transitions : float64 array (tags, tags)
        ``transitions[tag, next tag]``.
    tags : int32 array (words,)
        Result.
    """
    for k in range(firsts.size - 1):
        shape = firsts[k + 1] - firsts[k], weights.shape[1]
        unary, allowed = np.empty(shape), np.ones(shape, np.bool_)
        _add_rows(slots, firsts[k], weights, unary)
        viterbi(unary, allowed, transitions, tags[firsts[k] : firsts[k + 1]])


@jit()
def learn_tags(
    slots, firsts, tags, order, weights, squares, transitions, transition_squares, rate, delta
):  # fmt: skip
    """Take a step of AdaGrad after each sentence; return the sum of their losses before.

    Parameters
    ----------
    slots, firsts, weights, transitions
        As in `tag_batch`.
    tags : int32 array (words,)
        -1 leaves a word open.
    order : int64 array
        The sentences to learn from, one after the other.
    squares, transition_squares : arrays of the shapes of the weights and the transitions
        Sums of the squares of gradients.
    rate, delta : float
        w -= rate g / (sqrt(G) + delta).
    """
    labels = weights.shape[1]
    loss = 0.0
    for k in order:
        given = tags[firsts[k] : firsts[k + 1]]
        unary, p = np.empty((given.size, labels)), np.empty((given.size, labels))
        counts = np.zeros((labels, labels))
        if count_given(given) == 0:
            continue
        _add_rows(slots, firsts[k], weights, unary)
        more, first, last = partial_loss(given, unary, transitions, weigh(transitions), p, counts)
        loss += more
        _step_transitions(transitions, transition_squares, counts, rate, delta)
        for t in range(first, last):
            _step_rows(slots, firsts[k] + t, weights, squares, p[t], rate, delta)
    return loss


@jit(vector=True)
def _add_rows(slots, first, weights, unary):
    """Compute the scores of the tags of a sentence's words."""
    mask = np.uint32(weights.shape[0] - 1)
    for t in range(unary.shape[0]):
        total = unary[t]
        for j in range(total.size):
            total[j] = 0.0
        for k in range(slots.shape[0]):
            row = weights[slots[k, first + t] & mask]
            for j in range(total.size):
                total[j] += row[j]


@jit(vector=True)
def _step_rows(slots, word, weights, squares, gradient, rate, delta):
    most = 0.0
    for j in range(gradient.size):
        most = max(most, abs(gradient[j]))
    if most < _LEAST:
        return
    mask = np.uint32(weights.shape[0] - 1)
    for k in range(slots.shape[0]):
        i = slots[k, word] & mask
        w, G = weights[i], squares[i]
        for j in range(gradient.size):
            g = np.float32(gradient[j])
            G[j] += g * g
            w[j] -= np.float32(rate) * g / (np.sqrt(G[j]) + np.float32(delta))


@jit(vector=True)
def _step_transitions(transitions, squares, gradient, rate, delta):
    for i in range(transitions.shape[0]):
        for j in range(transitions.shape[1]):
            g = gradient[i, j]
            squares[i, j] += g * g
            transitions[i, j] -= rate * g / (np.sqrt(squares[i, j]) + delta)
