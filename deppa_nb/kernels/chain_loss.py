"""The loss of partly labelled sequences, -log of a sum over all that have the given labels.

That is Wanvarie et al. (2011), eq. 4-5. Scores are those of `chain`.
"""

import numpy as np

from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.attributes import add_expected, add_scores
from deppa_nb.kernels.chain import forward_backward, weigh

__all__ = ["count_given", "partial_loss", "sum_losses"]


@jit()
def count_given(given):
    """Return how many labels are given; -1 is none."""
    known = 0
    for label in given:
        known += label >= 0
    return known


@jit()
def partial_loss(given, unary, transitions, table, p, counts):
    """Return -log p(given labels) of a sequence, and its derivatives by all scores.

    Parameters
    ----------
    given : int array (tokens,)
        -1 leaves a token open; at least one is given.
    unary : float64 array (tokens, labels)
    transitions : float64 array (labels, labels)
    table : float64 array
        ``chain.weigh(transitions)``.
    p : float64 array (tokens, labels)
        Becomes the derivative by `unary`.
    counts : float64 array (labels, labels)
        The derivative by `transitions` is added to it.
    """
    allowed = np.ones(unary.shape, np.bool_)
    loss = forward_backward(unary, allowed, transitions, table, p, counts)
    if count_given(given) < given.size:
        return loss - _leave_open(given, unary, allowed, transitions, table, p, counts)
    for t in range(given.size):
        p[t, given[t]] -= 1.0
        loss -= unary[t, given[t]]
        if t > 0:
            counts[given[t - 1], given[t]] -= 1.0
            loss -= transitions[given[t - 1], given[t]]
    return loss


@jit()
def _leave_open(given, unary, allowed, transitions, table, p, counts):
    """Subtract what is expected given some labels; return the log of the sum over what has them."""
    q, fewer = np.empty(p.shape), np.zeros(counts.shape)
    for t in range(given.size):
        for k in range(p.shape[1]):
            allowed[t, k] = given[t] < 0 or given[t] == k
    log_z = forward_backward(unary, allowed, transitions, table, q, fewer)
    p -= q
    counts -= fewer
    return log_z


@jit()
def sum_losses(attributes, firsts, given, pairs, weights, transitions, gradient, counts):
    """Return the sum of the losses of sequences; add their derivatives.

    Parameters
    ----------
    attributes : int32 array (tokens, templates)
        Sequences laid end to end, see `attributes.look_up`.
    firsts : int64 array (sequences + 1,)
        Where they begin.
    given : int32 array (tokens,)
        Labels, -1 where a token is open; every sequence has one at least.
    pairs : Pairs
    weights : float64 array (pairs,)
    transitions : float64 array (labels, labels)
    gradient, counts : arrays of the shapes of the weights and the transitions
    """
    labels, table = transitions.shape[0], weigh(transitions)
    loss = 0.0
    for k in range(firsts.size - 1):
        own = attributes[firsts[k] : firsts[k + 1]]
        unary, p = np.empty((own.shape[0], labels)), np.empty((own.shape[0], labels))
        add_scores(own, pairs, weights, unary)
        known = given[firsts[k] : firsts[k + 1]]
        loss += partial_loss(known, unary, transitions, table, p, counts)
        add_expected(own, pairs, p, gradient)
    return loss
