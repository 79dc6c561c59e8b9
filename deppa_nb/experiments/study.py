"""A study: what a notebook shows, the runs behind it, and what they say of claims."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from tqdm.auto import tqdm

from deppa_nb.active.statistics import Estimate
from deppa_nb.errors import DeppaError, ParameterError
from deppa_nb.experiments.claims import Judgement, judge, load_claims
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.store import Store, Task

__all__ = ["Check", "Drawing", "Exhibit", "Study", "is_finished", "is_ready", "unique"]


@dataclass(frozen=True)
class Drawing:
    """How an exhibit is drawn.

    Attributes
    ----------
    chart
        Which of `deppa_nb.reports` draws it.
    options
        Of the chart.
    finding
        Makes the title of the data frame, in the place of what the chart itself finds.
    """

    chart: str
    options: Mapping[str, Any] = field(default_factory=dict)
    finding: Callable[[pd.DataFrame], str] | None = None


@dataclass(frozen=True)
class Exhibit:
    """A table or a figure.

    Attributes
    ----------
    name
        As files are named and `deppa reproduce --only` takes it: ``fig3``, ``table2``.
    caption
        What is to be seen.
    tasks
        The runs that it is made of.
    make
        Makes its data frame of the runs' results, which it takes from a store.
    drawing
        How it is drawn; without one it is a table.
    paper
        What the paper reports, as a table.
    """

    name: str
    caption: str
    tasks: tuple[Task, ...]
    make: Callable[[Store], pd.DataFrame]
    drawing: Drawing | None = None
    paper: pd.DataFrame | None = None


@dataclass(frozen=True)
class Check:
    """A claim on a corpus.

    Attributes
    ----------
    claim
        Its identifier.
    corpus, like
        On which, and which of the paper's it stands in for, see `claims.judge`.
    tasks
        The runs that tell.
    make
        Makes an estimate for each effect of the runs' results.
    variant
        Of the experiment, if it was done in several ways.
    """

    claim: str
    corpus: str
    tasks: tuple[Task, ...]
    make: Callable[[Store], Mapping[str, Estimate]]
    like: str | None = None
    variant: str = ""

    def judge(self, store: Store) -> Judgement:
        """Apply the rule to what has been found."""
        claim = load_claims()[self.claim]
        return judge(claim, self.make(store), self.corpus, self.like, self.variant)


@dataclass(frozen=True)
class Study:
    """What a notebook shows.

    Attributes
    ----------
    name
        That of the notebook, without its number.
    title
        Of its part of the report: for a paper, who wrote it, when, and what it is called.
    exhibits
        In the order of the report.
    checks
        The claims that its runs tell of.
    """

    name: str
    title: str
    exhibits: tuple[Exhibit, ...]
    checks: tuple[Check, ...] = ()

    @property
    def parts(self) -> tuple[Exhibit | Check, ...]:
        """All that is made of runs."""
        return *self.exhibits, *self.checks

    @property
    def tasks(self) -> list[Task]:
        """All runs, each once."""
        return unique(self.parts)

    def __getitem__(self, name: str) -> Exhibit:
        for exhibit in self.exhibits:
            if exhibit.name == name:
                return exhibit
        known = ", ".join(exhibit.name for exhibit in self.exhibits)
        raise ParameterError(f"{self.name} has no table or figure {name!r}, it has {known}")

    def each(self, name: str) -> list[Exhibit]:
        """Return the exhibits of that name, one for each corpus: ``fig3-en_ewt``."""
        found = [each for each in self.exhibits if each.name.startswith(f"{name}-")]
        return found or [self[name]]

    def table(self, name: str, store: Store) -> pd.DataFrame:
        """Return the rows of a table, those of all corpora, which say of which they are."""
        frames = {exhibit.name: exhibit.make(store) for exhibit in self.each(name)}
        first = next(iter(frames.values()))
        if len(frames) == 1 or "corpus" in (*first.index.names, *first.columns):
            return pd.concat(list(frames.values()))
        named = {own.removeprefix(f"{name}-"): frame for own, frame in frames.items()}
        return pd.concat(named, names=["corpus"])

    def compute(self, store: Store) -> None:
        """Compute what is not in the store yet, one run after the other, with a progress bar."""
        missing = [task for task in self.tasks if not is_finished(task.run, store)]
        for task in tqdm(missing, unit="run", disable=not missing):
            store.get_or_compute(task.run, task.compute)

    def judge(self, store: Store) -> list[Judgement]:
        """Return what became of the claims whose runs are finished."""
        return [check.judge(store) for check in self.checks if is_ready(check, store)]


def unique(parts: Iterable[Exhibit | Check]) -> list[Task]:
    """Return the runs of several parts, each once, the first seed of all before the second."""
    found = {task.run: task for part in parts for task in part.tasks}
    return sorted(found.values(), key=lambda task: task.run.seed)


def is_ready(part: Exhibit | Check, store: Store) -> bool:
    """Tell whether all runs of a part are finished."""
    return all(is_finished(task.run, store) for task in part.tasks)


def is_finished(run: Run, store: Store) -> bool:
    """Tell whether a run is finished; one whose corpus is not here is not."""
    try:
        return store.find(run) is not None
    except DeppaError:
        return False
