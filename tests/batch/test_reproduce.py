"""`deppa reproduce`: what is refused, what is listed, what runs, what fails, what is left."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from deppa_nb.batch.reproduce import make_plan
from deppa_nb.cli import main
from deppa_nb.errors import ParameterError

PROJECT = Path(__file__).resolve().parents[2]
SMALL = {"seeds": 1, "start": 10, "budget": 30, "rounds": 1}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the real tour, small, and a notebook that fails."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "parameters").mkdir()
    tour = PROJECT / "notebooks" / "00_tour.ipynb"
    (tmp_path / "notebooks" / tour.name).write_bytes(tour.read_bytes())
    set_parameters(tmp_path, "00_tour", {"corpus": "toy-short", "sentence": 3, **SMALL})
    broken = nbformat.v4.new_notebook()
    cell = nbformat.v4.new_code_cell("x = 1  # any", metadata={"tags": ["parameters"]})
    broken.cells = [cell, nbformat.v4.new_code_cell("1 / 0")]
    nbformat.write(broken, tmp_path / "notebooks" / "01_broken.ipynb")
    set_parameters(tmp_path, "01_broken", {"x": 2})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def set_parameters(project: Path, notebook: str, values: dict[str, object]) -> None:
    (project / "parameters" / f"{notebook}.quick.yaml").write_text(json.dumps(values))


Call = Callable[..., tuple[int, str]]


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    """Calls `deppa reproduce`, and returns its exit status and what it says."""

    def called(*words: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", *words])
        said = capfd.readouterr()
        return int(ended.value.code or 0), said.err + said.out

    return called


def test_all_runs_and_notebooks_then_the_report(project: Path, call: Call) -> None:
    code, said = call("--dry-run")
    assert code == 0 and not (project / "runs").exists()
    assert "compare toy-short pa-gap seed 1" in said and "00_tour.ipynb" in said
    assert "3 of 3 runs to compute; about" in said

    code, said = call("--jobs", "2")
    assert code == 2, said
    assert "3/3 compare toy-short" in said and "0 s left" in said
    failure = "01_broken.ipynb failed in cell 3: ZeroDivisionError: division by zero"
    assert said.count(failure) == 2  # when it happens, and in the end
    folder = project / "runs" / "quick"
    executed = nbformat.read(folder / "notebooks" / "00_tour.ipynb", as_version=4)
    outputs = [output for cell in executed.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.output_type == "error"]
    assert sum("image/svg+xml" in output.get("data", {}) for output in outputs) >= 10
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert failure in report and "toy-en train" in report and report.count("<svg") == 5
    assert "1 illustration, 45 not run" in report
    names = {f"{name}.{kind}" for name in ("curves", "savings", "seconds")
             for kind in ("csv", "svg", "png", "json")} | {"comparison.csv"}  # fmt: skip
    assert set(os.listdir(folder / "tour")) == names

    # The second time nothing is computed: neither by the command nor in the notebook.
    results = {path: path.stat().st_mtime_ns for path in project.glob("runs/compare/*/*")}
    assert len(results) == 5 + 5 + 4  # only curves have a clock
    _, said = call("tour", "--dry-run")
    assert "0 of 3 runs to compute" in said and "01_broken" not in said
    assert "nan" not in said and "None" not in said
    code, said = call("tour")
    assert code == 0 and said.splitlines()[-1] == str(folder / "report.html")
    assert {path: path.stat().st_mtime_ns for path in project.glob("runs/compare/*/*")} == results
    assert failure not in (folder / "report.html").read_text(encoding="utf-8")


def test_one_figure(project: Path, call: Call) -> None:
    code, said = call("--only", "tour.savings", "--jobs", "1")
    assert code == 0, said
    folder = project / "runs" / "quick"
    assert (folder / "tour" / "savings.svg").exists() and (folder / "report.html").exists()
    assert not (folder / "notebooks").exists()


def test_a_run_that_fails_is_named_and_others_go_on(project: Path, call: Call) -> None:
    # A budget of one dependency has room for a word, but for no sentence.
    set_parameters(
        project, "00_tour",
        {"corpus": "toy-short", "sentence": 3, **SMALL, "start": 0, "baseline": "fa-random", "budget": 1},
    )  # fmt: skip
    code, said = call("tour", "--jobs", "1")
    assert code == 2
    assert "failed: compare toy-short fa-random seed 1: no round had anything to learn from" in said
    assert "00_tour.ipynb: not executed, 1 of its runs failed" in said
    assert len(list((project / "runs" / "compare").glob("[!.]*__*"))) == 2
    report = (project / "runs" / "quick" / "report.html").read_text(encoding="utf-8")
    assert "no round had anything to learn from" in report and "Not run" in report


@pytest.mark.parametrize(
    ("notebook", "values", "message"),
    [
        ("00_tour", {"sentense": 3}, "00_tour.ipynb has no parameter 'sentense'"),
        ("00_tour", {"seeds": "3"}, "00_tour.ipynb: seeds is '3', expected int"),
        ("00_tour", {"rounds": True}, "rounds is True, expected int"),
        ("00_tour", {"rounds": 0}, "00_tour.ipynb: rounds is 0, expected a whole number from 1"),
        ("01_broken", {"y": 3}, "01_broken.ipynb has no parameter 'y', it has x"),
    ],
)
def test_wrong_parameters_are_refused_before_anything_runs(
    project: Path, call: Call, notebook: str, values: dict[str, object], message: str
) -> None:
    set_parameters(project, notebook, values)
    code, said = call()
    assert code == 2 and message in said
    assert not (project / "runs").exists()


def test_wrong_names(project: Path, call: Call) -> None:
    for words, message in (
        (("li2061",), "no notebook 'li2061', there are tour, broken"),
        (("--only", "fig9"), "'fig9' is no table or figure, there are tour.curves, tour.savings"),
        (("broken", "--only", "curves"), "'curves' is no table or figure, there are"),
        (("--profile", "laptop"), "00_tour.laptop.yaml: no such file"),
        (("--jobs", "0"), "--jobs"),
    ):
        code, said = call(*words)
        assert code == 2 and message in said, said
    assert not (project / "runs").exists()


def test_a_kernel_that_dies_is_a_failure_like_others(project: Path, call: Call) -> None:
    path = project / "notebooks" / "01_broken.ipynb"
    book = nbformat.read(path, as_version=4)
    book.cells[1].source = "import os; os._exit(1)"
    nbformat.write(book, path)
    code, said = call("broken")
    assert code == 2 and "01_broken.ipynb failed: DeadKernelError" in said
    assert (project / "runs" / "quick" / "report.html").exists()


def test_a_corpus_that_is_not_here(
    project: Path, call: Call, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others go on, unless it was asked for by name; a name that nobody knows is refused."""
    monkeypatch.setattr("deppa_nb.corpus.paths._PROJECT", project / "nowhere")
    set_parameters(project, "00_tour", {"corpus": "ud/en_ewt", "sentence": 3, **SMALL})
    code, said = call("--dry-run")
    assert code == 0 and "00_tour.ipynb: ud/en_ewt is not here yet" in said
    assert "01_broken.ipynb" in said
    code, said = call("tour")
    assert code == 2 and "ud/en_ewt is not here yet; `deppa data fetch ud/en_ewt`" in said
    set_parameters(project, "00_tour", {"corpus": "nope", "sentence": 3, **SMALL})
    code, said = call("--dry-run")
    assert code == 2 and "00_tour.ipynb: nope: no such corpus" in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rounds: 4\nrounds: 9\n", "rounds is there twice"),
        ("rounds: 100000000000000000000\n", "rounds is 100000000000000000000, expected a whole"),
        ("seeds: 100000\n", "seeds is 100000, expected 1 to 1000"),
        ("- 1\n", "expected lines of the form name: value"),
    ],
)
def test_wrong_files(project: Path, call: Call, text: str, message: str) -> None:
    (project / "parameters" / "00_tour.quick.yaml").write_text(text)
    code, said = call("00_tour", "--dry-run")
    assert code == 2 and message in said


