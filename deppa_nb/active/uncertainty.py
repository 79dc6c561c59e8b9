"""How unsure a model is, as the five papers measure it: pure functions of arrays.

Each returns the paper's own number; for some of them a small one means uncertain (see `measures`).
Arc marginals are ``p[head, word]`` of shape (n + 1, n + 1); results by word have n + 1 places, the
root's is nan.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, xlogy

from deppa_nb.errors import ArgumentError

__all__ = [
    "attachment_entropy",
    "averaged_marginal",
    "change_of_entropy",
    "geometric_marginal",
    "label_marginal",
    "local_entropy",
    "marginal_entropy",
    "marginal_gap",
    "marginal_max",
    "normalised_tree_probability",
    "normalised_tree_score",
    "second_is_better",
    "sentence_entropy",
    "tree_margin",
    "word_entropy",
]

Floats = NDArray[np.float64]
Heads = NDArray[np.int32]


def normalised_tree_score(score: float, n: int, power: float = 1.5) -> float:
    """Return Score(x, d*) / n**power (Li et al. 2016, eq. 5).

    >>> normalised_tree_score(16.0, 4)
    2.0
    """
    return float(score / n**power)


def normalised_tree_probability(log_prob: float, n: int, variant: str = "root") -> float:
    """Return p(d*|x)**(1 / n) (Li et al. 2016, eq. 6), or a variant of its footnote.

    Parameters
    ----------
    log_prob
        log p(d*|x).
    n
        Words.
    variant
        ``"root"``; ``"log"`` for p log n, ``"sqrt"`` for p sqrt(n).

    Examples
    --------
    >>> round(normalised_tree_probability(np.log(0.25), 2), 3)
    0.5
    """
    if variant == "root":
        return float(np.exp(log_prob / n))
    factors = {"log": np.log(n), "sqrt": np.sqrt(n)}
    if variant not in factors:
        raise ArgumentError(f"variant is {variant!r}, expected root, log or sqrt")
    return float(np.exp(log_prob) * factors[variant])


def averaged_marginal(p: Floats, best: Heads) -> float:
    """Return the mean over words m of p(d*(m) -> m) (Li et al. 2016, eq. 7).

    >>> averaged_marginal(np.array([[0, 0.9, 0.3], [0, 0, 0.7], [0, 0.1, 0]]), np.array([-1, 0, 1]))
    0.8
    """
    return float(_of(p, best).mean())


def geometric_marginal(p: Floats, best: Heads) -> float:
    """Return the geometric mean in the place of the mean (Li et al. 2016, a footnote)."""
    with np.errstate(divide="ignore"):
        return float(np.exp(np.log(_of(p, best)).mean()))


def _of(p: Floats, best: Heads) -> Floats:
    """Return the marginals of a tree's arcs."""
    return np.asarray(p[best[1:], np.arange(1, len(best))])


def marginal_max(p: Floats) -> Floats:
    """Return p(h0 -> m) of the likeliest head h0 of each word (Li et al. 2016, eq. 8)."""
    return _by_word(p[:, 1:].max(axis=0))


def marginal_gap(p: Floats) -> Floats:
    """Return p(h0 -> m) - p(h1 -> m), the two likeliest heads (Li et al. 2016, eq. 9).

    >>> marginal_gap(np.array([[0, 0.5, 0.75], [0, 0, 0.25], [0, 0.5, 0]]))
    array([nan, 0. , 0.5])
    """
    second, first = np.partition(p[:, 1:], -2, axis=0)[-2:]
    return _by_word(first - second)


def marginal_entropy(p: Floats) -> Floats:
    """Return the sum over heads of p log p (Li et al. 2016, eq. 10): minus the entropy."""
    return _by_word(-_entropy(p[:, 1:]))


