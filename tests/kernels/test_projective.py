"""Kernels for projective trees against enumeration, against each other, and by their properties."""

import heapq
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from brute import naive
from hypothesis import given
from hypothesis import strategies as st
from numba import config
from scipy import stats

from deppa_nb.kernels import first_order, forest, kbest, second_order
from deppa_nb.kernels.constraints import constrain
from deppa_nb.kernels.items import pack, parts, row

PLAIN = bool(config.DISABLE_JIT)  # as plain Python the kernels are slow: smaller sentences will do
LONG, MIDDLE = (20, 12) if PLAIN else (150, 50)

both_orders = pytest.mark.parametrize("order", [1, 2])
both_roots = pytest.mark.parametrize("single_root", [True, False])


class Problem:
    """A sentence's scores, and every kernel on it under one name."""

    def __init__(self, order, single_root, arcs, siblings=None):
        self.order, self.single_root, self.arcs = order, single_root, arcs
        self.n = len(arcs) - 1
        self.siblings = np.zeros(0)  # of first order
        if order == 2:
            self.siblings = np.zeros(parts(self.n)) if siblings is None else siblings

    @classmethod
    def random(cls, rng, n, order, single_root, scale=1.0):
        return cls(
            order,
            single_root,
            rng.normal(scale=scale, size=(n + 1, n + 1)),
            rng.normal(scale=scale, size=parts(n)),
        )

    def constrained(self, heads=None, forbidden=None):
        size = self.n + 1
        heads = np.full(size, -1) if heads is None else np.asarray(heads)
        forbidden = np.zeros((size, size), bool) if forbidden is None else forbidden
        arcs = np.empty_like(self.arcs)
        constrain(self.arcs, heads, forbidden, arcs)
        return Problem(self.order, self.single_root, arcs, self.siblings)

    def inside_outside(self):
        arcs, siblings = np.full_like(self.arcs, np.nan), np.full_like(self.siblings, np.nan)
        if self.order == 1:
            work = first_order.workspace(self.n)
            return first_order.inside_outside(self.arcs, self.single_root, arcs, work), arcs, None
        work = second_order.workspace(self.n)
        log_z = second_order.inside_outside(
            self.arcs, self.siblings, self.single_root, arcs, siblings, work
        )
        return log_z, arcs, siblings

    def in_log_domain(self):
        arcs, siblings = np.full_like(self.arcs, np.nan), np.full_like(self.siblings, np.nan)
        log_z = forest.inside_outside(self.arcs, self.siblings, self.single_root, arcs, siblings)
        return log_z, arcs, siblings

    def best(self):
        heads = np.zeros(self.n + 1, np.int32)
        if self.order == 1:
            work = first_order.workspace(self.n)
            score = first_order.best_tree(self.arcs, self.single_root, heads, work)
        else:
            work = second_order.workspace(self.n)
            score = second_order.best_tree(self.arcs, self.siblings, self.single_root, heads, work)
        return score, tuple(heads.tolist())

    def k_best(self, k):
        heads, scores = np.empty((k, self.n + 1), np.int32), np.empty(k)
        found = kbest.best_trees(self.arcs, self.siblings, self.single_root, heads, scores)
        assert np.all(scores[found:] == -np.inf)
        assert np.all(heads[found:] == -1)
        return [(float(s), tuple(h.tolist())) for s, h in zip(scores, heads, strict=True)][:found]

    def score(self, tree):
        total = naive.arc_score(tree, self.arcs)
        if self.order == 2:
            total += sum(self.siblings[self.part(tree, m)] for m in range(1, self.n + 1))
        return total

    def part(self, tree, word):
        """The index of the part of a word: written apart from the kernels' own order."""
        head, near = tree[word], naive.sibling(tree, word)
        s, t = sorted((head, word))
        offset = near - s if head == s else (t - s) + near - s - 1
        return row(self.n, s, t) + offset

    def trees(self):
        trees = naive.trees(self.n, projective=True, single_root=self.single_root)
        scored = [(self.score(tree), tree) for tree in trees]
        return [(score, tree) for score, tree in scored if score > -np.inf]


def random_constraints(rng, n):
    heads = np.full(n + 1, -1)
    for word in range(1, n + 1):
        if rng.random() < 0.3:
            heads[word] = rng.choice([h for h in range(n + 1) if h != word])
    return heads, rng.random((n + 1, n + 1)) < 0.15


