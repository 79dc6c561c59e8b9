"""The distribution over non-projective trees: enumeration, rational numbers, properties, samples."""

from collections import Counter

import numpy as np
import pytest
from brute import naive
from hypothesis import given
from hypothesis import strategies as st
from numba import config
from scipy import stats

from deppa_nb.kernels import matrix_tree, matrix_tree_logs
from deppa_nb.kernels.arborescence import best_arborescence
from deppa_nb.kernels.constraints import constrain
from deppa_nb.kernels.entropy import entropy, expected_score
from deppa_nb.kernels.matrix_tree import log_partition, tree_marginals
from deppa_nb.kernels.tree_samples import sample_trees

PLAIN = bool(config.DISABLE_JIT)  # as plain Python the kernels are slow: smaller sentences will do
LONG, MIDDLE = (25, 8) if PLAIN else (150, 23)

both_roots = pytest.mark.parametrize("single_root", [True, False])


def marginals(scores, single_root):
    p = np.full(scores.shape, np.nan)
    return tree_marginals(scores, single_root, p), p


def marginals_by_logs(scores, single_root):
    """As if the floats had not been wide enough."""
    size = len(scores)
    top = np.empty(size)
    scale = matrix_tree.best_heads(scores, top)
    weights = np.full((size, size), -np.inf)
    for m in range(1, size):
        weights[:, m] = scores[:, m] - top[m]
        weights[m, m] = -np.inf
    w, pi, q, at = weights.copy(), np.zeros((size, size)), np.zeros((size, size)), np.arange(size)
    log_z = matrix_tree_logs.eliminate_logs(w, pi, single_root, at) + scale
    matrix_tree_logs.differentiate_logs(w, pi, single_root, q)
    p = np.zeros((size, size))
    p[np.ix_(at, at)] = np.exp(weights[np.ix_(at, at)] + q)
    return log_z, p


def constrained(scores, heads, forbidden=None):
    out = np.empty_like(scores)
    forbidden = np.zeros(scores.shape, bool) if forbidden is None else forbidden
    constrain(scores, np.asarray(heads), forbidden, out)
    return out


def problems(n, scale):
    """Random scores; then with forbidden arcs, forced heads, and both."""
    rng = np.random.default_rng(n)
    for i in range(24):
        scores = rng.normal(scale=scale, size=(n + 1, n + 1))
        forbidden = rng.random(scores.shape) < (0.3 if i % 4 > 1 else 0.0)
        heads = np.where(rng.random(n + 1) < 0.4 * (i % 2), rng.integers(n + 1, size=n + 1), -1)
        yield constrained(scores, heads, forbidden)


@both_roots
@pytest.mark.parametrize("scale", [1.0, 50.0, 1e3])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_enumeration(n, scale, single_root):
    for scores in problems(n, scale):
        log_z, trees = naive.distribution(scores, projective=False, single_root=single_root)
        kernel_log_z, p = marginals(scores, single_root)
        assert kernel_log_z == pytest.approx(log_z, rel=1e-12, abs=1e-12)
        assert kernel_log_z == log_partition(scores, single_root)
        np.testing.assert_allclose(p, naive.marginals(trees, n), atol=1e-11)
        assert (p[scores == -np.inf] == 0.0).all()
        by_enumeration = -sum(q * np.log(q) for q in trees.values() if q > 0.0)
        tolerance = 1e-14 * n * scale + 1e-12
        if trees:
            h = entropy(kernel_log_z, expected_score(scores, p))
            assert h == pytest.approx(by_enumeration, abs=100 * tolerance)


@both_roots
@pytest.mark.parametrize("scale", [1.0, 20.0, 60.0])
def test_rational_numbers(scale, single_root):
    """Where a determinant in floats has no digits left, the marginals still have theirs."""
    n = 8 if PLAIN else 11
    scores = np.random.default_rng(4).normal(scale=scale, size=(n + 1, n + 1))
    log_z, p = naive.koo(scores, single_root=single_root)
    kernel_log_z, kernel_p = marginals(scores, single_root)
    assert kernel_log_z == pytest.approx(log_z, rel=1e-13)
    np.testing.assert_allclose(kernel_p, p, atol=1e-11)


def test_two_words_that_want_each_other():
    """A strong cycle: the usual formula is a difference of numbers that agree in all digits."""
    scores = np.full((4, 4), -60.0)
    scores[1, 2] = scores[2, 1] = 0.0
    scores[0, 1], scores[0, 2], scores[1, 3] = -50.0, -51.0, -10.0
    for single_root in (True, False):
        _, trees = naive.distribution(scores, projective=False, single_root=single_root)
        p = marginals(scores, single_root)[1]
        np.testing.assert_allclose(p, naive.marginals(trees, 3), rtol=1e-9, atol=1e-15)


