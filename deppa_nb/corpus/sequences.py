"""Sequences with labels, and the column files they come in: CoNLL-2000, CoNLL-2003, numbered IOB2.

A word a line, columns separated by one space or one tab, a blank line between sequences. The last
column holds the labels; a label that is not given is ``_``.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.bank import Bank
from deppa_nb.corpus.iob import problem_with
from deppa_nb.corpus.textfile import PathLike, Piece, found, pieces, write_atomically
from deppa_nb.errors import CorpusError, FormatError

__all__ = ["OPEN", "Sequence", "SequenceBank", "iter_columns", "read_columns", "write_columns"]

OPEN = "_"
"""A label that is not given."""

_LAYOUTS = {
    2: ("word", "label"),
    3: ("word", "pos", "chunk"),
    4: ("word", "pos", "chunk", "entity"),
}
_NUMBERED = ("id", "word", "entity")
_IOB_COLUMNS = ("chunk", "entity")


@dataclass(frozen=True)
class Sequence:
    """Words with a label each.

    Attributes
    ----------
    names, columns
        The file's columns, the labels last.
    comments
        Lines above the words that begin with ``# ``, in files with tabs (else ``#`` is a word).
    """

    names: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    comments: tuple[str, ...] = ()
    number: int = 1
    line: int = 1
    separator: str = " "

    def __post_init__(self) -> None:
        sizes = {len(column) for column in self.columns}
        if len(sizes) != 1 or len(self.names) != len(self.columns):
            raise CorpusError(
                f"columns of {', '.join(map(str, sorted(sizes))) or 'no'} words for the names "
                f"{', '.join(self.names)}, expected one for each name, all of the same length"
            )

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.columns[0])

    def column(self, name: str) -> tuple[str, ...]:
        """Return a column by name."""
        if name not in self.names:
            raise CorpusError(f"no column {name!r}, there are {', '.join(self.names)}")
        return self.columns[self.names.index(name)]

    @property
    def words(self) -> tuple[str, ...]:
        """The words."""
        return self.column("word")

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels; `OPEN` where none is given."""
        return self.columns[-1]

    @property
    def annotated(self) -> NDArray[np.bool_]:
        """``(n,)``, True where a label is given."""
        return np.array([label != OPEN for label in self.labels], dtype=bool)


class SequenceBank(Bank[Sequence]):
    """Sequences of one file."""


def read_columns(
    path: PathLike, *, columns: tuple[str, ...] | None = None, name: str | None = None
) -> SequenceBank:
    """Read a column file.

    Parameters
    ----------
    path
        A file, gzipped or not.
    columns
        Names of its columns, one of them ``"word"``, the labels last. By default told by their
        number: word pos chunk (CoNLL-2000), word pos chunk entity (CoNLL-2003), word label, or
        id word entity where words are numbered.
    name
        The bank's name; the file's by default.
    """
    sequences = tuple(iter_columns(path, columns=columns))
    return SequenceBank(sequences, name or Path(path).name, path=str(path))


def iter_columns(path: PathLike, *, columns: tuple[str, ...] | None = None) -> Iterator[Sequence]:
    """Yield the sequences of a file one by one, in memory that does not grow with the file."""
    number = 0
    if columns is not None and ("word" not in columns[:-1] or len(set(columns)) < len(columns)):
        problem = "expected different names, word among them, the labels' last"
        raise CorpusError(f"columns {' '.join(columns) or 'of no name'}: {problem}")
    for piece in pieces(path):
        for line, block in _blocks(piece):
            first = _n_comments(block)
            rows = block[first:]
            columns = columns or _layout(path, line + first, rows[0])
            number += 1
            values = tuple(zip(*_rows(path, line + first, rows, columns), strict=True))
            separator = _separator(rows[0])
            comments = tuple(block[:first])
            yield Sequence(columns, values, comments, number, line + first, separator)
    if number == 0:
        raise FormatError(path, None, "has only blank lines, expected at least one sequence")


def write_columns(path: PathLike, sequences: Iterable[Sequence]) -> None:
    """Write sequences to a column file."""
    write_atomically(path, map(_block, sequences))


def _block(sequence: Sequence) -> str:
    rows = map(sequence.separator.join, zip(*sequence.columns, strict=True))
    return "\n".join([*sequence.comments, *rows]) + "\n\n"


def _blocks(piece: Piece) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, lines) of the parts between blank lines."""
    block: list[str] = []
    for number, line in enumerate([*piece.data.decode().split("\n"), ""], piece.line):
        if line:
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []


def _n_comments(block: list[str]) -> int:
    if "\t" not in block[-1]:
        return 0
    return next(i for i, row in enumerate(block) if not row.startswith("# ") or "\t" in row)


def _layout(path: PathLike, line: int, row: str) -> tuple[str, ...]:
    fields = _split(row)
    if len(fields) == len(_NUMBERED) and "\t" in row and fields[0] == "1":
        return _NUMBERED
    if len(fields) not in _LAYOUTS:
        problem = (
            f"{len(fields)} columns in {found(row)}, expected 2 to 4 separated by a space or tab"
        )
        raise FormatError(path, line, problem)
    return _LAYOUTS[len(fields)]


def _split(row: str) -> list[str]:
    return row.split(_separator(row))


def _separator(row: str) -> str:
    return "\t" if "\t" in row else " "


def _rows(
    path: PathLike, line: int, rows: list[str], columns: tuple[str, ...]
) -> Iterator[list[str]]:
    """Yield the fields of each row, checked."""
    for number, row in enumerate(rows, line):
        fields = _split(row)
        if problem := _problem(row, fields, columns, number - line + 1):
            raise FormatError(path, number, problem)
        yield fields


def _problem(row: str, fields: list[str], columns: tuple[str, ...], position: int) -> str:
    if not row.strip():
        return "line of white space, expected an empty line between sequences"
    if len(fields) != len(columns):
        return (
            f"{len(fields)} columns in {found(row)}, expected {len(columns)}: {' '.join(columns)}"
        )
    if "" in fields:
        return (
            f"column {columns[fields.index('')]} is empty, expected one separator between columns"
        )
    if columns[0] == "id" and fields[0] != str(position):
        return f"word number {found(fields[0])}, expected {position}"
    if columns[-1] in _IOB_COLUMNS and fields[-1] != OPEN:
        return problem_with(fields[-1])
    return ""
