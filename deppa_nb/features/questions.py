"""Contexts of parsing actions as bit strings: the answers to a fixed list of questions.

Words are asked for by the bits of their Brown clusters and, if they are frequent, by themselves;
tags, labels and extensions by a bit each (Tang et al. 2002, section 2.1). `kernels.derivations` has
the places and symbols that are asked about.
"""

from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.derivation import EXTENSIONS, KINDS, Action
from deppa_nb.corpus.slots import TOP, SlotTree
from deppa_nb.features.brown import BrownClusters
from deppa_nb.kernels import derivations as kernel

__all__ = ["Asked", "Numbered", "Words"]

_PLACES = (
    *(f"word[{k:+d}]" if k else "word[0]" for k in range(-kernel.PAD, kernel.PAD + 1)),
    "first word of the constituent", "word before the constituent",
    "second word before the constituent", "word before the last constituent",
)  # fmt: skip
_SYMBOLS = (
    "tag[0]", "tag[-1]", "tag[-2]", "last label", "last label but one", "last label but two",
    "last extension", "last extension but one", "open constituents", "children",
    "tag of the first child", "is in the root for certain", "words since the last constituent",
)  # fmt: skip
_OF_TAGS, _OF_LABELS, _OF_EXTENSIONS = {0, 1, 2, 10}, {3, 4, 5}, {6, 7}
_NUMBERS = {8: 3, 9: kernel.MOST_CHILDREN + 1, 11: 2, 12: kernel.MOST_WORDS + 1}
_AND_MORE = {9: " or more", 12: " or more, or there is none"}
_BAG, _BAG_SHARE = "since the last constituent there", 4
_SHARES = (4, 4, 2, 1, 2, 4, 4, 4, 1, 2, 4)
_OF_FORMS = ("outside the sentence", "is rare", "has digits")
_ALIKE, _ENDING = 4, 2  # letters at the beginning, at least, and at the end, at most
_FIRST = 3  # rows of codes before those of words: outside, rare, rare with digits
_MOST_SEEN = 63  # labels of which a set is kept in one number


