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
    share = (
        binned.groupby("corpus", sort=False)["length"]
        .value_counts(normalize=True)
        .mul(100)
        .rename("share")
        .reset_index()
    )
    names = list(lengths["corpus"].unique())
    chart: alt.Chart = (
        alt.Chart(share, title="How long the sentences are", width=420, height=220)
        .mark_line(point=True)
        .encode(
            alt.X("length:Q", title="words in a sentence (from, in steps of 5)"),
            alt.Y("share:Q", title="% of sentences"),
            _colour("corpus", names),
            alt.StrokeDash("corpus:N", sort=names),
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
    order = list(shares.groupby("upos")["share"].max().sort_values(ascending=False).index)
    chart: alt.Chart = (
        alt.Chart(shares, title="What the words are", width=420, height=220)
        .mark_point(filled=True, size=50)
        .encode(
            alt.X("upos:N", sort=order, title="part of speech (UPOS)"),
            alt.Y("share:Q", title="% of words"),
            _colour("corpus", names),
            alt.Shape("corpus:N", sort=names),
        )
    )
    return chart


def to_svg(chart: alt.Chart | alt.LayerChart) -> str:
    """Render a chart without a network or browser."""
    return vl_convert.vegalite_to_svg(chart.to_dict())


def _colour(field: str, names: list[str]) -> alt.Color:
    scale = alt.Scale(domain=names, range=[PALETTE[i % len(PALETTE)] for i in range(len(names))])
    return alt.Color(f"{field}:N", scale=scale, title=None)
