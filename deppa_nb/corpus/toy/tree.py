"""Words in a dependency tree under construction."""

from __future__ import annotations

from collections.abc import Iterator

from deppa_nb.corpus.toy.dice import Table

Pair = tuple[str, str]
_NOTHING: frozenset[Pair] = frozenset()
_NO_PHRASES: Table[Pair] = Table([])


class Node:
    """A word, its dependents before and after it, and what it allows to be attached.

    `form` is set only where the rules of inflection do not give it, `pronoun` once a person has
    been taken up by one. `allows` holds what the word takes: (preposition, class) pairs, for which
    `pps` is the table they are drawn from, and (compound, class), (adverb, lemma), (reason, kind).
    `rivals` and `controller` are written to MISC, `head` is known once the tree is settled.
    """

    head: Node

    __slots__ = (
        *("lemma", "upos", "xpos", "label", "form", "pre", "post", "head", "index"),
        *("cls", "entity", "agreement", "pronoun", "allows", "pps"),
        *("misc", "rivals", "controller"),
    )

    def __init__(self, lemma: str, upos: str, xpos: str, label: str = "root") -> None:
        self.lemma = lemma
        self.upos = upos
        self.xpos = xpos
        self.label = label
        self.pre: list[Node] = []
        self.post: list[Node] = []
        self.form = self.cls = self.entity = self.pronoun = self.misc = ""
        self.agreement = "pl" if xpos == "NNS" else "3sg"
        self.allows = _NOTHING
        self.pps = _NO_PHRASES
        self.rivals: tuple[Node, ...] = ()
        self.controller: Node | None = None
        self.index = 0

    def has(self, lemma: str) -> bool:
        """Whether a word stands among the dependents before this one."""
        return any(child.lemma == lemma for child in self.pre)


TOP = Node("", "", "", "")  # the head of every root
TOP.head = TOP


def settle(node: Node, dropped: frozenset[str]) -> None:
    """Make every dependent below `node` know its head; take out small words a preset lacks."""
    for side in (node.pre, node.post):
        if dropped:
            side[:] = [c for c in side if c.lemma not in dropped or c.pre or c.post or c.rivals]
        for child in side:
            child.head = node
            if child.pre or child.post:
                settle(child, dropped)


def last_words(node: Node) -> Iterator[Node]:
    """Yield the last dependent of a word, that one's last dependent and so on."""
    while node.post:
        node = node.post[-1]
        yield node


def flatten(node: Node, out: list[Node]) -> list[Node]:
    """Append the words of the tree to `out` from left to right, and return it."""
    for child in node.pre:
        flatten(child, out)
    out.append(node)
    for child in node.post:
        flatten(child, out)
    return out
