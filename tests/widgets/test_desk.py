"""What pages send and get, without a browser."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from deppa_widgets import HeadPicker, LabelPicker, RoundPanel, TreeChoice, TreeView

from deppa_nb.active.log import Event, Log, read_log
from deppa_nb.active.pool import Pool
from deppa_nb.active.session import Session
from deppa_nb.corpus.registry import load
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.errors import ParameterError
from deppa_nb.models.crf import CRFParser

GOLD = load("toy-short", sizes={"train": 60}).train
BANK = Treebank(tuple(Pool.hiding(GOLD, seed=20)), "toy")


class Front:
    """A widget whose messages are kept, and a page of it."""

    def __init__(self, widget: Any) -> None:
        self.widget, self.got = widget, []
        widget.send = self.got.append

    def say(self, kind: str, page: str = "p1", **more: Any) -> list[dict[str, Any]]:
        self.got.clear()
        self.widget._receive(self.widget, {"kind": kind, "page": page, "tab": page, **more}, None)
        return [json.loads(json.dumps(message)) for message in self.got]

    def act(self, client: str, events: list[dict[str, Any]], page: str = "p1", **more: Any) -> Any:
        return self.say("acts", page, acts=[{"client": client, "events": events, **more}])


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    parser = CRFParser(1, bits=14, epochs=1, progress=False)
    made = Session(BANK, tmp_path / "anna.jsonl", annotator="anna", parser=parser, batch=6)
    made.wait()
    yield made
    made.close()


@pytest.fixture
def front(session: Session) -> Front:
    return Front(HeadPicker(session))


def head(task: dict[str, Any], new: int | None, **more: Any) -> dict[str, Any]:
    return {
        "what": "head",
        "sentence": task["sentence"],
        "token": task["tokens"][0],
        "task": "partial",
        "new": new,
        "ms": 5,
        **more,
    }


def test_hello_gets_everything_and_an_act_a_receipt(front: Front, session: Session) -> None:
    state, waits = front.say("hello")
    assert state["writes"] and state["acts"] == [] and not waits["waits"]
    task = state["tasks"][0]
    assert len(task["candidates"][task["tokens"][0]]) > 1 and task["tree"][0] == -1
    best = task["candidates"][task["tokens"][0]][0][0]
    receipt, estimates, _ = front.act("p1-1", [head(task, best, rank=1, probability=0.5)])
    assert [act["client"] for act in receipt["written"]] == ["p1-1"] and not receipt["problem"]
    (one,) = estimates["estimates"]
    assert one["sentence"] == task["sentence"] and one["tree"][task["tokens"][0]] == best
    assert len(read_log(session.recorder.log.path).events) == 1
    again, *_ = front.act("p1-1", [head(task, best)])
    assert [act["client"] for act in again["written"]] == ["p1-1"]
    assert len(read_log(session.recorder.log.path).events) == 1
    state, _ = front.say("hello", "p1")
    assert [act["client"] for act in state["acts"]] == ["p1-1"]


def test_undo_by_the_pages_name_and_what_is_refused(front: Front, session: Session) -> None:
    task = front.say("hello")[0]["tasks"][0]
    front.act("p1-1", [head(task, 0)])
    front.act("p1-2", [{"what": "undo"}], undo_of="p1-1")
    assert session.recorder.said.heads == {}
    refused, *_ = front.act("p1-3", [head(task, 999)])
    assert refused["refused"][0]["client"] == "p1-3" and "head 999" in refused["refused"][0]["why"]
    wrong, *_ = front.act("p1-4", [{"what": "undo"}], undo_of="never")
    assert wrong["refused"]
    (failure,) = front.say("acts", acts=[{"client": "p1-5"}])
    assert failure["kind"] == "failure" and "KeyError" in failure["problem"]
    (failure,) = front.say("nonsense")
    assert failure["kind"] == "failure"


def test_an_answer_that_has_waited_is_not_taken_over_a_newer_one(
    front: Front, session: Session
) -> None:
    task = front.say("hello")[0]["tasks"][0]
    word = (task["sentence"], task["tokens"][0])
    other = 1 if word[1] != 1 else 2
    front.act("p1-1", [head(task, 0, utc="2026-11-17T09:00:00.000Z")])
    front.act("p1-2", [{"what": "undo", "utc": "2026-11-17T09:02:00.000Z"}], undo_of="p1-1")
    late = [head(task, other, old=0, utc="2026-11-17T09:01:00.000Z")]
    refused, *_ = front.act("p0-1", late)
    assert not refused["written"] and session.recorder.said.heads == {}
    assert "was not taken: it has a newer one" in refused["refused"][0]["why"]
    assert f"“{task['words'][word[1] - 1]}”" in refused["refused"][0]["why"]
    (refused, *_) = front.act("p0-2", [{"what": "undo"}], undo_of="p0-1")
    assert "not taken" in refused["refused"][0]["why"]
    path = session.recorder.log.path
    assert '"p0-1"' in path.with_name("anna.jsonl.late").read_text()
    taken, *_ = front.act("p1-3", [head(task, 0, utc="2026-11-17T09:00:30.000Z")])
    assert taken["written"], "who knows what stands may have a slow clock"
    front.act("p1-4", [head(task, other, old=0, utc="2026-11-17T09:03:00.000Z")])
    assert session.recorder.said.heads == {word: other} and len(read_log(path).events) == 4


def test_one_page_writes(front: Front) -> None:
    task = front.say("hello")[0]["tasks"][0]
    who, state, _ = front.say("hello", "p2")
    assert (
        who == {"kind": "who", "asks": "p2"}
        and not state["writes"]
        and "another tab" in state["why"]
    )
    assert front.say("here", "p1", asks="p2") == [{"kind": "taken", "to": "p2"}]
    (told,) = front.act("p2-1", [head(task, 0)], "p2")
    assert told["kind"] == "state" and not told["writes"]
    state, _ = front.say("claim", "p2")
    assert state["writes"]
    assert front.act("p2-1", [head(task, 0)], "p2")[0]["kind"] == "receipt"
    front.got.clear()
    state, _ = front.say("hello", "p3", tab="p2")
    assert state["writes"], "a tab that was loaded again"


def test_who_knocks_gets_the_log_when_nobody_answers(front: Front) -> None:
    front.say("hello", "p1")
    front.say("hello", "p2")
    front.say("here", "p1", asks="p2")
    assert front.say("claim", "p2", silent=True) == [], "the kernel was busy, and p1 is there"
    who, waits = front.say("knock", "p2")
    assert who == {"kind": "who", "asks": "p2"} and waits["kind"] == "waits"
    state, _ = front.say("claim", "p2", silent=True)
    assert state["writes"]


def test_the_last_answer_brings_more(front: Front, session: Session) -> None:
    tasks = front.say("hello")[0]["tasks"]
    replies: list[dict[str, Any]] = []
    for number, task in enumerate(tasks):
        events = [{**head(task, None), "what": "skip", "token": m} for m in task["tokens"]]
        replies = front.act(f"p1-{number}", events)
    (more,) = [reply for reply in replies if reply["kind"] == "tasks"]
    assert more["tasks"] and session.recorder.round == 1
    assert [reply["kind"] for reply in front.say("poll")] == ["waits"]
    jumped = front.say("next")[0]
    assert jumped["jump"] and jumped["tasks"]


def test_a_page_learns_that_what_was_skipped_is_asked_again(tmp_path: Path) -> None:
    bank = Treebank((Sentence.of(["Fish", "swim"], sent_id="s1"),), "mine")
    parser = CRFParser(1, bits=14, epochs=1, progress=False)
    session = Session(bank, tmp_path / "anna.jsonl", annotator="anna", parser=parser)
    session.wait()
    front = Front(HeadPicker(session))
    (task,) = front.say("hello")[0]["tasks"]
    front.act("p1-1", [{**head(task, None), "what": "skip", "token": m} for m in (1, 2)])
    states: list[dict[str, Any]] = []
    for _ in range(3):
        session.wait()
        states += [reply for reply in front.say("poll") if reply["kind"] == "state"]
    (state,) = states
    assert (
        state["writes"] and state["again"] and [act["reopened"] for act in state["acts"]] == [True]
    )
    assert [task["tokens"] for task in state["tasks"]] == [[1, 2]] and session.left()
    session.close()


def test_what_was_skipped_is_asked_at_once_and_answers_are_counted(
    front: Front, session: Session
) -> None:
    first, *_, last = front.say("hello")[0]["tasks"]
    front.act("p1-1", [{**head(first, None), "what": "skip"}])
    front.act("p1-2", [head(last, 0)])
    session.close()
    again = Session(BANK, session.recorder.log.path, annotator="anna", parser=None, batch=6)
    again.tasks.clear()  # as if both were of long ago
    again.wait()
    front = Front(HeadPicker(again))
    state = front.say("hello")[0]
    assert state["before"] == 1 and not state["again"]
    word = (first["sentence"], first["tokens"][0])
    asked = [(task["sentence"], m) for task in state["tasks"] for m in task["tokens"]]
    assert word not in asked
    state = front.say("passed")[0]
    assert state["again"] and state["before"] == 1
    assert state["tasks"][0]["sentence"] == word[0] and state["tasks"][0]["tokens"] == [word[1]]
    assert again.open_words(again.left()[0]) == [word[1]]
    assert not front.say("passed")[0]["again"], "nothing is skipped now"
    assert front.say("passed", "p2") == [], "who looks on asks for nothing"
    again.close()


def test_blind_pages_know_nothing(session: Session) -> None:
    front = Front(HeadPicker(session, blind=True))
    task = front.say("hello")[0]["tasks"][0]
    assert not {"tree", "candidates", "sure"} & task.keys()
    replies = front.act("p1-1", [head(task, 0)])
    assert '"tree"' not in json.dumps(replies) and "candidates" not in json.dumps(replies)


def test_modes(session: Session) -> None:
    front = Front(HeadPicker(session, mode="sentence", labels=True))
    task = front.say("hello")[0]["tasks"][0]
    assert task["kind"] == "tree" and task["tokens"] == list(range(1, len(task["words"]) + 1))
    assert front.widget.options["labels"] and "nsubj" in front.widget.options["names"]
    with pytest.raises(ParameterError, match="expected queries or sentence"):
        HeadPicker(session, mode="all")  # type: ignore[arg-type]
    for other in (TreeChoice, LabelPicker):
        with pytest.raises(ParameterError, match="does not ask"):
            other(session)


def test_no_work_is_in_the_state_of_the_widget(front: Front) -> None:
    task = front.say("hello")[0]["tasks"][0]
    before = json.dumps(front.widget.get_state(["log", "options"]))
    front.act("p1-1", [head(task, 0)])
    assert json.dumps(front.widget.get_state(["log", "options"])) == before
    assert not [line for line in front.widget._esm.splitlines() if line.startswith("import")]


def test_the_static_form_is_the_picture_of_the_report(session: Session) -> None:
    from deppa_nb.reports.trees import tree_svg

    view = TreeView(GOLD[0])
    assert view.svg == tree_svg(GOLD[0])
    bundle = view._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert data["image/svg+xml"] == view.svg
    view.width = 200.0
    assert view.svg == tree_svg(GOLD[0], width=200)
    arabic = Sentence.of(["ذهب", "الولد"], [0, 1])
    assert TreeView(arabic).rtl and not view.rtl
    picker = HeadPicker(session)
    Front(picker).say("hello")
    assert picker.static().count("<svg") == 1


def test_the_panel_counts(session: Session) -> None:
    picker = HeadPicker(session)
    box = picker.with_panel()
    front = Front(picker)
    task = front.say("hello")[0]["tasks"][0]
    panel = picker.panel
    assert isinstance(panel, RoundPanel) and box.children == (picker, panel)
    left = panel.info["left"]
    front.act("p1-0", [{**head(task, None), "what": "shown", "ms": 1000}])
    front.act("p1-1", [head(task, 0, ms=3500)])
    assert (panel.info["heads"], panel.info["left"], panel.info["seconds"]) == (1, left - 1, 2.5)
    assert panel.info["log"].endswith("anna.jsonl") and panel.info["round"] == 1


def test_the_panel_reads_only_what_is_recent(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of a long log would take half a second for each answer."""
    sizes = []

    def counted(logs: list[Log]) -> dict[str, dict[str, float]]:
        sizes.append(len(logs[0].events))
        return {}

    monkeypatch.setattr("deppa_widgets.round_panel.fitted_rates", counted)
    session.recorder.log.append_act([Event("page", new="open")])
    session.recorder.log.events *= 1000
    RoundPanel(session)
    assert sizes == [400]
