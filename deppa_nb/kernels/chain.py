"""Linear chains of labels: sums over all label sequences of a sentence.

A sequence y of labels has the score ``sum_t unary[t, y_t] + sum_t transitions[y_t-1, y_t]`` and the
probability ``exp(score) / Z``. Scores of starting and ending with a label belong into the first and
the last row of `unary`. Minus infinity forbids a label or a transition (I after O in IOB2); other
scores are finite. There is at least one token and one label.

``allowed``, a bool array (tokens, labels), says which sequences there are: one allowed label at a
token is a forced label. The probability of partial labels is a sum over what they leave open
(Wanvarie et al. 2011, eq. 4): its logarithm is `log_z` under them minus `log_z` with all allowed.

The best sequences and drawn ones are in `chain_paths`.
"""

import numpy as np

from deppa_nb.kernels._chain_log import log_sums
from deppa_nb.kernels._chain_steps import LANES, add_transitions, backward, forward, unary_weights
from deppa_nb.kernels._float import exp, flush_denormals, restore_denormals
from deppa_nb.kernels._jit import jit

__all__ = ["allow", "forward_backward", "weigh"]


@jit()
def allow(given, allowed):
    """Write which labels are allowed by those that are given.

    Parameters
    ----------
    given : int array (tokens,)
        -1 leaves a token open.
    allowed : bool array (tokens, labels)
    """
    for t in range(allowed.shape[0]):
        for k in range(allowed.shape[1]):
            allowed[t, k] = given[t] < 0 or given[t] == k


@jit()
def weigh(transitions):
    """Return what `forward_backward` needs of the transitions, for as many sentences as use them.

    Returns
    -------
    weights : float64 array (2, width, width)
        ``exp(transitions - their maximum)``, padded with 0, and its transpose.
    """
    labels = transitions.shape[0]
    width = (labels + LANES - 1) // LANES * LANES
    weights = np.zeros((2, width, width))
    top = _top(transitions)
    for i in range(labels):
        for k in range(labels):
            weights[0, i, k] = weights[1, k, i] = exp(transitions[i, k] - top)
    return weights


@jit()
def forward_backward(unary, allowed, transitions, weights, marginals, counts):
    """Sum over all allowed label sequences.

    Probabilities are scaled at each token (Rabiner 1989, V.A); where their range is too wide for
    that, sums are taken of logarithms.

    Parameters
    ----------
    unary : float64 array (tokens, labels)
    allowed : bool array (tokens, labels)
    transitions : float64 array (labels, labels)
        ``transitions[label, next label]``.
    weights : float64 array
        ``weigh(transitions)``.
    marginals : float64 array (tokens, labels)
        Becomes ``p(y_t = label)``, all 0 if there is no sequence.
    counts : float64 array (labels, labels)
        The expected number of each transition is added to it.

    Returns
    -------
    log_z : float
        Minus infinity if there is no sequence.
    """
    before = flush_denormals()
    reliable, log_z = scaled_sums(unary, allowed, weights, marginals, counts)
    restore_denormals(before)
    if reliable:
        return log_z + (unary.shape[0] - 1) * _top(transitions)
    return log_sums(unary, allowed, transitions, marginals, counts)


@jit(vector=True)
def _top(transitions):
    """Return the highest transition score, 0 if all are forbidden."""
    top = -np.inf
    for i in range(transitions.shape[0]):
        for k in range(transitions.shape[1]):
            top = max(top, transitions[i, k])
    return top if top > -np.inf else 0.0


@jit(vector=True)
def scaled_sums(unary, allowed, weights, marginals, counts):
    """Return whether scaled sums can be relied on, and log Z under `weights`."""
    work, scales = np.empty((4, unary.shape[0], weights.shape[1])), np.empty(unary.shape[0])
    emission, ahead, onward, back = work[0], work[1], work[2], work[3]
    log_z = unary_weights(unary, allowed, emission)
    if log_z == -np.inf:
        return False, log_z
    log_z += forward(emission, weights[0], ahead, scales)
    if log_z == -np.inf or not backward(
        emission, weights[1], ahead, scales, onward, back, marginals
    ):
        return False, log_z
    add_transitions(ahead, onward, weights[0], 1.0, counts)
    return True, log_z
