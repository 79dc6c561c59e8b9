"""What `make reproduce` does, with the real notebooks and the quick parameters."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from deppa_nb.batch.reproduce import make_plan, reproduce

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder runs/quick of a copy of the project, from an empty runs/."""
    project = tmp_path_factory.mktemp("project")
    for name in ("notebooks", "parameters"):
        shutil.copytree(PROJECT / name, project / name)
    return reproduce(make_plan(project, "quick"), jobs=2).parent


def test_every_notebook_is_executed(quick: Path) -> None:
    for path in sorted((PROJECT / "notebooks").glob("*.ipynb")):
        book = nbformat.read(quick / "notebooks" / path.name, as_version=4)
        outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
        assert outputs and not [output for output in outputs if output.output_type == "error"]
        warned = [output for output in outputs if output.get("name") == "stderr"]
        assert not warned, warned


def test_the_worked_experiment(quick: Path) -> None:
    """Random words against unsure ones: through runs, files, notebook, claim and report."""
    page = (quick / "report.html").read_text(encoding="utf-8")
    assert re.search(r"pa-gap has the highest UAS at 2,388 annotated dependencies", page)
    shown = [each.study for each in make_plan(PROJECT, "quick").shown if each.study]
    figures = [each for study in shown for each in study.exhibits if each.drawing]
    others = 3  # effects beside the papers', lengths and tags of corpora
    assert "◇ illustration" in page and page.count("<svg") == len(figures) + others
    book = (quick / "notebooks" / "00_tour.ipynb").read_text(encoding="utf-8")
    assert "pa-gap has the highest UAS" in book and "needs" in book and "illustration" in book


@pytest.mark.parametrize("width", [500, 1100])
def test_a_browser_without_a_network_shows_the_report(
    quick: Path, look: Callable[[Path, int, int], tuple[Path, str]], width: int
) -> None:
    shot, _ = look(quick / "report.html", width, 3000)
    assert shot.stat().st_size > 100_000
