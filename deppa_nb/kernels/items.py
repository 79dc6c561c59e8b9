"""Items of Eisner's charts, and where the sibling parts stand.

================  ============================================================================
item over s..t    what it holds
================  ============================================================================
COMPLETE_RIGHT    CR: head s with all its dependents to the right, down to t
COMPLETE_LEFT     CL: head t with all its dependents to the left, down to s
INCOMPLETE_RIGHT  IR: arc s -> t and what stands between; t may take more to its right
INCOMPLETE_LEFT   IL: arc t -> s and what stands between
SIBLINGS          S: neighbouring dependents s and t of a head outside, and what stands between
================  ============================================================================

Sibling parts are packed in the order in which the charts read them: by width w = t - s, then by s,
then the row of s -> t and, if s > 0, that of t -> s. A row s -> t holds w parts: t is the first
dependent of s on that side, or its neighbour is s + 1, ..., t - 1. A row t -> s, its mirror image,
holds the neighbours s + 1, ..., t - 1 and, last, the part for the first dependent.
"""

import numpy as np

from deppa_nb.kernels._jit import jit

__all__ = [
    "COMPLETE_LEFT",
    "COMPLETE_RIGHT",
    "INCOMPLETE_LEFT",
    "INCOMPLETE_RIGHT",
    "ROOT",
    "SIBLINGS",
    "ZERO",
    "pack",
    "parts",
    "push",
    "row",
    "unpack",
]

# Integers of numpy, not of Python: numba would compile a function again for each literal argument,
# and for a variable that begins with a literal.
ROOT = ZERO = np.int64(0)
INCOMPLETE_RIGHT, INCOMPLETE_LEFT, SIBLINGS, COMPLETE_RIGHT, COMPLETE_LEFT = np.arange(5)


@jit()
def row(n, s, t):
    """Return where the parts of s -> t begin; those of t -> s stand w = t - s further."""
    w = t - s
    narrower = (2 * n + 1) * (w * (w - 1) // 2) - (w - 1) * w * (2 * w - 1) // 3
    return narrower + (w * (2 * s - 1) if s > 0 else 0)


@jit()
def parts(n):
    """Return the number of parts of n words."""
    return row(n, ROOT, n + 1)


@jit()
def pack(siblings, packed):
    """Copy ``siblings[head, dependent, neighbour]`` (the head itself: none) to packed parts."""
    n = siblings.shape[0] - 1
    for s in range(n + 1):
        for t in range(s + 1, n + 1):
            c = row(n, s, t)
            for r in range(s, t):
                packed[c + r - s] = siblings[s, t, r]
                if s > 0:
                    packed[c + t - s + r - s] = siblings[t, s, r + 1]


@jit()
def unpack(packed, siblings):
    """Do the reverse of `pack`; entries that are no parts are left as they are."""
    n = siblings.shape[0] - 1
    for s in range(n + 1):
        for t in range(s + 1, n + 1):
            c = row(n, s, t)
            for r in range(s, t):
                siblings[s, t, r] = packed[c + r - s]
                if s > 0:
                    siblings[t, s, r + 1] = packed[c + t - s + r - s]


@jit(inline=True)
def push(items, waiting, kind, s, t):
    """Put an item on a stack, unless it is a single word, which holds nothing; return its size."""
    if s < t:
        items[waiting, 0], items[waiting, 1], items[waiting, 2] = kind, s, t
        return waiting + 1
    return waiting
