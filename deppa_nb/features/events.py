"""A parse as what a parser did: events, each an action in a context (Tang et al. 2002).

Sequences are compared by their events, whatever sentences they are of: two sentences that are
parsed by the same actions in the same contexts are one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deppa_nb.errors import ArgumentError

__all__ = ["Events", "different", "pack_bits"]

_WORD = 64


@dataclass(frozen=True, eq=False)
class Events:
    """The events of one parse.

    Attributes
    ----------
    contexts
        ``(E, W)`` uint64, packed bits: `pack_bits`.
    actions
        ``(E,)`` int32; actions of two kinds may have the same number.
    kinds
        ``(E,)`` int8, from 0 on: what an action is, such as a tag, a label or an extension.
    bits
        How many bits a context has.
    """

    contexts: NDArray[np.uint64]
    actions: NDArray[np.int32]
    kinds: NDArray[np.int8]
    bits: int

    def __post_init__(self) -> None:
        words = -(-self.bits // _WORD)
        if self.contexts.shape != (len(self.actions), words) or len(self.kinds) != len(self):
            shapes = f"{self.contexts.shape}, {self.actions.shape}, {self.kinds.shape}"
            problem = f"contexts, actions and kinds are {shapes}"
            raise ArgumentError(f"{problem}, expected (E, {words}), (E,), (E,): {self.bits} bits")

    @classmethod
    def of(cls, contexts: ArrayLike, actions: ArrayLike, kinds: ArrayLike) -> Self:
        """Make events of contexts as they are: ``(E, bits)`` of 0 and 1.

        >>> Events.of([[0, 1, 1], [1, 0, 0]], actions=[4, 0], kinds=[0, 1]).contexts.tolist()
        [[6], [1]]
        """
        rows = np.atleast_2d(np.asarray(contexts, np.uint8))
        numbers, types = np.asarray(actions, np.int32), np.asarray(kinds, np.int8)
        return cls(pack_bits(rows), numbers, types, rows.shape[1])

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.actions)

    @property
    def key(self) -> bytes:
        """A digest of all events: equal sequences have the same."""
        digest = blake2b(f"{self.bits} {len(self)} ".encode(), digest_size=16)
        for array, dtype in ((self.contexts, "<u8"), (self.actions, "<i4"), (self.kinds, "i1")):
            digest.update(np.ascontiguousarray(array, dtype).tobytes())
        return digest.digest()


def pack_bits(rows: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return rows of 0 and 1 as 64-bit words, the first bit the lowest of the first word."""
    count, bits = rows.shape
    padded = np.zeros((count, -(-bits // _WORD) * _WORD), np.uint8)
    padded[:, :bits] = rows
    packed = np.packbits(padded, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False)


def different(sequences: Sequence[Events]) -> tuple[list[int], NDArray[np.int64]]:
    """Return where each sequence stands first, and which of these each one is equal to.

    >>> one, two = (Events.of([[0]], [action], [0]) for action in (1, 2))
    >>> firsts, which = different([one, two, one])
    >>> firsts, which.tolist()
    ([0, 1], [0, 1, 0])
    """
    places: dict[bytes, int] = {}
    firsts: list[int] = []
    which = np.empty(len(sequences), np.int64)
    for j, events in enumerate(sequences):
        which[j] = places.setdefault(events.key, len(places))
        if which[j] == len(firsts):
            firsts.append(j)
    return firsts, which
