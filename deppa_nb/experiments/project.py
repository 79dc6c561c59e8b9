"""Where the notebooks and their parameters are."""

from pathlib import Path
from typing import Any

import yaml

from deppa_nb.errors import ParameterError, RunError

__all__ = ["PROFILES", "notebooks", "parameters", "project_folder", "runs_folder"]

PROFILES = ("quick", "laptop", "full")

_SOURCES = Path(__file__).resolve().parents[2]


class _Loader(yaml.SafeLoader):
    """Refuses a name that is there twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        names = [self.construct_object(key) for key, _ in node.value]
        if twice := [name for k, name in enumerate(names) if name in names[:k]]:
            raise yaml.MarkedYAMLError(problem=f"{twice[0]} is there twice")
        return super().construct_mapping(node, deep)


def project_folder() -> Path:
    """Return the project's folder: this one or one above it, else where the package stands."""
    here = Path.cwd()
    for folder in (here, *here.parents, _SOURCES):
        if _is_project(folder):
            return folder
    raise RunError(f"{here}: no notebooks/ and parameters/ here; run it in the project's folder")


def runs_folder() -> Path:
    """Return where notebooks keep results: ``runs`` of the project around this folder, or here."""
    here = Path.cwd()
    return next((above for above in (here, *here.parents) if _is_project(above)), here) / "runs"


def _is_project(folder: Path) -> bool:
    return (folder / "notebooks").is_dir() and (folder / "parameters").is_dir()


def notebooks(project: Path) -> list[Path]:
    """Return the notebooks in the order they are numbered."""
    return sorted((project / "notebooks").glob("[0-9]*.ipynb"))


def parameters(project: Path, notebook: Path, profile: str) -> dict[str, object]:
    """Return the parameters of a notebook in a profile."""
    path = project / "parameters" / f"{notebook.stem}.{profile}.yaml"
    try:
        values = yaml.load(path.read_text(encoding="utf-8"), _Loader)  # a safe one
    except FileNotFoundError:
        raise ParameterError(f"{path}: no such file, so {notebook.name} cannot be run") from None
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        raise ParameterError(f"{path}: {' '.join(str(error).split())}") from error
    if not isinstance(values, dict):
        raise ParameterError(f"{path}: expected lines of the form name: value")
    return values
