"""What a strategy looks at: a number for each sentence, or for each of its words.

A measure binds a function of `uncertainty` to what it needs of the model. Its utilities are turned
so that the highest is the most uncertain, whatever the paper's own sign.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deppa_nb.active import uncertainty as u
from deppa_nb.corpus.sentence import Sentence
from deppa_nb.errors import ArgumentError, ParameterError
from deppa_nb.models.constraints import Constraints
from deppa_nb.models.distribution import TreeDistribution
from deppa_nb.models.graph import GraphParser, ProbabilisticParser
from deppa_nb.models.mira import MIRAParser

__all__ = ["MEASURES", "Measure", "list_size", "of_lists", "of_marginals", "of_trees"]

Values = list[Any]
Look = Callable[[Any, Sequence[Any], Sequence[Constraints]], Values]


@dataclass(frozen=True)
class Measure:
    """A number for each sentence, or n + 1 for each sentence: the root's is nan.

    Attributes
    ----------
    name
        As in `MEASURES`.
    level
        Whether there is one for each sentence or one for each token.
    equation
        The formula, and where it is from.
    look
        From the model, sentences and what is known of their trees to the numbers.
    low
        Whether a low number means uncertain.
    """

    name: str
    level: Literal["sentence", "token"]
    equation: str
    look: Look
    low: bool = False

    def utilities(
        self, parser: GraphParser, sentences: Sequence[Sentence], known: Sequence[Constraints]
    ) -> list[NDArray[np.float64]]:
        """Return the numbers, the highest for the most uncertain."""
        sign = -1.0 if self.low else 1.0
        found = [sign * np.asarray(value) for value in self.look(parser, sentences, known)]
        shapes = [() if self.level == "sentence" else (len(s) + 1,) for s in sentences]
        if [value.shape for value in found] != shapes:
            expected = "a number" if self.level == "sentence" else "n + 1 numbers"
            problem = f"found for {len(found)} of {len(sentences)} sentences, some of another shape"
            raise ArgumentError(f"{self.name}: {problem}, expected {expected} for each")
        return found


def of_trees(function: Callable[[TreeDistribution], Any]) -> Look:
    """Return how to look at the distribution over the trees of each sentence."""
    return lambda parser, sentences, known: parser.map(function, sentences, known)


def of_marginals(function: Callable[[NDArray[np.float64]], Any]) -> Look:
    """Return how to look at the marginals of arcs alone, which are quicker to have."""

    def look(
        parser: GraphParser, sentences: Sequence[Sentence], known: Sequence[Constraints]
    ) -> Values:
        if isinstance(parser, ProbabilisticParser):
            return [function(p) for p in parser.marginals(sentences, known)]
        return parser.map(lambda trees: function(trees.marginals), sentences, known)

    return look


def list_size(n: int | str) -> Callable[[int], int]:
    """Return how long lists are for a sentence of l words: a number, or l, 10l, l^1.5.

    >>> list_size("l^1.5")(9), list_size(100)(9)
    (27, 100)
    """
    sizes: dict[str, Callable[[int], int]] = {
        "l": lambda length: length,
        "10l": lambda length: 10 * length,
        "l^1.5": lambda length: round(length**1.5),
    }
    if isinstance(n, str) and n not in sizes:
        raise ParameterError(f"lists of {n!r}, expected a number or one of {', '.join(sizes)}")
    return sizes[n] if isinstance(n, str) else lambda length: n


def of_lists(function: Callable[[Any, Any], Any], n: int | str = 100) -> Look:
    """Return how to look at trees and scores of a list of the best, labelled if the model's are."""

    def look(
        parser: GraphParser, sentences: Sequence[Sentence], known: Sequence[Constraints]
    ) -> Values:
        size = list_size(n)
        if isinstance(parser, MIRAParser):
            lists = parser.nbests_labelled(sentences, size, known)
            return [function(found.heads, found.scores) for found in lists]
        return parser.map(lambda trees: function(*trees.nbest(size(trees.n))), sentences, known)

    return look


def _best_log_prob(trees: TreeDistribution) -> float:
    return trees.best_score - trees.log_partition


def _two(trees: TreeDistribution) -> tuple[float, float]:
    """Return the scores of the two best trees; of a tree without another, minus infinity."""
    scores = trees.nbest(2)[1]
    return float(scores[0]), float(scores[1]) if len(scores) > 1 else -np.inf


