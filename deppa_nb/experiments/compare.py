"""A learning curve: one strategy, one seed, answers from the corpus's own trees."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from deppa_nb.active.annotators import GoldOracle
from deppa_nb.active.costs import Cost
from deppa_nb.active.learner import ActiveLearner
from deppa_nb.active.pool import Pool
from deppa_nb.active.rounds import Round
from deppa_nb.active.selection import Unit
from deppa_nb.active.strategies import find_strategy
from deppa_nb.corpus.evaluate import Evaluation, evaluate
from deppa_nb.corpus.sentence import Treebank
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.checkpoint import Checkpoint
from deppa_nb.experiments.runs import Run, read_parameters, threads
from deppa_nb.experiments.splits import Tags, splits_of, thinned
from deppa_nb.models.parsers import PARSERS

__all__ = ["ALL", "CurveParameters", "Score", "all_data", "curve", "work"]

ALL = "all data"
"""The strategy of a parser that has learned from all trees."""

Score = Literal["uas", "las"]

_MOST = 1_000_000


@dataclass(frozen=True)
class CurveParameters:
    """What a curve depends on besides corpus, strategy and seed.

    Attributes
    ----------
    start
        How many sentences are annotated at the beginning.
    first
        Whether they are the first ones; by default they are drawn by the seed.
    budget, unit, rounds
        How much is asked in a round, and how many rounds.
    warm
        Whether parsers go on from their weights.
    model, options
        The parser's class and what differs from its defaults.
    load
        Options with which the corpus is loaded.
    longest, tags, most
        See `splits`.
    test
        Whether test is scored on as well as dev.
    score
        What makes a word right: its head (uas), or head and label (las).
    """

    start: int = 100
    first: bool = False
    budget: int = 500
    unit: Unit = "dependencies"
    rounds: int = 10
    warm: bool = False
    model: str = "crf"
    options: dict[str, Any] = field(default_factory=dict)
    load: dict[str, Any] = field(default_factory=dict)
    longest: int = 0
    tags: Tags = "given"
    most: int = 0
    test: bool = False
    score: Score = "uas"

    def __post_init__(self) -> None:
        least = {"start": 0, "budget": 1, "rounds": 1, "longest": 0, "most": 0}
        for name, low in least.items():
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= _MOST:
                expected = f"a whole number from {low} to {_MOST:,}"
                raise ParameterError(f"{name} is {value!r}, expected {expected}")
        if self.unit not in ("dependencies", "sentences"):
            raise ParameterError(f"unit is {self.unit!r}, expected dependencies or sentences")
        if self.tags not in get_args(Tags):
            raise ParameterError(f"tags is {self.tags!r}, expected {' or '.join(get_args(Tags))}")
        if self.model not in PARSERS:
            raise ParameterError(f"model is {self.model!r}, expected one of {', '.join(PARSERS)}")
        known = PARSERS[self.model]().get_params()
        if wrong := sorted(set(self.options) - set(known)):
            problem = f"no option of {self.model}, expected one of {', '.join(known)}"
            raise ParameterError(f"options has {wrong[0]!r}, {problem}")
        if self.score not in get_args(Score):
            raise ParameterError(f"score is {self.score!r}, expected uas or las")
        if self.score == "las" and not {**known, **self.options}["labels"]:
            raise ParameterError(f"score is las, expected {self.model} with labels")

    def of_all_data(self) -> dict[str, Any]:
        """Return those that a parser that learns from all trees depends on."""
        names = ("model", "options", "load", "longest", "tags", "most", "test", "score")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def of(cls, run: Run) -> "CurveParameters":
        """Return a run's parameters; names that are not known are refused."""
        if run.strategy != ALL:
            find_strategy(run.strategy)
        return read_parameters(cls, run)


