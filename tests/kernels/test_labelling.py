"""Labels of arcs against a plain twin and finite differences of the loss."""

import numpy as np
import pytest

from deppa_nb.kernels.labelling import (
    NONE,
    UNKNOWN,
    best_labels,
    label_probabilities,
    learn_labels,
)
from deppa_nb.kernels.slots import DISTANCE, NOTHING, SET, Slots

BITS, LABELS = 6, 5
# Word, head, first dependent: both directions, neighbours and not, the root as head.
ARCS = np.array([[2, 1, NONE], [1, 4, NONE], [4, 0, 1], [3, 4, UNKNOWN], [9, 5, 6], [6, 9, NONE]])
GOLD = np.array([0, 3, 1, 2, 2, 4], np.int32)
IMPORTANCE = np.array([1.0, 2.0, 1.0, 0.5, 1.0, 1.0])


@pytest.fixture(scope="module")
def slots() -> Slots:
    rng = np.random.default_rng(1)
    kinds = (1 << rng.integers(0, 12, size=10)).astype(np.uint32)
    rows = (4, 4, 0, 0, 0, 0, 2, 2, 2)
    sides = [rng.integers(0, 1 << 32, size=(k, 10), dtype=np.uint32) for k in rows]
    return Slots(np.array([0, 5, 10]), kinds, np.array([NOTHING, SET, DISTANCE, NOTHING]), *sides)


@pytest.fixture
def weights() -> np.ndarray:
    return np.random.default_rng(2).normal(size=(1 << BITS, LABELS)).astype(np.float32)


def scrambled(x: int) -> int:
    y = ((x + 1) * 0x9E3779B1) % 2**32
    y = ((y ^ (y >> 15)) * 0x85EBCA77) % 2**32
    return y ^ (y >> 13)


def rows_of(slots, arc):
    word, head, third = arc.tolist()
    inside = range(min(word, head) + 1, max(word, head))
    right = int(head < word)
    of_set = 2 * sum({int(slots.kinds[k]) for k in inside}) + right
    codes = [scrambled(x) for x in (right, of_set, 2 * min(len(inside) + 1, 20) + right, right)]
    for t, code in enumerate(codes):
        yield (int(slots.arc_h[t, head]) ^ int(slots.arc_m[t, word]) ^ code) % (1 << BITS)
    for t in range(2 if third != UNKNOWN else 0):
        slot = int(slots.triple_h[t, head]) ^ int(slots.triple_m[t, word])
        slot ^= int(slots.triple_s[t, third]) if third != NONE else 0
        yield (slot ^ codes[0]) % (1 << BITS)


def twin(slots, weights):
    """p(label | arc) in plain numpy."""
    scores = np.array(
        [weights[list(rows_of(slots, arc))].astype(float).sum(axis=0) for arc in ARCS]
    )
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def test_probabilities_agree_with_the_twin(slots, weights):
    found = np.empty((len(ARCS), LABELS), np.float32)
    label_probabilities(slots, ARCS, weights, found)
    expected = twin(slots, weights)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    best = np.empty(len(ARCS), np.int32)
    best_labels(slots, ARCS, weights, best)
    assert best.tolist() == expected.argmax(axis=1).tolist()


def test_of_equally_likely_labels_the_first_is_best(slots):
    best = np.empty(len(ARCS), np.int32)
    best_labels(slots, ARCS, np.zeros((1 << BITS, LABELS), np.float32), best)
    assert not best.any()


def loss(slots, weights, k):
    return -IMPORTANCE[k] * np.log(twin(slots, weights)[k, GOLD[k]])


@pytest.mark.parametrize("k", range(len(ARCS)))
def test_the_step_is_that_of_finite_differences(slots, weights, k):
    """With a huge delta, AdaGrad is gradient descent."""
    after = weights.copy()
    args = slots, ARCS, GOLD, IMPORTANCE, np.array([k]), after, np.zeros_like(weights)
    found = learn_labels(*args, 1e4, 1e4)
    assert found == pytest.approx(loss(slots, weights, k), abs=1e-5)
    gradient, step = weights - after, 1e-2
    for i in set(rows_of(slots, ARCS[k])):
        for label in range(LABELS):
            moved = [weights.copy(), weights.copy()]
            moved[0][i, label] += step
            moved[1][i, label] -= step
            slope = (loss(slots, moved[0], k) - loss(slots, moved[1], k)) / (2 * step)
            assert gradient[i, label] == pytest.approx(slope, abs=2e-3)
    untouched = sorted(set(range(1 << BITS)) - set(rows_of(slots, ARCS[k])))
    assert not gradient[untouched].any()


def test_steps_of_adagrad(slots, weights):
    order = np.array([4, 1, 4])
    expected, squares = weights.astype(float), np.full(weights.shape, 0.25)
    for k in order:
        g = twin(slots, expected)[k]
        g[GOLD[k]] -= 1.0
        for i in rows_of(slots, ARCS[k]):
            squares[i] += (IMPORTANCE[k] * g) ** 2
            expected[i] -= 0.5 * IMPORTANCE[k] * g / (np.sqrt(squares[i]) + 1.0)
    kept = np.full(weights.shape, 0.25, np.float32)
    learn_labels(slots, ARCS, GOLD, IMPORTANCE, order, weights, kept, 0.5, 1.0)
    np.testing.assert_allclose(weights, expected, atol=1e-5)
    np.testing.assert_allclose(kept, squares, atol=1e-5)


def test_one_label_is_certain(slots):
    weights = np.zeros((1 << BITS, 1), np.float32)
    none = np.zeros(len(ARCS), np.int32)
    order = np.arange(len(ARCS))
    squares = np.zeros_like(weights)
    assert learn_labels(slots, ARCS, none, IMPORTANCE, order, weights, squares, 0.5, 1.0) == 0.0
    assert not weights.any()
