"""A learning curve: one strategy, one seed, answers from the corpus's own trees."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from deppa_nb.active.annotators import GoldOracle
from deppa_nb.active.learner import ActiveLearner
from deppa_nb.active.pool import Pool
from deppa_nb.active.selection import Unit
from deppa_nb.active.strategies import find_strategy
from deppa_nb.corpus.sentence import Treebank
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.checkpoint import Checkpoint
from deppa_nb.experiments.runs import Run, threads
from deppa_nb.models.parsers import PARSERS

__all__ = ["CurveParameters", "curve"]


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

    @classmethod
    def of(cls, run: Run) -> "CurveParameters":
        """Return a run's parameters; names that are not known are refused."""
        find_strategy(run.strategy)
        if wrong := sorted(set(run.parameters) - set(cls.__dataclass_fields__)):
            raise ParameterError(f"{run}: no parameter {wrong[0]!r}")
        return cls(**run.parameters)


def curve(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
    """Return a row for each round and sentence of dev.

    Columns are round, dependencies, sentence, right (how many words have the right head), words,
    stopped, and train_seconds, select_seconds, update_seconds of the round.
    """
    what, corpus = CurveParameters.of(run), run.load()
    learner = checkpoint.load(ActiveLearner.load) or _learner(run, what, corpus.train)
    if checkpoint.rows and checkpoint.rows[-1]["stopped"]:
        return pd.DataFrame(checkpoint.rows)
    oracle = GoldOracle(corpus.train)
    for found in learner.rounds(oracle, what.budget, what.unit, dev=corpus.dev, most=what.rounds):
        row = found.row()
        kept = {name: row[name] for name in row if name.endswith("_seconds")}
        rows = [
            {"round": found.number, "dependencies": found.cost.dependencies, **by, **kept}
            for by in _by_sentence(found.dev, found.stopped)
        ]
        checkpoint.add(rows, learner.save)
    return pd.DataFrame(checkpoint.rows)


def _learner(run: Run, what: CurveParameters, train: Treebank) -> ActiveLearner:
    parser = PARSERS[what.model](progress=False, threads=threads(), rng=run.seed, **what.options)
    rng = np.random.default_rng(run.seed)
    start = rng.choice(len(train), min(what.start, len(train)), replace=False)
    pool = Pool.hiding(train, start.tolist())
    return ActiveLearner(parser, run.strategy, pool, rng=run.seed, warm=what.warm)


def _by_sentence(evaluation: Any, stopped: str) -> list[dict[str, Any]]:
    if evaluation is None:
        return []
    by = evaluation.words.groupby("sentence")["uas"]
    return [
        {"sentence": sentence, "right": int(right), "words": int(words), "stopped": stopped}
        for (sentence, right), words in zip(by.sum().items(), by.size(), strict=True)
    ]
