"""Exact samples from the distribution over non-projective trees.

The words that `matrix_tree` eliminated come back in reverse order, and each step turns a sampled
tree of the words before k into one that has k. An arc from h to m weighs w[h, m] + w[k, m] pi[h]
without k: in these proportions it is a direct one, or leads through k. Words with an arc through k
become its dependents, and k takes a head from pi, of those words that its dependents are not above.

This is exact: cut the tree above the s dependents into the part of the root and s others, and let
a[0], ..., a[s] be the shares in pi of the words in each, 1 in all. The arcs through k that join
the parts to one tree again have, after Cayley, the probability a[0] (a[0] + ... + a[s])^(s - 1)
= a[0], and that is also how likely a head of k from the root's part is.

With one root dependent, pi has only words; if the arc of the root leads through k, then k is the
root's dependent (and any of the s parts may have been the root's: a[1] + ... + a[s] = 1).

There are no random walks whose length depends on the scores (Wilson, 1996), and no inverse is
updated by subtraction (Colbourn, Myrvold & Neufeld, 1996). After O(n^3) once, a tree costs O(n^2).
"""

import numpy as np

from deppa_nb.kernels._float import exp
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.matrix_tree import factorise, padded

__all__ = ["sample_trees"]


@jit()
def _to_logs(matrix):
    """Replace everything by its logarithm."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            matrix[i, j] = np.log(matrix[i, j]) if matrix[i, j] > 0.0 else -np.inf


@jit()
def _choose(p, end, uniform):
    """Choose i < `end` in proportion to ``p[i]``; return it and what is left of the number.

    Given the choice, the place of the number within the share of i is uniform in [0, 1) again, so
    that one number serves for several choices.
    """
    rest = 0.0
    for i in range(end):
        rest += p[i]
    rest *= uniform
    chosen = 0
    for i in range(end):
        if p[i] > 0.0:
            chosen = i
            if rest < p[i]:
                return i, rest / p[i]
            rest -= p[i]
    return chosen, uniform  # rounding has led past the last one


@jit()
def _choose_path(h, m, weight, w, pi, p, uniform):
    """Choose the word that the arc from h to m leads through, or 0 if it is direct."""
    size = w.shape[0]
    latest = max(h, m)
    total = w[h, m] if h > m else pi[m, h] + pi[m, m]
    p[0] = exp(weight - total)
    for k in range(1, size):
        p[k] = exp(w[k, m] + pi[k, h] - total) if k > latest else 0.0
    return _choose(p, size, uniform)


@jit()
def _choose_head(k, single_root, pi, heads, through, p, uniform):
    """Choose the head of the new word k, given which arcs lead through it."""
    first = 1 if single_root and k > 1 else 0
    for m in range(1, k):
        if first == 1 and through[m] == k and heads[m] == 0:
            return 0, uniform
    top = -np.inf  # all that are left may have next to nothing of pi
    for h in range(k):
        word = h
        while word != 0 and through[word] != k:
            word = heads[word]
        p[h] = pi[k, h] if word == 0 and h >= first else -np.inf
        top = max(top, p[h])
    for h in range(k):
        p[h] = exp(p[h] - top)
    return _choose(p, k, uniform)


@jit()
def _sample(single_root, weights, w, pi, at, uniforms, p, heads, through):
    """Sample one tree; places, not words, are written to `heads`."""
    rest = np.empty(at.size)
    for k in range(1, at.size):
        heads[k], rest[k] = _choose_head(k, single_root, pi, heads, through, p, uniforms[k - 1])
        for m in range(1, k + 1):
            if m == k or through[m] == k:
                heads[m] = heads[m] if m == k else k
                weight = weights[at[heads[m]], at[m]]
                through[m], rest[m] = _choose_path(heads[m], m, weight, w, pi, p, rest[m])


@jit()
def sample_trees(scores, single_root, uniforms, heads):
    """Sample trees independently, each with probability exp(its score) / Z.

    Parameters
    ----------
    scores : float64 array (n + 1, n + 1)
        ``scores[head, dependent]``; minus infinity forbids. Column 0 and the diagonal do not count.
    single_root : bool
        Whether exactly one word depends on the root.
    uniforms : float64 array (samples, n)
        Independent random numbers, uniform in [0, 1).
    heads : int array (samples, n + 1)
        Receives the trees, with -1 at position 0; all -1 if there is no tree.

    Returns
    -------
    float
        log Z, minus infinity if there is no tree.
    """
    size = scores.shape[0]
    weights, w, pi, at = np.empty((size, size)), padded(size), padded(size), np.arange(size)
    log_z, logs = factorise(scores, single_root, weights, w, pi, at)
    heads.fill(-1)
    if log_z == -np.inf:
        return log_z
    if not logs:
        _to_logs(weights)
        _to_logs(w)
        _to_logs(pi)
    p = np.empty(size)
    through = np.empty(size, np.int64)
    places = np.empty(size, np.int64)
    for i in range(heads.shape[0]):
        _sample(single_root, weights, w, pi, at, uniforms[i], p, places, through)
        for k in range(1, size):
            heads[i, at[k]] = at[places[k]]
    return log_z
