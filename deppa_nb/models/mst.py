"""A parser of spanning trees that learns by the margin (McDonald et al. 2005)."""

from collections.abc import Sequence

import numpy as np

from deppa_nb.features.templates import GROUPS
from deppa_nb.models.margin import MarginParser

__all__ = ["MSTParser"]


class MSTParser(MarginParser):
    """The best tree is the maximum spanning arborescence of arc scores; arcs may cross.

    Learned by MIRA (Crammer et al. 2006), one tree at a time: after each sentence the weights take
    the shortest step with which the right tree is better than the best one by as much as that has
    wrong heads. Of a partial tree, the right one is the best that has the given heads. Scores are
    no probabilities; `distribution` gives the one that is proportional to their exponentials.

    Parameters
    ----------
    templates
        As in `CRFParser`; those of siblings do nothing.
    bits
        The table has ``2**bits`` weights.
    rate
        The longest step (C of MIRA).
    epochs, patience, averaging, single_root, labels, rng, warm_start, threads, progress
        As in `CRFParser`; one thread learns, all predict.

    Examples
    --------
    >>> from deppa_nb.corpus.registry import load
    >>> bank = load("toy-freeorder", sizes={"train": 50}).train
    >>> parser = MSTParser(bits=16, epochs=2, progress=False).fit(bank)
    >>> heads, scores = parser.nbest(bank[0], 2)
    >>> bool(scores[0] >= scores[1])
    True
    """

    projective = False
    order = 1

    def __init__(
        self,
        *,
        templates: Sequence[str] = GROUPS,
        bits: int = 22,
        rate: float = 0.1,
        epochs: int = 10,
        patience: int = 3,
        averaging: bool = True,
        single_root: bool = True,
        labels: bool = False,
        rng: int | np.random.Generator | None = 1,
        warm_start: bool = False,
        threads: int | None = None,
        progress: bool = True,
    ) -> None:
        self.templates = templates
        self.bits = bits
        self.rate = rate
        self.epochs = epochs
        self.patience = patience
        self.averaging = averaging
        self.single_root = single_root
        self.labels = labels
        self.rng = rng
        self.warm_start = warm_start
        self.threads = threads
        self.progress = progress
