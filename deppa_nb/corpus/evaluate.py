"""Attachment scores, where they come from, and whether a difference between two parsers is real."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import bootstrap

from deppa_nb.corpus.sentence import Treebank
from deppa_nb.errors import EvaluationError

__all__ = ["Difference", "Evaluation", "evaluate", "is_punctuation", "paired_bootstrap"]

# Upper ends of the bins that scores are shown by.
_LENGTHS = {10: "1-10", 20: "11-20", 30: "21-30", 40: "31-40", 50: "41-50", np.inf: "51+"}
_DISTANCES = {
    0: "root", 1: "1", 2: "2", 4: "3-4", 6: "5-6", 10: "7-10", 20: "11-20", np.inf: "21+",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The scores of predicted trees, in percent, over the words whose gold head is given.

    Attributes
    ----------
    words
        A row a gold head: sentence (its index), upos, length (of the sentence), distance (from word
        to head, 0 = root), punct, uas (head right), las (head and label right; nan where the gold
        label is open or no labels were predicted).
    """

    words: pd.DataFrame

    @property
    def uas(self) -> float:
        """Share of words with the right head."""
        return _percent(self.words["uas"])

    @property
    def las(self) -> float:
        """Share of labelled words with the right head and label."""
        return _percent(self.words["las"])

    @property
    def exact(self) -> float:
        """Share of sentences with no wrong head."""
        return _percent(self.words.groupby("sentence")["uas"].min())

    @cached_property
    def without_punctuation(self) -> "Evaluation":
        """The same over words that are no punctuation."""
        return Evaluation(self.words[~self.words["punct"]])

    def scores(self) -> dict[str, float]:
        """Return all scores by name, nan where there is nothing to score.

        >>> from deppa_nb.corpus.sentence import Sentence
        >>> gold = Treebank((Sentence.of(["Go", "on", "!"], heads=[0, 1, 1]),))
        >>> scores = evaluate(gold, [[0, 1, 2]]).scores()
        >>> round(scores["uas"], 2), scores["uas_nopunct"], scores["exact"]
        (66.67, 100.0, 0.0)
        """
        inner = self.without_punctuation
        return {
            "uas": self.uas,
            "las": self.las,
            "exact": self.exact,
            "uas_nopunct": inner.uas,
            "las_nopunct": inner.las,
            "exact_nopunct": inner.exact,
            "words": len(self.words),
            "words_nopunct": len(inner.words),
            "sentences": int(self.words["sentence"].nunique()),
        }

    def by(self, what: str) -> pd.DataFrame:
        """Return words, uas and las by ``"upos"``, sentence ``"length"`` or arc ``"distance"``."""
        if what == "upos":
            groups = self.words["upos"]
        elif what == "length":
            groups = _binned(self.words["length"], _LENGTHS)
        elif what == "distance":
            groups = _binned(self.words["distance"], _DISTANCES)
        else:
            raise EvaluationError(f"scores by {what!r}, expected upos, length or distance")
        grouped = self.words.groupby(groups, observed=True)
        table = grouped[["uas", "las"]].mean() * 100
        table.insert(0, "words", grouped.size())
        return table.sort_values("words", ascending=False) if what == "upos" else table


def evaluate(gold: Treebank, predicted: Treebank | Sequence[Sequence[int]]) -> Evaluation:
    """Compare predicted trees with gold ones.

    Parameters
    ----------
    gold
        Trees, partial or full; words without a head do not count.
    predicted
        A treebank of the same words, or n heads for each sentence.
    """
    if not isinstance(predicted, Treebank):
        _check_count(gold, len(predicted), "predictions")
        predicted = gold.with_sentences(
            s.with_heads(heads, ["_"] * len(s)) for s, heads in zip(gold, predicted, strict=True)
        )
    _check_same(gold, predicted)
    if len(gold) == 0:
        raise EvaluationError("no sentences to evaluate on")
    heads = np.concatenate([s.heads[1:] for s in gold])
    labels = np.array([label for s in gold for label in s.labels[1:]])
    guessed = np.array([label for s in predicted for label in s.labels[1:]])
    right = heads == np.concatenate([s.heads[1:] for s in predicted])
    unlabelled = (labels == "_") | (guessed == "_").all()
    position = np.concatenate([np.arange(1, n + 1) for n in gold.lengths])
    words = pd.DataFrame(
        {
            "sentence": np.repeat(np.arange(len(gold)), gold.lengths),
            "upos": [tag for s in gold for tag in s.upos[1:]],
            "length": np.repeat(gold.lengths, gold.lengths),
            "distance": np.where(heads > 0, np.abs(position - heads), 0),
            "punct": is_punctuation(gold),
            "uas": right.astype(float),
            "las": np.where(unlabelled, np.nan, right & (labels == guessed)),
        }
    )
    return Evaluation(words[heads >= 0])


