"""Selections: what is proposed, in which order, within which budget."""

import numpy as np
import pytest

from deppa_nb import Sentence
from deppa_nb.active.annotators import GoldOracle, Person
from deppa_nb.active.pool import Pool
from deppa_nb.active.selection import (
    Allowance,
    Candidates,
    Combined,
    CostAware,
    PerCluster,
    Proposal,
    Ratio,
    Threshold,
    TopSentences,
    TopTokens,
    ranked,
    within,
)
from deppa_nb.active.stopping import Budget, Kappa, MeanUncertainty
from deppa_nb.active.updates import Preference
from deppa_nb.errors import ParameterError

POOL = Pool([Sentence.of(list("abcd")[:n]) for n in (4, 3, 2)])
BY_SENTENCE = np.array([0.1, 0.9, 0.5])
BY_TOKEN = [np.array([0.1, 0.8, 0.2, 0.3]), np.array([0.4, 0.7, 0.6]), np.array([0.95, 0.0])]


def candidates(*, sentences=True, tokens=True):
    open_ = [POOL.open(j) for j in range(3)]
    return Candidates(
        POOL, np.arange(3), open_, BY_SENTENCE if sentences else None, BY_TOKEN if tokens else None
    )  # fmt: skip


def proposed(selection, budget=100, seed=0, **which):
    rng = np.random.default_rng(seed)
    allowed = budget if isinstance(budget, Allowance) else Allowance(budget, "dependencies")
    found = selection.propose(candidates(**which), allowed, rng)
    return [(p.sentence, p.tokens.tolist()) for p in found]


def test_sentences_and_words():
    assert proposed(TopSentences()) == [(1, [1, 2, 3]), (2, [1, 2]), (0, [1, 2, 3, 4])]
    words = [
        (2, [1]),
        (0, [2]),
        (1, [2]),
        (1, [3]),
        (1, [1]),
        (0, [4]),
        (0, [3]),
        (0, [1]),
        (2, [2]),
    ]
    assert proposed(TopTokens()) == words
    assert proposed(TopTokens(per_sentence=1)) == words[:3]
    assert proposed(Threshold(0.5, per_sentence=None)) == words[:4]
    assert proposed(Threshold(0.75)) == words[:2]
    assert proposed(Threshold(1.0)) == []


def test_a_share_of_the_words_of_sentences():
    half = Ratio(0.5)
    assert proposed(half) == [(1, [2, 3]), (2, [1]), (0, [2, 4])]
    assert proposed(half, sentences=False) == [(2, [1]), (1, [2, 3]), (0, [2, 4])]
    assert proposed(Ratio(0.01)) == [(1, [2]), (2, [1]), (0, [2])]  # at least one word
    for wrong in (0, 1.5, float("nan")):
        with pytest.raises(ParameterError, match="expected a number above 0, at most 1"):
            Ratio(wrong)


def test_words_of_the_most_uncertain_sentences():
    found = proposed(Combined(words=2), budget=4)  # two sentences: 1 and 2
    assert found == [(2, [1]), (1, [2]), (1, [3]), (1, [1])]  # four words of them
    by_sentence = proposed(Combined(words=2), budget=Allowance(2, "sentences"))
    assert by_sentence == found
    assert [j for j, _ in proposed(Combined(words=2), budget=1)] == [1, 1]


def test_a_share_of_the_words_of_the_most_uncertain_sentences():
    two = Allowance(2, "sentences")  # of three and two words: 60% are three of them
    assert proposed(Combined(share=0.6), budget=two) == [(2, [1]), (1, [2]), (1, [3])]
    assert proposed(Combined(share=0.01), budget=two) == [(2, [1])]
    assert len(proposed(Combined(share=0.5), budget=3)) == 2  # of 1.5 words each: half of five
    with pytest.raises(ParameterError, match="share"):
        Combined(share=1.5)


