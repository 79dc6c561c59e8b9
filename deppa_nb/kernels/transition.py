"""States of a transition-based parser: arc-hybrid, what is seen of a state, what is done next.

A state has a stack, whose bottom is the root, and a buffer of the words to come. SHIFT moves the
first word b of the buffer to the stack; LEFT takes the top s0 off the stack as a dependent of b,
RIGHT as a dependent of s1, which is below it. A tree of n words takes n times SHIFT and n times one
of the others, so that all states after as many steps can be compared.

States share what they have in common: each step makes one new cell, a word with what is known of
its dependents and the cell below it, and a state is its top cell and the cell of b. Cells 0 to
n are words without dependents, n + 1 stands for what is not there; it is its own neighbour below.
"""

import numpy as np

from deppa_nb.kernels._jit import jit
from deppa_nb.kernels._memory import prefetch

__all__ = [
    "ATOMS",
    "BELOW",
    "COLUMNS",
    "LEFT",
    "NODES",
    "NUMBERS",
    "RIGHT",
    "ROW",
    "SHIFT",
    "WORD",
    "add_rows",
    "find_rows",
    "fresh_cells",
    "is_legal",
    "move",
    "see",
    "static_action",
]

SHIFT, LEFT, RIGHT = 0, 1, 2
ROW = 4  # weights of a feature: one for each action, and one that fills a quarter of a line
ATOMS = 4  # of a word
# Columns of cells: the word; its outermost and second outermost dependents; dependents of the
# outermost ones, on the same side and, of the right one, on the left; how many; the cell below.
WORD, L1, L2, R1, R2, LL, RL, RR, LV, RV, BELOW = range(11)
COLUMNS = 11
_FEW = 5  # dependents from here on are as many

NODES = (
    *("s0", "s0.l1", "s0.l2", "s0.r1", "s0.r2", "s0.ll", "s0.rl", "s0.rr"),
    *("s1", "s1.l1", "s1.l2", "s1.r1", "s1.r2", "s1.ll", "s1.rl", "s1.rr"),
    *("s2", "b0", "b0.l1", "b0.l2", "b0.ll", "b1", "b2", "b3"),
)
"""Words that are seen, in order: each with all its atoms."""

NUMBERS = ("s0.lv", "s0.rv", "s1.lv", "s1.rv", "b0.lv", "s0-b0", "s1-s0")
"""Numbers that are seen after them: of dependents to the left and to the right, and distances."""

_NODE_COLUMNS = 8  # the first columns of cells


@jit()
def fresh_cells(n, cells):
    """Write the cells of n words without dependents, of the root and of nothing."""
    for word in range(n + 2):
        for column in range(COLUMNS):
            cells[word, column] = n + 1
        cells[word, WORD] = word
        cells[word, LV] = cells[word, RV] = 0


@jit(inline=True)
def is_legal(cells, top, word, action, n, single_root):
    """Tell whether an action can be done when `word` is the first of the buffer."""
    if action == SHIFT:
        return word <= n
    if cells[top, WORD] == 0:
        return False
    if action == LEFT:
        return word <= n
    return not single_root or cells[cells[top, BELOW], WORD] != 0 or word == n + 1


@jit(inline=True)
def move(cells, top, front, action, new):
    """Write the new cell of an action; return the top and the front of the state after it."""
    if action == SHIFT:
        for column in range(COLUMNS):
            cells[new, column] = cells[front, column]
        cells[new, BELOW] = top
        return new, cells[front, WORD] + 1
    below = cells[top, BELOW]
    head = front if action == LEFT else below
    for column in range(COLUMNS):
        cells[new, column] = cells[head, column]
    word = cells[top, WORD]
    if action == LEFT:
        cells[new, L2] = cells[head, L1]
        cells[new, L1] = word
        cells[new, LL] = cells[top, L1]
        cells[new, LV] += 1
        return below, new
    cells[new, R2] = cells[head, R1]
    cells[new, R1] = word
    cells[new, RL] = cells[top, L1]
    cells[new, RR] = cells[top, R1]
    cells[new, RV] += 1
    return new, front


@jit()
def static_action(cells, top, word, heads, last):
    """Return what leads from a state towards a tree: a dependent leaves the stack once it can.

    Parameters
    ----------
    cells, top, word
        The state.
    heads : int32 array (n + 1,)
        The tree.
    last : int array (n + 1,)
        The last dependent of each word, or the word itself.
    """
    s0 = cells[top, WORD]
    if s0 > 0:
        if heads[s0] == word:
            return LEFT
        if heads[s0] == cells[cells[top, BELOW], WORD] and last[s0] < word:
            return RIGHT
    return SHIFT


