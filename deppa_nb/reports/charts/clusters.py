"""Charts of entropies by length, and of clusters of sentences as a map."""

import altair as alt
import pandas as pd

from deppa_nb.reports.charts.looks import PALETTE
from deppa_nb.reports.charts.parts import INK, check, check_rows, titled

__all__ = ["cluster_map", "entropy_chart"]

_WIDTH, _HEIGHT = 230, 190
_MAP = 480
_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]


def entropy_chart(means: pd.DataFrame, *, title: str | None = None) -> alt.HConcatChart:
    """Draw mean entropies of sentences by their length, a panel for each entropy.

    Parameters
    ----------
    means
        A row for each entropy and bar. Columns entropy (its name), length (the shortest of the
        bar), width (how many lengths a bar has), mean, and correlation, Spearman's, of the entropy
        and the length of sentences.
    title
        Instead of the finding.

    Examples
    --------
    >>> rows = [("word entropy", 1, 5, 0.3, -0.12), ("word entropy", 6, 5, 0.1, -0.12)]
    >>> columns = ["entropy", "length", "width", "mean", "correlation"]
    >>> entropy_chart(pd.DataFrame(rows, columns=columns)).title.text
    ['Correlation with length: word entropy -0.12']
    """
    numbers = ["length", "width", "mean", "correlation"]
    means = check("entropy_chart", means, ["entropy"], numbers)
    check_rows("entropy_chart", len(means))
    drawn, said = [], list[str]()
    for k, (name, rows) in enumerate(means.groupby("entropy", sort=False)):
        own = rows.assign(end=rows["length"] + rows["width"], zero=0.0)
        drawn.append(_bars(own, str(name), PALETTE[k % len(PALETTE)]))
        said.append(f"{name} {rows['correlation'].iloc[0]:+.2f}")
    finding, whole = f"Correlation with length: {', '.join(said)}", len(drawn) * (_WIDTH + 60)
    chart: alt.HConcatChart = alt.hconcat(*drawn).properties(title=titled(title or finding, whole))
    return chart


def _bars(rows: pd.DataFrame, name: str, colour: str) -> alt.Chart:
    chart: alt.Chart = (
        alt.Chart(rows[["length", "end", "zero", "mean"]])
        .mark_bar(color=colour, stroke="white")
        .encode(
            alt.X("length:Q", title="words of the sentence"),
            alt.X2("end:Q"),
            alt.Y("mean:Q", title=f"mean {name}"),
            alt.Y2("zero:Q"),
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
    sizes = alt.Size("density:Q", scale=alt.Scale(range=[20, 220], zero=False), title="density")
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
