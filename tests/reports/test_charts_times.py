"""Where time goes: seconds add up, and the title says what takes most."""

import pandas as pd
import pytest

from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts import time_chart, to_svg


def title(chart):
    return " ".join(chart.to_dict()["title"]["text"])


def rounds(train=3.0, select=1.0, strategies=("pa-gap", "fa-random")):
    rows = [
        {
            "strategy": name, "seed": seed, "round": r, "train_seconds": train * (r + 1) * (1 + k),
            "select_seconds": select * seed, "update_seconds": 0.5,
        }
        for k, name in enumerate(strategies) for seed in (1, 3) for r in range(3)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def drawn(chart):
    return pd.concat(pd.DataFrame(rows) for rows in chart.to_dict()["datasets"].values())


def test_bars_are_sums_over_rounds_and_means_over_seeds():
    rows = drawn(time_chart(rounds())).set_index(["strategy", "part"])["seconds"]
    assert rows["pa-gap"].to_dict() == {"training": 18, "selection": 6, "update": 1.5}
    assert rows["fa-random"].to_dict() == {"training": 36, "selection": 6, "update": 1.5}


def test_rounds_are_means_over_seeds_and_add_up():
    plain = drawn(time_chart(rounds(), by="round")).set_index(["strategy", "part", "round"])[
        "seconds"
    ]
    plain = plain.sort_index()
    assert plain["pa-gap", "training"].to_list() == [3, 6, 9]
    assert plain["fa-random", "selection"].to_list() == [2, 2, 2]
    sums = drawn(time_chart(rounds(), by="round", cumulative=True))
    sums = sums.set_index(["strategy", "part", "round"])["seconds"].sort_index()
    assert sums["pa-gap", "training"].to_list() == [3, 9, 18]
    assert sums["fa-random", "training"].to_list() == [6, 18, 36]


def test_the_title_turns_with_the_data():
    assert title(time_chart(rounds())) == (
        "Most of the time goes to training: 78% (71% with pa-gap, 83% with fa-random)"
    )
    assert title(time_chart(rounds(train=0.1, select=5))).startswith(
        "Most of the time goes to selection: 9"
    )


def test_a_part_under_half_is_the_largest_only():
    frame = pd.DataFrame(
        {
            "strategy": ["a"],
            "round": [0],
            "train_seconds": [4.0],
            "select_seconds": [3.0],
            "update_seconds": [3.0],
        }
    )
    assert title(time_chart(frame)) == "The largest part of the time goes to training: 40%"


def test_panels_share_one_scale():
    spec = time_chart(rounds(), by="round").to_dict()
    tops = {tuple(part["layer"][0]["encoding"]["y"]["scale"]["domain"]) for part in spec["concat"]}
    assert tops == {(0, 1.03 * 20.5)}
    assert [part["title"]["text"] for part in spec["concat"]] == ["pa-gap", "fa-random"]
    assert "seconds in a round" in to_svg(time_chart(rounds(strategies=("a",)), by="round"))


@pytest.mark.parametrize(
    "frame, problem",
    [
        (rounds().drop(columns="select_seconds"), "time_chart: no column select_seconds"),
        (pd.concat([rounds(), rounds()]), "two rows of one strategy, seed and round"),
        (rounds().assign(train_seconds=-1.0), "seconds under 0"),
        (rounds().iloc[:0], "time_chart: no rows"),
    ],
)
def test_what_is_refused(frame, problem):
    with pytest.raises(ArgumentError, match=problem):
        time_chart(frame)
