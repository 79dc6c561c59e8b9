"""Derivations as SVG text: a tree with the numbers of its actions, and two of them aligned."""

from collections.abc import Sequence

from deppa_nb.corpus.derivation import EXTENSION, KINDS, derive, steps
from deppa_nb.corpus.slots import SlotTree
from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts.looks import PALETTE
from deppa_nb.reports.text_width import FONTS, escaped, text_width

__all__ = ["alignment_svg", "derivation_svg"]

_FORM, _SMALL = 15, 12  # sizes of fonts
_MARGIN, _GAP, _PAD, _LEVEL, _HEIGHT = 10, 18, 7, 58, 24
_BLOCK = 3 * (_HEIGHT + 6) + 8  # two rows of actions and one of costs
_INK, _PALE = "#1b2a41", "#8a8f98"
_EDGE = ' stroke="white" stroke-width="4" paint-order="stroke"'  # legible on a line
_TAG, _LABEL, _EXTENSION = PALETTE[0], PALETTE[2], PALETTE[1]
_COLOURS = dict(zip(KINDS, (_TAG, _LABEL, _EXTENSION), strict=True))
_LINE = 19  # height of an action in the list of them


def derivation_svg(tree: SlotTree) -> str:
    """Draw a tree with the number of each action, as Figure 1 of Tang et al. (2002), and the list.

    Numbers of tags are in boxes, those of labels underlined, those of extensions in parentheses at
    the branches; beside the tree are all actions in their order.

    Examples
    --------
    >>> svg = derivation_svg(SlotTree.of_slots(["to", "rome"], ["O", "B-to.city"]))
    >>> svg.count("(2)"), svg.count(">S</text>")
    (1, 2)
    """
    n, of_nodes, of_branches = len(tree), *_numbers(tree)
    widths = [
        max(text_width(word, _FORM), text_width(f"{tag} 00", _SMALL)) + 2 * _PAD
        for word, tag in zip(tree.words, tree.tags, strict=True)
    ]
    left, xs = float(_MARGIN), list[float]()
    for width in widths:
        xs.append(left + width / 2)
        left += width + _GAP
    heights = [0] * n
    for node in range(n, n + len(tree.labels)):
        children = [k for k, parent in enumerate(tree.parents[:node]) if parent == node - n]
        xs.append(sum(xs[k] for k in children) / len(children))
        heights.append(1 + max(heights[k] for k in children))
    top = max(heights)
    ys = [_MARGIN + _FORM + (top - height) * _LEVEL for height in heights]
    parts = [
        _branch((xs[k], ys[k] - _SMALL - 4), (xs[n + parent], ys[n + parent] + 6), of_branches[k])
        for k, parent in enumerate(tree.parents.tolist())
        if parent >= 0
    ]
    for k, word in enumerate(tree.words):
        y = ys[k] + 4
        parts.append(_tag(xs[k], y, tree.tags[k], of_nodes[k]))
        parts.append(_text(xs[k], y + 26, word, _FORM))
    for k, label in enumerate(tree.labels, n):
        parts.append(_text(xs[k], ys[k], label, _FORM, weight="bold", more=_EDGE))
        number, x = str(of_nodes[k]), xs[k] + text_width(label, _FORM) / 2 + 12
        parts.append(_text(x, ys[k], number, _SMALL, _LABEL, underlined=True, more=_EDGE))
    height = max(ys) + 34 + _MARGIN
    listed, width = _listed(tree, left + _GAP, height)
    title = " ".join(f"{k} {action.name}" for k, action in enumerate(derive(tree), 1))
    return _svg(width, height, title, [*parts, *listed])


