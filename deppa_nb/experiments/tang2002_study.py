"""Tang et al. (2002): parameters, tables, figures and claims."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from deppa_nb.active.parses import ENTROPIES
from deppa_nb.active.statistics import Estimate, bootstrap
from deppa_nb.corpus.registry import load
from deppa_nb.corpus.slots import SlotBank, SlotTree
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.compare import ALL
from deppa_nb.experiments.part import Effects, Part, check_sizes, exhibit_name, results
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.store import Store, Task
from deppa_nb.experiments.study import Check, Drawing, Exhibit, Study
from deppa_nb.experiments.tang2002 import (
    RANDOM,
    STRATEGIES,
    TangParameters,
    learn,
    measure,
    work,
)
from deppa_nb.experiments.tang2002_claims import (
    BEST,
    LONG_CURVES,
    SHORT_CURVES,
    correlations,
    needed,
)
from deppa_nb.experiments.tang2002_dependencies import dependency_curves, dependency_part
from deppa_nb.experiments.tang2002_walk import FIGURE_1, numbered
from deppa_nb.models.checks import check_parameters
from deppa_nb.models.derivation import DerivationParser

__all__ = ["Tang2002Parameters", "study"]

_LIKE = "communicator"
_LONGER = ("uncertain-sentence", "cluster-word")
_TABLE_1 = {"none": "cluster-word", "density": BEST, "performance": "performance-word"}
_PAPER = pd.DataFrame({"accuracy": [79.8, 84.3, 80.7]}, index=list(_TABLE_1)).rename_axis("paper")
_FIGURE_8 = pd.DataFrame(
    {"chosen sentences": [4_000, 1_300, 2_800]},
    index=[RANDOM, f"{BEST}, as good as these", f"{BEST}, close to all data"],
).rename_axis("paper")
_SPLITS = ("test", "dev")
_SHARES = (0.25, 0.5, 0.75, 1.0)  # of the rounds of Figure 8
_BINS = 5  # words of a bar of Figure 2
_RNG = 1  # of what is drawn anew for intervals
_EXAMPLE = (6, 12)  # words of sentences that are looked at
_FIGURES = {
    "fig3": ("uncertain", "uncertainty alone"),
    "fig4": ("cluster", "the most uncertain of each cluster"),
    "fig5": ("density", "weighted by density"),
    "fig6": ("performance", "weighted by performance"),
}


@dataclass(frozen=True)
class Tang2002Parameters:
    """What is run.

    Attributes
    ----------
    corpora
        Names of corpora of requests with slots, with spaces between them.
    seeds
        Curves of each strategy.
    start, batch, rounds
        Sentences at the beginning; B, those of a round; rounds of Figures 3 to 6.
    longer
        Rounds of Figure 7.
    few, many
        Sentences at the beginning and rounds of Figure 8.
    parses
        N, how many parses the entropy of a sentence is over.
    contexts
        Whether contexts count in distances (eq. 4), or actions alone (eq. 6).
    clusters, frequent, least, smoothing, beam
        Of the parser.
    train
        Sentences of an embedded corpus.
    treebanks
        Names of treebanks on which parses are clustered that are dependency trees; or none.
    sentence
        Which one of the first corpus is looked at, of those of 6 to 12 words in test.
    """

    corpora: str
    seeds: int
    start: int
    batch: int
    rounds: int
    longer: int
    few: int
    many: int
    parses: int
    contexts: bool
    clusters: int
    frequent: int
    least: float
    smoothing: float
    beam: int
    train: int
    treebanks: str
    sentence: int

    def __post_init__(self) -> None:
        names = ("seeds", "start", "batch", "rounds", "longer", "few", "many", "parses", "train")
        check_sizes(self, *names)
        check_parameters(DerivationParser(**self.options).get_params())
        if self.parses < 2:
            raise ParameterError(f"parses is {self.parses}, expected 2 or more: one has no entropy")
        if self.longer < self.rounds:
            raise ParameterError(f"longer is {self.longer}, expected at least {self.rounds} rounds")
        for corpus in self.corpora.split():
            found = load(corpus, **self.load(corpus))
            if found.kind != "slots" or not {"train", "dev", "test"} <= set(found.files):
                problem = "expected slots with train, dev and test"
                raise ParameterError(f"corpora has {corpus}, {problem}")
            needed = max(self.start + self.batch * self.longer, self.few + self.batch * self.many)
            if len(found.train) < needed:
                raise ParameterError(
                    f"{corpus} has {len(found.train)} sentences to learn from, expected {needed}: "
                    "those of the beginning and of all rounds"
                )
        treebanks = self.treebanks.split()
        if len({exhibit_name("", name) for name in treebanks}) < len(treebanks):
            raise ParameterError(f"treebanks is {self.treebanks!r}, expected names, each once")
        for name in treebanks:
            if (found := load(name, **self.load(name))).kind != "treebank":
                raise ParameterError(f"treebanks has {name}, expected dependency trees")
            if len(found.train) <= self.few:
                raise ParameterError(
                    f"{name} has {len(found.train)} sentences to learn from, expected more than "
                    f"the {self.few} of the beginning"
                )
        _ = self.example  # which checks `sentence`

    @property
    def options(self) -> dict[str, Any]:
        """Of the parser."""
        names = ("clusters", "frequent", "least", "smoothing", "beam")
        return {name: getattr(self, name) for name in names}

    def load(self, corpus: str) -> dict[str, Any]:
        """Return the options with which a corpus is loaded."""
        sizes = {"train": self.train, "dev": self.train // 2, "test": self.train // 2}
        return {"sizes": sizes} if corpus.startswith("toy-") else {}

    def bank(self, corpus: str, split: str) -> SlotBank:
        """Return a part of a corpus."""
        bank: SlotBank = getattr(load(corpus, **self.load(corpus)), split)
        return bank

    @property
    def example(self) -> SlotTree:
        """The sentence that is looked at: with two constituents at least."""
        low, high = _EXAMPLE
        test = self.bank(self.corpora.split()[0], "test")
        fit = [s for s in test if low <= len(s) <= high and len(s.labels) > 2]
        if 0 <= self.sentence < len(fit):
            return fit[self.sentence]
        problem = f"sentence is {self.sentence}, expected 0 to {len(fit) - 1}"
        what = f"{low} to {high} words and two constituents or more"
        raise ParameterError(f"{problem}, of test sentences of {what}")

    def trees(self, treebank: str) -> Part:
        """Return the curves on a treebank; they begin as Figure 8 and end as Figure 6."""
        return dependency_part(
            treebank, self.seeds, self.few, self.batch, self.rounds, self.load(treebank)
        )

    def given(self, corpus: str, start: int, rounds: int) -> dict[str, Any]:
        """Return the parameters of runs."""
        return asdict(
            TangParameters(
                start, self.batch, rounds, self.parses, self.contexts, self.options,
                self.load(corpus),
            )
        )  # fmt: skip


def study(parameters: Tang2002Parameters) -> Study:
    """Return the paper's tables, figures and claims."""
    exhibits, checks = [_figure_1()], list[Check]()
    for corpus in parameters.corpora.split():
        short, long, measured = _parts(parameters, corpus)
        exhibits += [
            _figure_2(corpus, measured),
            *(_figure(name, short, parameters, *what) for name, what in _FIGURES.items()),
            _table_1(short),
            _curves("fig7", "with and without clusters", short, parameters.longer, *_LONGER),
            _curves(
                "fig8",
                "the best way and chance",
                long,
                parameters.many,
                BEST,
                RANDOM,
                paper=_FIGURE_8,
            ),
            _needed(long),
            _last(short, parameters),
            _both_splits(short, long),
        ]
        checks += short.checks(SHORT_CURVES, "test")
        checks += long.checks(LONG_CURVES, "test")
        checks.append(Check("T6", corpus, measured, partial(_correlated, measured), _LIKE))
    exhibits += [dependency_curves(parameters.trees(name)) for name in parameters.treebanks.split()]
    return Study(
        "tang2002",
        "Tang, Luo and Roukos (2002): Active Learning for Statistical Natural Language Parsing",
        tuple(exhibits),
        tuple(checks),
    )


