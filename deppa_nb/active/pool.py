"""Sentences by how far they are annotated: a partition that cannot be broken."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deppa_nb.active.checks import check_number
from deppa_nb.corpus.sentence import Sentence
from deppa_nb.corpus.sequences import OPEN
from deppa_nb.corpus.sequences import Sequence as Labelled
from deppa_nb.errors import ArgumentError, PoolError

__all__ = ["Item", "Pool", "State"]

Item = Sentence | Labelled
State = Literal["annotated", "partial", "unannotated", "ignored"]
_STATES: tuple[State, ...] = ("annotated", "partial", "unannotated", "ignored")


class Pool(Sequence[Any]):
    """Sentences or sequences with what is known of them.

    A sentence's state is not kept but follows from its heads or labels: all given, some or none;
    only that it is to be ignored, or words not to be asked for again, is noted. Sentences never
    change: an answer puts another one in its place.

    Parameters
    ----------
    items
        What is annotated in them is known. `Pool.hiding` hides it.

    Examples
    --------
    >>> words = ["Fish", "swim"]
    >>> pool = Pool([Sentence.of(words, heads=[2, 0]), Sentence.of(words)])
    >>> pool.state(0), pool.state(1)
    ('annotated', 'unannotated')
    >>> pool.give(1, heads={1: 2})
    1
    >>> pool.state(1), pool.open(1).tolist()
    ('partial', [2])
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = list(items)
        self._sizes = np.array([len(item) for item in self._items], np.int64)
        self._given = np.array([item.annotated.sum() for item in self._items], np.int64)
        self._ignored = np.zeros(len(self._items), bool)
        self._closed: dict[int, set[int]] = {}
        self._news: dict[int, bool] = {}

    @classmethod
    def hiding(cls, bank: Iterable[Item], seed: int | Iterable[int] = 0) -> "Pool":
        """Return a pool in which only some sentences have their annotation.

        Parameters
        ----------
        bank
            Annotated sentences.
        seed
            How many of the first ones stay annotated, or which.
        """
        items = list(bank)
        if not isinstance(seed, Iterable):
            check_number("seed", seed, 0, whole=True)
            seed = range(seed)
        known = set(seed)
        if outside := [j for j in known if j not in range(len(items))]:
            raise ArgumentError(f"sentence {outside[0]} of the seed, there are {len(items)}")
        return cls(item if j in known else hidden(item) for j, item in enumerate(items))

    def copy(self) -> "Pool":
        """Return a pool that can be changed without this one."""
        other = Pool(self._items)
        other._ignored, other._closed = self._ignored.copy(), self.closed
        return other

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: Any) -> Any:
        return self._items[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __repr__(self) -> str:
        counts = ", ".join(f"{self.where(state).size} {state}" for state in _STATES)
        return f"Pool({len(self)} sentences: {counts})"

    def state(self, j: int) -> State:
        """Return how far sentence j is annotated."""
        return _STATES[int(self._codes[self._place(j)])]

    def where(self, state: State) -> NDArray[np.int64]:
        """Return the positions of the sentences in a state."""
        if state not in _STATES:
            raise ArgumentError(f"state is {state!r}, expected one of {', '.join(_STATES)}")
        return np.flatnonzero(self._codes == _STATES.index(state))

    @property
    def _codes(self) -> NDArray[np.int64]:
        partly = np.where(self._given > 0, 1, 2)
        known = np.where(self._given == self._sizes, 0, partly)
        return np.asarray(np.where(self._ignored, 3, known))

    @property
    def askable(self) -> NDArray[np.int64]:
        """Positions of the sentences of which something may be asked."""
        places = np.flatnonzero(~self._ignored & (self._given < self._sizes))
        kept = [j not in self._closed or len(self.open(j)) > 0 for j in places.tolist()]
        return np.asarray(places[np.array(kept, bool)])

    @property
    def known(self) -> NDArray[np.int64]:
        """Positions of the sentences of which something is given, but for ignored ones."""
        return np.flatnonzero(~self._ignored & (self._given > 0))

    @property
    def n_given(self) -> int:
        """Words that are annotated, but for those of ignored sentences."""
        return int(self._given[~self._ignored].sum())

    def open(self, j: int) -> NDArray[np.int64]:
        """Return the words of sentence j, from 1, that are not annotated and may be asked for."""
        words, closed = self.unannotated(j), self._closed.get(j)
        return words if closed is None else words[[m not in closed for m in words.tolist()]]

    def unannotated(self, j: int) -> NDArray[np.int64]:
        """Return the words of sentence j, from 1, that are not annotated."""
        return np.flatnonzero(~_by_word(self._items[self._place(j)])[1:]) + 1

    def _place(self, j: int) -> int:
        """Return the position of a sentence as a number of Python's."""
        if not isinstance(j, Integral) or not 0 <= j < len(self._items):
            raise PoolError(f"sentence {j}, the pool has 0 to {len(self._items) - 1}")
        return int(j)

    def check_words(self, j: int, words: Iterable[int]) -> None:
        """Refuse words that sentence j does not have."""
        n = len(self._items[self._place(j)])
        if outside := [m for m in words if m not in range(1, n + 1)]:
            raise PoolError(f"word {outside[0]} of a sentence of {n} words")

    def take_news(self) -> dict[int, bool]:
        """Return the sentences that were touched since it was last asked.

        Each with whether it is learned from in another way now; if not, words were closed.
        """
        news, self._news = self._news, {}
        return news

    @property
    def closed(self) -> dict[int, set[int]]:
        """Words that are not asked for again, by sentence."""
        return {j: set(words) for j, words in self._closed.items()}

    def close(self, j: int, words: Iterable[int] | None = None) -> None:
        """Let words of sentence j, or all of it, not be asked for again; what is known stays."""
        j = self._place(j)
        more = set(range(1, len(self._items[j]) + 1) if words is None else map(int, words))
        self.check_words(j, more)
        if not more <= self._closed.get(j, set()):
            self._closed.setdefault(j, set()).update(more)
            self._news.setdefault(j, False)

    @property
    def ignored(self) -> NDArray[np.int64]:
        """Positions of the sentences that are ignored."""
        return np.flatnonzero(self._ignored)

    def ignore(self, j: int) -> None:
        """Take sentence j out: neither asked about nor learned from."""
        j = self._place(j)
        self._ignored[j] = self._news[j] = True

    def give(
        self,
        j: int,
        heads: Mapping[int, int] | None = None,
        labels: Mapping[int, str] | None = None,
        *,
        revise: bool = False,
    ) -> int:
        """Annotate words of sentence j; return how many were open before.

        Parameters
        ----------
        heads, labels
            By word, from 1.
        revise
            Whether words may get another head or label than they have; otherwise that is an error,
            and to give the same again changes nothing.
        """
        (item,) = self.tried([(j, heads or {}, labels or {})], revise=revise).values()
        before = self._given[j]
        self.put({j: item})
        return int(self._given[j] - before)

    def tried(
        self,
        given: Iterable[tuple[int, Mapping[int, int], Mapping[int, str]]],
        *,
        revise: bool = False,
    ) -> dict[int, Item]:
        """Return sentences as they would be with these heads and labels; nothing is changed."""
        found: dict[int, Item] = {}
        for place, heads, labels in given:
            j = self._place(place)
            found[j] = annotated(found.get(j, self._items[j]), heads, labels, revise=revise)
        return found

    def put(self, items: Mapping[int, Item]) -> None:
        """Put annotated sentences in the place of those with the same words."""
        for j, item in items.items():
            if item.words != self._items[self._place(j)].words:
                raise PoolError(f"sentence {j} of the pool has other words")
        for j, item in items.items():
            if item is not self._items[j]:
                self._items[j] = item
                self._given[j] = item.annotated.sum()
                self._news[int(j)] = True


def _by_word(item: Item) -> NDArray[np.bool_]:
    """Return (n + 1,), True where a word is annotated."""
    return item.annotated if isinstance(item, Sentence) else np.append(False, item.annotated)


def hidden(item: Item) -> Item:
    """Return a sentence without its annotation."""
    if isinstance(item, Sentence):
        return item.with_heads([-1] * len(item))
    return replace(item, columns=(*item.columns[:-1], (OPEN,) * len(item)))


def annotated(
    item: Item, heads: Mapping[int, int], labels: Mapping[int, str], *, revise: bool = False
) -> Item:
    """Return a sentence with more heads and labels; another head drops the label of the old one."""
    if outside := [m for m in (*heads, *labels) if not 1 <= m <= len(item)]:
        raise PoolError(f"word {outside[0]} of a sentence of {len(item)} words")
    old = item.heads[1:] if isinstance(item, Sentence) else np.empty(0, np.int32)
    if heads and not isinstance(item, Sentence):
        raise PoolError("heads are given for a sequence of labels")
    tree, names = old.copy(), list(item.labels[-len(item) :])
    for m, head in heads.items():
        if not isinstance(head, Integral) or head < 0:
            raise PoolError(f"head {head} of word {m}, expected 0 to {len(item)}")
        _check("head", m, int(old[m - 1]), head, -1, revise)
        if old[m - 1] not in (-1, head):
            names[m - 1] = OPEN
        tree[m - 1] = head
    for m, label in labels.items():
        if not len(old) or old[m - 1] >= 0:  # a label without a head counts for nothing
            _check("label", m, names[m - 1], label, OPEN, revise)
        names[m - 1] = label
    if (tree == old).all() and tuple(names) == item.labels[-len(item) :]:
        return item
    if isinstance(item, Sentence):
        return item.with_heads(tree, names)
    return replace(item, columns=(*item.columns[:-1], tuple(names)))


def _check(what: str, m: int, old: object, new: object, none: object, revise: bool) -> None:
    if old not in (none, new) and not revise:
        raise PoolError(f"word {m} has {what} {old}, not {new}; use revise to change it")
