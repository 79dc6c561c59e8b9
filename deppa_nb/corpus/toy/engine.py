"""The engine: trees of patterns, and what a sentence has been about so far."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from deppa_nb.corpus.toy.dice import Dice
from deppa_nb.corpus.toy.lexicon import Lexicon, VerbClass
from deppa_nb.corpus.toy.patterns import Item, Pattern
from deppa_nb.corpus.toy.tree import Node


@dataclass
class Discourse:
    """What a sentence is about.

    `who` is the pronoun of the subject, `thing` that of the last thing spoken of, `given` that of
    the subject a later clause may go on about (each with its class); `verb` is the class of the
    last verb, which says what may follow. `spoken` tells that a subject was named, `timed` that a
    time was, `dated` that a clause of time was, `placed` that a town or country was; `nested` that
    no clause may go into this one, `ask` that this one is a question; `heard` are the classes of
    nouns after prepositions, which nobody hears twice.
    """

    verb: VerbClass
    scene: str
    tense: str
    modal: str
    rich: int
    nested: bool
    ask: bool = False
    who: str = ""
    thing: str = ""
    thing_class: str = ""
    given: str = ""
    given_class: str = ""
    spoken: bool = False
    timed: bool = False
    dated: bool = False
    placed: bool = False
    heard: frozenset[str] = frozenset()


class Engine:
    """Interprets the patterns of grammar.yaml, with the options of a preset (presets.yaml)."""

    def __init__(self, dice: Dice, lexicon: Lexicon, options: dict[str, Any]) -> None:
        self.dice, self.lexicon, self.options = dice, lexicon, options
        self.strict: bool = options.get("strict", False)
        own = {name: [rate] * 4 for name, rate in options.get("rates", {}).items()}
        self.rates: dict[str, list[int]] = lexicon.rates | own
        self.begin()

    def begin(self) -> None:
        """Forget the sentence before and choose what a new one is about."""
        dice, lexicon = self.dice, self.lexicon
        self.talk = Discourse(
            lexicon.be,
            dice.pick(lexicon.scenes),
            dice.pick(lexicon.tense_table),
            dice.pick(lexicon.closed["modals"]),
            min(dice.pick(lexicon.rich), self.options.get("richest", 3)),
            self.options.get("simple", False),
        )

    @contextmanager
    def but(self, lean: int = 0, **changes: Any) -> Iterator[None]:
        """Change the discourse for the time being; `lean` makes it less rich."""
        changes.setdefault("rich", max(0, self.talk.rich - lean))
        before = {name: getattr(self.talk, name) for name in changes}
        self.talk.__dict__.update(changes)
        yield
        self.talk.__dict__.update(before)

    def may(self, rate: str) -> bool:
        """Whether an optional thing happens, by its rate for the richness of this sentence."""
        return self.dice.chance(self.rates[rate][self.talk.rich])

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
