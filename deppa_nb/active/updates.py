"""What answers do to a learner: from what is known of sentences to what is learned from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from deppa_nb.active.checks import check_number
from deppa_nb.active.pool import Item, Pool

__all__ = ["Completion", "Forest", "FullTree", "PartialLabels", "Preference", "Update"]


class Update(Protocol):
    """How a learner learns from a pool."""

    def lessons(self, pool: Pool, completed: Mapping[int, Item]) -> dict[int, Item]:
        """Return what is learned from, by position in the pool.

        Parameters
        ----------
        pool
            What is known.
        completed
            Trees that a parser has completed, by position in the pool.
        """


@dataclass(frozen=True)
class FullTree:
    """Only sentences with all their heads are learned from."""

    def lessons(self, pool: Pool, completed: Mapping[int, Item]) -> dict[int, Item]:
        """Return the full trees."""
        return {j: pool[j] for j in pool.where("annotated").tolist()}


@dataclass(frozen=True)
class Forest:
    """Some heads stand for all trees that have them (Li et al. 2016, eq. 11-12)."""

    def lessons(self, pool: Pool, completed: Mapping[int, Item]) -> dict[int, Item]:
        """Return all of which something is known."""
        return {j: pool[j] for j in pool.known.tolist()}


@dataclass(frozen=True)
class PartialLabels(Forest):
    """A sequence with some labels stands for all that have them (Wanvarie et al. 2011, eq. 4-5)."""


@dataclass(frozen=True)
class Completion:
    """The parser completes the tree around given heads (Mirroshandel & Nasr 2011).

    It does so when it is taught; another answer about the sentence makes a new completion. As long
    as there is no parser, partial trees are learned from as forests.
    """

    def lessons(self, pool: Pool, completed: Mapping[int, Item]) -> dict[int, Item]:
        """Return the full trees, given or completed."""
        return FullTree().lessons(pool, completed) | {
            j: tree for j, tree in completed.items() if pool.state(j) == "partial"
        }


@dataclass(frozen=True)
class Preference:
    """Full trees are learned from as always, then preferences one by one (Mejer & Crammer 2012).

    Attributes
    ----------
    single
        Whether to ask only about trees that differ in a single head.
    alpha
        The step; None for that of MIRA.
    """

    single: bool = False
    alpha: float | None = None

    def __post_init__(self) -> None:
        if self.alpha is not None:
            check_number("alpha", self.alpha, 0)

    def lessons(self, pool: Pool, completed: Mapping[int, Item]) -> dict[int, Item]:
        """Return the full trees."""
        return FullTree().lessons(pool, completed)
