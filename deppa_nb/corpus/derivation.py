"""Trees as sequences of parsing actions, and back: the derivation of Tang et al. (2002).

Bottom-up left-most: a word is tagged, and what is finished is extended to its parent. Its only
child extends UNIQUE, the leftmost RIGHT, the rightmost LEFT, others UP; after UNIQUE or LEFT the
parent has all its children and is labelled, then extended in turn, unless it is the root.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from deppa_nb.corpus.slots import TOP, SlotTree
from deppa_nb.errors import TreeError

__all__ = [
    "EXTENSION",
    "EXTENSIONS",
    "KINDS",
    "LABEL",
    "LEFT",
    "RIGHT",
    "TAG",
    "UNIQUE",
    "UP",
    "Action",
    "derive",
    "steps",
    "tree_of",
]

KINDS = ("tag", "label", "extension")
TAG, LABEL, EXTENSION = KINDS
EXTENSIONS = ("RIGHT", "LEFT", "UP", "UNIQUE")
RIGHT, LEFT, UP, UNIQUE = EXTENSIONS


class Action(NamedTuple):
    """A step of a derivation: its kind, and which tag, label or extension."""

    kind: str
    name: str


def derive(tree: SlotTree) -> tuple[Action, ...]:
    """Return the actions that make a tree.

    Constituents of a tree may have others in them; they are numbered as they are finished.

    >>> tree = SlotTree.of_slots(["to", "new", "york"], ["O", "B-to.city", "I-to.city"])
    >>> " ".join(action.name for action in derive(tree))
    'wd RIGHT city RIGHT city LEFT to LEFT S'
    """
    return tuple(action for _, action in steps(tree))


def steps(tree: SlotTree) -> Iterator[tuple[int, Action]]:
    """Yield these actions, each with the word or, from n on, the constituent that it is about."""
    n, parents = len(tree), tree.parents.tolist()
    sizes = np.bincount(tree.parents[:-1], minlength=len(tree.labels)).tolist()
    done = [0] * len(sizes)
    for word, tag in enumerate(tree.tags):
        yield word, Action(TAG, tag)
        node = word
        while (parent := parents[node]) >= 0:
            done[parent] += 1
            yield node, Action(EXTENSION, _extension(done[parent], sizes[parent]))
            if done[parent] < sizes[parent]:
                break
            node = n + parent
            yield node, Action(LABEL, tree.labels[parent])


def _extension(child: int, children: int) -> str:
    if children == 1:
        return UNIQUE
    return RIGHT if child == 1 else LEFT if child == children else UP


def tree_of(words: Iterable[str], actions: Iterable[Action], intent: str = "_") -> SlotTree:
    """Return the tree that actions make.

    >>> words = ["to", "boston"]
    >>> tree = SlotTree.of_slots(words, ["O", "B-to.city"])
    >>> tree_of(words, derive(tree)) == tree
    True
    """
    words = tuple(words)
    made = _Made(len(words))
    for action in actions:
        if not made.takes(action):
            raise TreeError(f"action {action.name} ({action.kind}) after {made.text}: not possible")
        made.add(action)
    if not made.finished:
        raise TreeError(f"actions that end with {made.text}, expected the label {TOP} of all words")
    parents = np.array([*made.of_words, *made.of_labels], np.int32)
    parents.flags.writeable = False
    return SlotTree(words, tuple(made.tags), tuple(made.labels), parents, intent)


class _Made:
    """What some actions have made so far.

    `open` has the children of constituents that are begun, `closed` those of one that waits for its
    label, `node` what was finished last and waits to be extended: a word, or n + a constituent.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.tags: list[str] = []
        self.labels: list[str] = []
        self.of_words, self.of_labels = [-1] * n, list[int]()
        self.open: list[list[int]] = []
        self.closed: list[int] | None = None
        self.node: int | None = None
        self.text = "the beginning"

    @property
    def finished(self) -> bool:
        return bool(self.labels) and self.labels[-1] == TOP and self.node is None

    def takes(self, action: Action) -> bool:
        """Tell whether an action may be next."""
        if self.closed is not None:
            covers = len(self.tags) == self.n and not self.open
            return action.kind == LABEL and (action.name != TOP or covers)
        if self.node is not None:
            begins = action.name in (RIGHT, UNIQUE)
            known = action.kind == EXTENSION and action.name in EXTENSIONS
            return known and (begins or bool(self.open))
        return action.kind == TAG and len(self.tags) < self.n and not self.finished

    def add(self, action: Action) -> None:
        self.text = f"{action.name} ({action.kind})"
        if action.kind == TAG:
            self.node = len(self.tags)
            self.tags.append(action.name)
        elif action.kind == LABEL:
            self._label(action.name)
        else:
            self._extend(action.name)

    def _label(self, name: str) -> None:
        assert self.closed is not None
        number = len(self.labels)
        for node in self.closed:
            if node < self.n:
                self.of_words[node] = number
            else:
                self.of_labels[node - self.n] = number
        self.labels.append(name)
        self.of_labels.append(-1)
        self.closed, self.node = None, None if name == TOP else self.n + number

    def _extend(self, name: str) -> None:
        assert self.node is not None
        if name in (RIGHT, UNIQUE):
            self.open.append([])
        self.open[-1].append(self.node)
        self.node = None
        if name in (LEFT, UNIQUE):
            self.closed = self.open.pop()
