"""What features say of a form, looked up: a corpus has far fewer forms than tokens."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from hashlib import blake2b
from threading import Lock

import numpy as np
from numpy.typing import NDArray

__all__ = ["FORMS", "HASHES", "NUMBERS", "Forms", "Hashes", "hash_string", "shape"]

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.int64]

_SHAPE = (("[^\\W\\d_]", lambda found: "X" if found[0].isupper() else "x"), (r"\d", lambda _: "d"))
_MARKS = (",", ";:", ".?!", "([{", ")]}", "\"'`«»“”‘’", "-–—")
_QUOTES = ('"', "''", "``")
_MOST = 1 << 18  # forms that are remembered


@lru_cache(maxsize=1 << 18)
def hash_string(text: str) -> np.uint64:
    """Return a 64-bit hash that is the same on every machine and in every run.

    >>> int(hash_string("the"))
    3331141520948189790
    """
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def shape(form: str) -> str:
    """Return the pattern of letters and digits, runs of one kind cut to two.

    >>> shape("McDonald's"), shape("1,250.00")
    ("XxXxx'x", 'd,dd.dd')
    """
    for pattern, kind in _SHAPE:
        form = re.sub(pattern, kind, form)
    return re.sub(r"(.)\1\1+", r"\1\1", form)


def _mark(form: str) -> int:
    kinds = (k for k, marks in enumerate(_MARKS) if form[0] in marks)
    return next(kinds, len(_MARKS))


def _bracket(form: str) -> int:
    """Return 1 for an opening bracket or quotation mark, -1 for a closing one."""
    if len(form) != 1:
        return 0
    category = unicodedata.category(form)
    return (category in ("Ps", "Pi")) - (category in ("Pe", "Pf"))


def _end(length: int, form: str) -> str:
    return form[-length:].lower()


def _start(length: int, form: str) -> str:
    return form[:length].lower()


HASHES: dict[str, Callable[[str], str]] = {
    "w": str.lower,
    "form": str,
    **{f"suffix{k}": partial(_end, k) for k in (1, 2, 3, 4)},
    **{f"prefix{k}": partial(_start, k) for k in (1, 2, 3)},
    "shape": shape,
}
"""Strings to hash, by name."""

NUMBERS: dict[str, Callable[[str], int]] = {
    "mark": _mark,
    "bracket": _bracket,
    "quote": lambda form: form in _QUOTES,
}
"""Numbers, by name."""


class Forms:
    """A row for each form that was met."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._rows = np.empty((1024, len(HASHES) + len(NUMBERS)), np.uint64)
        self._lock = Lock()

    def look_up(self, forms: Sequence[str]) -> tuple[dict[str, Hashes], dict[str, Numbers]]:
        """Return what is said of each form, `HASHES` and `NUMBERS`, by name."""
        with self._lock:
            if len(self._places) > _MOST:
                self._places.clear()  # a program that runs for long does not grow
            try:
                rows = self._rows[self._found(forms)]
            except KeyError:
                for form in dict.fromkeys(forms):
                    if form not in self._places:
                        self._add(form)
                rows = self._rows[self._found(forms)]
        columns = np.ascontiguousarray(rows.T)
        numbers = columns[len(HASHES) :].view(np.int64)
        return dict(zip(HASHES, columns, strict=False)), dict(zip(NUMBERS, numbers, strict=True))

    def _found(self, forms: Sequence[str]) -> Numbers:
        return np.fromiter(map(self._places.__getitem__, forms), np.int64, len(forms))

    def _add(self, form: str) -> None:
        place = self._places[form] = len(self._places)
        if place == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        hashes = [int(hash_string(function(form))) for function in HASHES.values()]
        numbers = [function(form) % 2**64 for function in NUMBERS.values()]
        self._rows[place] = np.array([*hashes, *numbers], np.uint64)


FORMS = Forms()
