"""Wanvarie et al. (2011): parameters, tables, figures and claims."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

from deppa_nb.active.splitting import types_of
from deppa_nb.active.statistics import Estimate
from deppa_nb.corpus.embedded import is_embedded
from deppa_nb.corpus.registry import load
from deppa_nb.corpus.sequences import Sequence, SequenceBank
from deppa_nb.errors import CorpusError, ParameterError
from deppa_nb.experiments.claims import load_claims
from deppa_nb.experiments.compare import ALL
from deppa_nb.experiments.part import check_sizes, exhibit_name
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.store import Store, Task
from deppa_nb.experiments.study import Check, Drawing, Exhibit, Study
from deppa_nb.experiments.wanvarie2011 import SYSTEMS, LabelParameters, label, work
from deppa_nb.experiments.wanvarie2011_claims import System, claimed

__all__ = ["Wanvarie2011Parameters", "study"]

_TABLE1 = pd.DataFrame(
    {"sequences": [8_936, 2_012, 14_987, 3_684], "tokens": [211_727, 47_377, 204_567, 46_666],
     "types": [11, 10, 4, 4], "entity tokens": [183_825, 41_197, 34_043, 8_112]},
    index=[f"{c} {s}" for c in ("conll2000", "conll2003") for s in ("train", "test")],
)  # fmt: skip


def _shown(system: str) -> str:
    """Return what the paper calls a system."""
    return "SupAL" if system == "sup-al" else system[0].upper() + system[1:]


_SECONDS = {
    "conll2000": [8_066, 32_712, 33_221, 7_363, 9_559],
    "conll2003": [42_056, 78_118, 59_762, 47_244, 58_817],
}
_PAPER = {
    "conll2000": pd.DataFrame(
        {"labels": [202_283, 12_435, 15_011, 16_246, 24_721],
         "acts": [202_283, 12_435, 15_011, 24_898, 38_563],
         "seconds": _SECONDS["conll2000"], "F1": [93.42, 93.41, 93.46, 92.98, 93.14]},
        index=list(map(_shown, SYSTEMS[1:])),
    ),
    "conll2003": pd.DataFrame(
        {"labels": [181_082, 14_796, 19_006, 12_988, 14_749],
         "acts": [181_082, 14_796, 19_006, 25_149, 31_652],
         "seconds": _SECONDS["conll2003"], "F1": [81.49, 81.21, 81.33, 80.46, 81.11]},
        index=list(map(_shown, SYSTEMS[1:])),
    ),
}  # fmt: skip
_OF_DATA = ("W0",)  # and of the model of all labels, which is one
_CLAIMS = ("W1", "W4", "W5", "W7", "W8")
_CLAIMS_OF_TIME = ("W2", "W3", "W6")  # of models that learn from nothing: so we read the paper
_PARTS = ("train", "select")
_CLOCKED = [f"{part}_seconds" for part in _PARTS]
_PAIRS = tuple((f"All-{at}", f"Split-{at}") for at in ("0.90", "0.99"))
_STARTS = {
    "warm": "go on from the weights of the round before (warm)",
    "cold": "learn from nothing in every round (cold; so do the paper's, as we read it)",
}
_EXAMPLE = (8, 14)  # tokens of the sequences that are looked at


@dataclass(frozen=True)
class Wanvarie2011Parameters:
    """What is run.

    Attributes
    ----------
    corpora
        Names of corpora of label sequences, with spaces between them.
    starts
        ``warm``, ``cold`` or both: whether models go on from the weights of the round before.
        Labels and F1 of figures are of the first; claims are judged by each, those about time by
        cold ones.
    start, queries, kappa
        The longest sequences that are labelled at the beginning; sequences asked about in a round;
        the agreement of two rounds that ends it.
    rounds
        At most, of each task.
    l2
        Of the models.
    tolerance, round_tolerance
        Of final models, and of those of rounds.
    train
        Sequences of an embedded corpus.
    sentence
        Which sequence of the first corpus is looked at, of those of 8 to 14 tokens in test whose
        labels are in the longest ones, too.
    """

    corpora: str
    starts: str
    start: int
    queries: int
    kappa: float
    rounds: int
    l2: float
    tolerance: float
    round_tolerance: float
    train: int
    sentence: int

    def __post_init__(self) -> None:
        check_sizes(self, "start", "queries", "rounds", "train")
        self.runs({})  # which checks the others
        kinds = self.starts.split()
        if not kinds or len(set(kinds)) < len(kinds) or not set(kinds) <= _STARTS.keys():
            raise ParameterError(f"starts is {self.starts!r}, expected warm, cold or both")
        for corpus in self.corpora.split():
            found = load(corpus, **self.load(corpus))
            if found.kind != "sequence" or not {"train", "test"} <= set(found.files):
                problem = "expected sequences with train and test"
                raise ParameterError(f"corpora has {corpus}, {problem}")
            try:
                types_of([*found.train, *found.test])
            except CorpusError as error:
                raise ParameterError(f"corpora has {corpus}: {error}") from None
            if self.start >= len(found.train):
                problem = f"expected fewer than the {len(found.train)} sequences of {corpus}"
                raise ParameterError(f"start is {self.start}, {problem}")
        _ = self.example  # which checks `sentence`

    def load(self, corpus: str) -> dict[str, Any]:
        """Return the options with which a corpus is loaded."""
        sizes = {"train": self.train, "dev": 10, "test": self.train // 2}
        return {"sizes": sizes} if corpus.startswith("toy-") else {}

    def bank(self, corpus: str, split: str) -> SequenceBank:
        """Return a part of a corpus."""
        bank: SequenceBank = getattr(load(corpus, **self.load(corpus)), split)
        return bank

    @property
    def example(self) -> Sequence:
        """The sequence that is looked at: of two types, with labels that a first model knows."""
        corpus, (low, high) = self.corpora.split()[0], _EXAMPLE
        longest = sorted(self.bank(corpus, "train"), key=len, reverse=True)[: self.start]
        known = {label for sequence in longest for label in sequence.labels}
        fit = [
            s
            for s in self.bank(corpus, "test")
            if low <= len(s) <= high and len(types_of([s])) > 1 and known.issuperset(s.labels)
        ]
        if 0 <= self.sentence < len(fit):
            return fit[self.sentence]
        raise ParameterError(
            f"sentence is {self.sentence}, but test has {len(fit)} sequences, counted from 0, of "
            f"{low} to {high} tokens and two types or more, with labels that the {self.start} "
            "longest have, too"
        )

    def runs(self, load: dict[str, Any]) -> LabelParameters:
        """Return the parameters of runs."""
        return LabelParameters(
            self.start, self.queries, self.kappa, self.rounds, True, self.l2, self.tolerance,
            self.round_tolerance, load,
        )  # fmt: skip

    def tasks(self, corpus: str, start: str) -> tuple[Task, ...]:
        """Return the runs on a corpus; of all labels there is one model, wherever others start."""
        given = self.runs(self.load(corpus))

        def task(name: str) -> Task:
            own = replace(given, warm=start == "warm" or name == "supervised")
            return Task(Run("wanvarie2011", corpus, name, 1, asdict(own)), label, work)

        return tuple(map(task, SYSTEMS))


def study(parameters: Wanvarie2011Parameters) -> Study:
    """Return the paper's tables, figures and claims."""
    corpora, starts = parameters.corpora.split(), parameters.starts.split()
    exhibits = [_table1(parameters)]
    checks: list[Check] = []
    for corpus in corpora:
        parts = {start: parameters.tasks(corpus, start) for start in starts}
        differences = _different_cells(parameters, corpus)
        exhibits += _figures(corpus, parts)
        exhibits += [_table2(corpus, start, tasks) for start, tasks in parts.items()]
        exhibits += [_times(corpus, start, tasks) for start, tasks in parts.items()]
        checks += [
            Check(claim, corpus, tasks := parts[start],
                  partial(_estimates, claim, tasks, differences), corpus,
                  f"{start} starts" if claim in _CLAIMS else "")
            for claim in sorted((*_OF_DATA, *_CLAIMS, *_CLAIMS_OF_TIME))
            for start in _judged(claim, starts)
            if _meant(claim, corpus)
        ]  # fmt: skip
    return Study(
        "wanvarie2011",
        "Wanvarie et al. (2011): Accelerating the Sequence Annotation",
        tuple(exhibits),
        tuple(checks),
    )