def _parts(parameters: Tang2002Parameters, corpus: str) -> tuple[Part, Part, tuple[Task, ...]]:
    """Return the curves of Figures 3 to 7, those of Figure 8, and entropies at the beginning."""
    seeds = range(1, parameters.seeds + 1)
    short = parameters.given(corpus, parameters.start, parameters.rounds)
    longer = {**short, "rounds": parameters.longer}
    long = parameters.given(corpus, parameters.few, parameters.many)
    whole = Task(_run(corpus, ALL, 1, {**short, "start": 1, "rounds": 0}), learn, work)

    def tasks(strategies: tuple[str, ...], given: dict[str, Any]) -> list[Task]:
        return [
            Task(_run(corpus, name, seed, longer if given is short and name in _LONGER else given),
                 learn, work)
            for seed in seeds
            for name in strategies
        ]  # fmt: skip

    return (
        Part(corpus, _LIKE, (whole, *tasks(STRATEGIES, short))),
        Part(corpus, _LIKE, (whole, *tasks((RANDOM, BEST), long))),
        tuple(Task(_run(corpus, "entropies", seed, short), measure, work) for seed in seeds),
    )


def _run(corpus: str, strategy: str, seed: int, given: dict[str, Any]) -> Run:
    return Run("tang2002", corpus, strategy, seed, given)


