"""Wanvarie et al. (2011): labels of sequences, all types at once or a type at a time.

A run is one of their systems on one corpus.

==============  ==================================================================================
supervised      learns from all labels
sup-al          all labels of the sequences of lowest probability, until F1 is that of all labels
all-0.90        one label of each sequence, where the best has under 0.90
split-0.90      the same for each type by itself; then the answers are merged
==============  ==================================================================================
"""

import json
import time
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from deppa_nb.active.annotators import GoldOracle
from deppa_nb.active.checks import check_number
from deppa_nb.active.learner import ActiveLearner
from deppa_nb.active.pool import Pool
from deppa_nb.active.rounds import Round
from deppa_nb.active.splitting import Merged, merge_subtasks, subtask, types_of
from deppa_nb.active.stopping import Kappa, Stopping
from deppa_nb.corpus.sequences import Sequence, SequenceBank, read_columns, write_columns
from deppa_nb.corpus.span_scores import score_spans
from deppa_nb.experiments.checkpoint import Checkpoint
from deppa_nb.experiments.runs import Run, read_parameters, threads
from deppa_nb.features.windows import CHUNKS, templates_for
from deppa_nb.models.chain_crf import ChainCRF
from deppa_nb.models.checks import check_parameters

__all__ = ["EVERYTHING", "SYSTEMS", "LabelParameters", "label", "work"]

SYSTEMS = ("supervised", "sup-al", "all-0.90", "all-0.99", "split-0.90", "split-0.99")
EVERYTHING = "all types"
"""What is not a subtask's."""

_ITERATIONS = 60  # of a fit, about
_LEARNED = 1 / 6  # of all tokens, by a fit of a mean round: sequences without a label wait


@dataclass(frozen=True)
class LabelParameters:
    """Of a run.

    Attributes
    ----------
    start
        So many of the longest sequences are labelled at the beginning.
    queries
        Sequences that are asked about in a round, at most (q).
    kappa
        Of the predictions of two rounds, from which on it ends.
    rounds
        At most, of each task.
    warm
        Whether models go on from the weights of the round before.
    l2
        Of the models.
    tolerance, round_tolerance
        Of the final model, and of those of rounds, from wherever they start.
    load
        Options of `load`.
    """

    start: int = 47
    queries: int = 500
    kappa: float = 0.9999
    rounds: int = 200
    warm: bool = True
    l2: float = 1.0
    tolerance: float = 1e-5
    round_tolerance: float = 1e-2
    load: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("start", "queries", "rounds"):
            check_number(name, getattr(self, name), 1, whole=True)
        check_number("kappa", self.kappa, -1, 1)
        for tolerance in (self.tolerance, self.round_tolerance):
            check_parameters(self.model(tolerance).get_params())

    @classmethod
    def of(cls, run: Run) -> "LabelParameters":
        """Return a run's parameters; names that are not known are refused."""
        return read_parameters(cls, run, SYSTEMS)

    def model(self, tolerance: float) -> ChainCRF:
        """Return a model that has learned nothing yet."""
        return ChainCRF(l2=self.l2, tolerance=tolerance, threads=threads(), progress=False)


def work(run: Run) -> float:
    """Return about how many tokens a run goes over, for estimates of time."""
    what, train = LabelParameters.of(run), run.load().train
    fit = _ITERATIONS * train.n_words * len(templates_for(train[0])) / len(CHUNKS)
    if run.strategy == "supervised":
        return float(fit)
    rounds = min(what.rounds, len(train) / what.queries + 5)
    again = 0.3 if what.warm else 1.0  # a split has more rounds, which are as much quicker
    final = 1.0 if run.strategy.startswith("split") else _LEARNED  # which has labels of all tokens
    return float(fit * (rounds * again * _LEARNED + final))


