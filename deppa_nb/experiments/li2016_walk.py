"""What the walk through Li et al. (2016) shows: their equations, one by one, on a sentence."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deppa_nb.active.measures import MEASURES
from deppa_nb.corpus.sentence import Sentence
from deppa_nb.errors import ArgumentError
from deppa_nb.experiments.tour import projective_trees
from deppa_nb.models.constraints import Constraints
from deppa_nb.models.distribution import TreeDistribution
from deppa_nb.models.graph import GraphParser

__all__ = [
    "Listed",
    "check_gradient",
    "list_trees",
    "sentence_measures",
    "tree_score",
    "word_measures",
]

Floats = NDArray[np.float64]
Heads = NDArray[np.int32]

_OF_SENTENCES = (
    "tree-score", "tree-score-n", "tree-score-n2",
    "tree-probability", "tree-probability-log", "tree-probability-sqrt",
    "averaged-marginal", "geometric-marginal",
)  # fmt: skip
_OF_WORDS = ("marginal-max", "marginal-gap", "marginal-entropy")
_STEP = 1e-4


class Listed(NamedTuple):
    """All trees of a sentence, the most probable first: what takes no algorithm.

    Attributes
    ----------
    trees
        ``(trees, n + 1)`` heads.
    scores
        ``(trees,)``, eq. 1.
    probabilities
        ``(trees,)``, eq. 2.
    marginals
        ``(n + 1, n + 1)``, eq. 4.
    """

    trees: Heads
    scores: Floats
    probabilities: Floats
    marginals: Floats


def tree_score(heads: Heads, arcs: Floats, siblings: Floats) -> float:
    """Return the score of a tree, part by part (eq. 1).

    Parameters
    ----------
    heads
        ``(n + 1,)``.
    arcs, siblings
        ``arcs[h, m]`` and ``siblings[h, m, s]``: s is the next dependent of h between h and m, or h
        itself if there is none.

    Examples
    --------
    >>> arcs, siblings = np.zeros((4, 4)), np.zeros((4, 4, 4))
    >>> arcs[1, 2], siblings[1, 3, 2] = 1, 10
    >>> tree_score(np.array([-1, 0, 1, 1]), arcs, siblings)
    11.0
    """
    total = 0.0
    for m in range(1, len(heads)):
        h = heads[m]
        between = range(m - 1, h, -1) if m > h else range(m + 1, h)
        s = next((k for k in between if heads[k] == h), h)
        total += arcs[h, m] + siblings[h, m, s]
    return float(total)


def list_trees(trees: TreeDistribution) -> Listed:
    """Return every projective tree with one root, its score and probability, and their sums."""
    arcs, siblings = trees.relative_arcs, trees.siblings
    found = np.array(projective_trees(trees.n))
    scores = np.array([tree_score(heads, arcs, siblings) for heads in found])
    order = np.argsort(-scores, kind="stable")
    found, scores = found[order], scores[order]
    p = np.exp(scores) / np.exp(scores).sum()
    marginals, words = np.zeros_like(arcs), np.arange(1, trees.n + 1)
    for heads, each in zip(found, p, strict=True):
        marginals[heads[1:], words] += each
    return Listed(found, scores, p, marginals)


def sentence_measures(parser: GraphParser, sentence: Sentence) -> pd.DataFrame:
    """Return how sure a parser is of a sentence, by eq. 5 to 7 and the footnoted variants."""
    return pd.DataFrame(
        {
            "equation": [MEASURES[name].equation for name in _OF_SENTENCES],
            "value": [_measured(name, parser, sentence) for name in _OF_SENTENCES],
        },
        index=pd.Index(_OF_SENTENCES, name="measure"),
    )


def word_measures(parser: GraphParser, sentence: Sentence) -> pd.DataFrame:
    """Return how sure a parser is of each word, by eq. 8 to 10, and its two likeliest heads."""
    order = np.argsort(-parser.distribution(sentence).marginals[:, 1:], axis=0, kind="stable")
    names = np.array(["root", *(f"{m} {word}" for m, word in enumerate(sentence.words, 1))])
    return pd.DataFrame(
        {
            "word": sentence.words, "h0": names[order[0]], "h1": names[order[1]],
            **{name: _measured(name, parser, sentence)[1:] for name in _OF_WORDS},
        },
        index=pd.RangeIndex(1, len(sentence) + 1, name="i"),
    )  # fmt: skip


def _measured(name: str, parser: GraphParser, sentence: Sentence) -> Any:
    [value] = MEASURES[name].look(parser, [sentence], [Constraints()])
    return value


def check_gradient(trees: TreeDistribution, heads: Heads) -> pd.DataFrame:
    """Compare the gradient of log p(F | x) (eq. 12) with differences of it.

    By the score of an arc, the derivative is the arc's probability among the trees of the forest F
    less that among all trees.

    Parameters
    ----------
    trees
        All trees.
    heads
        ``(n + 1,)``, the given ones; -1 is open.

    Returns
    -------
    DataFrame
        A row for each arc that is possible: head, word, exact, numeric.
    """
    arcs, siblings = trees.relative_arcs, trees.siblings
    exact = trees.given(heads).marginals - trees.marginals
    if not np.isfinite(trees.log_prob(heads)):
        raise ArgumentError("no tree has all these heads")
    rows = []
    for h, m in np.argwhere(trees.allowed):
        low, high = (_moved(arcs, siblings, (h, m), by).log_prob(heads) for by in (-_STEP, _STEP))
        numeric = (high - low) / (2 * _STEP)
        rows.append({"head": h, "word": m, "exact": exact[h, m], "numeric": numeric})
    return pd.DataFrame(rows)


def _moved(arcs: Floats, siblings: Floats, arc: tuple[int, int], by: float) -> TreeDistribution:
    changed = arcs.copy()
    changed[arc] += by
    return TreeDistribution(changed, siblings)
