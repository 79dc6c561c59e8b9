"""Steps from preferences between trees."""

import numpy as np
import pytest

from deppa_nb import CRFParser, MIRAParser, MSTParser, Sentence, Treebank, load
from deppa_nb.errors import ArgumentError
from deppa_nb.models.margin import Preferences

QUICK = {"bits": 16, "epochs": 2, "progress": False}


@pytest.fixture(scope="module")
def corpus():
    return load("toy-freeorder", sizes={"train": 60, "dev": 20, "test": 40})


@pytest.fixture(scope="module")
def sentences(corpus):
    return Treebank(tuple(s for s in corpus.test if len(s) > 3)[:20])


@pytest.fixture
def parser(corpus):
    return MSTParser(**QUICK, rate=np.inf).fit(corpus.train[:20])


def test_the_two_best_are_those_of_a_list(parser, sentences):
    light = Preferences(parser, sentences)
    for j, sentence in enumerate(sentences):
        trees, scores = light.two_best(j)
        expected, expected_scores = parser.nbest(sentence, 2)
        assert np.array_equal(trees, expected)
        np.testing.assert_allclose(scores, expected_scores, rtol=1e-6)


def test_a_step_is_the_shortest_that_a_preference_asks_for(parser, sentences):
    light, moved = Preferences(parser, sentences), 0
    for j in range(len(sentences)):
        (first, second), scores = light.two_best(j)
        differ = np.count_nonzero(first != second)
        weights = parser.weights_.copy()
        alpha = light.prefer(j, second, first)
        trees = parser.distribution(sentences[j])
        gap = trees.log_prob(second) - trees.log_prob(first)
        assert alpha > 0 and gap == pytest.approx(differ, abs=1e-3)
        step = weights - parser.weights_
        norm = float(step @ step) / alpha**2
        assert alpha == pytest.approx((differ + scores[0] - scores[1]) / norm, rel=1e-3)
        moved += 1
    assert moved == len(sentences)


def test_what_is_so_already_is_left(parser, sentences):
    light = Preferences(parser, sentences[:1])
    trees, _ = light.two_best(0)
    light.prefer(0, trees[0], trees[1])
    before = parser.weights_.copy()
    assert light.prefer(0, trees[0], trees[1]) == pytest.approx(0.0, abs=1e-6)
    np.testing.assert_allclose(parser.weights_, before, atol=1e-6)


def test_a_step_may_be_bounded_or_given(parser, sentences):
    parser.set_params(rate=1e-3)
    light = Preferences(parser, sentences[:1])
    trees, _ = light.two_best(0)
    before = parser.weights_.copy()
    assert light.prefer(0, trees[1], trees[0]) == 1e-3
    step = parser.weights_ - before
    assert light.prefer(0, trees[1], trees[0], alpha=1.0) == 1.0
    np.testing.assert_allclose(parser.weights_ - before, 1001 * step, atol=1e-4)


def test_a_word_alone_has_one_tree(parser):
    trees, scores = Preferences(parser, [Sentence.of(["Go"])]).two_best(0)
    assert trees[0].tolist() == [-1, 0] and trees[1].tolist() == [-1, -1]
    assert np.isfinite(scores[0]) and scores[1] == -np.inf


def test_no_sentences(parser):
    with pytest.raises(ArgumentError, match="sentence 0, expected"):
        Preferences(parser, []).two_best(0)


def test_wrong_input(parser, corpus, sentences):
    light, n = Preferences(parser, sentences), len(sentences[0])
    whole = sentences[0].heads
    loops = [[-1, 2, 1, *[1] * (n - 2)], np.arange(n + 1)]
    for other in (whole[1:], [-1] * (n + 1), [n + 1] * (n + 1), *loops, whole * 1.0):
        with pytest.raises(ArgumentError, match=f"two trees of {n} words with all their heads"):
            light.prefer(0, whole, other)
    for wrong in (MIRAParser(**QUICK), CRFParser(**QUICK)):
        with pytest.raises(ArgumentError, match="parsers of spanning trees"):
            Preferences(wrong.fit(corpus.train[:5]), sentences)
    for alpha in (-1.0, np.nan, np.inf):
        with pytest.raises(ArgumentError, match="expected a number from 0"):
            light.prefer(0, whole, whole, alpha=alpha)
    for j in (-1, len(sentences)):
        with pytest.raises(ArgumentError, match=f"sentence {j}, expected 0 to"):
            light.two_best(j)


def test_what_the_parser_learns_in_between_counts(parser, corpus, sentences):
    light = Preferences(parser, sentences)
    parser.fit(corpus.train)
    trees, _ = light.two_best(0)
    assert np.array_equal(trees, parser.nbest(sentences[0], 2)[0])
    before = parser.weights_.copy()
    light.prefer(0, trees[1], trees[0])
    assert not np.array_equal(before, parser.weights_)
