"""The elimination of `matrix_tree` with logarithms, for scores too wide for the range of floats.

The letters are those of `matrix_tree`, and all arrays hold logarithms. What it computes is the
same; a sum costs an exponential and a logarithm, and so it is some twenty times slower.
"""

import numpy as np

from deppa_nb.kernels._float import exp, log_add
from deppa_nb.kernels._jit import jit

__all__ = ["differentiate_logs", "eliminate_logs", "exchange"]


@jit()
def exchange(w, pi, at, k):
    """Let the words in places 1 and k change places; ``at[k]`` is the word in place k."""
    at[1], at[k] = at[k], at[1]
    for m in range(at.size):
        w[1, m], w[k, m] = w[k, m], w[1, m]
    for h in range(at.size):
        w[h, 1], w[h, k] = w[h, k], w[h, 1]
    for i in range(k + 1, at.size):
        pi[i, 1], pi[i, k] = pi[i, k], pi[i, 1]


@jit()
def _log_total(w, first, k):
    """Return the logarithm of d from logarithms."""
    d = -np.inf
    for h in range(first, k):
        d = log_add(d, w[h, k])
    return d


@jit()
def eliminate_logs(w, pi, single_root, at):
    """Do the same as `matrix_tree._eliminate` with the logarithms of everything; return log Z."""
    log_z = 0.0
    for k in range(at.size - 1, 0, -1):
        first = 1 if single_root and k > 1 else 0
        d = _log_total(w, first, k)
        if first == 1 and d == -np.inf:
            exchange(w, pi, at, k)
            d = _log_total(w, np.int64(1), k)
        if d == -np.inf:
            return d
        log_z += d
        pi[k, k] = d
        for h in range(k):
            pi[k, h] = w[h, k] - d
            for m in range(1, k):
                w[h, m] = log_add(w[h, m], pi[k, h] + w[k, m])
    return log_z


@jit()
def differentiate_logs(w, pi, single_root, q):
    """Do the same as `matrix_tree._differentiate`; `q` receives logarithms, too."""
    size = q.shape[0]
    q.fill(-np.inf)
    for k in range(1, size):
        first = 1 if single_root and k > 1 else 0
        dependents = np.zeros(k)  # their probabilities
        passing = np.zeros(k)  # pi[h] a[h]: the expected number that has k between it and h
        stays = 1.0
        for h in range(k):
            for m in range(1, k):
                p = exp(pi[k, h] + q[h, m] + w[k, m])
                passing[h] += p
                dependents[m] += p
            stays -= passing[h]
        for m in range(1, k):
            if dependents[m] > 0.0:
                q[k, m] = np.log(dependents[m]) - w[k, m]
        for h in range(k):
            p = passing[h] + (exp(pi[k, h]) * stays if h >= first else 0.0)
            if p > 0.0:
                q[h, k] = np.log(p) - pi[k, h] - pi[k, k]
