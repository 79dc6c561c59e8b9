"""Whole sentences: statements, questions, commands, quotations, lists."""

from __future__ import annotations

from typing import Any

from deppa_nb.corpus.toy.dice import Dice, Table
from deppa_nb.corpus.toy.extras import Extras
from deppa_nb.corpus.toy.grammar import Grammar
from deppa_nb.corpus.toy.lexicon import Frame
from deppa_nb.corpus.toy.predicates import TENSES, Core
from deppa_nb.corpus.toy.tree import Node

_WHICH = Table(["what", "where", "when", "why", "who", "how"], [30, 15, 12, 16, 12, 10])
_EVENTS = ("past", "pastprog", "will", "modal")
_SAYING = Table(["say", "reply", "add", "answer", "shout"])


class Sentences(Extras):
    """Draws sentences one after the other."""

    def __init__(self, dice: Dice, grammar: Grammar, options: dict[str, Any]) -> None:
        super().__init__(dice, grammar, options)
        self.builders |= {
            "clause": self.clause,
            "eventclause": lambda: self.clause(self.event("root")),
            "shortclause": self.short_clause,
            "when": self.when,
            "timepp": self.time_phrase,
            "yesno": self.yes_no,
            "whq": self.wh_question,
            "imperative": self.imperative,
            "saidby": self.said_by,
            "quoting": self.quoting,
            "lister": self.lister,
            "thereis": self.existential,
            "infinitive": self.infinitive,
        }
        self.patterns = grammar.sentences

    def sentence(self) -> Node:
        """Return the root of the next sentence."""
        self.rich = min(self.dice.pick(self.grammar.rich), self.options.get("richest", 3))
        self.tense = self.dice.pick(TENSES)
        self.timed = self.dated = self.spoken = False
        self.previous = None
        self.scene = self.dice.pick(self.grammar.scenes)
        self.given = self.given_class = self.who = ""
        self.modal = self.dice.pick(self.grammar.closed["modals"])
        root = self.expand(self.dice.pick(self.patterns))
        root.label = "root"
        return root

    # -- statements --------------------------------------------------------------------------
    def clause(self, core: Core | None = None) -> Node:
        """Return a main clause with all that may follow it."""
        core = core or self.plain()
        self.decorate(core)
        self._follow(core)
        return core.head

    def short_clause(self) -> Node:
        """Return a clause with little in it."""
        rich, self.rich = self.rich, 0
        core = self.plain()
        self.decorate(core)
        self.rich = rich
        return core.head

    def _follow(self, core: Core) -> None:
        """Add a subordinate clause, a second verb or a second clause after a main clause."""
        head = core.head
        self.about = self.pronoun_for(core.subject)
        self.remember(core.subject)
        denied = any(child.lemma == "not" for child in head.pre)
        event = core.cls is not None and not core.cls.state and self.tense in _EVENTS
        if not core.closed and not self._ends_in_clause(head):
            known = core.cls is not None and not denied and self.person(core.subject)
            kinds = core.cls.reasons if known and core.cls is not None else ()
            others = [kind for kind in kinds if kind != "purpose"]
            if "purpose" in kinds and head.xpos != "VBN" and self.may("purpose"):
                self._purpose(core)
            elif others and self.may("advcl"):
                head.post.append(self.reason(others[self.dice.below(len(others))]))
            elif event and not denied and not self.dated and self.may("advcl"):
                head.post.append(self._subordinate())
            elif event and not denied and head.xpos in ("VBD", "VB") and self.may("verbconj"):
                self._second_verb(core)
        if self.may("clauseconj"):
            head.post.append(self._second_clause("and" if self.dice.chance(60) else "but"))
            if self.may("nextclause"):
                head.post.append(self._second_clause("and"))

    def _purpose(self, core: Core) -> None:
        """Add *to* with an infinitive that tells what for."""
        rich, self.rich = self.rich, max(0, self.rich - 1)
        node = self.infinitive("goal")
        self.rich = rich
        node.label = "advcl"
        if node.lemma != core.head.lemma:
            core.head.post.append(node)

    def existential(self) -> Node:
        """Return *there is* with something and where it is."""
        cls = self.draw("there")
        head = self.verb(cls)
        frame = cls.frames[self.dice.below(len(cls.frames))]
        thing = self.np(frame.subject, "nsubj", new=True)
        for child in thing.pre:
            if child.lemma == "the":
                child.lemma = "some" if thing.xpos == "NNS" else "a"
        form = self.be(thing.agreement)
        head.xpos, head.form = form.xpos, form.form
        head.pre.append(self.word("there", "EX", "expl"))
        head.post.append(thing)
        tail = None if self.options.get("strict") else thing
        core = Core(head, tail=tail, cls=cls, heads=[head, thing])
        self.decorate(core)
        return head

    def _ends_in_clause(self, head: Node) -> bool:
        """Whether the last word belongs to a clause below this one."""
        node = head
        while node.post:
            node = node.post[-1]
            if node.label in ("acl:relcl", "advcl", "ccomp", "xcomp", "appos"):
                return True
        return False

    def _second_verb(self, core: Core) -> None:
        """Add *and* with a second verb that shares subject and auxiliaries."""
        second = self.verbal("inf", label="conj", subject=False)
        if second.closed or not self.person(core.subject):
            return
        second.head.xpos = core.head.xpos
        second.head.pre.insert(0, Node("and", "CCONJ", "CC", "cc"))
        self.decorate(second)
        core.head.post.append(second.head)

    def _second_clause(self, word: str) -> Node:
        rich, self.rich = self.rich, max(0, self.rich - 1)
        self.timed = self.timed and self.dice.chance(70)
        if self.tense == "pres":
            self.tense = "will" if self.dice.chance(50) else "perf"
        core = self.plain("conj") if self.dice.chance(30) else self.event("conj")
        self.decorate(core)
        self.rich = rich
        core.head.pre[:0] = [Node(",", "PUNCT", ",", "punct"), Node(word, "CCONJ", "CC", "cc")]
        return core.head

    def _subordinate(self) -> Node:
        rich, self.rich = self.rich, max(0, self.rich - 2)
        nested, self.nested, self.dated = self.nested, True, True
        tense = self.tense
        past = tense in ("past", "pastprog", "perf")
        mark = self.dice.pick(self.grammar.closed["whens_past" if past else "whens"])
        self.tense = "past" if past else "pres"
        self.positive = True
        core = self.event("advcl")
        self.positive = False
        self.decorate(core)
        self.rich, self.tense, self.nested = rich, tense, nested
        if mark == "when":
            core.head.pre.insert(0, Node(mark, "ADV", "WRB", "advmod"))
        else:
            core.head.pre.insert(0, Node(mark, "SCONJ", "IN", "mark"))
        return core.head

    def event(self, label: str) -> Core:
        """Return a clause in which something happens, for *when*, *before* or *if*."""
        before = self.previous
        while True:
            cls = self.draw("main")
            if not cls.state and cls is not before:
                break
        choice = cls, cls.frames[self.dice.below(len(cls.frames))]
        core = self.verbal("main", label=label, choice=choice)
        self.predicate(core, "verb", tense=self.tense)
        return core

    def when(self) -> Node:
        """Return a subordinate clause to be put first, with its comma."""
        if self.tense in ("pres", "prog", "perf"):
            self.tense = "will" if self.dice.chance(50) else "past"
        node = self._subordinate()
        node.post.append(Node(",", "PUNCT", ",", "punct"))
        return node

    def time_phrase(self) -> Node:
        """Return a time to be put first."""
        assert self.time_pps is not None
        prep, cls = self.dice.pick(self.time_pps)
        self.timed = True
        if cls == "YEAR" or self.tense not in ("will", "modal"):
            self.tense = "past"
        return self.case(self.np(cls, "obl", plain=True), prep)

    # -- questions and commands --------------------------------------------------------------
    def yes_no(self) -> Node:
        """Return a yes/no question."""
        core = self.plain(ask=True)
        self.decorate(core)
        return core.head

    def wh_question(self) -> Node:
        """Return a question with *what*, *where*, *who* ..."""
        word = self.dice.pick(_WHICH)
        if word == "who":
            return self._who()
        gap = "obj" if word == "what" else ""
        self.nested = True
        choice = self.draw_frame(self._asked_for if gap else self._about_people, events=not gap)
        core = self.verbal("main", choice=choice, gap=gap, ask=True)
        self.nested = False
        self.predicate(core, "verb", ask=True)
        tag = "WP" if gap else "WRB"
        core.head.pre.insert(0, self.word(word, tag, "obj" if gap else "advmod"))
        self.decorate(core)
        return core.head

    def _about_people(self, frame: Frame) -> bool:
        return frame.subject == "human"

    def _asked_for(self, frame: Frame) -> bool:
        """Whether *what* can ask for the object."""
        kinds = [part.kind for part in frame.complements]
        thing = kinds == ["obj"] and not self.noun_class(frame.complements[0].cls).human
        return thing and self._about_people(frame)

    def _who(self) -> Node:
        choice = self.draw_frame(self._about_people)
        core = self.verbal("main", choice=choice, subject=False)
        core.subject = self.word("who", "WP", "nsubj")
        self.predicate(core, "verb")
        core.subject = None
        self.decorate(core)
        return core.head

    def imperative(self) -> Node:
        """Return a command."""
        self.tense, self.who = "will", "you"
        core = self.verbal("imp", subject=False)
        if self.dice.chance(14):
            negation = self.word("not", "RB", "advmod", "PART")
            negation.form = "n't"
            core.head.pre = [self.word("do", "VB", "aux", "AUX"), negation]
        self.decorate(core)
        return core.head

    def infinitive(self, use: str = "inf") -> Node:
        """Return an infinitive clause with *to*."""
        nested, self.nested = self.nested, True
        core = self.verbal(use, subject=False)
        self.nested = nested
        core.head.pre.insert(0, Node("to", "PART", "TO", "mark"))
        self.decorate(core)
        return core.head

    # -- quotations and lists ----------------------------------------------------------------
    def said_by(self) -> Node:
        """Return *said Anna*, the end of a quotation."""
        node = self.word(self.dice.pick(_SAYING), "VBD")
        if self.dice.chance(50):
            node.post.append(self.np("PERSON", "nsubj"))
        else:
            node.pre.append(self.subject("human"))
        return node

    def quoting(self) -> Node:
        """Return *Anna said : " ... "*."""
        node = self.word(self.dice.pick(_SAYING), "VBD")
        node.pre.append(self.np("PERSON" if self.dice.chance(50) else "human", "nsubj"))
        quoted = self.short_clause()
        quoted.label = "ccomp"
        comma = ":" if self.dice.chance(30) else ","
        quoted.pre[:0] = [self.word(comma, comma, "punct"), self.word("OPEN", "``", "punct")]
        quoted.post.append(self.word("CLOSE", "''", "punct"))
        node.post.append(quoted)
        return node

    def lister(self) -> Node:
        """Return a clause whose object is a list of things."""
        choice = self.draw_frame(
            lambda f: (
                [part.kind for part in f.complements] == ["obj"]
                and not self.noun_class(f.complements[0].cls).name.isupper()
            )
        )
        core = self.verbal("main", choice=choice)
        self.predicate(core, "verb")
        tail = core.tail
        if tail is not None and tail.upos == "NOUN":
            self.conjoin(tail, 2 + self.dice.below(4))
        return core.head
