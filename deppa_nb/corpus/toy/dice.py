"""Random choices and splits, the same on any machine.

Only raw 64-bit words of the bit generator are consumed, and every choice is integer arithmetic, so
neither the numpy version nor the floating-point unit has a say.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Generic, TypeVar

import numpy as np

Item = TypeVar("Item")
_BLOCK = 4096
_TENTH = {"dev": range(1), "test": range(1, 2), "train": range(2, 10)}
_MEMORY = 50_000


class Table(Generic[Item]):
    """Items with whole-number weights; without them they fall like one over the rank (Zipf).

    Examples
    --------
    >>> Table(["a", "b"], [3, 1]).total
    4
    """

    __slots__ = ("bounds", "items", "total")

    def __init__(self, items: Sequence[Item], weights: Sequence[int] | None = None) -> None:
        if weights is None:
            weights = [6000 // (rank + 3) for rank in range(len(items))]
        self.items = list(items)
        self.bounds = list(accumulate(weights))
        self.total = self.bounds[-1] if self.bounds else 0


def drawn(rows: Iterable[tuple[Item, int]]) -> Table[Item]:
    """Return the table of items that come with their weights."""
    pairs = list(rows)
    return Table([item for item, _ in pairs], [weight for _, weight in pairs])


def _draws(generator: np.random.Generator) -> Iterator[int]:
    while True:
        raw = generator.bit_generator.random_raw(_BLOCK)
        yield from (raw >> np.uint64(32)).tolist()


class Dice:
    """Draws from one `numpy.random.Generator`, the only source of randomness.

    Examples
    --------
    >>> dice = Dice(stream("toy-en", 1, "train"))
    >>> 0 <= dice.below(6) < 6
    True
    """

    def __init__(self, generator: np.random.Generator) -> None:
        self._next = _draws(generator).__next__

    def below(self, bound: int) -> int:
        """Return a whole number from 0 to ``bound - 1``."""
        return self._next() * bound >> 32

    def one(self, items: Sequence[Item]) -> Item:
        """Return one of some items, all of them alike."""
        return items[self.below(len(items))]

    def chance(self, percent: int) -> bool:
        """Return true in `percent` of 100 cases."""
        return self._next() * 100 >> 32 < percent

    def pick(self, table: Table[Item]) -> Item:
        """Return one item of a table, by its weight."""
        return table.items[bisect_right(table.bounds, self._next() * table.total >> 32)]


def stream(name: str, seed: int, split: str, purpose: str = "") -> np.random.Generator:
    """Return the generator of one corpus, seed and split; no two of them share a stream.

    Examples
    --------
    >>> int(stream("toy-en", 1, "dev").bit_generator.random_raw() >> 40)
    7145954
    """
    words = [zlib.crc32(text.encode()) for text in (name, split, purpose)]
    sequence = np.random.SeedSequence([seed, *words])
    return np.random.Generator(np.random.PCG64(sequence))


def admit(split: str) -> Callable[[str], bool]:
    """Return a function that tells of one text after the other whether the split takes it.

    A digest of the text decides, so ``train``, ``dev`` and ``test`` share none; other splits may
    have any. No text is taken twice among `_MEMORY` that are offered, wherever they belong: so
    the splits are alike, none is crowded with short and frequent texts, and memory is bounded.

    Examples
    --------
    >>> takes = admit("dev")
    >>> [takes(text) for text in ("Thanks !", "Why ?", "Why ?")]
    [False, True, False]
    """
    tenths = _TENTH.get(split, range(10))
    had: set[int] = set()

    def takes(text: str) -> bool:
        digest = zlib.crc32(text.encode())
        if digest in had:
            return False
        if len(had) == _MEMORY:
            had.clear()
        had.add(digest)
        return digest % 10 in tenths

    return takes
