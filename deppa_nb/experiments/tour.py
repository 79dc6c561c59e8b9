"""What the tour shows: scores from counts, marginals by plain enumeration, a small experiment."""

from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deppa_nb.active.curves import Curve
from deppa_nb.active.statistics import Estimate, area_difference
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.trees import find_cycle, is_projective, to_heads
from deppa_nb.errors import ArgumentError
from deppa_nb.experiments import simulate
from deppa_nb.experiments.compare import ALL
from deppa_nb.experiments.parameters import TourParameters
from deppa_nb.experiments.store import Store
from deppa_nb.experiments.study import Check, Drawing, Exhibit, Study

__all__ = ["count_scores", "enumerate_marginals", "projective_trees", "study"]

_BINS = (1, 2, 3, 6, 11)  # distances from which a new bin begins
_MOST_WORDS = 6
_RNG = 1  # of what is drawn anew for intervals

Floats = NDArray[np.float64]


def count_scores(sentence: Sentence, treebank: Treebank) -> Floats:
    """Return the log-odds that a pair of words is an arc, from counts of such pairs.

    Pairs are alike if the tags of head and dependent, the direction and the binned distance are:
    with a arcs among p pairs, the score is log (a + 1/2) / (p - a + 1/2).

    Returns
    -------
    array (n + 1, n + 1)
        ``scores[head, word]``.
    """
    tags = sorted({tag for s in (*treebank, sentence) for tag in s.upos})
    number = {tag: k for k, tag in enumerate(tags)}
    size = len(tags) ** 2 * 2 * len(_BINS)
    pairs, arcs = np.zeros(size), np.zeros(size)
    for known in treebank:
        kinds = _kinds(known, number)
        words = np.arange(1, len(known) + 1)
        given = words[known.heads[1:] >= 0]
        pairs += np.bincount(kinds[:, given].ravel(), minlength=size)
        arcs += np.bincount(kinds[known.heads[given], given], minlength=size)
    odds = (arcs + 0.5) / (pairs - arcs + 0.5)
    return np.log(odds)[_kinds(sentence, number)]


def _kinds(sentence: Sentence, number: dict[str, int]) -> NDArray[np.intp]:
    """Return the number of the kind of every pair."""
    tags = np.array([number[tag] for tag in sentence.upos])
    place = np.arange(len(tags))
    distance = place - place[:, None]
    kind = tags[:, None] * len(number) + tags
    kind = kind * 2 + (distance > 0)
    bins = np.maximum(np.digitize(np.abs(distance), _BINS) - 1, 0)
    return np.asarray(kind * len(_BINS) + bins, np.intp)


def projective_trees(n: int) -> list[NDArray[np.int32]]:
    """Return all projective trees of n words with one root, by trying every choice of heads.

    Examples
    --------
    >>> [len(projective_trees(n)) for n in (1, 2, 3, 4)]
    [1, 2, 7, 30]
    """
    if n > _MOST_WORDS:
        raise ArgumentError(f"{n} words have too many trees to list, expected {_MOST_WORDS} words")
    single = (heads for heads in product(range(n + 1), repeat=n) if heads.count(0) == 1)
    candidates = (to_heads(list(heads)) for heads in single)
    return [heads for heads in candidates if not find_cycle(heads) and is_projective(heads)]


def enumerate_marginals(scores: Floats) -> tuple[Floats, int]:
    """Return p(head -> word) by summing over a list of all projective trees, and their number."""
    trees = projective_trees(len(scores) - 1)
    words = np.arange(1, len(scores))
    weights = np.exp([scores[heads[1:], words].sum() for heads in trees])
    marginals = np.zeros_like(scores)
    for heads, weight in zip(trees, weights, strict=True):
        marginals[heads[1:], words] += weight
    return marginals / weights.sum(), len(trees)


def study(parameters: TourParameters) -> Study:
    """Return the worked experiment: do words that the parser is unsure of teach it more.

    Parameters
    ----------
    parameters
        Which two strategies, and how much is asked.
    """
    what = parameters.simulation
    tasks, names = what.tasks(), what.strategies

    def points(store: Store) -> pd.DataFrame:
        return simulate.points(simulate.run(what, store))

    def asked(store: Store) -> pd.DataFrame:
        found = points(store)
        return found[found["strategy"] != ALL]

    def comparison(store: Store) -> pd.DataFrame:
        return simulate.compare(simulate.run(what, store), names, _RNG).set_index("strategy")

    def effects(store: Store) -> dict[str, Estimate]:
        found = dict(iter(simulate.run(what, store).groupby("strategy")))  # all on dev
        curves = [Curve.of(found[name]) for name in names]
        gain = area_difference(curves[0], curves[1], rng=np.random.default_rng(_RNG))
        return {"gain": Estimate(gain.points, gain.low, gain.high)}

    where = f"{what.corpus}, {what.seeds} seeds"
    exhibits = (
        Exhibit(
            "curves",
            f"Learning curves on {where}: the mean, and a band from the lowest to the highest.",
            tasks,
            points,
            Drawing("curves"),
        ),
        Exhibit(
            "savings",
            f"How much less has to be asked than by {names[0]}, for the same accuracy, on {where}.",
            tasks,
            asked,
            Drawing("savings", {"baseline": names[0]}),
        ),
        Exhibit(
            "comparison",
            f"Where the curves end on {where}; gain: the mean distance from {names[0]}, with its "
            "95% interval; needed: dependencies until UAS is a point under that of all data.",
            tasks,
            comparison,
        ),
        Exhibit(
            "seconds",
            f"Where the time goes, on {where}.",
            tasks,
            lambda store: simulate.seconds(what, store),
            Drawing("seconds"),
        ),
    )
    checks = () if names != ("pa-random", "pa-gap") else (Check("A1", what.corpus, tasks, effects),)
    return Study("tour", "The tour: random words against unsure ones", exhibits, checks)
