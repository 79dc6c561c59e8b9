"""Distances of parses, clusters and densities as tang2002 needs them, and clusters of words.

    python benchmarks/event_distances.py [--sentences 4000] [--threads 2]

Sequences are the events of ATIS's trees as the parser sees them, with all the questions that it
asks. Seconds are by the clock, and of processors (which do not depend on what else the machine
does).
"""

import argparse
import time

import numpy as np
import pandas as pd

import deppa_nb as dp
from deppa_nb.active.density import DistanceCache, density, event_distances, k_medoids
from deppa_nb.features.brown import BrownClusters
from deppa_nb.models.derivation import DerivationParser


def clocked(function):
    """Return what a function returns, seconds by the clock, and those of processors."""
    clock, processor = time.perf_counter(), time.process_time()
    found = function()
    return found, time.perf_counter() - clock, time.process_time() - processor


def words_of(corpus, most=None):
    """Return the sentences of a corpus as words, only the most frequent of them."""
    sentences = [list(sentence.words) for sentence in dp.load(corpus).train]
    if most is None:
        return sentences
    counts = pd.Series([word for words in sentences for word in words]).value_counts()
    kept = set(counts.index[:most])
    return [[word for word in words if word in kept] for words in sentences]


def main():
    """Print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sentences", type=int, default=4000)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    rows = []

    def measure(what, bar, function):
        found, clock, processor = clocked(function)
        rows.append((what, clock, processor, bar))
        print(f"{what}: {clock:.2f} s, of processors {processor:.2f} s, bar {bar}", flush=True)
        return found

    BrownClusters(2).fit([["a", "b", "c"]])  # compiles
    trees = dp.load("atis").train[: options.sentences]
    measure(
        "ATIS, 100 clusters", "10 s", lambda: BrownClusters(100).fit(tree.words for tree in trees)
    )
    ewt = words_of("ud/en_ewt", 10_000)
    measure("10,000 words of ud/en_ewt, 200 clusters", "120 s", lambda: BrownClusters(200).fit(ewt))
    parser = DerivationParser().fit(trees)
    sequences = [parser.events(tree) for tree in trees]
    sizes = [len(events) for events in sequences]
    print(f"{np.mean(sizes):.1f} events on average, at most {max(sizes)}, {sequences[0].bits} bits")
    for contexts in (True, False):
        event_distances(sequences[:3], contexts=contexts)  # compiles
    many = {"threads": options.threads}
    event_distances(sequences[:3], band=1)
    measure("without contexts", "", lambda: event_distances(sequences, contexts=False, **many))
    measure("with contexts, band 5", "", lambda: event_distances(sequences, band=5, **many))
    cache = DistanceCache()
    whole = len(sequences) * 39 // 40  # what is the same from round to round, about
    measure(
        f"with contexts, {whole} of them", "",
        lambda: event_distances(sequences[:whole], cache=cache, **many),
    )  # fmt: skip
    distances, which = measure(
        "with contexts, the others new", "", lambda: event_distances(sequences, cache=cache, **many)
    )
    measure("with contexts", "60 s", lambda: event_distances(sequences, **many))
    counts = np.bincount(which)
    print(f"{len(counts)} different sequences")
    rng = np.random.default_rng(0)
    found = measure("100 clusters", "20 s", lambda: k_medoids(distances, counts, 100, rng))
    print(f"{found.iterations} iterations, distortion {found.distortion:.0f}")
    measure("density", "", lambda: density(distances, counts))


if __name__ == "__main__":
    main()
