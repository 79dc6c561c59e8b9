"""Two numbers and a smoother: what is drawn, and what the title says."""

import numpy as np
import pandas as pd
import pytest

from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts import MAX_ROWS, relation_chart, to_svg


def title(chart):
    return " ".join(chart.to_dict()["title"]["text"])


def test_the_title_tells_the_rank_correlation():
    x = np.arange(20.0)
    rows = pd.DataFrame({"entropy": x, "las": 90 - x**2, "smooth": 90 - x**2})
    chart = relation_chart(rows.sample(frac=1, random_state=1), x="entropy", y="las")
    assert title(chart) == ("las falls as entropy rises: rank correlation -1.00 over 20 sentences")
    drawn = next(iter(chart.to_dict()["datasets"].values()))
    assert [row["entropy"] for row in drawn] == x.tolist()  # the line goes from left to right
    assert to_svg(chart).startswith("<svg")
    rising = relation_chart(rows.assign(las=x), x="entropy", y="las")
    assert "las rises as entropy rises: rank correlation 1.00" in title(rising)
    flat = relation_chart(rows.assign(las=50.0), x="entropy", y="las")
    assert title(flat) == "las by entropy: one of them is always the same"


def test_what_cannot_be_drawn():
    rows = pd.DataFrame({"entropy": [1.0], "las": [np.nan], "smooth": [1.0]})
    with pytest.raises(ArgumentError, match="relation_chart: column las has no value in 1 rows"):
        relation_chart(rows, x="entropy", y="las")
    many = pd.DataFrame(np.ones((MAX_ROWS + 1, 3)), columns=["entropy", "las", "smooth"])
    with pytest.raises(ArgumentError, match="rows to draw"):
        relation_chart(many, x="entropy", y="las")
