"""What every parser has to do, whichever it is."""

import json
from itertools import pairwise

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from deppa_nb import (
    Constraints,
    CRFParser,
    MatrixTreeParser,
    MIRAParser,
    MSTParser,
    Sentence,
    TransitionParser,
    Treebank,
    evaluate,
    load,
)
from deppa_nb import load_parser as load_any
from deppa_nb.cli import deppa
from deppa_nb.cli.parser import MODELS
from deppa_nb.errors import ArgumentError, FormatError, NoTreeError, ParameterError
from deppa_nb.models.online import OnlineParser
from deppa_nb.models.parsers import PARSERS, Parser

QUICK = {"bits": 16, "epochs": 2, "progress": False}
NEW = {
    "crf-1": lambda: CRFParser(1, **QUICK),
    "crf-2": lambda: CRFParser(2, **QUICK),
    "crf-pruned": lambda: CRFParser(2, pruning=0.01, **QUICK),
    "mira-1": lambda: MIRAParser(1, labels=False, **QUICK),
    "mira-2": lambda: MIRAParser(2, k=1, labels=False, **QUICK),
    "mira-pruned": lambda: MIRAParser(2, pruning=0.01, labels=False, **QUICK),
    "mst": lambda: MSTParser(**QUICK),
    "matrix-tree": lambda: MatrixTreeParser(**QUICK),
    "transition": lambda: TransitionParser(4, **QUICK),
}
PROBABLE = [name for name in NEW if name[0] == "c" or name == "matrix-tree"]
FITTED = {}
every = pytest.mark.parametrize("name", NEW)


@pytest.fixture(scope="module")
def corpus():
    return load("toy-freeorder", sizes={"train": 80, "dev": 20, "test": 20})


@pytest.fixture
def parser(name, corpus):
    if name not in FITTED:
        FITTED[name] = NEW[name]().fit(corpus.train)
    return FITTED[name]


def is_tree(heads):
    """Whether every word leads to the root, which has one dependent."""
    for word in range(1, len(heads)):
        above = word
        for _ in heads:
            above = heads[above] if above > 0 else 0
        if above != 0:
            return False
    return np.count_nonzero(heads == 0) == 1


@every
def test_it_learns_and_predicts_trees(parser, corpus):
    found = parser.predict(corpus.test)
    assert all(is_tree(sentence.heads) for sentence in found)
    assert evaluate(corpus.test, found).uas > 60
    assert [s.forms for s in found] == [s.forms for s in corpus.test]
    assert parser.predict(corpus.test[3]) == found[3]
    assert set(found[0].labels[1:]) == {"_"}


@every
def test_it_learns_labels(name, corpus):
    found = NEW[name]().set_params(labels=True).fit(corpus.train).predict(corpus.test)
    assert evaluate(corpus.test, found).las > 45


@every
def test_the_same_seed_gives_the_same_weights_whatever_the_threads(name, parser, corpus):
    again = NEW[name]().set_params(threads=3).fit(corpus.train)
    assert np.array_equal(again.weights_, parser.weights_)
    other = NEW[name]().set_params(rng=7).fit(corpus.train)
    assert not np.array_equal(other.weights_, parser.weights_)


@pytest.mark.parametrize("name", PROBABLE)
def test_marginals(parser, corpus):
    assert parser.marginals([]) == []
    for sentence, p in zip(corpus.test, parser.marginals(corpus.test), strict=True):
        np.testing.assert_allclose(p[:, 1:].sum(axis=0), 1.0)
        assert p[0].sum() == pytest.approx(1.0)
        np.testing.assert_allclose(p, parser.distribution(sentence).marginals, atol=1e-10)


