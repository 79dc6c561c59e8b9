"""Which strategy for my treebank? Learning curves of several, on answers from its own trees."""

import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from deppa_nb.active.annotators import GoldOracle
from deppa_nb.active.costs import Cost
from deppa_nb.active.curves import Curve
from deppa_nb.active.learner import ActiveLearner
from deppa_nb.active.pool import Pool
from deppa_nb.active.rounds import Round
from deppa_nb.active.selection import Unit
from deppa_nb.active.statistics import area_difference, dependencies_to_reach
from deppa_nb.active.strategies import find_strategy
from deppa_nb.corpus.corpus import Corpus
from deppa_nb.corpus.evaluate import Difference, evaluate
from deppa_nb.corpus.sentence import Treebank
from deppa_nb.corpus.textfile import replacing
from deppa_nb.errors import ArgumentError, ParameterError

__all__ = ["ALL", "Simulation", "compare", "run"]

Say = Callable[[str, int, Round], None]
ALL = "(all data)"
"""What tables call the parser that has learned from all trees."""


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
    start
        How many sentences are annotated at the beginning.
    budget, unit, rounds
        How much is asked in a round, and how many rounds.
    warm
        Whether parsers go on from their weights.
    model, parameters
        The parser's class and what differs from its defaults.
    """

    corpus: str
    strategies: tuple[str, ...]
    seeds: int
    start: int
    budget: int
    unit: Unit
    rounds: int
    warm: bool
    model: str
    parameters: dict[str, Any]

    def __post_init__(self) -> None:
        for name in self.strategies:
            if find_strategy(name).kind == "preference" and (self.model != "mst" or not self.start):
                raise ParameterError(f"{name} needs --model mst and sentences to start with")
        if len(set(self.strategies)) < len(self.strategies):
            raise ParameterError("a strategy is named twice")
        least = {"seeds": 1, "start": 0, "budget": 1, "rounds": 1}
        for name, low in least.items():
            if getattr(self, name) < low:
                raise ParameterError(f"{name} is {getattr(self, name)}, expected {low} or more")


def run(
    simulation: Simulation, corpus: Corpus, parser: Any, folder: Path, say: Say
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Run all curves; those that a folder has finished already are not run again.

    Parameters
    ----------
    simulation, corpus, parser
        What, on what, by what.
    folder
        Gets `simulation.json`, `rounds.csv` (a row a round) and `sentences.csv.gz` (a row a round
        and sentence of dev: words, and how many have the right head).
    say
        Is told of each round.

    Returns
    -------
    rounds, sentences
        The two tables; the second has also the parser that has learned from all trees (`ALL`).
    """
    pool, dev = _trees(corpus)
    rounds, sentences = _begun(simulation, corpus, folder)
    if ALL not in set(sentences["strategy"]):
        full = evaluate(dev, clone(parser).fit(pool).predict(dev))
        one = Round(0, Cost(pool.n_words), full, None, (), {}, "all data")
        sentences = _joined(sentences, _by_sentence([one], ALL, 1))
    done = {*zip(rounds["strategy"], rounds["seed"], strict=True)}
    for name in simulation.strategies:
        for seed in range(1, simulation.seeds + 1):
            if (name, seed) in done:
                continue
            found = list(_curve(simulation, name, seed, pool, dev, parser, say))
            sentences = _joined(sentences, _by_sentence(found, name, seed))
            rounds = _joined(rounds, _table([r.row() for r in found], name, seed))
            _write(folder / "sentences.csv.gz", sentences)
            _write(folder / "rounds.csv", rounds)  # after the other: a curve that is here is done
    return rounds, sentences


