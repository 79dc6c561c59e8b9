"""Steps of learning, by several threads that do not change any bit of the result."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.trees import Heads
from deppa_nb.kernels import batches, learning
from deppa_nb.kernels._threads import CALLED_OFF
from deppa_nb.kernels.slots import Slots

__all__ = ["Kept", "Learner", "Weights", "aligned", "table"]

Weights = NDArray[np.float32]
Floats = NDArray[np.float64]

_LINE = 16  # floats in a line of the processor's cache
_LEAST = 5e-3  # parts with a smaller gradient are not worth their features
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
    projective
        Whether arcs may not cross.
    margin
        Whether to learn by the margin, in which case the rate is the longest step.
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
    projective: bool
    single_root: bool
    margin: bool
    rate: float
    l2: float
    threads: int | None
    _lesson: learning.Lesson = field(init=False)
    _table: learning.Table = field(init=False)

    def __post_init__(self) -> None:
        self._lesson = learning.Lesson(
            self.slots, self.heads, self.importance, *self.kept, self.order == 2, self.projective,
            self.single_root,
        )  # fmt: skip
        self._table = learning.Table(
            self.weights, self.squares, table(self.weights.size.bit_length() - 1),
            np.empty(self.weights.size, np.int32), self.margin, self.rate, _DELTA, self.l2, _LEAST,
        )  # fmt: skip

    @property
    def tables(self) -> list[Weights]:
        """What is learned."""
        return [self.weights]

    def learn(self, sentences: NDArray[np.int64], batch_size: int) -> float:
        """Take a step after each batch of these sentences; return the sum of their losses."""
        if len(sentences) == 0:
            return 0.0
        threads = min(self.threads or os.cpu_count() or 1, self.weights.size // _LINE)
        threads = 1 if self.margin else threads  # sentences follow each other
        losses, counters = np.zeros(len(sentences)), np.zeros((2, 8), np.int64)
        at = [
            batches.layout(self.slots.firsts, sentences[i : i + batch_size], self.order == 2)
            for i in range(0, len(sentences), batch_size)
        ]
        p_arcs, p_siblings = map(np.empty, np.max([sizes[:, -1] for sizes in at], axis=0))

        def work(thread: int) -> None:
            try:
                learning.learn(
                    self._lesson, self._table, sentences, batch_size, p_arcs, p_siblings, losses,
                    thread, threads, counters,
                )  # fmt: skip
            except BaseException:
                counters[0] = CALLED_OFF
                raise

        with ThreadPoolExecutor(threads) as pool:
            try:
                for _ in pool.map(work, range(threads)):
                    pass  # raises what a thread has raised
            except BaseException:  # an interrupt too: the threads end with their batch
                counters[0] = CALLED_OFF
                raise
        return float(losses.sum())