def is_punctuation(treebank: Treebank) -> NDArray[np.bool_]:
    """Mark the words of a treebank, one after the other, that are punctuation.

    By their tag where the treebank uses the UPOS tag PUNCT, else by their form: all characters are
    punctuation in Unicode, as in the CoNLL-X evaluation.
    """
    by_tag = np.array([tag == "PUNCT" for s in treebank for tag in s.upos[1:]])
    if by_tag.any():
        return by_tag
    return np.array([_all_punctuation(form) for s in treebank for form in s.words])


@dataclass(frozen=True)
class Difference:
    """Second minus first score in points, with its 95% interval and two-sided p-value."""

    points: float
    low: float
    high: float
    p: float


def paired_bootstrap(
    first: Evaluation,
    second: Evaluation,
    score: str = "uas",
    *,
    resamples: int = 9999,
    rng: np.random.Generator,
) -> Difference:
    """Resample sentences, the same for both, to see what their difference could be by chance.

    Parameters
    ----------
    first, second
        Evaluations of two predictions for the same gold trees.
    score
        ``"uas"`` or ``"las"``.
    resamples
        How often.
    rng
        Where the randomness comes from.
    """
    if score not in ("uas", "las"):
        raise EvaluationError(f"score is {score!r}, expected uas or las")
    a, b = (e.words.dropna(subset=[score]).groupby("sentence")[score] for e in (first, second))
    if not (counts := a.count()).equals(b.count()):
        raise EvaluationError(f"the two predictions do not have a {score} on the same words")
    if len(counts) < 2:
        raise EvaluationError(f"{len(counts)} scored sentences, a bootstrap needs at least two")

    def points(
        gain: NDArray[np.float64], size: NDArray[np.float64], axis: int
    ) -> NDArray[np.float64]:
        return np.asarray(100 * gain.sum(axis=axis) / size.sum(axis=axis))

    gain = (b.sum() - a.sum()).to_numpy()
    size = counts.to_numpy().astype(np.float64)
    result = bootstrap(
        (gain, size), points, paired=True, vectorized=True, method="percentile",
        n_resamples=resamples, batch=100, rng=rng,
    )  # fmt: skip
    draws = result.bootstrap_distribution
    tail = min((draws <= 0).mean(), (draws >= 0).mean())
    interval = result.confidence_interval
    return Difference(
        float(points(gain, size, 0)),
        float(interval.low),
        float(interval.high),
        min(1.0, float(2 * max(tail, 1 / (resamples + 1)))),
    )


def _percent(values: "pd.Series[float]") -> float:
    return float(100 * values.mean()) if values.notna().any() else float("nan")


def _binned(values: "pd.Series[int]", bins: dict[float, str]) -> "pd.Series[str]":
    return pd.cut(values, [-1, *bins], labels=list(bins.values()))


def _all_punctuation(form: str) -> bool:
    return all(unicodedata.category(character).startswith("P") for character in form)


def _check_count(gold: Treebank, count: int, what: str) -> None:
    if count != len(gold):
        raise EvaluationError(f"{count} {what} for the {len(gold)} sentences of {gold.name}")


def _check_same(gold: Treebank, predicted: Treebank) -> None:
    """Refuse to compare different words, naming the first place where they differ."""
    for a, b in zip(gold, predicted, strict=False):
        if a.forms != b.forms:
            m = next(
                (m for m, (x, y) in enumerate(zip(a.forms, b.forms, strict=False)) if x != y), 0
            )
            got = f"word {m} is {b.forms[m]!r}" if m else f"{len(b)} words"
            expected = f"{a.forms[m]!r}" if m else f"{len(a)}"
            raise EvaluationError(
                f"{predicted.where(b)}: {got}, expected {expected} as in {gold.where(a)}"
            )
    _check_count(gold, len(predicted), f"sentences in {predicted.name}")
