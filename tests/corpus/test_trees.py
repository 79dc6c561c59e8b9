"""Head arrays against definitions that are slow and plain."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deppa_nb.corpus.trees import (
    are_trees,
    find_cycle,
    is_projective,
    nonprojective_arcs,
    projectivise,
    roots,
    to_heads,
)
from deppa_nb.errors import TreeError


def is_tree(heads: list[int]) -> bool:
    """Walk up from every word; a walk of over n steps is on a cycle."""
    for m in range(1, len(heads) + 1):
        word = m
        for _ in range(len(heads) + 1):
            word = heads[word - 1] if word > 0 else word
        if word > 0:
            return False
    return True


def descends(heads: list[int], word: int, ancestor: int) -> bool:
    while word > 0 and word != ancestor:
        word = heads[word - 1]
    return word == ancestor


def nonprojective(heads: list[int]) -> list[bool]:
    """The definition: an arc that spans a word which does not descend from its head."""
    return [False] + [
        any(not descends(heads, w, h) for w in range(min(h, m) + 1, max(h, m)))
        for m, h in enumerate(heads, 1)
    ]


def all_heads(n: int, lowest: int = 0) -> "list[list[int]]":
    return [list(heads) for heads in product(range(lowest, n + 1), repeat=n)]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_head_array(n: int) -> None:
    projective_single_root = 0
    for heads in all_heads(n, -1):
        array = to_heads(heads)
        right = is_tree(heads)
        cycle = find_cycle(array)
        assert are_trees(array, [n + 1]) == right == (not cycle)
        for word, head in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            assert heads[word - 1] == head
        if right and -1 not in heads:
            assert nonprojective_arcs(array).tolist() == nonprojective(heads)
            assert is_projective(array) == (not any(nonprojective(heads)))
            projective_single_root += is_projective(array) and len(roots(array)) == 1
    assert projective_single_root == {1: 1, 2: 2, 3: 7, 4: 30}[n]


def test_many_at_once_is_each_by_itself() -> None:
    arrays = [to_heads(heads) for heads in all_heads(2, -1)]
    for a, b in product(arrays, repeat=2):
        both = are_trees(np.concatenate([a, b]), [3, 3])
        assert both == (are_trees(a, [3]) and are_trees(b, [3]))


def test_heads_past_the_sentence_are_no_trees() -> None:
    assert not are_trees(np.concatenate([to_heads([3, 0]), to_heads([0])]), [3, 2])


@st.composite
def random_trees(draw: st.DrawFn) -> list[int]:
    n = draw(st.integers(1, 12))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for i, m in enumerate(order[1:], 1):
        heads[m - 1] = draw(st.sampled_from(order[:i]))
    return heads


@given(random_trees())
def test_lifting(heads: list[int]) -> None:
    array = to_heads(heads)
    lifted, lifts = projectivise(array)
    assert is_projective(lifted)
    assert are_trees(lifted, [len(lifted)])
    assert len(roots(lifted)) == 1
    assert (lifts == 0) == is_projective(array)
    for m in range(1, len(heads) + 1):  # a word only ever moves up, to an ancestor
        assert descends(heads, heads[m - 1], int(lifted[m])) or lifted[m] == heads[m - 1]
    assert array.tolist() == [-1, *heads]


def test_only_full_trees_can_be_lifted() -> None:
    with pytest.raises(TreeError, match="without a head"):
        projectivise(to_heads([0, -1]))


def test_cycles_and_arrays_without_a_root_slot_are_refused() -> None:
    with pytest.raises(TreeError, match=r"\[1, 3\] form a cycle"):
        nonprojective_arcs(np.array([-1, 3, 4, 1, 2]))
    with pytest.raises(TreeError, match="root's slot 0"):
        is_projective(np.array([2, 0, 2]))


@given(random_trees())
def test_projective_is_no_crossing(heads: list[int]) -> None:
    arcs = [(min(h, m), max(h, m)) for m, h in enumerate(heads, 1)]
    crossing = any(a < c < b < d for a, b in arcs for c, d in arcs)
    assert is_projective(to_heads(heads)) == (not crossing)


def test_open_words_break_no_rule() -> None:
    assert not nonprojective_arcs(to_heads([3, -1, 0])).any()
    assert is_projective(to_heads([3, -1, 0]))
    assert not is_projective(to_heads([3, 4, -1, -1]))
