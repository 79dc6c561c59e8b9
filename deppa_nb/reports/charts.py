"""Charts of data frames, in colours that the colour-blind and a printer tell apart."""

import altair as alt
import pandas as pd
import vl_convert

__all__ = ["PALETTE", "length_chart", "tag_chart", "to_svg"]

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


def to_svg(chart: alt.Chart) -> str:
    """Render a chart without a network or browser."""
    return vl_convert.vegalite_to_svg(chart.to_dict())


def _colours(names: list[str]) -> alt.Scale:
    return alt.Scale(domain=names, range=[PALETTE[i % len(PALETTE)] for i in range(len(names))])