def _judged(claim: str, starts: list[str]) -> list[str]:
    """Return by which starts a claim is judged."""
    if claim in _CLAIMS_OF_TIME:
        return [start for start in starts if start == "cold"]
    return starts[:1] if claim in _OF_DATA else starts


def _systems(tasks: tuple[Task, ...], store: Store) -> dict[str, System]:
    found = {}
    for run, compute, _ in tasks:
        rows = store.get_or_compute(run, compute)
        found[run.strategy] = System(pd.concat([rows, store.timing(run)], axis=1))
    return found


def _meant(claim: str, corpus: str) -> list[str]:
    """Return the effects of a claim that are about a corpus; an embedded one illustrates all."""
    if is_embedded(corpus):
        return [effect.name for effect in load_claims()[claim].effects]
    return [
        effect.name
        for effect in load_claims()[claim].effects
        if effect.only in (None, corpus) and (effect.name != "table" or corpus in _PAPER)
    ]


def _estimates(
    claim: str, tasks: tuple[Task, ...], differences: int, store: Store
) -> Mapping[str, Estimate]:
    found = claimed(_systems(tasks, store), differences)[claim]
    return {name: found[name] for name in _meant(claim, tasks[0].run.corpus)}


def _sizes(parameters: Wanvarie2011Parameters, corpus: str) -> pd.DataFrame:
    rows = {}
    for split in ("train", "test"):
        bank = parameters.bank(corpus, split)
        labels = [label for sequence in bank for label in sequence.labels]
        rows[f"{corpus} {split}"] = {
            "sequences": len(bank), "tokens": bank.n_words, "types": len(types_of(bank)),
            "entity tokens": sum(label != "O" for label in labels),
        }  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("corpus")


