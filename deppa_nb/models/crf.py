"""A projective parser: a conditional random field over trees (Li et al. 2016)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from deppa_nb.features.templates import GROUPS
from deppa_nb.models.graph import ProbabilisticParser
from deppa_nb.models.online import OnlineParser

__all__ = ["CRFParser"]


class CRFParser(ProbabilisticParser, OnlineParser):
    """p(tree | sentence) = exp(w . f(tree)) / Z over projective trees; w learned from forests.

    The features are those of the tree's arcs and, if the order is 2, of its pairs of neighbouring
    dependents. Words whose head is -1 are open: what is maximised is the probability of all trees
    that have the given heads, so that full and partial trees are learned from alike.

    Parameters
    ----------
    order
        1 for arcs, 2 for arcs and siblings.
    templates
        Groups of `features.templates.TEMPLATES`; those of siblings do nothing in order 1.
    bits
        The table has ``2**bits`` weights.
    optimiser
        ``"adagrad"`` or ``"sgd"``.
    rate, l2, batch_size
        Length of a step, weight of the penalty ``l2 / 2 |w|**2``, sentences that make a step.
        A penalty takes a pass over the table each step: use it with batches.
    epochs, patience
        Passes over the training sentences; given `dev`, learning ends when so many passes have
        brought no better UAS on it, and the best weights are kept.
    averaging
        Whether the weights are the mean of several in each epoch from the second on.
    pruning
        Arcs are not looked at if a first-order model gives them less than this share of the
        probability of their word's best head; 0 looks at all arcs, which is exact.
    decoder
        ``"viterbi"``, the best tree, or ``"mbr"``, the tree with most expected right arcs.
    single_root
        Whether exactly one word depends on the root.
    labels
        Whether arcs get labels, from a `LabelModel`.
    rng
        A seed or a generator, for the order of the sentences; None for another one each time.
    warm_start
        Whether `fit` goes on from the weights there are.
    threads
        How many (all processors if None); their number does not change any result.
    progress
        Whether to show a bar.

    Attributes
    ----------
    weights_
        ``(2**bits,)`` float32.
    history_
        For each epoch its `loss` (mean of a sentence, before averaging) and `dev_uas`.
    labeller_
        The `LabelModel`, or None.
    pruner_
        What tells which arcs are looked at, or None.
    forests_
        What was learned from; `forests_.lifted` and `forests_.dropped` tell what was changed.

    Examples
    --------
    >>> from deppa_nb.corpus.registry import load
    >>> bank = load("toy-short", sizes={"train": 50}).train
    >>> parser = CRFParser(bits=16, epochs=2, progress=False).fit(bank)
    >>> parser.predict(bank[0]).heads.shape == bank[0].heads.shape
    True
    """

    def __init__(
        self,
        order: int = 2,
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
        pruning: float = 0.0,
        decoder: Literal["viterbi", "mbr"] = "viterbi",
        single_root: bool = True,
        labels: bool = False,
        rng: int | np.random.Generator | None = 1,
        warm_start: bool = False,
        threads: int | None = None,
        progress: bool = True,
    ) -> None:
        self.order = order
        self.templates = templates
        self.bits = bits
        self.optimiser = optimiser
        self.rate = rate
        self.l2 = l2
        self.batch_size = batch_size
        self.epochs = epochs
        self.patience = patience
        self.averaging = averaging
        self.pruning = pruning
        self.decoder = decoder
        self.single_root = single_root
        self.labels = labels
        self.rng = rng
        self.warm_start = warm_start
        self.threads = threads
        self.progress = progress
