"""Subtasks and what they make together."""

import pytest

from deppa_nb import load
from deppa_nb.active.splitting import merge_subtasks, subtask, types_of
from deppa_nb.corpus.sequences import Sequence
from deppa_nb.errors import ArgumentError, CorpusError

BANK = load("toy-chunks", sizes={"train": 40}).train


def of(*labels):
    return [Sequence(("word", "label"), (tuple("abcdefgh"[: len(labels)]), labels))]


def test_all_subtasks_together_are_the_whole():
    kinds = types_of(BANK)
    assert len(kinds) > 1
    tasks = {kind: [subtask(s, kind) for s in BANK] for kind in kinds}
    assert all(set(types_of(rows)) <= {kind} for kind, rows in tasks.items())
    merged = merge_subtasks(tasks)
    assert merged.sequences == list(BANK)
    assert merged[1:] == (BANK.n_words, 0, 0)


def test_every_rule_on_one_sequence():
    given = {
        "A": of("B-A", "O", "O", "_", "_", "_", "O", "_"),
        "B": of("O", "O", "_", "_", "_", "B-B", "B-B", "_"),
    }
    predicted = {
        "A": of("B-A", "O", "O", "B-A", "B-A", "B-A", "O", "O"),
        "B": of("O", "O", "B-B", "O", "B-B", "B-B", "B-B", "O"),
    }
    bare, full = merge_subtasks(given), merge_subtasks(given, predicted)
    assert bare.sequences[0].labels == ("B-A", "O", "_", "_", "_", "B-B", "B-B", "_")
    assert bare[1:] == (4, 0, 0)
    # A label by hand beats any model; two models with a type each leave the token open.
    assert full.sequences[0].labels == ("B-A", "O", "B-B", "B-A", "_", "B-B", "B-B", "O")
    assert full[1:] == (4, 3, 1)


def test_people_who_disagree_leave_it_open():
    given = {"A": of("B-A"), "B": of("B-B")}
    merged = merge_subtasks(given, given)
    assert merged.sequences[0].labels == ("_",) and merged[1:] == (0, 0, 1)


def test_what_does_not_fit():
    with pytest.raises(ArgumentError, match="expected labels of some types"):
        merge_subtasks({})
    with pytest.raises(ArgumentError, match="predictions of the same"):
        merge_subtasks({"A": of("O")}, {"B": of("O")})
    with pytest.raises(ArgumentError, match="subtasks of 1, 2, 1, 2 sequences"):
        merge_subtasks({"A": of("O"), "B": of("O") * 2})
    with pytest.raises(ArgumentError, match="sequence 0: other words in another subtask"):
        merge_subtasks({"A": of("O"), "B": of("O", "O")})
    with pytest.raises(CorpusError, match="label 'NOUN', expected O, B-"):
        types_of(of("NOUN"))
