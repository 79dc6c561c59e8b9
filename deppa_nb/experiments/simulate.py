"""Which strategy for my treebank? Learning curves of several, on answers from its own trees."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
import pandas as pd

from deppa_nb.active.curves import Curve
from deppa_nb.active.rounds import Round
from deppa_nb.active.statistics import area_difference, dependencies_to_reach
from deppa_nb.active.strategies import find_strategy
from deppa_nb.corpus.evaluate import Difference
from deppa_nb.errors import ArgumentError, ParameterError
from deppa_nb.experiments.compare import ALL, CurveParameters, Score, all_data, curve, work
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.store import Store, Task

__all__ = ["Simulation", "compare", "points", "run", "seconds"]

_MOST_SEEDS = 1000

Say = Callable[[str, int, Round], None]


@dataclass(frozen=True)
class Simulation:
    """What is simulated.

    Attributes
    ----------
    corpus
        The name of a treebank: train is the pool, scores are on dev.
    strategies
        Names.
    seeds
        How often each, with other sentences to begin with.
    parameters
        Of each curve.
    """

    corpus: str
    strategies: tuple[str, ...]
    seeds: int
    parameters: CurveParameters

    def __post_init__(self) -> None:
        light = self.parameters.model == "mst" and self.parameters.start > 0
        for name in self.strategies:
            if find_strategy(name).kind == "preference" and not light:
                raise ParameterError(f"{name} needs --model mst and sentences to start with")
        if len(set(self.strategies)) < len(self.strategies):
            raise ParameterError("a strategy is named twice")
        if not 1 <= self.seeds <= _MOST_SEEDS:
            raise ParameterError(f"seeds is {self.seeds}, expected 1 to {_MOST_SEEDS}")

    def tasks(self) -> tuple[Task, ...]:
        """Return the runs: the parser of all data, then each strategy's curves, seed by seed."""
        every = Run("compare", self.corpus, ALL, 1, self.parameters.of_all_data())
        curves = [
            Run("compare", self.corpus, name, seed, asdict(self.parameters))
            for name in self.strategies
            for seed in range(1, self.seeds + 1)
        ]
        return Task(every, all_data, work), *(Task(run, curve, work) for run in curves)


def run(simulation: Simulation, store: Store, say: Say = lambda *_: None) -> pd.DataFrame:
    """Return all curves; those that a store has are not computed again, others go on in a round.

    Parameters
    ----------
    simulation
        What.
    store
        Where curves are kept.
    say
        Is told of each round that is computed.

    Returns
    -------
    DataFrame
        As `compare.curve` returns it, with columns strategy and seed; `ALL` is the parser that has
        learned from all trees.
    """
    tables = []
    for of, compute, _ in simulation.tasks():
        told = partial(curve, say=partial(say, of.strategy, of.seed))
        found = store.get_or_compute(of, compute if of.strategy == ALL else told)
        tables.append(found.assign(strategy=of.strategy, seed=of.seed))
    return pd.concat(tables, ignore_index=True)


def seconds(simulation: Simulation, store: Store) -> pd.DataFrame:
    """Return a row for each strategy, seed and round of finished curves: seconds of its parts.

    Columns are strategy, seed, round, and train_seconds, select_seconds, update_seconds.
    """
    tables = []
    for of, compute, _ in simulation.tasks():
        if of.strategy != ALL:
            result = store.get_or_compute(of, compute)
            table = store.timing(of).assign(strategy=of.strategy, seed=of.seed)
            tables.append(table.assign(round=result["round"]))
    by = pd.concat(tables).groupby(["strategy", "seed", "round"], sort=False)
    return by.first().reset_index()


def points(sentences: pd.DataFrame, split: str = "dev", score: Score = "uas") -> pd.DataFrame:
    """Return a row for each strategy, seed and round: costs and the score on a split.

    Parameters
    ----------
    sentences
        As `run` returns them.
    score
        What the runs have counted.
    """
    chosen = sentences[sentences["split"] == split]
    by = chosen.groupby(["strategy", "seed", "round"], sort=False)
    sums = by[["right", "words"]].sum()
    costs = by[["dependencies", "queries", "keystrokes", "seconds", "words_read"]].first()
    return costs.assign(**{score: 100 * sums["right"] / sums["words"]}).reset_index()


def compare(sentences: pd.DataFrame, strategies: Sequence[str], seed: int = 1) -> pd.DataFrame:
    """Return a row for each strategy.

    Parameters
    ----------
    sentences
        As `run` returns them.
    strategies
        The first one is what others are compared with.
    seed
        Of what is drawn anew for the intervals: the same for all.

    Returns
    -------
    DataFrame
        strategy; dependencies and uas at the end; gain: mean UAS over the dependencies that its
        curve and the first one's share, minus the first one's, with its 95% interval (low, high);
        needed: dependencies to come within a point of all data, with theirs (needed_low,
        needed_high). nan where curves have nothing in common, or do not come that far.
    """
    by_name = dict(iter(sentences[sentences["split"] == "dev"].groupby("strategy")))
    full, curves = Curve.of(by_name[ALL]), {name: Curve.of(by_name[name]) for name in strategies}
    first, rows = curves[strategies[0]], []
    for name, own in curves.items():
        dependencies, scores = own.mean
        needed = dependencies_to_reach(own, full, rng=np.random.default_rng(seed))
        try:
            gain = area_difference(first, own, rng=np.random.default_rng(seed))
        except ArgumentError:  # they share no number of dependencies
            gain = Difference(*[np.nan] * 4)
        rows.append(
            {
                "strategy": name,
                "dependencies": round(dependencies[-1]),
                "uas": scores[-1],
                "gain": gain.points,
                "low": gain.low,
                "high": gain.high,
                "needed": needed.value,
                "needed_low": needed.low,
                "needed_high": needed.high,
            }
        )
    return pd.DataFrame(rows)
