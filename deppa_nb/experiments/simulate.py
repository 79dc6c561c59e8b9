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
from deppa_nb.experiments.compare import ALL, CurveParameters, all_data, curve
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.store import Store

__all__ = ["Simulation", "compare", "points", "run"]

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
        if self.seeds < 1:
            raise ParameterError(f"seeds is {self.seeds}, expected 1 or more")


def run(simulation: Simulation, store: Store, say: Say) -> pd.DataFrame:
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

    def run_of(name: str, seed: int) -> Run:
        return Run("compare", simulation.corpus, name, seed, asdict(simulation.parameters))

    tables = [store.get_or_compute(run_of(ALL, 1), all_data).assign(strategy=ALL, seed=1)]
    for name in simulation.strategies:
        for seed in range(1, simulation.seeds + 1):
            compute = partial(curve, say=partial(say, name, seed))
            found = store.get_or_compute(run_of(name, seed), compute)
            tables.append(found.assign(strategy=name, seed=seed))
    return pd.concat(tables, ignore_index=True)


def points(sentences: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each strategy, seed and round: costs and uas.

    Parameters
    ----------
    sentences
        As `run` returns them.
    """
    by = sentences.groupby(["strategy", "seed", "round"], sort=False)
    sums = by[["right", "words"]].sum()
    costs = by[["dependencies", "queries", "keystrokes", "seconds", "words_read"]].first()
    return costs.assign(uas=100 * sums["right"] / sums["words"]).reset_index()


def compare(
    sentences: pd.DataFrame, strategies: Sequence[str], rng: np.random.Generator
) -> pd.DataFrame:
    """Return a row for each strategy.

    Parameters
    ----------
    sentences
        As `run` returns them.
    strategies
        The first one is what others are compared with.
    rng
        For resampling.

    Returns
    -------
    DataFrame
        strategy; dependencies and uas at the end; gain: mean UAS over the dependencies that its
        curve and the first one's share, minus the first one's, with its 95% interval (low, high);
        needed: dependencies to come within a point of all data, with theirs (needed_low,
        needed_high). nan where curves have nothing in common, or do not come that far.
    """
    by_name = dict(iter(sentences.groupby("strategy")))
    full, curves = Curve.of(by_name[ALL]), {name: Curve.of(by_name[name]) for name in strategies}
    first, rows = curves[strategies[0]], []
    for name, own in curves.items():
        dependencies, scores = own.mean
        needed = dependencies_to_reach(own, full, rng=rng)
        try:
            gain = area_difference(first, own, rng=rng)
        except ArgumentError:  # they share no number of dependencies
            gain = Difference(*[np.nan] * 4)
        rows.append(
            {
                "strategy": name,
                "dependencies": int(dependencies[-1]),
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
