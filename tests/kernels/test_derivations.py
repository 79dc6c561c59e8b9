"""Questions, possible actions and the search for derivations, against enumeration."""

from collections import defaultdict
from itertools import count

import numpy as np
import pytest
from brute import derivations as brute
from numba import config

from deppa_nb.kernels import derivations as kernel

PLAIN = bool(config.DISABLE_JIT)  # as plain Python the kernels are slow: less will do
BITS = 3
SIZES = [(1, 2, 3), (2, 2, 3), (3, 2, 2)] if PLAIN else [(1, 2, 3), (2, 3, 3), (3, 2, 3), (4, 2, 2)]


class Parser:
    """Random questions and random decision trees."""

    def __init__(self, rng, tags, labels, depth=4):
        codes = rng.integers(0, 2, (6, BITS)).astype(np.uint8)
        sizes = [tags] * 3 + [labels] * 3 + [4, 4, 3, 5, tags, 2, 6, labels]
        asked = [(place, bit) for place in range(kernel.ANCHORS) for bit in range(BITS)]
        asked += [(kernel.ANCHORS + k, v) for k, size in enumerate(sizes) for v in range(size)]
        asked += [(kernel.ANCHORS + kernel.BETWEEN, bit) for bit in range(BITS)]
        slots, values = np.array(asked, np.int16).T
        self.questions = kernel.Questions(codes, slots.copy(), values.copy())
        self.sizes = (tags, labels, 4)
        self.models = [self.tree(rng, size, depth) for size in self.sizes]

    def tree(self, rng, size, depth):
        """A complete tree of random questions."""
        inner, nodes = 2**depth - 1, 2 ** (depth + 1) - 1
        left, right = np.full(nodes, -1, np.int32), np.full(nodes, -1, np.int32)
        left[:inner] = 2 * np.arange(inner) + 1
        right[:inner] = 2 * np.arange(inner) + 2
        asked = rng.integers(0, self.questions.slots.size, nodes).astype(np.int32)
        p = rng.dirichlet(np.full(size, 0.7), nodes) + 1e-9
        return kernel.Model(left, right, asked, np.log(p / p.sum(axis=1, keepdims=True)))

    def contexts(self, words, steps):
        kinds, actions = np.array(steps, np.int32).T
        found = np.full((len(steps), self.questions.slots.size), 7, np.uint8)
        kernel.follow(words, kinds.copy(), actions.copy(), self.questions, found)
        return found

    def logs(self, words, steps):
        """log p of every action of each step's kind, in its context, by going down the tree."""
        kinds, actions = (column.copy() for column in np.array(steps, np.int32).T)
        leaves = np.empty(len(steps), np.int64)
        kernel.find_leaves(words, kinds, actions, self.questions, *self.models, leaves)
        found = []
        for row, kind, leaf in zip(self.contexts(words, steps), kinds, leaves, strict=True):
            left, right, asked, logs = self.models[kind]
            node = 0
            while left[node] >= 0:
                node = right[node] if row[asked[node]] else left[node]
            assert node == leaf
            found.append(logs[node])
        return found

    def log_probability(self, words, steps):
        kinds, actions = np.array(steps, np.int32).T
        return kernel.log_probability(
            words, kinds.copy(), actions.copy(), self.questions, *self.models
        )

    def search(self, words, beam):
        n = words.size - 2 * kernel.PAD
        actions, lengths = np.empty((beam, 4 * n + 1), np.int32), np.empty(beam, np.int64)
        scores = np.empty(beam)
        found = kernel.search(words, self.questions, *self.models, actions, lengths, scores)
        assert (scores[found:] == -np.inf).all()
        assert all((row[k:] == -1).all() for row, k in zip(actions[:found], lengths, strict=False))
        rows = [tuple(actions[k, : lengths[k]].tolist()) for k in range(found)]
        return rows, scores[:found]


def words_of(rng, n):
    around = np.zeros(kernel.PAD, np.int32)
    return np.concatenate([around, rng.integers(1, 6, n).astype(np.int32), around])


def every(n, tags, labels):
    return [brute.derivation(*tree) for tree in brute.shallow_trees(n, tags, labels)]


def probabilities(parser, words, derivations):
    """log p of each tree: what can follow a prefix is what does in one of all trees."""
    following = defaultdict(set)
    for steps in derivations:
        for t, (_, action) in enumerate(steps):
            following[tuple(steps[:t])].add(action)
    found = {}
    for steps in derivations:
        total = 0.0
        for t, row in enumerate(parser.logs(words, steps)):
            possible = sorted(following[tuple(steps[:t])])
            total += row[steps[t][1]] - np.logaddexp.reduce(row[possible])
        found[tuple(action for _, action in steps)] = total
    assert len(found) == len(derivations)  # kinds follow from the order
    return found


