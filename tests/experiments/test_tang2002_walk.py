"""What the walk through Tang et al. (2002) shows."""

import numpy as np
import pytest

from deppa_nb.active.density import event_distances
from deppa_nb.corpus.derivation import derive
from deppa_nb.corpus.registry import load
from deppa_nb.errors import ArgumentError
from deppa_nb.experiments import tang2002_walk as walk
from deppa_nb.models.derivation import DerivationParser

CORPUS = load("toy-flights", sizes={"train": 80, "dev": 10, "test": 30})


@pytest.fixture(scope="module")
def parser():
    return DerivationParser(clusters=20, frequent=40).fit(CORPUS.train)


def test_numbered_actions():
    table = walk.numbered(walk.FIGURE_1)
    assert list(table.index) == list(range(1, 18))
    assert table["words"].tolist()[:4] == ["fly", "fly", "from", "from"]
    assert table.loc[10].tolist() == ["extension", "UP", "new york"]
    assert table.loc[17, "words"] == " ".join(walk.FIGURE_1.words)


def test_the_context_of_an_action(parser):
    tree = parser.predict(CORPUS.test[0])
    bits, yes = walk.context(parser, tree, 3)
    assert len(bits) == len(parser.asked_) and bits.count("1") == len(yes)
    assert "tag[-1] is wd" in set(yes["yes to"]) or tree.tags[0] != "wd"
    assert all(bits[k] == "1" for k in yes.index)


def test_the_questions_of_a_decision_tree(parser):
    with pytest.raises(ArgumentError, match="kind is 'labels', expected one of tag, label, ext"):
        walk.decisions(parser, "labels")
    table = walk.decisions(parser, "label", 2)
    assert table["events"].iloc[0] == sum(len(tree.labels) for tree in CORPUS.train)
    assert table["question"].iloc[0].endswith("?") and 3 <= len(table) <= 7
    no, yes = (table["question"].str.contains(f"^\u2003{word}: ") for word in ("no", "yes"))
    below = table[no | yes]["events"].sum()
    assert below == table["events"].iloc[0]


@pytest.mark.parametrize("contexts", [True, False])
def test_an_alignment_costs_the_distance(parser, contexts):
    trees = [parser.predict(tree) for tree in CORPUS.test[:6]]
    events = [parser.events(tree) for tree in trees]
    distances, which = event_distances(events, contexts=contexts, threads=1)
    for i, one in enumerate(trees):
        for j, two in enumerate(trees):
            steps = walk.align(parser, one, two, contexts=contexts)
            assert sum(step.cost for step in steps) == distances[which[i], which[j]]
            assert [s.first for s in steps if s.first] == [a.name for a in derive(one)]
            assert [s.second for s in steps if s.second] == [a.name for a in derive(two)]


def test_a_map_keeps_distances_of_points_in_a_plane():
    points = np.random.default_rng(1).normal(size=(12, 2))
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    found = walk.embed(distances)
    again = np.linalg.norm(found[:, None] - found[None], axis=2)
    np.testing.assert_allclose(again, distances, atol=1e-9)


def test_the_map_of_sentences(parser):
    trees = [*parser.predict(CORPUS.test), parser.predict(CORPUS.test[0])]
    frame, clusters = walk.map_of(parser, trees, 4, contexts=False)
    assert frame["sentences"].sum() == len(trees) and frame["centre"].sum() == 4
    assert (frame["cluster"] == clusters.labels).all() and (frame["density"] > 0).all()


def test_entropies_of_sentences(parser):
    table = walk.entropies(parser, CORPUS.test[:9], 5)
    assert (np.diff(table["words"]) <= 0).all() and table["parsed right"].any()
    np.testing.assert_allclose(table["sentence entropy"], table["word entropy"] * table["words"])
