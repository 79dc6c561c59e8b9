"""Strategies: a measure or two, a selection and an update; the papers' are compositions.

>>> STRATEGIES["pa-gap"].tokens.equation
'p(h0 -> i) - p(h1 -> i) (Li et al. 2016, eq. 9)'
"""

from dataclasses import dataclass
from typing import get_args

from deppa_nb.active.clustering import PerParse
from deppa_nb.active.measures import MEASURES, Measure
from deppa_nb.active.queries import Kind
from deppa_nb.active.selection import (
    Combined,
    CostAware,
    PerCluster,
    Ratio,
    Selection,
    Threshold,
    TopSentences,
    TopTokens,
)
from deppa_nb.active.updates import (
    Completion,
    Forest,
    FullTree,
    PartialLabels,
    Preference,
    Update,
)
from deppa_nb.errors import ParameterError

__all__ = ["LABELLING", "STRATEGIES", "Strategy", "find_strategy", "register"]


@dataclass(frozen=True)
class Strategy:
    """What is asked, and what the learner does with the answers.

    Attributes
    ----------
    name, summary
        For lists and legends.
    selection
        How words or sentences are chosen.
    update
        What an answer does to the learner.
    sentences, tokens
        What is measured; without any, the choice is random.
    kind
        What is asked for.
    """

    name: str
    summary: str
    selection: Selection
    update: Update
    sentences: Measure | None = None
    tokens: Measure | None = None
    kind: Kind = "heads"

    def __post_init__(self) -> None:
        for what, measure in (("sentence", self.sentences), ("token", self.tokens)):
            if measure is not None and measure.level != what:
                problem = f"{measure.name} measures a {measure.level}, expected a {what}"
                raise ParameterError(f"{self.name}: {problem}")
        if self.kind not in get_args(Kind):
            problem = f"kind is {self.kind!r}, expected one of {', '.join(get_args(Kind))}"
            raise ParameterError(f"{self.name}: {problem}")
        if (self.kind == "preference") != isinstance(self.update, Preference):
            problem = f"asks for {self.kind} and learns by {self.update}"
            raise ParameterError(f"{self.name}: {problem}, a preference goes with Preference alone")

    @property
    def composition(self) -> str:
        """What the strategy is made of, to tell it from another of the same name."""
        names = [
            f"{measure.name} {measure.low} {measure.equation}" if measure else ""
            for measure in (self.sentences, self.tokens)
        ]
        return " ".join([self.kind, *names, repr(self.selection), repr(self.update)])

    @property
    def equation(self) -> str:
        """The formulas of the measures."""
        found = [measure.equation for measure in (self.sentences, self.tokens) if measure]
        return "; ".join(found) or "random"


LABELLING = Strategy(
    "labelling", "all labels of random sequences", TopSentences(), PartialLabels(), kind="labels"
)
"""What needs no model: with it, a person labels sequences one after the other."""

STRATEGIES: dict[str, Strategy] = {}
"""All strategies by name."""


def register(strategy: Strategy) -> Strategy:
    """Make a strategy known by its name."""
    if strategy.name in STRATEGIES:
        raise ParameterError(f"there is a strategy {strategy.name!r} already")
    STRATEGIES[strategy.name] = strategy
    return strategy


def find_strategy(name: str) -> Strategy:
    """Return a strategy by its name."""
    if name not in STRATEGIES:
        raise ParameterError(f"no strategy {name!r}, there are {', '.join(STRATEGIES)}")
    return STRATEGIES[name]


def _full(
    name: str, summary: str, measure: str | None = None, selection: Selection | None = None
) -> None:
    selection = selection or TopSentences()
    by = MEASURES[measure] if measure else None
    register(Strategy(name, summary, selection, FullTree(), sentences=by, kind="tree"))


def _partial(
    name: str,
    summary: str,
    selection: Selection,
    tokens: str | None,
    sentences: str | None = None,
    update: Update | None = None,
) -> None:
    by, words = (MEASURES[measure] if measure else None for measure in (sentences, tokens))
    register(Strategy(name, summary, selection, update or Forest(), by, words))


