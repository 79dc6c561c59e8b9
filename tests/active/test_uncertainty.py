"""Measures against their formulas, written out."""

from math import exp, log, prod

import numpy as np
import pytest

from deppa_nb import CRFParser, MIRAParser, TreeDistribution, load
from deppa_nb.active import uncertainty as u
from deppa_nb.active.measures import MEASURES, Measure, list_size, of_lists
from deppa_nb.errors import ArgumentError, ParameterError
from deppa_nb.models.constraints import Constraints
from tests.brute import naive


@pytest.fixture
def trees():
    """A distribution over the trees of four words, and the same by enumeration."""
    scores = np.random.default_rng(3).normal(size=(5, 5))
    listed = {
        tree: naive.arc_score(tree, scores)
        for tree in naive.trees(4, projective=True, single_root=True)
    }
    total = sum(map(exp, listed.values()))
    return TreeDistribution(scores), {tree: exp(s) / total for tree, s in listed.items()}, listed


def marginal(p, h, m):
    return sum(value for tree, value in p.items() if tree[m] == h)


def test_trees_and_their_probabilities(trees):
    found, p, scores = trees
    best = max(p, key=p.get)
    assert u.normalised_tree_score(found.best_score, 4) == pytest.approx(scores[best] / 8)
    log_prob = found.best_score - found.log_partition
    assert u.normalised_tree_probability(log_prob, 4) == pytest.approx(p[best] ** 0.25)
    assert u.normalised_tree_probability(log_prob, 4, "log") == pytest.approx(p[best] * log(4))
    assert u.normalised_tree_probability(log_prob, 4, "sqrt") == pytest.approx(p[best] * 2)
    with pytest.raises(ArgumentError, match="variant is 'cube', expected root, log or sqrt"):
        u.normalised_tree_probability(log_prob, 4, "cube")
    own = [marginal(p, best[m], m) for m in range(1, 5)]
    assert u.averaged_marginal(found.marginals, found.best) == pytest.approx(sum(own) / 4)
    assert u.geometric_marginal(found.marginals, found.best) == pytest.approx(prod(own) ** 0.25)


def test_heads_of_words(trees):
    found, p, _ = trees
    for m in range(1, 5):
        own = sorted((marginal(p, h, m) for h in range(5)), reverse=True)
        assert u.marginal_max(found.marginals)[m] == pytest.approx(own[0])
        assert u.marginal_gap(found.marginals)[m] == pytest.approx(own[0] - own[1])
        expected = sum(x * log(x) for x in own if x > 1e-12)
        assert u.marginal_entropy(found.marginals)[m] == pytest.approx(expected)
    assert np.isnan(u.marginal_gap(found.marginals)[0])


def test_lists_of_trees(trees):
    found, p, _ = trees
    heads, values = found.nbest(6)
    shares = [exp(v) / sum(map(exp, values)) for v in values]
    assert u.sentence_entropy(values) == pytest.approx(-sum(x * log(x) for x in shares))
    assert u.word_entropy(values, 4) == pytest.approx(u.sentence_entropy(values) / 4)
    raw = np.array([4.0, 3.0, 1.0])
    assert u.sentence_entropy(raw, softmax=False) == pytest.approx(
        -sum(x / 8 * log(x / 8) for x in raw)
    )
    shifted = raw - 2.0  # one is negative: all are moved up, so that the least is 1
    assert u.sentence_entropy(shifted, softmax=False) == pytest.approx(
        u.sentence_entropy(raw, softmax=False)
    )
    for m in range(1, 5):
        counts = [(heads[:, m] == h).mean() for h in range(5)]
        expected = -sum(x * log(x) for x in counts if x > 0)
        assert u.attachment_entropy(heads)[m] == pytest.approx(expected)
    every = found.nbest(len(p))[1]
    assert u.sentence_entropy(every) == pytest.approx(found.entropy)


