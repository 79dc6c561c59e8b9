"""Attributes of tokens, and the pairs of attribute and label that have a weight.

An attribute is what a template sees at a token. Only pairs that were seen in labelled tokens have a
weight (as in CRFsuite, Okazaki 2007): a twentieth of all pairs, which is what makes it fast.
Attributes are found by their 64-bit keys in a table with open addressing.
"""

from collections import namedtuple

import numpy as np

from deppa_nb.kernels._jit import jit

__all__ = ["Pairs", "add_expected", "add_scores", "collect", "enter", "look_up", "tabulate"]

_WIDE = 10  # an attribute has a row if it goes with one label of so many

Pairs = namedtuple("Pairs", "starts labels")
"""The pairs of attribute a are starts[a] to starts[a + 1]; labels has the label of each.

starts : int64 (attributes + 1,)
labels : int16 (pairs,)
"""


@jit(inline=True)
def _place(table, numbers, key):
    """Return where a key is in the table, or would be."""
    last = np.uint64(table.size - 1)
    place = (key ^ (key >> np.uint64(29))) & last
    while numbers[place] >= 0 and table[place] != key:
        place = (place + np.uint64(1)) & last
    return place


@jit()
def enter(keys, wanted, table, numbers):
    """Give different keys numbers in the order in which they come; return whether all have room.

    Parameters
    ----------
    keys : uint64 array (tokens, templates)
    wanted : bool array (tokens,)
        Which tokens count.
    table : uint64 array (2**k,)
        Becomes the keys' table, which must not get more than half full.
    numbers : int32 array (2**k,)
        All -1 before; becomes their numbers.
    """
    count = 0
    for t in range(keys.shape[0]):
        if wanted[t]:
            for key in keys[t]:
                place = _place(table, numbers, key)
                if numbers[place] < 0:
                    if 2 * count >= table.size:
                        return False
                    table[place], numbers[place] = key, count
                    count += 1
    return True


@jit()
def look_up(keys, table, numbers, attributes):
    """Write the numbers of keys, -1 for those that are not in the table.

    Parameters
    ----------
    keys : uint64 array (tokens, templates)
    table, numbers
        From `enter`.
    attributes : int32 array (tokens, templates)
    """
    for t in range(keys.shape[0]):
        for k in range(keys.shape[1]):
            attributes[t, k] = numbers[_place(table, numbers, keys[t, k])]


@jit()
def tabulate(pairs, weights, labels):
    """Return the weights of attributes that go with many labels as rows, 0 where there is no pair.

    A row is added by vector units. Those attributes come first (see `models.attributes`).

    Returns
    -------
    table : float64 array (such attributes, labels)
    """
    wide = 0
    while wide + 1 < pairs.starts.size and _WIDE * _size(pairs, wide) >= labels:
        wide += 1
    table = np.zeros((wide, labels))
    for a in range(wide):
        for f in range(pairs.starts[a], pairs.starts[a + 1]):
            table[a, pairs.labels[f]] = weights[f]
    return table


@jit(inline=True)
def _size(pairs, a):
    """Return the number of labels of an attribute."""
    return pairs.starts[a + 1] - pairs.starts[a]


@jit(vector=True)
def add_scores(attributes, pairs, weights, table, unary):
    """Set the scores of the labels of tokens: sums of the weights of their pairs.

    Parameters
    ----------
    attributes : int32 array (tokens, templates)
    pairs : Pairs
    weights : float64 array (pairs,)
    table : float64 array
        ``tabulate(pairs, weights, labels)``.
    unary : float64 array (tokens, labels)
    """
    unary[:] = 0.0
    for t in range(unary.shape[0]):
        row = unary[t]
        for a in attributes[t]:
            if a >= table.shape[0]:
                for f in range(pairs.starts[a], pairs.starts[a + 1]):
                    row[pairs.labels[f]] += weights[f]
            elif a >= 0:
                for k in range(row.size):
                    row[k] += table[a, k]


@jit(vector=True)
def add_expected(attributes, pairs, p, gradient, slopes):
    """Add to the gradient of each pair how often it is expected: the transpose of `add_scores`.

    Parameters
    ----------
    slopes : float64 array of the table's shape
        Gets what belongs to its weights, see `collect`.
    """
    for t in range(p.shape[0]):
        row = p[t]
        for a in attributes[t]:
            if a >= slopes.shape[0]:
                for f in range(pairs.starts[a], pairs.starts[a + 1]):
                    gradient[f] += row[pairs.labels[f]]
            elif a >= 0:
                for k in range(row.size):
                    slopes[a, k] += row[k]


@jit()
def collect(pairs, slopes, gradient):
    """Add to the gradient what rows of a table have got."""
    for a in range(slopes.shape[0]):
        for f in range(pairs.starts[a], pairs.starts[a + 1]):
            gradient[f] += slopes[a, pairs.labels[f]]