@every
def test_nbest(parser, corpus):
    for sentence in corpus.test[:5]:
        heads, scores = parser.nbest(sentence, 20)
        assert len({tuple(tree) for tree in heads.tolist()}) == len(heads)
        assert all(map(is_tree, heads)) and all(a >= b for a, b in pairwise(scores))
        assert np.array_equal(heads[0], parser.predict(sentence).heads)
        if hasattr(parser, "log_prob"):
            assert parser.log_prob(sentence.with_heads(heads[-1, 1:])) == pytest.approx(scores[-1])


@every
def test_constraints(parser, corpus):
    rng = np.random.default_rng(0)
    limits, forbidden = [], []
    for sentence in corpus.test:
        heads = parser.nbest(sentence, 9)[0][-1]  # what it would not choose, but could
        limits.append(Constraints(np.where(rng.random(len(heads)) < 0.5, heads, -1)))
        square = np.zeros((len(heads), len(heads)), bool)
        best = parser.predict(sentence).heads
        square[best[1], 1] = len(sentence) > 2
        forbidden.append(Constraints(forbidden=square))
    for sentence, limit in zip(parser.predict(corpus.test, limits), limits, strict=True):
        assert is_tree(sentence.heads)
        given = np.flatnonzero(limit.heads[1:] >= 0) + 1
        assert np.array_equal(sentence.heads[given], limit.heads[given])
    for sentence, limit in zip(parser.predict(corpus.test, forbidden), forbidden, strict=True):
        assert not limit.forbidden[sentence.heads[1:], np.arange(1, len(sentence) + 1)].any()
    with pytest.raises(ArgumentError, match="1 constraints for 20 sentences"):
        parser.predict(corpus.test, limits[:1])
    roots = Sentence.of(list("abc"), heads=[0, 0, -1], sent_id="x7")
    with pytest.raises(NoTreeError, match="sentence x7: no tree respects the constraints"):
        parser.predict(roots, Constraints.of(roots))


@every
def test_it_learns_from_partial_trees(name, corpus):
    rng = np.random.default_rng(1)
    partly = [
        s.with_heads(np.where(rng.random(len(s)) < 0.5, s.heads[1:], -1)) for s in corpus.train
    ]
    nothing = Sentence.of(["no", "heads"])
    found = NEW[name]().fit([*partly, nothing])
    assert evaluate(corpus.test, found.predict(corpus.test)).uas > 50


@every
def test_odd_inputs(name, parser, corpus):
    one, long = Sentence.of(["Go"]), Sentence.of(["word"] * 300, upos=["NOUN"] * 300)
    assert parser.predict(one).heads.tolist() == [-1, 0]
    assert is_tree(parser.predict(long).heads)
    assert len(parser.predict(Treebank(()))) == 0
    with pytest.raises(ArgumentError, match="none of the 0 sentences"):
        NEW[name]().fit([])
    with pytest.raises(ArgumentError, match="none of the 1 sentences"):
        NEW[name]().fit([one])
    with pytest.raises(ParameterError, match="epochs is 0"):
        NEW[name]().set_params(epochs=0).fit(corpus.train)
    with pytest.raises(NotFittedError, match=f"this {type(parser).__name__} has no weights"):
        NEW[name]().predict(one)
    assert clone(parser).get_params() == parser.get_params()


@every
def test_in_a_file(parser, corpus, tmp_path):
    path = tmp_path / "parser.npz"
    parser.save(path)
    again = load_any(path)
    assert type(again) is type(parser) and again.predict(corpus.test) == parser.predict(corpus.test)
    assert parser.predict(corpus.test) == type(parser).load(path).predict(corpus.test)
    other = MatrixTreeParser if type(parser) is CRFParser else CRFParser
    with pytest.raises(FormatError, match=f"expected deppa_nb {other.__name__}"):
        other.load(path)
    with np.load(path) as found:
        fields = dict(found)
    np.savez(path, **{**fields, "format": np.array("deppa_nb Oracle")})
    with pytest.raises(FormatError, match="'Oracle' is no CRFParser or MIRAParser or MSTParser"):
        load_any(path)


