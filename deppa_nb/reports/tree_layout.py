"""Where the words, arcs and labels of a tree stand: numbers only, from left to right.

A line is a row of slots: its left edge, its words, its right edge. An arc on a line is a bar at a
level between two slots, with a leg down to the word at each end; an arc that goes on in another
line ends at an edge instead. Each arc is above those it contains, and at a word shorter arcs leave
further out: so legs meet bars only where the tree itself has arcs that cross. A label needs a part
of its bar that no leg passes; the words are moved apart until there is one.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from deppa_nb.reports.text_width import text_width
from deppa_nb.reports.tree_parts import FORM, MARGIN, PAD, TAG, Arc, Layout, Line, Part, Picture

__all__ = ["lay_out"]

_GAP = 16  # between words
_PORT = 8  # between the legs at a word
_RUN = 14  # what an arc runs at least before it leaves at an edge
_LINE, _EMPTY = 4, 12  # what a line and an empty one cost, where an arc that is cut costs 1


def lay_out(picture: Picture, limit: float) -> Layout:
    """Return the lines of the picture, no wider than the limit unless one word is."""
    n = len(picture.words)
    if sum(_text_widths(picture, 1, n)) + (n - 1) * _GAP + 2 * MARGIN <= limit:
        line = _line(picture, 1, n, MARGIN)
        if line.slots[-1] + MARGIN <= limit:
            return Layout([_settled(line, line.slots[-1])], line.slots[-1] + MARGIN)
    names = [picture.reference(m) for m in range(1, n + 1)]
    edge = MARGIN + max(text_width(name, TAG) for name in names) + PAD
    lines = _broken(picture, edge, limit - edge)
    right = max(line.slots[-1] for line in lines)
    return Layout([_settled(line, right) for line in lines], right + edge)


def _broken(picture: Picture, left: float, right: float) -> list[Line]:
    """Break the words into lines that fit."""
    lines: list[Line] = []
    ends = _line_ends(picture, max(1.0, right - left))
    first = 1
    while first <= len(picture.words):
        lines.append(_fitting(picture, first, ends[first], left, right))
        first = lines[-1].last + 1
    return lines


def _line_ends(picture: Picture, room: float) -> list[int]:
    """Return where a line that begins with word 1, 2, ... best ends (entry 0 is unused).

    Few lines, few arcs cut and little space left is best, as in the setting of paragraphs; widths
    are those in one endless line.
    """
    n = len(picture.words)
    slots, widths = _line(picture, 1, n, 0.0).slots, [0.0, *_text_widths(picture, 1, n)]
    cuts = [sum(_is_cut(arc, m) for arc in picture.arcs) for m in range(n + 1)]
    best: list[tuple[float, int]] = [(0.0, 0)] * (n + 2)
    for first in range(n, 0, -1):
        choices = []
        for last in range(first, n + 1):
            wide = slots[last] - slots[first] + (widths[first] + widths[last]) / 2 + 2 * _RUN
            if wide > room and last > first:
                break
            empty = max(0.0, 1 - wide / room - (0.6 if last == n else 0))
            cost = _LINE + cuts[last] + _EMPTY * empty**2 + best[last + 1][0]
            choices.append((cost, last))
        best[first] = min(choices)
    return [last for _, last in best]


def _fitting(picture: Picture, first: int, most: int, left: float, right: float) -> Line:
    """Return the longest line of at most these words that fits, of one word if none does."""
    for last in range(most, first - 1, -1):
        line = _line(picture, first, last, left)
        if line.slots[-1] <= right:
            break
    return line


def _is_cut(arc: Arc, m: int) -> bool:
    """Tell whether a line that ends with word m cuts the arc."""
    return arc.head > 0 and (arc.head <= m) != (arc.word <= m)


def _text_widths(picture: Picture, first: int, last: int) -> list[float]:
    words, tags = picture.words[first - 1 : last], picture.tags[first - 1 : last]
    wide = [text_width(word, FORM) for word in words]
    return [max(w, text_width(tag, TAG)) for w, tag in zip(wide, tags, strict=True)]


def _line(picture: Picture, first: int, last: int, left: float) -> Line:
    """Lay out one line; its labels are placed when its right edge is settled."""
    parts = _parts(picture.arcs, first, last)
    halves = [0.0, *(width / 2 for width in _text_widths(picture, first, last)), 0.0]
    for below in (False, True):
        side = [part for part in parts if part.arc.below == below]
        _stack(side)
        for slot in range(1, len(halves) - 1):
            halves[slot] = max(halves[slot], _spread(side, slot))
    steps = [a + b + _GAP for a, b in pairwise(halves)]
    for edge, step in ((0, 0), (len(steps), -1)):
        is_met = any(edge in (part.low, part.high) for part in parts)
        steps[step] += (_RUN if is_met else 0) - _GAP
    _widen(parts, steps)
    return Line(first, last, list(accumulate(steps, initial=left)), parts)


def _parts(arcs: Iterable[Arc], first: int, last: int) -> list[Part]:
    """Return what of the arcs is on the line of these words."""
    parts, last_slot = [], last - first + 2
    for arc in arcs:
        has_head, has_word = first <= arc.head <= last, first <= arc.word <= last
        if not has_head and not has_word:
            continue
        ends = [min(max(m - first + 1, 0), last_slot) for m in (arc.head, arc.word)]
        if arc.head <= 0:
            ends[0] = ends[1]
        to = 0 if arc.head <= 0 or has_head == has_word else arc.word if has_head else arc.head
        parts.append(Part(arc, min(ends), max(ends), to, label=arc.label if has_word else ""))
    return parts


def _stack(parts: Iterable[Part]) -> None:
    """Give each arc the lowest level above all that it contains and beside those it crosses."""
    bars = [part for part in parts if part.arc.head >= 0]
    placed: list[Part] = []
    for part in sorted(bars, key=lambda part: _length(part, bars)):
        low, high = part.reach
        under, beside = 0, set()
        for other in placed:
            its_low, its_high = other.reach
            if its_low >= high or its_high <= low:
                continue
            is_foot = part.is_stub and part.low in (other.low, other.high)
            if is_foot or (low <= its_low and its_high <= high):
                under = max(under, other.level)
            else:
                beside.add(other.level)
        part.level = next(i for i in range(under + 1, under + len(bars) + 1) if i not in beside)
        placed.append(part)


def _length(part: Part, bars: Iterable[Part]) -> float:
    """Return the order of stacking: a root's arrow comes next after the arcs at its word."""
    if not part.is_stub:
        return part.high - part.low
    return max(b.high - b.low for b in bars if part.low in (b.low, b.high)) + 0.5


