"""Slots: for each template and side, one 32-bit hash for every token.

The index of a feature is the exclusive or of the slots of the tokens that it is about, which the
kernels compute when they need it (`kernels.scoring`): slots take some kilobytes a sentence,
indices would take some hundred.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.features.atoms import Tokens
from deppa_nb.features.forms import hash_string
from deppa_nb.features.templates import Atom, Template
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
    tokens, plan = Tokens(sentences), _plan(tuple(templates))
    values = np.empty((len(plan.names), tokens.firsts[-1]), np.uint64)
    for row, (name, offset) in zip(values, plan.names, strict=True):
        row[:] = tokens.atom(name, offset)
    slots = np.empty((len(plan.which), tokens.firsts[-1]), np.uint32)
    spread(values, plan.mixes, plan.which, plan.seeds, slots)
    matrices = {name: slots[rows] for name, rows in plan.rows.items()}
    return Slots(tokens.firsts, _kinds(tokens), plan.between, **matrices)


class _Plan(NamedTuple):
    """How the slots of some templates are computed, see `kernels.slots.spread`."""

    names: list[Atom]
    mixes: NDArray[np.int64]
    which: NDArray[np.int64]
    seeds: NDArray[np.uint64]
    rows: dict[str, slice]
    between: NDArray[np.int64]


@lru_cache
def _plan(templates: tuple[Template, ...]) -> _Plan:
    """Put the sides of templates in the order of `Slots`.

    Different templates see the same atoms: those are mixed once.
    """
    sides: list[tuple[Template, str]] = []
    rows = {}
    for part, names in _SIDES.items():
        for name in names:
            start = len(sides)
            sides += [(t, name) for t in templates if t.part == part]
            rows[f"{part}_{name}"] = slice(start, len(sides))
    seen = list(dict.fromkeys(t.atoms[side] for t, side in sides))
    atoms = list(dict.fromkeys(atom for some in seen for atom in some))
    mixes = np.full((len(seen), max(map(len, seen), default=0)), -1)
    for k, some in enumerate(seen):
        mixes[k, : len(some)] = [atoms.index(atom) for atom in some]
    which = np.array([seen.index(t.atoms[side]) for t, side in sides], np.int64)
    seeds = np.array([hash_string(f"{t.text} {side}") for t, side in sides], np.uint64)
    between = [_BETWEEN[t.between] for t in templates if t.part == "arc"]
    return _Plan(atoms, mixes, which, seeds, rows, np.array(between, np.int64))


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
