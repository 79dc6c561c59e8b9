"""Precision-recall and calibration: what is drawn, and the numbers in the titles."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, precision_recall_curve

from deppa_nb.errors import ArgumentError
from deppa_nb.experiments.calibration import reliability
from deppa_nb.reports.charts import (
    MAX_ROWS,
    average_precision,
    look,
    precision_recall_chart,
    reliability_chart,
    to_svg,
)


def title(chart):
    return " ".join(chart.to_dict()["title"]["text"])


def rows_of(chart):
    return pd.DataFrame(max(chart.to_dict()["datasets"].values(), key=len))


def detected(strategy, seed, noise, n=3000):
    """Return the curve of a noisy detector, and its average precision by scikit-learn."""
    rng = np.random.default_rng(seed)
    wrong = rng.random(n) < 0.2
    score = wrong + rng.normal(0, noise, n)
    precision, recall, _ = precision_recall_curve(wrong, score)
    frame = pd.DataFrame({"recall": recall, "precision": precision})
    return frame.assign(strategy=strategy, seed=seed), average_precision_score(wrong, score)


@pytest.mark.parametrize("order", [1, -1])
def test_average_precision_is_that_of_scikit_learn(order):
    points, expected = detected("a", 1, 0.7)
    found = average_precision(points[::order])
    assert found.loc["a", "mean"] == pytest.approx(expected)


def test_a_curve_that_ends_early_gets_nothing_for_the_rest():
    short = pd.DataFrame(
        {"strategy": "a", "seed": 1, "recall": [0.2, 0.4], "precision": [1.0, 0.5]}
    )
    assert average_precision(short).loc["a", "mean"] == pytest.approx(0.2 + 0.1)


def test_the_title_is_computed_before_curves_are_thinned():
    (one, first), (two, second) = detected("n = 20", 1, 0.5), detected("n = 100", 1, 0.8)
    chart = precision_recall_chart(pd.concat([two, one]).drop(columns="seed"))
    assert title(chart) == (
        f"n = 20 has the highest average precision: {first:.3f}, {first - second:.3f} more than "
        "n = 100 (of one seed: it may be chance)"
    )
    drawn = rows_of(chart)
    assert len(drawn) <= 440 and drawn.groupby("strategy")["recall"].max().tolist() == [1, 1]
    assert "n = 100" in to_svg(chart)


def test_what_is_drawn_are_points_of_the_curve():
    points, _ = detected("a", 1, 0.7)
    given = set(zip(points["recall"], points["precision"], strict=True))
    drawn = rows_of(precision_recall_chart(points))
    assert given >= set(zip(drawn["recall"], drawn["precision"], strict=True))
    assert drawn["recall"].is_monotonic_increasing and 2 <= drawn["marked"].sum() <= 11
    steps = drawn["recall"].diff().max()
    assert steps < 0.02


def test_seeds_that_overlap_are_no_difference():
    curves = [
        detected(name, seed, 0.7)[0] for name, seed in (("a", 1), ("a", 2), ("b", 3), ("b", 4))
    ]
    assert title(precision_recall_chart(pd.concat(curves))).startswith(
        "No clear difference in average"
    )
    apart = [
        detected(name, seed, noise)[0]
        for name, seed, noise in (("a", 1, 0.9), ("a", 2, 0.9), ("b", 3, 0.3), ("b", 4, 0.3))
    ]
    assert title(precision_recall_chart(pd.concat(apart))).startswith(
        "b has the highest average precision: 0.9"
    )


def test_colours_of_strategies():
    points = pd.concat([detected("pa-gap", 1, 0.5)[0], detected("pa-random", 1, 3)[0]])
    scale = precision_recall_chart(points).to_dict()["layer"][0]["encoding"]["color"]["scale"]
    assert scale["range"] == [look("pa-gap").colour, look("pa-random").colour]


def test_many_seeds_stay_under_the_limit():
    curves = pd.concat([detected("a", seed, 0.7, 300)[0] for seed in range(40)])
    assert len(rows_of(precision_recall_chart(curves))) <= MAX_ROWS


@pytest.mark.parametrize(
    "points, problem",
    [
        ({"strategy": ["a"], "recall": [0.5]}, "precision_recall_chart: no column precision, expected strategy, recall, precision"),
        ({"strategy": ["a"], "recall": [50], "precision": [1]}, "outside 0 to 1"),
        ({"strategy": [], "recall": [], "precision": []}, "precision_recall_chart: no rows"),
    ],
)  # fmt: skip
def test_what_is_refused(points, problem):
    with pytest.raises(ArgumentError, match=problem):
        precision_recall_chart(pd.DataFrame(points))


def test_calibration_tells_who_is_too_sure():
    rng = np.random.default_rng(1)
    p = rng.random(4000)
    tables = [
        reliability(p, rng.random(4000) < share).assign(corpus=name)
        for name, share in (("right", p), ("sure", p**2), ("modest", p**0.5))
    ]
    text = title(reliability_chart(pd.concat(tables)))
    assert text.startswith("Expected calibration error: 0.0") and " in right, " in text
    assert " in sure (too sure), " in text and text.endswith(" in modest (not sure enough)")


def test_calibration_of_strategies_has_their_colours():
    bins = reliability([0.9, 0.2], [1, 0]).assign(strategy="pa-gap")
    spec = reliability_chart(bins, by="strategy").to_dict()
    assert spec["layer"][1]["encoding"]["color"]["scale"]["range"] == [look("pa-gap").colour]
    with pytest.raises(ArgumentError, match="reliability_chart: no column corpus"):
        reliability_chart(bins)