def _spread(parts: Iterable[Part], slot: int) -> float:
    """Put the legs at a word side by side and return half of the room that they need."""
    legs = [part for part in parts if slot in (part.low, part.high)]
    legs.sort(
        key=lambda p: (0, p.level) if p.low < slot else (1, 0) if p.is_stub else (2, -p.level)
    )
    stubs = [part.is_stub for part in legs]
    several = sum(stubs) > 1
    wide = [max(_PORT, p.room if several and p.is_stub else 0) for p in legs]
    ends = list(accumulate(wide, initial=-sum(wide) / 2))
    half = sum(wide) / 2
    for part, (start, stop) in zip(legs, pairwise(ends), strict=True):
        middle = (start + stop) / 2
        low, high = part.shifts
        part.shifts = (middle, high) if part.low == slot else (low, middle)
        if part.is_stub:
            half = max(half, abs(middle) + part.room / 2)
    return half


def _widen(parts: Sequence[Part], steps: list[float]) -> None:
    """Move the slots apart until each label has a free stretch of its bar."""
    bars = sorted((p for p in parts if p.label and not p.is_stub), key=lambda p: p.high - p.low)
    for part in bars:
        stretches = _stretches(part, parts, list(accumulate(steps, initial=0.0)))
        longest = max(stretches, key=lambda stretch: stretch.stop - stretch.start)
        lacking = max(0.0, part.room - (longest.stop - longest.start))
        for slot in range(longest.before, longest.after):
            steps[slot] += lacking / (longest.after - longest.before)


class _Stretch(NamedTuple):
    """A piece of a bar, and the slots at its ends."""

    start: float
    before: int
    stop: float
    after: int


def _stretches(part: Part, parts: Iterable[Part], slots: Sequence[float]) -> list[_Stretch]:
    """Return the pieces of a bar between the legs of higher arcs."""
    legs = {(part.end(slot, slots), slot) for slot in (part.low, part.high)}
    for other in parts:
        if other.level > part.level and other.arc.below == part.arc.below:
            inside = {s for s in (other.low, other.high) if part.low < s < part.high}
            legs |= {(other.end(slot, slots), slot) for slot in inside}
    pieces = [_Stretch(*leg, *following) for leg, following in pairwise(sorted(legs))]
    return [piece for piece in pieces if piece.before < piece.after]


def _settled(line: Line, right: float) -> Line:
    """Return the line with its right edge there and every end and label in its place."""
    slots = [*line.slots[:-1], right]
    for part in line.parts:
        start, stop = part.end(part.low, slots), part.end(part.high, slots)
        middle = (start + stop) / 2
        if part.label and not part.is_stub:
            fits = [
                min(max(middle, piece.start + part.room / 2), piece.stop - part.room / 2)
                for piece in _stretches(part, line.parts, slots)
                if piece.stop - piece.start >= part.room - 1e-6
            ]
            middle = min(fits, key=lambda x: abs(x - (start + stop) / 2))
        part.at = (start, stop, middle)
    return Line(line.first, line.last, slots, line.parts)
