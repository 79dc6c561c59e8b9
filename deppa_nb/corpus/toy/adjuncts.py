"""What is optional in a clause, and the places where two heads compete for it."""

from __future__ import annotations

from deppa_nb.corpus.toy.clauses import Clauses
from deppa_nb.corpus.toy.orders import LOOSE
from deppa_nb.corpus.toy.phrases import PAST
from deppa_nb.corpus.toy.predicates import Core
from deppa_nb.corpus.toy.tree import Node, Pair

_WHEN = {"past": "past_time", "pastprog": "past_time", "will": "future_time"}


class Adjuncts(Clauses):
    """Adds prepositional phrases, relative clauses, adverbs, coordination and reasons."""

    def adorn(self, core: Core) -> None:
        """Add what is optional to a clause, in English order."""
        self.who = self.pronoun_for(core.subject)
        plain = self.strict or core.tail is core.head  # not: Anna, a poet, is a doctor
        if core.subject is not None and core.subject.upos != "PRON" and not plain:
            self._after_subject(core.subject)
        if core.cls is None:
            if core.tail is not None and self.may("pp"):
                self._attach(core, [core.tail])
        elif core.closed:
            self._after_clause(core)
        else:
            self._after_verb(core)

    def _after_subject(self, subject: Node) -> None:
        if subject.entity == "PER" and self.may("appos"):
            subject.post.append(self.rule("appos", "appos"))
        if subject.upos != "NOUN" or any(child.label == "conj" for child in subject.post):
            return
        if subject.pps is not None and self.may("subjpp"):
            self._attach(Core(subject), [subject])
        elif self.may("relcl"):
            self._relate(subject)

    def _after_verb(self, core: Core) -> None:
        head, tail, cls = core.head, core.tail, core.cls
        assert cls is not None
        spine = [head]
        if tail is not None and tail.upos != "PRON":
            spine.append(tail)
            shared = self.lexicon.nouns[tail.cls].determiner != "self"
            if tail.label == "obj" and shared and not core.tossed and self.may("conj"):
                last = self.conjoin(tail)
                if last is not tail:
                    spine.append(last)
                    self.thing = "they"
        if self.strict and self.may("relcl"):
            nouns = [node for node in core.heads if node.upos == "NOUN" and node.label != "conj"]
            if nouns and self._relate(nouns[self.dice.below(len(nouns))]):
                return
        # after "promised to go", _after_clause decides whose the adverb is
        if cls.adverbs and head.label != "xcomp" and self.may("adverb"):
            head.post.append(self.adv(cls.adverbs[self.dice.below(len(cls.adverbs))]))
            spine = [head]
        more = self.may("pp")
        while more:
            more = self._attach(core, core.heads if self.strict else spine) and self.may("morepp")
        if core.closed:
            return
        if core.subject is not None and not self.timed and self.may("timeadverb"):
            self.timed = True
            head.post.append(self.adv(_WHEN.get(self.tense, "present_time")))
        elif not self.strict and not core.tossed and len(spine) > 1:
            if spine[-1].label in ("obj", "obl") and spine[-1].upos == "NOUN" and self.may("relcl"):
                core.closed = self._relate(spine[-1])
            elif spine[-1].entity == "PER" and self.may("appos"):
                spine[-1].post.append(self.rule("appos", "appos"))

    # -- prepositional phrases ---------------------------------------------------------------
    def _attach(self, core: Core, spine: list[Node]) -> bool:
        """Add one prepositional phrase after the last word; tell whether more may follow.

        `spine` lists the words that can take it, the farthest first.
        """
        sources = [n for n in spine for _ in range(1 + (n.upos != "VERB")) if n.pps is not None]
        table = sources[self.dice.below(len(sources))].pps if sources else None
        if table is None:
            return False
        prep, cls = pair = self.dice.pick(table)
        timely = pair not in self.lexicon.times or not (self.timed or self.tense == "perf")
        if not timely or any(prep == used[0] for used in core.used):
            return False
        if cls == "YEAR" and self.tense not in PAST:
            return False
        rivals = tuple(node for node in reversed(spine) if node.upos != "PRON")
        fits = [pair in rival.allows for rival in rivals]
        full = [any(child.label == "nmod" for child in rival.post) for rival in rivals]
        if any(fit and taken for fit, taken in zip(fits, full, strict=True)):
            return False  # nobody says "the gift for my sister from a friend"
        if self.strict and not self._clear(core, pair, rivals, fits):
            return False
        noun = self.case(self.np(cls, "obl", new=prep in ("with", "without")), prep)
        for rival, fit in zip(rivals, fits, strict=True):
            if fit and prep == "of":
                self._definite(rival)  # all that fit: the determiner must not tell which one it is
        chosen = self.decide("pp", noun, rivals, fits)
        if chosen is None:
            return False
        noun.label = "obl" if chosen.upos == "VERB" else "nmod"
        chosen.post.append(noun)
        core.used.append(pair)
        self.timed = self.timed or pair in self.lexicon.times
        core.tossed = "Best" in noun.misc
        if core.tossed or self.strict:
            core.heads.append(noun)
            return not core.tossed
        del spine[spine.index(chosen) + 1 :]
        spine.append(noun)
        if prep == "of" and noun.upos == "NOUN" and chosen.label in ("obj", "obl", "nmod"):
            return self._after_of(core, chosen, noun)
        return True

    def _definite(self, noun: Node) -> None:
        """Say *the mother of*, not *my mother of*."""
        if all(child.label != "det" for child in noun.pre):
            noun.pre = [child for child in noun.pre if child.label != "nmod:poss"]
            place = sum(child.label in ("punct", "cc", "case", "mark") for child in noun.pre)
            noun.pre.insert(place, Node("the", "DET", "DT", "det"))

    def _clear(self, core: Core, pair: Pair, rivals: tuple[Node, ...], fits: list[bool]) -> bool:
        """Whether a phrase keeps every phrase of its clause decidable in any word order."""
        if any(used in self.lexicon.nouns[pair[1]].allows for used in core.used):
            return False
        fitting = [rival for rival, fit in zip(rivals, fits, strict=True) if fit]
        if len(fitting) == 1:
            return True
        if self.options["order"] == "free":
            # a phrase that two words could take wanders freely, so its place tells nothing
            return all(rival is core.head or rival.label in LOOSE for rival in fitting)
        tail = core.tail
        if core.used or tail is None or tail.post or core.head.post[-1:] != [tail]:
            return False
        return core.head in fitting and tail in fitting

    def _after_of(self, core: Core, outer: Node, inner: Node) -> bool:
        """After *N of N*: maybe a relative clause or a second noun, high or low."""
        sites, rivals = self.lexicon.sites, (inner, outer)
        source, other = rivals if self.dice.chance(50) else (outer, inner)
        if self.dice.chance(sites["relcl"]["rate"]):
            clause = self._relative(source, neutral=True) or self._relative(other, neutral=True)
            if clause is not None:
                subjects = self.lexicon.verb_subjects[clause.lemma]
                fits = [rival.cls in subjects for rival in rivals]
                core.closed = self._give("relcl", clause, rivals, fits)
        if not core.closed and self.dice.chance(sites["coord"]["rate"]):
            third = self.np(source.cls, "conj", plain=True)
            fits = [self._alike(third, rival) for rival in rivals]
            if third.lemma not in (inner.lemma, outer.lemma):
                third.pre.insert(0, Node("and", "CCONJ", "CC", "cc"))
                core.tossed = self._give("coord", third, rivals, fits)
        return not core.closed and not core.tossed

    def _give(self, site: str, dependent: Node, rivals: tuple[Node, ...], fits: list[bool]) -> bool:
        """Give a dependent to the rival that takes it; tell whether one does."""
        chosen = self.decide(site, dependent, rivals, fits)
        if chosen is not None:
            chosen.post.append(dependent)
        return chosen is not None

    def _alike(self, one: Node, other: Node) -> bool:
        """Whether two nouns go well together: both people, or of the same class."""
        nouns = self.lexicon.nouns
        return one.cls == other.cls or (nouns[one.cls].human and nouns[other.cls].human)

    # -- relative clauses --------------------------------------------------------------------
    def _relate(self, noun: Node) -> bool:
        clause = self._relative(noun)
        noun.post += [clause] if clause is not None else []
        return clause is not None

    def _relative(self, noun: Node, neutral: bool = False) -> Node | None:
        """Return a relative clause about a noun, if its class can be in one.

        A `neutral` one does not show the number of the noun or whether it is a person.
        """
        tables = self.lexicon.relatives
        subjects = tables.get((self.scene, noun.cls, "nsubj"))
        objects = tables.get((self.scene, noun.cls, "obj")) if not neutral else None
        by_object = objects is not None and (subjects is None or self.dice.chance(50))
        table = objects if by_object else subjects
        if table is None:
            return None
        lean = 0 if by_object else max(0, self.rich - 2)
        who = "it" if neutral else self.pronoun_for(noun)
        now = self.tense if not (neutral or by_object) and self.dice.chance(50) else "past"
        gap, subject = ("obj", "np") if by_object else ("", "none")
        choice = self.dice.pick(table)
        if choice[0] is self.previous:
            return None
        # what is said here is not what the sentence is about
        aside = {"thing": self.thing, "thing_class": "", "given": "", "previous": None}
        with self.but(rich=lean, tense=now, who=who, **aside):
            core = self.build("rel", "acl:relcl", subject=subject, gap=gap, choice=choice)
            if by_object:
                pronoun = Node("that", "PRON", "WDT", "obj")
                self.finite(core, tense=now)
                assert core.subject is not None
                if self.strict or core.subject.upos != "PRON" or self.dice.chance(60):
                    core.head.pre.insert(0, pronoun)
            else:
                human = self.lexicon.nouns[noun.cls].human
                lemma = "that" if neutral or not human or self.dice.chance(25) else "who"
                pronoun = Node(lemma, "PRON", "WP" if lemma == "who" else "WDT", "nsubj")
                pronoun.agreement = noun.agreement
                core.subject = pronoun
                self.finite(core, tense=now, firm=neutral)
                core.subject = None
            self.adorn(core)
        return core.head

    # -- after a complement clause -----------------------------------------------------------
    def _after_clause(self, core: Core) -> None:
        """After *V to V ...* or *V that S*: an adverb or a reason that belongs to either verb."""
        inner = core.inner
        assert inner is not None
        if inner.closed or inner.cls is None or core.cls is None or inner.head.upos != "VERB":
            return
        sites, dice, lexicon = self.lexicon.sites, self.dice, self.lexicon
        rivals = inner.head, core.head
        if inner.head.label == "xcomp" and dice.chance(sites["adv"]["rate"]):
            names = inner.cls.adverbs + core.cls.adverbs
            if names:
                adverb = self.adv(names[dice.below(len(names))])
                fits = [adverb.lemma in lexicon.verb_adverbs[rival.lemma] for rival in rivals]
                self._give("adv", adverb, rivals, fits)
        elif not core.head.has("not") and dice.chance(sites["advcl"]["rate"]):
            kinds = [k for k in inner.cls.reasons + core.cls.reasons if k != "purpose"]
            if kinds:
                kind = kinds[dice.below(len(kinds))]
                fits = [kind in lexicon.verb_reasons[rival.lemma] for rival in rivals]
                self._give("advcl", self.because(kind), rivals, fits)

    def because(self, kind: str) -> Node:
        """Return a because-clause of a kind."""
        node = self.expand(self.dice.pick(self.lexicon.reasons[kind]))
        node.label = "advcl"
        return node
