"""Distances of parses, density and clusters beside plain loops; sentences of each cluster."""

import numpy as np
import pytest
from brute import naive
from hypothesis import given
from hypothesis import strategies as st

from deppa_nb import CRFParser, MatrixTreeParser, MIRAParser, MSTParser, Sentence, load
from deppa_nb.active import density as d
from deppa_nb.active.annotators import GoldOracle
from deppa_nb.active.clustering import PerParse
from deppa_nb.active.learner import ActiveLearner
from deppa_nb.active.pool import Pool
from deppa_nb.active.selection import Allowance, Candidates, CostAware
from deppa_nb.active.strategies import Strategy
from deppa_nb.active.updates import FullTree
from deppa_nb.corpus.trees import to_heads
from deppa_nb.errors import ArgumentError, ParameterError
from deppa_nb.features.arc_standard import dependency_events
from deppa_nb.features.brown import BrownClusters
from deppa_nb.features.events import Events
from deppa_nb.kernels import edits


def listed(events):
    """Events as the plain twin takes them."""
    words = [[int(word) >> k & 1 for word in row for k in range(64)] for row in events.contexts]
    return [
        (int(action), int(kind), *bits)
        for action, kind, bits in zip(events.actions, events.kinds, words, strict=True)
    ]


def random_events(rng, count, bits=70, longest=7):
    """Sequences with repetitions, some of nothing."""
    every = []
    for _ in range(count):
        size = rng.integers(longest + 1)
        rows = rng.integers(0, 2, (size, bits)) * rng.integers(0, 2, (size, 1))
        every.append(Events.of(rows.reshape(size, bits), rng.integers(3, size=size), rng.integers(2, size=size)))  # fmt: skip
    return [*every, *every[: count // 3]]


@pytest.mark.parametrize("gap", [None, 1, 100])
@pytest.mark.parametrize("contexts", [True, False])
@pytest.mark.parametrize("band", [None, 1, 3])
def test_distances_beside_the_recurrence(gap, contexts, band):
    sequences = random_events(np.random.default_rng(0), 14)
    distances, which = d.event_distances(sequences, band, contexts, gap)
    cost = 70 if contexts else 1
    plain = [
        listed(events) if contexts else [e[:2] for e in listed(events)] for events in sequences
    ]
    wide = 100 if band is None else band
    for i, one in enumerate(plain):
        for j, two in enumerate(plain):
            expected = naive.banded_distance(one, two, cost, gap or cost, wide)
            assert distances[which[i], which[j]] == expected
    assert len(distances) == len({tuple(one) for one in plain}) < len(sequences)
    assert distances.dtype == np.float32 and np.isfinite(distances).all()


def test_distances_to_centres():
    sequences = random_events(np.random.default_rng(1), 12)
    distances, which = d.event_distances(sequences, 2)
    found = d.distances_to(sequences[:3], sequences[3:], 2)
    np.testing.assert_array_equal(found, distances[np.ix_(which[:3], which[3:])])
    assert d.distances_to([], []).shape == (0, 0)


def test_what_distances_refuse():
    rng = np.random.default_rng(0)
    with pytest.raises(ArgumentError, match=r"contexts of \[3, 70\] bits"):
        d.event_distances([*random_events(rng, 2), *random_events(rng, 2, 3)])
    for wrong in ({"gap": 0}, {"gap": 1.5}, {"band": 0}, {"threads": -1}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            d.event_distances(random_events(rng, 2), **wrong)
    distances, which = d.event_distances([])
    assert distances.shape == (0, 0) and which.shape == (0,)


def test_one_thread_or_three():
    sequences = random_events(np.random.default_rng(2), 40)
    tables = [d.event_distances(sequences, threads=threads)[0] for threads in (1, 3)]
    np.testing.assert_array_equal(*tables)


@pytest.fixture
def computed(monkeypatch):
    """Which kernel was called, and for how many sequences."""
    calls = []

    def spy(name, size):
        kernel = getattr(edits, name)

        def called(*arguments):
            calls.append((name, size(arguments)))
            kernel(*arguments)

        monkeypatch.setattr(edits, name, called)

    spy("pairwise_distances", lambda arguments: arguments[1].size - 1)
    spy("some_distances", lambda arguments: arguments[2].size)
    return calls


def test_only_new_pairs_are_computed(computed):
    sequences = random_events(np.random.default_rng(3), 30)
    different = list({events.key: events for events in sequences}.values())
    expected, _ = d.event_distances(different, threads=1)
    cache = d.DistanceCache()
    before = [different[k] for k in (8, 3, *range(9, 21), 7)]  # in another order
    d.event_distances(before, cache=cache, threads=1)
    assert len(cache) == len(before)
    computed.clear()
    copies = [Events(e.contexts.copy(), e.actions, e.kinds, e.bits) for e in different[:22]]
    found, _ = d.event_distances(copies, cache=cache, threads=1)  # known by what they are
    np.testing.assert_array_equal(found, expected[:22, :22])
    assert computed == [("some_distances", 22 - len(before))]
    computed.clear()
    again, _ = d.event_distances(different[5:15], cache=cache, threads=1)
    np.testing.assert_array_equal(again, expected[5:15, 5:15])
    assert computed == [] and len(cache) == 10
    with pytest.raises(ValueError, match="read-only"):
        again[0, 0] = 1
    for options in ({"band": 2}, {"contexts": False}, {"gap": 3}):  # other distances
        found, _ = d.event_distances(different[5:15], cache=cache, threads=1, **options)
        np.testing.assert_array_equal(found, d.event_distances(different[5:15], **options)[0])
        assert computed[0][0] == "pairwise_distances"
        computed.clear()


@st.composite
def weighted_distances(draw):
    """Distances of points on a line, of which some may be 0, and counts."""
    points = np.array(draw(st.lists(st.integers(0, 30), min_size=1, max_size=12)))
    counts = draw(st.lists(st.integers(1, 4), min_size=len(points), max_size=len(points)))
    return np.abs(points[:, None] - points).astype(np.float32), np.array(counts)


@given(weighted_distances())
def test_density_beside_sentences_one_by_one(drawn):
    """Eq. 7 over all sentences, each counted as often as it occurs."""
    distances, counts = drawn
    found = d.density(distances, counts)
    owners = np.repeat(np.arange(len(counts)), counts)
    for i in range(len(counts)):
        others = list(owners)
        others.remove(i)
        total = sum(float(distances[j, i]) for j in others)
        if total:
            assert found[i] == pytest.approx(len(others) / total)
    assert np.isfinite(found).all() and (found > 0).all()
    assert found[d.centroid(distances, counts)] == found.max()


def test_density_of_what_is_all_the_same():
    assert d.density(np.zeros((1, 1)), [1]).tolist() == [1.0]
    same = d.density(np.zeros((2, 2)), [3, 2])
    nearly = d.density(np.array([[0, 1], [1, 0]]), [4, 1])
    assert (same == 4).all() and nearly.max() == 4 and nearly.min() == 1
    with pytest.raises(ArgumentError, match="at least one"):
        d.centroid(np.zeros((0, 0)), [])


@given(weighted_distances(), st.integers(1, 6), st.integers(0, 3))
def test_clusters_beside_loops(drawn, k, seed):
    distances, counts = drawn
    found = d.k_medoids(distances, counts, k, np.random.default_rng(seed))
    n, kept = len(counts), min(k, len(counts))
    assert sorted(set(found.labels.tolist())) == list(range(kept))  # none is empty
    assert len(set(found.medoids.tolist())) == kept
    assert found.labels[found.medoids].tolist() == list(range(kept))
    total = 0.0
    for i in range(n):
        own = distances[i, found.medoids[found.labels[i]]]
        assert own == min(distances[i, m] for m in found.medoids)
        total += counts[i] * own
    assert found.distortion == total
    assert all(b < a for a, b in zip(found.distortions, found.distortions[1:], strict=False))
    again = d.k_medoids(distances, counts, k, np.random.default_rng(seed))
    assert again.labels.tolist() == found.labels.tolist()
    assert found.iterations == len(found.distortions) - 1


@given(weighted_distances(), st.integers(1, 4), st.integers(0, 3))
def test_no_other_centre_of_a_cluster_is_better(drawn, k, seed):
    """Where it settles, each centre is the densest of its cluster or as good."""
    distances, counts = drawn
    found = d.k_medoids(distances, counts, k, np.random.default_rng(seed))
    for c, centre in enumerate(found.medoids):
        members = np.flatnonzero(found.labels == c)
        costs = {m: sum(counts[i] * distances[i, m] for i in members) for m in members}
        assert costs[centre] == min(costs.values())


def test_clusters_that_are_plain_to_see():
    points = np.array([0, 1, 2, 50, 51, 52, 90])
    distances = np.abs(points[:, None] - points).astype(np.float32)
    right = 0
    for seed in range(10):
        found = d.k_medoids(distances, np.ones(7), 3, np.random.default_rng(seed))
        right += sorted(found.medoids.tolist()) == [1, 4, 6] and found.distortion == 4
    assert right >= 8


def test_weights_by_density():
    points = np.array([0, 1, 2, 50, 53, 90])
    distances = np.abs(points[:, None] - points).astype(np.float32)
    counts = np.array([1, 2, 1, 1, 1, 1])
    clusters = d.Clusters(np.array([1, 3, 5]), np.array([0, 0, 0, 1, 1, 2]), (0.0,))
    found = d.density_weights(distances, counts, clusters, [0, 1, 4, 5])
    densest = 3 / 2  # of three other sentences, 2 away altogether
    expected = [4 * 3 / 4, 4 * densest, 2 * 1 / 3, 1 * densest]
    np.testing.assert_allclose(found, expected)
    alone = d.Clusters(np.arange(6), np.arange(6), (0.0,))
    assert d.density_weights(distances, counts, alone, np.arange(6)).tolist() == counts.tolist()


def test_counts_that_do_not_fit_are_refused():
    distances = np.array([[0, 4], [4, 0]])
    clusters = d.Clusters(np.array([0]), np.array([0, 0]), (4.0,))
    for counts in ([1], [1, 0], [1, np.nan]):
        for use in (d.density, d.centroid, lambda *a: d.k_medoids(*a, 1, np.random.default_rng(0))):
            with pytest.raises(ArgumentError, match="counts: expected 2 numbers above 0"):
                use(distances, counts)
        with pytest.raises(ArgumentError, match="counts: expected 2"):
            d.density_weights(distances, counts, clusters, [0])
    with pytest.raises(ArgumentError, match=r"distances of shape \(1, 2\)"):
        d.k_medoids(distances[:1], [1], 1, np.random.default_rng(0))
    with pytest.raises(ArgumentError, match="not finite"):
        d.k_medoids(np.array([[0, np.nan], [np.nan, 0]]), [1, 1], 1, np.random.default_rng(0))
    assert d.density_weights(distances, [1, 1], clusters, []).shape == (0,)
    for weights, factor in (([1, np.nan], 1.5), ([1], 1.5), ([-1, 1], 1.5)):
        with pytest.raises(ArgumentError, match="weights: expected"):
            d.performance_weights(weights, [True, False], factor)
    with pytest.raises(ParameterError, match="factor is 0"):
        d.performance_weights([1], [True], 0)


def test_weights_by_performance():
    weights = d.performance_weights([2, 1, 1], [True, False, True])
    assert d.performance_weights(weights, [True, False, False]).tolist() == [4.5, 1.0, 1.5]


TWO_KINDS = [
    (["red", "fish", "swim"], [2, 3, 0]),
    (["red", "fish", "swim"], [2, 3, 0]),
    (["go", "home"], [0, 1]),
    (["red", "birds", "swim"], [2, 3, 0]),
    (["go", "out"], [0, 1]),
]


@pytest.mark.parametrize("most", [5, 4])
@pytest.mark.parametrize("contexts", [True, False])
def test_one_of_each_cluster_of_parses(most, contexts):
    pool = Pool([Sentence.of(words) for words, _ in TWO_KINDS])
    utilities, two = np.array([0.5, 0.9, 0.1, 0.7, 0.2]), Allowance(2, "sentences")
    found = Candidates(
        pool, np.arange(5), [pool.open(j) for j in range(5)], utilities, None,
        lambda: [to_heads(heads) for _, heads in TWO_KINDS],
    )  # fmt: skip
    selection = PerParse(words=6, most=most, contexts=contexts)
    for seed in range(4):
        order = [p.sentence for p in selection.propose(found, two, np.random.default_rng(seed))]
        assert order == [1, 4, 3, 0, 2]
    assert not CostAware(selection).returns
    priced = CostAware(selection, per_word_read=1e-9, per_head=1e-9)
    order = [p.sentence for p in priced.propose(found, two, np.random.default_rng(0))]
    assert set(order[:2]) == {1, 4}


def test_density_decides_between_sentences_of_a_cluster():
    pool, trees = (
        Pool([Sentence.of(words) for words, _ in TWO_KINDS]),
        [to_heads(heads) for _, heads in TWO_KINDS],
    )
    utilities, two = np.array([0.5, 0.1, 0.23, 0.6, 0.3]), Allowance(2, "sentences")
    found = Candidates(
        pool, np.arange(5), [pool.open(j) for j in range(5)], utilities, None, lambda: trees
    )
    words = BrownClusters(6).fit(s.words for s in pool)
    events = [dependency_events(s, heads, words) for s, heads in zip(pool, trees, strict=True)]
    table, which = d.event_distances(events)
    clusters = {j: own for own in ((0, 1, 3), (2, 4)) for j in own}
    sums = [sum(table[which[j], which[k]] for k in clusters[j]) for j in range(5)]
    assert sums[2] == sums[4] == 0 < min(sums[0], sums[1], sums[3])  # as dense as any
    rho = [2 / (sums[j] or min(sums[0], sums[1], sums[3])) for j in range(5)]
    value = (utilities - 0.1) * rho
    assert value[0] > value[3]  # a double of 1, though the model is surer of it
    for seed in range(4):
        selection, rng = PerParse(words=6, dense=True), np.random.default_rng(seed)
        order = [p.sentence for p in selection.propose(found, two, rng)]
        expected = [sorted(some, key=lambda j: -value[j]) for some in ((0, 4), (1, 2, 3))]
        assert order == [*expected[0], *expected[1]]
    alone = PerParse(words=6, most=2, dense=True)._densities(
        events, np.array([0, 2]), np.array([0, 0, 1, 0, 1])
    )
    assert alone[1] == 1 and alone[0] == alone[2] == alone.max()  # the only ones that were drawn
    lone = selection._densities(events, np.arange(5), np.array([0, 0, 1, 0, 2]))
    far = max(table[which[0], which[3]], 1)  # contexts count: densities are far below 1
    assert lone[2] == lone[4] == lone[:2].max() == pytest.approx(2 / far) and lone[0] < 0.5
    alike = selection._densities(events, np.arange(5), np.array([0, 0, 1, 1, 1]))
    assert alike[0] == alike[1] == alike[2:].max()  # doubles have no distance
    utilities[:] = [np.nan, 0.1, 0.2, 0.9, 0.5]  # no utility comes last
    order = [p.sentence for p in selection.propose(found, two, np.random.default_rng(0))]
    assert set(order[:2]) == {3, 4} and order[-1] == 0


def test_without_a_model_there_are_no_clusters():
    pool = Pool([Sentence.of(words) for words, _ in TWO_KINDS])
    found = Candidates(pool, np.arange(5), [pool.open(j) for j in range(5)], np.arange(5.0), None)
    proposed = PerParse().propose(found, Allowance(2, "sentences"), np.random.default_rng(0))
    assert [p.sentence for p in proposed] == [4, 3, 2, 1, 0]
    with pytest.raises(ParameterError, match="most is 0"):
        PerParse(most=0)


@pytest.mark.parametrize("model", [CRFParser, MIRAParser, MSTParser, MatrixTreeParser])
def test_any_parser_of_trees(model):
    gold = load("toy-en", sizes={"train": 60}).train
    strategy = Strategy("mine", "test", PerParse(20, most=30), FullTree(), kind="tree")
    parser = model(bits=12, epochs=1, progress=False)
    learner = ActiveLearner(parser, strategy, Pool.hiding(gold, 15), rng=3)
    queries = learner.query(8, "sentences")
    assert len({query.sentence for query in queries}) == 8
    assert learner.teach(GoldOracle(gold).answer(queries)) > 0
    assert len(learner.query(8, "sentences")) == 8
