"""Noun phrases, names and the other phrases below the clause."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from deppa_nb.corpus.toy.dice import Dice
from deppa_nb.corpus.toy.grammar import Grammar
from deppa_nb.corpus.toy.lexicon import Lexicon, Noun, NounClass
from deppa_nb.corpus.toy.patterns import Item
from deppa_nb.corpus.toy.tree import Node

BE = {
    "1sg": {"pres": "am", "past": "was"},
    "3sg": {"pres": "is", "past": "was"},
    "pl": {"pres": "are", "past": "were"},
}
_OWN = {
    "I": "my",
    "you": "your",
    "she": "her",
    "we": "our",
    "they": "their",
    "it": "its",
    "he": "his",
}
_PAST = ("past", "pastprog")
_AGREEMENT = {"I": "1sg", "he": "3sg", "she": "3sg", "it": "3sg"}
_OBJECT = {"I": "me", "he": "him", "she": "her", "we": "us", "they": "them"}


class Phrases:
    """Builds the phrases of one sentence after the other.

    Parameters
    ----------
    dice : Dice
        Source of all choices.
    grammar : Grammar
        The compiled data.
    options : dict
        The preset's options (presets.yaml).
    """

    def __init__(self, dice: Dice, grammar: Grammar, options: dict[str, Any]) -> None:
        self.dice = dice
        self.grammar = grammar
        self.lexicon: Lexicon = grammar.lexicon
        self.options = options
        self.sites = frozenset(options["sites"].split())
        self.twins: dict[str, str] = options.get("names", {})
        self.keep: dict[str, int] = options.get("keep", {})
        self.rich = 1
        self.tense = "past"
        self.scene = ""
        self.about = "he"
        self.thing = "it"
        self.who = ""
        self.builders: dict[str, Callable[..., Node]] = {
            "np": self.np,
            "bare": self.bare,
            "adj": self.adjective,
            "adv": self.adverb,
            "num": self.number,
            "pro": self.same_pronoun,
            "objpro": self.object_pronoun,
            "be": lambda: self.be(_AGREEMENT.get(self.about, "pl")),
            "does": self.does,
            "thing": lambda: self.pronoun(self.thing, "nsubj"),
            "objthing": lambda: self.pronoun(self.thing, "obj"),
            "bething": lambda: self.be(_AGREEMENT.get(self.thing, "pl")),
            "beit": self.be,
            "poss": self.possessive,
            "me": lambda: self.pronoun("I", "obj"),
            "you": lambda: self.pronoun("you", "obj"),
            "interjection": lambda: self.word(self.dice.pick(grammar.interjections), "UH"),
        }

    def may(self, rate: str) -> bool:
        """Whether an optional thing happens, by its rate for the richness of this sentence."""
        return self.dice.chance(self.grammar.rates[rate][self.rich])

    def word(self, lemma: str, tag: str, label: str = "dep", upos: str = "") -> Node:
        """Return a word by its Penn tag."""
        node = Node(lemma, upos or self.grammar.upos[tag], tag, label)
        node.agreement = "pl" if tag == "NNS" else "3sg"
        return node

    def expand(self, items: tuple[Item, ...], head: Node | None = None) -> Node:
        """Build the tree of a pattern; `head` stands in for its head item if given."""
        before: list[Node] = []
        after: list[Node] = []
        for item in items:
            if item.is_head:
                head = head or self._what(item)
            elif item.chance == 100 or self.dice.chance(item.chance):
                node = self._what(item)
                node.label = item.label
                (before if head is None else after).append(node)
        assert head is not None
        head.pre[:0] = before
        head.post += after
        return head

    def _what(self, item: Item) -> Node:
        if item.inner:
            return self.expand(item.inner)
        if item.call:
            return self.builders[item.call[0]](*item.call[1:])
        lemma, tag, *upos = item.word
        if tag[:2] == "VB" and item.label in ("aux", "cop"):
            upos = ["AUX"]
        elif item.label == "mark":
            upos = ["SCONJ"]
        return self.word(lemma, tag, upos=upos[0] if upos else "")

    # -- small phrases -----------------------------------------------------------------------
    def number(self, low: str, high: str) -> Node:
        """Return a number written in digits."""
        first = int(low)
        node = self.word(str(first + self.dice.below(int(high) - first + 1)), "CD")
        node.agreement = "pl"
        return node

    def adjective(self, cls: str) -> Node:
        """Return an adjective of a class."""
        node = self.word(self.dice.pick(self.lexicon.adjectives[cls]), "JJ", "amod")
        if cls == "nation":
            node.entity = "MISC"
        return node

    def adverb(self, cls: str) -> Node:
        """Return an adverb of a class."""
        return self.word(self.dice.pick(self.lexicon.adverbs[cls]), "RB", "advmod")

    def possessive(self) -> Node:
        """Return a possessive pronoun."""
        return self.word(self.dice.pick(self.grammar.closed["possessives"]), "PRP$", "nmod:poss")

    def pronoun(self, lemma: str, label: str) -> Node:
        """Return a personal pronoun in the form its label asks for."""
        node = Node(lemma, "PRON", "PRP", label)
        node.agreement = _AGREEMENT.get(lemma, "pl")
        if label not in ("nsubj", "nsubj:pass", "expl"):
            node.form = _OBJECT.get(lemma, lemma)
        return node

    def same_pronoun(self) -> Node:
        """Return the pronoun for the person the sentence is about."""
        return self.pronoun(self.about, "nsubj")

    def object_pronoun(self) -> Node:
        """Return an object pronoun for someone else than the person the sentence is about."""
        return self.pronoun(self.other(self.about), "obj")

    def other(self, lemma: str) -> str:
        """Draw a personal pronoun that does not mean the same person as `lemma`."""
        found = lemma
        while found == lemma or {found, lemma} == {"I", "we"}:
            found = self.dice.pick(self.grammar.closed["objects"])
        return found

    def be(self, agreement: str = "3sg", label: str = "cop") -> Node:
        """Return a finite form of *be* that fits the tense of the sentence."""
        tense = "past" if self.tense in _PAST else "pres"
        node = Node("be", "AUX", {"past": "VBD"}.get(tense, "VBZ"), label)
        if tense == "pres" and agreement != "3sg":
            node.xpos = "VBP"
        node.form = BE[agreement][tense]
        return node

    def does(self, lemma: str) -> Node:
        """Return a finite verb that agrees with the person the sentence is about."""
        third = _AGREEMENT.get(self.about) == "3sg"
        return Node(lemma, "VERB", "VBD" if self.tense in _PAST else "VBZ" if third else "VBP")

    def case(self, noun: Node, preposition: str) -> Node:
        """Put a preposition before a noun phrase."""
        first, _, rest = preposition.partition("_")
        adposition = Node(first, "ADP", "IN", "case")
        if rest:
            adposition.post.append(Node(rest, "ADP", "IN", "fixed"))
        noun.pre.insert(0, adposition)
        return noun

    # -- noun phrases ------------------------------------------------------------------------
    def noun_class(self, name: str) -> NounClass:
        """Draw a class from a group (or return the class)."""
        return self.lexicon.nouns[self.dice.pick(self.lexicon.choices(name, self.scene))]

    def nominal(self, cls: NounClass, noun: Noun, plural: bool) -> Node:
        """Return a bare noun that knows what its class allows."""
        number = "NNS" if plural else "NN"
        node = Node(noun.lemma, "NOUN", number)
        node.agreement = "pl" if plural else "3sg"
        return self.classed(node, cls)

    def classed(self, node: Node, cls: NounClass) -> Node:
        """Tell a noun what its class allows."""
        node.cls, node.allows, node.pps = cls.name, cls.allows, cls.pps
        return node

    def bare(self, name: str) -> Node:
        """Return a noun without determiner (plural if it can be) or a name."""
        cls = self.noun_class(name)
        if cls.name.isupper():
            return self.name(cls)
        noun = self.dice.pick(cls.words)
        return self.nominal(
            cls, noun, noun.number == "plural" or (noun.number == "count" and cls.pronoun == "he")
        )

    def name(self, cls: NounClass) -> Node:
        """Return a name: of a person (with surname or title now and then), place, firm, day ..."""
        dice = self.dice
        node = self.classed(Node(dice.pick(cls.words).lemma, "PROPN", "NNP"), cls)
        node.entity = cls.entity
        if cls.name in ("MALE", "FEMALE"):
            self._surname(node)
        elif cls.name == "COMPANY" and dice.chance(18):
            node.post.append(self._flat(dice.pick(self.grammar.closed["suffixes"]), "ORG"))
        return node

    def _surname(self, node: Node) -> None:
        draw = self.dice.below(100)
        if draw < 30:
            surname = self.dice.pick(self.lexicon.nouns["SURNAME"].words).lemma
            node.post.append(self._flat(surname, "PER"))
        elif draw < 36:
            node.post.append(
                self._flat(self.dice.pick(self.lexicon.nouns["SURNAME"].words).lemma, "PER")
            )
            pronoun = self.lexicon.nouns[node.cls].pronoun
            title = ""
            while not title or self.grammar.gender.get(title, pronoun) != pronoun:
                title = self.dice.pick(self.grammar.closed["titles"])
            node.lemma, node.entity = title, ""

    def _flat(self, lemma: str, entity: str) -> Node:
        node = Node(lemma, "PROPN", "NNP", "flat")
        node.entity = entity
        return node

    def np(self, name: str, label: str = "dep", plain: bool = False, new: bool = False) -> Node:
        """Return a noun phrase of a class or group, without anything after the noun.

        `plain` keeps adjectives and compounds away, `new` the determiners of known things.
        """
        cls = self.noun_class(name)
        if cls.name in self.twins and self.dice.chance(50):
            cls = self.noun_class(self.twins[cls.name])
        if cls.patterns is not None:
            node = self.expand(self.dice.pick(self.grammar.phrases[cls.name]))
            node.cls = cls.name
            # a parser sees "car", not that it is part of the fixed phrase "by car"
            known = self.lexicon.class_of.get(node.lemma)
            node.allows = self.lexicon.nouns[known].allows if known else node.allows
        elif cls.name.isupper():
            node = self.name(cls)
        else:
            node = self._common(cls, plain, new)
        node.label = label
        return node

    def _common(self, cls: NounClass, plain: bool, new: bool) -> Node:
        dice = self.dice
        noun = dice.pick(cls.words)
        plural = noun.number == "plural" or (noun.number == "count" and dice.chance(cls.plural))
        node = self.nominal(cls, noun, plural)
        self._determine(node, cls, noun.number, new)
        if not plain:
            if cls.adjectives is not None and self.may("adjective"):
                self._modify(node, cls)
            if cls.compounds and self.may("compound"):
                self.compound(node, cls)
        return node

    def _modify(self, node: Node, cls: NounClass) -> None:
        assert cls.adjectives is not None
        name = self.dice.pick(cls.adjectives)
        adjective = self.adjective(name)
        if name not in self.grammar.ungraded and self.dice.chance(8):
            self.intensify(adjective, "mild_intensifier")
        node.pre.append(adjective)

    def intensify(self, adjective: Node, adverbs: str = "intensifier") -> None:
        """Put *very* before an adjective, or *absolutely* before a strong one."""
        strong = adjective.lemma in self.grammar.strong
        adjective.pre.append(self.adverb("strong_intensifier" if strong else adverbs))

    def _determine(self, node: Node, cls: NounClass, number: str, new: bool) -> None:
        if cls.determiner == "none":
            return
        fixed = cls.determiner in ("mine", "own", "sole")
        if (fixed or not new) and self.dice.chance(self.grammar.owned.get(cls.determiner, 11)):
            own = cls.determiner == "own" or (self.who not in ("", "it") and self.dice.chance(60))
            node.pre.append(self._own() if own else self._owner())
            return
        kind = "_plural" if node.xpos == "NNS" else "_mass" if number == "mass" else ""
        if cls.determiner == "sole":
            kind = "_sole" + kind
        elif new:
            kind = "_new" + kind
        elif cls.determiner in ("the", "my", "mine") and kind != "_mass":
            kind = "_the" + kind
        elif cls.determiner == "a" and not kind:
            kind = "_a"
        word = self.dice.pick(self.grammar.closed["determiners" + kind])
        if word == "NONE" or (word == "NUM" and number == "plural"):
            return
        if word == "NUM":
            node.pre.append(self._count())
        elif word in ("many", "few", "more", "much", "several"):
            node.pre.append(self.word(word, "JJ", "amod"))
        else:
            node.pre.append(Node(word, "DET", "DT", "det"))

    def _count(self) -> Node:
        if self.dice.chance(80):
            return self.word(self.dice.pick(self.grammar.closed["numbers"]), "CD", "nummod")
        number = self.number("2", "12")
        number.label = "nummod"
        return number

    def _own(self) -> Node:
        """Return the possessive that goes with the subject."""
        return self.word(_OWN.get(self.who, "his"), "PRP$", "nmod:poss")

    def _owner(self) -> Node:
        """Return *my* or *Anna 's*."""
        if self.dice.chance(70):
            return self.possessive()
        owner = self.np("PERSON" if self.dice.chance(60) else "kin", "nmod:poss", plain=True)
        if owner.upos == "NOUN":
            owner.xpos, owner.pre = "NN", [self.possessive()]
        owner.post.append(self.word("'s", "POS", "case"))
        return owner

    def compound(self, node: Node, cls: NounClass) -> None:
        """Put one noun (or two, a site of ambiguity) before a noun."""
        first = self._modifier(cls.compounds[self.dice.below(len(cls.compounds))])
        inner = self.lexicon.nouns[first.cls]
        outer = cls.outer if self.dice.chance(self.grammar.sites["compound"]["outer"]) else ()
        names = outer or inner.compounds
        if names and self.dice.chance(self.grammar.sites["compound"]["rate"]):
            self._triple(node, cls, first, names[self.dice.below(len(names))])
        node.pre.append(first)

    def _modifier(self, name: str) -> Node:
        cls = self.noun_class(name)
        node = self.classed(Node(self.dice.pick(cls.words).lemma, "NOUN", "NN", "compound"), cls)
        if cls.name.isupper():
            node.upos, node.xpos, node.entity = "PROPN", "NNP", cls.entity
        return node

    def _triple(self, node: Node, cls: NounClass, second: Node, name: str) -> None:
        """Put a noun before two others: it belongs to the one whose class takes it."""
        first, inner = self._modifier(name), self.lexicon.nouns[second.cls]
        if first.cls == second.cls:
            return
        fits = [first.cls in inner.compounds, first.cls in cls.compounds]
        chosen = self.decide("compound", first, (second, node), fits)
        if chosen is second:
            second.pre.append(first)
        elif chosen is node:
            node.pre.append(first)

    # -- sites of ambiguity ------------------------------------------------------------------
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
            data = self.grammar.sites[site]
            if not self.dice.chance(self.keep.get(site, data["keep"])):
                return None
            near = data["near"]
            misc += f"|Best=0.{max(near, 100 - near)}"
            fitting = fitting[:1] if self.dice.chance(near) else fitting[1:]
        if len(fitting) != 1:
            return None
        if len(rivals) > 1 and site in self.sites:
            dependent.misc, dependent.rivals = misc, rivals
        return fitting[0]
