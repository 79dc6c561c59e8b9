"""Passes of light feedback (Mejer & Crammer 2012), as fast as sentences can be parsed.

`ActiveLearner` asks about many sentences at once and keeps every question as an object. Here each
answer changes the parser before the next question is made, five times over a treebank: that is a
kernel, with the annotator in it.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.errors import ArgumentError, ParameterError
from deppa_nb.kernels import light
from deppa_nb.models.margin import MarginParser, Preferences
from deppa_nb.models.steps import aligned

__all__ = ["Feedback", "LightPasses", "Measure", "Ties"]

Ties = Literal["random", "first", "second"]
Measure = Literal["margin", "probability"]

_TIES = {"random": 0, "first": 1, "second": -1}


@dataclass(frozen=True)
class Feedback:
    """What is asked, how it is answered, and what is learned from that.

    Attributes
    ----------
    single
        Whether only trees that differ in a single head are asked about.
    ternary
        Whether a third answer is that both trees are equally good.
    ties
        What else is said of such trees: either, the best one or the second best.
    noise
        The share of questions whose answer is another one.
    alpha
        The step; None for that of MIRA.
    expected
        Whether a step is as long as the tree that was preferred is expected to be better, by the
        parser's probabilities and the noise: Bayes' rule. Only of two answers.

    Examples
    --------
    >>> Feedback(noise=2.0)
    Traceback (most recent call last):
        ...
    deppa_nb.errors.ParameterError: noise is 2.0, expected 0 to 1
    """

    single: bool = True
    ternary: bool = False
    ties: Ties = "random"
    noise: float = 0.0
    alpha: float | None = None
    expected: bool = False

    def __post_init__(self) -> None:
        if self.ties not in get_args(Ties):
            expected = ", ".join(get_args(Ties))
            raise ParameterError(f"ties is {self.ties!r}, expected one of {expected}")
        if not 0 <= self.noise <= 1:
            raise ParameterError(f"noise is {self.noise}, expected 0 to 1")
        if self.alpha is not None and not 0 <= self.alpha < np.inf:
            raise ParameterError(f"alpha is {self.alpha}, expected a number from 0")
        if self.expected and self.ternary:
            raise ParameterError("expected goes with two answers, there are three")


class LightPasses(Preferences):
    """A parser that learns in passes of light feedback; its weights change with every answer.

    Parameters
    ----------
    parser, sentences
        As in `Preferences`.
    truth
        The sentences with the heads that the annotator takes for right.
    feedback
        How it is asked and answered.
    rng
        The seed of equal trees and wrong answers.

    Attributes
    ----------
    passes
        How many there were.

    Examples
    --------
    >>> from deppa_nb.corpus.registry import load
    >>> from deppa_nb.models.mst import MSTParser
    >>> bank = load("toy-freeorder", sizes={"train": 50}).train
    >>> parser = MSTParser(bits=16, epochs=2, progress=False).fit(bank[:5])
    >>> light = LightPasses(parser, bank[5:], bank[5:], Feedback(), 1)
    >>> found = light.go()
    >>> found.shape, light.passes
    ((45, 3), 1)
    """

    def __init__(
        self,
        parser: MarginParser,
        sentences: Sequence[Sentence],
        truth: Sequence[Sentence],
        feedback: Feedback,
        rng: int,
    ) -> None:
        super().__init__(parser, sentences)
        if [len(one) for one in truth] != [len(one) for one in sentences]:
            raise ArgumentError("truth of other sentences, expected the same ones with heads")
        if not all(one.is_full for one in truth):
            raise ArgumentError("truth with open words, expected all heads")
        self.feedback, self.rng, self.passes = feedback, rng, 0
        self._truth = np.concatenate([np.empty(0, np.int32), *(one.heads for one in truth)])
        self._sums, self._turns = np.zeros(self._table.weights.size), 0
        keys, answers = np.uint64, np.int8
        self._memory = light.Memory(
            *(np.zeros((len(sentences), 0), kind) for kind in (keys, answers))
        )

    def go(
        self,
        order: NDArray[np.int64] | None = None,
        allowed: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """Look at all sentences once, or at some; return what was found at each.

        Parameters
        ----------
        order
            Which ones, each once, in which order; by default all in theirs.
        allowed
            Of each of them, whether a new question may be asked; by default it may. Answers from
            memory cost nothing and are always learned from.

        Returns
        -------
        array
            ``(sentences, 3)``: in how many heads the two best trees differ; the answer, 1 or -1 if
            the best or the second best is better, 0 if neither, 2 if it was not asked; 1 if the
            question is new.
        """
        order = np.arange(len(self.sentences)) if order is None else order
        within = (order >= 0).all() and (order < len(self.sentences)).all()
        if not within or len(np.unique(order)) < len(order):
            raise ArgumentError(f"expected each of {len(self.sentences)} sentences once or not")
        allowed = np.ones(len(order), bool) if allowed is None else allowed
        if allowed.shape != order.shape:
            raise ArgumentError(f"allowed for {len(allowed)} sentences, expected {len(order)}")
        found = np.zeros((len(order), 3), np.int64)
        chances = np.random.default_rng([self.rng, self.passes]).random((len(order), 3))
        self._memory = light.Memory(*(np.pad(some, ((0, 0), (0, 1))) for some in self._memory))
        if len(order):
            light.light_pass(
                self._lesson, self._table, order, allowed, self._truth, self._rules, self._memory,
                self.passes, chances, self._sums, self._turns, found,
            )  # fmt: skip
        self.passes, self._turns = self.passes + 1, self._turns + len(order)
        return found

    @property
    def _rules(self) -> light.Rules:
        of = self.feedback
        alpha = -1.0 if of.alpha is None else float(of.alpha)
        return light.Rules(
            of.single, of.ternary, _TIES[of.ties], alpha, float(of.noise), of.expected
        )

    def utilities(self, measure: Measure) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
        """Return how much each sentence is worth a question, and which kind that would be.

        Parameters
        ----------
        measure
            ``margin``: the second best tree's score less the best one's. ``probability``: of the
            second best tree's head where the two differ, over all trees (the mean, of several).

        Returns
        -------
        worth
            Minus infinity where there is one tree only.
        kinds
            `kernels.light.NONE` where nothing would be asked, ``NEW``, or ``KNOWN`` from memory.
        """
        if measure not in get_args(Measure):
            raise ArgumentError(f"measure is {measure!r}, expected margin or probability")
        worth, kinds = np.empty(len(self.sentences)), np.empty(len(self.sentences), np.int8)
        every, weights = np.arange(len(self.sentences)), self.parser._weights
        if len(every):
            light.utilities(
                self._lesson, weights, every, self._rules, self._memory, self.passes,
                measure == "probability", worth, kinds,
            )  # fmt: skip
        return worth, kinds

    def averaged(self) -> MarginParser:
        """Return a parser with the mean of the weights after each sentence of all passes."""
        found, weights = copy(self.parser), self.parser._weights
        found.weights_ = aligned(weights - (self._sums / max(self._turns, 1)).astype(np.float32))
        return found

    def save(self, path: Path) -> None:
        """Write what `restore` goes on from; most weights of a large table are 0 and left out."""
        weights = self.parser._weights
        places = np.flatnonzero((weights != 0) | (self._sums != 0)).astype(np.int32)
        with open(path, "wb") as file:
            np.savez(
                file, places=places, weights=weights[places], sums=self._sums[places],
                turns=self._turns, passes=self.passes, **self._memory._asdict(),
            )  # fmt: skip

    def restore(self, path: Path) -> None:
        """Go on from a file, with the same sentences and parameters."""
        with np.load(path, allow_pickle=False) as kept:
            places, weights = kept["places"], np.zeros_like(self.parser._weights)
            weights[places] = kept["weights"]
            self.parser.weights_ = aligned(weights)
            self._sums = np.zeros(len(weights))
            self._sums[places] = kept["sums"]
            self._memory = light.Memory(kept["keys"], kept["answers"])
            self._turns, self.passes = int(kept["turns"]), int(kept["passes"])
