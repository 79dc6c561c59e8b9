"""All projective trees of a sentence as a packed forest, and sums over it in the log domain.

A forest is a hypergraph: its nodes are the items of the charts (`items`), and an edge is one way to
build an item from two smaller ones. As every tree has exactly one derivation, what is written here
once serves first- and second-order models: sums for scores too wide for the probability domain,
sampling, and the k best trees (`kbest`). The edges of node v are ``first[v]`` to ``first[v + 1]``;
nodes stand after those they are built from; node 0 is the item that holds nothing.
"""

from collections import namedtuple

import numpy as np

from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.items import (
    COMPLETE_LEFT,
    COMPLETE_RIGHT,
    INCOMPLETE_LEFT,
    INCOMPLETE_RIGHT,
    ROOT,
    SIBLINGS,
    ZERO,
    row,
)

__all__ = ["Forest", "build", "inside", "inside_outside", "node", "sample", "score_edges"]

Forest = namedtuple("Forest", "first left right arc part")


@jit()
def node(n, kind, s, t):
    """Return the node of an item; single words are node 0."""
    w = t - s
    if w == 0:
        return 0
    return 1 + 5 * ((w - 1) * (2 * n + 2 - w) // 2 + s) + kind


@jit()
def build(n, with_siblings, single_root):
    """Return the forest of n words, of second order or of first.

    Returns
    -------
    first : int32 array (nodes + 1,)
    left, right : int32 arrays (edges,)
        The nodes that an edge joins.
    arc, part : int32 arrays (edges,)
        What an edge adds to the score: ``arcs.flat[arc]`` and the packed part; -1 for none.
    """
    nodes = node(n, COMPLETE_LEFT, ROOT, n) + 1
    size = 5 * (n * (n + 1) * (n + 2) // 6)
    first = np.empty(nodes + 1, np.int32)
    edges = np.empty((4, size), np.int32)
    first[0] = first[1] = e = ZERO
    v = 1
    for w in range(1, n + 1):
        for s in range(n + 1 - w):
            for kind in range(5):
                if s > 0 or kind == INCOMPLETE_RIGHT or kind == COMPLETE_RIGHT:
                    e = _join(n, with_siblings, single_root, kind, s, s + w, edges, e)
                v += 1
                first[v] = e
    return Forest(first, edges[0, :e], edges[1, :e], edges[2, :e], edges[3, :e])


@jit()
def _join(n, with_siblings, single_root, kind, s, t, edges, e):
    """Append the edges of one node, one for each place r to split it; return how many there are."""
    arc, part, end = -1, -1, t
    if kind == INCOMPLETE_RIGHT:
        arc = s * (n + 1) + t
        if s == 0 and single_root:
            end = 1  # the root's only dependent has no sibling
    elif kind == INCOMPLETE_LEFT:
        arc = t * (n + 1) + s
    elif kind == SIBLINGS and not with_siblings:
        end = s
    for r in range(s, end):
        if kind == COMPLETE_RIGHT:
            a, b = node(n, INCOMPLETE_RIGHT, s, r + 1), node(n, COMPLETE_RIGHT, r + 1, t)
        elif kind == COMPLETE_LEFT:
            a, b = node(n, COMPLETE_LEFT, s, r), node(n, INCOMPLETE_LEFT, r, t)
        elif kind == SIBLINGS or not with_siblings:
            a, b = node(n, COMPLETE_RIGHT, s, r), node(n, COMPLETE_LEFT, r + 1, t)
        elif kind == INCOMPLETE_RIGHT:
            part = row(n, s, t) + r - s
            if r == s:
                a, b = 0, node(n, COMPLETE_LEFT, s + 1, t)
            else:
                a, b = node(n, INCOMPLETE_RIGHT, s, r), node(n, SIBLINGS, r, t)
        else:
            part = row(n, s, t) + (t - s) + r - s
            if r == t - 1:
                a, b = node(n, COMPLETE_RIGHT, s, t - 1), 0
            else:
                a, b = node(n, SIBLINGS, s, r + 1), node(n, INCOMPLETE_LEFT, r + 1, t)
        edges[0, e], edges[1, e], edges[2, e], edges[3, e] = a, b, arc, part
        e += 1
    return e


@jit()
def score_edges(graph, arcs, siblings):
    """Return what every edge adds to the score, for its arc and for its part; 0 if it has none."""
    of_arc, of_part = np.zeros(graph.arc.size), np.zeros(graph.arc.size)
    flat = arcs.ravel()
    for e in range(of_arc.size):
        if graph.arc[e] >= 0:
            of_arc[e] = flat[graph.arc[e]]
        if graph.part[e] >= 0:
            of_part[e] = siblings[graph.part[e]]
    return of_arc, of_part


@jit()
def _lowered(arcs):
    """Return arc scores less the highest of each word, and the sum of those.

    Every tree has one arc into each word, so that the distribution is the same, and sums of scores
    of any size keep the digits that matter.
    """
    lower, taken = arcs.copy(), 0.0
    for m in range(1, arcs.shape[0]):
        top = -np.inf
        for h in range(arcs.shape[0]):
            top = max(top, arcs[h, m] if h != m else -np.inf)
        if top > -np.inf:
            taken += top
            for h in range(arcs.shape[0]):
                lower[h, m] -= top
    return lower, taken


@jit()
def inside(graph, scores):
    """Return the log of the sum over the derivations of each node."""
    first, left, right = graph.first, graph.left, graph.right
    values = np.full(first.size - 1, -np.inf)
    values[0] = 0.0
    for v in range(1, values.size):
        top = -np.inf
        for e in range(first[v], first[v + 1]):
            top = max(top, scores[e] + values[left[e]] + values[right[e]])
        if top > -np.inf:
            total = 0.0
            for e in range(first[v], first[v + 1]):
                total += np.exp(scores[e] + values[left[e]] + values[right[e]] - top)
            values[v] = top + np.log(total)
    return values


@jit()
def _summed(arcs, siblings, single_root):
    """Return the forest, the scores of its edges, its sums, and what was taken out of log Z."""
    graph = build(arcs.shape[0] - 1, siblings.size > 0, single_root)
    lower, taken = _lowered(arcs)
    of_arc, of_part = score_edges(graph, lower, siblings)
    scores = of_arc + of_part
    return graph, scores, inside(graph, scores), taken


@jit()
def inside_outside(arcs, siblings, single_root, arc_marginals, sibling_marginals):
    """Return log Z and compute marginals, as `second_order.inside_outside`, in the log domain.

    With no parts at all, the model is of first order.
    """
    n = arcs.shape[0] - 1
    goal = node(n, COMPLETE_RIGHT, ROOT, n)
    graph, scores, values, taken = _summed(arcs, siblings, single_root)
    first, left, right, arc, part = graph
    arc_marginals.fill(0.0)
    sibling_marginals.fill(0.0)
    if values[goal] == -np.inf:
        return -np.inf
    reached = np.zeros(values.size)  # the probability that a node is in the tree
    reached[goal] = 1.0
    for v in range(goal, 0, -1):
        for e in range(first[v], first[v + 1] if reached[v] > 0.0 else first[v]):
            p = scores[e] + values[left[e]] + values[right[e]] - values[v]
            p = reached[v] * np.exp(p)
            reached[left[e]] += p
            reached[right[e]] += p
            if arc[e] >= 0:
                arc_marginals[arc[e] // (n + 1), arc[e] % (n + 1)] += p
            if part[e] >= 0:
                sibling_marginals[part[e]] += p
    return values[goal] + taken


@jit()
def sample(arcs, siblings, single_root, uniforms, heads):
    """Draw trees in proportion to the exponential of their scores; return log Z.

    Parameters
    ----------
    arcs, siblings, single_root
        As in `inside_outside`.
    uniforms : float64 array (trees, 4 n)
        Random numbers from [0, 1).
    heads : int32 array (trees, n + 1)
        Result; -1 everywhere if there is no tree.
    """
    n = arcs.shape[0] - 1
    goal = node(n, COMPLETE_RIGHT, ROOT, n)
    graph, scores, values, taken = _summed(arcs, siblings, single_root)
    first, left, right, arc, _ = graph
    heads.fill(-1)
    stack = np.empty(2 * n + 2, np.int64)
    for k in range(heads.shape[0] if values[goal] > -np.inf else 0):
        stack[0] = goal
        waiting, drawn = 1, 0
        while waiting:
            waiting -= 1
            v = stack[waiting]
            if v == 0:
                continue
            rest = uniforms[k, drawn]
            drawn += 1
            chosen = -1
            for e in range(first[v], first[v + 1]):
                p = np.exp(scores[e] + values[left[e]] + values[right[e]] - values[v])
                if p > 0.0:  # so that rounding never chooses what is impossible
                    chosen = e
                    rest -= p
                    if rest < 0.0:
                        break
            if arc[chosen] >= 0:
                heads[k, arc[chosen] % (n + 1)] = arc[chosen] // (n + 1)
            stack[waiting], stack[waiting + 1] = left[chosen], right[chosen]
            waiting += 2
    return values[goal] + taken