def _figure_1() -> Exhibit:
    def make(store: Store) -> pd.DataFrame:
        return numbered(FIGURE_1)

    return Exhibit("fig1", f"Figure 1: “{' '.join(FIGURE_1.words)}” as 17 actions.", (), make)


def _correlated(tasks: tuple[Task, ...], store: Store) -> Mapping[str, Estimate]:
    return correlations([store.get_or_compute(of, compute) for of, compute, _ in tasks])


def _figure_2(corpus: str, tasks: tuple[Task, ...]) -> Exhibit:
    names = {
        "change": "change of entropy", "sentence_entropy": "sentence entropy",
        "word": "word entropy",
    }  # fmt: skip

    def make(store: Store) -> pd.DataFrame:
        rows = results(tasks, store)
        first = (rows["length"] - 1) // _BINS * _BINS + 1
        by = rows.groupby(first)[list(names)]
        means = by.mean().rename(columns=names).rename_axis("length").reset_index()
        found = means.melt("length", var_name="entropy", value_name="mean")
        told = _correlated(tasks, store)
        known = {own: told[effect].value for own, effect in zip(names.values(), told, strict=True)}
        return found.assign(
            sentences=np.tile(by.size(), len(names)) / len(tasks), width=_BINS,
            correlation=found["entropy"].map(known),
        )  # fmt: skip

    return Exhibit(
        exhibit_name("fig2", corpus),
        f"{corpus}: mean change of entropy, sentence entropy and word entropy of sentences that "
        "the first parser has not learned from, by their length (Figure 2), and Spearman's "
        "correlation of each with length, over sentences.",
        tasks, make, Drawing("entropies"),
    )  # fmt: skip


def _points(part: Part, most: int, store: Store, split: str = "test") -> pd.DataFrame:
    """Return a row for each strategy, seed and round up to a last one: exact trees and F1."""
    rows = results(part.tasks, store)
    rows = rows[(rows["round"] <= most) & (rows["split"] == split)]
    by = rows.groupby(["strategy", "seed", "round"], sort=False)
    sums = by[["right", "words", "gold", "found", "hits"]].sum()
    return pd.DataFrame(
        {
            "sentences": by["dependencies"].first(), "effective": by["effective"].first(),
            "exact": 100 * sums["right"] / sums["words"],
            "f1": 200 * sums["hits"] / (sums["gold"] + sums["found"]),
        }
    ).reset_index()  # fmt: skip


def _curves(
    name: str,
    what: str,
    part: Part,
    most: int,
    *strategies: str,
    paper: pd.DataFrame | None = None,
) -> Exhibit:
    shown = part.only(ALL, *strategies)
    options = {
        "cost": "sentences", "score": "exact",
        "cost_title": "chosen sentences", "score_title": "exact trees on test (%)",
    }  # fmt: skip
    return Exhibit(
        part.named(name),
        f"{part.corpus}: exact trees on test by chosen sentences, {what} (Figure {name[3:]}).",
        shown.tasks, partial(_points, shown, most), Drawing("curves", options), paper,
    )  # fmt: skip


def _figure(name: str, part: Part, parameters: Tang2002Parameters, way: str, what: str) -> Exhibit:
    strategies = (RANDOM, *(f"{way}-{entropy}" for entropy in ENTROPIES))
    return _curves(name, what, part, parameters.rounds, *strategies)


