"""Precision, recall and F1 of chunks or entities, as the conlleval script counts them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from deppa_nb.corpus.iob import problem_with, spans
from deppa_nb.corpus.sequences import OPEN
from deppa_nb.corpus.sequences import Sequence as Labelled
from deppa_nb.errors import EvaluationError

__all__ = ["SpanScores", "score_spans"]


@dataclass(frozen=True)
class SpanScores:
    """How many spans are there, were found, and were found with the right ends and type.

    Attributes
    ----------
    gold, found, right
        By type.
    """

    gold: Counter[str]
    found: Counter[str]
    right: Counter[str]

    @property
    def precision(self) -> float:
        """Percent of what was found that is right."""
        return _percent(self.right.total(), self.found.total())

    @property
    def recall(self) -> float:
        """Percent of what is there that was found."""
        return _percent(self.right.total(), self.gold.total())

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return _percent(2 * self.right.total(), self.gold.total() + self.found.total())

    def by_type(self) -> pd.DataFrame:
        """Return a row for each type."""
        rows = {
            kind: {
                "precision": _percent(self.right[kind], self.found[kind]),
                "recall": _percent(self.right[kind], self.gold[kind]),
                "f1": _percent(2 * self.right[kind], self.gold[kind] + self.found[kind]),
                "gold": self.gold[kind],
            }
            for kind in sorted(self.gold | self.found)
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("type")


def score_spans(gold: Sequence[Labelled], predicted: Sequence[Labelled]) -> SpanScores:
    """Compare the labels of sequences with those of the same words elsewhere.

    >>> from deppa_nb.corpus.sequences import Sequence as Labelled
    >>> gold = Labelled(("word", "label"), (("Ann", "Lee", "left"), ("B-PER", "I-PER", "O")))
    >>> half = Labelled(("word", "label"), (("Ann", "Lee", "left"), ("B-PER", "O", "O")))
    >>> score_spans([gold, gold], [gold, half]).f1
    50.0
    """
    if len(gold) != len(predicted):
        raise EvaluationError(f"{len(predicted)} predicted sequences for {len(gold)} of gold")
    counts: tuple[Counter[str], Counter[str], Counter[str]] = (Counter(), Counter(), Counter())
    for k, (own, other) in enumerate(zip(gold, predicted, strict=True)):
        if own.words != other.words:
            raise EvaluationError(f"sequence {k}: other words than those of gold")
        if OPEN in own.labels or OPEN in other.labels:
            raise EvaluationError(f"sequence {k}: labels that are not given cannot be compared")
        if wrong := sorted(filter(problem_with, {*own.labels, *other.labels})):
            raise EvaluationError(f"sequence {k}: {problem_with(wrong[0])}")
        there, found = set(spans(own.labels)), set(spans(other.labels))
        for count, some in zip(counts, (there, found, there & found), strict=True):
            count.update(span.type for span in some)
    return SpanScores(*counts)


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else float("nan")