@jit(inline=True)
def _far(distance):
    """Return the bin of a distance: 1, 2, 3, 4, 5-6, 7-10, 11 and more."""
    if distance <= 4:
        return distance
    return 5 + (distance > 6) + (distance > 10)


@jit(inline=True)
def _copy(atoms, word, seen, at, j):
    for k in range(ATOMS):
        seen[at + k, j] = atoms[word, k]
    return at + ATOMS


@jit()
def see(atoms, cells, top, front, n, seen, j):
    """Write the atoms of the `NODES` of a state and then its `NUMBERS`.

    Parameters
    ----------
    atoms : uint64 array (n + 2, ATOMS)
        Of the root, the words, and of nothing.
    cells, top, front
        The state.
    seen : uint64 array (entries + 1, states)
        Result: column j. The last row is left alone.
    """
    s1, at = cells[top, BELOW], 0
    for column in range(_NODE_COLUMNS):
        at = _copy(atoms, cells[top, column], seen, at, j)
    for column in range(_NODE_COLUMNS):
        at = _copy(atoms, cells[s1, column], seen, at, j)
    at = _copy(atoms, cells[cells[s1, BELOW], WORD], seen, at, j)
    word = cells[front, WORD]
    at = _copy(atoms, word, seen, at, j)
    at = _copy(atoms, cells[front, L1], seen, at, j)
    at = _copy(atoms, cells[front, L2], seen, at, j)
    at = _copy(atoms, cells[front, LL], seen, at, j)
    for ahead in range(1, 4):
        at = _copy(atoms, min(word + ahead, n + 1), seen, at, j)
    seen[at, j] = min(cells[top, LV], _FEW)
    seen[at + 1, j] = min(cells[top, RV], _FEW)
    seen[at + 2, j] = min(cells[s1, LV], _FEW)
    seen[at + 3, j] = min(cells[s1, RV], _FEW)
    seen[at + 4, j] = min(cells[front, LV], _FEW)
    seen[at + 5, j] = _far(word - cells[top, WORD])
    seen[at + 6, j] = _far(abs(cells[top, WORD] - cells[s1, WORD]))


@jit(vector=True)
def find_rows(seen, low, high, templates, seeds, begin, end, shift, weights, rows):
    """Compute where the weights of the features of states are, and ask for them.

    States stand side by side, so that a template is looked up in several at once.

    Parameters
    ----------
    seen : uint64 array (entries + 1, states)
        From `see`; the last row is 0.
    low, high : int
        Of which states.
    templates : int32 array (4, templates)
        Which entries each template sees.
    seeds : uint64 array (templates,)
    begin, end : int
        Which templates.
    shift : uint64
        64 minus the bits of rows of the table.
    weights : float32 array (2**bits,)
    rows : uint32 array (templates, states)
        Result: the first weight of each feature.
    """
    one, two = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
    three, four = np.uint64(0x165667B19E3779F9), np.uint64(0xD6E8FEB86659FD93)
    half, size = np.uint64(32), np.uint64(ROW)
    low, high = np.uint64(low), np.uint64(high)  # not negative, or loops are not vectorised
    for k in range(begin, end):
        a, b = seen[templates[0, k]], seen[templates[1, k]]
        c, d, found, seed = seen[templates[2, k]], seen[templates[3, k]], rows[k], seeds[k]
        for j in range(low, high):
            mixed = seed + a[j] * one + b[j] * two + c[j] * three + d[j] * four
            mixed = (mixed ^ (mixed >> half)) * one
            found[j] = (mixed >> shift) * size
        for j in range(low, high):
            prefetch(weights, found[j])


@jit(vector=True)
def add_rows(weights, rows, low, high, begin, end, sums):
    """Write the sums of the weights of features of states, one for each action: (states, ROW).

    Those of the states from low to high and of the templates from begin to end.
    """
    low, high = np.uint64(low), np.uint64(high)  # as above
    for j in range(low, high):
        for action in range(ROW):
            sums[j, action] = 0.0
    for k in range(begin, end):
        found = rows[k]
        for j in range(low, high):
            row, total = found[j], sums[j]
            for action in range(ROW):
                total[action] += weights[row + np.uint32(action)]