@pytest.mark.parametrize(
    "cell", ["x = ", "x = 1 + len('a')  # any", "y = 1  # not the checker's"], ids=str
)
def test_notebooks_that_cannot_be_read(project: Path, call: Call, cell: str) -> None:
    path = project / "notebooks" / "00_tour.ipynb"
    book = nbformat.read(path, as_version=4)
    next(c for c in book.cells if c.metadata.get("tags")).source = cell
    nbformat.write(book, path)
    set_parameters(project, "00_tour", {})
    code, said = call("--dry-run")
    assert code == 2 and "00_tour.ipynb" in said and len(said.splitlines()) == 1


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1", "foo", ""])
def test_no_address_of_a_scheduler(project: Path, call: Call, address: str) -> None:
    code, said = call("tour", "--scheduler", address)
    assert code == 2 and "expected an address as tcp://host:8786" in said.splitlines()[-1]


def test_wrong_parameters_of_a_notebook_that_is_not_asked_for_do_no_harm(project: Path) -> None:
    set_parameters(project, "01_broken", {"y": 3})
    plan = make_plan(project, "quick", ["tour"])
    assert [notebook.name for notebook in plan.shown] == ["tour"]
    with pytest.raises(ParameterError, match="has no parameter 'y'"):
        make_plan(project, "quick")
