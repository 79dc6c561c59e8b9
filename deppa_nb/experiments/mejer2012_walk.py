"""What the walk through Mejer & Crammer (2012) shows: questions, answers and steps, one by one."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.corpus.trees import Heads, find_cycle, to_heads
from deppa_nb.errors import ArgumentError
from deppa_nb.models.margin import MarginParser, Preferences

__all__ = ["Rounds", "arc_scores", "list_trees", "question", "trees_of"]

Floats = NDArray[np.float64]
_MOST_WORDS = 6


def trees_of(n: int) -> list[Heads]:
    """Return all trees of n words with one root, crossing arcs or not, by trying all heads.

    >>> [len(trees_of(n)) for n in (1, 2, 3, 4)]
    [1, 2, 9, 64]
    """
    if n > _MOST_WORDS:
        raise ArgumentError(f"{n} words have too many trees to list, expected {_MOST_WORDS} words")
    single = (heads for heads in product(range(n + 1), repeat=n) if heads.count(0) == 1)
    return [heads for heads in map(to_heads, map(list, single)) if not find_cycle(heads)]


def list_trees(scores: Floats, most: int) -> pd.DataFrame:
    """Return the best trees of a list of all, with their scores and what sets them apart.

    Parameters
    ----------
    scores
        ``scores[head, word]``.
    most
        How many.
    """
    words = np.arange(1, len(scores))
    found = [(float(scores[tree[1:], words].sum()), tree) for tree in trees_of(len(scores) - 1)]
    found.sort(key=lambda pair: -pair[0])
    best = found[0][1]
    rows = [(tree[1:].tolist(), score, int((tree != best).sum())) for score, tree in found[:most]]
    return pd.DataFrame(rows, columns=["heads", "score", "other heads than the best"])


def question(sentence: Sentence, trees: Heads) -> str:
    """Ask in words which of two trees is better; of equal words, the place tells which is meant.

    >>> sentence = Sentence.of(["offer", "sale", "by"])
    >>> question(sentence, np.array([[-1, 0, 1, 2], [-1, 0, 1, 1]]))
    'Does "by" depend on "sale" (A) or on "offer" (B)?'
    >>> question(Sentence.of(["by", "sale", "by"]), np.array([[-1, 2, 0, 1], [-1, 2, 0, 2]]))
    'Does "by" (word 3) depend on "by" (word 1) (A) or on "sale" (B)?'
    """
    several = {word for word in sentence.words if sentence.words.count(word) > 1}
    names = ["the root"]
    for place, word in enumerate(sentence.words, 1):
        names.append(f'"{word}" (word {place})' if word in several else f'"{word}"')
    parts = [
        f"{names[m]} depend on {names[trees[0, m]]} (A) or on {names[trees[1, m]]} (B)"
        for m in np.flatnonzero(trees[0] != trees[1])
    ]
    return f"Does {', and '.join(parts)}?" + (" A or B?" if len(parts) > 1 else "")


def arc_scores(parser: MarginParser, sentence: Sentence) -> Floats:
    """Return ``scores[head, word]``: w · f of each edge."""
    _, _, arcs, _ = parser._score([sentence], None)
    return arcs.reshape(2 * (len(sentence) + 1,))


class Rounds:
    """Light feedback by hand: a question about one sentence after the other.

    Parameters
    ----------
    parser
        One that has learned; its weights change with every answer.
    sentences
        What is asked about, with right heads for who wants to know; those of a word alone are left
        out.

    Attributes
    ----------
    asked
        A row for each answer: the question, the answer and what it changed.
    """

    def __init__(self, parser: MarginParser, sentences: Sequence[Sentence]) -> None:
        self._light = Preferences(parser, [one for one in sentences if len(one) > 1])
        if not self._light.sentences:
            raise ArgumentError("no sentences of two words, expected some")
        self._now = 0
        self.asked: list[dict[str, object]] = []

    @property
    def sentence(self) -> Sentence:
        """The one that is asked about."""
        return self._light.sentences[self._now % len(self._light.sentences)]

    @property
    def trees(self) -> Heads:
        """Its best and second best tree, (2, n + 1)."""
        return self._light.two_best(self._now % len(self._light.sentences))[0]

    @property
    def question(self) -> str:
        """What is asked."""
        return question(self.sentence, self.trees)

    @property
    def gold(self) -> int:
        """What the treebank says: 1 if the first tree has more right heads, -1, or 0 if equal."""
        right = (self.trees[:, 1:] == self.sentence.heads[1:]).sum(axis=1)
        return int(np.sign(right[0] - right[1]))

    def table(self) -> pd.DataFrame:
        """Return the answers so far, with a row for each."""
        return pd.DataFrame(self.asked, index=pd.RangeIndex(1, len(self.asked) + 1, name="round"))

    def answer(self, choice: int) -> pd.DataFrame:
        """Learn from an answer and go on to the next sentence; return what changed, edge by edge.

        Parameters
        ----------
        choice
            1 if the first tree is better, -1 if the second is, 0 for neither: nothing is learned.
        """
        if choice not in (1, 0, -1):
            raise ArgumentError(f"choice is {choice}, expected 1, 0 or -1")
        sentence, trees, asked = self.sentence, self.trees, self.question
        parser, place = self._light.parser, self._now % len(self._light.sentences)
        before, weights = arc_scores(parser, sentence), parser._weights.copy()
        alpha = 0.0
        if choice:
            better, worse = trees if choice > 0 else trees[::-1]
            alpha = self._light.prefer(place, better, worse)
        after = arc_scores(parser, sentence)
        said = {1: "A", 0: "equal", -1: "B"}[choice]
        moved = int((parser._weights != weights).sum())
        self.asked.append({"question": asked, "answer": said, "alpha": alpha, "weights": moved})
        self._now += 1
        return _edges(sentence, trees, before, after)


def _edges(sentence: Sentence, trees: Heads, before: Floats, after: Floats) -> pd.DataFrame:
    """Return the scores of the edges in which two trees differ."""
    names = ["root", *sentence.words]
    rows = []
    for m in np.flatnonzero(trees[0] != trees[1]):
        for which, h in zip("AB", trees[:, m], strict=True):
            edge, change = f"{names[h]} → {names[m]}", after[h, m] - before[h, m]
            right = bool(sentence.heads[m] == h)
            rows.append((which, edge, right, before[h, m], after[h, m], change))
    columns = ["tree", "edge", "right", "score before", "score after", "change"]
    return pd.DataFrame(rows, columns=columns).set_index("tree")
