"""The annotation log: a line of JSON an act, from which everything else is derived.

The first line is a `Header`: who annotates what. Every other line is an `Event`. Lines are only
added, never changed: what is taken back is taken back by an event. Both are checked alike when they
are read and before they are written, so that what is written can be read.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np

from deppa_nb.active.log_checks import Checker, problem_with_event, problem_with_header
from deppa_nb.corpus.bank import Bank
from deppa_nb.corpus.textfile import PathLike, found
from deppa_nb.errors import CorpusError, FormatError

__all__ = [
    "FORMAT",
    "VERSION",
    "Event",
    "Header",
    "Log",
    "Task",
    "Trees",
    "What",
    "bank_digest",
    "event_of",
    "is_log",
    "name_of",
    "parse_log",
    "read_log",
    "sentences_by_id",
    "to_line",
    "words_digest",
]

FORMAT = "deppa-annotation-log"
VERSION = 1

Task = Literal["full", "partial"]
What = Literal["shown", "head", "label", "tree", "skip", "unsure", "submit", "undo", "page"]
Trees = tuple[tuple[int, ...], ...]

_HEADER_START = b'{"format": "' + FORMAT.encode()
_DIGEST_BYTES = 6


@dataclass(frozen=True)
class Header:
    """The first line of a log.

    Attributes
    ----------
    annotator
        Who did what the log says: one log, one annotator.
    treebank, digest
        The name of what is annotated, and the `bank_digest` of its words.
    """

    annotator: str
    treebank: str
    digest: str


@dataclass(frozen=True)
class Event:
    """One act. A `LogWriter` fills in seq, act, annotator, digest and utc.

    Attributes
    ----------
    what
        ``shown``: a question appeared; ``head``, ``label``: `new` was given to a word; ``tree``:
        one of two `trees` was preferred (`new` is A, B or equal); ``skip``: no answer is given;
        ``unsure``: the answer is doubtful; ``submit``: the sentence is done; ``undo``: `undo_of` is
        taken back; ``page``: the page became `new`: open, visible, hidden, idle or active.
    sentence, digest, token
        The sentence's sent_id, the `words_digest` of its words, and the word, 1..n.
    task
        ``full`` trees are asked for, or the heads of some words (``partial``).
    old, new
        The value before and after: a head, 0..n, or a label; None = open.
    trees
        The n heads of trees A and B, where `what` is ``tree``.
    how
        ``key``, ``click``, ``simulated`` and the like.
    rank, probability
        Of the choice, among the model's candidates (the best has rank 1).
    round, strategy, model
        When and by whose choice the question was asked; the model's hash.
    utc, ms, visible
        The time, ``2026-11-17T09:30:00.000Z``; milliseconds since the page was opened, by a clock
        that never goes back; whether the page is in view.
    seq, act
        The event's number, 1, 2, ...; the number of the first event of the same act.
    undo_of
        The act that is taken back; taking back an undo does the act again.
    client
        What the page calls the act: by it, one that is sent twice is recognised.
    """

    what: What
    sentence: str | None = None
    token: int | None = None
    task: Task | None = None
    old: int | str | None = None
    new: int | str | None = None
    trees: Trees | None = None
    how: str = "key"
    rank: int | None = None
    probability: float | None = None
    round: int = 0
    strategy: str | None = None
    model: str | None = None
    ms: int = 0
    visible: bool = True
    undo_of: int | None = None
    client: str | None = None
    seq: int = 0
    act: int = 0
    annotator: str = ""
    digest: str | None = None
    utc: str = ""


# As a person would like to read a line.
_ORDER = (
    "seq", "act", "annotator", "round", "sentence", "digest", "token", "what", "task", "old", "new",
    "trees", "how", "rank", "probability", "strategy", "model", "utc", "ms", "visible", "undo_of",
    "client",
)  # fmt: skip
assert set(_ORDER) == {field.name for field in fields(Event)}


@dataclass(frozen=True)
class Log:
    """A log as it was read.

    Attributes
    ----------
    size, torn
        Bytes of its lines, and of a last line that was cut off while it was written: not read.
    """

    header: Header
    events: tuple[Event, ...]
    path: str = ""
    size: int = 0
    torn: int = 0


def words_digest(words: Sequence[str]) -> str:
    """Return a short digest of a sentence's words, by which another treebank is noticed.

    >>> words_digest(["Fish", "swim"])
    '440552c53f00'
    """
    text = "\n".join(words).encode("utf-8", "surrogatepass")
    return hashlib.blake2s(text, digest_size=_DIGEST_BYTES).hexdigest()


def bank_digest(bank: Bank[Any]) -> str:
    """Return a digest of all words of a treebank or a bank of sequences, in their order."""
    return words_digest([words_digest(sentence.words) for sentence in bank])


def name_of(sentence: Any) -> str:
    """Return what a log calls a sentence: its sent_id or, of a sequence, its number."""
    return str(getattr(sentence, "sent_id", sentence.number))


def sentences_by_id(bank: Bank[Any]) -> dict[str, Any]:
    """Return the sentences by their sent_id (sequences: their number), each of which is one's own.

    >>> from deppa_nb.corpus.sentence import Sentence, Treebank
    >>> list(sentences_by_id(Treebank((Sentence.of(["Stop"], sent_id="s1"),))))
    ['s1']
    """
    named: dict[str, Any] = {}
    for sentence in bank:
        name = name_of(sentence)
        if name in named:
            raise CorpusError(
                f"{bank.where(sentence)}: a second sentence {name!r} (the first is "
                f"{bank.where(named[name])}), a log needs a sent_id of its own for each"
            )
        named[name] = sentence
    return named


def to_line(value: Header | Event) -> bytes:
    """Return the line of a header or an event, with its end."""
    if isinstance(value, Header):
        shown: dict[str, Any] = {"format": FORMAT, "version": VERSION, **asdict(value)}
    else:
        shown = {name: getattr(value, name) for name in _ORDER}
    return json.dumps(shown, ensure_ascii=False, default=_plain).encode() + b"\n"


def _plain(number: np.generic) -> Any:
    """Return numpy's number as Python's."""
    return number.item()


def event_of(given: dict[str, Any]) -> Event:
    """Return the event that a line's object holds, once `problem_with_event` found none."""
    trees = given["trees"]
    if trees is not None:
        given = {**given, "trees": tuple(map(tuple, trees))}
    return Event(**given)


