"""Single label sequences of a linear chain: the best, the k best, drawn ones.

Scores and ``allowed`` are those of `chain`; ``transitions[label, next label]``.
"""

import numpy as np

from deppa_nb.kernels._chain_log import log_forward
from deppa_nb.kernels._float import exp
from deppa_nb.kernels._jit import jit

__all__ = ["k_best", "sample", "viterbi"]

# Of a beginning in the lists of `k_best`: its node, what it continues, what is next in the list.
_NODE, _BEFORE, _NEXT = 0, 1, 2
_UNKNOWN, _NONE = -2, -1


@jit()
def viterbi(unary, allowed, transitions, labels):
    """Find the best label sequence (Viterbi 1967); of equally good ones, low last labels first.

    Parameters
    ----------
    unary : float64 array (tokens, labels)
    allowed : bool array (tokens, labels)
    transitions : float64 array (labels, labels)
    labels : int array (tokens,)
        Becomes the best sequence, or all -1 if there is none.

    Returns
    -------
    score : float
        Minus infinity if there is no sequence.
    """
    best = np.empty(unary.shape)
    _best_beginnings(unary, allowed, transitions, best)
    last = unary.shape[0] - 1
    labels[last] = np.argmax(best[last])
    score = best[last, labels[last]]
    if score == -np.inf:
        labels[:] = -1
        return score
    for t in range(last - 1, -1, -1):  # nothing was noted on the way: only this path is asked for
        labels[t] = _best_before(best[t], transitions, np.int64(labels[t + 1]))
    return score


@jit(vector=True)
def _best_beginnings(unary, allowed, transitions, best):
    """Set ``best[t, k]``, the best score of a beginning that ends in label k at t."""
    tokens, labels = unary.shape
    for t in range(tokens):
        row = best[t]
        row[:] = 0.0 if t == 0 else -np.inf
        if t > 0:
            for i in range(labels):
                before = best[t - 1, i]
                for k in range(labels):
                    row[k] = max(row[k], before + transitions[i, k])
        for k in range(labels):
            row[k] = row[k] + unary[t, k] if allowed[t, k] else -np.inf


@jit()
def _best_before(best, transitions, label):
    """Return the label of the best beginning that `label` follows."""
    choice, top = 0, best[0] + transitions[0, label]
    for i in range(1, best.size):
        if best[i] + transitions[i, label] > top:
            choice, top = i, best[i] + transitions[i, label]
    return choice


@jit()
def k_best(unary, allowed, transitions, labels, scores):
    """Find the k best label sequences, exactly: distinct, the best first.

    Each label of each token is a node with a list of its best beginnings, which grows only as far
    as it is asked for: the recursive enumeration of Jiménez & Marzal (1999), on a chain the same as
    algorithm 3 of Huang & Chiang (2005). A node's next beginning is the best of one candidate per
    label before; the candidate that was taken last gives way to the next of that label's list.

    Parameters
    ----------
    unary : float64 array (tokens, labels)
    allowed : bool array (tokens, labels)
    transitions : float64 array (labels, labels)
    labels : int array (k, tokens)
        Become the sequences; -1 where there are fewer than k.
    scores : float64 array (k,)
        Become their scores, minus infinity where there are fewer.

    Returns
    -------
    found : int
        How many there are.
    """
    tokens, size = unary.shape
    labels[:] = -1
    scores[:] = -np.inf
    # Node t * size + k is label k at token t. One more, with all labels before it, ends sequences.
    end = tokens * size
    own, steps = np.zeros(end + 1), np.zeros((size, size + 1))
    for k in range(size):
        for t in range(tokens):
            own[t * size + k] = unary[t, k]
        for i in range(size):
            steps[i, k] = transitions[i, k]
    # The first of each list has the number of its node; an answer adds at most one to each token's.
    links = np.empty((end + 1 + scores.size * (tokens + 1), 3), np.int32)
    values = np.empty(links.shape[0])
    _first_of_lists(unary, allowed, steps, links, values)
    candidates = np.full((end + 1, size), _UNKNOWN, np.int32)
    waiting = np.empty(tokens + 1, np.int32)

    used, entry, found = end + 1, end, 0
    while found < scores.size and entry != _NONE and values[entry] > -np.inf:
        scores[found] = values[entry]
        before = links[entry, _BEFORE]
        for t in range(tokens - 1, -1, -1):
            labels[found, t] = links[before, _NODE] - t * size
            before = links[before, _BEFORE]
        found += 1
        if found < scores.size:
            used = _find_next(entry, used, steps, own, links, values, candidates, waiting)
            entry = links[entry, _NEXT]
    return found


