"""Edit distances of one sequence to many side by side, a vector unit's lane for each; see `edits`.

A single alignment hardly vectorises, as each cell needs its neighbour. Many do: sequences of about
the same length are interleaved, event by event, and a step is done for all of them at once.
"""

import numpy as np

from deppa_nb.kernels._edit_steps import event_distances
from deppa_nb.kernels._jit import jit

__all__ = ["LANES", "distances_to_lanes", "side_by_side"]

LANES = 32


@jit()
def side_by_side(events, offsets, alike):
    """Interleave sequences in groups of at most `LANES`.

    Parameters
    ----------
    alike : bool
        Whether all sequences of a group must have the same length.

    Returns
    -------
    order : int array (sequences,)
        The sequences by length.
    firsts : int array (groups + 1,)
        Group g holds ``order[firsts[g]:firsts[g + 1]]``.
    starts : int array (groups + 1,)
        Where groups begin in `lanes`.
    lanes : int32 array (rows of events, ...)
        Event y of the l-th sequence of group g is column ``starts[g] + y * LANES + l``, -1 after
        the sequence's end.
    """
    order = _by_length(offsets)
    firsts = _groups(offsets, order, alike)
    starts = np.zeros_like(firsts)
    for group in range(starts.size - 1):
        last = order[firsts[group + 1] - 1]
        starts[group + 1] = starts[group] + LANES * (offsets[last + 1] - offsets[last])
    lanes = np.full((events.shape[0], starts[-1]), -1, np.int32)
    for group in range(starts.size - 1):
        for rank in range(firsts[group], firsts[group + 1]):
            begin, column = offsets[order[rank]], starts[group] + rank - firsts[group]
            for y in range(offsets[order[rank] + 1] - begin):
                for row in range(events.shape[0]):
                    lanes[row, column + y * LANES] = events[row, begin + y]
    return order, firsts, starts, lanes


@jit()
def _groups(offsets, order, alike):
    """Return where groups begin in the order of lengths, and its end."""
    firsts, groups, length = np.zeros(order.size + 1, np.int64), 0, 0
    for rank in range(order.size):
        own = offsets[order[rank] + 1] - offsets[order[rank]]
        full = groups > 0 and rank - firsts[groups - 1] == LANES
        if groups == 0 or full or (alike and own != length):
            firsts[groups] = rank
            groups += 1
        length = own
    firsts[groups] = order.size
    return firsts[: groups + 1]


@jit()
def _by_length(offsets):
    """Return the sequences in the order of their lengths: a counting sort."""
    sequences = offsets.size - 1
    longest = 0
    for i in range(sequences):
        longest = max(longest, offsets[i + 1] - offsets[i])
    places = np.zeros(longest + 2, np.int64)  # of the next sequence of each length
    for i in range(sequences):
        places[offsets[i + 1] - offsets[i] + 1] += 1
    for length in range(longest):
        places[length + 1] += places[length]
    order = np.empty(sequences, np.int64)
    for i in range(sequences):
        length = offsets[i + 1] - offsets[i]
        order[places[length]] = i
        places[length] += 1
    return order


@jit()
def distances_to_lanes(
    events, a, a_end, lanes, start, lengths, action_cost, gap_cost, band, least, costs, out
):  # fmt: skip
    """Set ``out[l]`` to the distance of events a to a_end and the l-th sequence of a group.

    Parameters
    ----------
    lengths : int array (at most LANES,)
        Of the group's sequences, in rising order.
    least : float32 array (2, (longest + 1) * LANES)
    costs : float32 array (longest * LANES,)
    """
    m, n = a_end - a, lengths[-1]
    low, high = 0, 0  # diagonals y - x: from 0 to n - m, and `band` beyond
    for length in lengths:
        beyond = min(m, length, band)
        low, high = min(low, length - m - beyond, -beyond), max(high, length - m + beyond, beyond)
    least[:] = np.inf
    for y in range(min(n, high) + 1):
        least[0, y * LANES : (y + 1) * LANES] = y * gap_cost
    for x in range(1, m + 1):
        begin, end = max(1, x + low), min(n, x + high)
        first, last = (begin - 1) * LANES, (end + 1) * LANES
        event_distances(
            events, a + x - 1, lanes, start + first, start + end * LANES, action_cost, costs
        )
        row = least[x % 2, first:last]
        row[:LANES] = x * gap_cost if x + low <= 0 else np.inf
        _next_row(least[1 - x % 2, first:last], costs, np.float32(gap_cost), row)
    for lane in range(lengths.size):
        out[lane] = least[m % 2, lengths[lane] * LANES + lane]


@jit(vector=True)
def _next_row(above, costs, gap_cost, row):
    """Set the costs of aligning x events from `above`, those of x - 1; see `edits`.

    One event of a sequence is `LANES` away from the next: as many steps do not need each other.
    """
    for p in range(row.size - LANES):
        aligned = min(above[p] + costs[p], above[p + LANES] + gap_cost)
        row[p + LANES] = min(aligned, row[p] + gap_cost)
