"""Charts of entropies by length, and of clusters of sentences as a map."""

import altair as alt
import numpy as np
import pandas as pd

from deppa_nb.reports.charts.looks import PALETTE
from deppa_nb.reports.charts.parts import INK, check, check_rows, joined, titled

__all__ = ["cluster_map", "entropy_chart"]

_WIDTH, _HEIGHT = 230, 190
_MAP = 480
_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]


def entropy_chart(means: pd.DataFrame, *, title: str | None = None) -> alt.HConcatChart:
    """Draw mean entropies of sentences by their length, a panel for each entropy.

    Parameters
    ----------
    means
        A row for each entropy and bar. Columns entropy, length (the shortest of the bar), width
        (how many lengths a bar has) and mean.
    title
        Instead of the finding.

    Examples
    --------
    >>> rows = [("word", 1, 5, 0.3), ("word", 6, 5, 0.1)]
    >>> means = pd.DataFrame(rows, columns=["entropy", "length", "width", "mean"])
    >>> entropy_chart(means).title.text
    ['word entropy falls with length']
    """
    means = check("entropy_chart", means, ["entropy"], ["length", "width", "mean"])
    check_rows("entropy_chart", len(means))
    drawn, said = [], dict[str, list[str]]()
    for k, (name, rows) in enumerate(means.groupby("entropy", sort=False)):
        own = rows.assign(end=rows["length"] + rows["width"])
        drawn.append(_bars(own, str(name), PALETTE[k % len(PALETTE)]))
        slope = np.corrcoef(rows["length"], rows["mean"])[0, 1] if len(rows) > 1 else 0.0
        does = "rises" if slope > 0 else "falls" if slope < 0 else "stays"
        said.setdefault(does, []).append(str(name))
    finding = "; ".join(
        f"{joined(names)} entropy {does} with length" for does, names in said.items()
    )
    whole = len(drawn) * (_WIDTH + 60)
    chart: alt.HConcatChart = alt.hconcat(*drawn).properties(title=titled(title or finding, whole))
    return chart


def _bars(rows: pd.DataFrame, name: str, colour: str) -> alt.Chart:
    chart: alt.Chart = (
        alt.Chart(rows[["length", "end", "mean"]])
        .mark_bar(color=colour, stroke="white")
        .encode(
            alt.X("length:Q", title="words of the sentence", scale=alt.Scale(zero=False)),
            alt.X2("end:Q"),
            alt.Y("mean:Q", title=f"mean {name} entropy"),
        )
        .properties(width=_WIDTH, height=_HEIGHT)
    )
    return chart


def cluster_map(points: pd.DataFrame, *, title: str | None = None) -> alt.LayerChart:
    """Draw sentences where those that are near each other are alike.

    Parameters
    ----------
    points
        A row for each. Columns x, y, cluster, density (the size of its dot), centre (whether it is
        its cluster's, which has a ring) and words (shown at the mouse).
    title
        Instead of the finding.

    Examples
    --------
    >>> rows = [(0.0, 0.0, 0, 0.5, True, "a"), (1.0, 0.0, 0, 0.2, False, "b")]
    >>> columns = ["x", "y", "cluster", "density", "centre", "words"]
    >>> cluster_map(pd.DataFrame(rows, columns=columns)).title.text
    ['2 different parses in 1 clusters; the largest has 2']
    """
    points = check("cluster_map", points, ["words"], ["x", "y", "cluster", "density"])
    check_rows("cluster_map", len(points) + int(points["centre"].sum()))
    names = sorted(points["cluster"].unique())
    colours = [PALETTE[k % len(PALETTE)] for k in range(len(names))]
    shapes = [_SHAPES[k // len(PALETTE) % len(_SHAPES)] for k in range(len(names))]
    quiet = alt.Axis(labels=False, ticks=False, grid=False)
    base = alt.Chart(points).encode(
        alt.X("x:Q", axis=quiet, title=None), alt.Y("y:Q", axis=quiet, title=None)
    )
    sizes = alt.Size("density:Q", scale=alt.Scale(range=[20, 220]), title="density")
    dots = base.mark_point(filled=True, opacity=0.6).encode(
        alt.Color("cluster:N", scale=alt.Scale(domain=names, range=colours), legend=None),
        alt.Shape("cluster:N", scale=alt.Scale(domain=names, range=shapes), legend=None),
        sizes,
        tooltip=["words", "cluster", "density"],
    )
    rings = base.transform_filter("datum.centre").mark_point(
        shape="circle", size=300, color=INK, strokeWidth=1.5, filled=False
    )
    largest = int(points["cluster"].value_counts().max())
    finding = (
        f"{len(points):,} different parses in {len(names)} clusters; the largest has {largest}"
    )
    chart: alt.LayerChart = dots + rings
    return chart.properties(title=titled(title or finding, _MAP), width=_MAP, height=_MAP)
