"""A tagger: which part of speech each word is."""

import json
import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold
from tqdm.auto import tqdm

from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.textfile import PathLike
from deppa_nb.errors import ArgumentError, FormatError, ParameterError
from deppa_nb.features.slots import hash_slots
from deppa_nb.features.templates import TAGS, Template
from deppa_nb.kernels import tagging
from deppa_nb.models.checks import check_parameters, restoring
from deppa_nb.models.storage import load_model, save_model

__all__ = ["Tagger"]

_SNAPSHOTS = 4  # of the weights in an epoch, to average over
_DELTA = 1.0
_SHARD = 512  # sentences that a thread takes at a time
_OPEN = "_"
_OF_TAGS = {"p", "lemma", "feats", "left", "right", "marker", "clause", "verbs", "final"}

Slots = tuple[NDArray[np.uint32], NDArray[np.int64]]


class Tagger(BaseEstimator):  # type: ignore[misc, unused-ignore]
    """p(tags | words) of a linear chain: words see their neighbours, tags the tags beside them.

    Learned from the words that have a tag; others are open, as heads are in partial trees.

    Parameters
    ----------
    column
        ``"upos"`` or ``"xpos"``: which tags.
    templates
        As in `features.templates.TAGS`; they must not look at tags.
    bits
        The table has ``2**bits`` rows of one weight for each tag.
    rate, epochs
        Length of a step of AdaGrad and passes over the sentences; from the second on the weights
        are averaged.
    rng
        A seed or a generator, for the order of the sentences.
    threads
        How many tag (all processors if None); learning takes one.
    progress
        Whether to show a bar.

    Attributes
    ----------
    tags_
        The tags seen, the most frequent first.
    weights_, transitions_
        ``(2**bits, tags)`` float32, ``(tags, tags)``.

    Examples
    --------
    >>> from deppa_nb.corpus.registry import load
    >>> bank = load("toy-short", sizes={"train": 50}).train
    >>> Tagger(bits=12, progress=False).fit(bank).accuracy(bank)
    100.0
    """

    def __init__(
        self,
        *,
        column: Literal["upos", "xpos"] = "upos",
        templates: Sequence[str] = TAGS,
        bits: int = 18,
        rate: float = 0.3,
        epochs: int = 3,
        rng: int | np.random.Generator | None = 1,
        threads: int | None = None,
        progress: bool = True,
    ) -> None:
        self.column = column
        self.templates = templates
        self.bits = bits
        self.rate = rate
        self.epochs = epochs
        self.rng = rng
        self.threads = threads
        self.progress = progress

    def fit(self, sentences: Sequence[Sentence]) -> Self:
        """Learn from all words with a tag."""
        check_parameters(self.get_params())
        with restoring(self):
            self._fit(sentences)
        return self

    def _fit(self, sentences: Sequence[Sentence]) -> None:
        given = [tag for sentence in sentences for tag in self._given(sentence)]
        counts = Counter(tag for tag in given if tag != _OPEN)
        if not counts:
            problem = f"none of the {len(sentences)} sentences to learn from has a tag"
            raise ArgumentError(f"{problem} in column {self.column}")
        self.tags_ = tuple(sorted(counts, key=lambda tag: (-counts[tag], tag)))
        number = {tag: k for k, tag in enumerate(self.tags_)}
        tags = np.array([number.get(tag, -1) for tag in given], np.int32)
        self._learn(self._slots(sentences), tags)

    def _learn(self, words: Slots, tags: NDArray[np.int32]) -> None:
        slots, firsts = words
        size, rng = len(self.tags_), np.random.default_rng(self.rng)
        weights, transitions = np.zeros((1 << self.bits, size), np.float32), np.zeros((size, size))
        squares, transition_squares = np.zeros_like(weights), np.zeros_like(transitions)
        self.weights_, self.transitions_ = np.zeros_like(weights), np.zeros_like(transitions)
        taken = 0
        bar = tqdm(desc="tags", total=self.epochs * _SNAPSHOTS, disable=not self.progress)
        with bar:
            for epoch in range(self.epochs):
                for chunk in np.array_split(rng.permutation(len(firsts) - 1), _SNAPSHOTS):
                    tagging.learn_tags(
                        slots, firsts, tags, chunk, weights, squares, transitions,
                        transition_squares, self.rate, _DELTA,
                    )  # fmt: skip
                    if epoch > 0 or self.epochs == 1:
                        taken += 1
                        self.weights_ += (weights - self.weights_) / np.float32(taken)
                        self.transitions_ += (transitions - self.transitions_) / taken
                    bar.update()

    def predict_tags(self, sentences: Sequence[Sentence]) -> list[list[str]]:
        """Return the best n tags of each sentence; its own are not looked at."""
        if not hasattr(self, "weights_"):
            raise NotFittedError("this Tagger has no weights yet; call fit")
        names = np.array(self.tags_, object)

        def tag(some: slice) -> list[list[str]]:
            slots, firsts = self._slots(sentences[some])
            best = np.empty(firsts[-1], np.int32)
            tagging.tag_batch(slots, firsts, self.weights_, self.transitions_, best)
            return [found.tolist() for found in np.split(names[best], firsts[1:-1])]

        shards = [slice(i, i + _SHARD) for i in range(0, len(sentences), _SHARD)]
        with ThreadPoolExecutor(self.threads or os.cpu_count()) as pool:
            return [tags for found in pool.map(tag, shards) for tags in found]

    @overload
    def predict(self, sentences: Sentence) -> Sentence: ...
    @overload
    def predict(self, sentences: Treebank) -> Treebank: ...
    def predict(self, sentences: Any) -> Any:
        """Return a sentence or a treebank with the tags found in the place of those it has."""
        if isinstance(sentences, Sentence):
            return self.predict(Treebank((sentences,)))[0]
        if not isinstance(sentences, Treebank):
            return self.predict(Treebank(tuple(sentences)))
        found = zip(sentences, self.predict_tags(sentences), strict=True)
        return sentences.with_sentences(s.with_column(self.column, tags) for s, tags in found)

    def accuracy(self, sentences: Sequence[Sentence]) -> float:
        """Return how many in a hundred of the tags that are given are found."""
        pairs = zip(sentences, self.predict_tags(sentences), strict=True)
        right = [
            tag == own
            for sentence, tags in pairs
            for tag, own in zip(tags, self._given(sentence), strict=True)
            if own != _OPEN
        ]
        return 100.0 * float(np.mean(right)) if right else float("nan")

    def jackknifed(self, bank: Treebank, folds: int = 10) -> Treebank:
        """Return a treebank with tags as a tagger would give them that has not seen the sentence.

        For each fold a tagger like this one learns from all others; the sentences of a fold are
        drawn at random. A parser that learns from such tags meets the errors it will meet.

        Parameters
        ----------
        bank
            With tags.
        folds
            How many, from 2 to the number of sentences.
        """
        if not isinstance(bank, Treebank):
            bank = Treebank(tuple(bank))
        if not 2 <= folds <= len(bank):
            raise ArgumentError(f"folds is {folds}, expected 2 to {len(bank)}, the sentences")
        seed = int(np.random.default_rng(self.rng).integers(2**31))
        tagger = type(self)(**self.get_params()).set_params(progress=False)
        found: dict[int, Sentence] = {}
        splits = KFold(folds, shuffle=True, random_state=seed).split(bank.sentences)
        for others, own in tqdm(splits, "folds", folds, disable=not self.progress):
            tagger.fit([bank[k] for k in others])
            held_out = Treebank(tuple(bank[k] for k in own))
            found |= zip(own.tolist(), tagger.predict(held_out), strict=True)
        return bank.with_sentences(found[k] for k in range(len(bank)))

    def save(self, path: PathLike) -> None:
        """Write the parameters and the weights to a file, see `models.storage`."""
        if not hasattr(self, "weights_"):
            raise NotFittedError("this Tagger has no weights yet; call fit")
        parameters = self.get_params() | {"templates": list(self.templates)}
        if not isinstance(self.rng, Integral):
            parameters["rng"] = None  # a generator has no seed to write down
        tables: dict[str, NDArray[Any]] = {
            "weights": self.weights_,
            "transitions": self.transitions_,
            "tags": np.array(json.dumps(self.tags_)),
        }
        save_model(path, type(self).__name__, parameters, list(self.templates), tables)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Return the tagger that a file holds."""
        parameters, texts, tables = load_model(path, cls.__name__)
        try:
            tagger = cls(**{**parameters, "templates": tuple(parameters["templates"])})
            check_parameters(tagger.get_params())
            if texts != list(tagger.templates):
                raise ValueError("templates that differ from its parameters")
            tagger.tags_ = tuple(json.loads(str(tables["tags"])))
            tagger.weights_, tagger.transitions_ = tables["weights"], tables["transitions"]
        except (KeyError, TypeError, ValueError, ParameterError) as error:
            raise FormatError(path, None, f"a tagger of another kind ({error})") from error
        size = len(tagger.tags_)
        if tagger.weights_.shape[1:] != (size,) or tagger.transitions_.shape != (size, size):
            problem = f"weights of shape {tagger.weights_.shape} for {size} tags"
            raise FormatError(path, None, problem)
        numbers = tagger.transitions_
        if numbers.dtype != np.float64 or not np.isfinite(numbers).all():
            raise FormatError(path, None, "a tagger with transitions that are no numbers")
        return tagger

    def _given(self, sentence: Sentence) -> tuple[str, ...]:
        column: tuple[str, ...] = getattr(sentence, self.column)
        return column[1:]

    def _slots(self, sentences: Sequence[Sentence]) -> Slots:
        """Return the slots of words, without roots, and where sentences begin."""
        templates = [Template.read(text) for text in self.templates]
        for template in templates:
            seen = {name for name, _ in template.atoms["m"]}
            of_others = template.atoms["h"] or template.atoms["s"] or template.between
            if template.part != "arc" or of_others or seen & _OF_TAGS:
                raise ParameterError(f"{template.text!r}: not for tags, expected words, m alone")
        found = hash_slots(sentences, templates)
        is_word = np.ones(found.firsts[-1], bool)
        is_word[found.firsts[:-1]] = False
        firsts = found.firsts - np.arange(len(found.firsts))
        return np.ascontiguousarray(found.arc_m[:, is_word]), firsts
