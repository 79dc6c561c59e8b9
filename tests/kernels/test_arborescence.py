"""Spanning arborescences against enumeration, against a recursion over sets, and by properties."""

import numpy as np
import pytest
from brute import naive
from hypothesis import given
from hypothesis import strategies as st
from numba import config

from deppa_nb.kernels.arborescence import best_arborescence, two_best_arborescences
from deppa_nb.kernels.constraints import constrain
from deppa_nb.kernels.lawler import k_best_arborescences

PLAIN = bool(config.DISABLE_JIT)  # as plain Python the kernels are slow: smaller sentences will do
LONG = 40 if PLAIN else 150

both_roots = pytest.mark.parametrize("single_root", [True, False])


def best(scores, single_root):
    heads = np.full(len(scores), 7, np.int32)
    return best_arborescence(scores, single_root, heads), heads


def two_best(scores, single_root):
    heads = np.full((2, len(scores)), 7, np.int32)
    return two_best_arborescences(scores, single_root, heads), heads


def k_best(scores, single_root, k):
    heads, sums = np.full((k, len(scores)), 7, np.int32), np.full(k, 7.0)
    return k_best_arborescences(scores, single_root, heads, sums), sums, heads


def is_tree(heads, single_root):
    return naive.reaches_root(tuple(heads)) and not (single_root and sum(heads == 0) != 1)


def problems(n):
    """Random scores with and without ties, then with forbidden arcs, forced heads, and both."""
    rng = np.random.default_rng(n)
    for i in range(40):
        shape = (n + 1, n + 1)
        scores = rng.normal(size=shape) if i % 2 else rng.integers(3, size=shape).astype(float)
        forbidden = rng.random(shape) < (0.3 if i % 4 > 1 else 0.0)
        forced = (rng.random(n + 1) < 0.3) & (i % 8 > 3)
        heads = np.where(forced, rng.integers(n + 1, size=n + 1), -1)
        constrain(scores, heads, forbidden, scores)
        yield scores


@both_roots
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_enumeration(n, single_root):
    found = list(naive.trees(n, projective=False, single_root=single_root))
    k = 12
    for scores in problems(n):
        sums = sorted((naive.arc_score(tree, scores) for tree in found), reverse=True)
        sums = np.array([*(s for s in sums if s > -np.inf), *[-np.inf] * k])[:k]
        count, kernel_sums, heads = k_best(scores, single_root, k)
        assert count == sum(sums > -np.inf)
        np.testing.assert_allclose(kernel_sums, sums, atol=1e-12)
        assert len({tuple(tree) for tree in heads[:count]}) == count
        assert (heads[count:] == -1).all()
        for tree, total in zip(heads[:count], kernel_sums, strict=False):
            assert is_tree(tree, single_root) and tree[0] == -1
            assert total == pytest.approx(naive.arc_score(tuple(tree), scores), abs=1e-12)
        pair_sums, pair = two_best(scores, single_root)
        np.testing.assert_allclose(pair_sums, sums[:2], atol=1e-12)
        np.testing.assert_array_equal(pair[0], heads[0])
        total, tree = best(scores, single_root)
        assert total == kernel_sums[0]
        np.testing.assert_array_equal(tree, heads[0])


@both_roots
@pytest.mark.parametrize("seed", range(3))
def test_recursion_over_sets(seed, single_root):
    n = 5 + seed
    scores = np.random.default_rng(seed).normal(size=(n + 1, n + 1))
    scores[:, 1:][np.random.default_rng(seed + 9).random((n + 1, n)) < 0.2] = -np.inf
    total, tree = best(scores, single_root)
    assert total == pytest.approx(naive.sum_over_sets(scores, single_root=single_root, plus=max))
    second = -np.inf
    for word in range(1, n + 1):
        without = scores.copy()
        without[tree[word], word] = -np.inf
        second = max(second, naive.sum_over_sets(without, single_root=single_root, plus=max))
    assert two_best(scores, single_root)[0][1] == pytest.approx(second)


@st.composite
def sentences(draw):
    n = draw(st.integers(1, 9))
    score = st.one_of(st.just(-np.inf), st.integers(-3, 3).map(float), st.floats(-1e6, 1e6))
    cells = draw(st.lists(score, min_size=(n + 1) ** 2, max_size=(n + 1) ** 2))
    return np.array(cells).reshape(n + 1, n + 1), draw(st.booleans())


