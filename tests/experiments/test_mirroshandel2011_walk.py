"""The walk through Mirroshandel & Nasr 2011: lists of trees by three ways, and their entropies."""

import numpy as np
import pytest

from deppa_nb import Sentence, TreeDistribution
from deppa_nb.errors import ArgumentError
from deppa_nb.experiments import mirroshandel2011_walk as walk
from tests.brute import naive


@pytest.fixture(params=[4, 5])
def trees(request):
    n, rng = request.param, np.random.default_rng(request.param)
    return TreeDistribution(rng.normal(size=(n + 1,) * 2), rng.normal(size=(n + 1,) * 3))


def every(trees):
    """All trees and their scores, the best first."""
    taken = trees.best_score - naive.sibling_score(
        tuple(trees.best.tolist()), trees.relative_arcs, trees.siblings
    )
    listed = [
        (naive.sibling_score(tree, trees.relative_arcs, trees.siblings) + taken, tree)
        for tree in naive.trees(trees.n, projective=True, single_root=True)
    ]
    return sorted(listed, reverse=True)


def test_lawlers_partition_lists_all_trees_in_order(trees):
    expected = every(trees)
    found = walk.lawler_nbest(trees, 10_000)
    assert [tuple(tree) for tree in found.trees.tolist()] == [tree for _, tree in expected]
    np.testing.assert_allclose(found.scores, [score for score, _ in expected])
    heads, scores = trees.nbest(25)
    short = walk.lawler_nbest(trees, 25)
    assert np.array_equal(short.trees, heads)
    np.testing.assert_allclose(short.scores, scores)


def test_the_literal_recipe_stalls(trees):
    found = walk.literal_nbest(trees, 10_000)
    best = [tree for _, tree in every(trees)]
    rows = [tuple(tree) for tree in found.trees.tolist()]
    assert len(set(rows)) == len(rows) <= trees.n + 1
    assert rows[:2] == best[:2] and (np.diff(found.scores) <= 0).all()
    without = {
        next(tree for tree in best if tree[word] != best[0][word]) for word in range(1, trees.n + 1)
    }
    assert set(rows) == {best[0], *without}
    assert found.parses == 1 + len(rows) * trees.n
    assert len(walk.literal_nbest(trees, 2).trees) == 2


def test_constraints_with_no_tree_are_passed_over():
    trees = TreeDistribution([[0, 1.0], [0, 0]])  # one word, one tree
    for listed in (walk.literal_nbest, walk.lawler_nbest):
        found = listed(trees, 5)
        assert found.trees.tolist() == [[-1, 0]] and found.scores.tolist() == [1.0]
        with pytest.raises(ArgumentError, match="n is 0, expected 1 or more"):
            listed(trees, 0)


def test_shares_and_entropies_of_a_list():
    scores = np.array([4.0, 3.0, 1.0])
    table = walk.shares(scores)
    assert table["raw"].tolist() == [0.5, 0.375, 0.125]
    np.testing.assert_allclose(table["softmax"], np.exp(scores) / np.exp(scores).sum())
    assert walk.shares(np.array([1.0, -1.0]))["raw"].tolist() == [0.75, 0.25]  # shifted to 3 and 1
    found = walk.entropies(scores)
    expected = -(table[["raw", "softmax"]] * np.log(table[["raw", "softmax"]])).sum()
    np.testing.assert_allclose(found.loc["as they are"], expected)
    assert found["raw"]["times 10"] == pytest.approx(found["raw"]["as they are"])
    assert found["softmax"]["plus 100"] == pytest.approx(found["softmax"]["as they are"])
    assert found["raw"]["plus 100"] > found["raw"]["as they are"]
    assert found["softmax"]["times 100"] < 1e-9


def test_governors_are_counted():
    sentence = Sentence.of(["Fish", "swim"])
    table = walk.attachments(sentence, np.array([[-1, 2, 0], [-1, 2, 0], [-1, 0, 1]], np.int32))
    assert table["governors"].tolist() == ["2 swim (2), root (1)", "root (2), 1 Fish (1)"]
    entropy = -(2 / 3) * np.log(2 / 3) - (1 / 3) * np.log(1 / 3)
    np.testing.assert_allclose(table["AE"], entropy)
    assert table["word"].to_dict() == {1: "Fish", 2: "swim"}
