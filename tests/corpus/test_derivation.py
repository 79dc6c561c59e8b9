"""Derivations of trees, there and back."""

from itertools import cycle, islice

import numpy as np
import pytest
from brute.derivations import forests, parents

from deppa_nb.corpus.derivation import EXTENSION, LABEL, TAG, Action, derive, tree_of
from deppa_nb.corpus.registry import load
from deppa_nb.corpus.slots import SlotTree
from deppa_nb.errors import TreeError

WORDS = "fly from new york to boston".split()
FIGURE_1 = SlotTree.of_slots(WORDS, ["O", "O", "B-LOC.city", "I-LOC.city", "O", "B-LOC.city"])


def test_figure_1():
    actions = {number: action for number, action in enumerate(derive(FIGURE_1), 1)}
    assert len(actions) == 17
    tags = dict(zip((1, 3, 5, 7, 11, 13), ("wd", "wd", "city", "city", "wd", "city"), strict=True))
    extensions = {
        2: "RIGHT", 4: "UP", 6: "RIGHT", 8: "LEFT", 10: "UP", 12: "UP", 14: "UNIQUE", 16: "LEFT",
    }  # fmt: skip
    labels = {9: "LOC", 15: "LOC", 17: "S"}
    for kind, names in ((TAG, tags), (EXTENSION, extensions), (LABEL, labels)):
        assert {k: a.name for k, a in actions.items() if a.kind == kind} == names
    assert tree_of(WORDS, actions.values()) == FIGURE_1


def test_all_small_trees_there_and_back():
    count, sequences = 0, set()
    for n in range(1, 5):
        for root in forests(0, n, 2):
            above = np.array(parents(root, n), np.int32)
            inner = len(above) - n - 1
            tree = SlotTree(
                tuple("abcd"[:n]), tuple(islice(cycle("xy"), n)),
                (*islice(cycle("PQ"), inner), "S"), above,
            )  # fmt: skip
            actions = derive(tree)
            assert tree_of(tree.words, actions) == tree
            sequences.add((n, actions))
            count += 1
    assert len(sequences) == count > 400  # no two trees have the same derivation


@pytest.mark.parametrize("name", ["toy-flights", "atis"])
def test_every_request_there_and_back(name, request):
    if name == "atis":
        request.getfixturevalue("shared")
    corpus = load(name)
    for split in corpus.files:
        for tree in getattr(corpus, split):
            assert SlotTree.of_slots(tree.words, tree.to_slots(), tree.intent) == tree
            assert tree_of(tree.words, derive(tree), tree.intent) == tree


@pytest.mark.parametrize(
    ("actions", "problem"),
    [
        (derive(FIGURE_1)[:-1], "end with LEFT"),
        (derive(FIGURE_1)[1:], r"RIGHT \(extension\) after the beginning: not possible"),
        ((Action(TAG, "x"), Action(EXTENSION, "UP")), "UP .* not possible"),
        ((Action(TAG, "x"), Action(EXTENSION, "DOWN")), "DOWN .* not possible"),
        ((Action(TAG, "x"), Action(EXTENSION, "UNIQUE"), Action(LABEL, "S")), "S .* not possible"),
        ((*derive(FIGURE_1), Action(TAG, "x")), "x .* after S .* not possible"),
    ],
)
def test_what_makes_no_tree_is_refused(actions, problem):
    with pytest.raises(TreeError, match=problem):
        tree_of(WORDS, actions)
