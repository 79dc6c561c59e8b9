"""The k best labelled trees against all of them."""

from itertools import pairwise, product

import numpy as np
import pytest

from deppa_nb.kernels.labelled_kbest import best_labelled


def problem(rng, trees, words, arcs, labels, forbidden=0.0):
    scores = np.sort(rng.normal(size=trees))[::-1].copy()
    losses = np.sort(rng.exponential(size=(arcs, labels)), axis=1)
    losses -= losses[:, :1]
    losses[:, 1:][rng.random((arcs, labels - 1)) < forbidden] = np.inf
    return scores, rng.integers(0, arcs, (trees, words)), np.sort(losses, axis=1)


def found(scores, arcs, losses, k):
    trees, ranks = np.empty(k, np.int32), np.empty((k, arcs.shape[1]), np.int32)
    totals = np.empty(k)
    count = best_labelled(scores, arcs, losses, trees, ranks, totals)
    assert (totals[count:] == -np.inf).all()
    return trees[:count], ranks[:count], totals[:count]


@pytest.mark.parametrize("forbidden", [0.0, 0.4])
@pytest.mark.parametrize("seed", range(10))
def test_against_enumeration(seed, forbidden):
    rng = np.random.default_rng(seed)
    trees, words, labels = rng.integers(1, 5), rng.integers(1, 5), rng.integers(1, 4)
    given = scores, arcs, losses = problem(rng, trees, words, 6, labels, forbidden)
    every = {
        (t, ranks): scores[t] - sum(losses[arcs[t, m], j] for m, j in enumerate(ranks))
        for t in range(trees)
        for ranks in product(range(labels), repeat=words)
    }
    expected = sorted((s for s in every.values() if s > -np.inf), reverse=True)
    for k in (1, 7, len(every) + 3):
        which, ranks, totals = found(*given, k)
        np.testing.assert_allclose(totals, expected[:k], atol=1e-12)
        keys = [(int(t), tuple(r.tolist())) for t, r in zip(which, ranks, strict=True)]
        assert len(set(keys)) == len(keys)
        np.testing.assert_allclose(totals, [every[key] for key in keys], atol=1e-12)


def test_many():
    rng = np.random.default_rng(0)
    _, _, totals = found(*problem(rng, 100, 40, 500, 40), 100)
    assert len(totals) == 100 and all(a >= b for a, b in pairwise(totals))


def test_nothing():
    assert len(found(np.empty(0), np.empty((0, 3), np.int64), np.zeros((1, 2)), 5)[2]) == 0
