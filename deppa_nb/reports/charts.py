"""Charts of data frames, in colours that the colour-blind and a printer tell apart."""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd
import vl_convert
from numpy.typing import NDArray

__all__ = [
    "PALETTE",
    "arc_chart",
    "change_chart",
    "curve_chart",
    "length_chart",
    "reliability_chart",
    "tag_chart",
    "to_svg",
]

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5c6b80")
"""Okabe and Ito's colours, dark enough for lines."""


def length_chart(lengths: pd.DataFrame) -> alt.Chart:
    """Draw the share of sentences by length.

    Parameters
    ----------
    lengths
        Columns corpus, length (words in a sentence).
    """
    binned = lengths.assign(length=(lengths["length"] // 5) * 5)
    counted = binned.groupby("corpus", sort=False)["length"].value_counts(normalize=True)
    share = counted.mul(100).rename("share").reset_index()
    mean = lengths.groupby("corpus")["length"].mean()
    title = (
        f"Sentences have {mean.min():.1f} words on average in {mean.idxmin()}, "
        f"{mean.max():.1f} in {mean.idxmax()}"
    )
    names = list(lengths["corpus"].unique())
    chart: alt.Chart = (
        alt.Chart(share, title=title, width=420, height=220)
        .mark_line(point=True)
        .encode(
            alt.X("length:Q", title="words in a sentence (from, in steps of 5)"),
            alt.Y("share:Q", title="% of sentences"),
            alt.Color("corpus:N", scale=_colours(names), title=None),
            alt.StrokeDash("corpus:N", scale=alt.Scale(domain=names), title=None),
        )
    )
    return chart


def tag_chart(shares: pd.DataFrame) -> alt.Chart:
    """Draw the share of words by part of speech.

    Parameters
    ----------
    shares
        Columns corpus, upos, share (in percent).
    """
    names = list(shares["corpus"].unique())
    mean = shares.groupby("upos")["share"].sum().div(len(names)).sort_values(ascending=False)
    title = f"{mean.index[0]} is the most frequent tag, {mean.iloc[0]:.0f}% of the words"
    chart: alt.Chart = (
        alt.Chart(shares, title=title, width=420, height=220)
        .mark_point(filled=True, size=50)
        .encode(
            alt.X("upos:N", sort=list(mean.index), title="part of speech (UPOS)"),
            alt.Y("share:Q", title="% of words"),
            alt.Color("corpus:N", scale=_colours(names), title=None),
            alt.Shape("corpus:N", scale=alt.Scale(domain=names), title=None),
        )
    )
    return chart


def reliability_chart(bins: pd.DataFrame) -> alt.LayerChart:
    """Draw how often predictions are right by how probable they are said to be.

    Parameters
    ----------
    bins
        Columns corpus, predictions, confidence, accuracy: rows of `calibration.reliability`.
    """
    names = list(bins["corpus"].unique())
    gap = (bins["accuracy"] - bins["confidence"]).abs() * bins["predictions"]
    mean = gap.groupby(bins["corpus"]).sum() / bins.groupby("corpus")["predictions"].sum()
    errors = ", ".join(f"{mean[name]:.3f} in {name}" for name in names)
    limits = alt.Scale(domain=[0, 1])
    ends = alt.Chart(pd.DataFrame({"p": [0.0, 1.0]})).mark_line(color="#999999", strokeDash=[4, 4])
    diagonal = ends.encode(alt.X("p:Q"), alt.Y("p:Q"))
    base = alt.Chart(bins, title=f"Expected calibration error: {errors}").encode(
        alt.X("confidence:Q", scale=limits, title="probability of the likeliest head"),
        alt.Y("accuracy:Q", scale=limits, title="share of right ones"),
        alt.Color("corpus:N", scale=_colours(names), title=None),
    )
    points = base.mark_point(filled=True).encode(
        alt.Shape("corpus:N", scale=alt.Scale(domain=names), title=None),
        alt.Size("predictions:Q", scale=alt.Scale(range=[20, 300]), title="words"),
    )
    chart: alt.LayerChart = diagonal + base.mark_line() + points
    return chart.properties(width=300, height=300)


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


def curve_chart(points: pd.DataFrame, full: float, title: str = "") -> alt.LayerChart:
    """Draw learning curves: the mean over seeds, a band from the lowest to the highest.

    Parameters
    ----------
    points
        Columns strategy, seed, round, dependencies, uas.
    full
        UAS of a parser that has learned from all data: a line.
    """
    names = list(points["strategy"].unique())
    by = points.groupby(["strategy", "round"], sort=False)
    curves = by["dependencies"].mean().to_frame()
    curves = curves.join(by["uas"].agg(["mean", "min", "max"])).reset_index()
    legend = alt.Legend(symbolOpacity=1, symbolFillColor="white")
    colour = alt.Color("strategy:N", scale=_colours(names), title=None, legend=legend)
    low = min(float(curves["min"].min()), full)
    base = alt.Chart(curves, title=title).encode(
        alt.X("dependencies:Q", title="annotated dependencies", scale=alt.Scale(zero=False)),
        colour,
    )
    scale = alt.Scale(domain=[low - 1, max(full, float(curves["max"].max())) + 1])
    band = base.mark_area(opacity=0.15).encode(alt.Y("min:Q", scale=scale), alt.Y2("max:Q"))
    line = base.mark_line(point=True).encode(
        alt.Y("mean:Q", scale=scale, title="UAS on dev (%)"),
        alt.Shape("strategy:N", scale=alt.Scale(domain=names), title=None),
        alt.StrokeDash("strategy:N", scale=alt.Scale(domain=names), title=None),
    )
    end = pd.DataFrame({"full": [full], "text": [f"all data: {full:.2f}"]})
    all_data = alt.Chart(end).encode(alt.Y("full:Q", scale=scale))
    rule = all_data.mark_rule(color="#666666", strokeDash=[4, 4])
    text = all_data.mark_text(align="left", dx=4, dy=-6, color="#444444")
    chart: alt.LayerChart = band + line + rule + text.encode(alt.Text("text:N"), x=alt.value(0))
    return chart.properties(width=560, height=340)


def _arc_map(
    words: Sequence[str],
    values: NDArray[np.float64],
    title: str,
    colour: alt.Color,
    white_above: float,
) -> alt.LayerChart:
    """Draw one cell for each pair that can be an arc; what rounds to 0 gets no number."""
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


def to_svg(chart: alt.TopLevelMixin) -> str:
    """Render a chart without a network or browser."""
    return vl_convert.vegalite_to_svg(chart.to_dict())


def _colours(names: list[str]) -> alt.Scale:
    return alt.Scale(domain=names, range=[PALETTE[i % len(PALETTE)] for i in range(len(names))])
