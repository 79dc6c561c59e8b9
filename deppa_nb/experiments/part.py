"""Learning curves on one corpus, and what tables, figures and claims take from them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from deppa_nb.active.curves import Curve
from deppa_nb.active.rounds import NO_QUESTION
from deppa_nb.active.statistics import Estimate, bootstrap
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.compare import ALL, Score
from deppa_nb.experiments.simulate import points
from deppa_nb.experiments.store import Store, Task
from deppa_nb.experiments.study import Check

__all__ = ["Effects", "Part", "check_sizes", "exhibit_name", "results"]

Effects = Mapping[str, tuple[Callable[..., float], tuple[str, ...]]]
"""A statistic and what it takes, by the effect's name; claims.yaml has the words."""

_RNG = 1  # of what is drawn anew for intervals


@dataclass(frozen=True)
class Part:
    """One corpus: its runs, and what is made of them.

    Attributes
    ----------
    corpus, like
        On which, and which of the paper's it stands in for.
    tasks
        Runs of `compare`.
    """

    corpus: str
    like: str
    tasks: tuple[Task, ...]

    def named(self, name: str) -> str:
        """Return the name of one of its tables or figures."""
        return exhibit_name(name, self.corpus)

    def only(self, *strategies: str) -> Self:
        """Return it with the runs of these strategies."""
        return replace(self, tasks=tuple(t for t in self.tasks if t.run.strategy in strategies))

    def curves(self, store: Store, split: str = "dev") -> dict[str, Curve]:
        """Return the curves on a split by strategy."""
        found = results(self.tasks, store)
        chosen = found[found["split"] == split]
        return {str(name): Curve.of(rows) for name, rows in chosen.groupby("strategy")}

    def ran_out(self, store: Store, strategy: str) -> bool:
        """Tell whether a strategy had nothing left to ask in the end, with every seed."""
        found = results(self.tasks, store)
        last = found[found["strategy"] == strategy].groupby("seed")["stopped"].last()
        return bool((last == NO_QUESTION).all())

    def estimates(self, effects: Effects, store: Store, split: str) -> dict[str, Estimate]:
        """Return statistics of mean curves; infinite if what has run out never comes so far.

        What ran out is the last strategy of an effect, that of all data not counted.
        """
        curves, found = self.curves(store, split), {}
        for name, (statistic, strategies) in effects.items():
            chosen = [curves[strategy] for strategy in strategies]
            found[name] = bootstrap(statistic, *chosen, rng=np.random.default_rng(_RNG))
            value = statistic(*(each.mean for each in chosen))
            last = [strategy for strategy in strategies if strategy != ALL][-1]
            if np.isinf(value) and self.ran_out(store, last):
                found[name] = replace(found[name], value=value)
        return found

    def checks(self, claims: Mapping[str, Effects], split: str) -> list[Check]:
        """Return claims about curves on a split, each with the runs of its strategies."""
        found = []
        for claim, effects in claims.items():
            some = self.only(*(name for _, strategies in effects.values() for name in strategies))
            make = partial(some.estimates, effects, split=split)
            found.append(Check(claim, self.corpus, some.tasks, make, self.like))
        return found

    def points(self, store: Store, split: str = "dev", score: Score = "uas") -> pd.DataFrame:
        """Return a row for each strategy, seed and round: corpus, costs and the score."""
        return points(results(self.tasks, store), split, score).assign(corpus=self.corpus)


_KINDS: dict[Any, tuple[tuple[type, ...], str]] = {
    int: ((int,), "a whole number"), float: ((int, float), "a number"),
    bool: ((bool,), "true or false"), str: ((str,), "text"),
}  # fmt: skip


def check_sizes(parameters: Any, *names: str) -> None:
    """Refuse parameters of a paper of a wrong kind, corpora not told apart, or numbers under 1.

    Parameters
    ----------
    parameters
        A dataclass with `corpora`, names with spaces between them.
    names
        Of those that are numbers of something.
    """
    for field in fields(parameters):
        value = getattr(parameters, field.name)
        fits, expected = _KINDS.get(field.type, ((object,), ""))
        if not isinstance(value, fits) or (isinstance(value, bool) and field.type in (int, float)):
            raise ParameterError(f"{field.name} is {value!r}, expected {expected}")
    corpora = parameters.corpora.split()
    if not corpora or len({exhibit_name("", corpus) for corpus in corpora}) < len(corpora):
        raise ParameterError(f"corpora is {parameters.corpora!r}, expected names, each once")
    for name in names:
        if (value := getattr(parameters, name)) < 1:
            raise ParameterError(f"{name} is {value}, expected 1 or more")


def exhibit_name(name: str, corpus: str) -> str:
    """Return the name of a table or figure of a corpus.

    >>> exhibit_name("fig3", "ud/en_ewt")
    'fig3-en_ewt'
    """
    return f"{name}-{corpus.rsplit('/', maxsplit=1)[-1]}"


def results(tasks: tuple[Task, ...], store: Store) -> pd.DataFrame:
    """Return the rows of all runs, with strategy and seed."""
    return _results(tasks, store.root)


@lru_cache(maxsize=8)  # claims and tables are made of the same runs, one after the other
def _results(tasks: tuple[Task, ...], root: Path) -> pd.DataFrame:
    store = Store(root)
    return pd.concat(
        [
            store.get_or_compute(of, compute).assign(strategy=of.strategy, seed=of.seed)
            for of, compute, _ in tasks
        ],
        ignore_index=True,
    )
