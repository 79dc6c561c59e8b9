"""Tang, Luo & Roukos (2002): representative and uncertain sentences for a shallow parser.

A run is a learning curve. Its strategy names how sentences are chosen and by which entropy:

======================  ===========================================================================
random                  by chance
uncertain-ENTROPY       those with the highest entropy: change, sentence or word
cluster-ENTROPY         of each of as many clusters as are asked for, the one with the highest
density-ENTROPY         the same, weighted by |C| rho
performance-ENTROPY     the same, weighted by 1.5 for each round in which the model has them wrong
all data                learns from all trees
======================  ===========================================================================
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deppa_nb.active.checks import check_number
from deppa_nb.active.density import (
    DistanceCache,
    density_weights,
    event_distances,
    k_medoids,
    performance_weights,
)
from deppa_nb.active.parses import ENTROPIES, look
from deppa_nb.active.selection import one_of_each, ranked
from deppa_nb.corpus.iob import spans
from deppa_nb.corpus.slots import SlotBank, SlotTree
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.checkpoint import Checkpoint
from deppa_nb.experiments.compare import ALL
from deppa_nb.experiments.runs import Run, read_parameters, threads
from deppa_nb.features.questions import Words
from deppa_nb.models.derivation import DerivationParser

__all__ = [
    "RANDOM",
    "STRATEGIES",
    "WAYS",
    "TangParameters",
    "effective",
    "learn",
    "measure",
    "work",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RANDOM = "random"
WAYS = ("uncertain", "cluster", "density", "performance")
STRATEGIES = (RANDOM, *(f"{way}-{entropy}" for way in WAYS for entropy in ENTROPIES))

_LEARNED, _PARSED = 20.0, 7.0  # what a word costs, in words that a parser of heads goes over


@dataclass(frozen=True)
class TangParameters:
    """Of a run.

    Attributes
    ----------
    start, batch, rounds
        Sentences at the beginning; those of a round; how many rounds.
    parses
        N: how many parses the entropy of a sentence is over.
    contexts
        Whether contexts count in distances (eq. 4) or actions alone (eq. 6).
    options
        What differs from the defaults of `DerivationParser`.
    load
        Options of `load`.
    """

    start: int = 1000
    batch: int = 100
    rounds: int = 10
    parses: int = 10
    contexts: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    load: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, low in (("start", 1), ("batch", 1), ("parses", 1), ("rounds", 0)):
            check_number(name, getattr(self, name), low, whole=True)
        if not isinstance(self.contexts, bool):
            raise ParameterError(f"contexts is {self.contexts!r}, expected True or False")
        if not isinstance(self.options, dict):
            raise ParameterError(f"options is {self.options!r}, expected names and values")
        if wrong := sorted(set(self.options) - set(DerivationParser().get_params())):
            raise ParameterError(f"options has {wrong[0]!r}, which DerivationParser has not")

    @classmethod
    def of(cls, run: Run) -> "TangParameters":
        """Return a run's parameters; names that are not known are refused."""
        return read_parameters(cls, run, (*STRATEGIES, "entropies", ALL))

    @property
    def parser(self) -> DerivationParser:
        """A parser that has learned nothing yet."""
        return DerivationParser(threads=threads(), **self.options)


def work(run: Run) -> float:
    """Return about how much a run does, as `compare.work` counts words, for estimates of time."""
    what, corpus = TangParameters.of(run), run.load()
    train, each = len(corpus.train), corpus.train.n_words / len(corpus.train)
    rounds = 0 if run.strategy in (ALL, "entropies") else what.rounds
    first = train if run.strategy == ALL else what.start
    learned = sum(first + what.batch * k for k in range(rounds + 1))
    looks = {RANDOM: 0.0, ALL: 0.0, "uncertain": 1.0, "entropies": 1.0}  # clusters cost more
    looked = train * max(rounds, 1) * looks.get(run.strategy.partition("-")[0], 2.5)
    scored = (rounds + 1) * len(corpus.test)
    return float(each * (_LEARNED * learned + _PARSED * (looked + scored)))


@lru_cache(maxsize=2)
def _words(bank: SlotBank, clusters: int, frequent: int) -> Words:
    """Return the words of a bank, which all runs on it share: they need no trees."""
    return Words.of([tree.words for tree in bank], clusters, frequent)


def words_of(bank: SlotBank, parser: DerivationParser) -> Words:
    """Return the clusters of a bank's words, found once."""
    return _words(bank, parser.clusters, parser.frequent)


