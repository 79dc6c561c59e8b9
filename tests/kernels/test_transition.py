"""Transition-based parsing against all sequences of actions, written out."""

from itertools import pairwise

import numpy as np
import pytest
from brute import naive
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import config

from deppa_nb.corpus.conllu import read_conllu
from deppa_nb.corpus.sentence import Sentence
from deppa_nb.corpus.trees import is_projective, projectivise
from deppa_nb.features.forms import hash_string
from deppa_nb.features.states import STATES, see_sentences, select_states
from deppa_nb.kernels import first_order, second_order
from deppa_nb.kernels._beam import Task
from deppa_nb.kernels.actions import learn_actions, parse_batch, static_actions
from deppa_nb.kernels.transition import LEFT, RIGHT, ROW, SHIFT
from deppa_nb.kernels.transition_limits import limit_chart, limit_room

PLAIN = bool(config.DISABLE_JIT)  # as plain Python the kernels are slow: smaller sentences will do
BITS, ENOUGH = 12, 5000  # states: more than there are
ACTIONS = {"shift": SHIFT, "left": LEFT, "right": RIGHT}
WORDS, TAGS = ["a", "b", "a", "c", "b"], ["X", "Y", "Y", "X", "Z"]
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def sentence(n):
    return Sentence.of(WORDS[:n], upos=TAGS[:n])


def weights(seed=0, bits=BITS):
    return np.random.default_rng(seed).normal(size=1 << bits).astype(np.float32)


def parsed(some, task, allowed=(), k=1):
    """The trees of one sentence and their scores."""
    features, size = see_sentences([some], select_states(STATES)), len(some) + 1
    square = np.array(allowed, bool).ravel()
    at, counts = np.array([0, square.size]), np.zeros(1, np.int64)
    heads, scores = np.empty((k, size), np.int32), np.empty((1, k))
    parse_batch(features, task, at, square, heads, scores, counts)
    return [tuple(tree) for tree in heads[: counts[0]].tolist()], scores[0, : counts[0]]


def scored(some, table):
    """Every sequence of actions of a sentence: its tree and its score, feature by feature."""
    n, templates = len(some), [text for group in STATES.values() for text in group]
    features = see_sentences([some], select_states(STATES))
    for steps, tree in naive.derivations(n, single_root=True):
        total = 0.0
        for state, action in steps:
            for text in templates:
                values = [value_of(name, state, features.atoms) for name in text.split()]
                row = hashed(int(hash_string(text)), values)
                total += float(table[ROW * row + ACTIONS[action]])
        yield tree, total


def value_of(name, state, atoms):
    stack, word, heads = state
    s0, s1 = stack[-1], stack[-2] if len(stack) > 1 else len(heads)
    distances = {"s0-b0": word - s0, "s1-s0": abs(s0 - s1)}
    if name in distances:
        bins = [k for k, low in enumerate((0, 1, 2, 3, 4, 5, 7, 11)) if distances[name] >= low]
        return bins[-1]
    path, _, atom = name.rpartition(".")
    found = naive.seen_word(state, path)
    if atom in ("lv", "rv"):
        return 0 if found is None else min(5, len(naive.dependents(heads, found, atom[0])))
    column = ("w", "p", "wp", "suffix").index(atom)
    return int(atoms[-1 if found is None else found, column])


def hashed(seed, values):
    factors = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
    mixed = (seed + sum(v * f for v, f in zip(values, factors, strict=False))) % 2**64
    mixed = (mixed ^ (mixed >> 32)) * factors[0] % 2**64
    return mixed >> (64 - BITS + 2)


@pytest.mark.parametrize("n", range(1, 4 if PLAIN else 6))
def test_a_beam_without_bounds_finds_the_best_of_all_sequences(n):
    table = weights(n)
    best = {}
    for tree, score in scored(sentence(n), table):
        best[tree] = max(score, best.get(tree, -np.inf))
    assert set(best) == set(naive.trees(n, projective=True, single_root=True))
    found, scores = parsed(sentence(n), Task(table, 50 if PLAIN else ENOUGH, True), k=200)
    assert len(found) == len(best)
    np.testing.assert_allclose(scores, sorted(best.values(), reverse=True), atol=1e-3)
    np.testing.assert_allclose(scores, [best[tree] for tree in found], atol=1e-3)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n", range(1, 5 if PLAIN else 7))
def test_the_static_oracle_makes_every_projective_tree(n, single_root):
    for tree in naive.trees(n, projective=True, single_root=single_root):
        actions = np.empty(2 * n, np.int8)
        assert static_actions(np.array(tree, np.int32), single_root, actions)
        assert made_by(actions, n) == tree


def made_by(actions, n):
    """The tree that a sequence of actions makes."""
    stack, word, heads = [0], 1, [-1] * (n + 1)
    for action in actions.tolist():
        if action == SHIFT:
            stack.append(word)
            word += 1
        else:
            top = stack.pop()
            heads[top] = word if action == LEFT else stack[-1]
    assert stack == [0] and word == n + 1
    return tuple(heads)


def test_the_static_oracle_makes_the_trees_of_a_real_corpus(shared):
    found = 0
    for some in read_conllu(shared / "ud" / "fr_sequoia" / "dev.conllu")[: 20 if PLAIN else None]:
        heads, actions = some.heads, np.empty(2 * len(some), np.int8)
        if not is_projective(heads):
            heads, _ = projectivise(heads)
        assert static_actions(heads, True, actions)
        assert made_by(actions, len(some)) == tuple(heads.tolist())
        found += 1
    assert found >= 20


