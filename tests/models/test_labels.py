"""Labels: learned from labelled arcs only, whatever else is open; in trees, files and constraints."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from deppa_nb import Constraints, CRFParser, Sentence, Treebank, evaluate, load
from deppa_nb.errors import ArgumentError, FormatError, NoTreeError, ParameterError
from deppa_nb.models.labels import LabelModel

QUICK = {"bits": 12, "progress": False}
PARSER = {"bits": 14, "epochs": 1, "order": 1, "labels": True, "progress": False}


@pytest.fixture(scope="module")
def corpus():
    return load("toy-short", sizes={"train": 150, "dev": 30, "test": 30})


@pytest.fixture(scope="module")
def parser(corpus):
    return CRFParser(**PARSER).fit(corpus.train)


def accuracy(model, bank):
    found = model.predict(bank, [s.heads for s in bank])
    pairs = [pair for f, s in zip(found, bank, strict=True) for pair in zip(f, s.labels[1:], strict=True)]  # fmt: skip
    return np.mean([a == b for a, b in pairs])


def partly(bank, share, *, labels_only=False, seed=0):
    """Some labels, or some arcs with their labels, left open."""
    rng, opened = np.random.default_rng(seed), []
    for s in bank:
        kept = rng.random(len(s)) < share
        names = [label if keep else "_" for label, keep in zip(s.labels[1:], kept, strict=True)]
        heads = s.heads[1:] if labels_only else np.where(kept, s.heads[1:], -1)
        opened.append(s.with_heads(heads, names))
    return bank.with_sentences(opened)


def test_it_learns_from_whatever_is_labelled(corpus):
    model = LabelModel(**QUICK).fit(corpus.train)
    assert accuracy(model, corpus.train) > 0.99 and accuracy(model, corpus.test) > 0.9
    for half in (partly(corpus.train, 0.4), partly(corpus.train, 0.4, labels_only=True)):
        model = LabelModel(**QUICK).fit(half)
        assert accuracy(model, corpus.train) > 0.93 and accuracy(model, corpus.test) > 0.85


def test_an_open_label_or_head_teaches_nothing(corpus):
    """Labels of words that are open otherwise are as if they were not there."""
    s = Sentence.of(["a", "b", "c"], heads=[2, 0, 2], labels=["x", "root", "_"])
    other = Sentence.of(["a", "b", "c"], heads=[2, 0, 1], labels=["x", "root", "_"])
    first, second = (LabelModel(**QUICK).fit([sentence]) for sentence in (s, other))
    assert first.labels_ == ("root", "x")
    assert np.array_equal(first.weights_, second.weights_)


def test_the_same_seed_gives_the_same_weights(corpus):
    first, again, other = (LabelModel(**QUICK, rng=rng).fit(corpus.train) for rng in (1, 1, 2))
    assert np.array_equal(first.weights_, again.weights_)
    assert not np.array_equal(first.weights_, other.weights_)
    many = Treebank(corpus.train.sentences * 4)
    heads = [s.heads for s in many]
    assert first.set_params(threads=1).predict(many, heads) == again.set_params(threads=3).predict(
        many, heads
    )


def test_probabilities_sum_to_1_and_agree_with_the_best(corpus):
    model, s = LabelModel(**QUICK).fit(corpus.train), corpus.test[0]
    p = model.probabilities(s, s.heads)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-5)
    assert [model.labels_[k] for k in p.argmax(axis=1)] == model.predict([s], [s.heads])[0]


def test_sample_weights(corpus):
    """A sentence that counts nothing changes no weight."""
    bank, importance = corpus.train[:20], np.repeat([1.0, 0.0], 10)
    model = LabelModel(**QUICK).fit(bank, sample_weight=importance)
    assert accuracy(model, bank[:10]) > 0.97
    with pytest.raises(ArgumentError, match="has an arc with one"):
        LabelModel(**QUICK).fit(bank, sample_weight=np.zeros(20))
    wrong = [s.with_heads(s.heads[1:], ["bad"] * len(s)) for s in bank[10:]]
    model = LabelModel(**QUICK).fit([*bank[:10], *wrong], sample_weight=importance)
    assert "bad" not in model.labels_


def test_few_labels():
    one = Sentence.of(["a", "b"], heads=[0, 1], labels=["dep", "dep"])
    model = LabelModel(**QUICK).fit([one])
    assert model.predict([one], [one.heads]) == [["dep", "dep"]]
    assert model.predict([], []) == []
    new = Sentence.of(["never", "seen", "before"], heads=[2, 0, 2])
    assert model.predict([new], [new.heads]) == [["dep"] * 3]


def test_nothing_to_learn_from(corpus):
    for bank in (Treebank(()), partly(corpus.train, 0.0), partly(corpus.train, 0.0, labels_only=True)):  # fmt: skip
        with pytest.raises(ArgumentError, match=r"none of the \d+ sentences to learn labels from"):
            LabelModel(**QUICK).fit(bank)
    with pytest.raises(ArgumentError, match="learn labels from"):
        CRFParser(**PARSER).fit(partly(corpus.train, 0.0, labels_only=True))
    with pytest.raises(NotFittedError, match="call fit"):
        LabelModel().predict(corpus.test, [s.heads for s in corpus.test])
    with pytest.raises(ArgumentError, match="open heads"):
        LabelModel(**QUICK).fit(corpus.train).predict(
            corpus.test[:1], [corpus.test[0].heads * 0 - 1]
        )
    with pytest.raises(ParameterError, match="not for labels"):
        LabelModel(templates=["h.p m.p b.each"]).fit(corpus.train)


def test_a_parser_with_labels(corpus, parser):
    found = parser.predict(corpus.test)
    scores = evaluate(corpus.test, found)
    assert scores.uas - 5 < scores.las <= scores.uas
    assert found[0] == parser.predict(corpus.test[0])
    bare = clone(parser).set_params(labels=False).fit(corpus.train)
    assert np.array_equal(bare.weights_, parser.weights_)
    assert set(bare.predict(corpus.test[0]).labels[1:]) == {"_"}


def test_given_labels_are_kept(corpus, parser):
    gold = partly(corpus.test, 0.5)
    limits = [Constraints.of(sentence) for sentence in gold]
    for s, found in zip(gold, parser.predict(gold, limits), strict=True):
        for m in np.flatnonzero(s.annotated):
            assert (found.heads[m], found.labels[m]) == (s.heads[m], s.labels[m])
        assert "_" not in found.labels
    odd = Constraints(labels=("_", *["odd"] * len(gold[0])))
    assert set(parser.predict(gold[0], odd).labels[1:]) == {"odd"}
    with pytest.raises(ArgumentError, match="1 labels for"):
        parser.predict(gold[0], Constraints(labels=("_",)))


def test_forbidden_labels_of_arcs(corpus, parser):
    sentence = max(corpus.test, key=len)
    found = parser.predict(sentence)
    arc, names = (int(found.heads[1]), 1), list(parser.labeller_.labels_)
    other = parser.predict(sentence, Constraints(forbidden_labels=[(*arc, found.labels[1])]))
    assert np.array_equal(other.heads, found.heads) and other.labels[2:] == found.labels[2:]
    p = parser.labeller_.probabilities(sentence, found.heads)[0]
    assert other.labels[1] == names[np.argsort(-p, kind="stable")[1]]
    every = [(*arc, name) for name in names]
    with pytest.raises(NoTreeError, match=f"no label is left for the arc {arc[0]} -> 1"):
        parser.predict(sentence, Constraints(forbidden_labels=every))
    given = ("_", "odd", *["_"] * (len(sentence) - 1))  # which only an arc from elsewhere can have
    moved = parser.predict(sentence, Constraints(labels=given, forbidden_labels=[(*arc, "odd")]))
    assert moved.labels[1] == "odd" and moved.heads[1] != arc[0]


def test_labels_in_a_file(corpus, parser, tmp_path):
    path = tmp_path / "parser.npz"
    parser.save(path)
    assert CRFParser.load(path).predict(corpus.test) == parser.predict(corpus.test)
    with np.load(path) as found:
        fields = dict(found)
    changes = {
        "labels": np.array('["one"]'),
        "label_weights": np.zeros((3, len(parser.labeller_.labels_)), np.float32),
        "label_templates": np.array('["h.p m.p b.each"]'),
    }
    for name, value in changes.items():
        np.savez(path, **{**fields, name: value})
        with pytest.raises(FormatError, match=r"parser.npz: .*label"):
            CRFParser.load(path)
        np.savez(path, **{key: kept for key, kept in fields.items() if key != name})
        with pytest.raises(FormatError, match=r"parser.npz: a model without its labels"):
            CRFParser.load(path)


def test_a_file_from_before_there_were_labels(corpus, tmp_path):
    path = tmp_path / "parser.npz"
    parser = CRFParser(**{**PARSER, "labels": False}).fit(corpus.train)
    parser.save(path)
    with np.load(path) as found:
        fields = dict(found)
    fields["parameters"] = np.array(str(fields["parameters"]).replace('"labels": false, ', ""))
    assert "labels" not in str(fields["parameters"])
    np.savez(path, **fields)
    assert CRFParser.load(path).predict(corpus.test) == parser.predict(corpus.test)
