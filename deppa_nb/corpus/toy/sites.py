"""Every place where two or more heads compete for a word: who fits, who wins, what MISC says.

Rivals are listed nearest first. Whoever asks builds the dependent first and lets nothing that
follows depend on the answer.
"""

from __future__ import annotations

from itertools import compress

from deppa_nb.corpus.toy.engine import Engine
from deppa_nb.corpus.toy.tree import Node, Pair, last_words

Rivals = tuple[Node, ...]


class Sites(Engine):
    """Decides by the words, or by a coin of known bias where they fit two heads."""

    def decide(self, site: str, dependent: Node, rivals: Rivals, fits: list[bool]) -> Node | None:
        """Return the rival that takes the dependent.

        One that fits wins; of two, a coin decides that nothing else depends on; otherwise, or if
        the case is not kept, None: the dependent is to be left out.
        """
        fitting = list(compress(rivals, fits))
        misc, known = f"Ambiguity={site}", site in self.options["sites"].split()
        if len(fitting) == 2 and known:
            data = self.lexicon.sites[site]
            if not self.dice.chance(self.options.get("keep", {}).get(site, data["keep"])):
                return None
            near = data["near"]
            misc += f"|Best=0.{max(near, 100 - near)}"
            fitting = fitting[:1] if self.dice.chance(near) else fitting[1:]
        if len(fitting) != 1:
            return None
        if len(rivals) > 1 and known:
            dependent.misc, dependent.rivals = misc, rivals
        return fitting[0]

    def tries(self, site: str, rate: str = "rate") -> bool:
        """Whether a site is to be built here, by its rate."""
        return self.dice.chance(self.lexicon.sites[site][rate])

    def _give(self, site: str, dependent: Node, rivals: Rivals, fits: list[bool]) -> bool:
        """Let the winner have the dependent, after it but for nouns; tell whether there is one."""
        chosen = self.decide(site, dependent, rivals, fits)
        if chosen is not None:
            (chosen.pre if site == "compound" else chosen.post).append(dependent)
        return chosen is not None

    def phrase_site(self, noun: Node, pair: Pair, rivals: Rivals) -> Node | None:
        """Decide between the words that may take a prepositional phrase: *soup with garlic*."""
        fits = [pair in rival.allows for rival in rivals]
        for rival in compress(rivals, fits) if pair[0] in ("of", "by") else ():
            if rival.upos == "NOUN":
                definite(rival)  # all that fit: a determiner must not tell which one it is
        return self.decide("pp", noun, rivals, fits)

    def word_site(self, site: str, dependent: Node, pair: Pair, rivals: Rivals) -> bool:
        """Give a dependent to the word that allows it, by what it is and its class, lemma or kind.

        That is a compound (*kitchen cupboard door*), an adverb (*promised to talk quietly*) or a
        reason (*said that she left because ...*).
        """
        return self._give(site, dependent, rivals, [pair in rival.allows for rival in rivals])

    def object_site(self, verb: Node, receiver: Node, thing: Node, takes: bool) -> Node | None:
        """Decide between two objects and a compound: *gave the baby toys*."""
        compound = receiver.cls in self.lexicon.nouns[thing.cls].compounds
        return self.decide("ditrans", receiver, (thing, verb), [compound, takes])

    def relative_site(self, clause: Node, rivals: Rivals) -> bool:
        """Give a relative clause to one of two nouns: *the brother of the judge that called*."""
        subjects = self.lexicon.verb_subjects[clause.lemma]
        return self._give("relcl", clause, rivals, [rival.cls in subjects for rival in rivals])

    def conjunct_site(self, third: Node, rivals: Rivals) -> bool:
        """Give a second noun to one of two: *the mother of the mayor and the nurse*."""
        people = self.lexicon.nouns[third.cls].human
        fits = [
            third.cls == rival.cls or (people and self.lexicon.nouns[rival.cls].human)
            for rival in rivals
        ]
        return self._give("coord", third, rivals, fits)

    def tail_site(self, site: str, verb: Node) -> None:
        """Let the last noun compete for the last dependent of a verb (grammar.yaml, tails)."""
        dependent, data = verb.post.pop(), self.lexicon.sites[site]
        rivals, fits = [verb], [("reason", data["verb"]) in verb.allows]
        for last in [*last_words(verb)][-1:]:
            if last.upos == "NOUN":
                rivals.insert(0, last)
                fits.insert(0, last.cls in data["nouns"].split())
        if self._give(site, dependent, tuple(rivals), fits) and dependent not in verb.post:
            dependent.label = data["label"]


def definite(noun: Node) -> None:
    """Say *the mother of*, not *my mother of*."""
    if all(child.label != "det" for child in noun.pre):
        noun.pre = [child for child in noun.pre if child.label != "nmod:poss"]
        place = sum(child.label in ("punct", "cc", "case", "mark") for child in noun.pre)
        noun.pre.insert(place, Node("the", "DET", "DT", "det"))
