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
_LEAST = 5e-3  # parts with a smaller gradient are not worth their features
_OPEN, _TREE, _FOREST = range(3)  # all trees; one; those that have the heads given
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
    _kinds: NDArray[np.int8] = field(init=False)

    def __post_init__(self) -> None:
        given = np.add.reduceat(self.heads >= 0, self.slots.firsts[:-1])
        full = given == np.diff(self.slots.firsts) - 1
        self._kinds = np.where(full, _TREE, _FOREST).astype(np.int8)
        self._kinds[(given == 0) | (self.importance == 0)] = _OPEN
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
        scores, p = ([np.zeros(size) for size in at[:, -1]] for _ in range(2))
        losses = np.zeros(len(batch))
        # Longest first, in turns to and fro, so that all threads have about the same to do.
        longest = np.argsort(-np.diff(at[0]), kind="stable")
        turns = np.arange(len(batch)) % (2 * threads)
        thread = np.minimum(turns, 2 * threads - 1 - turns)
        bounds = self.weights.size // _LINE * np.arange(threads + 1) // threads * _LINE

        def compute(which: int) -> None:
            chosen = longest[thread == which]
            learning.score_batch(slots, batch, chosen, self.weights, *self.kept, at, *scores)
            self._differ(batch, chosen, at, scores, p, losses)

        def update(which: int) -> None:
            low, high = bounds[which : which + 2]
            learning.update(
                slots, batch, at, *p, _LEAST, low, high, self._gradient,
                self._touched[low:high], self.weights, self.squares, self.rate, _DELTA, self.l2,
            )  # fmt: skip

        for work in (compute, update):
            for _ in run(work, range(min(threads, len(batch)) if work is compute else threads)):
                pass  # raises what a thread has raised
        return float(losses.sum())

    def _differ(
        self,
        batch: NDArray[np.int64],
        chosen: NDArray[np.int64],
        at: NDArray[np.int64],
        scores: list[Floats],
        p: list[Floats],
        losses: Floats,
    ) -> None:
        """Compute the losses and p(part) - p(part | F); the scores are spoilt."""
        firsts, kinds = self.slots.firsts, self._kinds[batch[chosen]]
        known = chosen[kinds != _OPEN]
        trees, forests = chosen[kinds == _TREE], chosen[kinds == _FOREST]
        learning.sum_batch(firsts, batch, known, self.single_root, at, *scores, *p, losses)
        learning.leave_trees(firsts, self.heads, batch, trees, at, *scores, *p, losses)
        if forests.size > 0:
            q, logs = [np.empty_like(some) for some in p], np.zeros(len(batch))
            learning.constrain_batch(firsts, self.heads, batch, forests, at, scores[0])
            learning.sum_batch(firsts, batch, forests, self.single_root, at, *scores, *q, logs)
            for j in forests:
                for some, others, (start, end) in zip(p, q, at[:, j : j + 2], strict=True):
                    some[start:end] -= others[start:end]
            losses[forests] -= logs[forests]
        for j in known[self.importance[batch[known]] != 1.0]:
            losses[j] *= self.importance[batch[j]]
            for some, (start, end) in zip(p, at[:, j : j + 2], strict=True):
                some[start:end] *= self.importance[batch[j]]
