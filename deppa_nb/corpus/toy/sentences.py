"""Whole sentences: what grammar.yaml makes of clauses."""

from __future__ import annotations

from functools import cache

from deppa_nb.corpus.toy.adjuncts import Adjuncts
from deppa_nb.corpus.toy.clauses import Core
from deppa_nb.corpus.toy.dice import Table, drawn
from deppa_nb.corpus.toy.lexicon import Choice, Lexicon, Tail
from deppa_nb.corpus.toy.patterns import builder
from deppa_nb.corpus.toy.phrases import PAST
from deppa_nb.corpus.toy.tree import Node, last_words

_ENDS = ("acl:relcl", "advcl", "ccomp", "xcomp", "appos")


class Sentences(Adjuncts):
    """Draws sentences one after the other."""

    _first: Core

    def sentence(self) -> Node:
        """Return the root of the next sentence."""
        self.begin()
        return self.rule("sentence", "root")

    @builder(use="use", want="flag", subject="subject", gap="gap")
    def clause(
        self, use: str = "main", *, want: str = "", subject: str = "np", gap: str = "",
        ask: int = 0, lean: int = 0, bare: int = 0, items: int = 0, tails: int = 0, firm: int = 0,
        after: int = 0,
    ) -> Node:  # fmt: skip
        """Return a clause; only those for the use ``main`` (verbs.yaml, uses) are finite.

        `want` lists flags of verb and frame (see `Frame`), `subject` may be ``none`` or ``who``,
        `gap` the object asked for, `lean` by how much it is less rich than the sentence. 1 makes it
        a question (`ask`), with nothing optional (`bare`), with a list of objects (`items`), one
        that others may follow (`tails`; 2: fewer), one that follows the last verb (`after`),
        without negation (`firm`; 2: and in the tense of the sentence).
        """
        talk = self.talk
        if use == "imp":
            talk.who, talk.tense = "you", "will"
        nested = talk.nested or use != "main" or any((gap, firm, ask))
        with self.but(lean=lean, nested=nested, ask=bool(ask)):
            if want or after or use != "main":
                choice = self._next_frame(use) if after else self.any_frame(use, want)
                core = self.build(choice, subject=subject, gap=gap)
                if use == "main":
                    self.finite(core, firm=firm, tense=talk.tense if firm == 2 else "")
            else:
                core = self.plain()
            if items and core.tail and core.tail.upos == "NOUN" and self.shared(core.tail):
                self.conjoin(core.tail, 2 + self.dice.below(3))
                talk.thing = "they"
            elif not bare:
                self.adorn(core)
        talk.verb = core.cls
        if tails:
            self._follow(core, ("end", "join", "more")[: 4 - tails])
        return core.head

    def _next_frame(self, use: str) -> Choice:
        table = self.following(use)
        return self.dice.pick(table) if table else self.any_frame(use, "event+people")

    @builder()
    def second(self) -> Node:
        """Return a second verb that shares the subject and the auxiliaries of the first."""
        with self.but(nested=True):
            core = self.build(self._next_frame("main"), subject="none")
            core.head.xpos = self._first.head.xpos
            self.adorn(core)
        self.talk.verb = core.cls
        return core.head

    def _follow(self, core: Core, kinds: tuple[str, ...]) -> None:
        """Add what grammar.yaml lets follow a main clause."""
        self._first = core
        self.talk.who = self.pronoun_for(core.subject)
        assert core.subject is not None
        self.remember(core.subject)
        ends = any(node.label in _ENDS for node in last_words(core.head))
        done = core.closed or core.tossed or ends
        for kind in kinds[1:] if done else kinds:
            self._add(kind, core)

    def _flags(self, core: Core) -> set[str]:
        """Return what a clause offers to the needs of `tails`."""
        talk, cls, subject = self.talk, core.cls, core.subject
        assert subject is not None
        person, denied = self.person(subject), core.head.has("not")
        event = not cls.state and not denied
        firm = talk.modal in ("can", "may", "must", "should")  # would ... if: another tense
        reasons = set(cls.reasons) if event and person else set()
        found = {
            cls.name: not denied,
            "thing": talk.thing_class and not self.lexicon.nouns[talk.thing_class].human,
            "person": person,
            "past": talk.tense in PAST,
            f"={core.kind}": core.kind and not denied,
            "event": event,
            "actor": event and person and subject.label == "nsubj",
            "datable": event and not talk.dated,
            "untimed": not talk.timed,
            "later": event and (talk.tense == "will" or (talk.tense == "modal" and firm)),
            "next": event and self.following() is not None,
            "purpose": "purpose" in reasons and self.following("inf") is not None,
            "reason": talk.tense not in ("modal", "pres") and reasons - {"purpose"},
        }
        flags = {flag for flag, holds in found.items() if holds}
        return flags | {talk.scene, talk.tense, talk.thing_class}

    def _add(self, kind: str, core: Core) -> None:
        flags = self._flags(core) if self.may(kind) else set()
        table = _tails(self.lexicon, kind, frozenset(flags & self.lexicon.needs))
        if flags and table.items:
            tail, talk = self.dice.pick(table), self.talk
            with self.but(who=talk.who, given=talk.given, given_class=talk.given_class):
                self.expand(tail.pattern, core.head)
            if tail.site:
                self.tail_site(tail.site, core.head)

    @builder()
    def reason(self) -> Node:
        """Return a because-clause that fits the verb of the main clause."""
        kinds = [kind for kind in self._first.cls.reasons if kind != "purpose"]
        return self.rule(f"because {self.dice.one(kinds)}")

    @builder()
    def when(self) -> Node:
        """Return a subordinate clause of time; the main clause may have to change its tense."""
        talk = self.talk
        past = talk.tense not in ("will", "modal")
        talk.tense, talk.dated = "past" if past else "will", True
        with self.but(tense="past" if past else "pres"):
            return self.rule("when_past" if past else "when_later")

    @builder()
    def timepp(self) -> Node:
        """Return a time to be put first."""
        prep, cls = self.dice.pick(self.lexicon.time_table)
        self.talk.timed = True
        if cls == "YEAR" or self.talk.tense not in ("will", "modal"):
            self.talk.tense = "past"
        return self.case(self.np(cls, "obl", plain=True), prep)


@cache
def _tails(lexicon: Lexicon, kind: str, flags: frozenset[str]) -> Table[Tail]:
    """Return what may follow a clause that offers these flags."""
    rows = lexicon.tails[kind]
    return drawn((row, row.weight) for row in rows if all(need & flags for need in row.needs))