def _joined(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([some for some in (first, second) if len(some)], ignore_index=True)


def _trees(corpus: Corpus) -> tuple[Treebank, Treebank]:
    if corpus.kind != "treebank" or not {"train", "dev"} <= set(corpus.files):
        raise ParameterError(f"corpus is {corpus.name}, expected a treebank with train and dev")
    for split in (corpus.train, corpus.dev):
        open_ = next((sentence for sentence in split if not sentence.is_full), None)
        if open_ is not None:
            problem = "has words without a head: nobody can be simulated who gives them"
            raise ParameterError(f"{split.where(open_)}: sentence {open_.sent_id} {problem}")
    return corpus.train, corpus.dev


def _begun(
    simulation: Simulation, corpus: Corpus, folder: Path
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the finished curves of a folder; one of another simulation is refused."""
    folder.mkdir(parents=True, exist_ok=True)
    told = folder / "simulation.json"
    data = {split: _digest(corpus.files[split]) for split in ("train", "dev")}
    same = {**asdict(simulation), "strategies": None, "seeds": None, "data": data}
    text = json.dumps(same, indent=1)
    if told.exists() and told.read_text() != text:
        raise ParameterError(f"{folder} has another simulation; name another folder with -o")
    with replacing(told.resolve()) as raw:
        raw.write(text.encode())
    rounds, sentences = (_read(folder / name) for name in ("rounds.csv", "sentences.csv.gz"))
    keys = ["strategy", "seed"]
    scored = rounds[rounds["dev_uas"].notna()].groupby(keys)["round"].nunique()
    told_of = sentences.groupby(keys)["round"].nunique()
    done = {key for key, count in scored.items() if told_of.get(key, 0) == count} | {(ALL, 1)}

    def of_done(table: pd.DataFrame) -> pd.DataFrame:
        pairs = zip(table["strategy"], table["seed"], strict=True)
        return table[np.array([pair in done for pair in pairs], bool)]

    return of_done(rounds), of_done(sentences)


def _digest(path: Path) -> str:
    with open(path, "rb") as raw:
        return hashlib.file_digest(raw, "sha256").hexdigest()[:16]


def _read(path: Path) -> pd.DataFrame:
    """Return a table; of one that is not there or broken, nothing."""
    try:
        table = pd.read_csv(path, dtype={"stopped": object})
        assert {"strategy", "seed", "round"} <= {*table}
    except (OSError, ValueError, EOFError, AssertionError, zlib.error):
        return pd.DataFrame({"strategy": [], "seed": [], "round": [], "dev_uas": []})
    if "stopped" in table:
        table["stopped"] = table["stopped"].fillna("")
    return table


def _curve(
    simulation: Simulation,
    name: str,
    seed: int,
    pool: Treebank,
    dev: Treebank,
    parser: Any,
    say: Say,
) -> Iterator[Round]:
    rng = np.random.default_rng(seed)
    start = rng.choice(len(pool), min(simulation.start, len(pool)), replace=False)
    learner = ActiveLearner(
        clone(parser).set_params(rng=seed), name, Pool.hiding(pool, start.tolist()), rng=seed,
        warm=simulation.warm,
    )  # fmt: skip
    for found in learner.rounds(
        GoldOracle(pool), simulation.budget, simulation.unit, dev=dev, most=simulation.rounds
    ):
        say(name, seed, found)
        yield found


def _table(rows: Sequence[dict[str, Any]], name: str, seed: int) -> pd.DataFrame:
    table = pd.DataFrame(rows)
    table.insert(0, "strategy", name)
    table.insert(1, "seed", seed)
    return table


def _by_sentence(found: Sequence[Round], name: str, seed: int) -> pd.DataFrame:
    tables = []
    for one in found:
        if one.dev is None:
            continue
        by = one.dev.words.groupby("sentence")["uas"]
        table = pd.DataFrame({"right": by.sum().astype(int), "words": by.size()}).reset_index()
        tables.append(table.assign(round=one.number, dependencies=one.cost.dependencies))
    if not tables:
        problem = "no round had anything to learn from; raise --start or --budget"
        raise ParameterError(f"{name}: {problem}")
    return _table(pd.concat(tables).to_dict("records"), name, seed)  # type: ignore[arg-type]


def _write(path: Path, table: pd.DataFrame) -> None:
    with replacing(path.resolve()) as raw:
        table.to_csv(raw, index=False, compression="gzip" if path.suffix == ".gz" else None)


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
    by_name = {name: rows for name, rows in sentences.groupby("strategy")}
    full, curves = Curve.of(by_name[ALL]), {name: Curve.of(by_name[name]) for name in strategies}
    first, rows = curves[strategies[0]], []
    for name, curve in curves.items():
        dependencies, scores = curve.mean
        needed = dependencies_to_reach(curve, full, rng=rng)
        try:
            gain = area_difference(first, curve, rng=rng)
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
