"""Pages of widgets in a browser but without a notebook: keys, clicks and what is drawn.

The widget's module gets a model whose messages go to the desk of this process and come back at once.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from deppa_widgets import HeadPicker, LabelPicker, TreeChoice
from deppa_widgets.sources import style

from deppa_nb.active.log import Event
from deppa_nb.active.pool import Pool
from deppa_nb.active.recording import Act
from deppa_nb.active.session import Session
from deppa_nb.active.strategies import LABELLING
from deppa_nb.corpus.registry import load
from deppa_nb.corpus.sentence import Treebank
from deppa_nb.corpus.sequences import Sequence, SequenceBank
from deppa_nb.models.crf import CRFParser
from deppa_nb.models.mst import MSTParser

TOY = Treebank(tuple(Pool.hiding(load("toy-short", sizes={"train": 60}).train, seed=20)), "toy")
LONG = Treebank(tuple(Pool.hiding(load("toy-en", sizes={"train": 60}).train, seed=50)), "long")

RENDER = """async ([number, source, state]) => {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const heard = ((window.heard ??= [])[number] = {}), host = document.body.appendChild(document.createElement("div"));
  const model = {
    get: (name) => state[name],
    on: (kind, hear) => (heard[kind] ??= []).push(hear),
    off: () => {},
    send: async (message) => {
      for (const [to, reply] of await window.desk(number, message)) window.heard[to]["msg:custom"]?.forEach((hear) => hear(reply));
    },
  };
  (await import(url)).default.render({ model, el: host });
}"""


class Paper:
    """Widgets on an empty page."""

    def __init__(self, page: Any) -> None:
        self.page, self._widgets, self.kernel_lives = page, [], True
        page.expose_function("desk", self._answer)
        page.route("http://paper/", lambda route: route.fulfill(body="<!doctype html>"))
        page.goto("http://paper/")  # a page of nowhere has no memory

    def _answer(self, number: int, message: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
        """Return what all widgets send then: a panel's button brings a picker questions."""
        got: list[tuple[int, dict[str, Any]]] = []
        for k, widget in enumerate(self._widgets):
            widget.send = lambda reply, k=k: got.append((k, reply))
        if self.kernel_lives:
            self._widgets[number]._handle_custom_msg(message, [])
        return got

    def show(self, *widgets: Any, waits_for: str = ".word.active") -> Any:
        for widget in widgets:
            self._widgets.append(widget)
            state = {name: widget.trait_values()[name] for name in widget.keys if name[0] != "_"}
            state = {name: state[name] for name in ("log", "options", "info") if name in state}
            self.page.evaluate(RENDER, [len(self._widgets) - 1, widget._esm, state])
        self.page.wait_for_selector(waits_for)
        return self.page


@pytest.fixture
def paper(browser: Any) -> Iterator[Paper]:
    page = browser.new_page()
    page.set_default_timeout(20_000)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield Paper(page)
    page.close()
    assert errors == []


@pytest.fixture
def session_of(tmp_path: Path) -> Iterator[Callable[..., Session]]:
    made: list[Session] = []

    def make(bank: Treebank = TOY, **options: Any) -> Session:
        parser = CRFParser(1, bits=14, epochs=1, progress=False, threads=1)
        known = {"annotator": "anna", "parser": parser, "batch": 30}
        made.append(Session(bank, tmp_path / "anna.jsonl", **{**known, **options}))
        made[-1].wait()
        return made[-1]

    yield make
    for session in made:
        session.close()


def answers(session: Session) -> list[Any]:
    return [e for e in session.recorder.log.events if e.what not in ("page", "shown")]


def active(page: Any) -> int:
    return int(page.get_attribute(".word.active", "data-word"))


