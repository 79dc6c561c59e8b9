"""The k best trees of a forest, exact and lazy.

Algorithm 3 of Huang and Chiang (2005). Each node keeps the derivations made so far, best first,
and a heap of candidates for the next. A candidate is an edge with the ranks of the derivations that
it joins. When one is taken, its neighbours become candidates: the right rank one further and, only
while the right rank is 0, the left rank one further; so no candidate arises twice. Derivations of
a node are made when a node above asks for them, which few nodes do.
"""

from collections import namedtuple

import numpy as np

from deppa_nb.kernels import forest
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.items import COMPLETE_RIGHT, ROOT

__all__ = ["best_trees", "merge", "record"]


def record(**fields):
    """Return the type of a struct whose fields are attributes, in compiled code and in plain."""
    return np.dtype((np.record, np.dtype(list(fields.items()), align=True)))


_DERIVATION = record(score=np.float64, edge=np.int32, left=np.int32, right=np.int32)
_CANDIDATE = record(
    score=np.float64, edge=np.int32, left=np.int32, right=np.int32, down=np.int32, next=np.int32
)
_NODE = record(best=np.float64, heap=np.int32, count=np.int32, asked=np.bool_, exhausted=np.bool_)
_BEST = np.int32(0)  # typed, as all ranks are: numba compiles a function anew for each type
_State = namedtuple("_State", "graph of_arc of_part nodes made heap used")


@jit()
def best_trees(arcs, siblings, single_root, heads, scores):
    """Write the k best projective trees, best first and all distinct; return how many there are.

    Parameters
    ----------
    arcs, siblings, single_root
        As in `forest.inside_outside`.
    heads : int32 array (k, n + 1)
        Result, one tree a row.
    scores : float64 array (k,)
        Result; minus infinity beyond the trees that exist.
    """
    n = arcs.shape[0] - 1
    k = scores.size
    heads.fill(-1)
    scores.fill(-np.inf)
    graph = forest.build(n, siblings.size > 0, single_root)
    of_arc, of_part = forest.score_edges(graph, arcs, siblings)
    goal = forest.node(n, COMPLETE_RIGHT, ROOT, n)
    nodes = _nodes(graph, of_arc, of_part)
    made = np.empty((nodes.size, k), _DERIVATION)
    # Every edge is a candidate once with both ranks 0. Beyond that, a tree of at most 4 n items
    # makes at most two derivations of each, and each derivation two candidates.
    heap = np.empty(graph.arc.size + 16 * n * k, _CANDIDATE)
    state = _State(graph, of_arc, of_part, nodes, made, heap, np.zeros(1, np.int64))
    stack = np.empty((4 * n + 4, 2), np.int64)
    for rank in range(k):
        _make(goal, state, stack)
        if nodes[goal].exhausted:
            return rank
        scores[rank] = made[goal, rank].score
        _read(goal, rank, state, stack, heads[rank])
    return k


@jit()
def _nodes(graph, of_arc, of_part):
    """Return nodes with the scores of their best derivations, none of them made yet."""
    nodes = np.zeros(graph.first.size - 1, _NODE)
    for v in range(nodes.size):
        best = -np.inf if v > 0 else 0.0
        for e in range(graph.first[v], graph.first[v + 1]):
            below = nodes[graph.left[e]].best + nodes[graph.right[e]].best
            best = max(best, of_arc[e] + (below + of_part[e]))
        nodes[v].best = best
        nodes[v].heap = -1
    nodes[0].count = 1
    nodes[0].asked = nodes[0].exhausted = True
    return nodes


