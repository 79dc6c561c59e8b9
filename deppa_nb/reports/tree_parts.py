"""What a drawn tree is made of: arcs, their parts on a line, lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from deppa_nb.reports.text_width import shortened, text_width

__all__ = ["FORM", "LABEL", "MARGIN", "PAD", "TAG", "Arc", "Layout", "Line", "Part", "Picture"]

FORM, TAG, LABEL = 16, 11, 12
"""Sizes of the fonts of words, of tags and numbers, and of labels."""
MARGIN = 12
PAD = 4
"""What is kept free beside a label."""


class Arc(NamedTuple):
    """An arc to `word` from `head`, both counted from 1; head 0 is the root.

    Attributes
    ----------
    label
        Shown at the arc.
    probability
        From 0 to 1; shown as a number and by the stroke.
    style
        A name among `STYLES`.
    below
        Whether it runs below the words.
    """

    head: int
    word: int
    label: str = ""
    probability: float | None = None
    style: str = "plain"
    below: bool = False


@dataclass(frozen=True)
class Picture:
    """What is drawn; a word without a head has an arc with head -1."""

    words: Sequence[str]
    tags: Sequence[str]
    arcs: Sequence[Arc]
    highlight: frozenset[int] = frozenset()
    short_references: bool = False
    shades: Sequence[float] = ()

    @cached_property
    def open_words(self) -> frozenset[int]:
        """The words without a head."""
        return frozenset(arc.word for arc in self.arcs if arc.head < 0)

    def reference(self, m: int) -> str:
        """Return how a word in another line is named at an edge: by number and, usually, form."""
        return str(m) if self.short_references else f"{m} {shortened(self.words[m - 1])}"


@dataclass
class Part:
    """The part of an arc that is on one line.

    Attributes
    ----------
    low, high
        Its slots; the same one if it comes from the root or is open.
    to
        The word in another line to or from which it goes on, else 0.
    level
        How high its bar is: 1, 2, ...
    shifts
        How far from the middle of its slots its ends are.
    label
        Its text, empty on the part that leaves the head's line.
    at
        Where its ends and the middle of its label are.
    """

    arc: Arc
    low: int
    high: int
    to: int = 0
    level: int = 0
    shifts: tuple[float, float] = (0.0, 0.0)
    label: str = ""
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def is_stub(self) -> bool:
        """Whether it stands on one word: from the root, or open."""
        return self.low == self.high

    @property
    def room(self) -> float:
        """What its label needs."""
        return text_width(self.label, LABEL) + 2 * PAD if self.label else 0.0

    @property
    def reach(self) -> tuple[float, float]:
        """The slots it covers."""
        grown = 0.5 if self.is_stub else 0.0
        return self.low - grown, self.high + grown

    def passes(self, other: "Part") -> bool:
        """Tell whether a leg of it goes through the bar of another one."""
        if self.level <= other.level or self.arc.below != other.arc.below:
            return False
        return other.low < self.low < other.high or other.low < self.high < other.high

    def end(self, slot: int, slots: Sequence[float]) -> float:
        """Return where its leg at a slot is."""
        return slots[slot] + self.shifts[slot == self.high and not self.is_stub]


@dataclass(frozen=True)
class Line:
    """Words `first` to `last`, the middles of their slots, and the arcs; slot 1 is the first."""

    first: int
    last: int
    slots: Sequence[float]
    parts: Sequence[Part]

    def levels(self, below: bool) -> int:
        """Return how many levels there are on a side."""
        return max((p.level for p in self.parts if p.arc.below == below), default=0)


@dataclass(frozen=True)
class Layout:
    """All lines, and the width of each."""

    lines: Sequence[Line]
    width: float
