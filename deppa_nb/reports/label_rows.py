"""Label sequences as SVG text: a row of cells for each of them, over the same words."""

from collections.abc import Mapping, Sequence

from deppa_nb.corpus.sequences import OPEN
from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts.looks import PALETTE
from deppa_nb.reports.text_width import FONTS, escaped, text_width

__all__ = ["label_rows_svg"]

_FORM, _LABEL = 15, 12  # sizes of fonts
_HEIGHT, _GAP, _PAD, _MARGIN = 24, 6, 7, 8
_INK, _PALE, _WRONG = "#1b2a41", "#8a8f98", "#b3261e"


def label_rows_svg(
    words: Sequence[str],
    rows: Mapping[str, Sequence[str]],
    given: Mapping[str, Sequence[bool]] | None = None,
    conflicts: Sequence[int] = (),
    types: Sequence[str] | None = None,
) -> str:
    """Draw words in a line and labels below them.

    Parameters
    ----------
    words
        n words.
    rows
        n labels by the name of each row; those that are open are a thin line.
    given
        By row, which labels somebody has given: their cells have a solid frame, others a dashed
        one. By default all are given.
    conflicts
        Tokens, from 0, that are framed in red from top to bottom.
    types
        All there are, so that each has the same colour in several pictures; by default those seen.

    Examples
    --------
    >>> svg = label_rows_svg(["Ann", "left"], {"gold": ["B-PER", "O"], "known": ["B-PER", "_"]})
    >>> svg.count("B-PER</text>")
    2
    """
    if any(len(labels) != len(words) for labels in rows.values()):
        raise ArgumentError(f"rows of labels, expected {len(words)} in each, as there are words")
    widths = [
        max(text_width(word, _FORM), *(text_width(row[t], _LABEL) for row in rows.values()))
        + 2 * _PAD
        for t, word in enumerate(words)
    ]
    left = _MARGIN + max(text_width(name, _LABEL) for name in rows) + 2 * _PAD
    edges = [left + sum(widths[:t]) + t * _GAP for t in range(len(words) + 1)]
    seen = sorted({label[2:] for row in rows.values() for label in row if len(label) > 2})
    kinds = dict.fromkeys([*(types or ()), *seen])
    colours = {kind: PALETTE[k % len(PALETTE)] for k, kind in enumerate(kinds)}
    parts = [
        _text(edge + width / 2, _MARGIN + _FORM, word, _FORM, "middle")
        for edge, width, word in zip(edges, widths, words, strict=False)
    ]
    top = _MARGIN + _FORM + 12
    for number, (name, labels) in enumerate(rows.items()):
        y = top + number * (_HEIGHT + _GAP)
        parts.append(_text(left - 2 * _PAD, y + _HEIGHT / 2 + 4, name, _LABEL, "end", _PALE))
        own = (given or {}).get(name, [True] * len(words))
        for edge, width, label, known in zip(edges, widths, labels, own, strict=False):
            parts.append(_cell(edge, y, width, label, known, colours.get(label[2:], "none")))
    bottom = top + len(rows) * (_HEIGHT + _GAP) - _GAP
    parts += [
        f'<rect x="{edges[t] - 3:.1f}" y="{_MARGIN - 3}" width="{widths[t] + 6:.1f}" '
        f'height="{bottom - _MARGIN + 6:.1f}" fill="none" stroke="{_WRONG}" stroke-width="1.5"/>'
        for t in conflicts
    ]
    width, height = edges[-1] - _GAP + _MARGIN, bottom + _MARGIN
    said = "; ".join(f"{name}: {' '.join(labels)}" for name, labels in rows.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'font-family="{escaped(FONTS)}"><title>{escaped(said)}</title>'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>'
    )


def _cell(x: float, y: float, width: float, label: str, known: bool, colour: str) -> str:
    """Return one label."""
    middle = y + _HEIGHT / 2
    if label == OPEN:
        return (
            f'<line x1="{x + _PAD:.1f}" x2="{x + width - _PAD:.1f}" y1="{middle}" y2="{middle}" '
            f'stroke="{_PALE}"/>'
        )
    dashes = "" if known else ' stroke-dasharray="4 3"'
    frame = (
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_HEIGHT}" rx="4" fill="{colour}" '
        f'fill-opacity="0.22" stroke="{_INK}" stroke-width="{1.2 if known else 0.8}"{dashes}/>'
    )
    return frame + _text(x + width / 2, middle + 4, label, _LABEL, "middle")


def _text(x: float, y: float, text: str, size: int, anchor: str, colour: str = _INK) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="{colour}">{escaped(text)}</text>'
    )
