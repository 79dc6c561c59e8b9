"""Mejer & Crammer (2012): a parser of few full trees, then passes of light feedback over the rest.

Only what a run depends on is here, so that tables and captions can change and runs stay.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deppa_nb.corpus.registry import load
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.checkpoint import Checkpoint
from deppa_nb.experiments.runs import Run, read_parameters, threads
from deppa_nb.experiments.splits import splits_of
from deppa_nb.kernels.light import KNOWN, NEW
from deppa_nb.models.light import Feedback, LightPasses
from deppa_nb.models.mst import MSTParser

__all__ = [
    "VARIANTS",
    "Annotator",
    "Choice",
    "LightParameters",
    "Variant",
    "as_run",
    "full_sentences",
    "light",
    "work",
]

Annotator = Literal["gold", "second parser", "as often wrong"]
Choice = Literal["random", "margin", "probability"]


class Variant(NamedTuple):
    """What may be asked: about single heads only or not, with a third answer or not."""

    single: bool
    ternary: bool


VARIANTS = {
    "binary-single": Variant(single=True, ternary=False),
    "binary-multi": Variant(single=False, ternary=False),
    "ternary-single": Variant(single=True, ternary=True),
    "ternary-multi": Variant(single=False, ternary=True),
}
"""The paper's four, which are the strategies of runs."""


@dataclass(frozen=True)
class LightParameters:
    """What a run depends on besides corpus, variant and seed.

    Attributes
    ----------
    full, least
        The percent of the training sentences that have full trees, and how many have at least.
    passes
        Over the others.
    epochs, bits, rate, averaging, single_root
        Of the parser; it is averaged over full trees and over light feedback, or over neither.
    alpha
        The step; 0 for that of MIRA.
    ties
        What is said of equal trees if there are two answers only, see `Feedback`.
    noise
        The share of wrong answers.
    annotator
        Who answers: the treebank, a second parser, or the treebank with as much noise as the second
        parser has errors on test.
    second
        The percent of the training sentences that the second parser has learned from.
    choose, asked
        In a pass, new questions are asked about this percent of the light sentences: any of those
        that have one, or those of the smallest margin or the highest probability of the second best
        tree, see `LightPasses.utilities`. Questions that were answered before are free.
    expected
        See `Feedback`.
    load
        Options with which the corpus is loaded.
    """

    full: float = 1.0
    least: int = 20
    passes: int = 5
    epochs: int = 5
    bits: int = 22
    rate: float = 0.1
    averaging: bool = True
    single_root: bool = True
    alpha: float = 0.0
    ties: str = "random"
    noise: float = 0.0
    annotator: Annotator = "gold"
    second: float = 10.0
    choose: Choice = "random"
    asked: float = 100.0
    expected: bool = False
    load: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("least", "passes", "epochs"):
            if getattr(self, name) < 1:
                raise ParameterError(f"{name} is {getattr(self, name)}, expected 1 or more")
        for name in ("full", "second", "asked"):
            if not 0 < getattr(self, name) <= 100:
                raise ParameterError(f"{name} is {getattr(self, name)}, expected over 0 to 100")
        for name, known in (("annotator", Annotator), ("choose", Choice)):
            if getattr(self, name) not in get_args(known):
                expected = ", ".join(get_args(known))
                raise ParameterError(
                    f"{name} is {getattr(self, name)!r}, expected one of {expected}"
                )
        self.feedback(Variant(single=True, ternary=False), self.noise)  # which checks the others
        self.parser(1)._check()

    @classmethod
    def of(cls, run: Run) -> "LightParameters":
        """Return a run's parameters; names that are not known are refused."""
        return read_parameters(cls, run, VARIANTS)

    def parser(self, seed: int) -> MSTParser:
        """Return a parser that has not learned."""
        return MSTParser(
            epochs=self.epochs, bits=self.bits, rate=self.rate, averaging=self.averaging,
            single_root=self.single_root, rng=seed, threads=threads(), progress=False,
        )  # fmt: skip

    def feedback(self, variant: Variant, noise: float) -> Feedback:
        """Return what is asked and answered."""
        alpha: Any = self.alpha or None
        ties: Any = self.ties
        return Feedback(variant.single, variant.ternary, ties, noise, alpha, self.expected)


def full_sentences(sentences: int, percent: float, least: int) -> int:
    """Return how many sentences have full trees: that percent, at least so many, never all.

    >>> full_sentences(4000, 1, 20), full_sentences(700, 1, 20), full_sentences(10, 1, 20)
    (40, 20, 9)
    """
    return min(max(round(sentences * percent / 100), least), sentences - 1)