def check_against_enumeration(problem):
    trees = problem.trees()
    log_z, arcs, siblings = problem.inside_outside()
    expected = naive.log_sum([score for score, _ in trees])
    assert log_z == pytest.approx(expected, abs=1e-8)
    expected_arcs = np.zeros_like(problem.arcs)
    expected_siblings = np.zeros_like(problem.siblings)
    for score, tree in trees:
        for word in range(1, problem.n + 1):
            expected_arcs[tree[word], word] += np.exp(score - expected)
            if siblings is not None:
                expected_siblings[problem.part(tree, word)] += np.exp(score - expected)
    np.testing.assert_allclose(arcs, expected_arcs, atol=1e-8)
    if siblings is not None:
        np.testing.assert_allclose(siblings, expected_siblings, atol=1e-8)
    score, heads = problem.best()
    ranked = sorted(trees, reverse=True)
    assert score == pytest.approx(ranked[0][0] if ranked else -np.inf)
    assert heads == (ranked[0][1] if ranked else (-1,) * (problem.n + 1))
    found = problem.k_best(len(trees) + 2)
    assert [tree for _, tree in found] == [tree for _, tree in ranked]
    np.testing.assert_allclose([s for s, _ in found], [s for s, _ in ranked])


@both_orders
@both_roots
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_enumeration(order, single_root, n):
    rng = np.random.default_rng(n)
    problem = Problem.random(rng, n, order, single_root)
    check_against_enumeration(problem)
    check_against_enumeration(Problem.random(rng, n, order, single_root, scale=8.0))
    for _ in range(12):
        check_against_enumeration(problem.constrained(*random_constraints(rng, n)))


@both_orders
@pytest.mark.parametrize(
    "single_root, counts", [(True, (1, 2, 7, 30, 143)), (False, (1, 3, 12, 55, 273))]
)
def test_equal_scores_count_trees(order, single_root, counts):
    for n, count in enumerate(counts, 1):
        problem = Problem(order, single_root, np.zeros((n + 1, n + 1)))
        assert np.exp(problem.inside_outside()[0]) == pytest.approx(count)
        found = problem.k_best(count + 1)
        assert len({tree for _, tree in found}) == len(found) == count


@both_roots
def test_packing(single_root):
    """Packed parts are those of ``siblings[head, dependent, neighbour]``."""
    n = 5
    rng = np.random.default_rng(3)
    siblings = rng.normal(size=(n + 1,) * 3)
    packed = np.empty(parts(n))
    pack(siblings, packed)
    problem = Problem(2, single_root, rng.normal(size=(n + 1, n + 1)), packed)
    for score, tree in problem.trees():
        assert score == pytest.approx(naive.sibling_score(tree, problem.arcs, siblings))


@both_orders
@both_roots
def test_marginals_are_gradients(order, single_root):
    n, step = 7, 1e-5
    rng = np.random.default_rng(5)
    problem = Problem.random(rng, n, order, single_root)
    _, arcs, siblings = problem.inside_outside()
    for scores, marginals in ((problem.arcs, arcs), (problem.siblings, siblings)):
        if marginals is None:
            continue
        for index in rng.choice(scores.size, 25, replace=False):
            place = np.unravel_index(index, scores.shape)
            if scores.ndim == 2 and (place[1] == 0 or place[0] == place[1]):
                continue
            before = scores[place]
            scores[place] = before + step
            above = problem.inside_outside()[0]
            scores[place] = before - step
            below = problem.inside_outside()[0]
            scores[place] = before
            assert (above - below) / (2 * step) == pytest.approx(marginals[place], abs=1e-7)


problems = st.builds(
    lambda seed, n, order, single_root, scale: Problem.random(
        np.random.default_rng(seed), n, order, single_root, scale
    ),
    st.integers(0, 10_000),
    st.integers(1, 9),
    st.sampled_from([1, 2]),
    st.booleans(),
    st.sampled_from([0.0, 0.1, 1.0, 10.0, 100.0]),
)


@given(problems)
def test_sums(problem):
    log_z, arcs, siblings = problem.inside_outside()
    np.testing.assert_allclose(arcs[:, 1:].sum(axis=0), 1.0, atol=1e-9)
    assert np.all(arcs[:, 0] == 0.0)
    assert np.all(np.diag(arcs) == 0.0)
    score, heads = problem.best()
    assert log_z >= score - 1e-9 * max(1.0, abs(score))
    assert score == pytest.approx(problem.score(heads))
    if problem.single_root:
        assert arcs[0].sum() == pytest.approx(1.0)
        assert heads.count(0) == 1
    if siblings is not None:
        assert siblings.sum() == pytest.approx(problem.n)


@given(problems)
def test_log_domain_agrees(problem):
    for ours, other in zip(problem.inside_outside(), problem.in_log_domain(), strict=True):
        if ours is not None:
            np.testing.assert_allclose(ours, other, rtol=1e-10, atol=1e-10)


