"""The report of a profile: every table and figure that is there, and what became of the claims."""

import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import nbformat
import pandas as pd

from deppa_nb.corpus import toy
from deppa_nb.corpus.registry import load
from deppa_nb.errors import one_line
from deppa_nb.experiments.store import Store, Task
from deppa_nb.experiments.study import Study, is_finished, is_ready
from deppa_nb.reports.corpora import corpus_section
from deppa_nb.reports.exhibits import show
from deppa_nb.reports.page import Figure, Section, Table, Text, render
from deppa_nb.reports.scorecard import not_run, not_run_section, scorecard_section

__all__ = ["Shown", "render_report"]

_SHOWN_VERSIONS = ("deppa_nb", "numpy", "numba", "pandas", "altair")

T = TypeVar("T")


class Shown(NamedTuple):
    """A notebook and the study in it."""

    notebook: Path
    study: Study


def render_report(
    profile: str,
    shown: Sequence[Shown],
    store: Store,
    folder: Path,
    failures: list[str],
    seconds: float,
) -> str:
    """Return the page, and write the files of tables and figures.

    Parameters
    ----------
    profile
        Its name.
    shown
        What it speaks of; exhibits whose runs are not finished are named as such.
    store
        Where results are.
    folder
        Where files go, in a folder for each study.
    failures
        What did not work, in a line each. What does not work here is added: a table, figure or
        claim that cannot be made does not stop the others.
    seconds
        How long it took to compute all this, this time.
    """
    judgements = [
        judgement
        for each in shown
        for check in each.study.checks
        if is_ready(check, store)
        for judgement in _tried(f"claim {check.claim}", failures, check.judge, store)
    ]
    sections = [_section(each, store, folder / each.study.name, failures) for each in shown]
    last = [corpus_section([load(name) for name in toy.NAMES])]
    if not_run(judgements):
        last.insert(0, not_run_section(judgements))
    first = [scorecard_section(judgements)]
    if failures:
        frame = pd.DataFrame({"failed": failures})
        first.insert(0, Section("Failed", blocks=[Table("", frame, stacked=True)]))
    summary = (
        "Active learning for parsing with partial annotation: what five papers report, what we "
        f"found with the parameters of the profile {profile}, and which of the claims hold."
    )
    title = f"deppa_nb: {profile} report"
    return render(title, summary, [*first, *sections, *last], _provenance(seconds))


def _tried(what: str, failures: list[str], make: Callable[..., T], *arguments: Any) -> Iterator[T]:
    """Yield what is made, or note why it could not be."""
    try:
        yield make(*arguments)
    except Exception as error:  # whatever is wrong with one, the others are shown
        failures.append(f"{what}: {one_line(error)}")


def _section(shown: Shown, store: Store, folder: Path, failures: list[str]) -> Section:
    study = shown.study
    ready = [exhibit for exhibit in study.exhibits if is_ready(exhibit, store)]
    blocks: list[Table | Figure | Text] = [
        block
        for exhibit in ready
        for block in _tried(f"{study.name}.{exhibit.name}", failures, show, exhibit, store, folder)
    ]
    if missing := [each.name for each in study.exhibits if each not in ready]:
        command = f"`deppa reproduce {study.name}`"
        blocks.append(Text("Not run", f"{', '.join(missing)}: {command} computes what is missing."))
    blocks.append(Text("Deviations", deviations(shown.notebook)))
    if done := [task for task in study.tasks if is_finished(task.run, store)]:
        blocks += _tried(
            f"{study.name}: where its numbers are from", failures, _origin, done, store
        )
    return Section(study.title, blocks=blocks)


def deviations(notebook: Path) -> str:
    """Return what a notebook says under the heading Deviations: the one place for it."""
    cells = nbformat.read(notebook, as_version=4).cells
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    _, _, after = f"\n{text}".partition("\n## Deviations\n")
    return after.partition("\n## ")[0].strip()


def _origin(tasks: Iterable[Task], store: Store) -> Table:
    """Return where numbers are from: data, versions, machine, seconds."""
    rows: dict[str, dict[str, Any]] = {}
    for task in tasks:
        found = store.provenance(task.run)
        row = rows.setdefault(
            f"{task.run.experiment} {task.run.corpus}", {"runs": 0, "seconds": 0.0}
        )
        row["runs"] += 1
        row["seconds"] += found["seconds"]
        row["data (SHA-256)"] = ", ".join(f"{k} {v[:12]}" for k, v in found["data"].items())
        row["versions"] = ", ".join(f"{name} {v}" for name, v in found["versions"].items())
        row["machine"] = found["machine"]
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("runs of")
    return Table("Where the numbers are from.", frame, stacked=True)


def _provenance(seconds: float) -> dict[str, str]:
    versions = {name: version(name) for name in _SHOWN_VERSIONS}
    return {
        "Python": ".".join(map(str, sys.version_info[:3])),
        **versions,
        "machine": f"{platform.system()} {platform.machine()}",
        "seconds": f"{seconds:.0f}",
    }
