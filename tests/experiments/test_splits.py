"""What experiments learn from and are scored on."""

import numpy as np
import pandas as pd
import pytest

from deppa_nb import MIRAParser
from deppa_nb.corpus.evaluate import evaluate
from deppa_nb.corpus.registry import load
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.compare import ALL, CurveParameters, all_data, curve, work
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.splits import splits, splits_of
from deppa_nb.experiments.store import Store

SIZES = {"sizes": {"train": 80, "dev": 20, "test": 10}}
SMALL = {"start": 8, "budget": 40, "rounds": 1, "options": {"order": 1, "bits": 12, "epochs": 1}}


def run_of(strategy="pa-gap", **parameters):
    return Run("compare", "toy-short", strategy, 1, {"load": SIZES, **parameters})


def test_long_sentences_are_left_out_of_train_alone():
    whole, short = splits("toy-en", SIZES), splits("toy-en", SIZES, longest=12)
    assert 0 < len(short.train) < len(whole.train) and max(short.train.lengths) <= 12
    assert short.dev == whole.dev and max(short.dev.lengths) > 12


def test_fewer_sentences_are_of_all_parts_of_train():
    whole, fewer = splits("toy-en", SIZES), splits("toy-en", SIZES, most=20)
    assert [s.sent_id for s in fewer.train] == [s.sent_id for s in whole.train[::4]]
    assert fewer.dev == whole.dev and splits("toy-en", SIZES, most=500).train == whole.train
    assert len(splits("toy-en", SIZES, most=33).train) == 33
    assert len(splits_of(run_of(most=33)).train) == 33


def test_tags_of_taggers_that_have_not_seen_the_sentence():
    given, tagged = splits("toy-en", SIZES), splits("toy-en", SIZES, tags="jackknifed")
    for one, other in zip(given, tagged, strict=True):
        assert [s.words for s in one] == [s.words for s in other]
        assert all((s.heads == t.heads).all() for s, t in zip(one, other, strict=True))
        same = [
            a == b
            for s, t in zip(one, other, strict=True)
            for a, b in zip(s.upos, t.upos, strict=True)
        ]
        assert 0.6 < np.mean(same) < 1  # on their own words they would make no mistake
    assert splits("toy-en", SIZES, tags="jackknifed") is tagged


def test_a_curve_by_its_parameters(tmp_path):
    store = Store(tmp_path)
    run = run_of(**SMALL, first=True, longest=9, tags="jackknifed", test=True)
    found = store.get_or_compute(run, curve)
    sizes = found.groupby(["round", "split"])["sentence"].nunique()
    assert sizes.to_dict() == {(0, "dev"): 20, (0, "test"): 10, (1, "dev"): 20, (1, "test"): 10}
    short = [s for s in load("toy-short", **SIZES).train if len(s) <= 9]
    assert found["dependencies"].iloc[0] == sum(len(s) for s in short[:8])
    every = run_of(ALL, **CurveParameters(test=True, longest=9).of_all_data() | {"load": SIZES})
    scores = store.get_or_compute(every, all_data)
    assert set(scores["split"]) == {"dev", "test"}
    assert scores["dependencies"].iloc[0] == sum(len(s) for s in short)
    pd.testing.assert_frame_equal(found, store.find(run))
    assert len(splits_of(run).train) == len(short)


def test_curves_by_heads_or_by_heads_and_labels(tmp_path):
    store, given = Store(tmp_path), {**SMALL, "model": "mira", "most": 30, "test": True}
    uas, las = (
        store.get_or_compute(run_of("token-entropy", **given, score=score), curve)
        for score in ("uas", "las")
    )
    assert (uas["right"] >= las["right"]).all() and (uas["right"] > las["right"]).any()
    every = CurveParameters(**given, score="las").of_all_data() | {"load": SIZES}
    run = run_of(ALL, **every)
    parser = MIRAParser(**SMALL["options"], progress=False).fit(splits_of(run).train)
    test, rows = splits_of(run).test, store.get_or_compute(run, all_data)
    on_test = rows[rows["split"] == "test"]
    assert 100 * on_test["right"].sum() / on_test["words"].sum() == pytest.approx(
        evaluate(test, parser.predict(test)).las
    )
    assert work(run) < work(run_of(ALL, **{**every, "most": 0}))


def test_wrong_parameters():
    with pytest.raises(ParameterError, match="score is 'exact', expected uas or las"):
        CurveParameters(score="exact")
    with pytest.raises(ParameterError, match="score is las, expected crf with labels"):
        CurveParameters(score="las")
    with pytest.raises(ParameterError, match="most is -1"):
        CurveParameters(most=-1)
    with pytest.raises(ParameterError, match="tags is 'gold', expected given or jackknifed"):
        CurveParameters(tags="gold")
    with pytest.raises(ParameterError, match="longest is -1"):
        CurveParameters(longest=-1)
    with pytest.raises(ParameterError, match="options has 'ordre', no option of crf"):
        CurveParameters(options={"ordre": 1})
    with pytest.raises(ParameterError, match="expected a treebank"):
        splits("toy-flights")
