"""Noun phrases, names and the other phrases below the clause."""

from __future__ import annotations

from deppa_nb.corpus.toy.lexicon import Noun, NounClass
from deppa_nb.corpus.toy.patterns import builder
from deppa_nb.corpus.toy.sites import Sites
from deppa_nb.corpus.toy.tree import Node

PAST = ("past", "pastprog")
FIXED = ("mine", "self", "sole", "his", "hers", "none")  # determiners that even new things keep
_BE = {("VBP", "1sg"): "am", ("VBD", "pl"): "were"}
_DETERMINERS = {"DT": "det", "CD": "nummod", "JJ": "amod"}


class Phrases(Sites):
    """Builds the phrases below the clause."""

    @builder()
    def num(self, low: int, high: int) -> Node:
        """Return a number written in digits."""
        node = self.word(str(low + self.dice.below(high - low + 1)), "CD", "nummod")
        node.agreement = "pl"
        return node

    @builder(name="closed", tag="tag")
    def closed(self, name: str, tag: str = "UH", upos: str = "") -> Node:
        """Return a word of a closed class (words.yaml)."""
        return self.word(self.dice.pick(self.lexicon.closed[name]), tag, upos=upos)

    @builder(name="adjective")
    def adj(self, name: str) -> Node:
        """Return an adjective of a class."""
        node = self.word(self.dice.pick(self.lexicon.adjectives[name]), "JJ", "amod")
        node.entity = "MISC" if node.lemma[0].isupper() else ""
        return node

    @builder(name="adverb")
    def adv(self, name: str) -> Node:
        """Return an adverb of a class, or a noun used like one: *yesterday*."""
        lemma = self.dice.pick(self.lexicon.adverbs[name])
        if lemma in self.lexicon.days:
            return self.word(lemma, "NN", "obl:unmarked")
        return self.word(lemma, "RB", "advmod")

    def pronoun(self, lemma: str, label: str) -> Node:
        """Return a personal pronoun in the form its label asks for."""
        node = Node(lemma, "PRON", "PRP", label)
        objective, _, node.agreement = self.lexicon.pronouns[lemma]
        if label not in ("nsubj", "nsubj:pass", "expl"):
            node.form = objective
        return node

    @builder(which="pronoun")
    def pro(self, which: str = "who", label: str = "nsubj") -> Node:
        """Return the pronoun for the subject (who), the thing spoken of, someone other, or I ..."""
        return self.pronoun(self.named(which), label)

    def named(self, which: str) -> str:
        """Return the pronoun that a pattern calls who, thing or other."""
        if which == "other":
            return self.someone()
        return {"who": self.talk.who or "he", "thing": self.talk.thing or "it"}.get(which, which)

    def someone(self) -> str:
        """Draw a personal pronoun that does not mean the same person as the subject."""
        found = self.talk.who
        while found == self.talk.who or {found, self.talk.who} == {"I", "we"}:
            found = self.dice.pick(self.lexicon.closed["objects"])
        return found

    @builder(which="pronoun")
    def poss(self, which: str = "") -> Node:
        """Return a possessive pronoun, of the subject (who) or of anybody."""
        anybody = self.lexicon.closed["possessives"]
        lemma = self.lexicon.pronouns[self.named(which)][1] if which else self.dice.pick(anybody)
        return self.word(lemma, "PRP$", "nmod:poss")

    @builder(which="pronoun")
    def does(self, lemma: str, which: str = "who") -> Node:
        """Return a finite verb that agrees with the subject (who) or the thing spoken of."""
        agreement = self.lexicon.pronouns[self.named(which)][2]
        tag = "VBD" if self.talk.tense in PAST else "VBZ"
        return self.agree(Node(lemma, "VERB", tag), agreement)

    def agree(self, verb: Node, agreement: str) -> Node:
        """Give a finite verb its form."""
        if verb.xpos == "VBZ" and agreement != "3sg":
            verb.xpos = "VBP"
        if verb.lemma == "be":
            verb.form = _BE.get((verb.xpos, agreement), "")
        return verb

    def case(self, noun: Node, preposition: str) -> Node:
        """Put a preposition before a noun phrase."""
        first, _, rest = preposition.partition("_")
        noun.pre.insert(0, Node(first, "ADP", "IN", "case"))
        if rest:
            noun.pre[0].post.append(Node(rest, "ADP", "IN", "fixed"))
        return noun

    # -- noun phrases ------------------------------------------------------------------------
    def noun_class(self, name: str) -> NounClass:
        """Draw a class from a group (or return the class)."""
        return self.lexicon.nouns[self.dice.pick(self.lexicon.choices(name, self.talk.scene))]

    def noun(self, cls: NounClass, word: Noun, tag: str = "NN", label: str = "dep") -> Node:
        """Return a noun or name that knows what its class allows."""
        tag = "NNP" if cls.name.isupper() else tag
        for group, percent in cls.then if label != "compound" else ():
            if self.dice.chance(percent):
                last = self.dice.pick(self.lexicon.nouns[group].words).lemma
                if cls.human:
                    word = word._replace(after=(last,))
                else:  # Acme Ltd
                    word = Noun(last, word.number, ((word.lemma, "compound"),))
        node = Node(word.lemma, "PROPN" if tag == "NNP" else "NOUN", tag, label)
        for lemma, kind in word.before:
            node.pre.append(Node(lemma, "ADJ" if kind == "amod" else "PROPN", "NNP", kind))
        node.post = [Node(lemma, "PROPN", "NNP", "flat") for lemma in word.after]
        for one in (node, *node.pre, *node.post):
            one.entity = cls.entity
        node.cls, node.allows, node.pps = cls.name, cls.allows, cls.pps
        self.talk.placed = self.talk.placed or cls.entity == "LOC"
        return node

    @builder(name="class")
    def bare(self, name: str) -> Node:
        """Return a noun without determiner or a name."""
        cls = self.noun_class(name)
        noun = self.dice.pick(cls.words)
        return self.noun(cls, noun, "NNS" if noun.number == "plural" else "NN")

    @builder(name="class")
    def np(self, name: str, label: str = "dep", plain: bool = False, new: bool = False) -> Node:
        """Return a noun phrase of a class or group, without anything after the noun.

        `plain` keeps adjectives and compounds away, `new` the determiners of known things.
        """
        cls = self.noun_class(name)
        twin = self.options.get("names", {}).get(cls.name)
        if twin and self.dice.chance(50):
            cls = self.noun_class(twin)
        if cls.patterns is not None:
            node = self.expand(self.dice.pick(cls.patterns))
            node.cls = cls.name
            # a parser sees "car", not that it is part of the fixed phrase "by car"
            known = self.lexicon.class_of.get(node.lemma)
            node.allows = self.lexicon.nouns[known].allows if known else node.allows
        else:
            noun = self.dice.pick(cls.words)
            plural = noun.number == "count" and self.dice.chance(cls.plural)
            plural = plural or noun.number == "plural"
            node = self.noun(cls, noun, "NNS" if plural else "NN")
            row = "new" if new and cls.determiner not in FIXED else cls.determiner
            if node.upos == "NOUN" or row == "sole":
                self._determine(node, row, noun.number)
            if not plain and node.upos == "NOUN":
                if cls.adjectives.items and self.may("adjective"):
                    node.pre.append(self.adj(self.dice.pick(cls.adjectives)))
                if cls.compounds and self.may("compound"):
                    self._compound(node, cls)
        node.label = label
        return node

    def _determine(self, node: Node, row: str, number: str) -> None:
        column = 1 if node.xpos == "NNS" else 2 if number == "mass" else 0
        word = self.dice.pick(self.lexicon.determiners[row][column])
        if word == "NONE" or (word == "NUM" and number == "plural"):
            return
        if word in ("HIS", "HER") and self.talk.who == "I":
            word = "MY"
        if word == "OWN" and self.talk.who not in ("", "it") and self.dice.chance(65):
            word = "SELF"
        if word in self.lexicon.rules:
            first = self.rule(word)
            first.label = _DETERMINERS.get(first.xpos, "nmod:poss")
        else:
            first = Node(word, "DET", "DT", "det")
        node.pre.insert(0, first)

    def _compound(self, node: Node, cls: NounClass) -> None:
        """Put one noun (or two, a site of ambiguity) before a noun."""
        second = self._modifier(cls.compounds)
        inner = self.lexicon.nouns[second.cls].inner
        both = tuple(name for name in inner if name in cls.compounds)
        names = (self.tries("compound", "outer") and cls.outer) or both or inner
        if names and self.tries("compound"):
            first = self._modifier(names)
            if first.cls != second.cls:
                self.word_site("compound", first, ("compound", first.cls), (second, node))
        node.pre.append(second)

    def _modifier(self, names: tuple[str, ...]) -> Node:
        cls = self.noun_class(self.dice.one(names))
        return self.noun(cls, self.dice.pick(cls.words), label="compound")

    def conjoin(self, first: Node, more: int = 0) -> Node:
        """Coordinate a noun with others of its class, one or `more`; return the last."""
        group = "PERSON" if first.entity == "PER" else first.cls
        nodes: dict[str, Node] = {}
        for _ in range(more or 1 + self.dice.chance(16)):
            node = self.np(group, "conj", plain=True, new=True)
            if node.upos == "NOUN" and node.pre and first.pre:
                self._likewise(node, first.pre[0])
            if node.lemma != first.lemma:
                nodes.setdefault(node.lemma, node)
        *others, last = first, *nodes.values()
        for node in others[1:]:
            node.pre.insert(0, Node(",", "PUNCT", ",", "punct"))
        if others:
            last.pre.insert(0, Node("and", "CCONJ", "CC", "cc"))
        first.post += nodes.values()
        return last

    def _likewise(self, node: Node, like: Node) -> None:
        """Give a noun the determiner of the noun it is coordinated with, if that is simple."""
        article = like.lemma == "the" or (like.lemma == "a" and node.xpos != "NNS")
        if article or like.xpos == "PRP$":
            node.pre = [Node(like.lemma, like.upos, like.xpos, like.label)]
