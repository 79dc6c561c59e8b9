"""Precision and recall of what detects errors, by scikit-learn and by hand; smoothing."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import average_precision_score, precision_recall_curve

from deppa_nb.experiments.detection import Detection, Ranking, resampled, smoothed_relation
from deppa_nb.reports.charts import average_precision


@pytest.fixture
def words():
    """Words of 60 sentences; numbers with many ties, some of them 0."""
    rng = np.random.default_rng(4)
    owners = np.repeat(np.arange(60), 10)
    wrong = (rng.random(600) < 0.25).astype(int)
    return np.maximum(0, wrong + rng.normal(0, 0.7, 600)).round(1), wrong, owners


def test_precision_and_recall_are_those_of_scikit_learn(words):
    values, wrong, owners = words
    found = Ranking.of(values, wrong, owners).detection()
    precision, recall, _ = precision_recall_curve(wrong, values)
    np.testing.assert_allclose(found.recall, recall[:-1][::-1])
    np.testing.assert_allclose(found.precision, precision[:-1][::-1])
    expected = 100 * average_precision_score(wrong, values)
    assert found.average_precision == pytest.approx(expected)
    assert found.highest_recall == pytest.approx(100 * wrong[values > 0].sum() / wrong.sum())


def test_sentences_that_are_drawn_twice_count_twice(words):
    values, wrong, owners = words
    drawn = np.random.default_rng(1).multinomial(60, np.full(60, 1 / 60))
    found = Ranking.of(values, wrong, owners).detection(drawn)
    again = np.repeat(np.arange(600), drawn[owners])
    expected = 100 * average_precision_score(wrong[again], values[again])
    assert found.average_precision == pytest.approx(expected)


def test_fewer_points_have_the_same_area(words):
    found = Ranking.of(np.random.default_rng(2).random(600) + words[1], *words[1:]).detection()
    points = found.points(20)
    assert len(points) <= 20 and points["recall"].iloc[-1] == 1
    area = average_precision(points.assign(strategy="a", seed=1)).loc["a", "mean"]
    assert 100 * area == pytest.approx(found.average_precision)
    short = Detection(np.array([0.1, 1.0]), np.array([0.8, 0.2]), 1)
    np.testing.assert_allclose(short.points(), [[0.1, 0.8], [0.1, 0.2], [1.0, 0.2]])  # it falls


def test_mean_precision_by_hand():
    found = Detection(np.array([0.2, 0.6, 1.0]), np.array([1.0, 0.5, 0.25]), 2)
    assert found.highest_recall == 60
    assert found.mean_precision(20) == pytest.approx(100)
    assert found.mean_precision(40) == pytest.approx(75)  # half of the way at 1, half at 0.5
    assert found.mean_precision(100) == pytest.approx(found.average_precision)
    assert np.isnan(found.mean_precision(0))
    nothing = Ranking.of([0.0, 0.0], [0, 0], [0, 0]).detection()
    assert nothing.highest_recall == nothing.average_precision == 0


def test_an_interval_from_sentences_and_seeds():
    rng = np.random.default_rng(3)
    pairs = [rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 400) for _ in range(3)]

    def correlation(values, drawn):
        return float(spearmanr(np.repeat(values, drawn, axis=0)).statistic)

    found = resampled(correlation, pairs, [400] * 3, resamples=200, rng=rng)
    assert found.value == pytest.approx(np.mean([spearmanr(p).statistic for p in pairs]))
    assert found.low < found.value < found.high and found.high - found.low < 0.15
    one = resampled(correlation, pairs[:1], [400], resamples=200, rng=rng)
    assert 0.08 < one.high - one.low < 0.2
    never = resampled(lambda values, drawn: float("nan"), pairs, [400] * 3, resamples=3, rng=rng)
    assert np.isnan([never.value, never.low, never.high]).all() and never.missed == 1


def test_a_smoother_follows_lines_and_averages_noise():
    rng = np.random.default_rng(5)
    x = rng.random(300)
    np.testing.assert_allclose(smoothed_relation(x, 3 - 2 * x), 3 - 2 * x)
    y = np.sin(3 * x) + rng.normal(0, 0.3, 300)
    error = smoothed_relation(x, y) - np.sin(3 * x)
    assert np.abs(error).max() < 0.2 and np.abs(error).mean() < 0.06
    flat = smoothed_relation(np.ones(5), [1, 2, 3, 4, 5])  # one place: the mean
    np.testing.assert_allclose(flat, 3)


def test_the_smoother_is_a_weighted_line_at_each_place():
    rng = np.random.default_rng(6)
    x, y = rng.random(12), rng.random(12)
    found = smoothed_relation(x, y, share=0.5)
    for i, at in enumerate(x):
        away = np.abs(x - at)
        width = np.sort(away)[5] * (1 + 1e-9)
        weights = np.where(away < width, (1 - (away / width) ** 3) ** 3, 0)
        slope, height = np.polyfit(x, y, 1, w=np.sqrt(np.maximum(weights, 0)))
        assert found[i] == pytest.approx(height + slope * at)
