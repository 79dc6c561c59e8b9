"""The walk through Mejer & Crammer 2012."""

import numpy as np
import pytest

from deppa_nb import MSTParser, Sentence, load
from deppa_nb.errors import ArgumentError
from deppa_nb.experiments import mejer2012_walk as walk


@pytest.fixture(scope="module")
def bank():
    return load("toy-en", sizes={"train": 40, "dev": 5, "test": 5}).train


@pytest.fixture
def parser(bank):
    return MSTParser(bits=14, epochs=2, progress=False).fit(bank[:10])


def test_the_two_best_of_a_list(parser, bank):
    short = next(s for s in bank if len(s) == 5)
    listed = walk.list_trees(walk.arc_scores(parser, short), 2)
    trees, scores = parser.nbest(short, 2)
    assert listed["heads"].tolist() == trees[:, 1:].tolist()
    np.testing.assert_allclose(listed["score"], scores, rtol=1e-6)
    assert listed.iloc[0, 2] == 0 and listed.iloc[1, 2] == (trees[0] != trees[1]).sum()
    with pytest.raises(ArgumentError, match="7 words have too many trees"):
        walk.trees_of(7)


def test_a_question_about_several_words():
    trees = np.array([[-1, 2, 0], [-1, 0, 1]])
    asked = walk.question(Sentence.of(["Go", "on"]), trees)
    assert asked == (
        'Does "Go" depend on "on" (A) or on the root (B), '
        'and "on" depend on the root (A) or on "Go" (B)? A or B?'
    )


def test_rounds(parser, bank):
    rounds = walk.Rounds(parser, bank[10:13])
    trees, sentence = rounds.trees, rounds.sentence
    before = walk.arc_scores(parser, sentence)
    changed = rounds.answer(-1)
    after = walk.arc_scores(parser, sentence)
    word = int(np.flatnonzero(trees[0] != trees[1])[0])
    a, b = trees[:, word]
    assert changed.loc["B", "change"].max() > 0 > changed.loc["A", "change"].min()
    assert changed["score after"].iloc[1] == pytest.approx(after[b, word])
    assert changed["score before"].iloc[0] == pytest.approx(before[a, word])
    assert rounds.sentence is not sentence and rounds.asked[0]["answer"] == "B"
    assert rounds.answer(0)["change"].abs().max() == 0 and rounds.asked[1]["weights"] == 0
    rounds.answer(rounds.gold)
    assert rounds.sentence is sentence and list(rounds.table().index) == [1, 2, 3]
    with pytest.raises(ArgumentError, match="choice is 2"):
        rounds.answer(2)
    with pytest.raises(ArgumentError, match="no sentences of two words"):
        walk.Rounds(parser, [Sentence.of(["Go"], heads=[0])])