@both_roots
@pytest.mark.parametrize("scale", [1.0, 30.0, 1e4])
def test_logarithms_give_the_same(scale, single_root):
    scores = np.random.default_rng(5).normal(scale=scale, size=(MIDDLE + 1, MIDDLE + 1))
    log_z, p = marginals(scores, single_root)
    log_z_by_logs, p_by_logs = marginals_by_logs(scores, single_root)
    assert log_z == pytest.approx(log_z_by_logs, rel=1e-13)
    np.testing.assert_allclose(p, p_by_logs, atol=1e-10)


@both_roots
def test_scores_too_wide_for_floats(single_root):
    """The best heads make cycles, and what breaks them is below the range of floats."""
    scores = np.random.default_rng(6).normal(scale=1e4, size=(8, 8))
    log_z = naive.sum_over_sets(scores, single_root=single_root, plus=naive.log_sum)
    kernel_log_z, p = marginals(scores, single_root)
    assert kernel_log_z == pytest.approx(log_z, rel=1e-13)
    np.testing.assert_allclose(p.sum(0)[1:], 1.0, atol=1e-9)
    heads = np.empty(8, np.int32)
    best_arborescence(scores, single_root, heads)
    np.testing.assert_array_equal(p.argmax(0)[1:], heads[1:])


@both_roots
@pytest.mark.parametrize("shift", [0.0, 1e3, -1e6])
@pytest.mark.parametrize("n", [1, 5, LONG])
def test_equal_scores_count_trees(n, shift, single_root):
    log_z, p = marginals(np.full((n + 1, n + 1), shift), single_root)
    count = (n - 1) * np.log(n if single_root else n + 1)  # after Cayley
    assert log_z == pytest.approx(n * shift + count, rel=1e-12, abs=1e-10)
    np.testing.assert_allclose(p[:, 1:].sum(0), 1.0, atol=1e-11)
    np.testing.assert_allclose(p[0, 1:], 1 / n if single_root else 2 / (n + 1), atol=1e-11)


@both_roots
def test_finite_differences(single_root):
    rng = np.random.default_rng(7)
    scores = rng.normal(size=(8, 8))
    p = marginals(scores, single_root)[1]
    step = 1e-5
    for head, word in [(0, 1), (0, 5), (1, 2), (7, 3), (4, 6)]:
        up, down = scores.copy(), scores.copy()
        up[head, word] += step
        down[head, word] -= step
        slope = (log_partition(up, single_root) - log_partition(down, single_root)) / (2 * step)
        assert p[head, word] == pytest.approx(slope, abs=1e-9)


