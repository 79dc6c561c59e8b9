"""What parsers with hashed features of arcs share: all but how the weights are learned."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.trees import Heads
from deppa_nb.errors import ArgumentError, NoTreeError, ParameterError
from deppa_nb.features.slots import hash_slots
from deppa_nb.features.templates import Template, select
from deppa_nb.kernels import batches
from deppa_nb.kernels.items import parts
from deppa_nb.models.constraints import Constraints, given_heads, given_labels
from deppa_nb.models.distribution import TreeDistribution
from deppa_nb.models.labels import LabelModel
from deppa_nb.models.pruning import NONE, Pruner
from deppa_nb.models.steps import Kept

__all__ = ["GraphParser", "Limits", "ProbabilisticParser", "Scores", "keep_labels", "no_tree"]

Weights = NDArray[np.float32]
Floats = NDArray[np.float64]
T = TypeVar("T")
Limits = Sequence[Constraints] | None

_SHARD, _MOST_PARTS = 512, 1 << 20  # sentences that a thread takes at a time, and their parts


class Scores(NamedTuple):
    """The scores of some sentences, as the kernels lay them out."""

    firsts: NDArray[np.int64]
    at: NDArray[np.int64]
    arcs: Floats
    siblings: Floats


def _shards(sentences: Sequence[Sentence]) -> Iterator[slice]:
    """Cut sentences into pieces whose scores are not too many."""
    start = size = 0
    for end, sentence in enumerate(sentences):
        more = parts(len(sentence))
        if end > start and (end - start == _SHARD or size + more > _MOST_PARTS):
            yield slice(start, end)
            start, size = end, 0
        size += more
    if start < len(sentences):
        yield slice(start, len(sentences))


class GraphParser(BaseEstimator):  # type: ignore[misc, unused-ignore]
    """A parser whose score of a tree is the sum of the weights of its features.

    A class of it has the parameters and the attribute below, and learns.
    """

    projective: bool = True
    order: int
    templates: Sequence[str]
    decoder: Literal["viterbi", "mbr"]
    single_root: bool
    threads: int | None
    weights_: Weights
    labeller_: LabelModel | None = None
    pruner_: Pruner | None = None

    @overload
    def predict(self, sentences: Sentence, constraints: Constraints | None = None) -> Sentence: ...
    @overload
    def predict(
        self, sentences: Treebank, constraints: Sequence[Constraints] | None = None
    ) -> Treebank: ...
    def predict(self, sentences: Any, constraints: Any = None) -> Any:
        """Return a sentence or a treebank with the trees found and, if they are learned, labels.

        Parameters
        ----------
        sentences
            Their own heads and labels are not looked at.
        constraints
            What the tree of each must respect; `Constraints.of` gives a sentence's own heads.
        """
        if isinstance(sentences, Sentence):
            limits = None if constraints is None else [constraints]
            return self.predict(Treebank((sentences,)), limits)[0]
        if not isinstance(sentences, Treebank):
            return self.predict(Treebank(tuple(sentences)), constraints)

        def complete(some: Sequence[Sentence], limits: Limits) -> list[Sentence]:
            heads = self._heads(some, limits)
            labels = self.predict_labels(some, heads, limits)
            found = zip(some, heads, labels, strict=True)
            return [sentence.with_tree(tree, names) for sentence, tree, names in found]

        return sentences.with_sentences(self._in_shards(complete, sentences, constraints))

    def predict_labels(
        self,
        sentences: Sequence[Sentence],
        heads: Sequence[Heads],
        constraints: Sequence[Constraints] | None = None,
    ) -> list[list[str]]:
        """Return n labels for each of these trees: those of the constraints, others as learned.

        Without a label model, they are ``"_"``.
        """
        if self.labeller_ is None:
            labels = [["_"] * len(sentence) for sentence in sentences]
        else:
            labels = self.labeller_.predict(sentences, heads)
        trees = zip(sentences, heads, labels, constraints or (), strict=constraints is not None)
        for sentence, tree, found, limit in trees:
            if self.labeller_ is not None and limit.forbidden_labels:
                _avoid_labels(self.labeller_, sentence, tree, limit, found)
            keep_labels(found, limit)
        return labels

    def predict_heads(
        self, sentences: Sequence[Sentence], constraints: Sequence[Constraints] | None = None
    ) -> list[Heads]:
        """Return the heads alone, ``(n + 1,)`` for each sentence, -1 in the root's slot."""
        return self._in_shards(self._heads, sentences, constraints)

    def _heads(self, sentences: Sequence[Sentence], limits: Limits) -> list[Heads]:
        scores = self._score(sentences, limits)
        firsts, at, arcs, siblings = scores
        every, heads = np.arange(len(sentences)), np.empty(firsts[-1], np.int32)
        if self.decoder not in ("viterbi", "mbr"):
            raise ParameterError(f"decoder is {self.decoder!r}, expected 'viterbi' or 'mbr'")
        if self.decoder == "mbr":
            allowed = arcs != -np.inf
            arcs, siblings = np.where(allowed, self._summed(scores), -np.inf), np.empty(0)
        batches.decode(firsts, every, self.projective, self.single_root, at, arcs, siblings, heads)
        trees = np.split(heads, firsts[1:-1])
        if limits is not None:
            _check_possible(sentences, trees, at[0], arcs)
        return trees

    def _in_shards(
        self,
        function: Callable[[Sequence[Sentence], Limits], Iterable[T]],
        sentences: Sequence[Sentence],
        constraints: Limits,
    ) -> list[T]:
        """Return what a function returns for pieces of some sentences, by several threads."""
        if constraints is not None and len(constraints) != len(sentences):
            raise ArgumentError(f"{len(constraints)} constraints for {len(sentences)} sentences")

        def of(shard: slice) -> Iterable[T]:
            return function(sentences[shard], None if constraints is None else constraints[shard])

        with ThreadPoolExecutor(self.threads or os.cpu_count()) as pool:
            return [found for some in pool.map(of, _shards(sentences)) for found in some]

    def _score(self, sentences: Sequence[Sentence], limits: Limits) -> Scores:
        """Return the scores of sentences; what the constraints do not allow is minus infinity."""
        templates = self._templates()
        slots, every = hash_slots(sentences, templates), np.arange(len(sentences))
        heads, forbidden, kept = np.full(slots.firsts[-1], -1, np.int32), NONE, Kept()
        if limits:
            pairs = [(limit, len(s)) for limit, s in zip(limits, sentences, strict=True)]
            heads = np.concatenate([given_heads(limit.heads, n) for limit, n in pairs])
            if any(limit.forbids for limit in limits):
                squares = [limit.barred_arcs(n).ravel() for limit, n in pairs]
                forbidden = np.concatenate(squares)
        if self.pruner_ is not None:
            kept = self.pruner_.keep(slots, templates, heads, forbidden)
        at = batches.layout(slots.firsts, every, self.order == 2)
        arcs, siblings = (np.empty(size) for size in at[:, -1])
        batches.score_batch(slots, every, self._weights, *kept, at, arcs, siblings)
        if limits:
            batches.constrain_batch(slots.firsts, every, at, heads, forbidden, arcs)
        return Scores(slots.firsts, at, arcs, siblings)

    def _best(self, trees: TreeDistribution) -> Heads:
        if self.decoder == "viterbi":
            return trees.best
        possible = np.where(trees.allowed, trees.marginals, -np.inf)
        return self._trees(possible, np.empty(0)).best

    def _trees(self, arcs: Floats, packed: Floats) -> TreeDistribution:
        return TreeDistribution.of_parts(
            arcs, packed, projective=self.projective, single_root=self.single_root
        )

    def distributions(
        self, sentences: Sequence[Sentence], constraints: Sequence[Constraints] | None = None
    ) -> list[TreeDistribution]:
        """Return the distributions over the trees of sentences, from which all can be asked.

        Parameters
        ----------
        sentences
            Their own heads are not looked at.
        constraints
            Only trees that respect them are left, with probabilities that sum to 1.
        """
        return self.map(lambda trees: trees, sentences, constraints)

    def map(
        self,
        function: Callable[[TreeDistribution], T],
        sentences: Sequence[Sentence],
        constraints: Sequence[Constraints] | None = None,
    ) -> list[T]:
        """Return a function of the distribution of each sentence, by several threads."""

        def results(some: Sequence[Sentence], limits: Limits) -> Iterator[T]:
            _, at, arcs, siblings = self._score(some, limits)
            for k, sentence in enumerate(some):
                square = arcs[at[0, k] : at[0, k + 1]].reshape(2 * (len(sentence) + 1,))
                packed = siblings[at[1, k] : at[1, k + 1]].copy()
                yield function(self._trees(square, packed))

        return self._in_shards(lambda *piece: list(results(*piece)), sentences, constraints)

    def distribution(
        self, sentence: Sentence, constraints: Constraints | None = None
    ) -> TreeDistribution:
        """Return the distribution over the trees of one sentence."""
        return self.distributions([sentence], None if constraints is None else [constraints])[0]

    def nbest(
        self, sentence: Sentence, k: int, constraints: Constraints | None = None
    ) -> tuple[Heads, Floats]:
        """Return the k best trees, ``(k, n + 1)``, and their scores or logs of probabilities."""
        heads, scores = self.ranked(self.distribution(sentence, constraints), k)
        if len(heads) == 0:
            raise no_tree(sentence)
        return heads, scores

    def ranked(self, trees: TreeDistribution, k: int) -> tuple[Heads, Floats]:
        """Return the k best trees of a distribution and their scores."""
        return trees.nbest(k)

    def _summed(self, scores: Scores) -> Floats:
        """Return the marginals of arcs, laid out as their scores."""
        firsts, at, arcs, siblings = scores
        p, q, logs = np.empty_like(arcs), np.empty_like(siblings), np.empty(len(firsts) - 1)
        every = np.arange(len(logs))
        batches.sum_batch(
            firsts, every, self.projective, self.single_root, at, arcs, siblings, p, q, logs
        )
        return p

    def _templates(self) -> list[Template]:
        """Return the templates of the parts that there are."""
        chosen = select(self.templates)
        return chosen if self.order == 2 else [t for t in chosen if t.part == "arc"]

    @property
    def _weights(self) -> Weights:
        if not hasattr(self, "weights_"):
            raise NotFittedError(f"this {type(self).__name__} has no weights yet; call fit")
        return self.weights_


