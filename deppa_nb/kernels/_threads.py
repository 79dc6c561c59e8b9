"""Threads that wait for one another inside kernels.

A step of learning takes less than a millisecond, and handing it from thread to thread through
Python's locks would take as long again.
"""

import os
import time
from threading import Lock

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from deppa_nb.kernels._jit import jit

__all__ = ["CALLED_OFF", "meet", "take"]

CALLED_OFF = np.int64(1 << 62)
"""What to write to a counter so that nobody waits any longer."""

_SPINS = 1000  # looks at the others before the processor is left to them
_LOCK = Lock()


def take(counter):
    """Return a number, from 0 on, that no other thread gets from this counter."""
    with _LOCK:
        counter[0] += 1
        return counter[0] - 1


def _count(counter):
    """Return how many numbers were taken, and see all that was written before."""
    return counter[0]


def _give_way():
    """Let other threads run."""
    time.sleep(0)


@intrinsic
def _take_atomically(context, counter):
    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.atomic_rmw("add", data, ir.IntType(64)(1), "seq_cst")

    return types.int64(counter), generate


@intrinsic
def _count_atomically(context, counter):
    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.load_atomic(data, "acquire", align=8)

    return types.int64(counter), generate


_yield = types.ExternalFunction(
    "SwitchToThread" if os.name == "nt" else "sched_yield", types.int32()
)


@overload(take)
def _take_compiled(counter):
    return lambda counter: _take_atomically(counter)


@overload(_count)
def _count_compiled(counter):
    return lambda counter: _count_atomically(counter)


@overload(_give_way)
def _give_way_compiled():
    def give_way():
        _yield()

    return give_way


@jit()
def meet(counter, threads, times):
    """Wait until every thread has come to its so many-th meeting; return whether it takes place.

    Parameters
    ----------
    counter : int64 array
        Its first number is 0 before the first meeting; `CALLED_OFF` if a thread will not come.
    threads : int
        How many meet.
    times : int
        1 for the first meeting.
    """
    take(counter)
    looks = 0
    while _count(counter) < threads * times:
        looks += 1
        if looks > _SPINS:
            _give_way()
    return _count(counter) < CALLED_OFF
