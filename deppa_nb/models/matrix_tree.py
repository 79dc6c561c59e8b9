"""A parser whose trees may have crossing arcs: a CRF by the matrix-tree theorem."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from deppa_nb.features.templates import GROUPS
from deppa_nb.models.crf import CRFParser

__all__ = ["MatrixTreeParser"]


class MatrixTreeParser(CRFParser):
    """p(tree | sentence) = exp(w . f(tree)) / Z over all trees, crossing arcs or not.

    The features are those of the tree's arcs. Z and the marginals are exact, by the matrix-tree
    theorem (Koo et al. 2007; McDonald and Satta 2007; Smith and Smith 2007), the best tree by
    Chu-Liu and Edmonds. It learns from partial trees as `CRFParser` does, whose first order is the
    same model over projective trees.

    Parameters
    ----------
    templates, bits, optimiser, rate, l2, batch_size, epochs, patience, averaging, decoder
        As in `CRFParser`; templates of siblings do nothing.
    single_root, labels, rng, warm_start, threads, progress
        As there too.

    Examples
    --------
    >>> from deppa_nb.corpus.registry import load
    >>> bank = load("toy-freeorder", sizes={"train": 50}).train
    >>> parser = MatrixTreeParser(bits=16, epochs=2, progress=False).fit(bank)
    >>> parser.forests_.lifted
    {}
    """

    projective = False
    order, pruning = 1, 0.0

    def __init__(
        self,
        *,
        templates: Sequence[str] = GROUPS,
        bits: int = 22,
        optimiser: Literal["adagrad", "sgd"] = "adagrad",
        rate: float = 0.05,
        l2: float = 0.0,
        batch_size: int = 8,
        epochs: int = 5,
        patience: int = 2,
        averaging: bool = True,
        decoder: Literal["viterbi", "mbr"] = "viterbi",
        single_root: bool = True,
        labels: bool = False,
        rng: int | np.random.Generator | None = 1,
        warm_start: bool = False,
        threads: int | None = None,
        progress: bool = True,
    ) -> None:
        self.templates = templates
        self.bits = bits
        self.optimiser = optimiser
        self.rate = rate
        self.l2 = l2
        self.batch_size = batch_size
        self.epochs = epochs
        self.patience = patience
        self.averaging = averaging
        self.decoder = decoder
        self.single_root = single_root
        self.labels = labels
        self.rng = rng
        self.warm_start = warm_start
        self.threads = threads
        self.progress = progress
