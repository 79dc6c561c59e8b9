"""Trees that a beam finds, and steps of a perceptron from what it finds wrongly."""

import numpy as np

from deppa_nb.kernels._beam import (
    most_words,
    new_space,
    read_path,
    score_state,
    search,
    shift_of,
)
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.transition import (
    COLUMNS,
    WORD,
    fresh_cells,
    is_legal,
    move,
    static_action,
)
from deppa_nb.kernels.transition_limits import limit_room, words_of

__all__ = ["learn_actions", "parse_batch", "static_actions"]


@jit()
def parse_batch(features, task, at, allowed, heads, scores, counts):
    """Write the best trees that beams have at their end, each tree once.

    Parameters
    ----------
    features : Features
    task : Task
    at : int64 array (sentences + 1,)
        Where the square of each sentence begins in `allowed`.
    allowed : bool array
        Squares laid end to end, ``allowed[head, word]``; if empty, all arcs are.
    heads : int32 array (k, tokens)
        Results, without what stands behind the words of sentences.
    scores : float64 array (sentences, k)
    counts : int64 array (sentences,)
        How many trees there are, at most k; 0 if there is none that is allowed.
    """
    n, limited, everything = most_words(features), allowed.size > 0, np.ones((0, 0), np.bool_)
    space = new_space(features, n, task.beam, words_of(n) if limited else 0)
    tree, actions, first = np.empty(n + 1, np.int32), np.empty(2 * n, np.int8), 0
    room, nothing = limit_room(0), np.empty(0, np.int32)
    for j in range(counts.size):
        size = features.firsts[j + 1] - features.firsts[j] - 1
        square = everything
        if limited:
            square = allowed[at[j] : at[j + 1]].reshape((size, size))
            room = limit_room(size - 1)
        found = search(features, j, task, square, room, nothing, 0.0, space)
        counts[j], end = 0, 2 * (size - 1) * task.beam
        for state in range(end, end + found):
            if counts[j] == heads.shape[0]:
                break
            read_path(space, state, tree[:size], actions)
            if _is_new(tree, heads[: counts[j], first : first + size]):
                heads[counts[j], first : first + size] = tree[:size]
                scores[j, counts[j]] = space.scores[state]
                counts[j] += 1
        first += size


@jit()
def _is_new(tree, others):
    for k in range(others.shape[0]):
        same = True
        for word in range(others.shape[1]):
            same = same and tree[word] == others[k, word]
        if same:
            return False
    return True


@jit()
def static_actions(heads, single_root, actions):
    """Write the actions that make a projective tree.

    Parameters
    ----------
    heads : int32 array (n + 1,)
        A tree; with several roots only if `single_root` is False.
    single_root : bool
    actions : int8 array (2 n,)
        Result.

    Returns
    -------
    bool
        Whether all of them can be done.
    """
    n = heads.size - 1
    cells, last = np.empty((3 * n + 2, COLUMNS), np.int32), np.arange(n + 1)
    fresh_cells(n, cells)
    for word in range(1, n + 1):
        last[heads[word]] = max(last[heads[word]], word)
    top, front = 0, 1
    for t in range(2 * n):
        word = cells[front, WORD]
        actions[t] = static_action(cells, top, word, heads, last)
        if not is_legal(cells, top, word, actions[t], n, single_root):
            return False
        top, front = move(cells, top, front, actions[t], n + 2 + t)
    return True


@jit()
def _walk(features, k, task, actions, begin, end, step, space, totals):
    """Do actions, and add up scores or, if there is a step, take it, from begin to end.

    Parameters
    ----------
    actions : int8 array
    begin, end : int
        Which of them.
    step : float32
        0 for none.
    space
        Whose cells are written over.
    totals : float64 array
        Result, the score after each action.
    """
    first, n = features.firsts[k], features.firsts[k + 1] - features.firsts[k] - 2
    atoms, shift = features.atoms[first : features.firsts[k + 1]], shift_of(task.weights)
    weights, rows = task.weights, space.rows
    fresh_cells(n, space.cells)
    top, front, total = 0, 1, 0.0
    for t in range(end):
        if t >= begin:
            score_state(features, atoms, top, front, n, weights, shift, space)
            total += space.sums[0, actions[t]]
            totals[t] = total
            for template in range(rows.shape[0] if step != 0 else 0):
                weights[rows[template, 0] + np.uint32(actions[t])] += step
        top, front = move(space.cells, top, front, actions[t], n + 2 + t)


