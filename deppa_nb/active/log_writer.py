"""A log that is being written: what `append` has returned is on the disk."""

import json
import os
import sys
import weakref
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from deppa_nb.active.log import (
    FORMAT,
    VERSION,
    Event,
    Header,
    Log,
    bank_digest,
    event_of,
    parse_log,
    sentences_by_id,
    to_line,
    words_digest,
)
from deppa_nb.active.log_checks import Checker, problem_with_event, problem_with_header
from deppa_nb.corpus.bank import Bank
from deppa_nb.corpus.textfile import PathLike
from deppa_nb.errors import CorpusError, DeppaError, FormatError

if sys.platform != "win32":
    import fcntl

__all__ = ["LogWriter", "utc_now"]

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)


def utc_now() -> str:
    """Return the time, to the millisecond: ``2026-11-17T09:30:00.000Z``."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class LogWriter:
    """Writes a log, alone; goes on with one that is there.

    Parameters
    ----------
    path
        The log; folders above it are made. It is locked against other writers.
    annotator
        Whose log it is.
    treebank
        What is annotated: sentences or sequences, each with a sent_id of its own.
    clock
        Gives the time of an event that has none.

    Attributes
    ----------
    events
        All events of the log, in order.
    set_aside
        Where a last line was put that an earlier writer left cut off; None if there was none.

    Examples
    --------
    >>> import tempfile
    >>> from deppa_nb.active.log_state import state
    >>> from deppa_nb.corpus.sentence import Sentence, Treebank
    >>> bank = Treebank((Sentence.of(["Fish", "swim"], sent_id="s1"),), "mine")
    >>> path = Path(tempfile.mkdtemp()) / "anna.jsonl"
    >>> with LogWriter(path, annotator="anna", treebank=bank) as log:
    ...     given = log.append(Event("head", "s1", 1, "partial", new=2, rank=1, ms=2100))
    ...     undo = log.append(Event("undo", undo_of=given.act, ms=2900))
    ...     redo = log.append(Event("undo", undo_of=undo.act, ms=3500))
    >>> redo.seq, state(log.events).heads
    (3, {('s1', 1): 2})
    """

    def __init__(
        self,
        path: PathLike,
        *,
        annotator: str,
        treebank: Bank[Any],
        clock: Callable[[], str] = utc_now,
    ) -> None:
        self.path = Path(path).resolve()
        self.header = Header(annotator, treebank.name, bank_digest(treebank))
        self.events: list[Event] = []
        self.set_aside: Path | None = None
        self._clock = clock
        named = sentences_by_id(treebank)
        self._sentences = {name: (words_digest(s.words), len(s)) for name, s in named.items()}
        self._checker = Checker(annotator)
        self._size = 0
        self._file = -1
        try:
            self._open()
        except OSError as error:
            raise self._failure(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others write; closing twice does no harm."""
        if self._file >= 0:
            self._let_go()
            self._file = -1

    def append(self, event: Event) -> Event:
        """Write an act of one event, and return it when it is on the disk."""
        return self.append_act([event])[0]

    def append_act(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """Write events that belong together, so that one undo takes back all of them.

        An event that is not right is an error, and none of them is written. Nor is one if the
        disk is full: the log stays as it was.
        """
        if self._file < 0:
            raise DeppaError(f"{self.path}: the log is closed")
        act, text, checked = self._checker.seq + 1, b"", []
        try:
            for seq, event in enumerate(events, act):
                line = to_line(self._filled(event, seq, act))
                given = json.loads(line)
                problem = problem_with_event(given) or self._checker.problem_with(given)
                if problem := problem or self._problem_with_size(given):
                    raise FormatError(self.path, seq + 1, problem)
                self._checker.add(given)
                checked.append(event_of(given))
                text += line
            self._write(text)
        except BaseException:
            self._checker = Checker(self.header.annotator, map(vars, self.events))
            raise
        self.events += checked
        return tuple(checked)

    def _filled(self, event: Event, seq: int, act: int) -> Event:
        digest, _ = self._sentences.get(event.sentence or "", (None, 0))
        if event.sentence is not None and digest is None:
            problem = f"sentence {event.sentence!r} is not in {self.header.treebank}"
            raise FormatError(self.path, seq + 1, problem)
        utc, annotator = event.utc or self._clock(), self.header.annotator
        return replace(event, seq=seq, act=act, annotator=annotator, digest=digest, utc=utc)

    def _problem_with_size(self, given: dict[str, Any]) -> str:
        """Say what the event has that its sentence has not; "" if nothing."""
        if given["sentence"] is None:
            return ""
        _, n = self._sentences[given["sentence"]]
        heads = [given["new"]] if given["what"] == "head" else []
        for name, number in [("token", given["token"]), *(("new", head) for head in heads)]:
            if number is not None and number > n:
                return f"{name} is {number}, past the sentence's last word {n}"
        if given["trees"] and len(given["trees"][0]) != n:
            return f"trees of {len(given['trees'][0])} words, expected {n}"
        return ""

    def _open(self) -> None:
        """Take the log for this writer, bring it to the end of a line and read it."""
        if problem := problem_with_header(json.loads(to_line(self.header)), FORMAT, VERSION):
            raise FormatError(self.path, 1, problem)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self.path, _FLAGS, 0o666)
        self._let_go = weakref.finalize(self, os.close, self._file)  # of one that nobody closed
        try:
            self._lock()
            data = self.path.read_bytes()
            self._go_on(parse_log(self.path, data), data)
        except BaseException:
            self.close()
            raise

    def _lock(self) -> None:
        """Keep other writers away until the file is closed, be it by a crash."""
        if sys.platform != "win32":  # there, `_check_unchanged` has to do
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                problem = "another program or notebook is writing this log, expected to be alone"
                raise DeppaError(f"{self.path}: {problem}") from None

    def _go_on(self, log: Log | None, data: bytes) -> None:
        if log:
            self._check_header(log.header)
            self.events = list(log.events)
            self._checker = Checker(self.header.annotator, map(vars, self.events))
            self._size = log.size
        if torn := data[self._size :]:
            self.set_aside = self.path.with_name(f"{self.path.name}.torn")
            with open(self.set_aside, "ab") as file:
                file.write(torn + b"\n")
                file.flush()
                os.fsync(file.fileno())
            os.ftruncate(self._file, self._size)
        if not log:
            self._write(to_line(self.header))
            for folder in (self.path.parent, *self.path.parent.parents):  # some may be new
                _sync_folder(folder)
        elif not data[: self._size].endswith(b"\n"):
            self._write(b"\n")

    def _check_header(self, header: Header) -> None:
        if header.annotator != self.header.annotator:
            problem = f"a log of {header.annotator!r}, expected one of {self.header.annotator!r}"
            raise FormatError(self.path, 1, problem)
        if header.digest != self.header.digest:
            raise CorpusError(
                f"{self.path}: a log of {header.treebank!r}, "
                f"the words of {self.header.treebank!r} are not the same"
            )

    def _write(self, text: bytes) -> None:
        """Write and sync; where that fails, take back what was written of it."""
        self._check_unchanged()
        try:
            left = memoryview(text)
            while left:
                left = left[os.write(self._file, left) :]
            os.fsync(self._file)
            self._size += len(text)
        except BaseException as error:
            try:
                os.ftruncate(self._file, self._size)
            except OSError:  # the next writer sets the cut-off line aside
                self.close()
            if isinstance(error, OSError):
                raise self._failure(error) from error
            raise

    def _check_unchanged(self) -> None:
        """Refuse to write into a file that was removed, replaced or changed under our hands."""
        ours = os.fstat(self._file)
        try:
            same = os.path.samestat(ours, os.stat(self.path))
        except FileNotFoundError:
            same = False
        if not same or ours.st_size != self._size:
            problem = "the log was changed or removed by another program, open it anew"
            raise DeppaError(f"{self.path}: {problem}")

    def _failure(self, error: OSError) -> DeppaError:
        return DeppaError(f"{self.path}: cannot be written ({error.strerror})")


def _sync_folder(folder: Path) -> None:
    """Make sure that a new file is found after a crash; some systems cannot, and need not."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
