"""Label sequences of many sequences at once, with the labels that are given."""

import numpy as np

from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.attributes import add_scores, tabulate
from deppa_nb.kernels.chain import allow, forward_backward, weigh
from deppa_nb.kernels.chain_paths import viterbi

__all__ = ["best_batch", "marginal_batch"]


@jit()
def marginal_batch(attributes, firsts, given, pairs, weights, transitions, marginals, log_z):
    """Write the probabilities of labels, and the log of the sum over all sequences.

    Parameters
    ----------
    attributes, firsts, given, pairs, weights, transitions
        As in `chain_loss.sum_losses`; a sequence may have no label.
    marginals : float64 array (tokens, labels)
    log_z : float64 array (sequences,)
    """
    rows = tabulate(pairs, weights, transitions.shape[0])
    table, counts = weigh(transitions), np.zeros(transitions.shape)
    for k in range(firsts.size - 1):
        own = slice(firsts[k], firsts[k + 1])
        unary = np.empty(marginals[own].shape)
        allowed = np.empty(unary.shape, np.bool_)
        add_scores(attributes[own], pairs, weights, rows, unary)
        allow(given[own], allowed)
        log_z[k] = forward_backward(unary, allowed, transitions, table, marginals[own], counts)


@jit()
def best_batch(attributes, firsts, given, pairs, weights, transitions, labels, scores):
    """Write the best labels of each sequence that has the given ones, and its score.

    Parameters
    ----------
    labels : int32 array (tokens,)
    scores : float64 array (sequences,)
    """
    rows = tabulate(pairs, weights, transitions.shape[0])
    for k in range(firsts.size - 1):
        own = slice(firsts[k], firsts[k + 1])
        unary = np.empty((firsts[k + 1] - firsts[k], transitions.shape[0]))
        allowed = np.empty(unary.shape, np.bool_)
        add_scores(attributes[own], pairs, weights, rows, unary)
        allow(given[own], allowed)
        scores[k] = viterbi(unary, allowed, transitions, labels[own])
