"""Verbs in a clause: tense, auxiliaries, negation, contraction."""

from __future__ import annotations

from dataclasses import dataclass, field

from deppa_nb.corpus.toy.dice import Table
from deppa_nb.corpus.toy.lexicon import VerbClass
from deppa_nb.corpus.toy.phrases import BE, Phrases
from deppa_nb.corpus.toy.tree import Node, Pair

TENSES = Table(
    ["past", "pres", "will", "modal", "perf", "prog", "pastprog"], [38, 20, 9, 15, 9, 9, 3]
)
_STEADY = {
    "cop": {"prog": "pres", "pastprog": "past", "perf": "past", "modal": "pres"},
    "state": {
        "prog": "pres",
        "pastprog": "past",
        "perf": "past",
        "will": "pres",
        "modal": "pres",
    },
}
_CONTRACTED = {"am": "'m", "are": "'re", "is": "'s", "will": "'ll", "have": "'ve", "has": "'s"}
_NEGATED = {"can": "ca", "will": "wo"}


@dataclass
class Core:
    """A clause without its optional parts.

    `tail` is the last noun after the verb; `closed` tells that a clause has followed and nothing
    more may be attached to the verb, `tossed` that a coin has decided and nothing may depend on
    it; `inner` is a complement clause, `heads` are verb and nouns, `used` the phrases added.
    """

    head: Node
    subject: Node | None = None
    tail: Node | None = None
    closed: bool = False
    tossed: bool = False
    inner: Core | None = None
    cls: VerbClass | None = None
    heads: list[Node] = field(default_factory=list)
    used: list[Pair] = field(default_factory=list)


class Predicates(Phrases):
    """Inflects the heads of clauses and puts what belongs to the verb before them."""

    positive = False
    modal = "will"

    def verb(self, cls: VerbClass, label: str = "root") -> Node:
        """Return a verb of a class."""
        node = Node(self.dice.pick(cls.words), "VERB", "VB", label)
        node.allows, node.pps, node.cls = self.lexicon.verb_allows[node.lemma], cls.pps, cls.name
        return node

    def finite(
        self,
        head: Node,
        agreement: str,
        *,
        kind: str = "verb",
        negate: bool = False,
        ask: bool = False,
        tense: str = "",
    ) -> list[Node]:
        """Inflect a clause's head and return its auxiliaries in order.

        `kind` is ``verb``, ``pass`` (a passive) or ``cop`` (a predicate with a copula).
        """
        tense = tense or self.tense
        third = agreement == "3sg"
        present, do = ("VBZ" if third else "VBP"), kind == "verb" and (negate or ask)
        chain: list[tuple[str, str]] = {
            "past": [("do", "VBD")] if do else [],
            "pres": [("do", present)] if do else [],
            "will": [("will", "MD")],
            "perf": [("have", present)],
            "prog": [("be", present)],
            "pastprog": [("be", "VBD")],
            "modal": [],
        }[tense]
        if tense == "modal":
            chain = [(self.modal, "MD")]
        plain = {"past": "VBD", "pres": present, "perf": "VBN", "prog": "VBG", "pastprog": "VBG"}
        tag = "VB" if do and tense in ("past", "pres") else plain.get(tense, "VB")
        nodes = [Node(lemma, "AUX", xpos, "aux") for lemma, xpos in chain]
        if kind == "verb":
            head.xpos = tag
        else:
            label = "cop" if kind == "cop" else "aux:pass"
            nodes.append(Node("be", "AUX", tag, label))
            if kind == "pass":
                head.xpos = "VBN"
        for node in nodes:
            if node.lemma == "be" and node.xpos in ("VBD", "VBP", "VBZ"):
                node.form = BE[agreement]["past" if node.xpos == "VBD" else "pres"]
        if negate:
            nodes.insert(1, self._negation(nodes[0]))
        return nodes

    def _negation(self, auxiliary: Node) -> Node:
        node = Node("not", "PART", "RB", "advmod")
        short = auxiliary.form != "am" and auxiliary.lemma not in ("may", "might", "must")
        if short and self.may("contraction"):
            node.form = "n't"
            auxiliary.form = _NEGATED.get(auxiliary.lemma, auxiliary.form)
        return node

    def contract(self, subject: Node, auxiliary: Node) -> None:
        """Shorten *it is* to *it 's* now and then."""
        form = auxiliary.form or ("has" if auxiliary.xpos == "VBZ" else auxiliary.lemma)
        short = subject.upos == "PRON" and auxiliary.lemma != "do" and form in _CONTRACTED
        if short and self.may("contraction"):
            auxiliary.form = _CONTRACTED[form]

    def predicate(self, core: Core, kind: str, *, ask: bool = False, tense: str = "") -> None:
        """Put subject, auxiliaries and preverbal adverbs before the head of a clause."""
        head, subject = core.head, core.subject
        assert subject is not None
        negate = self.may("negation") and not self.positive
        if not tense:
            state = core.cls is not None and core.cls.state
            tense = self.tense = self._suited("state" if state else kind)
        chain = self.finite(head, subject.agreement, kind=kind, negate=negate, ask=ask, tense=tense)
        middle: list[Node] = []
        if kind == "verb" and not self.positive and self.may("preadverb"):
            habit = tense == "pres" and not (core.cls is not None and core.cls.state)
            often = self.dice.chance(80 if habit else 20)
            middle = [self.adverb("denied" if negate else "often" if often else "focus")]
        if ask:
            first = 2 if negate and chain[1].form == "n't" else 1
            head.pre[:0] = [*chain[:first], subject, *chain[first:], *middle]
        else:
            if chain and not (negate and chain[1].form == "n't"):
                self.contract(subject, chain[0])
            head.pre[:0] = [subject, *chain, *middle]

    def _suited(self, kind: str) -> str:
        """Return the tense, or one that suits a state or an event better."""
        if kind in _STEADY:
            return _STEADY[kind].get(self.tense, self.tense)
        late = kind == "pass" or self.dice.chance(75)
        return "past" if self.tense == "pres" and late else self.tense
