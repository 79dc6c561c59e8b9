"""Charts of learning curves: how good a parser gets, and what is saved to be as good."""

from collections.abc import Mapping
from typing import Literal

import altair as alt
import pandas as pd

from deppa_nb.reports.charts.curve_data import by_facet, mean_curves, savings
from deppa_nb.reports.charts.findings import curve_finding, saving_finding
from deppa_nb.reports.charts.looks import Look, encodings, looks
from deppa_nb.reports.charts.parts import (
    INK,
    Panels,
    check_rows,
    cost_name,
    panels,
    score_axis,
)

__all__ = ["curve_chart", "savings_chart"]

_COLUMNS = 2
_EVERY = 4
_SIZE = {False: (560, 340), True: (330, 230)}  # of the only panel, of one of several


def curve_chart(
    points: pd.DataFrame,
    *,
    cost: str = "dependencies",
    score: str = "uas",
    full: float | Mapping[str, float] | None = None,
    facet: str | None = None,
    title: str | None = None,
    cost_title: str | None = None,
    score_title: str | None = None,
    log: bool = False,
) -> Panels:
    """Draw learning curves: the mean over seeds, a band from the lowest to the highest.

    Parameters
    ----------
    points
        A row for each seed and round. Columns strategy, seed, round, `cost`, `score` and `facet`.
    cost
        Column of the x axis: dependencies, queries, keystrokes, seconds, sentences or any other.
    score
        Column of the y axis; more is better.
    full
        Score of a parser that has learned from all data, a line; for panels, one for each.
    facet
        Column whose values get a panel each: the corpus, say.
    title
        Instead of the finding.
    cost_title, score_title
        Of the axes, instead of what the columns are called.
    log
        Whether the x axis is logarithmic: for costs, all above 0, of which one has ten times as
        much as another.
    """
    curves = mean_curves("curve_chart", points, cost, score, facet)
    parts = by_facet(curves, facet)
    lines = {name: _full(full, name) for name in parts}
    check_rows("curve_chart", len(curves) + sum(line is not None for line in lines.values()))
    own, size = looks(list(curves["strategy"].unique())), _SIZE[len(parts) > 1]
    names = cost_title or cost_name(cost), score_title or score_axis(score)
    drawn = {
        name: _curve_panel(part, own, lines[name], names, log).properties(
            width=size[0], height=size[1]
        )
        for name, part in parts.items()
    }
    finding = title if title is not None else curve_finding(curves, cost, score, facet)
    return panels(drawn, finding, size[0], _COLUMNS)


def savings_chart(
    points: pd.DataFrame,
    baseline: str,
    *,
    cost: str = "dependencies",
    score: str = "uas",
    facet: str | None = None,
    title: str | None = None,
    cost_title: str | None = None,
    score_title: str | None = None,
) -> Panels:
    """Draw how much less of a cost strategies need than a baseline, to be as good.

    Curves are read as `needed` tells, seed by seed: the line is the mean cost of the seeds compared
    with the baseline's, the band is from the seed that saves least to the one that saves most. A
    score that a curve does not reach, or has from the beginning, is not drawn.

    Parameters
    ----------
    points, cost, score, facet, title, cost_title, score_title
        As for `curve_chart`.
    baseline
        The strategy that others are compared with.
    """
    saved = savings("savings_chart", points, baseline, cost, score, facet)
    parts = by_facet(saved, facet)
    check_rows("savings_chart", len(saved) + len(parts))
    own, size = looks([str(name) for name in points["strategy"].unique()]), _SIZE[len(parts) > 1]
    own = {name: own[name] for name in own if name in set(saved["strategy"])}
    what = cost_title or cost_name(cost)
    names = score_title or score_axis(score), f"% fewer {what}"
    drawn = {
        name: _savings_panel(part, own, baseline, names).properties(width=size[0], height=size[1])
        for name, part in parts.items()
    }
    if title is None:
        missing = [name for name in by_facet(points, facet) if name not in parts]
        title = saving_finding(saved, baseline, cost, score, facet, missing)
    return panels(drawn, title, size[0], _COLUMNS)


