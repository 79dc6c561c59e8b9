"""Runs on an executor: processes of this machine, or a Dask cluster that the user names."""

import os
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import (
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    as_completed,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Literal

from deppa_nb.errors import DeppaError, ParameterError, RunError, one_line
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.store import Compute, Store, Task

__all__ = ["Outcome", "Processes", "Progress", "open_executor", "run_all"]

_CONNECT_SECONDS = 10
_TRIES = 2


@dataclass(frozen=True)
class Outcome:
    """How a run went.

    Attributes
    ----------
    run
        Which.
    state
        ``stored``: it was finished before.
    seconds
        That it took now.
    cause
        Why it failed, in a line.
    """

    run: Run
    state: Literal["stored", "computed", "failed"]
    seconds: float = 0.0
    cause: str = ""

    def __str__(self) -> str:
        return f"{self.run}: {self.cause or self.state}"


@dataclass(frozen=True)
class Progress:
    """How far all runs are; `left` are the seconds to go, None while nobody can tell."""

    last: Outcome
    done: int
    total: int
    failed: int
    left: float | None


def run_all(
    store: Store,
    tasks: Iterable[Task],
    executor: Executor,
    say: Callable[[Progress], None] = lambda progress: None,
    expected: Mapping[Run, float] | None = None,
) -> list[Outcome]:
    """Compute all runs that are not in the store yet.

    Parameters
    ----------
    store
        On a file system that all of the executor's workers see under the same name.
    tasks
        What to compute; a run that is there twice is computed once.
    executor
        See `open_executor`.
    say
        Is told whenever a run has ended.
    expected
        About how many seconds each run adds to the whole, for the time left; by default all add
        the same.

    Returns
    -------
    list of Outcome
        One for each run, in the order of the tasks. A run that failed does not stop the others.
    """
    wanted = {task.run: task for task in tasks}
    outcomes: dict[Run, Outcome] = {}
    weights = {run: expected.get(run, 0.0) if expected else 1.0 for run in wanted}
    start, fresh = time.monotonic(), 0.0
    # What was expected counts as much as what was seen once all is seen: the first run compiles.
    prior = sum(weights.values()) if expected else 0.0

    def note(outcome: Outcome) -> None:
        outcomes[outcome.run] = outcome
        done, failed = len(outcomes), sum(o.state == "failed" for o in outcomes.values())
        open_ = sum(weights[run] for run in wanted if run not in outcomes)
        spent = time.monotonic() - start
        left = (spent + prior) / (fresh + prior) * open_ if fresh + prior else None
        left = 0.0 if done == len(wanted) else left
        say(Progress(outcome, done, len(wanted), failed, left))

    for run in wanted:
        if outcome := _known(store, run):
            note(outcome)
    futures = {
        executor.submit(_work, store.folder(run), run, task.compute): run
        for run, task in wanted.items()
        if run not in outcomes
    }
    start = time.monotonic()
    try:
        for future in as_completed(futures):
            fresh += weights[futures[future]]
            note(_ended(futures[future], future))
    finally:
        for future in futures:
            future.cancel()
    return [outcomes[run] for run in wanted]


def _known(store: Store, run: Run) -> Outcome | None:
    """Return the outcome of a run that needs no worker."""
    try:
        return None if store.find(run) is None else Outcome(run, "stored")
    except DeppaError as error:  # its corpus is not here, say
        return Outcome(run, "failed", cause=str(error))


def _ended(run: Run, future: "Future[tuple[float, str]]") -> Outcome:
    try:
        seconds, cause = future.result()
    except Exception as error:  # the worker died, or the task could not be sent to it
        seconds, cause = 0.0, one_line(error)
    cause = cause.removeprefix(f"{run}: ")
    return Outcome(run, "failed" if cause else "computed", seconds, cause)


def _work(folder: Path, run: Run, compute: Compute) -> tuple[float, str]:
    """Compute a run in a worker; return seconds and the cause of a failure, or an empty one.

    Results stay in the store, and so do errors' classes, which the other side may not know.
    """
    start, cause = time.monotonic(), ""
    try:
        store = Store(folder.parents[1])
        if store.folder(run) != folder:
            raise RunError("a worker has other sources or data, or another numba or numpy")
        store.get_or_compute(run, compute)
    except Exception as error:
        cause = one_line(error)
    return time.monotonic() - start, cause


@contextmanager
def open_executor(
    jobs: int = 1, scheduler: str | None = None, say: Callable[[str], None] = lambda line: None
) -> Iterator[Executor]:
    """Open what runs are computed on.

    Parameters
    ----------
    jobs
        Processes of this machine.
    scheduler
        The address of a Dask scheduler to use in their place; how often a run is tried again whose
        worker dies is then a setting of the scheduler (``distributed.scheduler.allowed-failures``).
    say
        Is told when the scheduler has no workers yet.

    Examples
    --------
    >>> with open_executor(jobs=1) as executor:
    ...     executor.submit(len, "abc").result()
    3
    """
    if scheduler is None:
        with Processes(jobs) as processes:
            yield processes
        return
    if not re.fullmatch(r"[a-z]+://[^/:]+(:\d+)/?|[a-z]+://\[.+\]:\d+", scheduler):
        raise ParameterError(f"scheduler is {scheduler!r}, expected an address as tcp://host:8786")
    try:
        from distributed import Client
    except ImportError:
        problem = "a Dask scheduler needs the extra: pip install 'deppa_nb[cluster]'"
        raise RunError(f"{scheduler}: {problem}") from None
    try:
        connect: Any = Client  # which has no types
        client = connect(scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise RunError(f"{scheduler}: no Dask scheduler answers ({one_line(error)})") from error
    if not client.scheduler_info()["workers"]:
        say(f"{scheduler} has no workers yet; runs begin when there are some")
    with client, client.get_executor(pure=False) as executor:
        yield executor


class Processes(Executor):
    """Processes of this machine; when one dies its call is tried once more, in a new one.

    Each is a pool of its own, so that it is known which call was in the one that died. Processes
    end with the one that started them, also when that is killed.

    Parameters
    ----------
    jobs
        How many.
    start
        How they are started, see `multiprocessing`.
    """

    def __init__(self, jobs: int, start: str = "spawn") -> None:
        if jobs < 1:
            raise ParameterError(f"jobs is {jobs}, expected 1 or more")
        self._context, self._share = get_context(start), max(1, (os.cpu_count() or 1) // jobs)
        self._threads, self._lock = ThreadPoolExecutor(jobs), Lock()
        self._stopped, self._busy = False, set[int]()
        self._idle: SimpleQueue[ProcessPoolExecutor] = SimpleQueue()
        for _ in range(jobs):
            self._idle.put(self._pool())

    def _pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, self._context, _prepare, (self._share,))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Call a function in the next process that is free."""
        return self._threads.submit(self._call, partial(fn, *args, **kwargs))

    def _call(self, call: Callable[[], Any]) -> Any:
        pool = self._idle.get()
        try:
            for _ in range(_TRIES):
                try:
                    return self._call_in(pool, call)
                except BrokenProcessPool:
                    pool.shutdown()
                    pool = self._pool()
            raise RunError(f"its process died {_TRIES} times")
        finally:
            self._idle.put(pool)

    def _call_in(self, pool: ProcessPoolExecutor, call: Callable[[], Any]) -> Any:
        pid = self._submit(pool, os.getpid).result()
        self._busy.add(pid)
        try:
            return self._submit(pool, call).result()
        finally:
            self._busy.discard(pid)

    def _submit(self, pool: ProcessPoolExecutor, call: Callable[[], Any]) -> "Future[Any]":
        with self._lock:  # this may start a process, and two threads must not fork at once
            if self._stopped:
                raise CancelledError
            return pool.submit(call)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End all processes: after what is under way, or at once when there was an interrupt."""
        with self._lock:
            self._stopped = kind is not None
            for pid in tuple(self._busy) if self._stopped else ():
                with suppress(OSError):
                    os.kill(pid, signal.SIGTERM)
        self.shutdown(cancel_futures=self._stopped)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes, after what is under way."""
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
        while not self._idle.empty():
            self._idle.get().shutdown(wait)


def _prepare(threads: int) -> None:
    """Make a process ready: it shares the processors, and does not outlive who started it."""
    os.environ["OMP_NUM_THREADS"] = str(threads)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
