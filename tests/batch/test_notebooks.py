"""Notebooks: how they are committed, and that they run with the quick parameters."""

import ast
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import nbformat
import pytest

from deppa_nb.batch.notebooks import _parameters_cell, check_parameters, execute
from deppa_nb.errors import ParameterError, RunError
from deppa_nb.experiments.parameters import PARAMETERS
from deppa_nb.experiments.project import PROFILES, notebooks, parameters

PROJECT = Path(__file__).resolve().parents[2]
NOTEBOOKS = notebooks(PROJECT)


def ids(path: Path) -> str:
    return path.stem


def problems(book: nbformat.NotebookNode, stem: str) -> list[str]:
    """Return what is not as notebooks are here, in a line each."""
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    tagged = [cell for cell in book.cells if "parameters" in str(cell.metadata.get("tags"))]
    if len(code) < 3 or tagged != code[1:2] or code[1].metadata.tags != ["parameters"]:
        return ["the second code cell, and it alone, is tagged parameters"]
    try:
        imports, parameters, checked = (ast.parse(cell.source).body for cell in code[:3])
    except SyntaxError as error:
        return [f"no Python: {error}"]
    first = getattr(checked[0], "value", None) if isinstance(checked[0], ast.Assign) else None
    checker = getattr(getattr(first, "func", None), "id", "")
    checks = {
        "metadata": set(book.metadata) - {"kernelspec", "language_info"},
        "attachments": [cell for cell in book.cells if cell.get("attachments")],
        "outputs": [cell for cell in code if cell.outputs or cell.execution_count],
        "first cell: more than imports": [n for n in imports if not is_setting(n)],
        "parameters: no flat value": [node for node in parameters if not is_flat(node)],
        "parameters are not checked": checker != PARAMETERS[stem].__name__,
    }
    found = [name for name, wrong in checks.items() if wrong]
    for line in code[1].source.splitlines():
        if not re.fullmatch(r"\w+ = [^#|]+  # \S.*", line):
            found.append(f"parameters: no `name = value  # comment`: {line}")
    rest = [cell for cell in code if cell is not code[1]]  # of parameters there may be many
    return found + [line for c in rest for line in cell_problems(c.source)] + text_problems(book)


def is_setting(node: ast.stmt) -> bool:
    """Imports, and settings of a library that was imported."""
    call = node.value if isinstance(node, ast.Expr) else None
    setting = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    return isinstance(node, ast.Import | ast.ImportFrom) or setting


def is_flat(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Assign) else None
    value = value.operand if isinstance(value, ast.UnaryOp) else value
    return isinstance(value, ast.Constant) and isinstance(value.value, int | float | str)


def cell_problems(source: str) -> list[str]:
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError as error:
        return [f"no Python: {error}"]
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    lines = [line for line in source.splitlines() if line.strip()[:1] not in ("", "#")]
    long = len(lines) > 10 or sum(isinstance(node, ast.stmt) for node in nodes) > 12
    if long or any(isinstance(node, defined) for node in nodes):
        return [f"a cell over ten lines or with a def: {lines[0]}"]
    return []


def text_problems(book: nbformat.NotebookNode) -> list[str]:
    text = "\n\n".join(cell.source for cell in book.cells if cell.cell_type == "markdown")
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^## (.*)", text, re.MULTILINE)
    found = (
        [] if headings[-2:] == ["Deviations", "Try it"] else ["no Deviations and Try it at the end"]
    )
    deviations, _, tries = text.partition("\n## Deviations")[2].partition("\n## Try it")
    if not deviations.strip():
        found.append("no Deviations")
    tasks = tries.split("</details>")
    for task in tasks[:-1]:
        if not re.search(r"\*\*[^*]+\?\*\*.*<details><summary>Answer</summary>", task, re.DOTALL):
            found.append(f"Try it: no question before a folded answer: {task.strip()[:40]}")
    return found if len(tasks) > 1 else [*found, "Try it: nothing to try"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=ids)
def test_conventions(path: Path) -> None:
    assert problems(nbformat.read(path, as_version=4), path.stem) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=ids)
def test_all_parameters_are_checked(path: Path) -> None:
    assert {field.name for field in fields(PARAMETERS[path.stem])} == set(_parameters_cell(path))


def test_what_breaks_the_conventions() -> None:
    def broken(change: Callable[[nbformat.NotebookNode, list[Any]], None]) -> list[str]:
        book = nbformat.read(NOTEBOOKS[0], as_version=4)
        change(book, [cell for cell in book.cells if cell.cell_type == "code"])
        return problems(book, "00_tour")

    def set_source(number: int, source: str) -> Callable[[Any, list[Any]], None]:
        return lambda book, code: code[number].update(source=source)

    changes: dict[str, Callable[[Any, list[Any]], Any]] = {
        "is tagged": lambda book, code: code[1].metadata.clear(),
        "it alone, is tagged": lambda book, code: code[3].metadata.update(tags=["parameters"]),
        "outputs": lambda book, code: code[3].update(execution_count=1),
        "metadata": lambda book, code: book.metadata.update(widgets={}),
        "attachments": lambda book, code: book.cells[0].update(attachments={"a.png": {}}),
        "more than imports": set_source(0, "x = 1"),
        "are not checked": set_source(2, "x = 1  # TourParameters(corpus)"),
        "parameters are not": set_source(2, "try:\n    TourParameters()\nexcept Exception:\n    pass"),
        "no flat value": set_source(1, "corpus = ['toy-en']  # which"),
        "flat value": set_source(1, "corpus = None  # which"),
        "no `name": set_source(1, "corpus = 'toy-en'"),
        "no `name = ": set_source(1, "corpus: str | None = None  # which"),
        "over ten lines": set_source(4, "x = 1\n" * 11),
        "ten lines": set_source(4, "; ".join(["x = 1"] * 20)),
        "with a def": set_source(4, "def f():\n    return 1"),
        "a def": set_source(4, "f = lambda: 1"),
        "no Python": set_source(4, "%pip install x"),
        "no Deviations and": lambda book, code: book.cells.pop(-2),
        "no Deviations": lambda book, code: book.cells[-2].update(source="## Deviations\n"),
        "nothing to try": lambda book, code: book.cells[-1].update(source="## Try it\n\nAnything."),
        "no question": lambda book, code: book.cells[-1].update(
            source="## Try it\n\n<details><summary>Answer</summary>No.</details>"
        ),
    }  # fmt: skip
    for message, change in changes.items():
        assert any(message in problem for problem in broken(change)), message


@pytest.mark.parametrize("path", NOTEBOOKS, ids=ids)
def test_every_profile_has_known_parameters(path: Path) -> None:
    for profile in PROFILES:
        check_parameters(path, parameters(PROJECT, path, profile))


def test_wrong_parameters_are_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(
        ParameterError, match="has no parameter 'corpsu', it has baseline, budget, corpus"
    ):
        check_parameters(NOTEBOOKS[0], {"corpsu": "toy-en"})
    with pytest.raises(ParameterError, match="sentence is '3', expected int"):
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
        ({"seeds": 0}, "seeds is 0, expected 1 to 1000"),
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