@jit()
def learn_actions(features, task, heads, importance, rate, margin, order, losses):
    """Take a step of the perceptron after each sentence that is parsed wrongly.

    The right sequence of actions is the static one of a full tree, and of a partial tree the best
    that the beam finds among those that have the given heads. Others are ahead by a margin for each
    wrong head. The step is from the best state after as many actions to the right one, where the
    first is better by most (Huang et al. 2012).

    Parameters
    ----------
    features : Features
    task : Task
        Its weights change.
    heads : int32 array (tokens,)
        -1 leaves a word open; some projective tree has the others. Sentences with their roots.
    importance : float64 array (sentences,)
        How long the step of each sentence is, relative to the rate.
    rate, margin : float
    order : int64 array
        The sentences to learn from, one after the other.
    losses : float64 array
        Result, for each: by how much the wrong one was better.
    """
    n, everything = most_words(features), np.ones((0, 0), np.bool_)
    space = new_space(features, n, task.beam, 0)
    limited = new_space(features, n, task.beam, words_of(n))
    tree, right, wrong = (
        np.empty(n + 1, np.int32),
        np.empty(2 * n, np.int8),
        np.empty(2 * n, np.int8),
    )
    totals, nowhere = np.empty(2 * n), limit_room(0)
    for i in range(order.size):
        k = order[i]
        size, losses[i] = features.firsts[k + 1] - features.firsts[k] - 1, 0.0
        given = heads[features.firsts[k] - k : features.firsts[k] - k + size]
        if importance[k] == 0:
            continue
        search(features, k, task, everything, nowhere, given, margin, space)
        read_path(space, 2 * (size - 1) * task.beam, tree[:size], wrong)
        if _agrees(tree, given):
            continue
        if not _find_right(features, k, task, given, limited, right):
            continue
        _walk(features, k, task, right, 0, 2 * (size - 1), np.float32(0.0), limited, totals)
        end, losses[i] = _worst(space, right, 2 * (size - 1), totals)
        read_path(space, end * task.beam, tree[:size], wrong)
        begin = 0
        while right[begin] == wrong[begin]:
            begin += 1
        step = np.float32(rate * importance[k])
        _walk(features, k, task, right, begin, end, step, limited, totals)
        _walk(features, k, task, wrong, begin, end, -step, limited, totals)


@jit()
def _agrees(tree, given):
    """Tell whether a tree has the given heads."""
    for word in range(1, given.size):
        if given[word] >= 0 and given[word] != tree[word]:
            return False
    return True


@jit()
def _find_right(features, k, task, given, space, actions):
    """Write the actions to learn; return whether there are any."""
    size, full = given.size, True
    for word in range(1, size):
        full = full and given[word] >= 0
    if full:
        return static_actions(given, task.single_root, actions)
    allowed, tree = np.zeros((size, size), np.bool_), np.empty(size, np.int32)
    for head in range(size):
        for word in range(1, size):
            allowed[head, word] = head != word and (given[word] == -1 or given[word] == head)
    if search(features, k, task, allowed, limit_room(size - 1), given[:0], 0.0, space) == 0:
        return False
    read_path(space, 2 * (size - 1) * task.beam, tree, actions)
    return True


@jit()
def _worst(space, right, steps, totals):
    """Return after how many steps the best state leads the right one by most, and by how much.

    Where the right state is the best one, there is nothing to learn.
    """
    beam, end, most, at = space.best.shape[1], 0, -np.inf, 0
    for t in range(1, steps + 1):
        reached = -1
        for j in range(space.counts[t] if at >= 0 else 0):
            state = t * beam + j
            if space.parents[state] == at and space.actions[state] == right[t - 1]:
                reached = state
        at = reached
        lead = space.scores[t * beam] - totals[t - 1]
        if at != t * beam and lead >= most:
            end, most = t, lead
    return end, max(most, 0.0)
