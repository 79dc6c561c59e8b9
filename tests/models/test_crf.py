"""The CRF parser: learning from full and partial trees, decoding under constraints, its manners."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from deppa_nb import Constraints, CRFParser, Sentence, Treebank, evaluate, load
from deppa_nb.errors import ArgumentError, DeppaError, FormatError, NoTreeError, ParameterError
from deppa_nb.features.templates import GROUPS

QUICK = {"bits": 16, "epochs": 3, "progress": False}


@pytest.fixture(scope="module")
def corpus():
    return load("toy-short", sizes={"train": 150, "dev": 40, "test": 40})


@pytest.fixture(scope="module")
def parser(corpus):
    return CRFParser(**QUICK).fit(corpus.train, dev=corpus.dev)


def partly(bank, share, seed=0):
    rng = np.random.default_rng(seed)
    return bank.with_sentences(
        s.with_heads(np.where(rng.random(len(s)) < share, s.heads[1:], -1)) for s in bank
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"order": 1},
        {"decoder": "mbr"},
        {"pruning": 1e-3},
        {"optimiser": "sgd", "batch_size": 10, "l2": 1e-4},
    ],
    ids=str,
)
def test_it_learns(corpus, options):
    parser = CRFParser(**QUICK, **options).fit(corpus.train, dev=corpus.dev)
    losses = [epoch["loss"] for epoch in parser.history_]
    assert losses == sorted(losses, reverse=True)
    assert evaluate(corpus.train, parser.predict(corpus.train)).uas > 97
    assert evaluate(corpus.test, parser.predict(corpus.test)).uas > 80


def test_it_learns_from_partial_trees(corpus):
    half = partly(corpus.train, 0.5)
    parser = CRFParser(**QUICK).fit(half)
    assert evaluate(half, parser.predict(half)).uas > 97
    assert evaluate(corpus.test, parser.predict(corpus.test)).uas > 75


def test_the_loss_is_the_log_probability(corpus):
    parser = CRFParser(**{**QUICK, "epochs": 1}, rate=0.0).fit(corpus.train[:5])
    expected = -np.mean([parser.log_prob(sentence) for sentence in corpus.train[:5]])
    assert parser.history_[0]["loss"] == pytest.approx(expected)


def test_the_same_seed_gives_the_same_weights_whatever_the_threads(corpus, parser):
    for threads in (3, 1):
        again = CRFParser(**QUICK, threads=threads).fit(corpus.train, dev=corpus.dev)
        assert np.array_equal(again.weights_, parser.weights_)
    other = CRFParser(**QUICK, rng=2).fit(corpus.train, dev=corpus.dev)
    assert not np.array_equal(other.weights_, parser.weights_)
    many = Treebank(corpus.train.sentences * 4)
    heads = [CRFParser.predict_heads(p, many) for p in (parser, again)]
    assert all(map(np.array_equal, *heads))


def test_everything_about_a_sentence_agrees(corpus, parser):
    sentence = corpus.test[0]
    marginals = parser.marginals(sentence)
    np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1.0)
    assert np.array_equal(parser.marginals(corpus.test)[0], marginals)
    alone = parser.distribution(sentence).marginals
    np.testing.assert_allclose(marginals, alone, atol=1e-12)
    heads, logs = parser.nbest(sentence, 5)
    best = parser.predict(sentence)
    assert np.array_equal(best.heads, heads[0])
    assert best == parser.predict(corpus.test)[0]
    assert logs.tolist() == sorted(logs, reverse=True)
    for tree, log in zip(heads, logs, strict=True):
        assert parser.log_prob(sentence.with_heads(tree[1:])) == pytest.approx(log)
    assert parser.log_prob(sentence.with_heads([-1] * len(sentence))) == 0.0


@pytest.mark.parametrize("decoder", ["viterbi", "mbr"])
def test_constraints(corpus, parser, decoder):
    model = clone(parser).set_params(decoder=decoder)
    model.weights_ = parser.weights_
    gold = partly(corpus.test, 0.4)
    limits = [Constraints.of(sentence) for sentence in gold]
    found = model.predict(gold, limits)
    for sentence, limit in zip(found, limits, strict=True):
        given = limit.heads >= 0
        assert np.array_equal(sentence.heads[given], limit.heads[given])
    trees = model.distributions(gold, limits)
    for p, alone in zip(model.marginals(gold, limits), trees, strict=True):
        np.testing.assert_allclose(p, alone.marginals, atol=1e-12)
    sentence = corpus.test[0]
    best = model.predict(sentence)
    forbidden = np.zeros((len(sentence) + 1,) * 2, bool)
    forbidden[best.heads[1], 1] = True
    other = model.predict(sentence, Constraints(forbidden=forbidden))
    assert other.heads[1] != best.heads[1]
    assert model.marginals(sentence, Constraints(forbidden=forbidden))[best.heads[1], 1] == 0.0


@pytest.fixture(scope="module")
def pruned(corpus):
    return CRFParser(**QUICK, pruning=0.01).fit(corpus.train)


def test_a_pruned_parser_looks_at_few_arcs(corpus, pruned):
    marginals = pruned.marginals(corpus.test)
    heads = np.concatenate([(p[:, 1:] > 0).sum(axis=0) for p in marginals])
    assert 1 < heads.mean() < 4 and heads.max() > 4
    again = CRFParser(**QUICK, pruning=0.01, threads=1).fit(corpus.train)
    assert np.array_equal(again.weights_, pruned.weights_)
    almost = CRFParser(**QUICK, pruning=1e-300).fit(corpus.train)
    exact = CRFParser(**QUICK).fit(corpus.train)
    uas = [evaluate(corpus.test, p.predict(corpus.test)).uas for p in (almost, exact)]
    assert uas[0] == pytest.approx(uas[1], abs=1.5)  # another order of the sentences


@pytest.mark.parametrize("decoder", ["viterbi", "mbr"])
def test_constraints_are_not_pruned(corpus, pruned, decoder):
    model = clone(pruned).set_params(decoder=decoder)
    model.weights_, model.pruner_ = pruned.weights_, pruned.pruner_
    for sentence in corpus.test[:20]:
        heads = [*range(2, len(sentence) + 1), 0]  # a tree that nobody expects
        found = model.predict(sentence, Constraints(heads=np.array([-1, *heads], np.int32)))
        assert found.heads[1:].tolist() == heads
        best = model.predict(sentence).heads
        forbidden = np.zeros((len(best), len(best)), bool)
        forbidden[best[1:], np.arange(1, len(best))] = len(best) > 2
        other = model.predict(sentence, Constraints(forbidden=forbidden)).heads
        assert len(best) == 2 or not (other == best)[1:].any()


def test_a_pruned_parser_in_a_file(corpus, pruned, tmp_path):
    path = tmp_path / "parser.npz"
    pruned.save(path)
    again = CRFParser.load(path)
    assert again.predict(corpus.test) == pruned.predict(corpus.test)
    with np.load(path) as found:
        fields = dict(found)
    del fields["pruner"]
    np.savez(path, **fields)
    with pytest.raises(FormatError, match="whose pruner is not what its parameters say"):
        CRFParser.load(path)


def test_impossible_constraints(parser):
    sentence = Sentence.of(list("abcd"), heads=[3, 4, -1, -1])
    with pytest.raises(NoTreeError, match="sentence 1: no tree respects the constraints"):
        parser.predict(sentence, Constraints.of(sentence))
    with pytest.raises(NoTreeError, match="sentence 1: no tree respects the constraints"):
        parser.marginals(sentence, Constraints.of(sentence))
    with pytest.raises(NoTreeError, match="sentence 1: no tree respects the constraints"):
        parser.nbest(sentence, 3, Constraints.of(sentence))
    with pytest.raises(ArgumentError, match="the head of word 2 is 9, expected -1 to 4"):
        parser.predict(sentence, Constraints(heads=np.array([-1, -1, 9, -1, -1])))
    with pytest.raises(ArgumentError, match="1 constraints for 2 sentences"):
        parser.predict(Treebank((sentence, sentence)), [Constraints.of(sentence)])


def test_annotation_that_no_projective_tree_has_is_reported():
    full = Sentence.of(list("abcd"), heads=[3, 4, 0, 3], sent_id="full")
    partial = Sentence.of(list("abcd"), heads=[3, 4, -1, -1], sent_id="partial")
    roots = Sentence.of(list("abc"), heads=[0, 0, -1], sent_id="roots")
    fine = Sentence.of(list("abcd"), heads=[2, 0, -1, -1], sent_id="fine")
    parser = CRFParser(**QUICK).fit([full, partial, roots, fine])
    assert parser.forests_.lifted == {"full": 1}
    assert parser.forests_.dropped == {"partial": 1, "roots": 1}
    assert all(np.isfinite(epoch["loss"]) for epoch in parser.history_)
    several = CRFParser(**QUICK, single_root=False).fit([full, partial, roots, fine])
    assert several.forests_.dropped == {"partial": 1}


@pytest.mark.parametrize("n", [1, 300])
def test_short_and_long_sentences(n):
    sentence = Sentence.of([f"w{m % 7}" for m in range(n)], heads=[*range(n)])
    parser = CRFParser(**{**QUICK, "epochs": 1}, templates=["pairs", "triples"]).fit([sentence])
    assert np.isfinite(parser.history_[0]["loss"])
    assert parser.predict(sentence).heads.shape == (n + 1,)
    assert parser.predict(Treebank(())).sentences == ()


def test_early_stopping_keeps_the_best(corpus):
    options = {**QUICK, "epochs": 30, "patience": 2}
    parser = CRFParser(**options).fit(corpus.train, dev=corpus.dev)
    uas = [epoch["dev_uas"] for epoch in parser.history_]
    assert len(uas) < 30 and np.argmax(uas) == len(uas) - 3
    found = evaluate(corpus.dev, parser.predict(corpus.dev)).uas
    assert found == pytest.approx(max(uas))


def test_sample_weights_and_warm_start(corpus):
    first = CRFParser(**QUICK, warm_start=True).fit(corpus.train[:50])
    start = first.history_[0]["loss"]
    assert first.fit(corpus.train[:50]).history_[0]["loss"] < start / 5
    importance = np.zeros(50)
    importance[:10] = 1.0
    weighted = CRFParser(**QUICK).fit(corpus.train[:50], sample_weight=importance)
    assert evaluate(corpus.train[:10], weighted.predict(corpus.train[:10])).uas > 97
    assert evaluate(corpus.train[:50], weighted.predict(corpus.train[:50])).uas < 97


def test_manners(corpus, parser):
    copy = clone(parser)
    assert copy.get_params() == parser.get_params() and not hasattr(copy, "weights_")
    with pytest.raises(NotFittedError, match="call fit"):
        copy.predict(corpus.test)
    fewer = CRFParser(**QUICK, templates=[g for g in GROUPS if g != "triples"]).fit(corpus.train)
    assert fewer.predict(corpus.test[0]).heads[0] == -1


def test_a_model_in_a_file(corpus, parser, tmp_path):
    path = tmp_path / "models" / "parser.npz"
    parser.save(path)
    again = CRFParser.load(path)
    assert again.get_params() == parser.get_params()
    assert np.array_equal(again.weights_, parser.weights_)
    assert again.weights_.ctypes.data % 64 == parser.weights_.ctypes.data % 64 == 0
    assert again.predict(corpus.test) == parser.predict(corpus.test)
    with pytest.raises(NotFittedError):
        CRFParser().save(path)


def test_files_that_are_no_model(parser, tmp_path):
    path = tmp_path / "parser.npz"
    parser.save(path)
    whole = path.read_bytes()
    with np.load(path) as found:
        fields = dict(found)
    changes = {
        "version": np.array(99),
        "format": np.array("another"),
        "templates": np.array("[]"),
        "weights": np.zeros(3, np.float32),
        "parameters": np.array('{"bits": 16, "unknown": 1}'),
    }
    for name, value in changes.items():
        np.savez(path, **{**fields, name: value})
        with pytest.raises(FormatError, match=r"parser.npz: "):
            CRFParser.load(path)
    np.savez(path, **{k: v for k, v in fields.items() if k != "weights"})
    with pytest.raises(FormatError, match="no model of deppa_nb, or a broken one"):
        CRFParser.load(path)
    np.savez(path, **{**fields, "weights": np.array([{}], dtype=object)})
    with pytest.raises(FormatError, match="no model of deppa_nb, or a broken one"):
        CRFParser.load(path)
    for content in (b"", b"text", whole[: len(whole) // 2], whole[:200]):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=r"parser.npz: no model of deppa_nb"):
            CRFParser.load(path)
    with pytest.raises(DeppaError, match=r"nowhere.npz: cannot be read"):
        CRFParser.load(tmp_path / "nowhere.npz")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"order": 3}, "order is 3, expected one of"),
        ({"optimiser": "adam"}, "optimiser is 'adam'"),
        ({"bits": 40}, "bits is 40, expected at most 30"),
        ({"epochs": 0}, "epochs is 0, expected at least 1"),
        ({"pruning": -1}, "pruning is -1"),
        ({"pruning": 0.1, "templates": ["shapes"]}, "pruning needs the templates pairs or between"),
        ({"templates": ["nothing"]}, "no templates 'nothing'"),
    ],
)
def test_wrong_parameters(corpus, options, message):
    with pytest.raises(ParameterError, match=message):
        CRFParser(**options).fit(corpus.train)


def test_nothing_to_learn_from(corpus):
    for bank in (Treebank(()), partly(corpus.train, 0.0)):
        with pytest.raises(
            ArgumentError, match=r"none of the \d+ sentences to learn from has a head"
        ):
            CRFParser().fit(bank)
    with pytest.raises(ArgumentError, match=r"sample_weight: .*expected 150 numbers"):
        CRFParser().fit(corpus.train, sample_weight=[1.0])
