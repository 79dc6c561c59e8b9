"""Scores and gradients from slots against a plain twin and finite differences of the loss."""

from itertools import pairwise
from unittest import mock

import numpy as np
import pytest
from brute import naive

from deppa_nb.kernels import learning
from deppa_nb.kernels.batches import decode, layout, score_batch, sum_batch
from deppa_nb.kernels.items import pack, parts, unpack
from deppa_nb.kernels.learning import Lesson, Table, collect, differ, differ_room, update
from deppa_nb.kernels.listed import list_room, score_kept
from deppa_nb.kernels.pruning import keep_arcs
from deppa_nb.kernels.scoring import score
from deppa_nb.kernels.slots import EACH, Slots, room
from deppa_nb.models.steps import Kept, Learner, new_table

BITS = 10
SIZES = (1, 4, 6)  # words of the sentences
BINS = [1, 2, 3, 4, 6, 10, 10**9]  # largest distance of each bin
HEADS = np.array([-1, 0, -1, 2, 0, 2, -1, -1, -1, 3, -1, 6, -1, 0], np.int32)
FULL = np.array([-1, 0, -1, 2, 0, 4, 2, -1, 3, 3, 6, 6, 6, 0], np.int32)
both_orders = pytest.mark.parametrize("second", [False, True])


@pytest.fixture(scope="module")
def slots() -> Slots:
    """Three sentences; templates of every kind."""
    rng = np.random.default_rng(1)
    firsts = np.cumsum([0, *(n + 1 for n in SIZES)])
    kinds = (1 << rng.integers(0, 12, size=firsts[-1])).astype(np.uint32)
    between = np.array([0, 0, 1, 2, 3, EACH])
    rows = (6, 6, 2, 2, 3, 3, 6, 6, 6)
    sides = [rng.integers(0, 1 << 32, size=(k, firsts[-1]), dtype=np.uint32) for k in rows]
    return Slots(firsts, kinds, between, *sides)


@pytest.fixture
def weights() -> np.ndarray:
    return np.random.default_rng(2).normal(scale=0.3, size=1 << BITS).astype(np.float32)


def scrambled(x: int) -> int:
    y = ((x + 1) * 0x9E3779B1) % 2**32
    y = ((y ^ (y >> 15)) * 0x85EBCA77) % 2**32
    return y ^ (y >> 13)


class Twin:
    """The features of one sentence, one by one."""

    def __init__(self, slots, k):
        self.slots, self.first = slots, int(slots.firsts[k])
        self.n = int(slots.firsts[k + 1]) - self.first - 1

    def slot(self, side, t, word):
        return int(getattr(self.slots, side)[t, self.first + word])

    def kinds(self, a, b):
        return [
            int(self.slots.kinds[self.first + word]) for word in range(min(a, b) + 1, max(a, b))
        ]

    def codes(self, a, b):
        """Direction, and direction with distance."""
        distance = next(i for i, last in enumerate(BINS) if abs(a - b) <= last)
        return (0, 2 + distance) if a < b else (1, 9 + distance)

    def between(self, what, h, m):
        kinds = self.kinds(h, m)
        seen = sum(set(kinds))
        verbs, marks = kinds.count(1 << 8), sum(kind < 1 << 8 for kind in kinds)
        conjunctions = kinds.count(1 << 9) + kinds.count(1 << 10)
        counts = min(verbs, 3) + 4 * min(marks, 3) + 16 * min(conjunctions, 3)
        each = [scrambled(1 << bit) for bit in range(32) if seen >> bit & 1]
        distance = scrambled(min(abs(h - m), 20))
        return [[0], [scrambled(seen)], [scrambled(counts)], [distance], each][what]

    def of_pair(self, side, other, a, b):
        for t in range(len(getattr(self.slots, side))):
            i = self.slot(side, t, a) ^ self.slot(other, t, b)
            yield from ((i % (1 << BITS)) ^ code for code in self.codes(a, b))

    def of_arc(self, h, m):
        for t, what in enumerate(self.slots.between):
            for hashed in self.between(what, h, m):
                i = self.slot("arc_h", t, h) ^ self.slot("arc_m", t, m) ^ hashed
                yield from ((i % (1 << BITS)) ^ code for code in self.codes(h, m))

    def of_part(self, h, m, s):
        if s == h:
            yield from self.of_pair("first_h", "first_m", h, m)
            return
        yield from self.of_pair("pair_m", "pair_s", m, s)
        kinds = self.kinds(s, m)
        flags = 2 * any(kind < 1 << 8 for kind in kinds)
        flags += any(kind in (1 << 9, 1 << 10) for kind in kinds)
        leftwards = 0 if m < s else 1
        for t in range(len(self.slots.triple_h)):
            i = self.slot("triple_h", t, h) ^ self.slot("triple_s", t, s)
            i = (i ^ self.slot("triple_m", t, m)) % (1 << BITS)
            yield from (i ^ leftwards, i ^ (2 + 4 * leftwards + flags))

    def scores(self, weights, second):
        N = self.n + 1
        arcs, siblings = np.zeros((N, N)), np.zeros((N, N, N))
        for h in range(N):
            for m in set(range(1, N)) - {h}:
                arcs[h, m] = sum(float(weights[i]) for i in self.of_arc(h, m))
                inside = range(h, m) if h < m else range(m + 1, h + 1)
                for s in inside if second else ():
                    siblings[h, m, s] = sum(float(weights[i]) for i in self.of_part(h, m, s))
        return arcs, siblings


