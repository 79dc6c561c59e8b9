"""What experiments learn from and are scored on."""

import numpy as np
import pandas as pd
import pytest

from deppa_nb.corpus.registry import load
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.compare import ALL, CurveParameters, all_data, curve
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


def test_wrong_parameters():
    with pytest.raises(ParameterError, match="tags is 'gold', expected given or jackknifed"):
        CurveParameters(tags="gold")
    with pytest.raises(ParameterError, match="longest is -1"):
        CurveParameters(longest=-1)
    with pytest.raises(ParameterError, match="options has 'ordre', no option of crf"):
        CurveParameters(options={"ordre": 1})
    with pytest.raises(ParameterError, match="expected a treebank"):
        splits("toy-flights")
