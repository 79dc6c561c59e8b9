"""Atoms of features: what can be said of one token, as a 64-bit number, for a whole corpus at once.

Sentences are laid end to end, each with its root at position 0. An atom is an array with a number
for every token. Strings become numbers by a hash that is the same on every machine and in every
run; each different form is hashed once.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.errors import ParameterError
from deppa_nb.features.forms import FORMS, HASHES, Hashes, hash_string

__all__ = ["ATOMS", "Tokens", "mix"]

Marks = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)

_FUNCTION = ("ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ")
_MARKERS = ("ADP", "SCONJ", "CCONJ", "PART")
_OPENERS = ("SCONJ", "PRON", "CCONJ")
_FACTOR, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
_MOST = 7  # counts from here on are one


def _of_form(name: str, tokens: "Tokens") -> Hashes:
    return tokens.forms[name]


ATOMS: dict[str, Callable[["Tokens"], Hashes]] = {
    **{name: partial(_of_form, name) for name in HASHES},
    "p": lambda tokens: tokens.tags,
    "lemma": lambda tokens: tokens.of_column("lemmas"),
    "feats": lambda tokens: tokens.of_column("feats"),
    "left": lambda tokens: tokens.function_string(-1, 4),
    "right": lambda tokens: tokens.function_string(+1, 3),
    "marker": lambda tokens: tokens.nearest_marker(4),
    "clause": lambda tokens: tokens.clause_opener(),
    "verbs": lambda tokens: tokens.verbs_around(),
    "nesting": lambda tokens: tokens.nesting(),
    "edge": lambda tokens: tokens.edges(),
    "final": lambda tokens: tokens.final(),
}
"""How each atom is computed, by name."""


def mix(state: Hashes, value: Hashes | np.uint64) -> Hashes:
    """Return hashes of what was seen so far and one value more; the order matters."""
    mixed = (state ^ value) * _FACTOR
    mixed ^= mixed >> _HALF
    return mixed


class Tokens:
    """The tokens of some sentences, laid end to end, and their atoms.

    Attributes
    ----------
    firsts
        ``(sentences + 1,)``: where each sentence begins, with its root, and where the last ends.
    forms, numbers
        ``(tokens,)`` each: what is said of the form of every token, see `forms`.
    tags
        ``(tokens,)``: the tags, hashed.
    """

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        sizes = np.array([len(s) + 1 for s in sentences], np.int64)
        self.firsts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        self._place = np.arange(self.firsts[-1]) - np.repeat(self.firsts[:-1], sizes)
        self._size = np.repeat(sizes, sizes)
        self._sentences = sentences
        self.forms, self.numbers = FORMS.look_up([form for s in sentences for form in s.forms])
        self._tags, self._tag = _numbered([tag for s in sentences for tag in s.upos])
        self.tags: Hashes = _hashed(self._tags)[self._tag]
        self._atoms: dict[str, Hashes] = {}

    def atom(self, name: str, offset: int = 0) -> Hashes:
        """Return an atom of every token, or of the token some places further."""
        if name not in ATOMS:
            raise ParameterError(f"no atom {name!r}, expected one of {', '.join(ATOMS)}")
        if name not in self._atoms:
            self._atoms[name] = ATOMS[name](self)
        return self.shifted(self._atoms[name], offset)

    def shifted(self, values: Hashes, offset: int) -> Hashes:
        """Return the values of the tokens some places further; beyond a sentence stands a pad."""
        return self._beside(values, offset, hash_string("<pad>")) if offset else values

    def _beside(self, values: NDArray[T], offset: int, pad: T) -> NDArray[T]:
        place = self._place + offset
        return np.where((place >= 0) & (place < self._size), np.roll(values, -offset), pad)

    def tagged(self, *tags: str) -> Marks:
        """Mark the tokens that have one of these tags."""
        return np.array([tag in tags for tag in self._tags], bool)[self._tag]

    def of_column(self, name: str) -> Hashes:
        """Return the hashes of another column of the sentences."""
        values, place = _numbered([value for s in self._sentences for value in getattr(s, name)])
        return _hashed(values)[place]

    def function_string(self, step: int, longest: int) -> Hashes:
        """Return the tags beside each token, up to the first content word."""
        is_function = self.tagged(*_FUNCTION)
        string = np.zeros_like(self.tags)
        open_ = np.ones(len(string), bool)
        for k in range(1, longest + 1):
            open_ &= self._beside(is_function, step * k, np.False_)
            string = np.where(open_, mix(string, self.shifted(self.tags, step * k)), string)
        return string

    def nearest_marker(self, longest: int) -> Hashes:
        """Return the nearest preposition, conjunction or particle in the string to the left."""
        is_function, is_marker = self.tagged(*_FUNCTION), self.tagged(*_MARKERS)
        words, marker = self.atom("w"), np.zeros_like(self.tags)
        open_ = np.ones(len(marker), bool)
        for k in range(1, longest + 1):
            open_ &= self._beside(is_function, -k, np.False_)
            found = open_ & self._beside(is_marker, -k, np.False_)
            marker = np.where(found, self.shifted(words, -k), marker)
            open_ &= ~found
        return marker

    def clause_opener(self) -> Hashes:
        """Return the nearest word to the left that may open a clause, back to verb or mark."""
        opener = self._last_before(self.tagged(*_OPENERS))
        bound = self._last_before(self.tagged("VERB", "PUNCT"))
        return np.where(opener > bound, self.atom("w")[opener], np.uint64(0))

    def verbs_around(self) -> Hashes:
        """Return how many verbs stand to the left and to the right."""
        verbs = self._summed(self.tagged("VERB"))
        total = np.repeat(verbs[self.firsts[1:] - 1], np.diff(self.firsts))
        left = np.minimum(self._beside(verbs, -1, np.int64(0)), _MOST)
        right = np.minimum(total - verbs, _MOST)
        return mix(np.zeros_like(self.tags), (left * (_MOST + 1) + right).astype(np.uint64))

    def nesting(self) -> Hashes:
        """Return the depth of brackets and whether a quotation is open."""
        depth = self._summed(self.numbers["bracket"])
        quotes = self._summed(self.numbers["quote"])
        state = np.clip(depth, -1, 3) * 2 + quotes % 2
        return mix(np.zeros_like(self.tags), (state + 2).astype(np.uint64))

    def edges(self) -> Hashes:
        """Return whether a word is the first or the last."""
        edge = (self._place == 1) + 2 * (self._place == self._size - 1)
        return mix(np.zeros_like(self.tags), edge.astype(np.uint64))

    def final(self) -> Hashes:
        """Return the last word of the sentence, if it is punctuation."""
        word = np.where(self.tagged("PUNCT"), self.atom("w"), np.uint64(0))
        return np.repeat(word[self.firsts[1:] - 1], np.diff(self.firsts))

    def _summed(self, values: NDArray[np.generic]) -> NDArray[np.int64]:
        """Return sums from the beginning of each sentence up to each token."""
        total: NDArray[np.int64] = np.cumsum(values.astype(np.int64))
        before = total[self.firsts[:-1]] - values[self.firsts[:-1]].astype(np.int64)
        total -= np.repeat(before, np.diff(self.firsts))
        return total

    def _last_before(self, marks: Marks) -> NDArray[np.int64]:
        """Return where the last marked token before each token stands, or else its root."""
        places = np.arange(len(marks))
        marked = np.where(marks, places, 0)
        last: NDArray[np.int64] = np.maximum.accumulate(np.concatenate([marked[:1], marked[:-1]]))
        return np.where(last > places - self._place, last, places - self._place)


def _numbered(strings: list[str]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the different strings, and which of them stands at each place."""
    different = list(dict.fromkeys(strings))
    numbers = {string: k for k, string in enumerate(different)}
    return different, np.fromiter(map(numbers.__getitem__, strings), np.int64, len(strings))


def _hashed(strings: list[str]) -> Hashes:
    return np.array([hash_string(string) for string in strings], np.uint64)
