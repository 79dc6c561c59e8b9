"""A sentence with its (possibly partial) tree, and a treebank: frozen, array-backed, writable back.

A sentence is its CoNLL-U lines and its heads as an array; every other column is read off the lines
when it is asked for. Position 0 of a column is the root, so that indices are the papers': the form
of word m's head is ``sentence.forms[sentence.heads[m]]``, m = 1..n.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deppa_nb.corpus.bank import Bank
from deppa_nb.corpus.trees import Heads, are_trees, find_cycle, to_heads
from deppa_nb.errors import TreeError

__all__ = ["COLUMNS", "ROOT", "Frame", "Sentence", "Treebank", "is_word"]

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
"""The columns of CoNLL-U. CoNLL-X has PHEAD and PDEPREL in the place of the last two."""

ROOT = "<root>"
"""What stands at position 0 of every column."""

Column = tuple[str, ...]

_TEXT_COLUMNS = (1, 2, 3, 4, 5, 7, 8, 9)  # all but ID and HEAD, which are numbers
_LABELS = 7
_FIELDS = ("block", "heads", "number", "line", "frame")
_REPLACEABLE = {"lemmas": 2, "upos": 3, "xpos": 4, "feats": 5, "misc": 9}
_WORD = re.compile(r"[1-9][0-9]{0,8}\t")
_UNWRITABLE = re.compile("[\t\n\r\0\ud800-\udfff]")


class Frame(NamedTuple):
    """What a file has around a sentence: kept, so that unchanged lines are written back as read."""

    before: str = ""
    newline: str = "\n"
    after: str = "\n\n"


_USUAL = Frame()


def is_word(line: str) -> bool:
    """Tell whether a line of a block is a word: no comment, range or empty node."""
    return _WORD.match(line) is not None


@dataclass(frozen=True, eq=False, repr=False)
class Sentence:
    """One sentence; make it with `Sentence.of` or read it from a file.

    Attributes
    ----------
    block
        Its lines in CoNLL-U: comments, words, multiword ranges, empty nodes.
    heads
        ``(n+1,)`` read-only int32; 0 = root, -1 = not annotated.
    number, line
        Where it was read: the n-th sentence of its file, and the line of its first word.
    forms, lemmas, upos, xpos, feats, labels, deps, misc
        The other columns (`labels` is DEPREL), n+1 strings each; ``"_"`` = nothing given.
    """

    block: str
    heads: Heads
    number: int = 1
    line: int = 1
    frame: Frame = _USUAL

    @classmethod
    def of(
        cls,
        words: Sequence[str],
        heads: Sequence[int] | None = None,
        *,
        upos: Sequence[str] | None = None,
        labels: Sequence[str] | None = None,
        sent_id: str | None = None,
    ) -> Self:
        """Make a sentence from n words and, as far as they are given, n heads, tags and labels.

        >>> Sentence.of(["She", "eats", "fish"], heads=[2, 0, -1])
        Sentence('She eats fish', heads=[2, 0, -1])
        """
        n = len(words)
        for name, column in (("words", words), ("upos", upos), ("labels", labels)):
            _check_column(name, column, n)
        if sent_id is not None:
            _check_column("sent_id", [sent_id], 1)
        nothing = ("_",) * n
        ids = map(str, range(1, n + 1))
        tags = nothing if upos is None else upos
        arcs = nothing if labels is None else labels
        rows = zip(ids, words, nothing, tags, *[nothing] * 3, arcs, *[nothing] * 2, strict=True)
        comments = [] if sent_id is None else [f"# sent_id = {sent_id}"]
        block = "\n".join([*comments, *map("\t".join, rows)])
        sentence = cls(block, to_heads([-1] * n))
        return sentence if heads is None else sentence.with_heads(heads, arcs)

    def __getstate__(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in _FIELDS}

    def __getattr__(self, name: str) -> str:
        """Write the block of `with_tree` when it is first asked for."""
        if name != "block" or "_before" not in vars(self):
            raise AttributeError(f"a Sentence has no {name!r}")
        given = iter(zip(self.heads[1:].tolist(), self.labels[1:], strict=True))
        lines: list[str] = vars(self)["_before"].split("\n")
        for k, line in enumerate(lines):
            if is_word(line):
                front, _, _, deps, misc = line.rsplit("\t", 4)
                head, label = next(given)
                lines[k] = f"{front}\t{'_' if head < 0 else head}\t{label}\t{deps}\t{misc}"
        block = vars(self)["block"] = "\n".join(lines)
        return block

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self.heads.flags.writeable = False

    def __len__(self) -> int:
        """Return n, the number of words."""
        return len(self.heads) - 1

    def __repr__(self) -> str:
        return f"Sentence({self.text!r}, heads={self.heads[1:].tolist()})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sentence) and self.block == other.block

    def __hash__(self) -> int:
        return hash(self.block)

    @cached_property
    def _columns(self) -> dict[int, Column]:
        rows = [line for line in self.block.split("\n") if not line.startswith("#")]
        if len(rows) != len(self):
            rows = [row for row in rows if is_word(row)]
        fields = "\t".join(rows).split("\t")
        return {i: (ROOT, *fields[i :: len(COLUMNS)]) for i in _TEXT_COLUMNS}

    @property
    def forms(self) -> Column:
        """Word forms."""
        return self._columns[1]

    @property
    def lemmas(self) -> Column:
        """Lemmas."""
        return self._columns[2]

    @property
    def upos(self) -> Column:
        """Universal part-of-speech tags (CPOSTAG in CoNLL-X)."""
        return self._columns[3]

    @property
    def xpos(self) -> Column:
        """The treebank's own part-of-speech tags."""
        return self._columns[4]

    @property
    def feats(self) -> Column:
        """Morphological features."""
        return self._columns[5]

    @property
    def labels(self) -> Column:
        """Dependency labels."""
        return self._columns[_LABELS]

    @property
    def deps(self) -> Column:
        """Enhanced dependencies (PHEAD in CoNLL-X)."""
        return self._columns[8]

    @property
    def misc(self) -> Column:
        """Anything else (PDEPREL in CoNLL-X)."""
        return self._columns[9]

    @property
    def comments(self) -> tuple[str, ...]:
        """The lines above the words, with their ``#``."""
        return tuple(line for line in self.block.split("\n") if line.startswith("#"))

    @property
    def extras(self) -> tuple[tuple[int, str], ...]:
        """Multiword ranges and empty nodes: (index among the lines below the comments, line)."""
        lines = (line for line in self.block.split("\n") if not line.startswith("#"))
        return tuple((i, line) for i, line in enumerate(lines) if not is_word(line))

    @property
    def words(self) -> tuple[str, ...]:
        """The n forms, without the root."""
        return self.forms[1:]

    @property
    def text(self) -> str:
        """The words with a space between, for people."""
        return " ".join(self.words)

    @property
    def sent_id(self) -> str:
        """The identifier of the comments, else the sentence's number in its file."""
        for comment in self.comments:
            key, equals, value = comment[1:].partition("=")
            if equals and key.strip() == "sent_id":
                return value.strip()
        return str(self.number)

    @property
    def annotated(self) -> NDArray[np.bool_]:
        """``(n+1,)``, True where a head is given; the root's slot is False."""
        return self.heads >= 0

    @property
    def is_full(self) -> bool:
        """Whether every word has a head."""
        return bool((self.heads[1:] >= 0).all())

    def with_heads(
        self, heads: Sequence[int] | NDArray[np.integer], labels: Sequence[str] | None = None
    ) -> Self:
        """Return the sentence with other heads (n of them, -1 = open) and, if given, labels.

        Without labels, words keep theirs, but for those whose head is now open: theirs is too.

        >>> sentence = Sentence.of(["Fish", "swim"]).with_heads([2, 0], ["nsubj", "root"])
        >>> sentence.heads.tolist(), sentence.labels
        ([-1, 2, 0], ('<root>', 'nsubj', 'root'))
        """
        array = self._checked_heads(heads)
        _check_column("labels", labels, len(self))
        if labels is None:
            kept = zip(array[1:], self.labels[1:], strict=True)
            labels = ["_" if head < 0 else label for head, label in kept]
        return self.with_tree(array, labels)

    def with_tree(self, heads: Heads, labels: Sequence[str]) -> Self:
        """Do as `with_heads`, of ``(n+1,)`` heads that are known to be right, as a parser's are.

        A parser finds trees faster than they are written: the block is, when it is asked for.
        """
        if len(labels) != len(heads) - 1:
            raise TreeError(f"{len(labels)} labels for {len(heads) - 1} heads")
        heads.flags.writeable = False
        found = object.__new__(type(self))
        vars(found).update(
            {name: getattr(self, name) for name in _FIELDS if name != "block"},
            heads=heads,
            _columns={**self._columns, _LABELS: (ROOT, *labels)},
            _before=vars(self).get("block") or vars(self)["_before"],
        )
        return found

    def with_column(self, name: str, values: Sequence[str]) -> Self:
        """Return the sentence with another column of n texts: tags, lemmas, features or misc.

        >>> Sentence.of(["Stop", "!"]).with_column("misc", ["SpaceAfter=No", "_"]).misc
        ('<root>', 'SpaceAfter=No', '_')
        """
        if name not in _REPLACEABLE:
            raise TreeError(f"no column {name!r} to replace, there are {', '.join(_REPLACEABLE)}")
        _check_column(name, values, len(self))
        given, place = iter(values), _REPLACEABLE[name]
        rows = [line.split("\t") for line in self.block.split("\n")]
        for row in rows:
            if row[0].isdigit():
                row[place] = next(given)
        return replace(self, block="\n".join(map("\t".join, rows)))

    def with_comments(self, comments: Sequence[str]) -> Self:
        """Return the sentence with more comments, each with its ``#``, above those it has."""
        if wrong := [c for c in comments if not c.startswith("#") or not c.isprintable()]:
            raise TreeError(f"{wrong[0]!r} among the comments, expected a line that begins with #")
        return replace(self, block="\n".join([*comments, self.block]))

    def _checked_heads(self, heads: Sequence[int] | NDArray[np.integer]) -> Heads:
        n, given = len(self), np.asarray(heads)
        if given.shape != (n,):
            raise TreeError(f"sentence {self.sent_id}: heads of shape {given.shape} for {n} words")
        if given.dtype.kind not in "iu":
            raise TreeError(f"sentence {self.sent_id}: heads {heads!r}, expected whole numbers")
        if (wrong := (given < -1) | (given > n)).any():
            m = int(np.argmax(wrong))
            problem = f"head {given[m]} of word {m + 1}, expected -1 to {n}"
            raise TreeError(f"sentence {self.sent_id}: {problem}")
        array = to_heads(given)
        if not are_trees(array, [n + 1]):
            raise TreeError(f"sentence {self.sent_id}: heads of {find_cycle(array)} form a cycle")
        return array


