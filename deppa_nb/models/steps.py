"""Steps of learning, by several threads that do not change any bit of the result."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from deppa_nb.kernels import batches, learning
from deppa_nb.kernels._threads import CALLED_OFF

__all__ = ["Kept", "Learner", "Learning", "Weights", "aligned", "new_table", "table"]

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


def new_table(weights: Weights, squares: Weights, rate: float, l2: float = 0.0) -> learning.Table:
    """Return what the kernels learn with.

    Parameters
    ----------
    weights, squares
        ``(2**bits,)``: the weights, and for AdaGrad the sums of squares of gradients; else empty.
    rate, l2
        As in `CRFParser`; of one that learns by the margin, the rate is the longest step.
    """
    gradient, touched = table(weights.size.bit_length() - 1), np.empty(weights.size, np.int32)
    return learning.Table(weights, squares, gradient, touched, rate, _DELTA, l2, _LEAST)


class Learning(Protocol):
    """What takes steps."""

    @property
    def tables(self) -> list[Weights]:
        """What is learned."""

    def learn(self, sentences: NDArray[np.int64], batch_size: int) -> float:
        """Take steps from these sentences; return the sum of their losses."""


@dataclass(eq=False)
class Learner:
    """A table of weights and what it learns from; how many threads do so."""

    lesson: learning.Lesson
    table: learning.Table
    threads: int | None

    @property
    def tables(self) -> list[Weights]:
        """What is learned."""
        return [self.table.weights]

    def learn(self, sentences: NDArray[np.int64], batch_size: int) -> float:
        """Take a step after each batch of these sentences; return the sum of their losses."""
        if len(sentences) == 0:
            return 0.0
        threads = min(self.threads or os.cpu_count() or 1, self.table.weights.size // _LINE)
        losses, counters = np.zeros(len(sentences)), np.zeros((2, 8), np.int64)
        firsts, second = self.lesson.slots.firsts, self.lesson.second
        at = [
            batches.layout(firsts, sentences[i : i + batch_size], second)
            for i in range(0, len(sentences), batch_size)
        ]
        p_arcs, p_siblings = map(np.empty, np.max([sizes[:, -1] for sizes in at], axis=0))

        def work(thread: int) -> None:
            try:
                learning.learn(
                    self.lesson, self.table, sentences, batch_size, p_arcs, p_siblings, losses,
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
