"""The tagger: against enumeration, on toy corpora, its manners."""

import itertools

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.exceptions import NotFittedError

from deppa_nb import CRFParser, Sentence, Tagger, load, read_conllu
from deppa_nb.cli import deppa
from deppa_nb.errors import ArgumentError, FormatError, ParameterError
from deppa_nb.kernels.tagging import learn_tags, tag_batch

QUICK = {"bits": 14, "progress": False}


@pytest.fixture(scope="module")
def corpus():
    return load("toy-en", sizes={"train": 300, "dev": 50, "test": 100})


@pytest.fixture(scope="module")
def tagger(corpus):
    return Tagger(**QUICK).fit(corpus.train)


def problem():
    """Two sentences of 3 and 1 words, 4 templates in a table of 8 rows, 3 tags."""
    rng = np.random.default_rng(0)
    slots = rng.integers(0, 2**32, (4, 4), dtype=np.uint32)
    weights, transitions = rng.normal(size=(8, 3)).astype(np.float32), rng.normal(size=(3, 3))
    return slots, np.array([0, 3, 4]), weights, transitions


def scores(slots, firsts, weights, transitions, k):
    """The score of each sequence of tags of a sentence."""
    words = range(firsts[k], firsts[k + 1])
    unary = [sum(weights[i % 8].astype(float) for i in slots[:, word]) for word in words]
    return {
        tags: sum(u[t] for u, t in zip(unary, tags, strict=True))
        + sum(transitions[a, b] for a, b in itertools.pairwise(tags))
        for tags in itertools.product(range(3), repeat=len(words))
    }


def test_the_best_tags_are_those_of_enumeration():
    given = problem()
    tags = np.empty(4, np.int32)
    tag_batch(*given, tags)
    for k, (start, end) in enumerate(itertools.pairwise(given[1])):
        found = scores(*given, k)
        assert tuple(tags[start:end].tolist()) == max(found, key=found.get)


def loss_of(given, tags):
    total = 0.0
    for k, (start, end) in enumerate(itertools.pairwise(given[1])):
        own, every = tags[start:end], scores(*given, k)
        fits = [
            s for y, s in every.items() if all(t in (-1, a) for t, a in zip(own, y, strict=True))
        ]
        if (own >= 0).any():
            total += np.logaddexp.reduce([*every.values()]) - np.logaddexp.reduce(fits)
    return total


