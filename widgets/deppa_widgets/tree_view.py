"""TreeView: a tree to look at, whose static form is the picture of the report."""

from collections.abc import Callable, Sequence
from typing import Any, Self

import anywidget
import traitlets

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.reports.text_width import runs_right_to_left
from deppa_nb.reports.tree_input import Heads
from deppa_nb.reports.trees import comparison_svg, tree_svg
from deppa_widgets.sources import module, style, with_picture

__all__ = ["TreeView"]


class TreeView(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """A tree that shows the arcs of the word under pointer or cursor, and fits its place.

    Parameters
    ----------
    sentence, heads, options
        As of `reports.trees.tree_svg`: probabilities, styles (``"forced"`` for what people gave,
        ``"gold"``, ``"second"``), a second tree as `extra`, and so on.

    Examples
    --------
    >>> from deppa_nb.corpus.sentence import Sentence
    >>> view = TreeView(Sentence.of(["Fish", "swim"], heads=[2, 0]))
    >>> view.svg.count("data-head")
    2
    """

    _esm = module("dom", "tree_view")
    _css = style()
    svg = traitlets.Unicode().tag(sync=True)
    words: Any = traitlets.List().tag(sync=True)
    rtl = traitlets.Bool().tag(sync=True)
    width = traitlets.Float(900.0).tag(sync=True)

    def __init__(
        self, sentence: Sentence | Sequence[str], heads: Heads | None = None, **options: Any
    ) -> None:
        width, rtl = options.pop("width", 900), options.get("rtl")
        words = sentence.words if isinstance(sentence, Sentence) else sentence
        self._init(lambda wide: tree_svg(sentence, heads, width=wide, **options), words, width, rtl)

    @classmethod
    def comparison(
        cls, gold: Sentence, predicted: Sentence | Heads, *, width: float = 900, **options: Any
    ) -> Self:
        """Return a predicted tree with the gold arcs in the place of its mistakes.

        The options are those of `reports.trees.comparison_svg`.
        """
        view = cls.__new__(cls)
        view._init(
            lambda wide: comparison_svg(gold, predicted, width=wide, **options),
            gold.words,
            width,
            options.get("rtl"),
        )
        return view

    def _init(
        self, draw: Callable[[float], str], words: Sequence[str], width: float, rtl: bool | None
    ) -> None:
        self._draw = draw
        mirrored = runs_right_to_left(words) if rtl is None else rtl
        super().__init__(svg=draw(width), words=list(words), rtl=mirrored, width=width)

    @traitlets.observe("width")
    def _fit(self, change: Any) -> None:
        self.svg = self._draw(change["new"])

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Show the widget and, to those who have none, the picture."""
        return with_picture(super()._repr_mimebundle_(**options), self.svg)
