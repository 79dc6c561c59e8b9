"""Charts of what papers report beside what we find."""

from typing import Literal

import altair as alt
import numpy as np
import pandas as pd

from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts.findings import paper_finding
from deppa_nb.reports.charts.parts import INK, check, check_rows, titled

__all__ = ["paper_chart"]

_WIDTH, _STEP = 420, 19
_OURS, _THEIRS = "ours (95% interval)", "paper"
_LEAST, _MOST = -1.0, 4.0  # ratios that are drawn in their place
_NUMBERS = ["paper", "ours", "low", "high"]


def paper_chart(
    effects: pd.DataFrame,
    *,
    scale: Literal["units", "ratio"] = "units",
    title: str | None = None,
) -> alt.VConcatChart | alt.LayerChart:
    """Draw what a paper reports and what we find, with its interval: a line for each effect.

    Parameters
    ----------
    effects
        A row for each effect. Columns effect (what the row is called: once in a unit), paper,
        ours, low, high (nan where there is none) and unit.
    scale
        ``units``: a panel for each unit, with its own axis. ``ratio``: ours divided by the
        paper's, all in one panel over the range from half to twice; effects without a number of
        either side, or with 0 in the paper, are left out, and ratios outside -1 to 4 are drawn as
        an arrow at the edge.
    title
        Instead of the finding.
    """
    effects = check("paper_chart", effects, ["effect", "unit"])
    if missing := [name for name in _NUMBERS if name not in effects.columns]:
        problem = f"no column {', '.join(missing)}"
        raise ArgumentError(f"paper_chart: {problem}, expected {', '.join(_NUMBERS)}")
    given = effects[["effect", "unit", *_NUMBERS]].astype(dict.fromkeys(_NUMBERS, "float64"))
    if given.duplicated(["effect", "unit"]).any():
        raise ArgumentError("paper_chart: two rows of one effect and unit, expected one")
    if given[["paper", "ours"]].isna().all(axis=None):
        raise ArgumentError("paper_chart: no value of the paper's or ours, expected some")
    check_rows("paper_chart", 3 * len(given))
    finding = title if title is not None else paper_finding(given)
    return _ratio_chart(given, finding) if scale == "ratio" else _unit_chart(given, finding)


def _unit_chart(given: pd.DataFrame, finding: str) -> alt.VConcatChart:
    drawn, some = [], given[given["paper"].notna() | given["ours"].notna()]
    for unit, rows in some.groupby("unit", sort=False):
        values = rows[_NUMBERS].to_numpy()
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        room = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
        ends = (min(low, 0.0) - room, max(high, 0.0) + room)  # an effect is read from 0
        limits = alt.Scale(domain=ends, nice=False)
        drawn.append(_line(0.0, limits) + _panel(rows, str(unit), limits))
    chart: alt.VConcatChart = alt.vconcat(*drawn)
    return chart.properties(title=titled(finding, _WIDTH + 200))


def _ratio_chart(given: pd.DataFrame, finding: str) -> alt.LayerChart:
    rows = given[given["ours"].notna() & given["paper"].notna() & (given["paper"] != 0)]
    if rows.empty:
        raise ArgumentError("paper_chart: no effect with a value of both, expected some")
    exact = rows[["ours", "low", "high"]].div(rows["paper"], axis=0)
    rows = rows.assign(paper=1.0, **exact.clip(_LEAST, _MOST))
    limits = alt.Scale(domain=[_LEAST - 0.1, _MOST + 0.1], nice=False)
    fair = alt.Chart(pd.DataFrame({"from": [0.5], "to": [2.0]})).mark_rect(color="#e4e8ee")
    band = fair.encode(alt.X("from:Q", scale=limits), alt.X2("to:Q"))
    beyond = exact["ours"][(exact["ours"] < _LEAST) | (exact["ours"] > _MOST)]
    name = "ours / the paper's (shaded: half to twice)"
    chart: alt.LayerChart = band + _line(0.0, limits) + _line(1.0, limits)
    chart = chart + _panel(rows, name, limits, rows.index.difference(beyond.index))
    if len(beyond):
        chart = chart + _arrows(rows.loc[beyond.index].assign(exact=beyond), rows, limits)
    return chart.properties(title=titled(finding, _WIDTH + 200))


def _line(at: float, limits: alt.Scale) -> alt.Chart:
    chart: alt.Chart = (
        alt.Chart(pd.DataFrame({"at": [at]}))
        .mark_rule(color="#8a8f98", strokeDash=[3, 3])
        .encode(alt.X("at:Q", scale=limits))
    )
    return chart


def _panel(
    rows: pd.DataFrame, title: str, limits: alt.Scale, dots: pd.Index | None = None
) -> alt.LayerChart:
    """Draw a diamond for the paper, a dot with its interval for ours, and what is between them.

    Only rows of the index `dots`, if there is one, get a dot.
    """
    ours = rows["ours"] if dots is None else rows["ours"].loc[dots].reindex(rows.index)
    names = list(rows["effect"])
    axis = alt.Axis(labelLimit=320, grid=True, gridDash=[1, 3], ticks=False)
    y = alt.Y("effect:N", sort=names, title=None, axis=axis)
    base = alt.Chart(rows).encode(y)
    between = base.mark_rule(color="#8a8f98").encode(
        alt.X("paper:Q", scale=limits), alt.X2("ours:Q")
    )
    interval = base.mark_rule(color=INK, strokeWidth=2.5).encode(alt.X("low:Q"), alt.X2("high:Q"))
    tidy = pd.concat(
        [
            rows[["effect"]].assign(value=values, who=who)
            for values, who in ((rows["paper"], _THEIRS), (ours, _OURS))
        ]
    ).dropna()
    who = [_THEIRS, _OURS]
    marks = (
        alt.Chart(tidy)
        .mark_point(size=60, opacity=1, stroke=INK, strokeWidth=1.2)
        .encode(
            alt.X("value:Q", title=title, scale=limits),
            y,
            alt.Shape(
                "who:N", scale=alt.Scale(domain=who, range=["diamond", "circle"]), title=None
            ),
            alt.Fill("who:N", scale=alt.Scale(domain=who, range=["white", INK]), title=None),
        )
    )
    both = rows.dropna(subset=["paper", "ours"])
    layers = [between, interval, marks] if len(both) else [marks]
    return alt.LayerChart(layer=layers).properties(width=_WIDTH, height=alt.Step(_STEP))


def _arrows(beyond: pd.DataFrame, rows: pd.DataFrame, limits: alt.Scale) -> alt.LayerChart:
    """Write, for a ratio that has no place, the number and an arrow at the edge."""
    layers = []
    sides: tuple[tuple[bool, Literal["left", "right"]], ...] = ((True, "right"), (False, "left"))
    for over, align in sides:
        some = beyond[(beyond["exact"] > 0) == over]
        text = [f"{x:,.1f} →" if over else f"← {x:,.1f}" for x in some["exact"]]
        base = alt.Chart(some[["effect", "ours"]].assign(text=text)).encode(
            alt.X("ours:Q", scale=limits),
            alt.Y("effect:N", sort=list(rows["effect"])),
            alt.Text("text:N"),
        )
        if len(some):  # on white, so that the line to it does not cross it out
            layers.append(base.mark_text(align=align, stroke="white", strokeWidth=6))
            layers.append(base.mark_text(align=align, color=INK))
    return alt.LayerChart(layer=layers)
