"""What is optional in a clause, and the places where two heads compete for it."""

from __future__ import annotations

from typing import Any

from deppa_nb.corpus.toy.clauses import Clauses
from deppa_nb.corpus.toy.dice import Dice
from deppa_nb.corpus.toy.grammar import Grammar
from deppa_nb.corpus.toy.lexicon import Frame, VerbClass
from deppa_nb.corpus.toy.orders import LOOSE
from deppa_nb.corpus.toy.predicates import Core
from deppa_nb.corpus.toy.tree import Node

_WHEN = {
    "pres": "present_time",
    "prog": "present_time",
    "perf": "present_time",
    "will": "future_time",
    "modal": "future_time",
}
_DETERMINERS = ("det", "nmod:poss", "nummod")


class Extras(Clauses):
    """Adds prepositional phrases, relative clauses, adverbs, coordination and reasons."""

    def __init__(self, dice: Dice, grammar: Grammar, options: dict[str, Any]) -> None:
        super().__init__(dice, grammar, options)
        self.time_pps, self.times = self.lexicon.expand_pps("+time")
        self.timed = False

    def decorate(self, core: Core) -> None:
        """Add what is optional to a clause, in English order."""
        self.about = self.pronoun_for(core.subject)
        if core.tail is not None:
            self.thing = "it" if core.tail.agreement == "3sg" else "they"
        strict = self.options.get("strict", False)
        if core.subject is not None and core.subject.upos != "PRON" and not strict:
            self._subject(core.subject)
        if core.cls is None:
            if core.tail is not None and self.may("pp"):
                self._attach(core, [core.tail])
            return
        if core.closed:
            self._late(core)
        else:
            self._after_verb(core, strict)

    def _after_verb(self, core: Core, strict: bool) -> None:
        head, tail = core.head, core.tail
        spine = [head]
        if tail is not None and tail.upos != "PRON":
            spine.append(tail)
            listed = tail.label == "obj" and tail.cls != "bodypart"
            if listed and self.may("conj"):
                last = self.conjoin(tail)
                if last is not tail:
                    spine.append(last)
        cls = core.cls
        assert cls is not None
        if strict and self.may("relcl") and self._any_relative(core):
            return
        # after "promised to go", _late decides whose the adverb is
        if cls.adverbs and head.label != "xcomp" and self.may("adverb"):
            self._adverb(core, cls)
            spine = [head]
        more = self.may("pp")
        while more:
            more = self._attach(core, core.heads if strict else spine) and self.may("morepp")
        if core.closed:
            return
        if (
            core.subject is not None
            and not self.timed
            and self.may("timeadverb")
            and not any(pair in self.times for pair in core.used)
        ):
            head.post.append(self.adverb(_WHEN.get(self.tense, "past_time")))
        elif not strict and not core.tossed:
            self._last(core, spine)

    def _last(self, core: Core, spine: list[Node]) -> None:
        """Close the clause with a relative clause, a coordination or a reason."""
        if (
            len(spine) > 1
            and spine[-1].upos == "NOUN"
            and self.may("relcl")
            and (spine[-1].label in ("obj", "obl") and self.relative(spine[-1]))
        ):
            core.closed = True
        elif len(spine) > 1 and spine[-1].entity == "PER" and self.may("appos"):
            self.appose(spine[-1])

    def _any_relative(self, core: Core) -> bool:
        """Add a relative clause to some noun of the clause; nothing else may be added then."""
        nouns = [node for node in core.heads if node.upos == "NOUN" and node.label != "conj"]
        return bool(nouns) and self.relative(nouns[self.dice.below(len(nouns))])

    def _adverb(self, core: Core, cls: VerbClass) -> None:
        adverb = self.adverb(cls.adverbs[self.dice.below(len(cls.adverbs))])
        core.head.post.append(adverb)

    def _subject(self, subject: Node) -> None:
        """Add to a subject: a phrase, a relative clause or an apposition."""
        if subject.upos == "PROPN":
            if subject.entity == "PER" and self.may("appos"):
                self.appose(subject)
            return
        if any(child.label == "conj" for child in subject.post):
            return
        if self.may("subjpp") and subject.pps is not None:
            self._attach(Core(subject), [subject])
        elif self.may("relcl"):
            self.relative(subject)

    # -- prepositional phrases ---------------------------------------------------------------
    def _attach(self, core: Core, spine: list[Node]) -> bool:
        """Add one prepositional phrase after the last word; tell whether more may follow.

        `spine` lists the words that can take it, the farthest first.
        """
        open_heads = [n for n in spine for _ in range(1 + (n.upos != "VERB")) if n.pps is not None]
        if not open_heads:
            return False
        source = open_heads[self.dice.below(len(open_heads))]
        assert source.pps is not None
        pair = self.dice.pick(source.pps)
        prep, cls = pair
        if cls == "YEAR" and self.tense not in ("past", "pastprog"):
            return False
        if pair in self.times and self.tense == "perf":
            return False
        if any(prep == used[0] for used in core.used):
            return False
        if pair in self.times and (self.timed or any(used in self.times for used in core.used)):
            return False
        rivals = tuple(node for node in reversed(spine) if node.upos != "PRON")
        fits = [pair in rival.allows for rival in rivals]
        if self.options.get("strict") and not self._clear(core, pair, rivals, fits):
            return False
        noun = self.case(self.np(cls, "obl", new=prep in ("with", "without")), prep)
        chosen = self.decide("pp", noun, rivals, fits)
        if chosen is None:
            return False
        noun.label = "obl" if chosen.upos == "VERB" else "nmod"
        if prep == "of":
            self._definite(chosen)
        chosen.post.append(noun)
        core.used.append(pair)
        self.timed = self.timed or pair in self.times
        core.tossed = "Best" in noun.misc
        if core.tossed or self.options.get("strict"):
            core.heads.append(noun)
            return not core.tossed
        del spine[spine.index(chosen) + 1 :]
        spine.append(noun)
        if prep == "of" and noun.upos == "NOUN" and chosen.label != "conj":
            return self._after_of(core, chosen, noun)
        return True

    def _definite(self, noun: Node) -> None:
        """Say *the mother of*, not *my mother of*."""
        if all(child.label != "det" for child in noun.pre):
            noun.pre = [child for child in noun.pre if child.label != "nmod:poss"]
            place = sum(child.label in ("punct", "cc", "case", "mark") for child in noun.pre)
            noun.pre.insert(place, Node("the", "DET", "DT", "det"))

    def _clear(
        self, core: Core, pair: tuple[str, str], rivals: tuple[Node, ...], fits: list[bool]
    ) -> bool:
        """Whether a phrase keeps every phrase of its clause decidable in any word order."""
        noun = self.lexicon.nouns[pair[1]]
        if any(used in noun.allows for used in core.used):
            return False
        fitting = [rival for rival, fit in zip(rivals, fits, strict=True) if fit]
        if self.options["order"] == "free":
            # a phrase that two words could take wanders freely, so its place tells nothing
            return len(fitting) == 1 or all(r is core.head or r.label in LOOSE for r in fitting)
        return len(fitting) == 1 or (
            not core.used
            and core.head in fitting
            and core.tail in fitting
            and core.head.post[-1] is core.tail
            and not core.tail.post
        )

    def _after_of(self, core: Core, outer: Node, inner: Node) -> bool:
        """After *N of N*: maybe a relative clause or a second noun, high or low."""
        sites, dice = self.grammar.sites, self.dice
        if dice.chance(sites["relcl"]["rate"]):
            core.closed = self._high_or_low(outer, inner)
        if not core.closed and dice.chance(sites["coord"]["rate"]):
            core.tossed = self._wide_or_narrow(outer, inner)
        return not core.closed and not core.tossed

    def _wide_or_narrow(self, outer: Node, inner: Node) -> bool:
        source = inner if self.dice.chance(50) else outer
        third = self.np(source.cls, "conj", plain=True)
        fits = [self.alike(third, inner), self.alike(third, outer)]
        chosen = self.decide("coord", third, (inner, outer), fits)
        if chosen is not None and third.lemma not in (inner.lemma, outer.lemma):
            third.pre.insert(0, Node("and", "CCONJ", "CC", "cc"))
            chosen.post.append(third)
        return chosen is not None

    def alike(self, one: Node, other: Node) -> bool:
        """Whether two nouns go well together: both people, or of the same class."""
        nouns = self.lexicon.nouns
        return one.cls == other.cls or (nouns[one.cls].human and nouns[other.cls].human)

    def conjoin(self, first: Node, more: int = 0) -> Node:
        """Coordinate a noun with others of its class, one or `more`; return the last."""
        group = "PERSON" if first.entity == "PER" else first.cls
        determiner = first.pre[0] if first.pre and first.pre[0].label in _DETERMINERS else None
        seen, nodes = {first.lemma}, []
        for _ in range(more or 1 + self.dice.chance(16)):
            node = self.np(group, "conj", plain=True, new=True)
            if node.upos == "NOUN":
                self._likewise(node, determiner)
            if node.lemma not in seen:
                seen.add(node.lemma)
                nodes.append(node)
        for node in nodes[:-1]:
            node.pre.insert(0, Node(",", "PUNCT", ",", "punct"))
        for node in nodes[-1:]:
            word = "or" if first.label == "obj" and self.dice.chance(8) else "and"
            node.pre.insert(0, Node(word, "CCONJ", "CC", "cc"))
        first.post += nodes
        return nodes[-1] if nodes else first

    def _likewise(self, node: Node, first: Node | None) -> None:
        """Give a noun the determiner of the noun it is coordinated with, if that is simple."""
        if first is None and node.xpos == "NN":
            return
        node.pre.clear()
        if first is not None and first.upos == "DET" and first.lemma == "a" and node.xpos == "NN":
            node.pre.append(Node("a", "DET", "DT", "det"))
        elif first is not None and first.xpos == "PRP$":
            node.pre.append(self.word(first.lemma, "PRP$", "nmod:poss"))
        elif first is not None and (node.xpos == "NN" or first.lemma == "the"):
            node.pre.append(Node("the", "DET", "DT", "det"))

    def appose(self, name: Node) -> None:
        """Add *, a doctor from Rome ,* to a name."""
        noun = self.np("occupation", "appos", new=True)
        if not self.suits(noun, name):
            return
        if noun.pps is not None and self.may("pp"):
            self._attach(Core(noun), [noun])
        comma = Node(",", "PUNCT", ",", "punct")
        noun.pre.insert(0, comma)
        noun.post.append(Node(",", "PUNCT", ",", "punct"))
        name.post.append(noun)

    # -- relative clauses --------------------------------------------------------------------
    def relative(self, noun: Node) -> bool:
        """Add a relative clause to a noun if its class can be in one."""
        key = self.scene, noun.cls
        subjects, objects = self.rel_subject.get(key), self.rel_object.get(key)
        table = (
            objects
            if objects is not None and (subjects is None or self.dice.chance(50))
            else subjects
        )
        if table is None:
            return False
        choice = self.dice.pick(table)
        if table is subjects:
            self._subject_relative(noun, choice)
        else:
            self._object_relative(noun, choice)
        return True

    def _subject_relative(
        self, noun: Node, choice: tuple[VerbClass, Frame], *, neutral: bool = False
    ) -> Node:
        rich, self.rich = self.rich, max(0, self.rich - 2)
        tense = self.tense
        core = self.verbal("rel", label="acl:relcl", subject=False, choice=choice)
        human = self.lexicon.nouns[noun.cls].human
        lemma = "that" if neutral or self.dice.chance(35) else "who" if human else "which"
        pronoun = Node(lemma, "PRON", "WDT" if lemma != "who" else "WP", "nsubj")
        pronoun.agreement = noun.agreement
        if neutral:
            core.head.xpos = "VBD"
        else:
            core.subject = pronoun
            self.tense = tense if self.dice.chance(50) else "past"
            self.predicate(core, "verb", tense=self.tense)
            core.subject = None
        if neutral:
            core.head.pre.insert(0, pronoun)
        self.decorate(core)
        self.rich, self.tense = rich, tense
        noun.post.append(core.head)
        return core.head

    def _object_relative(self, noun: Node, choice: tuple[VerbClass, Frame]) -> None:
        rich, self.rich = self.rich, 0
        tense, self.tense = self.tense, "past"
        core = self.verbal("rel", label="acl:relcl", choice=choice, gap="obj")
        self.predicate(core, "verb", tense="past")
        strict = self.options.get("strict", False)
        if self.dice.chance(60) or strict or core.subject is None or core.subject.upos != "PRON":
            core.head.pre.insert(0, Node("that", "PRON", "WDT", "obj"))
        self.decorate(core)
        self.rich, self.tense = rich, tense
        noun.post.append(core.head)

    def _high_or_low(self, outer: Node, inner: Node) -> bool:
        """Add *that ...* after *N of N*: it belongs to the noun that can be its subject."""
        pair = (inner, outer) if self.dice.chance(50) else (outer, inner)
        source = next((n for n in pair if (self.scene, n.cls) in self.rel_subject), None)
        if source is None:
            return False
        table = self.rel_subject[self.scene, source.cls]
        holder = Node("", "X", "X")
        holder.cls = source.cls
        clause = self._subject_relative(holder, self.dice.pick(table), neutral=True)
        subjects = self.lexicon.verb_subjects[clause.lemma]
        fits = [inner.cls in subjects, outer.cls in subjects]
        chosen = self.decide("relcl", clause, (inner, outer), fits)
        if chosen is not None:
            chosen.post.append(clause)
        return chosen is not None

    # -- after a complement clause -----------------------------------------------------------
    def _late(self, core: Core) -> None:
        """After *V to V ...* or *V that S*: an adverb or a reason that belongs to either verb."""
        inner = core.inner
        assert inner is not None
        if inner.closed or inner.cls is None or core.cls is None or inner.head.upos != "VERB":
            return
        sites, dice = self.grammar.sites, self.dice
        both = (inner, core)
        self.about = self.pronoun_for(core.subject)
        if inner.head.label == "xcomp" and dice.chance(sites["adv"]["rate"]):
            classes = inner.cls.adverbs + core.cls.adverbs
            if classes and not any(n.label == "advmod" for n in inner.head.post):
                adverb = self.adverb(classes[dice.below(len(classes))])
                fits = [adverb.lemma in self.lexicon.verb_adverbs[c.head.lemma] for c in both]
                self._give("adv", adverb, core, fits)
        elif any(child.lemma == "not" for child in core.head.pre):
            return
        elif dice.chance(sites["advcl"]["rate"]):
            kinds = [k for k in inner.cls.reasons + core.cls.reasons if k != "purpose"]
            if kinds:
                kind = kinds[dice.below(len(kinds))]
                fits = [kind in self.lexicon.verb_reasons[c.head.lemma] for c in both]
                self._give("advcl", self.reason(kind), core, fits)

    def _give(self, site: str, dependent: Node, core: Core, fits: list[bool]) -> None:
        assert core.inner is not None
        chosen = self.decide(site, dependent, (core.inner.head, core.head), fits)
        if chosen is not None:
            chosen.post.append(dependent)

    def reason(self, kind: str) -> Node:
        """Return a because-clause of a kind."""
        node = self.expand(self.dice.pick(self.grammar.reasons[kind]))
        node.label = "advcl"
        return node
