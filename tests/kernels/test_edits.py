"""Edit distance of event sequences against the textbook recurrence, and by its properties."""

from itertools import combinations
from threading import Thread

import numpy as np
import pytest
from brute import naive
from hypothesis import given
from hypothesis import strategies as st
from numba import config

from deppa_nb.kernels import _edit_lanes, edits

PLAIN = bool(config.DISABLE_JIT)  # as plain Python the kernels are slow: less will do
COSTS = [(1.0, 1.0), (4.0, 1.0), (1.0, 4.0), (64.0, 64.0), (0.0, 3.0)]


def pack(sequences, words):
    """Events as the kernels take them: contexts in words of 32 bits."""
    events = [event for sequence in sequences for event in sequence]
    packed = np.zeros((2 + words, len(events)), np.int32)
    for column, event in enumerate(events):
        packed[:2, column] = event[:2]
        bits = np.array(event[2:], np.uint8)
        packed[2:, column] = np.packbits(bits, bitorder="little").view(np.int32)
    return packed, np.cumsum([0, *map(len, sequences)]).astype(np.int64)


def random_sequences(rng, count, longest, words, actions=3, types=3):
    """Sequences of which half are another one with a few changes."""

    def event():
        kind, bits = rng.integers(types), rng.integers(0, 2, 32 * words) & rng.integers(0, 2)
        return (int(kind * actions + rng.integers(actions)), int(kind), *bits.tolist())

    sequences = [[]]
    while len(sequences) < count:
        if rng.random() < 0.5:
            sequences.append([event() for _ in range(rng.integers(longest + 1))])
        else:
            changed = list(sequences[rng.integers(len(sequences))])
            for _ in range(rng.integers(4)):
                place = rng.integers(len(changed) + 1)
                changed[place : place + rng.integers(2)] = [event() for _ in range(rng.integers(2))]
            sequences.append(changed)
    return sequences


def textbook(sequences, action_cost, gap_cost):
    table = np.zeros((len(sequences), len(sequences)))
    for i, j in combinations(range(len(sequences)), 2):
        cost = naive.edit_distance(sequences[i], sequences[j], action_cost, gap_cost)
        table[i, j] = table[j, i] = cost
    return table


def pairwise(events, offsets, costs, band=edits.WHOLE):
    out = np.full((offsets.size - 1, offsets.size - 1), np.nan, np.float32)
    edits.pairwise_distances(events, offsets, 0, 1, *costs, band, out)
    return out


@pytest.mark.parametrize("words", [0, 1, 2])
@pytest.mark.parametrize("costs", COSTS)
def test_all_ways_agree_with_the_textbook(words, costs):
    rng = np.random.default_rng(words)
    sequences = random_sequences(rng, 8 if PLAIN else 40, 6 if PLAIN else 12, words)
    events, offsets = pack(sequences, words)
    expected = textbook(sequences, *costs)
    np.testing.assert_array_equal(pairwise(events, offsets, costs), expected)
    for i in range(len(sequences)):
        row = np.full(len(sequences), np.nan, np.float32)
        edits.distances_from(events, offsets, i, *costs, edits.WHOLE, row)
        np.testing.assert_array_equal(row, expected[i])


def test_distances_of_events():
    """Eq. 4 and 5, where gaps cost more; the highest bit of a word is the sign of its number."""
    rng = np.random.default_rng(1)
    events = [event for part in random_sequences(rng, 10, 5, 2) for event in part]
    ones, zeros = (*events[0][:2], *[1] * 64), (*events[0][:2], *[0] * 64)
    packed, offsets = pack([[event] for event in [ones, zeros, *events]], 2)
    expected = [[naive.event_distance(e, f, 7) for f in [ones, zeros, *events]] for e in events]
    found = pairwise(packed, offsets, (7.0, 100.0))
    assert found[0, 1] == 64
    np.testing.assert_array_equal(found[2:], np.minimum(expected, 200))


def test_actions_of_two_types_are_not_exchanged():
    events, offsets = pack([[(1, 0)], [(2, 0)], [(3, 1)]], 0)
    table = pairwise(events, offsets, (5.0, 4.0))
    assert table[0, 1] == 5
    assert table[0, 2] == 8
    assert pairwise(events, offsets, (9.0, 4.0))[0, 1] == 8


@st.composite
def triples(draw):
    kinds = st.integers(0, 2)
    event = st.tuples(st.integers(0, 2), kinds).map(lambda e: (3 * e[1] + e[0], e[1]))
    return [draw(st.lists(event, max_size=9)) for _ in range(3)]


