"""Passes of light feedback, step by step beside plain Python."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numba import config

from deppa_nb import MSTParser, Sentence, load
from deppa_nb.errors import ArgumentError, ParameterError
from deppa_nb.kernels.light import KNOWN, NEW, NONE
from deppa_nb.models.light import Feedback, LightPasses
from deppa_nb.models.margin import Preferences

PLAIN = bool(config.DISABLE_JIT)  # as plain Python the kernels are slow: less will do
# Hashes of slots, of 64 bits, overflow on purpose; as plain Python they warn.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
MANY, PASSES = (4, 2) if PLAIN else (40, 3)


@pytest.fixture(scope="module")
def bank():
    found = load("toy-freeorder", sizes={"train": 80, "dev": 5, "test": 5}).train
    return (
        [s for s in found if len(s) < 8] if PLAIN else [*found[:79], Sentence.of(["Go"], heads=[0])]
    )


@pytest.fixture
def parser(bank):
    return MSTParser(bits=12, epochs=1, averaging=False, progress=False).fit(bank[:4])


class Twin:
    """The algorithm of the paper's Figure 1, with memory, noise and both ways to read an answer."""

    def __init__(self, parser, sentences, feedback, rng):
        self.light, self.feedback, self.rng = Preferences(parser, sentences), feedback, rng
        self.memory, self.steps, self.passes = {}, [], 0

    def go(self):
        parser, sentences = self.light.parser, self.light.sentences
        chances = np.random.default_rng([self.rng, self.passes]).random((len(sentences), 3))
        found = []
        for j in range(len(sentences)):
            (first, second), scores = self.light.two_best(j)
            differ = int((first != second).sum()) if np.isfinite(scores[1]) else 0
            answer, new = 2, 0
            if differ and not (self.feedback.single and differ > 1):
                answer, new = self.ask(j, first, second, chances[j])
            if answer in (1, -1):
                self.learn(j, first, second, answer)
            self.steps.append(parser.weights_.copy())
            found.append([differ, answer, new])
        self.passes += 1
        return np.array(found)

    def ask(self, j, first, second, chance):
        one, two = (
            tuple((m, h) for m, h in enumerate(t) if first[m] != second[m]) for t in (first, second)
        )
        if (j, one, two) in self.memory:
            return self.memory[j, one, two], 0
        right, of = self.light.sentences[j].heads[1:], self.feedback
        answer = int(np.sign((first[1:] == right).sum() - (second[1:] == right).sum()))
        if answer == 0 and not of.ternary:
            answer = {"first": 1, "second": -1, "random": 1 if chance[0] < 0.5 else -1}[of.ties]
        if chance[1] < of.noise:
            wrong = {-1: (0, 1), 0: (1, -1), 1: (-1, 0)}[answer] if of.ternary else [-answer] * 2
            answer = wrong[0 if chance[2] < 0.5 else 1]
        self.memory[j, one, two], self.memory[j, two, one] = answer, -answer
        return answer, 1

    def learn(self, j, first, second, answer):
        parser, weight = self.light.parser, 1.0
        if self.feedback.expected:
            differ = np.flatnonzero(first != second)
            p = parser.distribution(self.light.sentences[j]).marginals
            a, b = (p[tree[differ], differ].mean() for tree in (first, second))
            noise = self.feedback.noise
            said, other = ((1 - noise) * x for x in ((a, b) if answer > 0 else (b, a)))
            other *= noise / (1 - noise)
            weight = (said - other) / (said + other + (1 - a - b) / 2)
        if weight < 0:
            answer, weight = -answer, -weight
        pair = (first, second) if answer > 0 else (second, first)
        before = parser.weights_.copy()
        self.light.prefer(j, *pair, alpha=self.feedback.alpha)
        parser.weights_[:] = before + np.float32(weight) * (parser.weights_ - before)


WAYS = [
    *(Feedback(single, ternary) for single, ternary in itertools.product((True, False), repeat=2)),
    Feedback(single=False, noise=0.3, ties="first"),
    Feedback(single=False, ternary=True, noise=0.3),
    Feedback(ties="second", alpha=0.01),
    Feedback(single=False, noise=0.2, expected=True),
]