def label(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
    """Return a row for each round of each task, then the final model's and one a test sequence.

    Columns are row (``round``, ``final`` or ``sequence``), task (a type or `EVERYTHING`), round,
    labels (different tokens that were asked about so far), actions (acts of labelling), iterations,
    f1 (of a model of all types on test), by_hand, predicted and conflicts (tokens that the final
    model learns from with a label of people, with one of models, and with none), stopped, sequence,
    gold, found, right (spans of a test sequence), and the seconds of processors that training and
    choosing took.
    """
    if any(row["row"] == "final" for row in checkpoint.rows):
        return pd.DataFrame(checkpoint.rows)
    what, corpus = LabelParameters.of(run), run.load()
    labelling = _Labelling(run, what, corpus.train, corpus.test, checkpoint)
    if run.strategy.startswith("split"):
        labelling.split()
    elif run.strategy == "supervised":
        labelling.finish(_unmerged(corpus.train), corpus.train.n_words, corpus.train.n_words)
    else:
        labelling.all_types()
    return pd.DataFrame(checkpoint.rows)


class _Final(NamedTuple):
    model: ChainCRF
    predicted: SequenceBank
    f1: float
    seconds: float


@dataclass
class _Goal:
    """Stop when F1 on test is what all labels come to; it is set when it is not timed."""

    least: float
    f1: float = float("nan")

    def reason(self, learner: ActiveLearner) -> str | None:
        """Compare."""
        return "F1 is that of all labels" if self.f1 >= self.least else None


class _Labelling:
    """One system at work."""

    def __init__(
        self,
        run: Run,
        what: LabelParameters,
        train: SequenceBank,
        test: SequenceBank,
        checkpoint: Checkpoint,
    ) -> None:
        self.run, self.what, self.train, self.test = run, what, train, test
        self.checkpoint = checkpoint
        self.state = checkpoint.load(_State.load) or _State()
        # Kernels are compiled and windows of all tokens hashed here: neither is a round's work.
        some = what.model(what.tolerance).fit(train[:50])
        some.marginals([*train, *test])
        some.predict(test[:1])

    @property
    def longest(self) -> list[int]:
        """The sequences of the beginning."""
        order = np.argsort(-self.train.lengths, kind="stable")
        return sorted(order[: self.what.start].tolist())

    def all_types(self) -> None:
        """Ask for labels of all types at once."""
        strategy, rule = self.run.strategy.replace("all", "labels"), self._kappa
        if self.run.strategy == "sup-al":
            every = self._fitted(self.train, self.what.round_tolerance)
            strategy, rule = "labels-probability", _Goal(every.f1)
        self._ask(EVERYTHING, self.train, strategy, rule)
        given = self.learner.pool.n_given
        self.finish(_unmerged(self.learner.pool), given, given)

    @property
    def _kappa(self) -> Stopping:
        return Kappa(self.what.kappa, self.what.queries)

    def split(self) -> None:
        """Ask for labels of one type after the other, and merge them."""
        strategy, finished = self.run.strategy.replace("split", "labels"), self.state.finished
        for kind in types_of(self.train):
            if kind not in finished:
                own = self.train.with_sentences(subtask(s, kind) for s in self.train)
                self._ask(kind, own, strategy, self._kappa)
                labelled = SequenceBank(tuple(self.learner.pool))
                predicted = self.learner.parser.predict(labelled, keep=True)
                finished[kind], self.state.learner = (list(labelled), list(predicted)), None
        given = {kind: own for kind, (own, _) in finished.items()}
        merged = merge_subtasks(given, {kind: found for kind, (_, found) in finished.items()})
        known = [
            np.array([s.annotated for s in tasks]) for tasks in zip(*given.values(), strict=True)
        ]
        start = sum(len(self.train[j]) for j in self.longest)  # labelled once, for all subtasks
        unique = sum(int(tasks.any(axis=0).sum()) for tasks in known)
        actions = sum(int(tasks.sum()) for tasks in known) - (len(given) - 1) * start
        self.finish(merged, unique, actions)

    @property
    def learner(self) -> ActiveLearner:
        """The one at work."""
        assert self.state.learner is not None
        return self.state.learner

    def _ask(self, task: str, gold: SequenceBank, strategy: str, rule: Stopping) -> None:
        """Do the rounds of a task; what was done before a stop is not done again."""
        what = self.what
        if self.state.learner is None:
            pool = Pool.hiding(gold, self.longest)
            model = what.model(what.round_tolerance)
            self.state.learner = ActiveLearner(model, strategy, pool, rng=1, warm=what.warm)
        rows = [row for row in self.checkpoint.rows if row["task"] == task]
        if rows and rows[-1]["stopped"]:
            return
        rounds = self.learner.rounds(
            GoldOracle(gold), what.queries, "sentences", most=what.rounds, stopping=(rule,)
        )
        while True:
            start = time.process_time()
            self.learner.train()
            trained = time.process_time()
            f1 = self._f1(self.learner.parser) if task == EVERYTHING else float("nan")
            if isinstance(rule, _Goal):
                rule.f1 = f1
            scored = time.process_time()  # which is not a round's work, either
            if (found := next(rounds, None)) is None:
                return
            chosen = time.process_time()
            row = _row(found, task, self.learner, trained - start, chosen - scored, f1)
            self.checkpoint.add([row], self.state.save)

    def _f1(self, model: ChainCRF) -> float:
        return score_spans(self.test, model.predict(self.test)).f1

    def _fitted(self, sequences: Any, tolerance: float) -> _Final:
        start = time.process_time()
        model = self.what.model(tolerance).fit(sequences)
        seconds = time.process_time() - start
        predicted = model.predict(self.test)
        return _Final(model, predicted, score_spans(self.test, predicted).f1, seconds)

    def finish(self, merged: Merged, labels: int, actions: int) -> None:
        """Train the final model, and score it sequence by sequence."""
        model, predicted, f1, seconds = self._fitted(merged.sequences, self.what.tolerance)
        common = {
            **_EMPTY, "task": EVERYTHING, "labels": labels, "actions": actions,
            "iterations": model.n_iter_, "f1": f1, "by_hand": merged.by_hand,
            "predicted": merged.predicted, "conflicts": merged.conflicts,
        }  # fmt: skip
        rows = [{**common, "row": "final", "train_seconds": seconds}]
        for k, (own, found) in enumerate(zip(self.test, predicted, strict=True)):
            scores = score_spans([own], [found])
            counts = (scores.gold.total(), scores.found.total(), scores.right.total())
            rows.append(
                {**common, "row": "sequence", "sequence": k}
                | dict(zip(("gold", "found", "right"), counts, strict=True))
            )
        self.checkpoint.add(rows, self.state.save)


def _unmerged(sequences: Iterable[Sequence]) -> Merged:
    """Return labels of all types, which people gave at once."""
    kept = list(sequences)
    return Merged(kept, sum(int(s.annotated.sum()) for s in kept), 0, 0)


_EMPTY: dict[str, Any] = {
    "row": "", "task": "", "round": -1, "labels": 0, "actions": 0, "iterations": 0,
    "f1": float("nan"), "by_hand": 0, "predicted": 0, "conflicts": 0, "stopped": "", "sequence": -1,
    "gold": 0, "found": 0, "right": 0, "train_seconds": 0.0, "select_seconds": 0.0,
}  # fmt: skip


def _row(
    found: Round, task: str, learner: ActiveLearner, train: float, select: float, f1: float
) -> dict[str, Any]:
    return _EMPTY | {
        "row": "round", "task": task, "round": found.number,
        "labels": found.cost.dependencies, "actions": found.cost.dependencies,
        "iterations": learner.parser.n_iter_, "f1": f1, "stopped": found.stopped,
        "train_seconds": train, "select_seconds": select,
    }  # fmt: skip


@dataclass
class _State:
    """What a stopped run goes on with: the task at work, and what others ended with."""

    learner: ActiveLearner | None = None
    finished: dict[str, tuple[list[Sequence], list[Sequence]]] = field(default_factory=dict)
    packed: dict[str, list[bytes]] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Write it to a file."""
        with zipfile.ZipFile(path, "w") as archive:
            if self.learner is not None:
                self.learner.save(own := path.with_name("learner"))
                archive.write(own, "learner")
            archive.writestr("finished.json", json.dumps(list(self.finished)))
            for k, kind in enumerate(self.finished):
                if kind not in self.packed:  # once: it does not change any more
                    self.packed[kind] = [_packed(path, bank) for bank in self.finished[kind]]
                for name, content in zip(("given", "predicted"), self.packed[kind], strict=True):
                    archive.writestr(f"{name}{k}", content)

    @classmethod
    def load(cls, path: Path) -> "_State":
        """Return what a file holds."""
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            archive.extractall(path.parent)
            kinds = json.loads(archive.read("finished.json"))
        learner = ActiveLearner.load(path.with_name("learner")) if "learner" in names else None
        return cls(
            learner,
            {
                kind: (
                    list(read_columns(path.with_name(f"given{k}"))),
                    list(read_columns(path.with_name(f"predicted{k}"))),
                )
                for k, kind in enumerate(kinds)
            },
        )


def _packed(path: Path, bank: list[Sequence]) -> bytes:
    """Return what a gzipped file of a bank holds."""
    write_columns(own := path.with_name("bank.gz"), bank)
    return own.read_bytes()
