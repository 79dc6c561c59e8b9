"""Tables and figures of Li et al. (2016), corpus by corpus."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from deppa_nb.active.costs import Rates
from deppa_nb.active.curves import reached
from deppa_nb.active.statistics import dependencies_to_reach
from deppa_nb.corpus.sentence import Treebank
from deppa_nb.corpus.statistics import statistics
from deppa_nb.experiments.compare import ALL
from deppa_nb.experiments.li2016_claims import MINUS, claimed_effects, effects_on_test
from deppa_nb.experiments.li2016_people import PUBLISHED, check_estimator, people_table
from deppa_nb.experiments.li2016_transition import TRANSITION
from deppa_nb.experiments.part import Part as CurvesPart
from deppa_nb.experiments.splits import Splits
from deppa_nb.experiments.store import Store
from deppa_nb.experiments.study import Check, Drawing, Exhibit

__all__ = [
    "FULL",
    "SINGLE",
    "VARIANTS",
    "Part",
    "batch_strategies",
    "checks",
    "exhibits",
    "table1",
    "table3",
]

FULL = ("fa-random", "fa-score", "fa-probability", "fa-marginal")
SINGLE = ("pa-max", "pa-gap", "pa-entropy")
_BATCH = ("batch-marginal-gap", "batch-gap", "batch-marginal")
VARIANTS = (
    "fa-score-n", "fa-score-n2", "fa-probability-log", "fa-probability-sqrt",
    "fa-marginal-geometric",
)  # fmt: skip
_NEEDED = (
    "method", "dependencies", "low", "high", "saved (%)", "hours", "time saved (%)", "dev UAS",
    "test UAS", "note",
)  # fmt: skip
_RNG = 1  # of what is drawn anew for intervals


@dataclass(frozen=True)
class Part(CurvesPart):
    """One corpus: its runs, and what is made of them."""

    @property
    def batch(self) -> tuple[str, ...]:
        """The batch strategies with as many words as the paper asks for on such a corpus."""
        return batch_strategies(self.like)

    @property
    def batch_gap(self) -> str:
        """The one that the paper takes for the best."""
        return self.batch[1]

    @property
    def steps(self) -> str:
        """How much was asked for, in words."""
        given = {task.run.strategy: task.run.parameters for task in self.tasks}
        full, single = given[FULL[0]], given[SINGLE[1]]
        return (
            f"begins with {full['start']:,} sentences; K = {full['budget']:,} sentences a round, "
            f"M = {single['budget']:,} single words"
        )


def batch_strategies(like: str) -> tuple[str, ...]:
    """Return those with as many words as the paper asks for on one of its corpora."""
    return _BATCH if like == "en" else tuple(f"{name}-20" for name in _BATCH)


def exhibits(part: Part, variants: bool) -> list[Exhibit]:
    """Return the figures and the table of a corpus, which can be shown when its runs are finished.

    Parameters
    ----------
    variants
        Whether there are runs of the footnoted measures.
    """
    found = [
        _figure("fig3", "full sentences and single words (Figures 3 and 4)", part, *FULL, *SINGLE),
        _figure(
            "fig5",
            "single words and batches (Figures 5 and 6)",
            part,
            "pa-gap",
            *part.batch,
            "batch-gap-20",
        ),
        _table2(part),
    ]
    if variants:
        what = "measures of sentences, with those of the footnotes"
        found.append(_figure("footnotes", what, part, *FULL, *VARIANTS))
    return found


def table1(corpora: Sequence[Splits]) -> Exhibit:
    """Return the sizes of corpora."""

    def make(store: Store) -> pd.DataFrame:
        banks = [bank for splits in corpora for bank in splits if bank is not None]
        return statistics(banks)[["sentences", "words"]]

    paper = pd.DataFrame(
        {"sentences": [14_304, 803, 1_910, 39_115, 1_700, 2_416],
         "words": [318_408, 20_454, 50_319, 908_154, 40_117, 56_684]},
        index=[f"{c} {s}" for c in ("zh", "en") for s in ("train", "dev", "test")],
    )  # fmt: skip
    return Exhibit("table1", "Table 1: the data.", (), make, paper=paper.rename_axis("paper"))


def _figure(name: str, what: str, part: Part, *strategies: str) -> Exhibit:
    shown = part.only(ALL, *strategies)
    caption = f"{part.corpus}: UAS on dev by annotated dependencies, {what}; {part.steps}."
    drawing = Drawing("curves", {"title": f"{part.corpus}: {what}"})
    return Exhibit(part.named(name), caption, shown.tasks, shown.points, drawing)


def _table2(part: Part) -> Exhibit:
    def make(store: Store) -> pd.DataFrame:
        return pd.DataFrame(_needed(part, store), columns=["corpus", *_NEEDED]).set_index("corpus")

    paper = pd.DataFrame(
        {"zh dependencies": [318_408, 318_408, 187_123, 149_051, 50_958, 56_389],
         "zh test UAS": [77.97, 78.36, 77.43, 77.32, 77.22, 77.38],
         "en dependencies": [908_154, 908_154, 395_199, 197_907, 61_448, 51_016],
         "en test UAS": [91.45, 91.66, 90.67, 90.66, 90.72, 90.70]},
        index=["ZPar", "all data", "FA random", "FA best", "PA single", "PA batch"],
    )  # fmt: skip
    caption = (
        f"Table 2, {part.corpus}: dependencies until dev UAS is a point below that of all data, by "
        "the smoothed mean curve at its rounds, the seed's included, with the 95% interval; saved: "
        "percent of those of the best full annotation (FA); hours: at the published seconds for a "
        "dependency, 6.7 in full trees and 13.6 else, the first sentences' too; dev and test UAS "
        "then. The first row is another parser, of all data, after its pass that was best on dev. "
        f"It {part.steps}."
    )
    shown = part.only(TRANSITION, ALL, *FULL, *SINGLE, *part.batch, "batch-gap-20")
    named = part.named("table2")
    return Exhibit(named, caption, shown.tasks, make, paper=paper.rename_axis("paper"))


def _needed(part: Part, store: Store) -> list[dict[str, object]]:
    dev, test, rates = part.curves(store), part.curves(store, "test"), Rates()
    goal = dev[ALL].mean[1][-1]
    needs = {name: reached(*curve.mean, goal - MINUS) for name, curve in dev.items()}
    for name in (TRANSITION, ALL):
        needs[name] = float(dev[name].mean[0][-1])
    best = min(needs[name] for name in FULL)
    if np.isinf(best):  # what full annotation has at its end: the others save at least that
        best = max(float(dev[name].mean[0][-1]) for name in FULL)
    rows: list[dict[str, object]] = []
    for name in (TRANSITION, ALL, *FULL, *SINGLE, *dict.fromkeys((*part.batch, "batch-gap-20"))):
        row: dict[str, object] = {"corpus": part.corpus, "method": name}
        x, y = dev[name].mean
        if not np.isfinite(needs[name]):
            note = f"not reached: ends at {y[-1]:.2f} with {x[-1]:,.0f}"
            rows.append({**row, "note": note})
            continue
        at = int(np.searchsorted(x, needs[name]))
        if name not in (TRANSITION, ALL):
            interval = dependencies_to_reach(dev[name], dev[ALL], rng=_rng())
            row |= {"low": interval.low, "high": interval.high}
        rate = rates.full if name in (TRANSITION, ALL, *FULL) else rates.partial
        row |= {
            "dependencies": needs[name], "saved (%)": 100 * (1 - needs[name] / best),
            "hours": needs[name] * rate / 3600,
            "time saved (%)": 100 * (1 - needs[name] * rate / (best * rates.full)),
            "dev UAS": y[at], "test UAS": test[name].mean[1][at], "note": "",
        }  # fmt: skip
        rows.append(row)
    return rows


def table3(logs: str, gold: Treebank) -> tuple[Exhibit, Exhibit]:
    """Return what people's logs tell, and what the logs of simulated people do.

    Parameters
    ----------
    logs
        A folder with logs, or empty.
    gold
        What was annotated, and what is right.
    """

    def people(store: Store) -> pd.DataFrame:
        return people_table(logs, gold)

    def check(store: Store) -> pd.DataFrame:
        return check_estimator(gold, _rng())

    return (
        Exhibit(
            "table3", "Table 3: people's seconds for a dependency and their accuracy, from logs.",
            (), people, paper=PUBLISHED,
        ),
        Exhibit(
            "table3-check",
            "The estimator of Table 3 on simulated people with the published rates: what was put "
            "in, what it finds, and where that is in 95 of 100 such studies.",
            (), check,
        ),
    )  # fmt: skip


def _rng() -> np.random.Generator:
    return np.random.default_rng(_RNG)


def checks(part: Part) -> list[Check]:
    """Return the claims on a corpus."""
    on_dev = part.checks(claimed_effects(part.like, part.batch_gap), "dev")
    return [*on_dev, *part.checks(effects_on_test(), "test")]
