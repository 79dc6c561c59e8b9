"""Trees are drawn as they are: measured in the SVG itself, by a geometry of the test's own."""

import math
import re
import subprocess
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from deppa_nb import load
from deppa_nb.corpus.sentence import Sentence
from deppa_nb.errors import DeppaError, ParameterError, TreeError
from deppa_nb.reports.text_width import text_width
from deppa_nb.reports.trees import STYLES, Arc, comparison_svg, tree_arcs, tree_svg

SVG = "{http://www.w3.org/2000/svg}"
LABELS = ["", "det", "nsubj:pass", "compound:prt", "家"]
FORMS = ["I", "saw", "telescope", "internationalisation", "家族", ",", "W", "e\u0301t\u00e9"]


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Tell whether two boxes overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


class Curve(NamedTuple):
    head: int
    word: int
    points: NDArray[np.float64]
    is_leaving: bool
    is_entering: bool


class Drawn:
    """What is in an SVG."""

    def __init__(self, svg: str) -> None:
        self.root = ElementTree.fromstring(svg)
        _, _, self.width, self.height = map(float, self.root.attrib["viewBox"].split())
        self.curves: list[Curve] = []
        self.tips: list[tuple[int, int, str]] = []
        self.labels: list[tuple[str, Box]] = []
        self.references: list[tuple[str, Box]] = []
        self.words: dict[int, Box] = {}
        for group in self.root.iter(f"{SVG}g"):
            if group.get("data-head"):
                self._read_arc(group)
        self.texts = list(self.root.iter(f"{SVG}text"))
        for text in self.texts:
            if text.get("data-word"):
                self.words[int(text.attrib["data-word"])] = box(text, 16)

    def _read_arc(self, group: ElementTree.Element) -> None:
        head, word = int(group.attrib["data-head"]), int(group.attrib["data-word"])
        paths = list(group.iter(f"{SVG}path"))
        tips = [path for path in paths if not path.get("stroke")]
        self.tips += [(head, word, group.get("data-style", "plain")) for _ in tips]
        to = next((int(t.attrib["data-to"]) for t in group if t.get("data-to")), None)
        (line,) = (path for path in paths if path.get("stroke") not in (None, "#fff"))
        self.curves.append(
            Curve(head, word, points(line.attrib["d"]), to == word, to is not None and to == head)
        )
        for text in group.iter(f"{SVG}text"):
            kind = self.references if text.get("data-to") else self.labels
            kind.append((text.text or "", box(text, float(text.get("font-size", 12)))))

    @property
    def arcs(self) -> list[tuple[int, int]]:
        return sorted((head, word) for head, word, _ in self.tips)


def box(text: ElementTree.Element, size: float) -> Box:
    """Return the room of a text: capitals are 0.72 of the size, descenders 0.2."""
    x, y = float(text.attrib["x"]), float(text.attrib["y"])
    half = text_width(text.text or "", size) / 2
    return Box(x - half, y - 0.72 * size, x + half, y + 0.2 * size)


def points(data: str) -> NDArray[np.float64]:
    """Return a path as a chain of points."""
    chain: list[tuple[float, float]] = []
    for command, numbers in re.findall(r"([A-Z])([^A-Z]*)", data):
        values = list(map(float, numbers.split()))
        if command in "ML":
            chain.append((values[0], values[1]))
        elif command == "H":
            chain.append((values[0], chain[-1][1]))
        elif command == "V":
            chain.append((chain[-1][0], values[0]))
        else:
            (x, y), (bx, by, ex, ey) = chain[-1], values
            for t in (0.25, 0.5, 0.75, 1.0):
                a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t * t
                chain.append((a * x + b * bx + c * ex, a * y + b * by + c * ey))
    return np.array(chain)


