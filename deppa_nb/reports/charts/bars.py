"""Charts of scores as bars, in groups."""

from collections.abc import Mapping

import altair as alt
import pandas as pd

from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts.curve_data import by_facet
from deppa_nb.reports.charts.looks import Look, looks, looks_in_order
from deppa_nb.reports.charts.parts import (
    INK,
    Panels,
    check,
    check_rows,
    joined,
    panels,
    score_axis,
)

__all__ = ["bar_chart"]

_COLUMNS = 2
_PERCENT = 100  # what is higher is a count
_WIDTH, _HEIGHT = 330, 230
_BAR = 11  # pixels at least
_DIGIT = 6  # pixels of each in a number over a bar
_NUMBERED = 16  # bars at most, so that numbers over them have room
_LEVEL = 6  # groups at most whose names stand side by side


def bar_chart(
    scores: pd.DataFrame,
    *,
    group: str,
    score: str = "uas",
    full: float | Mapping[str, float] | None = None,
    facet: str | None = None,
    title: str | None = None,
    score_title: str | None = None,
) -> Panels:
    """Draw a bar for each strategy in each group, with its number over it if they are few.

    Parameters
    ----------
    scores
        A row for each bar. Columns strategy, `group`, `score` and `facet`.
    group, score
        What stands side by side, in the order of the rows; how high bars are, from 0.
    full
        Score of a parser that has learned from all data, a line; for panels, one for each.
    facet
        Column whose values get a panel each.
    title, score_title
        Instead of the finding, and of the axis.

    Examples
    --------
    >>> rows = [("1%", "before", 70.1), ("1%", "after", 75.6)]
    >>> chart = bar_chart(pd.DataFrame(rows, columns=["full", "strategy", "uas"]), group="full")
    >>> chart.title.text
    ['after is highest: 75.6 (1%)']
    """
    names = [group, "strategy", *([facet] if facet else [])]
    given = check("bar_chart", scores, names, [score])[[*names, score]]
    if given.duplicated(names).any():
        raise ArgumentError("bar_chart: two rows of one strategy and group, expected one")
    check_rows("bar_chart", 2 * len(given))
    own, parts = _colours(list(given["strategy"].unique())), by_facet(given, facet)
    lines = full if isinstance(full, Mapping) else dict.fromkeys(parts, full)
    axis = score_title or score_axis(score)
    drawn = {
        name: _panel(part, own, (group, score), axis, lines.get(name))
        for name, part in parts.items()
    }
    first = next(iter(parts.values()))
    return panels(drawn, title or _finding(first, group, score), _width(first, score), _COLUMNS)


def _width(part: pd.DataFrame, score: str) -> int:
    """Return pixels that give each bar room, and the number over it, if there are numbers."""
    longest = len(f"{part[score].max():{_digits(part[score])}}")
    own = _BAR if len(part) > _NUMBERED else max(_BAR, _DIGIT * longest)
    return max(_WIDTH, own * len(part))


def _colours(names: list[str]) -> dict[str, Look]:
    """Return the looks of strategies; bars have a colour only, so no two may share it."""
    own = looks(names)
    apart = len({one.colour for one in own.values()}) == len(names)
    return own if apart else looks_in_order(names)


def _finding(part: pd.DataFrame, group: str, score: str) -> str:
    """Say who is highest in each group."""
    best = part.loc[part.groupby(group, sort=False)[score].idxmax()]
    said = {
        str(name): joined(
            [f"{row[score]:{_digits(part[score])}} ({row[group]})" for _, row in rows.iterrows()]
        )
        for name, rows in best.groupby("strategy", sort=False)
    }
    return "; ".join(f"{name} is highest: {where}" for name, where in said.items())


def _digits(values: pd.Series) -> str:
    """Return how numbers are written: counts without a fraction."""
    return ",.0f" if values.max() > _PERCENT else ".1f"


def _panel(
    part: pd.DataFrame, own: dict[str, Look], of: tuple[str, str], title: str, full: float | None
) -> alt.LayerChart:
    group, score = of
    order, names = list(part[group].unique()), list(own)
    labels = alt.Axis(labelAngle=0 if len(order) <= _LEVEL else -40, labelLimit=200)
    top = 1.08 * max(part[score].max(), full or 0.0)
    base = alt.Chart(part).encode(
        alt.X(f"{group}:N", sort=order, title=None, axis=labels),
        alt.XOffset("strategy:N", sort=names),
        alt.Y(f"{score}:Q", title=title, scale=alt.Scale(domain=[0, float(top)])),
    )
    colours = alt.Scale(domain=names, range=[one.colour for one in own.values()])
    bars = base.mark_bar(stroke=INK, strokeWidth=0.5).encode(
        alt.Color("strategy:N", scale=colours, title=None, legend=alt.Legend(labelLimit=300))
    )
    layers: list[alt.Chart] = [bars]
    if full is not None:
        line = alt.Chart(pd.DataFrame({score: [full]}))
        y = alt.Y(f"{score}:Q")
        layers.append(line.mark_rule(color=INK, strokeDash=[6, 3]).encode(y))
        words = line.mark_text(align="left", dx=3, dy=-6, fontSize=10, color=INK)
        text = alt.value(f"all data: {full:.2f}")
        layers.append(words.encode(y, x=alt.value(0), text=text))
    if len(part) <= _NUMBERED:
        layers += _numbers(base, score, _digits(part[score]))
    return alt.LayerChart(layer=layers).properties(width=_width(part, score), height=_HEIGHT)


def _numbers(base: alt.Chart, score: str, digits: str) -> list[alt.Chart]:
    """Return the numbers over bars; a white edge keeps them legible where the line crosses them."""
    text = alt.Text(f"{score}:Q", format=digits)
    edge = base.mark_text(dy=-5, fontSize=8, stroke="white", strokeWidth=3).encode(text)
    return [edge, base.mark_text(dy=-5, fontSize=8, color=INK).encode(text)]
