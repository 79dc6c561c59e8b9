"""A laid out tree as SVG text: no ids and no style sheet, so that many may stand on one page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from deppa_nb.reports.text_width import FONTS, escaped, text_width
from deppa_nb.reports.tree_parts import FORM, LABEL, MARGIN, PAD, TAG, Layout, Line, Part, Picture

__all__ = ["STYLES", "Style", "draw"]


class Style(NamedTuple):
    """How an arc is drawn: told apart by colour on screen, by dash and width in print."""

    colour: str
    width: float = 1.4
    dash: str = ""


STYLES: Mapping[str, Style] = MappingProxyType(
    {
        "plain": Style("#1b2a41"),
        "gold": Style("#005a9c", 1.8, "10 3"),
        "wrong": Style("#b23a00", 1.8, "3 3"),
        "forced": Style("#00614a", 3.2),
        "second": Style("#7a2f6e", 1.8, "10 3 2 3"),
    }
)
"""The styles that an arc may have."""

_INK, _FAINT, _PAPER, _MARKED = "#1b2a41", "#56637a", "#fff", "#fff0b3"
_SHADE = "#ffa04d"  # at its strongest, ink on it has more than 4.5:1
_BEND = 10  # how high the corner of an arc is; it is wider where there is room
_TIP = 7.5  # length of an arrow's head
_BETWEEN = 20  # lines


class _Rows(NamedTuple):
    """The heights of a line: the feet of the arcs above and below, and the texts between them."""

    above: float
    form: float
    tag: float
    number: float
    below: float
    end: float


def draw(
    picture: Picture,
    layout: Layout,
    *,
    mirrored: bool,
    legend: Sequence[tuple[str, str]],
    description: str,
) -> str:
    """Return the ``<svg>`` element; the legend is pairs of a style and its meaning."""
    is_labelled = any(arc.label for arc in picture.arcs if arc.head > 0)
    pen = _Pen(picture, layout.width, 23 if is_labelled else 16, mirrored)
    body, end = "", float(MARGIN - _BETWEEN)
    for line in layout.lines:
        rows = pen.rows(line, end + _BETWEEN, is_numbered=len(layout.lines) > 1)
        body, end = body + pen.line(line, rows), rows.end
    key, right, end = _legend(legend, end, layout.width)
    width, height = _number(max(layout.width, right + MARGIN)), _number(end + MARGIN)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" style="max-width:100%;height:auto" '
        f'font-family="{FONTS}" font-size="{FORM}" text-anchor="middle" fill="{_INK}">'
        f"<title>{escaped(' '.join(picture.words))}</title><desc>{escaped(description)}</desc>"
        f'<rect width="{width}" height="{height}" fill="{_PAPER}"/>{body}{key}</svg>'
    )


@dataclass(frozen=True)
class _Pen:
    """Draws lines of one picture, from right to left if it is mirrored."""

    picture: Picture
    width: float
    rise: int
    mirrored: bool

    def rows(self, line: Line, top: float, *, is_numbered: bool) -> _Rows:
        """Return the heights of a line that begins at the top."""
        above = top + max(8, self._height(line.levels(below=False)))
        form = above + FORM + 1
        deep = 5 if self.mirrored else 0  # scripts from right to left have marks below letters
        tag = form + (TAG + 4 + deep if any(self.picture.tags) else 0)
        number = tag + (TAG + 3 + (deep if tag == form else 0) if is_numbered else 0)
        below = number + 7
        return _Rows(above, form, tag, number, below, below + self._height(line.levels(below=True)))

    def _height(self, levels: int) -> float:
        return levels * self.rise + LABEL + 4 if levels else 0

    def line(self, line: Line, rows: _Rows) -> str:
        """Return the highlights, arcs and texts of a line."""
        words = range(line.first, line.last + 1)
        at = dict(zip(words, line.slots[1:-1], strict=True))
        picture = self.picture
        marks = [self._shade(at[m], m, rows) for m in words if picture.shades]
        marks += [self._mark(at[m], m, rows) for m in words if m in picture.highlight]
        forms = [self._form(at[m], m, rows) for m in words]
        tags = [self._text(at[m], rows.tag, picture.tags[m - 1]) for m in words]
        if rows.number > rows.tag:
            tags += [self._text(at[m], rows.number, str(m)) for m in words]
        direction = ' direction="rtl"' if self.mirrored else ""
        texts = (
            f"<g{direction}>{''.join(forms)}</g>"
            f'<g font-size="{TAG}" fill="{_FAINT}">{"".join(tags)}</g>'
        )
        arcs = [
            self._part(part, rows, any(map(part.passes, line.parts)))
            for part in sorted(line.parts, key=lambda part: part.level)
        ]
        group = f'<g font-size="{LABEL}" stroke-width="{STYLES["plain"].width}">'
        return "".join([*marks, group, *arcs, "</g>", texts])

    def _form(self, x: float, m: int, rows: _Rows) -> str:
        look = f' fill="{_FAINT}"' if m in self.picture.open_words else ""
        if m in self.picture.highlight:
            look = ' font-weight="bold"'
        return self._text(x, rows.form, self.picture.words[m - 1], f' data-word="{m}"{look}')

    def _mark(self, x: float, m: int, rows: _Rows) -> str:
        fill = "none" if self.picture.shades else _MARKED  # a shade is seen through its box
        return self._box(x, m, rows, f'fill="{fill}" stroke="{_INK}"')

    def _shade(self, x: float, m: int, rows: _Rows) -> str:
        strength = f"{self.picture.shades[m - 1]:.2f}"
        return self._box(x, m, rows, f'fill="{_SHADE}" fill-opacity="{strength}" data-shade="{m}"')

    def _box(self, x: float, m: int, rows: _Rows, look: str) -> str:
        wide = text_width(self.picture.words[m - 1], FORM) * 1.05 + 2 * PAD
        middle = self._x(x)
        return (
            f'<rect x="{_number(middle - wide / 2)}" y="{_number(rows.form - FORM)}" '
            f'width="{_number(wide)}" height="{FORM + 5}" rx="4" {look}/>'
        )

    def _part(self, part: Part, rows: _Rows, is_over: bool) -> str:
        """Return an arc, or the part of it on this line; over others it is seen to go on."""
        arc = part.arc
        style, up = STYLES[arc.style], -1 if not arc.below else 1
        foot = rows.below if arc.below else rows.above
        if arc.head < 0:
            where = f'cx="{_number(self._x(part.at[0]))}" cy="{_number(foot + 4 * up)}"'
            return f'<circle {where} r="3" fill="{_PAPER}" stroke="{_INK}" data-open="{arc.word}"/>'
        bar = foot + up * part.level * self.rise
        curve = self._curve(part, foot, bar)
        shapes = [f'<path d="{curve}" fill="none" stroke="{_PAPER}" stroke-width="5"/>'] * is_over
        shapes.append(f'<path d="{curve}"{_stroke(style, arc.probability)}/>')
        if part.to != arc.word:
            shapes.append(f'<path d="{self._tip(part, foot, up)}"/>')
        if part.label:
            away = style.width / 2 + (3.5 if up < 0 else LABEL - 1)
            y = bar + up * away
            shapes.append(self._text(part.at[2], y, part.label))
        if part.to:
            shapes.append(self._reference(part, bar))
        look = f' data-style="{arc.style}" fill="{style.colour}"' if arc.style != "plain" else ""
        return f'<g data-head="{arc.head}" data-word="{arc.word}"{look}>{"".join(shapes)}</g>'

    def _curve(self, part: Part, foot: float, bar: float) -> str:
        """Return the path from the head's side to the word's."""
        start, stop, _ = map(self._x, part.at)
        into_tip = foot + (_TIP / 2 if bar > foot else -_TIP / 2)  # a thick line would blunt it
        if part.is_stub:
            return _path("M", start, bar, "V", into_tip)
        if part.arc.head > part.arc.word:
            start, stop = stop, start
        run = 1 if stop > start else -1
        wide = min(1.6 * _BEND, abs(stop - start) / 2) * run
        bend = bar + (_BEND if foot > bar else -_BEND)
        first = ("M", start, foot, "V", bend, "Q", start, bar, start + wide, bar)
        second = ("H", stop - wide, "Q", stop, bar, stop, bend, "V", into_tip)
        if part.to == part.arc.word:
            return _path(*first, "H", stop)
        return _path("M", start, bar, *second) if part.to else _path(*first, *second)

    def _tip(self, part: Part, foot: float, up: int) -> str:
        """Return the arrow's head at the word."""
        x = self._x(part.at[0 if part.is_stub or part.arc.word < part.arc.head else 1])
        half = _TIP * 0.45 + STYLES[part.arc.style].width / 4
        return _path("M", x, foot - up, "l", -half, up * (_TIP + 1), "h", 2 * half, "z")

    def _reference(self, part: Part, bar: float) -> str:
        """Return the name of the word to or from which an arc goes on, at the edge."""
        name = self.picture.reference(part.to)
        is_left = part.low == 0
        shift = (text_width(name, TAG) / 2 + PAD) * (-1 if is_left else 1)
        x = part.at[0 if is_left else 1] + shift
        direction = ' direction="rtl"' if self.mirrored else ""
        return self._text(x, bar + 4, name, f' font-size="{TAG}" data-to="{part.to}"{direction}')

    def _text(self, x: float, y: float, text: str, more: str = "") -> str:
        if not text:
            return ""
        return f'<text x="{_number(self._x(x))}" y="{_number(y)}"{more}>{escaped(text)}</text>'

    def _x(self, x: float) -> float:
        return self.width - x if self.mirrored else x


