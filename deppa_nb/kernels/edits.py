"""Edit distance between sequences of parsing events, and all distances of many sequences.

After Tang et al. (2002), section 2.2: a parse is a sequence of events, an event an action of one of
several types (tag, label, extension) in a context of bits, and

- ``d(e, e') = H(context, context') + d(action, action')``, H the Hamming distance (eq. 4),
- ``d(action, action')`` is 0 if they are equal, ``action_cost`` (the paper's c) if they are
  different and of the same type, infinite if they are of different types (eq. 5);
- leaving an event out, on either side, costs ``gap_cost``, which the paper does not give;
- the distance of two sentences is the least cost of turning one sequence into the other (eq. 3).

The paper computes only a band around the diagonal. So does this, with a band that is wide enough
for the distance to be exact (Ukkonen 1985) or, if that is less, with `band` diagonals on either
side of those from the first event's to the last one's: the least cost of alignments within. Costs
are whole numbers, `gap_cost` is above 0, and distances are exact up to 2**24, as single precision
holds them.

Many sequences are packed in two arrays:

- ``events``, int32 (2 + words, all events): row 0 holds the actions, row 1 their types, the others
  the contexts, 32 bits a word; with no words, contexts are ignored (eq. 6). No type is -1;
- ``offsets``, int64 (sequences + 1,): sequence i is ``events[:, offsets[i]:offsets[i + 1]]``.
"""

import numpy as np

from deppa_nb.kernels._edit_lanes import LANES, distances_to_lanes, side_by_side
from deppa_nb.kernels._edit_steps import diagonals, event_distances
from deppa_nb.kernels._jit import jit

__all__ = ["WHOLE", "distance", "distances_from", "pairwise_distances", "some_distances"]

WHOLE = 1 << 40
"""A band that leaves nothing out."""

_SLACK = 2  # how many diagonals the first band has on either side of those that it must have


@jit()
def distance(events, offsets, i, j, action_cost, gap_cost, threshold, band):
    """Return the distance of sequences i and j (eq. 3), infinite if it is above the threshold.

    Parameters
    ----------
    events : int32 array (2 + words, all events)
    offsets : int64 array (sequences + 1,)
    i, j : int
    action_cost, gap_cost : float
    threshold : float
        Distances above are not computed; infinite for all.
    band : int
        Diagonals on either side, at least 1: in fewer, events of two types could not be left out;
        `WHOLE` for exact distances.
    """
    a, a_end, b, b_end = _without_common_ends(
        events, offsets[i], offsets[i + 1], offsets[j], offsets[j + 1]
    )
    m, n = a_end - a, b_end - b
    limit = min(float(threshold), float(gap_cost * (m + n)))  # enough to leave out all events
    if gap_cost * abs(n - m) > limit:
        return np.inf
    work = np.empty((2, n + 1), np.float32)
    reach = min(limit, float(gap_cost * (abs(n - m) + 2 * _SLACK)))
    while True:
        cost = _cost_in_band(events, a, a_end, b, b_end, action_cost, gap_cost, reach, band, work)
        if cost <= reach:
            return cost
        if reach == limit:
            return np.inf
        reach = min(limit, float(cost))  # the distance is not above what a narrow band found


@jit()
def distances_from(events, offsets, i, action_cost, gap_cost, threshold, band, out):
    """Set ``out[j]`` to the distance of sequences i and j, for all j; see `distance`."""
    groups = side_by_side(events, offsets, band < WHOLE)
    group = np.int64(0)  # for a plain 0, numba would compile the callee once more
    _distances_in_order(
        events, offsets, i, groups, group, action_cost, gap_cost, threshold, band, out
    )


