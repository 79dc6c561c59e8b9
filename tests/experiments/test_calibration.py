"""Calibration against a plain count, and its chart."""

import numpy as np
import pandas as pd
import pytest

from deppa_nb import CRFParser, load
from deppa_nb.errors import ArgumentError
from deppa_nb.experiments.calibration import (
    arc_probabilities,
    calibration_error,
    reliability,
    tempered,
)
from deppa_nb.reports.charts import reliability_chart, to_svg


@pytest.mark.parametrize("bins", [1, 4, 10])
def test_the_error_is_that_of_a_plain_count(bins):
    rng = np.random.default_rng(bins)
    p = np.concatenate([rng.random(200), [0.0, 1.0, 0.5]])
    right = rng.random(len(p)) < p
    expected, seen = 0.0, 0
    for k in range(bins):
        inside = [i for i in range(len(p)) if k / bins <= p[i] < (k + 1) / bins or (p[i] == 1.0 and k == bins - 1)]  # fmt: skip
        if inside:
            gap = sum(p[i] for i in inside) / len(inside) - sum(right[i] for i in inside) / len(
                inside
            )
            expected += len(inside) / len(p) * abs(gap)
            seen += 1
    table = reliability(p, right, bins=bins)
    assert len(table) == seen and table["predictions"].sum() == len(p)
    assert calibration_error(table) == pytest.approx(expected)


def test_certain_and_right_or_wrong():
    assert calibration_error(reliability([1.0, 1.0], [True, True])) == 0.0
    assert calibration_error(reliability([1.0, 1.0], [False, False])) == 1.0


@pytest.mark.parametrize("p, right", [([], []), ([0.5], [1, 0]), ([1.5], [1]), ([[0.5]], [[1]])])
def test_what_is_refused(p, right):
    with pytest.raises(ArgumentError):
        reliability(p, right)


def test_the_arcs_of_a_parser():
    bank = load("toy-short", sizes={"train": 60}).train
    parser = CRFParser(bits=14, epochs=1, order=1, progress=False).fit(bank)
    opened = bank.with_sentences(s.with_heads([s.heads[1], *[-1] * (len(s) - 1)]) for s in bank)
    p, right = arc_probabilities(parser, opened)
    first = [marginals[:, 1] for marginals in parser.marginals(bank)]
    np.testing.assert_array_equal(p, [column.max() for column in first])
    best = [column.argmax() == s.heads[1] for column, s in zip(first, bank, strict=True)]
    assert right.tolist() == best


def test_a_parser_that_is_too_sure_is_tempered():
    corpus = load("toy-short", sizes={"train": 60, "dev": 60})
    parser = CRFParser(bits=14, epochs=1, order=1, rate=0.2, progress=False).fit(corpus.train)
    right, _ = tempered(parser, corpus.dev)
    parser.weights_ = right.weights_ * np.float32(2)
    found, temperature = tempered(parser, corpus.dev)
    assert temperature == pytest.approx(2, abs=0.1)
    np.testing.assert_allclose(found.weights_, right.weights_, rtol=0.06)
    assert np.array_equal(parser.weights_, right.weights_ * np.float32(2))
    heads = [p.predict_heads(corpus.dev) for p in (found, parser)]
    assert all(map(np.array_equal, *heads))


def test_the_chart_states_the_error():
    tables = [reliability([0.9, 0.7, 0.2], right).assign(corpus=name) for name, right in (("a", [1, 1, 0]), ("b", [0, 0, 0]))]  # fmt: skip
    chart = reliability_chart(pd.concat(tables))
    assert " ".join(chart.to_dict()["title"]["text"]) == (
        "Expected calibration error: 0.200 in a, 0.600 in b"
    )
    assert "share of right ones" in to_svg(chart)