def _stroke(style: Style, probability: float | None) -> str:
    """Return the attributes of a curve; what is less probable is thinner and paler."""
    width, opacity = style.width, ""
    if probability is not None:
        width *= 0.4 + 0.6 * probability
        opacity = f' stroke-opacity="{_number(0.4 + 0.6 * probability)}"'
    dash = f' stroke-dasharray="{style.dash}"' if style.dash else ""
    if width != STYLES["plain"].width:  # which is what the arcs of a line inherit
        dash += f' stroke-width="{_number(width)}"'
    return f' fill="none" stroke="{style.colour}"{dash}{opacity}'


def _legend(
    entries: Iterable[tuple[str, str]], top: float, width: float
) -> tuple[str, float, float]:
    """Return samples of the styles with their meaning, and how far right and down they reach."""
    shapes, x, y, right = [], float(MARGIN), top + 26, 0.0
    for name, meaning in entries:
        wide = 34 + text_width(meaning, LABEL)
        if x + wide > width - MARGIN and x > MARGIN:
            x, y = float(MARGIN), y + 18
        shapes.append(
            f'<path d="{_path("M", x, y - 4, "H", x + 28)}"{_stroke(STYLES[name], None)}/>'
            f'<text x="{_number(x + 34)}" y="{_number(y)}">{escaped(meaning)}</text>'
        )
        right = max(right, x + wide)
        x += wide + 20
    if not shapes:
        return "", right, top
    inherited = f'font-size="{LABEL}" text-anchor="start" stroke-width="{STYLES["plain"].width}"'
    return f"<g {inherited}>{''.join(shapes)}</g>", right, y


def _path(*parts: str | float) -> str:
    """Return path data: commands and numbers, a space only between numbers.

    >>> _path("M", 1, 2.04, "H", 7.25)
    'M1 2H7.2'
    """
    text = "".join(part if isinstance(part, str) else f" {_number(part)}" for part in parts)
    for command in "MHVQlh":
        text = text.replace(f"{command} ", command)
    return text


def _number(value: float) -> str:
    """Return a number as short as can be.

    >>> _number(3.0), _number(2.449)
    ('3', '2.4')
    """
    return f"{value:.1f}".removesuffix(".0")
