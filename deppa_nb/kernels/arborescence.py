"""Maximum spanning arborescences: the best non-projective tree and the second best.

Chu & Liu (1965) and Edmonds (1967): every word takes its best head; where that makes a cycle, the
cycle becomes one node, and a way into it is worth what it gains over the arc of the cycle that it
breaks. Here one path is grown from head to head (Gabow, Galil, Spencer & Tarjan, 1986) on dense
rows: a node's row holds, for every word h (never renamed), the best way from h into the node.
A step costs O(n) and there are O(n) of them.

One root dependent, exactly: arcs from the root are compared last, as if scores were pairs (minus
the number of root arcs, score) in lexicographic order. Edmonds' proof needs no more than an
ordered group, so the result has as few root arcs as can be, and among those trees it is the best
(the problem of Zmigrod, Vieira & Cotterell, 2020, without penalties that cost precision).

A `forest` keeps what was contracted: nodes 1..n are words, later ones are cycles; `source[v]` is
the word from which node v took its best arc, `child` and `sibling` list the nodes of a cycle, and 0
ends a list; `entering[v]` is the word from which the tree then enters v. A cycle always has a
higher number than its nodes.
"""

from collections import namedtuple

import numpy as np

from deppa_nb.kernels._jit import jit

__all__ = ["best_arborescence", "two_best_arborescences"]

_ON_PATH, _DONE, _INNER = 1, 2, 3  # states of a node; new ones have 0
_NO_SWAP = (np.int64(0),) * 4

_Forest = namedtuple("_Forest", "rows source child sibling entering")


@jit()
def _new_forest(size):
    """Return room for all the cycles that `size` words may make."""
    links = np.zeros((4, 2 * size), np.int64)
    return _Forest(np.empty((2 * size, size)), links[0], links[1], links[2], links[3])


@jit(vector=True)
def _best_source(row, first):
    """Return the lowest word of the highest score in ``row[first:]``."""
    top = -np.inf
    for h in range(first, row.size):
        top = max(top, row[h])
    for h in range(first, row.size):
        if row[h] == top:
            return h
    return first


@jit(vector=True)
def _enter_through(row, inner, kept):
    """Let ways into a cycle lead through one of its nodes, which gives up an arc worth `kept`."""
    for h in range(row.size):
        row[h] = max(row[h], inner[h] - kept)


@jit()
def _close_cycle(forest, path, depth, end, cycle, node, state):
    """Make one node, `cycle`, of the path's nodes from `end` on; return the path's new depth."""
    rows, source, child, sibling, _ = forest
    rows[cycle].fill(-np.inf)
    v = 0
    while v != end:
        depth -= 1
        v = path[depth]
        state[v] = _INNER
        _enter_through(rows[cycle], rows[v], rows[v, source[v]])
        sibling[v] = child[cycle]
        child[cycle] = v
    for word in range(1, node.size):
        if state[node[word]] == _INNER:
            node[word] = cycle
            rows[cycle, word] = -np.inf
    return depth


@jit()
def _contract(scores, single_root, forest):
    """Contract cycles until the best arcs make a tree; return the last node, or 0 for no tree."""
    rows, source = forest.rows, forest.source
    size = scores.shape[0]
    for word in range(1, size):
        for h in range(size):
            rows[word, h] = scores[h, word] if h != word else -np.inf
    node = np.arange(size)  # of each word, the outermost node around it
    state = np.zeros(2 * size, np.int8)
    state[0] = _DONE
    path = np.empty(2 * size, np.int64)
    last = size - 1
    rooted = False
    for start in range(1, size):
        depth = 0
        v = node[start]
        while state[v] != _DONE:
            h = _best_source(rows[v], 1 if single_root else 0)
            if single_root and rows[v, h] == -np.inf and not rooted:
                h = 0
                rooted = True
            if rows[v, h] == -np.inf:
                return 0
            source[v] = h
            state[v] = _ON_PATH
            path[depth] = v
            depth += 1
            v = node[h]
            if state[v] == _ON_PATH:
                last += 1
                depth = _close_cycle(forest, path, depth, v, last, node, state)
                v = last
        for i in range(depth):
            state[path[i]] = _DONE
    return last


