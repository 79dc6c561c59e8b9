"""The page is offline and escapes what it shows."""

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from deppa_nb.corpus.registry import load
from deppa_nb.reports.corpora import corpus_section
from deppa_nb.reports.page import Figure, Section, Table, render

Look = Callable[[Path, int, int], tuple[Path, str]]


@pytest.fixture(scope="module")
def page() -> str:
    sizes = {"train": 30, "dev": 5, "test": 5}
    corpora = [load(name, sizes=sizes) for name in ("toy-en", "toy-chunks", "toy-flights")]
    return render("T <title>", "s", [corpus_section(corpora)], {"k": "v"})


def test_nothing_is_loaded_from_elsewhere(page: str) -> None:
    links = re.findall(r"""(?:src|href)=["']?([^"'>\s]+)""", page)
    assert not [link for link in links if not link.startswith("#")]
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org", "")


def test_text_is_escaped(page: str) -> None:
    assert "T &lt;title&gt;" in page
    frame = pd.DataFrame({"n": [1.5, float("nan"), 2.0, 1234]}, index=["<b>", "b", "c", "d"])
    text = render("t", "s", [Section("x", blocks=[Table("c", frame), Figure("f", "<svg/>")])], {})
    assert Table("", pd.DataFrame({"n": [1]})).columns == ["n"]
    mixed = pd.DataFrame({"i": [12345], "b": [True], "x": [0.004], "o": [None], "f": [1234.5]})
    assert Table("", mixed).rows == [["12,345", "yes", "0.004", "", "1,234.50"]]
    assert Table("", pd.concat([mixed, mixed])).columns == ["i", "b", "x", "o", "f"]
    assert "&lt;b&gt;" in text and ">1.50</td>" in text and "></td>" in text
    assert ">1,234</td>" in text and "<svg/>" in text


def test_a_browser_shows_it(page: str, look: Look, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    shot, _ = look(tmp_path / "page.html", 1000, 1400)
    assert shot.stat().st_size > 20_000