def squares(n):
    return st.lists(st.booleans(), min_size=(n + 1) ** 2, max_size=(n + 1) ** 2)


@st.composite
def limits(draw):
    """A square of allowed arcs; some words have one head alone."""
    n = draw(st.integers(1, 3 if PLAIN else 5))
    allowed = np.array(draw(squares(n))).reshape(n + 1, n + 1)
    if draw(st.booleans()):
        allowed[:] = True
    for word, head in enumerate(draw(st.lists(st.integers(-1, n), min_size=n, max_size=n)), 1):
        if head >= 0 and head != word:
            allowed[:, word] = False
            allowed[head, word] = True
    np.fill_diagonal(allowed, False)
    return allowed


@settings(max_examples=15 if PLAIN else 100)
@given(limits(), st.booleans(), st.integers(1, 3), st.integers(0, 5))
def test_constraints_are_always_kept_and_never_too_strict(allowed, single_root, beam, seed):
    """Whatever the beam: a tree is found if there is one, and it is allowed."""
    n = len(allowed) - 1
    every = [
        tree
        for tree in naive.trees(n, projective=True, single_root=single_root)
        if all(allowed[tree[word], word] for word in range(1, n + 1))
    ]
    assert limit_chart(allowed, single_root, limit_room(n)) == bool(every)
    found, scores = parsed(sentence(n), Task(weights(seed), beam, single_root), allowed, k=beam)
    assert bool(found) == bool(every) and set(found) <= set(every)
    assert len(set(found)) == len(found) and all(a >= b for a, b in pairwise(scores))
    wide, _ = parsed(
        sentence(n), Task(weights(seed), 20 if PLAIN else 500, single_root), allowed, 200
    )
    assert set(wide) == set(every)


@pytest.mark.parametrize("n", [70] if PLAIN else [70, 130])
def test_constraints_of_long_sentences(n):
    """Sets of positions take more than 64 bits."""
    rng = np.random.default_rng(n)
    some = Sentence.of([*"abcde"] * (n // 5), upos=[*"XYZXX"] * (n // 5))
    (tree,), _ = parsed(some, Task(weights(1), 1, True))
    allowed = np.ones((n + 1, n + 1), bool)
    for word in rng.permutation(np.arange(1, n + 1))[: n // 2]:
        allowed[:, word] = np.arange(n + 1) == tree[word]
    (found,), _ = parsed(some, Task(weights(2), 1, True), allowed)
    assert all(allowed[found[word], word] for word in range(1, n + 1)) and found != tree
    allowed[found[1:], np.arange(1, n + 1)] = allowed.sum(axis=0)[1:] == 1  # any tree but this
    others, _ = parsed(some, Task(weights(2), 1, True), allowed)
    assert bool(others) == has_tree(allowed)
    assert all(allowed[tree[word], word] for tree in others for word in range(1, n + 1))


def has_tree(allowed):
    """Whether a decoder of another kind finds a tree."""
    n, heads = len(allowed) - 1, np.empty(len(allowed), np.int32)
    arcs = np.where(allowed, 0.0, -np.inf)
    first_order.best_tree(arcs, True, heads, second_order.workspace(n))
    return bool((heads[1:] >= 0).all() and allowed[heads[1:], np.arange(1, n + 1)].all())


def learned(heads, single_root=True, bits=14, epochs=6):
    """The weights after some passes over one sentence, and the last loss."""
    n = len(heads) - 1
    features = see_sentences([sentence(n)], select_states(STATES))
    task, losses = Task(np.zeros(1 << bits, np.float32), 3, single_root), np.zeros(1)
    for _ in range(epochs):
        learn_actions(
            features,
            task,
            np.array(heads, np.int32),
            np.ones(1),
            1.0,
            2.0,
            np.zeros(1, int),
            losses,
        )
    return task, losses[0]


@pytest.mark.parametrize("n", range(1, 3 if PLAIN else 5))
def test_every_tree_can_be_learned(n):
    for tree in naive.trees(n, projective=True, single_root=True):
        task, loss = learned(tree)
        assert parsed(sentence(n), task)[0] == [tree] and loss == 0


def test_given_heads_are_learned():
    n = 3 if PLAIN else 5
    for word in range(1, n + 1):
        for head in set(range(n + 1)) - {word}:
            heads = [-1] * (n + 1)
            heads[word] = head
            task, _ = learned(heads)
            ((tree,), _) = parsed(sentence(n), task)
            assert tree[word] == head


def test_what_counts_nothing_and_what_is_right_changes_nothing():
    features = see_sentences([sentence(3)], select_states(STATES))
    task, losses = Task(np.zeros(1 << BITS, np.float32), 2, True), np.zeros(1)
    tree = np.array([-1, 2, 0, 2], np.int32)
    learn_actions(features, task, tree, np.zeros(1), 1.0, 2.0, np.zeros(1, int), losses)
    assert not task.weights.any()
    task, _ = learned(tree)
    before = task.weights.copy()
    learn_actions(features, task, tree, np.ones(1), 1.0, 2.0, np.zeros(1, int), losses)
    assert np.array_equal(before, task.weights)
