"""Slots: for each template and side, one 32-bit hash for every token.

The index of a feature is the exclusive or of the slots of the tokens that it is about, which the
kernels compute when they need it (`kernels.scoring`): slots take some kilobytes a sentence,
indices would take some hundred.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.features.atoms import Tokens, hash_string, mix
from deppa_nb.features.templates import BETWEEN, Template
from deppa_nb.kernels.slots import CONJUNCTION, OTHER, PUNCTUATION, VERB, Slots

__all__ = ["hash_slots"]

_SIDES = {"arc": "hm", "first": "hm", "pair": "sm", "triple": "hsm"}
_KINDS = (
    "ADJ", "ADP", "ADV", "AUX", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "SYM", "X",
)  # fmt: skip
_MARKS = (",", ";:", ".?!", "([{", ")]}", "\"'`«»“”‘’", "-–—")


def hash_slots(sentences: Sequence[Sentence], templates: Sequence[Template]) -> Slots:
    """Return the slots of all tokens of some sentences, laid end to end.

    Parameters
    ----------
    sentences
        Their heads are not looked at.
    templates
        From `templates.select`.
    """
    tokens = Tokens(sentences)
    slots = {
        f"{part}_{side}": _matrix(tokens, [t for t in templates if t.part == part], side)
        for part, sides in _SIDES.items()
        for side in sides
    }
    between = ["", *BETWEEN]
    arcs = [between.index(t.between) for t in templates if t.part == "arc"]
    return Slots(tokens.firsts, _kinds(tokens), np.array(arcs, np.int64), **slots)


def _matrix(tokens: Tokens, templates: list[Template], side: str) -> NDArray[np.uint32]:
    """Return ``(templates, tokens)``, the slots of one side."""
    matrix = np.zeros((len(templates), tokens.firsts[-1]), np.uint32)
    for row, template in zip(matrix, templates, strict=True):
        state = np.full(len(row), hash_string(f"{template.text} {side}"))
        for name, offset in template.atoms[side]:
            state = mix(state, tokens.atom(name, offset))
        row[:] = mix(state, np.uint64(0)) >> np.uint64(32)
    return matrix


def _kinds(tokens: Tokens) -> NDArray[np.uint32]:
    """Return one bit for each token: its tag or, of punctuation, what kind of mark it is."""
    kinds = np.zeros(tokens.firsts[-1], np.uint32)
    for place, tag in enumerate(_KINDS):
        kinds[tokens.tagged(tag)] = OTHER << place
    kinds[tokens.tagged("VERB")] = VERB
    kinds[tokens.tagged("CCONJ")] = CONJUNCTION
    kinds[tokens.tagged("SCONJ")] = CONJUNCTION << 1
    marks = tokens.numbers_of_forms(_mark)
    punctuation = tokens.tagged("PUNCT")
    kinds[punctuation] = PUNCTUATION << marks[punctuation]
    return kinds


def _mark(form: str) -> int:
    kinds = (k for k, marks in enumerate(_MARKS) if form[0] in marks)
    return next(kinds, len(_MARKS))
