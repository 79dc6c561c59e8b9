"""What the claims of Wanvarie et al. (2011) are about: labels, seconds and F1 of systems."""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deppa_nb.active.statistics import Estimate

__all__ = ["System", "claimed"]

_DRAWS = 1999
_RNG = 1


@dataclass(frozen=True, eq=False)
class System:
    """What a run of `wanvarie2011` found.

    Attributes
    ----------
    rows
        As the run returns them, with its seconds.
    """

    rows: pd.DataFrame

    def _of(self, kind: str) -> pd.DataFrame:
        return self.rows[self.rows["row"] == kind]

    @property
    def rounds(self) -> pd.DataFrame:
        """A row for each round of each task."""
        return self._of("round")

    @property
    def final(self) -> pd.Series:
        """The final model."""
        return self._of("final").iloc[0]

    @property
    def asked(self) -> int:
        """Different tokens that somebody was asked about."""
        return int(self.final["labels"])

    @property
    def by_hand(self) -> int:
        """Tokens with a label that somebody gave when the final model learns; of a split, merged.

        One that is outside in its subtask, and was not asked about in all others, has none.
        """
        return int(self.final["by_hand"])

    @property
    def acts(self) -> int:
        """How often somebody gave a label."""
        return int(self.final["actions"])

    @property
    def spans(self) -> NDArray[np.int64]:
        """``(test sequences, 3)``: spans of gold, found, right."""
        return self._of("sequence")[["gold", "found", "right"]].to_numpy()

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Of each round: training and choosing."""
        return self.rounds[["train_seconds", "select_seconds"]].sum(axis=1).to_numpy()

    @property
    def total(self) -> float:
        """Seconds of all rounds and of the final model."""
        return float(self.seconds.sum()) + float(self.final["train_seconds"])


_COMPARED = ("all", "split")
_COUNTED = {"at": attrgetter("asked"), "merged": attrgetter("by_hand")}


def claimed(systems: Mapping[str, System], differences: int) -> dict[str, dict[str, Estimate]]:
    """Return an estimate for each effect of each claim that systems tell of.

    Differences of F1 are drawn anew over test sequences, seconds of a round over rounds. Labels,
    rounds, sums of seconds, and the supervised F1 on the paper's own test set are what they are:
    nothing in a run is random.

    Parameters
    ----------
    systems
        By name.
    differences
        Cells of Table 1 that are not the paper's.
    """
    own = systems
    found: dict[str, dict[str, Estimate]] = {
        "W0": {
            "table": _exact(differences),
            **{f"f1-{year}": _exact(_f1(own["supervised"])) for year in ("2000", "2003")},
        },
        "W1": {
            "labels": _exact(100 * own["all-0.90"].asked / own["sup-al"].asked),
            "f1": _more_f1(own["supervised"], own["all-0.90"]),
        },
        "W2": {"seconds": _saved_seconds(own["all-0.90"], own["split-0.90"])},
        "W3": {
            f"at-{at}": _exact(own[f"all-0.{at}"].total / own[f"split-0.{at}"].total)
            for at in (90, 99)
        },
        "W4": {f"at-{at}": _more_f1(own[f"split-0.{at}"], own[f"all-0.{at}"]) for at in (90, 99)},
        "W5": {
            "f1-all": _more_f1(own["all-0.90"], own["all-0.99"]),
            "f1-split": _more_f1(own["split-0.90"], own["split-0.99"]),
            "labels-all": _more(own["all-0.90"].asked, own["all-0.99"].asked),
            "labels-split": _more(own["split-0.90"].acts, own["split-0.99"].acts),
        },
        "W6": {"share": _training_share(own["all-0.90"])},
        "W7": {"rounds": _exact(len(own["split-0.90"].rounds) - len(own["all-0.90"].rounds))},
        "W8": {
            f"{year}-{what}-{at}": _more(*(count(own[f"{name}-0.{at}"]) for name in _COMPARED))
            for what, count in _COUNTED.items()
            for year in (2003, 2000)
            for at in (90, 99)
        },
    }
    return found


def _exact(value: float) -> Estimate:
    return Estimate(float(value), float(value), float(value))


def _more(one: float, two: float) -> Estimate:
    """Return how many percent more the second is."""
    return _exact(100 * (two / one - 1))


def _drawn(values: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """Return sums of rows that are drawn anew, the same rows for the same number of them."""
    weights = np.random.default_rng(_RNG).multinomial(count, np.full(count, 1 / count), _DRAWS)
    return np.asarray(weights @ values, float)


def _interval(value: float, draws: NDArray[np.float64]) -> Estimate:
    low, high = np.quantile(draws, [0.025, 0.975])
    return Estimate(float(value), float(low), float(high))


def _scores(spans: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return F1 in percent of sums of gold, found and right."""
    return np.asarray(200 * spans[..., 2] / (spans[..., 0] + spans[..., 1]))


def _f1(system: System) -> float:
    return float(_scores(system.spans.sum(axis=0)))


def _more_f1(one: System, two: System) -> Estimate:
    """Return by how many points F1 of the second is higher."""
    first, second = one.spans, two.spans
    value = _scores(second.sum(axis=0)) - _scores(first.sum(axis=0))
    draws = _scores(_drawn(second, len(second))) - _scores(_drawn(first, len(first)))
    return _interval(float(value), draws)


def _saved_seconds(one: System, two: System) -> Estimate:
    """Return how many percent shorter a mean round of the second is."""
    rng = np.random.default_rng(_RNG)

    def means(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(rng.choice(seconds, (_DRAWS, len(seconds))).mean(axis=1))

    value = 100 * (1 - two.seconds.mean() / one.seconds.mean())
    return _interval(float(value), 100 * (1 - means(two.seconds) / means(one.seconds)))


def _training_share(system: System) -> Estimate:
    return _exact(100 * float(system.rounds["train_seconds"].sum()) / float(system.seconds.sum()))
