"""Sums over label sequences with logarithms: for scores of any range, and for drawing sequences."""

import numpy as np

from deppa_nb.kernels._float import exp
from deppa_nb.kernels._jit import jit

__all__ = ["log_forward", "log_sums"]


@jit()
def log_sums(unary, allowed, transitions, marginals, counts):
    """Do the work of `chain.forward_backward`, which has the arguments explained."""
    tokens, labels = unary.shape
    forward, backward = np.empty((tokens, labels)), np.zeros((tokens, labels))
    unary, taken = _lowered(unary, allowed)
    log_z = log_forward(unary, allowed, transitions, forward)
    marginals[:] = 0.0
    if log_z == -np.inf:
        return log_z
    transposed = transitions.T.copy()
    onward = np.empty(labels)
    for t in range(tokens - 1, -1, -1):
        for k in range(labels):
            marginals[t, k] = exp(forward[t, k] + backward[t, k] - log_z)
            onward[k] = unary[t, k] + backward[t, k] if allowed[t, k] else -np.inf
        if t > 0:
            _log_multiply(onward, transposed, backward[t - 1])
            for i in range(labels):
                for k in range(labels):
                    counts[i, k] += exp(forward[t - 1, i] + transitions[i, k] + onward[k] - log_z)
    return log_z + taken


@jit()
def _lowered(unary, allowed):
    """Return scores less the highest of each token, and the sum of those: digits are kept."""
    lower, taken = unary.copy(), 0.0
    for t in range(unary.shape[0]):
        top = -np.inf
        for k in range(unary.shape[1]):
            top = max(top, unary[t, k] if allowed[t, k] else -np.inf)
        if top > -np.inf:
            taken += top
            for k in range(unary.shape[1]):
                lower[t, k] -= top
    return lower, taken


@jit()
def log_forward(unary, allowed, transitions, forward):
    """Set ``forward[t, k]``, the log-sum of all beginnings that end in k at t; return log Z."""
    tokens, labels = forward.shape
    for t in range(tokens):
        if t == 0:
            forward[t] = 0.0
        else:
            _log_multiply(forward[t - 1], transitions, forward[t])
        for k in range(labels):
            forward[t, k] = forward[t, k] + unary[t, k] if allowed[t, k] else -np.inf
    end = np.empty((1,))
    _log_multiply(forward[tokens - 1], np.zeros((labels, 1)), end)
    return end[0]


@jit(vector=True)
def _log_multiply(vector, matrix, out):
    """Set ``out[k] = log sum_i exp(vector[i] + matrix[i, k])``."""
    tops, totals = np.full(out.size, -np.inf), np.zeros(out.size)
    for i in range(vector.size):
        for k in range(out.size):
            tops[k] = max(tops[k], vector[i] + matrix[i, k])
    for k in range(out.size):
        if tops[k] == -np.inf:
            tops[k] = 0.0  # any number: the sum is 0
    for i in range(vector.size):
        for k in range(out.size):
            totals[k] += exp(vector[i] + matrix[i, k] - tops[k])
    for k in range(out.size):
        out[k] = tops[k] + np.log(totals[k]) if totals[k] > 0.0 else -np.inf
