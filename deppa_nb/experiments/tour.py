"""What the tour computes: scores from counts, and marginals by plain enumeration."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.trees import find_cycle, is_projective, to_heads
from deppa_nb.errors import ArgumentError

__all__ = ["count_scores", "enumerate_marginals", "projective_trees"]

_BINS = (1, 2, 3, 6, 11)  # distances from which a new bin begins
_MOST_WORDS = 6

Floats = NDArray[np.float64]


def count_scores(sentence: Sentence, treebank: Treebank) -> Floats:
    """Return the log-odds that a pair of words is an arc, from counts of such pairs.

    Pairs are alike if the tags of head and dependent, the direction and the binned distance are:
    with a arcs among p pairs, the score is log (a + 1/2) / (p - a + 1/2).

    Returns
    -------
    array (n + 1, n + 1)
        ``scores[head, word]``.
    """
    tags = sorted({tag for s in (*treebank, sentence) for tag in s.upos})
    number = {tag: k for k, tag in enumerate(tags)}
    size = len(tags) ** 2 * 2 * len(_BINS)
    pairs, arcs = np.zeros(size), np.zeros(size)
    for known in treebank:
        kinds = _kinds(known, number)
        words = np.arange(1, len(known) + 1)
        given = words[known.heads[1:] >= 0]
        pairs += np.bincount(kinds[:, given].ravel(), minlength=size)
        arcs += np.bincount(kinds[known.heads[given], given], minlength=size)
    odds = (arcs + 0.5) / (pairs - arcs + 0.5)
    return np.log(odds)[_kinds(sentence, number)]


def _kinds(sentence: Sentence, number: dict[str, int]) -> NDArray[np.intp]:
    """Return the number of the kind of every pair."""
    tags = np.array([number[tag] for tag in sentence.upos])
    place = np.arange(len(tags))
    distance = place - place[:, None]
    kind = tags[:, None] * len(number) + tags
    kind = kind * 2 + (distance > 0)
    bins = np.maximum(np.digitize(np.abs(distance), _BINS) - 1, 0)
    return np.asarray(kind * len(_BINS) + bins, np.intp)


def projective_trees(n: int) -> list[NDArray[np.int32]]:
    """Return all projective trees of n words with one root, by trying every choice of heads.

    Examples
    --------
    >>> [len(projective_trees(n)) for n in (1, 2, 3, 4)]
    [1, 2, 7, 30]
    """
    if n > _MOST_WORDS:
        raise ArgumentError(f"{n} words have too many trees to list, expected {_MOST_WORDS} words")
    single = (heads for heads in product(range(n + 1), repeat=n) if heads.count(0) == 1)
    candidates = (to_heads(list(heads)) for heads in single)
    return [heads for heads in candidates if not find_cycle(heads) and is_projective(heads)]


def enumerate_marginals(scores: Floats) -> tuple[Floats, int]:
    """Return p(head -> word) by summing over a list of all projective trees, and their number."""
    trees = projective_trees(len(scores) - 1)
    words = np.arange(1, len(scores))
    weights = np.exp([scores[heads[1:], words].sum() for heads in trees])
    marginals = np.zeros_like(scores)
    for heads, weight in zip(trees, weights, strict=True):
        marginals[heads[1:], words] += weight
    return marginals / weights.sum(), len(trees)
