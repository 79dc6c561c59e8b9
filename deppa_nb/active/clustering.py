"""The most uncertain sentence of each cluster of parses, whichever parser of trees finds them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from deppa_nb.active.checks import check_number
from deppa_nb.active.density import (
    DistanceCache,
    distances_to,
    event_distances,
    k_medoids,
    with_lone,
)
from deppa_nb.active.pool import Pool
from deppa_nb.active.selection import Allowance, Candidates, Proposal, one_of_each, ranked
from deppa_nb.features.arc_standard import dependency_events
from deppa_nb.features.brown import BrownClusters
from deppa_nb.features.events import Events

__all__ = ["PerParse"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class PerParse:
    """The most uncertain sentence of each of as many clusters as the budget allows sentences.

    Tang et al. (2002) on dependency trees: sentences are near whose trees the model builds by the
    same transitions in the same contexts. Without a model, sentences are in the order of utility.

    Attributes
    ----------
    words
        Clusters of words that contexts are made of.
    most
        How many sentences, drawn by chance, are clustered; the others join the nearest cluster.
    contexts
        Whether contexts count, or transitions alone (eq. 6).
    dense
        Whether utility (above the least of all) is multiplied by density in the cluster (eq. 7), so
        that of two uncertain sentences the one is asked that more others are like.
    returns
        Whether words of a sentence that was asked about are asked for again.
    """

    words: int = 100
    most: int = 2000
    contexts: bool = True
    dense: bool = False
    returns: bool = False

    def __post_init__(self) -> None:
        check_number("words", self.words, 1, whole=True)
        check_number("most", self.most, 1, whole=True)

    def propose(
        self, found: Candidates, budget: Allowance, rng: np.random.Generator
    ) -> Iterator[Proposal]:
        """Yield sentences."""
        utilities = found.sentence_utilities(rng)
        count = budget.sentences(float(np.mean([len(words) for words in found.tokens] or [1])))
        order = ranked(utilities, rng)
        labels = np.zeros(len(order), np.int64)
        if len(order) and found.trees is not None:
            kept = _kept(found.pool)
            words = kept.clusters(found.pool, self.words)
            sentences = zip(found.sentences, found.trees(), strict=True)
            events = [dependency_events(found.pool[j], heads, words) for j, heads in sentences]
            drawn = np.arange(len(events))
            if len(events) > self.most:
                drawn = np.sort(rng.choice(drawn, self.most, replace=False))
            labels = self._labels(events, drawn, count, kept.distances, rng)
            if self.dense:
                rho = self._densities(events, drawn, labels)
                order = ranked((utilities - np.nanmin(utilities)) * rho, rng)
        for c in one_of_each(labels, order):
            yield Proposal(int(found.sentences[c]), found.tokens[c], float(utilities[c]))

    def _labels(
        self,
        events: list[Events],
        drawn: Ints,
        count: int,
        cache: DistanceCache,
        rng: np.random.Generator,
    ) -> Ints:
        """Return clusters of sequences: those drawn are clustered, others join the nearest."""
        distances, which = event_distances(
            [events[j] for j in drawn], contexts=self.contexts, cache=cache
        )
        found = k_medoids(distances, np.bincount(which), count, rng)
        labels = np.empty(len(events), np.int64)
        labels[drawn] = found.labels[which]
        others = np.setdiff1d(np.arange(len(events)), drawn)
        if len(others):
            firsts = np.unique(which, return_index=True)[1]
            centres = [events[j] for j in drawn[firsts[found.medoids]]]
            rest = [events[j] for j in others]
            labels[others] = distances_to(centres, rest, contexts=self.contexts).argmin(axis=0)
        return labels

    def _densities(self, events: list[Events], drawn: Ints, labels: Ints) -> Floats:
        """Return how dense each sequence is among those drawn of its cluster (eq. 7).

        What has no distance to others there is as dense as any, see `density.with_lone`.
        """
        found, was_drawn = np.full(len(events), np.nan), np.isin(np.arange(len(events)), drawn)
        for c in np.unique(labels):
            inside = np.flatnonzero(labels == c)
            own = [events[j] for j in inside]
            known = [events[j] for j in inside if was_drawn[j]]
            sums = distances_to(known, own, contexts=self.contexts).sum(axis=0)
            others = len(known) - was_drawn[inside]
            if sums.any():
                found[inside] = np.where(others, others / np.maximum(sums, 1.0), np.nan)
        return with_lone(found)


@dataclass(eq=False)
class _Kept:
    """What is the same in all rounds of a pool, or nearly: clusters of its words, distances."""

    distances: DistanceCache = field(default_factory=DistanceCache)
    found: dict[int, BrownClusters] = field(default_factory=dict)

    def clusters(self, pool: Pool, count: int) -> BrownClusters:
        """Return so many clusters of the pool's words."""
        if count not in self.found:
            self.found[count] = BrownClusters(count).fit(item.words for item in pool)
        return self.found[count]


_KEPT: WeakKeyDictionary[Pool, _Kept] = WeakKeyDictionary()


def _kept(pool: Pool) -> _Kept:
    return _KEPT.setdefault(pool, _Kept())
