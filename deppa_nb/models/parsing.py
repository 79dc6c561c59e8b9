"""Sentences as a parser completes them: trees, the k best trees, probabilities of arcs in MISC."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.errors import ArgumentError
from deppa_nb.models.constraints import Constraints
from deppa_nb.models.distribution import TreeDistribution
from deppa_nb.models.forests import Forests
from deppa_nb.models.graph import GraphParser, ProbabilisticParser
from deppa_nb.models.mira import MIRAParser

__all__ = ["MARGINAL", "completed"]

MARGINAL = "Marginal"
"""The key in MISC of p(head -> word) of the word's arc."""

_CHUNK = 1024  # sentences in memory at a time

Floats = NDArray[np.float64]
Report = Callable[[Sentence, list[int]], None]


class _Trees(NamedTuple):
    """Trees of a sentence, (k, n + 1); if asked for what they score, marginals, labels."""

    heads: NDArray[np.int32]
    scores: Floats | None = None
    marginals: Floats | None = None
    labels: list[list[str]] | None = None


def completed(
    parser: GraphParser,
    sentences: Iterable[Sentence],
    *,
    keep_heads: bool = False,
    nbest: int | None = None,
    marginals: bool = False,
    report: Report = lambda sentence, words: None,
) -> Iterator[Sentence]:
    """Yield sentences with the trees found; all else of them is kept.

    Parameters
    ----------
    parser
        It has learned.
    sentences
        Any number; about a thousand are in memory at a time.
    keep_heads
        Whether heads and labels that are given stay. A full tree stays as it is, even one that is
        not projective; of a partial one that no projective tree has, the fewest heads are given up.
    nbest
        Yield so many trees of each sentence (fewer if there are fewer; of a `MIRAParser`, two that
        differ in a label are two), each with the comments
        ``# rank = 1`` and ``# log_prob = -0.123456``, or ``# score = 12.345678`` if scores are no
        logs of probabilities.
    marginals
        Whether MISC tells the probability of each arc, ``Marginal=0.9876``, given what is kept.
    report
        Called with every sentence some of whose heads had to be given up, and those words.
    """
    if marginals and not isinstance(parser, ProbabilisticParser):
        raise ArgumentError(f"{type(parser).__name__} has scores but no probabilities of arcs")
    rest = iter(sentences)
    while chunk := list(islice(rest, _CHUNK)):
        limits = [_limits(parser, s, report) for s in chunk] if keep_heads else None
        full = [keep_heads and sentence.is_full for sentence in chunk]
        to_parse = [k for k, done in enumerate(full) if not done]
        found = iter(
            _trees(
                parser,
                [chunk[k] for k in to_parse],
                None if limits is None else [limits[k] for k in to_parse],
                nbest,
                marginals,
            )
        )
        trees = [
            _given(parser, sentence) if done else next(found)
            for sentence, done in zip(chunk, full, strict=True)
        ]
        which = [(k, rank) for k, some in enumerate(trees) for rank in range(len(some.heads))]
        bare = [(k, rank) for k, rank in which if trees[k].labels is None]
        predicted = iter(
            parser.predict_labels(
                [chunk[k] for k, _ in bare],
                [trees[k].heads[rank] for k, rank in bare],
                None if limits is None else [limits[k] for k, _ in bare],
            )
        )
        for k, rank in which:
            own = trees[k].labels
            names = next(predicted) if own is None else own[rank]
            written = _written(chunk[k], trees[k], rank, names, marginals)
            yield _ranked(parser, written, trees[k], rank) if nbest is not None else written


def _limits(parser: GraphParser, sentence: Sentence, report: Report) -> Constraints:
    """Return what is kept of a sentence: all of it, or what a projective tree can have."""
    if sentence.is_full:
        return Constraints.of(sentence)
    heads = Forests.of(
        [sentence], projective=parser.projective, single_root=parser.single_root
    ).heads
    lost = np.flatnonzero(heads != sentence.heads)
    if lost.size:
        report(sentence, lost.tolist())
    labels = ["_" if m in lost else label for m, label in enumerate(sentence.labels)]
    return Constraints(heads, tuple(labels))


def _given(parser: GraphParser, sentence: Sentence) -> _Trees:
    """Return the tree of a sentence that has one: given all its heads, it is certain."""
    scores = np.zeros(1) if isinstance(parser, ProbabilisticParser) else np.full(1, np.nan)
    return _Trees(sentence.heads[None], scores, np.ones((1, len(sentence))))


def _trees(
    parser: GraphParser,
    sentences: Sequence[Sentence],
    limits: Sequence[Constraints] | None,
    nbest: int | None,
    marginals: bool,
) -> list[_Trees]:
    if nbest is None and not marginals:
        return [_Trees(heads[None]) for heads in parser.predict_heads(sentences, limits)]
    if nbest is not None and isinstance(parser, MIRAParser):
        lists = parser.nbests_labelled(sentences, nbest, limits)
        return [_Trees(best.heads, best.scores, None, best.labels) for best in lists]

    def ask(trees: TreeDistribution) -> _Trees:
        if nbest is None:
            heads, scores = parser._best(trees)[None], None
        else:
            heads, scores = parser.ranked(trees, nbest)
        words = np.arange(1, heads.shape[1])
        return _Trees(heads, scores, trees.marginals[heads[:, 1:], words] if marginals else None)

    return parser.map(ask, sentences, limits)


def _written(
    sentence: Sentence, trees: _Trees, rank: int, labels: Sequence[str], marginals: bool
) -> Sentence:
    found = sentence.with_tree(trees.heads[rank], labels)
    if not marginals:
        return found
    assert trees.marginals is not None
    pairs = zip(sentence.misc[1:], trees.marginals[rank], strict=True)
    return found.with_column("misc", [_with_marginal(misc, p) for misc, p in pairs])


def _ranked(parser: GraphParser, found: Sentence, trees: _Trees, rank: int) -> Sentence:
    """Return a tree of several with the comments that tell which."""
    assert trees.scores is not None
    what = "log_prob" if isinstance(parser, ProbabilisticParser) else "score"
    score = trees.scores[rank]
    scored = [] if np.isnan(score) else [f"# {what} = {score:.6f}"]  # a given tree has none
    found = found.with_comments([f"# rank = {rank + 1}", *scored])
    if rank > 0:  # what a file has before its first sentence is there once
        found = replace(found, frame=found.frame._replace(before=""))
    return found


def _with_marginal(misc: str, p: float) -> str:
    others = [item for item in misc.split("|") if item != "_" and not _is_marginal(item)]
    return "|".join([*others, f"{MARGINAL}={p:.4f}"])


def _is_marginal(item: str) -> bool:
    return item.partition("=")[0] == MARGINAL