def test_local_scores_and_margins(trees):
    found, _, scores = trees
    arcs = found.relative_arcs
    for m in range(1, 5):
        into = [exp(arcs[h, m]) for h in range(5) if h != m]
        shares = [x / sum(into) for x in into]
        assert u.local_entropy(arcs)[m] == pytest.approx(-sum(x * log(x) for x in shares))
    first, second = sorted(scores.values(), reverse=True)[:2]
    assert u.tree_margin(first, second) == first - second
    assert u.second_is_better(first, second) == pytest.approx(
        exp(second) / (exp(first) + exp(second))
    )
    assert u.second_is_better(1.0, -np.inf) == 0.0


def test_labels_and_leaves():
    assert u.label_marginal(np.array([[0.2, 0.8], [0.6, 0.4]])).tolist() == [0.8, 0.6]
    rng = np.random.default_rng(0)
    counts, added = rng.integers(0, 9, (5, 3)).astype(float), rng.integers(0, 3, (5, 3)) * 1.0

    def model_entropy(table):
        rows = [row for row in table.tolist() if sum(row)]
        return sum(-c * log(c / sum(row)) for row in rows for c in row if c)

    expected = abs(model_entropy(counts + added) - model_entropy(counts)) / added.sum()
    assert u.change_of_entropy(counts, added) == pytest.approx(expected)
    touched = added.sum(axis=1) > 0
    assert u.change_of_entropy(counts[touched], added[touched]) == pytest.approx(expected)


@pytest.fixture(scope="module")
def corpus():
    return load("toy-short", sizes={"train": 60, "test": 12})


# Those of label sequences: test_label_strategies.
@pytest.mark.parametrize("name", [n for n in MEASURES if not n.startswith(("label", "sequence"))])
def test_every_measure_is_of_the_parsers_own_trees(name, corpus):
    """Utilities are higher for the more uncertain, and respect what is known."""
    parser = CRFParser(1, bits=14, epochs=1, progress=False).fit(corpus.train)
    measure, bank = MEASURES[name], list(corpus.test)
    free = measure.utilities(parser, bank, [Constraints()] * len(bank))
    assert len(free) == len(bank)
    for utilities, sentence in zip(free, bank, strict=True):
        assert utilities.shape == ((len(sentence) + 1,) if measure.level == "token" else ())
    if measure.level == "token":
        known = measure.utilities(parser, bank, [Constraints.of(s) for s in bank])
        for some, less in zip(free, known, strict=True):
            assert np.ptp(less[1:]) == pytest.approx(0, abs=1e-9)  # nothing is uncertain any more
            assert some[1:].max() >= less[1:].max() - 1e-9


@pytest.mark.parametrize(
    ("level", "values"),
    [("sentence", [0.5] * 11), ("sentence", [[0.5]] * 12), ("token", [np.zeros(1)] * 12)],
)
def test_a_measure_of_other_lengths_is_refused(level, values, corpus):
    odd = Measure("odd", level, "", lambda parser, sentences, known: values)
    with pytest.raises(ArgumentError, match=f"odd: found for {len(values)} of 12 sentences"):
        odd.utilities(None, list(corpus.test), [])


def test_the_sizes_of_lists(corpus):
    assert [list_size(n)(9) for n in (20, "l", "10l", "l^1.5")] == [20, 9, 90, 27]
    with pytest.raises(ParameterError, match=r"lists of 'l\^2', expected a number or one of l, "):
        list_size("l^2")
    sentence = max(corpus.test, key=len)
    for parser in (CRFParser(1, bits=14, epochs=1), MIRAParser(1, bits=14, epochs=1)):
        parser.set_params(progress=False).fit(corpus.train)
        for n in (1, 7, "l"):
            look = of_lists(lambda heads, scores: (heads, scores), n)
            ((heads, scores),) = look(parser, [sentence], [Constraints()])
            assert len(heads) == len(scores) == list_size(n)(len(sentence))
    labelled = parser.nbest_labelled(sentence, 7)
    (found,) = of_lists(lambda heads, _: heads, 7)(parser, [sentence], [Constraints()])
    assert np.array_equal(found, labelled.heads)  # two that differ in a label are two
    [heads] = MEASURES["attachment-entropy-heads"].utilities(parser, [sentence], [Constraints()])
    trees, _ = parser.nbest(sentence, round(len(sentence) ** 1.5))
    assert len(np.unique(trees, axis=0)) == len(trees)  # and here they are one
    np.testing.assert_allclose(heads, u.attachment_entropy(trees))
