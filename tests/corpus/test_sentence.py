"""Sentences made by hand, partial trees side by side."""

import copy
import pickle

import numpy as np
import pytest

from deppa_nb.corpus.partial import agreement, merge
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.errors import FormatError, TreeError

WORDS = ["I", "see", "her", "duck"]


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([2, 0, 2], r"heads of shape \(3,\) for 4 words"),
        ([2, 0, 2, 5], r"head 5 of word 4, expected -1 to 4"),
        ([2, 0, -2, 2], r"head -2 of word 3"),
        ([2, 1, 2, 2], r"\[1, 2\] form a cycle"),
        ([0.9, 1.0, 2.0, 2.0], "expected whole numbers"),
        (["2", "0", "2", "2"], "expected whole numbers"),
    ],
)
def test_wrong_heads(heads: list[int], message: str) -> None:
    with pytest.raises(TreeError, match=message):
        Sentence.of(WORDS, heads)


@pytest.mark.parametrize("word", ["", " ", "a\tb", "a\nb", "a\rb", "\0", "\ud800", None])
def test_words_that_no_file_can_hold(word: str) -> None:
    with pytest.raises(TreeError, match="expected text without tab or line end"):
        Sentence.of([word])
    with pytest.raises(TreeError, match="expected text without tab or line end"):
        Sentence.of(["a"]).with_heads([0], [word])
    if word is not None:
        with pytest.raises(TreeError, match="expected text without tab or line end"):
            Sentence.of(["a"], sent_id=word)


def test_an_open_head_has_no_label() -> None:
    full = Sentence.of(["Fish", "swim"], [2, 0], labels=["nsubj", "root"])
    assert full.with_heads([-1, 0]).labels[1:] == ("_", "root")
    assert full.with_heads([-1, -1], ["nsubj", "_"]).labels[1:] == ("nsubj", "_")
    assert full.with_heads(np.array([2, 0]), np.array(["a", "b"])).labels[1:] == ("a", "b")


def test_columns_of_other_lengths() -> None:
    with pytest.raises(TreeError, match="1 upos for 4 words"):
        Sentence.of(WORDS, upos=["PRON"])
    with pytest.raises(TreeError, match="at least one word"):
        Sentence.of([])


def test_equality_and_pickling() -> None:
    a = Sentence.of(WORDS, [2, 0, 4, 2], labels=["a", "b", "c", "d"], sent_id="x")
    b = pickle.loads(pickle.dumps(a))
    assert a == b and hash(a) == hash(b) and a.sent_id == b.sent_id == "x"
    assert a != a.with_heads([2, 0, 4, -1])
    assert not b.heads.flags.writeable
    assert not copy.deepcopy(a).heads.flags.writeable
    error = pickle.loads(pickle.dumps(FormatError("f", 3, "broken")))
    assert (str(error), error.line) == ("f:3: broken", 3)


def test_a_treebank_is_a_sequence() -> None:
    bank = Treebank((Sentence.of(WORDS), Sentence.of(["Go"], [0])), "b")
    assert bank[1:].sentences == bank.sentences[1:]
    assert isinstance(bank[1:], Treebank)
    assert (bank.n_words, bank.n_annotated, bank.lengths.tolist()) == (5, 1, [4, 1])
    frame = bank.to_frame()
    assert frame["head"].tolist() == [-1, -1, -1, -1, 0]
    assert frame["form"].tolist() == [*WORDS, "Go"]


def test_merge_keeps_both_and_names_conflicts() -> None:
    a = Sentence.of(WORDS, [2, 0, -1, -1], labels=["nsubj", "root", "_", "_"])
    b = Sentence.of(WORDS, [2, -1, 4, -1], labels=["_", "_", "det", "_"])
    both = merge(a, b)
    assert both.heads.tolist() == [-1, 2, 0, 4, -1]
    assert both.labels[1:] == ("nsubj", "root", "det", "_")
    assert (agreement(a, b).both, agreement(a, b).share) == (1, 1.0)
    with pytest.raises(TreeError, match="word 1 'I' has head 2 in one annotation and 4"):
        merge(a, Sentence.of(WORDS, [4, -1, -1, -1]))
    with pytest.raises(TreeError, match="word 3 'her' has label det in one annotation and obj"):
        merge(both, Sentence.of(WORDS, [-1, -1, 4, -1], labels=["_", "_", "obj", "_"]))
    with pytest.raises(TreeError, match="cycle when merged"):
        merge(Sentence.of(WORDS, [2, -1, -1, -1]), Sentence.of(WORDS, [-1, 1, -1, -1]))
    with pytest.raises(TreeError, match="not the same words"):
        merge(a, Sentence.of(["Go"]))


def test_a_tree_is_written_when_it_is_asked_for():
    sentence = Sentence.of(list("abc"), sent_id="x")
    once = sentence.with_tree(np.array([-1, 2, 0, 2], np.int32), ["x", "root", "y"])
    twice = once.with_tree(np.array([-1, 0, 1, -1], np.int32), ["root", "z", "_"])
    assert "block" not in vars(once) and once.labels == ("<root>", "x", "root", "y")
    assert twice == sentence.with_heads([0, 1, -1], ["root", "z", "_"])
    assert (
        copy.copy(once)
        == pickle.loads(pickle.dumps(once))
        == sentence.with_heads([2, 0, 2], ["x", "root", "y"])
    )
    assert twice.with_column("upos", list("XYZ")).heads.tolist() == [-1, 0, 1, -1]
    with pytest.raises(AttributeError, match="no 'blocks'"):
        once.blocks  # noqa: B018
    with pytest.raises(TreeError, match="2 labels for 3 heads"):
        sentence.with_tree(np.array([-1, 2, 0, 2], np.int32), ["x", "y"])
