"""Runs of Wanvarie et al. (2011)."""

import numpy as np
import pytest

from deppa_nb.active.splitting import types_of
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.checkpoint import Checkpoint
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.wanvarie2011 import EVERYTHING, label, work
from tests.killing import check_going_on

SMALL = {"start": 6, "queries": 12, "load": {"sizes": {"train": 60, "dev": 10, "test": 30}}}


def run_of(system, **parameters):
    return Run("wanvarie2011", "toy-chunks", system, 1, {**SMALL, **parameters})


def computed(system, folder, **parameters):
    folder.mkdir(exist_ok=True)
    return label(run_of(system, **parameters), Checkpoint(folder))


@pytest.mark.parametrize("system", ["sup-al", "all-0.90", "split-0.90"])
def test_killed_after_every_round_it_goes_on(system, tmp_path, monkeypatch):
    check_going_on(lambda folder: computed(system, folder), tmp_path, monkeypatch)


def test_what_a_split_run_tells(tmp_path):
    found, corpus = computed("split-0.90", tmp_path), run_of("split-0.90").load()
    rounds, (_, final), _ = (
        found[found["row"] == name]
        if name != "final"
        else next(found[found["row"] == name].iterrows())
        for name in ("round", "final", "sequence")
    )
    assert tuple(rounds["task"].unique()) == types_of(corpus.train)
    start = sum(sorted(map(len, corpus.train))[-6:])
    assert (rounds[rounds["round"] == 0]["labels"] == start).all()
    ends = rounds.groupby("task")["labels"].last()
    assert final["actions"] == (ends - start).sum() + start
    assert ends.max() <= final["labels"] <= final["actions"]
    assert 0 < final["by_hand"] <= final["labels"]
    learned = final["by_hand"] + final["predicted"] + final["conflicts"]
    assert learned == corpus.train.n_words
    assert rounds["f1"].isna().all() and final["f1"] > 30


def test_sequences_add_up_to_f1(tmp_path):
    found = computed("supervised", tmp_path)
    rows = found[found["row"] == "sequence"]
    counts = rows[["gold", "found", "right"]].sum()
    (final,) = found.loc[found["row"] == "final", "f1"]
    assert final == pytest.approx(200 * counts["right"] / (counts["gold"] + counts["found"]))
    assert len(rows) == 30 and (found["task"] == EVERYTHING).all()


def test_supervised_active_learning_ends_at_the_supervised_f1(tmp_path):
    every = computed("supervised", tmp_path / "all", tolerance=1e-2)  # as models of rounds learn
    goal = every.query("row == 'final'")["f1"].item()
    found = computed("sup-al", tmp_path / "some", round_tolerance=1e-2)
    rounds = found.query("row == 'round'")
    assert (rounds["f1"][:-1] < goal).all()
    assert rounds["f1"].iloc[-1] >= goal
    assert rounds["stopped"].iloc[-1] == "F1 is that of all labels"
    (labels,) = found.query("row == 'final'")["labels"]
    assert labels == rounds["labels"].iloc[-1]  # nothing was asked for after that
    assert np.diff(rounds["labels"]).min() > 12  # whole sequences


def test_what_makes_no_sense_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="expected one of supervised, sup-al"):
        work(run_of("all-0.5"))
    with pytest.raises(ParameterError, match="no parameter 'query'"):
        work(run_of("sup-al", query=3))
    with pytest.raises(ParameterError, match="queries is 0"):
        work(run_of("sup-al", queries=0))
    for wrong in ({"l2": -1}, {"tolerance": -1}, {"round_tolerance": -1}, {"kappa": 2}):
        with pytest.raises(ParameterError, match=r"is (-1|2), expected"):
            work(run_of("sup-al", **wrong))
    assert work(run_of("all-0.90", warm=False)) > work(run_of("all-0.90")) > 0
