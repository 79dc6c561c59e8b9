"""How long a dependency takes and how often it is right, from the logs of people.

The columns are those of a study that lets people annotate full trees and single words: seconds for
a dependency of either task, accuracy of full trees, the same on words that were asked for singly
(the hard ones), and accuracy of these single words.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from deppa_nb.active.costs import Rates
from deppa_nb.active.log import Event, Log, sentences_by_id, words_digest
from deppa_nb.active.log_state import standing
from deppa_nb.corpus.sentence import Treebank
from deppa_nb.errors import ArgumentError, CorpusError, ParameterError

__all__ = ["MAX_GAP", "OVERALL", "TASKS", "fitted", "fitted_rates", "study_table"]

MAX_GAP = 60.0
"""Seconds; a longer time without an act is taken for a pause."""

OVERALL = "overall"
"""The row of all annotators together."""

TASKS = ("full", "partial")

_GIVEN = ("head", "label")


@dataclass(frozen=True)
class _Span:
    """The time before an event, in ms; `cut` if it is not known how long the event took."""

    event: Event
    task: str | None
    ms: int
    cut: bool


@dataclass(frozen=True)
class _Answer:
    annotator: str
    task: str
    sentence: str
    token: int
    digest: str | None
    head: int | str | None
    timed: bool


def fitted_rates(logs: Sequence[Log], *, max_gap: float = MAX_GAP) -> dict[str, dict[str, float]]:
    """Return seconds for a dependency, by annotator and task, as far as there are any.

    >>> from deppa_nb.active.log import Header
    >>> shown = Event("shown", "s1", 1, "full", ms=1000, seq=1, act=1)
    >>> given = Event("head", "s1", 1, "full", new=2, ms=5500, seq=2, act=2)
    >>> fitted_rates([Log(Header("anna", "mine", "d"), (shown, given))])
    {'anna': {'full': 4.5}}
    """
    table = study_table(logs, max_gap=max_gap).iloc[:-1]  # somebody may be called `OVERALL`
    rates: dict[str, dict[str, float]] = {}
    for task in TASKS:
        for annotator, seconds in table[f"seconds_{task}"].dropna().items():
            rates.setdefault(str(annotator), {})[task] = float(seconds)
    return rates


def fitted(logs: Sequence[Log], *, reading: float = 0.0, max_gap: float = MAX_GAP) -> Rates:
    """Return the mean rates of the people of some logs.

    Of a task that none of them has done, and of preferences, the rate is that of Table 3.

    Parameters
    ----------
    logs, max_gap
        See `study_table`.
    reading
        Of the rates.
    """
    by_person = fitted_rates(logs, max_gap=max_gap).values()
    if not by_person:
        raise ArgumentError(f"no log has the time of a head, without pauses over {max_gap} s")
    known = {
        task: float(np.mean([rates[task] for rates in by_person if task in rates]))
        for task in TASKS
        if any(task in rates for rates in by_person)
    }
    return Rates(**known, reading=reading)


def study_table(
    logs: Sequence[Log], gold: Treebank | None = None, *, max_gap: float = MAX_GAP
) -> pd.DataFrame:
    """Return a row for each annotator and one for all.

    A dependency is a word that has a head or a label at the end; corrections cost time. What does
    not count as time: while the page is hidden, until a question is shown, between one page and the
    next, and pauses over `max_gap`. A dependency whose own time is not known for one of these
    reasons is left out of seconds_*.

    Parameters
    ----------
    logs
        Of any treebanks.
    gold
        What is right; without it, or where it has no head, there is no accuracy.
    max_gap
        Seconds without an act after which a pause is assumed.

    Returns
    -------
    DataFrame
        Index annotator (`OVERALL` last: all dependencies together); columns dependencies_full,
        dependencies_partial, seconds_full, seconds_partial, accuracy_full, accuracy_full_hard (on
        words that someone got as a partial task), accuracy_partial; seconds a dependency and
        percent, nan where there is nothing to count.
    """
    if max_gap <= 0:
        raise ParameterError(f"max_gap is {max_gap}, expected over 0")
    answers = [answer for log in logs for answer in _answers(log, max_gap)]
    right = _right(answers, gold)
    hard = {(e.sentence, e.token) for log in logs for e in log.events if e.task == "partial"}
    times: dict[str, Counter[str]] = {}
    for log in logs:
        times.setdefault(log.header.annotator, Counter()).update(_times(log, max_gap))
    table = pd.DataFrame(
        {
            "annotator": [answer.annotator for answer in answers],
            "task": [answer.task for answer in answers],
            "timed": [answer.timed for answer in answers],
            "hard": [(answer.sentence, answer.token) in hard for answer in answers],
            "right": right,
        }
    )
    table = table.astype({"timed": bool, "hard": bool, "right": float})  # of no rows too
    names = sorted(times)
    rows = [_row(table[table["annotator"] == name], times[name]) for name in names]
    total = {task: sum(times[name][task] for name in names) for task in TASKS}
    index = pd.Index([*names, OVERALL], name="annotator")
    return pd.DataFrame([*rows, _row(table, total)], index=index)


def _row(answers: pd.DataFrame, ms: Mapping[str, int]) -> dict[str, float]:
    row: dict[str, float] = {}
    of = {task: answers[answers["task"] == task] for task in TASKS}
    for task in TASKS:
        row[f"dependencies_{task}"] = len(of[task])
    for task in TASKS:
        timed = int(of[task]["timed"].sum())
        row[f"seconds_{task}"] = ms[task] / 1000 / timed if timed and ms[task] else float("nan")
    for name, some in (
        ("accuracy_full", of["full"]),
        ("accuracy_full_hard", of["full"][of["full"]["hard"]]),
        ("accuracy_partial", of["partial"]),
    ):
        row[name] = 100 * float(some["right"].mean())
    return row


def _answers(log: Log, max_gap: float) -> Iterator[_Answer]:
    """Yield what each word has at the end, for each task in which it was given something."""
    spans = _spans(log.events, max_gap)
    timed = {(s.task, s.event.sentence, s.event.token) for s in spans if not s.cut}
    given: dict[tuple[str, str, int], dict[str, Event]] = {}
    for event in standing(log.events):
        if event.task and event.sentence is not None and event.token and event.what in _GIVEN:
            given.setdefault((event.task, event.sentence, event.token), {})[event.what] = event
    for word, last in given.items():
        if any(event.new is not None for event in last.values()):
            head = last["head"].new if "head" in last else None
            digest = next(iter(last.values())).digest
            yield _Answer(log.header.annotator, *word, digest, head, word in timed)


def _times(log: Log, max_gap: float) -> dict[str, int]:
    """Return the milliseconds spent on each task."""
    spans = list(_spans(log.events, max_gap))
    return {task: sum(span.ms for span in spans if span.task == task) for task in TASKS}


def _spans(events: Sequence[Event], max_gap: float) -> Iterator[_Span]:
    before: Event | None = None
    task: str | None = None
    for event in events:
        task = event.task or task
        gap = 0 if before is None else event.ms - before.ms
        # The state of the page is told whenever it changes, so it lasts until the next event.
        seen = before is not None and before.visible and 0 <= gap <= max_gap * 1000
        begins = event.what == "shown" or (event.what == "page" and event.new == "open")
        cut = begins or not seen
        yield _Span(event, task, 0 if cut else gap, cut)
        before = event


def _right(answers: Sequence[_Answer], gold: Treebank | None) -> list[float]:
    """Return 1 for a right head, 0 for a wrong one, nan where the gold head is not known."""
    named = {} if gold is None else sentences_by_id(gold)
    if gold is not None and answers and not {answer.sentence for answer in answers} & set(named):
        raise CorpusError(f"{gold.path or gold.name}: has no sentence that was annotated")
    digests = {name: words_digest(sentence.words) for name, sentence in named.items()}
    right = []
    for answer in answers:
        sentence = named.get(answer.sentence)
        if sentence is None or answer.head is None:
            right.append(float("nan"))
            continue
        if digests[answer.sentence] != answer.digest or answer.token > len(sentence):
            problem = f"sentence {answer.sentence!r} does not have the words that were annotated"
            raise CorpusError(f"{gold.where(sentence) if gold else ''}: {problem}")
        head = int(sentence.heads[answer.token])
        right.append(float(head == answer.head) if head >= 0 else float("nan"))
    return right
