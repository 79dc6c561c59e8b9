"""Mirroshandel & Nasr (2011): what their first parser gets wrong, and what corrections teach it.

P0 has learned from the sentences of the beginning and parses others, drawn from the pool. Learning
curves are runs of `compare`.
"""

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deppa_nb.active import uncertainty as u
from deppa_nb.active.measures import MEASURES, list_size, of_lists
from deppa_nb.corpus.evaluate import Evaluation, evaluate
from deppa_nb.corpus.sentence import Treebank
from deppa_nb.experiments.checkpoint import Checkpoint
from deppa_nb.experiments.mirroshandel2011_first import (
    First,
    FirstParameters,
    Given,
    Probabilities,
    completed,
    crossing,
    fitted_scales,
    local,
    near_punctuation,
    projective,
)
from deppa_nb.experiments.runs import Run
from deppa_nb.models.constraints import Constraints
from deppa_nb.models.matrix_tree import MatrixTreeParser
from deppa_nb.models.mira import MIRAParser

__all__ = [
    "CRF",
    "EXACT",
    "LISTS",
    "LOCAL",
    "MATRIX_TREE",
    "SCALED",
    "WAYS",
    "WIDE",
    "Lists",
    "corrections",
    "crossing_words",
    "list_name",
    "scale_name",
    "sentences",
    "words",
    "work",
]

Lists = Literal["heads", "labelled"]

LISTS: Mapping[str, int | str] = {
    "n = 20": 20, "n = 100": 100, "n = 1000": 1000, "n = l": "l", "n = 10 l": "10l",
    "n = l^1.5": "l^1.5",
}  # fmt: skip
"""How long lists are."""

LOCAL, SCALED = "local scores", "local scores, scaled"
EXACT, MATRIX_TREE = "exact marginals, scaled", "matrix-tree marginals, scaled"
"""Entropies that need no list."""

CRF = "matrix-tree marginals of a CRF"
"""Entropies of a parser that has learned from all trees, so that they need no scale."""

WAYS = ("none", "all", "wrong", "window", "uncertain", "random")
"""Which words are given: none (P0), all, those that P0 has wrong, those near punctuation marks, and
as many of the highest attachment entropy by lists of heads, or random ones."""

WIDE = 100
"""How long lists are for sentence entropy."""

_TOGETHER = 256  # sentences whose lists are in memory
_LONG = 40  # what a list costs, in parses

Floats = NDArray[np.float64]


def work(run: Run) -> float:
    """Return about how many words a run parses or learns from, as `compare.work` counts them."""
    what, train = FirstParameters.of(run), run.load().train
    parser, each = MIRAParser(**what.options), train.n_words / len(train)
    learned = what.start + (what.start + what.sample) * (len(WAYS) - 1) * (
        run.strategy == "corrections"
    )
    parsed = what.sample * (1 if run.strategy == "corrections" else _LONG)
    return float(parser.order * each * (2 * parser.epochs * learned + parsed))


