"""Beam search over sequences of actions of a transition-based parser.

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
)
from deppa_nb.kernels.transition_limits import can_go_on, limit_chart, set_targets, words_of

__all__ = [
    "Features",
    "Task",
    "most_words",
    "new_space",
    "read_path",
    "score_state",
    "search",
    "shift_of",
]

Features = namedtuple("Features", "atoms firsts templates seeds stack buffer")
"""What is seen of sentences laid end to end, each with its root and, behind its words, nothing.

atoms : uint64 (tokens + sentences, atoms)
firsts : int64 (sentences + 1,), where sentences begin
templates, seeds : see `transition.find_rows`
stack, buffer : int, how many templates see the stack alone, and then the buffer alone
"""

Task = namedtuple("Task", "weights beam single_root")
"""How to parse: float32 (2**bits,), how many states are kept, whether there is one root."""

_Space = namedtuple(
    "_Space",
    "cells tops fronts parents actions scores counts targets seen rows sums places known best",
)
_NODES, _NUMBERS = len(NODES), len(NUMBERS)
_STACK, _BUFFER = 0, 1


@jit()
def new_space(features, n, beam, words):
    """Return room to parse up to n words; `words` of 64 bits for targets, 0 if there are none."""
    states, templates = (2 * n + 1) * beam, features.seeds.size
    entries = _NODES * ATOMS + _NUMBERS + 1
    return _Space(
        np.empty((n + 2 + states, COLUMNS), np.int32), np.empty(states, np.int32),
        np.empty(states, np.int32), np.empty(states, np.int32), np.empty(states, np.int8),
        np.empty(states), np.empty(2 * n + 1, np.int64),
        np.empty((n + 2 + states, words), np.uint64), np.zeros((entries, beam), np.uint64),
        np.empty((templates, beam), np.uint32), np.empty((beam, ROW), np.float32),
        np.empty(beam, np.int64), np.empty((2, n + 2 + states, ROW), np.float32),
        np.empty((3, beam)),
    )  # fmt: skip


@jit(inline=True)
def shift_of(weights):
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
def search(features, k, task, allowed, room, given, margin, space):
    """Find the best states of sentence k after each step; return how many there are at the end.

    Parameters
    ----------
    features : Features
    task : Task
    allowed : bool array (n + 1, n + 1), or (0, 0) if all arcs are
    room
        From `limit_room`, if not all arcs are allowed.
    given, margin : int32 array (n + 1,), float
        In learning, what an arc is worth on top if a given head is another one; or (0,).
    space
        From `new_space`. State j after step t stands at t * beam + j, the best first.
    """
    first, beam, n = features.firsts[k], task.beam, features.firsts[k + 1] - features.firsts[k] - 2
    atoms, shift = features.atoms[first : features.firsts[k + 1]], shift_of(task.weights)
    cells, best, limited = space.cells, space.best, allowed.size > 0
    tops, fronts, scores, sums, places = (
        space.tops, space.fronts, space.scores, space.sums, space.places,
    )  # fmt: skip
    targets = np.empty(words_of(n) if limited else 0, np.uint64)
    fresh_cells(n, cells)
    if limited and not limit_chart(allowed, task.single_root, room):
        return 0
    _know_words(features, atoms, n, task.weights, shift, space)
    tops[0], fronts[0], scores[0], space.counts[0] = 0, 1, 0.0, 1
    space.actions[0] = SHIFT  # as if the root had been shifted
    for t in range(2 * n):
        start, found, count = t * beam, 0, space.counts[t]
        _score_states(features, atoms, n, task.weights, shift, space, start, count)
        for j in range(count):
            top, word = tops[start + j], cells[fronts[start + j], WORD]
            for action in range(3):
                if not is_legal(cells, top, word, action, n, task.single_root):
                    continue
                if limited and not _leads_on(
                    task, allowed, room, space, top, word, action, targets
                ):
                    continue
                score = scores[start + j] + sums[places[j], action]
                if given.size > 0 and action != SHIFT:
                    right = given[cells[top, WORD]]
                    head = word if action == LEFT else cells[cells[top, BELOW], WORD]
                    score += margin if right >= 0 and right != head else 0.0
                found = _insert(best, found, score, j, action)
        _enter(task, allowed, room, space, n, start, found)
        space.counts[t + 1] = found
    return space.counts[2 * n]


@jit()
def score_state(features, atoms, top, front, n, weights, shift, space):
    """Compute the scores of all actions in a state: of all its features, in the first column."""
    see(atoms, space.cells, top, front, n, space.seen, 0)
    _sum_part(features, 0, features.seeds.size, 0, 1, weights, shift, space)


@jit(merge=True)
def _sum_part(features, begin, end, low, high, weights, shift, space):
    """Compute the sums of some templates in the columns of some states."""
    find_rows(
        space.seen, low, high, features.templates, features.seeds, begin, end, shift, weights,
        space.rows,
    )  # fmt: skip
    add_rows(weights, space.rows, low, high, begin, end, space.sums)


@jit()
def _know_words(features, atoms, n, weights, shift, space):
    """Sum up what is seen of the buffer before its first word has dependents."""
    begin, end = features.stack, features.stack + features.buffer
    for first in range(1, n + 2, space.best.shape[1]):
        count = min(space.best.shape[1], n + 2 - first)
        for j in range(count):
            see(atoms, space.cells, 0, first + j, n, space.seen, j)
        _sum_part(features, begin, end, 0, count, weights, shift, space)
        for j in range(count):
            for action in range(ROW):
                space.known[_BUFFER, first + j, action] = space.sums[j, action]


@jit(merge=True)
def _score_states(features, atoms, n, weights, shift, space, start, count):
    """Compute the scores of all actions in the states of a step.

    An action makes a new cell on one side, and of the other what was seen is known. States with a
    new top of the stack stand before those with a new front of the buffer.
    """
    tops, fronts, known, sums = space.tops, space.fronts, space.known, space.sums
    stack, both, shifted = features.stack, features.stack + features.buffer, 0
    for j in range(count):
        shifted += space.actions[start + j] != LEFT
    left, right = 0, shifted
    for j in range(count):
        if space.actions[start + j] == LEFT:
            space.places[j], right = right, right + 1
        else:
            space.places[j], left = left, left + 1
        see(
            atoms, space.cells, tops[start + j], fronts[start + j], n, space.seen, space.places[j]
        )  # fmt: skip
    _sum_part(features, 0, stack, 0, shifted, weights, shift, space)
    _sum_part(features, stack, both, shifted, count, weights, shift, space)
    for j in range(count):
        place = space.places[j]
        side, cell = (_STACK, tops[start + j]) if place < shifted else (_BUFFER, fronts[start + j])
        for action in range(ROW):
            known[side, cell, action] = sums[place, action]
    _sum_part(features, both, features.seeds.size, 0, count, weights, shift, space)
    for j in range(count):
        top, front = tops[start + j], fronts[start + j]
        for action in range(ROW):
            sums[space.places[j], action] += (
                known[_STACK, top, action] + known[_BUFFER, front, action]
            )


@jit(merge=True)
def _enter(task, allowed, room, space, n, start, found):
    """Write the states that the best actions make of those from `start` on.

    All in one go: to pass the space on costs as much as to write a state.
    """
    cells, tops, fronts, targets, best = (
        space.cells, space.tops, space.fronts, space.targets, space.best,
    )  # fmt: skip
    parents, actions, scores = space.parents, space.actions, space.scores
    for j in range(found):
        old, new = start + int(best[1, j]), start + best.shape[1] + j
        action, cell, top = int(best[2, j]), n + 2 + new, tops[old]
        parents[new], actions[new], scores[new] = old, action, best[0, j]
        tops[new], fronts[new] = move(cells, top, fronts[old], action, cell)
        if allowed.size == 0:
            continue
        if action == SHIFT:
            below, word = cells[top, WORD], cells[cell, WORD]
            set_targets(allowed, task.single_root, room, word, below, targets[top], targets[cell])
        elif action == RIGHT:
            targets[cell] = targets[cells[top, BELOW]]


@jit()
def read_path(space, state, heads, actions):
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
def most_words(features):
    """Return how many words the longest sentence has, at least 1."""
    n = 1
    for k in range(features.firsts.size - 1):
        n = max(n, features.firsts[k + 1] - features.firsts[k] - 2)
    return n
