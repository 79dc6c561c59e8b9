"""Every notebook of a profile, then the report."""

import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from deppa_nb.batch.notebooks import check_parameters, execute
from deppa_nb.batch.project import notebooks, parameters
from deppa_nb.corpus import toy
from deppa_nb.corpus.registry import load
from deppa_nb.corpus.textfile import write_atomically
from deppa_nb.errors import RunError
from deppa_nb.reports.corpora import corpus_section
from deppa_nb.reports.page import render

__all__ = ["reproduce"]

_SHOWN_VERSIONS = ("deppa_nb", "numpy", "numba", "pandas", "altair")


def reproduce(project: Path, profile: str, say: Callable[[str], None]) -> Path:
    """Execute all notebooks with a profile's parameters and write the report.

    All parameters are checked before anything runs. A notebook that fails is named, the others go
    on, and `RunError` is raised in the end.

    Returns
    -------
    Path
        The report.
    """
    start = time.monotonic()
    chosen = [(notebook, parameters(project, notebook, profile)) for notebook in notebooks(project)]
    for notebook, values in chosen:
        check_parameters(notebook, values)
    folder = project / "runs" / profile
    failures = []
    for notebook, values in chosen:
        say(f"{notebook.name} ...")
        try:
            execute(notebook, folder / "notebooks" / notebook.name, values)
        except RunError as error:
            failures.append(str(error))
            say(str(error))
    report = folder / "report.html"
    page = render(
        f"deppa_nb: {profile} report",
        "Active learning for parsing with partial annotation, on the corpora that come with it.",
        [corpus_section([load(name) for name in toy.NAMES])],
        _provenance(time.monotonic() - start),
    )
    write_atomically(report, [page])
    if failures:
        raise RunError(f"{len(failures)} of {len(chosen)} notebooks failed: {'; '.join(failures)}")
    return report


def _provenance(seconds: float) -> dict[str, str]:
    versions = {name: version(name) for name in _SHOWN_VERSIONS}
    return {
        "Python": ".".join(map(str, sys.version_info[:3])),
        **versions,
        "machine": f"{platform.system()} {platform.machine()}",
        "seconds": f"{seconds:.0f}",
    }
