"""Whole sentences: what grammar.yaml makes of clauses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from deppa_nb.corpus.toy.adjuncts import Adjuncts
from deppa_nb.corpus.toy.classes import Frame, VerbClass
from deppa_nb.corpus.toy.dice import Dice, Table
from deppa_nb.corpus.toy.lexicon import Lexicon, Tail
from deppa_nb.corpus.toy.phrases import PAST
from deppa_nb.corpus.toy.predicates import Core
from deppa_nb.corpus.toy.tree import Node

_ENDS = ("acl:relcl", "advcl", "ccomp", "xcomp", "appos")


class Sentences(Adjuncts):
    """Draws sentences one after the other."""

    def __init__(self, dice: Dice, lexicon: Lexicon, options: dict[str, Any]) -> None:
        super().__init__(dice, lexicon, options)
        self._tables: dict[tuple[str, frozenset[str]], Table[Tail]] = {}
        self._conditions: dict[str, Callable[[VerbClass, Frame], bool]] = {
            "any": lambda verb, frame: True,
            "event": lambda verb, frame: (
                not verb.state and (not verb.accident or self.tense in PAST)
            ),
            "people": lambda verb, frame: frame.subject == "human" or self.tries > 60,
            "direct": lambda verb, frame: set(frame.kinds) <= {"obj", "prt"},
            "thing": lambda verb, frame: (
                frame.kinds == ["obj"] and self._is_thing(frame.parts[0].cls)
            ),
            "ordered": lambda verb, frame: verb.step >= self._step or self.tries > 20,
            "same": lambda verb, frame: self.goes_on(frame.subject) or self.tries > 60,
        }
        tails = [tail for rows in lexicon.tails.values() for tail in rows]
        self._known = {flag for tail in tails for need in tail.needs for flag in need}
        self.begin()
        self._first = Core(Node("", "X", "X"))
        self._step = 0

    def _suits(self, want: str) -> Callable[[VerbClass, Frame], bool]:
        """Return the test for a verb and frame that meet all conditions, such as event+people."""
        tests = [self._conditions[name] for name in want.split("+")]
        return lambda verb, frame: all(test(verb, frame) for test in tests)

    def _is_thing(self, group: str) -> bool:
        cls = self.lexicon.nouns[self.lexicon.members(group)[0][0]]
        return cls.name.islower() and not cls.human

    def sentence(self) -> Node:
        """Return the root of the next sentence."""
        self.begin()
        self._step = 0
        root = self.rule("sentence")
        root.label = "root"
        return root

    def clause(
        self, use: str = "main", *, want: str = "", subject: str = "np", ask: int = 0,
        gap: str = "", lean: int = 0, bare: int = 0, items: int = 0, tails: int = 0,
        firm: int = 0,
    ) -> Node:  # fmt: skip
        """Return a clause; only those for the use ``main`` (verbs.yaml, uses) are finite.

        `want` lists conditions for verb and frame (see `_suits`), `subject` may be ``none`` or
        ``who``, `gap` the object asked for, `lean` by how much it is less rich than the sentence.
        1 makes it a question (`ask`), with nothing optional (`bare`), with a list of objects
        (`items`), one that others may follow (`tails`), without negation (`firm`; 2: and in the
        tense of the sentence).
        """
        if use == "imp":
            self.who, self.tense = "you", "will"
        nested = self.nested or use != "main" or bool(gap) or firm == 2
        with self.but(rich=max(0, self.rich - lean), nested=nested):
            if want or use != "main":
                choice = self.draw(use, self._suits(want or "any"))
                core = self.build(use, subject=subject, gap=gap, ask=bool(ask), choice=choice)
                if use == "main":
                    tense = self.tense if firm == 2 else ""
                    self.finite(core, ask=bool(ask), firm=bool(firm), tense=tense)
            else:
                core = self.plain(ask=bool(ask))
            if items and core.tail is not None and core.tail.upos == "NOUN":
                self.conjoin(core.tail, 2 + self.dice.below(3))
                self.thing = "they"
            elif not bare:
                self.adorn(core)
        if core.cls is not None:
            self._step = core.cls.step
        if tails:
            self._follow(core)
        return core.head

    def second(self, lean: int = 0) -> Node:
        """Return a second verb that shares the subject and the auxiliaries of the first."""
        with self.but(rich=max(0, self.rich - lean), nested=True):
            choice = self.draw("main", self._suits("event+ordered+same"))
            core = self.build("main", subject="none", choice=choice)
            core.head.xpos = self._first.head.xpos
            self.adorn(core)
        self._step = choice[0].step
        return core.head

    def _follow(self, core: Core) -> None:
        """Add what grammar.yaml lets follow a main clause."""
        self._first = core
        self.who = self.pronoun_for(core.subject)
        if core.subject is not None:
            self.remember(core.subject)
        flags = {self.scene, self.thing_class, *(["thing"] if self.thing else [])}
        denied = core.head.has("not")
        if self.person(core.subject):
            flags.add("person")
        if core.kind and not denied:
            flags.add(f"={core.kind}")
        elif core.cls is not None and not core.cls.state and not denied:
            flags |= {"event", core.cls.name}
            reasons = core.cls.reasons if "person" in flags else ()
            flags |= {"purpose"} & set(reasons)
            flags |= {"reason"} if set(reasons) - {"purpose"} else set()
            if "person" in flags and core.head.xpos in ("VBD", "VB"):
                flags.add("actor")
            flags |= {"datable"} if not self.dated else set()
            flags |= {"later"} if self.tense in ("will", "modal") else set()
        flags |= {"past"} if self.tense in PAST else {"now"} if self.tense == "pres" else set()
        if not core.closed and not core.tossed and not _ends_in_clause(core.head):
            if self.may("end"):
                self._add("ends", flags, core.head)
        if self.may("join"):
            self._add("joins", flags, core.head)

    def _add(self, kind: str, flags: set[str], head: Node) -> None:
        key = kind, frozenset(flags & self._known)
        if key not in self._tables:
            rows = [r for r in self.lexicon.tails[kind] if all(need & flags for need in r.needs)]
            self._tables[key] = Table(rows, [row.weight for row in rows])
        if self._tables[key].items:
            tail = self.dice.pick(self._tables[key])
            with self.but(who=self.who, given=self.given, given_class=self.given_class):
                self.expand(tail.pattern, head)
            if tail.site:
                self._contest(tail.site, head)

    def _contest(self, site: str, head: Node) -> None:
        """Let the last noun compete for the last dependent of a verb."""
        dependent, data = head.post.pop(), self.lexicon.sites[site]
        rivals, fits = [head], [data["verb"] in self.lexicon.verb_reasons[head.lemma]]
        last = head
        while last.post:
            last = last.post[-1]
        if last.upos == "NOUN":
            rivals.insert(0, last)
            fits.insert(0, last.cls in data["nouns"].split())
        chosen = self.decide(site, dependent, tuple(rivals), fits)
        if chosen is not None:
            dependent.label = dependent.label if chosen is head else data["label"]
            chosen.post.append(dependent)

    def reason(self) -> Node:
        """Return a because-clause that fits the verb of the main clause."""
        assert self._first.cls is not None
        kinds = [kind for kind in self._first.cls.reasons if kind != "purpose"]
        return self.because(kinds[self.dice.below(len(kinds))])

    def when(self) -> Node:
        """Return a subordinate clause of time; the main clause may have to change its tense."""
        if self.tense not in PAST:
            self.tense = "will" if self.tense in ("will", "modal") else "past"
        past = self.tense in PAST
        self.dated = True
        with self.but(tense="past" if past else "pres"):
            return self.rule("when_past" if past else "when_later")

    def timepp(self) -> Node:
        """Return a time to be put first."""
        assert self.lexicon.time_table is not None
        prep, cls = self.dice.pick(self.lexicon.time_table)
        self.timed = True
        if cls == "YEAR" or self.tense not in ("will", "modal"):
            self.tense = "past"
        return self.case(self.np(cls, "obl", plain=True), prep)

    def exists(self) -> Node:
        """Return *is* with something and where it is, for *there is*."""
        cls, frame = self.draw("there")
        thing = self.np(frame.subject, "nsubj", new=True)
        head = Node("be", "VERB", "VBD" if self.tense in PAST else "VBZ")
        head.allows, head.pps = self.lexicon.verb_allows["be"], cls.pps
        self.agree(head, thing.agreement).post.append(thing)
        tail = None if self.strict else thing
        self.adorn(Core(head, tail=tail, cls=cls, heads=[head, thing]))
        return head


def _ends_in_clause(node: Node) -> bool:
    """Whether the last word belongs to a clause below this one."""
    while node.post:
        node = node.post[-1]
        if node.label in _ENDS:
            return True
    return False
