"""Words in a dependency tree under construction."""

from __future__ import annotations

from deppa_nb.corpus.toy.dice import Table

Pair = tuple[str, str]
NOTHING: frozenset[Pair] = frozenset()


class Node:
    """A word, its dependents before and after it, and what it allows to be attached.

    `form` is set only where the rules of inflection do not give it, `pronoun` once a person has
    been taken up by one. `allows` holds the (preposition, class) pairs the word takes; `pps` is the
    table they are drawn from.
    """

    __slots__ = (
        "agreement",
        "allows",
        "cls",
        "entity",
        "form",
        "head",
        "index",
        "label",
        "lemma",
        "misc",
        "post",
        "pps",
        "pre",
        "pronoun",
        "rivals",
        "upos",
        "xpos",
    )

    def __init__(self, lemma: str, upos: str, xpos: str, label: str = "root") -> None:
        self.lemma = lemma
        self.upos = upos
        self.xpos = xpos
        self.label = label
        self.pre: list[Node] = []
        self.post: list[Node] = []
        self.form = ""
        self.cls = ""
        self.entity = ""
        self.agreement = "3sg"
        self.pronoun = ""
        self.allows = NOTHING
        self.pps: Table[Pair] | None = None
        self.misc = ""
        self.rivals: tuple[Node, ...] = ()
        self.head: Node | None = None
        self.index = 0


def settle(node: Node) -> None:
    """Make every dependent below `node` know its head."""
    for child in node.pre:
        child.head = node
        if child.pre or child.post:
            settle(child)
    for child in node.post:
        child.head = node
        if child.pre or child.post:
            settle(child)


def flatten(node: Node, out: list[Node]) -> list[Node]:
    """Append the words of the tree to `out` from left to right, and return it."""
    for child in node.pre:
        if child.pre or child.post:
            flatten(child, out)
        else:
            out.append(child)
    out.append(node)
    for child in node.post:
        if child.pre or child.post:
            flatten(child, out)
        else:
            out.append(child)
    return out