@pytest.mark.parametrize(("n", "tags", "labels"), SIZES)
def test_all_trees_and_their_probabilities(n, tags, labels):
    rng, derivations = np.random.default_rng(n), every(n, tags, labels)
    for _ in range(1 if PLAIN else 3):
        parser, words = Parser(rng, tags, labels), words_of(rng, n)
        expected = probabilities(parser, words, derivations)
        rows, scores = parser.search(words, len(derivations) + 3)
        assert len(rows) == len(set(rows)) == len(derivations)
        assert (np.diff(scores) <= 0).all()
        np.testing.assert_allclose(scores, [expected[row] for row in rows], rtol=1e-10, atol=1e-12)
        assert np.exp(scores).sum() == pytest.approx(1.0)
        for steps in derivations[:: len(derivations) // 50 + 1]:
            log_p = expected[tuple(action for _, action in steps)]
            assert parser.log_probability(words, steps) == pytest.approx(log_p, rel=1e-10)


def test_what_is_not_possible_has_no_probability():
    rng = np.random.default_rng(2)
    parser, words = Parser(rng, 2, 3), words_of(rng, 3)
    tag, right, left, unique = (0, 0), (2, 0), (2, 1), (2, 3)
    wrong = [
        [tag, right, tag, right, tag, right],  # three open constituents, and no word to come
        [tag, unique, (1, 0)],  # a root over one of three words
        [tag, unique, (1, 1), (2, 2)],  # goes on with what was not begun
        [tag, unique, (1, 1), right, tag, left],  # a constituent with another in it that ends early
    ]
    for steps in wrong:
        assert parser.log_probability(words, steps) == -np.inf
        if len(steps) > 1:
            assert np.isfinite(parser.log_probability(words, steps[:-1]))


def test_a_narrow_beam_finds_trees_with_their_probabilities():
    rng, (n, tags, labels) = np.random.default_rng(7), (3, 2, 3)
    derivations = every(n, tags, labels)
    parser, words = Parser(rng, tags, labels), words_of(rng, n)
    expected = probabilities(parser, words, derivations)
    for beam in (1, 2, 5, 20):
        rows, scores = parser.search(words, beam)
        assert len(rows) == len(set(rows)) == beam
        np.testing.assert_allclose(scores, [expected[row] for row in rows], rtol=1e-10, atol=1e-12)


def test_questions_are_answered_as_if_all_were_gone_through_anew():
    rng, (n, tags, labels) = np.random.default_rng(3), (3, 2, 3)
    parser, words = Parser(rng, tags, labels), words_of(rng, n)
    slots, values, codes = parser.questions.slots, parser.questions.values, parser.questions.codes
    for steps in every(n, tags, labels)[:: 40 if PLAIN else 3]:
        for t, row in zip(count(), parser.contexts(words, steps), strict=False):
            places, symbols, seen, between = brute.known(steps[:t], n)
            for slot, value, answered in zip(slots, values, row, strict=True):
                if slot < kernel.ANCHORS:
                    expected = codes[words[places[slot]], value]
                elif slot == kernel.ANCHORS + kernel.SEEN:
                    expected = value in seen
                elif slot == kernel.ANCHORS + kernel.BETWEEN:
                    expected = any(codes[words[kernel.PAD + k], value] for k in between)
                else:
                    expected = symbols[slot - kernel.ANCHORS] == value + 1
                assert answered == expected, (steps[:t], slot, value)


def test_long_sentences():
    rng = np.random.default_rng(1)
    parser, words = Parser(rng, 5, 70), words_of(rng, 8 if PLAIN else 60)
    rows, scores = parser.search(words, 10)
    assert len(set(rows)) == 10 and np.isfinite(scores).all()
    assert all(row[-1] == 0 for row in rows)


def test_sparse_columns():
    rng = np.random.default_rng(1)
    contexts = rng.integers(0, 2, (9, 5)).astype(np.uint8)
    contexts[:, 3] = 0
    rows = np.array([8, 0, 3])
    firsts, places = kernel.columns(contexts, rows)
    for k in range(5):
        expected = np.flatnonzero(contexts[rows][:, k])
        assert places[firsts[k] : firsts[k + 1]].tolist() == expected.tolist()
    assert firsts[0] == 0 and firsts[-1] == len(places)
