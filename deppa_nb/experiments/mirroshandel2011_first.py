"""The first parser of Mirroshandel & Nasr (2011), P0: what it learns from and what it parses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deppa_nb.active.asking import known_heads
from deppa_nb.corpus.evaluate import is_punctuation
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.runs import Run, read_parameters, threads
from deppa_nb.experiments.splits import Tags, splits_of
from deppa_nb.models.distribution import TreeDistribution
from deppa_nb.models.mira import MIRAParser

__all__ = [
    "First",
    "FirstParameters",
    "Given",
    "Probabilities",
    "completed",
    "crossing",
    "fitted_scales",
    "local",
    "near_punctuation",
    "projective",
]

_WINDOW = 3  # words on each side of a punctuation mark
_FOLDS, _SCALES, _TINY = 5, (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0), 1e-9

Floats = NDArray[np.float64]
Given = NDArray[np.bool_]
Probabilities = Callable[[TreeDistribution], Floats]
"""Probabilities of arcs, ``[head, word]``."""


@dataclass(frozen=True)
class FirstParameters:
    """What these runs depend on besides corpus and seed.

    Attributes
    ----------
    start, sample
        Sentences that P0 learns from, and how many others it parses.
    options
        What differs from the defaults of `MIRAParser`.
    load, longest, tags, most
        See `splits`.
    """

    start: int
    sample: int
    options: dict[str, Any] = field(default_factory=dict)
    load: dict[str, Any] = field(default_factory=dict)
    longest: int = 0
    tags: Tags = "given"
    most: int = 0

    @classmethod
    def of(cls, run: Run) -> "FirstParameters":
        """Return a run's parameters; names that are not known are refused."""
        return read_parameters(cls, run)


@dataclass(frozen=True, eq=False)
class First:
    """P0, the trees it has learned from, the other sentences, and the test set."""

    parser: MIRAParser
    start: Treebank
    sample: Treebank
    test: Treebank

    @classmethod
    def of(cls, run: Run) -> "First":
        """Return what the curve of the same seed begins with."""
        what, (train, _, test) = FirstParameters.of(run), splits_of(run)
        if test is None or what.start + what.sample > len(train):
            found = f"{len(train)} sentences to learn from and {'no' if test is None else 'a'} test"
            expected = f"{what.start} + {what.sample} and a test set"
            raise ParameterError(f"{run}: {found}, expected {expected}")
        rng = np.random.default_rng(run.seed)
        first = rng.choice(len(train), what.start, replace=False)
        others = np.setdiff1d(np.arange(len(train)), first)
        drawn = rng.choice(others, what.sample, replace=False)
        start, sample = (
            train.with_sentences(train[j] for j in np.sort(places)) for places in (first, drawn)
        )
        parser = MIRAParser(**what.options, progress=False, threads=threads(), rng=run.seed)
        return cls(parser.fit(start), start, sample, test)


def fitted_scales(first: First, ways: Mapping[str, Probabilities]) -> dict[str, float]:
    """Return by what scores are multiplied to be logarithms, for each way to get probabilities.

    Those of MIRA have no scale. With this one, heads that a parser has not seen are likeliest, each
    by itself: it has learned from four of five sentences of the beginning, and tells by the others.
    """
    parser = MIRAParser(**first.parser.get_params())
    held = [sentence for j, sentence in enumerate(first.start) if j % _FOLDS == _FOLDS - 1]
    parser.fit([sentence for j, sentence in enumerate(first.start) if j % _FOLDS < _FOLDS - 1])

    def log_likelihood(way: Probabilities, scale: float) -> float:
        found = parser.map(lambda trees: way(trees.scaled(scale)), held)
        p = [own[s.heads[1:], np.arange(1, len(s) + 1)] for own, s in zip(found, held, strict=True)]
        return float(np.log(np.maximum(np.concatenate([np.ones(1), *p]), _TINY)).sum())

    return {name: max(_SCALES, key=partial(log_likelihood, way)) for name, way in ways.items()}


def local(trees: TreeDistribution) -> Floats:
    """Return the softmax of the scores of arcs into each word, with no regard to trees."""
    arcs = trees.relative_arcs
    p = np.zeros_like(arcs)
    p[:, 1:] = np.exp(arcs[:, 1:] - arcs[:, 1:].max(axis=0))
    p[:, 1:] /= p[:, 1:].sum(axis=0)
    return p


def projective(trees: TreeDistribution) -> Floats:
    """Return the marginals of arcs over the trees that the parser can have."""
    return trees.marginals


def crossing(trees: TreeDistribution) -> Floats:
    """Return the marginals of arcs over all trees, whether arcs cross or not (matrix-tree)."""
    every = TreeDistribution(trees.relative_arcs, projective=False, single_root=trees.single_root)
    return every.marginals


def completed(parser: MIRAParser, gold: Treebank, given: Given) -> Treebank:
    """Return trees that have the given words' heads and labels; the parser finds the others.

    Parameters
    ----------
    given
        ``(words,)``, of all sentences, one after the other.
    """
    if given.all():
        return gold
    parts = np.split(given, np.cumsum(gold.lengths)[:-1])
    partial = gold.with_sentences(
        sentence.with_heads(np.where(some, sentence.heads[1:], -1).tolist())
        for sentence, some in zip(gold, parts, strict=True)
    )
    return parser.predict(partial, known_heads(parser, partial))


def near_punctuation(bank: Treebank | Sequence[Sentence]) -> Given:
    """Mark the six words around each punctuation mark, three on each side.

    >>> near_punctuation([Sentence.of(["So", "it", "is", ",", "I", "say"])]).tolist()
    [True, True, True, False, True, True]
    """
    treebank = bank if isinstance(bank, Treebank) else Treebank(tuple(bank))
    marks = np.split(is_punctuation(treebank), np.cumsum(treebank.lengths)[:-1])
    near = []
    for own in marks:
        places, at = np.arange(len(own)), np.flatnonzero(own)
        away = np.abs(places[:, None] - at)
        near.append(((away > 0) & (away <= _WINDOW)).any(axis=1))
    return np.concatenate([np.empty(0, bool), *near])