def segments(chain: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([chain[:-1], chain[1:]], axis=1)


def meet(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which of some segments has a point in common with which of others."""
    a, b = one[:, None, 0], one[:, None, 1]
    c, d = other[None, :, 0], other[None, :, 1]

    def side(p: Any, q: Any, r: Any) -> Any:
        u, v = q - p, r - p
        return np.sign(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0])

    sides = (side(a, b, c) * side(a, b, d) <= 0) & (side(c, d, a) * side(c, d, b) <= 0)
    near = (np.minimum(a, b) <= np.maximum(c, d)) & (np.minimum(c, d) <= np.maximum(a, b))
    return np.asarray(sides & near.all(-1))


def touching(curves: list[Curve]) -> set[tuple[int, int]]:
    """Return the pairs of curves, i < j, that have a point in common."""
    if not curves:
        return set()
    owners = np.repeat(np.arange(len(curves)), [len(c.points) - 1 for c in curves])
    lines = np.concatenate([segments(c.points) for c in curves])
    first, second = np.nonzero(meet(lines, lines))
    return {(i, j) for i, j in zip(owners[first], owners[second], strict=True) if i < j}


def border(room: Box) -> NDArray[np.float64]:
    left, top, right, bottom = room
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)])


def cross(one: Curve, other: Curve) -> bool:
    """Tell whether two arcs cross in the tree: one begins within the other and ends outside."""
    (a, b), (c, d) = sorted(one[:2]), sorted(other[:2])
    return a < c < b < d or c < a < d < b


def check_room(drawn: Drawn) -> None:
    """Labels, words and names at the edges overlap nothing; all is inside of the picture."""
    texts = [room for _, room in [*drawn.labels, *drawn.references]] + list(drawn.words.values())
    for one, other in combinations(texts, 2):
        assert not one.meets(other), (one, other)
    borders = np.concatenate([segments(border(room)) for room in texts])
    for curve in drawn.curves:
        met = np.flatnonzero(meet(borders, segments(curve.points)).any(axis=1))
        assert not len(met), (curve, texts[met[0] // 4])
    for room in texts:
        assert room.left >= 0 and room.top >= 0
        assert room.right <= drawn.width and room.bottom <= drawn.height


@st.composite
def pictures(draw: st.DrawFn) -> tuple[list[str], dict[str, Any]]:
    """Return words with any heads at all, and ways to draw them."""
    n = draw(st.integers(1, 14))
    words = draw(st.lists(st.sampled_from(FORMS), min_size=n, max_size=n))
    heads = [draw(st.integers(-1, n).filter(lambda h, m=m: h != m)) for m in range(1, n + 1)]
    labels = draw(st.lists(st.sampled_from(LABELS), min_size=n, max_size=n))
    pairs = st.tuples(st.integers(0, n), st.integers(1, n)).filter(lambda p: p[0] != p[1])
    rest = st.tuples(
        st.sampled_from(LABELS), st.just(None), st.sampled_from([*STYLES]), st.booleans()
    )
    extra = draw(st.lists(st.builds(lambda p, r: Arc(*p, *r), pairs, rest), max_size=4))
    options = {
        "heads": heads,
        "labels": labels,
        "tags": draw(st.sampled_from([None, ["PROPN"] * n])),
        "extra": extra,
        "probabilities": draw(st.sampled_from([None, [0.5] * n])),
        "width": draw(st.sampled_from([200, 400, 900, math.inf])),
        "rtl": draw(st.booleans()),
    }
    return words, options


@given(pictures())
@settings(max_examples=150)
def test_nothing_overlaps_and_no_arc_is_lost(picture: tuple[list[str], dict[str, Any]]) -> None:
    words, options = picture
    drawn = Drawn(tree_svg(words, **options))
    check_room(drawn)
    arcs = [(h, m) for m, h in enumerate(options["heads"], 1) if h >= 0]
    assert drawn.arcs == sorted(arcs + [(arc.head, arc.word) for arc in options["extra"]])
    assert len(drawn.root.findall(f".//{SVG}circle")) == options["heads"].count(-1)
    assert [drawn.words[m] for m in range(1, len(words) + 1)]
    chance = " 0.50" if options["probabilities"] else ""
    own = zip(options["heads"], options["labels"], strict=True)
    expected = [
        ((label or "root" * (head == 0)) + chance).strip() for head, label in own if head >= 0
    ]
    expected += [arc.label or "root" * (arc.head == 0) for arc in options["extra"]]
    assert sorted(text for text, _ in drawn.labels) == sorted(filter(None, expected))
    leaving = sorted(curve[:2] for curve in drawn.curves if curve.is_leaving)
    entering = sorted(curve[:2] for curve in drawn.curves if curve.is_entering)
    assert leaving == entering  # each that leaves a line arrives in another


@given(pictures())
@settings(max_examples=100)
def test_lines_meet_only_where_arcs_cross(picture: tuple[list[str], dict[str, Any]]) -> None:
    words, options = picture
    drawn = Drawn(tree_svg(words, **{**options, "extra": (), "width": math.inf}))
    curves = [curve for curve in drawn.curves if curve.head]  # a root's arrow may be covered
    pairs = combinations(range(len(curves)), 2)
    assert touching(curves) == {(i, j) for i, j in pairs if cross(curves[i], curves[j])}


def projective(random: Random, first: int, last: int, head: int, heads: dict[int, int]) -> None:
    """Attach a projective tree over the words first to last to a head."""
    if first <= last:
        top = random.randint(first, last)
        heads[top] = head
        for low, high in ((first, top - 1), (top + 1, last)):
            start = low
            while start <= high:  # several dependents on each side
                stop = random.randint(start, high)
                projective(random, start, stop, top, heads)
                start = stop + 1


@given(st.integers(1, 25), st.randoms(use_true_random=False), st.sampled_from([300, 900, math.inf]))
@settings(max_examples=60)
def test_arcs_of_a_projective_tree_never_meet(n: int, random: Random, width: float) -> None:
    found: dict[int, int] = {}
    projective(random, 1, n, 0, found)
    heads = [found[m] if random.random() < 0.9 else -1 for m in range(1, n + 1)]
    drawn = Drawn(tree_svg(["word"] * n, heads, ["label"] * n, width=width))
    assert not touching(drawn.curves)


@given(pictures())
@settings(max_examples=60)
def test_an_arc_ends_over_its_word(picture: tuple[list[str], dict[str, Any]]) -> None:
    words, options = picture
    drawn = Drawn(tree_svg(words, **{**options, "extra": ()}))
    rooms = drawn.words
    ordered = sorted(rooms, key=lambda m: (rooms[m].top, rooms[m].left))
    middles = {m: (rooms[m].left + rooms[m].right) / 2 for m in rooms}
    for curve in drawn.curves:
        ends = [] if curve.is_leaving else [(curve.word, curve.points[-1])]
        ends += [] if curve.is_entering or curve.head == 0 else [(curve.head, curve.points[0])]
        for word, (x, y) in ends:
            line = [m for m in ordered if rooms[m].top == rooms[word].top]
            assert min(line, key=lambda m: abs(middles[m] - x)) == word
            assert 0 < rooms[word].top - y < 16
    feet = [
        tuple(p) for c in drawn.curves for p, free in zip((c.points[0], c.points[-1]), (c.is_entering, c.is_leaving), strict=True)
        if not free and c.head
    ]  # fmt: skip
    assert len(set(feet)) == len(feet)


def test_a_long_sentence_is_wrapped_within_the_width() -> None:
    random, found = Random(1), dict[int, int]()
    projective(random, 1, 150, 0, found)
    words = [random.choice(FORMS) for _ in range(150)]
    heads = [found[m] for m in range(1, 151)]
    for width in (300, 600, 900):
        drawn = Drawn(tree_svg(words, heads, ["nsubj"] * 150, ["NOUN"] * 150, width=width))
        assert drawn.width <= width
        check_room(drawn)
        assert drawn.arcs == sorted((h, m) for m, h in enumerate(heads, 1))
        tops = [drawn.words[m].top for m in range(1, 151)]
        assert tops == sorted(tops) and len(set(tops)) > 5
    assert len({r.top for r in Drawn(tree_svg(words, heads, width=math.inf)).words.values()}) == 1


def test_an_arc_between_lines_names_its_other_end() -> None:
    words = ["word"] * 29 + ["end"]
    drawn = Drawn(tree_svg(words, [*range(2, 30), 30, 0], width=600))
    assert drawn.references
    with_number = Drawn(tree_svg(words, [30] * 29 + [0], width=600)).references
    assert {name for name, _ in with_number} >= {"30 end", "1 word"}
    narrow = Drawn(tree_svg(words, [30] * 29 + [0], width=400)).references
    assert "30" in {name for name, _ in narrow}


def test_a_word_wider_than_the_width_is_drawn_whole() -> None:
    drawn = Drawn(tree_svg(["a", "b" * 80, "c"], [2, 0, 2], width=120))
    assert drawn.arcs == [(0, 2), (2, 1), (2, 3)]
    check_room(drawn)
    edges = 2 * (12 + 4 + text_width("3", 11))  # which leave no room at all
    for width in (1, edges, edges + 1):
        assert len(Drawn(tree_svg(["a", "b", "c"], [2, 0, 2], width=width)).tips) == 3


def test_right_to_left_is_found_in_the_text_or_given() -> None:
    def order(svg: str) -> list[int]:
        words = Drawn(svg).words
        return sorted(words, key=lambda m: words[m].left)

    hebrew = ["הילד", "אכל", "3", "pizza", "."]
    heads = [2, 0, 4, 2, 2]
    assert order(tree_svg(hebrew, heads)) == [5, 4, 3, 2, 1]
    assert order(tree_svg(hebrew, heads, rtl=False)) == [1, 2, 3, 4, 5]
    assert order(tree_svg(["see", "הילד", "now"], [0, 1, 1])) == [1, 2, 3]
    assert order(tree_svg(["2", "3"], [0, 1], rtl=True)) == [2, 1]
    mirrored, straight = Drawn(tree_svg(hebrew, heads)), Drawn(tree_svg(hebrew, heads, rtl=False))
    for one, other in zip(mirrored.curves, straight.curves, strict=True):
        np.testing.assert_allclose(one.points[:, 0] + other.points[:, 0], straight.width, atol=0.11)


def test_hostile_text_stays_text() -> None:
    words = ["<script>alert(1)</script>", "&amp;", "\"'", "\0\x0b\ud800\uffff", "]]>", "<!--"]
    svg = tree_svg(words, [0, 1, 1, 1, 1, 1], labels=words, tags=words)
    drawn = Drawn(svg)
    assert svg.encode("utf-8") and "<script" not in svg and "\0" not in svg
    shown = {text.text for text in drawn.texts}
    assert {*words[:3], "]]>", "<!--", "\ufffd" * 4} <= shown
    assert drawn.root.findtext(f"{SVG}title") == " ".join([*words[:3], "\ufffd" * 4, *words[4:]])


def test_it_stands_alone_and_beside_others() -> None:
    options: dict[str, Any] = {"styles": ["gold", "plain", "wrong"], "highlight": [1]}
    svg = tree_svg(["I", "saw", "it"], [2, 0, 2], **options)
    assert svg == tree_svg(["I", "saw", "it"], [2, 0, 2], **options)
    assert not re.search(r'\sid="|<style|url\(|href|class="', svg)
    assert svg.count("http") == svg.count('xmlns="http://www.w3.org/2000/svg"') == 1
    root = Drawn(svg).root
    assert root.get("role") == "img"
    background = root.find(f"{SVG}rect")
    assert background is not None and background.get("fill") == "#fff"
    assert root.findtext(f"{SVG}desc") == "saw → I (gold); root → saw; saw → it (wrong)"


def test_words_that_occur_twice_are_told_apart_in_the_description() -> None:
    root = Drawn(tree_svg(["no", ",", "no"], [0, -1, 1], ["root", "_", "x"])).root
    assert root.findtext(f"{SVG}desc") == "root → no [1] (root); ,: open; no [1] → no [3] (x)"


def test_probabilities_are_numbers_and_strokes() -> None:
    marginals = np.zeros((3, 3))
    marginals[0, 1], marginals[1, 2] = 0.25, 1.0
    svg = tree_svg(["Go", "!"], [0, 1], probabilities=marginals)
    assert [text for text, _ in Drawn(svg).labels] == ["1.00", "root 0.25"]
    paths = [p for p in Drawn(svg).root.iter(f"{SVG}path") if p.get("stroke")]
    widths, opacities = (
        [float(p.get(f"stroke-{k}", 1.4)) for p in paths] for k in ("width", "opacity")
    )
    assert widths[0] > widths[1] and 1 == opacities[0] > opacities[1]
    quiet = tree_svg(["Go", "!"], [0, 1], probabilities=[0.25, math.nan], numbers=False)
    assert [text for text, _ in Drawn(quiet).labels] == ["root"]
    assert quiet.count("stroke-opacity") == 1


def test_styles_differ_without_colour_and_are_explained() -> None:
    assert len({style[1:] for style in STYLES.values()}) == len(STYLES)
    words, heads = ["a", "b"], [0, 1]
    texts = [t.text for t in Drawn(tree_svg(words, heads, styles={2: "forced"})).texts]
    assert "forced" in texts and "plain" not in texts
    named = tree_svg(
        words, heads, styles={2: "forced"}, legend={"forced": "asked", "plain": "guessed"}
    )
    assert {"asked", "guessed"} <= {t.text for t in Drawn(named).texts}
    assert "forced<" not in tree_svg(words, heads, styles="forced", legend=False)
    wide = tree_svg(["a"], [0], styles="forced", legend={"forced": "given by the annotator"})
    assert Drawn(wide).width > 34 + text_width("given by the annotator", 12)


def test_a_second_tree_is_below() -> None:
    drawn = Drawn(tree_svg(["a", "b", "c"], [0, 1, 2], extra=[Arc(1, 3, "x", below=True)]))
    (second,) = (c for c in drawn.curves if (c.head, c.word) == (1, 3))
    assert second.points[:, 1].min() > drawn.words[1].bottom
    check_room(drawn)
    partial = tree_arcs([-1, 1, 1], ["_", "x", "y"], style="gold", below=True)
    assert partial == [Arc(1, 2, "x", None, "gold", True), Arc(1, 3, "y", None, "gold", True)]
    assert tree_svg(["a", "b", "c"], [0, 1, 2], extra=[Arc(-1, 1)]).count("data-open") == 0


def test_a_comparison_shows_what_is_wrong() -> None:
    gold = Sentence.of(list("abcd"), [2, 0, 2, -1], labels=["x", "root", "y", "_"])
    found = Drawn(comparison_svg(gold, [3, 0, 2, 1], ["x", "root", "z", "w"])).tips
    assert sorted(found) == [
        (0, 2, "plain"), (1, 4, "plain"), (2, 1, "gold"), (2, 3, "gold"), (2, 3, "wrong"), (3, 1, "wrong"),
    ]  # fmt: skip
    same = comparison_svg(gold, gold)
    assert {style for _, _, style in Drawn(same).tips} == {"plain"} and "gold" not in same


def test_a_sentence_brings_its_columns() -> None:
    sentence = Sentence.of(["I", "see"], [2, 0], upos=["PRON", "VERB"], labels=["nsubj", "root"])
    svg = tree_svg(sentence)
    assert svg == tree_svg(["I", "see"], [2, 0], ["nsubj", "root"], ["PRON", "VERB"])
    assert svg == tree_svg(sentence.forms, sentence.heads, sentence.labels, sentence.upos)
    assert "nsubj" not in tree_svg(sentence, [0, 1]) and "PRON" in tree_svg(sentence, [0, 1])
    assert "PRON" not in tree_svg(sentence, tags=[]) and "nsubj<" not in tree_svg(
        sentence, labels=[]
    )


@pytest.mark.parametrize("heads", [[0], [-1], None])
def test_one_word(heads: list[int] | None) -> None:
    drawn = Drawn(tree_svg(["Go"], heads))
    assert len(drawn.tips) == (heads == [0]) and 20 < drawn.width < 120
    check_room(drawn)


def test_several_roots_and_all_open() -> None:
    assert Drawn(tree_svg(["a", "b", "c"], [0, 0, 0])).arcs == [(0, 1), (0, 2), (0, 3)]
    assert tree_svg(["a", "b", "c"], [-1, -1, -1]).count("data-open") == 3
    assert not Drawn(tree_svg(["a", "b", "c"])).curves


@pytest.mark.parametrize(
    ("error", "says", "words", "options"),
    [
        (TreeError, "at least one word", [], {}),
        (TreeError, "a list of words", "saw it", {}),
        (TreeError, r"heads of shape \(3,\) for 1 words", ["a"], {"heads": [0, 1, 1]}),
        (TreeError, "the first, 1, is not the root's", ["a"], {"heads": [1, 0]}),
        (TreeError, "expected whole numbers", ["a"], {"heads": [0.5]}),
        (TreeError, "head 3 of word 1, expected -1 to 2", ["a", "b"], {"heads": [3, 0]}),
        (TreeError, "head -2 of word 1", ["a"], {"heads": [-2]}),
        (TreeError, "word 2 is its own head", ["a", "b"], {"heads": [0, 2]}),
        (TreeError, "2 labels for 1 words", ["a"], {"labels": ["x", "y"]}),
        (TreeError, "2 tags for 1 words", ["a"], {"tags": ["x", "y"]}),
        (TreeError, "5 among the labels, at word 1", ["a"], {"labels": [5]}),
        (TreeError, "2 styles for 1 words", ["a"], {"styles": ["gold", "gold"]}),
        (ParameterError, "style 'pink' of word 1, expected one of plain", ["a"], {"styles": "pink"}),
        (ParameterError, "styles: word 4, expected 1 to 1", ["a"], {"styles": {4: "gold"}}),
        (ParameterError, "legend: style 'pink'", ["a"], {"legend": {"pink": "x"}}),
        (ParameterError, "highlight: word 0", ["a"], {"highlight": [0]}),
        (ParameterError, "expected 3 numbers", ["a", "b", "c"], {"shades": [0.1, 0.2]}),
        (ParameterError, "expected 1 numbers from 0 to 1", ["a"], {"shades": [1.5]}),
        (ParameterError, "width 0", ["a"], {"width": 0}),
        (ParameterError, "width nan", ["a"], {"width": math.nan}),
        (ParameterError, "probability 1.5 of word 1", ["a"], {"heads": [0], "probabilities": [1.5]}),
        (TreeError, r"probabilities of shape \(3,\) for 1", ["a"], {"probabilities": [1, 1, 1]}),
        (TreeError, "an arc to word 2, expected 1 to 1", ["a"], {"extra": [Arc(0, 2)]}),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_said(
    error: type[DeppaError], says: str, words: Any, options: dict[str, Any]
) -> None:
    with pytest.raises(error, match=says):
        tree_svg(words, **options)


MEASURE = """<script>
const boxes = [...document.querySelectorAll("text")].map(t => [t.textContent, t.getBoundingClientRect()]);
const met = [];
for (const [i, [a, p]] of boxes.entries()) for (const [b, q] of boxes.slice(i + 1))
  if (p.left < q.right && q.left < p.right && p.top + 4 < q.bottom && q.top + 4 < p.bottom) met.push(a + " " + b);
document.body.textContent = "boxes " + boxes.length + " met " + met.length + " " + met;
</script>"""


def test_texts_are_apart_in_a_browser_too(chromium: str, tmp_path: Path) -> None:
    words = (
        "She gave the internationally known WOMEN near Wittenberg a warm book , illegibly !".split()
    )
    n = len(words)
    heads = [2, 0, 6, 5, 6, 2, 8, 6, 11, 11, 2, 2, 2, 2]
    labels = ["nsubj:pass", "root", *["compound:prt"] * (n - 2)]
    chances = np.linspace(0, 1, n)
    pictures = [
        tree_svg(words, heads, labels, ["PROPN"] * n, probabilities=chances, width=width)
        for width in (450, 900)
    ]
    page = tmp_path / "page.html"
    page.write_text(f"<meta charset=utf-8><body>{'<br>'.join(pictures)}{MEASURE}", encoding="utf-8")
    result = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-first-run", f"--user-data-dir={tmp_path / 'profile'}",
         "--window-size=1000,1400", "--dump-dom", f"file://{page}"],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    found = re.search(r"boxes (\d+) met (\d+) ([^<]*)", result.stdout.decode("utf-8"))
    assert found and int(found[1]) > 80 and found[2] == "0", found and found[3]


@pytest.mark.parametrize("name", ["toy-en", "toy-freeorder"])
def test_trees_of_a_corpus(name: str) -> None:
    for sentence in load(name, sizes={"train": 20, "dev": 1, "test": 1}).train:
        drawn = Drawn(tree_svg(sentence))
        assert drawn.arcs == sorted((h, m) for m, h in enumerate(sentence.heads.tolist()) if m)
        check_room(drawn)


@pytest.mark.parametrize("name", ["la_perseus", "ar_padt", "ja_gsd"])
def test_trees_of_real_corpora(name: str, shared: Path) -> None:
    from deppa_nb import read_conllu

    path = min((shared / "ud" / name).glob("*.conllu"), key=lambda p: p.stat().st_size)
    for sentence in list(read_conllu(path))[:25]:
        drawn = Drawn(tree_svg(sentence))
        assert drawn.width <= 900
        assert drawn.arcs == sorted((h, m) for m, h in enumerate(sentence.heads.tolist()) if m)
        check_room(drawn)


def test_colours_behind_words() -> None:
    plain, shaded = (tree_svg(["a", "b"], [2, 0], shades=s) for s in (None, [0.0, 0.5]))
    assert "data-shade" not in plain
    assert 'fill-opacity="0.00" data-shade="1"' in shaded
    assert 'fill-opacity="0.50" data-shade="2"' in shaded
    assert shaded == tree_svg(["a", "b"], [2, 0], shades=[np.nan, 0.0, 0.5])  # with the root's
    boxed = tree_svg(["a", "b"], [2, 0], shades=[0.0, 0.5], highlight=[2])
    assert 'fill="none" stroke' in boxed  # the colour is seen through it
