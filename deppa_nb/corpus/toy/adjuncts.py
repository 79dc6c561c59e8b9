"""What is optional in a clause: phrases, relative clauses, adverbs, coordination, reasons."""

from __future__ import annotations

from deppa_nb.corpus.toy.clauses import Clauses, Core
from deppa_nb.corpus.toy.lexicon import Choice
from deppa_nb.corpus.toy.orders import LOOSE
from deppa_nb.corpus.toy.phrases import FIXED, PAST
from deppa_nb.corpus.toy.sites import definite
from deppa_nb.corpus.toy.tree import Node, Pair


class Adjuncts(Clauses):
    """Adds to a clause what it could do without."""

    def adorn(self, core: Core) -> None:
        """Add what is optional to a clause, in English order."""
        self.talk.who = self.pronoun_for(core.subject)
        plain = self.strict or core.tail is core.head  # not: Anna, a poet, is a doctor
        if core.subject is not None and core.subject.upos != "PRON" and not plain:
            self._after_subject(core.subject)
        if core.cls is self.lexicon.be:
            if core.tail is not None and self.may("pp"):
                self._attach(core, [core.tail])
        elif core.inner is not None:
            self._after_clause(core, core.inner)
        else:
            self._after_verb(core)

    def _after_subject(self, subject: Node) -> None:
        if any(child.label == "conj" for child in subject.post):
            return
        if subject.entity == "PER" and self.may("appos"):
            subject.post.append(self.rule("appos", "appos"))
        elif subject.upos == "NOUN" and subject.pps.items and self.may("subjpp"):
            self._attach(Core(subject, self.lexicon.be), [subject])
        elif subject.upos == "NOUN" and self.may("relcl"):
            self._relate(subject)

    def _after_verb(self, core: Core) -> None:
        head, tail, cls = core.head, core.tail, core.cls
        spine = [head]
        if tail is not None and tail.upos != "PRON":
            spine.append(tail)
            shared = tail.label == "obj" and self.shared(tail)
            if shared and not core.tossed and self.may("conj"):
                last = self.conjoin(tail)
                if last is not tail:
                    spine.append(last)
                    self.talk.thing = "they"
        if self.strict and self.may("relcl"):
            nouns = [node for node in core.heads if node.upos == "NOUN"]
            if nouns and self._relate(self.dice.one(nouns)):
                return
        if cls.adverbs and self.may("adverb"):
            adverb = self.adv(self.dice.one(cls.adverbs))
            if all(child.label == "obl" for child in head.post) and head.post:
                head.post.insert(0, adverb)  # talked quietly to her
            else:
                head.post.append(adverb)
                spine = [head]
        more = self.may("pp")
        while more:
            more = self._attach(core, core.heads if self.strict else spine) and self.may("morepp")
        if core.closed:
            return
        timed = self.talk.timed or (cls.state and self.talk.tense == "pres")
        timed = timed or any(child.label == "advmod" for child in head.post[-1:])
        if core.subject is not None and not timed and self.may("timeadverb"):
            self.talk.timed = True
            head.post.append(self.adv(self.lexicon.tenses[self.talk.tense][4]))
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
        sources = [n for n in spine for _ in range(1 + (n.upos != "VERB")) if n.pps.items]
        if not sources:
            return False
        prep, cls = pair = self.dice.pick(self.dice.one(sources).pps)
        rivals = tuple(node for node in reversed(spine) if node.upos != "PRON")
        if not self._timely(pair) or not self._open(core, pair, rivals):
            return False
        noun = self.case(self.np(cls, "obl", new=prep in ("with", "without")), prep)
        if any(noun.lemma == n.lemma or n.has(noun.lemma) for n in core.heads):
            return False
        chosen = self.phrase_site(noun, pair, rivals)
        if chosen is None:
            return False
        noun.label = "obl" if chosen.upos == "VERB" else "nmod"
        chosen.post.append(noun)
        core.used.append(pair)
        self.talk.heard |= {cls}
        self.talk.timed = self.talk.timed or pair in self.lexicon.times
        core.tossed = "Best" in noun.misc
        if core.tossed or self.strict:
            core.heads.append(noun)
            return not core.tossed
        del spine[spine.index(chosen) + 1 :]
        spine.append(noun)
        outer = chosen.label in ("obj", "obl", "nmod") and self.talk.rich > 0
        if prep == "of" and noun.upos == "NOUN" and outer:
            return self._after_of(core, chosen, noun)
        return True

    def _timely(self, pair: Pair) -> bool:
        """Whether a phrase goes with the tense and the times already named."""
        talk, kind = self.talk, self.lexicon.nouns[pair[1]]
        if pair in self.lexicon.times and (talk.timed or talk.tense == "perf"):
            return False
        if pair[1] in talk.heard or (talk.placed and kind.entity == "LOC"):
            return False
        return kind.name != "YEAR" or talk.tense in PAST

    def _open(self, core: Core, pair: Pair, rivals: tuple[Node, ...]) -> bool:
        """Whether a phrase can be said here, and its place be told in this word order."""
        if any(pair[0] == used[0] for used in core.used):
            return False
        fitting = [rival for rival in rivals if pair in rival.allows]
        if any(child.label == "nmod" for rival in fitting for child in rival.post):
            return False  # nobody says "the gift for my sister from a friend"
        if any(child.cls == pair[1] for rival in fitting for child in rival.pre):
            return False  # nor "a tuna burger with beef"
        if not self.strict:
            return True
        if any(used in self.lexicon.nouns[pair[1]].allows for used in core.used):
            return False
        if len(fitting) == 1:
            return True
        if self.options["order"] == "free":
            # a phrase that two words could take wanders freely, so its place tells nothing
            return all(rival is core.head or rival.label in LOOSE for rival in fitting)
        tail = core.tail
        ends = tail is not None and not tail.post and core.head.post[-1:] == [tail]
        return not core.used and ends and core.head in fitting and tail in fitting

    def _after_of(self, core: Core, outer: Node, inner: Node) -> bool:
        """After *N of N*: maybe a relative clause or a second noun, high or low."""
        rivals = inner, outer
        source, other = rivals if self.dice.chance(50) else (outer, inner)
        if self.tries("relcl"):
            clause = self._relative(source, neutral=True) or self._relative(other, neutral=True)
            core.closed = clause is not None and self.relative_site(clause, rivals)
        if not core.closed and self.tries("coord"):
            third = self.np(source.cls, "conj", plain=True)
            if third.lemma not in (inner.lemma, outer.lemma):
                third.pre.insert(0, Node("and", "CCONJ", "CC", "cc"))
                core.tossed = self.conjunct_site(third, rivals)
        return not core.closed and not core.tossed

    # -- relative clauses --------------------------------------------------------------------
    def _relate(self, noun: Node) -> bool:
        mine = self.lexicon.nouns[noun.cls].determiner in FIXED  # not: the wife who called
        clause = None if mine else self._relative(noun)
        if clause is not None:
            definite(noun)
            noun.post.append(clause)
        return clause is not None

    def _relative(self, noun: Node, neutral: bool = False) -> Node | None:
        """Return a relative clause about a noun, if its class can be in one.

        A `neutral` one does not show the number of the noun or whether it is a person.
        """
        who = "it" if neutral else self.pronoun_for(noun)
        # what is said here is not what the sentence is about
        aside = dict.fromkeys(("thing", "thing_class", "given", "given_class"), "")
        aside |= {"who": who, "tense": "past"}
        with self.but(lean=3, nested=True, ask=False, verb=self.talk.verb, **aside):
            objects = None if neutral else self.draw("rel", "relobj", noun.cls)
            subjects = self.draw("rel", "rel+event", noun.cls)
            choice = objects if objects and (not subjects or self.dice.chance(50)) else subjects
            if choice is None or choice[0] is self.talk.verb:
                return None
            if choice is objects:
                core = self._relative_object(choice)
            else:
                core = self._relative_subject(choice, noun, neutral)
            self.adorn(core)
        core.head.label = "acl:relcl"
        return core.head

    def _relative_subject(self, choice: Choice, noun: Node, neutral: bool) -> Core:
        """Return a clause whose subject is the noun: *the nurse who called*."""
        core = self.build(choice, subject="none")
        human = not neutral and self.lexicon.nouns[noun.cls].human
        lemma = "who" if human and self.dice.chance(75) else "that"
        core.subject = Node(lemma, "PRON", "WP" if lemma == "who" else "WDT", "nsubj")
        core.subject.agreement = noun.agreement
        self.finite(core, tense="past", firm=1)
        core.subject = None
        return core

    def _relative_object(self, choice: Choice) -> Core:
        """Return a clause whose object is the noun: *the cake (that) she made*."""
        core = self.finite(self.build(choice, gap="obj"), tense="past", firm=1)
        assert core.subject is not None
        if self.strict or core.subject.upos != "PRON" or self.dice.chance(60):
            core.head.pre.insert(0, Node("that", "PRON", "WDT", "obj"))
        return core

    # -- complement clauses ------------------------------------------------------------------
    def _after_clause(self, core: Core, inner: Core) -> None:
        """After *V to V ...* or *V that S*: maybe an adverb or a reason that is either verb's."""
        if inner.cls is self.lexicon.be or inner.closed:
            return
        rivals = inner.head, core.head
        if core.adverbs:
            adverb = self.adv(self.dice.one(core.adverbs))
            self.word_site("adv", adverb, ("adverb", adverb.lemma), rivals)
        elif not core.head.has("not") and self.tries("advcl"):
            does = inner.subject is None or inner.subject.label == "nsubj"
            own = [kind for kind in inner.cls.reasons if does and kind != "purpose"]
            both = [kind for kind in own if ("reason", kind) in core.head.allows]
            kinds = both or own + [kind for kind in core.cls.reasons if kind != "purpose"]
            if kinds:
                self._because(self.dice.one(kinds), core, inner)

    def _because(self, kind: str, core: Core, inner: Core) -> None:
        """Add a reason: about the inner subject unless it may belong to the outer verb."""
        pair, who, tense = ("reason", kind), self.talk.who, self.talk.tense
        if inner.subject is not None and pair not in core.head.allows:
            if inner.tense == "pres" or not self.person(inner.subject):
                return  # not: he often reads because he is tired
            who, tense = self.pronoun_for(inner.subject), inner.tense
        with self.but(who=who, tense=tense):
            reason = self.rule(f"because {kind}", "advcl")
        self.word_site("advcl", reason, pair, (inner.head, core.head))