def _table_1(part: Part) -> Exhibit:
    shown = part.only(*_TABLE_1.values())

    def make(store: Store) -> pd.DataFrame:
        curves, rows = shown.curves(store, "test"), {}
        last = min(curve.mean[0][-1] for curve in curves.values())
        for weighting, strategy in _TABLE_1.items():

            def at_last(points: tuple[Any, Any]) -> float:
                return float(np.interp(last, *points))

            found = bootstrap(at_last, curves[strategy], rng=np.random.default_rng(_RNG))
            rows[weighting] = {"accuracy": found.value, "low": found.low, "high": found.high}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("weighting")

    return Exhibit(
        part.named("table1"),
        f"Table 1, {part.corpus}: exact trees on test after all rounds, by word entropy in "
        "clusters, with the 95% interval over seeds and sentences.",
        shown.tasks, make, paper=_PAPER,
    )  # fmt: skip


def _on_both(part: Part, effects: Effects, store: Store) -> dict[str, dict[str, float]]:
    """Return each effect on test and on development sentences, with 95% intervals."""
    found = {split: part.estimates(effects, store, split) for split in _SPLITS}
    return {
        name: {
            f"{what}{split}": getattr(found[split][name], value)
            for split in _SPLITS
            for what, value in (("", "value"), ("low, ", "low"), ("high, ", "high"))
        }
        for name in effects
    }


def _needed(part: Part) -> Exhibit:
    """Return T5 not only at the end of Figure 8, where all of a small corpus has been chosen."""
    shown = part.only(RANDOM, BEST)

    effects = {f"{s:.0%}": (partial(needed, share=s), (RANDOM, BEST)) for s in _SHARES}

    def make(store: Store) -> pd.DataFrame:
        x, y = shown.curves(store, "test")[RANDOM].mean
        ends = [round(share * (len(x) - 1)) for share in _SHARES]
        chance = pd.DataFrame({"sentences by chance": x[ends], "exact on test": y[ends]})
        return chance.join(pd.DataFrame(_on_both(shown, effects, store).values()))

    return Exhibit(
        part.named("needed"),
        f"{part.corpus}: the sentences that {BEST} needs for what chance has come to along Figure "
        "8, in percent of those of chance, with 95% intervals. T5 is about the last row. What is "
        "not reached counts one round more than there are.",
        shown.tasks, make,
    )  # fmt: skip


def _last(part: Part, parameters: Tang2002Parameters) -> Exhibit:
    """Return what all strategies came to after the same number of sentences."""

    def make(store: Store) -> pd.DataFrame:
        parts = {}
        for split in _SPLITS:
            points = _points(part, parameters.rounds, store, split)
            last = points.loc[points.groupby(["strategy", "seed"])["round"].idxmax()]
            means = last.groupby("strategy")[["sentences", "effective", "exact", "f1"]].mean()
            parts[split] = means.loc[[*STRATEGIES, ALL]]
        scores = [own[["exact", "f1"]].add_suffix(f" on {name}") for name, own in parts.items()]
        return pd.concat([parts["test"][["sentences", "effective"]], *scores], axis=1)

    return Exhibit(
        part.named("last"),
        f"{part.corpus}: exact trees and F1 of slots after {parameters.rounds} rounds, means over "
        "seeds. Sentences of different weights tell as much as fewer of equal weight: effective.",
        part.tasks, make,
    )  # fmt: skip


def _both_splits(short: Part, long: Part) -> Exhibit:
    """Return what claims are about, on test and on sentences that are like those of the pool."""

    def make(store: Store) -> pd.DataFrame:
        rows = []
        for part, claims in ((short, SHORT_CURVES), (long, LONG_CURVES)):
            for claim, effects in claims.items():
                found = _on_both(part, effects, store)
                rows += [{"claim": claim, "effect": name} | row for name, row in found.items()]
        return pd.DataFrame(rows).set_index("claim")

    return Exhibit(
        short.named("splits"),
        f"{short.corpus}: the effects of T1 to T5 on test and on development sentences, which are "
        "drawn from where the pool is; with 95% intervals over seeds and sentences.",
        (*short.tasks, *long.tasks), make,
    )  # fmt: skip