@given(problems, st.integers(0, 10_000))
def test_constraints(problem, seed):
    log_z, *_ = problem.inside_outside()
    heads, forbidden = random_constraints(np.random.default_rng(seed), problem.n)
    fewer = problem.constrained(heads, forbidden)
    constrained, arcs, _ = fewer.inside_outside()
    assert constrained <= log_z + 1e-9 * max(1.0, abs(log_z))
    assert np.all(arcs[forbidden] == 0.0)
    if constrained > -np.inf:
        for word, head in enumerate(heads):
            assert head < 0 or arcs[head, word] == pytest.approx(1.0)
    else:
        assert np.all(arcs == 0.0)
        assert fewer.best() == (-np.inf, (-1,) * (problem.n + 1))
        assert fewer.k_best(3) == []
    nothing, *_ = problem.constrained().inside_outside()
    assert nothing - log_z == 0.0  # exactly: the forest of all trees has probability 1


@given(problems)
def test_forest_of_one_tree(problem):
    """When every head is given, log Z is the tree's score and the marginals are its arcs."""
    _, heads = problem.k_best(2)[-1]
    one = problem.constrained(heads)
    log_z, arcs, _ = one.inside_outside()
    assert log_z == pytest.approx(problem.score(heads), abs=1e-9)
    np.testing.assert_allclose(arcs[list(heads[1:]), range(1, problem.n + 1)], 1.0)
    assert one.best()[1] == heads


@given(problems)
def test_k_best(problem):
    found = problem.k_best(20)
    assert len({tree for _, tree in found}) == len(found)
    assert all(a >= b for (a, _), (b, _) in pairwise(found))
    assert found[0][0] == pytest.approx(problem.best()[0])
    for score, tree in found:
        assert naive.reaches_root(tree)
        assert not naive.crosses(tree)
        assert score == pytest.approx(problem.score(tree))


def lawler(problem, k):
    """The k best trees by re-parsing: each is the best of a part of the space that holds no other."""
    size = problem.n + 1

    def entry(given, forbidden):
        score, heads = problem.constrained(given, forbidden).best()
        return (-score, heads, given, forbidden)

    waiting = [entry((-1,) * size, np.zeros((size, size), bool))]
    found = []
    while waiting and len(found) < k:
        score, heads, given, forbidden = heapq.heappop(waiting)
        if score == np.inf:
            break
        found.append((-score, heads))
        for word in range(1, size):
            if given[word] >= 0:
                continue
            without = forbidden.copy()
            without[heads[word], word] = True
            heapq.heappush(waiting, entry(given, without))
            given = (*given[:word], heads[word], *given[word + 1 :])
    return found


@both_orders
@both_roots
def test_k_best_equals_lawlers_partition(order, single_root):
    problem = Problem.random(np.random.default_rng(9), 6 if PLAIN else 12, order, single_root)
    k = 8 if PLAIN else 60
    for (score, tree), (expected, other) in zip(problem.k_best(k), lawler(problem, k), strict=True):
        assert score == pytest.approx(expected)
        assert tree == other


@both_orders
@both_roots
def test_sampling(order, single_root):
    problem = Problem.random(np.random.default_rng(2), 4, order, single_root)
    trees, draws = problem.trees(), 500 if PLAIN else 20_000
    heads = np.empty((draws, 5), np.int32)
    uniforms = np.random.default_rng(11).random((draws, 16))
    log_z = forest.sample(problem.arcs, problem.siblings, single_root, uniforms, heads)
    assert log_z == pytest.approx(problem.inside_outside()[0])
    drawn = Counter(map(tuple, heads.tolist()))
    probabilities = np.array([np.exp(score - log_z) for score, _ in trees])
    counts = np.array([drawn[tree] for _, tree in trees])
    assert counts.sum() == draws
    rare = probabilities * draws < 5
    pooled = [np.append(x[~rare], x[rare].sum()) for x in (counts, probabilities * draws)]
    assert stats.chisquare(pooled[0], pooled[1] * draws / pooled[1].sum()).pvalue > 0.001


@both_orders
@both_roots
def test_long_sentence(order, single_root):
    problem = Problem.random(np.random.default_rng(1), LONG, order, single_root)
    log_z, arcs, _ = problem.inside_outside()
    np.testing.assert_allclose(arcs[:, 1:].sum(axis=0), 1.0)
    score, heads = problem.best()
    assert -np.inf < score < log_z
    assert problem.k_best(2)[0][1] == heads
    assert problem.score(heads) == pytest.approx(score)


@both_orders
@both_roots
def test_probability_domain_is_as_exact_as_log_domain(order, single_root):
    problem = Problem.random(np.random.default_rng(4), MIDDLE, order, single_root, scale=2.0)
    for ours, other in zip(problem.inside_outside(), problem.in_log_domain(), strict=True):
        if ours is not None:
            np.testing.assert_allclose(ours, other, rtol=1e-10, atol=1e-10)


