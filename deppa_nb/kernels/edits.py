"""Edit distance between sequences of parsing events, and all distances of many sequences.

After Tang et al. (2002), section 2.2: a parse is a sequence of events, an event an action of one of
several types (tag, label, extension) in a context of bits, and

- ``d(e, e') = H(context, context') + d(action, action')``, H the Hamming distance (eq. 4),
- ``d(action, action')`` is 0 if they are equal, ``action_cost`` (the paper's c) if they are
  different and of the same type, infinite if they are of different types (eq. 5);
- leaving an event out, on either side, costs ``gap_cost``, which the paper does not give;
- the distance of two sentences is the least cost of turning one sequence into the other (eq. 3).

The paper computes only a band around the diagonal. So does this, with `band` diagonals on either
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
from deppa_nb.kernels._jit import jit

__all__ = ["WHOLE", "distances_from", "pairwise_distances", "some_distances"]

WHOLE = 1 << 40
"""A band that leaves nothing out."""


@jit()
def distances_from(events, offsets, i, action_cost, gap_cost, band, out):
    """Set ``out[j]`` to the distance of sequences i and j (eq. 3), for all j.

    Parameters
    ----------
    events : int32 array (2 + words, all events)
    offsets : int64 array (sequences + 1,)
    i : int
    action_cost, gap_cost : float
    band : int
        Diagonals on either side, at least 1: in fewer, events of two types could not be left out;
        `WHOLE` for exact distances.
    out : float32 array (sequences,)
    """
    groups = side_by_side(events, offsets, band < WHOLE)
    group = np.int64(0)  # for a plain 0, numba would compile the callee once more
    _distances_in_order(events, offsets, i, groups, group, action_cost, gap_cost, band, out)


@jit()
def pairwise_distances(events, offsets, first, step, action_cost, gap_cost, band, out):
    """Set the distances of pairs of sequences; see `distances_from`.

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
        _distances_in_order(events, offsets, i, groups, group, action_cost, gap_cost, band, row)
        out[i, i] = 0.0
        for j in order[rank + 1 :]:
            out[i, j] = out[j, i] = row[j]


@jit()
def some_distances(
    events, offsets, rows, first, step, action_cost, gap_cost, band, out
):  # fmt: skip
    """Set the distances of some sequences, `rows`, and all; see `pairwise_distances`."""
    groups = side_by_side(events, offsets, band < WHOLE)
    row, group = np.empty(offsets.size - 1, np.float32), np.int64(0)
    for k in range(first, rows.size, step):
        i = rows[k]
        _distances_in_order(events, offsets, i, groups, group, action_cost, gap_cost, band, row)
        for j in range(row.size):
            out[i, j] = out[j, i] = row[j]


@jit()
def _distances_in_order(
    events, offsets, i, groups, group, action_cost, gap_cost, band, out
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
            action_cost, gap_cost, band, least, costs, found,
        )  # fmt: skip
        for lane in range(members.size):
            out[members[lane]] = found[lane]
