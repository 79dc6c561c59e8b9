"""Mirroshandel & Nasr (2011): tables, figures and claims about what P0 gets wrong."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import spearmanr

from deppa_nb.active.curves import Curve, Points
from deppa_nb.active.statistics import Estimate, bootstrap
from deppa_nb.experiments.detection import Detection, Ranking, resampled, smoothed_relation
from deppa_nb.experiments.mirroshandel2011 import (
    CRF,
    EXACT,
    LISTS,
    LOCAL,
    MATRIX_TREE,
    SCALED,
    WIDE,
    Lists,
    list_name,
    scale_name,
)
from deppa_nb.experiments.mirroshandel2011_claims import BEST, about_words
from deppa_nb.experiments.part import Effects, exhibit_name, results
from deppa_nb.experiments.store import Store, Task
from deppa_nb.experiments.study import Check, Drawing, Exhibit

__all__ = ["Errors", "checks", "exhibits"]

_RNG = 1  # of what is drawn anew for intervals
_RECALLS = (10, 30, 50)  # percent
_TABLE1 = pd.DataFrame(
    {"given": [24_000, 3_144], "LAS": [85.60, 85.71], "UAS": [87.84, 87.91]}, index=["all", "wrong"]
).rename_axis("paper")


@dataclass(frozen=True)
class Errors:
    """The runs of a corpus, one for each seed, see `mirroshandel2011`.

    Attributes
    ----------
    corpus, lists
        Its name, and by which lists of trees claims are judged.
    sentences, words, first_order, crossing, corrections
        Runs; `first_order` are words of a parser that scores arcs alone, `crossing` of a CRF.
    """

    corpus: str
    lists: Lists
    sentences: tuple[Task, ...]
    words: tuple[Task, ...]
    first_order: tuple[Task, ...]
    crossing: tuple[Task, ...]
    corrections: tuple[Task, ...]


def exhibits(errors: Errors) -> list[Exhibit]:
    """Return Figures 2 to 4, Table 1, the punctuation window, and what detects errors."""
    fixed, growing = (
        [list_name(size, errors.lists) for size in sizes]
        for sizes in (("n = 20", "n = 100", "n = 1000"), ("n = 20", "n = l", "n = 10 l", BEST))
    )
    best = [list_name(BEST, lists) for lists in get_args(Lists)]
    return [
        _relation(errors, "fig2", "entropy", "of the raw scores of 100 trees"),
        _relation(errors, "softmax", "softmax", "of the softmax of the scores of 100 trees"),
        _correlations(errors),
        _ways(errors, "table1", "Table 1", ("none", "all", "wrong"), _TABLE1),
        _ways(
            errors, "punctuation", "Six words around each punctuation mark, and as many others",
            ("none", "window", "uncertain", "random", "all"), None,
        ),
        _detectors(errors, "fig3", errors.words, fixed),
        _detectors(errors, "fig4", errors.words, growing),
        _detectors(errors, "detectors", errors.words, [*best, EXACT, SCALED, LOCAL]),
        _detectors(errors, "footnote5", errors.first_order, [*best, EXACT, MATRIX_TREE]),
        _detectors(errors, "footnote5-crf", errors.crossing, [best[0], CRF]),
        _precision(errors),
    ]  # fmt: skip


def _relation(errors: Errors, name: str, column: str, what: str) -> Exhibit:
    def make(store: Store) -> pd.DataFrame:
        found = results(errors.sentences, store)
        las = 100 * found["right"] / found["words"]
        place = 100 * found[column].rank(pct=True)
        smooth = np.clip(smoothed_relation(place, las), 0, 100)
        return pd.DataFrame(
            {"entropy": found[column], "rank of entropy": place, "LAS": las, "smooth": smooth}
        )

    caption = (
        f"{errors.corpus}: LAS of sentences in the order of their entropy {what}, with a local "
        "regression; most entropies are so near to each other that only their order can be drawn."
    )
    options = {
        "x": "rank of entropy", "y": "LAS", "x_title": "sentences with a lower entropy (%)",
        "y_title": "LAS (%)",
    }  # fmt: skip
    drawing = Drawing("relation", options)
    return Exhibit(exhibit_name(name, errors.corpus), caption, errors.sentences, make, drawing)


def _correlations(errors: Errors) -> Exhibit:
    def make(store: Store) -> pd.DataFrame:
        found = results(errors.sentences, store)
        found = found.assign(
            accuracy=found["right"] / found["words"], spread=found["deviation"] / found["mean"]
        )
        enough = found[found["trees"] == WIDE]
        rows = [
            {
                "number": name, "sentences": len(some) / some["seed"].nunique(),
                "with length": _mean(some, partial(_rank_correlation, column, "length")),
                "with LAS": _mean(some, partial(_rank_correlation, column, "accuracy")),
                "with LAS, length aside": _mean(some, partial(_length_aside, column, "accuracy")),
            }
            for name, column, some in (
                ("entropy, raw scores", "entropy", found),
                (f"entropy, raw scores, {WIDE} trees", "entropy", enough),
                (f"mean score, {WIDE} trees", "mean", enough),
                (f"deviation of scores, {WIDE} trees", "deviation", enough),
                (f"deviation / mean, {WIDE} trees", "spread", enough),
                ("entropy, softmax", "softmax", found),
                (f"entropy, softmax, {WIDE} trees", "softmax", enough),
            )
        ]  # fmt: skip
        return pd.DataFrame(rows).set_index("number")

    caption = (
        f"{errors.corpus}: Spearman's rank correlations over sentences of the sample, and over "
        f"those that have {WIDE} trees. Length aside: the partial correlation of ranks."
    )
    name = exhibit_name("correlations", errors.corpus)
    return Exhibit(name, caption, errors.sentences, make)


def _mean(found: pd.DataFrame, statistic: Callable[[pd.DataFrame], float]) -> float:
    """Return the mean over seeds."""
    return float(np.mean([statistic(own) for _, own in found.groupby("seed")]))


def _rank_correlation(one: str, two: str, found: pd.DataFrame) -> float:
    return float(found[one].corr(found[two], method="spearman"))


def _length_aside(one: str, two: str, found: pd.DataFrame) -> float:
    """Return the correlation of what the length does not tell of the ranks of two numbers."""
    a, b, c = (
        _rank_correlation(*pair, found) for pair in ((one, two), (one, "length"), (two, "length"))
    )
    return float((a - b * c) / np.sqrt((1 - b**2) * (1 - c**2)))


def _ways(
    errors: Errors, name: str, what: str, ways: Sequence[str], paper: pd.DataFrame | None
) -> Exhibit:
    def make(store: Store) -> pd.DataFrame:
        found = results(errors.corrections, store)
        by = found.groupby(["way", "seed"])[["given", "lessons"]].first().groupby("way").mean()
        rows = []
        for way in ways:
            given = float(by["given"][way])
            las, uas = (_taught(found, way, score) for score in ("right", "heads"))
            gain = bootstrap(_gain, _taught(found, "all", "right"), las, rng=_rng())
            rows.append(
                {
                    "given words": way, "given": given,
                    "% of words": 100 * given / float(by["given"]["all"]),
                    "LAS of lessons": by["lessons"][way], "LAS": las.mean[1][-1],
                    "UAS": uas.mean[1][-1], "LAS - all": gain.value, "low": gain.low,
                    "high": gain.high,
                }
            )  # fmt: skip
        return pd.DataFrame(rows).set_index("given words")

    caption = (
        f"{errors.corpus}: {what}. Some words of the sample are given, P0 completes their trees, "
        "and a parser learns from these lessons and the sentences of the beginning: scores on "
        "test, and the difference from the one that was given all, with its 95% interval."
    )
    return Exhibit(
        exhibit_name(name, errors.corpus), caption, errors.corrections, make, paper=paper
    )


def _taught(found: pd.DataFrame, way: str, score: str) -> Curve:
    """Return the scores on test of parsers that learned in a way, as curves of one round."""
    own = found[found["way"] == way]
    return Curve.of(own.assign(round=0, dependencies=own["given"], right=own[score]))


def _gain(one: Points, two: Points) -> float:
    return float(two[1][-1] - one[1][-1])


def _rankings(tasks: tuple[Task, ...], store: Store, name: str) -> list[Ranking]:
    """Return the words of each seed in the order of a measure."""
    by_seed = results(tasks, store).groupby("seed")
    return [Ranking.of(own[name], own["wrong"], own["sentence"]) for _, own in by_seed]


def _detectors(
    errors: Errors, name: str, tasks: tuple[Task, ...], measures: Sequence[str]
) -> Exhibit:
    def make(store: Store) -> pd.DataFrame:
        return pd.concat(
            ranking.detection().points().assign(measure=measure, seed=seed)
            for measure in measures
            for seed, ranking in enumerate(_rankings(tasks, store, measure), 1)
        )

    caption = (
        f"{errors.corpus}: words whose head or label is wrong, detected by the entropy of "
        f"{', '.join(measures)}; at recall 1 all words are taken for wrong."
    )
    drawing = Drawing("precision-recall", {"by": "measure"})
    return Exhibit(exhibit_name(name, errors.corpus), caption, tasks, make, drawing)


def _precision(errors: Errors) -> Exhibit:
    def make(store: Store) -> pd.DataFrame:
        every, best = (
            [list_name(size, kind) for kind in get_args(Lists) for size in sizes]
            for sizes in (LISTS, (BEST,))
        )
        rows = []
        for parser, tasks, names in (
            ("MIRA, order 2", errors.words, [*every, EXACT, SCALED, LOCAL]),
            ("MIRA, order 1", errors.first_order, [*best, EXACT, MATRIX_TREE, SCALED, LOCAL]),
            ("CRF, order 1", errors.crossing, [best[0], CRF]),
        ):
            for name in names:
                found = _estimate(tasks, _average_precision, (name,), store)
                by_seed = [r.detection() for r in _rankings(tasks, store, name)]
                recall = [r.highest_recall for r in by_seed]
                rows.append(
                    {
                        "measure": name, "parser": parser, "average precision": found.value,
                        "low": found.low, "high": found.high, "highest recall": np.mean(recall),
                        **_precision_to(by_seed),
                        "scale": _scale(tasks, name, store),
                    }
                )  # fmt: skip
        return pd.DataFrame(rows).set_index("measure")

    caption = (
        f"{errors.corpus}: how well entropies detect wrong words, each parser's own: average "
        "precision with its 95% interval, the recall of all words with an entropy over 0, the mean "
        "precision up to some recalls (percent), and the scale of scores."
    )
    tasks = (*errors.words, *errors.first_order, *errors.crossing)
    return Exhibit(exhibit_name("precision", errors.corpus), caption, tasks, make)


def _precision_to(by_seed: Sequence[Detection]) -> dict[str, float]:
    return {
        f"precision to {recall}%": float(np.mean([r.mean_precision(recall) for r in by_seed]))
        for recall in _RECALLS
    }


def _scale(tasks: tuple[Task, ...], measure: str, store: Store) -> float:
    """Return the mean scale over seeds; nan for lists, which need none."""
    found = results(tasks, store)
    column = scale_name(measure)
    return float(found.groupby("seed")[column].first().mean()) if column in found else float("nan")


def _average_precision(found: Detection) -> float:
    return found.average_precision


def _estimate(
    tasks: tuple[Task, ...],
    statistic: Callable[..., float],
    names: Sequence[str],
    store: Store,
) -> Estimate:
    """Return a statistic of detections by some measures, with its interval."""
    parts = list(zip(*(_rankings(tasks, store, name) for name in names), strict=True))

    def of(rankings: tuple[Ranking, ...], drawn: NDArray[np.int64]) -> float:
        return statistic(*(ranking.detection(drawn) for ranking in rankings))

    sizes = [int(rankings[0].owners.max()) + 1 for rankings in parts]
    return resampled(of, parts, sizes, rng=_rng())


def checks(errors: Errors, like: str) -> list[Check]:
    """Return the claims about sentences and words: M0, M2 to M5, M8 and M10."""
    made = {
        "M0": (errors.sentences, partial(_correlation, errors.sentences, "length", "length")),
        "M2": (errors.sentences, partial(_correlation, errors.sentences, "las", "accuracy")),
        "M3": (errors.corrections, partial(_corrected, errors.corrections)),
    }
    for claim, effects in about_words(errors.lists).items():
        tasks = errors.first_order if claim == "M8" else errors.words
        made[claim] = (tasks, partial(_detected, tasks, effects))
    return [Check(claim, errors.corpus, tasks, make, like) for claim, (tasks, make) in made.items()]


def _correlation(
    tasks: tuple[Task, ...], effect: str, column: str, store: Store
) -> dict[str, Estimate]:
    """Return Spearman's correlation of sentence entropy and another number."""
    found = results(tasks, store)
    found = found.assign(accuracy=found["right"] / found["words"])
    parts = [own[["entropy", column]].to_numpy() for _, own in found.groupby("seed")]

    def statistic(pairs: NDArray[np.float64], drawn: NDArray[np.int64]) -> float:
        return float(spearmanr(np.repeat(pairs, drawn, axis=0)).statistic)

    return {effect: resampled(statistic, parts, [len(pairs) for pairs in parts], rng=_rng())}


def _corrected(tasks: tuple[Task, ...], store: Store) -> dict[str, Estimate]:
    found = results(tasks, store)
    return {
        effect: bootstrap(
            _gain, _taught(found, "all", score), _taught(found, "wrong", score), rng=_rng()
        )
        for effect, score in (("las", "right"), ("uas", "heads"))
    }


def _detected(tasks: tuple[Task, ...], effects: Effects, store: Store) -> dict[str, Estimate]:
    return {
        effect: _estimate(tasks, statistic, measures, store)
        for effect, (statistic, measures) in effects.items()
    }


def _rng() -> np.random.Generator:
    return np.random.default_rng(_RNG)