_full("fa-random", "full trees of random sentences")
_full("fa-score", "full trees of low normalised score", "tree-score")
_full("fa-score-n", "the same by n", "tree-score-n")
_full("fa-score-n2", "the same by n^2", "tree-score-n2")
_full("fa-probability", "full trees of low normalised probability", "tree-probability")
_full("fa-probability-log", "the same, p log n", "tree-probability-log")
_full("fa-probability-sqrt", "the same, p sqrt(n)", "tree-probability-sqrt")
_full("fa-marginal", "full trees of low averaged marginal", "averaged-marginal")
_full("fa-marginal-geometric", "the same, geometric mean", "geometric-marginal")
_full("fa-entropy", "full trees of high entropy of the best", "sentence-entropy")
_full("fa-entropy-softmax", "the same, softmax of scores", "sentence-entropy-softmax")
_full("fa-word-entropy", "full trees of high entropy by words", "word-entropy")
_full(
    "fa-cluster", "the most uncertain sentence of each cluster of words", "word-entropy",
    PerCluster(),
)  # fmt: skip
_full(
    "fa-parse-cluster", "the most uncertain sentence of each cluster of parses", "word-entropy",
    PerParse(),
)  # fmt: skip
_full(
    "fa-parse-density", "the same, entropy times density in the cluster", "word-entropy",
    PerParse(dense=True),
)  # fmt: skip

_partial("pa-random", "random words of all sentences", TopTokens(), None)
_partial("pa-max", "words whose likeliest head is improbable", TopTokens(), "marginal-max")
_partial("pa-gap", "words whose two likeliest heads are close", TopTokens(), "marginal-gap")
_partial("pa-entropy", "words with many likely heads", TopTokens(), "marginal-entropy")
_partial("pa-threshold", "words whose best head has under 0.9", Threshold(-0.9), "marginal-max")
_partial(
    "pa-gap-cost", "close words of sentences that are quickly read",
    CostAware(TopTokens(), per_word_read=0.1), "marginal-gap",
)  # fmt: skip
_partial(
    "batch-marginal-gap", "sentences by averaged marginal, a tenth of their words by gap", Ratio(),
    "marginal-gap", "averaged-marginal",
)  # fmt: skip
_partial(
    "batch-gap", "a tenth of the words by gap, sentences by their mean", Ratio(), "marginal-gap"
)
_partial("batch-marginal", "the same by marginal of the best tree", Ratio(), "tree-marginal")
_partial("batch-random", "a tenth of the words of random sentences", Ratio(), None)
_partial(
    "batch-marginal-gap-20", "sentences by averaged marginal, a fifth of their words by gap",
    Ratio(0.2), "marginal-gap", "averaged-marginal",
)  # fmt: skip
_partial(
    "batch-gap-20",
    "a fifth of the words by gap, sentences by their mean",
    Ratio(0.2),
    "marginal-gap",
)
_partial("batch-marginal-20", "the same by marginal of the best tree", Ratio(0.2), "tree-marginal")
for _lists, _measure, _of in (
    ("", "attachment-entropy", "attachment entropy"),
    ("-heads", "attachment-entropy-heads", "entropy of heads alone"),
):
    _partial(
        f"token-entropy{_lists}", f"words of high {_of}; trees are completed",
        TopTokens(), _measure, update=Completion(),
    )  # fmt: skip
    _partial(
        f"token-entropy-each{_lists}", f"one word of each sentence, by {_of}; completed",
        TopTokens(per_sentence=1), _measure, update=Completion(),
    )  # fmt: skip
    _partial(
        f"token-entropy-forest{_lists}", f"words of high {_of}, learned from forests",
        TopTokens(), _measure,
    )  # fmt: skip
    for _percent in (40, 60, 80):
        _partial(
            f"combined-entropy-{_percent}{_lists}",
            f"{_percent}% of unsure sentences by {_of}; completed",
            Combined(share=_percent / 100), _measure, "sentence-entropy", Completion(),
        )  # fmt: skip
_partial(
    "token-marginal", "words of high entropy of exact marginals; completed", TopTokens(),
    "marginal-entropy", update=Completion(),
)  # fmt: skip
_partial(
    "token-local", "words of high entropy of local scores; completed", TopTokens(),
    "local-entropy", update=Completion(),
)  # fmt: skip
_partial(
    "combined-entropy", "uncertain words of uncertain sentences; completed", Combined(),
    "attachment-entropy", "sentence-entropy", Completion(),
)  # fmt: skip

for _name, _summary, _by in (
    ("light-random", "which of the two best trees is better, random sentences", None),
    ("light-margin", "the same, where their scores are closest", MEASURES["tree-margin"]),
):
    _selection = TopSentences(returns=True)
    register(Strategy(_name, _summary, _selection, Preference(), _by, kind="preference"))

register(
    Strategy(
        "labels-probability", "all labels of the sequences of lowest probability", TopSentences(),
        PartialLabels(), MEASURES["sequence-probability"], kind="labels",
    )
)  # fmt: skip
for _below in (0.9, 0.99):
    register(
        Strategy(
            f"labels-{_below:.2f}", f"a label of a sequence, where the best has under {_below}",
            Threshold(-_below), PartialLabels(), tokens=MEASURES["label-marginal"], kind="labels",
        )
    )  # fmt: skip
