"""Distances of parses, clusters and densities as tang2002 needs them, and clusters of words.

    python benchmarks/event_distances.py [--sentences 4000] [--threads 2]

Sequences are made of the slots of ATIS: a tag for each word, an extension of each node and a label
of each constituent, in contexts of Brown codes of five words, two tags, two labels and the last
extension. Seconds are by the clock, and of processors (which do not depend on what else the
machine does).
"""

import argparse
import time

import numpy as np
import pandas as pd

import deppa_nb as dp
from deppa_nb.active.density import DistanceCache, density, event_distances, k_medoids
from deppa_nb.features.brown import BrownClusters
from deppa_nb.features.events import Events

TAG, EXTENSION, LABEL = range(3)
RIGHT, LEFT, UP, UNIQUE = range(4)


def clocked(function):
    """Return what a function returns, seconds by the clock, and those of processors."""
    clock, processor = time.perf_counter(), time.process_time()
    found = function()
    return found, time.perf_counter() - clock, time.process_time() - processor


def extension(place, size):
    """Return how one of so many children extends to its parent."""
    if size == 1:
        return UNIQUE
    return RIGHT if place == 0 else LEFT if place == size - 1 else UP


def derivation(tree):
    """Yield (kind, action, word at which it happens) of a bottom-up derivation."""
    top = len(tree.labels) - 1
    children = [np.flatnonzero(tree.parents == label).tolist() for label in range(top + 1)]
    tops = [child for child in children[top] if child < len(tree)]
    firsts = {min(children[k]): k for k in range(top)}
    roots = sorted([*tops, *firsts])
    for place, node in enumerate(roots):
        inside = children[firsts[node]] if node in firsts else [node]
        for k, word in enumerate(inside):
            yield TAG, tree.tags[word], word
            if node in firsts:
                yield EXTENSION, extension(k, len(inside)), word
        if node in firsts:
            yield LABEL, tree.labels[firsts[node]], inside[-1]
        yield EXTENSION, extension(place, len(roots)), inside[-1]
    yield LABEL, "S", len(tree) - 1


def one_hot(number, size):
    """Return bits of which one is 1, or none if there is no such number."""
    return (np.arange(size) == number).astype(np.uint8)


def sequences_of(trees, clusters):
    """Return the events of each tree."""
    tags = {tag: k for k, tag in enumerate(sorted({tag for tree in trees for tag in tree.tags}))}
    names = sorted({label for tree in trees for label in tree.labels})
    labels = {label: k for k, label in enumerate(names)}
    numbers = {TAG: tags, LABEL: labels, EXTENSION: dict(zip(range(4), range(4), strict=True))}
    found = []
    for tree in trees:
        padded = ["<>", "<>", *tree.words, "<>", "<>"]
        codes = clusters.codes(padded)
        seen = {TAG: [-1, -1], LABEL: [-1, -1], EXTENSION: [-1]}
        rows, actions, kinds = [], [], []
        for kind, action, word in derivation(tree):
            history = [one_hot(k, len(numbers[what])) for what in seen for k in seen[what]]
            rows.append(np.concatenate([codes[word : word + 5].ravel(), *history]))
            actions.append(numbers[kind][action])
            kinds.append(kind)
            seen[kind] = [*seen[kind][1:], actions[-1]]
        found.append(Events.of(rows, actions, kinds))
    return found


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
    clusters = measure(
        "ATIS, 100 clusters", "10 s", lambda: BrownClusters(100).fit(tree.words for tree in trees)
    )
    ewt = words_of("ud/en_ewt", 10_000)
    measure("10,000 words of ud/en_ewt, 200 clusters", "120 s", lambda: BrownClusters(200).fit(ewt))
    sequences = sequences_of(trees, clusters)
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
