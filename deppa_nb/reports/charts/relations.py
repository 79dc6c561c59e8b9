"""A chart of two numbers that may have to do with each other."""

import altair as alt
import pandas as pd
from scipy.stats import spearmanr

from deppa_nb.reports.charts.looks import PALETTE
from deppa_nb.reports.charts.parts import INK, check, check_rows, titled

__all__ = ["relation_chart"]

_WIDTH, _HEIGHT = 460, 320


def relation_chart(
    points: pd.DataFrame,
    *,
    x: str,
    y: str,
    smooth: str = "smooth",
    x_title: str | None = None,
    y_title: str | None = None,
) -> alt.LayerChart:
    """Draw a dot for each row, and the line of a smoother through them.

    Parameters
    ----------
    points
        A row for each thing that was measured. Columns `x`, `y`, `smooth` (the smoother's y).
    x, y, smooth
        Names of columns.
    x_title, y_title
        Of the axes, instead of what the columns are called.

    Examples
    --------
    >>> points = pd.DataFrame({"entropy": [1.0, 2.0], "las": [90.0, 80.0], "smooth": [90.0, 80.0]})
    >>> relation_chart(points, x="entropy", y="las").title.text
    ['las falls as entropy rises: rank correlation -1.00 over 2 sentences']
    """
    points = check("relation_chart", points, [], [x, y, smooth])
    check_rows("relation_chart", len(points))
    near = alt.Scale(zero=False)
    base = alt.Chart(points.sort_values(x)[[x, y, smooth]]).encode(
        alt.X(x, type="quantitative", scale=near, title=x_title or x)
    )
    dots = base.mark_circle(size=22, opacity=0.35, color=PALETTE[0]).encode(
        alt.Y(y, type="quantitative", scale=near, title=y_title or y)
    )
    line = base.mark_line(color=INK, strokeWidth=2.5).encode(alt.Y(smooth, type="quantitative"))
    chart: alt.LayerChart = dots + line
    title = titled(_finding(points, x, y), _WIDTH + 60)
    return chart.properties(title=title, width=_WIDTH, height=_HEIGHT)


def _finding(points: pd.DataFrame, x: str, y: str) -> str:
    if points[x].nunique() < 2 or points[y].nunique() < 2:
        return f"{y} by {x}: one of them is always the same"
    found = float(spearmanr(points[x], points[y]).statistic)
    does = "falls" if found < 0 else "rises"
    return f"{y} {does} as {x} rises: rank correlation {found:.2f} over {len(points):,} sentences"
