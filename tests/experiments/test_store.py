"""The run store: computed once, whole or not there, gone on with, never trusted when broken."""

import json
import os
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from tiny.grid import PARAMETERS, RUNS

from deppa_nb.active.learner import ActiveLearner
from deppa_nb.corpus.registry import load
from deppa_nb.errors import CorpusError, ParameterError, RunError
from deppa_nb.experiments import runs as runs_module
from deppa_nb.experiments.checkpoint import Checkpoint
from deppa_nb.experiments.compare import curve
from deppa_nb.experiments.runs import Run, threads
from deppa_nb.experiments.store import Store

RUN = RUNS[2]


class Counted:
    """A result, and how often it was computed."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame, self.calls = frame, 0

    def __call__(self, run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
        self.calls += 1
        return self.frame


@pytest.fixture
def counted() -> Counted:
    frame = {"uas": [1 / 3, np.nan], "name": ["007", ""], "n": [1, 2], "train_seconds": [0.5, 0.25]}
    return Counted(pd.DataFrame(frame))


def test_a_finished_run_is_not_computed_again(tmp_path: Path, counted: Counted) -> None:
    store = Store(tmp_path)
    first = store.get_or_compute(RUN, counted)
    again = store.get_or_compute(RUN, counted)
    assert counted.calls == 1
    pd.testing.assert_frame_equal(first, again)
    assert first["uas"][0] == 1 / 3 and np.isnan(first["uas"][1])
    assert first["name"].tolist() == ["007", ""] and "train_seconds" not in first
    assert store.timing(RUN)["train_seconds"].tolist() == [0.5, 0.25]
    folder = store.folder(RUN)
    assert folder.parent == tmp_path / "compare"
    assert folder.name.startswith("toy-short_pa-gap_s1__") and len(folder.name) == 29
    assert sorted(path.name for path in folder.iterdir()) == [
        "log.txt", "params.yaml", "provenance.json", "result.csv", "timing.csv",
    ]  # fmt: skip
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert yaml.safe_load((folder / "params.yaml").read_text())["parameters"] == PARAMETERS
    about = store.provenance(RUN)
    assert set(about) == {"data", "files", "versions", "machine", "processor", "seconds"}
    assert about["data"] == RUN.checksums() and 0 <= about["seconds"] < 60


def test_what_the_hash_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = [
        replace(RUN, seed=2),
        replace(RUN, strategy="pa-max"),
        replace(RUN, corpus="toy-en"),
        replace(RUN, parameters={**PARAMETERS, "rounds": 4}),
        replace(RUN, parameters={**PARAMETERS, "load": {"sizes": {"train": 61, "dev": 5}}}),
    ]
    assert len({run.digest() for run in (RUN, *other)}) == 6
    shuffled = dict(reversed(PARAMETERS.items()))
    assert replace(RUN, parameters=shuffled).digest() == RUN.digest()
    before = RUN.digest()
    monkeypatch.setattr(runs_module, "version", lambda name: "0")
    assert RUN.digest() != before
    monkeypatch.undo()
    data = tmp_path / "train.conllu"
    text = RUN.load().files["train"].read_text()
    data.write_text(text)
    mine = Run("compare", str(data), "pa-gap", 1)
    before = mine.digest()
    data.write_text(text + text)
    assert mine.digest() != before


def test_a_corpus_is_looked_up_once_while_its_files_are_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = []
    monkeypatch.setattr(
        runs_module, "load", lambda name, **given: looked_up.append(name) or load(name, **given)
    )
    file = tmp_path / "mine.conllu"
    file.write_bytes(RUN.load().files["dev"].read_bytes())
    run = replace(RUN, corpus=str(file), parameters={})
    assert run.load() is run.load() and run.checksums() and looked_up == [str(file)]
    file.write_bytes(2 * file.read_bytes())
    assert len(run.load().train) and looked_up == 2 * [str(file)]
    file.unlink()
    with pytest.raises(CorpusError, match="no such corpus and no such file"):
        run.load()


def test_sources_of_results_count_and_others_do_not() -> None:
    package = Path(runs_module.__file__).parents[1]
    modules = {p.relative_to(package).as_posix() for p in runs_module._modules("compare")}
    assert {"experiments/compare.py", "experiments/splits.py"} == {
        name for name in modules if name.startswith("experiments")
    }
    assert not {"active/session.py", "errors.py"} & modules
    code = "import sys, deppa_nb.experiments.compare; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    files = {f"{name[9:].replace('.', '/')}.py" for name in loaded.stdout.split()
             if name.startswith("deppa_nb.")}  # fmt: skip
    there = {name for name in files if (package / name).is_file() and "/toy/" not in name}
    kept = {f"{name[9:].replace('.', '/')}.py" for name in runs_module._NOT_RESULTS}
    assert "kernels/_jit.py" in there and there <= modules | kept
    assert "tour.py" in {path.name for path in runs_module._modules("tour")}
    assert runs_module._sources("compare") != runs_module._sources("tour")


def test_runs_that_make_no_sense(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="experiment is 'nothing'"):
        Run("nothing", "toy-short", "pa-gap", 1)
    with pytest.raises(ParameterError, match="parameters that are no plain values"):
        Run("compare", "toy-short", "pa-gap", 1, {"parser": object()})
    with pytest.raises(CorpusError, match="no such corpus"):
        Store(tmp_path).find(Run("compare", "nowhere", "pa-gap", 1))
    with pytest.raises(RunError, match="no measured times"):
        Store(tmp_path).timing(RUN)
    with pytest.raises(RunError, match="not finished"):
        Store(tmp_path).provenance(RUN)
    for wrong, message in (
        ({"round": 3}, "no parameter 'round'"),
        ({"rounds": 0}, "rounds is 0"),
        ({"unit": "words"}, "unit is 'words'"),
        ({"model": "best"}, "model is 'best'"),
    ):
        with pytest.raises(ParameterError, match=message):
            curve(replace(RUN, parameters=wrong), Checkpoint(tmp_path))


def test_threads_are_as_many_as_executors_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert threads() == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    assert threads() >= 1


def test_two_at_once_compute_once(tmp_path: Path, counted: Counted) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: Store(tmp_path).get_or_compute(RUN, counted), range(8)))
    assert counted.calls == 1
    for frame in found:
        pd.testing.assert_frame_equal(frame, found[0])
    assert len(list((tmp_path / "compare").iterdir())) == 1


def test_without_locks_the_first_to_finish_counts(
    tmp_path: Path, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)

    def beaten(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
        monkeypatch.setattr("deppa_nb.experiments.store.FileLock", lambda *_, **__: nullcontext())
        store.get_or_compute(run, counted)
        return pd.DataFrame({"uas": [0.0]})

    result = store.get_or_compute(RUN, beaten)
    assert result["uas"][0] == 1 / 3
    assert [path.name for path in (tmp_path / "compare").iterdir()] == [store.folder(RUN).name]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "params.yaml").unlink(),
        lambda folder: (folder / "result.csv").unlink(),
        lambda folder: (folder / "result.csv").write_text("uas,name,n\n0.3"),
        lambda folder: (folder / "timing.csv").write_text(""),
        lambda folder: (folder / "provenance.json").write_text('{"files": {'),
        lambda folder: (folder / "provenance.json").write_text("[]"),
    ],
)
def test_broken_results_are_computed_again(tmp_path: Path, counted: Counted, spoil) -> None:
    store = Store(tmp_path)
    sound = store.get_or_compute(RUN, counted)
    spoil(store.folder(RUN))
    assert store.find(RUN) is None
    pd.testing.assert_frame_equal(store.get_or_compute(RUN, counted), sound)
    assert counted.calls == 2 and store.find(RUN) is not None
    assert len(list((tmp_path / "compare").iterdir())) == 1


def test_a_run_that_was_interrupted_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, parts = Store(tmp_path / "whole"), Store(tmp_path / "parts")
    whole.get_or_compute(RUN, curve)
    rounds, add = [], Checkpoint.add

    def interrupted(self, rows, save):
        add(self, rows, save)
        rounds.append(rows[0]["round"])
        raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoint, "add", interrupted)
    for _ in range(4):
        with pytest.raises(KeyboardInterrupt):
            parts.get_or_compute(RUN, curve)
    monkeypatch.undo()
    monkeypatch.setattr(ActiveLearner, "rounds", lambda *_, **__: pytest.fail("a round too many"))
    parts.get_or_compute(RUN, curve)
    assert rounds == [0, 1, 2, 3]
    for name in ("result.csv", "params.yaml"):
        assert (whole.folder(RUN) / name).read_bytes() == (parts.folder(RUN) / name).read_bytes()
    assert (parts.folder(RUN) / "log.txt").read_text().count("goes on after") == 4
    assert len(parts.timing(RUN)) == len(whole.timing(RUN))


def test_a_run_that_failed_says_so_in_its_log(tmp_path: Path, counted: Counted) -> None:
    def fails(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
        raise RunError("no luck")

    with pytest.raises(RunError, match="no luck"):
        Store(tmp_path).get_or_compute(RUN, fails)
    (log,) = (tmp_path / "compare").glob(".*.partial/log.txt")
    assert log.read_text().endswith("RunError: no luck\n") and "Traceback" in log.read_text()
    Store(tmp_path).get_or_compute(RUN, counted)
    assert "no luck" in (Store(tmp_path).folder(RUN) / "log.txt").read_text()


def test_what_killed_processes_have_left(tmp_path: Path, counted: Counted) -> None:
    folder = Store(tmp_path).folder(RUN)
    partial = folder.with_name(f".{folder.name}.partial")
    (partial / "new-dead").mkdir(parents=True)
    (partial / "checkpoint.zip").write_bytes(b"half of a")
    old, young = (folder.with_name(f".{name}__01234567.partial") for name in ("old", "young"))
    for other in (old, young):
        other.mkdir()
    os.utime(old, (0, 0))
    Store(tmp_path).get_or_compute(RUN, counted)
    assert sorted(path.name for path in folder.parent.iterdir()) == [young.name, folder.name]


def test_killed_after_the_result_was_there(tmp_path: Path, counted: Counted) -> None:
    store = Store(tmp_path)
    store.get_or_compute(RUN, counted)
    folder = store.folder(RUN)
    folder.with_name(f".{folder.name}.partial").mkdir()
    folder.with_name(f".{folder.name}.lock").touch()
    assert store.find(RUN) is not None
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_a_checkpoint_has_both_or_neither(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path)
    assert checkpoint.rows == [] and checkpoint.load(Path.read_text) is None
    checkpoint.add([{"uas": np.float64(0.1), "n": np.int64(3)}], lambda path: path.write_text("a"))

    def fails(path: Path) -> None:
        path.write_text("b")
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        Checkpoint(tmp_path).add([{"uas": 0.2, "n": 4}], fails)
    later = Checkpoint(tmp_path)
    assert later.rows == [{"uas": 0.1, "n": 3}] and later.load(Path.read_text) == "a"
    assert json.dumps(later.rows)


def test_seconds_are_of_the_processor_and_add_up(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path)
    start = time.process_time()
    while time.process_time() < start + 0.2:
        pass
    checkpoint.add([{"n": 3}], lambda path: path.write_text("a"))
    later = Checkpoint(tmp_path)
    time.sleep(0.5)
    assert 0.2 <= later.seconds < 0.6


def test_a_checkpoint_that_is_broken_is_none(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path)
    checkpoint.add([{"n": 3}], lambda path: path.write_text("a"))
    content = checkpoint.path.read_bytes()
    method = content.index(b"PK\x01\x02") + 10
    with zipfile.ZipFile(tmp_path / "half.zip", "w") as archive:
        archive.writestr("rows.json", json.dumps({"rows": [{"n": 3}], "seconds": 1}))
    for broken in (
        content[:method] + b"\x63" + content[method + 1 :],
        (tmp_path / "half.zip").read_bytes(),
    ):
        checkpoint.path.write_bytes(broken)
        again = Checkpoint(tmp_path)
        assert again.rows == [] and again.load(Path.read_text) is None
