"""IOB labels: a chunk begins with B-, in IOB1 only right after a chunk of the same type."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from deppa_nb.corpus.textfile import found
from deppa_nb.errors import CorpusError

__all__ = [
    "Span",
    "from_spans",
    "is_iob2",
    "problem_with",
    "spans",
    "to_iob1",
    "to_iob2",
    "type_of",
]


class Span(NamedTuple):
    """A chunk or entity over the words start..end-1."""

    start: int
    end: int
    type: str


def problem_with(label: str) -> str:
    """Say what is wrong with a label, "" if it is O, B-X or I-X.

    >>> problem_with("I-NP"), problem_with("NP")
    ('', "label 'NP', expected O, B-... or I-...")
    """
    if label == "O" or (label[:2] in ("B-", "I-") and len(label) > 2):
        return ""
    return f"label {found(label)}, expected O, B-... or I-..."


def type_of(label: str) -> str:
    """Return the type of a chunk that a label is of, "" if it is O.

    >>> type_of("B-NP"), type_of("O")
    ('NP', '')
    """
    if problem := problem_with(label):
        raise CorpusError(problem)
    return label[2:]


def spans(labels: Sequence[str]) -> list[Span]:
    """Return the chunks of IOB1 or IOB2 labels, as conlleval reads them.

    >>> [tuple(span) for span in spans(["B-NP", "I-NP", "B-NP", "O", "I-VP"])]
    [(0, 2, 'NP'), (2, 3, 'NP'), (4, 5, 'VP')]
    """
    return list(_spans(labels))


def _spans(labels: Sequence[str]) -> Iterator[Span]:
    start, current = 0, ""
    for i, label in enumerate([*labels, "O"]):
        prefix, kind = label[:1], label[2:]
        if current and (prefix != "I" or kind != current):
            yield Span(start, i, current)
            current = ""
        if prefix != "O" and not current:
            start, current = i, kind


def from_spans(chunks: Iterable[Span], n: int) -> list[str]:
    """Return the IOB2 labels of n words with these chunks.

    >>> from_spans([Span(1, 3, "PER")], 4)
    ['O', 'B-PER', 'I-PER', 'O']
    """
    labels = ["O"] * n
    for start, end, kind in chunks:
        labels[start:end] = [f"B-{kind}", *[f"I-{kind}"] * (end - start - 1)]
    return labels


def to_iob2(labels: Sequence[str]) -> list[str]:
    """Return the same chunks in IOB2.

    >>> to_iob2(["I-NP", "I-NP", "B-NP"])
    ['B-NP', 'I-NP', 'B-NP']
    """
    return from_spans(spans(labels), len(labels))


def to_iob1(labels: Sequence[str]) -> list[str]:
    """Return the same chunks in IOB1.

    >>> to_iob1(["B-NP", "I-NP", "B-NP"])
    ['I-NP', 'I-NP', 'B-NP']
    """
    result, previous = ["O"] * len(labels), Span(0, 0, "")
    for span in spans(labels):
        touches = span.start == previous.end and span.type == previous.type
        result[span.start : span.end] = [f"I-{span.type}"] * (span.end - span.start)
        result[span.start] = f"B-{span.type}" if touches else f"I-{span.type}"
        previous = span
    return result


def is_iob2(labels: Sequence[str]) -> bool:
    """Tell whether every chunk begins with B-.

    >>> is_iob2(["B-NP", "I-NP"]), is_iob2(["I-NP"])
    (True, False)
    """
    return to_iob2(labels) == list(labels)
