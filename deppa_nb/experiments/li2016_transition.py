"""The transition-based parser that Li et al. (2016) compare theirs with, on all data."""

from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from deppa_nb.corpus.evaluate import evaluate
from deppa_nb.experiments.checkpoint import Checkpoint
from deppa_nb.experiments.runs import Run, read_parameters, threads
from deppa_nb.experiments.splits import Tags, splits_of
from deppa_nb.models.checks import check_parameters
from deppa_nb.models.transition import TransitionParser

__all__ = ["TRANSITION", "TransitionParameters", "transition", "work"]

TRANSITION = "transition-based"
"""Its name among strategies."""


@dataclass(frozen=True)
class TransitionParameters:
    """What its result depends on besides corpus and seed.

    Attributes
    ----------
    beam, bits
        Of the parser.
    iterations
        Passes over all trees; the weights are those after the pass that was best on dev.
    load, longest, tags
        See `splits`.
    """

    beam: int
    bits: int
    iterations: int
    load: dict[str, Any] = field(default_factory=dict)
    longest: int = 0
    tags: Tags = "given"

    def __post_init__(self) -> None:
        check_parameters({"beam": self.beam, "bits": self.bits, "iterations": self.iterations})

    @classmethod
    def of(cls, run: Run) -> "TransitionParameters":
        """Return a run's parameters; names that are not known are refused."""
        return read_parameters(cls, run)

    def parser(self, seed: int) -> TransitionParser:
        """Return the parser, which never ends before its last pass."""
        return TransitionParser(
            self.beam, bits=self.bits, epochs=self.iterations, patience=self.iterations, rng=seed,
            threads=threads(), progress=False,
        )  # fmt: skip


def transition(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
    """Return a row for each sentence of dev and test, as `compare.all_data` does."""
    train, dev, test = splits_of(run)
    parser = TransitionParameters.of(run).parser(run.seed).fit(train, dev=dev)
    rows = []
    for split, bank in (("dev", dev), ("test", test)):
        if bank is not None:
            by = evaluate(bank, parser.predict(bank)).words.groupby("sentence")["uas"]
            found = pd.DataFrame({"right": by.sum().astype(int), "words": by.size()}).reset_index()
            rows.append(found.assign(split=split))
    every = pd.concat(rows, ignore_index=True)
    return every.assign(round=0, dependencies=train.n_words, stopped=TRANSITION)


def work(run: Run) -> float:
    """Return about how many words it parses, as `compare.work` does."""
    what, corpus = TransitionParameters.of(run), run.load()
    return float(what.iterations * (2 * corpus.train.n_words + corpus.dev.n_words))