def curve(
    run: Run, checkpoint: Checkpoint, say: Callable[[Round], None] = lambda found: None
) -> pd.DataFrame:
    """Return a row for each round and sentence that is scored on.

    Columns are round, the units of `Cost`, split, sentence, right (how many words are, see
    `CurveParameters.score`), words, stopped, and train_seconds, select_seconds, update_seconds of
    the round.

    Parameters
    ----------
    run, checkpoint
        See `Store`.
    say
        Is told of each round.
    """
    what, (train, dev, test) = CurveParameters.of(run), splits_of(run)
    learner = checkpoint.load(ActiveLearner.load) or _learner(run, what, train)
    if not (checkpoint.rows and checkpoint.rows[-1]["stopped"]):
        _warm_up(run, what, train)
        rounds = learner.rounds(
            GoldOracle(train), what.budget, what.unit,
            dev=dev, test=test if what.test else None, most=what.rounds,
        )  # fmt: skip
        for found in rounds:
            checkpoint.add(_rows(found, what.score), learner.save)
            say(found)
    if not checkpoint.rows:
        problem = "no round had anything to learn from; raise start or budget"
        raise ParameterError(f"{run}: {problem}")
    return pd.DataFrame(checkpoint.rows)


def all_data(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
    """Return such rows of a parser that has learned from all trees."""
    what, (train, dev, test) = CurveParameters.of(run), splits_of(run)
    parser = _parser(run, what).fit(train)
    on_dev, on_test = (
        evaluate(bank, parser.predict(bank)) if bank else None
        for bank in (dev, test if what.test else None)
    )
    found = Round(0, Cost(train.n_words), on_dev, on_test, (), {}, ALL)
    return pd.DataFrame(_rows(found, what.score))


def work(run: Run) -> float:
    """Return about how many words a run parses or learns from, each pass over them counted.

    A word counts as many times as the parser's order, and twice when it is learned from.
    """
    what, corpus = CurveParameters.of(run), run.load()
    train, scored_on = thinned(corpus.train, what.most), corpus.dev.n_words * (1 + what.test)
    given = _parser(run, what).get_params()
    order, learning = given.get("order", 1), 2 * given["epochs"]
    if run.strategy == ALL:
        return float(order * (learning * train.n_words + scored_on))
    each = train.n_words / len(train)
    # Partial trees are learned from whole: a question for a word costs a pass over its sentence.
    whole = what.unit == "sentences" or find_strategy(run.strategy).kind == "heads"
    asked = np.arange(what.rounds + 1) * what.budget * (each if whole else 1)
    learned = np.minimum(what.start * each + asked, train.n_words)
    scored = (what.rounds + 1) * (train.n_words + scored_on)
    return float(order * (learning * learned.sum() + scored))


def _parser(run: Run, what: CurveParameters) -> Any:
    return PARSERS[what.model](progress=False, threads=threads(), rng=run.seed, **what.options)


def _learner(run: Run, what: CurveParameters, train: Treebank) -> ActiveLearner:
    start = np.arange(min(what.start, len(train)))
    if not what.first:
        start = np.random.default_rng(run.seed).choice(len(train), len(start), replace=False)
    pool = Pool.hiding(train, start.tolist())
    return ActiveLearner(_parser(run, what), run.strategy, pool, rng=run.seed, warm=what.warm)


def _warm_up(run: Run, what: CurveParameters, train: Treebank) -> None:
    """Do all of a round with a few sentences: kernels are compiled before a clock runs."""
    some = train.with_sentences(train[:4])
    small = replace(what, start=2, budget=1, rounds=1, first=True)
    learner = _learner(run, small, some)
    for _ in learner.rounds(GoldOracle(some), 1, what.unit, dev=some, most=1):
        pass


def _rows(found: Round, score: Score) -> list[dict[str, Any]]:
    """Return a row for each sentence that was scored on."""
    seconds = {f"{part}_seconds": value for part, value in found.seconds.items()}
    common = {"round": found.number, **asdict(found.cost), "stopped": found.stopped, **seconds}
    rows = []
    for split, scores in (("dev", found.dev), ("test", found.test)):
        if isinstance(scores, Evaluation):
            by = scores.words.groupby("sentence")[score]
            rows += [
                {**common, "split": split, "sentence": sentence, "right": int(right), "words": n}
                for (sentence, right), n in zip(by.sum().items(), by.size().tolist(), strict=True)
            ]
    return rows
