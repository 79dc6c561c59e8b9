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
from deppa_nb.kernels._float import exp, flush_denormals, restore_denormals
from deppa_nb.kernels._jit import jit

__all__ = ["allow", "forward_backward", "weigh"]

_LANES = 4  # rows are padded to a multiple of this, so that loops over labels have no remainder

# Scaled sums lose what is below e**-700 of the rest. That is exact enough unless it is favoured as
# much later: then a scale is tiny or a backward weight huge, and logarithms take over. The floor
# under backward weights makes them huge there even if what follows is lost in the same way.
_SMALLEST_SCALE, _LARGEST_BACKWARD, _FLOOR = 1e-100, 1e150, 1e-300
_NONE = 1e-200  # probabilities below come from the floor


@jit()
def allow(labels, forbidden, out):
    """Write to `out` which labels are allowed by forced and forbidden ones.

    Parameters
    ----------
    labels : int array (tokens,)
        Forced labels; -1 leaves a token open.
    forbidden, out : bool array (tokens, labels)
    """
    for t in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[t, k] = (labels[t] == -1 or labels[t] == k) and not forbidden[t, k]


@jit()
def weigh(transitions):
    """Return what `forward_backward` needs of the transitions, for as many sentences as use them.

    Returns
    -------
    weights : float64 array (2, width, width)
        ``exp(transitions - their maximum)``, padded with 0, and its transpose.
    """
    labels = transitions.shape[0]
    width = (labels + _LANES - 1) // _LANES * _LANES
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
    tokens, width = unary.shape[0], weights.shape[1]
    work = np.empty((3, tokens, width))
    emission, forward, onward = work[0], work[1], work[2]
    row, scales = np.empty(width), np.empty(tokens)

    log_z = _unary_weights(unary, allowed, emission)
    if log_z == -np.inf:
        return False, log_z
    log_z += _forward(emission, weights[0], forward, scales, row)
    if log_z == -np.inf or not _backward(
        emission, weights[1], forward, scales, onward, row, marginals
    ):
        return False, log_z
    _transition_counts(forward, onward, weights[0], row, counts)
    return True, log_z


@jit(vector=True)
def _unary_weights(unary, allowed, emission):
    """Set ``emission[t] = exp(unary[t] - its maximum)``; return the sum of the maxima."""
    tokens, labels = unary.shape
    shift = 0.0
    for t in range(tokens):
        top = -np.inf
        for k in range(labels):
            top = max(top, unary[t, k] if allowed[t, k] else -np.inf)
        if top == -np.inf:
            return top
        shift += top
        for k in range(labels):
            emission[t, k] = unary[t, k] - top if allowed[t, k] else -np.inf
        emission[t, labels:] = -np.inf
    flat = emission.ravel()
    for j in range(flat.size):
        flat[j] = exp(flat[j])
    return shift


@jit(vector=True)
def _forward(emission, weights, forward, scales, row):
    """Set ``forward[t, k] = p(y_t = k | tokens up to t)``; return the logarithm of the scales."""
    log_scale, product = 0.0, 1.0
    for t in range(scales.size):
        if t == 0:
            row[:] = 1.0
        else:
            _multiply(forward[t - 1], weights, 0.0, row)
        total = 0.0
        for k in range(row.size):
            row[k] *= emission[t, k]
            total += row[k]
        if total < _SMALLEST_SCALE:
            return -np.inf
        scales[t] = 1.0 / total
        for k in range(row.size):
            forward[t, k] = row[k] * scales[t]
        product *= total
        if not _SMALLEST_SCALE < product < 1.0 / _SMALLEST_SCALE:  # one logarithm for many tokens
            log_scale += np.log(product)
            product = 1.0
    return log_scale + np.log(product)


@jit(vector=True)
def _backward(emission, weights, forward, scales, onward, row, marginals):
    """Set marginals, and ``onward[t]``: what transitions into the labels of t lead to.

    With b_t the scaled backward weights, ``onward[t] = emission[t] b_t / scale_t`` and
    ``b_t-1[i] = sum_k exp(transitions[i, k]) onward[t, k]``. Return whether they can be relied on.
    """
    row[:] = 1.0
    for t in range(scales.size - 1, -1, -1):
        top = 0.0
        for k in range(row.size):
            top = max(top, row[k])
        if top > _LARGEST_BACKWARD:
            return False
        for k in range(marginals.shape[1]):
            probability = forward[t, k] * row[k]
            marginals[t, k] = probability if probability > _NONE else 0.0
        for k in range(row.size):
            onward[t, k] = emission[t, k] * row[k] * scales[t]
        _multiply(onward[t], weights, _FLOOR, row)
    return True


@jit(vector=True, inline=True)
def _multiply(vector, matrix, start, out):
    """Set ``out = start + vector @ matrix``."""
    out[:] = start
    for i in range(0, vector.size, _LANES):
        _add_rows(out, vector[i], vector[i + 1], vector[i + 2], vector[i + 3], matrix, i)


@jit(vector=True, inline=True)
def _add_rows(out, a, b, c, d, matrix, i):
    """Add four rows of a matrix with weights: so `out` is read and written once, not four times."""
    for k in range(out.size):
        out[k] += (
            a * matrix[i, k] + b * matrix[i + 1, k] + c * matrix[i + 2, k] + d * matrix[i + 3, k]
        )


@jit(vector=True)
def _transition_counts(forward, onward, weights, row, counts):
    """Add ``sum_t p(y_t = i, y_t+1 = k) = weights[i, k] sum_t forward[t, i] onward[t + 1, k]``.

    The weight is a factor of the whole sum: one product per sentence, not one per token.
    """
    last = forward.shape[0] - 1
    in_fours = last - last % _LANES
    for i in range(counts.shape[0]):
        row[:] = 0.0
        for t in range(0, in_fours, _LANES):
            a, b, c, d = forward[t, i], forward[t + 1, i], forward[t + 2, i], forward[t + 3, i]
            _add_rows(row, a, b, c, d, onward, t + 1)
        for t in range(in_fours, last):
            for k in range(row.size):
                row[k] += forward[t, i] * onward[t + 1, k]
        for k in range(counts.shape[1]):
            expected = row[k] * weights[i, k]
            counts[i, k] += expected if expected > _NONE else 0.0
