"""Who answers, when no person does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from deppa_nb.active.checks import check_number
from deppa_nb.active.pool import Item
from deppa_nb.active.queries import Answer, Query
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.trees import Heads
from deppa_nb.errors import ArgumentError, ParameterError
from deppa_nb.models.parsers import Parser

__all__ = ["PEOPLE", "GoldOracle", "NoisyOracle", "Person", "SecondParserOracle"]

Ties = Literal["first", "second", "random", "equal"]


class GoldOracle:
    """One that knows every tree or label sequence, and says so.

    Parameters
    ----------
    gold
        The pool's sentences, in its order, with their annotation.
    name
        Who that is in answers.
    ties
        What is said of two trees with as many right heads: ``"equal"``, which is the third answer
        of Mejer & Crammer (2012); or, if there are but two, the first, the second, or either.
    rng
        For ties.
    """

    def __init__(
        self, gold: Sequence[Item], *, name: str = "gold", ties: Ties = "equal", rng: int = 1
    ) -> None:
        if ties not in ("first", "second", "random", "equal"):
            raise ParameterError(f"ties is {ties!r}, expected first, second, random or equal")
        check_number("rng", rng, 0, whole=True)
        self.gold, self.name, self.ties, self.rng = gold, name, ties, rng

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        """Answer all questions."""
        return [self._one(query) for query in queries]

    def _one(self, query: Query) -> Answer:
        if not 0 <= query.sentence < len(self.gold):
            raise ArgumentError(f"sentence {query.sentence}, but gold has {len(self.gold)}")
        item = self._known(query)
        if outside := [m for m in query.tokens if not 1 <= m <= len(item)]:
            raise ArgumentError(f"word {outside[0]} of a sentence of {len(item)} words")
        if not isinstance(item, Sentence):
            labels = tuple(item.labels[m - 1] for m in query.tokens)
            return Answer(query, labels=labels, annotator=self.name)
        if query.kind == "preference":
            return Answer(query, choice=self._preferred(query, item.heads), annotator=self.name)
        heads = tuple(int(item.heads[m]) for m in query.tokens)
        labels = tuple(item.labels[m] for m in query.tokens)
        return Answer(query, heads, labels, annotator=self.name)

    def _known(self, query: Query) -> Item:
        return self.gold[query.sentence]

    def _preferred(self, query: Query, heads: Heads) -> int:
        """Tell which tree has more right heads."""
        assert query.trees is not None
        right = (query.trees[:, 1:] == heads[1:]).sum(axis=1)
        if right[0] != right[1]:
            return 1 if right[0] > right[1] else -1
        if self.ties == "random":
            return int(self._dice(query).choice([1, -1]))
        return {"equal": 0, "first": 1, "second": -1}[self.ties]

    def _dice(self, query: Query) -> np.random.Generator:
        """Return chance that depends on the question alone, not on when it is asked."""
        numbers = [query.sentence, *query.tokens]
        trees = () if query.trees is None else query.trees[:, list(query.tokens)].ravel().tolist()
        return np.random.default_rng([self.rng, *numbers, *trees])


@dataclass(frozen=True)
class Person:
    """Somebody who is sometimes wrong.

    Attributes
    ----------
    name
        Who.
    accuracy
        Share of right heads.
    full, partial
        Seconds for a head, of whole trees and of some words.
    """

    name: str
    accuracy: float
    full: float = 6.7
    partial: float = 13.6

    def __post_init__(self) -> None:
        check_number("accuracy", self.accuracy, 0, 1)
        check_number("full", self.full, 0)
        check_number("partial", self.partial, 0)


PEOPLE: tuple[Person, ...] = (
    Person("1", 0.8465, 4.0, 7.9),
    Person("2", 0.7890, 7.5, 16.0),
    Person("3", 0.6975, 10.0, 22.2),
    Person("4", 0.6675, 5.1, 8.7),
    Person("5", 0.6547, 7.0, 17.3),
    Person("6", 0.5805, 7.0, 10.6),
)
"""The six annotators of Li et al. (2016, Table 3): all heads of full trees, seconds for a head."""


class NoisyOracle(GoldOracle):
    """People who make mistakes: each sentence has one of them, and one tree that is answered from.

    A mistake is another head with which the tree is still one. It depends on the seed and the
    sentence alone, so that whoever asks again gets the same answer. Where no other head is possible
    none is made: people are a little better in sentences of a few words than they are said to be.

    Parameters
    ----------
    gold
        As in `GoldOracle`.
    people
        Who answers; sentences are shared out among them.
    noise
        Of preferences: the share that is wrong (Mejer & Crammer 2012); if ties are equal, a wrong
        answer is one of the two others.
    ties, rng
        As in `GoldOracle`.
    """

    def __init__(
        self,
        gold: Sequence[Item],
        people: Sequence[Person] = PEOPLE,
        *,
        noise: float = 0.0,
        ties: Ties = "equal",
        rng: int = 1,
    ) -> None:
        super().__init__(gold, ties=ties, rng=rng)
        check_number("noise", noise, 0, 1)
        if not people:
            raise ParameterError("no people, expected at least one person")
        self.people, self.noise = tuple(people), noise
        self._trees: dict[int, Item] = {}

    def person(self, sentence: int) -> Person:
        """Return who answers about a sentence."""
        return self.people[np.random.default_rng([self.rng, sentence]).integers(len(self.people))]

    def _one(self, query: Query) -> Answer:
        found, person = super()._one(query), self.person(query.sentence)
        if query.kind == "preference":
            return Answer(query, choice=self._mistaken(query, found), annotator=person.name)
        seconds = (person.full if query.kind == "tree" else person.partial) * len(query.tokens)
        return Answer(query, found.heads, found.labels, None, person.name, seconds)

    def _mistaken(self, query: Query, found: Answer) -> int:
        dice = self._dice(query)
        assert found.choice is not None
        if dice.random() >= self.noise:
            return found.choice
        others = [c for c in ((1, 0, -1) if self.ties == "equal" else (1, -1)) if c != found.choice]
        return int(dice.choice(others))

    def _known(self, query: Query) -> Item:
        if query.kind == "preference":
            return self.gold[query.sentence]
        j = query.sentence
        if j not in self._trees:
            rng = np.random.default_rng([self.rng, j, 1])
            self._trees[j] = with_mistakes(self.gold[j], 1 - self.person(j).accuracy, rng)
        return self._trees[j]


def with_mistakes(item: Item, share: float, rng: np.random.Generator) -> Item:
    """Return a sentence in which about that share of the heads are others; still a tree."""
    if not isinstance(item, Sentence):
        raise ArgumentError("mistakes are made in trees only")
    heads = item.heads.copy()
    changeable = heads > 0  # the one dependent of the root stays: more mistakes are made elsewhere
    share *= float((heads >= 0).sum()) / max(float(changeable.sum()), 1.0)
    for m in np.flatnonzero(changeable & (rng.random(len(heads)) < share)):
        below = _below(heads, int(m))
        others = [h for h in range(1, len(heads)) if h not in below and h != heads[m]]
        if others:
            heads[m] = rng.choice(others)
    return item.with_heads(heads[1:])


def _below(heads: Heads, word: int) -> set[int]:
    """Return a word and all that depend on it."""
    found = {word}
    while more := {m for m in range(1, len(heads)) if heads[m] in found} - found:
        found |= more
    return found


class SecondParserOracle(GoldOracle):
    """Another parser, whose trees are taken for right: it errs where parsers err.

    Parameters
    ----------
    parser
        One that has learned.
    sentences
        The pool's sentences; their own heads are not looked at.
    """

    def __init__(
        self, parser: Parser, sentences: Sequence[Sentence], *, ties: Ties = "equal", rng: int = 1
    ) -> None:
        found = parser.predict(Treebank(tuple(sentences)))
        super().__init__(found, name=type(parser).__name__, ties=ties, rng=rng)