@given(sentences())
def test_properties(sentence):
    scores, single_root = sentence
    (first, second), heads = two_best(scores, single_root)
    assert (first > -np.inf) == is_tree(heads[0], single_root)
    assert (second > -np.inf) == is_tree(heads[1], single_root)
    assert second <= first + 1e-8
    assert second == -np.inf or (heads[0] != heads[1]).any()
    repeated = two_best(scores, single_root)
    assert repeated[0] == (first, second) and (repeated[1] == heads).all()
    if single_root and first > -np.inf:
        assert first <= best(scores, False)[0] + 1e-8
    count, sums, trees = k_best(scores, single_root, 5)
    assert (sums[:count][:-1] >= sums[:count][1:] - 1e-8).all()
    assert len({tuple(tree) for tree in trees[:count]}) == count


@both_roots
def test_a_planted_tree_is_found_in_a_long_sentence(single_root):
    rng = np.random.default_rng(0)
    order = rng.permutation(np.arange(1, LONG + 1))
    planted = np.full(LONG + 1, -1)
    planted[order[0]] = 0
    for i in range(1, LONG):
        planted[order[i]] = order[rng.integers(i)]
    scores = rng.normal(size=(LONG + 1, LONG + 1))
    scores[planted[1:], np.arange(1, LONG + 1)] += 20.0
    (first, second), heads = two_best(scores, single_root)
    np.testing.assert_array_equal(heads[0], planted)
    assert is_tree(heads[1], single_root) and second < first


@both_roots
def test_no_single_swap_improves_a_long_sentence(single_root):
    scores = np.random.default_rng(1).normal(size=(LONG + 1, LONG + 1))
    (first, second), heads = two_best(scores, single_root)
    runner_up = -np.inf
    for word in range(1, LONG + 1):
        for head in range(LONG + 1):
            loss = scores[heads[0, word], word] - scores[head, word]
            if head not in (word, heads[0, word]) and first - loss > runner_up:
                tree = heads[0].copy()
                tree[word] = head
                if is_tree(tree, single_root):
                    runner_up = first - loss
    assert runner_up <= second + 1e-9 and second <= first


@both_roots
@pytest.mark.parametrize("power", [10, 20])
def test_huge_scores_give_the_same_tree(single_root, power):
    scores = np.random.default_rng(2).normal(size=(24, 24))
    sums, heads = two_best(scores, single_root)
    huge_sums, huge_heads = two_best(scores * 2.0**power, single_root)
    np.testing.assert_array_equal(huge_heads, heads)
    np.testing.assert_array_equal(np.array(huge_sums), np.array(sums) * 2.0**power)


@both_roots
def test_equal_scores(single_root):
    (first, second), heads = two_best(np.full((8, 8), 0.5), single_root)
    assert first == second == 3.5
    assert is_tree(heads[0], single_root) and is_tree(heads[1], single_root)
    assert (heads[0] != heads[1]).any()


def test_one_word():
    scores = np.array([[0.0, 2.0], [0.0, 9.0]])
    for single_root in (True, False):
        (first, second), heads = two_best(scores, single_root)
        assert (first, second) == (2.0, -np.inf)
        assert heads.tolist() == [[-1, 0], [-1, -1]]


def test_where_only_several_roots_are_possible_one_root_has_no_tree():
    scores = np.full((4, 4), -np.inf)
    scores[0, 1] = scores[0, 2] = scores[1, 3] = 1.0
    total, heads = best(scores, True)
    assert total == -np.inf and (heads == -1).all()
    assert k_best(scores, True, 3)[0] == 0
    total, heads = best(scores, False)
    assert total == 3.0 and heads.tolist() == [-1, 0, 0, 1]


def test_a_cycle_without_a_way_in_has_no_tree():
    scores = np.full((4, 4), -np.inf)
    scores[0, 1] = scores[2, 3] = scores[3, 2] = 1.0
    for single_root in (True, False):
        (first, second), heads = two_best(scores, single_root)
        assert first == second == -np.inf and (heads == -1).all()
