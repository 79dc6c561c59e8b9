"""Verbs in a clause: tense, auxiliaries, negation, contraction."""

from __future__ import annotations

from dataclasses import dataclass, field

from deppa_nb.corpus.toy.classes import VerbClass
from deppa_nb.corpus.toy.phrases import Phrases
from deppa_nb.corpus.toy.tree import Node, Pair


@dataclass
class Core:
    """A clause without its optional parts.

    `tail` is the last noun after the verb; `closed` tells that a clause has followed and nothing
    more may be attached to the verb, `tossed` that a coin has decided and nothing may depend on
    it; `inner` is a complement clause, `kind` the class of a predicative adjective, `heads` are
    verb and nouns, `used` the phrases added.
    """

    head: Node
    subject: Node | None = None
    tail: Node | None = None
    closed: bool = False
    tossed: bool = False
    inner: Core | None = None
    cls: VerbClass | None = None
    kind: str = ""
    heads: list[Node] = field(default_factory=list)
    used: list[Pair] = field(default_factory=list)


class Predicates(Phrases):
    """Inflects the heads of clauses and puts what belongs to the verb before them."""

    modal = "can"
    timed = False

    def finite(
        self, core: Core, kind: str = "verb", *, ask: bool = False, tense: str = "", firm: int = 0
    ) -> Core:
        """Put subject, auxiliaries and preverbal adverbs before the head of a clause.

        `kind` is ``verb``, ``pass`` (a passive) or ``cop`` (a predicate with a copula); a `firm`
        clause is not negated.
        """
        head, subject = core.head, core.subject
        assert subject is not None
        state = core.cls is not None and core.cls.state
        if not tense:
            accident = core.cls is not None and core.cls.accident and kind == "verb"
            row = self.lexicon.steady["accident" if accident else "state" if state else kind]
            tense = self.tense = row.get(self.tense, self.tense)
        _, tag, do, auxiliary = self.lexicon.tenses[tense]
        negate = not firm and self.may("negation")
        if kind == "verb" and not auxiliary and (negate or ask):
            auxiliary, tag = do, "VB"
        chain = [self._auxiliary(auxiliary, ask)] if auxiliary else []
        if kind == "verb":
            head.xpos = tag
        else:
            chain.append(Node("be", "AUX", tag, "cop" if kind == "cop" else "aux:pass"))
            head.xpos = "VBN" if kind == "pass" else head.xpos
        for node in (*chain, head):
            self.agree(node, subject.agreement)
        short = negate and self._negate(chain)
        middle = []
        if kind == "verb" and not firm and self.may("preadverb"):
            habit = tense == "pres" and not state and not negate
            self.timed = self.timed or habit
            middle = [self.adv("denied" if negate else "often" if habit else "focus")]
        place = 0 if not ask else 2 if short else 1
        if chain and not ask and not short:
            self._contract(subject, chain[0])
        head.pre[:0] = [*chain[:place], subject, *chain[place:], *middle]
        return core

    def _auxiliary(self, text: str, ask: bool) -> Node:
        lemma, _, tag = text.partition("/")
        if lemma == "modal":
            lemma = "can" if ask and self.modal in self.lexicon.negated else self.modal
        return Node(lemma, "AUX", tag, "aux")

    def _negate(self, chain: list[Node]) -> bool:
        """Add *not* or *n't* after the first auxiliary; tell whether it is short."""
        node, first = Node("not", "PART", "RB", "advmod"), chain[0]
        short = self.lexicon.negated.get(first.form or first.lemma, "yes")
        if short and self.may("contraction"):
            node.form = "n't"
            first.form = short if short != "yes" else first.form
        chain.insert(1, node)
        return bool(node.form)

    def _contract(self, subject: Node, auxiliary: Node) -> None:
        """Shorten *it is* to *it 's* now and then."""
        key = f"{auxiliary.form or auxiliary.lemma}/{auxiliary.xpos}"
        short = self.lexicon.contracted.get(key)
        if short and subject.xpos == "PRP" and self.may("contraction"):
            auxiliary.form = short