def test_the_first_key_takes_the_arc_that_is_drawn(paper: Paper, session_of: Any) -> None:
    session = session_of()
    page = paper.show(HeadPicker(session, mode="sentence"))
    differ = 0
    for _ in range(40):
        page.wait_for_selector('.deppa[data-state="saved"]')
        shown = session.recorder.log.events[-1]
        (estimate,) = session.estimates([shown.sentence])
        drawn = dict(page.eval_on_selector_all(".arc", ARCS))
        assert len(drawn) == page.locator(".word").count(), "a whole tree is drawn"
        assert drawn[active(page)] == estimate.candidates[shown.token][0][0]
        if differs := drawn[active(page)] != estimate.heads[shown.token]:
            page.keyboard.press("1")
            page.wait_for_selector('.deppa[data-state="saved"]')
            (given,) = [event for event in answers(session) if event.client][differ:]
            assert (given.token, given.new, given.rank) == (shown.token, drawn[shown.token], 1)
        else:
            page.keyboard.press("ArrowDown")
        differ += differs
    assert differ


ARCS = "arcs => arcs.map((arc) => [+arc.dataset.word, +arc.dataset.head])"
BARE = "nodes => nodes.filter((node) => !node.closest('[data-lm-suppress-shortcuts]')).map((node) => node.outerHTML)"


def test_keys_never_go_to_the_notebook(paper: Paper, session_of: Any) -> None:
    picker = HeadPicker(session_of())
    page = paper.show(*picker.with_panel().children)
    assert page.eval_on_selector_all("button, input, [tabindex]", BARE) == []
    before = page.inner_text(".question")
    page.click(".deppa-panel button")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "application"
    page.wait_for_function(
        "(text) => document.querySelector('.question').innerText !== text", arg=before
    )


def test_who_looks_on_is_told_and_moves_nothing(paper: Paper, session_of: Any) -> None:
    session = session_of()
    picker = HeadPicker(session)
    picker.desk.handle({"kind": "hello", "page": "first", "tab": "first"})
    page = paper.show(picker)
    before = page.inner_text(".question"), active(page)
    page.focus(".deppa")
    for key in ("1", "s", "f", ".", "0", "Backspace", "u", "l"):
        page.keyboard.press(key)
        assert "Read-only" in page.inner_text(".notice"), key
    page.click(".word:not(.active) >> nth=0")
    assert "Read-only" in page.inner_text(".notice")
    assert (page.inner_text(".question"), active(page)) == before
    assert page.locator(".panel").is_hidden() and not session.recorder.log.events


def test_held_keys_and_second_clicks_answer_nothing(paper: Paper, session_of: Any) -> None:
    session = session_of()
    page = paper.show(HeadPicker(session))
    page.focus(".deppa")
    for _ in range(5):
        page.keyboard.down("1")  # again and again, without letting go
    page.keyboard.up("1")
    page.wait_for_selector('.deppa[data-state="saved"]')
    assert len(answers(session)) == 1
    page.dblclick(".choices .chip >> nth=0")
    page.dblclick(".word:has(.digit) >> nth=0")
    page.dblclick(".keys button:has-text('Skip')")
    page.wait_for_selector('.deppa[data-state="saved"]')
    assert len(answers(session)) == 4
    page.dblclick(".keys button:has-text('Undo')")
    page.wait_for_selector('.deppa[data-state="saved"]')
    assert [event.what for event in answers(session)[4:]] == ["undo", "undo"]


def test_a_label_is_of_the_word_for_which_the_panel_was_opened(
    paper: Paper, session_of: Any
) -> None:
    session = session_of()
    page = paper.show(*HeadPicker(session).with_panel().children)
    page.keyboard.press("l")
    page.keyboard.type("nsu")
    before = page.inner_text(".question")
    page.click(".deppa-panel button")
    page.wait_for_function(
        "(text) => document.querySelector('.question').innerText !== text", arg=before
    )
    assert page.locator(".panel").is_hidden()
    page.keyboard.press("Enter")
    assert answers(session) == []


