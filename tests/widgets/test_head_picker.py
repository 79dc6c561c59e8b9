"""HeadPicker in JupyterLab, by mouse and keyboard: one key, one answer, none ever lost."""

import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

TREE = ".deppa .deppa-tree"


def word(m: int) -> str:
    return f'{TREE} .word[data-word="{m}"]'


def active(page: Any) -> int:
    return int(page.get_attribute(f"{TREE} .word.active", "data-word"))


def question(page: Any) -> str:
    return str(page.inner_text(".deppa .question"))


def test_one_key_is_one_answer_and_no_command_of_the_notebook(lab: Any, desk: Any) -> None:
    desk.show("keys")
    page = desk.page
    cells = page.locator(".jp-Cell").count()
    asked = active(page)
    best = page.get_attribute(f"{TREE} .word:has(.digit:text-is('1'))", "data-word")
    desk.press("1").wait_saved()
    (event,) = lab.answers("keys")
    assert (event["what"], event["token"], event["rank"], event["how"]) == ("head", asked, 1, "key")
    assert best is None or event["new"] == int(best)
    assert event["model"] and event["strategy"] == "pa-gap" and 0 < event["probability"] <= 1
    desk.press(
        "2", "s", "f", "ArrowUp", "ArrowDown", "?", "Escape", "b", "m", "x", "3"
    ).wait_saved()
    assert page.locator(".jp-Cell").count() == cells == 1
    assert page.locator(".jp-CodeCell").count() == 1
    assert [event["what"] for event in lab.answers("keys")][:4] == [
        "head",
        "head",
        "skip",
        "unsure",
    ]
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('.deppa')")
    shown = [event for event in lab.events("keys") if event["what"] == "shown"]
    assert shown and all(event["ms"] >= 0 and event["visible"] for event in shown)


def test_click_undo_redo_and_arrows(lab: Any, desk: Any) -> None:
    desk.show("mouse")
    page, first = desk.page, question(desk.page)
    asked = active(page)
    other = 1 if asked != 1 else 2
    page.click(word(other))
    desk.wait_saved()
    assert question(page) != first or active(page) != asked
    assert lab.answers("mouse")[-1]["new"] == other and lab.answers("mouse")[-1]["how"] == "click"
    desk.press("u").wait_saved()
    assert active(page) == asked and page.locator(f"{TREE} .arc.human").count() == 0
    desk.press("Shift+U").wait_saved()
    assert page.locator(f"{TREE} .arc.human").count() == 1
    desk.press("Control+z").wait_saved()
    desk.press("Control+y").wait_saved()
    undo = [(event["what"], event["undo_of"]) for event in lab.answers("mouse")][1:]
    given = lab.answers("mouse")[0]["seq"]
    assert [what for what, _ in undo] == ["undo"] * 4
    assert undo[0][1] == given and undo[2][1] == given
    desk.press("Backspace").wait_saved()
    assert lab.answers("mouse")[-1]["new"] is None
    desk.press("Home", "ArrowRight")
    assert page.locator(f"{TREE} .word.cursor").count() == 1
    if active(page) == 1:
        desk.press("ArrowRight")
    desk.press("Enter").wait_saved()
    assert lab.answers("mouse")[-1]["what"] == "head"


def test_labels_by_type_ahead_and_cycles_with_a_reason(lab: Any, desk: Any) -> None:
    bank = (
        'bank = dp.Treebank((dp.Sentence.of(["a", "b", "c", "d"], sent_id="s1"), '
        'dp.Sentence.of(["e", "f"], [2, 0], labels=["nsubj", "root"], sent_id="s2")), "mine")'
    )
    desk.show("labels", bank=bank, strategy="fa-random", widget="HeadPicker(session, blind=True)")
    page = desk.page
    assert page.locator(f"{TREE} .arc").count() == 0 and page.locator(f"{TREE} .digit").count() == 0
    desk.press("l")
    page.keyboard.type("nsu")
    desk.press("Enter").wait_saved()
    assert [(e["what"], e["token"], e["new"]) for e in lab.answers("labels")] == [
        ("label", 1, "nsubj")
    ]
    page.click(word(2))
    assert active(page) == 2
    page.click(word(1))
    assert "cycle" in desk.text(".deppa .notice")
    assert "cycle" in str(page.get_attribute(word(1), "class"))
    assert "cycle" in str(page.get_attribute(word(1), "aria-label"))
    page.click(word(4))
    assert active(page) == 3
    desk.press("0")
    assert "cross" in desk.text(".deppa .notice")
    desk.press("0").wait_saved()
    heads = [(e["token"], e["new"]) for e in lab.answers("labels") if e["what"] == "head"]
    assert heads == [(1, 2), (2, 4), (3, 0)]


