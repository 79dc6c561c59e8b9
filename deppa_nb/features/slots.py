"""Slots: for each template and side, one 32-bit hash for every token.

The index of a feature is the exclusive or of the slots of the tokens that it is about, which the
kernels compute when they need it (`kernels.scoring`): slots take some kilobytes a sentence,
indices would take some hundred.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.features.atoms import Tokens
from deppa_nb.features.forms import hash_string
from deppa_nb.features.templates import Template
from deppa_nb.kernels.slots import (
    CONJUNCTION,
    COUNTS,
    DISTANCE,
    EACH,
    NOTHING,
    OTHER,
    PUNCTUATION,
    SET,
    VERB,
    Slots,
    spread,
)

__all__ = ["hash_slots"]

_BETWEEN = {"": NOTHING, "set": SET, "counts": COUNTS, "distance": DISTANCE, "each": EACH}
_SIDES = {"arc": "hm", "first": "hm", "pair": "sm", "triple": "hsm"}
_KINDS = (
    "ADJ", "ADP", "ADV", "AUX", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "SYM", "X",
)  # fmt: skip


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
    sides = [(t, side) for t in templates for side in _SIDES[t.part]]
    slots = _hashed(tokens, sides)
    matrices = {}
    for part, names in _SIDES.items():
        for name in names:
            rows = [k for k, (t, side) in enumerate(sides) if (t.part, side) == (part, name)]
            matrices[f"{part}_{name}"] = slots[rows]
    arcs = [_BETWEEN[t.between] for t in templates if t.part == "arc"]
    return Slots(tokens.firsts, _kinds(tokens), np.array(arcs, np.int64), **matrices)


def _hashed(tokens: Tokens, sides: list[tuple[Template, str]]) -> NDArray[np.uint32]:
    """Return ``(sides, tokens)``: what a side of a template sees of each token, hashed.

    Different templates see the same atoms: those are mixed once.
    """
    seen = list(dict.fromkeys(t.atoms[side] for t, side in sides))
    names = list(dict.fromkeys(atom for atoms in seen for atom in atoms))
    values = np.empty((len(names), tokens.firsts[-1]), np.uint64)
    for row, (name, offset) in zip(values, names, strict=True):
        row[:] = tokens.atom(name, offset)
    mixes = np.full((len(seen), max(map(len, seen), default=0)), -1)
    for k, atoms in enumerate(seen):
        mixes[k, : len(atoms)] = [names.index(atom) for atom in atoms]
    which = np.array([seen.index(t.atoms[side]) for t, side in sides], np.int64)
    seeds = np.array([hash_string(f"{t.text} {side}") for t, side in sides], np.uint64)
    slots = np.empty((len(sides), tokens.firsts[-1]), np.uint32)
    spread(values, mixes, which, seeds, slots)
    return slots


def _kinds(tokens: Tokens) -> NDArray[np.uint32]:
    """Return one bit for each token: its tag or, of punctuation, what kind of mark it is."""
    kinds = np.zeros(tokens.firsts[-1], np.uint32)
    for place, tag in enumerate(_KINDS):
        kinds[tokens.tagged(tag)] = OTHER << place
    kinds[tokens.tagged("VERB")] = VERB
    kinds[tokens.tagged("CCONJ")] = CONJUNCTION
    kinds[tokens.tagged("SCONJ")] = CONJUNCTION << 1
    punctuation = tokens.tagged("PUNCT")
    kinds[punctuation] = PUNCTUATION << tokens.numbers["mark"][punctuation]
    return kinds
