"""What papers report beside ours: every number in its place."""

import numpy as np
import pandas as pd
import pytest

from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts import paper_chart, to_svg

NAN = float("nan")


def effects(*rows):
    return pd.DataFrame(rows, columns=["effect", "unit", "paper", "ours", "low", "high"])


SOME = effects(
    ("L1 zh", "% saved", 20.0, 30.0, 25.0, 35.0),
    ("L1 en", "% saved", 50.0, 45.0, 40.0, 55.0),
    ("T3", "points", 4.0, 1.0, 0.5, 1.5),
    ("J1", "points", 5.0, NAN, NAN, NAN),
    ("L4", "points", NAN, 0.2, -0.1, 0.4),
)


def title(chart):
    return " ".join(chart.to_dict()["title"]["text"])


def marks(chart):
    """Return (effect, who): value of all points."""
    frames = [pd.DataFrame(rows) for rows in chart.to_dict()["datasets"].values()]
    found = pd.concat(frame for frame in frames if "who" in frame)
    return {(e, w.split()[0]): v for e, w, v in zip(found["effect"], found["who"], found["value"], strict=True)}  # fmt: skip


def test_the_title_counts_intervals():
    assert title(paper_chart(SOME)) == (
        "The paper's value is within our interval in 1 of 3 effects; ours is lower in 1, higher in 1; "
        "1 not run; 1 without a value in the paper"
    )


def test_the_title_turns_with_the_data():
    turned = SOME.assign(
        paper=SOME["ours"], ours=SOME["paper"], low=SOME["paper"] - 1, high=SOME["paper"] + 1
    )
    assert title(paper_chart(turned)).startswith(
        "The paper's value is within our interval in 0 of 3 effects; ours is lower in 1, higher in 2"
    )


def test_a_panel_for_each_unit_with_every_number():
    chart = paper_chart(SOME)
    assert len(chart.to_dict()["vconcat"]) == 2
    assert marks(chart) == {
        ("L1 zh", "paper"): 20, ("L1 zh", "ours"): 30, ("L1 en", "paper"): 50, ("L1 en", "ours"): 45,
        ("T3", "paper"): 4, ("T3", "ours"): 1, ("J1", "paper"): 5, ("L4", "ours"): 0.2,
    }  # fmt: skip
    drawn = to_svg(chart)
    assert ">% saved<" in drawn and ">points<" in drawn


def test_ratios_have_the_paper_at_one():
    chart = paper_chart(SOME, scale="ratio")
    found = marks(chart)
    assert {who for _, who in found} == {"paper", "ours"}
    assert (
        found["L1 zh", "ours"] == 1.5 and found["T3", "ours"] == 0.25 and found["T3", "paper"] == 1
    )
    assert ("J1", "paper") not in found and ("L4", "ours") not in found


def test_a_ratio_that_has_no_place_is_written_at_the_edge():
    rows = effects(
        ("far", "x", 1.0, 12.0, 3.0, 20.0),
        ("other side", "x", -2.0, 6.0, 5.0, 7.0),
        ("near", "x", 1, 1, 1, 1),
    )
    chart = paper_chart(rows, scale="ratio")
    assert "12.0 →" in to_svg(chart) and "← -3.0" in to_svg(chart)
    assert ("far", "ours") not in marks(chart) and marks(chart)["near", "ours"] == 1
    frames = [pd.DataFrame(rows) for rows in chart.to_dict()["datasets"].values()]
    lines = pd.concat(frame for frame in frames if "low" in frame)[["paper", "ours", "low", "high"]]
    assert lines.min(axis=None) == -1 and lines.max(axis=None) == 4


def test_rows_without_a_number_are_counted_not_drawn():
    rows = pd.concat([SOME, effects(("W9", "points", NAN, NAN, NAN, NAN))])
    assert "2 not run" in title(paper_chart(rows)) and ">W9<" not in to_svg(paper_chart(rows))


def test_many_rows_in_order():
    rng = np.random.default_rng(1)
    rows = effects(
        *((f"C{i}", "points", 1.0, *np.sort(rng.normal(1, 1, 3))[[1, 0, 2]]) for i in range(45))
    )
    drawn = to_svg(paper_chart(rows))
    at = [drawn.index(f">C{i}<") for i in range(45)]
    assert at == sorted(at)


@pytest.mark.parametrize(
    "rows, problem",
    [
        (SOME.drop(columns="low"), "paper_chart: no column low, expected paper, ours, low, high"),
        (SOME.drop(columns="unit"), "paper_chart: no column unit"),
        (SOME.iloc[:0], "paper_chart: no rows"),
        (pd.concat([SOME, SOME]), "two rows of one effect and unit"),
        (SOME.assign(paper=NAN, ours=NAN), "no value of the paper's or ours"),
        (pd.concat([SOME.assign(effect=f"{i}" + SOME["effect"]) for i in range(400)]), "paper_chart: 6,000 rows"),
    ],
)  # fmt: skip
def test_what_is_refused(rows, problem):
    with pytest.raises(ArgumentError, match=problem):
        paper_chart(rows)


def test_no_ratio_at_all_is_refused():
    with pytest.raises(ArgumentError, match="no effect with a value of both"):
        paper_chart(SOME.assign(paper=0.0), scale="ratio")
