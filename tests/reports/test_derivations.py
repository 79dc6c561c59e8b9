"""Derivations and alignments as SVG; charts of entropies and clusters."""

import re
import xml.etree.ElementTree as ET

import pandas as pd
import pytest

from deppa_nb.corpus.derivation import derive
from deppa_nb.corpus.slots import SlotTree
from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts import cluster_map, entropy_chart, to_svg
from deppa_nb.reports.derivations import alignment_svg, derivation_svg

NAMES = {"svg": "http://www.w3.org/2000/svg"}
TREE = SlotTree.of_slots(
    "fly from new york to <b>".split(), ["O", "O", "B-LOC.city", "I-LOC.city", "O", "B-LOC.city"]
)


def texts(svg):
    return [text.text for text in ET.fromstring(svg).iterfind("svg:text", NAMES)]


def test_every_action_has_its_number():
    svg = derivation_svg(TREE)
    listed = texts(svg)[-2 * 17 :]  # beside the tree, in their order
    assert listed[::2] == [str(number) for number in range(1, 18)]
    assert listed[1::2] == [action.name for action in derive(TREE)]
    found = texts(svg)[: -2 * 17]
    numbers = [int(text.strip("()")) for text in found if re.fullmatch(r"\(?\d+\)?", text)]
    assert sorted(numbers) == list(range(1, 18))
    assert {"(2)", "(16)"} <= set(found) and "(17)" not in found and "<b>" in found
    root = ET.fromstring(svg)
    underlined = [t.text for t in root.iterfind("svg:text", NAMES) if t.get("text-decoration")]
    assert underlined == ["9", "15", "17"]
    assert len(root.findall("svg:polyline", NAMES)) == 8  # a branch for each extension
    boxes = [rect for rect in root.iterfind("svg:rect", NAMES) if rect.get("rx")]
    assert len(boxes) == 6


def test_what_is_above_is_between_its_children():
    root = ET.fromstring(derivation_svg(TREE))
    every = [
        (t.text, (float(t.get("x")), float(t.get("y")))) for t in root.iterfind("svg:text", NAMES)
    ]
    place = dict(every[: -2 * 17])
    assert min(x for _, (x, _) in every[-2 * 17 :]) > max(x for x, _ in place.values())
    assert place["S"][1] < place["LOC"][1] < place["new"][1]
    assert place["new"][0] < place["york"][0] < place["to"][0]
    assert all(0 < x < float(root.get("width")) for _, (x, _) in every)
    assert all(0 < y < float(root.get("height")) for _, (_, y) in every)


def test_an_alignment_goes_on_below():
    steps = [("wd", "wd", 0.0), ("city_name", "", 3.0), ("", "UP", 3.0)] * 20
    svg = ET.fromstring(alignment_svg(steps, ("one", "two"), width=400))
    found = [text.text for text in svg.iterfind("svg:text", NAMES)]
    assert found.count("one") == found.count("cost") > 2 and found.count("wd") == 40
    cells = [rect for rect in svg.iterfind("svg:rect", NAMES) if rect.get("rx")]
    assert len(cells) == 120 and sum(c.get("stroke-dasharray") is not None for c in cells) == 40
    assert {c.get("fill") for c in cells[:2]} == {"none"}
    assert max(float(c.get("x")) + float(c.get("width")) for c in cells) < float(svg.get("width"))
    with pytest.raises(ArgumentError, match="no columns"):
        alignment_svg([], ("a", "b"))


def test_entropies_are_bars_from_zero():
    rows = [
        ("a", 1, 5, 1.0, 0.2),
        ("a", 6, 5, 2.0, 0.2),
        ("b", 1, 5, 2.0, -0.1),
        ("b", 6, 5, 1.0, -0.1),
    ]
    frame = pd.DataFrame(rows, columns=["entropy", "length", "width", "mean", "correlation"])
    chart = entropy_chart(frame)
    assert chart.title.text == ["Correlation with length: a +0.20, b -0.10"]
    assert to_svg(chart).count("<path") >= 4
    assert (chart.hconcat[0].data["zero"] == 0).all()
    with pytest.raises(ArgumentError, match="no column mean"):
        entropy_chart(frame.drop(columns="mean"))


def test_a_map_has_a_ring_for_each_centre():
    rows = [(k / 7, k % 3, k % 2, 0.1 * k, k < 2, f"w{k}") for k in range(10)]
    frame = pd.DataFrame(rows, columns=["x", "y", "cluster", "density", "centre", "words"])
    chart = cluster_map(frame)
    assert chart.title.text == ["10 different parses in 2 clusters; the largest has 5"]
    assert "<svg" in to_svg(chart)
    with pytest.raises(ArgumentError, match="no column density"):
        cluster_map(frame.drop(columns="density"))
