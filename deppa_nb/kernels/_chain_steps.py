"""Steps of sums over label sequences whose probabilities are scaled at each token, see `chain`."""

import numpy as np

from deppa_nb.kernels._float import exp
from deppa_nb.kernels._jit import jit

__all__ = [
    "FLOOR", "LANES", "LARGEST_BACKWARD", "SMALLEST_SCALE",
    "add_transitions", "backward", "emit", "forward", "is_small", "multiply", "unary_weights",
]  # fmt: skip

LANES = 4  # rows are padded to a multiple of this, so that loops over labels have no remainder

# Scaled sums lose what is below e**-700 of the rest. That is exact enough unless it is favoured as
# much later: then a scale is tiny or a backward weight huge, and logarithms take over. The floor
# under backward weights makes them huge there even if what follows is lost in the same way.
SMALLEST_SCALE, LARGEST_BACKWARD, FLOOR = 1e-100, 1e150, 1e-300
_NONE = 1e-200  # probabilities below come from the floor


@jit(vector=True)
def unary_weights(unary, allowed, emission):
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
def forward(emission, weights, ahead, scales):
    """Set ``ahead[t, k] = p(y_t = k | tokens up to t)``; return the logarithm of the scales."""
    log_scale, product = 0.0, 1.0
    for t in range(scales.size):
        if t == 0:
            ahead[t] = 1.0
        else:
            multiply(ahead[t - 1], weights, 0.0, ahead[t])
        total = emit(emission[t], ahead[t])
        if total < SMALLEST_SCALE:
            return -np.inf
        scales[t] = 1.0 / total
        product *= total
        if not SMALLEST_SCALE < product < 1.0 / SMALLEST_SCALE:  # one logarithm for many tokens
            log_scale += np.log(product)
            product = 1.0
    return log_scale + np.log(product)


@jit(vector=True, inline=True)
def emit(emission, row):
    """Multiply a row by those of its token, make its sum 1 unless it is tiny, and return it."""
    total = 0.0
    for k in range(row.size):
        row[k] *= emission[k]
        total += row[k]
    scale = 1.0 / max(total, SMALLEST_SCALE)
    for k in range(row.size):
        row[k] *= scale
    return total


@jit(vector=True)
def backward(emission, weights, ahead, scales, onward, back, marginals):
    """Set marginals, and ``onward[t]``: what transitions into the labels of t lead to.

    With b_t the scaled backward weights, ``onward[t] = emission[t] b_t / scale_t`` and
    ``b_t-1[i] = sum_k exp(transitions[i, k]) onward[t, k]``. Return whether they can be relied on.
    """
    back[-1] = 1.0
    for t in range(scales.size - 1, -1, -1):
        if not is_small(back[t]):
            return False
        for k in range(marginals.shape[1]):
            probability = ahead[t, k] * back[t, k]
            marginals[t, k] = probability if probability > _NONE else 0.0
        for k in range(back.shape[1]):
            onward[t, k] = emission[t, k] * back[t, k] * scales[t]
        if t > 0:
            multiply(onward[t], weights, FLOOR, back[t - 1])
    return True


@jit(vector=True, inline=True)
def is_small(row):
    """Tell whether backward weights can be relied on."""
    top = 0.0
    for k in range(row.size):
        top = max(top, row[k])
    return top <= LARGEST_BACKWARD


@jit(vector=True, inline=True)
def multiply(vector, matrix, start, out):
    """Set ``out = start + vector @ matrix``."""
    out[:] = start
    for i in range(0, vector.size, LANES):
        _add_rows(out, vector[i], vector[i + 1], vector[i + 2], vector[i + 3], matrix, i)


@jit(vector=True, inline=True)
def _add_rows(out, a, b, c, d, matrix, i):
    """Add four rows of a matrix with weights: so `out` is read and written once, not four times."""
    for k in range(out.size):
        out[k] += (
            a * matrix[i, k] + b * matrix[i + 1, k] + c * matrix[i + 2, k] + d * matrix[i + 3, k]
        )


@jit(vector=True)
def add_transitions(ahead, onward, weights, sign, counts):
    """Add ``sum_t p(y_t = i, y_t+1 = k) = weights[i, k] sum_t ahead[t, i] onward[t + 1, k]``.

    The weight is a factor of the whole sum: one product per sentence, not one per token.
    """
    last, row = ahead.shape[0] - 1, np.empty(ahead.shape[1])
    in_fours = last - last % LANES
    for i in range(counts.shape[0]):
        row[:] = 0.0
        for t in range(0, in_fours, LANES):
            a, b, c, d = ahead[t, i], ahead[t + 1, i], ahead[t + 2, i], ahead[t + 3, i]
            _add_rows(row, a, b, c, d, onward, t + 1)
        for t in range(in_fours, last):
            for k in range(row.size):
                row[k] += ahead[t, i] * onward[t + 1, k]
        for k in range(counts.shape[1]):
            expected = row[k] * weights[i, k]
            counts[i, k] += sign * expected if expected > _NONE else 0.0