def test_crossing_arcs_are_learned_as_they_are(corpus):
    assert CRFParser(**QUICK).fit(corpus.train).forests_.lifted
    parser = MatrixTreeParser(**QUICK).fit(corpus.train)
    assert not parser.forests_.lifted and not parser.forests_.dropped
    roots = Sentence.of(list("abc"), heads=[0, 0, -1], sent_id="roots")
    assert MatrixTreeParser(**QUICK).fit([roots]).forests_.dropped == {"roots": 1}


def test_names_of_the_command_line(tmp_path, corpus):
    assert tuple(PARSERS) == MODELS
    model, trees = str(tmp_path / "model.npz"), str(corpus.files["train"])
    options = ["--bits", "12", "--epochs", "1"]
    run = CliRunner().invoke
    for name in MODELS:
        shown = run(deppa, ["train", model, trees, "--model", name, *options])
        assert shown.exit_code == 0, shown.output
        out = str(tmp_path / "out.conllu")
        assert run(deppa, ["parse", model, trees, "-o", out, "--nbest", "2"]).exit_code == 0
        shown = run(deppa, ["parse", model, trees, "-o", out, "--marginals"])
        if name in ("mst", "mira", "transition"):
            assert "Parser has scores but no probabilities" in str(shown.exception)
        else:
            assert shown.exit_code == 0
    shown = run(deppa, ["train", model, trees, "--model", "matrix-tree", "--order", "2"])
    assert shown.exit_code == 2 and "--order is no option of --model matrix-tree" in shown.output


def margin(parser, sentence, heads):
    """By how much the sentence's own tree is better than another."""
    trees = parser.distribution(sentence)
    return trees.log_prob(sentence.heads) - trees.log_prob(heads)


def test_a_step_by_the_margin_makes_up_for_what_it_lacks(corpus):
    """After it, the right tree is better than the one that was best by its wrong heads."""
    parser = MSTParser(bits=16, epochs=1, averaging=False, progress=False, rate=np.inf)
    parser.fit(corpus.train[:20])
    parser.set_params(warm_start=True)
    moved = 0
    for sentence in corpus.train[20:30]:
        before = parser.predict(sentence).heads
        wrong = np.count_nonzero(before != sentence.heads)
        margins = [margin(parser, sentence, before)]
        margins.append(margin(parser.fit([sentence]), sentence, before))
        if wrong > 0:
            assert margins[0] < wrong and margins[1] == pytest.approx(wrong, abs=1e-3)
            moved += 1
    assert moved > 3


@every
def test_a_fit_that_is_interrupted_changes_nothing(name, parser, corpus, monkeypatch):
    model = NEW[name]().set_params(warm_start=True)
    learned, chunks = OnlineParser._adopt, []

    def interrupted(self, tables):
        learned(self, tables)
        chunks.append(self)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(OnlineParser, "_adopt", interrupted)
        model.fit(corpus.train[:20])
    assert chunks and not hasattr(model, "weights_") and not hasattr(model, "forests_")
    before = model.fit(corpus.train[:20]).predict(corpus.test)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(OnlineParser, "_adopt", interrupted)
        model.fit(corpus.train[20:40])
    assert model.predict(corpus.test) == before


@every
def test_importance_changes_steps(name, corpus):
    bank = corpus.train[:20]
    plain = NEW[name]().fit(bank).weights_
    assert np.array_equal(NEW[name]().fit(bank, sample_weight=np.ones(20)).weights_, plain)
    assert not np.array_equal(NEW[name]().fit(bank, sample_weight=np.full(20, 0.1)).weights_, plain)
    chains = [s.with_heads([*range(len(s))]) for s in corpus.train[20:]]  # wrong trees
    mixed, weights = [*bank, *chains], [1.0] * 20 + [0.0] * len(chains)
    scores = [
        evaluate(corpus.test, NEW[name]().fit(*given, sample_weight=some).predict(corpus.test)).uas
        for given, some in (((mixed,), weights), ((mixed,), None))
    ]
    assert scores[0] > scores[1] + 10  # what counts nothing does no harm
    for nothing in ([0.0] * 20, ["a"] * 20):
        with pytest.raises(ArgumentError, match="expected 20 numbers from 0 to 1e100, not all 0"):
            NEW[name]().fit(bank, sample_weight=nothing)
    for wrong in (np.inf, np.nan, -1.0, 1e101):
        with pytest.raises(ArgumentError, match=r"sample_weight: number 0 is .*, expected 20"):
            NEW[name]().fit(bank, sample_weight=[wrong, *[1.0] * 19])


