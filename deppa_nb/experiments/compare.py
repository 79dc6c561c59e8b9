"""A learning curve: one strategy, one seed, answers from the corpus's own trees."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from deppa_nb.active.annotators import GoldOracle
from deppa_nb.active.costs import Cost
from deppa_nb.active.learner import ActiveLearner
from deppa_nb.active.pool import Pool
from deppa_nb.active.rounds import Round
from deppa_nb.active.selection import Unit
from deppa_nb.active.strategies import find_strategy
from deppa_nb.corpus.corpus import Corpus
from deppa_nb.corpus.evaluate import evaluate
from deppa_nb.corpus.sentence import Treebank
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.checkpoint import Checkpoint
from deppa_nb.experiments.runs import Run, threads
from deppa_nb.models.parsers import PARSERS

__all__ = ["ALL", "CurveParameters", "all_data", "curve", "work"]

ALL = "all data"
"""The strategy of a parser that has learned from all trees."""


@dataclass(frozen=True)
class CurveParameters:
    """What a curve depends on besides corpus, strategy and seed.

    Attributes
    ----------
    start
        How many sentences are annotated at the beginning, drawn by the seed.
    budget, unit, rounds
        How much is asked in a round, and how many rounds.
    warm
        Whether parsers go on from their weights.
    model, options
        The parser's class and what differs from its defaults.
    load
        Options with which the corpus is loaded.
    """

    start: int = 100
    budget: int = 500
    unit: Unit = "dependencies"
    rounds: int = 10
    warm: bool = False
    model: str = "crf"
    options: dict[str, Any] = field(default_factory=dict)
    load: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, low in {"start": 0, "budget": 1, "rounds": 1}.items():
            value = getattr(self, name)
            if type(value) is not int or value < low:
                raise ParameterError(f"{name} is {value!r}, expected a whole number from {low}")
        if self.unit not in ("dependencies", "sentences"):
            raise ParameterError(f"unit is {self.unit!r}, expected dependencies or sentences")
        if self.model not in PARSERS:
            raise ParameterError(f"model is {self.model!r}, expected one of {', '.join(PARSERS)}")
        known = PARSERS[self.model]().get_params()
        if wrong := sorted(set(self.options) - set(known)):
            problem = f"no option of {self.model}, expected one of {', '.join(known)}"
            raise ParameterError(f"options has {wrong[0]!r}, {problem}")

    def of_all_data(self) -> dict[str, Any]:
        """Return those that a parser that learns from all trees depends on."""
        return {name: getattr(self, name) for name in ("model", "options", "load")}

    @classmethod
    def of(cls, run: Run) -> "CurveParameters":
        """Return a run's parameters; names that are not known are refused."""
        if run.strategy != ALL:
            find_strategy(run.strategy)
        if wrong := sorted(set(run.parameters) - set(cls.__dataclass_fields__)):
            raise ParameterError(f"{run}: no parameter {wrong[0]!r}")
        return cls(**run.parameters)


def curve(
    run: Run, checkpoint: Checkpoint, say: Callable[[Round], None] = lambda found: None
) -> pd.DataFrame:
    """Return a row for each round and sentence of dev.

    Columns are round, the units of `Cost`, sentence, right (how many words have the right head),
    words, stopped, and train_seconds, select_seconds, update_seconds of the round.

    Parameters
    ----------
    run, checkpoint
        See `Store`.
    say
        Is told of each round.
    """
    what, (train, dev) = CurveParameters.of(run), _trees(run.load())
    learner = checkpoint.load(ActiveLearner.load) or _learner(run, what, train)
    if not (checkpoint.rows and checkpoint.rows[-1]["stopped"]):
        rounds = learner.rounds(
            GoldOracle(train), what.budget, what.unit, dev=dev, most=what.rounds
        )
        for found in rounds:
            checkpoint.add(_rows(found), learner.save)
            say(found)
    if not checkpoint.rows:
        problem = "no round had anything to learn from; raise start or budget"
        raise ParameterError(f"{run}: {problem}")
    return pd.DataFrame(checkpoint.rows)


def all_data(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
    """Return such rows of a parser that has learned from all trees."""
    what, (train, dev) = CurveParameters.of(run), _trees(run.load())
    found = evaluate(dev, _parser(run, what).fit(train).predict(dev))
    return pd.DataFrame(_rows(Round(0, Cost(train.n_words), found, None, (), {}, ALL)))


def work(run: Run) -> float:
    """Return about how many words a run parses or learns from, each pass over them counted.

    A word counts as many times as the parser's order, and twice when it is learned from.
    """
    what, (train, dev) = CurveParameters.of(run), _trees(run.load())
    given = _parser(run, what).get_params()
    order, learning = given.get("order", 1), 2 * given["epochs"]
    if run.strategy == ALL:
        return float(order * (learning * train.n_words + dev.n_words))
    each = train.n_words / len(train)
    asked = np.arange(what.rounds + 1) * what.budget * (each if what.unit == "sentences" else 1)
    # Partial trees are learned from whole: a question for a word costs a pass over its sentence.
    partial_ = find_strategy(run.strategy).kind == "heads"
    learned = np.minimum(what.start * each + asked * (each if partial_ else 1), train.n_words)
    scored = (what.rounds + 1) * (train.n_words + dev.n_words)
    return float(order * (learning * learned.sum() + scored))


def _trees(corpus: Corpus) -> tuple[Treebank, Treebank]:
    if corpus.kind != "treebank" or not {"train", "dev"} <= set(corpus.files):
        raise ParameterError(f"corpus is {corpus.name}, expected a treebank with train and dev")
    for split in (corpus.train, corpus.dev):
        open_ = next((sentence for sentence in split if not sentence.is_full), None)
        if open_ is not None:
            problem = "has words without a head: nobody can be simulated who gives them"
            raise ParameterError(f"{split.where(open_)}: sentence {open_.sent_id} {problem}")
    return corpus.train, corpus.dev


def _parser(run: Run, what: CurveParameters) -> Any:
    return PARSERS[what.model](progress=False, threads=threads(), rng=run.seed, **what.options)


def _learner(run: Run, what: CurveParameters, train: Treebank) -> ActiveLearner:
    rng = np.random.default_rng(run.seed)
    start = rng.choice(len(train), min(what.start, len(train)), replace=False)
    pool = Pool.hiding(train, start.tolist())
    return ActiveLearner(_parser(run, what), run.strategy, pool, rng=run.seed, warm=what.warm)


def _rows(found: Round) -> list[dict[str, Any]]:
    """Return a row for each sentence that was scored on."""
    if found.dev is None:
        return []
    seconds = {f"{part}_seconds": value for part, value in found.seconds.items()}
    by = found.dev.words.groupby("sentence")["uas"]
    common = {"round": found.number, **asdict(found.cost), "stopped": found.stopped, **seconds}
    return [
        {**common, "sentence": sentence, "right": int(right), "words": int(words)}
        for (sentence, right), words in zip(by.sum().items(), by.size(), strict=True)
    ]
