"""Results of runs in folders: computed once, whole or not there.

=================  ================================================================================
runs/EXPERIMENT/   SLUG__HASH/, a finished run; while it is computed, .SLUG__HASH.partial/
result.csv         the result; the same bytes whoever computes it
timing.csv         its columns that end in _seconds, which a clock has filled, row by row
params.yaml        what was asked for
provenance.json    checksums of data and result, versions, machine, seconds of processors
log.txt            when it was begun, interrupted, gone on with and finished, by which process
=================  ================================================================================
"""

import hashlib
import json
import os
import platform
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml
from filelock import FileLock
from llvmlite.binding import get_host_cpu_name

from deppa_nb.corpus.textfile import replacing, write_atomically
from deppa_nb.errors import RunError
from deppa_nb.experiments.checkpoint import Checkpoint
from deppa_nb.experiments.project import runs_folder
from deppa_nb.experiments.runs import Run

__all__ = ["Compute", "Store", "Task"]

Compute = Callable[[Run, Checkpoint], pd.DataFrame]
"""Computes a run, from its last finished round if there is one."""


class Task(NamedTuple):
    """A run and what computes it: functions of a module, so that other processes find them.

    Attributes
    ----------
    run
        What is wanted.
    compute
        Computes it.
    work
        How much there is to do, in words that are parsed or learned from: for estimates of time.
    """

    run: Run
    compute: Compute
    work: Callable[[Run], float] = lambda run: 1.0


_VERSIONS = ("deppa_nb", "numpy", "numba", "pandas", "scipy", "scikit-learn")
_FILES = ("result.csv", "params.yaml", "provenance.json", "log.txt")
_KEPT_SECONDS = 30 * 24 * 3600
_BROKEN = (OSError, ValueError, KeyError, TypeError, AttributeError)


