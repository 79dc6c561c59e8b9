"""Requests with slots in the manner of ATIS, and the trees that tang2002's parser derives.

A line is ``BOS w1 .. wn EOS<TAB>O s1 .. sn intent``: as many labels as words, slots in IOB2, the
intent in the place of EOS. Slots and trees say the same: `SlotTree.of_slots` and
`SlotTree.to_slots` are each other's inverse.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.bank import Bank
from deppa_nb.corpus.iob import is_iob2, problem_with
from deppa_nb.corpus.textfile import PathLike, found, lines, write_atomically
from deppa_nb.errors import FormatError, TreeError

__all__ = ["NO_SLOT", "SlotBank", "SlotTree", "iter_slots", "read_slots", "write_slots"]

NO_SLOT = "wd"
"""The tag of a word in no slot."""

AGAIN = "+"
"""Ends the tag of a word that begins a slot right after a word of the same slot."""

TOP = "S"


@dataclass(frozen=True, eq=False)
class SlotTree:
    """A request as a tree: words with tags under constituents under S.

    Attributes
    ----------
    words, tags
        n each; a tag is the last part of the word's slot, or `NO_SLOT`.
    labels
        Of the constituents, from left to right; the last is S.
    parents
        ``(n + k,)`` parent of each word, then of each constituent, as an index of `labels`;
        -1 for S.
    intent
        What the request is for; ``_`` where it is not said.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    labels: tuple[str, ...]
    parents: NDArray[np.int32]
    intent: str = "_"
    number: int = 1
    line: int = 1

    @classmethod
    def of_slots(
        cls,
        words: Iterable[str],
        slots: Iterable[str],
        intent: str = "_",
        number: int = 1,
        line: int = 1,
    ) -> Self:
        """Make the tree of words with IOB2 slots.

        A run of slots with one first part is a constituent of that label; a slot without a dot is a
        constituent of its own name.

        >>> tree = SlotTree.of_slots(["to", "new", "york"], ["O", "B-to.city", "I-to.city"])
        >>> tree.tags, tree.labels, tree.parents.tolist()
        (('wd', 'city', 'city'), ('to', 'S'), [1, 0, 0, 1, -1])
        """
        words, slots = tuple(words), tuple(slots)
        if not words:
            raise TreeError("a request of no words, expected at least one")
        if len(words) != len(slots) or not is_iob2(slots):
            raise TreeError(f"slots {' '.join(slots)} are not IOB2 over {len(words)} words")
        tags, labels, parents = _tags(slots), list[str](), list[int]()
        for label, run in groupby(_constituent(slot) for slot in slots):
            parents.extend([len(labels) if label else -1] * len(list(run)))
            labels.extend([label] if label else [])
        top = len(labels)
        array = np.array(
            [top if p < 0 else p for p in parents] + [top] * top + [-1], dtype=np.int32
        )
        array.flags.writeable = False
        tree = cls(words, tags, (*labels, TOP), array, intent, number, line)
        if tree.to_slots() != slots:
            problem = "are not told apart by trees, expected x or x.y, no S, no wd"
            raise TreeError(f"slots {' '.join(slots)} {problem}")
        return tree

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.words)

    def to_slots(self) -> tuple[str, ...]:
        """Return the IOB2 slots that the tree stands for; a word outside constituents has none.

        >>> SlotTree.of_slots(["nonstop"], ["B-flight_stop"]).to_slots()
        ('B-flight_stop',)
        """
        slots: list[str] = []
        for i, tag in enumerate(self.tags):
            label, name = self.labels[self.parents[i]], tag.removesuffix(AGAIN)
            if tag == NO_SLOT or label == TOP:
                slots.append("O")
                continue
            slot = name if label == name else f"{label}.{name}"
            inside = i > 0 and slots[i - 1][2:] == slot and name == tag
            slots.append(f"{'I' if inside else 'B'}-{slot}")
        return tuple(slots)

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self.parents.flags.writeable = False

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SlotTree)
            and (self.words, self.tags, self.labels, self.intent)
            == (other.words, other.tags, other.labels, other.intent)
            and np.array_equal(self.parents, other.parents)
        )

    def __hash__(self) -> int:
        return hash((self.words, self.tags, self.labels, self.intent))


def _constituent(slot: str) -> str:
    return slot[2:].partition(".")[0]


def _tags(slots: tuple[str, ...]) -> tuple[str, ...]:
    """Return the last parts of slots, marked where B- follows the same slot."""
    tags = []
    for previous, slot in zip(("O", *slots), slots, strict=False):
        again = slot.startswith("B-") and previous[2:] == slot[2:]
        tags.append(slot[2:].rpartition(".")[2] + AGAIN * again if slot != "O" else NO_SLOT)
    return tuple(tags)


class SlotBank(Bank[SlotTree]):
    """Requests of one file."""


def read_slots(path: PathLike, *, name: str | None = None) -> SlotBank:
    """Read a file with a request a line, gzipped or not."""
    return SlotBank(tuple(iter_slots(path)), name or Path(path).name, path=str(path))


def iter_slots(path: PathLike) -> Iterator[SlotTree]:
    """Yield the requests of a file one by one, in memory that does not grow with the file."""
    number = 0
    for line, text in lines(path):
        if text:
            number += 1
            yield _tree(path, number, line, text)
    if number == 0:
        raise FormatError(path, None, "has only blank lines, expected at least one request")


def write_slots(path: PathLike, trees: Iterable[SlotTree]) -> None:
    """Write requests, a line each."""
    write_atomically(path, map(_line, trees))


def _line(tree: SlotTree) -> str:
    words = " ".join(("BOS", *tree.words, "EOS"))
    return f"{words}\t{' '.join(('O', *tree.to_slots(), tree.intent))}\n"


def _tree(path: PathLike, number: int, line: int, text: str) -> SlotTree:
    parts = text.split("\t")
    if len(parts) != 2:
        raise FormatError(path, line, f"{len(parts) - 1} tabs, expected one: words TAB labels")
    words, labels = parts[0].split(" "), parts[1].split(" ")
    if problem := _problem(words, labels):
        raise FormatError(path, line, problem)
    try:
        return SlotTree.of_slots(words[1:-1], labels[1:-1], labels[-1], number, line)
    except TreeError as error:
        raise FormatError(path, line, str(error)) from error


def _problem(words: list[str], labels: list[str]) -> str:
    if words[0] != "BOS" or words[-1] != "EOS":
        return f"words {found(' '.join(words))}, expected BOS ... EOS"
    if len(words) != len(labels):
        return f"{len(labels)} labels for {len(words)} words, expected as many"
    if len(words) == 2:
        return "no words between BOS and EOS, expected at least one"
    if "" in words or "" in labels:
        return "two spaces in a row, expected one between words and between labels"
    if labels[0] != "O":
        return f"label {found(labels[0])} of BOS, expected O"
    problem = next(filter(None, map(problem_with, labels[1:-1])), "")
    if not problem and not is_iob2(labels[1:-1]):
        return "slot that begins with I-, expected B- (IOB2)"
    return problem
