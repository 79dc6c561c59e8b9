"""Whether a number tells which words are wrong: precision, recall, and their intervals."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from deppa_nb.active.statistics import Estimate

__all__ = ["Detection", "Ranking", "resampled", "smoothed_relation"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
T = TypeVar("T")


class Detection(NamedTuple):
    """Precision and recall (0 to 1) at each threshold, the highest first; how many are over 0."""

    recall: Floats
    precision: Floats
    over: int

    @property
    def average_precision(self) -> float:
        """The sum of precision times step of recall, in percent."""
        return float(100 * (np.diff(self.recall, prepend=0.0) @ self.precision))

    @property
    def highest_recall(self) -> float:
        """Recall of the words whose number is over 0, in percent."""
        return float(100 * self.recall[self.over - 1]) if self.over else 0.0

    def mean_precision(self, recall: float) -> float:
        """Return the mean precision over the recalls up to this one, both in percent."""
        if recall <= 0:
            return float("nan")
        steps = np.diff(np.minimum(self.recall, recall / 100), prepend=0.0)
        return float(100 * (steps @ self.precision) / (recall / 100))

    def points(self, most: int = 200) -> pd.DataFrame:
        """Return some points with the same average precision: means over about so many steps.

        Where one threshold takes many words at once, a second point makes the line fall before it.
        """
        steps = np.diff(self.recall, prepend=0.0)
        place = np.minimum((self.recall * most).astype(int), most - 1)
        rows = pd.DataFrame({"step": steps, "area": steps * self.precision})
        sums = rows.assign(recall=self.recall).groupby(place)
        width = sums["step"].sum()
        found = pd.DataFrame(
            {"recall": sums["recall"].last(), "precision": sums["area"].sum() / width}
        )[width > 0]
        before = found.assign(recall=found["recall"].shift(fill_value=0.0))
        wide = found["recall"] - before["recall"] > 2 / most
        falls = before[wide & (found["precision"] < found["precision"].shift())]
        return pd.concat([found, falls]).sort_values(
            ["recall", "precision"], ascending=[True, False], ignore_index=True
        )


class Ranking(NamedTuple):
    """Words in the order of falling uncertainty.

    Attributes
    ----------
    owners, wrong
        ``(words,)``: the sentence of each, from 0, and whether it is wrong (1 or 0).
    ends
        ``(thresholds,)``: the last word of each number.
    over
        How many thresholds are over 0.
    """

    owners: Ints
    wrong: Floats
    ends: Ints
    over: int

    @classmethod
    def of(cls, values: ArrayLike, wrong: ArrayLike, owners: ArrayLike) -> "Ranking":
        """Put words in order.

        >>> found = Ranking.of([0.5, 0.0, 0.9, 0.5], [0, 1, 1, 1], [0, 0, 1, 1]).detection()
        >>> found.recall.round(2).tolist(), found.precision.round(2).tolist()
        ([0.33, 0.67, 1.0], [1.0, 0.67, 0.75])
        """
        numbers = np.asarray(values, float)
        order = np.argsort(-numbers, kind="stable")
        ends = np.flatnonzero(np.diff(numbers[order], append=-np.inf) != 0)
        over = int((numbers[order][ends] > 0).sum())
        return cls(np.asarray(owners)[order], np.asarray(wrong, float)[order], ends, over)

    def detection(self, drawn: Ints | None = None) -> Detection:
        """Return precision and recall, with sentences as often as they were drawn."""
        weights = np.ones(len(self.wrong)) if drawn is None else drawn[self.owners].astype(float)
        found, asked = np.cumsum(weights * self.wrong)[self.ends], np.cumsum(weights)[self.ends]
        precision = found / np.maximum(asked, 1)
        return Detection(found / max(found[-1], 1), precision, self.over)


def resampled(
    statistic: Callable[[T, Ints], float],
    parts: Sequence[T],
    sentences: Sequence[int],
    *,
    resamples: int = 999,
    rng: np.random.Generator,
) -> Estimate:
    """Return a statistic, the mean over seeds, with its interval from what is drawn anew.

    Parameters
    ----------
    statistic
        Of what one seed has found and how often each of its sentences is there.
    parts
        What each seed has found.
    sentences
        How many sentences each has.
    resamples, rng
        Seeds and sentences are drawn with replacement; one seed fewer than there are, as in
        `statistics.curve_difference`.

    Examples
    --------
    >>> mean = lambda values, drawn: float(np.average(values, weights=drawn))
    >>> resampled(mean, [np.arange(3.0)], [3], rng=np.random.default_rng(1)).value
    1.0
    """
    value = np.mean([statistic(p, np.ones(n, int)) for p, n in zip(parts, sentences, strict=True)])
    draws = []
    for _ in range(resamples):
        chosen = rng.integers(len(parts), size=max(1, len(parts) - 1))
        found = [
            statistic(
                parts[j], rng.multinomial(sentences[j], np.full(sentences[j], 1 / sentences[j]))
            )
            for j in chosen.tolist()
        ]
        draws.append(np.mean(found))
    kept = np.array(draws)[np.isfinite(draws)]
    if not np.isfinite(value) or not kept.size:
        return Estimate(float("nan"), float("nan"), float("nan"), 1.0)
    low, high = np.quantile(kept, [0.025, 0.975])
    return Estimate(float(value), float(low), float(high), float(1 - kept.size / resamples))


def smoothed_relation(x: ArrayLike, y: ArrayLike, share: float = 0.3) -> Floats:
    """Return a smooth curve of y at each x: a line through the nearest points, the near ones most.

    Local regression with tricube weights (Cleveland 1979, without his second pass for outliers).

    Parameters
    ----------
    share
        Of the points: how many are near.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 3.0])
    >>> smoothed_relation(x, 2 * x + 1, share=1.0).round(6).tolist()
    [1.0, 3.0, 5.0, 7.0]
    """
    a, b = np.asarray(x, float), np.asarray(y, float)
    near = min(len(a), max(3, round(share * len(a))))
    found = np.empty(len(a))
    for i, at in enumerate(a):
        away = np.abs(a - at)
        width = np.partition(away, near - 1)[near - 1] * (1 + 1e-9)
        weights = (1 - np.minimum(away / width, 1) ** 3) ** 3 if width > 0 else 1.0 * (away == 0)
        middle, height = np.average(a, weights=weights), np.average(b, weights=weights)
        spread = weights @ (a - middle) ** 2
        slope = weights @ ((a - middle) * (b - height)) / spread if spread > 1e-12 else 0.0
        found[i] = height + slope * (at - middle)
    return found
