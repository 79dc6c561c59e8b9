"""Beam search over sequences of actions, and steps of a perceptron from what it finds.

The score of a sequence is the sum of the weights of the features of its states, each with the
action that is done there. After every step only the best states are kept; those of equal score in
the order in which they were found. Constraints are kept by doing nothing that cannot end in a tree
that they allow, see `transition_limits`.
"""

from collections import namedtuple

import numpy as np

from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.transition import (
    ATOMS,
    BELOW,
    COLUMNS,
    LEFT,
    NODES,
    NUMBERS,
    RIGHT,
    ROW,
    SHIFT,
    WORD,
    add_rows,
    find_rows,
    fresh_cells,
    is_legal,
    move,
    see,
    static_action,
)
from deppa_nb.kernels.transition_limits import (
    can_go_on,
    limit_chart,
    limit_room,
    set_targets,
    words_of,
)

__all__ = ["Features", "Task", "learn_actions", "parse_batch", "static_actions"]

Features = namedtuple("Features", "atoms firsts templates seeds")
"""What is seen of sentences laid end to end, each with its root and, behind its words, nothing.

atoms : uint64 (tokens + sentences, atoms)
firsts : int64 (sentences + 1,), where sentences begin
templates, seeds : see `transition.find_rows`
"""

Task = namedtuple("Task", "weights beam single_root")
"""How to parse: float32 (2**bits,), how many states are kept, whether there is one root."""

_Space = namedtuple(
    "_Space", "cells tops fronts parents actions scores counts targets seen rows sums best"
)
_NODES, _NUMBERS = len(NODES), len(NUMBERS)


@jit()
def _space(features, n, beam, words):
    """Return room to parse up to n words; `words` of 64 bits for targets, 0 if there are none."""
    states, templates = (2 * n + 1) * beam, features.seeds.size
    entries = _NODES * ATOMS + _NUMBERS + 1
    return _Space(
        np.empty((n + 2 + states, COLUMNS), np.int32), np.empty(states, np.int32),
        np.empty(states, np.int32), np.empty(states, np.int32), np.empty(states, np.int8),
        np.empty(states), np.empty(2 * n + 1, np.int64), np.empty((n + 2 + states, words), np.uint64),
        np.zeros((entries, beam), np.uint64), np.empty((templates, beam), np.uint32),
        np.empty((beam, ROW), np.float32), np.empty((3, beam)),
    )  # fmt: skip


@jit(inline=True)
def _shift_of(weights):
    """Return by how much a hash of 64 bits is shifted to be the number of a row."""
    shift, rows = 64, weights.size // ROW
    while rows > 1:
        shift, rows = shift - 1, rows >> 1
    return np.uint64(shift)


@jit(inline=True)
def _insert(best, found, score, state, action):
    """Put an action in its place among the best; return how many there are."""
    last = best.shape[1] - 1
    if found > last:
        if score <= best[0, last]:
            return found
        place = last
    else:
        place = found
        found += 1
    while place > 0 and best[0, place - 1] < score:
        for k in range(3):
            best[k, place] = best[k, place - 1]
        place -= 1
    best[0, place], best[1, place], best[2, place] = score, state, action
    return found


@jit()
def _leads_on(task, allowed, room, space, top, word, action, targets):
    """Tell whether a tree that is allowed can be reached after an action.

    Parameters
    ----------
    targets : uint64 array
        Result of SHIFT: the targets of the word that is shifted.
    """
    s0, below = space.cells[top, WORD], space.cells[top, BELOW]
    if action == SHIFT:
        set_targets(allowed, task.single_root, room, word, s0, space.targets[top], targets)
        return can_go_on(room, word, targets, word + 1)
    head = word if action == LEFT else space.cells[below, WORD]
    return allowed[head, s0] and can_go_on(
        room, space.cells[below, WORD], space.targets[below], word
    )


@jit()
def _search(features, k, task, allowed, room, space):
    """Find the best states of sentence k after each step; return how many there are at the end.

    Parameters
    ----------
    features : Features
    task : Task
    allowed : bool array (n + 1, n + 1), or (0, 0) if all arcs are
    room
        From `limit_room`, if not all arcs are allowed.
    space
        From `_space`. State j after step t stands at t * beam + j, the best first.
    """
    first, beam, n = features.firsts[k], task.beam, features.firsts[k + 1] - features.firsts[k] - 2
    atoms, shift = features.atoms[first : features.firsts[k + 1]], _shift_of(task.weights)
    cells, best, limited = space.cells, space.best, allowed.size > 0
    targets = np.empty(words_of(n) if limited else 0, np.uint64)
    fresh_cells(n, cells)
    if limited and not limit_chart(allowed, task.single_root, room):
        return 0
    space.tops[0], space.fronts[0], space.scores[0], space.counts[0] = 0, 1, 0.0, 1
    for t in range(2 * n):
        start, found, count = t * beam, 0, space.counts[t]
        for j in range(count):
            see(atoms, cells, space.tops[start + j], space.fronts[start + j], n, space.seen, j)
        _score(features, task.weights, shift, space, count)
        for j in range(count):
            top, word = space.tops[start + j], cells[space.fronts[start + j], WORD]
            for action in range(3):
                if not is_legal(cells, top, word, action, n, task.single_root):
                    continue
                if limited and not _leads_on(
                    task, allowed, room, space, top, word, action, targets
                ):
                    continue
                score = space.scores[start + j] + space.sums[j, action]
                found = _insert(best, found, score, j, action)
        for j in range(found):
            _enter(task, allowed, room, space, n, start + int(best[1, j]), start + beam + j, j)
        space.counts[t + 1] = found
    return space.counts[2 * n]