@jit()
def _first_of_lists(unary, allowed, steps, links, values):
    """Begin each node's list with the beginning that Viterbi's algorithm finds."""
    tokens, size = unary.shape
    best = np.empty((tokens, size))
    _best_beginnings(unary, allowed, steps, best)
    for node in range(tokens * size + 1):
        t, label = _place(node, tokens, size)
        links[node, _NODE], links[node, _BEFORE], links[node, _NEXT] = node, _NONE, _UNKNOWN
        if t > 0:
            links[node, _BEFORE] = (t - 1) * size + _best_before(best[t - 1], steps, label)
        values[node] = best[t, label] if t < tokens else values[links[node, _BEFORE]]


@jit(inline=True)
def _place(node, tokens, size):
    """Return the token and the label of a node, the label `size` of the node that ends all."""
    t = node // size
    return t, node - t * size if t < tokens else size


@jit()
def _find_next(entry, used, steps, own, links, values, candidates, waiting):
    """Find the beginning after `entry` in its list; return how many there are in all lists.

    It needs the one after what `entry` continues, which needs the one after what that continues,
    and so on until one is known.
    """
    depth = 0
    while entry != _NONE and links[entry, _NEXT] == _UNKNOWN:
        waiting[depth] = entry
        entry = links[entry, _BEFORE]
        depth += 1
    for i in range(depth - 1, -1, -1):
        used = _take_candidate(waiting[i], used, steps, own, links, values, candidates)
    return used


@jit()
def _take_candidate(entry, used, steps, own, links, values, candidates):
    """Put the best candidate after `entry`; return how many beginnings there are in all lists."""
    node, before = links[entry, _NODE], links[entry, _BEFORE]
    links[entry, _NEXT] = _NONE
    if before == _NONE:  # at the first token a label has one beginning
        return used
    size = steps.shape[0]
    t, label = _place(node, own.size // size, size)
    row, first = candidates[node], (t - 1) * size
    if row[0] == _UNKNOWN:
        for i in range(size):
            row[i] = first + i
    row[links[before, _NODE] - first] = links[before, _NEXT]
    choice, top = _NONE, -np.inf
    for i in range(size):
        if row[i] != _NONE and values[row[i]] + steps[i, label] > top:
            choice, top = row[i], values[row[i]] + steps[i, label]
    if choice == _NONE:
        return used
    links[entry, _NEXT] = used
    links[used, _NODE], links[used, _BEFORE], links[used, _NEXT] = node, choice, _UNKNOWN
    values[used] = top + own[node]
    return used + 1


@jit()
def sample(unary, allowed, transitions, uniforms, labels):
    """Draw label sequences: the last label first, each given the one after it.

    Parameters
    ----------
    unary : float64 array (tokens, labels)
    allowed : bool array (tokens, labels)
    transitions : float64 array (labels, labels)
    uniforms : float64 array (draws, tokens)
        Numbers from [0, 1).
    labels : int array (draws, tokens)
        Become the sequences, -1 if there is none.

    Returns
    -------
    log_z : float
        Minus infinity if there is no sequence.
    """
    tokens, size = unary.shape
    labels[:] = -1
    forward, weights = np.empty((tokens, size)), np.empty(size)
    log_z = log_forward(unary, allowed, transitions, forward)
    if log_z == -np.inf:
        return log_z
    for draw in range(labels.shape[0]):
        for t in range(tokens - 1, -1, -1):
            for k in range(size):
                step = transitions[k, labels[draw, t + 1]] if t + 1 < tokens else 0.0
                weights[k] = forward[t, k] + step
            labels[draw, t] = _draw(weights, uniforms[draw, t])
    return log_z


@jit()
def _draw(weights, uniform):
    """Return i with a probability that is proportional to ``exp(weights[i])``, which it becomes."""
    top, total = -np.inf, 0.0
    for i in range(weights.size):
        top = max(top, weights[i])
    for i in range(weights.size):
        weights[i] = exp(weights[i] - top)
        total += weights[i]
    choice, passed = 0, 0.0
    for i in range(weights.size):
        if weights[i] > 0.0 and passed <= uniform * total:  # the last of these: never past the end
            choice = i
        passed += weights[i]
    return choice
