"""The distribution over trees: the front of the kernels, its arguments and its errors."""

import numpy as np
import pytest
from brute import naive

from deppa_nb import TreeDistribution
from deppa_nb.errors import ArgumentError, NoTreeError

KINDS = [
    (projective, single_root, siblings)
    for projective in (True, False)
    for single_root in (True, False)
    for siblings in ((True, False) if projective else (False,))
]


@pytest.fixture(params=KINDS, ids=str)
def problem(request):
    """A distribution over trees of four words, and all its trees with their scores."""
    projective, single_root, second_order = request.param
    rng = np.random.default_rng(6)
    arcs = rng.normal(size=(5, 5))
    siblings = rng.normal(size=(5, 5, 5)) if second_order else np.zeros((5, 5, 5))
    trees = naive.trees(4, projective=projective, single_root=single_root)
    scored = [(naive.sibling_score(tree, arcs, siblings), tree) for tree in trees]
    given = {"projective": projective, "single_root": single_root}
    return TreeDistribution(arcs, siblings if second_order else None, **given), scored


def test_everything_agrees_with_enumeration(problem):
    distribution, trees = problem
    log_z = naive.log_sum([score for score, _ in trees])
    probabilities = {tree: np.exp(score - log_z) for score, tree in trees}
    assert distribution.log_partition == pytest.approx(log_z)
    assert distribution.entropy == pytest.approx(
        -sum(p * np.log(p) for p in probabilities.values())
    )
    marginals = np.zeros((5, 5))
    for tree, p in probabilities.items():
        marginals[tree[1:], range(1, 5)] += p
    np.testing.assert_allclose(distribution.marginals, marginals, atol=1e-12)
    ranked = sorted(trees, reverse=True)
    assert tuple(distribution.best) == ranked[0][1]
    assert distribution.best_score == pytest.approx(ranked[0][0])
    heads, scores = distribution.nbest(10_000)
    assert [tuple(row) for row in heads.tolist()] == [tree for _, tree in ranked]
    np.testing.assert_allclose(scores, [score for score, _ in ranked])
    tree = ranked[1][1]
    assert distribution.log_prob(tree) == pytest.approx(np.log(probabilities[tree]))
    partial = [-1, *tree[1:3], -1, -1]
    share = sum(p for other, p in probabilities.items() if other[1:3] == tree[1:3])
    assert distribution.log_prob(partial) == pytest.approx(np.log(share))
    assert distribution.log_prob([-1] * 5) == 0.0


def test_given(problem):
    distribution, trees = problem
    forbidden = np.zeros((5, 5), bool)
    forbidden[4, 2] = True
    fewer = distribution.given(heads=[-1, 3, -1, -1, -1], forbidden=forbidden)
    left = [(score, tree) for score, tree in trees if tree[1] == 3 and tree[2] != 4]
    assert fewer.log_partition == pytest.approx(naive.log_sum([score for score, _ in left]))
    assert tuple(fewer.best) == max(left)[1]
    assert {tuple(row) for row in fewer.sample(50, np.random.default_rng(1)).tolist()} <= {
        tree for _, tree in left
    }
    assert distribution.given().log_partition == distribution.log_partition
    assert distribution.given(heads=[-5, -1, -1, -1, -1]).n == 4  # the root's own place is not read


def test_the_same_seed_draws_the_same_trees(problem):
    distribution, trees = problem
    drawn = distribution.sample(40, np.random.default_rng(5))
    assert np.array_equal(drawn, distribution.sample(40, np.random.default_rng(5)))
    assert {tuple(row) for row in drawn.tolist()} <= {tree for _, tree in trees}


def test_no_tree():
    crossing = TreeDistribution(np.zeros((5, 5))).given(heads=[-1, 3, 4, -1, -1])
    assert crossing.log_partition == -np.inf
    assert crossing.entropy == 0.0
    assert not crossing.marginals.any()
    assert crossing.nbest(3)[0].shape == (0, 5)
    for ask in (
        lambda: crossing.best,
        lambda: crossing.sample(1, np.random.default_rng(0)),
        lambda: crossing.log_prob([-1] * 5),
    ):
        with pytest.raises(NoTreeError, match="no projective tree with one root of 4 words"):
            ask()
    free = TreeDistribution(np.zeros((5, 5)), projective=False).given(heads=[-1, 3, 4, -1, -1])
    assert free.log_partition > -np.inf


