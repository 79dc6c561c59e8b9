"""What a decoder must respect."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.corpus.trees import Heads
from deppa_nb.errors import ArgumentError

__all__ = ["Constraints", "forbidden_arcs", "given_heads", "given_labels"]


def given_heads(heads: ArrayLike | None, n: int) -> Heads:
    """Return the heads that n words must have as an array of the kernels, -1 for none."""
    if heads is None:
        return np.full(n + 1, -1, np.int32)
    checked = np.array(heads)
    if checked.shape != (n + 1,) or not np.issubdtype(checked.dtype, np.integer):
        raise ArgumentError(
            f"heads is {checked.dtype} of shape {checked.shape}, "
            f"expected {n + 1} integers, the first for the root"
        )
    checked[0] = -1
    wrong = np.flatnonzero((checked < -1) | (checked > n))
    if wrong.size:
        raise ArgumentError(
            f"the head of word {wrong[0]} is {checked[wrong[0]]}, expected -1 to {n}"
        )
    return checked.astype(np.int32)


def forbidden_arcs(forbidden: ArrayLike | None, n: int) -> NDArray[np.bool_]:
    """Return the arcs that trees of n words must not have as an array of the kernels."""
    checked = np.zeros((n + 1, n + 1), bool) if forbidden is None else np.asarray(forbidden, bool)
    if checked.shape != (n + 1, n + 1):
        raise ArgumentError(f"forbidden has shape {checked.shape}, expected {(n + 1, n + 1)}")
    return checked


def given_labels(labels: Sequence[str] | None, n: int) -> Sequence[str]:
    """Return the labels that n words must have, the root's first, ``"_"`` for none."""
    if labels is None:
        return ("_",) * (n + 1)
    if len(labels) != n + 1:
        problem = f"{len(labels)} labels for {n} words and the root"
        raise ArgumentError(f"constraints: {problem}")
    if wrong := [label for label in labels if not isinstance(label, str) or not label]:
        raise ArgumentError(f"constraints: {wrong[0]!r} among the labels, expected text")
    return labels


@dataclass(frozen=True, eq=False)
class Constraints:
    """Heads and labels that a tree must have, and arcs that it must not have.

    Attributes
    ----------
    heads
        ``(n + 1,)``, the root's slot first; -1 leaves a word open.
    labels
        ``n + 1`` labels; ``"_"`` leaves a label open.
    forbidden
        ``(n + 1, n + 1)``, ``forbidden[head, word]``.
    forbidden_labels
        Triples of head, word and label: arcs that a tree may have, but not with this label.
    """

    heads: NDArray[np.int32] | None = None
    labels: tuple[str, ...] | None = None
    forbidden: NDArray[np.bool_] | None = None
    forbidden_labels: Collection[tuple[int, int, str]] = ()

    @classmethod
    def of(cls, sentence: Sentence) -> "Constraints":
        """Return what a sentence's annotation says.

        >>> Constraints.of(Sentence.of(["Fish", "swim"], heads=[2, -1])).heads.tolist()
        [-1, 2, -1]
        """
        return cls(sentence.heads, sentence.labels)

    @property
    def forbids(self) -> bool:
        """Whether any arc is forbidden, with some label or with all."""
        return self.forbidden is not None or len(self.forbidden_labels) > 0

    def barred_arcs(self, n: int) -> NDArray[np.bool_]:
        """Return the arcs that trees of n words must not have.

        The forbidden ones, and those that are forbidden with the label that their word must have.

        >>> one = Constraints(labels=("_", "obj", "_"), forbidden_labels=[(2, 1, "obj")])
        >>> np.argwhere(one.barred_arcs(2)).tolist()
        [[2, 1]]
        """
        barred, labels = forbidden_arcs(self.forbidden, n).copy(), given_labels(self.labels, n)
        for head, word, label in self.barred_labels(n):
            barred[head, word] |= labels[word] == label
        return barred

    def barred_labels(self, n: int) -> list[tuple[int, int, str]]:
        """Return what labels arcs of n words must not have, in the order of arcs."""
        for head, word, label in self.forbidden_labels:
            if not (0 <= head <= n and 1 <= word <= n and head != word and isinstance(label, str)):
                problem = f"{(head, word, label)} among the forbidden labels"
                raise ArgumentError(
                    f"constraints: {problem}, expected head, word (1 to {n}) and label"
                )
        return sorted(self.forbidden_labels)
