"""A person's session: questions ahead, every act on the disk, a parser that learns behind.

Nobody waits for the parser. While round k is answered, the model of round k is trained on all that
stood before it and chooses the questions of round k + 1, in a thread of its own (the kernels let go
of the interpreter). Should that take longer than the answers, round k goes on with the next best
questions of the last choice. What was passed over is asked once more when nothing else is left.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from deppa_nb.active.choosing import Choice, Chooser, Task, Thought, thoughts
from deppa_nb.active.estimates import Estimate
from deppa_nb.active.hindsight import Point
from deppa_nb.active.log_state import Word
from deppa_nb.active.queries import Query
from deppa_nb.active.recording import Recorder
from deppa_nb.active.selection import Unit
from deppa_nb.active.strategies import Strategy, find_strategy
from deppa_nb.corpus.bank import Bank
from deppa_nb.corpus.relations import RELATIONS
from deppa_nb.corpus.sentence import ROOT, Sentence, Treebank
from deppa_nb.corpus.sequences import OPEN
from deppa_nb.corpus.textfile import PathLike
from deppa_nb.errors import ParameterError
from deppa_nb.kernels._jit import cache_folder

__all__ = ["Session"]

_AHEAD = 4  # rounds' worth of questions that a model chooses, to have some in reserve
_FIRST = 5  # questions of a round before there is a model: the first suggestions come soon
_RECENT = 5  # sentences of earlier sessions that can be gone back to


class Session:
    """What one annotator is asked and answers.

    Parameters
    ----------
    bank
        Sentences, of which what is annotated is known.
    log
        The annotator's log; what is in it is known too. Another session of this process that has
        it open is closed.
    annotator
        Who.
    parser, strategy, rng
        As of `ActiveLearner`; without a parser, nothing is learned and the order is random.
    batch, unit
        What a round asks: so many words or sentences (by default what the strategy chooses); fewer
        as long as a parser has nothing to learn from.
    certain
        Words whose likeliest head reaches this probability, given the answers so far, are no longer
        asked for; 0 asks for all.
    dev
        What to score the models on.

    Attributes
    ----------
    tasks
        All questions up to now.
    recorder
        Writes the log; its round is the one that is answered.
    model, model_hash
        The parser that has learned last; None and "" if none has.
    curve
        The models so far.
    certain_words
        Words that are not asked for any more, by sentence.
    compiles
        Whether kernels have to be compiled before the first question, once on a machine.
    """

    def __init__(
        self,
        bank: Bank[Any],
        log: PathLike,
        *,
        annotator: str,
        parser: Any,
        strategy: Strategy | str = "pa-gap",
        rng: int = 1,
        batch: int = 20,
        unit: Unit | None = None,
        certain: float = 0.0,
        dev: Treebank | None = None,
    ) -> None:
        self.strategy = find_strategy(strategy) if isinstance(strategy, str) else strategy
        if batch < 1 or not 0 <= certain <= 1:
            raise ParameterError("expected batch from 1 and certain from 0 to 1")
        self.bank, self.parser, self.batch, self.certain = bank, parser, batch, certain
        self.unit: Unit = unit or ("dependencies" if self.strategy.kind == "heads" else "sentences")
        self.recorder = Recorder(bank, log, annotator)
        self.compiles = parser is not None and not any(cache_folder().glob("**/*.nbc"))
        self._chooser = Chooser(
            bank, parser, self.strategy, rng=rng, budget=_AHEAD * batch, unit=self.unit, dev=dev
        )
        self.tasks = self._recent()
        self.model: Any = None
        self.model_hash = ""
        self._thoughts: dict[str, Thought] = {}
        self.curve: list[Point] = []
        self.certain_words: dict[str, set[int]] = {}
        self._spare: list[Task] = []
        self._over = 0  # tasks before this one belong to rounds that were ended
        self._thread = ThreadPoolExecutor(1, "deppa-session")
        self._next: Future[Choice] | None = None
        self._begin()

    def _recent(self) -> list[Task]:
        """Return what was said of the last sentences of earlier sessions, the latest last."""
        said = self.recorder.said
        given: dict[str, list[int]] = {}
        answered = said.labels if self.strategy.kind == "labels" else said.heads
        for name, m in dict.fromkeys([*answered, *said.skipped, *said.unsure]):
            if m:
                given.setdefault(name, []).append(m)
        last = [e.sentence for e in reversed(self.recorder.log.events) if e.sentence in given]
        names = [*dict.fromkeys(name for name in last if name)][:_RECENT]
        return self._tasks({name: given[name] for name in reversed(names)})

    def _tasks(self, words: Mapping[str, Iterable[int]]) -> list[Task]:
        """Return questions about words of sentences."""
        places = {name: j for j, name in enumerate(self.recorder.sentences)}
        kind = self.strategy.kind
        return [Task(Query(places[n], tuple(sorted(w)), kind), n) for n, w in words.items()]

    def close(self) -> None:
        """Let others write the log; what is being learned is dropped."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self.recorder.close()

    def left(self) -> list[Task]:
        """Return the questions of this round that are not answered."""
        return [task for task in self.tasks[self._over :] if self.open_words(task)]

    def end_round(self) -> None:
        """Do not wait for the questions that are left; they can still be answered."""
        self._over = len(self.tasks)

    def ask_passed(self) -> bool:
        """Ask now for what was passed over, before all else; tell whether there is any."""
        if not self.passed:
            return False
        said = self.recorder.said
        asked = {(task.name, m) for task in self.tasks for m in task.query.tokens}
        words: dict[str, list[int]] = {}
        for name, m in sorted((said.skipped | said.unsure) & self.passed - asked):
            if m:  # two trees are chosen anew
                words.setdefault(name, []).append(m)
        self.tasks[:0] = self._tasks(words)  # of earlier sessions
        self.recorder.reopen()
        self._over = 0
        return True

    def wait(self) -> None:
        """Wait until the model that is learning has learned."""
        if self._next is not None:
            self._next.exception()

    def open_words(self, task: Task) -> list[int]:
        """Return the words of a question that were neither answered nor passed over."""
        said, name = self.recorder.said, task.name
        if name in said.submitted or (name, 0) in said.skipped:
            return []
        if task.query.trees is not None:
            pair = tuple(tuple(tree[1:].tolist()) for tree in task.query.trees)
            return [] if (name, pair) in said.preferences else list(task.query.tokens)
        given = said.labels if self.strategy.kind == "labels" else said.heads
        done = {m for m in task.query.tokens if given.get((name, m)) is not None}
        passed = {m for sentence, m in said.skipped | said.unsure if sentence == name}
        passed |= self.certain_words.get(name, set())
        return [m for m in task.query.tokens if m not in done | passed]

    @property
    def passed(self) -> set[Word]:
        """Words (preferences: sentences, as word 0) that were passed over and have no answer."""
        said = self.recorder.said
        whole = {(name, 0) for name in said.submitted} | {w for w in said.skipped if not w[1]}
        if self.strategy.kind == "preference":
            return whole - {(name, 0) for name, _ in said.preferences}
        words = {(name, m) for name, _ in whole for m in range(1, len(self._item(name)) + 1)}
        return {(n, m) for n, m in said.skipped | said.unsure | words if m and self._is_open(n, m)}

    def _is_open(self, name: str, m: int) -> bool:
        """Tell whether a word has no head (of a sequence: no label)."""
        said, item = self.recorder.said, self._item(name)
        if isinstance(item, Sentence):
            return said.heads.get((name, m), int(item.heads[m])) in (None, -1)
        return said.labels.get((name, m), item.labels[m - 1]) in (None, OPEN)

    def _item(self, name: str) -> Any:
        return self.recorder.sentences[name]

    def estimates(self, names: Sequence[str]) -> list[Estimate | None]:
        """Return what the model thinks of sentences now, None if there is none with probabilities.

        Words that are certain by now are noted, if they are not to be asked for.
        """
        sentences = [self.recorder.sentence(name) for name in names]
        if self.model is None or not all(isinstance(one, Sentence) for one in sentences):
            return [None] * len(names)
        known = [self._thoughts.get(name) for name in names]
        pairs = list(zip(names, sentences, known, strict=True))
        new = [(n, s) for n, s, k in pairs if k is None or not np.array_equal(k.given, s.heads)]
        self._thoughts |= thoughts(self.model, *zip(*new, strict=True)) if new else {}
        found = [self._thoughts[name].estimate for name in names]
        if self.certain:
            for name, one in zip(names, found, strict=True):
                self.certain_words[name] = set(one.certain(self.certain) if one else ())
        return [*found]

    @property
    def is_ready(self) -> bool:
        """Whether the model that learns is done, or none has to."""
        return self._next is None or self._next.done()

    @property
    def waits(self) -> bool:
        """Whether there is no question left, but may be one soon."""
        return self._next is not None and not self.left()

    def advance(self, *, wait: bool = False) -> list[Task]:
        """Return more questions if all are answered.

        They are those of the next round or, until its model is ready, further ones of this round.

        Parameters
        ----------
        wait
            For the next model, if there is nothing else to ask.
        """
        if self.left():
            return []
        if self._next is not None and (self._next.done() or (wait and not self._spare)):
            done, self._next = self._next, None  # should it have failed, the next one may not
            self._adopt(done.result())
        begins = self._next is None and self._has_news()
        self.recorder.round += begins
        more = self._take()
        self.tasks += more
        if begins or (not more and self._next is None and self._reopen()):
            self._begin()
        return more

    def _reopen(self) -> bool:
        """Open what was passed over, once; tell whether there was any."""
        return not self.recorder.reopened and self.ask_passed()

    def _adopt(self, chosen: Choice) -> None:
        if all(point.round != chosen.point.round for point in self.curve):  # else it knows the same
            self.curve.append(chosen.point)
        self._spare = chosen.tasks
        if chosen.parser is not None:
            self.model, self.model_hash = chosen.parser, chosen.model_hash
            self._thoughts = chosen.thoughts

    def _has_news(self) -> bool:
        """Tell whether anything was answered since a model began to learn."""
        return any(
            event.what not in ("page", "shown") for event in self.recorder.log.events[self._seen :]
        )

    def _take(self) -> list[Task]:
        """Take a round's worth of the questions in reserve, as far as they are still open."""
        some: list[Task] = []
        size = 0
        is_first = self.model is None and self.parser is not None
        most = min(self.batch, _FIRST) if is_first else self.batch
        while self._spare and size < most:
            task = self._spare.pop(0)
            if words := self.open_words(task):
                whole = task.query.trees is not None
                query = task.query if whole else replace(task.query, tokens=tuple(words))
                some.append(replace(task, query=query))
                size += len(words) if self.unit == "dependencies" else 1
        return some

    def _begin(self) -> None:
        """Let a model learn what is known now, and choose among what is not being asked."""
        self._seen = len(self.recorder.log.events)
        asked = [(task.query.sentence, self.open_words(task)) for task in self.left()]
        events = self.recorder.events
        number = self.recorder.round
        self._next = self._thread.submit(self._chooser.choice, events, number, asked)

    @property
    def labels(self) -> list[str]:
        """Labels that were used, the commonest first, then those of Universal Dependencies."""
        used = Counter(
            label for item in self.bank for label in item.labels if label not in (OPEN, ROOT)
        )
        used.update(label for label in self.recorder.said.labels.values() if label)
        more = RELATIONS if self.strategy.kind != "labels" else ()
        return list(dict.fromkeys([*(name for name, _ in used.most_common()), *more]))