def learn(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
    """Return a row for each round and sentence of test and, to learn why, of dev.

    ATIS's dev was held out of the collection that the pool is of, its test was collected later:
    what represents the pool represents dev. Nothing is learned from either.

    Columns are round, dependencies (sentences that were chosen so far: what a curve is over),
    effective (how many sentences of equal weight tell as much as the chosen ones, see `effective`),
    split, sentence, right (1 if the tree is), words (1), gold, found, hits (spans of slots),
    stopped, and the seconds of processors that training and choosing took.
    """
    what, corpus = TangParameters.of(run), run.load()
    scored = {"test": corpus.test, "dev": corpus.dev}
    learning = _Learning(run, what, corpus.train, scored, checkpoint)
    if not checkpoint.rows or not checkpoint.rows[-1]["stopped"]:
        learning.go()
    return pd.DataFrame(checkpoint.rows)


def measure(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
    """Return a row for each sentence that was not learned from, by the parser of the beginning.

    Columns are sentence, length, change, sentence_entropy and word (the entropies), right.
    """
    what, pool = TangParameters.of(run), run.load().train
    start = _start(run, what, pool)
    parser = what.parser
    parser.fit([pool[j] for j in start], words=words_of(pool, parser))
    rest = np.setdiff1d(np.arange(len(pool)), start)
    sentences = [pool[j] for j in rest]
    found = look(parser, sentences, what.parses)
    right = [int(a == b) for a, b in zip(sentences, found.trees, strict=True)]
    return pd.DataFrame(
        {
            "sentence": rest, "length": [len(s) for s in sentences], "change": found.change,
            "sentence_entropy": found.sentence, "word": found.word, "right": right,
        }
    ).round(9)  # fmt: skip


def effective(weights: Sequence[float]) -> float:
    """Return (sum of weights)^2 / sum of squares (Kish 1965), 0 if there are none.

    >>> effective([2, 2, 2]), effective([4, 0, 0]), effective([])
    (3.0, 1.0, 0.0)
    """
    squares = float(np.square(weights).sum())
    return float(np.sum(weights)) ** 2 / squares if squares else 0.0


def _start(run: Run, what: TangParameters, pool: SlotBank) -> Ints:
    count = min(what.start, len(pool))
    return np.random.default_rng(run.seed).choice(len(pool), count, replace=False)


class _Learning:
    """One strategy at work."""

    def __init__(
        self,
        run: Run,
        what: TangParameters,
        pool: SlotBank,
        scored: dict[str, SlotBank],
        checkpoint: Checkpoint,
    ) -> None:
        self.run, self.what, self.pool, self.scored = run, what, pool, scored
        self.checkpoint, self.cache = checkpoint, DistanceCache()
        self.parser = what.parser
        self.words = words_of(pool, self.parser)
        kept = checkpoint.load(lambda path: json.loads(path.read_text()))
        if kept is None:
            start = np.arange(len(pool)) if run.strategy == ALL else _start(run, what, pool)
            kept = {"chosen": start.tolist(), "weights": [1.0] * len(start), "round": 0}
        self.chosen, self.weights, self.round = kept["chosen"], kept["weights"], kept["round"]

    def go(self) -> None:
        """Learn, score and choose until there is nothing left to do."""
        last = 0 if self.run.strategy == ALL else self.what.rounds
        while True:
            begin = time.process_time()
            self.parser.fit(
                [self.pool[j] for j in self.chosen], sample_weight=self.weights, words=self.words
            )
            trained = time.process_time()
            rows = self._scored()
            scored = time.process_time()
            rest = np.setdiff1d(np.arange(len(self.pool)), self.chosen)
            stopped = "all rounds" if self.round == last else "" if len(rest) else "no sentence"
            taken, weights = ([], []) if stopped else self._choose(rest)
            self.chosen, self.weights = self.chosen + taken, self.weights + weights
            if taken and self.run.strategy.startswith("performance"):
                self._raise_weights()
            seconds = {
                "train_seconds": trained - begin, "select_seconds": time.process_time() - scored
            }  # fmt: skip
            self.round += 1
            self.checkpoint.add([{**row, "stopped": stopped, **seconds} for row in rows], self.save)
            if stopped:
                return

    def save(self, path: Path) -> None:
        """Write what a stopped run goes on with."""
        state = {"chosen": self.chosen, "weights": self.weights, "round": self.round}
        path.write_text(json.dumps(state))

    def _scored(self) -> list[dict[str, Any]]:
        start = 0 if self.run.strategy == ALL else self.what.start
        common = {
            "round": self.round, "dependencies": len(self.chosen) - start,
            "effective": effective(self.weights[start:]),
        }  # fmt: skip
        rows = []
        for split, bank in self.scored.items():
            pairs = zip(bank, self.parser.predict(bank), strict=True)
            for k, (own, found) in enumerate(pairs):
                there, here = set(spans(own.to_slots())), set(spans(found.to_slots()))
                rows.append(
                    {
                        **common, "split": split, "sentence": k, "right": int(own == found),
                        "words": 1, "gold": len(there), "found": len(here),
                        "hits": len(there & here),
                    }
                )  # fmt: skip
        return rows

    def _choose(self, rest: Ints) -> tuple[list[int], list[float]]:
        """Return the sentences of a round, and what they count."""
        rng = np.random.default_rng([self.run.seed, self.round])
        count = min(self.what.batch, len(rest))
        way, _, entropy = self.run.strategy.partition("-")
        if way == RANDOM:
            return rng.choice(rest, count, replace=False).tolist(), [1.0] * count
        found = look(self.parser, [self.pool[j] for j in rest], self.what.parses)
        order = ranked(getattr(found, entropy), rng)
        if way == "uncertain":
            return rest[order[:count]].tolist(), [1.0] * count
        taken, density = self._of_clusters(found.trees, order, rng)
        weights = density / density.mean() if way == "density" else np.ones(len(taken))
        return rest[taken].tolist(), weights.tolist()

    def _raise_weights(self) -> None:
        """Weigh what the model gets wrong of all that was selected, now or before (4.2)."""
        first = self.what.start
        own = [self.pool[j] for j in self.chosen[first:]]
        found = self.parser.predict(SlotBank(tuple(own)))
        wrong = [one != two for one, two in zip(own, found, strict=True)]
        self.weights[first:] = performance_weights(self.weights[first:], wrong).tolist()

    def _of_clusters(
        self, trees: list[SlotTree], order: Ints, rng: np.random.Generator
    ) -> tuple[list[int], Floats]:
        """Return the first of each cluster in an order, and |C| rho of each."""
        contexts = self.what.contexts
        events = [self.parser.events(tree, contexts=contexts) for tree in trees]
        distances, which = event_distances(
            events, contexts=contexts, cache=self.cache, threads=threads()
        )
        counts = np.bincount(which)
        clusters = k_medoids(distances, counts, self.what.batch, rng)
        taken = one_of_each(clusters.labels[which], order)[: self.what.batch]
        return taken, density_weights(distances, counts, clusters, which[taken])
