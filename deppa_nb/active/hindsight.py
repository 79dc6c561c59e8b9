"""What a learner knows after the first events of a log, whoever made them, now or long ago.

A person's session and the replay of its log both go through `learned`. So they agree: the model of
round k has learned from all that stood before the first event of round k.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deppa_nb.active.learner import ActiveLearner
from deppa_nb.active.log import Event, Log, name_of
from deppa_nb.active.log_state import State, state
from deppa_nb.active.pool import Item, Pool
from deppa_nb.active.queries import Answer, Query
from deppa_nb.active.replay import CHOICES
from deppa_nb.active.strategies import Strategy
from deppa_nb.corpus.bank import Bank
from deppa_nb.corpus.evaluate import evaluate
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.sequences import OPEN
from deppa_nb.errors import ArgumentError

__all__ = ["Point", "learned", "point", "pool_of", "replayed", "with_answers"]


@dataclass(frozen=True)
class Point:
    """A point of a learning curve.

    Attributes
    ----------
    round
        Whose model it is.
    answers
        Words that people have given a head or a label, and preferences, up to then.
    known
        All words that are annotated, those of the beginning included.
    uas
        Of the model, on development sentences, in percent; nan without them or without a model.
    """

    round: int
    answers: int
    known: int
    uas: float


def with_answers(item: Item, said: State) -> Item:
    """Return a sentence with what an annotator has said of it; what is taken away is open.

    >>> said = State(heads={("s1", 1): 2, ("s1", 2): None})
    >>> with_answers(Sentence.of(["Fish", "swim"], [-1, 0], sent_id="s1"), said).heads.tolist()
    [-1, 2, -1]
    """
    name, words = name_of(item), range(1, len(item) + 1)
    own = item.labels[1:] if isinstance(item, Sentence) else item.labels
    if not isinstance(item, Sentence):
        labels = tuple(said.labels.get((name, m), own[m - 1]) or OPEN for m in words)
        return replace(item, columns=(*item.columns[:-1], labels))
    before = item.heads.tolist()
    given = [said.heads.get((name, m), before[m]) for m in words]
    heads = [-1 if head is None else head for head in given]
    # A label belongs to an arc: with another head, the one that was there before is gone.
    kept = [own[m - 1] if heads[m - 1] == before[m] else OPEN for m in words]
    labels = tuple(said.labels.get((name, m), kept[m - 1]) or OPEN for m in words)
    return item.with_heads(heads, labels)


def pool_of(bank: Bank[Any], said: State) -> Pool:
    """Return a pool with what was said.

    Words that were passed over are not asked for again, nor is a sentence that was said to be done.
    """
    places = {name_of(item): j for j, item in enumerate(bank)}
    pool = Pool(bank)
    for name in {name for name, _ in (*said.heads, *said.labels)}:
        pool.put({places[name]: with_answers(bank[places[name]], said)})
    done = {(name, 0) for name in said.submitted}
    for name, word in said.skipped | said.unsure | done:
        pool.close(places[name], [word] if word else None)
    return pool


def learned(
    bank: Bank[Any],
    events: Iterable[Event],
    parser: Any,
    strategy: Strategy | str,
    *,
    rng: int = 1,
    number: int = 0,
) -> ActiveLearner:
    """Return a learner that has learned what a log says, from nothing.

    Parameters
    ----------
    bank
        What is annotated, as it was at the beginning.
    events
        Of its log.
    parser, strategy, rng
        As of `ActiveLearner`; without a parser, nothing is learned.
    number
        Of the round that is asked next.
    """
    said = state(events)
    learner = ActiveLearner(parser, strategy, pool_of(bank, said), rng=rng)
    places = {name_of(item): j for j, item in enumerate(bank)}
    learner.teach([_preference(places, *one) for one in said.preferences.items()])
    learner.round = number
    if parser is not None:
        learner.train()
    return learner


def _preference(places: dict[str, int], asked: Any, choice: str) -> Answer:
    name, pair = asked
    trees = np.array([(-1, *tree) for tree in pair], np.int32)
    tokens = tuple(np.flatnonzero(trees[0] != trees[1]).tolist())
    return Answer(Query(places[name], tokens, "preference", trees=trees), choice=CHOICES[choice])


def point(learner: ActiveLearner, events: Sequence[Event], dev: Treebank | None) -> Point:
    """Return how good a learner is that has learned these events."""
    trained = dev is not None and hasattr(learner.parser, "weights_")
    uas = evaluate(dev, learner.parser.predict(dev)).uas if trained and dev else float("nan")
    return Point(learner.round, state(events).answers, learner.pool.n_given, uas)


def replayed(
    log: Log,
    bank: Bank[Any],
    parser: Any,
    strategy: Strategy | str,
    *,
    rng: int = 1,
    dev: Treebank | None = None,
) -> Iterator[tuple[Point, ActiveLearner]]:
    """Yield the models of a log's rounds, trained anew, and last the one that knows all of it.

    To the same parser parameters and seed they are the models that the annotator had.
    """
    firsts: dict[int, int] = {}
    for place, event in enumerate(log.events):
        firsts.setdefault(event.round, place)
    ends = {**firsts, max(firsts, default=-1) + 1: len(log.events)}
    if list(ends) != sorted(ends):
        raise ArgumentError(f"{log.path}: a round after a later one, expected them in order")
    for number, end in ends.items():
        events = log.events[:end]
        learner = learned(bank, events, parser, strategy, rng=rng, number=number)
        yield point(learner, events, dev), learner