def sentences(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
    """Return a row for each sentence of the sample: how unsure P0 is of it, and what is right.

    Columns are sentence, length, entropy (of raw scores) and softmax (of 100 trees), trees (how
    many there are), mean and deviation (of their scores), right (words with the right head and
    label), words.
    """
    first = First.of(run)

    def look(_: Any, scores: Floats) -> dict[str, float]:
        return {
            "entropy": u.sentence_entropy(scores, softmax=False),
            "softmax": u.sentence_entropy(scores), "trees": len(scores),
            "mean": float(scores.mean()), "deviation": float(scores.std()),
        }  # fmt: skip

    found = of_lists(look, WIDE)(first.parser, first.sample, [Constraints()] * len(first.sample))
    by = evaluate(first.sample, first.parser.predict(first.sample)).words.groupby("sentence")["las"]
    return pd.DataFrame(found).assign(
        sentence=np.arange(len(first.sample)), length=first.sample.lengths,
        right=by.sum().to_numpy().astype(int), words=by.size().to_numpy(),
    )  # fmt: skip


def list_name(size: str, lists: Lists) -> str:
    """Return the name of the attachment entropy by lists of a size (`LISTS`).

    >>> list_name("n = 20", "heads")
    'n = 20 (heads)'
    """
    return f"{size} ({lists})"


def scale_name(measure: str) -> str:
    """Return the name of the column with the scale of a measure.

    >>> scale_name(EXACT)
    'scale of exact marginals, scaled'
    """
    return f"scale of {measure}"


def words(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
    """Return a row for each word of the sample: what tells that P0 may have it wrong.

    Columns are sentence, wrong (head or label is), and entropies: of lists (`list_name`), of local
    scores as they are and times a scale, of exact marginals and, for a parser of first order,
    those by the matrix-tree theorem; the scale of each (`scale_name`).
    """
    first = First.of(run)
    right = evaluate(first.sample, first.parser.predict(first.sample)).words
    ways: dict[str, Probabilities] = {SCALED: local, EXACT: projective}
    if first.parser.order == 1:
        ways[MATRIX_TREE] = crossing
    scales = {LOCAL: 1.0, **fitted_scales(first, ways)}
    found = {
        name: _entropies(first, way, scales[name]) for name, way in {LOCAL: local, **ways}.items()
    }
    found |= {scale_name(name): np.full(len(right), by) for name, by in scales.items()}
    wrong = 1 - right["las"].astype(int)
    return pd.DataFrame(
        {"sentence": right["sentence"], "wrong": wrong, **_by_lists(first), **found}
    ).round(6)


def crossing_words(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
    """Return such rows of a CRF over all trees, crossing or not, in the place of P0.

    Columns are sentence, wrong, and entropies: of lists of l^1.5 trees without labels, and of the
    marginals that the matrix-tree theorem gives.
    """
    first = First.of(run)
    same = ("epochs", "bits", "rng", "threads", "progress")
    given = {name: value for name, value in first.parser.get_params().items() if name in same}
    parser = MatrixTreeParser(labels=True, **given).fit(first.start)
    right, free = evaluate(first.sample, parser.predict(first.sample)).words, [Constraints()]
    found: dict[str, Any] = {
        "sentence": right["sentence"], "wrong": 1 - right["las"].astype(int)
    }  # fmt: skip
    for name, measure in (
        (list_name("n = l^1.5", "heads"), "attachment-entropy-heads"), (CRF, "marginal-entropy"),
    ):  # fmt: skip
        by = MEASURES[measure].utilities(parser, first.sample, free * len(first.sample))
        found[name] = np.concatenate([own[1:] for own in by])
    return pd.DataFrame(found).round(6)


def _entropies(first: First, way: Probabilities, scale: float) -> Floats:
    """Return the entropy of the probabilities of heads for each word of the sample."""
    found = first.parser.map(
        lambda trees: -u.marginal_entropy(way(trees.scaled(scale)))[1:], first.sample
    )
    return np.concatenate(found)


def _by_lists(first: First) -> dict[str, Floats]:
    """Return attachment entropies by name: a short list is the head of a long one."""
    sizes = {name: list_size(n) for name, n in LISTS.items()}

    def longest(n: int) -> int:
        return max(size(n) for size in sizes.values())

    def entropies(trees: NDArray[np.int32]) -> Floats:
        n = trees.shape[1] - 1
        return np.array([u.attachment_entropy(trees[: size(n)])[1:] for size in sizes.values()])

    heads = first.parser.map(
        lambda trees: entropies(trees.nbest(longest(trees.n))[0]), first.sample
    )
    labelled = []
    for start in range(0, len(first.sample), _TOGETHER):
        some = first.sample[start : start + _TOGETHER]
        labelled += [entropies(f.heads) for f in first.parser.nbests_labelled(some, longest)]
    found = {}
    for lists, by_sentence in zip(get_args(Lists), (heads, labelled), strict=True):
        for name, values in zip(sizes, np.concatenate(by_sentence, axis=1), strict=True):
            found[list_name(name, lists)] = values
    return found


def corrections(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
    """Return what parsers get right that have learned from corrected sentences (Table 1).

    Of the sample some words are given (`WAYS`), P0 parses around them, and another parser learns
    from the result and the sentences of the beginning. A row for each way and test sentence:
    way, given (words), lessons (percent of the result's words that are right), sentence, heads
    (right ones), right (head and label), words.
    """
    first = First.of(run)
    return pd.concat(
        [_taught(first, way, given) for way, given in _given(first, run.seed).items()],
        ignore_index=True,
    )


def _taught(first: First, way: str, given: Given) -> pd.DataFrame:
    lessons = completed(first.parser, first.sample, given)
    parser = MIRAParser(**first.parser.get_params())
    if way == "none":
        parser = first.parser
    else:
        parser.fit([*first.start, *lessons])
    by = evaluate(first.test, parser.predict(first.test)).words.groupby("sentence")
    return pd.DataFrame(
        {
            "way": way, "given": int(given.sum()), "lessons": _las(first.sample, lessons),
            "sentence": np.arange(len(first.test)), "heads": by["uas"].sum().astype(int),
            "right": by["las"].sum().astype(int), "words": by.size(),
        }
    )  # fmt: skip


def _las(gold: Treebank, found: Treebank) -> float:
    return round(evaluate(gold, found).las, 6)


def _given(first: First, seed: int) -> dict[str, Given]:
    """Return the words that are given in each way, one after the other."""
    sample, parser = first.sample, first.parser
    found: Evaluation = evaluate(sample, parser.predict(sample))
    window = near_punctuation(sample)
    free = [Constraints()] * len(sample)
    entropies = MEASURES["attachment-entropy-heads"].utilities(parser, sample, free)
    values = np.concatenate([own[1:] for own in entropies])
    rng = np.random.default_rng([seed, 1])
    chance = rng.random(len(values))
    return {
        "none": np.zeros_like(window), "all": np.ones_like(window),
        "wrong": found.words["las"].to_numpy() < 1, "window": window,
        "uncertain": _first_of(np.lexsort((chance, -values)), int(window.sum())),
        "random": _first_of(rng.permutation(len(values)), int(window.sum())),
    }  # fmt: skip


def _first_of(order: NDArray[np.int64], count: int) -> Given:
    chosen = np.zeros(len(order), bool)
    chosen[order[:count]] = True
    return chosen
