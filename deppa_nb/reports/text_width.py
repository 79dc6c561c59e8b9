"""How wide a text will be, which way it runs, and how it is written into XML: no font to ask."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from html import escape

__all__ = ["FONTS", "escaped", "runs_right_to_left", "shortened", "text_width"]

FONTS = "Arial, Helvetica, Liberation Sans, Noto Sans, DejaVu Sans, sans-serif"
"""Arial and those drawn to its widths first: the widths below are theirs."""

_SLACK = 1.06  # a reader's machine may lack them all, and other sans-serif fonts are wider
_EMS = {
    "ijl'|": 0.24,
    " !,./:;\\I[]ft": 0.28,
    '()-r`{}"*': 0.36,
    "Jcksvxyz^": 0.5,
    "+<=>~FTZ": 0.6,
    "ABEKPSVXY&": 0.67,
    "CDHNRUw": 0.73,
    "GOQ": 0.78,
    "mM%": 0.87,
    "W@": 1.0,
}
_ASCII = {character: ems for characters, ems in _EMS.items() for character in characters}
_INVALID = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text_width(text: str, size: float) -> float:
    r"""Estimate the width of a line of text in a sans-serif font, in the unit of its size.

    >>> round(text_width("mill", 10)), round(text_width("家", 10)), text_width("\u0301", 10)
    (17, 11, 0.0)
    """
    joined = any(map(_is_joined, text))  # the last letter of an Arabic word has a long tail
    return _SLACK * size * (sum(map(_ems, text)) + (0.4 if joined else 0.0))


@cache
def _is_joined(character: str) -> bool:
    return unicodedata.bidirectional(character) == "AL"


@cache
def _ems(character: str) -> float:
    """Return the advance of one character in units of the font's size."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    base = unicodedata.normalize("NFD", character)[0]
    if base.isascii():
        return _ASCII.get(base, 0.56)
    return 0.72 if base.isupper() or not base.isalnum() else 0.58


def runs_right_to_left(words: Iterable[str]) -> bool:
    """Tell whether more words begin in a right-to-left script than in a left-to-right one.

    >>> runs_right_to_left(["שלום", "2", "עולם"]), runs_right_to_left(["hello", "!"])
    (True, False)
    """
    balance = 0
    for word in words:
        kinds = map(unicodedata.bidirectional, word)
        first = next((kind for kind in kinds if kind in ("L", "R", "AL")), None)
        balance += (first in ("R", "AL")) - (first == "L")
    return balance > 0


def shortened(text: str, most: float = 5.0) -> str:
    """Return the text, or its beginning with an ellipsis if it is wider than so many ems.

    >>> shortened("internationalisation"), shortened("fish")
    ('internati…', 'fish')
    """
    if text_width(text, 1) <= most:
        return text
    return next(t for i in range(len(text), -1, -1) if text_width(t := text[:i] + "…", 1) <= most)


def escaped(text: str) -> str:
    r"""Return the text as it may stand in XML; what may not stand there at all is replaced.

    >>> escaped("<&\0>") == "&lt;&amp;\ufffd&gt;"
    True
    """
    return escape(_INVALID.sub("\ufffd", text))
