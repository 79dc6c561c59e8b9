"""Linear chains against enumeration, against each other, and by their properties."""

import heapq
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from brute import naive
from hypothesis import given
from hypothesis import strategies as st
from numba import config
from scipy import stats

from deppa_nb.kernels import _chain_log, chain, chain_paths
from deppa_nb.kernels.entropy import entropy, expected_score

PLAIN = bool(config.DISABLE_JIT)  # as plain Python the kernels are slow: less will do
LONG = 20 if PLAIN else 300


class Chain:
    """A sentence's scores and mask, and every kernel on it under one name."""

    def __init__(self, unary, transitions, allowed=None):
        self.unary, self.transitions = unary, transitions
        self.allowed = np.ones(unary.shape, bool) if allowed is None else allowed
        self.tokens, self.labels = unary.shape

    @classmethod
    def random(cls, rng, tokens, labels, scale=1.0, holes=0.0):
        """Scores, of which a part is minus infinity, and a mask, of which that part is closed."""
        unary = rng.normal(scale=scale, size=(tokens, labels))
        transitions = rng.normal(scale=scale, size=(labels, labels))
        unary[rng.random(unary.shape) < holes / 2] = -np.inf
        transitions[rng.random(transitions.shape) < holes / 2] = -np.inf
        return cls(unary, transitions, rng.random(unary.shape) >= holes)

    def masked(self, allowed):
        return Chain(self.unary, self.transitions, self.allowed & allowed)

    def forced(self, labels):
        allowed = np.empty(self.unary.shape, bool)
        chain.allow(np.asarray(labels), allowed)
        return self.masked(allowed)

    def sums(self):
        marginals = np.full(self.unary.shape, np.nan)
        counts = np.zeros((self.labels, self.labels))
        weights = chain.weigh(self.transitions)
        log_z = chain.forward_backward(
            self.unary, self.allowed, self.transitions, weights, marginals, counts
        )
        return log_z, marginals, counts

    def log_sums(self):
        marginals = np.full(self.unary.shape, np.nan)
        counts = np.zeros((self.labels, self.labels))
        log_z = _chain_log.log_sums(self.unary, self.allowed, self.transitions, marginals, counts)
        return log_z, marginals, counts

    def scaled(self):
        """Whether scaled sums are relied on."""
        weights, counts = chain.weigh(self.transitions), np.zeros(self.transitions.shape)
        return chain.scaled_sums(
            self.unary, self.allowed, weights, np.empty(self.unary.shape), counts
        )[0]

    def log_z(self):
        return self.sums()[0]

    def entropy(self):
        log_z, marginals, counts = self.sums()
        expected = expected_score(self.unary, marginals)
        return entropy(log_z, expected + expected_score(self.transitions, counts))

    def best(self):
        labels = np.zeros(self.tokens, np.int32)
        score = chain_paths.viterbi(self.unary, self.allowed, self.transitions, labels)
        return score, tuple(labels.tolist())

    def k_best(self, k):
        labels, scores = np.zeros((k, self.tokens), np.int32), np.zeros(k)
        found = chain_paths.k_best(self.unary, self.allowed, self.transitions, labels, scores)
        assert (labels[found:] == -1).all()
        assert (scores[found:] == -np.inf).all()
        return scores[:found].tolist(), [tuple(row) for row in labels[:found].tolist()]

    def sample(self, uniforms):
        labels = np.zeros(uniforms.shape, np.int32)
        log_z = chain_paths.sample(self.unary, self.allowed, self.transitions, uniforms, labels)
        return log_z, labels

    def score(self, labels):
        return naive.label_score(labels, self.unary, self.transitions)

    def enumerated(self):
        """Scores of all possible sequences."""
        scores = {y: self.score(y) for y in naive.label_sequences(self.allowed)}
        return {y: score for y, score in scores.items() if score > -np.inf}


SMALL = [(1, 1), (1, 4), (4, 1), (2, 3), (3, 4), (4, 3), (5, 2), (6, 2), (2, 5), (4, 4)]


def small_chains(holes=(0.0, 0.25, 0.5)):
    rng = np.random.default_rng(4)
    for tokens, labels in SMALL:
        for part in holes:
            for scale in (1.0, 5.0):
                yield Chain.random(rng, tokens, labels, scale, part)


