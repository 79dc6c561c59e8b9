"""Charts as files: three of them, the same bytes each time, whole or not at all."""

import xml.etree.ElementTree as ET
from pathlib import Path

import altair as alt
import pandas as pd
import pytest

from deppa_nb.errors import ArgumentError, DeppaError
from deppa_nb.reports.charts import curve_chart, export, length_chart, save_chart, tag_chart, to_svg


def chart(top=85.0):
    points = [
        {"strategy": name, "seed": seed, "round": r, "dependencies": 100 * r, "uas": top - k - r - seed / 9}
        for k, name in enumerate(("pa-gap", "fa-random")) for seed in (1, 2) for r in (1, 2)
    ]  # fmt: skip
    return curve_chart(pd.DataFrame(points), full=90.0)


def test_three_files(tmp_path):
    found = save_chart(chart(), tmp_path / "new" / "figure.3")
    assert found == tuple(tmp_path / "new" / f"figure.3.{end}" for end in ("svg", "png", "json"))
    assert {path.name for path in (tmp_path / "new").iterdir()} == {path.name for path in found}
    assert ET.parse(found.svg).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    data = found.png.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width = float(ET.parse(found.svg).getroot().get("width"))
    assert int.from_bytes(data[16:20]) == pytest.approx(2 * width, abs=2)


def test_the_json_is_the_chart(tmp_path):
    path = save_chart(chart(), tmp_path / "figure").json
    again = alt.Chart.from_json(path.read_text(encoding="utf-8"))
    assert isinstance(again, alt.LayerChart) and again.to_dict() == chart().to_dict()
    assert to_svg(again) == to_svg(chart())


def test_the_same_bytes(tmp_path):
    first = [path.read_bytes() for path in save_chart(chart(), tmp_path / "a")]
    assert [path.read_bytes() for path in save_chart(chart(), tmp_path / "b")] == first
    other = [path.read_bytes() for path in save_chart(chart(80.0), tmp_path / "a")]
    assert all(one != two for one, two in zip(first, other, strict=True))


def test_what_cannot_be_made_leaves_the_old_files(tmp_path, monkeypatch):
    before = [path.read_bytes() for path in save_chart(chart(), tmp_path / "a")]

    def fails(_):
        raise RuntimeError("no memory")

    monkeypatch.setattr(export, "to_png", fails)
    with pytest.raises(RuntimeError):
        save_chart(chart(80.0), tmp_path / "a")
    assert [(tmp_path / f"a.{end}").read_bytes() for end in ("svg", "png", "json")] == before
    assert len(list(tmp_path.iterdir())) == 3


def test_a_folder_that_cannot_be_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DeppaError, match="cannot be written"):
        save_chart(chart(), tmp_path / "file" / "figure")
    with pytest.raises(DeppaError, match="has no name"):
        save_chart(chart(), Path())


def test_a_chart_of_too_many_rows_is_refused(tmp_path):
    large = alt.Chart(pd.DataFrame({"x": range(5001)})).mark_point().encode(alt.X("x:Q"))
    with pytest.raises(ArgumentError, match="large: 5,001 rows to draw, expected at most 5,000"):
        save_chart(large, tmp_path / "large")
    assert not list(tmp_path.iterdir())


def test_charts_of_corpora():
    lengths = pd.DataFrame({"corpus": ["a", "a", "b"], "length": [4, 8, 12]})
    spec = length_chart(lengths).to_dict()
    assert spec["title"]["text"] == ["Sentences have 6.0 words on average in a, 12.0 in b"]
    rows = next(iter(spec["datasets"].values()))
    assert {(row["corpus"], row["length"]): row["share"] for row in rows} == {
        ("a", 0): 50,
        ("a", 5): 50,
        ("b", 10): 100,
    }
    shares = pd.DataFrame({"corpus": ["a", "a"], "upos": ["NOUN", "VERB"], "share": [60.0, 40.0]})
    assert tag_chart(shares).to_dict()["title"]["text"] == [
        "NOUN is the most frequent tag, 60% of the words"
    ]
    other = pd.DataFrame({"corpus": ["b", "b"], "upos": ["NOUN", "VERB"], "share": [45.0, 55.0]})
    mixed = tag_chart(pd.concat([shares, other])).to_dict()["title"]["text"]
    assert (
        " ".join(mixed)
        == "NOUN is the most frequent tag, 52% of the words on average, but not in every corpus"
    )
    alone = length_chart(lengths[lengths["corpus"] == "a"]).to_dict()["title"]["text"]
    assert alone == ["Sentences have 6.0 words on average in a"]
    with pytest.raises(ArgumentError, match="length_chart: no rows"):
        length_chart(lengths.iloc[:0])
    with pytest.raises(ArgumentError, match="tag_chart: no column upos"):
        tag_chart(lengths)
