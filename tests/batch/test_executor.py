"""The executor: the same files from any number of workers, and after any number of kills."""

import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny.grid import (
    RUNS,
    die_for_seed_2,
    die_once,
    drive,
    fail_for_seed_2,
    files,
    get_or_compute,
    grid,
    meet,
)

from deppa_nb.batch.executor import Processes, _work, open_executor, run_all
from deppa_nb.errors import ParameterError, RunError
from deppa_nb.experiments.compare import curve
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.store import Store, Task

VICTIMS = ("driver", "worker", "everything")
# When to kill, in seconds after the first worker has begun: as good as random, and known.
DELAYS = [round(0.35 * (k * 0.618034 % 1), 3) for k in range(1, 19)]
DELAYS_SPAWNED = [0.15, 0.3]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one worker makes of the grid."""
    root = tmp_path_factory.mktemp("one")
    with open_executor(jobs=1) as executor:
        outcomes = run_all(Store(root), grid(), executor)
    assert [outcome.state for outcome in outcomes] == ["computed"] * 4
    return files(root)


def test_two_workers_give_the_same_files(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    told = []
    with open_executor(jobs=2) as executor:
        run_all(Store(tmp_path), [*grid(), *grid()], executor, told.append)
        assert files(tmp_path) == undisturbed and len(undisturbed) == 8
        assert [(p.done, p.total, p.failed) for p in told] == [(k, 4, 0) for k in (1, 2, 3, 4)]
        assert told[0].left > 0 == told[-1].left
        again = run_all(Store(tmp_path), grid(), executor)
    assert [outcome.state for outcome in again] == ["stored"] * 4
    assert not [path for path in tmp_path.rglob(".*")]


def test_two_processes_that_want_the_same_run_compute_it_once(tmp_path: Path) -> None:
    with Processes(2) as executor:
        pids = {executor.submit(meet, tmp_path / "met", 2) for _ in range(2)}
        assert len({future.result() for future in pids}) == 2
        same = [executor.submit(get_or_compute, tmp_path / "runs", RUNS[0]) for _ in range(2)]
        first, second = (future.result() for future in same)
    assert first.equals(second) and len(first) == 120
    assert logs(tmp_path / "runs").count("begins") == 1
    assert len(list((tmp_path / "runs" / "compare").iterdir())) == 1


def test_failures_are_named_and_others_go_on(tmp_path: Path) -> None:
    gone = Run("compare", "no-such-corpus", "pa-gap", 1)
    tasks = [Task(gone, curve), *(Task(run, fail_for_seed_2) for run in RUNS)]
    with Processes(1) as executor:
        outcomes = run_all(Store(tmp_path), tasks, executor)
    assert [o.state for o in outcomes] == ["failed", "computed", "failed", "computed", "failed"]
    assert str(outcomes[0]).startswith("compare no-such-corpus pa-gap seed 1: no-such-corpus: no")
    expected = "compare toy-short pa-gap seed 2: ZeroDivisionError: nothing to divide by"
    assert str(outcomes[4]) == expected


def test_a_worker_with_other_sources_is_refused(tmp_path: Path) -> None:
    folder = Store(tmp_path).folder(RUNS[0])
    _, cause = _work(folder.with_name("toy-short_pa-random_s1__01234567"), *grid()[0][:2])
    assert cause.startswith("a worker has other sources or data")
    assert not list(tmp_path.iterdir())


def test_a_worker_that_dies_is_tried_once_more_and_then_named(tmp_path: Path) -> None:
    tasks = [Task(RUNS[0], die_once), Task(RUNS[3], die_for_seed_2), Task(RUNS[2], die_for_seed_2)]
    with Processes(2) as executor:
        outcomes = run_all(Store(tmp_path), tasks, executor)
    assert [outcome.state for outcome in outcomes] == ["computed", "failed", "computed"]
    assert str(outcomes[1]) == "compare toy-short pa-gap seed 2: its process died 2 times"
    log = (Store(tmp_path).folder(RUNS[0]) / "log.txt").read_text()
    assert re.findall(r": (.*)", re.sub(r"\S+ \S+ process", "", log)) == [
        "begins", "goes on after 1 rows", "has finished",
    ]  # fmt: skip


def test_an_interrupt_does_not_wait_for_runs() -> None:
    """They go on later, from their last round."""
    with pytest.raises(KeyboardInterrupt), Processes(1) as executor:
        executor.submit(os.getpid).result()
        futures = [executor.submit(time.sleep, 3600) for _ in range(2)]
        while not futures[0].running():
            time.sleep(0.01)
        raise KeyboardInterrupt
    assert futures[0].exception() is not None and futures[1].cancelled()


def test_what_cannot_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="jobs is 0"), open_executor(jobs=0):
        pass
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(RunError, match=r"tcp://127.0.0.1:1: .*pip install 'deppa_nb\[cluster\]'"),
        open_executor(scheduler="tcp://127.0.0.1:1"),
    ):
        pass


class Killed:
    """A driver of the grid that is killed again and again."""

    def __init__(self, root: Path, start: str) -> None:
        self.root, self.start = root, start
        self.context = multiprocessing.get_context("forkserver" if start == "fork" else start)
        if start == "fork":
            self.context.set_forkserver_preload(["tiny.warm"])
        self.finished: dict[Path, int] = {}

    def once(self, victim: str, delay: float) -> None:
        """Start it, kill it or its worker after a while, and look at what is there."""
        driver = self.context.Process(target=drive, args=(self.root, 2, self.start))
        driver.start()
        before = time.time()
        while driver.is_alive() and not self.workers(before):
            time.sleep(0.002)
        time.sleep(delay)
        workers = self.workers(before)
        pids = {"driver": [driver.pid], "worker": workers[:1], "everything": [driver.pid, *workers]}
        for pid in pids[victim]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        driver.join(30)
        assert driver.exitcode == (0 if victim == "worker" else driver.exitcode)
        driver.close()
        self.look()

    def workers(self, since: float) -> list[int]:
        """Return the processes that have begun a run and not finished it, by their logs."""
        found = []
        for log in self.root.glob("*/.*.partial/log.txt"):
            try:
                if log.stat().st_mtime >= since - 0.01:
                    found.append(int(re.findall(r"process (\d+)", log.read_text())[-1]))
            except (FileNotFoundError, IndexError):
                continue
        return found

    def look(self) -> None:
        """What was finished is there, as it was, and once."""
        folders = [path for path in self.root.glob("*/*") if not path.name.startswith(".")]
        now = {path: (path / "result.csv").stat().st_mtime_ns for path in folders}
        assert self.finished.items() <= now.items()
        assert len({path.name.split("__")[0] for path in now}) == len(now) <= len(RUNS)
        self.finished = now


def logs(root: Path) -> str:
    return "".join(path.read_text() for path in root.glob("*/*/log.txt"))


ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks safely")


@pytest.mark.parametrize(
    ("start", "delays"),
    [pytest.param("fork", DELAYS, marks=ON_LINUX), ("spawn", DELAYS_SPAWNED)],
)
def test_killed_at_any_moment(
    start: str,
    delays: list[float],
    tmp_path: Path,
    undisturbed: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where all is finished before the last kill, it begins anew in another folder."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    grids = [Killed(tmp_path / "0", start)]
    for k, delay in enumerate(delays):
        grids[-1].once(VICTIMS[k % 3], delay)
        if len(grids[-1].finished) == len(RUNS):
            grids.append(Killed(tmp_path / str(k + 1), start))
    for one in grids:
        drive(one.root, 1, "spawn")
        one.look()
        assert files(one.root) == undisturbed
        assert not [path for path in one.root.rglob(".*")]
    gone_on = sum(logs(one.root).count("goes on after") for one in grids)
    print(f"{len(grids)} grids, {gone_on} times gone on with a run")
    assert gone_on or start != "fork"


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    """A Dask scheduler with two workers, on loopback."""
    pytest.importorskip("distributed", reason="this machine lacks distributed")
    told, dask = tmp_path / "scheduler.json", [sys.executable, "-m", "dask"]
    options = ["--no-dashboard", "--scheduler-file", str(told)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    commands = [
        ["scheduler", "--host", "127.0.0.1", "--port", "0"],
        ["worker", "--host", "127.0.0.1", "--nworkers", "2", "--nthreads", "1",
         "--local-directory", str(tmp_path)],
    ]  # fmt: skip
    started = [
        subprocess.Popen(
            [*dask, *command, *options], env=environment, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for command in commands
    ]  # fmt: skip
    try:
        while not told.exists() and all(process.poll() is None for process in started):
            time.sleep(0.05)
        yield json.loads(told.read_text())["address"]
    finally:
        for process in started:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(10)


def test_a_dask_cluster_gives_the_same_files(
    scheduler: str, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    root, other = tmp_path / "runs", tmp_path / "other"
    with open_executor(scheduler=scheduler) as executor:
        outcomes = run_all(Store(root), grid(), executor)
        (died,) = run_all(Store(other), [Task(RUNS[0], die_once)], executor)
    assert died.state == "computed" and "goes on after 1 rows" in logs(other)
    assert [outcome.state for outcome in outcomes] == ["computed"] * 4
    assert files(root) == undisturbed
    processes = set(re.findall(r"process (\d+)", logs(root)))
    assert processes and str(os.getpid()) not in processes
