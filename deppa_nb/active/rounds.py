"""Rounds: learn, ask, be taught, again and again."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from deppa_nb.active.costs import Cost
from deppa_nb.active.queries import Annotator, Answer, Query
from deppa_nb.active.selection import Unit
from deppa_nb.active.stopping import Stopping
from deppa_nb.corpus.evaluate import Evaluation, evaluate
from deppa_nb.corpus.sentence import Treebank
from deppa_nb.corpus.sequences import SequenceBank
from deppa_nb.corpus.span_scores import SpanScores, score_spans
from deppa_nb.corpus.textfile import PathLike
from deppa_nb.errors import PoolError, TreeError

if TYPE_CHECKING:
    from deppa_nb.active.learner import ActiveLearner

__all__ = ["Round", "play"]

NO_QUESTION = "no question is left that the budget allows"
_SCORES = ("uas", "las", "exact", "f1")

Scored = Treebank | SequenceBank
"""What a model is scored on."""


@dataclass(frozen=True)
class Round:
    """What happened in one round.

    Attributes
    ----------
    number
        From 0, in which the model has learned from what was known at the beginning.
    cost
        Of all that the model of this round has learned from.
    dev, test
        How good it is; None if it was not to be scored, or has learned nothing.
    queries
        What was asked then.
    seconds
        Of train, select and update.
    stopped
        Why this was the last round, or "".
    refused
        Answers that did not fit what is known, and were passed over.
    """

    number: int
    cost: Cost
    dev: Evaluation | SpanScores | None
    test: Evaluation | SpanScores | None
    queries: tuple[Query, ...]
    seconds: dict[str, float]
    stopped: str = ""
    refused: int = 0

    def row(self) -> dict[str, Any]:
        """Return a row of a table: round, costs, dev_uas and so on, train_seconds and so on."""
        scores = {
            f"{split}_{name}": getattr(evaluation, name)
            for split, evaluation in (("dev", self.dev), ("test", self.test))
            if evaluation is not None
            for name in _SCORES
            if hasattr(evaluation, name)
        }
        seconds = {f"{part}_seconds": value for part, value in self.seconds.items()}
        asked = {"asked": len(self.queries), "refused": self.refused, "stopped": self.stopped}
        return {"round": self.number, **asdict(self.cost), **scores, **asked, **seconds}


def play(
    learner: "ActiveLearner",
    annotator: Annotator,
    budget: int,
    unit: Unit,
    *,
    dev: Scored | None,
    test: Scored | None,
    stopping: Sequence[Stopping],
    most: int | None,
    checkpoint: PathLike | None,
) -> Iterator[Round]:
    """Yield rounds, see `ActiveLearner.rounds`."""
    while True:
        seconds: dict[str, float] = {}
        with _timed(seconds, "train"):
            trained = learner.train()
        on_dev, on_test = (_score(learner, bank) if trained else None for bank in (dev, test))
        stopped = _reason(learner, stopping if trained else (), most)
        with _timed(seconds, "select"):
            queries = [] if stopped else learner.query(budget, unit)
        number, cost = learner.round, learner.cost
        answers = annotator.answer(queries) if queries else []
        with _timed(seconds, "update"):
            refused = _teach(learner, answers)
        if not stopped and learner.round == number:
            stopped = "nothing new was answered" if queries else NO_QUESTION
        if checkpoint is not None:
            learner.save(checkpoint)
        yield Round(number, cost, on_dev, on_test, tuple(queries), seconds, stopped, refused)
        if stopped:
            return


def _teach(learner: "ActiveLearner", answers: list[Answer]) -> int:
    """Teach answers; return how many did not fit: their words are passed over."""
    try:
        learner.teach(answers)
        return 0
    except (PoolError, TreeError):
        refused = 0
        for answer in answers:
            try:
                learner.teach([answer])
            except (PoolError, TreeError):
                learner.teach([replace(answer, heads=(-1,) * len(answer.query.tokens), labels=())])
                refused += 1
        return refused


@contextmanager
def _timed(seconds: dict[str, float], part: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[part] = time.perf_counter() - start


def _score(learner: "ActiveLearner", bank: Scored | None) -> Evaluation | SpanScores | None:
    if not bank:
        return None
    found = learner.parser.predict(bank)
    return evaluate(bank, found) if isinstance(bank, Treebank) else score_spans(bank, found)


def _reason(learner: "ActiveLearner", stopping: Sequence[Stopping], most: int | None) -> str:
    reasons = [rule.reason(learner) for rule in stopping]
    if most is not None and learner.round >= most:
        reasons.append(f"{most} rounds")
    return next((reason for reason in reasons if reason), "")
