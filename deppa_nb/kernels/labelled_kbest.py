"""The k best labelled trees, exact: from the k best trees and the labels of their arcs.

The score of a labelled tree is that of the tree plus a score of each word's label, which depends on
its arc alone. If arcs have the scores of their best labels added, no more than k trees can be among
the k best labelled ones, and those are known (`kbest`). Of one tree, labellings come in the order
of what they lose against the best one: words are sorted by what their second label loses, and a
labelling whose last change is word i to its label of rank j leads to the next rank of word i and to
the second label of word i + 1, with or, if j is 1, without the change of word i. So each labelling
arises once, from one that loses no more.
"""

import numpy as np

from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.items import ZERO
from deppa_nb.kernels.kbest import merge, record

__all__ = ["best_labelled"]

_CANDIDATE = record(
    score=np.float64, tree=np.int32, before=np.int32, word=np.int32, rank=np.int32,
    down=np.int32, next=np.int32,
)  # fmt: skip
_NONE = np.int32(-1)


@jit()
def best_labelled(scores, arcs, losses, trees, ranks, totals):
    """Write the k best labelled trees, best first and all distinct; return how many there are.

    Parameters
    ----------
    scores : float64 array (trees,)
        Of the best trees, with their best labels; best first.
    arcs : int64 array (trees, n)
        Which row of `losses` the arc of each word has.
    losses : float64 array (arcs, labels)
        What the labels of an arc lose against its best one: from 0 on, in ascending order, infinite
        if they must not be.
    trees : int32 array (k,)
        Result: which tree.
    ranks : int32 array (k, n)
        Result: which of its arc's labels each word has.
    totals : float64 array (k,)
        Result; minus infinity beyond the labelled trees that exist.
    """
    k = totals.size
    totals.fill(-np.inf)
    heap = np.empty(scores.size + 3 * k, _CANDIDATE)
    order = np.empty(arcs.shape, np.int64)
    top, used, found = _NONE, ZERO, ZERO
    if scores.size > 0:
        top, used = _push(heap, top, used, scores[0], 0, _NONE, _NONE, 0)
    while found < k and top >= 0:
        c = heap[top]
        taken, top = top, merge(heap, c.down, c.next)
        t, i, j = c.tree, c.word, c.rank
        totals[found], trees[found] = c.score, t
        _read(heap, taken, order[t], ranks[found])
        found += 1
        lists = arcs[t]
        if i < 0:  # the tree with its best labels
            _sort(losses, lists, order[t])
            if t + 1 < scores.size:
                top, used = _push(heap, top, used, scores[t + 1], t + 1, _NONE, _NONE, 0)
        else:
            own = losses[lists[order[t, i]]]
            if j + 1 < own.size:
                score = c.score - (own[j + 1] - own[j])
                top, used = _push(heap, top, used, score, t, c.before, i, j + 1)
        if i + 1 < lists.size and losses.shape[1] > 1:
            second = losses[lists[order[t, i + 1]], 1]
            top, used = _push(heap, top, used, c.score - second, t, np.int32(taken), i + 1, 1)
            if j == 1:
                score = c.score + own[1] - second
                top, used = _push(heap, top, used, score, t, c.before, i + 1, 1)
    return found


@jit()
def _push(heap, top, used, score, tree, before, word, rank):
    """Put a candidate on the heap unless it must not be; return its top and its size."""
    if score == -np.inf or np.isnan(score):
        return top, used
    new = heap[used]
    new.score, new.tree, new.before, new.word, new.rank = score, tree, before, word, rank
    new.down, new.next = -1, -1
    return merge(heap, top, np.int32(used)), used + 1


@jit()
def _sort(losses, lists, order):
    """Sort the words of a tree by what their second labels lose; of equals, the first is first."""
    last = min(1, losses.shape[1] - 1)
    for m in range(lists.size):
        order[m] = m
        j = m
        while j > 0 and losses[lists[order[j]], last] < losses[lists[order[j - 1]], last]:
            order[j], order[j - 1] = order[j - 1], order[j]
            j -= 1


@jit()
def _read(heap, c, order, ranks):
    """Write the ranks of the labels of a candidate."""
    ranks[:] = 0
    while c >= 0 and heap[c].word >= 0:
        ranks[order[heap[c].word]] = heap[c].rank
        c = heap[c].before
