"""The loss of partial labels, and how far its derivatives reach."""

import numpy as np
import pytest

from deppa_nb.kernels import chain
from deppa_nb.kernels.chain_loss import partial_loss
from tests.brute import naive


def random_chain(rng, tokens, labels, scale):
    unary = rng.normal(scale=scale, size=(tokens, labels))
    return unary, rng.normal(scale=scale, size=(labels, labels))


def some_given(rng, tokens, labels, count):
    given = np.full(tokens, -1, np.int32)
    where = rng.choice(tokens, count, replace=False)
    given[where] = rng.integers(0, labels, count)
    return given


def losses(given, unary, transitions):
    p, counts = np.full(unary.shape, np.nan), np.zeros(transitions.shape)
    loss, first, last = partial_loss(given, unary, transitions, chain.weigh(transitions), p, counts)
    assert not p[:first].any() and not p[last:].any()
    return loss, p, counts, last - first


def difference_of_sums(given, unary, transitions):
    """The same by summing over everything twice."""
    found = []
    for labels in (np.full_like(given, -1), given):
        allowed = np.empty(unary.shape, bool)
        chain.allow(labels, allowed)
        p, counts = np.empty(unary.shape), np.zeros(transitions.shape)
        table = chain.weigh(transitions)
        log_z = chain.forward_backward(unary, allowed, transitions, table, p, counts)
        found.append((log_z, p, counts))
    return [one - other for one, other in zip(*found, strict=True)]


def test_against_a_list_of_all_sequences():
    rng = np.random.default_rng(1)
    for tokens, labels in [(1, 3), (2, 3), (4, 3), (5, 2), (4, 4)]:
        for count in range(1, tokens + 1):
            unary, transitions = random_chain(rng, tokens, labels, 2.0)
            given = some_given(rng, tokens, labels, count)
            everything = np.ones(unary.shape, bool)
            scores = {
                y: naive.label_score(y, unary, transitions)
                for y in naive.label_sequences(everything)
            }
            fits = {y: all(g in (-1, k) for g, k in zip(given, y, strict=True)) for y in scores}
            z, own = (
                sum(np.exp(score) for y, score in scores.items() if fits[y] or not only)
                for only in (False, True)
            )
            p, counts = np.zeros(unary.shape), np.zeros(transitions.shape)
            for y, score in scores.items():
                weight = np.exp(score) / z - fits[y] * np.exp(score) / own
                for t, k in enumerate(y):
                    p[t, k] += weight
                    if t:
                        counts[y[t - 1], k] += weight
            loss, found, found_counts, _ = losses(given, unary, transitions)
            assert loss == pytest.approx(np.log(z / own), abs=1e-9)
            assert found == pytest.approx(p, abs=1e-9)
            assert found_counts == pytest.approx(counts, abs=1e-9)


@pytest.mark.parametrize("labels", [3, 9, 22])
@pytest.mark.parametrize("scale", [0.5, 2.0, 8.0, 400.0])  # of the widest, logarithms are summed
def test_against_sums_over_everything(labels, scale):
    rng = np.random.default_rng(labels)
    reached = []
    for _ in range(40):
        unary, transitions = random_chain(rng, 60, labels, scale)
        given = some_given(rng, 60, labels, rng.integers(1, 5))
        loss, p, counts, reach = losses(given, unary, transitions)
        expected = difference_of_sums(given, unary, transitions)
        assert loss == pytest.approx(expected[0], rel=1e-9, abs=1e-9)
        assert p == pytest.approx(expected[1], abs=1e-9)
        assert counts == pytest.approx(expected[2], abs=1e-8)
        reached.append(reach / (1 + np.ptp(np.flatnonzero(given >= 0))))
    if scale == 0.5:
        assert min(reached) < 1.2  # what is far from labels is left out


def test_a_label_that_is_improbable_now_and_favoured_later():
    """What is lost by scaling may be all that counts: then it is not scaled."""
    unary = np.zeros((12, 3))
    unary[:4, 1], unary[8:, 1] = -300.0, 320.0
    transitions = np.array([[0.0, -400.0, 0.0], [-400.0, 0.0, -400.0], [0.0, -400.0, 0.0]])
    for at in range(12):
        for label in range(3):
            given = np.full(12, -1, np.int32)
            given[at] = label
            loss, p, counts, _ = losses(given, unary, transitions)
            expected = difference_of_sums(given, unary, transitions)
            assert loss == pytest.approx(expected[0], rel=1e-9, abs=1e-9)
            assert p == pytest.approx(expected[1], abs=1e-9)
            assert counts == pytest.approx(expected[2], abs=1e-8)
