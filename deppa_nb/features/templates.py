"""The templates of the features, in one table.

A template is a string of atoms, ``"h.w h.p m.p"``: the head's word and tag and the modifier's tag.
Before the point stands whose atom it is, behind it the atom (`atoms.ATOMS`) and, if need be, an
offset: ``m.p-1`` is the tag of the word before the modifier.

=====  ===================================================================================
side   whose atoms
=====  ===================================================================================
h, m   head and modifier of an arc
s      the modifier's neighbour among the head's dependents, on the inside
b      the words between head and modifier: ``b.set`` of kinds of words, ``b.each`` kind by
       itself, binned ``b.counts`` of verbs, punctuation and conjunctions, ``b.distance`` up to 20
first  the modifier is the head's first dependent on its side, so that there is no neighbour
=====  ===================================================================================

Which sides a template names tells which part of a tree it describes: an arc (h, m, b), a first
dependent (h, m, first), two neighbours whatever their head (s, m), or all three (h, s, m). Every
feature is there twice: with the direction, and with the direction and the distance (of triples:
and with what stands between the neighbours).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from deppa_nb.errors import ParameterError

__all__ = ["BETWEEN", "GROUPS", "LABELS", "TAGS", "TEMPLATES", "Atom", "Template", "select"]

TEMPLATES: dict[str, tuple[str, ...]] = {
    "single": (
        "h.w", "h.p", "h.w h.p", "h.p-1 h.p h.p+1",
        "m.w", "m.p", "m.w m.p", "m.p-1 m.p m.p+1",
    ),
    "pairs": (
        "h.p m.p", "h.w m.w", "h.w h.p m.p", "h.p m.w m.p",
    ),
    "contexts": (
        "h.p h.p+1 m.p-1 m.p", "h.p-1 h.p m.p-1 m.p", "h.p h.p+1 m.p m.p+1", "h.p-1 h.p m.p m.p+1",
        "h.p-2 h.p-1 h.p m.p", "h.p h.p+1 h.p+2 m.p", "h.p m.p-2 m.p-1 m.p", "h.p m.p m.p+1 m.p+2",
    ),
    "word_contexts": (
        "h.w h.p-1 m.p", "h.w h.p+1 m.p", "h.p m.p-1 m.w", "h.p m.w m.p+1",
        "h.w-1 h.p m.p", "h.p h.w+1 m.p", "h.p m.w-1 m.p", "h.p m.p m.w+1",
    ),
    "affixes": ("h.suffix3 m.suffix3", "h.suffix3 m.p", "h.p m.suffix3"),
    "shapes": ("h.shape h.p m.shape m.p",),
    "function_words": (
        "h.p m.p m.left", "h.p h.left m.p", "h.w m.p m.left", "h.p m.w m.left",
        "h.p m.p m.right", "h.p h.right m.p",
        "h.p m.p m.marker", "h.w m.p m.marker", "h.p h.marker m.p m.marker",
    ),
    "between": (
        "h.p m.p b.set", "h.p b.set", "m.p b.set", "h.p m.p b.each",
        "h.p m.p b.counts", "h.w h.p b.counts", "m.w m.p b.counts", "h.p m.p b.distance",
    ),
    "clauses": ("h.p m.p m.clause", "h.p h.clause m.p", "h.p h.verbs m.p m.verbs"),
    "punctuation": (
        "h.p m.p m.final", "h.p h.nesting m.w m.nesting", "h.p m.w m.edge", "h.p m.p-1 m.w m.p+1",
    ),
    "sibling_pairs": (
        "s.p m.p", "s.w m.w", "s.w m.p", "s.p m.w", "s.suffix3 m.suffix3", "s.p s.p+1 m.p-1 m.p",
        "s.p m.p m.left", "s.p s.marker m.p m.marker",
    ),
    "triples": (
        "h.p s.p m.p", "h.w s.p m.p", "h.p s.w m.p", "h.p s.p m.w",
        "h.p s.p s.p+1 m.p-1 m.p",
    ),
    "first_child": (
        "h.p m.p first", "h.w h.p m.p first", "h.p m.w m.p first", "h.w h.p first", "m.w m.p first",
        "h.p m.p m.left first",
    ),
    "morphology": (
        "h.lemma m.lemma", "h.lemma m.p", "h.p m.lemma", "h.lemma h.p m.lemma m.p",
        "h.p h.feats m.p m.feats", "h.p m.p m.feats", "h.p h.feats m.p", "h.lemma m.p m.feats",
        "h.p h.feats m.lemma", "s.p s.feats m.p m.feats", "s.lemma m.lemma",
        "h.p s.p s.feats m.p m.feats", "h.lemma s.p m.p",
    ),
}  # fmt: skip
"""Groups of templates by name; leave one out to see what it is worth."""

LABELS = (
    "h.w m.p", "h.p m.w", "h.w m.w", "h.p m.p b.distance", "h.p m.p b.set",
    "h.p m.p m.left", "h.w m.p m.left", "h.p m.w m.left", "h.p h.left m.p", "h.p m.p m.right",
    "h.p m.p m.marker", "h.p m.p m.clause", "h.w m.p m.clause",
    "h.p m.suffix3", "h.suffix3 m.p", "h.suffix3 m.suffix3", "h.p m.form",
    "h.p m.p-1 m.p m.p+1", "h.p m.p-2 m.p-1 m.p", "h.p-1 h.p h.p+1 m.p",
    "h.p m.p m.w+1", "h.w-1 h.p m.p", "h.p h.w+1 m.p",
    "h.p s.w m.p", "h.p s.p m.p",
)  # fmt: skip
"""Templates of the labels of arcs. Here s is the modifier's first dependent, if before it, and a
feature is there once, with the direction."""

TAGS = (
    "m.w", "m.form", "m.shape", "m.suffix1", "m.suffix2", "m.suffix3", "m.suffix4",
    "m.prefix1", "m.prefix2", "m.prefix3", "m.edge", "m.shape m.edge",
    "m.w-1", "m.w+1", "m.w-2", "m.w+2", "m.w-1 m.w", "m.w m.w+1", "m.w-1 m.w+1", "m.w-2 m.w-1",
    "m.suffix3-1", "m.suffix3+1", "m.suffix2-1 m.suffix2", "m.suffix2 m.suffix2+1",
    "m.shape-1 m.shape", "m.suffix3-1 m.suffix3", "m.suffix3 m.suffix3+1",
)  # fmt: skip
"""Templates of tags: m is the word. Only `Tagger` uses them."""

GROUPS = tuple(group for group in TEMPLATES if group != "morphology")
"""Those that need no more than forms and tags; lemmas and morphology are seldom given."""
BETWEEN = ("set", "counts", "distance", "each")
_PARTS = {"hm": "arc", "sm": "pair", "hsm": "triple"}

Atom = tuple[str, int]
"""Its name and offset."""


@dataclass(frozen=True)
class Template:
    """A template that was read.

    Attributes
    ----------
    text
        As it stands in the table.
    part
        ``"arc"``, ``"first"``, ``"pair"`` or ``"triple"``.
    atoms
        Atoms by side: ``h``, ``s`` and ``m``.
    between
        One of `BETWEEN`, or nothing.
    """

    text: str
    part: str
    atoms: dict[str, tuple[Atom, ...]] = field(hash=False)
    between: str = ""

    @classmethod
    @lru_cache(maxsize=1024)
    def read(cls, text: str) -> "Template":
        """Read a template.

        >>> template = Template.read("h.p m.p-1 b.set")
        >>> template.part, template.atoms["m"], template.between
        ('arc', (('p', -1),), 'set')
        """
        atoms: dict[str, tuple[Atom, ...]] = {"h": (), "s": (), "m": ()}
        between, first = "", False
        for word in text.split():
            side, _, atom = word.partition(".")
            if word == "first":
                first = True
            elif side == "b" and atom in BETWEEN:
                between = atom
            elif side in atoms and atom:
                atoms[side] += (_offset(atom),)
            else:
                raise ParameterError(
                    f"{text!r}: {word!r}, expected an atom of h, s, m or b, or first"
                )
        named = "hsm" if atoms["s"] and atoms["h"] else "sm" if atoms["s"] else "hm"
        part = "first" if first else _PARTS[named]
        if (first and (atoms["s"] or between)) or (between and part != "arc"):
            raise ParameterError(f"{text!r}: first, s and b exclude each other")
        return cls(text, part, atoms, between)


def _offset(atom: str) -> Atom:
    for sign in "+-":
        name, found, distance = atom.partition(sign)
        if found and distance.isdigit():
            return name, int(sign + distance)
    return atom, 0


def select(groups: Iterable[str]) -> list[Template]:
    """Return the templates of some groups.

    >>> [template.text for template in select(["shapes"])]
    ['h.shape h.p m.shape m.p']
    """
    chosen = list(groups)
    if unknown := [group for group in chosen if group not in TEMPLATES]:
        raise ParameterError(
            f"no templates {unknown[0]!r}, expected some of {', '.join(TEMPLATES)}"
        )
    return [Template.read(text) for group in chosen for text in TEMPLATES[group]]
