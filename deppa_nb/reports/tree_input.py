"""What a caller gives to be drawn, checked once: n columns of a sentence become arcs."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import ROOT
from deppa_nb.errors import ParameterError, TreeError
from deppa_nb.reports.tree_drawing import STYLES
from deppa_nb.reports.tree_parts import Arc

__all__ = [
    "Heads",
    "Numbers",
    "Styles",
    "check_width",
    "checked_shades",
    "checked_words",
    "to_arcs",
    "to_column",
]

Heads = Sequence[int] | NDArray[np.integer]
Numbers = Sequence[float] | NDArray[np.floating]
Styles = str | Sequence[str] | Mapping[int, str]


def to_column(name: str, values: Sequence[str] | None, n: int) -> list[str]:
    """Return n texts without the root's; empty where nothing is given.

    >>> to_column("tags", ["<root>", "NOUN", "_"], 2), to_column("tags", None, 2)
    (['NOUN', ''], ['', ''])
    """
    if values is None or len(values) == 0:
        return [""] * n
    texts = list(values)
    if len(texts) == n + 1 and texts[0] == ROOT:
        del texts[0]
    if len(texts) != n:
        raise TreeError(f"{len(texts)} {name} for {n} words")
    for m, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise TreeError(f"{text!r} among the {name}, at word {m}, expected text")
    return ["" if text == "_" and name != "words" else text for text in texts]


def to_arcs(
    n: int,
    heads: Heads | None,
    labels: Sequence[str] | None,
    styles: Styles,
    probabilities: Numbers | None,
    extra: Iterable[Arc],
) -> list[Arc]:
    """Return an arc for each of n words, head -1 where it is open, and then the further arcs."""
    texts, names = to_column("labels", labels, n), _styles(styles, n)
    own = map(Arc, _heads(heads, n), range(1, n + 1), texts, [None] * n, names)
    arcs = [*own, *(arc for arc in extra if arc.head != -1)]
    for arc in arcs:
        _check_arc(arc, n)
    return _with_probabilities(arcs, probabilities, n)


def checked_words(name: str, words: Collection[int], n: int) -> frozenset[int]:
    """Return the numbers of words, which are from 1 to n."""
    for m in words:
        if not 1 <= m <= n:
            raise ParameterError(f"{name}: word {m}, expected 1 to {n}")
    return frozenset(int(m) for m in words)


def checked_shades(shades: Numbers | None, n: int) -> list[float]:
    """Return how strong the colour behind each of n words is; none, if nothing is shaded."""
    if shades is None:
        return []
    values = np.asarray(shades, np.float64)
    if values.shape not in ((n,), (n + 1,)) or not ((values >= 0) & (values <= 1))[-n:].all():
        raise ParameterError(f"shades of shape {values.shape}, expected {n} numbers from 0 to 1")
    return [float(value) for value in values[-n:]]


def check_width(width: float) -> float:
    """Return a width that something can be drawn in."""
    if not width > 0:
        raise ParameterError(f"width {width!r}, expected a number of pixels above 0")
    return float(width)


def _heads(heads: Heads | None, n: int) -> list[int]:
    if heads is None:
        return [-1] * n
    array = np.asarray(heads)
    if array.ndim != 1 or len(array) not in (n, n + 1):
        raise TreeError(f"heads of shape {array.shape} for {n} words")
    if array.dtype.kind not in "iu":
        raise TreeError(f"heads {heads!r}, expected whole numbers")
    if len(array) == n + 1 and array[0] > 0:
        raise TreeError(
            f"{n + 1} heads for {n} words, and the first, {array[0]}, is not the root's"
        )
    return [int(head) for head in array[len(array) - n :]]


def _check_arc(arc: Arc, n: int) -> None:
    if not 1 <= arc.word <= n:
        raise TreeError(f"an arc to word {arc.word}, expected 1 to {n}")
    if not -1 <= arc.head <= n:
        raise TreeError(f"head {arc.head} of word {arc.word}, expected -1 to {n}")
    if arc.head == arc.word:
        raise TreeError(f"word {arc.word} is its own head")
    if arc.style not in STYLES:
        known = ", ".join(STYLES)
        raise ParameterError(f"style {arc.style!r} of word {arc.word}, expected one of {known}")
    if arc.probability is not None and not -1e-6 <= arc.probability <= 1 + 1e-6:
        problem = f"probability {arc.probability} of word {arc.word}, expected 0 to 1"
        raise ParameterError(problem)


def _styles(styles: Styles, n: int) -> list[str]:
    if isinstance(styles, str):
        return [styles] * n
    if isinstance(styles, Mapping):
        checked_words("styles", styles.keys(), n)
        return [styles.get(m, "plain") for m in range(1, n + 1)]
    if len(styles) != n:
        raise TreeError(f"{len(styles)} styles for {n} words")
    return list(styles)


def _with_probabilities(arcs: list[Arc], given: Numbers | None, n: int) -> list[Arc]:
    """Return the arcs with probabilities from a column or a matrix; their own come first."""
    if given is None:
        return arcs
    array = np.asarray(given, dtype=np.float64)
    if array.shape not in ((n,), (n + 1,), (n + 1, n + 1)):
        expected = f"{n} of them or {(n + 1, n + 1)}"
        raise TreeError(f"probabilities of shape {array.shape} for {n} words, expected {expected}")
    if array.ndim == 1:
        taken = [array[len(array) - n + i] if i < n else math.nan for i in range(len(arcs))]
    else:
        taken = [array[arc.head, arc.word] for arc in arcs]
    new = [
        arc if arc.head < 0 or arc.probability is not None or math.isnan(value)
        else arc._replace(probability=float(value))
        for arc, value in zip(arcs, taken, strict=True)
    ]  # fmt: skip
    for arc in new:
        _check_arc(arc, n)
    return new
