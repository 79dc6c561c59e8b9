"""One offline HTML page of tables and figures."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import mistune
import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

__all__ = ["Figure", "Section", "Table", "Text", "render"]


@dataclass(frozen=True)
class Table:
    """A data frame under a caption; its index is the first column, unless it only counts.

    Attributes
    ----------
    caption, frame
        What is shown.
    beside
        What the paper reports, shown beside it.
    stacked
        Whether a row becomes a block on a narrow screen: for tables with much text.
    """

    caption: str
    frame: pd.DataFrame
    beside: "Table | None" = None
    stacked: bool = False

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [str(name) for name in self._shown().columns]

    @property
    def rows(self) -> list[list[str]]:
        """The values as they are shown."""
        return [[_shown(value) for value in row] for row in self._shown().itertuples(index=False)]

    def _shown(self) -> pd.DataFrame:
        counts = self.frame.index.name is None and self.frame.index.inferred_type == "integer"
        return self.frame.reset_index(drop=counts)


@dataclass(frozen=True)
class Figure:
    """An SVG element of ours over a caption; `beside`: what the paper reports."""

    caption: str
    svg: str
    beside: Table | None = None


@dataclass(frozen=True)
class Text:
    """Markdown under a heading of its own; HTML in it is shown, not interpreted."""

    title: str
    markdown: str

    @property
    def html(self) -> Markup:
        """What it looks like."""
        return Markup(mistune.create_markdown(renderer=_Renderer(escape=True))(self.markdown))


class _Renderer(mistune.HTMLRenderer):
    """Loads nothing: what would be a picture from elsewhere is its text."""

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Return the words that stand for a picture."""
        return str(escape(text))


@dataclass(frozen=True)
class Section:
    """A part of the page: its blocks, in order."""

    title: str
    text: str = ""
    blocks: Sequence[Table | Figure | Text] = field(default_factory=tuple)


def render(
    title: str, summary: str, sections: Sequence[Section], provenance: Mapping[str, str]
) -> str:
    """Return the page; all text is escaped, nothing is loaded from elsewhere."""
    environment = Environment(
        loader=PackageLoader("deppa_nb.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["kind"] = lambda block: type(block).__name__
    return environment.get_template("page.html").render(
        title=title, summary=summary, sections=sections, provenance=provenance
    )


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool | np.bool_):
        return {None: "", True: "yes", False: "no"}[None if value is None else bool(value)]
    if isinstance(value, Integral):
        return f"{value:,}"
    if not isinstance(value, Real):
        return str(value)
    number = float(value)
    if math.isnan(number):
        return ""
    if number.is_integer():
        return f"{number:,.0f}"
    return f"{number:,.2f}" if abs(number) >= 0.1 else f"{number:.2g}"
