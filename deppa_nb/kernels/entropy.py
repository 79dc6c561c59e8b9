"""The expected score, which with log Z gives the entropy of any of the distributions."""

from deppa_nb.kernels._jit import jit

__all__ = ["expected_score"]


@jit()
def expected_score(scores, marginals):
    """Return the sum of marginals times scores; what is impossible counts 0, whatever its score.

    The entropy of a distribution p(y) = exp(score(y)) / Z is log Z less the expected score.
    """
    flat, shares = scores.ravel(), marginals.ravel()
    total = 0.0
    for k in range(flat.size):
        if shares[k] > 0.0:
            total += shares[k] * flat[k]
    return total
