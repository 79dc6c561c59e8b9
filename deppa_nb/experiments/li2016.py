"""Li et al. (2016): which sentences, and which words of them, with a probabilistic parser."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

from deppa_nb.active.costs import Rates
from deppa_nb.active.curves import Curve, reached
from deppa_nb.active.statistics import Estimate, bootstrap, dependencies_to_reach
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.statistics import statistics
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.compare import ALL, CurveParameters, all_data, curve, work
from deppa_nb.experiments.li2016_claims import MINUS, Effects, claimed_effects
from deppa_nb.experiments.li2016_people import PUBLISHED, check_estimator, people_table
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.simulate import points
from deppa_nb.experiments.splits import Tags, splits
from deppa_nb.experiments.store import Store, Task
from deppa_nb.experiments.study import Check, Drawing, Exhibit, Study
from deppa_nb.models.crf import CRFParser

__all__ = ["Li2016Parameters", "study"]

FULL = ("fa-random", "fa-score", "fa-probability", "fa-marginal")
SINGLE = ("pa-max", "pa-gap", "pa-entropy")
BATCH = ("batch-marginal-gap", "batch-gap", "batch-marginal")
VARIANTS = (
    "fa-score-n", "fa-score-n2", "fa-probability-log", "fa-probability-sqrt",
    "fa-marginal-geometric",
)  # fmt: skip
_PAPER_SENTENCES = 14_304  # of the smaller of the paper's corpora
_ENOUGH = 10_000  # sentences from which steps are the paper's
_EXAMPLE = (8, 14)
_NEEDED = (
    "method", "dependencies", "low", "high", "saved (%)", "hours", "dev UAS", "test UAS", "note",
)  # fmt: skip
_RNG = 1  # of what is drawn anew for intervals


@dataclass(frozen=True)
class Li2016Parameters:
    """What is run.

    Attributes
    ----------
    corpora, like
        Names of treebanks, with spaces between them, and for each which of the paper's two (zh, en)
        it stands in for: a fifth of the words is asked for in batches where the parser is as poor
        as on zh, a tenth on en (and also a fifth, to compare).
    seeds, first
        Curves of each strategy; whether all start from the first sentences, as in the paper.
    start, sentences, words
        Sentences at the beginning; K: sentences that are asked for in a round; how many sentences'
        words, on average, are asked for in a round singly (M).
    scaled
        Whether these three become fewer where there are fewer than 10,000 sentences to learn from,
        as these are to the 14,304 of the paper.
    rounds
        At most.
    tags, longest
        See `splits`.
    order, epochs, bits, pruning
        Of the parser.
    train
        Sentences of an embedded corpus.
    variants
        Whether the footnoted measures of sentences are run, too.
    sentence
        Which one of the first corpus is looked at, of those of 8 to 14 words in train.
    logs
        A folder with logs of people who annotated train of the first corpus; empty: there are none.
    """

    corpora: str
    like: str
    seeds: int
    first: bool
    start: int
    sentences: int
    words: int
    scaled: bool
    rounds: int
    tags: Tags
    longest: int
    order: int
    epochs: int
    bits: int
    pruning: float
    train: int
    variants: bool
    sentence: int
    logs: str

    def __post_init__(self) -> None:
        names, like = self.corpora.split(), self.like.split()
        if not names or len(like) != len(names) or not set(like) <= {"zh", "en"}:
            raise ParameterError(
                f"like is {self.like!r}, expected zh or en for each of {self.corpora!r}"
            )
        if len(set(names)) < len(names):
            raise ParameterError(f"corpora is {self.corpora!r}, expected each once")
        if self.seeds < 1 or (self.first and self.seeds > 1):
            raise ParameterError(f"seeds is {self.seeds}, expected 1 (or more if first is False)")
        for name in ("start", "sentences", "words", "train"):
            if getattr(self, name) < 1:
                raise ParameterError(f"{name} is {getattr(self, name)}, expected 1 or more")
        self.curves(1.0, 1.0)  # which checks the others
        if not 0 <= self.pruning < 1:
            raise ParameterError(f"pruning is {self.pruning}, expected 0 to under 1")
        if self.logs and not Path(self.logs).is_dir():
            raise ParameterError(f"logs is {self.logs!r}, expected a folder")
        for name in names:
            splits(name, self.load(name))
        _ = self.example  # which checks `sentence`

    def load(self, corpus: str) -> dict[str, object]:
        """Return the options with which a corpus is loaded."""
        sizes = {"train": self.train, "dev": self.train // 2, "test": self.train // 2}
        return {"sizes": sizes} if corpus.startswith("toy-") else {}

    @property
    def train_of_first(self) -> Treebank:
        """What the walk and people look at."""
        corpus = self.corpora.split()[0]
        return splits(corpus, self.load(corpus), self.longest).train

    @property
    def parser(self) -> CRFParser:
        """A parser as in the experiment, and exact."""
        return CRFParser(
            order=self.order, epochs=self.epochs, bits=self.bits, rng=1, progress=False
        )

    @property
    def example(self) -> Sentence:
        """The sentence that is looked at: after those of the beginning."""
        low, high = _EXAMPLE
        fit = [s for s in self.train_of_first[self.start :] if low <= len(s) <= high]
        if not 0 <= self.sentence < len(fit):
            problem = f"of {low} to {high} words after the first {self.start}"
            raise ParameterError(
                f"sentence is {self.sentence}, expected 0 to {len(fit) - 1}: there are "
                f"{len(fit)} sentences {problem}"
            )
        return fit[self.sentence]

    def curves(self, share: float, budget: float) -> CurveParameters:
        """Return the parameters of curves with only a share of what was asked for.

        Parameters
        ----------
        share
            Of all that are numbers of sentences.
        budget
            Sentences or words of a round.
        """
        pruning = {"pruning": self.pruning} if self.pruning else {}
        return CurveParameters(
            start=max(1, round(share * self.start)), first=self.first,
            budget=max(1, round(share * budget)), rounds=self.rounds,
            unit="sentences", tags=self.tags, longest=self.longest, test=True,
            options={"order": self.order, "epochs": self.epochs, "bits": self.bits, **pruning},
        )  # fmt: skip


@dataclass(frozen=True)
class _Part:
    """One corpus: its runs, and what is made of them."""

    corpus: str
    like: str
    tasks: tuple[Task, ...]

    @property
    def batch(self) -> tuple[str, ...]:
        """The batch strategies with as many words as the paper asks for on such a corpus."""
        return _batch(self.like)

    @property
    def batch_gap(self) -> str:
        """The one that the paper takes for the best."""
        return self.batch[1]

    def only(self, *strategies: str) -> "_Part":
        """Return it with the runs of these strategies."""
        return replace(self, tasks=tuple(t for t in self.tasks if t.run.strategy in strategies))

    def curves(self, store: Store, split: str = "dev") -> dict[str, Curve]:
        """Return the curves on a split by strategy."""
        found = _sentences(self, store.root)
        chosen = found[found["split"] == split]
        return {str(name): Curve.of(rows) for name, rows in chosen.groupby("strategy")}

    def points(self, store: Store) -> pd.DataFrame:
        """Return a row for each strategy, seed and round: corpus, dependencies and uas on dev."""
        return points(_sentences(self, store.root)).assign(corpus=self.corpus)


@lru_cache(maxsize=8)  # claims and tables are made of the same runs, one after the other
def _sentences(part: _Part, root: Path) -> pd.DataFrame:
    """Return the rows of all runs, as `compare.curve` has them, with strategy and seed."""
    store = Store(root)
    return pd.concat(
        [
            store.get_or_compute(of, compute).assign(strategy=of.strategy, seed=of.seed)
            for of, compute, _ in part.tasks
        ],
        ignore_index=True,
    )


def study(parameters: Li2016Parameters) -> Study:
    """Return the paper's tables, figures and claims.

    Parameters
    ----------
    parameters
        Which corpora, and how much is asked.
    """
    pairs = zip(parameters.corpora.split(), parameters.like.split(), strict=True)
    parts = [_part(parameters, corpus, like) for corpus, like in pairs]
    variants = ("footnotes", "measures of sentences, with those of the footnotes", parts, _variants)
    return Study(
        "li2016",
        "Li et al. (2016): Active Learning for Dependency Parsing with Partial Annotation",
        (
            _table1(parameters, parts),
            _figure("fig3", "full sentences and single words (Figures 3 and 4)", parts, _singly),
            _figure("fig5", "single words and batches (Figures 5 and 6)", parts, _in_batches),
            *([_figure(*variants)] if parameters.variants else []),
            _table2(parts),
            *_table3(parameters),
        ),
        tuple(check for part in parts for check in _checks(part)),
    )


def _batch(like: str) -> tuple[str, ...]:
    return BATCH if like == "en" else tuple(f"{name}-20" for name in BATCH)


def _part(parameters: Li2016Parameters, corpus: str, like: str) -> _Part:
    options = parameters.load(corpus)
    train = splits(corpus, options, parameters.longest).train
    few = parameters.scaled and len(train) < _ENOUGH
    share = len(train) / _PAPER_SENTENCES if few else 1.0
    words = parameters.words * train.n_words / len(train)
    full = {**asdict(parameters.curves(share, parameters.sentences)), "load": options}
    single = {**asdict(parameters.curves(share, words)), "load": options, "unit": "dependencies"}
    every = CurveParameters(**full).of_all_data()
    batch = _batch(like)
    asked = {
        **dict.fromkeys(FULL, full), **dict.fromkeys(SINGLE, single), **dict.fromkeys(batch, full),
        **({"batch-gap-20": full} if like == "en" else {}),
        **(dict.fromkeys(VARIANTS, full) if parameters.variants else {}),
    }  # fmt: skip
    runs = [
        Run("compare", corpus, strategy, seed, given)
        for strategy, given in asked.items()
        for seed in range(1, parameters.seeds + 1)
    ]
    tasks = Task(Run("compare", corpus, ALL, 1, every), all_data, work)
    return _Part(corpus, like, (tasks, *(Task(run, curve, work) for run in runs)))


def _table1(parameters: Li2016Parameters, parts: list[_Part]) -> Exhibit:
    def make(store: Store) -> pd.DataFrame:
        banks = [
            bank
            for part in parts
            for bank in splits(part.corpus, parameters.load(part.corpus), parameters.longest)
            if bank is not None
        ]
        return statistics(banks)[["sentences", "words"]]

    paper = pd.DataFrame(
        {"sentences": [14_304, 803, 1_910, 39_115, 1_700, 2_416],
         "words": [318_408, 20_454, 50_319, 908_154, 40_117, 56_684]},
        index=[f"{c} {s}" for c in ("zh", "en") for s in ("train", "dev", "test")],
    )  # fmt: skip
    return Exhibit("table1", "Table 1: the data.", (), make, paper=paper.rename_axis("paper"))


def _singly(part: _Part) -> tuple[str, ...]:
    return *FULL, *SINGLE


def _variants(part: _Part) -> tuple[str, ...]:
    return *FULL, *VARIANTS


def _in_batches(part: _Part) -> tuple[str, ...]:
    return "pa-gap", *part.batch


def _figure(
    name: str, what: str, parts: list[_Part], strategies: Callable[[_Part], tuple[str, ...]]
) -> Exhibit:
    title = what[0].upper() + what[1:]
    shown = [part.only(ALL, *strategies(part)) for part in parts]

    def make(store: Store) -> pd.DataFrame:
        return pd.concat([part.points(store) for part in shown], ignore_index=True)

    tasks = tuple(task for part in shown for task in part.tasks)
    return Exhibit(
        name, f"UAS on dev by annotated dependencies: {what}.", tasks, make,
        Drawing("curves", {"title": title, **({"facet": "corpus"} if len(parts) > 1 else {})}),
    )  # fmt: skip


def _table2(parts: list[_Part]) -> Exhibit:
    def make(store: Store) -> pd.DataFrame:
        rows = [row for part in parts for row in _needed(part, store)]
        return pd.DataFrame(rows, columns=["corpus", *_NEEDED]).set_index("corpus")

    paper = pd.DataFrame(
        {"zh dependencies": [318_408, 318_408, 187_123, 149_051, 50_958, 56_389],
         "zh test UAS": [77.97, 78.36, 77.43, 77.32, 77.22, 77.38],
         "en dependencies": [908_154, 908_154, 395_199, 197_907, 61_448, 51_016],
         "en test UAS": [91.45, 91.66, 90.67, 90.66, 90.72, 90.70]},
        index=["ZPar", "all data", "FA random", "FA best", "PA single", "PA batch"],
    )  # fmt: skip
    caption = (
        "Table 2: dependencies until dev UAS is a point below that of all data, by the smoothed "
        "mean curve at its rounds, the seed's included, with the 95% interval; saved: percent of "
        "those of the best full annotation (FA); hours: at the published seconds for a dependency; "
        "dev and test UAS then."
    )
    tasks = tuple(task for part in parts for task in part.tasks)
    return Exhibit("table2", caption, tasks, make, paper=paper.rename_axis("paper"))


def _needed(part: _Part, store: Store) -> list[dict[str, object]]:
    dev, test = part.curves(store), part.curves(store, "test")
    goal = dev[ALL].mean[1][-1]
    needs = {name: reached(*curve.mean, goal - MINUS) for name, curve in dev.items()}
    needs[ALL] = float(dev[ALL].mean[0][-1])
    # Where no full annotation comes so far, what it has at the end: the others save at least that.
    least = min(min(needs[name], dev[name].mean[0][-1]) for name in FULL)
    rows: list[dict[str, object]] = [
        {"corpus": part.corpus, "method": "transition-based", "note": "not run"}
    ]
    for name in (ALL, *FULL, *SINGLE, *part.batch):
        row = {"corpus": part.corpus, "method": name}
        if not np.isfinite(needs[name]):
            rows.append({**row, "note": "not reached"})
            continue
        x, y = dev[name].mean
        at = int(np.searchsorted(x, needs[name]))
        interval = dependencies_to_reach(dev[name], dev[ALL], rng=_rng())
        rate = Rates().full if name in (ALL, *FULL) else Rates().partial
        rows.append(
            {
                **row, "dependencies": needs[name],
                **({} if name == ALL else {"low": interval.low, "high": interval.high}),
                "saved (%)": 100 * (1 - needs[name] / least), "hours": needs[name] * rate / 3600,
                "dev UAS": y[at], "test UAS": test[name].mean[1][at], "note": "",
            }
        )  # fmt: skip
    return rows


def _table3(parameters: Li2016Parameters) -> tuple[Exhibit, Exhibit]:
    def people(store: Store) -> pd.DataFrame:
        return people_table(parameters.logs, parameters.train_of_first)

    def check(store: Store) -> pd.DataFrame:
        return check_estimator(parameters.train_of_first, _rng())

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


def _checks(part: _Part) -> list[Check]:
    found = []
    for claim, effects in claimed_effects(part.like, part.batch_gap).items():
        some = part.only(*(name for _, strategies in effects.values() for name in strategies))
        make = partial(_estimates, some, effects)
        found.append(Check(claim, part.corpus, some.tasks, make, part.like))
    return found


def _estimates(part: _Part, effects: Effects, store: Store) -> dict[str, Estimate]:
    curves = part.curves(store)
    return {
        name: bootstrap(statistic, *(curves[strategy] for strategy in strategies), rng=_rng())
        for name, (statistic, strategies) in effects.items()
    }