def read_log(path: PathLike) -> Log:
    """Read a log. A last line that was cut off is left out, and its bytes are counted."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FormatError(path, None, f"cannot be read ({error.strerror})") from error
    log = parse_log(path, data)
    if log is None:
        raise FormatError(path, 1, "no whole line, expected the header of an annotation log")
    return log


def is_log(path: PathLike) -> bool:
    """Tell whether a file begins as a log does, be the rest of it broken or not."""
    if not Path(path).is_file():
        return False
    with open(path, "rb") as file:
        return file.read(len(_HEADER_START)) == _HEADER_START


def parse_log(path: PathLike, data: bytes) -> Log | None:
    """Return the log that a file's bytes hold, None if even its header was cut off or is not there.

    Only the last line can have been cut off, and only if it has no end and is no JSON; anything
    else that is wrong is an error with its line.
    """
    lines = data.split(b"\n")
    cut = _is_cut_off(lines[-1])
    torn = len(lines[-1]) if cut else 0
    if cut or not lines[-1]:
        lines.pop()
    if not lines:
        if data and not data.startswith(_HEADER_START) and not _HEADER_START.startswith(data):
            raise FormatError(path, 1, f"{_shown(data)}, expected the header of an annotation log")
        return None
    header = _header(path, lines[0])
    events = tuple(_events(path, header, lines[1:]))
    return Log(header, events, str(path), len(data) - torn, torn)


def _header(path: PathLike, line: bytes) -> Header:
    given = _object(path, 1, line)
    if problem := problem_with_header(given, FORMAT, VERSION):
        raise FormatError(path, 1, problem)
    return Header(given["annotator"], given["treebank"], given["digest"])


def _events(path: PathLike, header: Header, lines: Iterable[bytes]) -> Iterable[Event]:
    checker = Checker(header.annotator)
    for number, line in enumerate(lines, 2):
        given = _object(path, number, line)
        if problem := problem_with_event(given) or checker.problem_with(given):
            raise FormatError(path, number, problem)
        checker.add(given)
        yield event_of(given)


def _is_cut_off(line: bytes) -> bool:
    try:
        json.loads(line.decode())
    except (ValueError, RecursionError):
        return bool(line)
    return False


def _object(path: PathLike, number: int, line: bytes) -> dict[str, Any]:
    try:
        given = json.loads(line.decode())
    except (ValueError, RecursionError):
        raise FormatError(path, number, f"{_shown(line)} is not JSON in UTF-8") from None
    if not isinstance(given, dict):
        raise FormatError(path, number, f"{_shown(line)}, expected a JSON object")
    return given


def _shown(line: bytes) -> str:
    return found(re.sub(r"\s+", " ", line[:400].decode("utf-8", "replace")))
