"""Distances of single events; see `edits`."""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from deppa_nb.kernels._jit import jit

__all__ = ["event_distances"]


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