@every
def test_wrong_parameters(name, corpus, tmp_path):
    assert isinstance(NEW[name](), Parser)
    wrong = {"rate": float("nan"), "threads": 0, "bits": 40, "epochs": 2.5}
    if name[0] == "c":
        wrong |= {"l2": float("inf"), "order": 3, "decoder": "x"}
    for parameter, value in wrong.items():
        with pytest.raises(ParameterError, match=f"{parameter} is "):
            NEW[name]().set_params(**{parameter: value}).fit(corpus.train)
    with pytest.raises(ArgumentError, match="none of the 1 sentences of dev has a head"):
        NEW[name]().fit(corpus.train, dev=Treebank((Sentence.of(["Go"]),)))
    numbers = {
        "epochs": np.int64(1),
        "bits": np.int64(12),
        "rng": np.int64(3),
        "rate": np.float32(1),
    }
    parser = NEW[name]().set_params(**numbers).fit(corpus.train[:10])
    parser.save(tmp_path / "a.npz")
    again = load_any(tmp_path / "a.npz")
    assert again.rng == 3 and again.get_params() == parser.get_params()
    with pytest.raises(ArgumentError, match="bits changed after fit; fit again"):
        parser.set_params(bits=13).save(tmp_path / "b.npz")
    assert not (tmp_path / "b.npz").exists()


def test_broken_files(corpus, tmp_path):
    path = tmp_path / "parser.npz"
    CRFParser(**QUICK, labels=True).fit(corpus.train[:10]).save(path)
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    for _ in range(200):
        content = bytearray(whole)
        for place in rng.integers(0, len(whole), 4):
            content[place] = rng.integers(0, 256)
        path.write_bytes(content)
        try:
            load_any(path)
        except FormatError as error:
            assert "\n" not in str(error)
    path.write_text("no model at all")
    with pytest.raises(FormatError, match=r"parser.npz: no model of deppa_nb$"):
        load_any(path)
    path.write_bytes(whole)
    with np.load(path) as found:
        fields = dict(found)
    changes = {"decoder": "foo", "pruning": None, "threads": -3, "optimiser": "x", "pruning ": 5}
    for name, value in changes.items():
        parameters = json.loads(str(fields["parameters"])) | {name.strip(): value}
        np.savez(path, **{**fields, "parameters": np.array(json.dumps(parameters))})
        with pytest.raises(FormatError, match="a model with other parameters"):
            load_any(path)
    np.savez(path, **{**fields, "weights": np.full_like(fields["weights"], np.nan)})
    with pytest.raises(FormatError, match="weights that are no numbers"):
        load_any(path)


def test_what_is_given_up_is_counted_under_one_id():
    crossing = Sentence.of(list("abcd"), heads=[3, 4, -1, -1])
    full = Sentence.of(list("abcd"), heads=[3, 4, 0, 3])
    found = CRFParser(**QUICK).fit([crossing] * 5 + [full] * 3).forests_
    assert found.dropped == {"1": 5} and found.lifted == {"1": 3}


def test_a_list_of_sentences(corpus):
    parser = CRFParser(**QUICK).fit(corpus.train)
    assert list(parser.predict(list(corpus.test))) == list(parser.predict(corpus.test))
    with pytest.raises(ParameterError, match="decoder is 'foo'"):
        parser.set_params(decoder="foo").predict(corpus.test)
