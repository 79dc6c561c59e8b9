"""What parsers share that learn by the margin, and what such a parser learns from preferences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.corpus.trees import Heads
from deppa_nb.errors import ArgumentError
from deppa_nb.features.slots import hash_slots
from deppa_nb.kernels import margin
from deppa_nb.kernels.learning import Lesson, Table
from deppa_nb.models.constraints import Constraints, given_heads
from deppa_nb.models.online import OnlineParser
from deppa_nb.models.steps import Floats, Kept, Learner, Weights, new_table

__all__ = ["MarginParser", "Preferences"]


@dataclass(eq=False)
class MarginLearner(Learner):
    """One that takes steps of MIRA, a sentence at a time, from its k best trees."""

    labels: margin.LabelTable
    k: int

    @property
    def tables(self) -> list[Weights]:
        return [self.table.weights, self.labels.weights]

    def learn(self, sentences: NDArray[np.int64], batch_size: int) -> float:
        losses = np.zeros(len(sentences))
        margin.learn_labelled(self.lesson, self.table, self.labels, sentences, self.k, losses)
        return float(losses.sum())


def no_labels(sentences: Sequence[Sentence]) -> margin.LabelTable:
    """Return a table of labels for trees that have none."""
    nothing = hash_slots(sentences, [])
    weights = np.zeros((1, 1), np.float32)
    open_ = np.full(nothing.firsts[-1], -1, np.int32)
    return margin.LabelTable(nothing, weights, weights.copy(), open_)


class MarginParser(OnlineParser):
    """A parser that learns by MIRA; a class of it may have the parameter k."""

    optimiser: Literal["adagrad", "sgd"] = "sgd"
    decoder: Literal["viterbi", "mbr"] = "viterbi"
    any_rate = True
    k: int = 1

    def _learner(self, lesson: Lesson, new: Table, train: Sequence[Sentence]) -> Learner:
        return MarginLearner(lesson, new, 1, self._label_table(train, lesson.importance), self.k)

    def _label_table(self, train: Sequence[Sentence], importance: Floats) -> margin.LabelTable:
        """Return what labels are learned with."""
        return no_labels(train)


class Preferences:
    """Steps of a parser of unlabelled trees from preferences between two trees of a sentence.

    Mejer & Crammer (2012): with f the features of a tree, w += alpha (f(better) - f(worse)), where
    alpha is the least with which the better tree's score is higher than the other's by as much as
    they differ in heads, and at most `rate`. The weights of the parser change at once.

    Parameters
    ----------
    parser
        One that has learned, of first order.
    sentences
        Those that there will be questions about; their own heads are not looked at.
    known
        Heads that the two best trees of each must have.

    Examples
    --------
    >>> from deppa_nb.corpus.registry import load
    >>> from deppa_nb.models.mst import MSTParser
    >>> bank = load("toy-freeorder", sizes={"train": 50}).train
    >>> parser = MSTParser(bits=16, epochs=2, progress=False).fit(bank)
    >>> light = Preferences(parser, bank[:10])
    >>> trees, scores = light.two_best(0)
    >>> alpha = light.prefer(0, trees[1], trees[0])  # the second one is better, a person says
    >>> 0 < alpha <= parser.rate
    True
    """

    def __init__(
        self,
        parser: MarginParser,
        sentences: Sequence[Sentence],
        known: Sequence[Constraints] | None = None,
    ) -> None:
        if not isinstance(parser, MarginParser) or parser.order != 1 or parser.projective:
            raise ArgumentError("preferences are learned by parsers of spanning trees, MSTParser")
        self.parser, self.sentences = parser, sentences
        slots = hash_slots(sentences, parser._templates())
        limits, importance = known or [Constraints()] * len(sentences), np.ones(len(sentences))
        pairs = zip(limits, sentences, strict=True)
        given = [given_heads(limit.heads, len(sentence)) for limit, sentence in pairs]
        heads = np.concatenate([np.empty(0, np.int32), *given])
        self._lesson = Lesson(slots, heads, importance, *Kept(), False, False, parser.single_root)
        self._made = new_table(parser._weights, np.zeros(0, np.float32), parser.rate)

    @property
    def _table(self) -> Table:
        """The parser's weights, which are others when it has learned in between."""
        weights, rate = self.parser._weights, self.parser.rate
        if self._made.weights is not weights:
            self._made = new_table(weights, np.zeros(0, np.float32), rate)
        return self._made._replace(rate=rate)

    def two_best(self, j: int) -> tuple[Heads, Floats]:
        """Return the best tree of sentence j and the best other one, (2, n + 1), and their scores.

        A tree that does not exist (a word alone has but one) is all -1, its score minus infinity.
        """
        heads = np.empty((2, self._size(j)), np.int32)
        return heads, np.array(margin.two_best(self._lesson, j, self.parser._weights, heads))

    def prefer(self, j: int, better: Heads, worse: Heads, *, alpha: float | None = None) -> float:
        """Take a step that makes one tree of sentence j better than the other; return its alpha.

        Parameters
        ----------
        better, worse
            ``(n + 1,)``.
        alpha
            The step, if it is not to be that of MIRA.
        """
        size = self._size(j)
        trees = [np.asarray(tree) for tree in (better, worse)]
        whole = all(tree.shape == (size,) and tree.dtype.kind == "i" for tree in trees)
        steps = [tree.astype(np.int32) for tree in trees]
        if not whole or not all(margin.is_tree(tree) for tree in steps):
            raise ArgumentError(f"expected two trees of {size - 1} words with all their heads")
        if alpha is not None and not 0 <= alpha < np.inf:
            raise ArgumentError(f"alpha is {alpha}, expected a number from 0")
        fixed = -1.0 if alpha is None else alpha
        return float(margin.prefer(self._lesson, self._table, j, *steps, fixed))

    def _size(self, j: int) -> int:
        """Return how many tokens sentence j has, with its root."""
        if not 0 <= j < len(self.sentences):
            raise ArgumentError(f"sentence {j}, expected 0 to {len(self.sentences) - 1}")
        firsts = self._lesson.slots.firsts
        return int(firsts[j + 1] - firsts[j])