@both_roots
@pytest.mark.parametrize("n", [2, 9, LONG])
def test_forced_heads(n, single_root):
    """A forest of one tree has its score; one with nothing annotated has log probability 0."""
    scores = np.random.default_rng(8).normal(scale=3.0, size=(n + 1, n + 1))
    log_z = log_partition(scores, single_root)
    assert log_partition(constrained(scores, np.full(n + 1, -1)), single_root) - log_z == 0.0
    heads = np.empty(n + 1, np.int32)
    best = best_arborescence(scores, single_root, heads)
    forced_log_z, p = marginals(constrained(scores, heads), single_root)
    assert forced_log_z == pytest.approx(best, rel=1e-12)
    assert (
        p[heads[1:], np.arange(1, n + 1)] == pytest.approx(1.0, abs=1e-12)
    ) and p.sum() <= n + 1e-9
    heads[1 + n // 2 :] = -1
    half_log_z, p = marginals(constrained(scores, heads), single_root)
    assert best <= half_log_z <= log_z
    np.testing.assert_allclose(p[:, 1:].sum(0), 1.0, atol=1e-11)


def test_no_tree():
    no_head = np.zeros((4, 4))
    no_head[:, 2] = -np.inf
    cycle = np.zeros((4, 4))
    cycle[:, 2] = cycle[:, 3] = -np.inf
    cycle[2, 3] = cycle[3, 2] = 0.0
    two_roots = constrained(np.zeros((4, 4)), [-1, 0, 0, -1])
    for scores, single_root in [(no_head, False), (cycle, False), (cycle, True), (two_roots, True)]:
        log_z, p = marginals(scores, single_root)
        assert log_z == log_partition(scores, single_root) == -np.inf
        assert (p == 0.0).all()
        heads = np.full((2, 4), 7, np.int32)
        assert sample_trees(scores, single_root, np.zeros((2, 3)), heads) == -np.inf
        assert (heads == -1).all()
    assert log_partition(two_roots, False) == pytest.approx(np.log(3))


@st.composite
def sentences(draw):
    n = draw(st.integers(1, 8))
    width = draw(st.sampled_from([1.0, 50.0, 1e5]))
    score = st.one_of(st.just(-np.inf), st.floats(-width, width))
    cells = draw(st.lists(score, min_size=(n + 1) ** 2, max_size=(n + 1) ** 2))
    return np.array(cells).reshape(n + 1, n + 1), draw(st.booleans())


@given(sentences(), st.integers(0, 2**32 - 1))
def test_properties(sentence, seed):
    scores, single_root = sentence
    size = len(scores)
    log_z, p = marginals(scores, single_root)
    best_heads = np.empty(size, np.int32)
    best = best_arborescence(scores, single_root, best_heads)
    assert (log_z == -np.inf) == (best == -np.inf)
    if best == -np.inf:
        return
    assert log_z >= best - 1e-12 * max(1.0, abs(best))
    assert 0.0 <= p.min() and p.max() <= 1.0
    np.testing.assert_allclose(p[:, 1:].sum(0), 1.0, atol=1e-8)
    if single_root:
        assert p[0].sum() == pytest.approx(1.0, abs=1e-8)
    assert -1e-12 <= entropy(log_z, expected_score(scores, p)) <= size * np.log(size) + 1e-6
    rng = np.random.default_rng(seed)
    forced = np.where(rng.random(size) < 0.5, best_heads, -1)
    assert best - 1e-6 <= log_partition(constrained(scores, forced), single_root) <= log_z + 1e-6
    heads = np.empty((3, size), np.int32)
    sample_trees(scores, single_root, rng.random((3, size - 1)), heads)
    for tree in heads:
        assert naive.reaches_root(tuple(tree))
        assert not single_root or sum(tree == 0) == 1
        assert -np.inf < naive.arc_score(tuple(tree), scores) <= best + 1e-6


@both_roots
@pytest.mark.parametrize("case", ["open", "forced", "forbidden", "wide", "cycle"])
def test_sampled_frequencies(case, single_root):
    n, samples = 4, 1000 if PLAIN else 20000
    rng = np.random.default_rng(9)
    scores = rng.normal(size=(n + 1, n + 1))
    if case == "forced":
        scores = constrained(scores, [-1, -1, 4, -1, -1])
    elif case == "forbidden":
        scores[0, 1] = scores[2, 3] = scores[4, 1] = -np.inf
    elif case == "wide":  # logarithms, and yet several trees with some probability
        scores[1:3, 3:] -= 2000.0
        scores[0] -= 1000.0
        scores[3:, 1:3] -= 2000.0
    elif case == "cycle":
        scores[1, 2] += 30.0
        scores[2, 1] += 30.0
    _, trees = naive.distribution(scores, projective=False, single_root=single_root)
    heads = np.empty((samples, n + 1), np.int32)
    sample_trees(scores, single_root, rng.random((samples, n)), heads)
    counts = Counter(tuple(tree) for tree in heads.tolist())
    assert set(counts) <= set(trees)
    frequent = [tree for tree, probability in trees.items() if probability * samples >= 5]
    assert len(frequent) > 1
    observed = np.array([counts[tree] for tree in frequent])
    expected = np.array([trees[tree] for tree in frequent]) * samples
    rare = samples - expected.sum()
    observed, expected = np.append(observed, samples - observed.sum()), np.append(expected, rare)
    kept = expected > 0.5
    assert (
        stats.chi2.sf(((observed - expected)[kept] ** 2 / expected[kept]).sum(), kept.sum() - 1)
        > 1e-3
    )


@both_roots
def test_samples_of_a_long_sentence_agree_with_marginals(single_root):
    samples = 50 if PLAIN else 400
    rng = np.random.default_rng(10)
    scores = rng.normal(scale=2.0, size=(LONG + 1, LONG + 1))
    p = marginals(scores, single_root)[1]
    heads = np.empty((samples, LONG + 1), np.int32)
    sample_trees(scores, single_root, rng.random((samples, LONG)), heads)
    best = best_arborescence(scores, single_root, np.empty(LONG + 1, np.int32))
    observed = np.zeros_like(p)
    for tree in heads:
        assert naive.arc_score(tuple(tree), scores) <= best
        observed[tree[1:], np.arange(1, LONG + 1)] += 1
    # Standard scores of arcs that are neither rare nor sure: five is out of reach.
    likely = (p > 0.05) & (p < 0.95)
    spread = np.sqrt(p * (1 - p) * samples, where=likely, out=np.ones_like(p))
    assert np.abs((observed - p * samples) / spread)[likely].max() < 5.0
