"""The engine: trees of patterns, and the coin of ambiguous sites."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from deppa_nb.corpus.toy.dice import Dice
from deppa_nb.corpus.toy.lexicon import Lexicon
from deppa_nb.corpus.toy.patterns import Item, Pattern
from deppa_nb.corpus.toy.tree import Node


class Engine:
    """Interprets the patterns of grammar.yaml, with the options of a preset (presets.yaml).

    Public methods of subclasses that return a node are builders: patterns may call them.
    """

    def __init__(self, dice: Dice, lexicon: Lexicon, options: dict[str, Any]) -> None:
        self.dice, self.lexicon, self.options = dice, lexicon, options
        self.sites = frozenset(options["sites"].split())
        self.strict: bool = options.get("strict", False)
        self.rich = 1
        self.tense, self.scene = "past", "people"
        self.who = self.thing = ""  # pronouns for the subject and for the last thing spoken of

    @contextmanager
    def but(self, **changes: Any) -> Iterator[None]:
        """Change attributes for the time being."""
        before = {name: getattr(self, name) for name in changes}
        self.__dict__.update(changes)
        yield
        self.__dict__.update(before)

    def may(self, rate: str) -> bool:
        """Whether an optional thing happens, by its rate for the richness of this sentence."""
        return self.dice.chance(self.lexicon.rates[rate][self.rich])

    def word(self, lemma: str, tag: str, label: str = "dep", upos: str = "") -> Node:
        """Return a word by its Penn tag."""
        return Node(lemma, upos or self.lexicon.upos[tag], tag, label)

    def rule(self, name: str, label: str = "dep") -> Node:
        """Return the tree of one of the alternatives of a rule."""
        node = self.expand(self.dice.pick(self.lexicon.rules[name]))
        node.label = label
        return node

    def expand(self, items: Pattern, head: Node | None = None) -> Node:
        """Build the tree of a pattern; `head` stands in for its head item if given."""
        before: list[Node] = []
        after: list[Node] = []
        side = before
        for item in items:
            if item.is_head:
                head, side = head or self._what(item), after
            elif item.chance == 100 or self.dice.chance(item.chance):
                node = self._what(item)
                node.label = item.label
                if item.label in ("aux", "aux:pass", "cop"):
                    node.upos = "AUX"
                side.append(node)
        assert head is not None
        head.pre[:0] = before
        head.post += after
        return head

    def _what(self, item: Item) -> Node:
        if item.inner:
            return self.expand(item.inner)
        if item.call:
            if item.call in self.lexicon.rules:
                return self.rule(item.call)
            built: Node = getattr(self, item.call)(*item.args, **item.keys)
            return built
        lemma, tag, *upos = item.word
        lemma, _, form = lemma.partition("=")
        if item.label == "mark" and tag == "IN":
            upos = ["SCONJ"]
        node = self.word(lemma, tag, upos=upos[0] if upos else "")
        node.form = form
        return node

    def decide(
        self, site: str, dependent: Node, rivals: tuple[Node, ...], fits: list[bool]
    ) -> Node | None:
        """Return the rival that takes the dependent; the nearest is the first rival.

        One that fits wins; of two, a coin decides that nothing else depends on; otherwise, or if
        the case is not kept, None: the dependent is to be left out.
        """
        fitting = [rival for rival, fit in zip(rivals, fits, strict=True) if fit]
        misc = f"Ambiguity={site}"
        if len(fitting) == 2 and site in self.sites:
            data = self.lexicon.sites[site]
            if not self.dice.chance(self.options.get("keep", {}).get(site, data["keep"])):
                return None
            near = data["near"]
            misc += f"|Best=0.{max(near, 100 - near)}"
            fitting = fitting[:1] if self.dice.chance(near) else fitting[1:]
        if len(fitting) != 1:
            return None
        if len(rivals) > 1 and site in self.sites:
            dependent.misc, dependent.rivals = misc, rivals
        return fitting[0]
