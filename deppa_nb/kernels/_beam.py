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
    "score_states",
    "search",
    "shift_of",
]

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
    targets = np.empty(words_of(n) if limited else 0, np.uint64)
    fresh_cells(n, cells)
    if limited and not limit_chart(allowed, task.single_root, room):
        return 0
    space.tops[0], space.fronts[0], space.scores[0], space.counts[0] = 0, 1, 0.0, 1
    for t in range(2 * n):
        start, found, count = t * beam, 0, space.counts[t]
        for j in range(count):
            see(atoms, cells, space.tops[start + j], space.fronts[start + j], n, space.seen, j)
        score_states(features, task.weights, shift, space, count)
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
                if given.size > 0 and action != SHIFT:
                    right = given[cells[top, WORD]]
                    head = word if action == LEFT else cells[cells[top, BELOW], WORD]
                    score += margin if right >= 0 and right != head else 0.0
                found = _insert(best, found, score, j, action)
        for j in range(found):
            _enter(task, allowed, room, space, n, start + int(best[1, j]), start + beam + j, j)
        space.counts[t + 1] = found
    return space.counts[2 * n]


@jit()
def score_states(features, weights, shift, space, count):
    """Compute the scores of all actions in the states that were seen last."""
    find_rows(space.seen, count, features.templates, features.seeds, shift, weights, space.rows)
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
    n = 1
    for k in range(features.firsts.size - 1):
        n = max(n, features.firsts[k + 1] - features.firsts[k] - 2)
    return n