@jit()
def _score(features, weights, shift, space, count):
    """Compute the scores of all actions in the states that were seen last."""
    find_rows(
        space.seen, count, features.templates, features.seeds, shift, weights, space.rows
    )
    add_rows(weights, space.rows, count, space.sums)


@jit()
def _enter(task, allowed, room, space, n, old, new, j):
    """Write the state that the j-th best action makes of an old one."""
    action, cell, top = int(space.best[2, j]), n + 2 + new, space.tops[old]
    space.parents[new], space.actions[new], space.scores[new] = old, action, space.best[0, j]
    space.tops[new], space.fronts[new] = move(space.cells, top, space.fronts[old], action, cell)
    if allowed.size == 0:
        return
    if action == SHIFT:
        below = space.cells[top, WORD]
        set_targets(
            allowed, task.single_root, room, space.cells[cell, WORD], below, space.targets[top],
            space.targets[cell],
        )  # fmt: skip
    elif action == RIGHT:
        space.targets[cell] = space.targets[space.cells[top, BELOW]]


@jit()
def _read(space, state, heads, actions):
    """Write the tree and the actions that led to a state; return how many there were."""
    cells, count, at = space.cells, 0, state
    heads[:] = -1
    while at >= space.best.shape[1]:  # those of the first step come after the only one before it
        old, action = space.parents[at], space.actions[at]
        top = space.tops[old]
        if action == LEFT:
            heads[cells[top, WORD]] = cells[space.fronts[old], WORD]
        elif action == RIGHT:
            heads[cells[top, WORD]] = cells[cells[top, BELOW], WORD]
        actions[count] = action
        count, at = count + 1, old
    for k in range(count // 2):
        actions[k], actions[count - 1 - k] = actions[count - 1 - k], actions[k]
    return count


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
    n, limited, everything = _longest(features), allowed.size > 0, np.ones((0, 0), np.bool_)
    space = _space(features, n, task.beam, words_of(n) if limited else 0)
    tree, actions, first = np.empty(n + 1, np.int32), np.empty(2 * n, np.int8), 0
    room = limit_room(0)
    for j in range(counts.size):
        size = features.firsts[j + 1] - features.firsts[j] - 1
        square = everything
        if limited:
            square = allowed[at[j] : at[j + 1]].reshape((size, size))
            room = limit_room(size - 1)
        found, end = _search(features, j, task, square, room, space), 2 * (size - 1) * task.beam
        counts[j] = 0
        for state in range(end, end + found):
            if counts[j] == heads.shape[0]:
                break
            _read(space, state, tree[:size], actions)
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
def _longest(features):
    n = 1
    for k in range(features.firsts.size - 1):
        n = max(n, features.firsts[k + 1] - features.firsts[k] - 2)
    return n


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
    atoms, shift = features.atoms[first : features.firsts[k + 1]], _shift_of(task.weights)
    weights, rows = task.weights, space.rows
    fresh_cells(n, space.cells)
    top, front, total = 0, 1, 0.0
    for t in range(end):
        if t >= begin:
            see(atoms, space.cells, top, front, n, space.seen, 0)
            _score(features, weights, shift, space, 1)
            total += space.sums[0, actions[t]]
            totals[t] = total
            for k in range(rows.shape[0] if step != 0 else 0):
                weights[rows[k, 0] + np.uint32(actions[t])] += step
        top, front = move(space.cells, top, front, actions[t], n + 2 + t)


@jit()
def learn_actions(features, task, heads, importance, rate, order, losses):
    """Take a step of the perceptron after each sentence that is parsed wrongly.

    The right sequence of actions is the static one of a full tree, and of a partial tree the best
    that the beam finds among those that have the given heads. The step is from the best state after
    as many actions, to the right one, where the first is better by most (Huang et al. 2012).

    Parameters
    ----------
    features : Features
    task : Task
        Its weights change.
    heads : int32 array (tokens,)
        -1 leaves a word open; some projective tree has the others. Sentences with their roots.
    importance : float64 array (sentences,)
        How long the step of each sentence is, relative to the rate.
    rate : float
    order : int64 array
        The sentences to learn from, one after the other.
    losses : float64 array
        Result, for each: by how much the wrong one was better.
    """
    n, everything = _longest(features), np.ones((0, 0), np.bool_)
    space = _space(features, n, task.beam, 0)
    limited = _space(features, n, task.beam, words_of(n))
    tree, right, wrong = np.empty(n + 1, np.int32), np.empty(2 * n, np.int8), np.empty(2 * n, np.int8)
    totals, nowhere = np.empty(2 * n), limit_room(0)
    for i in range(order.size):
        k = order[i]
        size, losses[i] = features.firsts[k + 1] - features.firsts[k] - 1, 0.0
        given = heads[features.firsts[k] - k : features.firsts[k] - k + size]
        if importance[k] == 0:
            continue
        _search(features, k, task, everything, nowhere, space)
        _read(space, 2 * (size - 1) * task.beam, tree[:size], wrong)
        if _agrees(tree, given):
            continue
        if not _find_right(features, k, task, given, limited, right):
            continue
        _walk(features, k, task, right, 0, 2 * (size - 1), np.float32(0.0), limited, totals)
        end, losses[i] = _worst(space, right, 2 * (size - 1), totals)
        _read(space, end * task.beam, tree[:size], wrong)
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
    if _search(features, k, task, allowed, limit_room(size - 1), space) == 0:
        return False
    _read(space, 2 * (size - 1) * task.beam, tree, actions)
    return True


@jit()
def _worst(space, right, steps, totals):
    """Return after how many steps the best state is better than the right one by most, and by how much.

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
