"""Pages of widgets in a browser but without a notebook: keys, clicks and what is drawn.

The widget's module gets a model whose messages go to the desk of this process and come back at once.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from deppa_widgets import HeadPicker

from deppa_nb.active.pool import Pool
from deppa_nb.active.session import Session
from deppa_nb.corpus.registry import load
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.models.crf import CRFParser

TOY = Treebank(tuple(Pool.hiding(load("toy-short", sizes={"train": 60}).train, seed=20)), "toy")

RENDER = """async ([number, source, state]) => {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const heard = {}, host = document.body.appendChild(document.createElement("div"));
  const model = {
    get: (name) => state[name],
    on: (kind, hear) => (heard[kind] ??= []).push(hear),
    off: () => {},
    send: async (message) => {
      for (const reply of await window.desk(number, message)) heard["msg:custom"]?.forEach((hear) => hear(reply));
    },
  };
  (await import(url)).default.render({ model, el: host });
}"""


class Paper:
    """Widgets on an empty page."""

    def __init__(self, page: Any) -> None:
        self.page, self._widgets = page, []
        page.expose_function("desk", self._answer)
        page.route("http://paper/", lambda route: route.fulfill(body="<!doctype html>"))
        page.goto("http://paper/")  # a page of nowhere has no memory

    def _answer(self, number: int, message: dict[str, Any]) -> list[dict[str, Any]]:
        widget, got = self._widgets[number], []
        widget.send = got.append
        widget._handle_custom_msg(message, [])
        return got

    def show(self, *widgets: Any) -> Any:
        for widget in widgets:
            self._widgets.append(widget)
            state = {name: widget.trait_values()[name] for name in widget.keys if name[0] != "_"}
            state = {name: state[name] for name in ("log", "options", "info") if name in state}
            self.page.evaluate(RENDER, [len(self._widgets) - 1, widget._esm, state])
        self.page.wait_for_selector(".word.active")
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
    page = paper.show(HeadPicker(session))
    for number in range(1, 13):
        drawn = page.locator(".arc.asked").first
        arc = (int(drawn.get_attribute("data-word")), int(drawn.get_attribute("data-head")))
        heads = [int(one) for one in page.eval_on_selector_all(
            ".arc", "arcs => arcs.map((arc) => arc.dataset.word)"
        )]  # fmt: skip
        assert len(set(heads)) == page.locator(".word").count(), "a whole tree is drawn"
        page.keyboard.press("1")
        page.wait_for_selector('.deppa[data-state="saved"]')
        given = answers(session)
        assert len(given) == number and (given[-1].token, given[-1].new) == arc
        assert given[-1].rank == 1
