"""What projective parsers with hashed features share: all but how the weights are learned."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.trees import Heads
from deppa_nb.errors import ArgumentError
from deppa_nb.features.slots import hash_slots
from deppa_nb.features.templates import select
from deppa_nb.kernels import learning, scoring
from deppa_nb.kernels.items import parts
from deppa_nb.kernels.slots import room
from deppa_nb.models.constraints import Constraints
from deppa_nb.models.distribution import TreeDistribution
from deppa_nb.models.steps import Kept

__all__ = ["ProjectiveParser"]

Weights = NDArray[np.float32]
Floats = NDArray[np.float64]
T = TypeVar("T")

_SHARD, _MOST_PARTS = 256, 1 << 20  # sentences that a thread takes at a time, and their parts


def _shards(sentences: Sequence[Sentence]) -> Iterator[Sequence[Sentence]]:
    """Cut sentences into pieces whose scores are not too many."""
    start = size = 0
    for end, sentence in enumerate(sentences):
        if end > start and (end - start == _SHARD or size + parts(len(sentence)) > _MOST_PARTS):
            yield sentences[start:end]
            start, size = end, 0
        size += parts(len(sentence))
    if start < len(sentences):
        yield sentences[start:]


class ProjectiveParser(BaseEstimator):  # type: ignore[misc, unused-ignore]
    """A parser whose score of a tree is the sum of the weights of its features.

    A class of it has the parameters and the attribute below, and learns.
    """

    order: int
    templates: Sequence[str]
    decoder: Literal["viterbi", "mbr"]
    single_root: bool
    threads: int | None
    weights_: Weights

    @overload
    def predict(self, sentences: Sentence, constraints: Constraints | None = None) -> Sentence: ...
    @overload
    def predict(
        self, sentences: Treebank, constraints: Sequence[Constraints] | None = None
    ) -> Treebank: ...
    def predict(self, sentences: Any, constraints: Any = None) -> Any:
        """Return a sentence or a treebank with the trees found, without labels.

        Parameters
        ----------
        sentences
            Their own heads are not looked at.
        constraints
            What the tree of each must respect; `Constraints.of` gives a sentence's own heads.
        """
        if isinstance(sentences, Sentence):
            heads = self.predict_heads([sentences], None if constraints is None else [constraints])
            return sentences.with_tree(heads[0], ["_"] * len(sentences))
        found = zip(sentences, self.predict_heads(sentences, constraints), strict=True)
        return sentences.with_sentences(s.with_tree(h, ["_"] * len(s)) for s, h in found)

    def predict_heads(
        self, sentences: Sequence[Sentence], constraints: Sequence[Constraints] | None = None
    ) -> list[Heads]:
        """Return the heads alone, ``(n + 1,)`` for each sentence, -1 in the root's slot."""
        if constraints is not None:
            return self._map(self._best, sentences, constraints)
        weights = self._weights

        def decode(shard: Sequence[Sentence]) -> list[Heads]:
            slots, every = hash_slots(shard, select(self.templates)), np.arange(len(shard))
            at = learning.layout(slots.firsts, every, self.order == 2)
            arcs, siblings = (np.empty(size) for size in at[:, -1])
            heads = np.empty(slots.firsts[-1], np.int32)
            learning.score_batch(slots, every, every, weights, *Kept(), at, arcs, siblings)
            learning.decode(
                slots.firsts, every, self.single_root, self.decoder == "mbr", at, arcs, siblings,
                heads,
            )  # fmt: skip
            return np.split(heads, slots.firsts[1:-1])

        shards = list(_shards(sentences))
        with ThreadPoolExecutor(self.threads or os.cpu_count()) as pool:
            return [heads for found in pool.map(decode, shards) for heads in found]

    def _best(self, trees: TreeDistribution) -> Heads:
        if self.decoder == "viterbi":
            return trees.best
        possible = np.where(trees.allowed, trees.marginals, -np.inf)
        none = np.empty(0)
        return TreeDistribution.of_parts(possible, none, single_root=self.single_root).best

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
        return self._map(lambda trees: trees, sentences, constraints)

    def _map(
        self,
        function: Callable[[TreeDistribution], T],
        sentences: Sequence[Sentence],
        constraints: Sequence[Constraints] | None,
    ) -> list[T]:
        """Return a function of the distribution of each sentence."""
        if constraints is not None and len(constraints) != len(sentences):
            raise ArgumentError(f"{len(constraints)} constraints for {len(sentences)} sentences")
        weights = self._weights

        def shard(start: int) -> list[T]:
            some = sentences[start : start + _SHARD]
            slots = hash_slots(some, select(self.templates))
            results = []
            for k, sentence in enumerate(some):
                n = len(sentence)
                arcs = np.empty((n + 1, n + 1))
                siblings = np.empty(parts(n) if self.order == 2 else 0)
                scoring.score(slots, k, weights, arcs, siblings, *room(n))
                trees = TreeDistribution.of_parts(arcs, siblings, single_root=self.single_root)
                if constraints is not None:
                    limit = constraints[start + k]
                    trees = trees.given(limit.heads, limit.forbidden)
                results.append(function(trees))
            return results

        with ThreadPoolExecutor(self.threads or os.cpu_count()) as pool:
            found = pool.map(shard, range(0, len(sentences), _SHARD))
            return [result for results in found for result in results]

    def distribution(
        self, sentence: Sentence, constraints: Constraints | None = None
    ) -> TreeDistribution:
        """Return the distribution over the trees of one sentence."""
        return self.distributions([sentence], None if constraints is None else [constraints])[0]

    @overload
    def marginals(self, sentences: Sentence, constraints: Constraints | None = None) -> Floats: ...
    @overload
    def marginals(
        self, sentences: Sequence[Sentence], constraints: Sequence[Constraints] | None = None
    ) -> list[Floats]: ...
    def marginals(self, sentences: Any, constraints: Any = None) -> Any:
        """Return p(head -> word), ``(n + 1, n + 1)``, of a sentence or of each of many."""
        if isinstance(sentences, Sentence):
            return self.distribution(sentences, constraints).marginals
        return self._map(lambda trees: trees.marginals, sentences, constraints)

    def nbest(
        self, sentence: Sentence, k: int, constraints: Constraints | None = None
    ) -> tuple[Heads, Floats]:
        """Return the k best trees, ``(k, n + 1)``, and the logs of their probabilities."""
        trees = self.distribution(sentence, constraints)
        heads, scores = trees.nbest(k)
        return heads, scores - trees.log_partition

    def log_prob(self, sentence: Sentence) -> float:
        """Return the log-probability of the sentence's tree or, where heads are open, forest."""
        return self.distribution(sentence).log_prob(sentence.heads)

    @property
    def _weights(self) -> Weights:
        if not hasattr(self, "weights_"):
            raise NotFittedError("this CRFParser has no weights yet; call fit")
        return self.weights_
