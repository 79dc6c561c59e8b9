"""What the walk through Mirroshandel & Nasr (2011) shows: lists of trees, and their entropies."""

from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deppa_nb.active import uncertainty as u
from deppa_nb.corpus.sentence import Sentence
from deppa_nb.errors import ArgumentError, NoTreeError
from deppa_nb.models.distribution import TreeDistribution

__all__ = ["Listed", "attachments", "entropies", "lawler_nbest", "literal_nbest", "shares"]

Floats = NDArray[np.float64]
Heads = NDArray[np.int32]
Tree = tuple[int, ...]


class Listed(NamedTuple):
    """A list of trees, the best first.

    Attributes
    ----------
    trees
        ``(found, n + 1)`` heads.
    scores
        ``(found,)``.
    parses
        How often the sentence was parsed for it.
    """

    trees: Heads
    scores: Floats
    parses: int


def literal_nbest(trees: TreeDistribution, n: int) -> Listed:
    """Return the list that the paper's recipe (section 2.2) makes, taken literally.

    Of the tree that came last, each arc is forbidden by itself; the best tree so found that is not
    in the list yet comes next. What was forbidden before is allowed again. So the best tree comes
    back, or one that is known, and nothing after n + 1 trees of n words is new.
    """
    _check(n)
    parses, open_ = 1, dict([_parsed(trees)])
    listed: dict[Tree, float] = {}
    while open_ and len(listed) < n:
        last = max(open_, key=lambda tree: open_[tree])
        listed[last] = open_.pop(last)
        for word in range(1, trees.n + 1):
            parses += 1
            try:
                tree, score = _parsed(trees.given(forbidden=_arcs(trees.n, [(last[word], word)])))
            except NoTreeError:
                continue
            if tree not in listed:
                open_[tree] = score
    return Listed(np.array([*listed], np.int32), np.array([*listed.values()]), parses)


def lawler_nbest(trees: TreeDistribution, n: int) -> Listed:
    """Return the n best trees by Lawler's partition (1972) of all trees.

    The trees of a part other than its best one, d, fall into parts: the i-th forbids d's arc into
    the i-th word, forces those into the words before, and inherits what was forced and forbidden
    before. No tree is in two of them, so none comes twice and none is missed.
    """
    _check(n)
    heap: list[tuple[float, int, Tree, Tree, list[tuple[int, int]]]] = []
    order, parses = count(), 0

    def add(forced: Sequence[int], forbidden: list[tuple[int, int]]) -> None:
        nonlocal parses
        parses += 1
        try:
            tree, score = _parsed(trees.given(forced, _arcs(trees.n, forbidden)))
        except NoTreeError:
            return
        heappush(heap, (-score, next(order), tree, tuple(forced), forbidden))

    add([-1] * (trees.n + 1), [])
    found: list[Tree] = []
    scores: list[float] = []
    while heap and len(found) < n:
        loss, _, tree, forced, forbidden = heappop(heap)
        found.append(tree)
        scores.append(-loss)
        given = list(forced)
        for word in range(1, trees.n + 1):
            if given[word] < 0:
                add(given.copy(), [*forbidden, (tree[word], word)])
                given[word] = tree[word]
    return Listed(np.array(found, np.int32), np.array(scores), parses)


def _check(n: int) -> None:
    if n < 1:
        raise ArgumentError(f"n is {n}, expected 1 or more")


def _parsed(trees: TreeDistribution) -> tuple[Tree, float]:
    return tuple(trees.best.tolist()), trees.best_score


def _arcs(n: int, arcs: list[tuple[int, int]]) -> NDArray[np.bool_]:
    """Return which arcs are forbidden."""
    barred = np.zeros((n + 1, n + 1), bool)
    for head, word in arcs:
        barred[head, word] = True
    return barred


def shares(scores: Floats) -> pd.DataFrame:
    """Return what part each tree of a list has, by raw scores and by their softmax.

    The entropies of the two columns are the sentence's.
    """
    raised = scores if scores.min() > 0 else scores - scores.min() + 1.0
    soft = np.exp(scores - scores.max())
    return pd.DataFrame(
        {"score": scores, "raw": raised / raised.sum(), "softmax": soft / soft.sum()},
        index=pd.RangeIndex(1, len(scores) + 1, name="tree"),
    )


def entropies(scores: Floats) -> pd.DataFrame:
    """Return the entropy of a list when its scores are shifted or multiplied: no parse changes."""
    changed = {"as they are": scores, "plus 100": scores + 100}
    changed |= {f"times {by}": by * scores for by in (10, 100)}
    return pd.DataFrame(
        {
            "raw": [u.sentence_entropy(values, softmax=False) for values in changed.values()],
            "softmax": [u.sentence_entropy(values) for values in changed.values()],
        },
        index=pd.Index(changed, name="scores"),
    )


def attachments(sentence: Sentence, trees: Heads) -> pd.DataFrame:
    """Return for each word how often each governor is in a list of trees, and the entropy of it."""
    names = ["root", *(f"{m} {word}" for m, word in enumerate(sentence.words, 1))]
    rows = []
    for m, entropy in enumerate(u.attachment_entropy(trees)[1:], 1):
        governors, counts = np.unique(trees[:, m], return_counts=True)
        most = np.argsort(-counts, kind="stable")
        said = ", ".join(f"{names[governors[j]]} ({counts[j]})" for j in most)
        rows.append({"word": sentence.words[m - 1], "governors": said, "AE": entropy})
    return pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="i"))
