"""Partial trees side by side: what two annotations share, and one that holds both."""

from dataclasses import dataclass

import numpy as np

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.corpus.trees import find_cycle
from deppa_nb.errors import TreeError

__all__ = ["Agreement", "agreement", "merge"]


@dataclass(frozen=True)
class Agreement:
    """How far two annotations of the same words agree, over the heads that both give."""

    both: int
    same: int

    @property
    def share(self) -> float:
        """Share of equal heads; nan if there is no word with both."""
        return self.same / self.both if self.both else float("nan")


def agreement(first: Sentence, second: Sentence) -> Agreement:
    """Compare two annotations of one sentence.

    >>> a = Sentence.of(["I", "see", "her"], heads=[2, 0, -1])
    >>> b = Sentence.of(["I", "see", "her"], heads=[3, 0, 2])
    >>> agreement(a, b), agreement(a, b).share
    (Agreement(both=2, same=1), 0.5)
    """
    _check_words(first, second)
    both = first.annotated & second.annotated
    return Agreement(int(both.sum()), int((both & (first.heads == second.heads)).sum()))


def merge(first: Sentence, second: Sentence) -> Sentence:
    """Return the first sentence with the heads and labels that only the second gives.

    Heads or labels on which they differ, or heads that form a cycle together, are an error that
    names the words.

    >>> a = Sentence.of(["I", "see", "her"], heads=[2, -1, -1])
    >>> merge(a, Sentence.of(["I", "see", "her"], heads=[-1, 0, 2])).heads.tolist()
    [-1, 2, 0, 2]
    """
    _check_words(first, second)
    both = first.annotated & second.annotated
    differ = np.flatnonzero(both & (first.heads != second.heads))
    if differ.size:
        m = int(differ[0])
        raise _conflict(first, m, "head", first.heads[m], second.heads[m])
    heads = np.where(first.annotated, first.heads, second.heads)
    if cycle := find_cycle(heads):
        raise TreeError(f"sentence {first.sent_id}: the heads of {cycle} form a cycle when merged")
    labels = []
    for m, (a, b) in enumerate(zip(first.labels, second.labels, strict=True)):
        if "_" not in (a, b) and a != b:
            raise _conflict(first, m, "label", a, b)
        labels.append(b if a == "_" else a)
    return first.with_heads(heads[1:], labels[1:])


def _conflict(sentence: Sentence, m: int, what: str, one: object, other: object) -> TreeError:
    return TreeError(
        f"sentence {sentence.sent_id}: word {m} {sentence.forms[m]!r} has {what} {one} "
        f"in one annotation and {other} in the other"
    )


def _check_words(first: Sentence, second: Sentence) -> None:
    if first.forms != second.forms:
        raise TreeError(f"{first.text!r} and {second.text!r} are not the same words")