def test_what_is_skipped_is_asked_again_and_undo_shows_what_it_takes_back(
    lab: Any, desk: Any
) -> None:
    bank = (
        "from deppa_nb.active.log import Event\n"
        "from deppa_nb.active.log_writer import LogWriter\n"
        'bank = dp.Treebank(tuple(dp.Sentence.of([f"a{k}", "b"], [-1, 0], sent_id=f"s{k}") for k in range(6))\n'
        '+ (dp.Sentence.of(["c", "d", "e"], sent_id="x"),), "mine")\n'
        'with LogWriter("again.jsonl", annotator="anna", treebank=bank) as log:\n'
        '    log.append(Event("head", "x", 1, "partial", new=2))\n'
        "    for k in range(6):\n"
        '        log.append(Event("head", f"s{k}", 1, "partial", new=2))'
    )
    desk.show("again", bank=bank, strategy="pa-random")
    assert "7 given · 2 open" in desk.text(".deppa .where")
    desk.press("s")
    assert "7 given · 1 skipped · 1 open" in desk.text(".deppa .where")
    desk.press(".").wait_saved()
    desk.wait_text(".deppa .where", "7 given · 2 open")
    assert "asked once more" in desk.text(".deppa .notice")
    desk.press("s", ".").wait_saved()
    desk.wait_text(".deppa .question", "No question is left but the 2 skipped")
    desk.press("ArrowUp")
    assert "Which word is the head of e" in question(desk.page)
    desk.press("u", "u", "u", "u", "u")
    assert "Taken back: “a5” ← “b”." in desk.text(".deppa .notice")
    assert "head of a5" in question(desk.page)
    desk.press("u", "u", "u", "u", "u").wait_saved()
    assert "Nothing to undo here" in desk.text(".deppa .notice")
    undone = [event["undo_of"] for event in lab.answers("again") if event["what"] == "undo"]
    assert len(undone) == 9 and 1 not in undone, "the answer about x is not on this page"
    desk.press("s")
    assert "Nothing to undo" not in desk.text(".deppa .notice")


def test_a_head_without_its_label_is_open(lab: Any, desk: Any) -> None:
    page = desk.page
    page.set_viewport_size({"width": 1200, "height": 500})
    bank = 'bank = dp.Treebank((dp.Sentence.of(["a", "b"], sent_id="s1"),), "mine")'
    desk.show("unlabelled", bank=bank, widget="HeadPicker(session, labels=True)")
    desk.press("1")
    assert "No suggestions yet" in desk.text(".deppa .notice")
    desk.press("?")
    box = page.locator(".deppa .panel").bounding_box()
    assert box["y"] + box["height"] <= 500, "help is in view"
    desk.press("f", "ArrowUp", "0")
    page.keyboard.type("my label")
    assert "no spaces" in desk.text(".deppa .panel")
    desk.press("Escape")
    assert "Which label has a" in question(page)
    assert "0 given · 2 open" in desk.text(".deppa .where")
    desk.press("l")
    page.keyboard.type("subj")  # of which there are known ones that contain it
    desk.press("Enter").wait_saved()
    assert "1 given · 1 open" in desk.text(".deppa .where")
    assert lab.answers("unlabelled")[-1]["new"] == "subj"


def test_loading_the_page_again_loses_nothing(lab: Any, desk: Any) -> None:
    desk.show("reload")
    desk.press("1", "1", "1").wait_saved()
    before = question(desk.page)
    desk.save()
    desk.page.reload()
    desk.page.wait_for_selector(".deppa .word.active")
    desk.wait_saved()
    assert question(desk.page) == before and "3 given" in desk.text(".deppa .where")
    desk.page.focus(".deppa")
    desk.press("1").wait_saved()
    assert len(lab.answers("reload")) == 4


def test_two_tabs(lab: Any, desk: Any) -> None:
    first = desk.show("tabs")
    first.press("1").wait_saved()
    first.save()
    second = type(desk)(lab, desk.context)
    second.page.wait_for_selector(".deppa .word.active")
    second.page.wait_for_selector('.deppa[data-state="reads"]')
    assert "another tab" in second.text(".deppa .status")
    second.page.wait_for_timeout(5000)  # by then it would have claimed a log that nobody writes
    second.page.focus(".deppa")
    second.press("1", "1")
    assert len(lab.answers("tabs")) == 1
    first.page.bring_to_front()
    first.page.focus(".deppa")
    first.press("1").wait_saved()
    assert len(lab.answers("tabs")) == 2
    second.wait_text(".deppa .where", "2 given")
    second.page.bring_to_front()
    second.page.click(".deppa .status button")
    second.wait_saved()
    first.page.wait_for_selector('.deppa[data-state="reads"]')
    second.page.focus(".deppa")
    second.press("1").wait_saved()
    assert len(lab.answers("tabs")) == 3
    second.page.close()
    first.wait_saved()  # nobody else writes now


