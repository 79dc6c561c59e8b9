"""Scores, sums and best trees of many sentences, without Python between."""

import numpy as np

from deppa_nb.kernels import arborescence, first_order, matrix_tree, second_order
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.constraints import constrain
from deppa_nb.kernels.items import ZERO, parts
from deppa_nb.kernels.listed import list_room, score_kept
from deppa_nb.kernels.scoring import score
from deppa_nb.kernels.slots import room

__all__ = [
    "constrain_batch",
    "decode",
    "decode_one",
    "layout",
    "longest",
    "score_batch",
    "score_one",
    "scoring_room",
    "square",
    "sum_batch",
    "sum_one",
]


@jit()
def square(flat, size):
    """Return the beginning of a flat array as a square matrix."""
    return flat[: size * size].reshape((size, size))


@jit()
def longest(firsts, sentences):
    """Return how many words the longest of some sentences has, at least 1."""
    n = 1
    for k in sentences:
        n = max(n, firsts[k + 1] - firsts[k] - 1)
    return n


@jit()
def layout(firsts, sentences, second):
    """Return where the arcs and the parts of each sentence stand in flat arrays, ends included."""
    at = np.zeros((2, sentences.size + 1), np.int64)
    for j in range(sentences.size):
        n = firsts[sentences[j] + 1] - firsts[sentences[j]] - 1
        at[0, j + 1] = at[0, j] + (n + 1) * (n + 1)
        at[1, j + 1] = at[1, j] + (parts(n) if second else 0)
    return at


@jit()
def scoring_room(n, second, pruned):
    """Return room to score sentences of up to n words."""
    return room(n), list_room(n, parts(n) if second and pruned else ZERO)


@jit(merge=True)
def score_one(slots, k, weights, kept_at, kept, arcs, siblings, space):
    """Compute the scores of sentence k, or of those of its arcs that are kept.

    Parameters
    ----------
    slots : Slots
        Of all sentences, see `slots`.
    k : int
        Which of them.
    weights : float32 array (2**bits,)
    kept_at, kept : int64 array (sentences of slots,), bool array
        Where the square of each sentence begins that tells which arcs are kept; if it is empty,
        all are.
    arcs, siblings : float64 arrays (n + 1, n + 1), (parts(n),) or (0,)
        Results.
    space
        From `scoring_room`, for this many words or more.
    """
    (codes, sums), (listed, values) = space
    if kept.size == 0:
        score(slots, k, weights, arcs, siblings, codes, sums)
    else:
        some = kept[kept_at[k] : kept_at[k] + arcs.size]
        score_kept(slots, k, weights, some, arcs, siblings, codes, sums, listed, values)


@jit()
def score_batch(slots, sentences, weights, kept_at, kept, at, arcs, siblings):
    """Compute the scores of some sentences, see `score_one`.

    Parameters
    ----------
    slots, weights, kept_at, kept
        As there.
    sentences : int64 array
        Which of them.
    at : int64 array (2, sentences + 1)
        From `layout`.
    arcs, siblings : float64 arrays
        Results, of the sizes that `layout` gives.
    """
    n = longest(slots.firsts, sentences)
    space = scoring_room(n, siblings.size > 0, kept.size > 0)
    for j in range(sentences.size):
        k = sentences[j]
        scores = square(arcs[at[0, j] :], slots.firsts[k + 1] - slots.firsts[k])
        score_one(
            slots, k, weights, kept_at, kept, scores, siblings[at[1, j] : at[1, j + 1]], space
        )


@jit()
def constrain_batch(firsts, sentences, at, heads, forbidden, arcs):
    """Let the scores of arcs that are not allowed be minus infinity, see `constraints`.

    Parameters
    ----------
    firsts, sentences, at, arcs
        As in `sum_batch`.
    heads : int32 array (tokens,)
        Forced heads, -1 for none.
    forbidden : bool array, laid out as the arcs, or empty
    """
    n = longest(firsts, sentences)
    nothing = np.zeros((n + 1) * (n + 1), np.bool_)
    for j in range(sentences.size):
        given = heads[firsts[sentences[j]] : firsts[sentences[j] + 1]]
        barred = nothing if forbidden.size == 0 else forbidden[at[0, j] :]
        scores = square(arcs[at[0, j] :], given.size)
        constrain(scores, given, square(barred, given.size), scores)


@jit()
def sum_batch(
    firsts, sentences, projective, single_root, at, arcs, siblings, p_arcs, p_siblings, logs
):  # fmt: skip
    """Compute log Z and marginals of some sentences.

    Parameters
    ----------
    firsts : int64 array
        Where sentences begin.
    sentences, at, arcs, siblings
        As `score_batch` left them; of first order if there are no siblings.
    projective, single_root : bool
        Which trees there are; those of siblings are projective.
    p_arcs, p_siblings : float64 arrays
        Results, laid out as the scores.
    logs : float64 array (sentences,)
        Result, log Z.
    """
    work = second_order.workspace(longest(firsts, sentences))
    for j in range(sentences.size):
        k = sentences[j]
        size = firsts[k + 1] - firsts[k]
        scores, p = square(arcs[at[0, j] :], size), square(p_arcs[at[0, j] :], size)
        scored, q = siblings[at[1, j] : at[1, j + 1]], p_siblings[at[1, j] : at[1, j + 1]]
        logs[j] = sum_one(scores, scored, projective, single_root, p, q, work)


@jit(merge=True)
def sum_one(arcs, siblings, projective, single_root, p_arcs, p_siblings, work):
    """Compute the marginals of one sentence and return log Z."""
    if not projective:
        return matrix_tree.tree_marginals(arcs, single_root, p_arcs)
    if siblings.size == 0:
        return first_order.inside_outside(arcs, single_root, p_arcs, work)
    return second_order.inside_outside(arcs, siblings, single_root, p_arcs, p_siblings, work)


@jit()
def decode(firsts, sentences, projective, single_root, at, arcs, siblings, heads):
    """Write the best trees of some sentences.

    Parameters
    ----------
    firsts, sentences, projective, single_root, at, arcs, siblings
        As in `sum_batch`.
    heads : int32 array (tokens,)
        Result, -1 for each root.
    """
    work = second_order.workspace(longest(firsts, sentences))
    for j in range(sentences.size):
        k = sentences[j]
        best = heads[firsts[k] : firsts[k + 1]]
        scores, scored = square(arcs[at[0, j] :], best.size), siblings[at[1, j] : at[1, j + 1]]
        decode_one(scores, scored, projective, single_root, best, work)


@jit(merge=True)
def decode_one(arcs, siblings, projective, single_root, heads, work):
    """Write the best tree of one sentence."""
    if not projective:
        arborescence.best_arborescence(arcs, single_root, heads)
    elif siblings.size == 0:
        first_order.best_tree(arcs, single_root, heads, work)
    else:
        second_order.best_tree(arcs, siblings, single_root, heads, work)
