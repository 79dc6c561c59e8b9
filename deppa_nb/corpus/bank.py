"""What treebanks, sequence banks and slot banks have in common."""

from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bank"]


class _Placed(Sized, Protocol):
    @property
    def line(self) -> int:
        """Return the line it was read from."""


T = TypeVar("T", bound=_Placed)


@dataclass(frozen=True, eq=False, repr=False)
class Bank(Sequence[T]):
    """Sentences of one kind in order, with where they are from; slices are banks again."""

    sentences: tuple[T, ...]
    name: str = ""
    path: str = field(default="", kw_only=True)

    def __len__(self) -> int:
        return len(self.sentences)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> "T | Self":
        if isinstance(index, slice):
            return self.with_sentences(self.sentences[index])
        return self.sentences[index]

    def __iter__(self) -> Iterator[T]:
        return iter(self.sentences)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bank) and self.sentences == other.sentences

    def __hash__(self) -> int:
        return hash(self.sentences)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {len(self)} sentences, {self.n_words} words)"

    def where(self, sentence: T) -> str:
        """Name the place a sentence was read from, for messages: ``train.conllu:412``."""
        return f"{self.path or self.name or type(self).__name__}:{sentence.line}"

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Words per sentence."""
        return np.array([len(s) for s in self.sentences], dtype=np.int64)

    @property
    def n_words(self) -> int:
        """Words in all sentences."""
        return int(self.lengths.sum())

    def with_sentences(self, sentences: Iterable[T]) -> Self:
        """Return a bank of the same name and path with other sentences."""
        return replace(self, sentences=tuple(sentences))
