"""Label sequences: against enumeration, against CRFsuite, and by what learning promises."""

import json
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pycrfsuite
import pytest
from scipy.optimize import check_grad
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import deppa_nb as dp
from deppa_nb.corpus.sequences import OPEN, Sequence
from deppa_nb.errors import ArgumentError, CorpusError, FormatError, ParameterError
from deppa_nb.features import windows
from deppa_nb.features.windows import CHUNKS, ENTITIES, hash_windows, templates_for
from deppa_nb.kernels.attributes import tabulate
from deppa_nb.kernels.chain_loss import sum_losses
from deppa_nb.models.attributes import Attributes
from deppa_nb.models.chain_crf import ChainCRF

BANK = dp.load("toy-chunks", sizes={"train": 60, "dev": 30}).train
SMALL = ("word[0]", "pos[-1] pos[0]", "suffix2[0]")


def labelled(sequence, labels):
    return replace(sequence, columns=(*sequence.columns[:-1], tuple(labels)))


def hidden(bank, share, rng):
    """Sequences whose labels are open but for a share; the first is open altogether."""
    open_ = [rng.random(len(s)) >= (share if k else 0.0) for k, s in enumerate(bank)]
    pairs = zip(bank, open_, strict=True)
    return [
        labelled(s, [OPEN if o else label for label, o in zip(s.labels, row, strict=True)])
        for s, row in pairs
    ]


@pytest.fixture(scope="module")
def partial():
    return hidden(BANK, 0.4, np.random.default_rng(1))


@pytest.fixture(scope="module")
def crf(partial):
    return ChainCRF(templates=SMALL, progress=False).fit(partial)


def short(n):
    sequence = next(s for s in BANK if len(s) >= n)
    return replace(sequence, columns=tuple(column[:n] for column in sequence.columns))


def enumerated(crf, sequence):
    """Log-probabilities of all label sequences, by scores that are added up in plain Python."""
    keys, _ = hash_windows([sequence], crf.templates_)
    starts, labels = crf.attributes_.pairs
    number = {int(key): k for k, key in enumerate(crf.attributes_.keys)}
    weight = {
        (int(key), int(labels[f])): crf.weights_[f]
        for key, k in number.items()
        for f in range(starts[k], starts[k + 1])
    }
    scores = {}
    for path in product(range(len(crf.labels_)), repeat=len(sequence)):
        own = (
            weight.get((int(key), y), 0.0) for row, y in zip(keys, path, strict=True) for key in row
        )
        steps = (crf.transitions_[a, b] for a, b in pairwise(path))
        scores[tuple(crf.labels_[y] for y in path)] = sum(own) + sum(steps)
    log_z = logsumexp(list(scores.values()))
    return {path: score - log_z for path, score in scores.items()}


def test_all_there_is_to_ask_against_enumeration(crf):
    sequence = short(3)
    paths = enumerated(crf, sequence)
    for given in ([OPEN] * 3, [OPEN, crf.labels_[0], OPEN]):
        fits = {
            path: p
            for path, p in paths.items()
            if all(g in (OPEN, y) for g, y in zip(given, path, strict=True))
        }
        total = logsumexp(list(fits.values()))
        asked = labelled(sequence, given)
        best = sorted(fits, key=fits.__getitem__, reverse=True)
        assert crf.predict(asked, keep=True).labels == best[0]
        (p,) = crf.marginals([asked], keep=True)
        for t, k in np.ndindex(p.shape):
            own = [np.exp(v - total) for path, v in fits.items() if path[t] == crf.labels_[k]]
            assert p[t, k] == pytest.approx(sum(own), abs=1e-10)
        assert crf.log_prob([asked])[0] == pytest.approx(total, abs=1e-10)
        assert crf.best_log_prob([asked], keep=True)[0] == pytest.approx(
            fits[best[0]] - total, abs=1e-10
        )
        found = crf.nbest(asked, 10, keep=True)
        assert [labels for labels, _ in found] == best[:10]
        assert [log for _, log in found] == pytest.approx([fits[y] - total for y in best[:10]])


def test_the_loss_and_its_derivatives():
    rng = np.random.default_rng(3)
    bank = hidden(BANK[:6], 0.5, rng)[1:]
    keys, firsts = hash_windows(bank, SMALL)
    names = sorted({label for s in BANK for label in s.labels})
    number = {name: k for k, name in enumerate(names)} | {OPEN: -1}
    given = np.array([number[label] for s in bank for label in s.labels], np.int32)
    found = Attributes.seen(keys, given, len(names))
    size, shape = len(found), (len(names), len(names))

    def look(x):
        gradient, counts = np.zeros(size), np.zeros(shape)
        rows = tabulate(found.pairs, x[:size], len(names))
        loss = sum_losses(
            found.look_up(keys), firsts, given, found.pairs, x[:size], x[size:].reshape(shape),
            rows, gradient, counts, np.full(rows.shape, np.nan),
        )  # fmt: skip
        return loss, np.concatenate([gradient, counts.ravel()])

    x = rng.normal(size=size + len(names) ** 2)
    assert check_grad(lambda x: look(x)[0], lambda x: look(x)[1], x) < 1e-4


