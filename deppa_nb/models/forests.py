"""Training trees as forests that a model can learn from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.corpus.trees import Heads, is_projective, projectivise
from deppa_nb.kernels import batches

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
        lifted: Counter[str] = Counter()
        dropped: Counter[str] = Counter()
        heads = [sentence.heads for sentence in sentences]
        doubtful = []  # perhaps no tree has all these heads
        for j, sentence in enumerate(sentences):
            full = sentence.is_full
            if projective and full and not is_projective(heads[j]):
                heads[j], lifted_here = projectivise(heads[j])
                lifted[sentence.sent_id] += lifted_here
            if (projective and not full) or (single_root and np.count_nonzero(heads[j] == 0) > 1):
                doubtful.append(j)
        kept = _possible([heads[j] for j in doubtful], projective, single_root)
        for j, possible in zip(doubtful, kept, strict=True):
            if lost := int((possible != heads[j]).sum()):
                dropped[sentences[j].sent_id] += lost
                heads[j] = possible
        return cls(np.concatenate(heads), dict(lifted), dict(dropped))


def _possible(trees: list[Heads], projective: bool, single_root: bool) -> list[Heads]:
    """Return as many of the heads of each sentence as one tree can have.

    It is the best tree if a given arc is worth 1 and every other arc nothing.
    """
    if not trees:
        return []
    firsts = np.cumsum([0, *map(len, trees)])
    heads, sizes, every = np.concatenate(trees), np.diff(firsts), np.arange(len(trees))
    at = batches.layout(firsts, every, False)
    words = np.arange(len(heads)) - np.repeat(firsts[:-1], sizes)
    given = heads >= 0
    arcs = np.zeros(at[0, -1])
    places = np.repeat(at[0, :-1], sizes) + heads * np.repeat(sizes, sizes) + words
    arcs[places[given]] = 1.0
    best = np.empty_like(heads)
    batches.decode(firsts, every, projective, single_root, at, arcs, np.empty(0), best)
    return np.split(np.where(given & (heads == best), heads, np.int32(-1)), firsts[1:-1])
