"""Pruning: a small first-order model tells which arcs the parser looks at.

Most arcs of a sentence are hopeless, and a model of a few templates in a table that fits the
processor's cache knows which. What is left to score is a small part.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.trees import Heads
from deppa_nb.errors import ParameterError
from deppa_nb.features.templates import TEMPLATES, Template
from deppa_nb.kernels import batches
from deppa_nb.kernels.learning import Lesson
from deppa_nb.kernels.pruning import keep_arcs
from deppa_nb.kernels.slots import Slots
from deppa_nb.models.steps import Floats, Kept, Learner, Weights, aligned, new_table, table

__all__ = ["NONE", "Pruner"]

NONE = np.zeros(0, np.bool_)
"""Nothing is forbidden."""

_GROUPS = ("pairs", "between")
_BITS, _EPOCHS, _RATE = 18, 1, 0.1
_BATCH, _SHARD = 8, 256


@dataclass(frozen=True, eq=False)
class Pruner:
    """The model and what it keeps.

    Attributes
    ----------
    weights
        ``(2**18,)`` float32.
    threshold
        An arc is kept if its probability is at least this share of that of its word's best head.
    single_root
        As in `CRFParser`.
    """

    weights: Weights
    threshold: float
    single_root: bool

    @classmethod
    def learned(
        cls,
        slots: Slots,
        templates: Sequence[Template],
        heads: Heads,
        importance: Floats,
        *,
        threshold: float,
        single_root: bool,
        rng: np.random.Generator,
        threads: int | None,
        start: Weights | None = None,
    ) -> "Pruner":
        """Learn from the forests that the parser will learn from, and from these weights on."""
        weights = table(_BITS) if start is None else aligned(start)
        coarse = _coarse(slots, templates)
        lesson = Lesson(coarse, heads, importance, *Kept(), False, True, single_root)
        learner = Learner(lesson, new_table(weights, table(_BITS), _RATE), threads)
        for _ in range(_EPOCHS):
            learner.learn(rng.permutation(len(importance)), _BATCH)
        return cls(weights, threshold, single_root)

    def keep(
        self,
        slots: Slots,
        templates: Sequence[Template],
        heads: Heads,
        forbidden: NDArray[np.bool_] = NONE,
        run: Callable[..., Iterable[object]] = map,
    ) -> Kept:
        """Return the arcs that are kept.

        Parameters
        ----------
        slots, templates
            The parser's.
        heads
            ``(tokens,)``: given heads, which are kept, and -1.
        forbidden
            Squares laid end to end: what trees must do without; if empty, nothing.
        run
            `map`, or that of a pool of threads.
        """
        coarse, sizes = _coarse(slots, templates), np.diff(slots.firsts)
        kept_at = np.concatenate([[0], np.cumsum(sizes * sizes)])
        kept = np.empty(kept_at[-1], np.bool_)

        def shard(start: int) -> None:
            some = np.arange(start, min(start + _SHARD, len(sizes)))
            at = batches.layout(slots.firsts, some, False)
            arcs, none = np.empty(at[0, -1]), np.empty(0)
            batches.score_batch(coarse, some, self.weights, *Kept(), at, arcs, none)
            keep_arcs(
                slots.firsts, some, at, arcs, heads, forbidden, self.threshold, self.single_root,
                kept_at, kept,
            )  # fmt: skip

        for _ in run(shard, range(0, len(sizes), _SHARD)):
            pass  # raises what a thread has raised
        return Kept(kept_at, kept)


def _coarse(slots: Slots, templates: Sequence[Template]) -> Slots:
    """Return the slots of the few templates that the pruner has."""
    texts = {text for group in _GROUPS for text in TEMPLATES[group]}
    arcs = [template for template in templates if template.part == "arc"]
    rows = [k for k, template in enumerate(arcs) if template.text in texts]
    if not rows:
        raise ParameterError(f"pruning needs the templates {' or '.join(_GROUPS)}")
    return slots._replace(
        between=slots.between[rows], arc_h=slots.arc_h[rows], arc_m=slots.arc_m[rows]
    )
