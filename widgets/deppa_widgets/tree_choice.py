"""TreeChoice: which of two trees is better? The light feedback of Mejer and Crammer (2012)."""

from collections.abc import Sequence

import numpy as np

from deppa_nb.active.choosing import Task
from deppa_nb.active.session import Session
from deppa_nb.errors import ParameterError
from deppa_nb.reports.trees import tree_arcs, tree_svg
from deppa_widgets.annotating import Annotating
from deppa_widgets.desk import Message
from deppa_widgets.sources import module

__all__ = ["TreeChoice"]

_MEANINGS = {"plain": "in both", "forced": "only in A", "second": "only in B"}
_WIDTHS = (450, 900)  # for a narrow page, where words would be too small, and a wide one


class TreeChoice(Annotating):
    """Shows two trees over one sentence, the arcs of A above it and those of B below.

    Arcs that both have are drawn once, thin: what differs stands out, as in the paper's figure 2.

    Parameters
    ----------
    session
        Whose strategy asks for preferences.
    """

    _esm = module("dom", "page", "asking", "tree_choice")

    def __init__(self, session: Session) -> None:
        if session.strategy.kind != "preference":
            raise ParameterError(f"{session.strategy.name} does not ask which tree is better")
        super().__init__(session)

    def shown(self, tasks: Sequence[Task]) -> list[Message]:
        """Return the pictures of the pairs of trees, and the trees."""
        return [self._one(task) for task in tasks if task.query.trees is not None]

    def _one(self, task: Task) -> Message:
        trees = task.query.trees
        assert trees is not None
        words = self.session.recorder.sentences[task.name].words
        return {
            "sentence": task.name,
            "words": words,
            "kind": "tree",
            "trees": trees[:, 1:].tolist(),
            "differ": [
                [words[m - 1], *("root" if h == 0 else words[h - 1] for h in trees[:, m])]
                for m in np.flatnonzero(trees[0] != trees[1])
            ],
            "pictures": [(width, self._picture(task, width)) for width in _WIDTHS],
            "strategy": self.session.strategy.name,
            "model": self.session.model_hash or None,
        }

    def _picture(self, task: Task, width: float) -> str:
        trees = task.query.trees
        assert trees is not None
        item = self.session.recorder.sentences[task.name]
        differ = np.flatnonzero(trees[0] != trees[1]).tolist()
        second = tree_arcs(trees[1][1:], style="second", below=True)
        return tree_svg(
            item.words, trees[0], [], item.upos,
            styles=dict.fromkeys(differ, "forced"),
            extra=[arc for arc in second if arc.word in differ],
            highlight=differ, width=width, legend=_MEANINGS,
        )  # fmt: skip

    def static(self) -> str:
        """Return the first open pair."""
        left = self.session.left()
        return self._picture(left[0], _WIDTHS[-1]) if left else ""