def sentence_entropy(scores: Floats, *, softmax: bool = True) -> float:
    """Return - sum_i p_i log p_i over a list of trees.

    Parameters
    ----------
    scores
        ``(k,)``, of the k best trees.
    softmax
        Whether p_i is proportional to exp(s_i): with logs of probabilities as scores that is the
        sentence entropy H_s of Tang et al. (2002, eq. 14-15). Otherwise to s_i, as Mirroshandel &
        Nasr (2011) do with the scores of MIRA; if one is not positive, all are shifted by the same
        amount, so that the least becomes 1.

    Examples
    --------
    >>> round(sentence_entropy(np.zeros(4)), 3)
    1.386
    >>> round(sentence_entropy(np.array([3.0, 1.0]), softmax=False), 3)
    0.562
    """
    if softmax:
        p = np.exp(scores - scores.max())
    else:
        p = scores if scores.min() > 0 else scores - scores.min() + 1.0
    return float(_entropy(p / p.sum()))


def word_entropy(scores: Floats, n: int) -> float:
    """Return H_s / n, the entropy of a list of parses by words (Tang et al. 2002, eq. 16)."""
    return sentence_entropy(scores) / n


def attachment_entropy(trees: Heads) -> Floats:
    """Return - sum_g P(g, w) log P(g, w), P the share of trees in which w depends on g.

    Mirroshandel & Nasr (2011): counts over a list of the best trees, whatever their scores.

    Parameters
    ----------
    trees
        ``(k, n + 1)`` heads.

    Examples
    --------
    >>> attachment_entropy(np.array([[-1, 2, 0], [-1, 0, 1]])).round(3)
    array([  nan, 0.693, 0.693])
    """
    k, size = trees.shape
    counts = np.zeros((size, size))
    np.add.at(counts, (trees[:, 1:], np.arange(1, size)), 1.0)
    return _by_word(_entropy(counts[:, 1:] / k))


def local_entropy(arcs: Floats) -> Floats:
    """Return the entropy of the softmax of the scores of arcs into each word.

    Without regard to trees: what Mirroshandel & Nasr (2011) report very bad results of.

    Parameters
    ----------
    arcs
        ``(n + 1, n + 1)`` scores; minus infinity where there can be no arc.
    """
    with np.errstate(invalid="ignore"):
        into = np.exp(arcs[:, 1:] - arcs[:, 1:].max(axis=0))
    return _by_word(_entropy(into / into.sum(axis=0)))


def tree_margin(first: float, second: float) -> float:
    """Return by how much the best tree's score is higher than the second's (after Mejer & Crammer).

    Their questions (2012) are between these two; a small margin makes the answer informative.
    """
    return first - second


def second_is_better(first: float, second: float) -> float:
    """Return the probability that the second tree is the right one, if it is one of the two.

    >>> second_is_better(1.0, 1.0)
    0.5
    """
    return float(1.0 / (1.0 + np.exp(first - second)))


def label_marginal(p: Floats) -> Floats:
    """Return max_y p(y_j = y | x), a number for each token (Wanvarie et al. 2011).

    Parameters
    ----------
    p
        ``(n, labels)``.
    """
    return np.asarray(p.max(axis=1))


def change_of_entropy(counts: Floats, added: Floats) -> float:
    """Return |H' - H| / events, H = sum over leaves of N_l H_l (Tang et al. 2002, eq. 10-12).

    Parameters
    ----------
    counts
        ``(leaves, actions)``: how often each action was seen at each leaf of a decision tree; only
        leaves to which something is added need be there.
    added
        The same shape: what the events of a sentence add.

    Examples
    --------
    >>> change_of_entropy(np.array([[1.0, 1.0]]), np.array([[0.0, 0.0]]))
    0.0
    """
    events = added.sum()
    if events == 0:
        return 0.0
    return float(abs(_weighted(counts + added) - _weighted(counts)) / events)


def _weighted(counts: Floats) -> float:
    """Return the sum over rows of N H = N log N - sum c log c, exactly 0 for pure rows."""
    totals = counts.sum(axis=1)
    return float((xlogy(totals, totals) - xlogy(counts, counts).sum(axis=1)).sum())


def _entropy(p: Floats) -> Floats:
    """Return - sum p log p over the first axis."""
    return np.asarray(entr(np.maximum(p, 0.0)).sum(axis=0))


def _by_word(values: Floats) -> Floats:
    return np.concatenate([[np.nan], values])