class ProbabilisticParser(GraphParser):
    """A parser for which exp(score) / Z is the probability of a tree."""

    @overload
    def marginals(self, sentences: Sentence, constraints: Constraints | None = None) -> Floats: ...
    @overload
    def marginals(
        self, sentences: Sequence[Sentence], constraints: Sequence[Constraints] | None = None
    ) -> list[Floats]: ...
    def marginals(self, sentences: Any, constraints: Any = None) -> Any:
        """Return p(head -> word), ``(n + 1, n + 1)``, of a sentence or of each of many."""
        if isinstance(sentences, Sentence):
            return self.marginals([sentences], None if constraints is None else [constraints])[0]
        return self._in_shards(self._marginals, sentences, constraints)

    def _marginals(self, sentences: Sequence[Sentence], limits: Limits) -> list[Floats]:
        scores = self._score(sentences, limits)
        squares, sizes = np.split(self._summed(scores), scores.at[0, 1:-1]), np.diff(scores.firsts)
        for sentence, square in zip(sentences if limits else (), squares, strict=False):
            if not square.any():
                raise no_tree(sentence)
        return [square.reshape(size, size) for square, size in zip(squares, sizes, strict=True)]

    def ranked(self, trees: TreeDistribution, k: int) -> tuple[Heads, Floats]:
        """Return the k best trees of a distribution and the logs of their probabilities."""
        heads, scores = trees.nbest(k)
        return heads, scores - trees.log_partition

    def log_prob(self, sentence: Sentence) -> float:
        """Return the log-probability of the sentence's tree or, where heads are open, forest."""
        return self.distribution(sentence).log_prob(sentence.heads)


