"""Which arcs are worth a closer look, by a first-order model that is cheap to score."""

import numpy as np

from deppa_nb.kernels import first_order
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.constraints import constrain

__all__ = ["keep_arcs"]


@jit()
def keep_arcs(
    firsts, sentences, at, scores, heads, forbidden, threshold, single_root, kept_at, kept
):  # fmt: skip
    """Tell which arcs of some sentences are kept.

    An arc is kept if it is not much less probable than the best one of its word, or if it is an
    arc of the best tree, so that there always is a tree.

    Parameters
    ----------
    firsts : int64 array
        Where sentences begin.
    sentences : int64 array
        Which of them are meant.
    at, scores : int64 array (2, sentences meant + 1), float64 array
        Of a first-order model, as `batches.score_batch` leaves them; spoilt.
    heads : int32 array (tokens,)
        Forced heads, -1 for none: they are kept, whatever they score.
    forbidden : bool array, of the shape of `kept` or empty
        Arcs that must not be in the best tree.
    threshold : float
        How probable an arc must be, as a share of its word's most probable one.
    single_root : bool
    kept_at, kept : int64 array (sentences + 1,), bool array
        Where the square of each sentence begins; result.
    """
    longest = 0
    for k in sentences:
        longest = max(longest, firsts[k + 1] - firsts[k] - 1)
    work = first_order.workspace(longest)
    for j in range(sentences.size):
        k = sentences[j]
        size = firsts[k + 1] - firsts[k]
        given = heads[firsts[k] : firsts[k + 1]]
        place = kept_at[k]
        square = scores[at[0, j] : at[0, j + 1]].reshape((size, size))
        result = kept[place : place + size * size].reshape((size, size))
        if forbidden.size == 0:
            result[:] = False
        else:
            result[:] = forbidden[place : place + size * size].reshape((size, size))
        _keep(square, given, threshold, single_root, result, work)


@jit(merge=True)
def _keep(scores, heads, threshold, single_root, kept, work):
    """Do so for one sentence; before, `kept` tells which arcs are forbidden."""
    size = heads.size
    p, best = np.empty((size, size)), np.empty(size, np.int32)
    first_order.inside_outside(scores, single_root, p, work)
    constrain(scores, heads, kept, scores)
    first_order.best_tree(scores, single_root, best, work)
    for word in range(size):
        top = 0.0
        for head in range(size):
            top = max(top, p[head, word])
        least = max(threshold * top, np.finfo(np.float64).tiny)
        for head in range(size):
            forced = head == best[word] or head == heads[word]
            kept[head, word] = forced or p[head, word] >= least