@pytest.mark.parametrize("tags", [(0, 2, 1, 1), (0, -1, 1, 2), (-1, -1, 2, -1)])
def test_loss_and_step_against_finite_differences(tags):
    slots, firsts, weights, transitions = problem()
    tags, rate = np.array(tags, np.int32), 1e-4
    for k in range(2):  # one sentence at a time, so that the step is the gradient's
        own = np.where(np.arange(4) // 3 == k, tags, -1).astype(np.int32)
        moved, moved_transitions = weights.copy(), transitions.copy()
        delta = 1e6  # far above the square root of any sum of squares
        loss = learn_tags(
            slots, firsts, own, np.array([k]), moved, np.zeros_like(moved), moved_transitions,
            np.zeros_like(transitions), rate * 1e6, delta,
        )  # fmt: skip
        assert loss == pytest.approx(loss_of((slots, firsts, weights, transitions), own), abs=1e-6)
        for place in itertools.product(range(3), range(3)):
            sides = []
            for sign in (1, -1):
                other = transitions.copy()
                other[place] += sign * 1e-5
                sides.append(loss_of((slots, firsts, weights, other), own))
            step = (transitions - moved_transitions)[place] / rate
            assert step == pytest.approx((sides[0] - sides[1]) / 2e-5, abs=1e-4)
        for place in itertools.product(range(8), range(3)):
            sides = []
            for sign in (1, -1):
                other = weights.astype(float)
                other[place] += sign * 1e-3
                sides.append(loss_of((slots, firsts, other, transitions), own))
            step = float((weights - moved)[place]) / rate
            assert step == pytest.approx((sides[0] - sides[1]) / 2e-3, abs=1e-2)


def test_it_tags(corpus, tagger):
    assert tagger.accuracy(corpus.train) > 99
    assert tagger.accuracy(corpus.test) > 93
    found = tagger.predict(corpus.test)
    assert [s.forms for s in found] == [s.forms for s in corpus.test]
    assert found[0].with_column("upos", corpus.test[0].upos[1:]) == corpus.test[0]
    blind = [s.with_column("upos", ["_"] * len(s)) for s in corpus.test]
    assert tagger.predict_tags(blind) == tagger.predict_tags(corpus.test)


def test_the_same_seed_gives_the_same_tagger(corpus, tagger):
    again = Tagger(**QUICK, threads=3).fit(corpus.train)
    assert np.array_equal(again.weights_, tagger.weights_)
    assert again.predict(corpus.test) == tagger.predict(corpus.test)


def test_open_words_are_left_out(corpus):
    rng = np.random.default_rng(0)
    partly = [
        s.with_column("upos", np.where(rng.random(len(s)) < 0.5, s.upos[1:], "_").tolist())
        for s in corpus.train
    ]
    found = Tagger(**QUICK).fit(partly)
    assert "_" not in found.tags_ and found.accuracy(corpus.test) > 88


def test_jackknifing(corpus):
    bank = corpus.train[:60]
    found = Tagger(**QUICK).jackknifed(bank, 5)
    assert [s.forms for s in found] == [s.forms for s in bank]
    pairs = [zip(a.upos, b.upos, strict=True) for a, b in zip(found, bank, strict=True)]
    right = np.mean([a == b for pair in pairs for a, b in pair])
    assert 0.8 < right < 0.999  # a tagger that had seen them would know them all
    assert Tagger(**QUICK).jackknifed(bank, 5) == found
    with pytest.raises(ArgumentError, match="folds is 61, expected 2 to 60"):
        Tagger(**QUICK).jackknifed(bank, 61)


def test_odd_inputs(corpus, tagger):
    assert tagger.predict_tags([]) == []
    assert len(tagger.predict_tags([Sentence.of(["Go"])])[0]) == 1
    with pytest.raises(ArgumentError, match="none of the 1 sentences to learn from has a tag"):
        Tagger(**QUICK).fit([Sentence.of(["Go"])])
    with pytest.raises(NotFittedError):
        Tagger().predict(corpus.test)
    with pytest.raises(ParameterError, match=r"'m.p': not for tags"):
        Tagger(templates=["m.p"], progress=False).fit(corpus.train)
    with pytest.raises(ParameterError, match="column is 'feats'"):
        Tagger(column="feats", progress=False).fit(corpus.train)


def test_in_a_file(corpus, tagger, tmp_path):
    path = tmp_path / "tagger.npz"
    tagger.save(path)
    assert Tagger.load(path).predict(corpus.test) == tagger.predict(corpus.test)
    with pytest.raises(FormatError, match="deppa_nb Tagger, version"):
        CRFParser.load(path)
    with np.load(path) as found:
        fields = dict(found)
    np.savez(path, **{**fields, "tags": np.array('["A"]')})
    with pytest.raises(FormatError, match="for 1 tags"):
        Tagger.load(path)


def test_the_commands(corpus, tmp_path):
    model, out = str(tmp_path / "tagger.npz"), str(tmp_path / "out.conllu")
    trees, test = (str(corpus.files[split]) for split in ("train", "test"))
    run = CliRunner().invoke
    options = ["--model", "tagger", "--bits", "14", "--epochs", "2"]
    shown = run(deppa, ["train", model, trees, "--dev", test, *options])
    assert shown.exit_code == 0 and "% right on" in shown.output, shown.output
    assert run(deppa, ["tag", model, test, "-o", out]).exit_code == 0
    assert read_conllu(out) == Tagger.load(model).predict(corpus.test)
    shown = run(deppa, ["train", model, trees, "--model", "tagger", "--labels"])
    assert shown.exit_code == 2 and "--labels is no option of --model tagger" in shown.output


def test_a_fit_that_fails_changes_nothing(corpus):
    tagger = Tagger(**QUICK, epochs=1).fit(corpus.train[:40])
    before, templates = tagger.predict_tags(corpus.test), tagger.templates
    other = [s.with_column("upos", (["A", "B"] * len(s))[: len(s)]) for s in corpus.train[:40]]
    with pytest.raises(ParameterError, match="not for tags"):
        tagger.set_params(templates=["m.p"]).fit(other)
    assert tagger.set_params(templates=templates).predict_tags(corpus.test) == before


def test_odd_parameters_and_lists(corpus, tagger, tmp_path):
    wrong = {"rate": float("nan"), "threads": 0, "bits": 40, "epochs": 1.5, "column": "lemma"}
    for name, value in wrong.items():
        with pytest.raises(ParameterError, match=f"{name} is "):
            Tagger(**QUICK).set_params(**{name: value}).fit(corpus.train[:5])
    some = list(corpus.test[:5])
    assert list(tagger.predict(some)) == list(tagger.predict(corpus.test[:5]))
    path = tmp_path / "tagger.npz"
    tagger.save(path)
    assert Tagger.load(path).get_params() == tagger.get_params()
    with np.load(path) as found:
        fields = dict(found)
    changed = {"transitions": np.full_like(fields["transitions"], np.nan), "templates": '["m.w"]'}
    for name, value in changed.items():
        np.savez(path, **{**fields, name: np.array(value)})
        with pytest.raises(FormatError):
            Tagger.load(path)


def test_the_seed_draws_the_folds(corpus):
    bank = corpus.train[:60]
    drawn = [Tagger(bits=10, epochs=1, rng=r, progress=False).jackknifed(bank, 3) for r in (1, 2)]
    assert [s.upos for s in drawn[0]] != [s.upos for s in drawn[1]]
    firsts = Tagger(bits=10, epochs=1, rng=1, progress=False).jackknifed(list(bank), 3)
    assert list(firsts) == list(drawn[0])
