"""The parser of derivations: what it learns, finds, keeps and refuses."""

import zipfile

import numpy as np
import pytest
from scipy.special import entr
from sklearn.exceptions import NotFittedError

from deppa_nb.active.parses import look
from deppa_nb.active.uncertainty import change_of_entropy
from deppa_nb.corpus.derivation import derive
from deppa_nb.corpus.registry import load
from deppa_nb.corpus.slots import SlotTree
from deppa_nb.errors import ArgumentError, FormatError, ParameterError
from deppa_nb.features.events import different
from deppa_nb.features.questions import Asked, Numbered, Words
from deppa_nb.models.decisions import DecisionTree
from deppa_nb.models.derivation import DerivationParser

CORPUS = load("toy-flights", sizes={"train": 150, "dev": 20, "test": 40})
BANK, TEST = CORPUS.train, CORPUS.test


@pytest.fixture(scope="module")
def parser():
    return DerivationParser(clusters=30, frequent=60).fit(BANK)


def slots(*names):
    return SlotTree.of_slots([f"w{k}" for k in range(len(names))], names)


def test_most_of_what_it_learned_from_and_some_of_the_rest(parser):
    assert np.mean([a == b for a, b in zip(BANK, parser.predict(BANK), strict=True)]) > 0.6
    assert np.mean([a == b for a, b in zip(TEST, parser.predict(TEST), strict=True)]) > 0.2
    exact = np.mean([a == b for a, b in zip(TEST, parser.predict(TEST), strict=True)])
    assert parser.accuracy(TEST) == pytest.approx(100 * exact) and np.isnan(parser.accuracy([]))
    assert parser.predict(TEST).name == TEST.name
    assert parser.predict(TEST[0]) == parser.predict(list(TEST))[0]


def test_lists_are_distinct_sorted_and_have_the_probability_of_the_tree(parser):
    for tree in TEST[:10]:
        parses = parser.nbest(tree, 30)
        assert len({derive(parse.tree) for parse in parses}) == 30
        logs = [parse.log_prob for parse in parses]
        assert logs == sorted(logs, reverse=True) and np.exp(logs).sum() <= 1 + 1e-9
        np.testing.assert_allclose(logs, [parser.log_prob(p.tree) for p in parses], rtol=1e-9)
        best, scores = parser.best_of([tree], 30)[0]
        assert best == parses[0].tree and scores.tolist() == logs


def test_a_beam_that_holds_all_trees_of_two_words():
    bank = [slots("O", "B-a.x"), slots("B-a.x", "O"), slots("B-b", "I-b")]
    parser = DerivationParser(clusters=3, frequent=2, least=0.1).fit(bank)
    tags, labels = len(parser.asked_.numbered.tags), len(parser.asked_.numbered.labels) - 1
    shapes = 1 + 2 * labels + labels**2 + labels  # both free, one or both or together under one
    parses = parser.nbest(bank[0], 10_000)
    assert len(parses) == tags**2 * shapes
    assert np.exp([parse.log_prob for parse in parses]).sum() == pytest.approx(1.0)


def test_threads_change_nothing(parser):
    one, two = (
        DerivationParser(**{**parser.get_params(), "threads": k}).fit(BANK).best_of(TEST)
        for k in (1, 2)
    )
    for (tree, logs), (other, others) in zip(one, two, strict=True):
        assert tree == other and logs.tolist() == others.tolist()


def test_a_weight_of_two_is_a_tree_twice():
    words = Words.of([tree.words for tree in BANK], 30, 60)
    options = {"least": 6.0, "clusters": 30, "frequent": 60}
    twice = DerivationParser(**options).fit([*BANK, *BANK], words=words)
    heavy = DerivationParser(**options).fit(BANK, sample_weight=[2.0] * len(BANK), words=words)
    for one, two in zip(twice.trees_, heavy.trees_, strict=True):
        np.testing.assert_allclose(one.counts, two.counts, atol=1e-6)
        assert (one.questions == two.questions).all()
    light = DerivationParser(**options).fit(BANK, words=words)
    assert len(light.trees_[0].left) < len(heavy.trees_[0].left)  # it gains less by a question


