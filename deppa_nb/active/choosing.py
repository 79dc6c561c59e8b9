"""What a person is asked next: a model that learns from a log, and what it wants to know."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from deppa_nb.active.asking import ask, find_candidates
from deppa_nb.active.estimates import Estimate, estimates, model_hash
from deppa_nb.active.hindsight import Point, learned, point
from deppa_nb.active.log import Event, name_of
from deppa_nb.active.pool import Pool
from deppa_nb.active.queries import Query
from deppa_nb.active.selection import Allowance, Unit
from deppa_nb.active.strategies import Strategy
from deppa_nb.corpus.bank import Bank
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.trees import Heads

__all__ = ["Choice", "Chooser", "Task", "Thought", "thoughts"]

_TELLING = 4  # words; of shorter sentences there is little to learn

Asked = Sequence[tuple[int, Sequence[int]]]
"""Sentences by their position, and words of them."""


@dataclass(frozen=True, eq=False)
class Task:
    """A question as it is put to a person.

    Attributes
    ----------
    query
        What is asked.
    name
        The sentence's, in the log.
    """

    query: Query
    name: str


class Thought(NamedTuple):
    """What a model thinks of a sentence, as long as these heads are given."""

    given: Heads
    estimate: Estimate | None


def thoughts(
    parser: Any, names: Sequence[str], sentences: Sequence[Sentence]
) -> dict[str, Thought]:
    """Return what a parser thinks of sentences, by their names."""
    found = zip(names, sentences, estimates(parser, sentences), strict=True)
    return {name: Thought(sentence.heads, one) for name, sentence, one in found}


@dataclass(frozen=True, eq=False)
class Choice:
    """What a model chose.

    Attributes
    ----------
    parser, model_hash
        The model; None and "" if nothing can be learned yet.
    point
        What it is worth.
    tasks
        What it wants to know, the most wanted first.
    thoughts
        What it thinks of these sentences.
    """

    parser: Any
    point: Point
    tasks: list[Task]
    model_hash: str = ""
    thoughts: dict[str, Thought] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Chooser:
    """Learns and chooses; keeps nothing, so that a thread may use it.

    Attributes
    ----------
    bank, parser, strategy, rng
        As of `hindsight.learned`; without a parser, the order is random.
    budget, unit
        How much is chosen.
    dev
        What models are scored on.
    """

    bank: Bank[Any]
    parser: Any
    strategy: Strategy
    rng: int
    budget: int
    unit: Unit
    dev: Treebank | None

    def choice(self, events: Sequence[Event], number: int, asked: Asked) -> Choice:
        """Return what the model of a round, which learns these events, chooses.

        Parameters
        ----------
        events
            All that stood before the round.
        number
            Of the round.
        asked
            What is being asked, and not chosen again.
        """
        learner = learned(
            self.bank, events, self.parser, self.strategy, rng=self.rng, number=number
        )
        _close(learner.pool, asked)
        found, is_trained = point(learner, events, self.dev), hasattr(learner.parser, "weights_")
        if self.parser is None:
            return Choice(None, found, self._tasks(self._random(learner.pool, number)))
        if not is_trained:
            self._close_long(learner.pool)
        tasks = self._tasks(learner.query(self.budget, self.unit))
        if not is_trained:
            return Choice(None, found, tasks)
        heads = [task for task in tasks if task.query.kind in ("heads", "tree")]
        sentences = [learner.pool[task.query.sentence] for task in heads]
        ready = thoughts(learner.parser, [task.name for task in heads], sentences)
        return Choice(learner.parser, found, tasks, model_hash(learner.parser), ready)

    def _close_long(self, pool: Pool) -> None:
        """Leave only as many short sentences as are asked about: without a model all are equal."""
        order = sorted(pool.askable.tolist(), key=lambda j: (len(pool[j]) < _TELLING, len(pool[j])))
        words = np.cumsum([len(pool.open(j)) if self.unit == "dependencies" else 1 for j in order])
        for j in order[int(np.searchsorted(words, self.budget)) + 1 :]:
            pool.close(j)

    def _random(self, pool: Pool, number: int) -> list[Query]:
        rng = np.random.default_rng([self.rng, number])
        candidates = find_candidates(self.strategy, None, pool)
        return ask(self.strategy, candidates, Allowance(self.budget, self.unit), rng)

    def _tasks(self, queries: Iterable[Query]) -> list[Task]:
        return [Task(query, name_of(self.bank[query.sentence])) for query in queries]


def _close(pool: Pool, asked: Asked) -> None:
    for sentence, words in asked:
        pool.close(sentence, words)
