"""The steps that both ways of computing edit distances share; see `edits`."""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from deppa_nb.kernels._jit import jit

__all__ = ["diagonals", "event_distances"]


def _ones(word):
    """Return how many of the lowest 32 bits are 1."""
    return (int(word) & 0xFFFFFFFF).bit_count()


@intrinsic
def _ones_by_instruction(context, word):
    """Count with LLVM's own operation, which a loop has vectorised."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(builder.trunc(arguments[0], ir.IntType(32)))

    return types.int32(types.int64), generate


@overload(_ones)
def _ones_compiled(word):
    def count(word):
        return _ones_by_instruction(word)

    return count


@jit()
def diagonals(m, n, reach, gap_cost, band):
    """Return the lowest and the highest diagonal y - x of alignments that cost at most `reach`.

    They go from diagonal 0 to diagonal n - m, and at most `band` beyond; one that visits diagonal
    d has at least ``|d| + |n - m - d|`` gaps. The lowest is above the highest if there is no such
    alignment.
    """
    gaps = int(min(reach / gap_cost, float(m + n)))
    slack = (gaps - abs(n - m)) // 2
    if slack < 0:
        return 1, 0
    slack = min(slack, band)
    return min(0, n - m) - slack, max(0, n - m) + slack


@jit()
def event_distances(events, e, others, begin, end, action_cost, out):
    """Set `out` to the distances (eq. 4) of event e and columns `begin` to `end` of `others`."""
    same, different, never = np.float32(0.0), np.float32(action_cost), np.float32(np.inf)
    actions, types = others[0, begin:end], others[1, begin:end]
    action, kind = events[0, e], events[1, e]
    for f in range(actions.size):
        changed = same if actions[f] == action else different
        out[f] = changed if types[f] == kind else never
    for word in range(2, events.shape[0]):
        bits, context = events[word, e], others[word, begin:end]
        for f in range(context.size):
            out[f] += np.float32(_ones(context[f] ^ bits))
