"""Training trees as forests that a model can learn from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.corpus.trees import Heads, is_projective, projectivise
from deppa_nb.kernels import first_order
from deppa_nb.kernels.arborescence import best_arborescence

__all__ = ["Forests"]


@dataclass(frozen=True, eq=False)
class Forests:
    """Heads to learn from, with what had to be changed for a tree of the model to exist.

    Attributes
    ----------
    heads
        ``(tokens,)``, sentences laid end to end, each with its root; -1 = open.
    lifted
        By sentence id, how many arcs of a full tree were moved to a head further up.
    dropped
        By sentence id, how many heads were left open, the fewest with which the rest has a
        completion.
    """

    heads: Heads
    lifted: dict[str, int]
    dropped: dict[str, int]

    @classmethod
    def of(cls, sentences: Sequence[Sentence], *, projective: bool, single_root: bool) -> "Forests":
        """Make full trees projective by lifting, and partial ones possible by leaving words open.

        Of a model that is not projective, only second roots are left open, if they may not be.

        >>> crossing = Sentence.of(list("abcd"), heads=[3, 4, -1, -1])
        >>> Forests.of([crossing], projective=True, single_root=True).dropped
        {'1': 1}
        """
        lifted: dict[str, int] = {}
        dropped: dict[str, int] = {}
        all_heads = []
        for sentence in sentences:
            heads = sentence.heads
            full = sentence.is_full
            if projective and full and not is_projective(heads):
                heads, count = projectivise(heads)
                lifted[sentence.sent_id] = lifted.get(sentence.sent_id, 0) + count
            if (projective and not full) or (single_root and np.count_nonzero(heads == 0) > 1):
                kept = _possible(heads, projective, single_root)
                if lost := int((kept != heads).sum()):
                    dropped[sentence.sent_id] = dropped.get(sentence.sent_id, 0) + lost
                heads = kept
            all_heads.append(heads)
        return cls(np.concatenate(all_heads), lifted, dropped)


def _possible(heads: Heads, projective: bool, single_root: bool) -> Heads:
    """Return as many of the heads as one tree can have.

    It is the best tree if a given arc is worth 1 and every other arc nothing.
    """
    n = len(heads) - 1
    arcs = np.zeros((n + 1, n + 1))
    given = np.flatnonzero(heads >= 0)
    arcs[heads[given], given] = 1.0
    best = np.empty(n + 1, np.int32)
    if projective:
        first_order.best_tree(arcs, single_root, best, first_order.workspace(n))
    else:
        best_arborescence(arcs, single_root, best)
    return np.where((heads >= 0) & (heads == best), heads, np.int32(-1))
