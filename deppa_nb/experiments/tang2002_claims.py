"""What the claims of Tang et al. (2002) are about: statistics of curves, and of entropies."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from deppa_nb.active.curves import Points, between_rounds, higher, reached, shared_range, smoothed
from deppa_nb.active.statistics import Estimate
from deppa_nb.experiments.part import Effects
from deppa_nb.experiments.tang2002 import RANDOM

__all__ = ["BEST", "LONG_CURVES", "SHORT_CURVES", "correlations", "needed"]

Floats = NDArray[np.float64]

BEST = "density-word"
"""What the paper ends with: word entropy in clusters, weighted by density."""

_DRAWS = 999
_RNG = 1


def _after_all(one: Points, two: Points) -> float:
    """Return how much higher the second is after the last sentences that both have chosen."""
    at = shared_range(one[0], two[0])[1]
    return float(between_rounds(two, at) - between_rounds(one, at))


def needed(one: Points, two: Points, share: float = 1.0) -> float:
    """Return the sentences that the second needs for a score of the first, in percent.

    That is its last score, or the one after a share of its rounds. Both are smoothed, so that
    chance does not decide when a score is first reached. If it is not, one more round is taken: it
    would need that at least.
    """
    x, end = two[0], round(share * (len(one[0]) - 1))
    goal = float(smoothed(*one)[end])
    return float(100 * min(reached(*two, goal), 2 * x[-1] - x[-2]) / one[0][end])


SHORT_CURVES: Mapping[str, Effects] = {
    "T1": {
        "change": (higher, (RANDOM, "uncertain-change")),
        "sentence": (higher, (RANDOM, "uncertain-sentence")),
        "word": (higher, ("uncertain-sentence", "uncertain-word")),
    },
    "T2": {
        "repaired": (higher, ("uncertain-word", "cluster-word")),
        "random": (higher, (RANDOM, "cluster-word")),
    },
    "T3": {
        "density": (_after_all, ("cluster-word", BEST)),
        "performance": (_after_all, ("cluster-word", "performance-word")),
        "best": (_after_all, ("performance-word", BEST)),
    },
    "T4": {"accuracy": (higher, ("uncertain-sentence", "cluster-word"))},
}
"""Of the curves of Figures 3 to 7."""

LONG_CURVES: Mapping[str, Effects] = {"T5": {"share": (needed, (RANDOM, BEST))}}
"""Of those of Figure 8."""


def correlations(seeds: Sequence[pd.DataFrame]) -> dict[str, Estimate]:
    """Return Spearman's correlation of each entropy with length (T6).

    Means over seeds; intervals by sentences that are drawn anew, the same for all seeds, as their
    pools are of one corpus.

    Parameters
    ----------
    seeds
        Rows of `tang2002.measure`.
    """
    columns = {"change": "change", "sentence": "sentence_entropy", "word": "word"}
    size = 1 + max(int(rows["sentence"].max()) for rows in seeds)
    rng = np.random.default_rng(_RNG)
    drawn = rng.multinomial(size, np.full(size, 1 / size), _DRAWS).astype(float)
    found = {}
    for name, column in columns.items():
        values, draws = [], []
        for rows in seeds:
            ranks = np.array([rankdata(rows["length"]), rankdata(rows[column])])
            own = drawn[:, rows["sentence"]]
            values.append(_correlation(ranks, np.full((1, len(rows)), 1 / len(rows)))[0])
            draws.append(_correlation(ranks, own / own.sum(axis=1, keepdims=True)))
        low, high = np.quantile(np.mean(draws, axis=0), [0.025, 0.975])
        found[name] = Estimate(float(np.mean(values)), float(low), float(high))
    return found


def _correlation(ranks: Floats, weights: Floats) -> Floats:
    """Return the correlation of two rows of ranks for each row of weights."""
    x, y = ranks - ranks.mean(axis=1, keepdims=True)
    means = weights @ x, weights @ y
    products = weights @ (x * y) - means[0] * means[1]
    squares = [weights @ (own**2) - mean**2 for own, mean in zip((x, y), means, strict=True)]
    return np.asarray(products / np.sqrt(squares[0] * squares[1]))
