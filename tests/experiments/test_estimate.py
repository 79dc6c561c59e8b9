"""How long runs will take."""

import time

import pandas as pd
import pytest

from deppa_nb.experiments.compare import ALL, work
from deppa_nb.experiments.estimate import WORDS_PER_SECOND, estimate
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.store import Store, Task

UNITS = ("dependencies", "sentences")
SIZES = {"load": {"sizes": {"train": 30, "dev": 10}}}


def run_of(seed=1, strategy="pa-gap", **parameters):
    return Run("compare", "toy-short", strategy, seed, {**SIZES, **parameters})


def slow(run, checkpoint):
    start = time.process_time()
    while time.process_time() < start + 0.2:
        pass
    return pd.DataFrame({"x": [1]})


def test_as_long_as_before_or_as_much_as_there_is_to_do(tmp_path):
    store, first, more = Store(tmp_path), run_of(1), run_of(1, rounds=30)
    tasks = [Task(run, slow, work) for run in (first, more)]
    fresh = estimate(store, tasks)
    assert fresh == {run: work(run) / WORDS_PER_SECOND for run in (first, more)}
    store.get_or_compute(first, slow)
    known = estimate(store, tasks)
    # A clock of processors may count in steps of milliseconds, and what is kept is rounded.
    assert known[first] == store.provenance(first)["seconds"] and known[first] > 0.19
    assert known[more] == pytest.approx(known[first] * work(more) / work(first))


def test_what_others_left_in_the_folder_does_no_harm(tmp_path):
    store, run = Store(tmp_path), run_of()
    store.get_or_compute(run, slow)
    folder = store.folder(run)
    for name, content in (("a__1", "{"), ("b__2", "{}"), ("c__3", '{"seconds": 0}')):
        (folder.parent / name).mkdir()
        (folder.parent / name / "provenance.json").write_text(content)
        (folder.parent / name / "params.yaml").write_text((folder / "params.yaml").read_text())
    assert estimate(store, [Task(run, slow, work)])[run] >= 0


def test_more_work_is_more():
    some = {"start": 2, "budget": 5, "rounds": 3}
    base = work(run_of(**some))
    assert work(run_of(**{**some, "rounds": 6})) > base
    assert work(run_of(**{**some, "budget": 10})) > base
    assert work(run_of(**some, options={"epochs": 9})) > base
    assert work(run_of(**some, options={"order": 1})) == base / 2
    assert work(run_of(**some, unit="sentences")) == base  # sentences of words are learned from
    words, sentences = (work(run_of(1, "fa-random", **some, unit=unit)) for unit in UNITS)
    assert words < sentences == base
    assert 0 < work(run_of(strategy=ALL)) < work(run_of(start=30, rounds=3))