@dataclass(frozen=True)
class Numbered:
    """Numbers of actions: tags and labels by falling frequency, the root's label first."""

    tags: tuple[str, ...]
    labels: tuple[str, ...]

    @classmethod
    def of(cls, trees: Iterable[SlotTree]) -> Self:
        """Return those of all tags and labels of some trees."""
        tags, labels = Counter[str](), Counter[str]()
        for tree in trees:
            tags.update(tree.tags)
            labels.update(tree.labels)
        labels.pop(TOP, None)
        return cls(_ranked(tags), (TOP, *_ranked(labels)))

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """Of all actions, by kind."""
        return self.tags, self.labels, EXTENSIONS

    @cached_property
    def _numbers(self) -> dict[Action, int]:
        return {
            Action(kind, name): k
            for kind, names in zip(KINDS, self.names, strict=True)
            for k, name in enumerate(names)
        }

    def numbers(self, actions: Sequence[Action]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Return kinds and numbers of actions; an action that is not known is a KeyError."""
        kinds = np.array([KINDS.index(action.kind) for action in actions], np.int8)
        return kinds, np.array([self._numbers[action] for action in actions], np.int32)

    def actions(self, numbers: Sequence[int]) -> list[Action]:
        """Return the actions of a derivation by their numbers: kinds follow from the order."""
        found, kind = list[Action](), KINDS[0]
        for number in numbers:
            own = Action(kind, self.names[KINDS.index(kind)][number])
            found.append(own)
            if kind == "tag" or kind == "label":
                kind = "extension"
            else:
                kind = "label" if own.name in ("LEFT", "UNIQUE") else "tag"
        return found


def _common(one: str, two: str) -> int:
    """Return with how many of the same letters two words begin."""
    pairs = zip(one, two, strict=False)
    return next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(one), len(two)))


def _has_digits(word: str) -> bool:
    return any(letter.isdigit() for letter in word)


def _ranked(counts: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(counts, key=lambda name: (-counts[name], name)))


@dataclass(frozen=True)
class Words:
    """Words with the bit strings of their clusters, and those that are asked for by themselves.

    Attributes
    ----------
    words, bits
        As many of each.
    frequent
        The most frequent first.
    """

    words: tuple[str, ...]
    bits: tuple[str, ...]
    frequent: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[Sequence[str]], clusters: int, frequent: int) -> Self:
        """Cluster the words of some texts, which need no trees.

        Parameters
        ----------
        texts
            Words of each sentence.
        clusters, frequent
            How many clusters, and how many words are asked for by themselves.
        """
        texts = [tuple(words) for words in texts]
        found = BrownClusters(clusters).fit(texts).bits_
        counts = Counter(word for text in texts for word in text)
        words = tuple(sorted(word for word in found if counts[word] > 1))
        often = [word for word in _ranked(counts) if counts[word] > 1]
        return cls(words, tuple(found[word] for word in words), tuple(often[:frequent]))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: k for k, word in enumerate(self.words, _FIRST)}

    def numbers(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Return rows of `codes` for a sentence, with places outside around it."""
        around = [0] * kernel.PAD
        own = [self._numbers.get(word) or self._like(word) for word in words]
        return np.array([*around, *own, *around], np.int32)

    def _like(self, word: str) -> int:
        """Return the row of a rare word: that of a word that begins alike (fridays: friday)."""
        if _has_digits(word):
            return 2
        place = bisect(self.words, word)
        near = self.words[max(place - 1, 0) : place + 1]
        alike = [_common(word, other) for other in near]
        if not alike or max(alike) < max(_ALIKE, len(word) - _ENDING):
            return 1
        return self._numbers[near[int(np.argmax(alike))]]

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """What is asked of a place, in words."""
        bits = (f"bit {k + 1} of the cluster" for k in range(self._width))
        return *_OF_FORMS, *bits, *(f"is “{word}”" for word in self.frequent)

    @cached_property
    def codes(self) -> NDArray[np.uint8]:
        """``(3 + words, asked)``: answers for what is outside, rare words, and each other word."""
        codes = np.zeros((len(self.words) + _FIRST, len(self.asked)), np.uint8)
        codes[0, 0] = codes[1:_FIRST, 1] = codes[2, 2] = 1
        first = len(_OF_FORMS)
        for k, (word, bits) in enumerate(zip(self.words, self.bits, strict=True), _FIRST):
            codes[k, 2] = _has_digits(word)
            codes[k, first : first + len(bits)] = [bit == "1" for bit in bits]
        for k, word in enumerate(self.frequent, first + self._width):
            codes[self._numbers[word], k] = 1
        return codes

    def asked_of(self, place: int) -> int:
        """Return how many of all are asked of a place: of far ones, for fewer single words."""
        return len(self.asked) - len(self.frequent) + len(self.frequent) // _SHARES[place]

    @property
    def _width(self) -> int:
        return max(map(len, self.bits), default=0)


@dataclass(frozen=True, eq=False)
class Asked:
    """The questions about the context of an action, and what they are about."""

    words: Words
    numbered: Numbered

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._listed)

    @cached_property
    def table(self) -> Any:
        """The `kernels.derivations.Questions`."""
        slots, values = np.array([(slot, value) for slot, value, _ in self._listed], np.int16).T
        return kernel.Questions(self.words.codes, slots.copy(), values.copy())

    @cached_property
    def _listed(self) -> list[tuple[int, int, str]]:
        """Return place or symbol, value and words of each question."""
        found = [
            (slot, value, f"{place}: {what}")
            for slot, place in enumerate(_PLACES)
            for value, what in enumerate(self.words.asked[: self.words.asked_of(slot)])
        ]
        for symbol, name in enumerate(_SYMBOLS):
            found += [
                (kernel.ANCHORS + symbol, value, f"{name} is {what}")
                for value, what in enumerate(self._values(symbol))
            ]
        seen = enumerate(self.numbered.labels[:_MOST_SEEN])
        slot = kernel.ANCHORS + kernel.SEEN
        found += [(slot, k, f"there is a {label}") for k, label in seen if k]
        first = len(self.words.asked) - len(self.words.frequent)
        often = self.words.frequent[: len(self.words.frequent) // _BAG_SHARE]
        return found + [
            (slot + 1, first + k, f"{_BAG} is “{word}”") for k, word in enumerate(often)
        ]

    def _values(self, symbol: int) -> tuple[str, ...]:
        if symbol in _OF_TAGS:
            return self.numbered.tags
        if symbol in _OF_LABELS:
            return self.numbered.labels
        if symbol in _OF_EXTENSIONS:
            return EXTENSIONS
        *fewer, most = map(str, range(_NUMBERS[symbol]))
        return (*fewer, most + _AND_MORE.get(symbol, ""))

    @property
    def texts(self) -> list[str]:
        """The questions in words."""
        return [text for _, _, text in self._listed]

    def answer(
        self,
        words: Sequence[str],
        kinds: NDArray[np.int8],
        actions: NDArray[np.int32],
        contexts: NDArray[np.uint8],
    ) -> None:
        """Set the context of each action of a derivation, ``(actions, questions)``."""
        kernel.follow(self.words.numbers(words), kinds, actions, self.table, contexts)