class Store:
    """Finished runs below a folder.

    Parameters
    ----------
    root
        The folder, which is made when there is something to put into it; by default ``runs`` in the
        project's folder, for who works in one, or else in this one.

    Examples
    --------
    >>> import tempfile
    >>> options = {"sizes": {"train": 20, "dev": 5, "test": 5}}
    >>> run = Run("compare", "toy-short", "pa-gap", 1, {"load": options})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder)
    ...     store.find(run) is None
    ...     store.get_or_compute(run, lambda run, checkpoint: pd.DataFrame({"uas": [90.5]}))
    ...     store.find(run) is None
    True
        uas
    0  90.5
    False
    """

    def __init__(self, root: str | os.PathLike[str] | None = None) -> None:
        self.root = (runs_folder() if root is None else Path(root)).resolve()

    def folder(self, run: Run) -> Path:
        """Return where a run's result is, or would be."""
        return self.root / run.experiment / f"{run.slug}__{run.digest()}"

    def find(self, run: Run) -> pd.DataFrame | None:
        """Return a finished run's result; None if there is none or its files are not sound."""
        folder = self.folder(run)
        found = _read(folder, "result.csv")
        if found is not None:
            _clear(folder)
        return found

    def timing(self, run: Run) -> pd.DataFrame:
        """Return the seconds that a clock has measured, a row for each row of the result."""
        found = _read(self.folder(run), "timing.csv")
        if found is None:
            raise RunError(f"{run}: no measured times, it is not finished or has none")
        return found

    def provenance(self, run: Run) -> dict[str, Any]:
        """Return where a finished run's result is from."""
        path = self.folder(run) / "provenance.json"
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RunError(f"{run}: not finished ({error})") from error
        return found

    def get_or_compute(self, run: Run, compute: Compute) -> pd.DataFrame:
        """Return a run's result, computing it if it is not there: the only way to a result.

        Of several processes that want the same run one computes it while the others wait. Where
        the file system has no locks all of them do, and the first to finish counts.
        """
        if (found := self.find(run)) is not None:
            return found
        folder = self.folder(run)
        partial, lock = _beside(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(lock):
            if (found := _read(folder, "result.csv")) is None:
                try:
                    _compute(run, compute, folder, partial)
                except OSError:  # without locks another may have been the first and cleared up
                    if _read(folder, "result.csv") is None:
                        raise
                found = _read(folder, "result.csv")
        _clear(folder)
        _forget(folder.parent)
        if found is None:
            raise RunError(f"{run}: {folder} cannot be read again")
        return found


def _compute(run: Run, compute: Compute, folder: Path, partial: Path) -> None:
    """Compute a run in a folder of its own that then becomes the finished one."""
    partial.mkdir(exist_ok=True)
    for left in partial.glob("new-*"):  # nobody else has the lock: of a process that died
        shutil.rmtree(left, ignore_errors=True)
    checkpoint = Checkpoint(partial)
    checkpoint.say(f"goes on after {len(checkpoint.rows)} rows" if checkpoint.rows else "begins")
    try:
        result = compute(run, checkpoint)
    except Exception:
        checkpoint.say(f"has failed\n{traceback.format_exc().rstrip()}")
        raise
    checkpoint.say("has finished")
    new = Path(tempfile.mkdtemp(prefix="new-", dir=partial))
    new.chmod(0o777 & ~_umask())
    _write(new, run, result, checkpoint.seconds)
    shutil.copyfile(partial / "log.txt", new / "log.txt")
    if folder.exists() and _read(folder, "result.csv") is None:
        folder.rename(Path(tempfile.mkdtemp(prefix="new-", dir=partial)) / "broken")
    new.rename(folder)


def _write(folder: Path, run: Run, result: pd.DataFrame, seconds: float) -> None:
    clocked = [name for name in result.columns if str(name).endswith("_seconds")]
    tables = {"result.csv": result.drop(columns=clocked)}
    if clocked:
        tables["timing.csv"] = result[clocked]
    for name, table in tables.items():
        with replacing(folder / name) as raw:
            table.to_csv(raw, index=False, na_rep="nan", lineterminator="\n")
    provenance = {
        "data": run.checksums(),
        "files": {name: _described(folder / name, table) for name, table in tables.items()},
        "versions": {
            "python": ".".join(map(str, sys.version_info[:3])),
            **{name: version(name) for name in _VERSIONS},
        },
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        "processor": get_host_cpu_name(),  # which decides how sums are rounded
        "seconds": round(seconds, 3),
    }
    write_atomically(folder / "params.yaml", [yaml.safe_dump(run.described(), sort_keys=False)])
    write_atomically(folder / "provenance.json", [json.dumps(provenance, indent=1)])


def _described(path: Path, table: pd.DataFrame) -> dict[str, Any]:
    """Return what a table is checked by and read with."""
    kinds = {"i": "int64", "u": "int64", "f": "float64", "b": "bool"}
    columns = {str(name): kinds.get(dtype.kind, "str") for name, dtype in table.dtypes.items()}
    return {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "columns": columns}


def _read(folder: Path, name: str) -> pd.DataFrame | None:
    """Return a table of a finished run; None if anything is missing or not as it was written."""
    try:
        if not all((folder / file).is_file() for file in _FILES):
            return None
        files = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))["files"]
        for file, described in files.items():
            content = (folder / file).read_bytes()
            if hashlib.sha256(content).hexdigest() != described["sha256"]:
                return None
        return _table(folder / name, files[name]["columns"])
    except _BROKEN:
        return None


def _table(path: Path, columns: dict[str, str]) -> pd.DataFrame:
    missing = {name: ["nan"] for name, kind in columns.items() if kind == "float64"}
    return pd.read_csv(path, dtype=columns, keep_default_na=False, na_values=missing)


def _beside(folder: Path) -> tuple[Path, Path]:
    """Return where a run is computed, and the lock of who does."""
    return folder.with_name(f".{folder.name}.partial"), folder.with_name(f".{folder.name}.lock")


def _clear(folder: Path) -> None:
    """Remove what stands beside a finished run, also when who finished it was killed."""
    partial, lock = _beside(folder)
    if not (partial.exists() or lock.exists()):
        return
    with suppress(OSError), FileLock(lock, timeout=0):  # who has the lock will clear up
        shutil.rmtree(partial, ignore_errors=True)
        lock.unlink(missing_ok=True)  # who waits for it still gets it, and finds the result


def _forget(folder: Path) -> None:
    """Remove what killed runs have left that nobody has gone on with for a month."""
    for partial in folder.glob(".*.partial"):
        try:
            if time.time() - partial.stat().st_mtime > _KEPT_SECONDS:
                shutil.rmtree(partial)
                partial.with_suffix(".lock").unlink(missing_ok=True)
        except OSError:
            continue


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
