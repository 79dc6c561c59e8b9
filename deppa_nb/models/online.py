"""What parsers share that learn sentence by sentence: the passes over them, files, checks."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from tqdm.auto import tqdm

from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.textfile import PathLike
from deppa_nb.corpus.trees import Heads
from deppa_nb.errors import ArgumentError, FormatError, ParameterError
from deppa_nb.features.slots import hash_slots
from deppa_nb.kernels.learning import Lesson, Table
from deppa_nb.kernels.slots import Slots
from deppa_nb.models.checks import check_parameters, checked_importance, restoring
from deppa_nb.models.forests import Forests
from deppa_nb.models.graph import GraphParser
from deppa_nb.models.labels import JOINT_LABELS, LabelModel
from deppa_nb.models.pruning import Pruner
from deppa_nb.models.steps import (
    Floats,
    Kept,
    Learner,
    Learning,
    Weights,
    aligned,
    new_table,
    table,
)
from deppa_nb.models.storage import load_model, save_model

__all__ = ["OnlineParser"]

_SNAPSHOTS = 8  # of the weights in an epoch, to average over


class OnlineParser(GraphParser):
    """A parser that learns in passes over sentences.

    A class of it has the parameters below, in its `__init__` or as attributes, and those of
    `GraphParser`.
    """

    joint: bool = False  # whether labels are learned together with trees
    any_rate: bool = False  # whether the rate is but a bound of steps
    bits: int
    optimiser: Literal["adagrad", "sgd"] = "adagrad"
    rate: float
    l2: float = 0.0
    batch_size: int = 1
    epochs: int
    patience: int
    averaging: bool
    labels: bool
    rng: int | np.random.Generator | None
    warm_start: bool
    progress: bool
    pruning: float = 0.0
    _squares: Weights | None = None
    _learned_as: dict[str, Any]

    def fit(
        self,
        train: Sequence[Sentence],
        dev: Treebank | None = None,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn the weights; if that fails or is interrupted, the parser is as it was before.

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
        if dev is not None and not any(sentence.annotated.any() for sentence in dev):
            raise ArgumentError(f"none of the {len(dev)} sentences of dev has a head")
        if len(train) == 0 or not any(sentence.annotated.any() for sentence in train):
            raise ArgumentError(f"none of the {len(train)} sentences to learn from has a head")
        importance = checked_importance(sample_weight, len(train))
        with restoring(self):
            self._fit(train, dev, importance)
            self._learned_as = self._lasting()
        return self

    def _fit(self, train: Sequence[Sentence], dev: Treebank | None, importance: Floats) -> None:
        self.forests_ = Forests.of(train, projective=self.projective, single_root=self.single_root)
        if not self.joint:
            old = self.labeller_ if self.warm_start else None
            self.labeller_ = None
            if self.labels:
                model = LabelModel(rng=self.rng, threads=self.threads, progress=self.progress)
                self.labeller_ = model.fit(train, sample_weight=importance, start=old)
        weights, squares = self._start()
        rng = np.random.default_rng(self.rng)
        learner = self._prepare(train, importance, weights, squares, rng)
        mean, taken = [np.zeros_like(some) for some in learner.tables], 0
        best, best_uas, waited = learner.tables, -1.0, 0
        self.history_: list[dict[str, float]] = []
        bar = tqdm(desc="learning", total=self.epochs * _SNAPSHOTS, disable=not self.progress)
        for epoch in range(self.epochs):
            loss = 0.0
            for chunk in np.array_split(rng.permutation(len(train)), _SNAPSHOTS):
                loss += learner.learn(chunk, self.batch_size)
                if self.averaging and (epoch > 0 or self.epochs == 1):
                    taken += 1
                    for place, now in enumerate(learner.tables):
                        mean[place] += (now - mean[place]) / np.float32(taken)
                bar.update()
            self._adopt(mean if taken else learner.tables)
            self.history_.append({"loss": loss / len(train)})
            if dev is not None:
                uas = self.history_[-1]["dev_uas"] = self._uas(dev)
                waited = 0 if uas > best_uas else waited + 1
                if waited == 0:
                    best = [some.copy() for some in (mean if taken else learner.tables)]
                    best_uas = uas
            bar.set_postfix(self.history_[-1])
            if waited > 0 and waited >= self.patience:
                break
        bar.close()
        if dev is not None:
            self._adopt(best)
        self._squares = squares if self.warm_start else None

    def _prepare(
        self,
        train: Sequence[Sentence],
        importance: Floats,
        weights: Weights,
        squares: Weights,
        rng: np.random.Generator,
    ) -> Learning:
        """Return what learns these weights."""
        slots, heads = hash_slots(train, self._templates()), self.forests_.heads
        kept = self._pruned(slots, heads, importance, rng)
        lesson = Lesson(
            slots, heads, importance, *kept, self.order == 2, self.projective, self.single_root
        )
        return self._learner(lesson, new_table(weights, squares, self.rate, self.l2), train)

    def _learner(self, lesson: Lesson, new: Table, train: Sequence[Sentence]) -> Learner:
        """Return what takes the steps."""
        return Learner(lesson, new, self.threads)

    def _adopt(self, tables: Sequence[Weights]) -> None:
        """Let these tables of a learner be what was learned."""
        self.weights_ = aligned(tables[0])

    def save(self, path: PathLike) -> None:
        """Write the parameters and the weights to a file, see `models.storage`."""
        self._check_unchanged()
        parameters = self.get_params()
        if not isinstance(self.rng, Integral):
            parameters["rng"] = None  # a generator has no seed to write down
        parameters["templates"] = list(self.templates)
        texts = [template.text for template in self._templates()]
        tables: dict[str, NDArray[Any]] = {"weights": self._weights}
        if self._squares is not None and self._squares.size:
            tables["squares"] = self._squares  # what a warm start goes on from
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
            parser = cls(**{**parameters, "templates": tuple(parameters["templates"])})
            parser._check()
            known = [template.text for template in parser._templates()]
        except (KeyError, TypeError, ParameterError) as error:
            raise FormatError(path, None, f"a model with other parameters ({error})") from error
        if known != texts:
            raise FormatError(path, None, "a model with other templates than this version has")
        if ("pruner" in tables) != (parser.pruning > 0):
            raise FormatError(path, None, "a model whose pruner is not what its parameters say")
        single = ("weights", "pruner", "squares")
        if any(tables[name].ndim != 1 for name in single if name in tables):
            raise FormatError(path, None, "a model of rows of weights, expected single ones")
        parser.weights_, parser._squares = aligned(tables["weights"]), tables.get("squares")
        parser.pruner_ = None
        if "pruner" in tables:
            pruner = aligned(tables["pruner"])
            parser.pruner_ = Pruner(pruner, parser.pruning, parser.single_root)
        if {"labels", "label_weights"} & tables.keys() or (parser.labels and not parser.joint):
            parser.labeller_ = LabelModel.from_arrays(path, tables)
            if parser.joint and tuple(parser.labeller_.templates) != JOINT_LABELS:
                problem = "a model with other templates of labels than this version has"
                raise FormatError(path, None, problem)
        parser._learned_as = parser._lasting()
        return parser

    def _pruned(
        self, slots: Slots, heads: Heads, importance: Floats, rng: np.random.Generator
    ) -> Kept:
        """Learn a pruner, if there is to be one, and return the arcs to look at."""
        old = self.pruner_ if self.warm_start else None
        self.pruner_ = None
        if self.pruning == 0:
            return Kept()
        self.pruner_ = Pruner.learned(
            slots, self._templates(), heads, importance, threshold=self.pruning,
            single_root=self.single_root, rng=rng, threads=self.threads,
            start=None if old is None else old.weights,
        )  # fmt: skip
        with ThreadPoolExecutor(self.threads or os.cpu_count()) as pool:
            return self.pruner_.keep(slots, self._templates(), heads, run=pool.map)

    def _lasting(self) -> dict[str, Any]:
        """Return the parameters that what was learned depends on."""
        lasting = self.get_params()
        return {
            "bits": int(lasting["bits"]),
            "order": self.order,
            "templates": tuple(self.templates),
            "pruning": self.pruning > 0,
            "labels": bool(self.labels),
        }

    def _check_unchanged(self) -> None:
        """Refuse to write a file that nobody could read."""
        self._check()
        if self._weights is not None and self._learned_as != self._lasting():
            names = ", ".join(k for k, v in self._lasting().items() if v != self._learned_as[k])
            raise ArgumentError(f"{names} changed after fit; fit again")

    def _check(self) -> None:
        check_parameters(self.get_params(), any_rate=self.any_rate)

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
