"""What the walk shows is what it says."""

from dataclasses import replace

import numpy as np
import pytest

from deppa_nb import ChainCRF, load
from deppa_nb.active.splitting import subtask, types_of
from deppa_nb.corpus.sequences import Sequence
from deppa_nb.errors import ArgumentError
from deppa_nb.experiments import wanvarie2011_walk as walk

BANK = load("toy-chunks", sizes={"train": 80, "dev": 10, "test": 40})
TRAIN, TEST = BANK.train, BANK.test


@pytest.fixture(scope="module")
def crf():
    return ChainCRF(progress=False).fit(TRAIN)


def test_a_list_of_all_sequences(crf):
    short = walk.cut(TRAIN[0], 0, 4)
    known = walk.with_some(short, (1,))
    listed = walk.list_sequences(crf, known)
    assert len(listed.labels) == len(crf.labels_) ** 3
    assert all(labels[1] == short.labels[1] for labels in listed.labels)
    assert listed.total == pytest.approx(np.exp(crf.log_prob([known])[0]))
    assert listed.marginals == pytest.approx(crf.marginals([known], keep=True)[0], abs=1e-9)
    assert listed.labels[0] == crf.predict(known, keep=True).labels
    assert (np.diff(listed.probabilities) <= 0).all()
    table = listed.table(short.words, 3)
    assert tuple(table.iloc[0])[:-1] == listed.labels[0] and len(table) == 3
    with pytest.raises(ArgumentError, match="are too many"):
        walk.list_sequences(crf, walk.with_some(TRAIN[0]))


def test_what_a_label_does(crf):
    sequence = walk.with_some(TEST[0])
    (p,) = crf.marginals([sequence])
    token = int(p.max(axis=1).argmin())
    found = walk.effect_of(crf, sequence, token, TEST[0].labels[token])
    assert found["p after"][token] == pytest.approx(1)  # sums of rounded numbers
    assert found["best after"][token] == TEST[0].labels[token]
    assert found["p before"].tolist() == pytest.approx(p.max(axis=1).tolist())


def test_a_label_that_spares_another():
    crf = ChainCRF(progress=False).fit(TRAIN[:12])
    sequence, token = walk.find_spared(crf, TEST, 0.9)
    found = walk.effect_of(crf, walk.with_some(sequence), token, sequence.labels[token])
    spared = (found["p before"] < 0.9) & (found["p after"] >= 0.9)
    assert spared.sum() > 1 and found["p before"].idxmin() == token
    assert walk.find_spared(crf, TEST, 0.0) is None


def test_both_formats():
    found = walk.both_formats(TRAIN[0])
    assert tuple(found.loc["IOB2"]) == TRAIN[0].labels
    assert found.shape == (2, len(TRAIN[0]))


def test_a_chunk_after_one_of_its_type():
    words, labels = ("Ann", "Bob", "left"), ("B-PER", "B-PER", "O")
    two = Sequence(("word", "entity"), (words, labels))
    apart = replace(two, columns=(words, ("B-PER", "O", "B-PER")))
    assert walk.touching([apart, two]) is two and walk.touching([apart]) is None


def test_split_and_merge_with_a_conflict():
    kinds = types_of(TRAIN)
    models = {
        kind: ChainCRF(progress=False).fit([subtask(s, kind) for s in TRAIN]) for kind in kinds
    }
    first, second = models[kinds[0]], models[kinds[1]]
    both = {kinds[0]: first, kinds[1]: _renamed(first, kinds[1])}  # who claims the same tokens
    claimed = walk.find_conflict(both, TRAIN)
    assert claimed is not None and walk.find_conflict({kinds[1]: second}, TRAIN) is None
    rows, solid, conflicts = walk.split_example(both, claimed, {})
    assert conflicts and all(rows["merged"][t] == "_" for t in conflicts)
    assert not any(solid[kinds[0]]) and set(rows["by hand"]) == {"_"}
    rows, solid, conflicts = walk.split_example(both, claimed, {kinds[0]: (conflicts[0],)})
    assert rows["merged"][conflicts[0] if conflicts else 0] is not None
    assert sum(solid[kinds[0]]) == 1
    right = types_of([claimed])[0]
    token = next(t for t, label in enumerate(claimed.labels) if label[2:] == right)
    other = next(kind for kind in kinds if kind != right)
    rows, _, conflicts = walk.split_example(models, claimed, {right: (token,)}, (other, token))
    assert token in conflicts and rows["merged"][token] == rows["by hand"][token] == "_"
    ignorant = ChainCRF(progress=False).fit([subtask(TRAIN[0], "NONE")])
    with pytest.raises(ArgumentError, match="the model of NONE has seen none"):
        walk.split_example({**models, "NONE": ignorant}, claimed, {}, ("NONE", 0))


def _renamed(crf, kind):
    """Return a model that says the same of another type."""
    other = ChainCRF(progress=False)
    other.__dict__ = dict(vars(crf))
    other.labels_ = tuple(label if label == "O" else f"{label[:2]}{kind}" for label in crf.labels_)
    return other


def test_only_some_labels_stay():
    sequence = replace(TRAIN[0])
    found = walk.with_some(sequence, (0,))
    assert found.labels[0] == sequence.labels[0] and set(found.labels[1:]) == {"_"}
