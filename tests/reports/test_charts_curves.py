"""Learning curves and savings: what is drawn, and titles that the data support."""

import numpy as np
import pandas as pd
import pytest

from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts import curve_chart, look, savings_chart, to_svg
from deppa_nb.reports.charts.curve_data import mean_curves, needed, savings, standing


def curve(strategy, scores, seed=1, step=100, **more):
    """Return a row for each round: 100, 200 ... dependencies."""
    rows = [
        {"strategy": strategy, "seed": seed, "round": r, "dependencies": step * (r + 1), "uas": y}
        for r, y in enumerate(scores)
    ]
    return pd.DataFrame(rows).assign(**more)


def seeds(strategy, scores, spread=0.5, **more):
    """Return three curves, the middle one with these scores."""
    shifts = (-spread, 0.0, spread)
    return pd.concat([curve(strategy, np.add(scores, d), s, **more) for s, d in enumerate(shifts)])


def title(chart):
    return " ".join(chart.to_dict()["title"]["text"])


def layers(spec):
    """Yield all layers with a mark."""
    for part in spec.get("layer", []) + spec.get("concat", []):
        yield from layers(part)
    if "mark" in spec:
        yield spec


def data(chart, mark):
    """Return the rows of the first layer with a mark of a type."""
    spec = chart.to_dict()
    layer = next(one for one in layers(spec) if one["mark"]["type"] == mark)
    name = layer.get("data", spec.get("data"))["name"]
    return pd.DataFrame(spec["datasets"][name])


GOOD, BAD = [70.0, 80.0, 85.0], [65.0, 71.0, 78.0]


def two(first="pa-gap", second="fa-random", **more):
    return pd.concat([seeds(first, GOOD, **more), seeds(second, BAD, **more)])


def test_mean_and_band_are_drawn():
    rows = data(curve_chart(two()), "line")
    assert list(rows.columns[:6]) == ["strategy", "round", "cost", "mean", "low", "high"]
    last = rows[(rows["strategy"] == "pa-gap") & (rows["round"] == 2)].iloc[0]
    assert (last["cost"], last["mean"], last["low"], last["high"]) == (300, 85.0, 84.5, 85.5)


def test_rounds_that_a_seed_did_not_come_to_are_left_out():
    points = pd.concat([curve("a", [60, 70, 99], 1), curve("a", [62, 72], 2)])
    rows = mean_curves("test", points, "dependencies", "uas")
    assert rows["mean"].tolist() == [61, 71] and rows["seeds"].tolist() == [2, 2]


def test_costs_of_different_size_are_drawn_by_their_logarithm():
    kinds = {
        layer["encoding"]["x"]["scale"].get("type")
        for layer in layers(curve_chart(two(), log=True).to_dict())
        if "x" in layer["encoding"]
    }
    assert kinds == {"log"}
    assert ">1,000<" in to_svg(curve_chart(pd.concat([two(), curve("a", GOOD, 1, 3000)]), log=True))


def test_the_order_of_rows_does_not_matter_to_curves():
    shuffled = two().sample(frac=1, random_state=1)
    ours = mean_curves("t", shuffled, "dependencies", "uas").sort_values(["strategy", "round"])
    plain = mean_curves("t", two(), "dependencies", "uas").sort_values(["strategy", "round"])
    pd.testing.assert_frame_equal(ours.reset_index(drop=True), plain.reset_index(drop=True))


@pytest.mark.parametrize("cost", ["queries", "keystrokes", "seconds", "sentences"])
def test_any_cost_and_score(cost):
    points = two().rename(columns={"dependencies": cost, "uas": "test_las"})
    chart = curve_chart(points, cost=cost, score="test_las")
    assert cost in title(chart) and "test LAS" in title(chart)
    drawn = to_svg(chart)
    assert ">test LAS (%)<" in drawn and cost in drawn


def test_colours_are_the_strategies_in_every_panel():
    points = pd.concat(
        [two(corpus="en"), seeds("mine", BAD, corpus="de"), seeds("pa-gap", BAD, corpus="de")]
    )
    spec = curve_chart(points, facet="corpus").to_dict()
    assert [part["title"]["text"] for part in spec["concat"]] == ["en", "de"]
    found = [
        one["encoding"]["color"]["scale"] for one in layers(spec) if "color" in one["encoding"]
    ]
    assert len(found) == 6 and all(scale == found[0] for scale in found)
    assert found[0]["domain"] == ["pa-gap", "fa-random", "mine"]
    assert found[0]["range"] == [look(name).colour for name in found[0]["domain"]]


