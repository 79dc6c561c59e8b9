"""Charts of time: what the machine does while a person waits."""

from collections.abc import Sequence
from typing import Literal

import altair as alt
import pandas as pd

from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts.findings import time_finding
from deppa_nb.reports.charts.parts import Panels, check, check_rows, panels, titled

__all__ = ["PARTS", "time_chart"]

PARTS = {"train": "training", "select": "selection", "update": "update"}
"""What takes time in a round; the column of a part is called ``train_seconds`` and so on."""

# From dark to light, as print has them, and none of them a strategy's.
_TONES = ("#2f3b4c", "#8294a8", "#d3dbe4", "#5b6b7d", "#aebac6")


_ROUNDS = alt.Axis(labelAngle=0, labelOverlap="greedy", labelSeparation=6)


def time_chart(
    rounds: pd.DataFrame,
    *,
    by: Literal["strategy", "round"] = "strategy",
    parts: Sequence[str] = tuple(PARTS),
    cumulative: bool = False,
    title: str | None = None,
) -> alt.Chart | Panels:
    """Draw seconds of training, selection and update, one on top of the other: means over seeds.

    Parameters
    ----------
    rounds
        A row for each seed and round. Columns strategy, round, a column ``<part>_seconds`` for
        each part, and seed (optional).
    by
        A bar for each strategy with all its rounds, or one for each round and a panel for each
        strategy.
    parts
        What to draw.
    cumulative
        With ``by="round"``: of all rounds so far.
    title
        Instead of the finding.
    """
    given, names = _given(rounds, parts)
    each = given.groupby(["strategy", "seed"], sort=False)[names].sum()
    total = each.groupby("strategy", sort=False).mean()
    finding = title if title is not None else time_finding(total)
    if by == "strategy":
        means = " (mean over seeds)" if given["seed"].nunique() > 1 else ""
        axis = f"seconds, all rounds{means}"
        return _bars(_tidy(total.reset_index(), names), finding, names, axis)
    by_round = given.groupby(["strategy", "round"], sort=False)[names].mean().reset_index()
    if cumulative:
        by_round = by_round.sort_values("round", kind="stable")
        by_round[names] = by_round.groupby("strategy")[names].cumsum()
    axis = "seconds, all rounds so far" if cumulative else "seconds in a round"
    return _rounds(_tidy(by_round, names), list(total.index), finding, names, axis)


def _given(rounds: pd.DataFrame, parts: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    """Return strategy, seed, round and a column for each part by its name; refuse other data."""
    columns = [f"{part}_seconds" for part in parts]
    rounds = check("time_chart", rounds, ["strategy"], ["round", *columns])
    given = rounds if "seed" in rounds.columns else rounds.assign(seed=1)
    if given.duplicated(["strategy", "seed", "round"]).any():
        problem = "two rows of one strategy, seed and round, expected one"
        raise ArgumentError(f"time_chart: {problem}: their seconds would count twice")
    if len(parts) > len(_TONES):
        raise ArgumentError(f"time_chart: {len(parts)} parts, expected up to {len(_TONES)}")
    if (given[columns] < 0).any(axis=None) or not given[columns].to_numpy().any():
        raise ArgumentError("time_chart: seconds under 0, or all 0, expected some time")
    names = [PARTS.get(part, part) for part in parts]
    found = given[["strategy", "seed", "round", *columns]]
    return found.rename(columns=dict(zip(columns, names, strict=True))), names


def _tidy(wide: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    tidy = wide.melt([c for c in wide.columns if c not in names], names, "part", "seconds")
    tidy["order"] = tidy["part"].map({name: i for i, name in enumerate(names)})
    check_rows("time_chart", len(tidy))
    return tidy


def _colour(names: list[str]) -> alt.Color:
    scale = alt.Scale(domain=names, range=list(_TONES[: len(names)]))
    return alt.Color("part:N", scale=scale, title=None)


def _bars(tidy: pd.DataFrame, finding: str, names: list[str], axis: str) -> alt.Chart:
    chart: alt.Chart = (
        alt.Chart(tidy, title=titled(finding, 560), width=440, height=alt.Step(26))
        .mark_bar(stroke="#2f3b4c", strokeWidth=0.6)
        .encode(
            alt.X("sum(seconds):Q", title=axis),
            alt.Y("strategy:N", sort=None, title=None, axis=alt.Axis(labelLimit=300)),
            _colour(names),
            alt.Order("order:Q"),
        )
    )
    return chart


def _rounds(
    tidy: pd.DataFrame, strategies: list[str], finding: str, names: list[str], axis: str
) -> Panels:
    # One scale for all panels: strategies are to be compared.
    top = float(tidy.groupby(["strategy", "round"])["seconds"].sum().max())
    single = len(strategies) == 1
    size = (460, 260) if single else (300, 180)
    drawn = {}
    for name in strategies:
        bars = alt.Chart(tidy[tidy["strategy"] == name]).mark_bar(stroke="#2f3b4c", strokeWidth=0.6)
        coloured = bars.encode(
            alt.X("round:O", title="round", axis=_ROUNDS),
            alt.Y("sum(seconds):Q", title=axis, scale=alt.Scale(domain=[0, 1.03 * top])),
            _colour(names),
            alt.Order("order:Q"),
        )
        panel = alt.LayerChart(layer=[coloured])
        drawn["" if single else name] = panel.properties(width=size[0], height=size[1])
    return panels(drawn, finding, size[0], 2)
