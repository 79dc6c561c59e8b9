"""Charts as files, made without a network or a browser."""

import re
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import altair as alt
import vl_convert

from deppa_nb.corpus.textfile import PathLike, replacing
from deppa_nb.errors import DeppaError
from deppa_nb.reports.charts.parts import check_rows

__all__ = ["SavedChart", "save_chart", "to_png", "to_svg"]

_IDENTIFIER = re.compile(r'(?:\bid="|url\(#)(?:gradient_|clip)\d+')
_SCALE = 2  # pixels of an image for one of the chart's: sharp on paper and small screens
_VERSION = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


class SavedChart(NamedTuple):
    """Where a chart is."""

    svg: Path
    png: Path
    json: Path


def to_svg(chart: alt.TopLevelMixin) -> str:
    """Render a chart as SVG; several of them may be on one page."""
    drawn = str(vl_convert.vegalite_to_svg(chart.to_dict(), vl_version=_VERSION))
    # All are numbered from 0, and on a page the first one would serve every chart.
    own = sha256(drawn.encode()).hexdigest()[:8]
    return _IDENTIFIER.sub(rf"\g<0>_{own}", drawn)


def to_png(chart: alt.TopLevelMixin) -> bytes:
    """Render a chart as PNG, two pixels for one."""
    spec = chart.to_dict()
    return bytes(vl_convert.vegalite_to_png(spec, vl_version=_VERSION, scale=_SCALE))


def save_chart(chart: alt.TopLevelMixin, stem: PathLike) -> SavedChart:
    """Write a chart as SVG, PNG and Vega-Lite JSON, the same bytes for the same chart.

    All three are made before the first is written, and each file is the old one or the new one.

    Parameters
    ----------
    chart
        Any; one of more than `MAX_ROWS` rows is refused.
    stem
        Folder and name without an end: ``figures/3`` is written to ``figures/3.svg`` and so on.

    Examples
    --------
    >>> import pandas as pd
    >>> from deppa_nb.reports.charts import length_chart
    >>> chart = length_chart(pd.DataFrame({"corpus": ["a", "a"], "length": [4, 7]}))
    >>> save_chart(chart, "figures/length").svg  # doctest: +SKIP
    PosixPath('figures/length.svg')
    """
    target = Path(stem)
    if not target.name:
        raise DeppaError(f"{target}: has no name, expected a folder and a name")
    with alt.data_transformers.enable("default", max_rows=None):  # the check below is ours
        check_rows(target.name, _rows(chart.to_dict()))
    text = chart.to_json(indent=2, sort_keys=True) + "\n"
    files = {".svg": to_svg(chart).encode(), ".png": to_png(chart), ".json": text.encode()}
    paths = [target.with_name(target.name + end) for end in files]
    try:
        for path, data in zip(paths, files.values(), strict=True):
            with replacing(path) as file:
                file.write(data)
    except OSError as error:
        raise DeppaError(f"{target}: cannot be written ({error.strerror})") from error
    return SavedChart(*paths)


def _rows(spec: Any) -> int:
    """Return the rows of all data in a specification."""
    named = sum(len(rows) for rows in spec.get("datasets", {}).values())
    inline = spec.get("data", {}).get("values", [])
    return named + len(inline)
