"""Asking for memory before it is needed.

A table of weights is far larger than the processor's caches, and the lines that scoring needs lie
anywhere in it. Waiting for each would be most of the time; asked for a row ahead, they arrive
while the row before is summed.
"""

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

__all__ = ["prefetch"]

_READ, _KEEP, _DATA = 0, 3, 1


def prefetch(array, i):
    """Ask for the line of the processor's cache that holds ``array[i]``; i is not negative."""


@intrinsic
def _prefetch(context, array, i):
    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        instruction = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [pointer, number, number, number]),
            "llvm.prefetch.p0",
        )
        address = builder.bitcast(builder.gep(data, [arguments[1]]), pointer)
        builder.call(instruction, [address, number(_READ), number(_KEEP), number(_DATA)])
        return context.get_dummy_value()

    return types.none(array, i), generate


@overload(prefetch)
def _prefetch_compiled(array, i):
    return lambda array, i: _prefetch(array, i)
