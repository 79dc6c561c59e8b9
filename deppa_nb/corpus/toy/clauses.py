"""Clauses: verb, subject, complements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from deppa_nb.corpus.toy.classes import CLAUSAL, Frame, Part, VerbClass
from deppa_nb.corpus.toy.lexicon import Choice
from deppa_nb.corpus.toy.phrases import PAST
from deppa_nb.corpus.toy.predicates import Core, Predicates
from deppa_nb.corpus.toy.tree import Node

_SINGULAR = ("a", "every", "each", "another", "this", "that")  # not before a plural


class Clauses(Predicates, ABC):
    """Builds the cores of clauses; what is optional is added by the subclass."""

    def begin(self) -> None:
        """Forget the sentence before and choose what a new one is about."""
        dice, lexicon = self.dice, self.lexicon
        self.rich = min(dice.pick(lexicon.rich), self.options.get("richest", 3))
        self.tense = dice.pick(lexicon.tense_table)
        self.modal = dice.pick(lexicon.closed["modals"])
        self.scene = dice.pick(lexicon.scenes)
        self.nested: bool = self.options.get("simple", False)
        self.who = self.thing = self.thing_class = self.given = self.given_class = ""
        self.spoken = self.timed = self.dated = False
        self.previous: VerbClass | None = None

    def draw(self, use: str, fits: Callable[[VerbClass, Frame], bool] | None = None) -> Choice:
        """Draw a verb class and a frame that suit the scene (if need be, another one)."""
        self.tries = 0
        while True:
            self.tries += 1
            table = self.lexicon.frames.get((self.scene, use, self.nested))
            if table is not None:
                choice = self.dice.pick(table)
                fresh = choice[0] is not self.previous or self.tries > 30
                if fresh and (fits is None or fits(*choice)):
                    return choice
            if table is None or self.tries > 80:
                self.scene = self.dice.pick(self.lexicon.scenes)

    # -- arguments ---------------------------------------------------------------------------
    def subject(self, group: str, ask: bool = False) -> Node:
        """Return a subject: a pronoun, a noun phrase or two of them."""
        self.who = ""
        node = self._subject_phrase(group, ask)
        self.who = self.pronoun_for(node)
        self.spoken = True
        self.remember(node)
        return node

    def _subject_phrase(self, group: str, ask: bool) -> Node:
        if self.given and self.goes_on(group) and self.may("same"):
            return self.pronoun(self.given, "nsubj")
        if group == "human" and self.dice.chance(60):
            word = self.dice.pick(self.lexicon.closed["asked" if ask else "pronouns"])
            if not self.spoken or word in ("I", "we", "you"):
                return self.pronoun(word, "nsubj")
        node = self.np(group, "nsubj")
        if self.person(node) and not self.strict and self.may("subjconj"):
            if self.conjoin(node) is not node:
                node.agreement = "pl"
        return node

    def remember(self, subject: Node) -> None:
        """Keep the pronoun of a subject: a later clause may go on about the same one."""
        if subject.xpos != "WP":
            self.given = self.pronoun_for(subject)
            self.given_class = subject.cls or self.given_class
        self.note(subject)

    def note(self, node: Node) -> None:
        """Keep the pronoun of a thing: a later clause may have it as its object."""
        if node.upos == "NOUN" and not self.person(node):
            self.thing, self.thing_class = self.pronoun_for(node), node.cls

    def goes_on(self, group: str) -> bool:
        """Whether the subject spoken of can be the subject of a verb that takes this group."""
        known = self.lexicon.nouns.get(self.given_class)
        people = self.given != "it" if known is None else known.human and known.name != "soldier"
        return (group == "human" and people) or self.lexicon.includes(group, self.given_class)

    def person(self, node: Node | None) -> bool:
        """Whether a noun or pronoun is one or more people."""
        if node is None or node.upos == "PRON":
            return node is not None and node.lemma != "it"
        return node.cls in self.lexicon.nouns and self.lexicon.nouns[node.cls].human

    def pronoun_for(self, node: Node | None) -> str:
        """Return the pronoun that takes up a noun phrase."""
        if node is None:
            return self.who or "he"
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
        if self.lexicon.includes(group, self.thing_class) and self.dice.chance(75):
            return self.pronoun(self.thing, label)
        if group == "human" and self.dice.chance(30):
            return self.pronoun(self.someone(), label)
        node = self.np(group, label)
        self.note(node)
        return node

    def build(
        self, use: str = "main", label: str = "root", *, subject: str = "np", gap: str = "",
        ask: bool = False, choice: Choice | None = None,
    ) -> Core:  # fmt: skip
        """Build verb, subject and complements, without auxiliaries; `gap` is a missing argument."""
        cls, frame = choice or self.draw(use)
        self.previous = cls
        head = Node(self.dice.pick(cls.words), "VERB", "VB", label)
        head.allows, head.pps = self.lexicon.verb_allows[head.lemma], cls.pps
        core = Core(head, cls=cls, heads=[head])
        if subject == "np":
            core.subject = self.subject(frame.subject, ask)
            core.heads.append(core.subject)
        elif subject == "who":
            core.subject = self.word("who", "WP", "nsubj")
        double = not gap and self._double(core, frame)
        for part in frame.parts:
            if part.kind in CLAUSAL:
                self._clausal(core, part)
            elif part.kind != gap and not (double and part.kind in ("iobj", "obj")):
                self._argument(core, part)
        if "iobj" in frame.kinds and not double:
            self._separate(core)
        return core

    def _separate(self, core: Core) -> None:
        """Say *gave the child some toys*: without *some* the words might be a compound."""
        *_, receiver, thing = core.heads
        if thing.upos == "NOUN" and not thing.pre and receiver.upos == "NOUN":
            thing.pre.append(Node("some", "DET", "DT", "det"))

    def _argument(self, core: Core, part: Part) -> None:
        if part.kind == "prt":
            node = Node(part.prep, "ADP", "RP", "compound:prt")
        elif part.kind == "adj":
            node = self.adj(part.cls)
            node.label = "xcomp"
        elif part.kind == "obl":
            node = self.case(self.np(part.cls, "obl"), part.prep)
            core.used.append((part.prep, node.cls))
        elif part.kind == "obj" and core.tail is None:
            node = self.object(part.cls)
        else:
            node = self.np(part.cls, part.kind)
        if part.kind in ("obj", "iobj") and core.head.lemma in self.lexicon.ditransitive:
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
        assert core.cls is not None
        takes, site = "iobj" in frame.kinds, self.lexicon.sites["ditrans"]
        single = core.head.lemma not in self.lexicon.ditransitive
        if not takes and (frame.kinds != ["obj"] or not single):
            return False
        if not self.dice.chance(site["rate" if takes else "single"]):
            return False
        classes = {part.kind: part.cls for part in frame.parts}
        thing = self.np(classes["obj"], "obj", plain=True)
        if thing.upos != "NOUN" or (thing.xpos == "NN" and not thing.pre):
            return False
        compounds = self.lexicon.nouns[thing.cls].compounds
        if not takes and "infant" not in compounds:
            return False
        receiver = self.np(classes.get("iobj", "infant"), "iobj", plain=True)
        determiner = receiver.pre[0] if len(receiver.pre) == 1 else None
        if receiver.xpos != "NN" or determiner is None or determiner.label == "nummod":
            return False
        if determiner.lemma in _SINGULAR:
            return False
        thing.xpos, thing.agreement, thing.pre = "NNS", "pl", []
        fits = [receiver.cls in compounds, takes]
        core.tossed = all(fits)
        chosen = self.decide("ditrans", receiver, (thing, core.head), fits)
        if chosen is None:
            return False
        if chosen is thing:
            receiver.label, receiver.pre, thing.pre = "compound", [], [determiner, receiver]
        else:
            core.head.post.append(receiver)
        if "ditrans" in self.sites:
            determiner.misc, determiner.rivals = receiver.misc, (receiver, thing)
        core.head.post.append(thing)
        core.tail = thing
        core.heads += [receiver, thing]
        return True

    def _clausal(self, core: Core, part: Part) -> None:
        """Attach an infinitive, an -ing clause or a finite complement clause."""
        who = self.pronoun_for(core.tail) if core.tail is not None else self.who
        with self.but(rich=max(0, self.rich - 1), nested=True, tense=self.tense, who=who):
            if part.kind in ("inf", "ing"):
                inner = self.build(part.kind, "xcomp", subject="none")
                assert core.cls is not None
                by_object = core.tail is not None and core.cls.control == "object"
                inner.head.controller = core.tail if by_object else core.subject
                if part.kind == "inf":
                    inner.head.pre.insert(0, Node("to", "PART", "TO", "mark"))
                else:
                    inner.head.xpos = "VBG"
            else:
                if self.tense in PAST:
                    self.tense = "past" if self.dice.chance(75) else "pastprog"
                else:
                    self.tense = self.dice.pick(self.lexicon.tense_table)
                if self.dice.chance(80):
                    self.given = ""
                inner = self.plain("ccomp")
                mark = "that" if part.kind == "that" else "whether"
                if mark != "that" or self.strict or self.dice.chance(70):
                    inner.head.pre.insert(0, Node(mark, "SCONJ", "IN", "mark"))
            self.adorn(inner)
        core.head.post.append(inner.head)
        core.closed, core.inner, core.tail = True, inner, None

    # -- finite clauses ----------------------------------------------------------------------
    def plain(self, label: str = "root", ask: bool = False) -> Core:
        """Build a finite clause of some kind: verbal, passive or copular."""
        draw = self.dice.below(100)
        if draw < 67:
            return self.finite(self.build("main", label, ask=ask), ask=ask)
        if draw < 74:
            return self.finite(self._passive(label), "pass", ask=ask)
        return self.finite(self._copular(label, ask), "cop", ask=ask)

    def _passive(self, label: str) -> Core:
        choice = self.draw("pass", lambda v, f: f.kinds[:1] == ["obj"] and not v.state)
        frame, self.who = choice[1], ""
        core = self.build("pass", label, subject="none", choice=choice, gap="obj")
        core.subject = self.np(frame.parts[0].cls, "nsubj:pass")
        core.heads.append(core.subject)
        self.remember(core.subject)
        if self.dice.chance(28):
            core.tail = self.case(self.np(frame.subject, "obl:agent"), "by")
            core.head.post.append(core.tail)
            core.heads.append(core.tail)
        return core

    def _copular(self, label: str, ask: bool) -> Core:
        """Build a clause with *be*: an adjective, a noun or a place is said of the subject."""
        group, link, name = self.dice.pick(self.lexicon.predicates[self.scene])
        subject = self.np(group, "nsubj") if link == "a" else self.subject(group, ask)
        core = Core(subject, subject, heads=[subject])
        if link == "=":
            core.head, core.kind = self.adj(name), name
            subject.pre = [child for child in subject.pre if child.label != "amod"]
            if name not in self.lexicon.ungraded and self.dice.chance(35):
                core.head.pre.append(self.adv("intensifier"))
        elif link == "a":
            self.tense = "past" if self.tense in (*PAST, "perf") else "pres"
            self.remember(subject)
            core.head = core.tail = self.rule(name)
            core.heads = [subject, core.head]
        else:
            core.head = self.case(self.np(name), link)
        core.head.label = label
        return core

    @abstractmethod
    def adorn(self, core: Core) -> None:
        """Add what is optional; defined by the subclass."""
