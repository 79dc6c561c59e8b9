"""Dependency trees as SVG text: for notebooks, the report and print, drawn without a browser."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import ROOT, Sentence
from deppa_nb.errors import ParameterError, TreeError
from deppa_nb.models.distribution import TreeDistribution
from deppa_nb.reports.text_width import runs_right_to_left
from deppa_nb.reports.tree_drawing import STYLES, Style, draw
from deppa_nb.reports.tree_input import (
    Heads,
    Numbers,
    Styles,
    check_width,
    checked_shades,
    checked_words,
    to_arcs,
    to_column,
)
from deppa_nb.reports.tree_layout import lay_out
from deppa_nb.reports.tree_parts import Arc, Picture

__all__ = [
    "STYLES",
    "Arc",
    "Style",
    "choice_svg",
    "comparison_svg",
    "forest_svg",
    "tree_arcs",
    "tree_svg",
]

_NARROW = 500  # pixels; below it, a word in another line is named by its number alone


def tree_svg(
    words: Sentence | Sequence[str],
    heads: Heads | None = None,
    labels: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
    *,
    probabilities: Numbers | None = None,
    numbers: bool = True,
    styles: Styles = "plain",
    extra: Iterable[Arc] = (),
    highlight: Collection[int] = (),
    shades: Numbers | None = None,
    width: float = 900,
    rtl: bool | None = None,
    legend: bool | Mapping[str, str] = True,
) -> str:
    """Draw n words with the arcs from their heads.

    Every column may have n entries or, as in a `Sentence`, n+1 of which the first is the root's.

    Parameters
    ----------
    words
        n forms, or a sentence, which brings its own heads, labels and tags; those given besides
        take their place, and an empty list of labels or tags hides them.
    heads
        n heads, 0 = root; a word with -1 is not annotated: it is grey, under a ring in place
        of an arc.
    labels, tags
        n labels for the arcs and n tags for below the words, if they are to be shown.
    probabilities
        Of the n arcs, or ``(n+1, n+1)`` marginals ``[head, word]``; the less probable an arc, the
        thinner and paler it is. NaN = not known.
    numbers
        Whether the probabilities are written, too.
    styles
        One name of `STYLES` for all arcs, n names, or names by word.
    extra
        Further arcs, above or below the words: a second tree (see `tree_arcs`), a candidate.
    highlight
        Words (from 1) in a box.
    shades
        n numbers from 0 to 1: how strong the colour behind each word is.
    width
        In pixels; what is wider goes on in a second line, and an arc from line to line has the
        number and form of its other end at the edge. ``math.inf`` keeps all in one line.
    rtl
        Whether the words run from right to left; by default, what most of them do.
    legend
        Whether styles are explained, or what is said of each.

    Returns
    -------
    str
        A complete ``<svg>`` element; all text in it is escaped.

    Raises
    ------
    TreeError, ParameterError
        If columns differ in length, a head is out of range, or a style is not known.

    Examples
    --------
    >>> svg = tree_svg(["Fish", "swim", "fast"], [2, 0, -1], labels=["nsubj", "root", "_"])
    >>> svg.count("<g data-head"), svg.count("data-open")
    (2, 1)
    >>> svg[svg.index("<desc>") : svg.index("</desc>")]
    '<desc>swim → Fish (nsubj); root → swim (root); fast: open'

    A candidate that the parser holds for less probable:

    >>> svg = tree_svg(
    ...     ["Fish", "swim"], [2, 0], probabilities=[0.9, 0.7], extra=[Arc(1, 2, "", 0.3, "second")]
    ... )
    """
    if isinstance(words, Sentence):
        if heads is None:
            heads, labels = words.heads, words.labels if labels is None else labels
        tags = words.upos if tags is None else tags
        words = words.words
    forms = _forms(words)
    n = len(forms)
    arcs = to_arcs(n, heads, labels, styles, probabilities, extra)
    marked = checked_words("highlight", highlight, n)
    shown = [arc._replace(label=_label(arc, numbers)) for arc in arcs]
    limit = check_width(width)
    shaded = checked_shades(shades, n)
    picture = Picture(forms, to_column("tags", tags, n), shown, marked, limit < _NARROW, shaded)
    return draw(
        picture,
        lay_out(picture, limit),
        mirrored=runs_right_to_left(forms) if rtl is None else rtl,
        legend=_legend(arcs, legend),
        description=_description(forms, arcs),
    )


def tree_arcs(
    heads: Sentence | Heads,
    labels: Sequence[str] | None = None,
    *,
    style: str = "plain",
    below: bool = False,
) -> list[Arc]:
    """Return the arcs of a tree, given as a sentence or n heads, to be drawn beside another.

    >>> gold = Sentence.of(["Fish", "swim"], heads=[2, 0])
    >>> svg = tree_svg(gold, [0, 1], extra=tree_arcs(gold, style="gold", below=True))
    >>> svg.count("<g data-head"), svg.count('data-style="gold"')
    (4, 2)
    """
    if isinstance(heads, Sentence):
        labels = heads.labels if labels is None else labels
        heads = heads.heads[1:]
    arcs = to_arcs(len(heads), heads, labels, style, None, ())
    return [arc._replace(below=below) for arc in arcs if arc.head >= 0]


def forest_svg(
    sentence: Sentence,
    heads: Heads | None = None,
    *,
    probabilities: NDArray[np.float64] | None = None,
    width: float = 900,
) -> str:
    """Draw the forest of a partial tree: what is given, and all arcs that some tree with it has.

    Parameters
    ----------
    sentence
        Its own heads are the given ones, unless others are.
    heads
        n heads, -1 = open.
    probabilities
        ``(n+1, n+1)`` marginals among the trees of the forest, which make likely arcs stronger.
    width
        As for `tree_svg`.

    Examples
    --------
    >>> svg = forest_svg(Sentence.of(["Fish", "swim", "fast"], heads=[2, -1, -1]))
    >>> svg.count('data-style="forced"'), svg.count('data-style="second"')
    (1, 4)
    """
    given = np.array(sentence.heads[1:] if heads is None else heads, dtype=np.int32)[
        -len(sentence) :
    ]
    n = len(sentence)
    possible = TreeDistribution(np.zeros((n + 1, n + 1))).given([-1, *given]).marginals > 0
    other = [
        Arc(h, m, "", None if probabilities is None else float(probabilities[h, m]), "second")
        for h, m in np.argwhere(possible).tolist()
        if given[m - 1] < 0
    ]
    styles = {m: "forced" for m, h in enumerate(given, 1) if h >= 0}
    meanings = {"forced": "given", "second": "in some tree of the forest"}
    return tree_svg(
        sentence, given, [], styles=styles, extra=other, width=width, legend=meanings,
    )  # fmt: skip


def choice_svg(sentence: Sentence, trees: NDArray[np.int32], *, width: float = 900) -> str:
    """Draw what two trees of a sentence agree on, and dashed the arcs that only one of them has.

    Parameters
    ----------
    sentence
        Its own heads are not looked at.
    trees
        ``(2, n + 1)``.
    width
        As for `tree_svg`.

    Examples
    --------
    >>> trees = np.array([[-1, 0, 1, 2], [-1, 0, 1, 1]])
    >>> svg = choice_svg(Sentence.of(["offer", "sale", "by"]), trees)
    >>> svg.count('data-style="gold"'), svg.count('data-style="second"')
    (1, 1)
    """
    differ = np.flatnonzero(trees[0] != trees[1]).tolist()
    other = [arc for arc in tree_arcs(trees[1][1:], style="second") if arc.word in differ]
    meanings = {"plain": "in both", "gold": "only in A, the best", "second": "only in B"}
    return tree_svg(
        sentence, trees[0], [], styles=dict.fromkeys(differ, "gold"), extra=other,
        highlight=differ, width=width, legend=meanings,
    )  # fmt: skip


def comparison_svg(
    gold: Sentence,
    predicted: Sentence | Heads,
    labels: Sequence[str] | None = None,
    *,
    below: bool = True,
    width: float = 900,
    rtl: bool | None = None,
) -> str:
    """Draw a predicted tree, its mistakes, and the gold arcs in their place.

    Parameters
    ----------
    gold
        The sentence as annotated; a word without a head there counts as no mistake.
    predicted
        The sentence as parsed, or n heads.
    labels
        n predicted labels, if heads are given; labels are compared where both trees have them.
    below
        Whether the gold arcs are below the words, or above them like the predicted ones.
    width, rtl
        As for `tree_svg`.

    Examples
    --------
    >>> gold = Sentence.of(["I", "saw", "stars", "there"], heads=[2, 0, 2, 2])
    >>> svg = comparison_svg(gold, [2, 0, 2, 3])
    >>> svg.count("data-head"), svg.count('"wrong"'), svg.count('"gold"')
    (5, 1, 1)
    """
    if isinstance(predicted, Sentence):
        labels, predicted = predicted.labels, predicted.heads
    guesses = {arc.word: arc for arc in to_arcs(len(gold), predicted, labels, "plain", None, ())}
    arcs = tree_arcs(gold, style="gold", below=below)
    missed = [arc for arc in arcs if not _agree(arc, guesses[arc.word])]
    wrong = {arc.word: "wrong" for arc in missed}
    meanings = {"plain": "predicted", "wrong": "predicted, wrong", "gold": "gold"}
    return tree_svg(
        gold.words, predicted, labels, gold.upos,
        styles=wrong, extra=missed, width=width, rtl=rtl, legend=meanings,
    )  # fmt: skip


def _agree(gold: Arc, guess: Arc) -> bool:
    """Tell whether heads and, where both are given, labels are the same."""
    compared = gold.label and guess.label
    return gold.head == guess.head and (not compared or gold.label == guess.label)


def _forms(words: Sequence[str]) -> list[str]:
    if isinstance(words, str):
        raise TreeError(f"the text {words!r} where a list of words was expected")
    given = list(words)
    if given[:1] == [ROOT]:
        del given[0]
    if not given:
        raise TreeError("a tree needs at least one word")
    return to_column("words", given, len(given))


def _label(arc: Arc, numbers: bool) -> str:
    """Return what is written at an arc."""
    if arc.head < 0:
        return ""
    label = arc.label or ("" if arc.head else "root")
    if arc.probability is None or not numbers:
        return label
    return f"{label} {arc.probability:.2f}".strip()


def _legend(arcs: Iterable[Arc], legend: bool | Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the styles that are in use, if there is anything to tell apart, with a meaning."""
    if isinstance(legend, Mapping) and (unknown := legend.keys() - STYLES.keys()):
        known = ", ".join(STYLES)
        raise ParameterError(f"legend: style {min(unknown)!r}, expected one of {known}")
    used = {arc.style for arc in arcs if arc.head >= 0}
    if not legend or used <= {"plain"}:
        return []
    meanings = legend if isinstance(legend, Mapping) else {}
    order = [*meanings, *(name for name in STYLES if name != "plain" and name not in meanings)]
    return [(name, meanings.get(name, name)) for name in order if name in used]


def _description(forms: Sequence[str], arcs: Iterable[Arc]) -> str:
    """Return the arcs in words, for those who do not see them."""
    many = Counter(forms)
    names = ["root"]
    names += [f if many[f] == 1 else f"{f} [{m}]" for m, f in enumerate(forms, 1)]
    return "; ".join(_said(arc, names) for arc in arcs)


def _said(arc: Arc, names: Sequence[str]) -> str:
    if arc.head < 0:
        return f"{names[arc.word]}: open"
    chance = "" if arc.probability is None else f"{arc.probability:.2f}"
    style = "" if arc.style == "plain" else arc.style
    more = ", ".join(filter(None, (arc.label, chance, style)))
    return f"{names[arc.head]} → {names[arc.word]}" + (f" ({more})" if more else "")