def test_only_pairs_that_were_seen_have_a_weight(partial, crf):
    keys, _ = hash_windows(partial, SMALL)
    labels = [label for s in partial for label in s.labels]
    seen = {
        (int(key), label)
        for row, label in zip(keys, labels, strict=True)
        for key in row
        if label != OPEN
    }
    starts, own = crf.attributes_.pairs
    attributes = np.repeat(crf.attributes_.keys, np.diff(starts))
    pairs = {(int(key), crf.labels_[k]) for key, k in zip(attributes, own, strict=True)}
    assert pairs == seen and len(own) == len(seen)


@pytest.mark.parametrize("which", [CHUNKS, ENTITIES[:12]])
def test_the_optimum_of_crfsuite(which, tmp_path):
    options = {"l2": 0.7, "tolerance": 1e-9, "progress": False}
    ours = ChainCRF(templates=which, **options).fit(BANK)
    trainer = pycrfsuite.Trainer(verbose=False)
    keys, firsts = hash_windows(BANK.sentences, tuple(which))
    for k, sequence in enumerate(BANK):
        rows = keys[firsts[k] : firsts[k + 1]].tolist()
        trainer.append([[format(key, "x") for key in row] for row in rows], list(sequence.labels))
    trainer.set_params(
        {"c2": 0.7, "delta": 1e-9, "epsilon": 1e-9, "feature.possible_transitions": True}
    )
    trainer.train(str(tmp_path / "model"))
    assert ours.loss_ == pytest.approx(trainer.logparser.last_iteration["loss"], rel=1e-6)


def test_threads_change_nothing(partial):
    one, four = (
        ChainCRF(templates=SMALL, threads=threads, progress=False).fit(partial)
        for threads in (1, 4)
    )
    assert (one.weights_ == four.weights_).all() and (one.transitions_ == four.transitions_).all()
    pairs = zip(one.marginals(partial, keep=True), four.marginals(partial, keep=True), strict=True)
    assert all((a == b).all() for a, b in pairs)


def test_sequences_without_a_label_do_not_take_part(partial, crf):
    known = [s for s in partial if s.annotated.any()]
    assert 0 < len(known) < len(partial)
    other = clone(crf).fit(known)
    assert other.loss_ == crf.loss_ and (other.weights_ == crf.weights_).all()


def test_a_warm_start_ends_where_a_cold_one_does(partial):
    rng = np.random.default_rng(5)
    more = [labelled(s, BANK[k].labels) if rng.random() < 0.1 else s for k, s in enumerate(partial)]
    options = {"templates": SMALL, "tolerance": 1e-10, "progress": False}
    cold = ChainCRF(**options).fit(more)
    warm = ChainCRF(**options, warm_start=True).fit(partial)
    first = warm.n_iter_
    warm.fit(more)
    assert warm.loss_ == pytest.approx(cold.loss_, rel=1e-8)
    assert warm.n_iter_ < cold.n_iter_ and warm.labels_ == cold.labels_
    again = warm.fit(more)
    assert again.n_iter_ <= 12 < first  # nothing is new: it is there already


def test_weights_are_carried_to_the_same_pairs():
    keys = np.array([[5, 7], [7, 9], [5, 11]], np.uint64)
    first = Attributes.seen(keys, np.array([0, 1, 2], np.int32), 3)
    weights = np.arange(1.0, len(first) + 1)
    by_pair = dict(zip(_pairs(first, "abc"), weights, strict=True))
    second = Attributes.seen(keys[::-1], np.array([1, 0, -1], np.int32), 2)
    found = first.carried(weights, second, [2, 0])  # labels there are c and a
    expected = [by_pair.get(pair, 0.0) for pair in _pairs(second, "ca")]
    assert found.tolist() == expected and 0.0 in expected and max(expected) > 0


def _pairs(attributes, names):
    keys = np.repeat(attributes.keys, np.diff(attributes.pairs.starts))
    return [(int(key), names[k]) for key, k in zip(keys, attributes.pairs.labels, strict=True)]


def test_saved_and_loaded(crf, partial, tmp_path):
    crf.save(tmp_path / "crf.npz")
    other = ChainCRF.load(tmp_path / "crf.npz")
    assert other.predict_labels(BANK) == crf.predict_labels(BANK)
    assert other.get_params() == crf.get_params()
    with np.load(tmp_path / "crf.npz") as found:
        tables = dict(found)
    for name, value in (
        ("pair_labels", tables["pair_labels"] + 99), ("starts", tables["starts"][::-1]),
        ("transitions", tables["transitions"][1:]), ("pair_weights", tables["pair_weights"][1:]),
        ("keys", np.tile(tables["keys"], (2, 1)).T), ("keys", np.zeros_like(tables["keys"])),
        *(("tags", np.array(json.dumps(labels))) for labels in (
            [], {"O": 1}, [1] * len(crf.labels_), ["O"] * len(crf.labels_), ["_", *crf.labels_[1:]],
        )),
    ):  # fmt: skip
        np.savez(tmp_path / "broken.npz", **{**tables, name: value})
        with pytest.raises(FormatError, match=r"broken.npz: a model of another kind"):
            ChainCRF.load(tmp_path / "broken.npz")