@jit()
def _make(goal, state, stack):
    """Make the next derivation of a node, after those of nodes below that its candidates need."""
    nodes = state.nodes
    depth = 0
    stack[0, 0] = goal
    while depth >= 0:
        v = stack[depth, 0]
        if not nodes[v].asked:
            _ask(v, state)
        else:  # the neighbours of the last derivation are still to be added
            last = state.made[v, nodes[v].count - 1]
            a, b = state.graph.left[last.edge], state.graph.right[last.edge]
            if last.right == 0 and _lacks(nodes[a], last.left + 1):
                depth += 1
                stack[depth, 0] = a
                continue
            if _lacks(nodes[b], last.right + 1):
                depth += 1
                stack[depth, 0] = b
                continue
            if last.right == 0 and nodes[a].count > last.left + 1:
                _add(v, last.edge, np.int32(last.left + 1), _BEST, state)
            if nodes[b].count > last.right + 1:
                _add(v, last.edge, last.left, np.int32(last.right + 1), state)
        _take(v, state)
        depth -= 1


@jit(inline=True)
def _lacks(node, rank):
    """Whether the derivation of this rank is not made yet, though it may exist."""
    return node.count <= rank and not node.exhausted


@jit()
def _ask(v, state):
    """Let every edge of a node, joining the best derivations below, be a candidate."""
    nodes, graph = state.nodes, state.graph
    nodes[v].asked = True
    for e in range(graph.first[v], graph.first[v + 1]):
        below = nodes[graph.left[e]].best + nodes[graph.right[e]].best
        _push(v, below, np.int32(e), _BEST, _BEST, state)


@jit()
def _add(v, edge, a, b, state):
    """Let an edge with derivations of ranks a and b be a candidate."""
    left, right = state.graph.left[edge], state.graph.right[edge]
    below = state.nodes[left].best if a == 0 else state.made[left, a].score
    below += state.nodes[right].best if b == 0 else state.made[right, b].score
    _push(v, below, edge, a, b, state)


@jit()
def _push(v, below, edge, a, b, state):
    # Added in the order of `best_tree`, so that rounding makes no difference between the two.
    score = state.of_arc[edge] + (below + state.of_part[edge])
    if score == -np.inf:
        return
    c = state.used[0]
    state.used[0] += 1
    new = state.heap[c]
    new.score, new.edge, new.left, new.right, new.down, new.next = score, edge, a, b, -1, -1
    state.nodes[v].heap = merge(state.heap, state.nodes[v].heap, np.int32(c))


@jit()
def _take(v, state):
    """Turn the best candidate of a node into its next derivation."""
    node = state.nodes[v]
    if node.heap < 0:
        node.exhausted = True
        return
    top, new = state.heap[node.heap], state.made[v, node.count]
    new.score, new.edge, new.left, new.right = top.score, top.edge, top.left, top.right
    node.count += 1
    node.heap = merge(state.heap, top.down, top.next)


@jit()
def merge(heap, a, b):
    """Join two skew heaps (Sleator and Tarjan 1986); of equal candidates the older comes first."""
    root = parent = -1
    while a >= 0 and b >= 0:
        if heap[b].score > heap[a].score or (heap[b].score == heap[a].score and b < a):
            a, b = b, a
        if parent < 0:
            root = a
        else:
            heap[parent].down = a
        parent = a
        a = heap[parent].next
        heap[parent].next = heap[parent].down
    rest = max(a, b)
    if parent < 0:
        return rest
    heap[parent].down = rest
    return root


@jit()
def _read(goal, rank, state, stack, heads):
    """Write the heads of one derivation of the goal."""
    graph = state.graph
    stack[0, 0], stack[0, 1] = goal, rank
    waiting = 1
    while waiting:
        waiting -= 1
        v, rank = stack[waiting]
        if state.nodes[v].count == 0:
            _ask(v, state)
            _take(v, state)
        if v > 0:
            derivation = state.made[v, rank]
            arc = graph.arc[derivation.edge]
            if arc >= 0:
                heads[arc % heads.size] = arc // heads.size
            stack[waiting, 0], stack[waiting, 1] = graph.left[derivation.edge], derivation.left
            waiting += 1
            stack[waiting, 0], stack[waiting, 1] = graph.right[derivation.edge], derivation.right
            waiting += 1