@jit()
def pairwise_distances(events, offsets, first, step, action_cost, gap_cost, threshold, band, out):
    """Set the distances of pairs of sequences; see `distance`.

    Parameters
    ----------
    first, step : int
        0 and 1 for all pairs. Threads 0 .. n - 1 that pass their number and n share the work.
    out : float32 array (sequences, sequences)
        Becomes the distances, which are symmetric.
    """
    groups = side_by_side(events, offsets, band < WHOLE)
    order, firsts = groups[0], groups[1]
    row, group = np.empty(order.size, np.float32), np.int64(0)
    for rank in range(first, order.size, step):
        while firsts[group + 1] <= rank:
            group += 1
        i = order[rank]
        _distances_in_order(
            events, offsets, i, groups, group, action_cost, gap_cost, threshold, band, row
        )
        out[i, i] = 0.0
        for j in order[rank + 1 :]:
            out[i, j] = out[j, i] = row[j]


@jit()
def some_distances(
    events, offsets, rows, first, step, action_cost, gap_cost, threshold, band, out
):  # fmt: skip
    """Set the distances of some sequences, `rows`, and all; see `pairwise_distances`."""
    groups = side_by_side(events, offsets, band < WHOLE)
    row, group = np.empty(offsets.size - 1, np.float32), np.int64(0)
    for k in range(first, rows.size, step):
        i = rows[k]
        _distances_in_order(
            events, offsets, i, groups, group, action_cost, gap_cost, threshold, band, row
        )
        for j in range(row.size):
            out[i, j] = out[j, i] = row[j]


@jit()
def _distances_in_order(
    events, offsets, i, groups, group, action_cost, gap_cost, threshold, band, out
):  # fmt: skip
    """Set ``out[j]`` for all j of the groups of `side_by_side` from one on."""
    order, firsts, starts, lanes = groups
    longest = offsets[order[-1] + 1] - offsets[order[-1]] if order.size else 0
    least = np.empty((2, (longest + 1) * LANES), np.float32)
    costs, found = np.empty(longest * LANES, np.float32), np.empty(LANES, np.float32)
    lengths = np.empty(LANES, np.int64)
    for g in range(group, starts.size - 1):
        members = order[firsts[g] : firsts[g + 1]]
        for lane in range(members.size):
            lengths[lane] = offsets[members[lane] + 1] - offsets[members[lane]]
        distances_to_lanes(
            events, offsets[i], offsets[i + 1], lanes, starts[g], lengths[: members.size],
            action_cost, gap_cost, threshold, band, least, costs, found,
        )  # fmt: skip
        for lane in range(members.size):
            out[members[lane]] = found[lane]


@jit()
def _without_common_ends(events, a, a_end, b, b_end):
    """Return the two ranges without what they begin and end with alike: it is aligned at cost 0."""
    while a < a_end and b < b_end and _equal(events, a, b):
        a, b = a + 1, b + 1
    while a < a_end and b < b_end and _equal(events, a_end - 1, b_end - 1):
        a_end, b_end = a_end - 1, b_end - 1
    return a, a_end, b, b_end


@jit(inline=True)
def _equal(events, e, f):
    for row in range(events.shape[0]):
        if events[row, e] != events[row, f]:
            return False
    return True


@jit()
def _cost_in_band(events, a, a_end, b, b_end, action_cost, gap_cost, reach, band, work):
    """Return the least cost of alignments in a band: the distance, if it is at most `reach`.

    ``least[y] = min(least'[y] + gap, least'[y - 1] + d(e_x, e_y), least[y - 1] + gap)`` is the cost
    of aligning x events with y, and least' that of x - 1 events.
    """
    m, n = a_end - a, b_end - b
    low, high = diagonals(m, n, reach, gap_cost, band)
    least, costs = work[0], work[1]
    for y in range(n + 1):
        least[y] = y * gap_cost if y <= high else np.inf
    for x in range(1, m + 1):
        begin, end = max(1, x + low), min(n, x + high)
        event_distances(events, a + x - 1, events, b + begin - 1, b + end, action_cost, costs)
        across = least[begin - 1]
        before = least[begin - 1] = x * gap_cost if x + low <= 0 else np.inf
        for y in range(begin, end + 1):
            aligned = min(across + costs[y - begin], least[y] + gap_cost)
            across = least[y]
            before = least[y] = min(aligned, before + gap_cost)
    return least[n]
