"""Steps of learning, by several threads that do not change any bit of the result.

Each thread computes some sentences of a batch; then each takes the step for its own part of the
table, over all sentences in the same order.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.trees import Heads
from deppa_nb.kernels import learning
from deppa_nb.kernels.slots import Slots

__all__ = ["Kept", "Learner", "Weights", "aligned", "table"]

Weights = NDArray[np.float32]
Floats = NDArray[np.float64]

_LINE = 16  # floats in a line of the processor's cache
_LEAST = 1e-3  # parts with a smaller gradient are not worth their features
_DELTA = 1.0  # of AdaGrad; a tiny one would give full steps to tiny gradients


class Kept(NamedTuple):
    """Which arcs of sentences are looked at.

    Attributes
    ----------
    at
        ``(sentences,)``: where the square of each begins.
    arcs
        Squares laid end to end; if empty, all arcs are looked at.
    """

    at: NDArray[np.int64] = np.zeros(0, np.int64)
    arcs: NDArray[np.bool_] = np.zeros(0, np.bool_)


def table(bits: int) -> Weights:
    """Return ``2**bits`` zeros that begin at a line of the processor's cache."""
    zeros = np.zeros((1 << bits) + _LINE, np.float32)
    start = -zeros.ctypes.data // zeros.itemsize % _LINE
    return zeros[start : start + (1 << bits)]


def aligned(weights: Weights) -> Weights:
    """Return a copy that begins at a line too: otherwise features would lie across two of them."""
    copy = table(weights.size.bit_length() - 1)
    copy[:] = weights
    return copy


@dataclass(eq=False)
class Learner:
    """A table of weights and what it learns from.

    Attributes
    ----------
    slots, heads, importance
        Sentences, their given heads and what the loss of each counts.
    weights, squares
        ``(2**bits,)``: the weights, and for AdaGrad the sums of squares of gradients; else empty.
    kept
        Which arcs are looked at.
    order, single_root, rate, l2
        As in `CRFParser`.
    threads
        How many.
    """

    slots: Slots
    heads: Heads
    importance: Floats
    weights: Weights
    squares: Weights
    kept: Kept
    order: int
    single_root: bool
    rate: float
    l2: float
    threads: int | None
    _gradient: Weights = field(init=False)
    _touched: NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        self._gradient = table(self.weights.size.bit_length() - 1)
        self._touched = np.empty(self.weights.size, np.int32)

    def learn(self, sentences: NDArray[np.int64], batch_size: int) -> float:
        """Take a step after each batch of these sentences; return the sum of their losses."""
        threads = min(self.threads or os.cpu_count() or 1, self.weights.size // _LINE)
        batches = (sentences[i : i + batch_size] for i in range(0, len(sentences), batch_size))
        if threads == 1:
            return sum(self._step(batch, 1, map) for batch in batches)
        with ThreadPoolExecutor(threads) as pool:
            return sum(self._step(batch, threads, pool.map) for batch in batches)

    def _step(
        self, batch: NDArray[np.int64], threads: int, run: Callable[..., Iterable[Any]]
    ) -> float:
        slots = self.slots
        at = learning.layout(slots.firsts, batch, self.order == 2)
        arcs, siblings = (np.empty(size) for size in at[:, -1])
        losses = np.empty(len(batch))
        # Longest first, in turns to and fro, so that all threads have about the same to do.
        longest = np.argsort(-np.diff(at[0]), kind="stable")
        turns = np.arange(len(batch)) % (2 * threads)
        thread = np.minimum(turns, 2 * threads - 1 - turns)
        bounds = self.weights.size // _LINE * np.arange(threads + 1) // threads * _LINE

        def compute(which: int) -> None:
            chosen = longest[thread == which]
            learning.score_batch(slots, batch, chosen, self.weights, *self.kept, at, arcs, siblings)
            learning.differences(
                slots.firsts, self.heads, self.importance, batch, chosen, self.single_root, at,
                arcs, siblings, losses,
            )  # fmt: skip

        def update(which: int) -> None:
            low, high = bounds[which : which + 2]
            learning.update(
                slots, batch, at, arcs, siblings, _LEAST, low, high, self._gradient,
                self._touched[low:high], self.weights, self.squares, self.rate, _DELTA, self.l2,
            )  # fmt: skip

        for work in (compute, update):
            for _ in run(work, range(min(threads, len(batch)) if work is compute else threads)):
                pass  # raises what a thread has raised
        return float(losses.sum())
