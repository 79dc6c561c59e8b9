"""Table 3 of Li et al. (2016): how long people take and how often they are right.

From logs of people. Without any, nothing is made up: people who are simulated with the published
rates only show that the estimator gives back what was put in.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deppa_nb.active.log import (
    Event,
    Header,
    Log,
    Task,
    bank_digest,
    read_log,
    sentences_by_id,
    words_digest,
)
from deppa_nb.active.timing import study_table
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.errors import ParameterError

__all__ = ["NEEDS_PEOPLE", "PUBLISHED", "check_estimator", "people_table", "simulated_logs"]

PUBLISHED = pd.DataFrame(
    {"seconds_full": [4.0, 7.5, 10.0, 5.1, 7.0, 7.0, 6.7],
     "seconds_partial": [7.9, 16.0, 22.2, 8.7, 17.3, 10.6, 13.6],
     "accuracy_full": [84.65, 78.90, 69.75, 66.75, 65.47, 58.05, 70.36],
     "accuracy_full_hard": [73.41, 72.22, 59.77, 49.19, 48.50, 43.28, 57.28],
     "accuracy_partial": [75.28, 62.18, 56.91, 61.77, 48.39, 48.37, 59.06]},
    index=pd.Index(["1", "2", "3", "4", "5", "6", "overall"], name="annotator"),
)  # fmt: skip
"""Seconds for a dependency, and percent that are right."""

NEEDS_PEOPLE = "needs people"

_SIMULATED = "simulated"
_SENTENCES, _LENGTHS, _HARD = 100, (10, 20), 0.2  # the design of the study
_SHAPE = 6.0  # of the gamma distribution of seconds: hardly any is taken for a pause
_PAUSE = 0.02  # how often somebody leaves, for minutes
_AWAY_MS = 300_000
_WIDE = 1.96


def people_table(folder: str, gold: Treebank) -> pd.DataFrame:
    """Return Table 3 from the logs in a folder (all ``*.jsonl``), or that people are needed.

    Parameters
    ----------
    folder
        Empty: there are no logs.
    gold
        What is right.
    """
    if not folder:
        return pd.DataFrame({"state": [NEEDS_PEOPLE]}, pd.Index(["people"], name="annotator"))
    logs = {path: read_log(path) for path in sorted(Path(folder).glob("*.jsonl"))}
    if not logs:
        raise ParameterError(f"logs is {folder!r}, expected a folder with logs (*.jsonl)")
    known, seen = sentences_by_id(gold), set()
    for path, log in logs.items():
        asked = {event.sentence for event in log.events if event.sentence}
        if any(event.how == _SIMULATED for event in log.events):
            raise ParameterError(f"{path}: has simulated answers, expected those of people")
        if asked and not asked & known.keys():
            raise ParameterError(f"{path}: has no sentence of {gold.name}, which was to annotate")
        if (log.header, log.events) in seen:
            raise ParameterError(f"{path}: a log that is there twice")
        seen.add((log.header, log.events))
    return study_table(list(logs.values()), gold)


def check_estimator(bank: Treebank, rng: np.random.Generator) -> pd.DataFrame:
    """Return what was put into simulated logs and what `study_table` finds in them.

    Returns
    -------
    DataFrame
        A row for each person and rate: annotator, rate, put in, found, and the ends between which
        it is found in 95 of 100 such studies.
    """
    logs = simulated_logs(bank, rng)
    table = study_table(logs, bank)
    rows = []
    for who in PUBLISHED.index[:-1]:
        n = {"full": table.loc[who, "dependencies_full"]}
        n["partial"] = n["hard"] = table.loc[who, "dependencies_partial"]
        for rate in PUBLISHED.columns:
            given, count = PUBLISHED.loc[who, rate], n[rate.rsplit("_", 1)[1]]
            spread = given / np.sqrt(_SHAPE)
            if rate.startswith("accuracy"):
                spread = np.sqrt(given * (100 - given))
            half = _WIDE * spread / np.sqrt(count)
            rows.append(
                {"annotator": who, "rate": rate, "put in": given, "found": table.loc[who, rate],
                 "low": given - half, "high": given + half}
            )  # fmt: skip
    return pd.DataFrame(rows).set_index("annotator")


def simulated_logs(bank: Treebank, rng: np.random.Generator) -> list[Log]:
    """Return the logs of six people with the published rates, in the design of the study.

    A hundred sentences; each of them is annotated in full by three people, and by the other three a
    fifth of its words, the same for all.

    Parameters
    ----------
    bank
        With whole trees.
    rng
        What is random: sentences, words, seconds, mistakes.
    """
    low, high = _LENGTHS
    fit = [s for s in bank if low <= len(s) <= high] or [s for s in bank if len(s) > 1]
    chosen = [fit[k] for k in rng.permutation(len(fit))[:_SENTENCES]]
    hard = [np.sort(rng.permutation(len(s))[: max(1, round(_HARD * len(s)))]) + 1 for s in chosen]
    logs = []
    for person, who in enumerate(PUBLISHED.index[:-1]):
        events: list[Event] = []
        for k, (sentence, words) in enumerate(zip(chosen, hard, strict=True)):
            is_full = (k + person) % 2 == 0
            events += _annotated(sentence, words, is_full, PUBLISHED.loc[who], rng)
        header = Header(str(who), bank.name, bank_digest(bank))
        logs.append(Log(header, tuple(_timed(events))))
    return logs


def _annotated(
    sentence: Sentence, hard: NDArray[np.int64], is_full: bool, rates: Any, rng: np.random.Generator
) -> Iterator[Event]:
    """Yield the events of a sentence; `ms` is what each took."""
    task: Task = "full" if is_full else "partial"
    digest = words_digest(sentence.words)
    shown = Event("shown", sentence.sent_id, None, task, how=_SIMULATED, digest=digest)
    yield shown
    easy = (rates["accuracy_full"] - _HARD * rates["accuracy_full_hard"]) / (1 - _HARD)
    for m in range(1, len(sentence) + 1) if is_full else hard.tolist():
        accuracy = rates["accuracy_full_hard"] if m in hard else easy
        if not is_full:
            accuracy = rates["accuracy_partial"]
        right = int(sentence.heads[m])
        wrong = [h for h in range(len(sentence) + 1) if h not in (right, m)]
        head = right if rng.random() < accuracy / 100 else int(rng.choice(wrong))
        if rng.random() < _PAUSE:
            yield Event("page", new="hidden", visible=False)
            yield Event("page", new="visible", ms=_AWAY_MS)
        seconds = rng.gamma(_SHAPE, rates[f"seconds_{task}"] / _SHAPE)
        yield replace(shown, what="head", token=m, new=head, ms=round(1000 * seconds))


def _timed(events: list[Event]) -> Iterator[Event]:
    """Yield the events one after the other, numbered, by a clock that goes on."""
    clock = 0
    for number, event in enumerate(events, 1):
        clock += event.ms
        yield replace(event, ms=clock, seq=number, act=number)
