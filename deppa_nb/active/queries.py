"""Questions and answers."""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from deppa_nb.corpus.trees import Heads
from deppa_nb.errors import ArgumentError

__all__ = ["Annotator", "Answer", "Candidate", "Kind", "Query"]

Kind = Literal["tree", "heads", "labels", "preference"]
"""What is asked for: all open heads, some heads, labels of a sequence, the better of two trees."""

Candidate = tuple[int, float]
"""A head, or the number of a label, and its probability."""


@dataclass(frozen=True, eq=False)
class Query:
    """A question about one sentence.

    Attributes
    ----------
    sentence
        Its position in the pool.
    tokens
        The words asked for, 1 to n, in their order.
    kind
        What is asked.
    utility
        What the answer is worth to the strategy; the most wanted has the highest.
    candidates
        For each of the tokens the likeliest heads, the likeliest first; may be empty.
    trees
        ``(2, n + 1)``: what a preference is between.
    """

    sentence: int
    tokens: tuple[int, ...]
    kind: Kind = "heads"
    utility: float = 0.0
    candidates: tuple[tuple[Candidate, ...], ...] = ()
    trees: Heads | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """What tells a preference from others: the sentence and the arcs in which trees differ."""
        if self.trees is None:
            return (self.sentence,)
        arcs = [tuple(tree[list(self.tokens)].tolist()) for tree in self.trees]
        return (self.sentence, self.tokens, *arcs)


@dataclass(frozen=True, eq=False)
class Answer:
    """What somebody says.

    Attributes
    ----------
    query
        To what.
    heads
        One for each of the query's tokens; -1 = passed over.
    labels
        The same; ``"_"`` = not given. May be empty if there are heads.
    choice
        Of a preference: 1 if the first tree is better, -1 if the second, 0 if neither.
    annotator
        Who.
    seconds
        How long it took, if known.
    """

    query: Query
    heads: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    choice: int | None = None
    annotator: str = ""
    seconds: float = float("nan")

    def __post_init__(self) -> None:
        n = len(self.query.tokens)
        for name, given in (("heads", self.heads), ("labels", self.labels)):
            if given and len(given) != n:
                raise ArgumentError(f"{len(given)} {name} in an answer about {n} words")
        if (self.query.kind == "preference") != (self.choice is not None):
            raise ArgumentError("a preference, and nothing else, is answered by a choice")
        if self.query.kind in ("tree", "heads") and self.labels and not self.heads:
            raise ArgumentError("labels without heads in an answer about heads")
        if self.choice is not None and self.choice not in (-1, 0, 1):
            raise ArgumentError(f"the choice is {self.choice!r}, expected 1, 0 or -1")

    @property
    def given(self) -> int:
        """How many words the answer decides."""
        if self.query.kind == "labels":
            return sum(label != "_" for label in self.labels)
        return int(np.count_nonzero(np.array(self.heads, int) >= 0))


class Annotator(Protocol):
    """Whoever answers: simulated, replayed, or a person."""

    def answer(self, queries: "list[Query]") -> "list[Answer]":
        """Return answers, at most one for each question."""