@given(triples(), st.sampled_from(COSTS[:-1]))
def test_it_is_a_metric(sequences, costs):
    events, offsets = pack(sequences, 0)
    d = pairwise(events, offsets, costs)
    assert (d == d.T).all()
    for i, j in np.ndindex(3, 3):
        assert (d[i, j] == 0) == (sequences[i] == sequences[j])
        assert d[i, j] >= costs[1] * abs(len(sequences[i]) - len(sequences[j]))
        assert d[i, j] <= costs[1] * (len(sequences[i]) + len(sequences[j]))
        for k in range(3):
            assert d[i, j] <= d[i, k] + d[k, j]


def test_long_sequences():
    rng = np.random.default_rng(2)
    length = 30 if PLAIN else 400
    first = [(int(action), 0) for action in rng.integers(0, 50, length)]
    second = [*first[3:50], (99, 0), *first[50:]]
    other = [(int(action), 0) for action in rng.integers(0, 50, length // 2)]
    events, offsets = pack([first, second, other, []], 0)
    table = pairwise(events, offsets, (1.0, 1.0))
    assert table[0, 1] == 4
    assert table[0, 3] == length
    assert table[0, 2] == naive.edit_distance(first, other, 1, 1)
    assert table[1, 2] == naive.edit_distance(second, other, 1, 1)


def test_more_sequences_than_lanes_and_two_threads():
    rng = np.random.default_rng(3)
    count = _edit_lanes.LANES + 3 if PLAIN else 3 * _edit_lanes.LANES + 7
    sequences = random_sequences(rng, count, 3 if PLAIN else 15, 0)
    events, offsets = pack(sequences, 0)
    table = pairwise(events, offsets, (2.0, 1.0))
    assert not np.isnan(table).any()
    for i, j in rng.integers(0, count, (50, 2)):
        assert table[i, j] == naive.edit_distance(sequences[i], sequences[j], 2, 1)
    shared = np.full_like(table, np.nan)
    threads = [
        Thread(
            target=edits.pairwise_distances,
            args=(events, offsets, number, 2, 2.0, 1.0, edits.WHOLE, shared),
        )
        for number in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(shared, table)


@pytest.mark.parametrize("words", [0, 1])
@pytest.mark.parametrize("band", [1, 2, 4, 50])
def test_the_least_cost_within_a_band(words, band):
    rng = np.random.default_rng(band)
    count = 8 if PLAIN else _edit_lanes.LANES + 13
    sequences = random_sequences(rng, count, 6 if PLAIN else 9, words)
    events, offsets = pack(sequences, words)
    for costs in COSTS:
        table = pairwise(events, offsets, costs, band=band)
        expected = np.zeros_like(table)
        for i, j in combinations(range(count), 2):
            cost = naive.banded_distance(sequences[i], sequences[j], *costs, band)
            expected[i, j] = expected[j, i] = cost
        np.testing.assert_array_equal(table, expected)
        exact = pairwise(events, offsets, costs)
        assert (table >= exact).all() and (band < 50 or (table == exact).all())
        row = np.full(count, np.nan, np.float32)
        edits.distances_from(events, offsets, 3, *costs, band, row)
        np.testing.assert_array_equal(row, table[3])


def test_a_narrow_band_costs_something():
    """Otherwise the test above would show nothing."""
    first = [(k, 0) for k in range(6)]
    events, offsets = pack([first, [*first[3:], (7, 0), (8, 0), (9, 0)]], 0)
    assert pairwise(events, offsets, (1.0, 4.0), band=1)[0, 1] == 6
    assert pairwise(events, offsets, (4.0, 1.0), band=2)[0, 1] == 12
    assert pairwise(events, offsets, (4.0, 1.0), band=3)[0, 1] == 6


def test_distances_of_some_sequences():
    rng = np.random.default_rng(7)
    count = 8 if PLAIN else _edit_lanes.LANES + 13
    events, offsets = pack(random_sequences(rng, count, 9, 0), 0)
    rows = np.array([5, 2, 7])
    for band in (2, edits.WHOLE):
        expected = pairwise(events, offsets, (2.0, 1.0), band=band)
        table = np.full_like(expected, np.nan)
        for first in range(2):
            edits.some_distances(events, offsets, rows, first, 2, 2.0, 1.0, band, table)
        known = np.isin(np.arange(count), rows)
        known = known[:, None] | known
        np.testing.assert_array_equal(table[known], expected[known])
        assert np.isnan(table[~known]).all()


def test_nothing_to_compare():
    events, offsets = pack([], 0)
    assert pairwise(events, offsets, (1.0, 1.0)).shape == (0, 0)
    events, offsets = pack([[], []], 0)
    assert (pairwise(events, offsets, (1.0, 1.0)) == 0).all()