def light(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
    """Return a row for each pass (0: before the first) and test sentence.

    Columns are pass; full, edges: sentences with full trees, and their words; light: the others;
    asked, new: questions of the pass, and those not asked before; one, two, more: in how many heads
    the two best trees of a sentence differed (sentences); noise: the share of wrong answers or, of
    a second parser, of wrong heads on test; sentence, right, words: of test; learn_seconds: of the
    pass.
    """
    what, (train, _, test) = LightParameters.of(run), splits_of(run)
    if test is None or len(train) < 2:
        raise ParameterError(f"{run}: expected a corpus with test, and two sentences in train")
    order = np.random.default_rng(run.seed).permutation(len(train))
    count = full_sentences(len(train), what.full, what.least)
    full, rest = ([train[j] for j in some] for some in (order[:count], order[count:]))
    truth, noise = _annotator(what, run, train, rest, test)
    feedback = what.feedback(
        VARIANTS[run.strategy], noise if what.annotator != "second parser" else 0.0
    )
    passes = LightPasses(what.parser(run.seed).fit(full), rest, truth, feedback, run.seed)
    common = {"full": count, "edges": sum(map(len, full)), "light": len(rest), "noise": noise}
    checkpoint.load(passes.restore)
    if not checkpoint.rows:
        nothing = np.zeros((0, 3), np.int64)
        checkpoint.add(_rows(passes.parser, test, 0, nothing, 0.0, common), passes.save)
    while passes.passes < what.passes:
        start = time.process_time()
        found = passes.go(*_chosen(passes, what, run.seed))
        seconds = time.process_time() - start
        parser = passes.averaged() if what.averaging else passes.parser
        checkpoint.add(_rows(parser, test, passes.passes, found, seconds, common), passes.save)
    return pd.DataFrame(checkpoint.rows)


def _annotator(
    what: LightParameters, run: Run, train: Treebank, rest: list[Sentence], test: Treebank
) -> tuple[Sequence[Sentence], float]:
    """Return the trees that are taken for right, and the share of noise."""
    if what.annotator == "gold":
        return rest, what.noise
    # A seed of its own: what it has seen is no more the full trees than chance makes it.
    order = np.random.default_rng([run.seed, 1]).permutation(len(train))
    some = order[: full_sentences(len(train), what.second, what.least)]
    second = what.parser(run.seed).fit([train[j] for j in some])
    errors = 1 - sum(_right(second, test)) / test.n_words
    if what.annotator == "as often wrong":
        return rest, errors
    return tuple(second.predict(train.with_sentences(rest))), errors


def _chosen(
    passes: LightPasses, what: LightParameters, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]] | tuple[()]:
    """Return which sentences the next pass looks at, and of which new questions may be asked.

    They are in their own order: a step for the most uncertain first would be another experiment.
    """
    if what.asked == 100:
        return ()
    worth, kinds = passes.utilities("probability" if what.choose == "probability" else "margin")
    if what.choose == "random":
        worth = np.random.default_rng([seed, passes.passes, 1]).random(len(worth))
    new, most = np.flatnonzero(kinds == NEW), round(len(kinds) * what.asked / 100)
    allowed = np.zeros(len(kinds), bool)
    allowed[new[np.argsort(-worth[new], kind="stable")[: max(1, most)]]] = True
    order = np.flatnonzero(allowed | (kinds == KNOWN))
    return order, allowed[order]


def _rows(
    parser: Any,
    test: Treebank,
    number: int,
    found: NDArray[np.int64],
    seconds: float,
    common: dict[str, Any],
) -> list[dict[str, Any]]:
    """Return a row for each test sentence after a pass."""
    differ, answer, new = found.T
    of_pass = {
        "pass": number, **common, "asked": (answer != 2).sum(), "new": new.sum(),
        "one": (differ == 1).sum(), "two": (differ == 2).sum(), "more": (differ > 2).sum(),
    }  # fmt: skip
    return [
        {**of_pass, "sentence": j, "right": right, "words": len(test[j]), "learn_seconds": seconds}
        for j, right in enumerate(_right(parser, test))
    ]


def _right(parser: Any, test: Treebank) -> list[int]:
    """Return the number of right heads of each sentence."""
    pairs = zip(test, parser.predict(test), strict=True)
    return [int((gold.heads[1:] == found.heads[1:]).sum()) for gold, found in pairs]


def work(run: Run) -> float:
    """Return about how many words a run parses or learns from, each pass over them counted."""
    what = LightParameters.of(run)
    sentences, words, of_test = _sizes(run.corpus, json.dumps(what.load, sort_keys=True))
    learned = 2 * what.epochs * words * full_sentences(sentences, what.full, what.least) / sentences
    looks = 1 if what.asked == 100 else 1 + what.asked / 100  # at all, to choose, then at some
    return learned + what.passes * words * looks + (what.passes + 1) * of_test


@lru_cache(maxsize=64)  # hundreds of runs of all languages are listed, in any order
def _sizes(corpus: str, options: str) -> tuple[int, int, int]:
    """Return the number of training sentences, of their words and of those of test."""
    found = load(corpus, **json.loads(options))
    return len(found.train), found.train.n_words, found.test.n_words


def as_run(corpus: str, variant: str, seed: int, parameters: LightParameters) -> Run:
    """Return the run of a variant."""
    return Run("mejer2012", corpus, variant, seed, asdict(parameters))