def test_a_label_panel_of_a_sequence_closes_with_its_word(paper: Paper, session_of: Any) -> None:
    words = Sequence(("word", "label"), (("to", "New", "York"), ("_", "_", "_")))
    session = session_of(SequenceBank((words,), "slots"), parser=None, strategy=LABELLING)
    page = paper.show(LabelPicker(session, names=["O", "B-city"]))
    page.keyboard.press("l")
    page.click('.word[data-word="2"]')
    assert page.locator(".panel").is_hidden() and active(page) == 2
    page.keyboard.press("2")
    page.wait_for_selector('.deppa[data-state="saved"]')
    assert [(event.token, event.new) for event in answers(session)] == [(2, "B-city")]


def test_done_takes_what_is_certain_too(paper: Paper, session_of: Any) -> None:
    session = session_of(certain=0.3)
    page = paper.show(HeadPicker(session, mode="sentence"))
    words = page.locator(".word").count()
    drawn = dict(page.eval_on_selector_all(".arc", ARCS))
    assert session.certain_words[session.tasks[0].name]
    page.keyboard.press(".")
    page.wait_for_selector('.deppa[data-state="saved"]')
    given = {event.token: event.new for event in answers(session) if event.what == "head"}
    assert len(given) == words and given == drawn


def test_an_older_answer_that_was_not_taken_stays_in_view(paper: Paper, session_of: Any) -> None:
    session = session_of()
    picker = HeadPicker(session)
    hello = {"kind": "hello", "page": "other", "tab": "other"}
    task = picker.desk.handle(hello)[0]["tasks"][0]
    at = {
        "what": "head",
        "sentence": task["sentence"],
        "token": task["tokens"][0],
        "task": "partial",
    }
    newer = {**at, "new": 0, "utc": "2026-11-17T09:01:00.000Z"}
    older = {**at, "new": 1 + (task["tokens"][0] == 1), "utc": "2026-11-17T09:00:00.000Z"}
    act = {"client": "other-1", "events": [newer]}
    picker.desk.handle({"kind": "acts", "page": "other", "acts": [act]})
    picker.desk = type(picker.desk)(session, picker.shown, picker.estimated)  # of another kernel
    left = {"client": "old-1", "undo_of": None, "events": [older]}
    key = f"deppa:{picker.log}:1:0000:old-1"
    paper.page.evaluate(
        "([key, act]) => localStorage.setItem(key, JSON.stringify(act))", [key, left]
    )
    page = paper.show(picker)
    page.wait_for_selector(".refusals button")
    page.keyboard.press("s")
    assert "an older answer" in page.inner_text(".refusals")
    page.click(".refusals button")
    assert page.inner_text(".refusals") == ""
    assert session.recorder.said.heads == {(at["sentence"], at["token"]): 0}


def test_the_banner_says_what_is_gone(paper: Paper, session_of: Any) -> None:
    session = session_of()
    page = paper.show(HeadPicker(session))
    paper.kernel_lives = False
    page.keyboard.press("1")
    page.wait_for_selector(".status:has-text('1 answer waits in this browser')")
    assert "run the cells again" in page.inner_text(".status")
    page.route("http://paper/", lambda route: route.abort())
    page.wait_for_selector(".status:has-text('deppa annotate')")
    assert "1 answer waits" in page.inner_text(".status")
    paper.kernel_lives = True
    page.wait_for_selector('.deppa[data-state="saved"]')
    assert len(answers(session)) == 1


