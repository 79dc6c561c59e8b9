"""What the walk through Wanvarie et al. (2011) shows, on one sequence."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deppa_nb.active.splitting import merge_subtasks, subtask
from deppa_nb.corpus.iob import to_iob1, to_iob2
from deppa_nb.corpus.sequences import OPEN, Sequence
from deppa_nb.errors import ArgumentError
from deppa_nb.models.chain_crf import ChainCRF

__all__ = [
    "Listed",
    "both_formats",
    "cut",
    "effect_of",
    "find_conflict",
    "find_spared",
    "list_sequences",
    "split_example",
    "touching",
    "with_some",
]

_MOST = 200_000  # sequences that are listed
_MOST_SUMMED = 10_000_000  # and of which the scores are added up


class Listed(NamedTuple):
    """All label sequences of some tokens, the most probable first: what takes no algorithm.

    Attributes
    ----------
    labels
        Of each.
    probabilities
        Of each (eq. 1).
    marginals
        ``(tokens, labels)``, given what is known.
    """

    labels: list[tuple[str, ...]]
    probabilities: NDArray[np.float64]
    marginals: NDArray[np.float64]

    @property
    def total(self) -> float:
        """The probability of what is given: a sum over all sequences that have it (eq. 5)."""
        return float(self.probabilities.sum())

    def table(self, words: Iterable[str], most: int) -> pd.DataFrame:
        """Return the likeliest."""
        found = pd.DataFrame(self.labels[:most], columns=list(words))
        return found.assign(p=self.probabilities[:most])


def with_some(sequence: Sequence, known: tuple[int, ...] = ()) -> Sequence:
    """Return a sequence in which only these tokens, from 0, have their label."""
    labels = tuple(label if t in known else OPEN for t, label in enumerate(sequence.labels))
    return replace(sequence, columns=(*sequence.columns[:-1], labels))


def cut(sequence: Sequence, first: int, last: int) -> Sequence:
    """Return some of the tokens."""
    return replace(sequence, columns=tuple(column[first:last] for column in sequence.columns))


def list_sequences(crf: ChainCRF, sequence: Sequence) -> Listed:
    """Return every label sequence that has the given labels, each scored by itself.

    No forward-backward: scores of *all* sequences are added up for Z (eq. 2), given labels or not.
    """
    numbers = [
        range(len(crf.labels_)) if label == OPEN else (_number(crf, label),)
        for label in sequence.labels
    ]
    count, free = prod(map(len, numbers)), len(crf.labels_) ** len(sequence)
    if count > _MOST or free > _MOST_SUMMED:
        raise ArgumentError(f"{free} label sequences, {count} with the labels, are too many")
    scores = _scores(crf, sequence)
    top = scores.max()
    z = np.exp(scores - top).sum()
    kept = list(product(*numbers))
    every = [tuple(crf.labels_[k] for k in own) for own in kept]
    probabilities = np.array([np.exp(scores[own] - top) / z for own in kept])
    marginals = np.zeros((len(sequence), len(crf.labels_)))
    for labels, p in zip(every, probabilities / probabilities.sum(), strict=True):
        marginals[range(len(sequence)), [crf.labels_.index(label) for label in labels]] += p
    order = np.argsort(-probabilities, kind="stable")
    return Listed([every[k] for k in order], probabilities[order], marginals)


def _number(crf: ChainCRF, label: str) -> int:
    if label not in crf.labels_:
        problem = f"label {label!r} is given, which the model has never seen"
        raise ArgumentError(f"{problem}; it has {', '.join(crf.labels_)}")
    return crf.labels_.index(label)


def _scores(crf: ChainCRF, sequence: Sequence) -> NDArray[np.float64]:
    """Return the score of every label sequence, an axis for each token."""
    unary, n = crf.scores(sequence), len(sequence)
    scores = np.zeros((unary.shape[1],) * n)
    for t in range(n):
        scores += unary[t].reshape([-1 if k == t else 1 for k in range(n)])
        if t + 1 < n:
            sizes = [len(unary[0]) if k in (t, t + 1) else 1 for k in range(n)]
            scores += crf.transitions_.reshape(sizes)
    return scores


def effect_of(crf: ChainCRF, sequence: Sequence, token: int, label: str) -> pd.DataFrame:
    """Return what each token's best label is, and how probable, before and after one is given.

    Parameters
    ----------
    crf
        A model that has learned.
    sequence
        With what is known before.
    token, label
        What is given, the token counted from 0.
    """
    labels = list(sequence.labels)
    labels[token] = label
    after = replace(sequence, columns=(*sequence.columns[:-1], tuple(labels)))
    rows: dict[str, list[object]] = {"word": list(sequence.words)}
    for when, state in (("before", sequence), ("after", after)):
        (p,) = crf.marginals([state], keep=True)
        rows[f"best {when}"] = [crf.labels_[k] for k in p.argmax(axis=1)]
        rows[f"p {when}"] = p.max(axis=1).tolist()
    return pd.DataFrame(rows)


def find_spared(
    crf: ChainCRF, sequences: Iterable[Sequence], threshold: float
) -> tuple[Sequence, int] | None:
    """Return a sequence and its least certain token, whose label makes another token certain.

    Parameters
    ----------
    crf
        A model that has learned.
    sequences
        With their labels; the first that will do is returned, None if there is none.
    threshold
        The probability of the best label from which a token is certain.
    """
    every = list(sequences)
    for sequence, p in zip(every, crf.marginals(every), strict=True):
        token = int(p.max(axis=1).argmin())
        if (p.max(axis=1) < threshold).sum() > 1 and sequence.labels[token] in crf.labels_:
            found = effect_of(crf, with_some(sequence), token, sequence.labels[token])
            spared = (found["p before"] < threshold) & (found["p after"] >= threshold)
            if spared.drop(token).any():
                return sequence, token
    return None


def touching(sequences: Iterable[Sequence]) -> Sequence | None:
    """Return the first sequence in which a chunk follows one of its type, which IOB marks by B-."""
    return next((s for s in sequences if "B-" in "".join(to_iob1(list(s.labels)))), None)


def both_formats(sequence: Sequence) -> pd.DataFrame:
    """Return the labels in IOB2 and in IOB (Figure 2)."""
    labels = list(sequence.labels)
    return pd.DataFrame(
        {"IOB2": to_iob2(labels), "IOB": to_iob1(labels)}, index=list(sequence.words)
    ).T


def split_example(
    models: Mapping[str, ChainCRF],
    sequence: Sequence,
    known: Mapping[str, tuple[int, ...]],
    wrong: tuple[str, int] | None = None,
) -> tuple[dict[str, tuple[str, ...]], dict[str, list[bool]], list[int]]:
    """Return rows of labels of all subtasks and of their merge, which of them are given, conflicts.

    Parameters
    ----------
    models
        Of each type.
    sequence
        With its labels.
    known
        For each type, the tokens of which somebody was asked.
    wrong
        A type that somebody takes a token for that is none.
    """
    given = {kind: with_some(subtask(sequence, kind), known.get(kind, ())) for kind in models}
    if wrong is not None:
        kind, token = wrong
        labels = list(given[kind].labels)
        if not (known_labels := set(models[kind].labels_) - {"O"}):
            raise ArgumentError(f"the model of {kind} has seen none, so nobody can tell it of one")
        labels[token] = min(known_labels)
        given[kind] = replace(given[kind], columns=(*sequence.columns[:-1], tuple(labels)))
    found = {kind: model.predict(given[kind], keep=True) for kind, model in models.items()}
    rows = {kind: found[kind].labels for kind in models}
    solid = {kind: [label != OPEN for label in given[kind].labels] for kind in models}
    by_hand = merge_subtasks({kind: [own] for kind, own in given.items()}).sequences[0]
    merged = merge_subtasks(
        {kind: [own] for kind, own in given.items()}, {kind: [own] for kind, own in found.items()}
    ).sequences[0]
    rows |= {"by hand": by_hand.labels, "merged": merged.labels}
    solid["merged"] = [label != OPEN for label in by_hand.labels]
    conflicts = [
        t
        for t, label in enumerate(merged.labels)
        if label == OPEN and len({row.labels[t] for row in found.values()} - {"O"}) > 1
    ]
    return rows, solid, conflicts


def find_conflict(models: Mapping[str, ChainCRF], sequences: Iterable[Sequence]) -> Sequence | None:
    """Return the first sequence of which two models claim the same token, None if there is none."""
    every = list(sequences)
    tasks = [model.predict_labels(every) for model in models.values()]
    for sequence, rows in zip(every, zip(*tasks, strict=True), strict=True):
        if any(len(set(token) - {"O"}) > 1 for token in zip(*rows, strict=True)):
            return sequence
    return None