@both_orders
@both_roots
def test_scores_beyond_the_range_of_floats(order, single_root):
    """No float holds Z, even when all words have their best arc: the log domain takes over."""
    n = 12
    problem = Problem.random(np.random.default_rng(8), n, order, single_root, scale=300.0)
    log_z, arcs, siblings = problem.inside_outside()
    score, heads = problem.best()
    greedy = problem.arcs.copy()
    for s, t in combinations(range(n + 1), 2):
        if order == 2:
            c, w = row(n, s, t), t - s
            greedy[s, t] += problem.siblings[c : c + w].max()
            greedy[t, s] += problem.siblings[c + w : c + 2 * w].max() if s > 0 else 0.0
    np.fill_diagonal(greedy, -np.inf)
    assert greedy[:, 1:].max(axis=0).sum() - score > np.log(1e200)
    assert log_z == pytest.approx(score)
    np.testing.assert_allclose(arcs[list(heads[1:]), range(1, n + 1)], 1.0)
    assert siblings is None or siblings.sum() == pytest.approx(n)
    shifted = Problem(order, single_root, problem.arcs + 1e6, problem.siblings)
    assert shifted.inside_outside()[0] == pytest.approx(log_z + n * 1e6)


@both_orders
def test_no_tree_is_lost_below_the_range_of_floats(order):
    """Two words want the only root: neither tree's weight is a float, but there are many trees."""
    n = LONG
    arcs = np.zeros((n + 1, n + 1))
    arcs[1:, 1], arcs[1:, n] = -707.0, -709.0
    problem = Problem(order, True, arcs)
    log_z, marginals, _ = problem.inside_outside()
    expected, truth, _ = problem.in_log_domain()
    assert log_z == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(marginals, truth, atol=1e-10)


@both_orders
def test_outside_weights_do_not_overflow(order):
    n = 30 if PLAIN else 200
    arcs = np.full((n + 1, n + 1), -np.inf)
    arcs[np.tril_indices(n + 1, -1)] = 0.0
    arcs[:, 0] = -np.inf
    arcs[0, [1, n]] = 0.0
    arcs[2:, 1] = -709.0
    for word in range(2, n + 1):
        arcs[word - 1, word] = -459 / (n - 1)
    problem = Problem(order, True, arcs)
    log_z, marginals, _ = problem.inside_outside()
    assert log_z == pytest.approx(problem.in_log_domain()[0], rel=1e-12)
    np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1.0)


@both_orders
@both_roots
def test_ties_and_rounding_change_no_place(order, single_root):
    """Sums of tenths are rounded: k best are sorted all the same, and begin with the best score."""
    rng = np.random.default_rng(1)
    for _ in range(20 if PLAIN else 200):
        problem = Problem.random(rng, 4, order, single_root)
        problem.arcs[:] = rng.integers(0, 4, problem.arcs.shape) * 0.1
        problem.siblings[:] = rng.integers(0, 4, problem.siblings.shape) * 0.1
        found = problem.k_best(60)
        assert all(a >= b for (a, _), (b, _) in pairwise(found))
        assert found[0][0] == problem.best()[0]


@both_orders
def test_one_workspace_for_all_lengths(order):
    rng = np.random.default_rng(0)
    module = first_order if order == 1 else second_order
    work = module.workspace(12)
    for n in (12, 5, 9, 1):
        problem = Problem.random(rng, n, order, True)
        scores = (problem.arcs,) if order == 1 else (problem.arcs, problem.siblings)
        results = [np.empty_like(array) for array in scores]
        log_z = module.inside_outside(*scores, True, *results, work)
        fresh = problem.inside_outside()
        assert log_z == fresh[0]
        assert np.array_equal(results[0], fresh[1])
        heads = np.empty(n + 1, np.int32)
        assert module.best_tree(*scores, True, heads, work) == problem.best()[0]


@both_roots
def test_results_in_any_memory_order(single_root):
    problem = Problem.random(np.random.default_rng(0), 5, 1, single_root, scale=1000.0)
    results = np.empty((6, 6), order="F")
    first_order.inside_outside(problem.arcs, single_root, results, first_order.workspace(5))
    np.testing.assert_allclose(results, problem.inside_outside()[1])


@both_orders
@both_roots
def test_no_tree(order, single_root):
    problem = Problem(order, single_root, np.full((4, 4), -np.inf))
    log_z, arcs, siblings = problem.inside_outside()
    assert log_z == -np.inf
    assert np.all(arcs == 0.0)
    assert siblings is None or np.all(siblings == 0.0)
    assert problem.best() == (-np.inf, (-1, -1, -1, -1))
    heads = np.zeros((3, 4), np.int32)
    uniforms = np.zeros((3, 12))
    assert forest.sample(problem.arcs, problem.siblings, single_root, uniforms, heads) == -np.inf
    assert np.all(heads == -1)
