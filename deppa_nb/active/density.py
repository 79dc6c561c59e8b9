"""How typical a sentence is: distances between parses, densities, clusters (Tang et al. 2002, 2).

Parses are sequences of events; those that are equal are one, with a count. Distances are between
parses, which change as the model learns, so what is remembered is remembered by their events.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deppa_nb.active.checks import check_number
from deppa_nb.errors import ArgumentError
from deppa_nb.features.events import Events, different
from deppa_nb.kernels import edits

__all__ = [
    "Clusters",
    "DistanceCache",
    "centroid",
    "density",
    "density_weights",
    "distances_to",
    "event_distances",
    "k_medoids",
    "performance_weights",
    "with_lone",
]

Distances = NDArray[np.float32]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Options = tuple[float, float, int]


class DistanceCache:
    """Distances of the last call of `event_distances`, by pairs of event sequences.

    Most sentences of a pool are parsed as in the round before: only the pairs with another parse
    are computed. What is not asked for again is forgotten, so that memory does not grow.
    """

    def __init__(self) -> None:
        self._options: Options | None = None
        self._rows: dict[bytes, int] = {}
        self._table = np.zeros((0, 0), np.float32)

    def __len__(self) -> int:
        """Return of how many sequences all distances are known."""
        return len(self._rows)

    def known(self, keys: Sequence[bytes], options: Options) -> tuple[Ints, Ints, Distances]:
        """Return which of these sequences are known, their rows, and the table of distances."""
        rows = self._rows if options == self._options else {}
        old = np.array([k for k, key in enumerate(keys) if key in rows], np.int64)
        return old, np.array([rows[keys[k]] for k in old], np.int64), self._table

    def keep(self, keys: Sequence[bytes], options: Options, table: Distances) -> None:
        """Remember all distances of these sequences, and no others."""
        self._options, self._rows = options, {key: k for k, key in enumerate(keys)}
        self._table = table


def event_distances(
    sequences: Sequence[Events],
    band: int | None = None,
    contexts: bool = True,
    gap: int | None = None,
    cache: DistanceCache | None = None,
    *,
    threads: int | None = None,
) -> tuple[Distances, Ints]:
    """Return the edit distances of all different sequences (Tang et al. 2002, eq. 3-6).

    Events of one kind are a Hamming distance of contexts apart and, if their actions differ, as
    much as contexts have bits (eq. 4-5); without contexts, 0 or 1 (eq. 6). Events of two kinds are
    not exchanged.

    Parameters
    ----------
    sequences
        Of parses; their contexts have the same number of bits.
    band
        How many diagonals are looked at, at least 1, on either side of those from the first events
        to the last ones; all if not given. The narrower, the larger distances may be.
    contexts
        Whether contexts count; if not, sequences of the same actions are the same.
    gap
        A whole number, what it costs to leave out an event: as much as another action by default.
    cache
        Distances that are known, and that later calls will know.
    threads
        As many as there are processors by default.

    Returns
    -------
    distances : float32 array (different sequences, different sequences)
    which : int array (sequences,)
        For each given sequence, its row.

    Examples
    --------
    >>> one, two = (Events.of([[1, 0], [1, 1]], [5, k], [0, 1]) for k in (3, 4))
    >>> distances, which = event_distances([one, two, one])
    >>> distances.tolist(), which.tolist()
    ([[0.0, 2.0], [2.0, 0.0]], [0, 1, 0])
    """
    sequences, options = _prepared(sequences, band, contexts, gap)
    workers = _workers(threads)
    firsts, which = different(sequences)
    unique = [sequences[j] for j in firsts]
    keys = [events.key for events in unique] if cache is not None else []
    table = np.zeros((len(unique), len(unique)), np.float32)
    old = np.empty(0, np.int64)
    if cache is not None:
        old, rows, known = cache.known(keys, options)
        table[np.ix_(old, old)] = known[np.ix_(rows, rows)]
    new = np.setdiff1d(np.arange(len(unique)), old)
    _compute(unique, new, options, workers, table)
    table.flags.writeable = False  # it may be the cache's
    if cache is not None:
        cache.keep(keys, options, table)
    return table, which


def distances_to(
    centres: Sequence[Events],
    sequences: Sequence[Events],
    band: int | None = None,
    contexts: bool = True,
    gap: int | None = None,
    *,
    threads: int | None = None,
) -> Distances:
    """Return the distances of some sequences and others, ``(centres, sequences)``.

    Parameters are those of `event_distances`.
    """
    every, options = _prepared([*centres, *sequences], band, contexts, gap)
    table = np.empty((len(centres), len(every)), np.float32)
    if not every:
        return table
    packed = _packed(every)
    cost, gap_cost, width = options

    def compute(i: int) -> None:
        edits.distances_from(*packed, i, cost, gap_cost, width, table[i])

    with ThreadPoolExecutor(_workers(threads)) as pool:
        list(pool.map(compute, range(len(centres))))
    return table[:, len(centres) :]


def _prepared(
    sequences: Sequence[Events], band: int | None, contexts: bool, gap: int | None
) -> tuple[Sequence[Events], Options]:
    """Return sequences as they are compared, and what changes cost; all is checked."""
    every = {events.bits for events in sequences}
    if contexts and len(every) > 1:
        raise ArgumentError(f"contexts of {sorted(every)} bits, expected as many in all sequences")
    if not contexts:
        sequences, every = [_bare(events) for events in sequences], {0}
    cost = max([1, *every])
    gap = cost if gap is None else gap
    check_number("gap", gap, 1, whole=True)
    if band is not None:
        check_number("band", band, 1, whole=True)
    return sequences, (float(cost), float(gap), edits.WHOLE if band is None else band)


def _workers(threads: int | None) -> int:
    """Return how many threads work."""
    if threads is None:
        return os.cpu_count() or 1
    check_number("threads", threads, 1, whole=True)
    return threads


def _bare(events: Events) -> Events:
    return replace(events, contexts=np.zeros((len(events), 0), np.uint64), bits=0)


def _packed(sequences: Sequence[Events]) -> tuple[NDArray[np.int32], Ints]:
    """Return sequences as the kernels take them."""
    offsets = np.cumsum([0, *map(len, sequences)]).astype(np.int64)
    packed = np.empty((2 + 2 * sequences[0].contexts.shape[1], offsets[-1]), np.int32)
    packed[0] = np.concatenate([events.actions for events in sequences])
    packed[1] = np.concatenate([events.kinds for events in sequences])
    contexts = np.concatenate([events.contexts for events in sequences])
    packed[2:] = np.ascontiguousarray(contexts).view(np.int32).T
    return packed, offsets


def _compute(
    sequences: list[Events], new: Ints, options: Options, threads: int, table: Distances
) -> None:
    """Set the rows and columns of new sequences; all of the table, if these are many."""
    if not len(new):
        return
    packed = _packed(sequences)
    every = 2 * len(new) > len(sequences)  # pairs of two new ones would be computed twice
    cost, gap, band = options

    def compute(number: int) -> None:
        rest = (number, threads, cost, gap, band, table)
        if every:
            edits.pairwise_distances(*packed, *rest)
        else:
            edits.some_distances(*packed, new, *rest)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(compute, range(threads)))


def density(distances: NDArray[np.floating], counts: ArrayLike) -> Floats:
    """Return rho_i = (N - 1) / sum over j of d(S_j, S_i) (Tang et al. 2002, eq. 7).

    Parameters
    ----------
    distances
        ``(u, u)`` of different parses, whole numbers.
    counts
        ``(u,)``: how many sentences have each; N is their sum.

    Returns
    -------
    float64 array (u,)
        Where all are the same and the sum is 0, the largest there is, as if it were 1.

    Examples
    --------
    >>> density(np.array([[0, 4], [4, 0]]), [1, 2])
    array([0.25, 0.5 ])
    """
    sums = _sums(distances, counts)
    others = max(float(np.sum(np.asarray(counts))) - 1.0, 1.0)
    return np.asarray(others / np.maximum(sums, 1.0))


def _sums(distances: NDArray[np.floating], counts: ArrayLike) -> Floats:
    """Return the sum of distances to all sentences."""
    return np.asarray(distances.astype(np.float64) @ _checked(counts, len(distances)))


def _checked(counts: ArrayLike, size: int) -> Floats:
    times = np.asarray(counts, np.float64)
    if times.shape != (size,) or not (np.isfinite(times) & (times > 0)).all():
        raise ArgumentError(f"counts: expected {size} numbers above 0, one for each parse")
    return times


def centroid(distances: NDArray[np.floating], counts: ArrayLike) -> int:
    """Return the densest (Tang et al. 2002, eq. 8), the first of equal ones.

    >>> centroid(np.array([[0, 4, 9], [4, 0, 5], [9, 5, 0]]), [1, 1, 1])
    1
    """
    if not len(distances):
        raise ArgumentError("no parses, expected at least one for a centroid")
    return int(np.argmin(_sums(distances, counts)))


@dataclass(frozen=True, eq=False)
class Clusters:
    """Different parses in clusters, each around one of them.

    Attributes
    ----------
    medoids
        ``(k,)``: the centre of each cluster.
    labels
        ``(u,)``: the cluster of each parse; no cluster is empty.
    distortions
        The sum of distances to centres, over all sentences, after each iteration.
    """

    medoids: Ints
    labels: Ints
    distortions: tuple[float, ...]

    @property
    def distortion(self) -> float:
        """What it came to."""
        return self.distortions[-1]

    @property
    def iterations(self) -> int:
        """How often centres were found anew."""
        return len(self.distortions) - 1


def k_medoids(
    distances: NDArray[np.floating], counts: ArrayLike, k: int, rng: np.random.Generator
) -> Clusters:
    """Cluster parses around k of them until the distortion settles.

    Each parse goes to the nearest centre and each cluster gets its densest parse as its centre, by
    turns; neither makes the sum of distances larger. The first centres are drawn one by one, far
    from those before: with a probability that is proportional to the distance.

    Parameters
    ----------
    distances
        ``(u, u)`` of different parses.
    counts
        ``(u,)``: how many sentences have each.
    k
        How many clusters; if there are not more parses, each is one of its own.
    rng
        Draws the first centres.

    Examples
    --------
    >>> distances = np.abs(np.subtract.outer([1, 2, 8, 9], [1, 2, 8, 9]))
    >>> found = k_medoids(distances, [1, 2, 1, 3], 2, np.random.default_rng(0))
    >>> sorted(found.medoids.tolist()), found.distortion
    ([1, 3], 2.0)
    """
    check_number("k", k, 1, whole=True)
    times = _checked(counts, len(distances))
    if np.shape(distances) != (len(times), len(times)):
        shape = np.shape(distances)
        raise ArgumentError(f"distances of shape {shape}, expected those of each parse to all")
    if not np.isfinite(distances).all():
        raise ArgumentError("distances that are not finite, expected numbers from 0")
    if len(times) <= k:
        every = np.arange(len(times))
        return Clusters(every, every, (0.0,))
    medoids = _first_medoids(distances, times, k, rng)
    labels, distortion = _assigned(distances, times, medoids)
    found = [distortion]
    while True:
        better = np.array([_medoid(distances, times, labels == c) for c in range(k)])
        labels, distortion = _assigned(distances, times, better)
        if not distortion < found[-1]:
            return Clusters(medoids, _assigned(distances, times, medoids)[0], tuple(found))
        medoids = better
        found.append(distortion)


def _first_medoids(
    distances: NDArray[np.floating], counts: Floats, k: int, rng: np.random.Generator
) -> Ints:
    """Return k different ones."""
    chosen = [int(rng.choice(len(counts), p=counts / counts.sum()))]
    nearest = distances[chosen[0]].astype(np.float64)
    free = np.ones(len(counts), bool)
    while True:
        free[chosen[-1]] = False
        if len(chosen) == k:
            return np.array(chosen)
        weights = np.where(free, counts * nearest, 0.0)
        weights = weights if weights.any() else np.where(free, counts, 0.0)
        chosen.append(int(rng.choice(len(counts), p=weights / weights.sum())))
        nearest = np.minimum(nearest, distances[chosen[-1]])


def _assigned(distances: NDArray[np.floating], counts: Floats, medoids: Ints) -> tuple[Ints, float]:
    """Return the cluster of each parse, a centre in its own, and the distortion."""
    to_centres = distances[:, medoids]
    labels = to_centres.argmin(axis=1)
    labels[medoids] = np.arange(len(medoids))
    nearest = to_centres[np.arange(len(labels)), labels].astype(np.float64)
    return labels, float(nearest @ counts)


def _medoid(distances: NDArray[np.floating], counts: Floats, inside: NDArray[np.bool_]) -> int:
    members = np.flatnonzero(inside)
    return int(members[centroid(distances[np.ix_(members, members)], counts[members])])


def with_lone(found: Floats) -> Floats:
    """Return densities in which those that are not known (nan) are the largest, or 1 if none is.

    A lone sentence is not dense by itself, nor are some that are parsed alike: distances are 0.

    >>> with_lone(np.array([0.25, np.nan, 0.5])), with_lone(np.array([np.nan]))
    (array([0.25, 0.5 , 0.5 ]), array([1.]))
    """
    lone = np.isnan(found)
    return np.where(lone, 1.0 if lone.all() else np.nanmax(found), found)


def density_weights(
    distances: NDArray[np.floating], counts: ArrayLike, clusters: Clusters, chosen: ArrayLike
) -> Floats:
    """Return |C| rho(S) for chosen parses, rho within the cluster C (Tang et al. 2002, 4.2).

    Parameters
    ----------
    distances, counts
        Of different parses.
    clusters
        Of `k_medoids`.
    chosen
        Which parses.

    Returns
    -------
    float64 array (chosen,)
        Where all sentences of a cluster are parsed alike, or there is but one, rho is the largest
        of the other clusters', see `with_lone`.

    Examples
    --------
    >>> distances = np.array([[0, 4, 9], [4, 0, 9], [9, 9, 0]])
    >>> clusters = Clusters(np.array([0, 2]), np.array([0, 0, 1]), (4.0,))
    >>> density_weights(distances, [1, 1, 1], clusters, [0, 2])
    array([0.5 , 0.25])
    """
    times, places = _checked(counts, len(distances)), np.asarray(chosen, np.int64)
    found, sizes = np.full(len(times), np.nan), np.zeros(len(times))
    for c in range(len(clusters.medoids)):
        members = np.flatnonzero(clusters.labels == c)
        inside, own = distances[np.ix_(members, members)], times[members]
        sizes[members] = own.sum()
        if inside.any():
            found[members] = density(inside, own)
    return np.asarray((sizes * with_lone(found))[places])


def performance_weights(weights: ArrayLike, differs: ArrayLike, factor: float = 1.5) -> Floats:
    """Return weights, which begin as counts, times a factor where the model is wrong (4.2).

    Parameters
    ----------
    weights
        So far; counts at first.
    differs
        Where the given tree is not the model's.
    factor
        What a wrong parse multiplies the weight by.

    Examples
    --------
    >>> performance_weights([1, 2, 3], [True, False, True])
    array([1.5, 2. , 4.5])
    """
    check_number("factor", factor, 0, above=True)
    before, wrong = np.asarray(weights, np.float64), np.asarray(differs, bool)
    if before.shape != wrong.shape or not (np.isfinite(before) & (before >= 0)).all():
        raise ArgumentError(
            "weights: expected a number from 0 for each of those that differ or not"
        )
    return before * np.where(wrong, factor, 1.0)
