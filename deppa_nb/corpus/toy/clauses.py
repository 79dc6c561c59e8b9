"""Clauses: verb, subject, complements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from deppa_nb.corpus.toy.dice import Dice, Table
from deppa_nb.corpus.toy.grammar import Grammar
from deppa_nb.corpus.toy.lexicon import Complement, Frame, VerbClass
from deppa_nb.corpus.toy.predicates import TENSES, Core, Predicates
from deppa_nb.corpus.toy.tree import Node

_SINGULAR = ("a", "every", "each", "another", "this", "that")  # not before a plural
_CLAUSAL = ("inf", "ing", "that", "if")


class Clauses(Predicates, ABC):
    """Builds the cores of clauses; what is optional is added by the subclass."""

    def __init__(self, dice: Dice, grammar: Grammar, options: dict[str, Any]) -> None:
        super().__init__(dice, grammar, options)
        verbs = list(self.lexicon.verbs.values())
        if options.get("simple"):
            verbs = [v for v in verbs if not any(f.has(*_CLAUSAL) for f in v.frames)]
        self.by_use: dict[tuple[str, str, bool], Table[VerbClass]] = {}
        self.rel_subject: dict[tuple[str, str], Table[tuple[VerbClass, Frame]]] = {}
        self.rel_object: dict[tuple[str, str], Table[tuple[VerbClass, Frame]]] = {}
        for scene in grammar.scenes.items:
            self._index(scene, [v for v in verbs if scene in v.scenes])
        self.nested = False
        self.given = ""
        self.given_class = ""
        self.spoken = False
        self.dated = False
        self.previous: VerbClass | None = None
        self.ditransitive = {
            word for v in verbs if any(f.has("iobj") for f in v.frames) for word in v.words.items
        }

    def _index(self, scene: str, verbs: list[VerbClass]) -> None:
        """Find the verbs of a scene by their use, and those for relative clauses by the noun."""
        for use in ("main", "imp", "inf", "ing", "pass", "rel", "goal", "there"):
            for nested in (False, True):
                found = [
                    v
                    for v in verbs
                    if use in v.uses and not (nested and any(f.has(*_CLAUSAL) for f in v.frames))
                ]
                self.by_use[scene, use, nested] = Table(found, [v.weight for v in found])
        self._index_relatives(scene, [v for v in verbs if "rel" in v.uses])

    def draw(self, use: str) -> VerbClass:
        """Draw a verb class that suits the scene; in a nested clause, one without a clause."""
        while not (table := self.by_use[self.scene, use, self.nested]).items:
            self.scene = self.dice.pick(self.grammar.scenes)
        found = self.dice.pick(table)
        if found is self.previous:
            found = self.dice.pick(table)
        return found

    def draw_frame(
        self, fits: Callable[[Frame], bool], use: str = "main", *, events: bool = False
    ) -> tuple[VerbClass, Frame]:
        """Draw a verb class and a frame that fits, if need be in another scene."""
        while True:
            cls = self.draw(use)
            frame = cls.frames[self.dice.below(len(cls.frames))]
            if fits(frame) and not (events and cls.state):
                return cls, frame
            if self.dice.chance(5):
                self.scene = self.dice.pick(self.grammar.scenes)

    def _index_relatives(self, scene: str, verbs: list[VerbClass]) -> None:
        """Find, for every noun class, the frames it can be the subject or the object of."""
        by_subject: dict[str, list[tuple[VerbClass, Frame]]] = {}
        by_object: dict[str, list[tuple[VerbClass, Frame]]] = {}
        for verb in verbs:
            for frame in verb.frames:
                if frame.has(*_CLAUSAL, "adj"):
                    continue
                for name, _ in self.lexicon.members(frame.subject):
                    by_subject.setdefault(name, []).append((verb, frame))
                if len(frame.complements) == 1 and frame.has("obj"):
                    for name, _ in self.lexicon.members(frame.complements[0].cls):
                        by_object.setdefault(name, []).append((verb, frame))
        for source, target in ((by_subject, self.rel_subject), (by_object, self.rel_object)):
            for name, pairs in source.items():
                target[scene, name] = Table(pairs, [verb.weight for verb, _ in pairs])

    # -- arguments ---------------------------------------------------------------------------
    def subject(self, group: str, ask: bool = False) -> Node:
        """Return a subject: a pronoun, a noun phrase or two of them."""
        self.who = ""
        node = self._subject_phrase(group, ask)
        self.who = self.pronoun_for(node)
        self.spoken = True
        self.remember(node)
        return node

    def remember(self, subject: Node | None) -> None:
        """Keep the pronoun of a person: a later clause may go on about the same one."""
        if subject is not None and self.person(subject):
            self.given = self.pronoun_for(subject)
            self.given_class = subject.cls or self.given_class

    def _subject_phrase(self, group: str, ask: bool) -> Node:
        label = "nsubj"
        fits = group == "human" or self.given_class in dict(self.lexicon.members(group))
        if self.given and fits and self.dice.chance(self.grammar.rates["same"][0]):
            return self.pronoun(self.given, label)
        if group == "human" and self.dice.chance(60):
            word = self.dice.pick(self.grammar.closed["asked" if ask else "pronouns"])
            if not self.spoken or word in ("I", "we", "you"):
                return self.pronoun(word, label)
        node = self.np(group, label)
        if node.cls in self.lexicon.common and self.may("conj") and not self.options.get("strict"):
            if self.conjoin(node) is not node:
                node.agreement = "pl"
        return node

    def person(self, subject: Node | None) -> bool:
        """Whether a subject is one or more people."""
        if subject is None or subject.cls not in self.lexicon.nouns:
            return subject is not None and subject.upos == "PRON" and subject.lemma != "it"
        return self.lexicon.nouns[subject.cls].human

    def pronoun_for(self, subject: Node | None) -> str:
        """Return the pronoun that takes up a subject."""
        if subject is None:
            return "he"
        if subject.upos == "PRON":
            return subject.lemma
        cls = self.lexicon.nouns[subject.cls]
        if subject.agreement == "pl":
            return "they"
        if cls.name.isupper() or not cls.human:
            return cls.pronoun
        if not subject.pronoun:
            any_one = "he" if self.dice.chance(50) else "she"
            subject.pronoun = self.grammar.gender.get(subject.lemma, any_one)
        return subject.pronoun

    @abstractmethod
    def conjoin(self, first: Node, more: int = 0) -> Node:
        """Coordinate; defined by the subclass."""

    def object(self, group: str, label: str = "obj") -> Node:
        """Return an object: a noun phrase or now and then a pronoun."""
        if not self.dice.chance(26):
            return self.np(group, label)
        if self.noun_class(group).human:
            word = self.other(self.who)
            while group != "human" and word in ("I", "we", "you"):
                word = self.other(self.who)
            return self.pronoun(word, label)
        return self.pronoun("they" if self.dice.chance(25) else "it", label)

    def verbal(
        self,
        use: str,
        *,
        label: str = "root",
        subject: bool = True,
        ask: bool = False,
        choice: tuple[VerbClass, Frame] | None = None,
        gap: str = "",
    ) -> Core:
        """Build verb, subject and complements, without auxiliaries; `gap` is a missing argument."""
        if choice is None:
            cls = self.draw(use)
            choice = cls, cls.frames[self.dice.below(len(cls.frames))]
        cls, frame = choice
        self.previous = cls
        head = self.verb(cls, label)
        core = Core(head, cls=cls, heads=[head])
        if subject:
            core.subject = self.subject(frame.subject, ask)
            core.heads.append(core.subject)
        self._complete(core, frame, gap)
        return core

    def _complete(self, core: Core, frame: Frame, gap: str) -> None:
        double = gap != "obj" and self._double(core, frame)
        for part in frame.complements:
            if part.kind == gap or (double and part.kind in ("iobj", "obj")):
                continue
            if part.kind in _CLAUSAL:
                self.clausal(core, part)
            else:
                self._argument(core, part)
        if frame.has("iobj") and not double and gap != "obj":
            self._separate(core)

    def _separate(self, core: Core) -> None:
        """Say *gave the child some toys*: without *some* the words might be a compound."""
        thing = core.tail
        if (
            thing is not None
            and thing.upos == "NOUN"
            and not thing.pre
            and (core.heads[-2].upos == "NOUN")
        ):
            thing.pre.append(Node("some", "DET", "DT", "det"))

    def _argument(self, core: Core, part: Complement) -> None:
        if part.kind == "prt":
            node = Node(part.prep, "ADP", "RP", "compound:prt")
        elif part.kind == "adj":
            node = self.adjective(part.cls)
            node.label = "xcomp"
        elif part.kind == "obl":
            node = self.case(self.np(part.cls, "obl"), part.prep)
        elif part.kind == "advmod":
            node = self.np(part.cls, "advmod")
        else:
            single = core.tail is None or core.tail.label != "iobj"
            node = self.object(part.cls, part.kind) if single else self.np(part.cls, part.kind)
            if core.head.lemma in self.ditransitive:
                node.pre = [c for c in node.pre if c.label != "compound"]
        after = core.head.post
        # "pick it up", but "pick up the box"
        early = node.upos == "PRON" and after and after[-1].label == "compound:prt"
        after.insert(len(after) - bool(early), node)
        if part.kind in ("obj", "iobj", "obl"):
            core.tail = node
            core.heads.append(node)

    def _double(self, core: Core, frame: Frame) -> bool:
        """Build *gave the child toys*: two objects, or a compound where the words allow it.

        After a verb of one object, *washed the baby shirts*, it can only be a compound.
        """
        assert core.cls is not None
        takes, site = frame.has("iobj"), self.grammar.sites["ditrans"]
        alone = [part.kind for part in frame.complements] == ["obj"]
        if not takes and (not alone or self.ditransitive & set(core.cls.words.items)):
            return False
        if not self.dice.chance(site["rate" if takes else "single"]):
            return False
        classes = {part.kind: part.cls for part in frame.complements}
        thing = self.np(classes["obj"], "obj", plain=True)
        if not takes and "child" not in self.lexicon.nouns[thing.cls].compounds:
            return False
        receiver = self.np(classes.get("iobj", "child"), "iobj", plain=True)
        if receiver.xpos != "NN" or len(receiver.pre) != 1 or receiver.pre[0].label == "nummod":
            return False
        if thing.upos != "NOUN" or receiver.pre[0].lemma in _SINGULAR:
            return False
        if thing.xpos == "NN" and not thing.pre:
            return False
        thing.pre.clear()
        if thing.xpos == "NN":
            thing.xpos, thing.agreement = "NNS", "pl"
        compounds = self.lexicon.nouns[thing.cls].compounds
        head = core.head
        fits = [receiver.cls in compounds, takes]
        chosen = self.decide("ditrans", receiver, (thing, head), fits)
        if chosen is None:
            return False
        if chosen is thing:
            determiner = receiver.pre.pop()
            receiver.label = "compound"
            thing.pre = [determiner, receiver]
        else:
            head.post.append(receiver)
            determiner = receiver.pre[0]
        if "ditrans" in self.sites:
            determiner.misc, determiner.rivals = receiver.misc, (receiver, thing)
        head.post.append(thing)
        core.tail = thing
        core.heads += [receiver, thing]
        return True

    # -- clauses as complements --------------------------------------------------------------
    def clausal(self, core: Core, part: Complement) -> None:
        """Attach an infinitive, an -ing clause or a finite complement clause."""
        rich, self.rich = self.rich, max(0, self.rich - 1)
        nested, self.nested = self.nested, True
        tense, who = self.tense, self.who
        if core.tail is not None:
            self.who = self.pronoun_for(core.tail)
        if part.kind in ("inf", "ing"):
            inner = self.verbal(part.kind, label="xcomp", subject=False)
            if part.kind == "inf":
                inner.head.pre.insert(0, Node("to", "PART", "TO", "mark"))
            else:
                inner.head.xpos = "VBG"
        else:
            if tense in ("past", "pastprog"):
                self.tense = "past" if self.dice.chance(75) else "pastprog"
            elif tense == "modal":
                self.tense = "pres"
            else:
                self.tense = self.dice.pick(TENSES)
            inner = self.plain("ccomp")
            mark = "that" if part.kind == "that" else "if" if self.dice.chance(60) else "whether"
            if mark != "that" or self.dice.chance(100 if self.options.get("strict") else 55):
                inner.head.pre.insert(0, Node(mark, "SCONJ", "IN", "mark"))
        self.decorate(inner)
        self.rich, self.tense, self.nested, self.who = rich, tense, nested, who
        core.head.post.append(inner.head)
        core.closed, core.inner, core.tail = True, inner, None

    def plain(self, label: str = "root", *, ask: bool = False, tense: str = "") -> Core:
        """Build a finite clause of some kind: verbal, passive or copular."""
        draw = self.dice.below(100)
        if draw < 73:
            core = self.verbal("main", label=label, ask=ask)
            self.predicate(core, "verb", ask=ask, tense=tense)
        elif draw < 80:
            core = self.passive(label)
            self.predicate(core, "pass", ask=ask, tense=tense)
        else:
            core = self.copular(label, ask)
            self.predicate(core, "cop", ask=ask, tense=tense)
        return core

    def passive(self, label: str) -> Core:
        """Build a passive clause."""
        choice = self.draw_frame(
            lambda f: f.has("obj") and f.complements[0].kind == "obj", "pass", events=True
        )
        frame, self.who = choice[1], ""
        core = self.verbal("pass", label=label, subject=False, choice=choice, gap="obj")
        subject = self.np(frame.complements[0].cls, "nsubj:pass")
        core.subject = subject
        core.heads.append(subject)
        if self.dice.chance(28):
            agent = self.case(self.np(frame.subject, "obl:agent"), "by")
            core.head.post.append(agent)
            core.tail = agent
            core.heads.append(agent)
        return core

    def copular(self, label: str, ask: bool = False) -> Core:
        """Build a clause with *be*: an adjective, a noun or a place is said of the subject."""
        group, link, cls = self.dice.pick(self.grammar.predicates[self.scene])
        subject = self.subject(group, ask)
        if link == "=":
            head = self.adjective(cls)
            subject.pre = [child for child in subject.pre if child.label != "amod"]
            if self.dice.chance(35) and cls not in self.grammar.ungraded:
                self.intensify(head)
        elif link == "a":
            self.tense = "past" if self.tense in ("past", "pastprog", "perf") else "pres"
            head = self.np(cls, new=True)
            while subject.agreement == "pl":
                subject = self.np(group, "nsubj")
            while not self.suits(head, subject):
                head = self.np(cls, new=True)
        else:
            head = self.case(self.np(cls), link)
        head.label = label
        core = Core(head, subject, heads=[subject])
        if link == "a":
            core.tail = head
            core.heads.append(head)
        return core

    def suits(self, noun: Node, person: Node) -> bool:
        """Whether a noun for one person can be said of this one: not *John, an actress*."""
        gender = self.grammar.gender.get(noun.lemma)
        return noun.xpos == "NN" and gender in (None, self.pronoun_for(person))

    @abstractmethod
    def decorate(self, core: Core) -> None:
        """Add what is optional; defined by the subclass."""
