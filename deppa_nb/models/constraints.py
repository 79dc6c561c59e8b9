"""What a decoder must respect."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import Sentence

__all__ = ["Constraints"]


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
    """

    heads: NDArray[np.int32] | None = None
    labels: tuple[str, ...] | None = None
    forbidden: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, sentence: Sentence) -> "Constraints":
        """Return what a sentence's annotation says.

        >>> Constraints.of(Sentence.of(["Fish", "swim"], heads=[2, -1])).heads.tolist()
        [-1, 2, -1]
        """
        return cls(sentence.heads, sentence.labels)