@pytest.mark.parametrize("projective", [True, False])
def test_a_shift_of_all_scores_of_a_word_changes_nothing_but_log_z(projective):
    rng = np.random.default_rng(1)
    arcs = rng.integers(-3, 4, (31, 31)) * 64.0 + rng.integers(0, 64, (31, 31)) / 64
    shift = rng.choice([-(2.0**23), 2.0**23], 31)
    plain, shifted = (TreeDistribution(a, projective=projective) for a in (arcs, arcs + shift))
    assert shifted.entropy == pytest.approx(plain.entropy, abs=1e-9)
    np.testing.assert_allclose(shifted.marginals, plain.marginals, atol=1e-12)
    assert shifted.log_partition == pytest.approx(plain.log_partition + shift[1:].sum())
    assert shifted.best_score == pytest.approx(plain.best_score + shift[1:].sum())
    given = [-1, 5, *[-1] * 29]
    assert shifted.log_prob(given) == pytest.approx(plain.log_prob(given), abs=1e-9)


def test_scores_are_copied():
    scores = np.zeros((4, 4))
    trees = TreeDistribution(scores)
    scores[0, 1] = 5.0
    assert trees.best_score == 0.0
    assert trees.log_partition == pytest.approx(np.log(7))


def test_marginals_of_siblings():
    """Each word has one part; the parts of an arc sum to its marginal."""
    rng = np.random.default_rng(3)
    trees = TreeDistribution(rng.normal(size=(6, 6)), rng.normal(size=(6, 6, 6)))
    np.testing.assert_allclose(trees.sibling_marginals.sum(axis=2), trees.marginals, atol=1e-12)


def test_more_trees_than_there_are_can_be_asked_for():
    assert TreeDistribution(np.zeros((4, 4))).nbest(10**12)[0].shape == (7, 4)
    several = TreeDistribution(np.zeros((4, 4)), projective=False, single_root=False)
    assert several.nbest(10**12)[0].shape == (16, 4)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"arcs": np.zeros((3, 4))}, r"arcs has shape \(3, 4\), expected \(n \+ 1\) x \(n \+ 1\)"),
        ({"arcs": np.zeros((1, 1))}, "arcs has shape"),
        ({"arcs": [[0, np.nan], [0, 0]]}, r"arcs\[0, 1\] is nan, expected a number or -inf"),
        ({"arcs": [[0, np.inf], [0, 0]]}, r"arcs\[0, 1\] is inf"),
        ({"arcs": np.zeros((3, 3)), "siblings": np.zeros((4, 4, 4))}, "siblings are for 3 words"),
        ({"arcs": np.zeros((3, 3)), "siblings": np.zeros((3, 3))}, "siblings has shape"),
        (
            {"arcs": np.zeros((3, 3)), "siblings": np.zeros((3, 3, 3)), "projective": False},
            "only projective trees",
        ),
    ],
)
def test_wrong_scores(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        TreeDistribution(**arguments)


@pytest.mark.parametrize(
    "heads, message",
    [
        ([-1, 0], r"heads is int64 of shape \(2,\), expected 3 integers"),
        ([-1, 0.5, 1], "heads is float64"),
        ([-1, 3, 0], "the head of word 1 is 3, expected -1 to 2"),
        ([-1, -2, 0], "the head of word 1 is -2"),
    ],
)
def test_wrong_heads(heads, message):
    with pytest.raises(ArgumentError, match=message):
        TreeDistribution(np.zeros((3, 3))).given(heads)


def test_wrong_shape_of_forbidden_and_wrong_k():
    trees = TreeDistribution(np.zeros((3, 3)))
    with pytest.raises(ArgumentError, match=r"forbidden has shape \(2, 2\), expected \(3, 3\)"):
        trees.given(forbidden=np.zeros((2, 2)))
    with pytest.raises(ArgumentError, match="k is 0, expected 1 or more"):
        trees.nbest(0)


@pytest.mark.parametrize("order", [1, 2])
def test_scores_times_a_number(order: int) -> None:
    rng = np.random.default_rng(order)
    arcs, siblings = rng.normal(size=(6, 6)), rng.normal(size=(6, 6, 6)) if order == 2 else None
    arcs[2, 3] = -np.inf
    trees = TreeDistribution(arcs, siblings).given([-1, -1, -1, -1, 5, -1])
    found = trees.scaled(3.0)
    direct = TreeDistribution(3 * arcs, None if siblings is None else 3 * siblings)
    expected = direct.given([-1, -1, -1, -1, 5, -1])
    np.testing.assert_allclose(found.marginals, expected.marginals, atol=1e-12)
    assert found.log_partition == pytest.approx(expected.log_partition)
    assert found.best.tolist() == trees.best.tolist()
    assert found.best_score == pytest.approx(3 * trees.best_score)
    with pytest.raises(ArgumentError, match="scores times 0, expected a number over 0"):
        trees.scaled(0)
