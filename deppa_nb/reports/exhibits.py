"""Tables and figures of a study: drawn in a notebook, kept in files, shown in the report."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd

from deppa_nb.corpus.textfile import write_atomically
from deppa_nb.experiments.compare import ALL
from deppa_nb.experiments.store import Store
from deppa_nb.experiments.study import Exhibit, Study
from deppa_nb.reports.charts import (
    bar_chart,
    curve_chart,
    entropy_chart,
    paper_chart,
    precision_recall_chart,
    relation_chart,
    reliability_chart,
    save_chart,
    savings_chart,
    time_chart,
)
from deppa_nb.reports.page import Figure, Table

__all__ = ["CHARTS", "draw", "draw_each", "show"]


def _with_line(chart: Callable[..., Any], points: pd.DataFrame, **options: Any) -> Any:
    """Draw scores, and the parser that has learned from all data as a line."""
    of_all = points["strategy"] == ALL
    by, score = options.get("facet"), points.loc[of_all, options.get("score", "uas")]
    full: Any = score.groupby(points[by]).mean().to_dict() if by else score.mean()
    return chart(points[~of_all], full=full if of_all.any() else None, **options)


CHARTS: dict[str, Callable[..., Any]] = {
    "bars": partial(_with_line, bar_chart),
    "curves": partial(_with_line, curve_chart),
    "entropies": entropy_chart,
    "paper": paper_chart,
    "precision-recall": precision_recall_chart,
    "relation": relation_chart,
    "calibration": reliability_chart,
    "savings": savings_chart,
    "seconds": time_chart,
}
"""What an exhibit's drawing can name."""


def draw(exhibit: Exhibit, store: Store) -> alt.TopLevelMixin:
    """Return the chart of a figure."""
    return _chart(exhibit, exhibit.make(store))


def draw_each(study: Study, name: str, store: Store) -> alt.VConcatChart:
    """Return the charts of a figure that there is of each corpus, one over the other.

    Where there are several, each has a second title: what it is of.
    """
    shown = study.each(name)
    charts: list[Any] = [draw(exhibit, store) for exhibit in shown]
    for exhibit, chart in zip(shown, charts, strict=True):
        if len(shown) > 1:
            chart.title.subtitle = exhibit.name.removeprefix(f"{name}-")
    own = charts[0].config  # of charts with panels; only the outermost may have one
    for chart in charts:
        chart.config = alt.Undefined
    together: alt.VConcatChart = alt.vconcat(*charts, config=own).resolve_scale(
        color="independent", shape="independent", strokeDash="independent"
    )
    return together


def show(exhibit: Exhibit, store: Store, folder: Path) -> Table | Figure:
    """Return what the report shows, with what the paper reports beside it, and write files.

    The data frame is written as CSV, a figure as SVG, PNG and Vega-Lite JSON as well.
    """
    frame = exhibit.make(store)
    content = frame.to_csv(index=frame.index.name is not None, lineterminator="\n")
    write_atomically(folder / f"{exhibit.name}.csv", [content])
    beside = None if exhibit.paper is None else Table("As published.", exhibit.paper)
    if exhibit.drawing is None:
        return Table(exhibit.caption, frame, beside)
    saved = save_chart(_chart(exhibit, frame), folder / exhibit.name)
    return Figure(exhibit.caption, saved.svg.read_text(encoding="utf-8"), beside)


def _chart(exhibit: Exhibit, frame: pd.DataFrame) -> alt.TopLevelMixin:
    drawing = exhibit.drawing
    assert drawing is not None
    title = {} if drawing.finding is None else {"title": drawing.finding(frame)}
    chart: alt.TopLevelMixin = CHARTS[drawing.chart](frame, **drawing.options, **title)
    return chart
