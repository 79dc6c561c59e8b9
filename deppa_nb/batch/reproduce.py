"""Every run, notebook, table and figure of a profile, then the report."""

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from deppa_nb.batch.executor import Outcome, Progress, open_executor, run_all
from deppa_nb.batch.notebooks import check_parameters, execute, last_seconds
from deppa_nb.corpus.textfile import write_atomically
from deppa_nb.errors import DeppaError, MissingCorpusError, ParameterError, RunError
from deppa_nb.experiments.estimate import estimate
from deppa_nb.experiments.project import notebooks, parameters
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.store import Store, Task
from deppa_nb.experiments.studies import STUDIES
from deppa_nb.experiments.study import Check, Exhibit, Study, is_finished, unique
from deppa_nb.kernels._jit import cache_folder
from deppa_nb.reports.report import Shown, render_report

__all__ = ["Plan", "make_plan", "reproduce"]


@dataclass(frozen=True)
class Notebook:
    """A notebook, its parameters in a profile, and the study that it shows, if it shows one."""

    path: Path
    values: dict[str, Any]
    study: Study | None

    @property
    def name(self) -> str:
        """Without its number."""
        return self.path.stem.partition("_")[2]


@dataclass(frozen=True)
class Plan:
    """What is to be done; all parameters have been checked.

    Attributes
    ----------
    project, profile
        Where, and which of each notebook's parameters.
    shown
        All notebooks that the report can speak of.
    failures
        Why others cannot be run, in a line each: their corpora are not here.
    executed
        Those of them that are executed.
    parts
        Tables, figures and claims whose runs are computed.
    """

    project: Path
    profile: str
    shown: tuple[Notebook, ...]
    executed: tuple[Notebook, ...]
    parts: tuple[Exhibit | Check, ...]
    failures: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """Where notebooks, tables, figures and the report go."""
        return self.project / "runs" / self.profile

    @property
    def store(self) -> Store:
        """Where results are."""
        return Store(self.project / "runs")

    @cached_property
    def tasks(self) -> list[Task]:
        """The runs."""
        return unique(self.parts)

    def missing(self) -> dict[Run, float]:
        """Return the runs that are not finished, with about how many seconds they take.

        That is nan for those that cannot be run, because their corpus is not here.
        """
        store = self.store
        return estimate(store, [t for t in self.tasks if not is_finished(t.run, store)])

    def is_compiled(self) -> bool:
        """Tell whether kernels have been compiled before."""
        return any(cache_folder().glob("**/*.nbc"))

    def notebook_seconds(self) -> dict[str, float]:
        """Return how long each notebook took the last time, nan if it was not executed before."""
        return {
            notebook.path.name: last_seconds(self.folder / "notebooks" / notebook.path.name)
            for notebook in self.executed
        }


def make_plan(
    project: Path,
    profile: str,
    papers: Sequence[str] = (),
    only: Sequence[str] = (),
    changed: Mapping[str, object] = MappingProxyType({}),
) -> Plan:
    """Check all that is asked for, before anything runs.

    Parameters
    ----------
    project, profile
        Where notebooks and parameters are, and which parameters.
    papers
        Names of notebooks without their number; all if there are none.
    only
        Tables and figures, as ``curves`` or ``tour.curves``: of these alone the runs are computed
        and the files written, and no notebook is executed.
    changed
        Parameters of these papers that are not those of the profile.
    """
    paths = {path.stem.partition("_")[2]: path for path in notebooks(project)}
    wanted = [re.sub(r"^\d+_", "", name) for name in papers]
    if unknown := [name for name in wanted if name not in paths]:
        raise ParameterError(f"no notebook {unknown[0]!r}, there are {', '.join(paths)}")
    shown, failures = [], []
    for name, path in paths.items():
        try:
            shown.append(_notebook(project, path, profile, changed if name in wanted else {}))
        except MissingCorpusError as error:
            if name in wanted:
                raise
            failures += [] if wanted else [str(error)]
        except DeppaError:
            if name in (wanted or paths):
                raise
    executed = tuple(notebook for notebook in shown if notebook.name in (wanted or paths))
    studies = [notebook.study for notebook in executed if notebook.study]
    if only:
        exhibits = tuple(_find(name, studies) for name in only)
        return Plan(project, profile, tuple(shown), (), exhibits)
    parts = tuple(part for study in studies for part in study.parts)
    return Plan(project, profile, tuple(shown), executed, parts, tuple(failures))


