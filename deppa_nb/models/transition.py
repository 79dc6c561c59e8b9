"""A transition-based parser: beam search over actions, rich features (Zhang & Nivre 2011)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.corpus.trees import Heads
from deppa_nb.errors import ArgumentError, NoTreeError
from deppa_nb.features.states import STATES, StateTemplate, see_sentences, select_states
from deppa_nb.kernels._beam import Features, Task
from deppa_nb.kernels.actions import learn_actions, parse_batch
from deppa_nb.kernels.constraints import constrain
from deppa_nb.models.checks import check_parameters
from deppa_nb.models.constraints import Constraints, given_heads
from deppa_nb.models.graph import Limits, no_tree
from deppa_nb.models.online import OnlineParser
from deppa_nb.models.steps import Floats, Weights

__all__ = ["BeamTrees", "TransitionParser"]

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class BeamTrees:
    """The trees that a beam has at its end: some of the best, without probabilities.

    Attributes
    ----------
    heads
        ``(k, n + 1)``, the best first; none if no tree respects the constraints.
    scores
        ``(k,)``.
    """

    heads: NDArray[np.int32]
    scores: Floats

    @property
    def n(self) -> int:
        """The number of words."""
        return int(self.heads.shape[1] - 1)

    @property
    def best(self) -> Heads:
        """The best tree."""
        if len(self.heads) == 0:
            raise NoTreeError("no tree respects the constraints")
        found: Heads = self.heads[0]
        return found

    @property
    def best_score(self) -> float:
        """Its score; minus infinity if there is no tree."""
        return float(self.scores[0]) if len(self.scores) else -np.inf

    @property
    def marginals(self) -> Floats:
        """Refused: there are none."""
        problem = "has scores but no probabilities of trees and arcs"
        raise ArgumentError(f"TransitionParser {problem}; choose another parser or strategy")

    log_partition = relative_arcs = allowed = entropy = log_prob = sample = given = marginals

    def nbest(self, k: int) -> tuple[Heads, Floats]:
        """Return the k best trees, or as many as there are, and their scores."""
        if k < 1:
            raise ArgumentError(f"k is {k}, expected 1 or more")
        return self.heads[:k], self.scores[:k]


@dataclass(eq=False)
class ActionLearner:
    """One that takes steps of the perceptron, a sentence at a time, from what its beam finds."""

    features: Features
    task: Task
    heads: Heads
    importance: Floats
    rate: float
    margin: float

    @property
    def tables(self) -> list[Weights]:
        """What is learned."""
        return [self.task.weights]

    def learn(self, sentences: NDArray[np.int64], batch_size: int) -> float:
        """Take a step after each sentence that is parsed wrongly; return the sum of the losses."""
        losses = np.zeros(len(sentences))
        learn_actions(
            self.features, self.task, self.heads, self.importance, self.rate, self.margin,
            sentences, losses,
        )  # fmt: skip
        return float(losses.sum())


class TransitionParser(OnlineParser):
    """The tree of the best sequence of actions that a beam finds (arc-hybrid, projective).

    The score of a sequence is the sum over its states of the weights of what is seen there: words
    and tags on the stack and ahead, distances, and the dependents found so far. Learned by an
    averaged structured perceptron with a margin, with steps where the right sequence is behind by
    most (Huang et al. 2012). Of a partial tree, the right sequence is the best that the beam finds
    among those with the given heads. Scores are no probabilities, and a beam is not exact: there
    may be better trees.

    Parameters
    ----------
    beam
        How many states are kept after each step.
    templates
        Groups of `features.states.STATES`.
    bits
        The table has ``2**bits`` weights, four for each feature.
    margin
        By how many steps, for each template, the right sequence is to be better than one with a
        wrong head, two wrong heads twice that.
    rate
        Length of a step; from zero weights, steps twice as long give the same trees.
    epochs, patience, averaging, single_root, labels, rng, warm_start, threads, progress
        As in `CRFParser`; one thread learns, all predict.

    Examples
    --------
    >>> from deppa_nb.corpus.registry import load
    >>> bank = load("toy-short", sizes={"train": 50}).train
    >>> parser = TransitionParser(beam=4, bits=16, epochs=2, progress=False).fit(bank)
    >>> heads, scores = parser.nbest(bank[0], 2)
    >>> bool(scores[0] >= scores[1])
    True
    """

    order = 1
    optimiser: Literal["adagrad", "sgd"] = "sgd"
    decoder: Literal["viterbi", "mbr"] = "viterbi"

    def __init__(
        self,
        beam: int = 16,
        *,
        templates: Sequence[str] = tuple(STATES),
        bits: int = 22,
        margin: float = 3.0,
        rate: float = 1.0,
        epochs: int = 8,
        patience: int = 2,
        averaging: bool = True,
        single_root: bool = True,
        labels: bool = False,
        rng: int | np.random.Generator | None = 1,
        warm_start: bool = False,
        threads: int | None = None,
        progress: bool = True,
    ) -> None:
        self.beam = beam
        self.templates = templates
        self.bits = bits
        self.margin = margin
        self.rate = rate
        self.epochs = epochs
        self.patience = patience
        self.averaging = averaging
        self.single_root = single_root
        self.labels = labels
        self.rng = rng
        self.warm_start = warm_start
        self.threads = threads
        self.progress = progress

    def _prepare(
        self,
        train: Sequence[Sentence],
        importance: Floats,
        weights: Weights,
        squares: Weights,
        rng: np.random.Generator,
    ) -> ActionLearner:
        features, task = see_sentences(train, self._templates()), self._task(weights)
        rate, heads = float(self.rate), self.forests_.heads
        margin = self.margin * rate * len(features.seeds)
        return ActionLearner(features, task, heads, importance, rate, margin)

    def _task(self, weights: Weights) -> Task:
        check_parameters({"beam": self.beam})  # it may have been set after learning
        return Task(weights, self.beam, bool(self.single_root))

    def _heads(self, sentences: Sequence[Sentence], limits: Limits) -> list[Heads]:
        found = self._lists(sentences, limits, 1)
        for sentence, trees in zip(sentences, found, strict=True):
            if len(trees.heads) == 0:
                raise no_tree(sentence)
        return [trees.best for trees in found]

    def _lists(self, sentences: Sequence[Sentence], limits: Limits, k: int) -> list[BeamTrees]:
        """Return up to k trees of each sentence."""
        task, features = self._task(self._weights), see_sentences(sentences, self._templates())
        sizes = [len(s) + 1 for s in sentences]
        at, allowed = np.zeros(len(sizes) + 1, np.int64), np.zeros(0, np.bool_)
        if limits and any(limit.heads is not None or limit.forbids for limit in limits):
            pairs = zip(limits, sizes, strict=True)
            allowed = np.concatenate([_allowed(limit, size - 1) for limit, size in pairs])
            at[1:] = np.cumsum(np.square(sizes))
        heads = np.empty((k, sum(sizes)), np.int32)
        scores, counts = np.empty((len(sizes), k)), np.zeros(len(sizes), np.int64)
        parse_batch(features, task, at, allowed, heads, scores, counts)
        ends = np.cumsum(sizes)
        return [
            BeamTrees(heads[:count, end - size : end], scores[j, :count])
            for j, (count, size, end) in enumerate(zip(counts.tolist(), sizes, ends, strict=True))
        ]

    def map(
        self,
        function: Callable[[Any], T],
        sentences: Sequence[Sentence],
        constraints: Sequence[Constraints] | None = None,
    ) -> list[T]:
        """Return a function of the `BeamTrees` of each sentence, by several threads."""

        def results(some: Sequence[Sentence], limits: Limits) -> list[T]:
            return [function(trees) for trees in self._lists(some, limits, int(self.beam))]

        return self._in_shards(results, sentences, constraints)

    def _best(self, trees: Any) -> Heads:
        return trees.best  # type: ignore[no-any-return]

    def _templates(self) -> list[StateTemplate]:  # type: ignore[override]
        """Return the templates of states."""
        return select_states(self.templates)


def _allowed(limit: Constraints, n: int) -> NDArray[np.bool_]:
    """Return which arcs there may be, as a flat square."""
    scores = np.zeros((n + 1, n + 1))
    constrain(scores, given_heads(limit.heads, n), limit.barred_arcs(n), scores)
    found: NDArray[np.bool_] = (scores == 0).ravel()
    return found