def _full(full: float | Mapping[str, float] | None, name: str) -> float | None:
    return full.get(name) if isinstance(full, Mapping) else full


def _curve_panel(
    curves: pd.DataFrame,
    own: dict[str, Look],
    full: float | None,
    names: tuple[str, str],
    log: bool,
) -> alt.LayerChart:
    lines = [] if full is None else [full]
    ends = min([curves["low"].min(), *lines]), max([curves["high"].max(), *lines])
    room = 0.05 * (ends[1] - ends[0]) or 1.0
    top = ends[1] + (room if full is None else 2 * room)  # for the words over the line
    scale = alt.Scale(domain=[float(ends[0] - room), float(top)], nice=False)
    whole = bool((curves["cost"] % 1 == 0).all())
    base = alt.Chart(curves.assign(marked=True)).encode(_x("cost", names[0], whole, log))
    y = alt.Y("mean:Q", scale=scale, title=names[1])
    drawn = _band_and_line(base, own, y, scale)
    if full is not None:
        drawn = drawn + _rule(full, f"all data: {full:.2f}", scale)
    return drawn


def _savings_panel(
    saved: pd.DataFrame, own: dict[str, Look], baseline: str, names: tuple[str, str]
) -> alt.LayerChart:
    values = saved[["saved", "low", "high"]]
    low, high = min(0.0, float(values.min().min())), max(0.0, float(values.max().max()))
    room = 0.08 * (high - low) or 1.0
    scale = alt.Scale(domain=[low - room, high + room], nice=False)
    base = alt.Chart(_marked(saved)).encode(_x("score", names[0]))
    y = alt.Y("saved:Q", scale=scale, title=names[1])
    return _band_and_line(base, own, y, scale) + _rule(
        0.0, f"as many as {baseline}", scale, "right"
    )


def _band_and_line(
    base: alt.Chart, own: dict[str, Look], y: alt.Y, scale: alt.Scale
) -> alt.LayerChart:
    look = encodings("strategy", own)
    band = base.mark_area(opacity=0.15).encode(
        alt.Y("low:Q", scale=scale), alt.Y2("high:Q"), color=look["color"]
    )
    line = base.mark_line().encode(y, color=look["color"], strokeDash=look["strokeDash"])
    some = base.transform_filter("datum.marked")
    marks = some.mark_point(filled=True, size=45, opacity=1).encode(
        y, color=look["color"], shape=look["shape"]
    )
    together: alt.LayerChart = band + line + marks
    return together


def _x(field: str, title: str, whole: bool = False, log: bool = False) -> alt.X:
    """Return an axis; there is no half of a pass or a question."""
    axis = alt.Axis(labelFlush=False, tickCount=8, tickMinStep=1 if whole else alt.Undefined)
    scale = alt.Scale(type="log", nice=False) if log else alt.Scale(zero=False)
    return alt.X(field, type="quantitative", title=title, scale=scale, axis=axis)


def _marked(saved: pd.DataFrame) -> pd.DataFrame:
    """Mark the last score of each strategy and some of the others: all would hide the lines."""
    last = saved.groupby("strategy")["score"].transform("max")
    number = saved["score"].rank(method="dense")
    return saved.assign(marked=(saved["score"] == last) | (number % _EVERY == 1))


def _rule(
    value: float, text: str, scale: alt.Scale, side: Literal["left", "right"] = "left"
) -> alt.LayerChart:
    """Draw a line over the whole width, named over its left or under its right end."""
    base = alt.Chart(pd.DataFrame({"value": [value], "text": [text]}))
    base = base.encode(alt.Y("value:Q", scale=scale))
    left = side == "left"
    label = base.mark_text(align=side, dx=4 if left else -4, dy=-6 if left else 8, color=INK)
    together: alt.LayerChart = base.mark_rule(color=INK, strokeDash=[4, 4]) + label.encode(
        alt.Text("text:N"), x=alt.value(0 if left else "width")
    )
    return together
