"""What a transition-based parser does that others do not, and what it is used for."""

import numpy as np
import pytest
from sklearn.base import clone

from deppa_nb import (
    ActiveLearner,
    Constraints,
    CRFParser,
    GoldOracle,
    Pool,
    Query,
    SecondParserOracle,
    Sentence,
    TransitionParser,
    evaluate,
    load,
)
from deppa_nb.active.agreement import reliability
from deppa_nb.errors import ArgumentError, FormatError, NoTreeError, ParameterError

QUICK = {"bits": 16, "epochs": 2, "progress": False}


@pytest.fixture(scope="module")
def corpus():
    return load("toy-en", sizes={"train": 150, "dev": 30, "test": 40})


@pytest.fixture(scope="module")
def parser(corpus):
    return TransitionParser(8, **QUICK).fit(corpus.train)


def test_lists_are_what_the_beam_has(parser, corpus):
    heads, scores = parser.nbest(corpus.test[0], 100)
    assert 1 < len(heads) <= 8 and (np.diff(scores) <= 0).all()
    assert np.array_equal(parser.nbest(corpus.test[0], 2)[0], heads[:2])
    with pytest.raises(ArgumentError, match="k is 0"):
        parser.nbest(corpus.test[0], 0)
    with pytest.raises(ArgumentError, match="TransitionParser has scores but no"):
        parser.distribution(corpus.test[0]).marginals  # noqa: B018


def test_a_wider_beam_finds_better_sequences(parser, corpus):
    totals = []
    for beam in (1, 4, 16):
        wide = TransitionParser(beam, **QUICK)
        wide.weights_ = parser.weights_
        totals.append(sum(wide.map(lambda trees: trees.best_score, corpus.test)))
    assert totals[0] < totals[1] <= totals[2]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_change_trees(parser, corpus, threads, monkeypatch):
    monkeypatch.setattr("deppa_nb.models.graph._SHARD", 7)
    again = TransitionParser(8, threads=threads, **QUICK)
    again.weights_ = parser.weights_
    assert again.predict(corpus.test) == parser.predict(corpus.test)


def test_heads_and_labels_that_are_given_stay(corpus):
    parser = TransitionParser(2, labels=True, **QUICK).fit(corpus.train)
    rng = np.random.default_rng(2)
    limits = []
    for sentence in corpus.test:
        given = rng.random(len(sentence) + 1) < 0.4
        labels = np.where(given, "own", "_")
        limits.append(Constraints(np.where(given, sentence.heads, -1), tuple(labels.tolist())))
    for found, limit in zip(parser.predict(corpus.test, limits), limits, strict=True):
        for word in range(1, len(found) + 1):
            if limit.heads[word] >= 0:
                assert found.heads[word] == limit.heads[word] and found.labels[word] == "own"
            else:
                assert found.labels[word] != "_"


def test_given_heads_help_what_is_not_given(parser, corpus):
    free = evaluate(corpus.test, parser.predict(corpus.test)).uas
    limits = [Constraints(np.where(np.arange(len(s) + 1) % 2, s.heads, -1)) for s in corpus.test]
    assert evaluate(corpus.test, parser.predict(corpus.test, limits)).uas > free


def test_more_heads_teach_more(corpus):
    rng = np.random.default_rng(3)

    def uas(share):
        some = [
            s.with_heads(np.where(rng.random(len(s)) < share, s.heads[1:], -1))
            for s in corpus.train
        ]
        parser = TransitionParser(4, **QUICK).fit(some)
        return evaluate(corpus.test, parser.predict(corpus.test)).uas

    assert 50 < uas(0.3) < uas(1.0)


def test_several_roots(corpus):
    forest = Sentence.of(list("abcd"), heads=[0, 1, 0, 3], upos=list("XYXY"))
    parser = TransitionParser(4, single_root=False, bits=14, epochs=5, progress=False)
    assert parser.fit([forest]).predict(forest).heads.tolist() == [-1, 0, 1, 0, 3]


def test_crossing_arcs_are_lifted(corpus):
    bank = load("toy-freeorder", sizes={"train": 80}).train
    assert TransitionParser(2, **QUICK).fit(bank).forests_.lifted


