"""How a strategy looks: the same colour, dash and mark in every chart of the project.

>>> look("pa-gap") == looks(["fa-random", "pa-gap"])["pa-gap"]
True
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

import altair as alt

from deppa_nb.errors import ArgumentError

__all__ = ["GREY", "PALETTE", "Look", "encodings", "look", "looks", "looks_in_order"]

PALETTE = (
    "#006cd4", "#f36210", "#10a96e", "#bc7fc2", "#924700", "#20176a", "#711d9b", "#6b0f2b",
)  # fmt: skip
"""Blue, orange, green, lilac, brown, navy, purple, maroon.

Found by a search near colours that have a name, for the largest distance between any two of them
(and the grey) as people see them with and without the three kinds of colour blindness; all are at
3:1 or more on white.
"""

GREY = "#6a6a6e"
"""Of every random choice."""

_DASHES = (
    (1, 0), (8, 3), (2, 2), (9, 3, 2, 3), (16, 3), (9, 3, 2, 3, 2, 3),
)  # fmt: skip
_SHAPES = (
    "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
    "triangle-left",
)  # fmt: skip
_RANDOM = -1
_Value = TypeVar("_Value")

_KNOWN = {
    # Numbers of colour, dash and shape. What a figure compares has colours and shapes of its own,
    # relatives share a colour.
    "fa-random": (_RANDOM, 2, 6),
    "fa-score": (3, 1, 5),
    "fa-score-n": (3, 3, 3),
    "fa-score-n2": (3, 4, 4),
    "fa-probability": (6, 4, 4),
    "fa-probability-log": (6, 0, 3),
    "fa-probability-sqrt": (6, 1, 1),
    "fa-marginal": (4, 3, 2),
    "fa-marginal-geometric": (4, 0, 4),
    "fa-entropy": (7, 1, 1),
    "fa-entropy-softmax": (7, 2, 2),
    "fa-word-entropy": (1, 3, 4),
    "fa-cluster": (5, 0, 3),
    "fa-parse-cluster": (4, 5, 5),
    "fa-parse-density": (2, 5, 2),
    "pa-random": (_RANDOM, 1, 7),
    "pa-max": (1, 1, 1),
    "pa-gap": (0, 0, 0),
    "pa-entropy": (2, 3, 3),
    "pa-threshold": (1, 4, 2),
    "pa-gap-cost": (0, 4, 4),
    "batch-marginal-gap": (7, 4, 4),
    "batch-gap": (5, 1, 1),
    "batch-marginal": (1, 2, 5),
    "batch-random": (_RANDOM, 3, 1),
    "batch-marginal-gap-20": (7, 3, 3),
    "batch-gap-20": (5, 3, 2),
    "batch-marginal-20": (1, 0, 0),
    "token-entropy": (2, 0, 0),
    "token-entropy-each": (1, 5, 3),
    "token-entropy-forest": (5, 4, 4),
    "token-local": (3, 2, 2),
    "token-entropy-heads": (2, 4, 4),
    "token-entropy-each-heads": (4, 1, 1),
    "token-entropy-forest-heads": (5, 5, 5),
    "combined-entropy-40-heads": (6, 5, 5),
    "combined-entropy-60-heads": (0, 2, 2),
    "combined-entropy-80-heads": (6, 3, 2),
    "token-marginal": (0, 1, 1),
    "combined-entropy": (0, 5, 5),
    "combined-entropy-40": (7, 5, 5),
    "combined-entropy-60": (0, 3, 6),
    "combined-entropy-80": (7, 0, 0),
    "light-random": (_RANDOM, 4, 2),
    "light-margin": (2, 1, 1),
    "binary-single": (0, 0, 0),
    "binary-multi": (1, 1, 1),
    "ternary-single": (2, 2, 2),
    "ternary-multi": (5, 3, 3),
    "labels-0.90": (4, 2, 0),
    "labels-0.99": (6, 2, 0),
    "labels-probability": (3, 0, 0),
    "All-0.90": (0, 0, 0),
    "All-0.99": (1, 1, 1),
    "SupAL": (2, 2, 2),
    "Split-0.90": (7, 3, 3),
    "Split-0.99": (5, 4, 4),
    "uncertain-change": (2, 1, 1),
    "uncertain-sentence": (0, 0, 0),
    "uncertain-word": (1, 3, 3),
    "cluster-change": (2, 2, 2),
    "cluster-sentence": (0, 1, 1),
    "cluster-word": (1, 0, 4),
    "density-change": (2, 3, 3),
    "density-sentence": (0, 4, 4),
    "density-word": (1, 1, 0),
    "performance-change": (2, 4, 4),
    "performance-sentence": (0, 3, 3),
    "performance-word": (1, 2, 1),
}


@dataclass(frozen=True)
class Look:
    """A colour (#rrggbb), the lengths of a line's dashes and gaps, and the shape of its marks."""

    colour: str
    dash: tuple[int, ...]
    shape: str


def look(name: str) -> Look:
    """Return how a strategy looks, by nothing but its name.

    Strategies of the library are in a table; random ones (a word of the name is ``random``) are
    grey; all others get what a hash of the name says.
    """
    if name in _KNOWN:
        colour, dash, shape = _KNOWN[name]
    else:
        number = int.from_bytes(sha256(name.encode()).digest()[:8])
        number, colour = divmod(number, len(PALETTE))
        dash, shape = number % len(_DASHES), number // len(_DASHES) % len(_SHAPES)
        if "random" in re.split(r"[\W_]+", name.lower()):
            colour = _RANDOM
    return Look(GREY if colour == _RANDOM else PALETTE[colour], _DASHES[dash], _SHAPES[shape])


def looks(names: Collection[str]) -> dict[str, Look]:
    """Return the looks of the strategies of one chart, no two of them the same.

    Colours are those of `look`. Where strategies share one, both their dashes and shapes differ
    (at least one of them, where there are more strategies than dashes or shapes): those of the
    library keep theirs, others give way in the order of their names, so that the order in the
    chart changes nothing.
    """
    taken: dict[str, Look] = {}
    for name in sorted(names, key=lambda name: (name not in _KNOWN, name)):
        taken.setdefault(name, _free(look(name), taken.values()))
    return {name: taken[name] for name in names}


def looks_in_order(names: Sequence[str]) -> dict[str, Look]:
    """Return looks for what is no strategy (corpora, say): by position, colours first."""
    rows: dict[str, Look] = {}
    for i, name in enumerate(dict.fromkeys(names)):
        own = Look(PALETTE[i % len(PALETTE)], _DASHES[i % len(_DASHES)], _SHAPES[i % len(_SHAPES)])
        rows[name] = _free(own, rows.values())
    return rows


def encodings(field: str, own: dict[str, Look]) -> dict[str, Any]:
    """Return color, strokeDash and shape for a chart's `encode`, with one legend.

    The legend shows marks in their colours; strategies of one colour have marks of their own.
    """
    names, values = list(own), list(own.values())
    # No outlines: those of the marks in the legend would be dashed.
    shown = alt.Legend(symbolOpacity=1, symbolSize=90, symbolStrokeWidth=0, labelLimit=300)
    dashes = [list(one.dash) for one in values]

    def scale(range_: list[Any]) -> alt.Scale:
        return alt.Scale(domain=names, range=range_)

    colours, shapes = [one.colour for one in values], [one.shape for one in values]
    return {
        "color": alt.Color(field, type="nominal", scale=scale(colours), title=None, legend=shown),
        "strokeDash": alt.StrokeDash(
            field, type="nominal", scale=scale(dashes), title=None, legend=None
        ),
        "shape": alt.Shape(field, type="nominal", scale=scale(shapes), title=None, legend=shown),
    }


def _free(own: Look, taken: Collection[Look]) -> Look:
    """Return the look, or the next one of its colour that is not taken."""
    same = [one for one in taken if one.colour == own.colour]
    dashes = _not_used(_DASHES, own.dash, [one.dash for one in same])
    shapes = _not_used(_SHAPES, own.shape, [one.shape for one in same])
    for shape in shapes:
        for dash in dashes:
            found = Look(own.colour, dash, shape)
            if found not in same:
                return found
    problem = f"over {len(_DASHES) * len(_SHAPES)} strategies of one colour in a chart"
    raise ArgumentError(f"{problem}, expected fewer: they could not be told apart")


def _not_used(values: Sequence[_Value], first: _Value, used: Sequence[_Value]) -> list[_Value]:
    """Return all values, turned so that `first` is first, and the least used ones before others."""
    at = values.index(first)
    return sorted([*values[at:], *values[:at]], key=used.count)
