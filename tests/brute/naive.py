"""The truth for small inputs: plain enumeration. Nothing here is imported from the kernels."""

from collections.abc import Iterator
from itertools import product

import numpy as np

Tree = tuple[int, ...]
"""Heads of words 1..n at positions 1..n; position 0 holds -1."""


def trees(n: int, *, projective: bool, single_root: bool) -> Iterator[Tree]:
    """Every tree over n words."""
    for heads in product(range(n + 1), repeat=n):
        tree = (-1, *heads)
        if single_root and heads.count(0) != 1:
            continue
        if reaches_root(tree) and (not projective or not crosses(tree)):
            yield tree


def reaches_root(tree: Tree) -> bool:
    reached, size = {0}, 0
    while len(reached) > size:
        size = len(reached)
        reached |= {word for word, head in enumerate(tree) if head in reached}
    return size == len(tree)


def crosses(tree: Tree) -> bool:
    """Whether two arcs cross, or one runs over the root's arc (the root stands at position 0)."""
    spans = [tuple(sorted((head, word))) for word, head in enumerate(tree) if word]
    return any(a < c < b < d for a, b in spans for c, d in spans)


def arc_score(tree: Tree, scores: np.ndarray) -> float:
    return float(sum(scores[head, word] for word, head in enumerate(tree) if word))


def sibling(tree: Tree, word: int) -> int:
    """The nearest dependent of the same head between head and word, or the head if there is none."""
    head = tree[word]
    step = 1 if word > head else -1
    between = range(word - step, head, -step)
    return next((other for other in between if tree[other] == head), head)


def sibling_score(tree: Tree, arcs: np.ndarray, siblings: np.ndarray) -> float:
    """Arcs plus parts ``siblings[head, word, sibling]``."""
    parts = sum(siblings[head, word, sibling(tree, word)] for word, head in enumerate(tree) if word)
    return arc_score(tree, arcs) + float(parts)


def log_sum(values: list[float]) -> float:
    top = max(values, default=-np.inf)
    if top == -np.inf:
        return -np.inf
    return float(top + np.log(sum(np.exp(value - top) for value in values)))
