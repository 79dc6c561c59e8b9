"""What all charts share: their data are checked, their titles wrapped, their axes have units."""

from collections.abc import Iterable, Mapping, Sequence

import altair as alt
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from deppa_nb.errors import ArgumentError
from deppa_nb.reports.text_width import text_width

__all__ = [
    "INK",
    "MAX_ROWS",
    "PALE",
    "Panels",
    "amount",
    "check",
    "check_rows",
    "cost_name",
    "joined",
    "named",
    "panels",
    "score_axis",
    "score_name",
    "titled",
]

MAX_ROWS = 5000
"""Rows that a chart may hold: a page of many charts stays small, and altair refuses more."""

INK, PALE = "#1b2a41", "#8a8f98"
"""Of what is no strategy."""

Panels = alt.LayerChart | alt.ConcatChart
"""One panel, or one for each corpus."""

_TITLE_SIZE = 13
_BOLD = 1.08  # bold letters are that much wider

_COSTS = {
    "dependencies": "annotated dependencies",
    "tokens": "annotated tokens",
    "sentences": "annotated sentences",
    "seconds": "seconds of annotation",
    "labels": "annotated labels",
    "words_read": "words read",
}
_SCORES = {"uas": "UAS", "las": "LAS", "exact": "exact trees", "f1": "F1", "accuracy": "accuracy"}


def check(
    chart: str, frame: pd.DataFrame, texts: Iterable[str] = (), numbers: Iterable[str] = ()
) -> pd.DataFrame:
    """Refuse a frame without rows, without a column that is needed, or with gaps in one.

    Return it with names as text: they may be numbers, or categories that no row has.

    Parameters
    ----------
    chart
        For the message.
    frame
        What is to be drawn.
    texts, numbers
        Columns that it must have: names, and finite numbers.
    """
    texts, numbers = list(texts), list(numbers)
    needed = [*texts, *numbers]
    if missing := [name for name in needed if name not in frame.columns]:
        there = ", ".join(map(str, frame.columns)) or "none"
        problem = f"no column {', '.join(missing)}, expected {', '.join(needed)}"
        raise ArgumentError(f"{chart}: {problem}; there are {there}")
    if frame.empty:
        raise ArgumentError(f"{chart}: no rows, expected some with {', '.join(needed)}")
    for name in needed:
        values = frame[name]
        if name in numbers and (not is_numeric_dtype(values) or is_bool_dtype(values)):
            raise ArgumentError(f"{chart}: column {name} is of {values.dtype}, expected numbers")
        bad = values.isna() | (values.isin([float("inf"), -float("inf")]) & (name in numbers))
        if bad.any():
            raise ArgumentError(f"{chart}: column {name} has no value in {int(bad.sum()):,} rows")
    return frame.astype(dict.fromkeys(texts, str))


def check_rows(chart: str, rows: int) -> None:
    """Refuse to draw too many rows."""
    if rows > MAX_ROWS:
        problem = f"{rows:,} rows to draw, expected at most {MAX_ROWS:,}"
        raise ArgumentError(f"{chart}: {problem}: take means, or fewer rows")


def titled(text: str, width: float) -> alt.TitleParams:
    """Return a title in lines of about one length, none wider than so many pixels."""
    lines = _lines(text, width)
    narrower = lines
    while len(narrower) == len(lines) > 1:  # no last line of one word
        lines, width = narrower, width - _TITLE_SIZE
        narrower = _lines(text, width)
    return alt.TitleParams(lines, anchor="start", fontSize=_TITLE_SIZE)


def _lines(text: str, width: float) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _BOLD * text_width(longer, _TITLE_SIZE) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def panels(parts: Mapping[str, alt.LayerChart], title: str, width: int, columns: int) -> Panels:
    """Return the only part under the title, or all of them side by side, each under its name.

    Axes are each part's own: corpora differ more than strategies.
    """
    if len(parts) == 1 and "" in parts:
        return parts[""].properties(title=titled(title, width + 120))
    own = [
        part.properties(title=alt.TitleParams(name, fontSize=_TITLE_SIZE - 1))
        for name, part in parts.items()
    ]
    whole = min(columns, len(own)) * (width + 60)
    together = alt.concat(*own, columns=columns)
    # Beside the panels a legend would make the chart wider than a page.
    below: alt.ConcatChart = together.configure_legend(
        orient="bottom", columns=2 * min(columns, len(own))
    )
    return below.properties(title=titled(title, whole))


def cost_name(cost: str) -> str:
    """Return what is paid, for an axis or a sentence; columns that are not known name themselves.

    >>> cost_name("dependencies"), cost_name("new_queries")
    ('annotated dependencies', 'new queries')
    """
    return _COSTS.get(cost, cost.replace("_", " "))


def amount(value: float) -> str:
    """Return a cost as a sentence has it.

    >>> amount(7608.3), amount(5.0), amount(0.25)
    ('7,608', '5', '0.25')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def score_name(score: str) -> str:
    """Return the name of a score in a sentence.

    >>> score_name("uas"), score_name("test_las"), score_name("gain")
    ('UAS', 'test LAS', 'gain')
    """
    split, _, name = score.rpartition("_")
    if split in ("dev", "test") and name in _SCORES:
        return f"{split} {_SCORES[name]}"
    return _SCORES.get(score, score.replace("_", " "))


def score_axis(score: str) -> str:
    """Return the title of a score's axis.

    >>> score_axis("uas"), score_axis("test_las"), score_axis("gain")
    ('UAS (%)', 'test LAS (%)', 'gain')
    """
    known = score.rpartition("_")[2] in _SCORES
    return f"{score_name(score)} (%)" if known else score_name(score)


def joined(names: Sequence[str]) -> str:
    """Return names as a sentence has them.

    >>> joined(["a"]), joined(["a", "b"]), joined(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    head = ", ".join(names[:-1])
    return f"{head} and {names[-1]}" if head else names[-1]


def named(names: Sequence[str], what: str = "strategies", most: int = 4) -> str:
    """Return names as a sentence has them, or how many there are.

    >>> named(["a", "b"]), named(["a", "b", "c"], most=2)
    ('a and b', '3 strategies')
    """
    return joined(names) if len(names) <= most else f"{len(names)} {what}"
