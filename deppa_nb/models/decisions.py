"""Decision trees over bits as arrays: grown by scikit-learn, with smoothed leaves."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array
from sklearn.tree import DecisionTreeClassifier

from deppa_nb.kernels.derivations import Model, columns

__all__ = ["DecisionTree"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class DecisionTree:
    """A tree of questions about bits, and how often each action was seen at each node.

    Attributes
    ----------
    left, right
        ``(nodes,)``: where no and yes lead, -1 at leaves. The root is 0, children come later.
    questions
        ``(nodes,)``: which bit is asked for.
    counts
        ``(nodes, actions)``, sums of weights.
    """

    left: Ints
    right: Ints
    questions: Ints
    counts: Floats

    @classmethod
    def grown(
        cls,
        contexts: NDArray[np.uint8],
        rows: NDArray[np.int64],
        actions: NDArray[np.int32],
        weights: Floats,
        size: int,
        least: float,
        rng: int,
    ) -> Self:
        """Grow a tree on entropy.

        Parameters
        ----------
        contexts
            ``(events, bits)``.
        rows
            Which of them are learned from.
        actions, weights
            ``(rows,)``: which action, and what it counts.
        size
            How many actions there are.
        least
            What a split has to gain: bits of entropy, times events.
        rng
            Of the order in which questions that gain the same are taken.
        """
        firsts, places = columns(contexts, rows)
        ones = np.ones(len(places), np.float32)
        seen = csc_array((ones, places, firsts), shape=(len(rows), contexts.shape[1]))
        grown = DecisionTreeClassifier(
            criterion="entropy",
            min_impurity_decrease=least / max(float(weights.sum()), 1e-300),
            random_state=rng,
        ).fit(seen, actions, weights)
        tree = grown.tree_
        counts = np.zeros((tree.node_count, size))
        shares = tree.value[:, 0, :]
        counts[:, grown.classes_] = shares * tree.weighted_n_node_samples[:, None]
        leaf = tree.children_left < 0
        questions = np.full(tree.node_count, -1, np.int32)
        questions[~leaf] = tree.feature[~leaf]
        return cls(
            tree.children_left.astype(np.int32), tree.children_right.astype(np.int32),
            questions, counts,
        )  # fmt: skip

    def smoothed(self, m: float) -> Floats:
        """Return p(action) at each node, ``(nodes, actions)``: (counts + m p of the parent) / sum.

        At the root, all actions are as likely before anything was seen.
        """
        p = np.empty_like(self.counts)
        before = np.full(self.counts.shape[1], 1.0 / self.counts.shape[1])
        p[0] = (self.counts[0] + m * before) / (self.counts[0].sum() + m)
        for node in np.flatnonzero(self.left >= 0):
            for child in (self.left[node], self.right[node]):
                own = self.counts[child]
                p[child] = (own + m * p[node]) / (own.sum() + m)
        return p

    def model(self, m: float) -> Any:
        """Return the `kernels.derivations.Model`."""
        return Model(self.left, self.right, self.questions, np.log(self.smoothed(m)))
