"""When to stop asking."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import cohen_kappa_score

from deppa_nb.active.checks import check_number
from deppa_nb.active.costs import Cost
from deppa_nb.errors import ArgumentError, ParameterError

if TYPE_CHECKING:
    from deppa_nb.active.learner import ActiveLearner

__all__ = ["Budget", "Kappa", "MeanUncertainty", "Stopping", "kappa"]


class Stopping(Protocol):
    """A rule; the loop also ends when there is no question left."""

    def reason(self, learner: "ActiveLearner") -> str | None:
        """Return why to stop, or None to go on; asked once a round, when the model has learned."""


@dataclass(frozen=True)
class Budget:
    """Stop when so much is spent, of any of the units of `Cost`."""

    most: float
    unit: str = "dependencies"

    def __post_init__(self) -> None:
        check_number("most", self.most, 0, float("inf"))
        if self.unit not in vars(Cost()):
            units = ", ".join(vars(Cost()))
            raise ParameterError(f"unit is {self.unit!r}, expected one of {units}")

    def reason(self, learner: "ActiveLearner") -> str | None:
        """Compare what is spent."""
        spent = getattr(learner.cost, self.unit)
        return f"{spent:g} {self.unit} are spent" if spent >= self.most else None


@dataclass(frozen=True)
class Kappa:
    """Stop when the predictions of two rounds for the whole pool agree (Wanvarie et al. 2011).

    Cohen's kappa over all words; what is given counts as predicted.

    Attributes
    ----------
    above
        What kappa has to exceed.
    fewer
        How many questions the round must not have reached, which has found more to ask for then;
        None if that does not matter.
    """

    above: float = 0.9999
    fewer: int | None = None

    def __post_init__(self) -> None:
        check_number("above", self.above, high=1)
        if self.fewer is not None:
            check_number("fewer", self.fewer, 1, whole=True)

    def reason(self, learner: "ActiveLearner") -> str | None:
        """Compare with the round before."""
        now, before = learner.predictions(), learner.remembered(f"kappa {learner.round - 1}")
        learner.remember(f"kappa {learner.round}", now)
        learner.forget(f"kappa {learner.round - 2}")
        asked = learner.remembered("asked")
        learner.remember("asked", np.array(learner.cost.queries))
        if before is None or not self._was_small(learner.cost.queries, asked):
            return None
        agreed = kappa(before, now)
        return f"kappa of two rounds is {agreed:.5f}" if agreed > self.above else None

    def _was_small(self, asked: int, before: NDArray[np.int64] | None) -> bool:
        """Tell whether the last round had few questions."""
        return self.fewer is None or before is None or asked - int(before) < self.fewer


@dataclass(frozen=True)
class MeanUncertainty:
    """Stop when what is open has a low mean utility, in the strategy's own unit."""

    below: float

    def __post_init__(self) -> None:
        check_number("below", self.below)

    def reason(self, learner: "ActiveLearner") -> str | None:
        """Compare the mean."""
        mean = learner.mean_utility()
        return f"mean utility is {mean:g}" if mean < self.below else None


def kappa(first: ArrayLike, second: ArrayLike) -> float:
    """Return Cohen's kappa between two sequences of labels: (p_o - p_e) / (1 - p_e).

    Sequences that are equal have 1, even where all labels are one label and chance would do as well
    (0/0): nothing changed, which is what a stopping rule asks.

    >>> kappa(["a", "a", "b", "b"], ["a", "b", "b", "b"]), kappa([1, 1], [1, 1])
    (0.5, 1.0)
    """
    a, b = np.asarray(first), np.asarray(second)
    if a.ndim != 1 or a.shape != b.shape or a.size == 0:
        raise ArgumentError(f"labels of shapes {a.shape} and {b.shape}, expected two of (n,)")
    return 1.0 if (a == b).all() else float(cohen_kappa_score(a, b))
