"""Where this program keeps things of its own, and where it looks for corpora."""

import os
from pathlib import Path

import platformdirs

__all__ = ["cache_home", "data_folders", "data_home", "make_absolute", "named_folders"]

_PROJECT = Path(__file__).resolve().parents[2]


def data_home() -> Path:
    """Return the folder of fetched corpora and the list of added ones (`DEPPA_HOME` moves it)."""
    home = os.environ.get("DEPPA_HOME")
    return Path(home) if home else platformdirs.user_data_path("deppa_nb")


def cache_home() -> Path:
    """Return the folder of what can be made again at any time."""
    home = os.environ.get("DEPPA_HOME")
    return Path(home) / "cache" if home else platformdirs.user_cache_path("deppa_nb")


def data_folders() -> list[Path]:
    """Return the folders searched for corpora.

    Those of `DEPPA_DATA` (separated as in `PATH`), shared/data beside the project, fetched ones.
    """
    folders = [*named_folders(), _PROJECT.parent / "shared" / "data", data_home() / "fetched"]
    return [folder for folder in folders if folder.is_dir()]


def named_folders() -> list[Path]:
    """Return the folders that `DEPPA_DATA` names, whether they exist or not."""
    return [Path(name) for name in os.environ.get("DEPPA_DATA", "").split(os.pathsep) if name]


def make_absolute() -> None:
    """Let the variables that name folders mean the same to processes that work elsewhere."""
    for name in ("DEPPA_HOME", "DEPPA_DATA"):
        if given := os.environ.get(name):
            parts = [os.path.abspath(part) for part in given.split(os.pathsep) if part]
            os.environ[name] = os.pathsep.join(parts)