def test_one_of_each_cluster():
    words = [["fish", "swim"], ["fish", "swim", "fish"], ["red", "car"], ["red", "red", "car"]]
    pool = Pool([Sentence.of(some) for some in words])
    utilities, two = np.array([0.9, 0.8, 0.2, 0.3]), Allowance(5, "dependencies")  # of 2.5 words
    found = Candidates(pool, np.arange(4), [pool.open(j) for j in range(4)], utilities, None)
    order = [p.sentence for p in PerCluster().propose(found, two, np.random.default_rng(0))]
    assert order[:2] == [0, 3] and sorted(order) == [0, 1, 2, 3]


def test_what_is_cheap_comes_first():
    by_length = proposed(CostAware(TopSentences(), per_word_read=0, per_head=1), tokens=False)
    assert by_length[2][0] == 0  # ranks 1/3, 3/3, 2/3 by 4, 3, 2 heads: the others tie
    free = CostAware(TopTokens(), per_word_read=0)
    assert proposed(free) == proposed(TopTokens())
    dear = proposed(CostAware(TopTokens(), per_word_read=100))
    assert [j for j, _ in dear][:3] == [2, 1, 0]  # by utility alone it would be 2, 0, 1
    assert free.returns and not CostAware(TopSentences()).returns


def test_what_has_no_utility_is_last_whatever_it_costs():
    by_token = [np.array([0.1, np.nan, 0.2, 0.3]), *BY_TOKEN[1:]]
    found = Candidates(POOL, np.arange(3), [POOL.open(j) for j in range(3)], None, by_token)
    selection, rng = CostAware(TopTokens(), per_word_read=0), np.random.default_rng(0)
    proposals = list(selection.propose(found, Allowance(9, "dependencies"), rng))
    assert proposals[0].sentence == 2 and np.isnan(proposals[-1].utility)
    assert np.isfinite([p.utility for p in proposals[:-1]]).all()


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Threshold(float("nan")), "above"),
        (lambda: Threshold(0, per_sentence=0), "per_sentence"),
        (lambda: Threshold(0, per_sentence=1.5), "per_sentence"),
        (lambda: TopTokens(1.5), "per_sentence"),
        (lambda: Kappa(float("nan")), "above"),
        (lambda: Kappa(1.5), "above"),
        (lambda: MeanUncertainty(float("nan")), "below"),
        (lambda: Budget(float("nan")), "most"),
        (lambda: Budget(-5), "most"),
        (lambda: Preference(alpha=-1), "alpha"),
        (lambda: Preference(alpha=float("nan")), "alpha"),
        (lambda: Person("p", 0.5, full=-3), "full"),
        (lambda: Person("p", 0.5, partial=float("nan")), "partial"),
        (lambda: GoldOracle([], rng=-1), "rng"),
    ],
)
def test_parameters_that_make_no_sense(make, name):
    with pytest.raises(ParameterError, match=f"{name} is .*, expected a"):
        make()


def test_nothing_measured_is_random():
    every = {
        tuple(proposed(TopSentences(), seed=s, sentences=False, tokens=False)[0][1])
        for s in range(20)
    }
    assert len(every) == 3
    first = {
        str(proposed(TopTokens(), seed=s, sentences=False, tokens=False)[0]) for s in range(40)
    }
    assert len(first) > 5


def test_ties_are_broken_by_chance():
    rng = np.random.default_rng(0)
    firsts = {int(ranked(np.zeros(10), rng)[0]) for _ in range(100)}
    assert len(firsts) == 10
    assert ranked(np.array([np.nan, 1.0, -np.inf, 2.0]), rng).tolist() == [3, 1, 2, 0]


@pytest.mark.parametrize("budget", range(1, 12))
def test_a_budget_is_kept(budget):
    made = [Proposal(j, np.arange(size), 1.0) for j, size in enumerate((4, 3, 1, 2))]
    taken = within(made, Allowance(budget, "dependencies"))
    assert sum(len(p.tokens) for p in taken) <= budget
    assert len(within(made, Allowance(budget, "sentences"))) == min(budget, 4)
    if budget in (1, 2):
        assert taken  # what is too large is passed over as long as nothing was taken
    if budget == 6:
        assert [p.sentence for p in taken] == [0]  # and ends the list afterwards
    twice = [Proposal(0, np.array([1]), 1.0), Proposal(0, np.array([2]), 0.5)]
    assert len(within([*twice, *made[1:]], Allowance(1, "sentences"))) == 2
