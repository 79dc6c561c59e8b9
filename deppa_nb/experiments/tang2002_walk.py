"""What the walk through Tang et al. (2002) shows, on a few sentences."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deppa_nb.active.checks import check_number
from deppa_nb.active.density import Clusters, density, event_distances, k_medoids
from deppa_nb.active.parses import look
from deppa_nb.corpus.derivation import KINDS, derive, steps
from deppa_nb.corpus.slots import SlotTree
from deppa_nb.errors import ArgumentError
from deppa_nb.models.derivation import DerivationParser

__all__ = [
    "FIGURE_1",
    "Step",
    "align",
    "context",
    "decisions",
    "embed",
    "entropies",
    "map_of",
    "numbered",
]

Floats = NDArray[np.float64]

FIGURE_1 = SlotTree.of_slots(
    "fly from new york to boston".split(),
    ["O", "O", "B-LOC.city", "I-LOC.city", "O", "B-LOC.city"],
)
"""The paper's example."""


def numbered(tree: SlotTree) -> pd.DataFrame:
    """Return the actions of a tree: number, kind, action, and the words it is about.

    >>> numbered(FIGURE_1).loc[9].tolist()
    ['label', 'LOC', 'new york']
    """
    rows = []
    for number, (node, action) in enumerate(steps(tree), 1):
        about = " ".join(tree.words[k] for k in words_under(tree, node))
        rows.append({"number": number, "kind": action.kind, "action": action.name, "words": about})
    return pd.DataFrame(rows).set_index("number")


def words_under(tree: SlotTree, node: int) -> list[int]:
    """Return the words under a word or, from n on, a constituent."""
    if node < len(tree):
        return [node]
    children = np.flatnonzero(tree.parents == node - len(tree)).tolist()
    return sorted(word for child in children for word in words_under(tree, child))


def context(parser: DerivationParser, tree: SlotTree, number: int) -> tuple[str, pd.DataFrame]:
    """Return the bit string of an action's context, and the questions whose answer is yes.

    Parameters
    ----------
    parser
        That has learned.
    tree
        A tree of known tags and labels.
    number
        Of the action, from 1.
    """
    actions = derive(tree)
    check_number("number", number, 1, len(actions), whole=True, error=ArgumentError)
    row = parser.contexts(tree)[number - 1]
    yes = np.flatnonzero(row)
    texts = np.array(parser.asked_.texts)[yes]
    return "".join(map(str, row)), pd.DataFrame({"bit": yes, "yes to": texts}).set_index("bit")


def decisions(parser: DerivationParser, kind: str, depth: int = 3) -> pd.DataFrame:
    """Return the first questions of the decision tree of a kind, a row for each node.

    Columns are question (indented by depth), events that came there, and the likeliest actions.
    """
    if kind not in KINDS:
        raise ArgumentError(f"kind is {kind!r}, expected one of {', '.join(KINDS)}")
    tree = parser.trees_[KINDS.index(kind)]
    names = parser.asked_.numbered.names[KINDS.index(kind)]
    texts, p = parser.asked_.texts, tree.smoothed(parser.smoothing)
    rows = []

    def add(node: int, level: int, answer: str) -> None:
        leaf = tree.left[node] < 0
        question = "(leaf)" if leaf else f"{texts[tree.questions[node]]}?"
        best = np.argsort(-p[node], kind="stable")[:3]
        likely = ", ".join(f"{names[k]} {p[node, k]:.2f}" for k in best)
        indent = "\u2003" * level
        rows.append(
            {"question": f"{indent}{answer}{question}", "events": float(tree.counts[node].sum()),
             "likeliest": likely}
        )  # fmt: skip
        if not leaf and level < depth:
            add(int(tree.left[node]), level + 1, "no: ")
            add(int(tree.right[node]), level + 1, "yes: ")

    add(0, 0, "")
    return pd.DataFrame(rows)


class Step(NamedTuple):
    """A column of an alignment: actions (empty where one is left out) and what it costs."""

    first: str
    second: str
    cost: float


