"""Split labelling: a task for each type of chunk or entity, and their answers merged.

Wanvarie et al. (2011), section 4.3.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from deppa_nb.corpus.iob import type_of
from deppa_nb.corpus.sequences import OPEN
from deppa_nb.corpus.sequences import Sequence as Labelled
from deppa_nb.errors import ArgumentError

__all__ = ["Merged", "merge_subtasks", "subtask", "types_of"]

_OUTSIDE = "O"


class Merged(NamedTuple):
    """What became of subtasks.

    Attributes
    ----------
    sequences
        With labels of all types; open where there was a conflict, or nothing.
    by_hand
        Tokens with a label that somebody gave.
    predicted
        Tokens with a label that the subtasks' models gave.
    conflicts
        Tokens that are left open because two types claim them.
    """

    sequences: list[Labelled]
    by_hand: int
    predicted: int
    conflicts: int


def types_of(sequences: Iterable[Labelled]) -> tuple[str, ...]:
    """Return the types of chunks or entities, in alphabetical order."""
    labels = {label for sequence in sequences for label in sequence.labels}
    return tuple(sorted(set(map(type_of, labels - {OPEN})) - {""}))


def subtask(sequence: Labelled, kind: str) -> Labelled:
    """Return a sequence in which only one type has labels; all others are outside.

    >>> words = Labelled(("word", "chunk"), (("Ann", "left", "."), ("B-NP", "B-VP", "_")))
    >>> subtask(words, "VP").labels
    ('O', 'B-VP', '_')
    """
    labels = tuple(
        label if label == OPEN or label[2:] == kind else _OUTSIDE for label in sequence.labels
    )
    return _with_labels(sequence, labels)


def merge_subtasks(
    given: Mapping[str, Sequence[Labelled]],
    predicted: Mapping[str, Sequence[Labelled]] | None = None,
) -> Merged:
    """Return sequences with the labels of all subtasks.

    A token with a type in one subtask has it; one that is outside in all of them is. The others
    take the predictions of the subtasks' models, if there are any, by the same rule.

    Parameters
    ----------
    given
        For each type the labels of its subtask that people gave; sequences in the same order.
    predicted
        For each type the labels that its model predicts, given those.

    Examples
    --------
    >>> def of(*labels):
    ...     return [Labelled(("word", "chunk"), (("Ann", "left"), labels))]
    >>> merge_subtasks({"NP": of("B-NP", "O"), "VP": of("_", "_")}).sequences[0].labels
    ('B-NP', '_')
    """
    if not given or (predicted is not None and predicted.keys() != given.keys()):
        raise ArgumentError("expected labels of some types, and predictions of the same or none")
    models = predicted or {kind: [_all_open(s) for s in rows] for kind, rows in given.items()}
    tokens, sequences = [0, 0, 0], []
    for rows in _same_words([*given.values(), *models.values()]):
        labels = []
        for own in zip(*(row.labels for row in rows), strict=True):
            label, how = _decided(own[: len(given)], own[len(given) :])
            labels.append(label)
            if how is not None:
                tokens[how] += 1
        sequences.append(_with_labels(rows[0], tuple(labels)))
    return Merged(sequences, *tokens)


def _same_words(tasks: Sequence[Sequence[Labelled]]) -> list[tuple[Labelled, ...]]:
    """Return each sequence as all subtasks have it."""
    if len(set(map(len, tasks))) > 1:
        sizes = ", ".join(str(len(rows)) for rows in tasks)
        raise ArgumentError(f"subtasks of {sizes} sequences, expected the same ones in each")
    every = list(zip(*tasks, strict=True))
    for number, rows in enumerate(every):
        if any(row.words != rows[0].words for row in rows):
            raise ArgumentError(f"sequence {number}: other words in another subtask")
    return every


def _decided(given: Sequence[str], predicted: Sequence[str]) -> tuple[str, int | None]:
    """Return the label of a token, and whether it is by hand (0), a model's (1), a conflict (2)."""
    for how, labels in enumerate((given, predicted)):
        label, conflict = _merged(labels)
        if conflict:
            return OPEN, 2
        if label != OPEN:
            return label, how
    return OPEN, None


def _all_open(sequence: Labelled) -> Labelled:
    return _with_labels(sequence, (OPEN,) * len(sequence))


def _merged(labels: Sequence[str]) -> tuple[str, bool]:
    """Return the label that those of all subtasks make, or `OPEN`, and whether they conflict."""
    types = {label for label in labels if label not in (OPEN, _OUTSIDE)}
    if len(types) > 1:
        return OPEN, True
    if types:
        return types.pop(), False
    return (OPEN if OPEN in labels else _OUTSIDE), False


def _with_labels(sequence: Labelled, labels: tuple[str, ...]) -> Labelled:
    return replace(sequence, columns=(*sequence.columns[:-1], labels))
