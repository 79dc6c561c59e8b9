"""Words as bit strings: the path to a word's cluster in the tree of mergers (Brown et al. 1992)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deppa_nb.errors import ArgumentError, ParameterError
from deppa_nb.kernels.brown import merge_words

__all__ = ["BrownClusters", "count_bigrams", "merger_arguments"]

Ints = NDArray[np.int64]

_DIGITS = 32  # binary ones after the point, of logarithms of counts
_ROOM = 61  # binary digits of sums of them


class BrownClusters:
    """Clusters of words that stand beside the same words.

    Parameters
    ----------
    clusters
        How many.
    window
        How many are active at a time while they are found; clusters + 1 if not given. As many as
        there are words for the algorithm without a window.

    Attributes
    ----------
    bits_
        A bit string for each word: words of a cluster have the same, words of clusters that were
        merged early begin alike.
    width
        The length of the longest.

    Examples
    --------
    >>> texts = ["the cat sat", "the dog sat", "the cat ran", "the dog ran"]
    >>> BrownClusters(3).fit(text.split() for text in texts).bits_
    {'the': '00', 'cat': '01', 'dog': '01', 'ran': '1', 'sat': '1'}
    """

    bits_: dict[str, str]
    width: int

    def __init__(self, clusters: int = 100, window: int | None = None) -> None:
        for name, value in (("clusters", clusters), ("window", window)):
            if value is not None and (not isinstance(value, Integral) or value < 1):
                raise ParameterError(f"{name} is {value!r}, expected a whole number from 1")
        if window is not None and window <= clusters:
            raise ParameterError(f"window is {window}, expected more than {clusters} clusters")
        self.clusters = clusters
        self.window = window

    def __repr__(self) -> str:
        return f"BrownClusters({self.clusters}, window={self.window})"

    def fit(self, sentences: Iterable[Sequence[str]]) -> Self:
        """Cluster the words of sentences by which are next to each other."""
        words, bigrams = count_bigrams(sentences)
        arguments = merger_arguments(words, bigrams, self.window or self.clusters + 1)
        merge_words(*arguments)
        paths = _paths(arguments[-1] - 1, len(words), self.clusters)
        self.bits_ = dict(zip(words, paths, strict=True))
        self.width = max(map(len, paths), default=0)
        return self

    def codes(self, words: Sequence[str], width: int | None = None) -> NDArray[np.uint8]:
        """Return bit strings as numbers, cut or filled up with 0; of unknown words, all 0.

        Parameters
        ----------
        words
            Any.
        width
            How many bits; those of the longest string if not given.

        Returns
        -------
        uint8 array (words, width)
        """
        if not hasattr(self, "bits_"):
            raise ArgumentError("BrownClusters has no clusters yet, expected fit() first")
        size = self.width if width is None else width
        rows = [self.bits_.get(word, "")[:size].ljust(size, "0") for word in words]
        text = "".join(rows).encode("ascii")
        return (np.frombuffer(text, np.uint8) - ord("0")).reshape(len(rows), size)


def count_bigrams(sentences: Iterable[Sequence[str]]) -> tuple[list[str], Ints]:
    """Return words by falling frequency, equal ones in the order of the alphabet, and bigrams.

    Bigrams are rows: two words, by their numbers from 1 on, and how often they stand together; 0
    is the mark before and after a sentence.
    """
    times: Counter[str] = Counter()
    pairs: Counter[tuple[str | None, str | None]] = Counter()
    for sentence in sentences:
        times.update(sentence)
        pairs.update(pairwise([None, *sentence, None]))
    words = sorted(times, key=lambda word: (-times[word], word))
    number = {word: k for k, word in enumerate([None, *words])}
    rows = sorted((number[a], number[b], count) for (a, b), count in pairs.items())
    return words, np.array(rows, np.int64).reshape(-1, 3)


def merger_arguments(words: Sequence[str], bigrams: Ints, window: int) -> tuple[Any, ...]:
    """Return what `merge_words` takes; the last one becomes the mergers."""
    tables = [*_by_word(bigrams, 0, len(words)), *_by_word(bigrams, 1, len(words))]
    merges = np.empty((max(len(words) - 1, 0), 2), np.int64)
    return *tables, *_logarithms(int(bigrams[:, 2].sum())), window, merges


def _by_word(counts: Ints, column: int, words: int) -> tuple[Ints, Ints]:
    """Return the other words of bigrams with their counts, by one word, and where each begins."""
    rows = counts[np.argsort(counts[:, column], kind="stable")]
    ends = np.cumsum(np.bincount(rows[:, column], minlength=words + 1))
    return np.ascontiguousarray(rows[:, [1 - column, 2]]), np.concatenate([[0], ends])


def _logarithms(total: int) -> tuple[Ints, Ints]:
    """Return k log k and log k of 0 to `total` in fixed point, so that no sum is too large."""
    numbers = np.arange(total + 1, dtype=float)
    logs = np.log(np.maximum(numbers, 1.0))
    largest = np.log2(max(total, 2) * np.log(max(total, 2)))
    scale = 2.0 ** min(_DIGITS, _ROOM - int(np.ceil(largest)))
    return np.rint(numbers * logs * scale).astype(np.int64), np.rint(logs * scale).astype(np.int64)


def _paths(merges: Ints, words: int, clusters: int) -> list[str]:
    """Return the bit string of each word: mergers within clusters first, then those of clusters."""
    within = max(words - clusters, 0)
    cluster = list(range(words))
    for a, b in reversed(merges[:within].tolist()):
        cluster[b] = cluster[a]  # a is not merged into another any more, or already has its cluster
    paths = dict.fromkeys(cluster, "")
    for a, b in reversed(merges[within:].tolist()):
        paths[a], paths[b] = paths[a] + "0", paths[a] + "1"
    return [paths[own] for own in cluster]