def align(
    parser: DerivationParser, one: SlotTree, two: SlotTree, *, contexts: bool = True
) -> list[Step]:
    """Return the cheapest way to turn the events of a tree into another's (eq. 3 to 6).

    Parameters
    ----------
    parser
        That has learned.
    one, two
        Trees of known tags and labels.
    contexts
        Whether contexts count.
    """
    sides = [_side(parser, tree) for tree in (one, two)]
    (names, kinds, rows), (others, other_kinds, other_rows) = sides
    bits = rows.shape[1] if contexts else 1
    apart = (rows[:, None, :] != other_rows[None]).sum(axis=2) if contexts else 0
    same = np.array(names, object)[:, None] == np.array(others, object)[None]
    costs = np.where(same, 0.0, float(bits)) + apart
    costs[kinds[:, None] != other_kinds[None]] = np.inf
    return _path(names, others, costs, float(bits))


def _side(
    parser: DerivationParser, tree: SlotTree
) -> tuple[list[str], NDArray[np.int8], NDArray[np.uint8]]:
    contexts = parser.contexts(tree)
    actions = derive(tree)
    kinds = np.array([KINDS.index(action.kind) for action in actions], np.int8)
    return [action.name for action in actions], kinds, contexts


def _path(names: list[str], others: list[str], costs: Floats, gap: float) -> list[Step]:
    """Fill the whole table, then walk back through it."""
    n, m = costs.shape
    table = np.zeros((n + 1, m + 1))
    table[:, 0], table[0] = gap * np.arange(n + 1), gap * np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            ways = table[i - 1, j] + gap, table[i, j - 1] + gap
            table[i, j] = min(table[i - 1, j - 1] + costs[i - 1, j - 1], *ways)
    steps, i, j = list[Step](), n, m
    while i or j:
        if i and j and table[i, j] == table[i - 1, j - 1] + costs[i - 1, j - 1]:
            i, j = i - 1, j - 1
            steps.append(Step(names[i], others[j], float(costs[i, j])))
        elif i and table[i, j] == table[i - 1, j] + gap:
            i -= 1
            steps.append(Step(names[i], "", gap))
        else:
            j -= 1
            steps.append(Step("", others[j], gap))
    return steps[::-1]


def embed(distances: NDArray[np.floating]) -> Floats:
    """Return points in the plane whose distances are near to those given: classical scaling.

    >>> embed(np.array([[0.0, 3.0], [3.0, 0.0]])).round(6).tolist()
    [[1.5, 0.0], [-1.5, 0.0]]
    >>> embed(np.zeros((1, 1))).tolist()
    [[0.0, 0.0]]
    """
    if len(distances) < 2:
        return np.zeros((len(distances), 2))
    squares = distances.astype(float) ** 2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    values, vectors = values[::-1][:2], vectors[:, ::-1][:, :2]
    signs = np.where(vectors[np.abs(vectors).argmax(axis=0), range(vectors.shape[1])] < 0, -1, 1)
    return np.asarray(vectors * signs * np.sqrt(np.maximum(values, 0.0)))


def map_of(
    parser: DerivationParser, trees: Sequence[SlotTree], clusters: int, *, contexts: bool = True
) -> tuple[pd.DataFrame, Clusters]:
    """Return a row for each different parse: where it is on a map, its cluster and density.

    Columns are x, y, cluster, density, sentences (parsed so), centre, words (of the first).
    """
    events = [parser.events(tree, contexts=contexts) for tree in trees]
    distances, which = event_distances(events, contexts=contexts, threads=1)
    counts = np.bincount(which)
    found = k_medoids(distances, counts, clusters, np.random.default_rng(1))
    x, y = embed(distances).T
    firsts = [int(np.flatnonzero(which == k)[0]) for k in range(len(counts))]
    frame = pd.DataFrame(
        {
            "x": x, "y": y, "cluster": found.labels, "density": density(distances, counts),
            "sentences": counts, "centre": np.isin(np.arange(len(counts)), found.medoids),
            "words": [" ".join(trees[k].words) for k in firsts],
        }
    )  # fmt: skip
    return frame, found


def entropies(parser: DerivationParser, sentences: Sequence[SlotTree], n: int) -> pd.DataFrame:
    """Return the three entropies of some sentences, the longest first."""
    found = look(parser, sentences, n)
    right = [a == b for a, b in zip(sentences, found.trees, strict=True)]
    return pd.DataFrame(
        {
            "sentence": [" ".join(s.words) for s in sentences],
            "words": [len(s) for s in sentences], "change of entropy": found.change,
            "sentence entropy": found.sentence, "word entropy": found.word, "parsed right": right,
        }
    ).sort_values("words", ascending=False, ignore_index=True)  # fmt: skip
