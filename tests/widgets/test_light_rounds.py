"""Light feedback by hand: the buttons without a browser."""

from deppa_widgets import LightRounds

from deppa_nb import MSTParser, load
from deppa_nb.experiments.mejer2012_walk import Rounds


def test_buttons():
    bank = load("toy-en", sizes={"train": 30, "dev": 5, "test": 5}).train
    rounds = Rounds(MSTParser(bits=14, epochs=1, progress=False).fit(bank[:10]), bank[10:])
    view = LightRounds(rounds)
    first = view.question.value
    assert first.startswith("<b>Does ") and "only in B" in view.tree.value
    view.buttons[0].click()
    assert rounds.asked[-1]["answer"] == "A" and view.question.value != first
    assert "weights moved" in view.said.value and "score before" in view.changed.value
    view.buttons[2].click()
    assert rounds.asked[-1]["answer"] == "equal"
    right = {1: "A", -1: "B", 0: "equal"}[rounds.gold]
    view.treebank.click()
    assert rounds.asked[-1]["answer"] == right and len(rounds.asked) == 3
