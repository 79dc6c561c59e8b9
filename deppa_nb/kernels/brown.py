"""Clusters of words by what stands next to them: the greedy algorithm of Brown et al. (1992).

Two clusters are merged whose merger loses the least of the average mutual information of adjacent
clusters, again and again. Words come in by falling frequency into a window of active clusters:
whenever it is full, two of them are merged; when all words are in, the rest are, up to one.

With N(a, b) how often a word of cluster b follows one of cluster a, N(a, .) how often any word
follows (and N(., b) any precedes), active or not, what is maximised is, times the number of all
bigrams and but for a constant,

    sum over active a, b of N(a, b) (log N(a, b) - log N(a, .) - log N(., b)).

Sentences begin and end with a mark: word 0, a cluster of its own that is merged with no other, so
that every word stands as often before another as after one.

What a merger of i and j does to the first logarithm is kept in a table and changed, not computed
anew, when other clusters are merged (after Liang 2005), which takes O(V C^2) altogether; often
less, since ``x log x + y log y - (x + y) log (x + y)`` is 0 where x or y is. What it does to the
others is quickly said. Counts are whole numbers, so that logarithms are looked up; they are fixed
point numbers, so that sums are exact however often they are changed, the same on every machine.
"""

import numpy as np

from deppa_nb.kernels._jit import jit

__all__ = ["merge_words"]


@jit()
def merge_words(following, follows, preceding, precedes, products, logs, window, merges):
    """Set the mergers of words 1 to V, which are in the order of falling frequency.

    Parameters
    ----------
    following : int64 array (bigrams, 2)
        Words that follow a word, and how often.
    follows : int64 array (V + 2,)
        Those that follow word w are ``following[follows[w]:follows[w + 1]]``.
    preceding, precedes
        The same of words that precede.
    products, logs : int64 array (all bigrams + 1,)
        k log k and log k, in fixed point; 0 for 0.
    window : int
        How many clusters are active at most, but for the mark; at least 2.
    merges : int64 array (V - 1, 2)
        Becomes the clusters that are merged, step by step, by their words of highest frequency;
        that of the first is the higher one.
    """
    words = follows.size - 1
    window = min(window + 1, words)
    out, back = np.zeros((window, window), np.int64), np.zeros((window, window), np.int64)
    lost, sums = np.zeros((window, window), np.int64), np.zeros((4, window), np.int64)
    first, place = np.zeros(window, np.int64), np.full(words, -1, np.int64)
    size, step = 0, 0
    for word in range(words):
        if size == window:
            size = _merge(out, back, lost, sums, first, place, size, products, logs, merges[step])
            step += 1
        first[size] = word
        place[word] = size
        _count(following[follows[word] : follows[word + 1]], place, out, back, sums, size, 0)
        _count(preceding[precedes[word] : precedes[word + 1]], place, back, out, sums, size, 1)
        size += 1
        _add(out, back, lost, size, products)
    while size > 2:
        size = _merge(out, back, lost, sums, first, place, size, products, logs, merges[step])
        step += 1


@jit()
def _count(neighbours, place, table, transposed, sums, new, way):
    """Count what follows a new cluster (way 0) or precedes it (1): all, and active clusters."""
    sums[way, new] = 0
    for k in range(neighbours.shape[0]):
        other, times = place[neighbours[k, 0]], neighbours[k, 1]
        sums[way, new] += times
        if other < 0 or (way == 1 and other == new):  # next to itself: counted on the way there
            continue
        table[new, other] += times
        transposed[other, new] += times


@jit()
def _add(out, back, lost, size, products):
    """Take the last cluster in: what it does to the mergers of others, and its own mergers."""
    new = size - 1
    for table in (out, back):
        others = table[new]
        for i in range(new):
            if others[i] == 0:
                continue
            for j in range(i):
                if others[j] > 0:
                    change = _loss(others[i], others[j], products)
                    lost[i, j] += change
                    lost[j, i] += change
    for i in range(new):
        lost[i, new] = lost[new, i] = _pair(out, back, i, new, size, products)


@jit(inline=True)
def _loss(x, y, products):
    return products[x] + products[y] - products[x + y]


@jit()
def _pair(out, back, i, j, size, products):
    """Return what the sum of N(a, b) log N(a, b) loses if i and j are merged."""
    total = products[out[i, i]] + products[out[i, j]] + products[out[j, i]] + products[out[j, j]]
    total -= products[out[i, i] + out[i, j] + out[j, i] + out[j, j]]
    for table in (out, back):
        for k in range(size):
            if table[i, k] > 0 and table[j, k] > 0 and k != i and k != j:
                total += _loss(table[i, k], table[j, k], products)
    return total


@jit()
def _merge(out, back, lost, sums, first, place, size, products, logs, merged):
    """Merge two clusters, write down which, and return how many are left."""
    a, b = _least(out, back, lost, sums, size, logs)
    if first[a] > first[b]:
        a, b = b, a
    merged[0], merged[1] = first[a], first[b]
    _change_others(out, back, lost, a, b, size, products)
    for table in (out, back):
        for k in range(size):
            table[a, k] += table[b, k]
        for k in range(size):
            table[k, a] += table[k, b]
    sums[0, a] += sums[0, b]
    sums[1, a] += sums[1, b]
    last = size - 1
    _move(out, back, lost, sums, first, last, b, size)
    a = b if a == last else a
    for word in range(place.size):
        if place[word] == b:
            place[word] = a
        elif place[word] == last:
            place[word] = b
    for k in range(last):
        if k != a:
            lost[a, k] = lost[k, a] = _pair(out, back, a, k, last, products)
    return last


@jit()
def _least(out, back, lost, sums, size, logs):
    """Return the two clusters whose merger loses the least; the first such of equal ones."""
    for i in range(size):
        sums[2, i] = out[i, :size].sum()
        sums[3, i] = back[i, :size].sum()
    best, a, b = np.int64(0), -1, -1
    for j in range(2, size):
        for i in range(1, j):
            loss = lost[i, j]
            for way in range(2):
                x, y = sums[2 + way, i], sums[2 + way, j]
                loss += (x + y) * logs[sums[way, i] + sums[way, j]]
                loss -= x * logs[sums[way, i]] + y * logs[sums[way, j]]
            if a < 0 or loss < best:
                best, a, b = loss, i, j
    return a, b


@jit()
def _change_others(out, back, lost, a, b, size, products):
    """Change what mergers of other clusters lose, as a and b become one."""
    for table in (out, back):
        first, second = table[a], table[b]
        for i in range(size):
            if i == a or i == b:
                continue
            for j in range(i):
                if j == a or j == b or second[i] + second[j] == 0 or first[i] + first[j] == 0:
                    continue
                change = _loss(first[i] + second[i], first[j] + second[j], products)
                change -= _loss(first[i], first[j], products)
                change -= _loss(second[i], second[j], products)
                lost[i, j] += change
                lost[j, i] += change


@jit()
def _move(out, back, lost, sums, first, last, to, size):
    """Put the last cluster in the place of one that is no more, and clear its place."""
    for table in (out, back, lost):
        if to != last:
            for k in range(size):
                table[to, k] = table[last, k]
            for k in range(size):
                table[k, to] = table[k, last]
        for k in range(size):
            table[last, k] = table[k, last] = 0
    for row in range(2):
        sums[row, to] = sums[row, last]
    first[to] = first[last]
