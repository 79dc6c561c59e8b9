"""How unsure a parser of derivations is of sentences: three entropies (Tang et al. 2002)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deppa_nb.active.uncertainty import change_of_entropy, sentence_entropy, word_entropy
from deppa_nb.corpus.slots import SlotTree
from deppa_nb.models.derivation import DerivationParser

__all__ = ["ENTROPIES", "Looked", "look"]

Floats = NDArray[np.float64]

ENTROPIES = ("change", "sentence", "word")
"""Change of entropy (eq. 12), sentence entropy (eq. 14), word entropy (eq. 16)."""


class Looked(NamedTuple):
    """What a parser makes of some sentences.

    Attributes
    ----------
    trees
        The best of each.
    change, sentence, word
        ``(sentences,)``, the entropies.
    """

    trees: list[SlotTree]
    change: Floats
    sentence: Floats
    word: Floats


def look(parser: DerivationParser, sentences: Sequence[SlotTree], n: int = 10) -> Looked:
    """Parse sentences and tell how unsure the parser is; their own trees are not looked at.

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
    trees = [tree for tree, _ in found]
    return Looked(
        trees,
        np.array([change_of_entropy(*parser.touched(tree)) for tree in trees]),
        np.array([sentence_entropy(logs) for _, logs in found]),
        np.array([word_entropy(logs, len(tree)) for tree, logs in found]),
    )
