"""What was seen at labelled tokens, and which weight it has with which label."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deppa_nb.kernels import attributes as kernel

__all__ = ["Attributes"]

Keys = NDArray[np.uint64]
Floats = NDArray[np.float64]


class Attributes:
    """Attributes by their keys, those with most labels first, and their pairs with labels.

    Parameters
    ----------
    keys
        ``(attributes,)`` 64-bit hashes, see `features.windows`.
    starts, labels
        Where the pairs of each begin, and the label of each pair (see `kernels.attributes`).
    """

    def __init__(self, keys: Keys, starts: NDArray[np.int64], labels: NDArray[np.int16]) -> None:
        self.keys, self.pairs = keys, kernel.Pairs(starts, labels)
        self._table, self._numbers = _table(keys[:, None], np.ones(len(keys), bool))

    @classmethod
    def seen(cls, keys: Keys, given: NDArray[np.int32], n_labels: int) -> "Attributes":
        """Return those of the tokens that have a label.

        Parameters
        ----------
        keys
            ``(tokens, templates)``.
        given
            ``(tokens,)``: labels, -1 for none.
        n_labels
            How many there are.
        """
        labelled = given >= 0
        table, numbers = _table(keys, labelled)
        found = np.empty((int(labelled.sum()), keys.shape[1]), np.int32)
        kernel.look_up(keys[labelled], table, numbers, found)
        used = numbers >= 0
        own = np.empty(int(used.sum()), np.uint64)
        own[numbers[used]] = table[used]
        together = np.zeros((len(own), n_labels), bool)
        together[found, given[labelled][:, None]] = True
        order = np.argsort(-together.sum(axis=1), kind="stable")
        own, together = own[order], together[order]
        starts = np.concatenate([[0], np.cumsum(together.sum(axis=1))])
        return cls(own, starts.astype(np.int64), np.nonzero(together)[1].astype(np.int16))

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.pairs.labels)

    def look_up(self, keys: Keys) -> NDArray[np.int32]:
        """Return the numbers of attributes, -1 for those that were not seen."""
        found = np.empty(keys.shape, np.int32)
        kernel.look_up(keys, self._table, self._numbers, found)
        return found

    def carried(self, weights: Floats, other: "Attributes", labels: Sequence[int]) -> Floats:
        """Return weights for the pairs of another, those of the same pairs here, or else 0.

        Parameters
        ----------
        weights
            Of the pairs here.
        other
            Whose pairs get weights.
        labels
            Which label here each of the labels there is, -1 for none.
        """
        number = self.look_up(other.keys[:, None])[:, 0]
        known = np.repeat(number, np.diff(other.pairs.starts)).astype(np.int64)
        label = np.asarray(labels, np.int64)[other.pairs.labels]
        size = max(len(labels), int(self.pairs.labels.max(initial=0)) + 1)
        own = np.repeat(np.arange(len(self.keys)), np.diff(self.pairs.starts)) * size
        own += self.pairs.labels  # rising, for pairs are in the order of attributes and labels
        wanted = np.where((known >= 0) & (label >= 0), known * size + label, -1)
        place = np.minimum(np.searchsorted(own, wanted), len(own) - 1)
        return np.where(own[place] == wanted, weights[place], 0.0)


def _table(keys: Keys, wanted: NDArray[np.bool_]) -> tuple[Keys, NDArray[np.int32]]:
    """Return a table of different keys and their numbers, as large as it has to be."""
    bits = 10
    while True:
        table, numbers = np.zeros(1 << bits, np.uint64), np.full(1 << bits, -1, np.int32)
        if kernel.enter(keys, wanted, table, numbers):
            return table, numbers
        bits += 2