def _different_cells(parameters: Wanvarie2011Parameters, corpus: str) -> int:
    """Return how many cells of Table 1 are not the paper's; none where it has no such corpus."""
    ours = _sizes(parameters, corpus)
    theirs = _TABLE1.reindex(ours.index)
    return int(((ours != theirs) & theirs.notna()).sum().sum())


def _table1(parameters: Wanvarie2011Parameters) -> Exhibit:
    def make(store: Store) -> pd.DataFrame:
        return pd.concat([_sizes(parameters, corpus) for corpus in parameters.corpora.split()])

    paper = _TABLE1.rename_axis("paper")
    return Exhibit("table1", "Table 1: the data.", (), make, paper=paper)


def _figures(corpus: str, parts: Mapping[str, tuple[Task, ...]]) -> list[Exhibit]:
    """Return the three panels of Figure 3 or 4, and F1 by labels."""
    start, tasks = next(iter(parts.items()))
    found = [each for name, own in parts.items() for each in _seconds(corpus, name, _asking(own))]
    what = f"{corpus}, {start} starts"
    return [
        *sorted(found, key=lambda exhibit: exhibit.name),
        Exhibit(
            exhibit_name("fig3c", corpus),
            f"{what}: tokens with a label by hand in the end (the paper's unique ones), different "
            "tokens that were asked about, and acts of labelling (Figures 3c and 4c).",
            _asking(tasks), partial(_labels, _asking(tasks)),
            Drawing("bars", {"group": "what", "score": "labels"}, _counted),
        ),
        Exhibit(
            exhibit_name("curves", corpus),
            f"{what}: F1 on test by labels, of the models of rounds (Table 2 has the final ones) "
            "of systems that have a model of all types.",
            tasks, partial(_curves, tasks),
            Drawing("curves", {"score": "f1", "cost": "labels", "log": True}),
        ),
    ]  # fmt: skip


def _asking(tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    return tuple(task for task in tasks if task.run.strategy != "supervised")


def _seconds(corpus: str, start: str, tasks: tuple[Task, ...]) -> list[Exhibit]:
    """Return what shows seconds of rounds; those of the tasks of a split are one."""

    def rounds(one: Callable[[System], pd.DataFrame], store: Store) -> pd.DataFrame:
        systems = _systems(tasks, store).items()
        parts = [one(found).assign(strategy=_shown(name), seed=1) for name, found in systems]
        return pd.concat(parts, ignore_index=True)

    what = f"{corpus}, {start} starts"
    return [
        Exhibit(
            exhibit_name("fig3a", f"{corpus}-{start}"),
            f"{what}: seconds of processors in a round, of a split in the task that takes longest "
            "(Figures 3a and 4a).",
            tasks, partial(rounds, _longest_of_tasks),
            Drawing("seconds", {"by": "round", "parts": _PARTS}, _longest_rounds),
        ),
        Exhibit(
            exhibit_name("fig3b", f"{corpus}-{start}"),
            f"{what}: seconds of all rounds together, without the final model (Figures 3b and "
            "4b).",
            tasks, partial(rounds, _all_tasks), Drawing("seconds", {"parts": _PARTS}, _all_rounds),
        ),
    ]  # fmt: skip


def _longest_of_tasks(system: System) -> pd.DataFrame:
    """Return the seconds of each round, of the task that took longest: what somebody waits for."""
    rounds = system.rounds.reset_index(drop=True)
    longest = rounds[_CLOCKED].sum(axis=1).groupby(rounds["round"]).idxmax()
    return rounds.loc[longest, ["round", *_CLOCKED]]


def _all_tasks(system: System) -> pd.DataFrame:
    """Return the seconds of each round, of all tasks together."""
    return system.rounds.groupby("round")[_CLOCKED].sum().reset_index()


def _sums(frame: pd.DataFrame) -> pd.Series:
    """Return the seconds of rounds."""
    return frame[_CLOCKED].sum(axis=1).set_axis(frame["strategy"])


def _longest_rounds(frame: pd.DataFrame) -> str:
    return f"The longest round takes {_beside(_sums(frame).groupby(level=0).max())}"


def _all_rounds(frame: pd.DataFrame) -> str:
    return f"All rounds take {_beside(_sums(frame).groupby(level=0).sum())}"


def _beside(seconds: pd.Series) -> str:
    """Say what splitting takes and what all types at once, with two digits at least."""

    def said(system: str) -> str:
        value = seconds[system]
        return f"{value:.0f} s with {system}" if value >= 10 else f"{value:#.2g} s with {system}"

    return "; ".join(f"{said(two)}, {said(one)}" for one, two in _PAIRS)


def _counted(frame: pd.DataFrame) -> str:
    """Say what asking type by type costs beside asking for all types at once."""
    labels, said = frame.set_index(["strategy", "what"])["labels"], []
    for one, two in _PAIRS:
        share = labels[two, "asked about"] / labels[one, "asked about"] - 1
        more = f"{abs(share):.0%} {'more' if share > 0 else 'fewer'}"
        said.append(
            f"{two} asks about {more} tokens than {one}, "
            f"and in the end {labels[two, 'labelled']:,.0f} have a label by hand "
            f"({labels[one, 'labelled']:,.0f})"
        )
    return "; ".join(said)


def _labels(tasks: tuple[Task, ...], store: Store) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"strategy": _shown(name), "what": what, "labels": float(labels)}
            for name, found in _systems(tasks, store).items()
            for what, labels in (
                ("labelled", found.by_hand), ("asked about", found.asked), ("acts", found.acts)
            )
        ]
    )  # fmt: skip