def test_sums_agree_with_enumeration():
    impossible = 0
    for problem in small_chains():
        scores = problem.enumerated()
        marginals, counts = np.zeros(problem.unary.shape), np.zeros(problem.transitions.shape)
        expected = naive.log_sum(list(scores.values()))
        entropy = 0.0
        for labels, score in scores.items():
            p = np.exp(score - expected)
            entropy -= p * (score - expected)
            marginals[range(problem.tokens), labels] += p
            for a, b in pairwise(labels):
                counts[a, b] += p
        for found in (problem.sums(), problem.log_sums()):
            assert found[0] == pytest.approx(expected, abs=1e-10)
            np.testing.assert_allclose(found[1], marginals, atol=1e-10)
            np.testing.assert_allclose(found[2], counts, atol=1e-10)
            assert (found[1][marginals == 0] == 0).all()
            assert (found[2][counts == 0] == 0).all()
        assert problem.entropy() == pytest.approx(entropy, abs=1e-9)
        impossible += not scores
    assert impossible > 2


def test_best_and_all_sequences_agree_with_enumeration():
    for problem in small_chains():
        ranked = sorted(problem.enumerated().items(), key=lambda item: -item[1])
        for k in (1, 3, len(ranked) + 2):
            scores, sequences = problem.k_best(k)
            assert scores == pytest.approx([score for _, score in ranked[:k]], abs=1e-10)
            assert sequences == [labels for labels, _ in ranked[:k]]
        best = problem.best()
        if ranked:
            assert best == (problem.k_best(1)[0][0], ranked[0][0])
        else:
            assert best == (-np.inf, (-1,) * problem.tokens)
        assert problem.k_best(0) == ([], [])


def test_derivatives_of_log_z_are_marginals_and_counts():
    step = 1e-5
    problem = Chain.random(np.random.default_rng(1), 4, 3, holes=0.2)
    problem.transitions[problem.transitions == -np.inf] = -1.0
    _, marginals, counts = problem.sums()
    for scores, expected in ((problem.unary, marginals), (problem.transitions, counts)):
        for place in np.ndindex(scores.shape):
            value = scores[place]
            if value > -np.inf:
                scores[place] = value + step
                above = problem.log_z()
                scores[place] = value - step
                below = problem.log_z()
                scores[place] = value
                assert (above - below) / (2 * step) == pytest.approx(expected[place], abs=1e-8)


def test_counts_are_added():
    problem = Chain.random(np.random.default_rng(1), 5, 3)
    _, marginals, once = problem.sums()
    counts, weights = np.ones((3, 3)), chain.weigh(problem.transitions)
    arguments = (problem.unary, problem.allowed, problem.transitions, weights, marginals, counts)
    chain.forward_backward(*arguments)
    chain.forward_backward(*arguments)
    np.testing.assert_allclose(counts, 1 + 2 * once)


def lawlers_partition(problem, k):
    """The k best: each answer splits the rest of its part by the first label that differs."""
    heap = [(-problem.best()[0], problem.best()[1], problem)]
    while heap and k:
        negative, labels, part = heapq.heappop(heap)
        yield -negative, labels
        k -= 1
        for t in range(problem.tokens):
            head = part.forced([*labels[:t], *[-1] * (problem.tokens - t)])
            head.allowed[t, labels[t]] = False
            score, best = head.best()
            if score > -np.inf:
                heapq.heappush(heap, (-score, best, head))


def test_k_best_equals_lawlers_partition():
    rng = np.random.default_rng(2)
    for tokens, labels in ((6, 4), (5, 5)) if PLAIN else ((12, 5), (20, 9)):
        problem = Chain.random(rng, tokens, labels, holes=0.1)
        k = 10 if PLAIN else 60
        expected = list(lawlers_partition(problem, k))
        scores, sequences = problem.k_best(k)
        assert len(scores) == k
        assert scores == pytest.approx([score for score, _ in expected])
        assert sequences == [sequence for _, sequence in expected]


