"""`deppa reproduce`: every table and figure."""

import os
from math import isnan
from typing import TYPE_CHECKING, Any

import click

from deppa_nb.cli.output import print_table
from deppa_nb.experiments.project import PROFILES

if TYPE_CHECKING:
    from deppa_nb.batch.executor import Progress
    from deppa_nb.batch.reproduce import Plan

__all__ = ["reproduce"]


@click.command()
@click.argument("papers", nargs=-1, metavar="[PAPER]...")
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="quick",
    show_default=True,
    help="quick: embedded corpora, minutes; laptop: one real corpus; full: the papers' protocols.",
)
@click.option(
    "--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, show_default="processors",
    help="Runs side by side.",
)  # fmt: skip
@click.option("--scheduler", help="The address of a Dask scheduler to use in their place.")
@click.option(
    "--only", multiple=True, metavar="FIGURE",
    help="A table or figure, as curves or tour.curves: its files alone, and no notebook.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="List the runs with estimated times, and stop.")
def reproduce(
    papers: tuple[str, ...],
    profile: str,
    jobs: int,
    scheduler: str | None,
    only: tuple[str, ...],
    dry_run: bool,
) -> None:
    """Run every notebook, or those of some papers, and write runs/PROFILE/report.html.

    A PAPER is the name of a notebook without its number: tour. What is finished is never computed
    again; what was killed goes on from its last round.
    """
    from deppa_nb.batch.reproduce import make_plan, reproduce
    from deppa_nb.experiments.project import project_folder

    plan = make_plan(project_folder(), profile, papers, only)
    if dry_run:
        _list(plan, jobs)
        return
    try:
        with _Bar(plan, jobs) as bar:
            report = reproduce(plan, jobs, scheduler, bar.say, bar.tell)
    except KeyboardInterrupt:
        click.echo("stopped; the same command goes on from here", err=True)
        raise
    click.echo(report)


def _list(plan: "Plan", jobs: int) -> None:
    """Print the runs and notebooks with their times."""
    from deppa_nb.experiments.runs import names_of

    missing, rows = plan.missing(), []
    names = names_of(task.run for task in plan.tasks)
    for task in plan.tasks:
        seconds = missing.get(task.run, 0.0)
        state = "to compute" if task.run in missing else "finished"
        state = "its corpus is not here" if isnan(seconds) else state
        rows.append((names[task.run], state, seconds))
    notebooks = [(name, "to execute", seconds) for name, seconds in plan.notebook_seconds().items()]
    print_table(("run or notebook", "state", "seconds, about"), [*rows, *notebooks])
    for line in plan.failures:
        click.echo(line)
    total = _expected(missing, jobs)
    new = [name for name, _, seconds in notebooks if isnan(seconds)]
    total += sum(seconds for _, _, seconds in notebooks if not isnan(seconds))
    click.echo(f"{len(missing)} of {len(rows)} runs to compute; {_about(total, plan, new)}")


def _expected(missing: dict[Any, float], jobs: int) -> float:
    known = [seconds for seconds in missing.values() if not isnan(seconds)]
    return sum(known) / min(jobs, len(known) or 1)


def _about(seconds: float, plan: "Plan", new: list[str]) -> str:
    """Return a time as people say it, and what it does not tell of."""
    rest = ["notebooks that were never executed"] if new else []
    rest += [] if plan.is_compiled() else ["compiling, a minute or two the first time"]
    return f"about {_time(seconds)}" + (f", without {' and '.join(rest)}" if rest else "")


class _Bar:
    """Progress on the screen: a bar with the time left, or lines where there is no screen."""

    def __init__(self, plan: "Plan", jobs: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        from deppa_nb.experiments.runs import names_of

        self._names = names_of(task.run for task in plan.tasks)
        self._console = Console(stderr=True)
        seconds = plan.missing()
        left = _time(_expected(seconds, jobs))
        self._bar = Progress(
            TextColumn("runs"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.description}"), TextColumn("{task.fields[left]} left"),
            console=self._console, transient=True, disable=not self._console.is_terminal,
        )  # fmt: skip
        self._task = self._bar.add_task("", total=len(plan.tasks), left=f"about {left}")
        if seconds:
            about = _about(_expected(seconds, jobs), plan, [])
            self.say(f"{len(seconds)} of {len(plan.tasks)} runs to compute, {about}")

    def __enter__(self) -> "_Bar":
        self._bar.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._bar.stop()

    def say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def tell(self, progress: "Progress") -> None:
        """Move on by a run."""
        left = "?" if progress.left is None else _time(progress.left)
        last, done = progress.last, f"{progress.done}/{progress.total}"
        name = self._names[last.run]
        self._bar.update(self._task, completed=progress.done, description=name, left=left)
        if last.state == "failed":
            self.say(f"failed: {last}")
        elif last.state == "computed" and not self._console.is_terminal:
            self.say(f"{done} {name}: {last.seconds:.1f} s, {left} left")


def _time(seconds: float) -> str:
    """Return a time as people say it."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"
