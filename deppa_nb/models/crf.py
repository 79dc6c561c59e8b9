"""A projective parser: a conditional random field over trees (Li et al. 2016)."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from tqdm.auto import tqdm

from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.textfile import PathLike
from deppa_nb.errors import ArgumentError, FormatError, ParameterError
from deppa_nb.features.slots import hash_slots
from deppa_nb.features.templates import GROUPS
from deppa_nb.models.forests import Forests
from deppa_nb.models.graph import GraphParser
from deppa_nb.models.labels import LabelModel
from deppa_nb.models.pruning import Pruner
from deppa_nb.models.steps import Kept, Learner, Weights, aligned, table
from deppa_nb.models.storage import load_model, save_model

__all__ = ["CRFParser"]

_SNAPSHOTS = 8  # of the weights in an epoch, to average over
_MOST_BITS = 30


class CRFParser(GraphParser):
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
        Whether arcs get labels, from a `LabelModel` that is learned anew in every `fit`.
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

    def fit(
        self,
        train: Sequence[Sentence],
        dev: Treebank | None = None,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn the weights.

        Parameters
        ----------
        train
            Sentences with some heads.
        dev
            Full trees on which to decide when to stop.
        sample_weight
            ``(sentences,)``: what the loss of each sentence counts.
        """
        self._check()
        if len(train) == 0 or not any(sentence.annotated.any() for sentence in train):
            raise ArgumentError(f"none of the {len(train)} sentences to learn from has a head")
        importance = (
            np.ones(len(train)) if sample_weight is None else np.array(sample_weight, float)
        )
        if importance.shape != (len(train),) or not (importance >= 0).all():
            raise ArgumentError(f"sample_weight: expected {len(train)} numbers from 0")
        self.forests_ = Forests.of(train, projective=self.projective, single_root=self.single_root)
        self.labeller_ = None
        if self.labels:
            model = LabelModel(rng=self.rng, threads=self.threads, progress=self.progress)
            self.labeller_ = model.fit(train, sample_weight=importance)
        weights, squares = self._start()
        rng = np.random.default_rng(self.rng)
        templates = self._templates()
        slots, heads = hash_slots(train, templates), self.forests_.heads
        self.pruner_, kept = None, Kept()
        if self.pruning > 0:
            self.pruner_ = Pruner.learned(
                slots, templates, heads, importance, threshold=self.pruning,
                single_root=self.single_root, rng=rng, threads=self.threads,
            )  # fmt: skip
            with ThreadPoolExecutor(self.threads or os.cpu_count()) as pool:
                kept = self.pruner_.keep(slots, templates, heads, run=pool.map)
        learner = Learner(
            slots, heads, importance, weights, squares, kept, self.order, self.projective,
            self.single_root, self.rate, self.l2, self.threads,
        )  # fmt: skip
        mean, taken = table(self.bits), 0
        best, best_uas, waited = weights, -1.0, 0
        self.history_: list[dict[str, float]] = []
        bar = tqdm(desc="learning", total=self.epochs * _SNAPSHOTS, disable=not self.progress)
        for epoch in range(self.epochs):
            loss = 0.0
            for chunk in np.array_split(rng.permutation(len(train)), _SNAPSHOTS):
                loss += learner.learn(chunk, self.batch_size)
                if self.averaging and (epoch > 0 or self.epochs == 1):
                    taken += 1
                    mean += (weights - mean) / np.float32(taken)
                bar.update()
            self.weights_ = mean if taken else weights
            self.history_.append({"loss": loss / len(train)})
            if dev is not None:
                uas = self.history_[-1]["dev_uas"] = self._uas(dev)
                waited = 0 if uas > best_uas else waited + 1
                if waited == 0:
                    best, best_uas = aligned(self.weights_), uas
            bar.set_postfix(self.history_[-1])
            if waited > 0 and waited >= self.patience:
                break
        bar.close()
        if dev is not None:
            self.weights_ = best
        self._squares = squares if self.warm_start else None
        return self

    def save(self, path: PathLike) -> None:
        """Write the parameters and the weights to a file, see `models.storage`."""
        parameters = self.get_params()
        if not isinstance(self.rng, int):
            parameters["rng"] = None  # a generator has no seed to write down
        parameters["templates"] = list(self.templates)
        texts = [template.text for template in self._templates()]
        tables: dict[str, NDArray[Any]] = {"weights": self._weights}
        if self.pruner_ is not None:
            tables["pruner"] = self.pruner_.weights
        if self.labeller_ is not None:
            tables |= self.labeller_.to_arrays()
        save_model(path, type(self).__name__, parameters, texts, tables)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Return the parser that a file holds."""
        parameters, texts, tables = load_model(path, cls.__name__)
        try:
            parser = cls(**parameters)
            known = [template.text for template in parser._templates()]
        except (TypeError, ParameterError) as error:
            raise FormatError(path, None, f"a model with other parameters ({error})") from error
        if known != texts:
            raise FormatError(path, None, "a model with other templates than this version has")
        if ("pruner" in tables) != (parser.pruning > 0):
            raise FormatError(path, None, "a model whose pruner is not what its parameters say")
        parser.weights_, parser._squares, parser.pruner_ = tables["weights"], None, None
        if "pruner" in tables:
            parser.pruner_ = Pruner(tables["pruner"], parser.pruning, parser.single_root)
        if parser.labels:
            parser.labeller_ = LabelModel.from_arrays(path, tables)
        return parser

    def _check(self) -> None:
        choices = {"order": (1, 2), "optimiser": ("adagrad", "sgd"), "decoder": ("viterbi", "mbr")}
        for name, values in choices.items():
            if (value := getattr(self, name)) not in values:
                raise ParameterError(f"{name} is {value!r}, expected one of {values}")
        least = {
            "bits": 10,
            "epochs": 1,
            "batch_size": 1,
            "patience": 1,
            "rate": 0,
            "l2": 0,
            "pruning": 0,
        }
        for name, low in least.items():
            if (value := getattr(self, name)) < low:
                raise ParameterError(f"{name} is {value!r}, expected at least {low}")
        if self.bits > _MOST_BITS:
            raise ParameterError(f"bits is {self.bits}, expected at most {_MOST_BITS}")

    def _start(self) -> tuple[Weights, Weights]:
        """Return the weights to begin with and, for AdaGrad, the squares of past gradients."""
        weights = table(self.bits)
        squares = table(self.bits) if self.optimiser == "adagrad" else np.zeros(0, np.float32)
        if self.warm_start and hasattr(self, "weights_"):
            if self.weights_.shape != weights.shape:
                raise ParameterError(f"bits is {self.bits}, but not that of the weights there are")
            weights = aligned(self.weights_)
            if self._squares is not None and self._squares.shape == squares.shape:
                squares[:] = self._squares
        return weights, squares

    def _uas(self, dev: Sequence[Sentence]) -> float:
        right, words = 0, 0
        for sentence, heads in zip(dev, self.predict_heads(dev), strict=True):
            right += int((heads == sentence.heads)[sentence.annotated].sum())
            words += int(sentence.annotated.sum())
        return 100 * right / max(words, 1)