def _listed(tree: SlotTree, left: float, height: float) -> tuple[list[str], float]:
    """Return all actions, in columns as high as the picture, and where they end."""
    actions, parts = derive(tree), list[str]()
    most = max(int((height - _MARGIN) // _LINE), 1)
    for first in range(0, len(actions), most):
        column = actions[first : first + most]
        number = text_width(str(first + len(column)), _SMALL)
        for row, action in enumerate(column, 1):
            y, colour = row * _LINE, _COLOURS[action.kind]
            parts.append(
                _text(left + number, y, str(first + row), _SMALL, colour, anchor="end")
                + _text(left + number + _PAD, y, action.name, _SMALL, anchor="start")
            )
        left += number + _PAD + max(text_width(a.name, _SMALL) for a in column) + _GAP
    return parts, left - _GAP + _MARGIN


def _numbers(tree: SlotTree) -> tuple[dict[int, int], dict[int, int]]:
    """Return the numbers of the tag or label of each node, and of its extension."""
    nodes, branches = dict[int, int](), dict[int, int]()
    for number, (node, action) in enumerate(steps(tree), 1):
        (branches if action.kind == EXTENSION else nodes)[node] = number
    return nodes, branches


def _branch(child: tuple[float, float], parent: tuple[float, float], number: int) -> str:
    """Return a line that rises beside what is between, and then leans over to the parent."""
    (x1, y1), (x2, y2) = child, parent
    bend = min(y1, y2 + _LEVEL - _SMALL - 10)  # where children of the level below begin
    line = (
        f'<polyline points="{x1:.1f},{y1:.1f} {x1:.1f},{bend:.1f} {x2:.1f},{y2:.1f}" fill="none" '
        f'stroke="{_PALE}" stroke-width="1.2"/>'
    )
    # Near the child, where branches are apart.
    x, y = x1 + 0.25 * (x2 - x1), bend + 0.25 * (y2 - bend) + 4
    return line + _text(x, y, f"({number})", _SMALL, _EXTENSION, more=_EDGE)


def _tag(x: float, y: float, tag: str, number: int) -> str:
    width = text_width(str(number), _SMALL) + 6
    whole = text_width(tag, _SMALL) + 4 + width
    box = x - whole / 2
    return (
        f'<rect x="{box:.1f}" y="{y - 13:.1f}" width="{width:.1f}" height="17" rx="3" fill="none" '
        f'stroke="{_TAG}"/>'
        + _text(box + width / 2, y, str(number), _SMALL, _TAG)
        + _text(box + width + 4 + text_width(tag, _SMALL) / 2, y, tag, _SMALL)
    )


def alignment_svg(
    steps: Sequence[tuple[str, str, float]], names: tuple[str, str], width: float = 900
) -> str:
    """Draw two sequences of actions side by side, a column for each pair and what it costs.

    Parameters
    ----------
    steps
        The two actions of each column, empty where one is left out, and the cost.
    names
        Of the two sequences.
    width
        From which on columns go on below.

    Examples
    --------
    >>> alignment_svg([("wd", "wd", 0), ("city", "", 3)], ("a", "b")).count("wd</text>")
    2
    """
    if not steps:
        raise ArgumentError("no columns, expected some")
    left = _MARGIN + max(text_width(name, _SMALL) for name in (*names, "cost")) + 2 * _PAD
    most = max(cost for _, _, cost in steps) or 1.0
    parts, x, top, widest = list[str](), width, float(_MARGIN - _BLOCK), 0.0
    for one, two, cost in steps:
        own = max(text_width(text, _SMALL) for text in (one, two, f"{cost:g}")) + 2 * _PAD
        if x + own > width:
            x, top = left, top + _BLOCK
            for row, name in enumerate((*names, "cost")):
                y = top + row * (_HEIGHT + 6) + 16
                parts.append(_text(left - _PAD, y, name, _SMALL, _PALE, anchor="end"))
        parts.append(_cell(x, top, own, one, cost / most))
        parts.append(_cell(x, top + _HEIGHT + 6, own, two, cost / most))
        y = top + 2 * (_HEIGHT + 6) + 14
        parts.append(_text(x + own / 2, y, f"{cost:g}", _SMALL, _PALE))
        x += own + 4
        widest = max(widest, x)
    total = sum(cost for _, _, cost in steps)
    title = f"{names[0]} and {names[1]}: distance {total:g}"
    return _svg(widest + _MARGIN, top + _BLOCK + _MARGIN, title, parts)


def _cell(x: float, y: float, width: float, text: str, share: float) -> str:
    """Return one action, the darker the more its column costs; dashed where it is missing."""
    dashes = "" if text else ' stroke-dasharray="3 3"'
    colour = _EXTENSION if share else "none"
    return (
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_HEIGHT}" rx="4" '
        f'fill="{colour}" fill-opacity="{0.08 + 0.4 * share:.2f}" stroke="{_INK}" '
        f'stroke-width="0.8"{dashes}/>' + _text(x + width / 2, y + 16, text, _SMALL)
    )


def _text(
    x: float,
    y: float,
    text: str,
    size: int,
    colour: str = _INK,
    *,
    anchor: str = "middle",
    weight: str = "normal",
    underlined: bool = False,
    more: str = "",
) -> str:
    line = ' text-decoration="underline"' if underlined else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
        f'font-weight="{weight}" fill="{colour}"{line}{more}>{escaped(text)}</text>'
    )


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'font-family="{escaped(FONTS)}"><title>{escaped(title)}</title>'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>'
    )
