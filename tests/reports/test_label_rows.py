"""Rows of labels as SVG."""

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from deppa_nb.errors import ArgumentError
from deppa_nb.reports.label_rows import label_rows_svg

NAMES = {"svg": "http://www.w3.org/2000/svg"}


def parsed(*arguments, **options):
    return ET.fromstring(label_rows_svg(*arguments, **options))


def test_cells_lines_and_frames():
    rows = {"gold": ["B-PER", "O", "B-ORG"], "known": ["B-PER", "_", "O"]}
    given = {"known": [True, False, False]}
    svg = parsed(["Ann", "<left>", "&"], rows, given, conflicts=[1])
    texts = [text.text for text in svg.iterfind("svg:text", NAMES)]
    assert texts[:3] == ["Ann", "<left>", "&"] and texts.count("B-PER") == 2
    assert "_" not in texts and len(svg.findall("svg:line", NAMES)) == 1
    cells = [rect for rect in svg.iterfind("svg:rect", NAMES) if rect.get("rx")]
    assert [cell.get("stroke-dasharray") for cell in cells] == [None] * 4 + ["4 3"]
    filled = [cell.get("fill") for cell in cells]
    assert filled[0] == filled[3] != filled[2] and filled[1] == filled[4] == "none"
    red = [rect for rect in svg.iterfind("svg:rect", NAMES) if rect.get("stroke") == "#b3261e"]
    assert len(red) == 1 and float(red[0].get("x")) > float(cells[0].get("x"))


def test_a_type_has_one_colour_in_all_pictures():
    def filled(*labels, **options):
        svg = parsed(["a"] * len(labels), {"x": labels}, **options)
        return [r.get("fill") for r in svg.iterfind("svg:rect", NAMES) if r.get("rx")]

    every = filled("B-A", "B-B", "B-C")
    assert len(set(every)) == 3
    assert filled("B-C", types=["A", "B", "C"]) == every[2:]
    assert filled("B-D", "B-A", types=["A", "B", "C"])[1] == every[0]


def test_nothing_lies_over_anything():
    svg = parsed(["a", "incomprehensibilities", "b"], {"x": ["B-A", "I-A", "O"]})
    cells = [rect for rect in svg.iterfind("svg:rect", NAMES) if rect.get("rx")]
    ends = [(float(c.get("x")), float(c.get("x")) + float(c.get("width"))) for c in cells]
    assert all(one[1] < two[0] for one, two in pairwise(ends))
    assert ends[-1][1] < float(svg.get("width"))


def test_rows_of_another_length():
    with pytest.raises(ArgumentError, match="expected 2 in each"):
        label_rows_svg(["a", "b"], {"gold": ["O"]})