def test_counts_of_nodes_and_smoothing(parser):
    for tree in parser.trees_:
        inner = np.flatnonzero(tree.left >= 0)
        both = tree.counts[tree.left[inner]] + tree.counts[tree.right[inner]]
        np.testing.assert_allclose(both, tree.counts[inner], atol=1e-6)
        p = tree.smoothed(2.0)
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        assert (p > 0).all()
    small = DecisionTree(
        np.array([1, -1, -1], np.int32), np.array([2, -1, -1], np.int32),
        np.array([0, -1, -1], np.int32), np.array([[3.0, 1.0], [3.0, 0.0], [0.0, 1.0]]),
    )  # fmt: skip
    root = (np.array([3.0, 1.0]) + 2 * 0.5) / 6
    np.testing.assert_allclose(small.smoothed(2.0)[1], (np.array([3.0, 0.0]) + 2 * root) / 5)


def test_contexts_of_events(parser):
    tree = TEST[0]
    found = parser.predict(tree)
    events = parser.events(found)
    assert len(events) == len(derive(found)) and events.bits == len(parser.asked_)
    bare = parser.events(found, contexts=False)
    assert bare.bits == 0 and (bare.actions == events.actions).all()
    texts = np.array(parser.asked_.texts)
    rows = parser.contexts(found)
    assert f"word[0]: is “{found.words[0]}”" in texts or found.words[0] not in (
        parser.asked_.words.frequent
    )
    assert "word[-1]: outside the sentence" in texts[rows[0] == 1]
    assert any(text.startswith("tag[0] is") for text in texts[rows[1] == 1])
    firsts, _ = different([events, bare, events])
    assert firsts == [0, 1]


def test_leaves_of_one_action_change_nothing():
    bank = load("toy-flights", sizes={"train": 60}).train
    parser = DerivationParser(clusters=10, least=0.1).fit(bank)
    pure = 0
    for tree in bank:
        counts, added = parser.touched(tree)
        if ((counts + added > 0).sum(axis=1) <= 1).all():
            pure += 1
            assert change_of_entropy(counts, added) == 0.0  # and not a rounding error
    assert pure


@pytest.mark.parametrize("n", [1, 2, 3])
def test_without_constituents_there_are_only_flat_trees(n):
    trees = [SlotTree.of_slots(words.split(), ["O"] * 4) for words in ("a b c d", "d c b a")]
    parser = DerivationParser(clusters=2, least=0.1, beam=2).fit(trees)
    flat = SlotTree.of_slots(["a", "b", "x"][:n], ["O"] * n)
    (found,) = parser.nbest(flat, 5)
    assert found.tree == flat and found.log_prob == pytest.approx(0.0, abs=1e-9)
    assert parser.log_prob(flat) == pytest.approx(0.0, abs=1e-9)


def test_what_cannot_be_is_said_so(parser):
    with pytest.raises(ArgumentError, match="no trees to learn from"):
        DerivationParser().fit([])
    for what in ("log_prob", "events", "touched", "contexts", "predict"):
        with pytest.raises(NotFittedError, match="call fit"):
            getattr(DerivationParser(), what)(TEST[0])
    with pytest.raises(ArgumentError, match=r"n is 2\.5, expected a whole number"):
        parser.nbest(TEST[0], 2.5)


def brute_entropy(parser, trees):
    """H of all leaves (eq. 10 and 11), the events of some trees added one by one."""
    counts = [tree.counts.copy() for tree in parser.trees_]
    for tree in trees:
        events = derive(tree)
        kinds, numbers = parser.asked_.numbered.numbers(events)
        for row, kind, number in zip(parser.contexts(tree), kinds, numbers, strict=True):
            own, node = parser.trees_[kind], 0
            while own.left[node] >= 0:
                node = (own.right if row[own.questions[node]] else own.left)[node]
            counts[kind][node, number] += 1
    total = 0.0
    for own, tree in zip(counts, parser.trees_, strict=True):
        leaves = own[tree.left < 0]
        sums = leaves.sum(axis=1)
        total += (sums * entr(leaves / sums[:, None]).sum(axis=1))[sums > 0].sum()
    return total


