"""A parser that derives shallow trees action by action, by decision trees (Tang et al. 2002)."""

import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from numbers import Integral
from typing import Any, NamedTuple, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from deppa_nb.corpus.derivation import KINDS, Action, derive, tree_of
from deppa_nb.corpus.slots import SlotBank, SlotTree
from deppa_nb.corpus.textfile import PathLike
from deppa_nb.errors import ArgumentError, FormatError, ParameterError
from deppa_nb.features.events import Events
from deppa_nb.features.questions import Asked, Numbered, Words
from deppa_nb.kernels.derivations import find_leaves, log_probability, search
from deppa_nb.models.checks import check_parameters, checked_importance, listed, restoring
from deppa_nb.models.decisions import DecisionTree
from deppa_nb.models.storage import load_model, save_model

__all__ = ["DerivationParser", "Parse"]

T = TypeVar("T")
Floats = NDArray[np.float64]

_SHARD = 64  # sentences that a thread takes at a time
_ARRAYS = ("left", "right", "questions", "counts")


class Parse(NamedTuple):
    """A tree and the log of its probability."""

    tree: SlotTree
    log_prob: float


class DerivationParser(BaseEstimator):  # type: ignore[misc, unused-ignore]
    """p(tree | words) = product over actions of p(action | context), eq. 1 of Tang et al. (2002).

    Tags, labels and extensions have a decision tree each, over bit strings of contexts. Trees are
    shallow: words under constituents under S. Only actions that lead to one are possible, and
    what is possible is renormalised: probabilities of all trees of a sentence sum to 1.

    Parameters
    ----------
    clusters, frequent
        Brown clusters of words, and words that are asked for by themselves.
    least
        What a split has to gain: bits of entropy, times events.
    smoothing
        m: a node's distribution is (counts + m times that of its parent) / (sum + m).
    beam
        Derivations that are kept side by side.
    rng
        Seed of the order in which questions that gain the same are taken.
    threads
        How many work (all processors if None); results are the same with any number.

    Attributes
    ----------
    asked_
        The questions.
    trees_
        A `DecisionTree` for each of tag, label, extension.

    Examples
    --------
    >>> from deppa_nb.corpus.registry import load
    >>> bank = load("toy-flights", sizes={"train": 60, "dev": 10, "test": 10}).train
    >>> parser = DerivationParser(clusters=20, least=0.5, smoothing=0.1).fit(bank)
    >>> parser.predict(bank[0]) == bank[0]
    True
    >>> best, second = parser.nbest(bank[0], 2)
    >>> best.log_prob > second.log_prob
    True
    """

    def __init__(
        self,
        *,
        clusters: int = 100,
        frequent: int = 400,
        least: float = 3.0,
        smoothing: float = 2.0,
        beam: int = 20,
        rng: int = 1,
        threads: int | None = None,
    ) -> None:
        self.clusters = clusters
        self.frequent = frequent
        self.least = least
        self.smoothing = smoothing
        self.beam = beam
        self.rng = rng
        self.threads = threads

    def fit(
        self,
        trees: Sequence[SlotTree],
        *,
        sample_weight: ArrayLike | None = None,
        words: Words | None = None,
    ) -> Self:
        """Learn from trees.

        Parameters
        ----------
        trees
            Words under constituents under S.
        sample_weight
            What the events of each count; 1 if not given.
        words
            Clusters of words, as of a larger text; by default those of the trees' words.
        """
        self._check_parameters()
        trees = _listed(trees)
        if not trees:
            raise ArgumentError("no trees to learn from, expected at least one")
        weights = checked_importance(sample_weight, len(trees))
        for number, tree in enumerate(trees):
            if (tree.parents[len(tree) : -1] < len(tree.labels) - 1).any():
                problem = "a constituent in another, expected words in constituents in S"
                raise ArgumentError(f"tree {number}: {problem}")
        with restoring(self):
            self._fit(trees, weights, words)
        return self

    def _fit(self, trees: Sequence[SlotTree], weights: Floats, words: Words | None) -> None:
        if words is None:
            words = Words.of([tree.words for tree in trees], self.clusters, self.frequent)
        self.asked_ = Asked(words, Numbered.of(trees))
        contexts, kinds, actions, which = self._gathered(trees)
        self.trees_ = tuple(
            DecisionTree.grown(
                contexts, own, actions[own], weights[which[own]], len(names), self.least, self.rng
            )
            for own, names in (
                (np.flatnonzero(kinds == kind), names)
                for kind, names in enumerate(self.asked_.numbered.names)
            )
        )
        self._compile()

    def _compile(self) -> None:
        self._models = tuple(tree.model(self.smoothing) for tree in self.trees_)

    def _gathered(self, trees: Sequence[SlotTree]) -> tuple[NDArray[Any], ...]:
        """Return contexts, kinds, actions and trees of all events."""
        derived = [derive(tree) for tree in trees]
        which = np.repeat(np.arange(len(trees)), [len(actions) for actions in derived])
        numbers = [self.asked_.numbered.numbers(actions) for actions in derived]
        kinds, actions = (np.concatenate(part) for part in zip(*numbers, strict=True))
        contexts, first = np.empty((len(kinds), len(self.asked_)), np.uint8), 0
        for tree, (own_kinds, own_actions) in zip(trees, numbers, strict=True):
            own = contexts[first : first + len(own_kinds)]
            self.asked_.answer(tree.words, own_kinds, own_actions, own)
            first += len(own)
        return contexts, kinds, actions, which

    @overload
    def predict(self, trees: SlotTree) -> SlotTree: ...
    @overload
    def predict(self, trees: SlotBank) -> SlotBank: ...
    def predict(self, trees: Any) -> Any:
        """Return a request or a bank with the best trees in the place of those it has."""
        if isinstance(trees, SlotTree):
            return self.nbest(trees, 1)[0].tree
        bank = trees if isinstance(trees, SlotBank) else SlotBank(tuple(_listed(trees)))
        return bank.with_sentences(parses[0].tree for parses in self.nbests(bank, 1))

    def accuracy(self, trees: Sequence[SlotTree]) -> float:
        """Return how many in a hundred of the best trees are exactly the given ones."""
        found = self.best_of(trees, 1)
        right = [own == best for own, (best, _) in zip(trees, found, strict=True)]
        return 100.0 * float(np.mean(right)) if right else float("nan")

    def nbest(self, tree: SlotTree, n: int = 10) -> list[Parse]:
        """Return the n best trees of a request that the beam has, the best first."""
        return self.nbests([tree], n)[0]

    def nbests(self, trees: Sequence[SlotTree], n: int = 10) -> list[list[Parse]]:
        """Return such lists of many requests."""

        def look(tree: SlotTree) -> list[Parse]:
            derivations, logs = self._search(tree.words, n)
            return [
                Parse(self._tree(tree, numbers), float(log))
                for numbers, log in zip(derivations, logs, strict=True)
            ]

        return self._map(look, trees)

    def best_of(self, trees: Sequence[SlotTree], n: int = 10) -> list[tuple[SlotTree, Floats]]:
        """Return the best tree of each request and the logs of the n best's probabilities."""

        def look(tree: SlotTree) -> tuple[SlotTree, Floats]:
            derivations, logs = self._search(tree.words, n)
            return self._tree(tree, derivations[0]), logs

        return self._map(look, trees)

    def _tree(self, tree: SlotTree, numbers: NDArray[np.int32]) -> SlotTree:
        actions = self.asked_.numbered.actions(numbers.tolist())
        return tree_of(tree.words, actions, tree.intent)

    def _search(self, words: Sequence[str], n: int) -> tuple[list[NDArray[np.int32]], Floats]:
        """Return the n best derivations of some words, and the logs of their probabilities."""
        if not isinstance(n, Integral) or n < 1:
            raise ArgumentError(f"n is {n!r}, expected a whole number from 1")
        arguments = self.search_arguments(words, max(n, self.beam))
        found = min(n, search(*arguments))
        actions, lengths, logs = arguments[-3:]
        return [actions[k, : lengths[k]] for k in range(found)], logs[:found]

    def search_arguments(self, words: Sequence[str], beam: int) -> tuple[Any, ...]:
        """Return what `kernels.derivations.search` takes: results are the last three."""
        self._check_fitted()
        actions = np.empty((beam, 4 * len(words) + 1), np.int32)
        lengths, logs = np.empty(beam, np.int64), np.empty(beam)
        numbers, table = self.asked_.words.numbers(words), self.asked_.table
        return numbers, table, *self._models, actions, lengths, logs

    def log_prob(self, tree: SlotTree) -> float:
        """Return the log of the probability of a tree, minus infinity for what was never seen."""
        self._check_fitted()
        try:
            kinds, numbers = self.asked_.numbered.numbers(derive(tree))
        except KeyError:
            return float("-inf")
        words, table = self.asked_.words.numbers(tree.words), self.asked_.table
        return float(log_probability(words, kinds, numbers, table, *self._models))

    def events(self, tree: SlotTree, *, contexts: bool = True) -> Events:
        """Return the events of a tree of known tags and labels, as those that the parser finds.

        Parameters
        ----------
        tree
            The tree.
        contexts
            Whether contexts are asked for, or actions alone.
        """
        self._check_fitted()
        kinds, numbers = self._numbers(derive(tree))
        if not contexts:
            return Events(np.empty((len(numbers), 0), np.uint64), numbers, kinds, 0)
        return Events.of(self.contexts(tree), numbers, kinds)

    def contexts(self, tree: SlotTree) -> NDArray[np.uint8]:
        """Return the answers to all questions at each action of such a tree."""
        self._check_fitted()
        kinds, numbers = self._numbers(derive(tree))
        found = np.empty((len(kinds), len(self.asked_)), np.uint8)
        self.asked_.answer(tree.words, kinds, numbers, found)
        return found

    def _numbers(self, actions: Sequence[Action]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        try:
            return self.asked_.numbered.numbers(actions)
        except KeyError as error:
            kind, name = error.args[0]
            raise ArgumentError(f"{kind} {name}, which the model has never seen") from None

    def _check_parameters(self) -> None:
        check_parameters(self.get_params())
        if isinstance(self.rng, bool) or not isinstance(self.rng, Integral):
            raise ParameterError(f"rng is {self.rng!r}, expected a whole number")
        if not 0 <= self.rng < 1 << 32:
            raise ParameterError(f"rng is {self.rng!r}, expected 0 to {(1 << 32) - 1}")

    def _check_fitted(self) -> None:
        if not hasattr(self, "trees_"):
            raise NotFittedError("this DerivationParser has no trees yet; call fit")

    def _map(self, look: Callable[[SlotTree], T], trees: Sequence[SlotTree]) -> list[T]:
        """Return what is found for each request, by several threads."""
        self._check_fitted()
        trees = _listed(trees)
        shards = [trees[k : k + _SHARD] for k in range(0, len(trees), _SHARD)]
        with ThreadPoolExecutor(self.threads or os.cpu_count()) as pool:
            done = pool.map(lambda some: [look(tree) for tree in some], shards)
            return [found for shard in done for found in shard]

    def touched(self, tree: SlotTree) -> tuple[Floats, Floats]:
        """Return the leaves that the events of a tree come to, of all decision trees.

        Returns
        -------
        counts, added : float64 arrays (leaves, actions)
            What was seen at each of these leaves, and what the tree would add. Of tags, labels and
            extensions there are more and less, so rows end with 0.
        """
        self._check_fitted()
        kinds, numbers = self._numbers(derive(tree))
        leaves = np.empty(len(kinds), np.int64)
        words, table = self.asked_.words.numbers(tree.words), self.asked_.table
        find_leaves(words, kinds, numbers, table, *self._models, leaves)
        width = max(own.counts.shape[1] for own in self.trees_)
        rows = []
        for kind, own in enumerate(self.trees_):
            places, which = np.unique(leaves[kinds == kind], return_inverse=True)
            both = np.zeros((2, len(places), width))
            both[0, :, : own.counts.shape[1]] = own.counts[places]
            np.add.at(both[1], (which, numbers[kinds == kind]), 1.0)
            rows.append(both)
        counts, added = np.concatenate(rows, axis=1)
        return counts, added

    def save(self, path: PathLike) -> None:
        """Write parameters, words and decision trees to a file, see `models.storage`."""
        self._check_fitted()
        tables: dict[str, NDArray[Any]] = {
            f"{kind}_{name}": getattr(tree, name)
            for kind, tree in zip(KINDS, self.trees_, strict=True)
            for name in _ARRAYS
        }
        known = {**asdict(self.asked_.words), **asdict(self.asked_.numbered)}
        tables["known"] = np.array(json.dumps(known))
        save_model(path, type(self).__name__, self.get_params(), self.asked_.texts, tables)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Return the parser that a file holds."""
        parameters, texts, tables = load_model(path, cls.__name__)
        try:
            parser = cls(**parameters)
            parser._check_parameters()
            known = {name: tuple(own) for name, own in json.loads(str(tables["known"])).items()}
            words = Words(*(known[name] for name in ("words", "bits", "frequent")))
            parser.asked_ = Asked(words, Numbered(known["tags"], known["labels"]))
            if parser.asked_.texts != texts:
                raise ValueError("questions that this version does not ask")
            parser.trees_ = tuple(
                _checked(
                    DecisionTree(*(tables[f"{kind}_{name}"] for name in _ARRAYS)), len(own), texts
                )
                for kind, own in zip(KINDS, parser.asked_.numbered.names, strict=True)
            )
            parser._compile()
        except (AttributeError, KeyError, TypeError, ValueError, ParameterError) as error:
            raise FormatError(path, None, f"a model of another kind ({error})") from error
        return parser


def _listed(trees: Sequence[SlotTree]) -> list[SlotTree]:
    return listed(trees, SlotTree, "requests with slots (SlotTree)")


def _checked(tree: DecisionTree, actions: int, texts: Sequence[str]) -> DecisionTree:
    """Return a decision tree of a file, if kernels can rely on it."""
    left, right, questions, counts = (getattr(tree, name) for name in _ARRAYS)
    nodes, inner = np.arange(len(left)), left >= 0
    sound = (
        left.dtype == right.dtype == questions.dtype == np.int32
        and left.shape == right.shape == questions.shape == counts.shape[:1] != (0,)
        and counts.dtype == np.float64
        and counts.shape == (len(left), actions)
        and bool(np.isfinite(counts).all() and (counts >= 0).all())
        and bool(((left > nodes) & (right > nodes))[inner].all())
        and bool((np.maximum(left, right) < len(left)).all())
        and bool(((questions >= 0) & (questions < len(texts)))[inner].all())
    )
    if not sound:
        raise ValueError("tables that do not fit each other")
    return tree