def kernel_scores(slots, k, weights, second):
    n = SIZES[k]
    arcs, siblings = np.full((n + 1, n + 1), 9.0), np.full(parts(n) if second else 0, 9.0)
    score(slots, k, weights, arcs, siblings, *room(max(SIZES)))
    return arcs, siblings


@both_orders
@pytest.mark.parametrize("k", range(len(SIZES)))
def test_scores_agree_with_the_twin(slots, weights, second, k):
    arcs, siblings = kernel_scores(slots, k, weights, second)
    expected, expected_siblings = Twin(slots, k).scores(weights, second)
    used = ~np.eye(len(arcs), dtype=bool)
    used[:, 0] = False
    np.testing.assert_allclose(arcs[used], expected[used], atol=1e-5)
    if second:
        packed = np.empty(parts(SIZES[k]))
        pack(expected_siblings, packed)
        np.testing.assert_allclose(siblings, packed, atol=1e-5)


def computed(slots, weights, second, sentences, heads=HEADS, importance=(1.0, 2.0, 1.0)):
    """The losses of sentences and their gradients by the scores."""
    batch = np.array(sentences)
    at = layout(slots.firsts, batch, second)
    p, q = map(np.zeros, at[:, -1])
    lesson = Lesson(slots, heads, np.array(importance), *Kept(), second, True, True)
    space = differ_room(max(SIZES), second, False)
    loss = 0.0
    for j, k in enumerate(sentences):
        arcs, siblings = p[at[0, j] : at[0, j + 1]], q[at[1, j] : at[1, j + 1]]
        loss += differ(lesson, k, weights, arcs, siblings, space)
    return loss, (slots, batch, at, p, q)


def table(weights, squares, *, rate=0.5, decay=0.01, least=0.0):
    gradient, touched = np.zeros_like(weights), np.empty(weights.size, np.int32)
    return Table(weights, squares, gradient, touched, rate, 1.0, decay, least)


def learned(slots, weights, second, *, least=0.0, **options):
    loss, results = computed(slots, weights, second, (0, 1, 2), **options)
    found = table(weights, weights[:0], least=least)
    count = collect(*results, found, 0, weights.size)
    return loss, found.gradient, found.touched[:count]


@both_orders
@pytest.mark.parametrize("heads", [HEADS, FULL], ids=["partial", "full"])
def test_the_loss_is_that_of_enumeration(slots, weights, second, heads):
    expected = 0.0
    for k, importance in enumerate((1.0, 2.0, 1.0)):
        given = heads[slots.firsts[k] : slots.firsts[k + 1]]
        arcs, siblings = Twin(slots, k).scores(weights, second)
        scored = [
            (naive.sibling_score(tree, arcs, siblings), tree)
            for tree in naive.trees(SIZES[k], projective=True, single_root=True)
        ]
        kept = [
            s
            for s, tree in scored
            if all(h in (-1, t) for h, t in zip(given[1:], tree[1:], strict=True))
        ]
        expected += importance * (naive.log_sum([s for s, _ in scored]) - naive.log_sum(kept))
    assert np.isfinite(expected)
    assert learned(slots, weights, second, heads=heads)[0] == pytest.approx(expected, abs=1e-4)


@both_orders
@pytest.mark.parametrize("heads", [HEADS, FULL], ids=["partial", "full"])
def test_the_gradient_is_that_of_finite_differences(slots, weights, second, heads):
    _, gradient, touched = learned(slots, weights, second, heads=heads)
    assert set(np.flatnonzero(gradient)) <= set(touched.tolist())
    step = 0.01
    for i in np.random.default_rng(3).choice(1 << BITS, 40, replace=False):
        losses = []
        for sign in (1, -1):
            moved = weights.copy()
            moved[i] += sign * step
            losses.append(learned(slots, moved, second, heads=heads)[0])
        assert gradient[i] == pytest.approx((losses[0] - losses[1]) / (2 * step), abs=2e-3)