def _check_column(name: str, column: Sequence[str] | None, n: int) -> None:
    """Refuse strings that would not stand in a column of a file."""
    if n == 0:
        raise TreeError("a sentence needs at least one word")
    if column is not None and len(column) != n:
        raise TreeError(f"{len(column)} {name} for {n} words")
    for value in () if column is None else column:
        if not isinstance(value, str) or not value.strip() or _UNWRITABLE.search(value):
            raise TreeError(f"{value!r} among the {name}, expected text without tab or line end")


class Treebank(Bank[Sentence]):
    """Sentences with trees.

    >>> bank = Treebank((Sentence.of(["Stop", "!"], heads=[0, -1]),), name="mine")
    >>> bank.n_words, bank.n_annotated, bank
    (2, 1, Treebank('mine', 1 sentences, 2 words))
    """

    @property
    def n_annotated(self) -> int:
        """Heads given in all sentences."""
        return sum(int(s.annotated.sum()) for s in self.sentences)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a word, for exploration with pandas.

        >>> Treebank((Sentence.of(["Go", "!"], heads=[0, 1]),)).to_frame()[["word", "form", "head"]]
           word form  head
        0     1   Go     0
        1     2    !     1
        """
        names = ("form", "lemma", "upos", "xpos", "feats", "label", "deps", "misc")
        columns = {
            name: [value for s in self for value in s._columns[i][1:]]
            for name, i in zip(names, _TEXT_COLUMNS, strict=True)
        }
        frame = pd.DataFrame(columns)
        frame.insert(0, "sent_id", [s.sent_id for s in self for _ in range(len(s))])
        frame.insert(1, "word", [m for s in self for m in range(1, len(s) + 1)])
        frame.insert(7, "head", [h for s in self for h in s.heads[1:].tolist()])
        return frame
