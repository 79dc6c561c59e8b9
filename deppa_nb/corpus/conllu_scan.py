"""The structure of CoNLL-U text, found on bytes with numpy: lines, sentences, IDs, HEADs.

A scan answers for many sentences at once where each begins and what its heads are, or that
something, somewhere, is not right; it never says what (`conllu_errors` does).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import COLUMNS
from deppa_nb.corpus.trees import Heads, are_trees

__all__ = ["Scan", "scan"]

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_NEWLINE, _TAB, _HASH, _UNDERSCORE, _ZERO = b"\n\t#_0"
_HEAD = COLUMNS.index("HEAD")
_TABS = len(COLUMNS) - 1
_OPEN, _WRONG = -1, -2


class Scan(NamedTuple):
    """The sentences of some text; all lists have an entry a sentence."""

    start: list[int]
    """First byte of the block."""
    end: list[int]
    """Byte after the block's last, a line end or the end of the text."""
    first_row: list[int]
    """Index of the first line below the comments."""
    size: list[int]
    """Number of words and one, for the root."""
    has_extras: list[bool]
    """Whether there are lines that are no words."""
    heads: Heads
    """Head arrays of all sentences, laid end to end."""


def scan(data: bytes) -> Scan | None:
    r"""Scan text of whole sentences, with LF ends.

    >>> scan(b"1\tGo\t_\t_\t_\t_\t0\t_\t_\t_\n\n").heads
    array([-1,  0], dtype=int32)
    >>> scan(b"1\tGo\n\n") is None
    True
    """
    chars = np.frombuffer(data + b"\n", dtype=np.uint8)
    ends = np.flatnonzero(chars == _NEWLINE)
    starts = np.concatenate([[0], ends[:-1] + 1])
    in_block = starts < ends
    comment = chars[starts] == _HASH
    row = in_block & ~comment
    begins = in_block & ~np.concatenate([[False], in_block[:-1]])
    finishes = in_block & ~np.concatenate([in_block[1:], [False]])
    rows = np.flatnonzero(row)
    fields = _fields(chars, starts[rows], ends[rows])
    if fields is None or (comment[1:] & row[:-1]).any():
        return None
    ids = _numbers(chars, fields[:, 0], fields[:, 1])
    is_word = ids >= 0
    heads = _numbers(chars, fields[is_word, _HEAD], fields[is_word, _HEAD + 1])
    sentence = (np.cumsum(begins) - 1)[rows]
    count = int(begins.sum())
    words = np.bincount(sentence[is_word], minlength=count)
    flat = _trees(ids[is_word], heads, words)
    if flat is None:
        return None
    first_row = np.flatnonzero(row & ~np.concatenate([[False], row[:-1]]))
    return Scan(
        starts[begins].tolist(),
        ends[finishes].tolist(),
        first_row.tolist(),
        (words + 1).tolist(),
        (np.bincount(sentence, minlength=count) > words).tolist(),
        flat,
    )


def _fields(chars: Bytes, starts: Ints, ends: Ints) -> Ints | None:
    """Return where each line's fields start (and its end + 1), None if one is empty or missing."""
    tabs = np.flatnonzero(chars == _TAB)
    first = np.searchsorted(tabs, starts)
    if (np.searchsorted(tabs, ends) - first != _TABS).any():
        return None
    inner = tabs[first[:, None] + np.arange(_TABS)]
    fields = np.column_stack([starts, inner + 1, ends + 1])
    return fields if (np.diff(fields) > 1).all() else None


def _numbers(chars: Bytes, starts: Ints, nexts: Ints) -> Ints:
    """Return the numbers that fields spell (no sign, no leading zero), `_OPEN` for "_"."""
    widths = nexts - starts - 1
    values = np.zeros(len(starts), dtype=np.int64)
    wrong = (widths > 9) | ((widths > 1) & (chars[starts] == _ZERO))
    for position in range(min(int(widths.max(initial=0)), 9)):
        inside = position < widths
        digits = chars[np.where(inside, starts + position, starts)].astype(np.int64) - _ZERO
        wrong |= inside & ((digits < 0) | (digits > 9))
        values = np.where(inside, values * 10 + digits, values)
    values[wrong] = _WRONG
    values[(widths == 1) & (chars[starts] == _UNDERSCORE)] = _OPEN
    return values


def _trees(ids: Ints, heads: Ints, words: Ints) -> Heads | None:
    """Return the head arrays, None if IDs do not count 1..n or heads form no trees."""
    sentence = np.repeat(np.arange(len(words)), words)
    position = np.arange(len(ids)) - np.repeat(np.cumsum(words) - words, words) + 1
    if (words == 0).any() or (ids != position).any() or (heads == _WRONG).any():
        return None
    flat = np.full(len(ids) + len(words), -1, dtype=np.int64)
    flat[np.arange(len(ids)) + sentence + 1] = heads
    if not are_trees(flat, words + 1):
        return None
    result = flat.astype(np.int32)
    result.flags.writeable = False
    return result
