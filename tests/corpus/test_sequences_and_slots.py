"""Column files, IOB conversions and slot trees; the papers' Table 1 on the real corpora."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deppa_nb.corpus.iob import Span, from_spans, is_iob2, spans, to_iob1, to_iob2
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.sequences import read_columns, write_columns
from deppa_nb.corpus.slots import SlotTree, read_slots, write_slots
from deppa_nb.corpus.statistics import statistics
from deppa_nb.errors import CorpusError, FormatError, TreeError

labels = st.lists(st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"]), max_size=8)


@given(labels)
def test_conversions_keep_the_chunks(given_labels: list[str]) -> None:
    chunks = spans(given_labels)
    assert spans(to_iob2(given_labels)) == spans(to_iob1(given_labels)) == chunks
    assert is_iob2(to_iob2(given_labels))
    assert to_iob2(to_iob1(to_iob2(given_labels))) == to_iob2(given_labels)
    assert from_spans(chunks, len(given_labels)) == to_iob2(given_labels)
    covered = [i for span in chunks for i in range(span.start, span.end)]
    assert covered == [i for i, label in enumerate(given_labels) if label != "O"]


def test_iob1_begins_only_after_the_same_type() -> None:
    assert to_iob1(["B-X", "B-X", "B-Y", "O", "B-X"]) == ["I-X", "B-X", "I-Y", "O", "I-X"]
    assert spans(["I-X", "I-Y"]) == [Span(0, 1, "X"), Span(1, 2, "Y")]


def test_column_files(tmp_path: Path) -> None:
    text = "# NN O\nthe DT B-NP\n\n\nend NN _\n"
    (tmp_path / "a.txt").write_text(text)
    first, second = read_columns(tmp_path / "a.txt")
    assert first.words == ("#", "the")
    assert first.column("pos") == ("NN", "DT")
    assert (second.line, second.annotated.tolist()) == (5, [False])
    write_columns(tmp_path / "b.txt", [first, second])
    assert (tmp_path / "b.txt").read_text() == "# NN O\nthe DT B-NP\n\nend NN _\n\n"
    (tmp_path / "c.iob2").write_text("# id\n1\ta b\tO\n2\t#\tB-X\n")
    (numbered,) = read_columns(tmp_path / "c.iob2")
    assert (numbered.comments, numbered.words) == (("# id",), ("a b", "#"))
    write_columns(tmp_path / "d.iob2", [numbered])
    assert (tmp_path / "d.iob2").read_text() == "# id\n1\ta b\tO\n2\t#\tB-X\n\n"
    with pytest.raises(CorpusError, match="no column 'pos', there are id, word, entity"):
        numbered.column("pos")
    for names in ((), ("a", "b", "c"), ("word", "word", "c"), ("a", "b", "word")):
        with pytest.raises(CorpusError, match="expected different names, word among them"):
            read_columns(tmp_path / "a.txt", columns=names)
    (tmp_path / "pos.txt").write_text("a NNS\nb VBP\nc NNS\n")
    assert statistics(read_columns(tmp_path / "pos.txt")).iloc[0]["types"] == 2


def test_partial_trees_in_statistics() -> None:
    crossing = Sentence.of(["a", "b", "c", "d"], [3, 4, -1, -1])
    row = statistics(Treebank((crossing, Sentence.of(["x"], [0])), "b")).iloc[0]
    assert (row["heads"], row["% non-proj. sentences"]) == (3, 50.0)
    assert statistics([]).empty


TABLE_1 = {
    "conll2000/train.txt": (8936, 211727, 11, 183825),
    "conll2000/test.txt": (2012, 47377, 10, 41197),
    "conll2003/train.txt": (14987, 204567, 4, 34043),
    "conll2003/testb.txt": (3684, 46666, 4, 8112),
}


def test_table_1_of_wanvarie2011(shared: Path) -> None:
    for name, expected in TABLE_1.items():
        row = statistics([read_columns(shared / name)]).iloc[0]
        assert tuple(row[["sentences", "words", "types", "entity words"]]) == expected


@given(labels.filter(len))
def test_slots_and_trees_say_the_same(slots: list[str]) -> None:
    dotted = [s.replace("X", "to.city").replace("Y", "to") for s in to_iob2(slots)]
    tree = SlotTree.of_slots(["w"] * len(slots), dotted)
    assert tree.to_slots() == tuple(dotted)
    assert tree.labels[-1] == "S" and tree.parents[-1] == -1


def test_a_request_as_a_tree(tmp_path: Path) -> None:
    words = "fly from new york to boston".split()
    slots = ["O", "O", "B-from.city", "I-from.city", "O", "B-to.city"]
    tree = SlotTree.of_slots(words, slots, "flight")
    assert tree.tags == ("wd", "wd", "city", "city", "wd", "city")
    assert tree.labels == ("from", "to", "S")
    assert tree.parents.tolist() == [2, 2, 0, 0, 2, 1, 2, 2, -1]
    write_slots(tmp_path / "x", [SlotTree.of_slots(["a"], ["O"])])
    assert read_slots(tmp_path / "x")[0].intent == "_"
    assert not pickle.loads(pickle.dumps(tree)).parents.flags.writeable
    with pytest.raises(TreeError, match="not IOB2"):
        SlotTree.of_slots(["a"], ["I-x"])


@pytest.mark.parametrize("slot", ["x.y.z", "x.x", "wd", "a+", "S.city", "S"])
def test_slots_that_trees_do_not_tell_apart_are_refused(slot: str, tmp_path: Path) -> None:
    with pytest.raises(TreeError, match="not told apart by trees"):
        SlotTree.of_slots(["one"], [f"B-{slot}"])
    path = tmp_path / "slots.iob"
    path.write_text(f"BOS one EOS\tO B-{slot} atis_flight\n")
    with pytest.raises(FormatError, match=r"slots\.iob:1: slots B-.* not told apart by trees"):
        read_slots(path)


def test_a_request_of_no_words_is_none() -> None:
    with pytest.raises(TreeError, match="a request of no words"):
        SlotTree.of_slots([], [])


def test_a_word_outside_constituents_has_no_slot() -> None:
    tree = SlotTree(("one",), ("city",), ("S",), np.array([0, -1], np.int32))
    assert tree.to_slots() == ("O",)


def test_atis_there_and_back(shared: Path, tmp_path: Path) -> None:
    marks = 0
    for file in (shared / "atis").iterdir():
        bank = read_slots(file)
        write_slots(tmp_path / "x", bank)
        assert (tmp_path / "x").read_bytes() == file.read_bytes()
        marks += sum(tag.endswith("+") for tree in bank for tag in tree.tags)
    assert marks == 75
