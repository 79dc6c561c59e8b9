"""The runs of Mejer & Crammer (2012), language by language, and what came out of them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deppa_nb.experiments import compare
from deppa_nb.experiments.compare import ALL, CurveParameters
from deppa_nb.experiments.mejer2012 import LightParameters, as_run, light, work
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.splits import splits
from deppa_nb.experiments.store import Store, Task

__all__ = ["SKYLINE", "Cell", "Grid", "Outcome", "Setting", "short"]

Floats = NDArray[np.float64]


class Setting(NamedTuple):
    """A variant, the percent of full trees, and what else is not as in the other runs.

    >>> print(Setting.of("binary-single", 1.0, asked=50.0, choose="margin"))
    binary-single, 50% asked, by margin
    """

    variant: str
    full: float
    changes: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, variant: str, full: float, **changes: Any) -> "Setting":
        """Return a setting with some parameters of `LightParameters`."""
        return cls(variant, full, tuple(changes.items()))

    def __str__(self) -> str:
        said = (_WORDS[name](value) for name, value in self.changes)
        return ", ".join([self.variant, *said])


_WORDS: dict[str, Callable[[Any], str]] = {
    "noise": "{:.0%} wrong".format,
    "annotator": str,
    "asked": "{:g}% asked".format,
    "choose": "by {}".format,
    "expected": lambda value: "Bayes' rule" if value else "answers believed",
    "ties": "ties: {}".format,
    "alpha": lambda value: f"step {value:g}" if value else "step of MIRA",
    "averaging": lambda value: "averaged" if value else "not averaged",
    "single_root": lambda value: "one root" if value else "any number of roots",
}
"""How a table names what is not as in the other runs."""


class Cell(NamedTuple):
    """A setting after some passes; without a setting, the parser of all data."""

    setting: Setting | None
    after: int = 0


SKYLINE = Cell(None)


class Outcome(NamedTuple):
    """What the runs of a setting found in a language.

    Attributes
    ----------
    right
        ``(seeds, passes + 1, sentences)``, right heads of each test sentence.
    words
        ``(sentences,)``.
    passes
        A row for each seed and pass, with the other columns of `mejer2012.light`.
    """

    right: Floats
    words: Floats
    passes: pd.DataFrame

    @property
    def uas(self) -> Floats:
        """``(seeds, passes + 1)``."""
        return np.asarray(100 * self.right.sum(axis=2) / self.words.sum())


def short(corpus: str) -> str:
    """Return the name of a treebank without its collection.

    >>> short("ud/ja_gsd")
    'ja_gsd'
    """
    return corpus.rsplit("/", maxsplit=1)[-1]


@dataclass(frozen=True)
class Grid:
    """Languages, seeds and what all settings share.

    Attributes
    ----------
    corpora
        The languages that averages are over.
    seeds
        Of each run.
    epochs
        Of the parser of all data.
    common
        The parameters of all runs, but for those of a setting.
    train
        Sentences of an embedded corpus.
    """

    corpora: tuple[str, ...]
    seeds: int
    epochs: int
    common: LightParameters
    train: int

    def load(self, corpus: str) -> dict[str, Any]:
        """Return the options with which a corpus is loaded."""
        return _options(self.train) if corpus.startswith("toy-") else {}

    def size(self, corpus: str) -> tuple[int, int]:
        """Return the number of training sentences and of their words."""
        return _size(corpus, self.train if self.load(corpus) else 0)

    def length(self, corpus: str) -> float:
        """Return the mean number of words in a training sentence."""
        sentences, words = self.size(corpus)
        return words / sentences

    def tasks(self, corpus: str, setting: Setting | None) -> tuple[Task, ...]:
        """Return the runs of a setting, one for each seed."""
        if setting is None:
            options = {
                "epochs": self.epochs, "bits": self.common.bits, "rate": self.common.rate,
                "averaging": self.common.averaging,
            }  # fmt: skip
            what = CurveParameters(model="mst", options=options, load=self.load(corpus), test=True)
            run = Run("compare", corpus, ALL, 1, what.of_all_data())
            return (Task(run, compare.all_data, compare.work),)
        changes = {**dict(setting.changes), "full": setting.full, "load": self.load(corpus)}
        given = replace(self.common, **changes)
        runs = [as_run(corpus, setting.variant, seed + 1, given) for seed in range(self.seeds)]
        return tuple(Task(run, light, work) for run in runs)

    def of_all(self, *settings: Setting | None) -> tuple[Task, ...]:
        """Return the runs of settings in all languages."""
        return tuple(t for c in self.corpora for s in settings for t in self.tasks(c, s))

    def outcome(self, store: Store, corpus: str, setting: Setting | None) -> Outcome:
        """Return what came out of the runs of a setting."""
        return _outcome(self.tasks(corpus, setting), store.root)

    def uas(self, store: Store, corpus: str, cell: Cell) -> float:
        """Return the mean over seeds of the test UAS."""
        return float(self.outcome(store, corpus, cell.setting).uas[:, cell.after].mean())

    def mean_uas(self, store: Store, cell: Cell) -> float:
        """Return its mean over languages."""
        return float(np.mean([self.uas(store, corpus, cell) for corpus in self.corpora]))

    def passes(self, store: Store, corpus: str, setting: Setting) -> pd.DataFrame:
        """Return the mean over seeds of what was asked, with a row for each pass from 0."""
        found = self.outcome(store, corpus, setting).passes
        return found.groupby("pass").mean()


def _options(train: int) -> dict[str, Any]:
    """Return the sizes of an embedded corpus; 0: there is nothing to choose."""
    sizes = {"train": train, "dev": 10, "test": max(10, train // 3)}
    return {"sizes": sizes} if train else {}


@lru_cache(maxsize=64)  # all languages are asked for their size again and again
def _size(corpus: str, train: int) -> tuple[int, int]:
    found = splits(corpus, _options(train)).train
    return len(found), found.n_words


@lru_cache(maxsize=4096)  # claims and figures are made of the same runs
def _outcome(tasks: tuple[Task, ...], root: Path) -> Outcome:
    store, right, passes, words = Store(root), [], [], np.zeros(0)
    for run, compute, _ in tasks:
        found = store.get_or_compute(run, compute)
        if run.strategy == ALL:
            found = found[found["split"] == "test"].rename(columns={"round": "pass"})
        by = found.groupby("pass")
        right.append([rows["right"].to_numpy() for _, rows in by])
        words = by.get_group(0)["words"].to_numpy(float)
        of_passes = by.first().drop(columns=["sentence", "right", "words"]).reset_index()
        passes.append(of_passes.assign(seed=run.seed))
    return Outcome(np.array(right, float), words, pd.concat(passes))