def keep_labels(found: list[str], limit: Constraints) -> None:
    """Put the labels that words must have in the place of those found."""
    if limit.labels is not None:
        given = zip(given_labels(limit.labels, len(found))[1:], found, strict=True)
        found[:] = [own if label == "_" else label for label, own in given]


def _avoid_labels(
    labeller: LabelModel, sentence: Sentence, heads: Heads, limit: Constraints, found: list[str]
) -> None:
    """Put the likeliest allowed label in the place of each one that its arc must not have."""
    barred, given = limit.barred_labels(len(sentence)), given_labels(limit.labels, len(sentence))
    p = labeller.probabilities(sentence, heads)
    for head, word, label in barred:
        if heads[word] == head and label in labeller.labels_:
            p[word - 1, labeller.labels_.index(label)] = -1.0
            found[word - 1] = labeller.labels_[p[word - 1].argmax()]
            if given[word] == "_" and p[word - 1].max() < 0:
                raise NoTreeError(
                    f"sentence {sentence.sent_id}: no label is left for the arc {head} -> {word}"
                )


def _check_possible(
    sentences: Sequence[Sentence], trees: Sequence[Heads], at: NDArray[np.int64], arcs: Floats
) -> None:
    """Refuse trees with an arc of minus infinity: there was no other."""
    for sentence, heads, start in zip(sentences, trees, at, strict=False):
        words = np.arange(1, len(heads))
        chosen = arcs[start + heads[1:] * len(heads) + words]
        if (heads[1:] < 0).any() or (chosen == -np.inf).any():
            raise no_tree(sentence)


def no_tree(sentence: Sentence) -> NoTreeError:
    """Return the error that names a sentence."""
    return NoTreeError(f"sentence {sentence.sent_id}: no tree respects the constraints")