def test_the_line_of_all_data_is_optional_and_each_panels_own():
    assert "all data" not in to_svg(curve_chart(two()))
    assert ">all data: 88.12<" in to_svg(curve_chart(two(), full=88.123))
    points = pd.concat([two(corpus="en"), two(corpus="de")])
    drawn = to_svg(curve_chart(points, facet="corpus", full={"de": 90.0}))
    assert drawn.count(">all data: 90.00<") == 1


def test_the_title_says_who_wins_where_and_by_how_much():
    expected = (
        "pa-gap has the highest UAS at 300 annotated dependencies: 85.00, 7.00 more than fa-random"
    )
    assert title(curve_chart(two())) == expected


def test_the_title_turns_with_the_data():
    expected = (
        "fa-random has the highest UAS at 300 annotated dependencies: 85.00, 7.00 more than pa-gap"
    )
    assert title(curve_chart(two("fa-random", "pa-gap"))) == expected
    assert title(curve_chart(two("fa-random", "pa-gap")[::-1])) == expected


def test_overlapping_bands_are_no_difference():
    points = two(spread=4.0)
    assert title(curve_chart(points)).startswith(
        "No clear difference in UAS between pa-gap and fa-random"
    )
    more = pd.concat([points, seeds("pa-max", [50, 55, 60])])
    assert title(curve_chart(more)) == (
        "pa-gap (UAS 85.00 at 300 annotated dependencies) is above pa-max, not clearly above fa-random"
    )


def test_equal_curves_are_equal():
    assert title(curve_chart(pd.concat([seeds("a", GOOD), seeds("b", GOOD)]))) == (
        "No difference in UAS between a and b at 300 annotated dependencies: 85.00"
    )


def test_one_seed_may_be_chance():
    points = pd.concat([curve("a", GOOD), curve("b", BAD)])
    assert title(curve_chart(points)).endswith("7.00 more than b (of one seed: it may be chance)")


def test_strategies_are_compared_at_a_cost_that_all_have():
    points = pd.concat([seeds("a", [70, 80]), seeds("b", [60, 65, 95])])
    assert title(curve_chart(points)).startswith("a has the highest UAS at 200 annotated")
    at, table = standing(mean_curves("t", points, "dependencies", "uas"))
    assert at == 200 and table["mean"].to_dict() == {"a": 80, "b": 65}


def test_between_rounds_a_curve_is_straight():
    points = pd.concat([seeds("a", [70, 80], step=150), seeds("b", [60, 70, 90], step=100)])
    at, table = standing(mean_curves("t", points, "dependencies", "uas"))
    assert at == 300 and table["mean"].to_dict() == {"b": 90, "a": 80}
    at, table = standing(
        mean_curves("t", pd.concat([points, seeds("c", [50, 60], step=125)]), "dependencies", "uas")
    )
    assert at == 250 and table["mean"].to_dict() == pytest.approx(
        {"b": 80, "a": 70 + 200 / 3 / 10, "c": 60}
    )


def test_curves_without_a_cost_in_common_are_not_compared():
    late = seeds("b", BAD).assign(dependencies=lambda rows: rows["dependencies"] + 1000)
    chart = curve_chart(pd.concat([seeds("a", GOOD), late]))
    assert title(chart) == "UAS by annotated dependencies; no cost that all strategies have"


def test_panels_are_counted():
    points = pd.concat(
        [
            two(corpus="en"),
            two(corpus="fr"),
            two("fa-random", "pa-gap", corpus="de"),
            two(corpus="ja", spread=5),
        ]
    )
    assert title(curve_chart(points, facet="corpus")) == (
        "pa-gap has the highest UAS on 2 of 4 corpora (en and fr), by 7.00 at 300 annotated "
        "dependencies; fa-random has the highest UAS on 1 of 4 corpora (de), by 7.00 at 300 annotated "
        "dependencies; no clear difference on ja"
    )


def test_panels_of_one_seed_may_be_chance():
    points = pd.concat(
        [curve(s, y, corpus=c) for c in ("en", "de") for s, y in (("a", GOOD), ("b", BAD))]
    )
    assert title(curve_chart(points, facet="corpus")).endswith("(of one seed: it may be chance)")