def _curves(tasks: tuple[Task, ...], store: Store) -> pd.DataFrame:
    found = {name: own for name, own in _systems(tasks, store).items() if "split" not in name}
    parts = [
        (own.rounds if len(own.rounds) else own.rows[own.rows["row"] == "final"]).assign(
            strategy=ALL if name == "supervised" else _shown(name), seed=1
        )
        for name, own in found.items()
    ]
    return pd.concat(parts, ignore_index=True)


def _table2(corpus: str, start: str, tasks: tuple[Task, ...]) -> Exhibit:
    def make(store: Store) -> pd.DataFrame:
        rows = [
            {
                "corpus": corpus, "starts": start, "system": _shown(name),
                "F1": float(found.final["f1"]), "labels": found.by_hand, "asked": found.asked,
                "acts": found.acts, "rounds": len(found.rounds), "seconds": found.total,
                "conflicts": int(found.final["conflicts"]),
                "ended": "; ".join(sorted({_why(each) for each in found.rounds["stopped"]} - {""})),
            }
            for name, found in _systems(tasks, store).items()
        ]  # fmt: skip
        return pd.DataFrame(rows).set_index("corpus")

    return Exhibit(
        exhibit_name("table2", f"{corpus}-{start}"),
        f"Table 2, {corpus}, {start} starts: F1 on test, with what it took: different tokens that "
        "have a label by hand (of a split, when it is merged), different tokens that were asked "
        "about, acts of labelling (those of the beginning once), rounds of all tasks, seconds of "
        "processors for training, choosing and the final model, tokens left open because two types "
        "claim them.",
        tasks, make, paper=_PAPER[corpus].rename_axis("paper") if corpus in _PAPER else None,
    )  # fmt: skip


def _why(stopped: str) -> str:
    """Return why a task ended without the number, which differs from task to task."""
    return "kappa" if stopped.startswith("kappa") else stopped


def _times(corpus: str, start: str, tasks: tuple[Task, ...]) -> Exhibit:
    def make(store: Store) -> pd.DataFrame:
        found, rows = _systems(tasks, store), []
        for at in ("0.90", "0.99"):
            one, two = found[f"all-{at}"], found[f"split-{at}"]
            rows.append(
                {
                    "corpus": corpus, "starts": start, "threshold": at,
                    "a round of All": one.seconds.mean(), "of Split": two.seconds.mean(),
                    "all rounds of All": one.seconds.sum(), "with Split": two.seconds.sum(),
                    "All / Split": one.seconds.sum() / two.seconds.sum(),
                    "with final models": one.total / two.total,
                }
            )  # fmt: skip
        return pd.DataFrame(rows).set_index("corpus")

    return Exhibit(
        exhibit_name("times", f"{corpus}-{start}"),
        f"{corpus}: what splitting saves when models {_STARTS[start]}. Seconds of processors; the "
        "last column is All / Split with the final models, which learn from nothing and to the "
        "end.",
        tasks, make,
    )  # fmt: skip
