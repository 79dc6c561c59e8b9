"""What is wrong with a CoNLL-U block: the first line at fault, what it has, what was expected."""

import re

from deppa_nb.corpus.sentence import COLUMNS, is_word
from deppa_nb.corpus.textfile import PathLike, found
from deppa_nb.corpus.trees import find_cycle, to_heads
from deppa_nb.errors import FormatError

__all__ = ["extras_error", "first_error"]

# At most nine digits: longer numbers are past any sentence, and int() refuses very long ones.
_NUMBER = "[1-9][0-9]{0,8}"
_WORD = re.compile(_NUMBER)
_RANGE = re.compile(f"({_NUMBER})-({_NUMBER})")
_EMPTY_NODE = re.compile(rf"(0|{_NUMBER})\.({_NUMBER})")
_HEAD = re.compile(f"_|0|{_NUMBER}")


def first_error(path: PathLike, line: int, lines: list[str]) -> FormatError | None:
    """Return the error of a block's first wrong line, None if the block is right.

    Parameters
    ----------
    path, line
        The file and the number of the first of the lines.
    lines
        The block without the comments above it.
    """
    if not lines:
        return FormatError(path, line, "no words below the comments, expected a sentence")
    state = _Block(last=sum(map(is_word, lines)))
    heads: list[int] = []
    line_of_word = [line]
    for number, row in enumerate(lines, line):
        if problem := state.problem(row):
            return FormatError(path, number, problem)
        if state.words > len(heads):
            head = row.split("\t")[6]
            heads.append(-1 if head == "_" else int(head))
            line_of_word.append(number)
    if not heads:
        return FormatError(path, line, "no words, expected at least one line with ID 1")
    if cycle := find_cycle(to_heads(heads)):
        walk = " -> ".join(map(str, [*cycle, cycle[0]]))
        problem = f"HEADs form a cycle ({walk}), expected a tree"
        return FormatError(path, line_of_word[cycle[0]], problem)
    return None


def extras_error(
    path: PathLike, line: int, extras: tuple[tuple[int, str], ...], last: int
) -> FormatError | None:
    """Return the error of the first wrong range or empty node among words known to be right."""
    state = _Block(last)
    for seen, (index, row) in enumerate(extras):
        state.pass_words(index - seen)
        if problem := state.problem(row):
            return FormatError(path, line + index, problem)
    return None


class _Block:
    """What has been seen of a block: enough to judge its next line."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.words = self.covered = self.empty_nodes = 0

    def pass_words(self, words: int) -> None:
        """Stand behind so many words."""
        if words > self.words:
            self.words, self.empty_nodes = words, 0

    def problem(self, row: str) -> str:
        """Return what is wrong with the next line, "" if nothing is."""
        if not row.strip():
            return "line of white space, expected an empty line between sentences"
        if row.startswith("#"):
            return "comment inside a sentence, expected it above the first word"
        fields = row.split("\t")
        if len(fields) != len(COLUMNS):
            hint = " separated by tabs" if len(fields) == 1 else ""
            return f"{len(fields)} columns{_of(row)}, expected {len(COLUMNS)}{hint}"
        if "" in fields:
            return f"column {COLUMNS[fields.index('')]} is empty, expected _ where nothing is given"
        if match := _RANGE.fullmatch(fields[0]):
            return self._range(int(match[1]), int(match[2]))
        if match := _EMPTY_NODE.fullmatch(fields[0]):
            return self._empty_node(int(match[1]), int(match[2]))
        problem = self._id(fields[0]) or self._head(fields[6])
        if not problem:
            self.pass_words(self.words + 1)
        return problem

    def _range(self, start: int, end: int) -> str:
        word = self.words + 1
        if start != word:
            return f"range {start}-{end}, expected it right above word {start} (here: {word})"
        if end < start:
            return f"range {start}-{end} ends before it starts"
        if start <= self.covered:
            return f"range {start}-{end} overlaps the range that ends at {self.covered}"
        if end > self.last:
            return f"range {start}-{end} is past the sentence's last token {self.last}"
        self.covered = end
        return ""

    def _empty_node(self, word: int, node: int) -> str:
        expected = (self.words, self.empty_nodes + 1)
        if (word, node) != expected:
            return f"empty node {word}.{node}, expected {expected[0]}.{expected[1]}"
        self.empty_nodes += 1
        return ""

    def _id(self, token: str) -> str:
        expected = self.words + 1
        if not _WORD.fullmatch(token):
            return f"ID {found(token)}, expected {expected} (or a range 3-4, or an empty node 3.1)"
        if int(token) != expected:
            again = " again" if int(token) < expected else ""
            return f"ID {token}{again}, expected {expected}"
        return ""

    def _head(self, head: str) -> str:
        if not _HEAD.fullmatch(head):
            return f"HEAD {found(head)}, expected a number from 0 to {self.last} or _"
        if head != "_" and int(head) > self.last:
            return f"HEAD {head} is past the sentence's last token {self.last}"
        if head == str(self.words + 1):
            return f"HEAD {head} is the word itself, expected another word, 0 or _"
        return ""


def _of(row: str) -> str:
    return f" in {found(row)}" if len(row) < 200 else ""
