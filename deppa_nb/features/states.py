"""The templates of states of a transition-based parser, and what is seen of sentences.

A template is a string of up to four places, ``"s0.w b0.p"``. Before the last point stands whose
atom it is, behind it the atom; numbers of a state stand for themselves (`kernels.transition`).

======  ==========================================================================================
place   whose atoms
======  ==========================================================================================
s0-s2   the words on the stack, the top first; b0-b3 the next ones of the buffer
l1, l2  of these, the outermost and the second outermost dependent to the left, ``s0.l1.p``; r1, r2
        to the right; ll and rr the outermost dependents of those, rl the left one of the right one
lv, rv  how many dependents there are to the left and to the right
s0-b0   the distance between them, binned; s1-s0
======  ==========================================================================================
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.errors import ParameterError
from deppa_nb.features.atoms import Tokens, mix
from deppa_nb.features.forms import hash_string
from deppa_nb.kernels._beam import Features
from deppa_nb.kernels.transition import NODES, NUMBERS

__all__ = ["STATES", "StateTemplate", "see_sentences", "select_states"]

_ATOMS = ("w", "p", "wp", "suffix")  # as many as kernels take
_MOST = 4  # places of a template

STATES: dict[str, tuple[str, ...]] = {
    "single": (
        "s0.w", "s0.p", "s0.wp", "s1.w", "s1.p", "s1.wp", "s2.p", "s2.wp",
        "b0.w", "b0.p", "b0.wp", "b1.w", "b1.p", "b1.wp", "b2.p", "b2.wp", "b3.p",
        "s0.suffix", "b0.suffix",
    ),
    "pairs": (
        "s0.wp b0.wp", "s0.wp b0.p", "s0.p b0.wp", "s0.w b0.w", "s0.p b0.p",
        "s1.wp s0.wp", "s1.wp s0.p", "s1.p s0.wp", "s1.w s0.w", "s1.p s0.p",
        "s1.wp b0.p", "s1.p b0.wp", "s1.w b0.w", "s1.p b0.p", "b0.p b1.p", "b0.wp b1.p",
        "b0.p b1.wp", "s0.wp b1.p", "s0.p b1.wp", "s2.p s1.p",
        "s0.suffix b0.suffix", "s1.suffix s0.suffix",
    ),
    "triples": (
        "b0.p b1.p b2.p", "s0.p b0.p b1.p", "s0.wp b0.p b1.p", "s0.p b0.wp b1.p",
        "s0.p b0.p b1.wp", "s1.p s0.p b0.p", "s1.wp s0.p b0.p", "s1.p s0.wp b0.p",
        "s1.p s0.p b0.wp", "s2.p s1.p s0.p", "s2.wp s1.p s0.p", "s1.p s0.p b0.p b1.p",
        "s0.p b0.p b1.p b2.p", "s2.p s1.p s0.p b0.p",
        "s1.w s0.w b0.p", "s1.w s0.p b0.w", "s0.w b0.w b1.p",
    ),
    "distances": (
        "s0.w s0-b0", "s0.p s0-b0", "b0.w s0-b0", "b0.p s0-b0", "s0.w b0.w s0-b0",
        "s0.p b0.p s0-b0", "s1.w s1-s0", "s1.p s1-s0", "s0.w s1-s0", "s0.p s1-s0",
        "s1.w s0.w s1-s0", "s1.p s0.p s1-s0", "s1.p s0.p b0.p s1-s0", "s1.p s0.p b0.p s0-b0",
    ),
    "valencies": (
        "s0.w s0.lv", "s0.p s0.lv", "s0.w s0.rv", "s0.p s0.rv", "s1.w s1.lv", "s1.p s1.lv",
        "s1.w s1.rv", "s1.p s1.rv", "b0.w b0.lv", "b0.p b0.lv", "s1.p s1.rv s0.p",
        "s0.p s0.rv b0.p", "s0.p s0.lv b0.p", "s0.p b0.p b0.lv", "s1.w s1.rv s0.p",
    ),
    "dependents": (
        "s0.l1.w", "s0.l1.p", "s0.r1.w", "s0.r1.p", "s1.l1.w", "s1.l1.p", "s1.r1.w", "s1.r1.p",
        "b0.l1.w", "b0.l1.p",
        "s0.p s0.l1.p b0.p", "s0.p s0.r1.p b0.p", "s0.p b0.p b0.l1.p", "s1.p s1.l1.p s0.p",
        "s1.p s1.r1.p s0.p", "s1.p s0.p s0.l1.p", "s1.p s0.p s0.r1.p", "s1.p s1.r1.p s0.p b0.p",
        "s0.wp s0.r1.p b0.p", "s1.w s0.p s0.l1.w", "s1.w s0.w s0.l1.w", "s1.p s0.w s0.l1.w",
        "s1.w s1.r1.p s0.p", "s1.p s1.r1.w s0.p", "s1.p s0.l1.w s0.p", "s1.p s0.p b0.p b0.l1.p",
        "s1.p s0.p s0.l1.p b0.p", "s0.p s0.r1.w b0.p", "s0.p s0.l1.w b0.p", "s0.p b0.p b0.l1.w",
    ),
    "others": (
        "s0.l2.w", "s0.l2.p", "s0.r2.w", "s0.r2.p", "s1.l2.p", "s1.r2.w", "s1.r2.p", "b0.l2.w",
        "b0.l2.p", "s0.p s0.l1.p s0.l2.p", "s0.p s0.r1.p s0.r2.p", "b0.p b0.l1.p b0.l2.p",
        "s1.p s1.l1.p s1.l2.p", "s1.p s1.r1.p s1.r2.p", "s1.p s1.r1.p s1.r2.p s0.p",
        "s0.p s0.l1.p s0.ll.p", "s0.p s0.r1.p s0.rl.p", "s0.p s0.r1.p s0.rr.p",
        "s1.p s1.r1.p s1.rl.p s0.p", "s1.p s1.rl.w s0.p", "s1.p s1.r1.p s1.rr.p",
        "b0.p b0.l1.p b0.ll.p",
    ),
}  # fmt: skip
"""Templates by group (after Zhang & Nivre 2011)."""


@dataclass(frozen=True)
class StateTemplate:
    """A template, as it is written and as entries of what `kernels.transition.see` writes."""

    text: str
    entries: tuple[int, ...]

    @classmethod
    @lru_cache(maxsize=1024)
    def read(cls, text: str) -> "StateTemplate":
        """Read a template.

        >>> StateTemplate.read("s0.w s0.p").entries
        (0, 1)
        """
        names = text.split()
        if not 1 <= len(names) <= _MOST or not set(names) <= _ENTRIES.keys():
            raise ParameterError(f"{text!r}: expected up to {_MOST} atoms of words or numbers")
        return cls(text, tuple(_ENTRIES[name] for name in names))

    @property
    def side(self) -> str:
        """What it sees of a state: the stack, the buffer, or both.

        >>> [StateTemplate.read(text).side for text in ("s1.p s1-s0", "b0.p b1.p", "s0-b0")]
        ['stack', 'buffer', 'both']
        """
        places = "".join(name.partition(".")[0] for name in self.text.split())
        stack, buffer = "s" in places, "b" in places
        return "both" if stack and buffer else "stack" if stack else "buffer"


_SIDES = ("stack", "buffer", "both")  # the order in which `kernels._beam` sums them up
_ENTRIES = {
    name: entry
    for entry, name in enumerate(
        [*(f"{node}.{atom}" for node in NODES for atom in _ATOMS), *NUMBERS]
    )
}


def select_states(groups: Iterable[str]) -> list[StateTemplate]:
    """Return the templates of some groups.

    >>> len(select_states(["single"])) == len(STATES["single"])
    True
    """
    chosen = list(groups)
    if unknown := [group for group in chosen if group not in STATES]:
        raise ParameterError(f"no templates {unknown[0]!r}, expected some of {', '.join(STATES)}")
    return [StateTemplate.read(text) for group in chosen for text in STATES[group]]


def see_sentences(sentences: Sequence[Sentence], templates: Sequence[StateTemplate]) -> Features:
    """Return what the parser sees of sentences, laid end to end; their heads are not looked at."""
    tokens = Tokens(sentences)
    words, tags = tokens.atom("w"), tokens.atom("p")
    columns = (words, tags, mix(words, tags), tokens.atom("suffix3"))
    firsts = tokens.firsts + np.arange(len(tokens.firsts))
    atoms = np.full((firsts[-1], len(_ATOMS)), hash_string("<pad>"), np.uint64)
    there = np.ones(firsts[-1], bool)
    there[firsts[1:] - 1] = False  # what stands behind the words of a sentence
    atoms[there] = np.stack(columns, axis=1)
    return Features(atoms, firsts, *_plan(tuple(templates)))


@lru_cache
def _plan(
    templates: tuple[StateTemplate, ...],
) -> tuple[NDArray[np.int32], NDArray[np.uint64], int, int]:
    """Return the templates as kernels take them: stack alone, buffer alone, both.

    Which entries each sees, the last one of all if none; their seeds; how many see the stack alone
    and the buffer alone.
    """
    ordered = sorted(templates, key=lambda template: _SIDES.index(template.side))
    entries = np.full((_MOST, len(templates)), len(_ENTRIES), np.int32)
    for k, template in enumerate(ordered):
        entries[: len(template.entries), k] = template.entries
    stack, buffer = (sum(t.side == side for t in ordered) for side in _SIDES[:2])
    return entries, np.array([hash_string(t.text) for t in ordered], np.uint64), stack, buffer
