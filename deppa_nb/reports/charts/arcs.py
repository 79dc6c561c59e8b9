"""Charts of arcs: one cell for each pair that can be an arc, with its number."""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deppa_nb.reports.charts.parts import check_rows

__all__ = ["arc_chart", "change_chart"]


def arc_chart(
    words: Sequence[str], probabilities: NDArray[np.float64], title: str = ""
) -> alt.LayerChart:
    """Draw p(head -> word) as a heat map: a column for each word, a row for each head.

    Parameters
    ----------
    words
        n forms.
    probabilities
        Array (n + 1, n + 1), ``probabilities[head, word]``.
    """
    scale = alt.Scale(range=["#ffffff", "#08519c"], domain=[0, 1], interpolate="rgb")
    colour = alt.Color("value:Q", scale=scale, title="p(head → word)")
    return _arc_map(words, probabilities, title, colour, white_above=0.6)


def change_chart(
    words: Sequence[str], before: NDArray[np.float64], after: NDArray[np.float64], title: str = ""
) -> alt.LayerChart:
    """Draw after - before, two arrays as `arc_chart` takes: blue has become likelier."""
    scale = alt.Scale(scheme="blueorange", reverse=True, domain=[-1, 1], domainMid=0)
    colour = alt.Color("value:Q", scale=scale, title="change of p(head → word)")
    return _arc_map(words, after - before, title, colour, white_above=0.7)


def _arc_map(
    words: Sequence[str],
    values: NDArray[np.float64],
    title: str,
    colour: alt.Color,
    white_above: float,
) -> alt.LayerChart:
    """Draw one cell for each pair that can be an arc; what rounds to 0 gets no number."""
    check_rows("a chart of arcs", len(words) ** 2)
    names = ["root", *(f"{m} {word}" for m, word in enumerate(words, 1))]
    rows = [
        {"head": names[h], "word": names[m], "value": float(values[h, m])}
        for h in range(len(names))
        for m in range(1, len(names))
        if h != m
    ]
    base = alt.Chart(pd.DataFrame(rows), title=title).encode(
        alt.X("word:N", sort=names[1:], title="word", axis=alt.Axis(labelAngle=-40)),
        alt.Y("head:N", sort=names, title="head"),
    )
    numbers = base.transform_filter("abs(datum.value) >= 0.005").mark_text(fontSize=10)
    ink = alt.condition(f"abs(datum.value) > {white_above}", alt.value("white"), alt.value("black"))
    chart: alt.LayerChart = base.mark_rect(stroke="#dddddd").encode(colour) + numbers.encode(
        alt.Text("value:Q", format=".2f"), color=ink
    )
    return chart.properties(width=alt.Step(34), height=alt.Step(22))