@pytest.mark.parametrize("feedback", WAYS[-2:] if PLAIN else WAYS, ids=str)
def test_every_step_is_that_of_plain_python(parser, bank, feedback):
    light = LightPasses(parser, bank[-MANY:], bank[-MANY:], feedback, 3)
    other = MSTParser(bits=12, epochs=1, averaging=False, progress=False).fit(bank[:4])
    twin, seen = Twin(other, bank[-MANY:], feedback, 3), []
    for _ in range(PASSES):
        found, expected = light.go(), twin.go()
        assert np.array_equal(found, expected)
        np.testing.assert_allclose(parser.weights_, other.weights_, atol=1e-5)
        mean = np.mean(twin.steps, axis=0)
        np.testing.assert_allclose(light.averaged().weights_, mean, atol=1e-5)
        seen.append(found)
    if not PLAIN:
        answers = {int(a) for a in np.concatenate(seen)[:, 1]}
        assert answers >= ({-1, 0, 1} if feedback.ternary else {-1, 1})
        assert seen[0][-1].tolist() == [0, 2, 0]  # a word alone
        assert seen[-1][:, 2].sum() < seen[0][:, 2].sum()  # some questions came back


def test_passes_go_on_from_a_file(parser, bank, tmp_path):
    feedback = Feedback(single=False, noise=0.2)
    light = LightPasses(parser, bank[-MANY:], bank[-MANY:], feedback, 1)
    light.go()
    light.save(tmp_path / "state")
    last = light.go()
    again = LightPasses(
        MSTParser(bits=12, epochs=1, progress=False).fit(bank[:2]),
        bank[-MANY:], bank[-MANY:], feedback, 1,
    )  # fmt: skip
    again.restore(tmp_path / "state")
    assert again.passes == 1 and np.array_equal(again.go(), last)
    assert np.array_equal(again.averaged().weights_, light.averaged().weights_)


def test_what_sentences_are_worth(parser, bank):
    light = LightPasses(parser, bank[-MANY:], bank[-MANY:], Feedback(), 1)
    (margins, kinds), (chances, _) = light.utilities("margin"), light.utilities("probability")
    for j, sentence in enumerate(light.sentences):
        (first, second), scores = light.two_best(j)
        differ = np.flatnonzero(first != second)
        if np.isfinite(scores[1]):
            p = parser.distribution(sentence).marginals
            assert margins[j] == pytest.approx(scores[1] - scores[0], abs=1e-6)
            assert chances[j] == pytest.approx(p[second[differ], differ].mean(), abs=1e-6)
            assert kinds[j] == (NEW if len(differ) == 1 else NONE)  # single: not about several
        else:
            assert margins[j] == chances[j] == -np.inf and kinds[j] == NONE


def test_answers_from_memory_are_free_and_new_ones_need_leave(parser, bank):
    light = LightPasses(parser, bank[-MANY:], bank[-MANY:], Feedback(alpha=0.0), 1)
    every = np.arange(MANY)
    asked = light.go(every, every % 2 == 0)  # nothing is learned: all questions stay as they are
    kinds = light.utilities("margin")[1]
    assert (asked[1::2, 1] == 2).all() and (asked[::2, 2] == (kinds[::2] == KNOWN)).all()
    assert NEW in kinds[1::2] and KNOWN not in kinds[1::2]
    again = light.go(every, np.zeros(MANY, bool))
    assert not again[:, 2].any() and np.array_equal(again[:, 1] != 2, kinds == KNOWN)
    with pytest.raises(ArgumentError, match="allowed for 1 sentences"):
        light.go(every, np.ones(1, bool))


def test_some_sentences_in_any_order(parser, bank):
    light = LightPasses(parser, bank[-MANY:], bank[-MANY:], Feedback(single=False), 1)
    assert len(light.go(np.array([2, 0]))) == 2 and len(light.go(np.zeros(0, np.int64))) == 0
    found = light.go(np.array([1, 2]))
    assert light.passes == 3 and found[0, 2] == 1  # the first one was never asked


def test_wrong_input(parser, bank):
    for wrong, message in (
        ({"ties": "both"}, "ties is 'both'"), ({"noise": -0.1}, "noise is -0.1"),
        ({"alpha": -1.0}, "alpha is -1.0"), ({"expected": True, "ternary": True}, "two answers"),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=message):
            replace(Feedback(), **wrong)
    some = bank[-3:]
    with pytest.raises(ArgumentError, match="truth of other sentences"):
        LightPasses(parser, some, some[:2], Feedback(), 1)
    with pytest.raises(ArgumentError, match="truth with open words"):
        open_ = [s.with_heads([-1] * len(s)) for s in some]
        LightPasses(parser, some, open_, Feedback(), 1)
    light = LightPasses(parser, some, some, Feedback(), 1)
    for order in ([0, 0], [3], [-1]):
        with pytest.raises(ArgumentError, match="each of 3 sentences once or not"):
            light.go(np.array(order))
    with pytest.raises(ArgumentError, match="measure is 'gap'"):
        light.utilities("gap")
