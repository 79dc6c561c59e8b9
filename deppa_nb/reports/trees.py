"""Dependency trees as SVG text, drawn without a browser."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["tree_svg"]

_FONT = 15
_GAP = 22
_RISE = 26
_MARGIN = 14
_INK, _FAINT = "#1b2a41", "#5c6b80"


class _Arc(NamedTuple):
    head: int
    word: int
    level: int


def tree_svg(
    words: Sequence[str],
    heads: Sequence[int] | NDArray[np.integer],
    labels: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
) -> str:
    """Draw n words with the arcs from their heads.

    Parameters
    ----------
    words
        n forms.
    heads
        n heads, 0 = root; a word with -1 gets no arc: it is not annotated.
    labels, tags
        n labels for the arcs and n tags for below the words, if they are to be shown.

    Returns
    -------
    str
        A complete ``<svg>`` element; text from the words is escaped.

    Examples
    --------
    >>> tree_svg(["Fish", "swim"], [2, 0]).count("<path")
    3
    """
    given = [int(head) for head in heads]
    centres, width = _layout(words, tags, labels)
    arcs = _arcs(given)
    top = max((arc.level for arc in arcs), default=0) + (0 in given)
    base = _MARGIN + top * _RISE + _FONT
    parts = [_arc(arc, centres, base, labels) for arc in arcs]
    parts += [_root(m, centres, base) for m, head in enumerate(given, 1) if head == 0]
    for m, word in enumerate(words, 1):
        faint = given[m - 1] < 0
        parts.append(_text(centres[m], base + _FONT + 6, word, _FONT, _FAINT if faint else _INK))
        if tags:
            parts.append(_text(centres[m], base + 2 * _FONT + 8, tags[m - 1], _FONT - 5, _FAINT))
    height = base + (2 if tags else 1) * _FONT + 16
    title = escape(" ".join(words), quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        f'font-family="sans-serif">{_MARKER}{"".join(parts)}</svg>'
    )


_MARKER = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    f'orient="auto"><path d="M0 0L8 4L0 8Z" fill="{_INK}"/></marker></defs>'
)


def _layout(
    words: Sequence[str], tags: Sequence[str] | None, labels: Sequence[str] | None
) -> tuple[list[float], float]:
    """Return the middle of each word (entry 0 is unused) and the width of all."""
    centres, x = [0.0], float(_MARGIN)
    for i, word in enumerate(words):
        wide = max(_width(word, _FONT), _width(tags[i], _FONT - 5) if tags else 0)
        wide = max(wide, _width(labels[i], _FONT - 4) * 0.8 if labels else 0)
        centres.append(x + wide / 2)
        x += wide + _GAP
    return centres, x - _GAP + _MARGIN


def _width(text: str, size: int) -> float:
    """Estimate the width of text: there is no font to ask."""
    return sum(1.0 if ord(c) > 0x2E80 else 0.58 for c in text) * size


def _arcs(heads: list[int]) -> list[_Arc]:
    """Stack arcs so that each runs above all that it spans."""
    spans = [(head, m) for m, head in enumerate(heads, 1) if head > 0]
    level: dict[tuple[int, int], int] = {}
    for head, m in sorted(spans, key=lambda arc: abs(arc[0] - arc[1])):
        low, high = sorted((head, m))
        under = [
            level[other]
            for other in level
            if min(other) < high and max(other) > low
        ]  # fmt: skip
        level[head, m] = 1 + max(under, default=0)
    return [_Arc(head, m, level[head, m]) for head, m in spans]


def _arc(arc: _Arc, centres: list[float], base: float, labels: Sequence[str] | None) -> str:
    lean = 5 if arc.word > arc.head else -5
    start, end = centres[arc.head] + lean, centres[arc.word] - lean / 2
    y = base - arc.level * _RISE
    bend = min(12.0, abs(end - start) / 2) * (1 if end > start else -1)
    path = (
        f"M{start:.1f} {base}V{y + 12}Q{start:.1f} {y} {start + bend:.1f} {y}"
        f"H{end - bend:.1f}Q{end:.1f} {y} {end:.1f} {y + 12}V{base}"
    )
    line = f'<path d="{path}" fill="none" stroke="{_INK}" marker-end="url(#tip)"/>'
    label = labels[arc.word - 1] if labels else ""
    return line + (_text((start + end) / 2, y - 3, label, _FONT - 4, _FAINT) if label else "")


def _root(m: int, centres: list[float], base: float) -> str:
    x = centres[m]
    line = f'<path d="M{x:.1f} {_MARGIN}V{base}" stroke="{_INK}" marker-end="url(#tip)"/>'
    return line + _text(x, _MARGIN - 3, "root", _FONT - 4, _FAINT)


def _text(x: float, y: float, text: str, size: int, colour: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" '
        f'text-anchor="middle">{escape(text)}</text>'
    )
