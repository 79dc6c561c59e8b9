"""TreeView, TreeChoice, LabelPicker, RoundPanel, and the annotation notebook, in a browser."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import deppa_nb as dp

CHOICE = (
    "import deppa_nb as dp\nparser = dp.MSTParser(bits=14, epochs=1, progress=False)\n"
    'session = Session(bank, "choice2.jsonl", annotator="anna", parser=parser, strategy="light-margin", batch=5)\n'
    "TreeChoice(session).with_panel()"
)
LABELS = (
    "from deppa_nb.active.strategies import LABELLING\n"
    'bank = dp.SequenceBank((dp.Sequence(("word", "label"), (("fly", "to", "New", "York"), ("O", "_", "_", "_"))),), "slots")\n'
    'session = Session(bank, "labels2.jsonl", annotator="anna", parser=None, strategy=LABELLING)\n'
    'LabelPicker(session, names=["O", "B-city", "I-city"])'
)
VIEW = (
    "from IPython.display import display\n"
    'gold = dp.load("toy-en").train[2486]\n'
    "display(TreeView(gold))\n"
    "TreeView.comparison(gold, [0] + [1] * (len(gold) - 1))"
)


def test_the_better_tree(lab: Any, desk: Any, tmp_path: Path) -> None:
    desk.show("choice", widget=CHOICE, waits_for='.deppa-choice [data-style="second"]')
    page = desk.page
    page.screenshot(path=tmp_path / "choice.png")
    desk.press("a", "b", "=", "u").wait_saved()
    said = [(e["what"], e["new"]) for e in lab.answers("choice2")]
    assert said == [("tree", "A"), ("tree", "B"), ("tree", "equal"), ("undo", None)]
    assert all(len(e["trees"]) == 2 for e in lab.answers("choice2")[:3])
    assert page.locator(".jp-Cell").count() == 1
    page.wait_for_selector(".deppa-panel .fact")
    assert "trees compared" in desk.text(".deppa-panel")
    page.click(".deppa-choice [data-choice], .deppa-choice .chip >> nth=0")
    desk.wait_saved()
    assert lab.answers("choice2")[-1]["how"] == "click"


def test_labels_of_sequences(lab: Any, desk: Any, tmp_path: Path) -> None:
    desk.show("slots", widget=LABELS, waits_for=".deppa-labels .word.active")
    desk.press("1", "2", "l")
    desk.page.keyboard.type("I-")
    desk.page.screenshot(path=tmp_path / "labels.png")
    desk.press("Enter").wait_saved()
    assert [(e["token"], e["new"]) for e in lab.answers("labels2")] == [
        (2, "O"),
        (3, "B-city"),
        (4, "I-city"),
    ]
    desk.page.wait_for_selector(".deppa-labels .question:has-text('Thank you')")


def test_a_tree_to_look_at(lab: Any, desk: Any, tmp_path: Path) -> None:
    desk.show("view", widget=VIEW, waits_for=".deppa-view svg [data-head]")
    page = desk.page
    assert page.locator(".deppa-view").count() == 2
    page.focus(".deppa-view >> nth=0")
    desk.press("ArrowRight", "ArrowRight")
    assert "→" in desk.text(".deppa-view .notice >> nth=0")
    page.screenshot(path=tmp_path / "view.png")
    wide = page.evaluate("document.querySelector('.deppa-view svg').getBoundingClientRect().width")
    page.set_viewport_size({"width": 620, "height": 900})
    page.wait_for_function(
        f"document.querySelector('.deppa-view svg').getBoundingClientRect().width < {wide}"
    )


def test_deppa_annotate_opens_at_the_question(browser: Any, tmp_path: Path) -> None:
    bank = dp.load("toy-short", sizes={"train": 80}).train
    half = [s if j < 20 else s.with_heads([-1] * len(s)) for j, s in enumerate(bank)]
    dp.write_conllu(tmp_path / "my file.conllu", half)
    before = (tmp_path / "my file.conllu").read_bytes()
    main = "from deppa_nb.cli import main; main()"
    command = [
        sys.executable,
        "-c",
        main,
        "annotate",
        "my file.conllu",
        "--annotator",
        "anna",
        "--no-browser",
    ]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONUNBUFFERED": "1",
            "JUPYTER_CONFIG_DIR": str(tmp_path / ".config"),
        },
    )
    assert process.stdout is not None
    told = {}
    for line in process.stdout:
        name, _, value = line.partition(":")
        told[name] = value.strip()
        if name == "address":
            break
    try:
        page = browser.new_page()
        page.goto(told["address"])
        page.wait_for_selector(".deppa-picker .word.active", timeout=90_000)
        page.wait_for_selector('.deppa-picker[data-state="saved"]')
        page.wait_for_function("document.activeElement?.closest('.deppa')")
        page.keyboard.press("1")
        page.wait_for_function(
            "document.querySelector('.deppa .where').textContent.includes('1 given')"
        )
        page.wait_for_selector('.deppa-picker[data-state="saved"]')
        page.close()
    finally:
        ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN  # tests under nohup
        process.send_signal(signal.SIGTERM if ignored else signal.SIGHUP)  # a closed terminal
        rest = process.communicate(timeout=90)[0]
    assert "exported" in rest and process.returncode == 0
    assert Path(told["log"]).read_text().count('"what": "head"') == 1
    assert Path(told["treebank"]).read_text().count("Annotator=anna") == 1
    assert Path(told["working copy"]).exists()
    assert (tmp_path / "my file.conllu").read_bytes() == before
