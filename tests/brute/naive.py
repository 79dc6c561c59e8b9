"""The truth for small inputs: plain enumeration. Nothing here is imported from the kernels."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import log

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


def distribution(
    scores: np.ndarray, *, projective: bool, single_root: bool
) -> tuple[float, dict[Tree, float]]:
    """Log Z and the probability of every tree that is possible."""
    found = trees(len(scores) - 1, projective=projective, single_root=single_root)
    sums = {tree: arc_score(tree, scores) for tree in found}
    log_z = log_sum(list(sums.values()))
    return log_z, {tree: float(np.exp(s - log_z)) for tree, s in sums.items() if s > -np.inf}


def marginals(probabilities: dict[Tree, float], n: int) -> np.ndarray:
    """The probability of each arc."""
    p = np.zeros((n + 1, n + 1))
    for tree, probability in probabilities.items():
        for word in range(1, n + 1):
            p[tree[word], word] += probability
    return p


def sum_over_sets(
    scores: np.ndarray, *, single_root: bool, plus: Callable[[list[float]], float]
) -> float:
    """All non-projective trees by recursion over sets of words, for up to eight words or so.

    A head with words below it has one dependent above the lowest of them, which splits the set in
    two. `plus` is `max` for the best tree and `log_sum` for log Z; nothing is ever subtracted.
    """

    @cache
    def below(head: int, words: frozenset[int]) -> float:
        if not words:
            return 0.0
        lowest = min(words)
        others = sorted(words - {lowest})
        values = [-np.inf]
        for kept in product([False, True], repeat=len(others)):
            part = frozenset({lowest, *(w for w, k in zip(others, kept, strict=True) if k)})
            if head == 0 and single_root and part != words:
                continue
            rest = below(head, words - part)
            values += [scores[head, word] + below(word, part - {word}) + rest for word in part]
        return plus(values)

    return below(0, frozenset(range(1, len(scores))))


def koo(scores: np.ndarray, *, single_root: bool) -> tuple[float, np.ndarray]:
    """Log Z and marginals by the formulas of Koo et al. (2007), in rational numbers."""
    size = len(scores)
    w = [[Fraction(float(np.exp(x))) for x in row] for row in scores]
    words = range(1, size)
    first_head = 1 if single_root else 0
    laplacian = [[-w[h][m] for m in words] for h in words]
    for m in words:
        laplacian[m - 1][m - 1] = sum(
            (w[h][m] for h in range(first_head, size) if h != m), Fraction(0)
        )
    if single_root:
        laplacian[0] = [w[0][m] for m in words]
    determinant, inverse = invert(laplacian)
    p = np.zeros((size, size))
    for m in words:
        row = inverse[m - 1]
        p[0, m] = w[0][m] * row[0 if single_root else m - 1]
        for h in words:
            if h != m:
                own = 0 if single_root and m == 1 else row[m - 1]
                p[h, m] = w[h][m] * (own - (0 if single_root and h == 1 else row[h - 1]))
    return log(determinant.numerator) - log(determinant.denominator), p


def invert(matrix: list[list[Fraction]]) -> tuple[Fraction, list[list[Fraction]]]:
    """Determinant and inverse, by Gauss and Jordan."""
    n, determinant = len(matrix), Fraction(1)
    rows = [[*row, *(Fraction(i == j) for j in range(n))] for i, row in enumerate(matrix)]
    for k in range(n):
        i = next(i for i in range(k, n) if rows[i][k])
        if i != k:
            rows[i], rows[k], determinant = rows[k], rows[i], -determinant
        pivot = rows[k][k]
        determinant *= pivot
        rows[k] = [x / pivot for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return determinant, [row[n:] for row in rows]


Labels = tuple[int, ...]


def label_sequences(allowed: np.ndarray) -> Iterator[Labels]:
    """Every sequence of allowed labels, in lexicographic order."""
    yield from product(*(np.flatnonzero(row).tolist() for row in allowed))


def label_score(labels: Labels, unary: np.ndarray, transitions: np.ndarray) -> float:
    own = sum(unary[t, label] for t, label in enumerate(labels))
    steps = sum(transitions[a, b] for a, b in pairwise(labels))
    return float(own + steps)


Event = tuple[int, ...]
"""Action, type, then bits of the context, each 0 or 1."""


def event_distance(e: Event, f: Event, action_cost: float) -> float:
    """Tang et al. (2002), eq. 4 and 5."""
    if e[1] != f[1]:
        return np.inf
    context = sum(a != b for a, b in zip(e[2:], f[2:], strict=True))
    return context + (0 if e[0] == f[0] else action_cost)


def edit_distance(
    first: list[Event], second: list[Event], action_cost: float, gap_cost: float
) -> float:
    """The whole matrix of the textbook recurrence."""
    table = np.empty((len(first) + 1, len(second) + 1))
    for x in range(len(first) + 1):
        for y in range(len(second) + 1):
            ways = [0.0] if x == y == 0 else []
            if x:
                ways.append(table[x - 1, y] + gap_cost)
            if y:
                ways.append(table[x, y - 1] + gap_cost)
            if x and y:
                aligned = event_distance(first[x - 1], second[y - 1], action_cost)
                ways.append(table[x - 1, y - 1] + aligned)
            table[x, y] = min(ways)
    return float(table[-1, -1])


State = tuple[tuple[int, ...], int, Tree]
"""The stack, its bottom first; the first word of the buffer; the heads so far, -1 for none."""


def derivations(
    n: int, *, single_root: bool, start: State | None = None
) -> Iterator[tuple[list[tuple[State, str]], Tree]]:
    """All sequences of arc-hybrid actions, each with the state in which it is done, and their trees."""
    stack, word, heads = start or ((0,), 1, (-1,) * (n + 1))
    if word == n + 1 and stack == (0,):
        yield [], heads
        return
    steps: list[tuple[str, State]] = []
    if word <= n:
        steps.append(("shift", ((*stack, word), word + 1, heads)))
    if stack[-1] != 0:
        rest, top = stack[:-1], stack[-1]
        if word <= n:
            steps.append(("left", (rest, word, with_head(heads, top, word))))
        if rest[-1] != 0 or not single_root or word == n + 1:
            steps.append(("right", (rest, word, with_head(heads, top, rest[-1]))))
    for action, after in steps:
        for rest_of, tree in derivations(n, single_root=single_root, start=after):
            yield [((stack, word, heads), action), *rest_of], tree


def with_head(heads: Tree, word: int, head: int) -> Tree:
    return (*heads[:word], head, *heads[word + 1 :])


def seen_word(state: State, path: str) -> int | None:
    """The word that a name like s1.rl or b0.l2 stands for, or None."""
    stack, word, heads = state
    name, _, dependent = path.partition(".")
    place = int(name[1:])
    if name[0] == "s":
        found = stack[-1 - place] if place < len(stack) else None
    else:
        found = word + place if word + place < len(heads) else None
    for letter, nth in {
        "": [], "l1": [("l", 0)], "l2": [("l", 1)], "r1": [("r", 0)], "r2": [("r", 1)],
        "ll": [("l", 0), ("l", 0)], "rl": [("r", 0), ("l", 0)], "rr": [("r", 0), ("r", 0)],
    }[dependent]:  # fmt: skip
        found = None if found is None else outermost(heads, found, letter, nth)
    return found


def outermost(heads: Tree, head: int, side: str, nth: int) -> int | None:
    """The dependent on a side that is the nth from outside."""
    own = dependents(heads, head, side)
    return own[nth] if nth < len(own) else None


def dependents(heads: Tree, head: int, side: str) -> list[int]:
    """Dependents on a side, from outside."""
    own = [word for word in range(1, len(heads)) if heads[word] == head]
    return [w for w in own if w < head] if side == "l" else [w for w in own[::-1] if w > head]


def banded_distance(
    first: list[Event], second: list[Event], action_cost: float, gap_cost: float, band: int
) -> float:
    """The least cost of alignments that leave a strip of diagonals at no place, by recursion."""
    low = min(0, len(second) - len(first)) - band
    high = max(0, len(second) - len(first)) + band

    @cache
    def cost(x: int, y: int) -> float:
        if not low <= y - x <= high or x < 0 or y < 0:
            return np.inf
        if x == y == 0:
            return 0.0
        aligned = event_distance(first[x - 1], second[y - 1], action_cost) if x and y else np.inf
        return min(
            cost(x - 1, y) + gap_cost, cost(x, y - 1) + gap_cost, cost(x - 1, y - 1) + aligned
        )

    return cost(len(first), len(second))


def information(clusters: list[set[int]], bigrams: dict[tuple[int, int], int]) -> float:
    """Mutual information of adjacent clusters, times the number of bigrams; others are left out.

    How often any word follows a cluster, or precedes it, is counted over all bigrams.
    """
    total, found = sum(bigrams.values()), 0.0
    for a, b in product(clusters, repeat=2):
        times = sum(n for (v, w), n in bigrams.items() if v in a and w in b)
        before = sum(n for (v, _), n in bigrams.items() if v in a)
        after = sum(n for (_, w), n in bigrams.items() if w in b)
        found += times * log(times * total / (before * after)) if times else 0.0
    return found


def merger_losses(
    bigrams: dict[tuple[int, int], int], words: int, window: int, merges: list[tuple[int, int]]
) -> Iterator[tuple[float, float]]:
    """What each merger of a list loses, and the least that one could lose at that step.

    Words 1 to `words` come into the window one by one; 0 is the mark around sentences.
    """
    clusters, steps = [{0}], iter(merges)

    def losses() -> dict[tuple[int, int], float]:
        now, found = information(clusters, bigrams), {}
        for j in range(2, len(clusters)):
            for i in range(1, j):
                rest = [c for k, c in enumerate(clusters) if k not in (i, j)]
                merged = [*rest, clusters[i] | clusters[j]]
                pair = sorted([min(clusters[i]), min(clusters[j])])
                found[pair[0], pair[1]] = now - information(merged, bigrams)
        return found

    def merge() -> tuple[float, float]:
        found, (a, b) = losses(), next(steps)
        second = next(c for c in clusters if min(c) == b)
        clusters.remove(second)
        next(c for c in clusters if min(c) == a).update(second)
        return found[a, b], min(found.values())

    for word in range(1, words + 1):
        if len(clusters) == window + 1:
            yield merge()
        clusters.append({word})
    while len(clusters) > 2:
        yield merge()
