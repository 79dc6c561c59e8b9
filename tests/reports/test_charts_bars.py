"""Bars in groups."""

import pandas as pd
import pytest

from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts import bar_chart, to_svg

ROWS = [
    (corpus, full, strategy, 50.0 + 10 * i + j)
    for corpus in ("average", "toy-en")
    for i, full in enumerate(("10%", "1%"))
    for j, strategy in enumerate(("binary-single", "binary-multi", "ternary-single"))
]
SCORES = pd.DataFrame(ROWS, columns=["corpus", "full", "strategy", "uas"])


def test_bars_with_a_line():
    full = {"average": 80.0, "toy-en": 90.0}
    svg = to_svg(bar_chart(SCORES, group="full", facet="corpus", full=full))
    assert "all data: 80.00" in svg and "all data: 90.00" in svg and "ternary-single" in svg
    assert "ternary-single is highest: 52.0 (10%) and 62.0 (1%)" in svg


def test_no_two_bars_share_a_colour():
    names = [f"strategy {k}" for k in range(7)]
    frame = pd.DataFrame({"full": "1%", "strategy": names, "uas": range(7)})
    found = bar_chart(frame, group="full", title="so").to_dict()
    colours = found["layer"][0]["encoding"]["color"]["scale"]["range"]
    assert len(set(colours)) == 7 and found["title"]["text"] == ["so"]


def test_many_bars_are_wide_enough_and_have_no_numbers():
    rows = [(f"language {i}", f"pass {j}", i + j) for i in range(14) for j in range(5)]
    frame = pd.DataFrame(rows, columns=["language", "strategy", "new"])
    found = bar_chart(frame, group="language", score="new", score_title="new (%)").to_dict()
    assert len(found["layer"]) == 1 and found["width"] >= 10 * 70
    encoding = found["layer"][0]["encoding"]
    assert encoding["y"]["title"] == "new (%)" and encoding["x"]["axis"]["labelAngle"] < 0


def test_wrong_data():
    with pytest.raises(ArgumentError, match="two rows of one strategy and group"):
        bar_chart(SCORES, group="full")
    with pytest.raises(ArgumentError, match="no column share"):
        bar_chart(SCORES, group="share")


def test_counts_are_whole_numbers():
    rows = [("different", "one", 12_435.0), ("different", "two", 16_246.0)]
    chart = bar_chart(
        pd.DataFrame(rows, columns=["what", "strategy", "labels"]), group="what", score="labels"
    )
    assert chart.title.text == ["two is highest: 16,246 (different)"]
    assert '"format": ",.0f"' in chart.to_json()


def test_numbers_over_bars_have_room():
    rows = [("acts", f"system {k}", 180_000.0 - k) for k in range(15)]
    frame = pd.DataFrame(rows, columns=["what", "strategy", "labels"])
    found = bar_chart(frame, group="what", score="labels").to_dict()
    assert len(found["layer"]) == 3 and found["width"] >= 15 * 5 * len("180,000")
