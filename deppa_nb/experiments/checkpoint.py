"""What a run has finished so far, so that a killed one goes on from its last finished round."""

import json
import os
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from deppa_nb.corpus.textfile import replacing
from deppa_nb.models.storage import BROKEN

__all__ = ["Checkpoint"]

T = TypeVar("T")


class Checkpoint:
    """Rows of finished rounds and the state after them, in one file: both or neither.

    Parameters
    ----------
    folder
        Where the file is, and the run's log.

    Attributes
    ----------
    rows
        Of all finished rounds, in plain values: what the result is made of, whether the run was
        interrupted or not.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Checkpoint(Path(folder)).add([{"round": 0}], lambda path: path.write_text("state"))
    ...     later = Checkpoint(Path(folder))
    ...     later.rows, later.load(Path.read_text)
    ([{'round': 0}], 'state')
    """

    def __init__(self, folder: Path) -> None:
        self.path, self._log = folder / "checkpoint.zip", folder / "log.txt"
        self.rows: list[dict[str, Any]] = []
        self._before, self._start = 0.0, time.process_time()
        self._read()

    def _read(self) -> None:
        try:
            with zipfile.ZipFile(self.path) as archive:
                if archive.testzip() is None and "state" in archive.namelist():
                    found = json.loads(archive.read("rows.json"))
                    self.rows = [
                        dict(zip(found["names"], row, strict=True)) for row in found["rows"]
                    ]
                    self._before = found["seconds"]
                    return
        except (*BROKEN, OSError):
            pass
        self.path.unlink(missing_ok=True)  # none, or one that a full disk has broken

    def load(self, read: Callable[[Path], T]) -> T | None:
        """Return what `read` makes of the kept state (`ActiveLearner.load`), None without one."""
        if not self.path.exists():
            return None
        with zipfile.ZipFile(self.path) as archive, self._temporary() as folder:
            return read(Path(archive.extract("state", folder)))

    def add(self, rows: Iterable[dict[str, Any]], save: Callable[[Path], Any]) -> None:
        """Keep the rows of a round that is finished, and the state that `save` writes to a path.

        All rows of a run have the same names.
        """
        plain = json.dumps(list(rows), default=lambda value: value.item())
        self.rows += json.loads(plain)
        values = [list(row.values()) for row in self.rows]
        names = list(self.rows[0]) if self.rows else []
        content = json.dumps({"names": names, "rows": values, "seconds": self.seconds})
        with self._temporary() as folder:
            save(state := Path(folder) / "state")
            with replacing(self.path.resolve()) as raw, zipfile.ZipFile(raw, "w") as archive:
                archive.writestr("rows.json", content)
                archive.write(state, "state")

    def _temporary(self) -> tempfile.TemporaryDirectory[str]:
        """Return a folder that goes with the run's own, should the process be killed."""
        return tempfile.TemporaryDirectory(prefix="new-", dir=self.path.parent)

    @property
    def seconds(self) -> float:
        """What the run has taken of processors, with what it did before it was killed.

        All threads count, and time does not in which others had the machine or a laptop slept.
        """
        return self._before + time.process_time() - self._start

    def say(self, text: str) -> None:
        """Add a line to the run's log."""
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        with open(self._log, "a", encoding="utf-8") as file:
            file.write(f"{now} process {os.getpid()}: {text}\n")
