"""What the features of a sentence look at: slots of its tokens, codes of its pairs of words."""

from collections import namedtuple

import numpy as np

from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.items import row

__all__ = [
    "CONJUNCTION",
    "COUNTS",
    "DISTANCE",
    "EACH",
    "FAR",
    "FLAGS",
    "KINDS",
    "NEAR",
    "NOTHING",
    "OTHER",
    "PUNCTUATION",
    "SET",
    "VERB",
    "Slots",
    "describe",
    "places",
    "room",
    "scramble",
    "spread",
]

Slots = namedtuple(
    "Slots",
    "firsts kinds between arc_h arc_m first_h first_m pair_s pair_m triple_h triple_s triple_m",
)
"""Slots of tokens of sentences laid end to end, each with its root.

firsts : int64 (sentences + 1,), where sentences begin
kinds : uint32 (tokens,), one bit for each token: PUNCTUATION (8 bits), VERB, CONJUNCTION (2), OTHER
between : int64 (templates of arcs,), what is looked at between head and modifier: NOTHING, the SET
    of kinds, COUNTS, DISTANCE, EACH kind
others : uint32 (templates, tokens)
"""

PUNCTUATION, VERB, CONJUNCTION, OTHER = (np.uint32(1 << bit) for bit in (0, 8, 9, 11))
_PUNCTUATION, _CONJUNCTION = np.uint32(0xFF), np.uint32(0x600)

# Rows of codes, of (n + 1)**2 each: hashes of what is between, then the places within a line.
NOTHING, SET, COUNTS, DISTANCE, KINDS, NEAR, FAR, FLAGS = np.arange(8)
EACH = -1  # no row: such templates have a feature for each of the KINDS


@jit()
def spread(atoms, mixes, which, seeds, slots):
    """Compute slots, one row of 32-bit hashes for each seed.

    Parameters
    ----------
    atoms : uint64 array (atoms, tokens)
        What can be said of each token.
    mixes : int64 array (kinds, most atoms)
        Which atoms are seen together; -1 for none.
    which : int64 array (rows,)
        Which kind each row sees.
    seeds : uint64 array (rows,)
        What makes its hashes different from those of others.
    slots : uint32 array (rows, tokens)
        Result.
    """
    factor, half = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
    mixed = np.zeros((mixes.shape[0], slots.shape[1]), np.uint64)
    for kind in range(mixes.shape[0]):
        for atom in mixes[kind]:
            for word in range(slots.shape[1] if atom >= 0 else 0):
                product = (mixed[kind, word] ^ atoms[atom, word]) * factor
                mixed[kind, word] = product ^ (product >> half)
    for k in range(which.size):
        for word in range(slots.shape[1]):
            slots[k, word] = ((mixed[which[k], word] ^ seeds[k]) * factor) >> half


@jit()
def room(n):
    """Return room for sentences of up to n words: codes, and sums for pairs of words."""
    size = (n + 1) * (n + 1)
    return np.zeros((8, size), np.uint32), np.empty((2, size))


@jit(inline=True)
def places(n, h, m):
    """Return where the parts of h -> m stand: alone, from the first neighbour on; it; how many."""
    w = abs(h - m)
    if h < m:
        c = row(n, h, m)
        return c, c + 1, h + 1, w - 1
    c = row(n, m, h) + w
    return c + w - 1, c, m + 1, w - 1


@jit(inline=True)
def scramble(x):
    """Return 32 bits that depend on all of those of x."""
    low = np.uint64(0xFFFFFFFF)
    y = ((x + np.uint64(1)) * np.uint64(0x9E3779B1)) & low
    y = ((y ^ (y >> np.uint64(15))) * np.uint64(0x85EBCA77)) & low
    return y ^ (y >> np.uint64(13))


@jit()
def describe(kinds, first, N, codes):
    """Compute the codes of all pairs of words: what is between them, direction and distance."""
    for a in range(N):
        seen = np.uint32(0)
        verbs = marks = conjunctions = 0
        codes[NEAR, a * N + a] = codes[FAR, a * N + a] = codes[FLAGS, a * N + a] = 0
        for b in range(a + 1, N):
            w = b - a
            counts = min(verbs, 3) + 4 * min(marks, 3) + 16 * min(conjunctions, 3)
            flags = 2 + 2 * (marks > 0) + (conjunctions > 0)
            right, left = a * N + b, b * N + a
            codes[SET, right] = codes[SET, left] = scramble(np.uint64(seen))
            codes[COUNTS, right] = codes[COUNTS, left] = scramble(np.uint64(counts))
            codes[DISTANCE, right] = codes[DISTANCE, left] = scramble(np.uint64(min(w, 20)))
            codes[KINDS, right] = codes[KINDS, left] = seen
            codes[NEAR, right], codes[NEAR, left] = 0, 1
            codes[FAR, right], codes[FAR, left] = 2 + _bin(w), 9 + _bin(w)
            codes[FLAGS, right], codes[FLAGS, left] = flags, flags + 4
            kind = kinds[first + b]
            seen |= kind
            verbs += kind == VERB
            marks += (kind & _PUNCTUATION) != 0
            conjunctions += (kind & _CONJUNCTION) != 0


@jit(inline=True)
def _bin(w):
    """Return the bin of a distance: 1, 2, 3, 4, 5-6, 7-10, 11 and more."""
    if w <= 4:
        return w - 1
    return 4 + (w > 6) + (w > 10)
