"""Learning curves: scores over annotated dependencies, and how they are read.

A curve is kept as what was right in each test sentence, for each seed and round, so that both seeds
and sentences can be drawn anew: the two sources of chance in an experiment. All methods are read by
the same rule: the mean curve over seeds, at its rounds.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression

from deppa_nb.errors import ArgumentError

__all__ = [
    "Curve",
    "Floats",
    "Points",
    "Smoothing",
    "area",
    "between_rounds",
    "higher",
    "reached",
    "saved",
    "shared_range",
    "smoothed",
]

Floats = NDArray[np.float64]
Points = tuple[Floats, Floats]
"""Dependencies and scores at the rounds of a curve, ``(rounds,)`` each."""

Smoothing = Literal["isotonic"] | float | None

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Curve:
    """What a method got right, seed by seed and round by round.

    Attributes
    ----------
    dependencies
        ``(seeds, rounds)``, annotated so far, the first ones included; rising.
    right
        ``(seeds, rounds, sentences)``, right words of each test sentence.
    words
        ``(sentences,)``, words that count.

    Examples
    --------
    >>> curve = Curve([[10, 20]], [[[1, 2], [2, 4]]], [2, 4])
    >>> curve.scores
    array([[ 50., 100.]])
    """

    dependencies: Floats
    right: Floats
    words: Floats

    def __init__(self, dependencies: ArrayLike, right: ArrayLike, words: ArrayLike) -> None:
        named = {"dependencies": dependencies, "right": right, "words": words}
        for name, values in named.items():
            object.__setattr__(self, name, np.asarray(values, dtype=np.float64))
        shape = (*self.dependencies.shape, *self.words.shape)
        if len(shape) != 3 or self.right.shape != shape or 0 in shape:
            raise ArgumentError(
                f"right of shape {self.right.shape} for dependencies of shape "
                f"{self.dependencies.shape} and words of shape {self.words.shape}, "
                "expected (seeds, rounds, sentences), (seeds, rounds) and (sentences,)"
            )
        rising = (np.diff(self.dependencies) > 0).all()
        if not rising or not np.isfinite(self.dependencies).all():
            raise ArgumentError("dependencies that do not rise from round to round")
        if not ((self.right >= 0) & (self.right <= self.words)).all() or not self.words.any():
            raise ArgumentError("right words under 0 or over all words of a sentence")

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Self:
        """Make a curve of a row for each seed, round and sentence.

        Rounds that not all seeds came to are left out.

        Parameters
        ----------
        frame
            Columns seed, round, dependencies, sentence, right, words.
        """
        cells = frame.set_index(["seed", "round", "sentence"]).sort_index()
        if cells.index.has_duplicates:
            raise ArgumentError("a seed, round and sentence in two rows, expected one")
        right = cells["right"].unstack("sentence")
        rounds = right.notna().all(axis=1).unstack("round", fill_value=False).all()
        if not rounds.any():
            raise ArgumentError("no round that all seeds came to, expected one or more")
        kept = right.loc[(slice(None), rounds.index[rounds]), :]
        seeds = kept.index.get_level_values("seed").nunique()
        at = cells["dependencies"].groupby(level=["seed", "round"]).first().loc[kept.index]
        words = cells["words"].groupby(level="sentence").first()
        shape = (seeds, -1)
        return cls(at.to_numpy().reshape(shape), kept.to_numpy().reshape(*shape, len(words)), words)

    @cached_property
    def scores(self) -> Floats:
        """``(seeds, rounds)``, percent of words that are right."""
        return np.asarray(100 * self.right.sum(axis=2) / self.words.sum())

    @property
    def mean(self) -> Points:
        """Dependencies and scores at each round, averaged over seeds."""
        return self.dependencies.mean(axis=0), self.scores.mean(axis=0)


def shared_range(*dependencies: Floats) -> tuple[float, float]:
    """Return the first and last number of dependencies that all curves cover."""
    low = max(float(x[0]) for x in dependencies)
    high = min(float(x[-1]) for x in dependencies)
    if high < low:
        raise ArgumentError(f"one curve begins at {low:g} dependencies, another ends at {high:g}")
    return low, high


def area(x: Floats, y: Floats, between: tuple[float, float]) -> float:
    """Return the area under a curve of straight lines, divided by the width: its mean height.

    >>> area(np.array([0.0, 10.0, 20.0]), np.array([50.0, 70.0, 70.0]), (0, 20))
    65.0
    """
    low, high = between
    if low == high:
        return float(np.interp(low, x, y))
    inner = x[(x > low) & (x < high)]
    at = np.concatenate([[low], inner, [high]])
    return float(np.trapezoid(np.interp(at, x, y), at) / (high - low))


def between_rounds(points: Points, at: ArrayLike) -> Floats:
    """Return the scores of a curve at numbers of dependencies: straight lines over their logarithm.

    Learning curves are near to such lines. Over the dependencies themselves a line between two
    rounds is too low, the more so the farther they are apart: that of a method whose first round
    asks for long sentences would seem to be the worse one.

    >>> between_rounds((np.array([9.0, 99.0]), np.array([50.0, 60.0])), [9, 30.62, 99]).round(2)
    array([50., 55., 60.])
    """
    x, y = points
    return np.asarray(np.interp(np.log1p(np.asarray(at, float)), np.log1p(x), y))


def higher(one: Points, two: Points, ends: tuple[float, float] = (0, np.inf)) -> float:
    """Return how much higher the second is, on average over rounds between two numbers.

    The rounds are those of the curve that has fewer there; the other one is looked at between its
    own. At the beginning all are one. Without such rounds there is no number: nan.

    >>> one = np.array([[9.0, 99.0], [50.0, 60.0]])
    >>> two = np.array([[9.0, 49.0, 199.0], [50.0, 59.0, 65.0]])
    >>> round(higher(tuple(one), tuple(two)), 6)
    2.0
    """
    low, high = np.maximum(shared_range(one[0], two[0]), ends[0]).clip(max=ends[1])
    rounds = [x[1:][(x[1:] >= low) & (x[1:] <= high)] for x, _ in (one, two)]
    at = min(rounds, key=len)
    if not at.size:
        return float("nan")
    return float(np.mean(between_rounds(two, at) - between_rounds(one, at)))


def smoothed(x: Floats, y: Floats, smoothing: Smoothing = "isotonic") -> Floats:
    """Return a curve's scores without the noise that would decide when it first crosses a line.

    Parameters
    ----------
    x, y
        ``(rounds,)`` dependencies and scores.
    smoothing
        ``isotonic``: the rising curve that is nearest; a number: the mean over so many
        dependencies around each round (fewer, but as many on both sides, near the ends); None: as
        it is.

    Examples
    --------
    >>> smoothed(np.array([1.0, 2.0, 3.0, 4.0]), np.array([60.0, 75.0, 65.0, 80.0]))
    array([60., 70., 70., 80.])
    """
    if smoothing is None:
        return y
    if smoothing == "isotonic":
        return np.asarray(isotonic_regression(y).x)
    if isinstance(smoothing, str) or not smoothing > 0:
        raise ArgumentError(f"smoothing is {smoothing!r}, expected isotonic or a number over 0")
    half = np.minimum(smoothing / 2, np.minimum(x - x[0], x[-1] - x))
    return np.array([area(x, y, (a - h, a + h)) for a, h in zip(x, half, strict=True)])


def reached(x: Floats, y: Floats, target: float, smoothing: Smoothing = "isotonic") -> float:
    """Return the dependencies of the first round with the target score, inf if there is none.

    >>> reached(np.array([1.0, 2.0, 3.0]), np.array([60.0, 75.0, 69.0]), 70)
    2.0
    """
    above = np.flatnonzero(smoothed(x, y, smoothing) >= target - _ROUNDING)
    return float(x[above[0]]) if above.size else float("inf")


def saved(one: Points, two: Points, target: float, smoothing: Smoothing = "isotonic") -> float:
    """Return the percent of dependencies that the second curve saves to reach a score.

    Where the first does not reach it, its last round is taken: the second saves at least as much.
    Where the second does not, the result is -inf.

    >>> first, second = np.array([[1.0, 4.0], [60.0, 70.0]]), np.array([[1.0, 2.0], [60.0, 70.0]])
    >>> saved(tuple(first), tuple(second), 70)
    50.0
    """
    least = min(reached(*one, target, smoothing), one[0][-1])
    return float(100 * (1 - reached(*two, target, smoothing) / least))
