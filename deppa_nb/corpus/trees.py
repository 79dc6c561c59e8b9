"""Properties of head arrays: roots, cycles, projectivity, lifting.

A head array has ``heads[m]`` = head of word m for m = 1..n; 0 is the root, -1 a word whose head is
not annotated. Entry 0 is the root's own slot and is never read. All functions take partial trees:
an arc that is not there breaks no rule.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deppa_nb.errors import TreeError

__all__ = [
    "Heads",
    "are_trees",
    "find_cycle",
    "is_projective",
    "nonprojective_arcs",
    "projectivise",
    "roots",
    "to_heads",
]

Heads = NDArray[np.int32]


def to_heads(values: "list[int] | NDArray[np.integer]") -> Heads:
    """Return the read-only head array of n heads given for words 1..n.

    >>> to_heads([2, 0, 2])
    array([-1,  2,  0,  2], dtype=int32)
    """
    heads = np.empty(len(values) + 1, dtype=np.int32)
    heads[0], heads[1:] = -1, values
    heads.flags.writeable = False
    return heads


def roots(heads: Heads) -> NDArray[np.intp]:
    """Return the words attached to the root.

    >>> roots(to_heads([0, 1, 0]))
    array([1, 3])
    """
    return np.flatnonzero(heads[1:] == 0) + 1


def find_cycle(heads: Heads) -> list[int]:
    """Return the words of one cycle in order, ``[]`` if there is none.

    >>> find_cycle(to_heads([2, 3, 1, 0]))
    [1, 2, 3]
    """
    head = heads.tolist()
    seen_from = [0] * len(head)
    for start in range(1, len(head)):
        path, word = [], start
        while word > 0 and not seen_from[word]:
            seen_from[word] = start
            path.append(word)
            word = head[word]
        if word > 0 and seen_from[word] == start:
            return path[path.index(word) :]
    return []


def are_trees(heads: NDArray[np.integer], sizes: Sequence[int] | NDArray[np.integer]) -> bool:
    """Tell whether many head arrays, one after the other, are all (partial) trees.

    Parameters
    ----------
    heads
        Head arrays laid end to end.
    sizes
        Their lengths: n+1 for a sentence of n words.

    Examples
    --------
    >>> are_trees(np.concatenate([to_heads([2, 0]), to_heads([0, 1, -1])]), [3, 4])
    True
    >>> are_trees(to_heads([2, 1]), [3]), are_trees(to_heads([3, 0]), [3])
    (False, False)
    """
    size = np.asarray(sizes, dtype=np.int64)
    root = np.repeat(np.cumsum(size) - size, size)
    if (heads >= np.repeat(size, size)).any():
        return False
    # All words follow their heads at once, twice as far each time: off a cycle, to the root.
    jump = root + np.maximum(heads, 0)
    for _ in range(int(size.max(initial=0)).bit_length()):
        jump = jump[jump]
    return bool((jump == root).all())


def nonprojective_arcs(heads: Heads) -> NDArray[np.bool_]:
    """Mark the arcs that span a word which does not descend from their head.

    Parameters
    ----------
    heads
        ``(n+1,)``, a tree or a partial tree without cycles.

    Returns
    -------
    NDArray
        ``(n+1,)``, True at m if the arc heads[m] -> m is not projective. In a partial tree only
        words whose path to the head is cut by a given arc count: a word that hangs from nothing yet
        may still come to descend from the head.

    Examples
    --------
    >>> nonprojective_arcs(to_heads([3, 4, 0, 3])).tolist()
    [False, False, True, False, False]
    """
    marked = np.zeros(len(heads), dtype=bool)
    if not _has_crossing(heads):
        return marked
    if cycle := find_cycle(heads):
        raise TreeError(f"the heads of words {cycle} form a cycle")
    for m in range(1, len(heads)):
        h = int(heads[m])
        between = range(min(h, m) + 1, max(h, m))
        marked[m] = h >= 0 and any(_escapes(heads, word, h) for word in between)
    return marked


def _escapes(heads: Heads, word: int, ancestor: int) -> bool:
    """Tell whether the walk from word to the root is known and misses the ancestor."""
    while word > 0 and word != ancestor:
        word = int(heads[word])
    return word == 0 and ancestor != 0


def _has_crossing(heads: Heads) -> bool:
    """Sweep over arcs from left to right, the longer first, with the ends of those still open."""
    _check_slot(heads)
    arcs = ((min(h, m), -max(h, m)) for m, h in enumerate(heads.tolist()) if h >= 0)
    open_ends: list[int] = []
    for left, minus_right in sorted(arcs):
        while open_ends and open_ends[-1] <= left:
            open_ends.pop()
        if open_ends and -minus_right > open_ends[-1]:
            return True
        open_ends.append(-minus_right)
    return False


def _check_slot(heads: Heads) -> None:
    if len(heads) == 0 or heads[0] != -1:
        raise TreeError("expected a head array with -1 in the root's slot 0; `to_heads` makes one")


def is_projective(heads: Heads) -> bool:
    """Tell whether no two arcs cross; the root stands left of the first word.

    >>> is_projective(to_heads([2, 0, 2])), is_projective(to_heads([3, 4, 0, 3]))
    (True, False)
    """
    return not _has_crossing(heads)


def projectivise(heads: Heads) -> tuple[Heads, int]:
    """Make a tree projective by lifting, as few levels as lifting the shortest arc first needs.

    A word whose arc is not projective is moved to its head's head, the shortest such arc first,
    until none is left (Nivre and Nilsson, 2005).

    Returns
    -------
    tuple
        The projective heads and the number of lifts.

    Examples
    --------
    >>> projectivise(to_heads([3, 4, 0, 3]))
    (array([-1,  3,  3,  0,  3], dtype=int32), 1)
    """
    if (heads[1:] < 0).any():
        raise TreeError("only a full tree can be projectivised, this one has words without a head")
    lifted, lifts = heads.copy(), 0
    while (marked := np.flatnonzero(nonprojective_arcs(lifted))).size:
        shortest = marked[np.argmin(np.abs(marked - lifted[marked]))]
        lifted[shortest] = lifted[lifted[shortest]]
        lifts += 1
    lifted.flags.writeable = False
    return lifted, lifts
