"""What one given or forbidden head does to the rest of a sentence: two sliders and a tree."""

from html import escape
from typing import Any, Protocol, Self

import ipywidgets
import numpy as np
from numpy.typing import ArrayLike, NDArray

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.reports.trees import tree_svg

__all__ = ["Constrain", "WhatIf"]

_CANDIDATES = 5


class Trees(Protocol):
    """What is asked of a distribution over trees, see `deppa_nb.TreeDistribution`."""

    n: int
    entropy: float
    marginals: NDArray[np.float64]
    best: NDArray[np.int32]
    best_score: float

    def given(self, heads: ArrayLike | None = None, forbidden: ArrayLike | None = None) -> Self: ...
    def log_prob(self, heads: ArrayLike) -> float: ...


class WhatIf(ipywidgets.VBox):  # type: ignore[misc, unused-ignore]
    """The best tree and its probabilities when a word is given a head.

    Parameters
    ----------
    sentence
        Whose words are shown.
    trees
        The model's distribution over its trees.

    Examples
    --------
    >>> import deppa_nb as dp
    >>> sentence = dp.Sentence.of(["Fish", "swim"])
    >>> what = WhatIf(sentence, dp.TreeDistribution([[0, 0, 1], [0, 0, 0], [0, 0, 0]]))
    >>> what.word.value, what.head.value
    (1, 2)
    """

    def __init__(self, sentence: Sentence, trees: Trees) -> None:
        self._sentence, self._trees = sentence, trees
        wide = {"style": {"description_width": "4em"}, "layout": {"width": "34em"}}
        self.word = ipywidgets.IntSlider(1, 1, len(sentence), description="word", **wide)
        self.head = ipywidgets.SelectionSlider(options=[("", 0)], description="head", **wide)
        self.said, self.tree = ipywidgets.HTML(), ipywidgets.HTML()
        self.word.observe(self._choose, "value")
        self.head.observe(self._draw, "value")
        super().__init__([self.word, self.head, self.said, self.tree])
        self._choose()

    def _choose(self, change: Any = None) -> None:
        """Offer the heads that are possible, the likeliest first."""
        p = self._trees.marginals[:, self.word.value]
        likeliest = [int(h) for h in np.argsort(-p, kind="stable")[:_CANDIDATES] if p[h] > 0]
        names = ["root", *self._sentence.words]
        with self.head.hold_trait_notifications():
            self.head.options = [(f"{h} {names[h]}: {p[h]:.3f}", h) for h in likeliest]
        self._draw()

    def _draw(self, change: Any = None) -> None:
        heads = np.full(self._trees.n + 1, -1)
        heads[self.word.value] = self.head.value
        after = self._trees.given(heads)
        self.said.value = (
            f"log p(F | x) = {self._trees.log_prob(heads):.3f}; the entropy of all trees goes from "
            f"{self._trees.entropy:.3f} to {after.entropy:.3f}."
        )
        self.tree.value = tree_svg(
            self._sentence, after.best, [], probabilities=after.marginals,
            styles={self.word.value: "forced"}, legend={"plain": "the model's", "forced": "given"},
        )  # fmt: skip


class Constrain(WhatIf):
    """The best tree when an arc is forced or forbidden, and what that costs it.

    Parameters
    ----------
    sentence, trees
        As for `WhatIf`.

    Examples
    --------
    >>> import deppa_nb as dp
    >>> sentence = dp.Sentence.of(["Fish", "swim"])
    >>> constrain = Constrain(sentence, dp.TreeDistribution([[0, 0, 1], [0, 0, 0], [0, 0, 0]]))
    >>> constrain.how.value = "forbid"
    >>> constrain.said.value
    'The score of the best tree goes from 1.000 to 0.000; it has another head for 1 Fish, 2 swim.'
    """

    def __init__(self, sentence: Sentence, trees: Trees) -> None:
        self.how = ipywidgets.ToggleButtons(options=["force", "forbid"])
        self.how.observe(self._draw, "value")
        super().__init__(sentence, trees)
        self.children = (self.how, self.word, self.head, self.said, self.tree)

    def _draw(self, change: Any = None) -> None:
        word, head, n = self.word.value, self.head.value, self._trees.n
        heads, forbidden = np.full(n + 1, -1), np.zeros((n + 1, n + 1), bool)
        if self.how.value == "force":
            heads[word] = head
        else:
            forbidden[head, word] = True
        before, after = self._trees, self._trees.given(heads, forbidden)
        if not after.marginals.any():
            self.said.value, self.tree.value = "No tree is without this arc.", ""
            return
        changed = [m for m in range(1, n + 1) if before.best[m] != after.best[m]]
        names = ", ".join(f"{m} {self._sentence.words[m - 1]}" for m in changed)
        other = f"; it has another head for {escape(names)}." if changed else "; it stays the same."
        self.said.value = (
            f"The score of the best tree goes from {before.best_score:.3f} to "
            f"{after.best_score:.3f}{other}"
        )
        styles = dict.fromkeys(changed, "second")
        if self.how.value == "force":
            styles[word] = "forced"
        self.tree.value = tree_svg(
            self._sentence, after.best, [], styles=styles,
            legend={"plain": "as before", "second": "another head", "forced": "forced"},
        )  # fmt: skip
