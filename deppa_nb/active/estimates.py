"""What a model makes of sentences of which a person has given some heads."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deppa_nb.active.asking import known_heads
from deppa_nb.active.queries import Candidate
from deppa_nb.corpus.sentence import Sentence
from deppa_nb.corpus.trees import Heads
from deppa_nb.models.distribution import TreeDistribution
from deppa_nb.models.transition import BeamTrees

__all__ = ["Estimate", "estimates", "model_hash"]

_KEYS = 9  # candidates that have a key of their own


@dataclass(frozen=True, eq=False)
class Estimate:
    """The likeliest tree around the given heads, and what else each word may depend on.

    Attributes
    ----------
    heads
        ``(n + 1,)``: the tree.
    probabilities
        ``(n + 1,)``: of its arcs; the root's slot is 1.
    candidates
        n + 1 times the likeliest heads, the likeliest first; none for the root.
    others
        ``(n + 1,)`` each: for a word whose likeliest head is not that of the tree, the likeliest
        tree that has it. Who is asked for that word sees this one: what is drawn comes first.
    """

    heads: Heads
    probabilities: NDArray[np.float64]
    candidates: tuple[tuple[Candidate, ...], ...]
    others: dict[int, Heads]

    def certain(self, share: float) -> list[int]:
        """Return the words whose likeliest head has at least this probability."""
        best = [row[0][1] if row else 0.0 for row in self.candidates]
        return [m for m, p in enumerate(best) if m and p >= share]


def estimates(parser: Any, sentences: Sequence[Sentence]) -> list[Estimate | None]:
    """Return what a parser that has learned thinks, sums over trees that have the given heads.

    None where a parser has no probabilities.

    Examples
    --------
    >>> from deppa_nb.corpus.registry import load
    >>> from deppa_nb.models.crf import CRFParser
    >>> bank = load("toy-short", sizes={"train": 50}).train
    >>> parser = CRFParser(1, bits=14, epochs=1, progress=False).fit(bank)
    >>> sentence = bank[0].with_heads([2] + [-1] * (len(bank[0]) - 1))
    >>> (estimate,) = estimates(parser, [sentence])
    >>> estimate.candidates[1]
    ((2, 1.0),)
    """
    return parser.map(_estimate, sentences, known_heads(parser, sentences))  # type: ignore[no-any-return]


def _estimate(trees: TreeDistribution | BeamTrees) -> Estimate | None:
    if isinstance(trees, BeamTrees):
        return None
    heads, p = trees.best, trees.marginals
    words = np.arange(1, len(heads))
    own = np.concatenate([[1.0], p[heads[1:], words]])
    order = np.argsort(-p, axis=0, kind="stable")[:_KEYS]
    rows = [
        tuple((int(h), float(min(1.0, p[h, m]))) for h in order[:, m] if p[h, m] > 0) for m in words
    ]
    first = {m: row[0][0] for m, row in enumerate(rows, 1) if row[0][0] != heads[m]}
    others = {m: trees.given(_alone(len(heads), m, head)).best for m, head in first.items()}
    return Estimate(heads, np.minimum(own, 1.0), ((), *rows), others)


def _alone(size: int, word: int, head: int) -> Heads:
    heads = np.full(size, -1, np.int32)
    heads[word] = head
    return heads


def model_hash(parser: Any) -> str:
    """Return a short name of what a parser has learned, the same for the same weights."""
    return hashlib.blake2s(parser.weights_.tobytes(), digest_size=6).hexdigest()
