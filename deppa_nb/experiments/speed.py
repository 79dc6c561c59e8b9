"""How fast the kernels are: beside C where a compiler is, in one run, best of many.

A ratio is fair when both sides are timed in turns on one thread, by the processor time they take,
with repetitions in compiled code.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pandas as pd

from deppa_nb.kernels import (
    arborescence,
    chain,
    edits,
    first_order,
    kbest,
    matrix_tree,
    second_order,
)
from deppa_nb.kernels.items import parts

__all__ = ["compile_seconds", "kernel_speeds"]

Seconds = Callable[[int], float]
"""The processor time of one call, measured over some repetitions."""

_SOURCES = Path(__file__).resolve().parents[2]
_ROUNDS = 15
_ROUND_SECONDS = 0.01


@dataclass(frozen=True)
class Case:
    """A kernel with arguments of one size; the bar is a ratio to C or, without C, microseconds."""

    kernel: str
    size: str
    function: Any
    arguments: tuple[Any, ...]
    bar: str = ""
    c: Callable[[], tuple[str, Seconds] | None] = lambda: None
    units: int = 1


def kernel_speeds(report: Callable[[str], None] = lambda line: None) -> pd.DataFrame:
    """Time every kernel.

    Returns
    -------
    pandas.DataFrame
        A row for each kernel and size: `microseconds` a call, `per_second` sentences, tokens or
        pairs, and, where there is C to compare with, its name, its microseconds and the `ratio`.
    """
    rows = []
    for case in _cases():
        report(f"{case.kernel}, {case.size}")
        reference = case.c()
        ours, theirs = _best_of_both(_repeated(case), reference[1] if reference else None)
        rows.append(
            {
                "kernel": case.kernel,
                "size": case.size,
                "microseconds": ours * 1e6,
                "per_second": case.units / ours,
                "reference": reference[0] if reference else "",
                "reference_microseconds": theirs * 1e6,
                "ratio": ours / theirs,
                "bar": case.bar,
            }
        )
    return pd.DataFrame(rows)


def compile_seconds() -> pd.DataFrame:
    """Time, in fresh interpreters, all kernels with an empty cache and one with a full one."""
    one = "from deppa_nb.experiments.speed import first_result; first_result()"
    every = "from deppa_nb.experiments.speed import all_results; all_results()"
    with tempfile.TemporaryDirectory() as folder:
        runs = [(name, _seconds_of(code, folder)) for name, code in (("all, cold", every),)]
        runs += [("all, warm", _seconds_of(every, folder)), ("one, warm", _seconds_of(one, folder))]
    return pd.DataFrame(runs, columns=["what", "seconds"])


def first_result() -> None:
    """Run one kernel."""
    case = next(_cases())
    case.function(*case.arguments)


def all_results() -> None:
    """Run every kernel once."""
    for case in _cases():
        case.function(*case.arguments)


def _seconds_of(code: str, cache: str) -> float:
    start = time.perf_counter()
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    return time.perf_counter() - start


@numba.njit(nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def _repeat(kernel: Any, arguments: Any, times: int) -> None:
    for _ in range(times):
        kernel(*arguments)


def _repeated(case: Case) -> Seconds:
    def seconds(times: int) -> float:
        start = time.thread_time()
        _repeat(case.function, case.arguments, times)
        return (time.thread_time() - start) / times

    return seconds


def _best_of_both(ours: Seconds, theirs: Seconds | None) -> tuple[float, float]:
    """Return the least time of either side, measured in turns; NaN for a side that is not there."""
    sides = [ours] if theirs is None else [ours, theirs]
    times = [max(3, int(_ROUND_SECONDS / max(side(1), side(3), 1e-7))) for side in sides]
    rounds = [
        [side(repeats) for side, repeats in zip(sides, times, strict=True)] for _ in range(_ROUNDS)
    ]
    least = [min(column) for column in zip(*rounds, strict=True)]
    return least[0], least[1] if theirs else float("nan")


def _cases() -> Iterator[Case]:
    for n in (10, 23, 50):
        rng = np.random.default_rng(n)
        arcs, siblings = rng.normal(size=(n + 1, n + 1)), rng.normal(size=parts(n))
        marginals, of_parts = np.empty_like(arcs), np.empty_like(siblings)
        heads, work = np.empty(n + 1, np.int32), second_order.workspace(n)
        bars = {10: ("", "", "", ""), 23: ("<= 1.8", "<= 15 us", "<= 8 us", "<= 500 us")}
        second, matrix, tree, hundred = bars.get(n, ("<= 1.8", "", "", ""))

        def of_c(n: int = n) -> tuple[str, Seconds] | None:
            return _second_order_in_c(n)

        yield Case(
            "second order, inside-outside",
            f"n={n}",
            second_order.inside_outside,
            (arcs, siblings, False, marginals, of_parts, work),
            second,
            of_c,
        )
        best = (arcs, siblings, True, heads, work)
        yield Case("second order, best tree", f"n={n}", second_order.best_tree, best)
        trees = np.empty((100, n + 1), np.int32)
        k_best = (arcs, siblings, True, trees, np.empty(100))
        yield Case("second order, 100 best", f"n={n}", kbest.best_trees, k_best, hundred)
        first = (arcs, True, marginals, work)
        yield Case("first order, inside-outside", f"n={n}", first_order.inside_outside, first)
        best = (arcs, True, heads, work)
        yield Case("first order, best tree", f"n={n}", first_order.best_tree, best)
        arguments = (arcs, True, marginals)
        yield Case("matrix-tree marginals", f"n={n}", matrix_tree.tree_marginals, arguments, matrix)
        arguments = (arcs, True, heads)
        function = arborescence.best_arborescence
        yield Case("spanning arborescence", f"n={n}", function, arguments, tree)
        arguments = (arcs, True, trees[:2])
        function = arborescence.two_best_arborescences
        yield Case("two best arborescences", f"n={n}", function, arguments)
    for labels, bar in ((9, "<= 1.2"), (23, "<= 1.6")):
        yield _chain_case(25, labels, bar)
    yield _edits_case()


def _chain_case(tokens: int, labels: int, bar: str) -> Case:
    rng = np.random.default_rng(labels)
    unary = rng.normal(size=(tokens, labels))
    transitions = rng.normal(size=(labels, labels))
    allowed = np.ones((tokens, labels), bool)
    counts = np.zeros_like(transitions)
    weights = chain.weigh(transitions)
    return Case(
        "chain, forward-backward",
        f"{labels} labels",
        chain.forward_backward,
        (unary, allowed, transitions, weights, np.empty_like(unary), counts),
        bar,
        lambda: _chain_in_c(tokens, labels),
        tokens,
    )


def _edits_case(sequences: int = 100, events: int = 30) -> Case:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 50, size=(4, sequences * events)).astype(np.int32)
    offsets = np.arange(sequences + 1) * events
    out = np.empty(sequences, np.float32)
    arguments = (values, offsets, 0, 1.0, 1.0, np.inf, out)
    name = f"{sequences} pairs of {events}"
    return Case("edit distance", name, edits.distances_from, arguments, units=sequences)


def _c_reference() -> Any:
    """Return the module with the C timings that stands beside the project, or None."""
    path = _SOURCES.parent / "shared" / "bench" / "c_reference.py"
    if not path.is_file() or shutil.which("gcc") is None:
        return None
    spec = importlib.util.spec_from_file_location("c_reference", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _chain_in_c(tokens: int, labels: int) -> tuple[str, Seconds] | None:
    module = _c_reference()
    return ("C", module.Chain(tokens, labels).seconds) if module else None


def _second_order_in_c(n: int) -> tuple[str, Seconds] | None:
    """Return the C reference or, on a processor without AVX-512, which it needs, plain C."""
    module = _c_reference()
    if module and "avx512f" in _processor_flags():
        return "C, AVX-512", module.SecondOrder(n).seconds
    source = _SOURCES / "benchmarks" / "second_order.c"
    if not source.is_file() or shutil.which("gcc") is None:
        return None
    return "C, plain", _plain_c(source, n)


def _processor_flags() -> str:
    """Return what Linux knows of the processor; nothing elsewhere."""
    path = Path("/proc/cpuinfo")
    return path.read_text() if path.exists() else ""


def _plain_c(source: Path, n: int) -> Seconds:
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "second_order.so"
        flags = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
        subprocess.run(["gcc", *flags, str(source), "-o", str(library), "-lm"], check=True)
        function = ctypes.CDLL(str(library)).repeat
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_int] * 3 + [ctypes.c_long] + [ctypes.c_void_p] * 5
    rng, ld = np.random.default_rng(n), (n + 8) // 8 * 8
    arcs, siblings = rng.normal(size=(n + 1, n + 1)), rng.normal(size=parts(n))
    arrays = (
        siblings,
        arcs,
        np.zeros((16, n + 1, ld)),
        np.zeros_like(arcs),
        np.zeros_like(siblings),
    )

    def seconds(times: int) -> float:
        start = time.thread_time()
        function(times, n, ld, siblings.size, *(array.ctypes.data for array in arrays))
        return (time.thread_time() - start) / times

    return seconds
