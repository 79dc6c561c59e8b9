"""Notebooks: how they are committed, and that they run with the quick parameters."""

from pathlib import Path

import nbformat
import pytest

from deppa_nb.batch.notebooks import check_parameters, execute
from deppa_nb.errors import ParameterError, RunError
from deppa_nb.experiments.project import PROFILES, notebooks, parameters

PROJECT = Path(__file__).resolve().parents[2]
NOTEBOOKS = notebooks(PROJECT)


def ids(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", NOTEBOOKS, ids=ids)
def test_conventions(path: Path) -> None:
    cells = nbformat.read(path, as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in code)
    assert code[1].metadata.get("tags") == ["parameters"]
    assert "Parameters(" in code[2].source, "the cell after the parameters validates them"
    for cell in code:
        lines = [
            line for line in cell.source.splitlines() if line.strip() and not line.startswith("#")
        ]
        assert len(lines) <= 10 and "def " not in cell.source, cell.source
    for line in code[1].source.splitlines():
        assert "#" in line and "|" not in line, line
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert "## Deviations" in text and "## Try it" in text and "<details>" in text


@pytest.mark.parametrize("path", NOTEBOOKS, ids=ids)
def test_every_profile_has_known_parameters(path: Path) -> None:
    for profile in PROFILES:
        check_parameters(path, parameters(PROJECT, path, profile))


def test_wrong_parameters_are_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(
        ParameterError, match="has no parameter 'corpsu', it has baseline, budget, corpus"
    ):
        check_parameters(NOTEBOOKS[0], {"corpsu": "toy-en"})
    with pytest.raises(ParameterError, match="sentence is '3', expected a int"):
        check_parameters(NOTEBOOKS[0], {"sentence": "3"})
    with pytest.raises(ParameterError, match="no such file"):
        parameters(tmp_path, NOTEBOOKS[0], "quick")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the real tour."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "parameters").mkdir()
    (tmp_path / "notebooks" / "00_tour.ipynb").write_bytes(NOTEBOOKS[0].read_bytes())
    return tmp_path


def test_parameters_that_make_no_sense(project: Path) -> None:
    tour = project / "notebooks" / "00_tour.ipynb"
    for values, message in (
        ({"sentence": -1}, "00_tour.ipynb: sentence is -1, expected 0 or more"),
        ({"sentence": 99999}, "sentence is 99999, expected under 2500"),
        ({"corpus": "nope"}, "nope: no such corpus"),
        ({"corpus": "toy-flights"}, "expected a treebank with train and test"),
        ({"strategy": "pa-gpa"}, "no strategy 'pa-gpa'"),
        ({"rounds": 0}, "rounds is 0, expected a whole number from 1"),
        ({"seeds": 0}, "seeds is 0, expected 1 or more"),
    ):
        with pytest.raises(ParameterError, match=message):
            execute(tour, project / "out.ipynb", values)
    assert not (project / "out.ipynb").exists()
    tour.write_text("no notebook")
    with pytest.raises(RunError, match="not a readable notebook"):
        execute(tour, project / "out.ipynb", {})
    (project / "parameters" / "00_tour.quick.yaml").write_bytes(b"x: caf\xe9")
    with pytest.raises(ParameterError, match="utf-8"):
        parameters(project, tour, "quick")
