"""The loss of partly labelled sequences, -log of a sum over all that have the given labels.

That is Wanvarie et al. (2011), eq. 4-5. Scores are those of `chain`.
"""

import numpy as np

from deppa_nb.kernels._chain_steps import (
    FLOOR,
    SMALLEST_SCALE,
    add_transitions,
    backward,
    emit,
    forward,
    is_small,
    multiply,
    unary_weights,
)
from deppa_nb.kernels._float import flush_denormals, restore_denormals
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.attributes import add_expected, add_scores, collect
from deppa_nb.kernels.chain import allow, forward_backward, weigh

__all__ = ["count_given", "partial_loss", "sum_losses"]

_EQUAL = 1e-11  # a token's labels whose probabilities differ by less tell others nothing new


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

    Returns
    -------
    loss : float
    first, last : int
        Derivatives are 0 before and from here on.
    """
    if count_given(given) < given.size:
        before = flush_denormals()
        reliable, loss, first, last = _loss_of_some(given, unary, table, p, counts)
        restore_denormals(before)
        if reliable:
            return loss, first, last
    allowed = np.ones(unary.shape, np.bool_)
    loss = forward_backward(unary, allowed, transitions, table, p, counts)
    if count_given(given) < given.size:
        loss -= _leave_open(given, unary, allowed, transitions, table, p, counts)
        return loss, 0, given.size
    for t in range(given.size):
        p[t, given[t]] -= 1.0
        loss -= unary[t, given[t]]
        if t > 0:
            counts[given[t - 1], given[t]] -= 1.0
            loss -= transitions[given[t - 1], given[t]]
    return loss, 0, given.size


@jit()
def _leave_open(given, unary, allowed, transitions, table, p, counts):
    """Subtract what is expected given some labels; return the log of the sum over what has them."""
    q, fewer = np.empty(p.shape), np.zeros(counts.shape)
    allow(given, allowed)
    log_z = forward_backward(unary, allowed, transitions, table, q, fewer)
    p -= q
    counts -= fewer
    return log_z


@jit(vector=True)
def _loss_of_some(given, unary, table, p, counts):
    """Do the same where some are open; begin with whether it can be relied on.

    Given labels change what is expected near them: sums under them are those over all sequences
    up to the first one, and where they have become equal again nothing differs any more.
    """
    tokens, width = unary.shape[0], table.shape[1]
    work, scales = np.empty((7, tokens, width)), np.empty((2, tokens))
    free, own = work[:4], work[4:]  # emission, ahead, onward (and back) over all, and under labels
    unary_weights(unary, np.ones(unary.shape, np.bool_), free[0])
    if forward(free[0], table[0], free[1], scales[0]) == -np.inf or not backward(
        free[0], table[1], free[1], scales[0], free[2], free[3], p
    ):
        return False, 0.0, 0, 0
    log_p, last = _go_ahead(given, free, table[0], scales, own)
    if last < 0:
        return False, 0.0, 0, 0
    first = _go_back(given, free, table[1], scales, own, last, p)
    if first < 0:
        return False, 0.0, 0, 0
    p[:first] = 0.0
    p[last:] = 0.0
    add_transitions(free[1, first:last], free[2, first:last], table[0], 1.0, counts)
    add_transitions(own[1, first:last], own[2, first:last], table[0], -1.0, counts)
    return True, -log_p, first, last


@jit(vector=True)
def _go_ahead(given, free, weights, scales, own):
    """Sum under given labels; return log p of them, and from where on nothing differs (-1: lost).

    `own` gets their emissions and what is ahead, from the first token on that has a label.
    """
    log_p, product = 0.0, 1.0
    begin, end = _ends(given)
    for t in range(begin, given.size):
        own[0, t] = free[0, t]
        if given[t] >= 0:
            own[0, t] = 0.0
            own[0, t, given[t]] = free[0, t, given[t]]
        if t == 0:
            own[1, t] = 1.0
        elif t == begin:
            multiply(free[1, t - 1], weights, 0.0, own[1, t])
        else:
            multiply(own[1, t - 1], weights, 0.0, own[1, t])
        total = emit(own[0, t], own[1, t])
        if not total >= SMALLEST_SCALE:
            return 0.0, -1
        scales[1, t] = 1.0 / total
        product *= total * scales[0, t]
        if not SMALLEST_SCALE < product < 1.0 / SMALLEST_SCALE:
            log_p += np.log(product)
            product = 1.0
        if t >= end and _are_equal(own[1, t], free[1, t], free[3, t]):
            return log_p + np.log(product), t + 1
    return log_p + np.log(product), given.size


@jit(vector=True)
def _go_back(given, free, weights, scales, own, last, p):
    """Subtract what is expected under given labels from p; return where that begins (-1: lost)."""
    begin, labels = _ends(given)[0], p.shape[1]
    back = free[3, last - 1].copy()
    for t in range(last - 1, -1, -1):
        if not is_small(back):
            return -1
        if t < begin:
            own[0, t] = free[0, t]
            own[1, t] = free[1, t]
            scales[1, t] = scales[0, t]
        difference = 0.0
        for k in range(labels):
            p[t, k] -= own[1, t, k] * back[k]
            difference = max(difference, abs(p[t, k]))
        for k in range(back.size):
            own[2, t, k] = own[0, t, k] * back[k] * scales[1, t]
        if t < begin and difference < _EQUAL:
            return t
        multiply(own[2, t], weights, FLOOR, back)
    return 0


@jit()
def _ends(given):
    """Return the first and the last token with a label."""
    begin, end = 0, given.size - 1
    while given[begin] < 0:
        begin += 1
    while given[end] < 0:
        end -= 1
    return begin, end


@jit(vector=True, inline=True)
def _are_equal(ahead, free, back):
    """Tell whether labels of a token have the same probability: then all that follow have."""
    difference = 0.0
    for k in range(ahead.size):
        difference = max(difference, abs(ahead[k] - free[k]) * back[k])
    return difference < _EQUAL


@jit()
def sum_losses(
    attributes, firsts, given, pairs, weights, transitions, rows, gradient, counts, slopes
):
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
    rows : float64 array
        ``tabulate(pairs, weights, labels)``.
    gradient, counts : arrays of the shapes of the weights and the transitions
    slopes : array of the shape of the rows
        Room to work in: one of its own for each call would cost as much time as the sum.
    """
    labels, table, loss = transitions.shape[0], weigh(transitions), 0.0
    slopes[:] = 0.0
    for k in range(firsts.size - 1):
        own = attributes[firsts[k] : firsts[k + 1]]
        unary, p = np.empty((own.shape[0], labels)), np.empty((own.shape[0], labels))
        add_scores(own, pairs, weights, rows, unary)
        known = given[firsts[k] : firsts[k + 1]]
        more, first, last = partial_loss(known, unary, transitions, table, p, counts)
        loss += more
        add_expected(own[first:last], pairs, p[first:last], gradient, slopes)
    collect(pairs, slopes, gradient)
    return loss