def test_what_cannot_be_done_is_said(crf, partial):
    with pytest.raises(NotFittedError):
        ChainCRF().predict(BANK)
    with pytest.raises(ArgumentError, match="none of the sequences to learn from has a label"):
        clone(crf).fit([labelled(s, [OPEN] * len(s)) for s in BANK])
    with pytest.raises(ArgumentError, match="label 'B-NEW' is given, which the model has never"):
        crf.marginals([labelled(BANK[0], ["B-NEW"] * len(BANK[0]))], keep=True)
    with pytest.raises(ParameterError, match=r"template 'word\[0', expected atoms"):
        ChainCRF(templates=["word[0"]).fit(BANK)
    with pytest.raises(ParameterError, match="template with lemma: no such atom"):
        ChainCRF(templates=["lemma[0]"]).fit(BANK)
    with pytest.raises(ParameterError, match="tolerance is 2, expected at most 1"):
        ChainCRF(tolerance=2).fit(BANK)
    with pytest.raises(ArgumentError, match="k is 0"):
        crf.nbest(BANK[0], 0)
    with pytest.raises(ArgumentError, match=r"k is 2\.5, expected a whole number"):
        crf.nbest(BANK[0], 2.5)
    empty = replace(BANK[0], columns=tuple(() for _ in BANK[0].columns))
    for ask in (crf.predict, crf.marginals, crf.log_prob, crf.best_log_prob):
        with pytest.raises(ArgumentError, match="sequence 1 has no tokens"):
            ask([BANK[0], empty, BANK[1]])
    for ask in (crf.fit, crf.marginals, crf.log_prob):
        with pytest.raises(ArgumentError, match="one Sequence, expected several"):
            ask(BANK[0])
    assert len(crf.marginals(s for s in BANK[:3])) == 3
    for wrong in ("word", [], [3], ["word[0]", "word[0]"]):
        with pytest.raises(ParameterError, match=r"templates is .*, expected a list of different"):
            ChainCRF(templates=wrong).fit(BANK[:3])
    with pytest.raises(ParameterError, match=r"template 'word\[99999\]', expected atoms"):
        ChainCRF(templates=["word[99999]"]).fit(BANK[:3])
    with pytest.raises(ParameterError, match="l2 is True, expected a number"):
        ChainCRF(l2=True).fit(BANK[:3])
    with pytest.raises(ParameterError, match="warm_start is 'yes', expected True or False"):
        ChainCRF(warm_start="yes").fit(BANK[:3])
    with pytest.raises(ArgumentError, match="k is True"):
        crf.nbest(BANK[0], True)
    with pytest.raises(ArgumentError, match="a int, expected label sequences"):
        crf.predict(5)
    for other, kind in ((None, "NoneType"), (["abc"], "str"), ([BANK], "SequenceBank")):
        with pytest.raises(ArgumentError, match=f"a {kind}, expected label sequences"):
            crf.fit(other)
    with pytest.raises(CorpusError, match=r"columns of 1, 2 words for the names word, label"):
        Sequence(("word", "label"), (("a", "b"), ("O",)))
    before = crf.loss_
    with pytest.raises(ArgumentError):
        crf.fit([])
    assert crf.loss_ == before


def test_templates_see_what_they_say():
    sequence = Sequence(
        ("word", "pos", "entity"), (("Ann", "saw", "Bo"), ("N", "V", "N"), ("O",) * 3)
    )
    templates = ("pos[0]", "word[-1] word[0]", "prefix2[1]", "lower[0]", "shape[0]")
    keys, firsts = hash_windows([sequence, sequence], templates)
    assert firsts.tolist() == [0, 3, 6] and (keys[:3] == keys[3:]).all()
    same = keys[:, None, :] == keys[None, :, :]
    assert same[0, 2].tolist() == [True, False, False, False, False]  # Ann and Bo are both N
    assert len(np.unique(keys)) == 2 + 3 + 3 + 3 + 3  # templates never see the same
    assert templates_for(sequence) == tuple(t for t in ENTITIES if "chunk" not in t)


def test_labels_that_differ_are_no_other_window():
    keys, _ = hash_windows([BANK[0]], SMALL)
    other, _ = hash_windows([labelled(BANK[0], [OPEN] * len(BANK[0]))], SMALL)
    assert (keys == other).all()


def test_more_sequences_than_are_remembered(monkeypatch):
    monkeypatch.setattr(windows, "_MOST", 3)
    monkeypatch.setattr(windows, "_KNOWN", {})
    one_by_one = np.concatenate([hash_windows([own], SMALL)[0] for own in BANK[:5]])
    hash_windows(BANK[:2], SMALL)
    keys, _ = hash_windows(BANK[:5], SMALL)  # two are known, and three too many
    assert (keys == one_by_one).all()
