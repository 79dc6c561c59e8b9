"""Labels of arcs, given the tree."""

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from tqdm.auto import tqdm

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.corpus.textfile import PathLike
from deppa_nb.corpus.trees import Heads
from deppa_nb.errors import ArgumentError, FormatError, ParameterError
from deppa_nb.features.slots import hash_slots
from deppa_nb.features.templates import LABELS, Template
from deppa_nb.kernels import labelling
from deppa_nb.kernels.slots import Slots

__all__ = ["JOINT_LABELS", "LabelModel", "read_templates"]

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

_SNAPSHOTS = 4  # of the weights in an epoch, to average over
_DELTA = 1.0
_SHARD = 256  # sentences that a thread takes at a time
_OPEN = "_"

JOINT_LABELS = tuple(text for text in LABELS if Template.read(text).part == "arc")
"""Templates of labels that look at arcs alone: those that can be learned together with trees."""


class LabelModel(BaseEstimator):  # type: ignore[misc, unused-ignore]
    """p(label | head -> word): multinomial logistic regression, learned from labelled arcs.

    An arc is learned from if its head and its label are given, whatever else of the tree is open.
    Features of the word's first dependent are used only where the whole tree is known.

    Parameters
    ----------
    templates
        As in `features.templates.LABELS`.
    bits
        The table has ``2**bits`` rows of one weight for each label.
    rate, epochs
        Length of a step of AdaGrad and passes over the arcs; from the second on the weights are
        averaged.
    rng
        A seed or a generator, for the order of the arcs.
    threads
        How many predict (all processors if None); learning takes one.
    progress
        Whether to show a bar.

    Attributes
    ----------
    labels_
        The labels seen, the most frequent first.
    weights_
        ``(2**bits, labels)`` float32.

    Examples
    --------
    >>> from deppa_nb.corpus.registry import load
    >>> bank = load("toy-short", sizes={"train": 50}).train
    >>> model = LabelModel(bits=12, progress=False).fit(bank)
    >>> model.predict(bank[:1], [bank[0].heads])[0] == list(bank[0].labels[1:])
    True
    """

    labels_: tuple[str, ...]
    weights_: NDArray[np.float32]

    def __init__(
        self,
        *,
        templates: Sequence[str] = LABELS,
        bits: int = 17,
        rate: float = 0.5,
        epochs: int = 2,
        rng: int | np.random.Generator | None = 1,
        threads: int | None = None,
        progress: bool = True,
    ) -> None:
        self.templates = templates
        self.bits = bits
        self.rate = rate
        self.epochs = epochs
        self.rng = rng
        self.threads = threads
        self.progress = progress

    def fit(
        self,
        sentences: Sequence[Sentence],
        *,
        sample_weight: ArrayLike | None = None,
        start: "LabelModel | None" = None,
    ) -> Self:
        """Learn from all arcs with a head and a label.

        Parameters
        ----------
        sentences
            Trees, full or partial.
        sample_weight
            ``(sentences,)``: what the loss of each arc of a sentence counts.
        start
            A model to go on from; its labels stay.
        """
        importance = np.ones(len(sentences)) if sample_weight is None else np.array(sample_weight)
        slots, arcs = self._arcs(sentences, [s.heads for s in sentences])
        of_tokens = np.repeat(importance.astype(float), np.diff(slots.firsts))
        every = np.array([label for s in sentences for label in s.labels], object)
        arcs = arcs[(every[arcs[:, 0]] != _OPEN) & (of_tokens[arcs[:, 0]] > 0)]
        if len(arcs) == 0 and start is not None:
            self.labels_, self.weights_ = start.labels_, start._weights
            return self
        if len(arcs) == 0:
            raise ArgumentError(
                f"none of the {len(sentences)} sentences to learn labels from has an arc with one"
            )
        counts = Counter(every[arcs[:, 0]].tolist())
        found = sorted(counts, key=lambda label: (-counts[label], label))
        known: tuple[str, ...] = start.labels_ if start is not None else ()
        self.labels_ = (*known, *(label for label in found if label not in known))
        number = {label: k for k, label in enumerate(self.labels_)}
        labels = np.array([number[label] for label in every[arcs[:, 0]]], np.int32)
        weights = np.zeros((1 << self.bits, len(self.labels_)), np.float32)
        if start is not None:
            weights[:, : len(known)] = start._weights
        self.weights_ = self._learned(slots, arcs, labels, of_tokens[arcs[:, 0]], weights)
        return self

    def _learned(
        self,
        slots: Slots,
        arcs: Places,
        labels: NDArray[np.int32],
        importance: Floats,
        weights: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        rng = np.random.default_rng(self.rng)
        squares, mean, taken = np.zeros_like(weights), np.zeros_like(weights), 0
        bar = tqdm(desc="labels", total=self.epochs * _SNAPSHOTS, disable=not self.progress)
        with bar:
            for epoch in range(self.epochs):
                for chunk in np.array_split(rng.permutation(len(arcs)), _SNAPSHOTS):
                    labelling.learn_labels(
                        slots, arcs, labels, importance, chunk, weights, squares, self.rate, _DELTA
                    )
                    if epoch > 0 or self.epochs == 1:
                        taken += 1
                        mean += (weights - mean) / np.float32(taken)
                    bar.update()
        return mean

    def predict(self, sentences: Sequence[Sentence], heads: Sequence[Heads]) -> list[list[str]]:
        """Return the likeliest n labels of each sentence, given its tree.

        Parameters
        ----------
        sentences
            Their own heads and labels are not looked at.
        heads
            A tree for each, ``(n + 1,)``, no word open.
        """
        weights, names = self._weights, np.array(self.labels_, object)

        def label(some: slice) -> list[list[str]]:
            slots, arcs = self._arcs(sentences[some], heads[some])
            if len(arcs) != slots.firsts[-1] - len(heads[some]):
                raise ArgumentError("a tree to be labelled has open heads, expected full trees")
            best = np.empty(len(arcs), np.int32)
            labelling.best_labels(slots, arcs, weights, best)
            ends = np.cumsum([len(sentence) for sentence in sentences[some]])[:-1]
            return [found.tolist() for found in np.split(names[best], ends)]

        shards = [slice(i, i + _SHARD) for i in range(0, len(sentences), _SHARD)]
        with ThreadPoolExecutor(self.threads or os.cpu_count()) as pool:
            return [labels for found in pool.map(label, shards) for labels in found]

    def probabilities(self, sentence: Sentence, heads: Heads) -> NDArray[np.float32]:
        """Return p(label | head of word m), ``(n, labels)``, of one sentence, given its tree."""
        slots, arcs = self._arcs([sentence], [heads])
        found = np.empty((len(arcs), len(self.labels_)), np.float32)
        labelling.label_probabilities(slots, arcs, self._weights, found)
        return found

    def _arcs(self, sentences: Sequence[Sentence], heads: Sequence[Heads]) -> tuple[Slots, Places]:
        """Return the slots of sentences and, of all words with a head, what `labelling` takes."""
        slots = hash_slots(sentences, read_templates(self.templates))
        sizes = np.diff(slots.firsts)
        every = np.concatenate([*heads, np.empty(0, np.int32)])
        words = np.flatnonzero(every >= 0)
        places = every[words] + np.repeat(slots.firsts[:-1], sizes)[words]
        first = np.full(len(every), labelling.NONE)
        left = words < places
        first[places[left][::-1]] = words[left][::-1]  # the last that is written is the leftmost
        given = np.add.reduceat((every >= 0).astype(np.int64), slots.firsts[:-1])
        known = np.repeat(given == sizes - 1, sizes)
        third = np.where(known, first, labelling.UNKNOWN)[words]
        return slots, np.stack([words, places, third], axis=1)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a file has to hold, see `models.storage`."""
        return {
            "labels": np.array(json.dumps(self.labels_)),
            "label_templates": np.array(json.dumps(list(self.templates))),
            "label_weights": self._weights,
        }

    @classmethod
    def from_arrays(cls, path: PathLike, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the model that the arrays of a file hold."""
        try:
            labels = tuple(json.loads(str(arrays["labels"])))
            templates = json.loads(str(arrays["label_templates"]))
            weights = arrays["label_weights"]
            read_templates(templates)
        except (KeyError, ValueError, TypeError, AttributeError, ParameterError) as error:
            raise FormatError(path, None, f"a model without its labels ({error})") from error
        bits = weights.shape[0].bit_length() - 1 if weights.ndim == 2 else 0
        if not templates or not np.isfinite(weights).all():
            raise FormatError(path, None, "a model whose labels have no templates or no weights")
        if weights.dtype != np.float32 or weights.shape != (1 << bits, len(labels)):
            problem = f"label weights of shape {weights.shape} for {len(labels)} labels"
            raise FormatError(path, None, problem)
        model = cls(templates=templates, bits=bits)
        model.labels_, model.weights_ = labels, weights
        return model

    @property
    def _weights(self) -> NDArray[np.float32]:
        if not hasattr(self, "weights_"):
            raise NotFittedError("this LabelModel has no weights yet; call fit")
        return self.weights_


def read_templates(texts: Sequence[str]) -> list[Template]:
    """Return templates of labels."""
    templates = [Template.read(text) for text in texts]
    for template in templates:
        if template.part not in ("arc", "triple") or template.between in ("counts", "each"):
            raise ParameterError(f"{template.text!r}: not for labels, expected h, m and s or b.set")
    return templates
