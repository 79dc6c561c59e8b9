"""One notebook, executed by papermill with parameters that were checked first."""

import ast
import json
import math
import sys
import warnings
from dataclasses import fields
from pathlib import Path
from typing import Any

import nbformat
from papermill.exceptions import PapermillExecutionError

from deppa_nb.errors import DeppaError, MissingCorpusError, ParameterError, RunError, one_line
from deppa_nb.experiments.parameters import PARAMETERS

__all__ = ["check_parameters", "execute", "last_seconds"]


def check_parameters(notebook: Path, values: dict[str, object]) -> Any:
    """Refuse unknown names (papermill only warns) and bad values, before anything runs.

    Returns
    -------
    dataclass or None
        All parameters, checked; None of a notebook that has nothing to check them.
    """
    known = _parameters_cell(notebook)
    for name, value in values.items():
        if name not in known:
            raise ParameterError(
                f"{notebook.name} has no parameter {name!r}, it has {', '.join(sorted(known))}"
            )
        if type(value) is not type(known[name]):
            expected = type(known[name]).__name__
            raise ParameterError(f"{notebook.name}: {name} is {value!r}, expected {expected}")
    if (checker := PARAMETERS.get(notebook.stem)) is None:
        return None
    if wrong := sorted({field.name for field in fields(checker)} ^ set(known)):
        raise RunError(f"{notebook.name}: {wrong[0]} is not both in its cell and in its checker")
    try:
        return checker(**{**known, **values})
    except MissingCorpusError as error:
        raise MissingCorpusError(f"{notebook.name}: {error}") from error
    except DeppaError as error:
        raise ParameterError(f"{notebook.name}: {error}") from error


def execute(notebook: Path, output: Path, values: dict[str, object]) -> None:
    """Run a notebook in a kernel of its own and keep the executed copy, also when it fails."""
    # Imported here: papermill loads its cloud storage handlers, which takes a second.
    import papermill

    check_parameters(notebook, values)
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f".{output.name}")  # so that a killed one leaves the last one whole
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            papermill.execute_notebook(
                notebook, partial, parameters=values, kernel_name="python3", language="python",
                cwd=notebook.parent, extra_arguments=["--log-level=40"],
                progress_bar=sys.stderr.isatty(),
            )  # fmt: skip
        except PapermillExecutionError as error:
            cause = f"cell {error.exec_count}: {error.ename}: {' '.join(error.evalue.split())}"
            raise RunError(f"{notebook.name} failed in {cause} (see {output})") from error
        except Exception as error:  # its kernel died, the disk is full
            raise RunError(f"{notebook.name} failed: {one_line(error)}") from error
        finally:
            if partial.exists():
                partial.replace(output)


def last_seconds(executed: Path) -> float:
    """Return how long an executed notebook took, nan if there is none."""
    try:
        found = json.loads(executed.read_text(encoding="utf-8"))["metadata"]["papermill"]
        return float(found["duration"])
    except (OSError, ValueError, KeyError, TypeError):
        return math.nan


def _parameters_cell(notebook: Path) -> dict[str, Any]:
    """Return names and default values of the cell tagged ``parameters``."""
    try:
        cells = nbformat.read(notebook, as_version=4).cells
        tagged = [cell for cell in cells if "parameters" in cell.metadata.get("tags", [])]
        statements = [node for cell in tagged for node in ast.parse(cell.source).body]
        known = {
            target.id: ast.literal_eval(node.value)
            for node in statements
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
    except Exception as error:  # nbformat has many ways to say that it is none
        raise RunError(f"{notebook}: not a readable notebook ({one_line(error)})") from error
    if not tagged:
        raise RunError(f"{notebook.name} has no cell tagged parameters")
    return known
