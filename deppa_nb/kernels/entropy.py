"""The entropy of a distribution p(y) = exp(score(y)) / Z, whatever the y are.

The mean of -log p(y) is log Z less the mean score, and a score is a sum over parts of y, so that
the marginals of the parts give its mean.
"""

import numpy as np

from deppa_nb.kernels._jit import jit

__all__ = ["entropy", "expected_score"]


@jit()
def expected_score(scores, marginals):
    """Return the sum of marginals times scores; what is impossible counts 0, whatever its score."""
    flat, shares = scores.ravel(), marginals.ravel()
    total = 0.0
    for k in range(flat.size):
        if shares[k] > 0.0:
            total += shares[k] * flat[k]
    return total


@jit()
def entropy(log_z, expected):
    """Return the entropy in nats from log Z and the expected score; 0 if nothing is possible.

    Expected scores of several kinds of parts are added.
    """
    return max(0.0, log_z - expected) if log_z > -np.inf else 0.0