def test_small_gradients_are_left_out(slots, weights):
    _, every, _ = learned(slots, weights, True)
    _, fewer, touched = learned(slots, weights, True, least=0.05)
    assert 0 < len(touched) < np.count_nonzero(every)
    assert np.abs(every - fewer).max() < 1.0


def test_nothing_is_learned_where_nothing_is_known(slots, weights):
    for heads, importance in ((np.full_like(HEADS, -1), (1.0, 1.0, 1.0)), (HEADS, (0.0, 0.0, 0.0))):
        loss, gradient, touched = learned(slots, weights, True, heads=heads, importance=importance)
        assert loss == 0.0 and touched.size == 0 and not gradient.any()


def stepped(slots, weights, squares, batches, owners):
    """The weights after some steps, each taken by several owners of parts of the table."""
    found = table(weights.copy(), squares.copy())
    bounds = [weights.size * k // owners for k in range(owners + 1)]
    for batch in batches:
        _, results = computed(slots, found.weights, True, batch, importance=(1.0, 1.0, 1.0))
        for low, high in pairwise(bounds):
            update(*results, found, low, high)
    assert not found.gradient.any()
    return found.weights


@pytest.mark.parametrize("adaptive", [True, False])
def test_steps(slots, weights, adaptive):
    expected, squares = weights.astype(float), np.full(1 << BITS, 0.25)
    batches = ((2, 0), (1,))
    for batch in batches:
        importance = [float(k in batch) for k in range(3)]
        now = expected.astype(np.float32)
        g = learned(slots, now, True, importance=importance)[1].astype(float)
        squares += g * g
        expected -= 0.5 * g / (np.sqrt(squares) + 1.0) if adaptive else 0.5 * g
        expected *= 1 - 0.5 * 0.01
    kept = np.full((1 << BITS) if adaptive else 0, 0.25, np.float32)
    got = stepped(slots, weights, kept, batches, owners=1)
    np.testing.assert_allclose(got, expected, atol=1e-5)
    assert np.array_equal(stepped(slots, weights, kept, batches, owners=4), got)


def test_a_table_far_too_small_is_cleared_all_the_same(slots):
    weights = stepped(slots, np.zeros(16, np.float32), np.zeros(16, np.float32), [(0, 1, 2)], 1)
    assert weights.any()


@both_orders
@pytest.mark.parametrize("expected_arcs", [False, True])
def test_decoding(slots, weights, second, expected_arcs):
    heads = np.empty(slots.firsts[-1], np.int32)
    every = np.arange(3)
    at = layout(slots.firsts, every, second)
    arcs, siblings = np.empty(at[0, -1]), np.empty(at[1, -1])
    score_batch(slots, every, weights, *Kept(), at, arcs, siblings)
    if expected_arcs:
        p, q = np.empty_like(arcs), np.empty_like(siblings)
        sum_batch(slots.firsts, every, True, True, at, arcs, siblings, p, q, np.empty(3))
        arcs, siblings = p, np.empty(0)
    decode(slots.firsts, every, True, True, at, arcs, siblings, heads)
    for k, n in enumerate(SIZES):
        arcs, siblings = Twin(slots, k).scores(weights, second)
        trees = list(naive.trees(n, projective=True, single_root=True))
        scores = [naive.sibling_score(tree, arcs, siblings) for tree in trees]
        if expected_arcs:
            log_z = naive.log_sum(scores)
            p = {tree: np.exp(s - log_z) for tree, s in zip(trees, scores, strict=True)}
            scores = [naive.arc_score(tree, naive.marginals(p, n)) for tree in trees]
        got = tuple(heads[slots.firsts[k] : slots.firsts[k + 1]].tolist())
        assert scores[trees.index(got)] == pytest.approx(max(scores), abs=1e-5)


def some_arcs(k, share, seed=4):
    N = SIZES[k] + 1
    return np.random.default_rng(seed).random((N, N)) < share


@both_orders
@pytest.mark.parametrize("share", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("k", range(len(SIZES)))
def test_arcs_that_are_kept_score_as_ever(slots, weights, second, share, k):
    n, kept = SIZES[k], some_arcs(k, share)
    arcs, siblings = np.full((n + 1, n + 1), 9.0), np.full(parts(n) if second else 0, 9.0)
    rooms = *room(max(SIZES)), *list_room(max(SIZES), parts(max(SIZES)))
    score_kept(slots, k, weights, kept.ravel(), arcs, siblings, *rooms)
    expected, expected_siblings = kernel_scores(slots, k, weights, second)
    kept[:, 0] = False
    np.fill_diagonal(kept, False)
    np.testing.assert_allclose(arcs, np.where(kept, expected, -np.inf), atol=1e-5)
    if second:
        whole, whole_expected = np.zeros((2, n + 1, n + 1, n + 1))
        unpack(siblings, whole)
        unpack(expected_siblings, whole_expected)
        heads, words, neighbours = np.indices(whole.shape)
        both = kept[heads, words] & (kept[heads, neighbours] | (heads == neighbours))
        np.testing.assert_allclose(whole[both], whole_expected[both], atol=1e-5)


def pruned(slots, scores, heads=None, forbidden=None, threshold=0.1):
    """Which arcs of the longest sentence are kept, of all three in a row."""
    at = np.cumsum([0, *((n + 1) ** 2 for n in SIZES)])
    arcs = np.concatenate([np.zeros(at[2]), scores.ravel()])
    given, kept = np.full(slots.firsts[-1], -1, np.int32), np.zeros(at[-1], np.bool_)
    given[slots.firsts[2] :] = -1 if heads is None else heads
    barred = np.zeros(at[-1] if forbidden is not None else 0, np.bool_)
    if forbidden is not None:
        barred[at[2] :] = forbidden.ravel()
    every = np.arange(3)
    keep_arcs(
        slots.firsts, every, at[None], arcs, given, barred, threshold, True, at, kept
    )  # fmt: skip
    return kept[at[2] :].reshape(scores.shape)


def test_improbable_arcs_are_pruned(slots):
    n = SIZES[2]
    scores = np.random.default_rng(5).normal(scale=2.0, size=(n + 1, n + 1))
    trees = list(naive.trees(n, projective=True, single_root=True))
    weight = {tree: np.exp(naive.arc_score(tree, scores)) for tree in trees}
    total = sum(weight.values())
    p = naive.marginals({tree: w / total for tree, w in weight.items()}, n)
    best = max(weight, key=weight.get)
    expected = p >= 0.1 * p.max(0)
    expected[list(best[1:]), range(1, n + 1)] = True
    kept = pruned(slots, scores)
    assert np.array_equal(kept[:, 1:], expected[:, 1:])
    assert not kept[:, 1:].all()


def test_there_is_always_a_tree(slots):
    n = SIZES[2]
    scores = np.random.default_rng(6).normal(scale=9.0, size=(n + 1, n + 1))
    heads = np.array([-1, 2, 0, 2, 5, 2, 5], np.int32)
    kept = pruned(slots, scores, heads=heads, threshold=1.0)
    assert kept[heads[1:], range(1, n + 1)].all() and kept[:, 1:].sum() <= 2 * n
    likely = pruned(slots, scores, threshold=1.0)
    barred = likely.copy()
    barred[0] = False
    found = pruned(slots, scores, forbidden=barred, threshold=1.0) & ~barred
    assert any(
        all(found[h, m + 1] for m, h in enumerate(tree[1:]))
        for tree in naive.trees(n, projective=True, single_root=True)
    )


def in_memory(slots, weights, threads):
    lesson = Lesson(slots, HEADS, np.ones(3), *Kept(), True, True, True)
    return Learner(lesson, new_table(weights, np.zeros_like(weights), 0.5), threads)


def in_steps_of_two(slots, weights, threads):
    """The weights and the loss after learning from all sentences, three times, in batches of two."""
    weights = weights.copy()
    learner = in_memory(slots, weights, threads)
    return weights, learner.learn(np.array([2, 0, 1, 1, 2, 0, 0, 2, 1]), 2)


@pytest.mark.parametrize("threads", [2, 3, 16])
def test_threads_change_nothing(slots, weights, threads):
    alone, loss = in_steps_of_two(slots, weights, 1)
    together, same = in_steps_of_two(slots, weights, threads)
    assert np.array_equal(alone, together) and loss == same
    assert not np.array_equal(alone, weights)


def test_a_thread_that_fails_leaves_nobody_waiting(slots, weights):
    learner = in_memory(slots, weights, 2)
    calls = []

    def fails_once(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise MemoryError
        return learn(*arguments)

    learn = learning.learn
    with mock.patch.object(learning, "learn", fails_once), pytest.raises(MemoryError):
        learner.learn(np.array([0, 1, 2] * 100), 1)
