"""What the tour computes: counts as scores, and the list of all trees."""

import numpy as np
import pytest

from deppa_nb import Sentence, Treebank, TreeDistribution
from deppa_nb.errors import ArgumentError
from deppa_nb.experiments.tour import count_scores, enumerate_marginals, projective_trees


def test_scores_are_the_log_odds_of_counts():
    known = Sentence.of(["fish", "swim"], heads=[2, 0], upos=["NOUN", "VERB"])
    open_head = Sentence.of(["fish", "swim"], heads=[-1, 0], upos=["NOUN", "VERB"])
    scores = count_scores(known, Treebank((known, known, open_head)))
    assert scores[2, 1] == pytest.approx(
        np.log((2 + 0.5) / (2 - 2 + 0.5))
    )  # twice given, twice an arc
    assert scores[0, 2] == pytest.approx(np.log((3 + 0.5) / (3 - 3 + 0.5)))
    assert scores[1, 2] == pytest.approx(np.log((0 + 0.5) / (3 - 0 + 0.5)))


def test_the_list_of_trees_gives_the_marginals_of_the_kernel():
    scores = np.random.default_rng(0).normal(size=(6, 6))
    listed, number = enumerate_marginals(scores)
    assert number == 143
    np.testing.assert_allclose(listed, TreeDistribution(scores).marginals, atol=1e-12)


def test_too_many_trees_are_not_listed():
    with pytest.raises(ArgumentError, match="7 words have too many trees to list"):
        projective_trees(7)
