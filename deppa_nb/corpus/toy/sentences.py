"""Whole sentences: statements, questions, commands, quotations, lists."""

from __future__ import annotations

from typing import Any

from .clauses import _TENSES, Core
from .dice import Dice, Table
from .extras import Extras
from .grammar import Grammar
from .tree import Node

_WHICH = Table(["what", "where", "when", "why", "who", "how"], [30, 15, 12, 16, 12, 10])
_EXISTING = Table(
    "error shop restaurant hotel insect weapon book device outdoor_area contest".split()
)
_SAYING = Table(["say", "ask", "reply", "shout", "answer", "add"])


class Sentences(Extras):
    """Draws sentences one after the other."""

    def __init__(self, dice: Dice, grammar: Grammar, options: dict[str, Any]) -> None:
        super().__init__(dice, grammar, options)
        self.builders |= {
            "clause": self.clause,
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
        self.tense = self.dice.pick(_TENSES)
        self.timed = False
        root = self.expand(self.dice.pick(self.patterns))
        root.label = "root"
        return root

    # -- statements --------------------------------------------------------------------------
    def clause(self) -> Node:
        """Return a main clause with all that may follow it."""
        core = self.plain()
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
        self.about = self._about(core.subject)
        if not core.closed and not self._ends_in_clause(head):
            kinds = core.cls.reasons if core.cls is not None else ()
            if "purpose" in kinds and self.may("purpose"):
                self._purpose(core)
            elif kinds and kinds != ("purpose",) and self.may("advcl"):
                others = [kind for kind in kinds if kind != "purpose"]
                head.post.append(self.reason(others[self.dice.below(len(others))]))
            elif self.may("advcl"):
                head.post.append(self._subordinate())
            elif core.cls is not None and head.xpos in ("VBD", "VBZ", "VB") and self.may("conj"):
                self._second_verb(core)
        if self.may("clauseconj"):
            head.post.append(self._second_clause("and" if self.dice.chance(60) else "but"))
            if self.may("nextclause"):
                head.post.append(self._second_clause("so" if self.dice.chance(30) else "and"))

    def _purpose(self, core: Core) -> None:
        """Add *to* with an infinitive that tells what for."""
        subject = core.subject
        human = subject is not None and (
            (subject.upos == "PRON" and subject.lemma != "it")
            or (subject.cls in self.lexicon.nouns and self.lexicon.nouns[subject.cls].human)
        )
        if human:
            rich, self.rich = self.rich, max(0, self.rich - 1)
            node = self.infinitive("goal")
            self.rich = rich
            node.label = "advcl"
            core.head.post.append(node)

    def existential(self) -> Node:
        """Return *there is* with something and where it is."""
        cls = self.lexicon.verbs["exist"]
        head = self.verb(cls)
        thing = self.np(self.dice.pick(_EXISTING), "nsubj", new=True)
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
        if (
            second.closed
            or core.subject is None
            or core.subject.upos != "PRON"
            or (core.subject.lemma == "it")
        ):
            return
        second.head.xpos = core.head.xpos
        second.head.pre.insert(0, Node("and", "CCONJ", "CC", "cc"))
        self.decorate(second)
        core.head.post.append(second.head)

    def _second_clause(self, word: str) -> Node:
        rich, self.rich = self.rich, max(0, self.rich - 1)
        core = self.plain("conj")
        self.decorate(core)
        self.rich = rich
        core.head.pre[:0] = [Node(",", "PUNCT", ",", "punct"), Node(word, "CCONJ", "CC", "cc")]
        return core.head

    def _subordinate(self) -> Node:
        rich, self.rich = self.rich, max(0, self.rich - 2)
        tense = self.tense
        past = tense in ("past", "pastprog", "perf")
        mark = self.dice.pick(self.grammar.closed["whens_past" if past else "whens"])
        self.tense = "past" if past else "pres"
        self.positive = mark not in ("if", "although", "since")
        core = self.plain("advcl", tense=self.tense)
        self.positive = False
        self.decorate(core)
        self.rich, self.tense = rich, tense
        if mark == "when":
            core.head.pre.insert(0, Node(mark, "ADV", "WRB", "advmod"))
        else:
            core.head.pre.insert(0, Node(mark, "SCONJ", "IN", "mark"))
        return core.head

    def when(self) -> Node:
        """Return a subordinate clause to be put first, with its comma."""
        if self.tense == "pres":
            self.tense = "will" if self.dice.chance(50) else "modal"
        node = self._subordinate()
        node.post.append(Node(",", "PUNCT", ",", "punct"))
        return node

    def time_phrase(self) -> Node:
        """Return a time to be put first."""
        assert self.time_pps is not None
        prep, cls = self.dice.pick(self.time_pps)
        self.timed = True
        if cls == "YEAR":
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
        while True:
            cls = self.dice.pick(self.by_use["main"])
            frame = cls.frames[self.dice.below(len(cls.frames))]
            first = frame.complements[0].kind if frame.complements else ""
            if frame.subject == "human" and (first == "obj" if gap else first != "that"):
                if not gap or len(frame.complements) == 1:
                    break
        core = self.verbal("main", choice=(cls, frame), gap=gap, ask=True)
        self.predicate(core, "verb", ask=True)
        tag = "WP" if gap else "WRB"
        core.head.pre.insert(0, self.word(word, tag, "obj" if gap else "advmod"))
        self.decorate(core)
        return core.head

    def _who(self) -> Node:
        while True:
            cls = self.dice.pick(self.by_use["main"])
            frame = cls.frames[0]
            if frame.subject == "human":
                break
        core = self.verbal("main", choice=(cls, frame), subject=False)
        core.subject = self.word("who", "WP", "nsubj")
        self.predicate(core, "verb")
        core.subject = None
        self.decorate(core)
        return core.head

    def imperative(self) -> Node:
        """Return a command."""
        self.tense = "will"
        core = self.verbal("imp", subject=False)
        if self.dice.chance(14):
            negation = self.word("not", "RB", "advmod", "PART")
            negation.form = "n't"
            core.head.pre = [self.word("do", "VB", "aux", "AUX"), negation]
        self.decorate(core)
        return core.head

    def infinitive(self, use: str = "inf") -> Node:
        """Return an infinitive clause with *to*."""
        core = self.verbal(use, subject=False)
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
        while True:
            cls = self.dice.pick(self.by_use["main"])
            frame = cls.frames[self.dice.below(len(cls.frames))]
            kinds = [part.kind for part in frame.complements]
            if kinds == ["obj"] and frame.complements[0].cls not in ("human", "subject"):
                break
        core = self.verbal("main", choice=(cls, frame))
        self.predicate(core, "verb")
        tail = core.tail
        if tail is not None and tail.upos == "NOUN":
            self.conjoin(tail, 2 + self.dice.below(4))
        return core.head
