"""Bits of words, events of parses, and derivations of dependency trees."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deppa_nb import Sentence, load
from deppa_nb.corpus.trees import is_projective, projectivise, to_heads
from deppa_nb.errors import ArgumentError, ParameterError
from deppa_nb.features.arc_standard import ARC, LEFT, SHIFT, dependency_events, transitions
from deppa_nb.features.brown import BrownClusters
from deppa_nb.features.events import Events, different, pack_bits

TEXTS = [
    f"{article} {noun} {verb}".split()
    for article in ("the", "a")
    for noun in ("cat", "dog", "cow")
    for verb in ("sat", "ran")
]


def test_words_at_the_same_places_are_a_cluster():
    found = BrownClusters(3).fit(TEXTS).bits_
    groups = defaultdict(set)
    for word, bits in found.items():
        groups[bits].add(word)
    assert sorted(map(sorted, groups.values())) == [
        ["a", "the"], ["cat", "cow", "dog"], ["ran", "sat"],
    ]  # fmt: skip


@pytest.mark.parametrize("clusters", [1, 2, 4, 7, 9])
@pytest.mark.parametrize("more", [1, 3, 100])
def test_bit_strings_are_the_leaves_of_a_tree(clusters, more):
    found = BrownClusters(clusters, clusters + more).fit(TEXTS)
    strings = set(found.bits_.values())
    assert len(strings) == min(clusters, 7)
    assert sum(2.0 ** -len(bits) for bits in strings) == 1  # no string begins another, none lacks
    assert found.width == max(map(len, strings))


def test_codes():
    clusters = BrownClusters(3).fit(TEXTS)
    codes = clusters.codes(["cat", "unheard", "dog", "a"])
    assert codes.dtype == np.uint8 and codes.shape == (4, clusters.width)
    assert (codes[0] == codes[2]).all() and not codes[1].any()
    bits = "".join(map(str, codes[3]))
    assert bits.startswith(clusters.bits_["a"]) and len(clusters.bits_["a"]) == clusters.width
    assert clusters.codes(["a"], 1).tolist() == [[int(clusters.bits_["a"][0])]]
    assert clusters.codes(["a"], 5).shape == (1, 5) and clusters.codes([]).shape == (0, 2)


def test_what_brown_clusters_refuse():
    with pytest.raises(ParameterError, match="clusters is 0"):
        BrownClusters(0)
    with pytest.raises(ParameterError, match="window is 5, expected more than 5"):
        BrownClusters(5, 5)
    with pytest.raises(ArgumentError, match=r"fit\(\) first"):
        BrownClusters(5).codes(["a"])


def test_the_order_of_sentences_changes_nothing():
    sentences = [list(s.words) for s in load("toy-en", sizes={"train": 60}).train]
    shuffled = [sentences[k] for k in np.random.default_rng(0).permutation(len(sentences))]
    assert BrownClusters(10).fit(sentences).bits_ == BrownClusters(10).fit(shuffled).bits_


@given(st.integers(0, 5), st.integers(0, 130), st.integers(0, 1 << 30))
def test_packed_bits(count, bits, seed):
    rows = np.random.default_rng(seed).integers(0, 2, (count, bits)).astype(np.uint8)
    packed = pack_bits(rows)
    assert packed.shape == (count, -(-bits // 64)) and packed.dtype == np.uint64
    for row, words in zip(rows, packed, strict=True):
        number = sum(int(word) << (64 * k) for k, word in enumerate(words))
        assert [number >> k & 1 for k in range(bits)] == row.tolist()


def test_equal_sequences_are_one():
    base = ([[0, 1], [1, 1]], [3, 4], [0, 1])
    one, again = Events.of(*base), Events.of(*base)
    others = [
        Events.of([[0, 1], [1, 0]], *base[1:]), Events.of(base[0], [3, 5], base[2]),
        Events.of(base[0], base[1], [0, 0]), Events.of([[0, 1, 0], [1, 1, 0]], *base[1:]),
        Events.of(np.zeros((0, 2)), [], []),
    ]  # fmt: skip
    firsts, which = different([one, *others, again, others[2]])
    assert firsts == [0, 1, 2, 3, 4, 5] and which.tolist() == [0, 1, 2, 3, 4, 5, 0, 3]


def test_shapes_that_do_not_fit():
    with pytest.raises(ArgumentError, match=r"expected \(E, 2\)"):
        Events(np.zeros((1, 1), np.uint64), np.zeros(1, np.int32), np.zeros(1, np.int8), 65)


@st.composite
def projective_trees(draw):
    n = draw(st.integers(1, 9))
    heads = [0] * (n + 1)
    order = draw(st.permutations(range(1, n + 1)))
    for k, word in enumerate(order[1:], 1):
        heads[word] = draw(st.sampled_from([0, *order[:k]]))
    return projectivise(to_heads(heads[1:]))[0]


@given(projective_trees())
def test_transitions_build_the_tree(heads):
    """An arc-standard parser that does what is written gets the tree back."""
    n = len(heads) - 1
    assert is_projective(heads)
    stack, front, built = [0], 1, [-1] * (n + 1)
    for kind, arc, first, second, waiting in transitions(heads):
        assert first == stack[-1] and second == (stack[-2] if len(stack) > 1 else -1)
        assert waiting == (front if front <= n else -1)
        if kind == SHIFT:
            stack.append(front)
            front += 1
            continue
        dependent, head = (second, first) if arc == LEFT else (first, second)
        built[dependent] = head
        assert dependent not in built[1:front] or arc == LEFT or head != dependent
        stack.remove(dependent)
    assert stack == [0] and built == heads.tolist()
    assert len(list(transitions(heads))) == 2 * n


def test_events_of_dependency_trees():
    clusters = BrownClusters(3).fit(TEXTS)
    tree, tags = [2, 3, 0], ["DET", "NOUN", "VERB"]
    one, two, other = (
        dependency_events(Sentence.of(words, upos=tags), to_heads(heads), clusters)
        for words, heads in ((TEXTS[0], tree), (["a", "dog", "ran"], tree), (TEXTS[0], [2, 0, 2]))
    )
    assert one.key == two.key != other.key  # words of one cluster, the same tree
    assert one.kinds.tolist() == [SHIFT, SHIFT, ARC, SHIFT, ARC, ARC]
    assert len(set(one.actions[one.kinds == SHIFT].tolist())) == 3
    assert one.bits == 4 * (clusters.width + 32)
    tagged = Sentence.of(TEXTS[0], upos=["DET", "ADJ", "VERB"])
    assert dependency_events(tagged, to_heads(tree), clusters).key != one.key


def test_contexts_are_the_words_in_question():
    clusters = BrownClusters(3).fit(TEXTS)
    sentence = Sentence.of(["the", "cat", "sat"], upos=["DET", "NOUN", "VERB"])
    events = dependency_events(sentence, to_heads([2, 3, 0]), clusters)
    width = clusters.width + 32
    rows = np.array([[int(w) >> k & 1 for w in row for k in range(64)] for row in events.contexts])
    places = rows[:, : events.bits].reshape(len(events), 4, width)
    word = dict(zip(sentence.words, clusters.codes(sentence.words).tolist(), strict=True))
    nothing = [0] * width

    def of(event, place):
        return places[event, place, : clusters.width].tolist()

    assert [of(0, k) for k in (2, 3)] == [word["the"], word["cat"]]
    assert places[0, 1].tolist() == nothing  # one word on the stack, the root
    assert [of(2, k) for k in (0, 1, 2)] == [word["cat"], word["the"], word["sat"]]
    assert places[2, 3].tolist() == nothing and places[5, 2].tolist() == nothing
    assert places[:, :, clusters.width :].sum(axis=2).max() == 1


def test_crossing_arcs_are_lifted():
    sentence = Sentence.of(["a", "b", "c", "d"])
    clusters = BrownClusters(2).fit([sentence.words])
    crossing, lifted = to_heads([3, 4, 0, 3]), to_heads([3, 3, 0, 3])
    found = [dependency_events(sentence, heads, clusters).key for heads in (crossing, lifted)]
    assert found[0] == found[1]
