"""How unsure a parser of derivations is of sentences: three entropies (Tang et al. 2002)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deppa_nb.active.uncertainty import change_of_entropy, sentence_entropy, word_entropy
from deppa_nb.corpus.slots import SlotTree
from deppa_nb.models.derivation import DerivationParser

__all__ = ["ENTROPIES", "Looked", "look"]

Floats = NDArray[np.float64]

ENTROPIES = ("change", "sentence", "word")
"""Change of entropy (eq. 12), sentence entropy (eq. 14), word entropy (eq. 16)."""


@dataclass(frozen=True, eq=False)
class Looked:
    """What a parser makes of some sentences; entropies are computed when they are asked for.

    Attributes
    ----------
    parser
        That has learned, and learns no more as long as this is asked.
    trees
        The best of each sentence.
    logs
        Of the probabilities of its best parses.
    """

    parser: DerivationParser
    trees: list[SlotTree]
    logs: list[Floats]

    @cached_property
    def change(self) -> Floats:
        """``(sentences,)``: what the best tree would change (eq. 12), by the leaves it touches."""
        found = [change_of_entropy(*self.parser.touched(tree)) for tree in self.trees]
        return np.array(found, float)

    @cached_property
    def sentence(self) -> Floats:
        """``(sentences,)``: the entropy of the best parses (eq. 14)."""
        return np.array([sentence_entropy(own) for own in self.logs], float)

    @cached_property
    def word(self) -> Floats:
        """``(sentences,)``: the same by words (eq. 16)."""
        pairs = zip(self.logs, self.trees, strict=True)
        return np.array([word_entropy(own, len(tree)) for own, tree in pairs], float)


def look(parser: DerivationParser, sentences: Sequence[SlotTree], n: int = 10) -> Looked:
    """Parse sentences; their own trees are not looked at.

    Parameters
    ----------
    parser
        That has learned.
    sentences
        Of which the words count.
    n
        How many parses the entropy of a sentence is over.
    """
    found = parser.best_of(sentences, n)
    return Looked(parser, [tree for tree, _ in found], [logs for _, logs in found])