def test_templates(corpus, parser, tmp_path):
    few = TransitionParser(2, templates=("single", "pairs"), **QUICK).fit(corpus.train)
    few.save(tmp_path / "few.npz")
    assert TransitionParser.load(tmp_path / "few.npz").templates == ("single", "pairs")
    with pytest.raises(ParameterError, match="no templates 'x', expected some of single, pairs"):
        TransitionParser(2, templates=("x",), **QUICK).fit(corpus.train)
    with np.load(tmp_path / "few.npz") as found:
        fields = dict(found)
    np.savez(tmp_path / "few.npz", **{**fields, "templates": np.array('["s0.w"]')})
    with pytest.raises(FormatError, match="other templates than this version has"):
        TransitionParser.load(tmp_path / "few.npz")
    for wrong in (0, 2.5):
        with pytest.raises(ParameterError, match="beam is"):
            TransitionParser(wrong, **QUICK).fit(corpus.train)


def test_learning_goes_on_from_the_weights_there_are(corpus):
    parser = TransitionParser(4, warm_start=True, **QUICK)
    first = evaluate(corpus.test, parser.fit(corpus.train[:20]).predict(corpus.test)).uas
    assert evaluate(corpus.test, parser.fit(corpus.train[20:]).predict(corpus.test)).uas > first


@pytest.mark.parametrize("strategy", ["fa-random", "fa-score", "pa-random", "fa-entropy-softmax"])
def test_active_learning_without_probabilities(corpus, strategy, tmp_path):
    bank = corpus.train
    learner = ActiveLearner(TransitionParser(4, **QUICK), strategy, Pool.hiding(bank, 20))
    rounds = list(learner.rounds(GoldOracle(bank), 100, dev=corpus.dev, most=3))
    assert rounds[-1].dev.uas > 60 and rounds[-1].cost.dependencies > rounds[0].cost.dependencies
    learner.save(tmp_path / "learner.zip")
    again = ActiveLearner.load(tmp_path / "learner.zip")
    assert [q.sentence for q in again.query(50)] == [q.sentence for q in learner.query(50)]


def test_a_strategy_of_probabilities_is_refused(corpus):
    learner = ActiveLearner(TransitionParser(4, **QUICK), "pa-gap", Pool.hiding(corpus.train, 20))
    with pytest.raises(ArgumentError, match="no probabilities of trees and arcs; choose another"):
        learner.query(20)


@pytest.mark.parametrize("beam", [0, -1, 2.5, None, "a"])
def test_a_beam_that_is_none_is_refused_after_learning_too(parser, corpus, beam, tmp_path):
    other = clone(parser).set_params(beam=2).fit(corpus.train[:20]).set_params(beam=beam)
    for use in (lambda: other.predict(corpus.dev), lambda: other.save(tmp_path / "model")):
        with pytest.raises(ParameterError, match="beam is"):
            use()
    assert not (tmp_path / "model").exists()


def test_where_no_tree_is_allowed_there_is_no_best_one(parser, corpus):
    sentence = corpus.dev[0]
    nothing = Constraints(forbidden=np.ones((len(sentence) + 1,) * 2, bool))
    trees = parser.distribution(sentence, nothing)
    with pytest.raises(NoTreeError, match="no tree respects the constraints"):
        trees.best  # noqa: B018
    assert trees.best_score == -np.inf
    for name in ("entropy", "log_prob", "given", "sample", "marginals"):
        with pytest.raises(ArgumentError, match="no probabilities"):
            getattr(parser.distribution(sentence), name)


def test_it_answers_as_a_second_parser(parser, corpus):
    oracle = SecondParserOracle(parser, corpus.dev)
    found = parser.predict(corpus.dev)
    for j, sentence in enumerate(found):
        (answer,) = oracle.answer([Query(j, tuple(range(1, len(sentence) + 1)), "tree")])
        assert answer.heads == tuple(sentence.heads[1:].tolist())
        assert answer.annotator == "TransitionParser"
    learner = ActiveLearner(CRFParser(1, **QUICK), "pa-gap", Pool.hiding(corpus.train, 20))
    *_, last = learner.rounds(SecondParserOracle(parser, corpus.train), 200, dev=corpus.dev, most=3)
    assert last.dev.uas > 60


def test_a_committee(parser, corpus):
    """Two of other seeds and another model vote; where they agree, they are right more often."""
    members = [TransitionParser(8, rng=2, **QUICK), CRFParser(1, **QUICK)]
    banks = [m.predict(corpus.test) for m in (parser, *(m.fit(corpus.train) for m in members))]
    votes = np.stack([np.concatenate([s.heads[1:] for s in bank]) for bank in banks])
    gold = np.concatenate([s.heads[1:] for s in corpus.test])
    agreed = (votes == votes[0]).all(axis=0)
    right = votes[0] == gold
    assert right[agreed].mean() > right[~agreed].mean() + 0.2
    found = reliability(votes.T.tolist())
    assert found.words == len(gold) and 0.5 < found.alpha < 1
