"""Runs of Tang et al. (2002)."""

import json

import numpy as np
import pytest

from deppa_nb.errors import ParameterError
from deppa_nb.experiments.checkpoint import Checkpoint
from deppa_nb.experiments.compare import ALL
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.tang2002 import STRATEGIES, learn, measure, work
from tests.killing import check_going_on

SMALL = {
    "start": 20, "batch": 8, "rounds": 2, "parses": 5,
    "options": {"clusters": 10, "frequent": 20, "beam": 5},
    "load": {"sizes": {"train": 60, "dev": 5, "test": 30}},
}  # fmt: skip


def run_of(strategy, seed=1, **parameters):
    return Run("tang2002", "toy-flights", strategy, seed, {**SMALL, **parameters})


def computed(strategy, folder, **parameters):
    folder.mkdir(exist_ok=True)
    return learn(run_of(strategy, **parameters), Checkpoint(folder))


@pytest.mark.parametrize("strategy", ["random", "uncertain-change", "density-word"])
def test_killed_after_every_round_it_goes_on(strategy, tmp_path, monkeypatch):
    check_going_on(lambda folder: computed(strategy, folder), tmp_path, monkeypatch)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_a_curve_tells(strategy, tmp_path):
    found = computed(strategy, tmp_path)
    assert found.groupby("round")["dependencies"].unique().str[0].tolist() == [0, 8, 16]
    assert found.groupby(["round", "split"]).size().tolist() == 3 * [5, 30]  # dev, test
    assert (found["words"] == 1).all()
    chosen = found.groupby("round")[["effective", "dependencies"]].first()
    if strategy.startswith(("density", "performance")):
        assert (chosen["effective"] <= chosen["dependencies"] + 1e-9).all()
        assert chosen["effective"].iloc[-1] < 16
    else:
        assert chosen["effective"].tolist() == [0, 8, 16]
    assert found["right"].isin([0, 1]).all() and (found["hits"] <= found["gold"]).all()
    exact = found[found["right"] == 1]
    assert (exact["gold"] == exact["hits"]).all() and (exact["found"] == exact["hits"]).all()
    assert (found["stopped"] == np.where(found["round"] == 2, "all rounds", "")).all()


def test_all_begin_alike_and_choose_otherwise(tmp_path):
    rows = {
        name: computed(name, tmp_path / name)
        for name in ("random", "uncertain-word", "cluster-word", "density-word")
    }
    first = [found[found["round"] == 0]["right"].tolist() for found in rows.values()]
    assert all(one == first[0] for one in first)
    kept = {name: Checkpoint(tmp_path / name).load(lambda path: path.read_text()) for name in rows}
    assert len(set(kept.values())) == 4
    assert '"weights": [1.0' in kept["density-word"] and kept["density-word"].count("1.0") < 25


def test_what_stays_wrong_weighs_more_and_more(tmp_path):
    computed("performance-word", tmp_path, rounds=4)
    kept = Checkpoint(tmp_path).load(lambda path: json.loads(path.read_text()))
    weights = np.array(kept["weights"])
    assert (weights[:20] == 1).all() and len(weights) == 20 + 4 * 8
    times = np.log(weights[20:]) / np.log(1.5)
    np.testing.assert_allclose(times, times.round(), atol=1e-9)
    assert times.max() > 1 and (times <= np.repeat([4, 3, 2, 1], 8)).all()  # rounds since chosen


def test_when_the_pool_is_empty_it_ends(tmp_path):
    found = computed("cluster-sentence", tmp_path, rounds=9)
    assert found["dependencies"].max() == 40 and found["stopped"].iloc[-1] == "no sentence"
    assert found["round"].max() == 5
    everything = computed(ALL, tmp_path / "all")
    assert everything["dependencies"].unique().tolist() == [60]
    last = found[found["round"] == 5]["right"].tolist()
    assert np.mean(np.array(last) == everything["right"]) > 0.8  # the same trees in another order


def test_entropies_of_the_pool(tmp_path):
    found = measure(run_of("entropies"), Checkpoint(tmp_path))
    assert len(found) == 40 and found["sentence"].is_unique
    np.testing.assert_allclose(
        found["word"] * found["length"], found["sentence_entropy"], atol=1e-6
    )
    assert (found[["change", "sentence_entropy", "word"]] >= 0).all(axis=None)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ParameterError, match="expected one of random, uncertain-change"):
        work(run_of("cluster-length"))
    with pytest.raises(ParameterError, match="no parameter 'round'"):
        work(run_of("random", round=3))
    with pytest.raises(ParameterError, match="batch is 0"):
        work(run_of("random", batch=0))
    with pytest.raises(ParameterError, match="contexts is 'no', expected True or False"):
        work(run_of("random", contexts="no"))
    with pytest.raises(ParameterError, match="options is None, expected names"):
        work(run_of("random", options=None))
    with pytest.raises(ParameterError, match="options has 'bits'"):
        work(run_of("random", options={"bits": 3}))
    assert work(run_of("cluster-word")) > work(run_of("uncertain-word")) > work(run_of("random"))
    assert work(run_of(ALL)) > work(run_of("entropies")) > 0
