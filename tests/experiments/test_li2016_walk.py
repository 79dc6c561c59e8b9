"""The walk through Li et al. 2016: equations by a list of all trees, and the gradient."""

import numpy as np
import pytest

from deppa_nb import CRFParser, Sentence, TreeDistribution, load
from deppa_nb.errors import ArgumentError
from deppa_nb.experiments import li2016_walk as walk


@pytest.fixture(scope="module")
def trees():
    rng = np.random.default_rng(5)
    return TreeDistribution(rng.normal(size=(6, 6)), rng.normal(size=(6, 6, 6)))


def test_a_list_of_trees_gives_what_inside_outside_gives(trees):
    listed = walk.list_trees(trees)
    assert len(listed.trees) == 143 and listed.probabilities.sum() == pytest.approx(1)
    assert (np.diff(listed.scores) <= 0).all() and listed.trees[0].tolist() == trees.best.tolist()
    np.testing.assert_allclose(listed.marginals, trees.marginals, atol=1e-12)
    for heads, p in zip(listed.trees[::20], listed.probabilities[::20], strict=True):
        assert trees.log_prob(heads) == pytest.approx(np.log(p))


def test_the_gradient_of_a_forest_is_that_of_its_definition(trees):
    heads = np.array([-1, -1, 4, -1, -1, 4])
    found = walk.check_gradient(trees, heads)
    assert len(found) == 5 * 5
    np.testing.assert_allclose(found["exact"], found["numeric"], atol=1e-8)
    assert found["exact"].abs().max() > 0.1
    with pytest.raises(ArgumentError, match="no tree has all these heads"):
        walk.check_gradient(trees, np.array([-1, 0, 0, -1, -1, -1]))  # two roots


def test_measures_are_those_of_the_strategies():
    bank = load("toy-short").train
    parser = CRFParser(epochs=1, bits=12, progress=False).fit(bank[:20])
    shown = bank[30]
    p = parser.marginals(shown)
    words = walk.word_measures(parser, shown)
    assert list(words["word"]) == list(shown.words) and words.index.tolist()[0] == 1
    np.testing.assert_allclose(words["marginal-max"], p[:, 1:].max(axis=0))
    first, second = np.sort(p[:, 1:], axis=0)[-1:-3:-1]
    np.testing.assert_allclose(words["marginal-gap"], first - second)
    names = ["root", *(f"{m} {word}" for m, word in enumerate(shown.words, 1))]
    assert words["h0"].tolist() == [names[h] for h in p[:, 1:].argmax(axis=0)]
    table = walk.sentence_measures(parser, shown)["value"]
    best, n = parser.distribution(shown).best, len(shown)
    of_best = p[best[1:], np.arange(1, n + 1)]
    assert table["averaged-marginal"] == pytest.approx(of_best.mean())
    assert table["tree-score"] * n**1.5 == pytest.approx(table["tree-score-n"] * n)


def test_a_tree_of_two_words_by_hand():
    arcs, siblings = np.zeros((3, 3)), np.zeros((3, 3, 3))
    arcs[0, 2], arcs[2, 1], siblings[2, 1, 2] = 1, 2, 4  # no neighbour: the head itself
    trees = TreeDistribution(arcs, siblings)
    assert walk.tree_score(np.array([-1, 2, 0]), arcs, siblings) == 7
    listed = walk.list_trees(trees)
    assert listed.probabilities[0] == pytest.approx(1 / (1 + np.exp(-7)))
    assert len(Sentence.of(["a", "b"])) == trees.n
