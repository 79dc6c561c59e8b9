"""Answers to a log, and from it."""

from collections.abc import Iterator, Sequence
from typing import Any

from deppa_nb.active.log import Event, Log, Task, name_of, sentences_by_id, words_digest
from deppa_nb.active.log_state import State, state
from deppa_nb.active.log_writer import LogWriter
from deppa_nb.active.pool import Item
from deppa_nb.active.queries import Annotator, Answer, Query
from deppa_nb.corpus.bank import Bank
from deppa_nb.errors import CorpusError

__all__ = ["CHOICES", "Logged", "Replay"]

CHOICES = {"A": 1, "B": -1, "equal": 0}
"""What logs call the answers to a preference."""


class Replay:
    """What people have said before, as logs tell.

    Parameters
    ----------
    log
        Or several, of which a later one counts more; a label goes with the head it was given for.
    sentences
        The pool's sentences, in its order: questions are about positions, logs about names. Logs
        may speak of others too.
    """

    def __init__(self, log: Log | Sequence[Log], sentences: Sequence[Item]) -> None:
        logs = [log] if isinstance(log, Log) else list(log)
        self.name = " ".join(one.header.annotator for one in logs)
        self._names = list(sentences_by_id(Bank(tuple(sentences), "the pool")))
        self._said = State()
        self._preferred: dict[tuple[str, frozenset[tuple[int, ...]]], tuple[object, int]] = {}
        for one in logs:
            self._check(one, sentences)
            said = state(one.events)
            for word, head in said.heads.items():
                if self._said.heads.get(word, head) != head:
                    self._said.labels.pop(word, None)
            self._said.heads.update(said.heads)
            self._said.labels.update(said.labels)
            for (name, pair), choice in said.preferences.items():  # in whatever order it is shown
                self._preferred[name, frozenset(pair)] = pair[0], CHOICES[choice]

    def _check(self, log: Log, sentences: Sequence[Item]) -> None:
        """Refuse a log of another treebank."""
        words = dict(zip(self._names, sentences, strict=True))
        named = {event.sentence: event.digest for event in log.events if event.sentence is not None}
        if named and not named.keys() & words.keys():
            raise CorpusError(f"{log.path}: speaks of no sentence of the pool")
        for name, digest in named.items():
            if name in words and words_digest(words[name].words) != digest:
                problem = f"sentence {name!r} does not have the words that were annotated"
                raise CorpusError(f"{log.path}: {problem}")

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        """Answer what was answered before; words that were not are passed over.

        A preference cannot be passed over: one that is not in the logs gets no answer.
        """
        found = (self._one(query) for query in queries)
        return [answer for answer in found if answer is not None]

    def _one(self, query: Query) -> Answer | None:
        name, said = self._names[query.sentence], self._said
        if query.trees is not None:
            trees = tuple(tuple(tree[1:].tolist()) for tree in query.trees)
            if (pair := (name, frozenset(trees))) not in self._preferred:
                return None
            first, choice = self._preferred[pair]
            choice = choice if trees[0] == first else -choice
            return Answer(query, choice=choice, annotator=self.name)
        words = [(name, m) for m in query.tokens]
        heads = tuple(-1 if (h := said.heads.get(word)) is None else h for word in words)
        labels = tuple(said.labels.get(word) or "_" for word in words)
        return Answer(query, () if query.kind == "labels" else heads, labels, annotator=self.name)


class Logged:
    """Somebody whose answers are written to a log, so that they can be replayed.

    Parameters
    ----------
    annotator
        Who answers.
    log
        Where to.
    sentences
        The pool's sentences, in its order.
    """

    def __init__(self, annotator: Annotator, log: LogWriter, sentences: Sequence[Item]) -> None:
        self.annotator, self.log = annotator, log
        said = [event for event in log.events if event.what != "undo"]
        self._round = max((event.round for event in said), default=-1)
        self._clock = float(max((event.ms for event in said), default=0))
        self._names = [name_of(sentence) for sentence in sentences]

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        """Ask, and write down what is said."""
        answers = self.annotator.answer(list(queries))
        self._round += 1
        for answer in answers:
            shown, *said = self._events(answer)
            self.log.append(shown)
            self.log.append_act(said)
        return answers

    def _events(self, answer: Answer) -> Iterator[Event]:
        """Yield what was shown and said, at the times that follow from how long it took."""
        query, seconds = answer.query, answer.seconds
        known: dict[str, Any] = {
            "sentence": self._names[query.sentence],
            "how": "simulated",
            "round": self._round,
        }
        task: Task = "full" if query.kind == "tree" else "partial"
        step = 1000 * (0.0 if seconds != seconds else seconds) / max(len(query.tokens), 1)
        yield Event("shown", task=task, ms=round(self._clock), **known)
        if query.trees is not None:
            trees = tuple(tuple(tree[1:].tolist()) for tree in query.trees)
            choice = next(name for name, value in CHOICES.items() if value == answer.choice)
            self._clock += step * len(query.tokens)
            ms = round(self._clock)
            yield Event("tree", task=task, new=choice, trees=trees, ms=ms, **known)
            return
        for place, token in enumerate(query.tokens):
            self._clock += step
            said: dict[str, Any] = {"token": token, "task": task, "ms": round(self._clock), **known}
            head = answer.heads[place] if answer.heads else -1
            label = answer.labels[place] if answer.labels else "_"
            if head >= 0:
                yield Event("head", new=head, **said)
            if label != "_":
                yield Event("label", new=label, **said)
            if head < 0 and label == "_":
                yield Event("skip", **said)