def _notebook(project: Path, path: Path, profile: str, changed: Mapping[str, object]) -> Notebook:
    values = {**parameters(project, path, profile), **changed}
    checked, make = check_parameters(path, values), STUDIES.get(path.stem.partition("_")[2])
    return Notebook(path, values, make(checked) if make else None)


def _find(name: str, studies: list[Study]) -> Exhibit:
    of, _, exhibit = name.rpartition(".")
    found = [
        each
        for study in studies
        for each in study.exhibits
        if each.name == exhibit and of in ("", study.name)
    ]
    if len(found) == 1:
        return found[0]
    known = ", ".join(f"{study.name}.{each.name}" for study in studies for each in study.exhibits)
    problem = "is there several times" if found else "is no table or figure"
    raise ParameterError(f"{name!r} {problem}, there are {known}")


def reproduce(
    plan: Plan,
    jobs: int = 1,
    scheduler: str | None = None,
    say: Callable[[str], None] = lambda line: None,
    tell: Callable[[Progress], None] = lambda progress: None,
) -> Path:
    """Do what is planned and write the report.

    A run or notebook that fails is named, the others go on, and `RunError` is raised in the end.

    Parameters
    ----------
    plan
        See `make_plan`.
    jobs, scheduler
        See `open_executor`.
    say
        Is told what is done now.
    tell
        Is told of each run that has ended.

    Returns
    -------
    Path
        The report.
    """
    start = time.monotonic()
    failed = _compute(plan, jobs, scheduler, say, tell)
    failures = [*plan.failures, *(str(outcome) for outcome in failed.values())]
    for notebook in plan.executed:
        try:
            say(f"{notebook.path.name} ...")
            _execute(plan, notebook, failed)
        except RunError as error:
            failures.append(str(error))
            say(str(error))
    say("tables, figures and the report ...")
    shown = [Shown(each.path, each.study) for each in plan.shown if each.study]
    told, seconds = len(failures), time.monotonic() - start
    page = render_report(plan.profile, shown, plan.store, plan.folder, failures, seconds)
    for line in failures[told:]:
        say(line)
    report = plan.folder / "report.html"
    write_atomically(report, [page])
    if failures:
        raise RunError(f"{len(failures)} failed (the others are in {report}): {failures[0]}")
    return report


def _compute(
    plan: Plan,
    jobs: int,
    scheduler: str | None,
    say: Callable[[str], None],
    tell: Callable[[Progress], None],
) -> dict[Run, Outcome]:
    """Compute the runs; return those that failed."""
    expected = {run: seconds / jobs for run, seconds in plan.missing().items()}
    known = {run: 0.0 if math.isnan(seconds) else seconds for run, seconds in expected.items()}
    with open_executor(jobs, scheduler, say) as executor:
        outcomes = run_all(plan.store, plan.tasks, executor, tell, known)
    return {outcome.run: outcome for outcome in outcomes if outcome.state == "failed"}


def _execute(plan: Plan, notebook: Notebook, failed: dict[Run, Outcome]) -> None:
    study = notebook.study
    if study and (without := [task for task in study.tasks if task.run in failed]):
        raise RunError(f"{notebook.path.name}: not executed, {len(without)} of its runs failed")
    execute(notebook.path, plan.folder / "notebooks" / notebook.path.name, notebook.values)
