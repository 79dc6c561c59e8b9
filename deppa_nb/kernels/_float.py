"""What the kernels need of floating point: a fast exponential, log-sums, no denormals."""

import platform

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable

from deppa_nb.kernels._jit import jit

__all__ = ["LEAST", "exp", "flush_denormals", "in_range", "log_add", "restore_denormals"]

X86 = platform.machine().lower() in ("x86_64", "amd64")
_FTZ_DAZ = 0x8040  # bits of MXCSR: results and operands below the normal range become 0

_LOG2E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
LEAST = -1e300  # finite, so that minus infinity less it is minus infinity
_ROUND = 6755399441055744.0  # 1.5 * 2**52: added to x, it leaves x rounded in the lowest bits
_LOWEST, _HIGHEST = -708.0, 709.0  # beyond, e**x is outside the range of normal floats


def _power_of_two(rounded):
    """Return 2**k of an integer k to which `_ROUND` was added."""
    return 2.0 ** (rounded - _ROUND)


@intrinsic
def _power_of_two_by_bits(context, rounded):
    """Shift k from the lowest bits of the float to those of its exponent."""

    def generate(context, builder, signature, arguments):
        word = ir.IntType(64)
        biased = builder.add(builder.bitcast(arguments[0], word), word(1023))
        return builder.bitcast(builder.shl(biased, word(52)), ir.DoubleType())

    return types.float64(types.float64), generate


@overload(_power_of_two)
def _power_of_two_compiled(rounded):
    return lambda rounded: _power_of_two_by_bits(rounded)


@jit(inline=True)
def exp(x):
    """Return e**x within a unit in the last place; 0 for x below -708, e**709 for x above 709.

    Written so that a loop of it is vectorised, which `math.exp` is not. With k the integer nearest
    to x / ln 2 and r = x - k ln 2, e**x = 2**k e**r, and e**r is its Taylor polynomial.
    """
    clamped = min(max(x, _LOWEST), _HIGHEST)
    rounded = clamped * _LOG2E + _ROUND
    k = rounded - _ROUND
    r = clamped - k * _LN2_HIGH
    r = r - k * _LN2_LOW
    p = 1.0 / 479001600.0 + r * (1.0 / 6227020800.0)
    p = 1.0 / 39916800.0 + r * p
    p = 1.0 / 3628800.0 + r * p
    p = 1.0 / 362880.0 + r * p
    p = 1.0 / 40320.0 + r * p
    p = 1.0 / 5040.0 + r * p
    p = 1.0 / 720.0 + r * p
    p = 1.0 / 120.0 + r * p
    p = 1.0 / 24.0 + r * p
    p = 1.0 / 6.0 + r * p
    p = 0.5 + r * p
    p = 1.0 + r * (1.0 + r * p)
    y = p * _power_of_two(rounded)
    return y if x >= _LOWEST else 0.0


@jit(inline=True)
def log_add(a, b):
    """Return log(e**a + e**b), minus infinity where both are."""
    high, low = max(a, b), min(a, b)
    if low == -np.inf:
        return high
    return high + np.log1p(np.exp(low - high))


@jit()
def in_range(Z, n):
    """Whether Z, a sum over the trees of n words with weights of at most 1, has all its digits.

    There are fewer than 6.75**n projective trees. Each may have lost what is below 1e-307, and
    outside weights, at most the number of trees divided by Z, must not overflow.
    """
    return 1e-290 * 6.75**n < Z < 1e290


def flush_denormals():
    """Let this thread's results below the normal range be 0; return what to restore."""
    return np.uint32(0)


def restore_denormals(state):
    """Give the thread back the treatment of denormals it had."""


def _mxcsr(builder, name, value):
    """Call the instruction `name` (load or store of the control register) on a stack slot."""
    slot = cgutils.alloca_once(builder, ir.IntType(32))
    if value is not None:
        builder.store(value, slot)
    pointer = ir.IntType(8).as_pointer()
    instruction = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(ir.VoidType(), [pointer]), f"llvm.x86.sse.{name}"
    )
    builder.call(instruction, [builder.bitcast(slot, pointer)])
    return builder.load(slot)


@intrinsic
def _flush(context):
    def generate(context, builder, signature, arguments):
        before = _mxcsr(builder, "stmxcsr", None)
        _mxcsr(builder, "ldmxcsr", builder.or_(before, ir.IntType(32)(_FTZ_DAZ)))
        return before

    return types.uint32(), generate


@intrinsic
def _restore(context, state):
    def generate(context, builder, signature, arguments):
        _mxcsr(builder, "ldmxcsr", arguments[0])
        return context.get_dummy_value()

    return types.none(types.uint32), generate


if X86:  # elsewhere denormals are left alone

    @overload(flush_denormals)
    def _flush_denormals_compiled():
        return lambda: _flush()

    @overload(restore_denormals)
    def _restore_denormals_compiled(state):
        return lambda state: _restore(state)

else:
    register_jitable(flush_denormals)
    register_jitable(restore_denormals)