@st.composite
def chains(draw):
    tokens, labels = draw(st.integers(1, 7)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    scale = draw(st.sampled_from([0.0, 0.1, 1.0, 10.0, 300.0, 1e5]))
    return Chain.random(rng, tokens, labels, scale, draw(st.sampled_from([0.0, 0.2, 0.5])))


@given(chains(), st.data())
def test_properties(problem, data):
    log_z, marginals, counts = problem.sums()
    best, labels = problem.best()
    if log_z == -np.inf:
        assert best == -np.inf
        assert not marginals.any()
        assert not counts.any()
        assert problem.entropy() == 0
        return
    near = 1e-12 * max(1.0, abs(log_z))
    np.testing.assert_allclose(marginals.sum(axis=1), 1, atol=1e-9)
    assert counts.sum() == pytest.approx(problem.tokens - 1, abs=1e-8)
    assert (marginals[~problem.allowed] == 0).all()
    assert log_z >= best - near
    assert 0 <= problem.entropy() <= problem.tokens * np.log(problem.labels) + 1e-9 + near

    scores, sequences = problem.k_best(12)
    assert scores[0] == best
    assert sequences[0] == labels
    assert scores == sorted(scores, reverse=True)
    assert len(set(sequences)) == len(sequences)
    assert scores == pytest.approx([problem.score(y) for y in sequences], rel=1e-12, abs=1e-12)

    assert problem.masked(np.ones_like(problem.allowed)).log_z() - log_z == 0
    closed = data.draw(st.integers(0, problem.labels - 1))
    fewer = problem.masked(np.arange(problem.labels) != closed)
    assert fewer.log_z() <= log_z + near
    only = problem.forced(sequences[-1])
    assert only.log_z() == pytest.approx(scores[-1], rel=1e-12, abs=1e-12)
    assert only.best()[1] == sequences[-1]
    assert only.sums()[1][range(problem.tokens), sequences[-1]] == pytest.approx(1)


@given(chains())
def test_forced_and_other_labels_share_log_z(problem):
    log_z = problem.log_z()
    for t in range(problem.tokens):
        parts = []
        for label in range(problem.labels):
            labels = np.full(problem.tokens, -1)
            labels[t] = label
            parts.append(problem.forced(labels).log_z())
        assert naive.log_sum(parts) == pytest.approx(log_z, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("labels", [1, 2, 9, 23])
def test_scaled_sums_agree_with_logarithms(labels):
    rng = np.random.default_rng(labels)
    for tokens in (1, 2, 5, LONG):
        for scale in (0.3, 3.0):
            problem = Chain.random(rng, tokens, labels, scale)
            assert problem.scaled()
            scaled, logarithms = problem.sums(), problem.log_sums()
            assert scaled[0] == pytest.approx(logarithms[0], rel=1e-13, abs=1e-11)
            np.testing.assert_allclose(scaled[1], logarithms[1], atol=1e-10)
            np.testing.assert_allclose(scaled[2], logarithms[2], atol=1e-10)


def test_scores_of_wide_range_are_summed_exactly():
    rng = np.random.default_rng(3)
    fallen_back = 0
    for scale in (100.0, 200.0, 400.0, 1000.0):
        for _ in range(3 if PLAIN else 25):
            problem = Chain.random(rng, 12, 4, scale, holes=0.3)
            scaled, logarithms = problem.sums(), problem.log_sums()
            assert scaled[0] == pytest.approx(logarithms[0], rel=1e-13)
            np.testing.assert_allclose(scaled[1], logarithms[1], atol=1e-10)
            np.testing.assert_allclose(scaled[2], logarithms[2], atol=1e-10)
            fallen_back += not problem.scaled()
    assert fallen_back > 3


@pytest.mark.parametrize("steps", [4, 7, 12])
@pytest.mark.parametrize("from_both_sides", [False, True])
def test_what_scaling_loses_is_noticed_when_it_becomes_decisive(steps, from_both_sides):
    """Label 0 leads by far at the ends, label 1 overtakes it in the middle."""
    unary = np.zeros((steps + 3, 2))
    unary[0, 1] = -750.0
    unary[-1, 1] = -750.0 if from_both_sides else 0.0
    problem = Chain(unary, np.array([[-200.0, -np.inf], [-np.inf, 0.0]]))
    kept = [problem.score((label,) * problem.tokens) for label in (0, 1)]
    assert kept[1] > kept[0] or steps == 4
    log_z, marginals, _ = problem.sums()
    assert log_z == pytest.approx(naive.log_sum(kept), rel=1e-13)
    np.testing.assert_allclose(marginals[2], np.exp(np.array(kept) - log_z), atol=1e-12)


def test_huge_and_equal_scores():
    equal = Chain(np.full((5, 3), 1e6), np.full((3, 3), -1e6))
    log_z, marginals, counts = equal.sums()
    assert log_z == pytest.approx(1e6 + 5 * np.log(3), rel=1e-15)
    np.testing.assert_allclose(marginals, 1 / 3)
    np.testing.assert_allclose(counts, 4 / 9)
    assert equal.entropy() == pytest.approx(5 * np.log(3), abs=1e-6)
    scores, sequences = equal.k_best(3**5)
    assert set(scores) == {1e6}
    assert len(set(sequences)) == 3**5
    far = Chain(np.array([[1e8, -1e8], [-1e8, 1e8]]), np.array([[0.0, -1e9], [1e9, 0.0]]))
    assert far.log_z() == far.best()[0] == 1e9 - 2e8
    assert far.best()[1] == (1, 0)


def test_long_sentences():
    rng = np.random.default_rng(5)
    problem = Chain.random(rng, LONG, 9)
    log_z, marginals, _ = problem.sums()
    np.testing.assert_allclose(marginals.sum(axis=1), 1, atol=1e-10)
    scores, sequences = problem.k_best(50)
    assert (scores[0], sequences[0]) == problem.best()
    assert len(set(sequences)) == 50
    assert log_z >= naive.log_sum(scores)
    flat = Chain(np.zeros((LONG, 23)), np.zeros((23, 23)))
    assert flat.log_z() == pytest.approx(LONG * np.log(23))


def test_no_sequence():
    rng = np.random.default_rng(6)
    problem = Chain.random(rng, 4, 3)
    closed = np.ones((4, 3), bool)
    closed[2] = False
    apart = Chain(problem.unary, np.full((3, 3), -np.inf))
    for nothing in (problem.masked(closed), apart):
        for log_z, marginals, counts in (nothing.sums(), nothing.log_sums()):
            assert log_z == -np.inf
            assert not marginals.any()
            assert not counts.any()
        assert nothing.best() == (-np.inf, (-1, -1, -1, -1))
        assert nothing.k_best(3) == ([], [])
        log_z, labels = nothing.sample(rng.random((2, 4)))
        assert log_z == -np.inf
        assert (labels == -1).all()
    single = Chain(problem.unary[:1], apart.transitions)
    assert single.log_z() == pytest.approx(naive.log_sum(problem.unary[0].tolist()))


def test_samples_have_the_probabilities_of_the_model():
    rng = np.random.default_rng(7)
    problem = Chain.random(rng, 3, 3, holes=0.15)
    scores = problem.enumerated()
    draws = 2_000 if PLAIN else 20_000
    log_z, labels = problem.sample(rng.random((draws, 3)))
    assert log_z == pytest.approx(problem.log_z())
    drawn = Counter(map(tuple, labels.tolist()))
    assert set(drawn) <= set(scores)
    expected = [draws * np.exp(score - log_z) for score in scores.values()]
    frequent = [i for i, count in enumerate(expected) if count >= 5]
    observed = [drawn[y] for y in scores]
    seen, hoped = [observed[i] for i in frequent], np.array([expected[i] for i in frequent])
    assert stats.chisquare(seen, hoped * sum(seen) / hoped.sum()).pvalue > 0.001


def test_extreme_uniform_numbers_draw_possible_labels():
    problem = Chain.random(np.random.default_rng(8), 6, 4, 3.0, holes=0.3)
    possible = problem.sums()[1] > 0
    for uniform in (0.0, np.nextafter(1.0, 0.0)):
        labels = problem.sample(np.full((1, 6), uniform))[1][0]
        assert possible[range(6), labels].all()


def test_what_is_lost_of_many_labels_is_noticed():
    """Transitions at the edge of the range, which later scales make decisive."""
    branches = 20
    labels = 1 + 3 * branches
    allowed = np.zeros((4, labels), bool)
    allowed[:, 0] = True
    transitions = np.full((labels, labels), -np.inf)
    transitions[0, 0] = -230.2
    for b in range(branches):
        path = [0, 1 + b, 1 + branches + b, 1 + 2 * branches + b]
        transitions[path[0], path[1]] = -708.05
        transitions[path[1], path[2]] = transitions[path[2], path[3]] = 0.0
        allowed[[1, 2, 3], path[1:]] = True
    problem = Chain(np.zeros((4, labels)), transitions, allowed)
    for ours, truth in zip(problem.sums(), problem.log_sums(), strict=True):
        np.testing.assert_allclose(ours, truth, atol=1e-9)
