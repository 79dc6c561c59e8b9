"""When to stop asking."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from deppa_nb.active.checks import check_number
from deppa_nb.active.costs import Cost
from deppa_nb.active.statistics import kappa
from deppa_nb.errors import ParameterError

if TYPE_CHECKING:
    from deppa_nb.active.learner import ActiveLearner

__all__ = ["Budget", "Kappa", "MeanUncertainty", "Stopping"]


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
    """

    above: float = 0.9999

    def __post_init__(self) -> None:
        check_number("above", self.above)

    def reason(self, learner: "ActiveLearner") -> str | None:
        """Compare with the round before."""
        now, before = learner.predictions(), learner.remembered(f"kappa {learner.round - 1}")
        learner.remember(f"kappa {learner.round}", now)
        learner.forget(f"kappa {learner.round - 2}")
        if before is None:
            return None
        agreed = kappa(before, now)
        return f"kappa of two rounds is {agreed:.5f}" if agreed > self.above else None


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
