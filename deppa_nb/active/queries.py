"""Questions and answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import index
from typing import Literal, Protocol

import numpy as np

from deppa_nb.active.checks import check_number
from deppa_nb.corpus.trees import Heads, are_trees
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "sentence", _whole("sentence", [self.sentence])[0])
        object.__setattr__(self, "tokens", _whole("tokens", self.tokens))
        if len(set(self.tokens)) < len(self.tokens):
            raise ArgumentError(f"tokens are {self.tokens}, expected each of them once")
        if (self.trees is not None) != (self.kind == "preference"):
            raise ArgumentError("a preference, and nothing else, is between two trees")
        if self.trees is not None:
            object.__setattr__(self, "trees", np.asarray(self.trees))
            self._check_trees(self.trees)

    def _check_trees(self, trees: Heads) -> None:
        two = trees.dtype.kind == "i" and trees.ndim == 2 and len(trees) == 2
        whole = two and (trees[:, 1:] >= 0).all()
        if not whole or not are_trees(trees.ravel(), [trees.shape[1]] * 2):
            raise ArgumentError("expected two trees with all their heads, (2, n + 1) whole numbers")
        differ = tuple((np.flatnonzero(trees[0, 1:] != trees[1, 1:]) + 1).tolist())
        if not differ:
            raise ArgumentError("the two trees of a preference are the same, expected another one")
        if self.tokens != differ:
            raise ArgumentError(f"tokens are {self.tokens}, but the trees differ in {differ}")

    @property
    def key(self) -> tuple[object, ...]:
        """What tells a preference from others: the sentence and the arcs in which trees differ."""
        if self.trees is None:
            return (self.sentence,)
        arcs = sorted(tuple(tree[list(self.tokens)].tolist()) for tree in self.trees)
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
        object.__setattr__(self, "heads", _whole("heads", self.heads))
        object.__setattr__(self, "labels", tuple(self.labels))
        if self.seconds == self.seconds:
            check_number("seconds", self.seconds, 0, error=ArgumentError)
        if (self.query.kind == "preference") != (self.choice is not None):
            raise ArgumentError("a preference, and nothing else, is answered by a choice")
        n, asks_heads = len(self.query.tokens), self.query.kind in ("tree", "heads")
        if asks_heads and self.labels and not self.heads:
            raise ArgumentError("labels without heads in an answer about heads")
        for name, given in (("heads", self.heads), ("labels", self.labels)):
            if len(given) != n and (given or (asks_heads and name == "heads")):
                raise ArgumentError(f"{len(given)} {name} in an answer about {n} words")
        if self.choice is not None and self.choice not in (-1, 0, 1):
            raise ArgumentError(f"the choice is {self.choice!r}, expected 1, 0 or -1")

    @property
    def given(self) -> int:
        """How many words the answer decides."""
        if self.query.kind == "labels":
            return sum(label != "_" for label in self.labels)
        return int(np.count_nonzero(np.array(self.heads, int) >= 0))

    @property
    def by_word(self) -> tuple[dict[int, int], dict[int, str]]:
        """Heads and labels by word; what was passed over is not there."""
        tokens = self.query.tokens
        heads = {m: h for m, h in zip(tokens, self.heads, strict=False) if h >= 0}
        labels = {m: name for m, name in zip(tokens, self.labels, strict=False) if name != "_"}
        if self.heads:
            labels = {m: name for m, name in labels.items() if m in heads}
        return heads, labels


def _whole(name: str, values: Iterable[int]) -> tuple[int, ...]:
    """Return whole numbers as those of Python, whosever they are."""
    try:
        return tuple(map(index, values))
    except TypeError:
        raise ArgumentError(f"{name} {values!r}, expected whole numbers") from None


class Annotator(Protocol):
    """Whoever answers: simulated, replayed, or a person."""

    def answer(self, queries: "list[Query]") -> "list[Answer]":
        """Return answers, at most one for each question."""
