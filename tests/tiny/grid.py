"""A small grid of real, tiny runs, and a driver of it that can be killed."""

import os
import signal
import time
from pathlib import Path

import pandas as pd

from deppa_nb.batch.executor import Processes, run_all
from deppa_nb.experiments.checkpoint import Checkpoint
from deppa_nb.experiments.compare import curve
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.store import Store, Task

PARAMETERS = {
    "start": 10,
    "budget": 20,
    "rounds": 3,
    "options": {"order": 1, "bits": 14, "epochs": 1},
    "load": {"sizes": {"train": 60, "dev": 30, "test": 30}},
}
RUNS = [
    Run("compare", "toy-short", strategy, seed, PARAMETERS)
    for strategy in ("pa-random", "pa-gap")
    for seed in (1, 2)
]


def grid() -> list[Task]:
    return [Task(run, curve) for run in RUNS]


def drive(root: Path, jobs: int, start: str) -> None:
    """Compute the grid in processes of this one."""
    with Processes(jobs, start) as executor:
        outcomes = run_all(Store(root), grid(), executor)
    assert all(outcome.state != "failed" for outcome in outcomes), [*map(str, outcomes)]


def files(root: Path) -> dict[str, bytes]:
    """Return what must be the same whoever computes it: all but clocks, machines and logs."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.name not in ("timing.csv", "provenance.json", "log.txt")
    }


def meet(folder: Path, others: int) -> int:
    """Wait until so many processes are here."""
    folder.mkdir(exist_ok=True)
    (folder / str(os.getpid())).touch()
    while len(list(folder.iterdir())) < others:
        time.sleep(0.01)
    return os.getpid()


def get_or_compute(root: Path, run: Run) -> pd.DataFrame:
    return Store(root).get_or_compute(run, curve)


def fail_for_seed_2(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
    if run.seed == 2:
        raise ZeroDivisionError("nothing\nto divide by")
    return pd.DataFrame({"seed": [run.seed]})


def die_once(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
    """Die with the first round finished, the first time."""
    if not checkpoint.rows:
        checkpoint.add([{"seed": run.seed}], lambda path: path.write_text(""))
        os.kill(os.getpid(), signal.SIGKILL)
    return pd.DataFrame(checkpoint.rows)


def die_for_seed_2(run: Run, checkpoint: Checkpoint) -> pd.DataFrame:
    if run.seed == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return pd.DataFrame({"seed": [run.seed]})
