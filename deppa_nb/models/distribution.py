"""The distribution over the trees of a sentence that scores define."""

from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deppa_nb.errors import ArgumentError, NoTreeError
from deppa_nb.kernels import (
    arborescence,
    first_order,
    forest,
    kbest,
    lawler,
    matrix_tree,
    second_order,
    tree_samples,
)
from deppa_nb.kernels.constraints import constrain
from deppa_nb.kernels.entropy import entropy, expected_score
from deppa_nb.kernels.items import pack, parts, unpack
from deppa_nb.models.constraints import forbidden_arcs, given_heads

__all__ = ["TreeDistribution"]

Floats = NDArray[np.float64]
Heads = NDArray[np.int32]


class TreeDistribution:
    """p(tree) = exp(score(tree)) / Z over the dependency trees of n words.

    A tree's score is the sum of ``arcs[head, word]`` over its words and, if siblings are given, of
    ``siblings[head, word, neighbour]``, where the neighbour is the head's next dependent between
    head and word, or the head itself if there is none. Everything is exact: sums by Eisner's
    algorithm for projective trees, by the matrix-tree theorem for all trees.

    Parameters
    ----------
    arcs : array (n + 1, n + 1)
        ``arcs[head, word]``; position 0 is the root; minus infinity forbids an arc.
    siblings : array (n + 1, n + 1, n + 1), optional
        For projective trees only.
    projective
        Whether arcs may not cross.
    single_root
        Whether exactly one word depends on the root.

    Examples
    --------
    Equal scores: of the three trees of two words, two have a single root.

    >>> trees = TreeDistribution([[0, 0, 0], [0, 0, 0], [0, 0, 0]])
    >>> round(np.exp(trees.log_partition))
    2
    >>> trees.marginals[0]
    array([0. , 0.5, 0.5])
    >>> trees.given(heads=[-1, 2, -1]).best
    array([-1,  2,  0], dtype=int32)
    """

    def __init__(
        self,
        arcs: ArrayLike,
        siblings: ArrayLike | None = None,
        *,
        projective: bool = True,
        single_root: bool = True,
    ) -> None:
        self._arcs = _checked("arcs", arcs, 2)
        self._taken = _take_out(self._arcs)
        self.n = len(self._arcs) - 1
        self.projective, self.single_root = projective, single_root
        self._parts: Floats = np.empty(0)
        if siblings is not None:
            if not projective:
                raise ArgumentError("siblings are given, but only projective trees can have them")
            given = _checked("siblings", siblings, 3)
            if len(given) != self.n + 1:
                raise ArgumentError(f"siblings are for {len(given) - 1} words, arcs for {self.n}")
            self._parts = np.empty(parts(self.n))
            pack(given, self._parts)

    @classmethod
    def of_parts(
        cls, arcs: Floats, parts: Floats, *, projective: bool = True, single_root: bool
    ) -> "TreeDistribution":
        """Return the distribution over trees of scores as the kernels pack them.

        Parameters
        ----------
        arcs : array (n + 1, n + 1)
        parts : array (parts(n),) or (0,)
            Sibling parts in the order of `kernels.items`; none for a model of first order.
        projective, single_root
            As above.
        """
        trees = object.__new__(cls)
        trees.n, trees.projective, trees.single_root = len(arcs) - 1, projective, single_root
        trees._arcs, trees._parts = arcs.copy(), parts
        trees._taken = _take_out(trees._arcs)
        return trees

    def given(
        self, heads: ArrayLike | None = None, forbidden: ArrayLike | None = None
    ) -> "TreeDistribution":
        """Return the distribution over the trees that have these heads and no forbidden arc.

        Parameters
        ----------
        heads : int array (n + 1,)
            Position 0 is not read; -1 leaves a word open.
        forbidden : bool array (n + 1, n + 1)
            ``forbidden[head, word]``.
        """
        arcs, barred = np.empty_like(self._arcs), forbidden_arcs(forbidden, self.n)
        constrain(self._arcs, given_heads(heads, self.n), barred, arcs)
        fewer = TreeDistribution.of_parts(
            arcs, self._parts, projective=self.projective, single_root=self.single_root
        )
        fewer._taken += self._taken
        return fewer

    def scaled(self, by: float) -> "TreeDistribution":
        """Return the distribution with all scores multiplied: surer of its best tree, if by > 1.

        Examples
        --------
        >>> trees = TreeDistribution([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
        >>> [float(t.marginals[0, 1].round(3)) for t in (trees, trees.scaled(3))]
        [0.731, 0.953]
        """
        if not 0 < by < np.inf:
            raise ArgumentError(f"scores times {by}, expected a number over 0")
        other = TreeDistribution.of_parts(
            by * self._arcs, by * self._parts,
            projective=self.projective, single_root=self.single_root,
        )  # fmt: skip
        other._taken += by * self._taken
        return other

    @cached_property
    def _sums(self) -> tuple[float, Floats, Floats]:
        """Log Z and the marginals of arcs and of packed parts."""
        marginals, of_parts = np.empty_like(self._arcs), np.empty_like(self._parts)
        if not self.projective:
            log_z = matrix_tree.tree_marginals(self._arcs, self.single_root, marginals)
        elif self._parts.size:
            work = second_order.workspace(self.n)
            log_z = second_order.inside_outside(
                self._arcs, self._parts, self.single_root, marginals, of_parts, work
            )
        else:
            work = first_order.workspace(self.n)
            log_z = first_order.inside_outside(self._arcs, self.single_root, marginals, work)
        return log_z, marginals, of_parts

    @property
    def log_partition(self) -> float:
        """Log Z; minus infinity if there is no tree."""
        return self._sums[0] + self._taken

    @property
    def allowed(self) -> NDArray[np.bool_]:
        """Which arcs are not forbidden."""
        return self._arcs > -np.inf

    @property
    def relative_arcs(self) -> Floats:
        """The scores of arcs, of each word less its highest."""
        return self._arcs

    @property
    def siblings(self) -> Floats:
        """The scores ``siblings[head, word, neighbour]``, zeros for no part."""
        return self._unpacked(self._parts)

    @property
    def marginals(self) -> Floats:
        """p(head -> word), of the shape of the arcs; zeros if there is no tree."""
        return self._sums[1]

    @property
    def sibling_marginals(self) -> Floats:
        """p(head -> word next to neighbour), of the shape of the siblings; zeros for no part."""
        return self._unpacked(self._sums[2])

    def _unpacked(self, packed: Floats) -> Floats:
        unpacked = np.zeros((self.n + 1,) * 3)
        if packed.size:
            unpack(packed, unpacked)
        return unpacked

    @cached_property
    def entropy(self) -> float:
        """The entropy of the distribution in nats: log Z less the expected score.

        Examples
        --------
        >>> float(np.exp(TreeDistribution(np.zeros((4, 4))).entropy).round(6))
        7.0
        """
        log_z, marginals, of_parts = self._sums
        expected = expected_score(self._arcs, marginals) + expected_score(self._parts, of_parts)
        return float(entropy(log_z, expected))

    def log_prob(self, heads: ArrayLike) -> float:
        """Return the log-probability of a tree or, where heads are -1, of all trees around it.

        Examples
        --------
        >>> TreeDistribution(np.zeros((4, 4))).log_prob([-1, -1, -1, -1])
        0.0
        """
        log_z = self._sums[0]
        if log_z == -np.inf:
            raise self._no_tree()
        fewer = self.given(heads)
        return min(0.0, fewer._sums[0] + (fewer._taken - self._taken) - log_z)

    @property
    def best(self) -> Heads:
        """The heads of the best tree, with -1 for the root."""
        return self._best[0]

    @property
    def best_score(self) -> float:
        """The score of the best tree."""
        return self._best[1] + self._taken

    @cached_property
    def _best(self) -> tuple[Heads, float]:
        heads = np.empty(self.n + 1, np.int32)
        if not self.projective:
            score = arborescence.best_arborescence(self._arcs, self.single_root, heads)
        elif self._parts.size:
            work = second_order.workspace(self.n)
            score = second_order.best_tree(self._arcs, self._parts, self.single_root, heads, work)
        else:
            work = first_order.workspace(self.n)
            score = first_order.best_tree(self._arcs, self.single_root, heads, work)
        if score == -np.inf:
            raise self._no_tree()
        return heads, score

    def _no_tree(self) -> NoTreeError:
        kind = "projective tree" if self.projective else "tree"
        roots = "with one root" if self.single_root else "with any number of roots"
        return NoTreeError(f"no {kind} {roots} of {self.n} words has all these heads")

    def _count(self) -> int:
        """Return how many trees of n words there are: no list of the best is longer."""
        n = self.n
        if not self.projective:
            return int(n ** (n - 1) if self.single_root else (n + 1) ** (n - 1))
        return comb(3 * n - 2, n - 1) // n if self.single_root else comb(3 * n, n) // (2 * n + 1)

    def nbest(self, k: int) -> tuple[Heads, Floats]:
        """Return the k best trees, best first, and their scores; fewer if there are fewer.

        Examples
        --------
        >>> heads, scores = TreeDistribution(np.zeros((4, 4))).nbest(100)
        >>> heads.shape, scores.shape
        ((7, 4), (7,))
        """
        if k < 1:
            raise ArgumentError(f"k is {k}, expected 1 or more")
        k = min(k, self._count())
        heads, scores = np.empty((k, self.n + 1), np.int32), np.empty(k)
        if self.projective:
            found = kbest.best_trees(self._arcs, self._parts, self.single_root, heads, scores)
        else:
            found = lawler.k_best_arborescences(self._arcs, self.single_root, heads, scores)
        return heads[:found], scores[:found] + self._taken

    def sample(self, size: int, rng: np.random.Generator) -> Heads:
        """Draw trees, one a row.

        Examples
        --------
        >>> trees = TreeDistribution(np.zeros((2, 2)))
        >>> trees.sample(2, np.random.default_rng(1)).tolist()
        [[-1, 0], [-1, 0]]
        """
        heads = np.empty((size, self.n + 1), np.int32)
        if self.projective:
            uniforms = rng.random((size, 4 * self.n))
            log_z = forest.sample(self._arcs, self._parts, self.single_root, uniforms, heads)
        else:
            uniforms = rng.random((size, self.n))
            log_z = tree_samples.sample_trees(self._arcs, self.single_root, uniforms, heads)
        if log_z == -np.inf:
            raise self._no_tree()
        return heads


def _take_out(arcs: Floats) -> float:
    """Lower the scores of each word by its highest; return the sum of those.

    Every tree has one arc into each word, so that no probability changes, and none suffers from
    rounding when all scores of a word are large.
    """
    np.fill_diagonal(arcs, -np.inf)
    arcs[:, 0] = -np.inf
    top = arcs.max(axis=0)
    top[~np.isfinite(top)] = 0.0
    arcs -= top
    return float(top.sum())


def _checked(name: str, scores: ArrayLike, axes: int) -> Floats:
    """Return a copy as float array of equal sides without NaN and plus infinity."""
    checked = np.array(scores, np.float64, order="C")
    if checked.ndim != axes or len(set(checked.shape)) != 1 or len(checked) < 2:
        sides = " x ".join(["(n + 1)"] * axes)
        raise ArgumentError(f"{name} has shape {checked.shape}, expected {sides}")
    wrong = np.argwhere(np.isnan(checked) | (checked == np.inf))
    if wrong.size:
        place = tuple(wrong[0].tolist())
        raise ArgumentError(f"{name}{list(place)} is {checked[place]}, expected a number or -inf")
    return checked
