"""How long runs will take: as long as they took before, or as much as there is to do."""

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from deppa_nb.errors import DeppaError
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.store import Store, Task

__all__ = ["WORDS_PER_SECOND", "estimate"]

WORDS_PER_SECOND = 150_000.0
"""What a run does of `Task.work` in a second where nothing has run yet: a processor of 2021."""

_Known = tuple[dict[str, Any], float]
_BROKEN = (OSError, ValueError, KeyError, TypeError, yaml.YAMLError)


def estimate(store: Store, tasks: Iterable[Task]) -> dict[Run, float]:
    """Return about how many seconds of one processor each run takes, nan without its corpus.

    Parameters
    ----------
    store
        What was run before, also with other sources, tells how fast this machine is.
    tasks
        The runs.
    """
    before: dict[str, list[_Known]] = {}
    speeds: dict[str, float] = {}
    seconds = {}
    for task in tasks:
        name = task.run.experiment
        if name not in before:
            before[name] = list(_before(store.root / name))
            speeds[name] = _speed(task, before[name])
        same = [spent for described, spent in before[name] if described == task.run.described()]
        try:
            seconds[task.run] = same[-1] if same else task.work(task.run) / speeds[name]
        except DeppaError:
            seconds[task.run] = math.nan
    return seconds


def _before(folder: Path) -> Iterator[_Known]:
    """Yield what was asked of finished runs and how long they took, the newest last."""
    for path in sorted(folder.glob("*__*/provenance.json"), key=lambda path: path.stat().st_mtime):
        try:
            described = yaml.safe_load((path.parent / "params.yaml").read_text(encoding="utf-8"))
            seconds = json.loads(path.read_text(encoding="utf-8"))["seconds"]
            yield described, float(seconds)
        except _BROKEN:  # somebody is about to write or to remove it
            continue


def _speed(task: Task, known: list[_Known]) -> float:
    """Return words a second of the runs before: the median, for the first one compiles."""
    speeds = []
    for described, seconds in known:
        try:
            speeds.append(task.work(Run(**described)) / seconds)
        except (DeppaError, TypeError, ZeroDivisionError):  # its corpus is gone, say
            continue
    return median(speeds) if speeds else WORDS_PER_SECOND
