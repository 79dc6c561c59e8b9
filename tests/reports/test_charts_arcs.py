"""Charts of arcs: one cell for each pair that can be an arc, with its number."""

import re

import numpy as np
import pytest

from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts import arc_chart, change_chart, to_svg


def test_a_cell_for_every_pair_and_a_number_where_there_is_something():
    values = np.zeros((3, 3))
    values[0, 2], values[2, 1], values[1, 2] = 0.75, 1.0, 0.25
    chart = arc_chart(["Fish", "<swim>"], values, "Marginals")
    rows = next(iter(chart.to_dict()["datasets"].values()))
    assert {(row["head"], row["word"]): row["value"] for row in rows} == {
        ("root", "1 Fish"): 0.0,
        ("root", "2 <swim>"): 0.75,
        ("1 Fish", "2 <swim>"): 0.25,
        ("2 <swim>", "1 Fish"): 1.0,
    }
    drawn = to_svg(chart)
    assert all(number in drawn for number in (">0.75<", ">0.25<", ">1.00<"))
    assert ">0.00<" not in drawn and "<swim>" not in drawn


def test_change_is_after_less_before():
    before, after = np.zeros((2, 2)), np.zeros((2, 2))
    before[0, 1], after[0, 1] = 0.9, 0.4
    rows = next(iter(change_chart(["a"], before, after).to_dict()["datasets"].values()))
    assert [row["value"] for row in rows] == [-0.5]


def test_charts_of_one_page_have_colours_of_their_own():
    values = np.eye(3)
    drawn = [
        to_svg(arc_chart(["a", "b"], values)),
        to_svg(change_chart(["a", "b"], values, 0 * values)),
    ]
    for svg in drawn:
        assert (
            set(re.findall(r'id="([^"]+)"', svg))
            == set(re.findall(r"url\(#([^)]+)\)", svg))
            != set()
        )
    assert len(set(re.findall(r'id="([^"]+)"', "".join(drawn)))) == 2


def test_a_sentence_that_is_too_long_is_refused():
    with pytest.raises(ArgumentError, match="5,041 rows to draw"):
        arc_chart(["w"] * 71, np.zeros((72, 72)))
