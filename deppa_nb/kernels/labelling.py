"""Labels of arcs: multinomial logistic regression over hashed features.

A feature of template t about the arc h -> m has a row of weights, one for each label, at

    i[t] = (H[t, h] ^ M[t, m] ^ b) & mask,

b a hash of the direction and of what stands between h and m, and

    p(label | h, m) = exp(s[label]) / Z,    s = the sum of the rows i[t].

Templates of triples (h, s, m) look at a third word too: the modifier's first dependent.
"""

import numpy as np

from deppa_nb.kernels._float import exp
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.slots import DISTANCE, SET, scramble

__all__ = [
    "NONE",
    "UNKNOWN",
    "add_rows",
    "best_labels",
    "find_rows",
    "label_probabilities",
    "largest",
    "learn_labels",
    "row_room",
]

NONE, UNKNOWN = -1, -2
"""In the place of a first dependent: there is none; it is not known, so nothing looks at it."""

_FAR = 20  # distances from here on are one
_LEAST = 1e-3  # what is missing to probability 1 where there is nothing left to learn


@jit()
def best_labels(slots, arcs, weights, labels):
    """Write the likeliest label of each arc.

    Parameters
    ----------
    slots : Slots
        Those of arcs and triples.
    arcs : int64 array (arcs, 3)
        Word, head and the word's first dependent: places among all tokens, NONE or UNKNOWN.
    weights : float32 array (2**bits, labels)
    labels : int32 array (arcs,)
        Result; of equally likely ones the first.
    """
    rows, scores = row_room(slots, weights)
    for k in range(arcs.shape[0]):
        add_rows(weights, rows, find_rows(slots, arcs[k], weights.shape[0], rows), scores)
        labels[k] = largest(scores)


@jit()
def label_probabilities(slots, arcs, weights, probabilities):
    """Compute p(label | arc).

    Parameters
    ----------
    slots, arcs, weights
        As in `best_labels`.
    probabilities : float32 array (arcs, labels)
        Result.
    """
    rows, _ = row_room(slots, weights)
    for k in range(arcs.shape[0]):
        used = find_rows(slots, arcs[k], weights.shape[0], rows)
        add_rows(weights, rows, used, probabilities[k])
        _normalise(probabilities[k])


@jit()
def learn_labels(slots, arcs, labels, importance, order, weights, squares, rate, delta):
    """Take a step of AdaGrad after each arc; return the sum of -log p(label | arc) before them.

    Parameters
    ----------
    slots, arcs
        As in `best_labels`.
    labels : int32 array (arcs,)
    importance : float64 array (arcs,)
        What the loss of each arc is multiplied by.
    order : int64 array
        The arcs to learn from, one after the other.
    weights, squares : float32 arrays (2**bits, labels)
        The weights, and the sums of the squares of their gradients.
    rate, delta : float
        w -= rate g / (sqrt(G) + delta).
    """
    rows, p = row_room(slots, weights)
    loss = 0.0
    for k in order:
        used = find_rows(slots, arcs[k], weights.shape[0], rows)
        add_rows(weights, rows, used, p)
        gold = labels[k]
        score = np.float64(p[gold])
        loss += importance[k] * (_normalise(p) - score)
        p[gold] -= np.float32(1.0)
        if p[gold] < -_LEAST:
            _step(
                weights, squares, rows, used, p, np.float32(importance[k]), np.float32(rate),
                np.float32(delta),
            )  # fmt: skip
    return loss


@jit()
def row_room(slots, weights):
    """Return room for the rows of one arc and for a number for each label."""
    templates = slots.arc_h.shape[0] + slots.triple_h.shape[0]
    return np.empty(templates, np.int64), np.empty(weights.shape[1], np.float32)


@jit()
def find_rows(slots, arc, size, rows):
    """Write the rows of an arc's features; return how many there are."""
    word, head, third = arc[0], arc[1], arc[2]
    low, high = min(word, head), max(word, head)
    seen = np.uint32(0)
    for k in range(low + 1, high):
        seen |= slots.kinds[k]
    mask, side = np.uint64(size - 1), np.uint64(head < word)
    alone = scramble(side)
    of_set = scramble(np.uint64(2) * np.uint64(seen) + side)
    far = scramble(np.uint64(2 * min(high - low, _FAR)) + side)
    count = slots.arc_h.shape[0]
    for t in range(count):
        between = slots.between[t]
        code = of_set if between == SET else far if between == DISTANCE else alone
        slot = np.uint64(slots.arc_h[t, head] ^ slots.arc_m[t, word])
        rows[t] = np.int64((slot ^ code) & mask)
    if third == UNKNOWN:
        return count
    for t in range(slots.triple_h.shape[0]):
        slot = np.uint64(slots.triple_h[t, head] ^ slots.triple_m[t, word])
        if third != NONE:
            slot ^= np.uint64(slots.triple_s[t, third])
        rows[count + t] = np.int64((slot ^ alone) & mask)
    return rows.size


@jit(vector=True)
def add_rows(weights, rows, count, total):
    """Write the sum of the rows of an arc's features."""
    for j in range(total.size):
        total[j] = 0.0
    for t in range(count):
        row = weights[rows[t]]
        for j in range(total.size):
            total[j] += row[j]


@jit(maxima=True)
def largest(scores):
    """Return where the largest is, of equals the first."""
    best = 0
    for j in range(1, scores.size):
        if scores[j] > scores[best]:
            best = j
    return best


@jit(vector=True)
def _normalise(scores):
    """Turn scores into probabilities; return log Z."""
    top = np.float64(scores[largest(scores)])
    total = 0.0
    for j in range(scores.size):
        p = exp(scores[j] - top)
        scores[j] = p
        total += p
    for j in range(scores.size):
        scores[j] /= total
    return top + np.log(total)


@jit(vector=True)
def _step(weights, squares, rows, count, gradient, importance, rate, delta):
    for j in range(gradient.size):
        gradient[j] *= importance
    for t in range(count):
        w, G = weights[rows[t]], squares[rows[t]]
        for j in range(gradient.size):
            g = gradient[j]
            G[j] += g * g
            w[j] -= rate * g / (np.sqrt(G[j]) + delta)
