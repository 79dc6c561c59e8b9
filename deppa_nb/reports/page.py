"""One offline HTML page of tables and figures."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

__all__ = ["Figure", "Section", "Table", "render"]


@dataclass(frozen=True)
class Table:
    """A data frame (its index is the first column) under a caption."""

    caption: str
    frame: pd.DataFrame

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [str(name) for name in self.frame.reset_index().columns]

    @property
    def rows(self) -> list[list[str]]:
        """The values as they are shown."""
        return [[_shown(value) for value in row] for row in self.frame.reset_index().to_numpy()]


@dataclass(frozen=True)
class Figure:
    """An SVG element of ours over a caption."""

    caption: str
    svg: str


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    title: str
    text: str = ""
    tables: Sequence[Table] = field(default_factory=tuple)
    figures: Sequence[Figure] = field(default_factory=tuple)


def render(
    title: str, summary: str, sections: Sequence[Section], provenance: Mapping[str, str]
) -> str:
    """Return the page; all text is escaped, nothing is loaded from elsewhere."""
    loader = PackageLoader("deppa_nb.reports")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("page.html").render(
        title=title, summary=summary, sections=sections, provenance=provenance
    )


def _shown(value: Any) -> str:
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        return f"{value:,.0f}" if value.is_integer() else f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
