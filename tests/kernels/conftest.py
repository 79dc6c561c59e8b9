"""As plain Python, kernels get memory that holds nonsense: what reads it before writing is found."""

import numpy as np
from numba import config

_empty = np.empty


def _nonsense(shape, dtype=float, *arguments, **named):
    array = _empty(shape, dtype, *arguments, **named)
    if array.dtype.kind in "fiub":
        array[...] = np.nan if array.dtype.kind == "f" else 77
    return array


if config.DISABLE_JIT:
    np.empty = _nonsense
