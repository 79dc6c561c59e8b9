"""Word orders: the dependents of every word put where a preset wants them."""

from __future__ import annotations

from typing import Any

from deppa_nb.corpus.toy.dice import Dice
from deppa_nb.corpus.toy.tree import Node

_RELATIVE = frozenset(["WDT", "WP"])
LOOSE = frozenset(["nsubj", "nsubj:pass", "obj", "iobj", "obl", "obl:agent", "obl:unmarked"])
_MOVABLE = frozenset(["amod", "nmod:poss", "nmod", "acl:relcl", "det"])
_OPENING = frozenset(["mark", "cc", "punct", "advcl", "discourse", "vocative"])


def relative(node: Node) -> bool:
    """Whether a word is a relative pronoun."""
    return node.xpos in _RELATIVE and node.head.label == "acl:relcl"


def _leader(children: list[Node], place: int) -> Node:
    """Return the dependent whose place this one shares: a mark goes with what it introduces."""
    if children[place].label != "punct":
        return children[place]
    return next((c for c in children[place + 1 :] if c.label != "punct"), children[place])


def _case(node: Node) -> str:
    return "obl" if node.label == "nmod" else node.label.split(":")[0]


class Order:
    """A fixed or free order: every label has a rank, negative before the head, positive after it.

    Labels without a rank stay on their side; ``label.pre`` and ``label.post`` differ by the English
    side. Among equals, what changes sides is mirrored. A mark after the head stays next to what it
    introduces.

    In a free order the phrases of a clause are shuffled and parts of noun phrases wander. A part
    leaves its noun only if the noun's case occurs once in the clause, so that agreement tells where
    it belongs.
    """

    def __init__(self, options: dict[str, Any], dice: Dice) -> None:
        self._ranks: dict[str, int] = options["ranks"]
        self._free, self._leave = options["order"] == "free", options.get("leave", 0)
        self._dice = dice

    def arrange(self, node: Node) -> None:
        """Order the dependents of `node` and of everything below it."""
        placed: list[tuple[int, int, Node]] = []
        for side, children in ((-1, node.pre), (1, node.post)):
            for place, child in enumerate(children):
                rank = self._rank(_leader(children, place) if side > 0 else child, side)
                placed.append((rank, place * (-1 if rank * side < 0 else 1), child))
                if child.pre or child.post:
                    self.arrange(child)
        placed.sort(key=lambda entry: entry[:2])
        node.pre = [child for rank, _, child in placed if rank < 0]
        node.post = [child for rank, _, child in placed if rank >= 0]
        if self._free and node.upos == "VERB":
            self._shuffle(node)

    def _rank(self, child: Node, side: int) -> int:
        if child.label == "punct":
            return 99 * side
        label = "relative" if relative(child) else child.label
        if label not in self._ranks:
            label += ".pre" if side < 0 else ".post"
        return self._ranks.get(label, 30 * side)

    def _shuffle(self, verb: Node) -> None:
        phrases = [c for c in (*verb.pre, *verb.post) if c.label in LOOSE and not relative(c)]
        if not phrases:
            return
        first = [c for c in verb.pre if c not in phrases]
        last = [c for c in verb.post if c not in phrases]
        for phrase in tuple(phrases):
            undecided = [c for c in phrase.post if c.label == "nmod" and "Best" in c.misc]
            phrase.post = [c for c in phrase.post if c not in undecided]
            phrases += undecided
        stray = [(part, phrase) for phrase in phrases for part in self._leaving(phrase, phrases)]
        order = [verb]
        for phrase in phrases:
            order.insert(self._dice.below(len(order) + 1), phrase)
        for part, phrase in stray:
            # somewhere that is not next to its phrase
            home = order.index(phrase)
            places = [place for place in range(len(order) + 1) if place not in (home, home + 1)]
            order.insert(self._dice.one(places), part)
        cut = order.index(verb)
        opening = [c for c in first if c.label in _OPENING or relative(c)]
        verb.pre = [*opening, *order[:cut], *(c for c in first if c not in opening)]
        verb.post = [*order[cut + 1 :], *last]

    def _leaving(self, phrase: Node, phrases: list[Node]) -> list[Node]:
        if sum(_case(other) == _case(phrase) for other in phrases) > 1:
            return []
        parts = [c for c in (*phrase.pre, *phrase.post) if c.label in _MOVABLE]
        gone = [c for c in parts if "Best" not in c.misc and self._dice.chance(self._leave)]
        phrase.pre = [c for c in phrase.pre if c not in gone]
        phrase.post = [c for c in phrase.post if c not in gone]
        return gone
