"""Light feedback by hand: two trees, a question, buttons for the answer, and what it changed."""

from html import escape
from typing import Any, Protocol

import ipywidgets
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.reports.trees import choice_svg

__all__ = ["LightRounds"]

_BUTTONS = {"A is better": 1, "B is better": -1, "equally good": 0}


class Asking(Protocol):
    """What is asked of the rounds, see `deppa_nb.experiments.mejer2012_walk.Rounds`."""

    asked: list[dict[str, object]]

    @property
    def sentence(self) -> Sentence: ...
    @property
    def trees(self) -> NDArray[np.int32]: ...
    @property
    def question(self) -> str: ...
    @property
    def gold(self) -> int: ...
    def answer(self, choice: int) -> pd.DataFrame: ...


class LightRounds(ipywidgets.VBox):  # type: ignore[misc, unused-ignore]
    """One question after the other; the parser learns from each answer.

    Parameters
    ----------
    rounds
        Who asks.
    """

    def __init__(self, rounds: Asking) -> None:
        self._rounds = rounds
        self.tree, self.question = ipywidgets.HTML(), ipywidgets.HTML()
        self.said, self.changed = ipywidgets.HTML(), ipywidgets.HTML()
        self.buttons = [ipywidgets.Button(description=text) for text in _BUTTONS]
        self.treebank = ipywidgets.Button(description="ask the treebank", button_style="info")
        for button in (*self.buttons, self.treebank):
            button.on_click(self._answer)
        row = ipywidgets.HBox([*self.buttons, self.treebank])
        super().__init__([self.tree, self.question, row, self.said, self.changed])
        self._show()

    def _show(self) -> None:
        self.tree.value = choice_svg(self._rounds.sentence, self._rounds.trees)
        self.question.value = f"<b>{escape(self._rounds.question)}</b>"

    def _answer(self, button: Any) -> None:
        choice = _BUTTONS.get(button.description, self._rounds.gold)
        changed = self._rounds.answer(choice)
        last = self._rounds.asked[-1]
        self.said.value = (
            f"{len(self._rounds.asked)}. {escape(str(last['question']))} "
            f"<b>{last['answer']}</b>: α = {last['alpha']:.4f}, {last['weights']} weights moved."
        )
        self.changed.value = changed.to_html(float_format="{:.3f}".format, escape=True)
        self._show()
