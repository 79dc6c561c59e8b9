"""Charts of probabilities: whether errors are found by them, and whether they are right."""

import altair as alt
import numpy as np
import pandas as pd

from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts.findings import calibration_finding, ranking_finding
from deppa_nb.reports.charts.looks import Look, encodings, looks, looks_in_order
from deppa_nb.reports.charts.parts import MAX_ROWS, PALE, check, check_rows, titled

__all__ = ["average_precision", "precision_recall_chart", "reliability_chart"]

_WIDTH, _HEIGHT = 420, 340
_POINTS = 200  # of a curve: more cannot be seen
_MARKS = 9


def precision_recall_chart(
    points: pd.DataFrame, *, by: str = "strategy", title: str | None = None
) -> alt.LayerChart:
    """Draw precision over recall; a curve for each seed, if there are several.

    Parameters
    ----------
    points
        A row for each threshold, any number of them: curves of more than 200 points are thinned
        for drawing, after the average precision was computed. Columns `by`, recall, precision
        (from 0 to 1) and seed (optional).
    by
        Column that tells curves apart: a strategy or a measure.
    title
        Instead of the finding.
    """
    points = check("precision_recall_chart", points, [by], ["recall", "precision"])
    values = points[["recall", "precision"]].to_numpy()
    if not ((values >= 0) & (values <= 1 + 1e-9)).all():
        raise ArgumentError("precision_recall_chart: recall or precision outside 0 to 1")
    given = points if "seed" in points.columns else points.assign(seed=1)
    names = list(given[by].unique())
    own = looks(names) if by == "strategy" else looks_in_order(names)
    curves = [
        _thinned(rows, MAX_ROWS // given.groupby([by, "seed"]).ngroups)
        for _, rows in given.groupby([by, "seed"], sort=False)
    ]
    drawn = pd.concat(curves, ignore_index=True)[[by, "seed", "recall", "precision", "marked"]]
    check_rows("precision_recall_chart", len(drawn))
    if title is None:
        title = ranking_finding(average_precision(given, by), "average precision")
    chart = _precision_recall(drawn, by, own)
    return chart.properties(title=titled(title, _WIDTH + 100), width=_WIDTH, height=_HEIGHT)


def average_precision(points: pd.DataFrame, by: str = "strategy") -> pd.DataFrame:
    """Return the average precision of each curve, the sum of precision times step of recall.

    A curve that ends before a recall of 1 gets nothing for the rest.

    Parameters
    ----------
    points
        Columns `by`, seed, recall, precision.

    Returns
    -------
    DataFrame
        Index `by`, the best first; columns mean, low, high (over seeds), seeds.

    Examples
    --------
    >>> points = pd.DataFrame({"recall": [0.5, 1.0], "precision": [1.0, 0.5]})
    >>> average_precision(points.assign(strategy="a", seed=1))["mean"].to_list()
    [0.75]
    """
    areas = {
        (name, seed): _area(_ordered(rows))
        for (name, seed), rows in points.groupby([by, "seed"], sort=False)
    }
    each = pd.Series(areas).groupby(level=0, sort=False)
    table = each.agg(["mean", "min", "max", "size"])
    table.columns = pd.Index(["mean", "low", "high", "seeds"])
    return table.sort_values("mean", ascending=False, kind="stable")


def reliability_chart(bins: pd.DataFrame, *, by: str = "corpus") -> alt.LayerChart:
    """Draw how often predictions are right by how probable they are said to be.

    Parameters
    ----------
    bins
        Columns `by`, predictions, confidence, accuracy: rows of `calibration.reliability`.
    by
        Column that tells curves apart: corpus, or strategy.
    """
    bins = check("reliability_chart", bins, [by], ["predictions", "confidence", "accuracy"])
    check_rows("reliability_chart", len(bins))
    names = list(bins[by].unique())
    look = encodings(by, looks(names) if by == "strategy" else looks_in_order(names))
    limits = alt.Scale(domain=[0, 1])
    ends = alt.Chart(pd.DataFrame({"p": [0.0, 1.0]})).mark_line(color=PALE, strokeDash=[4, 4])
    base = alt.Chart(bins).encode(
        alt.X("confidence:Q", scale=limits, title="probability of the likeliest head"),
        alt.Y("accuracy:Q", scale=limits, title="share of right ones"),
        color=look["color"],
    )
    points = base.mark_point(filled=True, opacity=1).encode(
        alt.Size("predictions:Q", scale=alt.Scale(range=[20, 300]), title="words"),
        shape=look["shape"],
    )
    diagonal = ends.encode(alt.X("p:Q"), alt.Y("p:Q"))
    chart: alt.LayerChart = (
        diagonal + base.mark_line().encode(strokeDash=look["strokeDash"]) + points
    )
    title = titled(calibration_finding(bins, by), 400)
    return chart.properties(title=title, width=300, height=300)


def _precision_recall(drawn: pd.DataFrame, by: str, own: dict[str, Look]) -> alt.LayerChart:
    look, limits = encodings(by, own), alt.Scale(domain=[0, 1])
    base = alt.Chart(drawn).encode(
        alt.X("recall:Q", scale=limits, axis=alt.Axis(labelFlush=False)),
        alt.Y("precision:Q", scale=limits),
        color=look["color"],
    )
    line = base.mark_line(strokeWidth=1.5).encode(
        alt.Detail("seed:N"), alt.Order("recall:Q"), strokeDash=look["strokeDash"]
    )
    marks = base.transform_filter("datum.marked").mark_point(filled=True, size=45, opacity=1)
    together: alt.LayerChart = line + marks.encode(shape=look["shape"])
    return together


def _ordered(rows: pd.DataFrame) -> pd.DataFrame:
    """Sort by recall; of points with the same one, that with fewest predictions comes first."""
    return rows.sort_values(["recall", "precision"], ascending=[True, False], kind="stable")


def _area(ordered: pd.DataFrame) -> float:
    steps = np.diff(ordered["recall"].to_numpy(), prepend=0.0)
    return float(steps @ ordered["precision"].to_numpy())


def _thinned(rows: pd.DataFrame, most: int) -> pd.DataFrame:
    """Return points at about equal steps of recall, some of them marked with a shape."""
    ordered = _ordered(rows).reset_index(drop=True)
    recall = ordered["recall"].to_numpy()

    def near(number: int) -> list[int]:
        grid = np.linspace(recall[0], recall[-1], number)
        return sorted({0, len(recall) - 1, *np.searchsorted(recall, grid).tolist()})

    most = max(2, min(most, _POINTS) - 2)  # both ends are always there
    kept = list(range(len(recall))) if len(recall) <= most else near(most)
    marked = ordered.index.isin(near(_MARKS))
    return ordered.assign(marked=marked).iloc[sorted({*kept, *np.flatnonzero(marked).tolist()})]