STRANGE = """
words = ["<script>alert(1)</script>", '"&', "<b>x</b>", "\\\\u202e"]
arabic = "ذهب الولد إلى المدرسة في الصباح الباكر".split()
long = [f"word{m}" for m in range(1, 121)]
bank = dp.Treebank(tuple(dp.Sentence.of(w, sent_id=f"s{k}") for k, w in enumerate((words, arabic, long))), "strange")
"""


def test_strange_forms_arabic_and_120_words(lab: Any, desk: Any, tmp_path: Path) -> None:
    desk.show("strange", bank=STRANGE, strategy="fa-random")
    page, seen = desk.page, set()
    for _ in range(3):
        forms = page.locator(f"{TREE} .form").all_text_contents()
        seen.add(len(forms))
        box = page.locator(".deppa").bounding_box()
        assert page.locator(TREE).bounding_box()["width"] <= box["width"]
        if len(forms) == 4:
            assert forms[0] == "<script>alert(1)</script>" and forms[1] == '"&'
        if len(forms) == 7:
            places = [page.locator(word(m)).bounding_box()["x"] for m in (1, 2, 3)]
            assert places == sorted(places, reverse=True)
            desk.press("ArrowLeft")
            assert page.get_attribute(f"{TREE} .word.cursor", "data-word") == str(active(page) + 1)
        if len(forms) == 120:
            lines = {round(page.locator(word(m)).bounding_box()["y"]) for m in (1, 60, 120)}
            assert len(lines) == 3
        page.locator(".deppa").screenshot(path=tmp_path / f"{len(forms)}.png")
        desk.press(".").wait_saved()
    assert seen == {4, 7, 120}
    assert (tmp_path / "7.png").stat().st_size > 3000


def test_at_twice_the_size_by_keyboard_alone(lab: Any, desk: Any) -> None:
    page = desk.page
    page.set_viewport_size({"width": 600, "height": 450})  # what 200 % leaves of the screen
    desk.show("zoom")
    assert page.evaluate(
        "document.querySelector('.deppa').scrollWidth <= document.querySelector('.deppa').clientWidth + 1"
    )
    seen = page.evaluate(
        """() => ["question", "choices", "canvas .word.active"].map((name) => {
          const box = document.querySelector(`.deppa .${name}`).getBoundingClientRect();
          const over = document.querySelector(".jp-NotebookPanel-toolbar").getBoundingClientRect().bottom;
          return box.top >= over - 1 && box.bottom <= innerHeight;
        })"""
    )
    assert seen == [True, True, True]
    outline = page.evaluate("getComputedStyle(document.querySelector('.deppa')).boxShadow")
    page.focus(".deppa")
    assert outline != "none"
    desk.press("1").wait_saved()
    assert len(lab.answers("zoom")) == 1


SPY = """() => {
window.made = []; window.acknowledged = [];
const client = (key) => key.split(":").at(-1), {setItem, removeItem} = Storage.prototype;
Storage.prototype.setItem = function (key, value) {
  if (key.startsWith("deppa:")) window.made.push(client(key));
  return setItem.call(this, key, value);
};
Storage.prototype.removeItem = function (key) {
  if (key.startsWith("deppa:")) window.acknowledged.push(client(key));
  return removeItem.call(this, key);
};
}"""


def test_a_killed_kernel_at_twenty_moments(lab: Any, desk: Any) -> None:
    """What the page took for saved is in the log; all that waited is written, once and in order."""
    page, dice = desk.page, random.Random(1)
    desk.clear()  # what another test left is still being saved, in another log
    page.evaluate(SPY)
    desk.show("killed", batch=200)
    for moment in range(20):
        page.focus(".deppa")
        for _ in range(dice.randrange(1, 5)):
            desk.press(dice.choice("112s"))
        time.sleep(dice.random() * 0.02)
        lab.kill("killed")
        saved, on_disk = page.evaluate("acknowledged"), {e["client"] for e in lab.events("killed")}
        assert set(saved) <= on_disk
        desk.press("1", "s")
        if not moment:
            desk.wait_text(".deppa .status", "run the cells again to save them")
        desk.restart().run().wait_saved()
    page.wait_for_function("made.length === acknowledged.length")
    events, made = lab.events("killed"), page.evaluate("made")
    assert Counter(event["client"] for event in events) == Counter(dict.fromkeys(made, 1))
    assert [event["client"] for event in events] == made
    assert len(lab.answers("killed")) >= 60
