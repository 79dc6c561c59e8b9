"""CoNLL-U and CoNLL-X: read with exact errors, written back byte for byte.

Both have ten columns and are read alike; a head that is not annotated is ``_``. A scan of the bytes
tells whether many sentences at once are right, which is fast; where one is not, `first_error` looks
line by line.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from deppa_nb.corpus.conllu_errors import extras_error, first_error
from deppa_nb.corpus.conllu_scan import scan
from deppa_nb.corpus.sentence import Frame, Sentence, Treebank
from deppa_nb.corpus.textfile import PathLike, Piece, pieces, write_atomically
from deppa_nb.corpus.trees import roots
from deppa_nb.errors import DeppaError, FormatError, ParameterError

__all__ = ["iter_conllu", "read_conllu", "write_conllu"]


def read_conllu(
    path: PathLike, *, name: str | None = None, strict: bool = False, limit: int | None = None
) -> Treebank:
    """Read a CoNLL-U or CoNLL-X file.

    Parameters
    ----------
    path
        A file, gzipped or not.
    name
        The treebank's name; the file's by default.
    strict
        Refuse a sentence with several words on the root. They are read by default.
    limit
        Read only so many sentences.
    """
    if limit is not None and limit < 0:
        raise ParameterError(f"limit is {limit}, expected 0 or more")
    sentences = tuple(islice(iter_conllu(path, strict=strict), limit))
    return Treebank(sentences, name or Path(path).name, path=str(path))


def iter_conllu(path: PathLike, *, strict: bool = False) -> Iterator[Sentence]:
    """Yield the sentences of a file one by one, in memory that does not grow with the file."""
    number = 0
    for piece in pieces(path):
        for sentence in _sentences(path, piece, number):
            number = sentence.number
            if strict and len(words := roots(sentence.heads)) > 1:
                problem = f"words {words.tolist()} all have HEAD 0, expected one root"
                raise FormatError(path, sentence.line, problem)
            yield sentence
    if number == 0:
        raise FormatError(path, None, "has only blank lines, expected at least one sentence")


def write_conllu(path: PathLike, sentences: Iterable[Sentence]) -> None:
    """Write sentences to a file; lines that were read and not changed come out as they were.

    Sentences of files with other line ends get those of the first.
    """
    write_atomically(path, _blocks(path, sentences))


def _blocks(path: PathLike, sentences: Iterable[Sentence]) -> Iterator[str]:
    """Join sentences of any origin: a blank line between, a byte order mark at the start only."""
    newline = after = ""
    for sentence in sentences:
        before = sentence.frame.before
        if newline:
            before = before.removeprefix("\ufeff")
            yield after if after.endswith(newline * 2) else newline * 2
        else:
            newline = sentence.frame.newline
        before, after = (
            t.replace("\r\n", "\n").replace("\n", newline) for t in (before, sentence.frame.after)
        )
        yield before + sentence.block.replace("\n", newline)
    if not newline:
        raise DeppaError(f"{path}: no sentences to write")
    yield after


def _sentences(path: PathLike, piece: Piece, number: int) -> Iterator[Sentence]:
    """Yield the sentences of a piece, numbered on; nothing is yielded of a piece with an error."""
    data, newline = piece.data, piece.newline
    found = scan(data)
    if found is None:
        raise _error(path, piece)
    usual = Frame("", newline, newline * 2)
    first = 0
    for i, (start, end, row, size) in enumerate(
        zip(found.start, found.end, found.first_row, found.size, strict=True)
    ):
        gap = (found.start[i + 1] if i + 1 < len(found.start) else len(data)) - end
        frame = usual
        if i == 0 or gap != 2:
            before = ("\ufeff" if piece.bom else "") + newline * start if i == 0 else ""
            frame = Frame(before, newline, newline * gap)
        sentence = Sentence(
            data[start:end].decode(),
            found.heads[first : first + size],
            number + i + 1,
            piece.line + row,
            frame,
        )
        first += size
        if found.has_extras[i]:
            error = extras_error(path, sentence.line, sentence.extras, len(sentence))
            if error:
                raise error
        yield sentence


def _error(path: PathLike, piece: Piece) -> FormatError:
    """Find the first error of a piece that has one."""
    lines: list[str] = []
    for number, line in enumerate([*piece.data.decode().split("\n"), ""], piece.line):
        if line:
            lines.append(line)
        elif lines:
            rows = [i for i, text in enumerate(lines) if not text.startswith("#")]
            first = rows[0] if rows else len(lines)
            if error := first_error(path, number - len(lines) + first, lines[first:]):
                return error
            lines = []
    raise AssertionError(f"{path}: a scan and a look at each line disagree")
