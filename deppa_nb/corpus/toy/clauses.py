"""Clauses: verb, subject, complements; tense, auxiliaries, negation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from deppa_nb.corpus.toy.dice import Table
from deppa_nb.corpus.toy.lexicon import CLAUSAL, Choice, Frame, Part, VerbClass
from deppa_nb.corpus.toy.phrases import PAST, Phrases
from deppa_nb.corpus.toy.sites import definite
from deppa_nb.corpus.toy.tree import Node, Pair

_MARKS = {
    "inf": ("to", "PART", "TO"),
    "that": ("that", "SCONJ", "IN"),
    "if": ("whether", "SCONJ", "IN"),
}
_SINGULAR = ("a", "every", "each", "another", "this", "that")  # not before a plural


@dataclass
class Core:
    """A clause without its optional parts.

    `tail` is the last noun after the verb; `closed` tells that a clause has followed and nothing
    more may be attached to the verb, `tossed` that a coin has decided and nothing may depend on
    it; `inner` is a complement clause, `adverbs` are classes of which one may follow it, `kind` is
    the class of a predicative adjective, `tense` that of a finite clause, `heads` are verb and
    nouns, `used` the phrases added.
    """

    head: Node
    cls: VerbClass
    subject: Node | None = None
    tail: Node | None = None
    closed: bool = False
    tossed: bool = False
    inner: Core | None = None
    adverbs: tuple[str, ...] = ()
    kind: str = ""
    tense: str = ""
    heads: list[Node] = field(default_factory=list)
    used: list[Pair] = field(default_factory=list)


class Clauses(Phrases, ABC):
    """Builds the cores of clauses; what is optional is added by the subclass."""

    def draw(self, use: str, want: str = "", given: str = "") -> Choice | None:
        """Draw a verb class and a frame that suit the scene, if there are any."""
        talk = self.talk
        want += "" if talk.tense in PAST else "+planned"
        table = self.lexicon.frames(use, talk.scene, talk.nested, want, given=given)
        if table is None:
            return None
        choice = self.dice.pick(table)
        return choice if choice[0] is not talk.verb else self.dice.pick(table)

    def any_frame(self, use: str, want: str = "") -> Choice:
        """Draw a verb class and a frame, if need be of another scene."""
        while (choice := self.draw(use, want)) is None:
            self.talk.scene = self.dice.pick(self.lexicon.scenes)
        return choice

    def following(self, use: str = "main") -> Table[Choice] | None:
        """Return what the subject spoken of may do after the last verb."""
        talk = self.talk
        want = "event" if talk.tense in PAST else "event+planned"
        given = talk.given_class or "human"
        return self.lexicon.frames(use, "", True, want, talk.verb, given, talk.thing_class)

    # -- arguments ---------------------------------------------------------------------------
    def subject(self, group: str) -> Node:
        """Return a subject: a pronoun, a noun phrase or two of them."""
        self.talk.who = ""
        node = self._subject_phrase(group)
        self.talk.who = self.pronoun_for(node)
        self.talk.spoken = True
        self.remember(node)
        return node

    def _subject_phrase(self, group: str) -> Node:
        talk = self.talk
        goes_on = talk.given and self.lexicon.takes(group, talk.given_class or "human")
        if goes_on and self.may("same"):
            return self.pronoun(talk.given, "nsubj")
        if group == "human" and self.dice.chance(60):
            word = self.dice.pick(self.lexicon.closed["asked" if talk.ask else "pronouns"])
            if not talk.spoken or word in ("I", "we", "you"):
                return self.pronoun(word, "nsubj")
        node = self.np(group, "nsubj")
        if self.person(node) and not self.strict and self.shared(node) and self.may("subjconj"):
            if self.conjoin(node) is not node:
                node.agreement = "pl"
        return node

    def remember(self, subject: Node) -> None:
        """Keep the pronoun of a subject: a later clause may go on about the same one."""
        self.talk.given = self.pronoun_for(subject)
        self.talk.given_class = subject.cls or self.talk.given_class
        if not self.person(subject):
            self.note(subject)

    def note(self, node: Node) -> None:
        """Keep the pronoun of an object: a later clause may be about it as well."""
        if node.cls and self.lexicon.nouns[node.cls].patterns is None:
            self.talk.thing, self.talk.thing_class = self.pronoun_for(node), node.cls

    def shared(self, noun: Node) -> bool:
        """Whether one may speak of this noun and another of its class together."""
        cls = self.lexicon.nouns[noun.cls]
        return not cls.alone and cls.determiner not in ("self", "mine", "his", "hers")

    def person(self, node: Node) -> bool:
        """Whether a noun or pronoun is one or more people."""
        if node.upos == "PRON":
            return node.lemma != "it"
        return self.lexicon.nouns[node.cls].human

    def pronoun_for(self, node: Node | None) -> str:
        """Return the pronoun that takes up a noun phrase."""
        if node is None:
            return self.talk.who or "he"
        if node.upos == "PRON":
            return node.lemma if node.lemma in self.lexicon.pronouns else "they"
        cls = self.lexicon.nouns[node.cls]
        if node.agreement == "pl":
            return "they"
        if node.upos == "PROPN" or not cls.human:
            return cls.pronoun
        if not node.pronoun:
            any_one = "he" if self.dice.chance(50) else "she"
            node.pronoun = self.lexicon.gender.get(node.lemma, any_one)
        return node.pronoun

    def object(self, group: str, label: str = "obj") -> Node:
        """Return an object: a noun phrase, or a pronoun for what has been spoken of."""
        known, oneself = self.talk.thing_class, self.talk.thing in ("I", "we", "you")
        oneself = oneself and self.talk.thing == self.talk.who
        if known and self.lexicon.includes(group, known) and not oneself and self.dice.chance(97):
            return self.pronoun(self.talk.thing, label)
        if group == "human" and self.dice.chance(30):
            self.talk.thing, self.talk.thing_class = self.someone(), "MALE"
            return self.pronoun(self.talk.thing, label)
        node = self.np(group, label)
        self.note(node)
        return node

    def build(self, choice: Choice, *, subject: str = "np", gap: str = "") -> Core:
        """Build verb, subject and complements, without auxiliaries; `gap` is a missing argument."""
        cls, frame = choice
        head = Node(self.dice.pick(cls.words), "VERB", "VB")
        head.allows, head.pps = self.lexicon.verb_allows[head.lemma], cls.pps
        core = Core(head, cls, heads=[head])
        if subject == "np":
            core.subject = self.subject(frame.subject)
            core.heads.append(core.subject)
        elif subject == "who":
            core.subject, self.talk.who = self.word("who", "WP", "nsubj"), "they"
        double = not gap and self._double(core, frame)
        for part in frame.parts:
            if part.kind in CLAUSAL:
                self._clausal(core, part)
            elif part.kind != gap and not (double and part.kind in ("iobj", "obj")):
                self._argument(core, part)
        if "iobj" in frame.kinds and not double:
            *_, receiver, thing = core.heads
            if thing.upos == "NOUN" and not thing.pre and receiver.upos == "NOUN":
                # gave the child some toys: without "some" the words might be a compound
                thing.pre.append(Node("some", "DET", "DT", "det"))
        self.talk.verb = cls
        return core

    def _argument(self, core: Core, part: Part) -> None:
        if part.kind == "prt":
            node = Node(part.prep, "ADP", "RP", "compound:prt")
        elif part.kind == "adj":
            node = self.adj(part.cls)
            node.label = "xcomp"
        elif part.kind == "obl":
            again = part.prep in ("for", "on") or part.cls in ("human", "kin")
            noun = self.object(part.cls, "obl") if again else self.np(part.cls, "obl")
            node = self.case(noun, part.prep)
            core.used.append((part.prep, node.cls))
            self.talk.heard |= {node.cls}
        elif part.kind == "obj" and core.tail is None:
            node = self.object(part.cls)
        else:
            node = self.np(part.cls, part.kind)
        if node.upos == "NOUN" and core.head.lemma in self.lexicon.ditransitive:
            node.pre = [c for c in node.pre if c.label != "compound"]
        after = core.head.post
        # "pick it up", but "pick up the box"
        early = node.upos == "PRON" and after and after[-1].label == "compound:prt"
        after.insert(len(after) - bool(early), node)
        if part.kind in ("obj", "iobj", "obl"):
            core.tail = node
            core.heads.append(node)

    def _double(self, core: Core, frame: Frame) -> bool:
        """Build *gave the baby toys*: two objects, or a compound where the words allow it.

        After a verb of one object, *washed the baby shirts*, it can only be a compound.
        """
        takes = "iobj" in frame.kinds
        one = frame.kinds == ["obj"] and core.head.lemma not in self.lexicon.ditransitive
        if not (takes or one) or not self.tries("ditrans", "rate" if takes else "single"):
            return False
        classes = {part.kind: part.cls for part in frame.parts}
        thing = self.np(classes["obj"], "obj", plain=True)
        cls, counted = self.lexicon.nouns[thing.cls], thing.xpos == "NNS" or thing.pre
        fits = cls.plural and (takes or "infant" in cls.compounds)
        if thing.upos != "NOUN" or not counted or not fits:
            return False
        receiver = self.np(classes.get("iobj", "infant"), "iobj", plain=True)
        if receiver.xpos != "NN" or len(receiver.pre) != 1:
            return False
        determiner = receiver.pre[0]
        if determiner.label == "nummod" or determiner.lemma in _SINGULAR:
            return False
        thing.xpos, thing.agreement, thing.pre = "NNS", "pl", []
        chosen = self.object_site(core.head, receiver, thing, takes)
        if chosen is None:
            return False
        self.note(thing)
        core.tossed = "Best" in receiver.misc
        if receiver.rivals:
            determiner.misc, determiner.rivals = receiver.misc, (receiver, thing)
        if chosen is thing:
            receiver.label, receiver.pre, thing.pre = "compound", [], [determiner, receiver]
        else:
            core.head.post.append(receiver)
        core.head.post.append(thing)
        core.tail = thing
        core.heads += [receiver, thing]
        return True

    def _clausal(self, core: Core, part: Part) -> None:
        """Attach an infinitive, an -ing clause or a finite complement clause."""
        talk = self.talk
        who = self.pronoun_for(core.tail) if core.tail is not None else talk.who
        with self.but(lean=1, nested=True, tense=talk.tense, who=who, ask=False):
            if part.kind in ("inf", "ing"):
                inner = self.build(self.any_frame(part.kind), subject="none")
                by_object = core.tail is not None and core.cls.control == "object"
                inner.head.controller = core.tail if by_object else core.subject
                inner.head.label, inner.head.xpos = "xcomp", "VBG" if part.kind == "ing" else "VB"
            else:
                if talk.tense in PAST:
                    talk.tense = "past" if self.dice.chance(75) else "pastprog"
                else:
                    talk.tense = self.dice.pick(self.lexicon.tense_table)
                if self.dice.chance(80):
                    talk.given = ""
                inner = self.plain()
                inner.head.label = "ccomp"
            if part.kind in _MARKS and (part.kind != "that" or self.strict or self.dice.chance(70)):
                inner.head.pre.insert(0, Node(*_MARKS[part.kind], "mark"))
            both = tuple(kind for kind in inner.cls.adverbs if kind in core.cls.adverbs)
            adverbs = both or inner.cls.adverbs + core.cls.adverbs
            can = inner.head.label == "xcomp" and not inner.tossed
            if adverbs and can and self.tries("adv"):
                core.adverbs = adverbs  # whose one of them is, shows best with nothing in between
            else:
                self.adorn(inner)
        core.head.post.append(inner.head)
        core.closed, core.inner, core.tail = True, inner, None

    # -- finite clauses ----------------------------------------------------------------------
    def plain(self) -> Core:
        """Build a finite clause of some kind: verbal, passive or copular."""
        draw = self.dice.below(100)
        if draw < 67:
            return self.finite(self.build(self.any_frame("main")))
        if draw < 74:
            return self.finite(self._passive(), "pass")
        return self.finite(self._copular(), "cop")

    def _passive(self) -> Core:
        choice = self.any_frame("pass", "event+relobj")
        frame, self.talk.who = choice[1], ""
        core = self.build(choice, subject="none", gap="obj")
        core.subject = self.np(frame.parts[0].cls, "nsubj:pass")
        core.heads.append(core.subject)
        self.remember(core.subject)
        if self.dice.chance(28):
            core.tail = self.case(self.np(frame.subject, "obl:agent"), "by")
            core.head.post.append(core.tail)
            core.heads.append(core.tail)
        return core

    def _copular(self) -> Core:
        """Build a clause with *be*: an adjective, a noun or a place is said of the subject."""
        group, link, name = self.dice.pick(self.lexicon.predicates[self.talk.scene])
        subject = self.np(group, "nsubj") if link == "a" else self.subject(group)
        core = Core(subject, self.lexicon.be, subject)
        self.talk.verb = core.cls
        if link == "=":
            core.head, core.kind = self.adj(name), name
            subject.pre = [child for child in subject.pre if child.label != "amod"]
            if name not in self.lexicon.ungraded and self.dice.chance(35):
                core.head.pre.append(self.adv("intensifier"))
        elif link == "a":
            self.talk.tense = "past" if self.talk.tense in (*PAST, "perf") else "pres"
            self.remember(subject)
            core.head = core.tail = self.rule(name)
        else:
            core.head = self.case(self.np(name), link)
        if link != "a" and subject.upos == "NOUN":
            subject.pre = [child for child in subject.pre if child.lemma != "a"]
            if all(child.label not in ("det", "nmod:poss", "nummod") for child in subject.pre):
                definite(subject)
        return core

    def finite(self, core: Core, kind: str = "verb", *, tense: str = "", firm: int = 0) -> Core:
        """Put subject, auxiliaries and preverbal adverbs before the head of a clause.

        `kind` is ``verb``, ``pass`` (a passive) or ``cop`` (a predicate with a copula); a `firm`
        clause is not negated.
        """
        head, subject, talk, cls = core.head, core.subject, self.talk, core.cls
        assert subject is not None
        acts = kind == "verb" and not cls.state
        if not tense:
            row = self.lexicon.steady[cls.steady if kind == "verb" else kind]
            tense = talk.tense = row.get(talk.tense, talk.tense)
            if tense == "pres" and acts and (talk.ask or firm):
                tense = talk.tense = "past"  # a habit is stated, with "often"
        _, tag, do, auxiliary, _ = self.lexicon.tenses[tense]
        core.tense = tense
        plain = not cls.accident and not (kind == "verb" and core.inner)
        negate = not firm and plain and self.may("negation")
        if kind == "verb" and not auxiliary and (negate or talk.ask):
            auxiliary, tag = do, "VB"
        chain = [self._auxiliary(auxiliary)] if auxiliary else []
        if kind == "verb":
            head.xpos = tag
        else:
            chain.append(Node("be", "AUX", tag, "cop" if kind == "cop" else "aux:pass"))
            head.xpos = "VBN" if kind == "pass" else head.xpos
        for node in (*chain, head):
            self.agree(node, subject.agreement)
        if kind == "cop" and negate:
            head.pre = [child for child in head.pre if child.label != "advmod"]  # not: not quite
        short = negate and self._negate(chain)
        middle = []
        habit = acts and tense == "pres"
        person = subject.upos == "PRON" or self.person(subject)
        adds = person and not negate and not talk.ask and self.may("preadverb")
        if kind == "verb" and not firm and (habit or adds):
            talk.timed = talk.timed or habit
            focus = "likely" if tense in ("will", "modal") else "focus"
            middle = [self.adv("denied" if negate else "often" if habit else focus)]
        place = 0 if not talk.ask else 2 if short else 1
        if chain and not talk.ask and not short:
            self._contract(subject, chain[0])
        head.pre[:0] = [*chain[:place], subject, *chain[place:], *middle]
        return core

    def _auxiliary(self, text: str) -> Node:
        lemma, _, tag = text.partition("/")
        if lemma == "modal":
            modal = self.talk.modal
            lemma = "can" if self.talk.ask and modal not in ("could", "would") else modal
        return Node(lemma, "AUX", tag, "aux")

    def _negate(self, chain: list[Node]) -> bool:
        """Add *not* or *n't* after the first auxiliary; tell whether it is short."""
        node, first = Node("not", "PART", "RB", "advmod"), chain[0]
        short = self.lexicon.words["negated"].get(first.form or first.lemma, "yes")
        if short and self.may("contraction"):
            node.form = "n't"
            first.form = short if short != "yes" else first.form
        chain.insert(1, node)
        return bool(node.form)

    def _contract(self, subject: Node, auxiliary: Node) -> None:
        """Shorten *it is* to *it 's* now and then."""
        key = f"{auxiliary.form or auxiliary.lemma}/{auxiliary.xpos}"
        short = self.lexicon.words["contracted"].get(key)
        if short and subject.xpos == "PRP" and self.may("contraction"):
            auxiliary.form = short

    @abstractmethod
    def adorn(self, core: Core) -> None:
        """Add what is optional, see `adjuncts`."""
