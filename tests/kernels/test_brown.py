"""Brown clustering against greedy merging that computes mutual information anew at each step."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from brute import naive
from hypothesis import given
from hypothesis import strategies as st
from numba import config

from deppa_nb.features.brown import merger_arguments
from deppa_nb.kernels.brown import merge_words

PLAIN = bool(config.DISABLE_JIT)  # as plain Python the kernels are slow: less will do


def counted(sentences):
    """Bigrams of sentences of numbers; 0 stands around each."""
    return dict(Counter(pair for words in sentences for pair in pairwise([0, *words, 0])))


def merged(bigrams, words, window):
    rows = np.array([(*pair, times) for pair, times in sorted(bigrams.items())], np.int64)
    arguments = merger_arguments(range(words), rows.reshape(-1, 3), window)
    arguments[-1][:] = -1
    merge_words(*arguments)
    return [tuple(row) for row in arguments[-1].tolist()]


def random_sentences(rng, words, count, longest=8):
    """Sentences in which words of the same remainder by 3 stand at the same places."""
    drawn = []
    for _ in range(count):
        kinds = rng.integers(3, size=rng.integers(1, longest))
        drawn.append([int(3 * rng.integers(words // 3) + kind + 1) for kind in np.sort(kinds)])
    return drawn


@pytest.mark.parametrize("window", [2, 3, 5, 12, 20])
def test_every_merger_loses_the_least(window):
    words = 9 if PLAIN else 12
    for seed in range(2):
        rng = np.random.default_rng([seed, window])
        bigrams = counted(random_sentences(rng, words, 30))
        merges = merged(bigrams, words, window)
        losses = list(naive.merger_losses(bigrams, words, window, merges))
        assert len(losses) == words - 1
        for chosen, least in losses:
            assert chosen == pytest.approx(least, abs=1e-6)
        assert max(chosen for chosen, _ in losses) > 1  # and there was something to lose


@given(
    st.lists(st.lists(st.integers(1, 7), max_size=6), max_size=8), st.integers(2, 9), st.integers(7, 9)
)  # fmt: skip
def test_any_text(sentences, window, words):
    """Words that never occur, sentences of nothing, a word beside itself; any window."""
    bigrams = counted(sentences)
    merges = merged(bigrams, words, window)
    assert all(1 <= a < b <= words for a, b in merges)
    gone = [b for _, b in merges]
    assert sorted(gone) == list(range(2, words + 1))  # each is merged once, into an earlier one
    for step, (a, b) in enumerate(merges):
        assert a not in gone[:step]
        assert b <= window + step  # words come in one by one
    for chosen, least in naive.merger_losses(bigrams, words, window, merges):
        assert chosen == pytest.approx(least, abs=1e-6)


def test_little_or_nothing():
    assert merged({}, 0, 2) == []
    assert merged(counted([[1, 1]]), 1, 2) == []
    assert merged(counted([[1, 2]]), 2, 2) == [(1, 2)]


def test_sums_are_exact_however_often_they_are_changed():
    """The table after many mergers is that of a start with the clusters there are."""
    rng = np.random.default_rng(5)
    words, kept = (15, 5) if PLAIN else (60, 10)
    bigrams = counted(random_sentences(rng, words, 300))
    merges = merged(bigrams, words, words)
    cluster = list(range(words + 1))
    for a, b in reversed(merges[: words - kept]):
        cluster[b] = cluster[a]
    names = {word: k for k, word in enumerate(sorted(set(cluster)))}
    renamed = Counter()
    for (a, b), times in bigrams.items():
        renamed[names[cluster[a]], names[cluster[b]]] += times
    rest = [(names[a], names[b]) for a, b in merges[words - kept :]]
    assert merged(renamed, kept, kept) == rest
