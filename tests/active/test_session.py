"""A person's session: nobody waits, nothing is asked twice, and the log alone gives it all back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deppa_nb.active.annotators import GoldOracle
from deppa_nb.active.hindsight import pool_of, replayed, with_answers
from deppa_nb.active.log import Event, read_log
from deppa_nb.active.log_state import State
from deppa_nb.active.pool import Pool
from deppa_nb.active.recording import Act, Recorder
from deppa_nb.active.session import Session
from deppa_nb.active.simulated import play
from deppa_nb.active.strategies import LABELLING
from deppa_nb.corpus.registry import load
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.sequences import Sequence, SequenceBank
from deppa_nb.errors import ArgumentError, DeppaError, ParameterError
from deppa_nb.models.crf import CRFParser
from deppa_nb.models.mst import MSTParser
from deppa_nb.models.transition import TransitionParser

CORPUS = load("toy-short", sizes={"train": 120, "dev": 40})
GOLD = CORPUS.train
BANK = Treebank(tuple(Pool.hiding(GOLD, seed=20)), "toy")
PARSER = CRFParser(1, bits=14, epochs=1, progress=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "anna.jsonl"


@pytest.fixture
def opened(path: Path) -> Iterator[Any]:
    sessions = []

    def open_one(bank: Any = BANK, **options: Any) -> Session:
        known = {"annotator": "anna", "parser": PARSER, "batch": 8, "dev": CORPUS.dev}
        sessions.append(Session(bank, path, **{**known, **options}))
        return sessions[-1]

    yield open_one
    for session in sessions:
        session.close()


def give(session: Session, client: str, *words: tuple[str, int, int | None]) -> Any:
    events = tuple(Event("head", name, m, "partial", new=head) for name, m, head in words)
    return session.recorder.record([Act(client, events)])


def answer_all(session: Session) -> None:
    for task in session.left():
        for m in session.open_words(task):
            head = int(GOLD[task.query.sentence].heads[m])
            give(session, f"{task.name}-{m}-{session.recorder.round}", (task.name, m, head))


def test_the_next_round_is_there_when_the_last_answer_is_given(opened: Any) -> None:
    session = opened()
    session.wait()
    first = session.advance()
    assert sum(len(task.query.tokens) for task in first) >= 8 and session.recorder.round == 0
    assert session.advance() == []
    asked = set()
    for number in range(1, 5):
        for task in session.left():
            words = {(task.name, m) for m in session.open_words(task)}
            assert not words & asked
            asked |= words
        answer_all(session)
        assert session.advance(), "there is a reserve, be the next model ready or not"
        session.wait()
        assert session.recorder.round <= number
    assert [point.round for point in session.curve] == list(range(len(session.curve)))


def test_a_replay_gives_the_same_trees_and_the_same_curve(opened: Any, path: Path) -> None:
    session = opened()
    assert play(session, GoldOracle(GOLD), rounds=3) == 24
    answered = session.recorder.said
    name, m = next(iter(answered.heads))
    undone = next(act for act in session.recorder.acts({name}) if act.events[0].token == m)
    session.recorder.record([Act("undo", (Event("undo"),), undo_of=undone.client)])
    play(session, GoldOracle(GOLD), rounds=2)
    session.close()
    found = list(replayed(read_log(path), BANK, PARSER, "pa-gap", dev=CORPUS.dev))
    live = [(p.round, p.answers, p.known, p.uas) for p in session.curve]
    again = [(p.round, p.answers, p.known, p.uas) for p, _ in found]
    assert len(live) >= 5 and again[: len(live)] == live
    last = found[-1][1].pool
    for j, sentence in enumerate(BANK):
        assert (last[j].heads == with_answers(sentence, session.recorder.said).heads).all()


def test_rounds_that_go_back_are_no_session(opened: Any, path: Path) -> None:
    with Recorder(BANK, path, "anna").log as log:
        log.append(Event("page", new="open", round=1))
        log.append(Event("page", new="open", round=0))
    with pytest.raises(ArgumentError, match="a round after a later one"):
        list(replayed(read_log(path), BANK, PARSER, "pa-gap"))


def test_a_session_goes_on_where_the_log_ends(opened: Any) -> None:
    session = opened()
    play(session, GoldOracle(GOLD), rounds=1)
    before, given = session.recorder.round, dict(session.recorder.said.heads)
    again = opened()  # of the same process: the first is closed
    with pytest.raises(DeppaError, match="closed"):
        session.recorder.log.append(Event("page", new="open"))
    again.wait()
    asked = {(task.name, m) for task in again.advance() for m in task.query.tokens}
    assert again.recorder.round == before + 1 or again.recorder.round == before
    assert asked and not asked & given.keys()
    back = again.tasks[0]
    assert set(back.query.tokens) == {m for name, m in given if name == back.name}
    assert again.open_words(back) == [], "it can be gone back to, but is not asked"


def test_an_act_is_written_once_and_in_order(opened: Any, path: Path) -> None:
    session = opened()
    name = BANK[30].sent_id
    acts = [
        Act("p-1", (Event("head", name, 1, "partial", new=2),)),
        Act("p-2", (Event("undo"),), undo_of="p-1"),
        Act("p-3", (Event("undo"),), undo_of="p-2"),
    ]
    for _ in range(2):
        receipt = session.recorder.record(acts)
        assert receipt.written == tuple(acts) and not receipt.refused and not receipt.problem
    assert [event.client for event in read_log(path).events] == ["p-1", "p-2", "p-3"]
    assert session.recorder.said.heads == {(name, 1): 2}
    assert [act.client for act in session.recorder.acts({name})] == ["p-1", "p-2", "p-3"]
    cycle = give(session, "p-4", (name, 2, 1))
    assert cycle.refused[0][0] == "p-4" and "form a cycle" in cycle.refused[0][1]
    assert give(session, "p-5", (name, 2, 999)).refused and len(read_log(path).events) == 3


def test_a_full_disk_keeps_the_order(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    session, name = opened(), BANK[30].sent_id
    acts = [Act(f"p-{m}", (Event("skip", name, m, "partial"),)) for m in (1, 2)]

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        receipt = session.recorder.record(acts)
    assert receipt.written == () and "No space left" in receipt.problem
    assert session.recorder.record(acts).written == tuple(acts)


def test_what_became_certain_is_not_asked(opened: Any) -> None:
    session = opened(certain=0.0)
    assert session.certain_words == {}
    session.close()
    session = opened(certain=1e-9, strategy="fa-random", unit="sentences", batch=2)
    session.wait()
    task = session.advance()[0]
    assert session.open_words(task)
    session.estimates([task.name])
    assert session.open_words(task) == [] and len(session.certain_words[task.name]) == len(
        GOLD[task.query.sentence]
    )


def test_estimates_keep_what_was_given(opened: Any) -> None:
    session = opened()
    session.wait()
    task = session.advance()[0]
    (before,) = session.estimates([task.name])
    m = task.query.tokens[0]
    other = before.candidates[m][1][0]
    give(session, "p-1", (task.name, m, other))
    (after,) = session.estimates([task.name])
    assert after.heads[m] == other and after.candidates[m] == ((other, 1.0),)
    assert all(0 <= p <= 1 for row in after.candidates for _, p in row)
    np.testing.assert_allclose(after.probabilities[m], 1.0)


def test_a_parser_without_probabilities_asks_and_suggests_nothing(opened: Any) -> None:
    parser = TransitionParser(4, bits=14, epochs=1, progress=False)
    session = opened(parser=parser, strategy="pa-random", certain=0.9)
    session.advance(wait=True)
    asked = [task.name for task in session.left()]
    assert session.model is not None and asked
    assert session.estimates(asked) == [None] * len(asked)
    answer_all(session)
    session.advance(wait=True)
    assert session.recorder.round == 1 and session.left()


def test_preferences_and_labels_have_sessions_too(opened: Any, path: Path) -> None:
    parser = MSTParser(bits=14, epochs=1, progress=False)
    session = opened(parser=parser, strategy="light-margin", batch=3)
    assert play(session, GoldOracle(GOLD), rounds=2) == 6
    skipped = session.left()[0]
    assert not session.ask_passed()
    session.recorder.record([Act("p-1", (Event("skip", skipped.name, None, "full"),))])
    assert skipped not in session.left() and session.ask_passed() and skipped in session.left()
    session.close()
    points = [p for p, _ in replayed(read_log(path), BANK, parser, "light-margin", dev=CORPUS.dev)]
    assert [p.answers for p in points] == [0, 3, 6, 6]
    path.unlink()
    bank = SequenceBank((Sequence(("word", "label"), (("New", "York"), ("_", "_"))),), "places")
    session = opened(bank, parser=None, strategy=LABELLING, dev=None)
    session.wait()
    (task,) = session.advance()
    assert task.query.tokens == (1, 2) and session.estimates([task.name]) == [None]
    session.recorder.record([Act("p-1", (Event("label", "1", 2, "partial", new="I-LOC"),))])
    assert session.open_words(task) == [1] and session.labels == ["I-LOC"]
    found = list(replayed(read_log(path), bank, None, LABELLING))
    assert [(p.round, p.answers) for p, _ in found] == [(0, 0), (1, 1)]
    assert found[-1][1].pool[0].labels == ("_", "I-LOC")
    assert repr(session.curve[0]) == repr(found[0][0])


def test_labels_that_are_offered(opened: Any) -> None:
    session = opened()
    assert session.labels[0] in {label for s in GOLD[:20] for label in s.labels}
    assert {"nsubj", "vocative"} <= set(session.labels)


def test_the_end(opened: Any) -> None:
    bank = Treebank((Sentence.of(["Fish", "swim"], [2, -1], sent_id="s1"),), "mine")
    session = opened(bank, strategy="pa-random", dev=None)
    session.wait()
    assert len(session.advance()) == 1
    give(session, "p-1", ("s1", 2, 0))
    session.wait()
    session.advance()
    session.wait()
    assert session.advance() == [] and session.advance() == [] and not session.waits
    assert session.is_ready


def test_what_was_passed_over_is_asked_once_more_at_the_end(opened: Any) -> None:
    bank = Treebank(
        (Sentence.of(["Fish", "swim"], sent_id="s1"), Sentence.of(["Go", "!"], sent_id="s2")), "two"
    )
    session = opened(bank, strategy="pa-random", dev=None)
    session.wait()
    session.advance()
    doubt = Event("unsure", "s1", 2, "partial")
    acts = [
        Act("p-1", (Event("skip", "s1", 1, "partial"),)),
        Act("p-2", (doubt, Event("label", "s1", 2, "partial", new="root"))),
        Act("p-3", (Event("submit", "s2", None, "partial"),)),
    ]
    session.recorder.record(acts)
    assert session.left() == [] and session.recorder.said.unsure == {("s1", 2)}
    assert session.passed == {("s1", 1), ("s1", 2), ("s2", 1), ("s2", 2)}
    again = opened(bank, strategy="pa-random", dev=None)  # after a restart, too
    recent = {task.name: task.query.tokens for task in again.tasks}
    assert recent == {"s1": (1, 2)} and again.left() == []
    for _ in range(3):
        again.wait()
        again.advance()
    assert [(task.name, again.open_words(task)) for task in again.left()] == [("s1", [1, 2])]
    assert [act.reopened for act in again.recorder.acts({"s1"})] == [True, True]
    give(again, "p-4", ("s1", 1, 2), ("s1", 2, 0))
    again.wait()
    assert [(task.name, task.query.tokens) for task in again.advance()] == [("s2", (1, 2))]
    assert again.passed == set()
    again.recorder.record([Act("p-5", (Event("submit", "s2", None, "partial"),))])
    for _ in range(3):
        again.wait()
        assert again.advance() == []
    assert again.passed == {("s2", 1), ("s2", 2)} and not again.waits, "once is enough"
    assert len({point.round for point in again.curve}) == len(again.curve)


def test_before_there_is_a_model_short_sentences_are_asked_about(opened: Any) -> None:
    raw = Treebank(tuple(Pool.hiding(GOLD)), "raw")
    session = opened(raw, dev=None)
    session.wait()
    tasks = session.advance()
    lengths = sorted(len(sentence) for sentence in raw if len(sentence) >= 4)
    assert all(4 <= len(raw[task.query.sentence]) <= lengths[15] for task in tasks)
    assert 5 <= sum(len(task.query.tokens) for task in tasks) < 12


def test_a_round_can_be_ended(opened: Any) -> None:
    session = opened()
    session.wait()
    first = session.advance()
    session.end_round()
    more = session.advance()
    assert more and not {task.name for task in more} & {task.name for task in first}
    assert session.open_words(first[0]), "it can still be answered"


@pytest.mark.parametrize("options", [{"batch": 0}, {"certain": 2.0}, {"strategy": "no-such"}])
def test_what_makes_no_sense(opened: Any, options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        opened(**options)


def test_a_label_goes_with_its_head() -> None:
    sentence = Sentence.of(["a", "b", "c"], [2, 0, 2], labels=["x", "root", "y"], sent_id="s1")
    found = with_answers(sentence, State(heads={("s1", 1): 3, ("s1", 3): None}))
    assert found.heads[1:].tolist() == [3, 0, -1] and found.labels[1:] == ("_", "root", "_")
    pool = pool_of(Treebank((sentence,)), State(heads={("s1", 3): None}, skipped={("s1", 3)}))
    assert pool.open(0).tolist() == [] and pool.unannotated(0).tolist() == [3]


def test_the_likeliest_head_of_every_word_has_a_tree(opened: Any) -> None:
    session = opened()
    session.wait()
    session.advance()
    differ = 0
    for task in session.tasks:
        (found,) = session.estimates([task.name])
        for m, row in enumerate(found.candidates[1:], 1):
            tree = found.others.get(m, found.heads)
            assert tree[m] == row[0][0]
            differ += m in found.others
            Sentence.of(session.recorder.sentences[task.name].words, tree[1:])  # no cycle
    assert differ