def test_change_of_entropy_is_that_of_all_leaves(parser):
    before = brute_entropy(parser, [])
    found = look(parser, TEST[:12], 5)
    for k, tree in enumerate(found.trees):
        assert tree == parser.predict(TEST[k])
        expected = abs(brute_entropy(parser, [tree]) - before) / len(derive(tree))
        assert found.change[k] == pytest.approx(expected, rel=1e-6, abs=1e-9)
        counts, added = parser.touched(tree)
        assert len(counts) <= len(derive(tree)) == added.sum()
        assert change_of_entropy(counts, added) == found.change[k]
        logs = np.array([parse.log_prob for parse in parser.nbest(TEST[k], 5)])
        p = np.exp(logs) / np.exp(logs).sum()
        assert found.sentence[k] == pytest.approx(-(p * np.log(p)).sum())
        assert found.word[k] == pytest.approx(found.sentence[k] / len(tree))


def test_there_and_back(parser, tmp_path):
    parser.save(tmp_path / "x.npz")
    other = DerivationParser.load(tmp_path / "x.npz")
    assert other.get_params() == parser.get_params()
    for tree in TEST[:5]:
        assert other.nbest(tree, 5) == parser.nbest(tree, 5)
    with np.load(tmp_path / "x.npz", allow_pickle=False) as found:
        tables = dict(found)
    for name, value in (
        ("tag_left", tables["tag_left"][::-1].copy()),
        ("label_counts", tables["label_counts"][:, 1:]),
        ("extension_questions", tables["extension_questions"] + 10**6),
        ("known", np.array("{}")),
        ("known", np.array("[]")),
    ):
        np.savez(tmp_path / "y.npz", **{**tables, name: value})
        with pytest.raises(FormatError, match="a model of another kind"):
            DerivationParser.load(tmp_path / "y.npz")
    assert zipfile.is_zipfile(tmp_path / "x.npz")


def test_what_makes_no_sense_is_refused(parser):
    with pytest.raises(ArgumentError, match="n is 0"):
        parser.nbest(TEST[0], 0)
    with pytest.raises(ArgumentError, match="n is -1"):
        parser.best_of(TEST[:1], -1)
    deep = SlotTree(("a",), ("x",), ("P", "Q", "S"), np.array([0, 1, 2, -1], np.int32))
    with pytest.raises(ArgumentError, match="tree 1: a constituent in another"):
        DerivationParser().fit([slots("B-a.x"), deep])
    with pytest.raises(ArgumentError, match="tag x, which the model has never seen"):
        parser.events(slots("B-a.x"))
    assert parser.log_prob(slots("B-a.x")) == -np.inf
    with pytest.raises(NotFittedError):
        DerivationParser().predict(TEST)
    with pytest.raises(ParameterError, match="beam is 0"):
        DerivationParser(beam=0).fit(BANK)
    with pytest.raises(ParameterError, match="smoothing is 0"):
        DerivationParser(smoothing=0.0).fit(BANK)
    for rng in ("x", True, -1):
        with pytest.raises(ParameterError, match=f"rng is {rng!r}, expected"):
            DerivationParser(rng=rng).fit(BANK)
    for wrong in ("to boston", [["to", "boston"]], 5, [BANK]):
        for use in (parser.predict, parser.nbests, DerivationParser().fit):
            with pytest.raises(ArgumentError, match=r"expected requests with slots \(SlotTree\)"):
                use(wrong)
    with pytest.raises(ArgumentError, match="one SlotTree, expected several"):
        DerivationParser().fit(TEST[0])
    with pytest.raises(NotFittedError):
        DerivationParser().search_arguments(("a",), 2)
    with pytest.raises(ArgumentError, match=r"sample_weight: numbers of shape \(1,\), expected"):
        DerivationParser().fit(BANK, sample_weight=[1.0])


def test_words_that_were_not_seen_are_rare_ones():
    words = Words.of([["a", "b", "a", "b2"], ["b2", "b", "once"]], 2, 2)
    assert words.words == ("a", "b", "b2") and len(words.frequent) == 2
    new, once, digits = words.numbers(["new", "once", "7"])[3:6]
    assert new == once == 1 and digits == 2
    days = Words.of([["friday", "monday"] * 2], 2, 2)
    own = days.numbers(["friday", "monday", "fridays", "monday's", "frida", "friendly"])[3:-3]
    assert own.tolist() == [3, 4, 3, 4, 3, 1]  # what begins like another is taken for it
    asked = Asked(words, Numbered(("x",), ("S", "L")))
    assert len(asked.texts) == len(asked) == len(asked.table.slots) == len(set(asked.texts))
    assert asked.words.codes[digits][2] == 1 and asked.words.codes[words.numbers(["b2"])[3]][2] == 1