_FORMULAS: tuple[Measure, ...] = (
    Measure(
        "tree-score", "sentence", "Score(x, d*) / n^1.5 (Li et al. 2016, eq. 5)",
        of_trees(lambda t: u.normalised_tree_score(t.best_score, t.n)), low=True,
    ),
    Measure(
        "tree-score-n", "sentence", "Score(x, d*) / n (Li et al. 2016, footnote)",
        of_trees(lambda t: u.normalised_tree_score(t.best_score, t.n, 1.0)), low=True,
    ),
    Measure(
        "tree-score-n2", "sentence", "Score(x, d*) / n^2 (Li et al. 2016, footnote)",
        of_trees(lambda t: u.normalised_tree_score(t.best_score, t.n, 2.0)), low=True,
    ),
    Measure(
        "tree-probability", "sentence", "p(d*|x)^(1/n) (Li et al. 2016, eq. 6)",
        of_trees(lambda t: u.normalised_tree_probability(_best_log_prob(t), t.n)), low=True,
    ),
    Measure(
        "tree-probability-log", "sentence", "p(d*|x) log n (Li et al. 2016, footnote)",
        of_trees(lambda t: u.normalised_tree_probability(_best_log_prob(t), t.n, "log")), low=True,
    ),
    Measure(
        "tree-probability-sqrt", "sentence", "p(d*|x) sqrt(n) (Li et al. 2016, footnote)",
        of_trees(lambda t: u.normalised_tree_probability(_best_log_prob(t), t.n, "sqrt")), low=True,
    ),
    Measure(
        "averaged-marginal", "sentence", "1/n sum_m p(d*(m) -> m) (Li et al. 2016, eq. 7)",
        of_trees(lambda t: u.averaged_marginal(t.marginals, t.best)), low=True,
    ),
    Measure(
        "geometric-marginal", "sentence", "prod_m p(d*(m) -> m)^(1/n) (Li et al. 2016, footnote)",
        of_trees(lambda t: u.geometric_marginal(t.marginals, t.best)), low=True,
    ),
    Measure(
        "tree-marginal", "token", "p(d*(i) -> i) (Li et al. 2016, batch strategy c)",
        of_trees(lambda t: _of_best(t.marginals, t.best)), low=True,
    ),
    Measure(
        "marginal-max", "token", "p(h0 -> i) (Li et al. 2016, eq. 8)",
        of_marginals(u.marginal_max), low=True,
    ),
    Measure(
        "marginal-gap", "token", "p(h0 -> i) - p(h1 -> i) (Li et al. 2016, eq. 9)",
        of_marginals(u.marginal_gap), low=True,
    ),
    Measure(
        "marginal-entropy", "token", "sum_h p(h -> i) log p(h -> i) (Li et al. 2016, eq. 10)",
        of_marginals(u.marginal_entropy), low=True,
    ),
    Measure(
        "sentence-entropy", "sentence",
        "- sum_i p_i log p_i, p_i = s_i / sum_j s_j, 100 best (Mirroshandel & Nasr 2011)",
        of_lists(lambda _, scores: u.sentence_entropy(scores, softmax=False)),
    ),
    Measure(
        "sentence-entropy-softmax", "sentence",
        "- sum_i p_i log p_i, p_i = exp(s_i) / sum_j exp(s_j), 100 best (Tang et al. 2002, eq. 14)",
        of_lists(lambda _, scores: u.sentence_entropy(scores)),
    ),
    Measure(
        "word-entropy", "sentence", "H_s / n, 100 best (Tang et al. 2002, eq. 16)",
        of_lists(lambda trees, scores: u.word_entropy(scores, trees.shape[1] - 1)),
    ),
    Measure(
        "attachment-entropy", "token",
        "- sum_g P(g, w) log P(g, w), P = count(g) / N, N = l^1.5 best (Mirroshandel & Nasr 2011)",
        of_lists(lambda trees, _: u.attachment_entropy(trees), "l^1.5"),
    ),
    Measure(
        "attachment-entropy-heads", "token",
        "the same, of trees without labels: two that differ in labels alone are one",
        of_trees(lambda t: u.attachment_entropy(t.nbest(list_size("l^1.5")(t.n))[0])),
    ),
    Measure(
        "local-entropy", "token",
        "entropy of softmax of arc scores into w (Mirroshandel & Nasr 2011, negative result)",
        of_trees(lambda t: u.local_entropy(t.relative_arcs)),
    ),
    Measure(
        "tree-margin", "sentence", "s(y_A) - s(y_B) (after Mejer & Crammer 2012)",
        of_trees(lambda t: u.tree_margin(*_two(t))), low=True,
    ),
    Measure(
        "second-is-better", "sentence", "1 / (1 + exp(s(y_A) - s(y_B))) (after Mejer & Crammer)",
        of_trees(lambda t: u.second_is_better(*_two(t))),
    ),
)  # fmt: skip

_OF_LABELS: tuple[Measure, ...] = (
    Measure(
        "label-marginal", "token", "max_y p(y_j = y | x) (Wanvarie et al. 2011)",
        lambda crf, sequences, _: [
            np.append(np.nan, u.label_marginal(p)) for p in crf.marginals(sequences, keep=True)
        ],
        low=True,
    ),
    Measure(
        "sequence-probability", "sentence", "log p(y*|x) (Wanvarie et al. 2011, SupAL)",
        lambda crf, sequences, _: crf.best_log_prob(sequences, keep=True), low=True,
    ),
)  # fmt: skip

MEASURES: dict[str, Measure] = {measure.name: measure for measure in (*_FORMULAS, *_OF_LABELS)}
"""All measures by name."""


def _of_best(p: NDArray[np.float64], best: NDArray[np.int32]) -> NDArray[np.float64]:
    return np.append(np.nan, p[best[1:], np.arange(1, len(best))])
