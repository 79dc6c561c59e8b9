"""The k best non-projective trees by Lawler's partition (1972).

All trees are one set at first, and of each set the best tree and the next one are known. The best
of the next trees is the next of all; its set is split by an arc that the best tree of the set has
and this one has not, and both halves look for their own next tree (Camerini, Fratta & Maffioli,
1980, for arborescences). A set is a matrix of scores in which minus infinity keeps others out.
"""

import numpy as np

from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.arborescence import best_arborescence, two_best_arborescences

__all__ = ["k_best_arborescences"]


@jit()
def _next_best(scores, single_root, heads, following):
    """Write to `following` the best tree under `scores` that is not `heads`, and return its sum."""
    pair = np.empty((2, heads.size), heads.dtype)
    best, second = two_best_arborescences(scores, single_root, pair)
    same = True  # unless there is a tree as good as `heads`, and it was found first
    for word in range(heads.size):
        same &= pair[0, word] == heads[word]
    for word in range(heads.size):
        following[word] = pair[1 if same else 0, word]
    return second if same else best


@jit()
def _copy(source, target):
    """Copy a matrix: a loop, as an assignment of slices takes seconds to compile."""
    for h in range(source.shape[0]):
        for m in range(source.shape[1]):
            target[h, m] = source[h, m]


@jit()
def _split(space, other, head, word):
    """Leave those trees in `space` that have an arc, and put the others in `other`."""
    _copy(space, other)
    for h in range(space.shape[0]):
        space[h, word] = -np.inf
    space[head, word] = other[head, word]
    other[head, word] = -np.inf


@jit()
def k_best_arborescences(scores, single_root, heads, sums):
    """Find the k best trees in descending order, O(k n^2).

    Parameters
    ----------
    scores, single_root
        As in `arborescence.best_arborescence`.
    heads : int array (k, n + 1)
        Receives the trees; all -1 for those that do not exist.
    sums : float64 array (k,)
        Receives their scores; minus infinity for those that do not exist.

    Returns
    -------
    int
        How many trees were found: k, or all there are.
    """
    k, size = heads.shape
    heads.fill(-1)
    sums.fill(-np.inf)
    spaces = np.empty((k * size, size))  # one below the other; tree i is the best of set i
    following = np.empty((k, size), heads.dtype)
    following_sums = np.empty(k)
    sums[0] = best_arborescence(scores, single_root, heads[0])
    if sums[0] == -np.inf:
        return 0
    _copy(scores, spaces)
    following_sums[0] = _next_best(scores, single_root, heads[0], following[0])
    for i in range(1, k):
        j = 0
        for other in range(1, i):
            j = other if following_sums[other] > following_sums[j] else j
        if following_sums[j] == -np.inf:
            _sort(heads, sums, i)
            return i
        sums[i] = following_sums[j]
        differs = np.int64(0)
        for word in range(1, size):
            heads[i, word] = following[j, word]
            differs = word if heads[i, word] != heads[j, word] else differs
        space, new = spaces[j * size : (j + 1) * size], spaces[i * size : (i + 1) * size]
        _split(space, new, heads[j, differs], differs)
        following_sums[j] = _next_best(space, single_root, heads[j], following[j])
        following_sums[i] = _next_best(new, single_root, heads[i], following[i])
    _sort(heads, sums, k)
    return k


@jit()
def _sort(heads, sums, found):
    """Put trees in descending order: rounding may have changed places of almost equal ones."""
    for i in range(1, found):
        for j in range(i, 0, -1):
            if sums[j] <= sums[j - 1]:
                break
            sums[j], sums[j - 1] = sums[j - 1], sums[j]
            for word in range(heads.shape[1]):
                heads[j, word], heads[j - 1, word] = heads[j - 1, word], heads[j, word]