def test_one_strategy_is_told_as_it_is():
    assert title(curve_chart(seeds("a", GOOD))) == "a: UAS 85.00 at 300 annotated dependencies"
    points = pd.concat([seeds("a", GOOD, corpus="en"), seeds("a", BAD, corpus="de")])
    assert title(curve_chart(points, facet="corpus")) == "a: UAS 78.0 to 85.0 on 2 corpora"


def test_an_own_title_is_kept_and_wrapped():
    words = "A title that is much too long for one line of a chart " * 8
    lines = curve_chart(two(), title=words).to_dict()["title"]["text"]
    assert " ".join(lines) == words.strip() and len(lines) > 2
    assert max(map(len, lines)) - min(map(len, lines)) < 15


@pytest.mark.parametrize(
    "points, problem",
    [
        (two().drop(columns="uas"), "curve_chart: no column uas, expected strategy, seed, round, dependencies, uas; there are"),
        (two().iloc[:0], "curve_chart: no rows, expected some with strategy"),
        (pd.concat([two(), two()]), "curve_chart: two rows of one strategy, seed and round"),
        (two().assign(uas="85"), "curve_chart: column uas is of .*, expected numbers"),
        (two().assign(uas=np.nan), "curve_chart: column uas has no value in 18 rows"),
        (two().assign(dependencies=[300, 200, 100] * 6), "dependencies that falls from round to round"),
    ],
)  # fmt: skip
def test_what_is_no_curve_is_refused(points, problem):
    with pytest.raises(ArgumentError, match=problem):
        curve_chart(points)


def test_too_many_rows_are_refused_but_seeds_are_aggregated():
    long = curve("a", np.linspace(1, 99, 5001))
    with pytest.raises(
        ArgumentError, match="curve_chart: 5,001 rows to draw, expected at most 5,000"
    ):
        curve_chart(long)
    many = pd.concat([curve("a", np.linspace(1, 99, 1000), seed) for seed in range(10)])
    assert len(data(curve_chart(many), "line")) == 1000


def test_names_may_be_numbers_or_categories():
    points = pd.concat([two(corpus=2, first=20, second=100), two(corpus=1, first=20, second=100)])
    expected = title(curve_chart(points, facet="corpus"))
    assert expected.startswith(
        "20 has the highest UAS on 2 of 2 corpora (2 and 1), by 7.00 at 300 "
    )
    sorted_ = points.astype({"strategy": pd.CategoricalDtype([20, 100, 3]), "corpus": "category"})
    assert title(curve_chart(sorted_, facet="corpus")) == expected
    assert title(savings_chart(sorted_, "100", facet="corpus")).startswith("20 needs 40% fewer")


def test_names_are_text():
    drawn = to_svg(curve_chart(pd.concat([seeds("<b>&", GOOD), seeds("b", BAD)])))
    assert "<b>" not in drawn and "&lt;b&gt;&amp;" in drawn


# Savings


def test_what_is_needed_is_read_on_the_rising_curve():
    cost, score = np.array([100.0, 200, 300, 400]), np.array([60.0, 75, 65, 80])
    targets = np.array([59.0, 60, 65, 70, 75, 80, 80.1])
    np.testing.assert_allclose(
        needed(cost, score, targets), [np.nan, 100, 150, 200, 350, 400, np.nan]
    )


def test_a_curve_of_half_the_cost_saves_half():
    base = seeds("fa-random", [60, 70, 80], step=200)
    ours = seeds("pa-gap", [60, 70, 80], step=100)
    rows = savings("t", pd.concat([base, ours]), "fa-random", "dependencies", "uas")
    assert set(rows["strategy"]) == {"pa-gap"} and len(rows) > 20
    for column in ("saved", "low", "high"):
        assert rows[column].to_list() == pytest.approx([50.0] * len(rows))
    middle = rows[rows["score"] == 70].iloc[0]
    assert (middle["needed"], middle["baseline"]) == pytest.approx((200, 400))


def test_what_a_seed_does_not_reach_is_not_drawn():
    points = pd.concat(
        [seeds("fa-random", [60, 70, 80]), seeds("low", [62, 66, 68]), seeds("high", [75, 85, 90])]
    )
    drawn = data(savings_chart(points, "fa-random"), "line")
    ends = drawn.groupby("strategy")["score"].agg(["min", "max"])
    assert ends.loc["low"].tolist() == [62.5, 67.5] and ends.loc["high"].tolist() == [75.5, 79.5]
    assert drawn[["saved", "low", "high"]].notna().all(axis=None)