@jit()
def _entered(forest, v, h):
    """Return by which node of cycle v word h enters it best, the next best one, and its loss."""
    rows, source, child, sibling, _ = forest
    best, second = 0, 0
    top, next_top = -np.inf, -np.inf
    c = child[v]
    while c != 0:
        value = rows[c, h] - rows[c, source[c]]
        if value > top:
            second, next_top = best, top
            best, top = c, value
        elif value > next_top:
            second, next_top = c, value
        c = sibling[c]
    return best, second, top - next_top


@jit()
def _write_tree(scores, forest, last, swap, heads):
    """Open all cycles from the outside in, write the heads and return the sum of their arcs.

    `swap` is (v, h, cycle, c): node v is entered from h instead of from its best source, and
    `cycle`, if not 0, through its node c instead of the best one. No nodes (`last` 0): no tree.
    """
    heads.fill(-1)
    if last == 0:
        return -np.inf
    entering = forest.entering
    for v in range(1, last + 1):
        entering[v] = forest.source[v]
    changed, from_word, cycle, through = swap
    if changed != 0:
        entering[changed] = from_word
    for v in range(last, heads.size - 1, -1):
        inner = _entered(forest, v, entering[v])[0]
        entering[through if v == cycle else inner] = entering[v]
    total = 0.0
    for word in range(1, heads.size):
        heads[word] = entering[word]
        total += scores[heads[word], word]
    return total


@jit()
def _is_below(heads, word, other):
    """Whether `word` is `other` or depends on it through any number of arcs."""
    while word != 0 and word != other:
        word = heads[word]
    return word == other


@jit()
def _cheapest_swap(forest, last, heads, single_root):
    """Find the swap (see `_write_tree`) that makes the second-best tree, if there is one.

    Camerini, Fratta & Maffioli (1980): of the trees that differ from the best one, one of the best
    replaces a single arc at the time when a node chose it; the new head must not be below the node.
    """
    rows, source, _, _, entering = forest
    least, swap = np.inf, _NO_SWAP
    for v in range(1, last + 1):
        h = source[v]
        if entering[v] != h:
            continue  # the arc that this node chose was broken with its cycle
        entry = v
        while entry >= heads.size:  # other ways from the same head into the node
            inner, other, loss = _entered(forest, entry, h)
            if loss < least:
                least = loss
                swap = (v, h, entry, other)
            entry = inner
        for other in range(1 if single_root else 0, heads.size):
            loss = rows[v, h] - rows[v, other]
            if loss < least and other != h and not _is_below(heads, other, entry):
                least = loss
                swap = (v, other, 0, 0)
    return swap


@jit()
def best_arborescence(scores, single_root, heads):
    """Find the tree of the highest sum of arc scores, O(n^2).

    Parameters
    ----------
    scores : float64 array (n + 1, n + 1)
        ``scores[head, dependent]``; minus infinity forbids. Column 0 and the diagonal do not count.
    single_root : bool
        Whether exactly one word depends on the root.
    heads : int array (n + 1,)
        Receives the heads, with -1 at position 0.

    Returns
    -------
    float
        The sum. If there is no tree: minus infinity, and heads of -1.
    """
    forest = _new_forest(heads.size)
    last = _contract(scores, single_root, forest)
    return _write_tree(scores, forest, last, _NO_SWAP, heads)


@jit()
def two_best_arborescences(scores, single_root, heads):
    """Find the best tree and the best of all others, O(n^2).

    Parameters
    ----------
    scores, single_root
        As in `best_arborescence`.
    heads : int array (2, n + 1)
        Receives both trees; all -1 for one that does not exist.

    Returns
    -------
    tuple of two floats
        Their sums, minus infinity for a tree that does not exist.
    """
    forest = _new_forest(heads.shape[1])
    last = _contract(scores, single_root, forest)
    best = _write_tree(scores, forest, last, _NO_SWAP, heads[0])
    swap = _cheapest_swap(forest, last, heads[0], single_root)
    return best, _write_tree(scores, forest, last if swap != _NO_SWAP else 0, swap, heads[1])
