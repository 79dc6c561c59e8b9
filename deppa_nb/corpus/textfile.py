"""Text files in bounded memory: pieces of decoded lines, each with its line number.

Every reader of the package stands on `pieces`, so that what a broken file does to one format it
does to all: plain or gzipped UTF-8, LF or CR LF, with or without a byte order mark; anything else
is a `FormatError` with its line.
"""

import codecs
import glob
import gzip
import os
import re
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple, cast

from deppa_nb.errors import DeppaError, FormatError

__all__ = [
    "MAX_LINE",
    "PathLike",
    "Piece",
    "found",
    "lines",
    "pieces",
    "replacing",
    "write_atomically",
]

PathLike = str | os.PathLike[str]

MAX_LINE = 1_000_000
"""Bytes in a line; a longer one is taken for a broken file."""

_CHUNK = 1 << 20
_MAX_PIECE = 1 << 26
_STALE = 3600
_BARE_NEWLINE = re.compile(rb"(?<!\r)\n")
_LONG_LINE = re.compile(rb"[^\n]{%d}" % (MAX_LINE + 1))


class Piece(NamedTuple):
    """Consecutive whole lines of a file.

    `data` is UTF-8 with LF ends and no byte order mark, whatever the file has; `line` is the number
    of its first line.
    """

    line: int
    data: bytes
    newline: str
    bom: bool


def found(text: str, limit: int = 40) -> str:
    """Quote what a file holds, short enough for a one-line message.

    >>> found("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'... (100 characters)"
    """
    return repr(text) if len(text) <= limit else f"{text[:limit]!r}... ({len(text)} characters)"


def pieces(path: PathLike, cut: bytes = b"\n\n") -> Iterator[Piece]:
    r"""Yield a file's text in pieces of about 1 MiB that end after `cut`.

    Parameters
    ----------
    path
        A text file, gzipped or not (told by its first bytes, not by its name).
    cut
        Where a piece may end: ``b"\n\n"`` keeps sentences whole, ``b"\n"`` lines.
    """
    line, rest, newline = 1, b"", "\n"
    try:
        with _open(path) as file:
            while chunk := file.read(_CHUNK):
                rest += chunk
                if line == 1 and rest.partition(b"\n")[0].endswith(b"\r"):
                    newline = "\r\n"
                end = _last_cut(rest, cut, newline)
                if end == 0 and len(rest) > _MAX_PIECE:
                    raise FormatError(
                        path, line, f"no blank line within {_MAX_PIECE >> 20} MiB, expected one"
                    )
                if end:
                    yield _piece(path, line, rest[:end], newline)
                    line += rest.count(b"\n", 0, end)
                    rest = rest[end:]
    except IsADirectoryError:
        raise FormatError(path, None, "is a folder, expected a file") from None
    except FileNotFoundError:
        raise FormatError(path, None, "no such file") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FormatError(path, None, f"broken gzip file ({error})") from error
    except OSError as error:
        raise FormatError(path, None, f"cannot be read ({error.strerror})") from error
    if rest:
        yield _piece(path, line, rest, newline)
    elif line == 1:
        raise FormatError(path, None, "is empty, expected at least one sentence")


def lines(path: PathLike) -> Iterator[tuple[int, str]]:
    """Yield (line number, line without its end), for formats with a sentence a line."""
    for piece in pieces(path, b"\n"):
        for offset, text in enumerate(piece.data.decode().removesuffix("\n").split("\n")):
            yield piece.line + offset, text


@contextmanager
def _open(path: PathLike) -> Iterator[IO[bytes]]:
    """Open a file once (a pipe cannot be read again), unpacking it if it is gzipped."""
    with open(path, "rb") as file:
        packed = file.peek(2)[:2] == b"\x1f\x8b"
        yield cast(IO[bytes], gzip.GzipFile(fileobj=file)) if packed else file


def _last_cut(data: bytes, cut: bytes, newline: str) -> int:
    """Return the end of the last `cut` with text on both sides, 0 if there is none.

    So blank lines at the file's ends never stand alone in a piece, and a writer can keep them.
    """
    cut = cut.replace(b"\n", newline.encode())
    end = data.rstrip(b"\r\n").rfind(cut) + len(cut)
    return end if end >= len(cut) and data[:end].strip(b"\r\n") else 0


def _piece(path: PathLike, line: int, data: bytes, newline: str) -> Piece:
    """Check what every text file must be, and hide what they may differ in."""

    def fail(position: int, problem: str) -> FormatError:
        return FormatError(path, line + data.count(b"\n", 0, position), problem)

    if b"\0" in data:
        raise fail(data.index(b"\0"), "NUL byte, expected a text file")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        problem = f"byte 0x{data[error.start]:02x} is not UTF-8, expected a UTF-8 text file"
        raise fail(error.start, problem) from None
    if newline == "\r\n":
        if bare := _BARE_NEWLINE.search(data):
            raise fail(bare.start(), "line ends in LF, expected CR LF as in line 1")
        data = data.replace(b"\r\n", b"\n")
    if b"\r" in data:
        problem = "carriage return in a line, expected lines that all end in LF or all in CR LF"
        raise fail(data.index(b"\r"), problem)
    if too_long := _LONG_LINE.search(data):
        problem = f"line of over {MAX_LINE:,} bytes, expected a shorter one"
        raise fail(too_long.start(), problem)
    bom = line == 1 and data.startswith(codecs.BOM_UTF8)
    return Piece(line, data.removeprefix(codecs.BOM_UTF8) if bom else data, newline, bom)


def write_atomically(path: PathLike, chunks: Iterable[str]) -> None:
    """Write text so that the file is the old one or the new one, never half of it.

    Folders above it are made.

    Parameters
    ----------
    path
        Where to; a name that ends in ``.gz`` is compressed (same text, same bytes).
    chunks
        The text, in parts, so that a file larger than memory can be written.
    """
    target = Path(path).resolve()
    try:
        if target.exists() and not target.is_file():  # a device or a pipe has no old and new
            with open(target, "wb") as raw:
                _write(raw, chunks, compress=False)
            return
        with replacing(target) as raw:
            _write(raw, chunks, compress=target.suffix == ".gz")
    except OSError as error:
        raise DeppaError(f"{target}: cannot be written ({error.strerror})") from error


@contextmanager
def replacing(target: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that takes the target's place when all went well, else vanishes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{target.name}."
    for stale in target.parent.glob(f"{glob.escape(prefix)}*"):
        if time.time() - stale.stat().st_mtime > _STALE:  # left behind by a killed process
            stale.unlink(missing_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=prefix)
    os.close(handle)
    try:
        with open(name, "w+b") as raw:
            yield raw
            raw.flush()
            os.fsync(raw.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _write(raw: IO[bytes], chunks: Iterable[str], *, compress: bool) -> None:
    if compress:
        with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as file:
            file.writelines(chunk.encode() for chunk in chunks)
    else:
        raw.writelines(chunk.encode() for chunk in chunks)
