"""Charts of corpora: how long sentences are, and what words they have."""

import altair as alt
import pandas as pd

from deppa_nb.reports.charts.looks import encodings, looks_in_order
from deppa_nb.reports.charts.parts import check, check_rows, titled

__all__ = ["length_chart", "tag_chart"]

_WIDTH, _HEIGHT = 420, 220


def length_chart(lengths: pd.DataFrame) -> alt.LayerChart:
    """Draw the share of sentences by length.

    Parameters
    ----------
    lengths
        Columns corpus, length (words in a sentence).
    """
    lengths = check("length_chart", lengths, ["corpus"], ["length"])
    binned = lengths.assign(length=(lengths["length"] // 5) * 5)
    counted = binned.groupby("corpus", sort=False)["length"].value_counts(normalize=True)
    share = counted.mul(100).rename("share").reset_index()
    mean = lengths.groupby("corpus")["length"].mean()
    title = f"Sentences have {mean.min():.1f} words on average in {mean.idxmin()}"
    if len(mean) > 1:
        title += f", {mean.max():.1f} in {mean.idxmax()}"
    check_rows("length_chart", len(share))
    look = encodings("corpus", looks_in_order(list(lengths["corpus"].unique())))
    base = alt.Chart(share).encode(
        alt.X(
            "length:Q",
            title="words in a sentence (from, in steps of 5)",
            axis=alt.Axis(labelFlush=False),
        ),
        alt.Y("share:Q", title="% of sentences"),
        color=look["color"],
    )
    line = base.mark_line().encode(strokeDash=look["strokeDash"])
    marks = base.mark_point(filled=True, opacity=1).encode(shape=look["shape"])
    chart: alt.LayerChart = line + marks
    return chart.properties(title=titled(title, _WIDTH + 90), width=_WIDTH, height=_HEIGHT)


def tag_chart(shares: pd.DataFrame) -> alt.Chart:
    """Draw the share of words by part of speech.

    Parameters
    ----------
    shares
        Columns corpus, upos, share (in percent).
    """
    shares = check("tag_chart", shares, ["corpus", "upos"], ["share"])
    check_rows("tag_chart", len(shares))
    names = list(shares["corpus"].unique())
    mean = shares.groupby("upos")["share"].sum().div(len(names)).sort_values(ascending=False)
    title = f"{mean.index[0]} is the most frequent tag, {mean.iloc[0]:.0f}% of the words"
    most = shares.groupby("corpus")["share"].transform("max") == shares["share"]
    if not shares.loc[most, "upos"].eq(mean.index[0]).all():
        title += " on average, but not in every corpus"
    look = encodings("corpus", looks_in_order(names))
    chart: alt.Chart = (
        alt.Chart(shares, title=titled(title, _WIDTH + 90), width=_WIDTH, height=_HEIGHT)
        .mark_point(filled=True, size=50, opacity=1)
        .encode(
            alt.X("upos:N", sort=list(mean.index), title="part of speech (UPOS)"),
            alt.Y("share:Q", title="% of words"),
            color=look["color"],
            shape=look["shape"],
        )
    )
    return chart