def test_the_line_is_of_means_and_the_band_of_seeds():
    rows = savings("t", two(), "fa-random", "dependencies", "uas").set_index("score")
    # Curves of the first seed are 0.5 lower: they have 77 where the middle ones have 77.5.
    ours = np.array([175.0, 170, 165])
    base = 200 + 100 * np.array([6.5, 6, 5.5]) / 7
    found, each = rows.loc[77.0], 100 * (1 - ours / base)
    assert (found["needed"], found["baseline"]) == pytest.approx((ours.mean(), base.mean()))
    assert found["saved"] == pytest.approx(100 * (1 - ours.sum() / base.sum()))
    assert (found["low"], found["high"], found["seeds"]) == pytest.approx(
        (each.min(), each.max(), 3)
    )
    assert ((rows["low"] <= rows["saved"]) & (rows["saved"] <= rows["high"])).all()


def test_seeds_are_compared_with_themselves():
    points = two()
    fewer = points[(points["strategy"] == "pa-gap") | (points["seed"] != 1)]
    assert savings("t", fewer, "fa-random", "dependencies", "uas")["seeds"].unique().tolist() == [2]
    other = points.assign(
        seed=points["seed"].where(points["strategy"] == "pa-gap", points["seed"] + 9)
    )
    with pytest.raises(ArgumentError, match="with a seed of both"):
        savings_chart(other, "fa-random")


def test_savings_titles_turn_with_the_data():
    text = title(savings_chart(two(), "fa-random"))
    assert text.startswith(
        "At UAS 77.4 pa-gap needs 40% fewer annotated dependencies than fa-random ("
    )
    assert text.endswith("% over 3 seeds)")
    turned = title(savings_chart(two("fa-random", "pa-gap"), "fa-random"))
    assert (
        turned.startswith("At UAS 77.4 nothing is saved: pa-gap needs ")
        and "% more annotated" in turned
    )


def test_a_saving_that_not_all_seeds_have_is_not_clear():
    wild = [curve("mine", np.add([60, 70, 80], d), s) for s, d in enumerate((-3, 1, 6))]
    text = title(savings_chart(pd.concat([seeds("base", [60, 70, 80]), *wild]), "base"))
    assert (
        text
        == "At UAS 77 no clear saving of annotated dependencies against base: mine 5% (-9% to 21% over 3 seeds)"
    )


def test_savings_of_one_seed_may_be_chance():
    points = pd.concat([curve("a", GOOD), curve("b", BAD)])
    assert title(savings_chart(points, "b")).endswith("(of one seed: it may be chance)")


def test_savings_in_panels():
    points = pd.concat(
        [two(corpus="en"), two(corpus="fr"), two("fa-random", "pa-gap", corpus="de")]
    )
    expected = "pa-gap needs 40% fewer annotated dependencies than fa-random on 2 of 3 corpora"
    assert title(savings_chart(points, "fa-random", facet="corpus")) == expected
    more = pd.concat(
        [points, seeds("pa-max", GOOD, corpus="en"), seeds("fa-random", GOOD, corpus="ja")]
    )
    assert title(savings_chart(more, "fa-random", facet="corpus")) == (
        expected.replace("3", "4") + "; pa-max 40% on 1; nothing to compare on ja"
    )
    turned = pd.concat([two("fa-random", "pa-gap", corpus=name) for name in ("en", "de")])
    assert title(savings_chart(turned, "fa-random", facet="corpus")) == (
        "On none of 2 corpora a strategy clearly needs fewer annotated dependencies than fa-random"
    )


def test_the_same_colours_in_savings():
    points = pd.concat([two(), seeds("pa-max", GOOD)])
    layer = next(
        one
        for one in layers(savings_chart(points, "fa-random").to_dict())
        if one["mark"]["type"] == "line"
    )
    scale = layer["encoding"]["color"]["scale"]
    assert scale["range"] == [look("pa-gap").colour, look("pa-max").colour]


def test_savings_that_cannot_be_computed_are_refused():
    with pytest.raises(
        ArgumentError, match="savings_chart: the baseline is none, expected one of pa-gap"
    ):
        savings_chart(two(), "none")
    apart = pd.concat([seeds("a", [80, 85, 90]), seeds("b", [50, 55, 60])])
    with pytest.raises(ArgumentError, match="savings_chart: no uas that b and another"):
        savings_chart(apart, "b")