def test_who_waits_for_the_compiler_is_told(
    paper: Paper, session_of: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("deppa_nb.active.session.cache_folder", lambda: tmp_path / "none")
    paper.kernel_lives = False
    page = paper.show(HeadPicker(session_of()), waits_for=".question:has-text('Compiling (once')")
    paper.kernel_lives = True
    page.wait_for_selector(".word.active")


def test_caps_lock_says_nothing_and_shift_z_does_it_again(paper: Paper, session_of: Any) -> None:
    session = session_of()
    page = paper.show(HeadPicker(session))
    press = """(keys) => keys.forEach(([key, shiftKey, ctrlKey]) =>
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, ctrlKey, bubbles: true })))"""
    page.focus(".deppa")
    keys = [("S", False, False), ("U", False, False), ("u", True, False)]  # with Caps Lock
    page.evaluate(press, [*keys, ("z", False, True), ("Z", True, True)])
    page.wait_for_selector('.deppa[data-state="saved"]')
    given = answers(session)
    assert [event.what for event in given] == ["skip", "undo", "undo", "undo", "undo"]
    assert [event.undo_of for event in given[1:]] == [
        given[0].act, given[1].act, given[0].act, given[3].act,
    ]  # fmt: skip


def test_a_blind_page_says_nothing_of_suggestions(paper: Paper, session_of: Any) -> None:
    page = paper.show(HeadPicker(session_of(), blind=True))
    page.keyboard.press("?")
    told = page.inner_text(".panel")
    assert "likeliest" not in told and "1–9" not in told and "suggested" not in told


def test_a_held_key_is_no_label(paper: Paper, session_of: Any) -> None:
    page = paper.show(HeadPicker(session_of(), labels=True))
    for _ in range(3):
        page.keyboard.down("1")
    assert page.input_value(".panel input") == ""


def test_what_was_skipped_is_asked_at_once(paper: Paper, session_of: Any) -> None:
    session = session_of()
    page = paper.show(HeadPicker(session))
    page.keyboard.press("Shift+S")
    page.wait_for_selector(".notice:has-text('Nothing was skipped')")
    first, asked = page.inner_text(".question"), sum(len(t.query.tokens) for t in session.tasks)
    for key in ("s", "1", "1", "Shift+S"):
        page.keyboard.press(key)
        page.wait_for_selector('.deppa[data-state="saved"]')
    page.wait_for_selector(".notice:has-text('asked once more')")
    assert page.inner_text(".question") == first
    assert page.inner_text(".where") == f"anna · 2 given · {asked - 2} open"
    page.keyboard.press("1")
    page.wait_for_selector('.deppa[data-state="saved"]')
    assert page.inner_text(".where") == f"anna · 3 given · {asked - 3} open"


def test_what_differs_is_in_view_at_twice_the_size(paper: Paper, session_of: Any) -> None:
    parser = MSTParser(bits=14, epochs=1, progress=False)
    session = session_of(LONG, parser=parser, strategy="light-margin", batch=1)
    paper.page.set_viewport_size({"width": 560, "height": 330})
    paper.page.add_style_tag(content=style())
    page = paper.show(TreeChoice(session), waits_for=".canvas svg")
    canvas = page.locator(".canvas").bounding_box()
    assert canvas["y"] + canvas["height"] <= 330
    assert page.locator(".choices").bounding_box()["y"] < canvas["y"]
    a, b = session.tasks[0].query.trees
    differ = [m for m in range(1, len(a)) if a[m] != b[m]]
    for m in differ:
        box = page.locator(f'text[data-word="{m}"]').first.bounding_box()
        assert (
            canvas["y"] <= box["y"] and box["y"] + box["height"] <= canvas["y"] + canvas["height"]
        )
        page.keyboard.press("ArrowRight")


def test_answers_of_an_earlier_session_are_drawn_and_counted(paper: Paper, session_of: Any) -> None:
    one = Treebank((TOY[30],), "one")
    session = session_of(one, parser=None, strategy="pa-random", batch=1)
    name = one[0].sent_id
    given = Event("head", name, 2, "partial", new=0)
    session.recorder.record([Act("long-ago", (given,))])
    session.tasks.clear()  # as if others had come in between
    page = paper.show(HeadPicker(session))
    page.wait_for_selector('.arc.human[data-word="2"][data-head="0"]')
    assert page.inner_text(".where").startswith("anna · 1 given")
    page.click(".deppa .keys button:has-text('Skip')")
    page.wait_for_selector('.deppa[data-state="saved"]')
    page.keyboard.press("u")
    page.wait_for_selector(".notice:has-text('Taken back')")
    assert session.recorder.said.heads == {(name, 2): 0}, "the last act, not the oldest"
