"""Forced heads and forbidden arcs, as scores of minus infinity."""

import numpy as np

from deppa_nb.kernels._jit import jit

__all__ = ["constrain"]


@jit()
def constrain(scores, heads, forbidden, out):
    """Copy arc scores to `out`, with minus infinity for every arc that is not allowed.

    Parameters
    ----------
    scores : float64 array (n + 1, n + 1)
        ``scores[head, dependent]``.
    heads : int array (n + 1,)
        Forced heads; -1 leaves a word open.
    forbidden : bool array (n + 1, n + 1)
        True forbids an arc; a forced arc that is forbidden too leaves no tree.
    out : float64 array (n + 1, n + 1)
        May be `scores`. Its first column and its diagonal become minus infinity.
    """
    size = heads.size
    for head in range(size):
        for word in range(size):
            allowed = word != 0 and word != head and not forbidden[head, word]
            if allowed and (heads[word] == -1 or heads[word] == head):
                out[head, word] = scores[head, word]
            else:
                out[head, word] = -np.inf
