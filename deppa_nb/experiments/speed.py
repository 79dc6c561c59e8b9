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
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain as joined
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pandas as pd

from deppa_nb.corpus.embedded import embedded
from deppa_nb.corpus.sentence import Treebank
from deppa_nb.corpus.slots import SlotTree
from deppa_nb.features.brown import count_bigrams, merger_arguments
from deppa_nb.features.slots import hash_slots
from deppa_nb.features.states import STATES, see_sentences, select_states
from deppa_nb.features.templates import GROUPS, LABELS, Template, select
from deppa_nb.kernels import (
    actions,
    arborescence,
    batches,
    chain,
    chain_paths,
    edits,
    first_order,
    forest,
    kbest,
    labelling,
    lawler,
    learning,
    matrix_tree,
    second_order,
    tree_samples,
)
from deppa_nb.kernels._beam import Task
from deppa_nb.kernels.brown import merge_words
from deppa_nb.kernels.derivations import search
from deppa_nb.kernels.items import parts
from deppa_nb.models.chain_crf import ChainCRF
from deppa_nb.models.crf import CRFParser
from deppa_nb.models.derivation import DerivationParser
from deppa_nb.models.light import Feedback, LightPasses
from deppa_nb.models.mira import MIRAParser
from deppa_nb.models.mst import MSTParser
from deppa_nb.models.steps import Kept, Weights
from deppa_nb.models.tagger import Tagger
from deppa_nb.models.transition import TransitionParser

__all__ = ["compile_all", "compile_seconds", "kernel_speeds"]

Seconds = Callable[[int], float]
"""The processor time of one call, measured over some repetitions."""

_SOURCES = Path(__file__).resolve().parents[2]
_SECOND_ORDER = "second order, inside-outside"
_BARS = {
    23: {
        _SECOND_ORDER: "<= 1.8",
        "second order, 100 best": "<= 500 us",
        "matrix-tree marginals": "<= 15 us",
        "spanning arborescence": "<= 8 us",
    },
    50: {_SECOND_ORDER: "<= 1.8"},
}
"""What is aimed at: a ratio to C, or a time on a processor of 2024."""
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
    every = "from deppa_nb.experiments.speed import compile_all; compile_all()"
    with tempfile.TemporaryDirectory() as folder:
        codes = {"all, empty cache": every, "all, full cache": every, "one, full cache": one}
        runs = [(what, _seconds_of(code, folder)) for what, code in codes.items()]
    return pd.DataFrame(runs, columns=["what", "seconds"])


def first_result() -> None:
    """Run one kernel."""
    case = next(_cases())
    case.function(*case.arguments)


def compile_all() -> None:
    """Run every kernel once, in two processes: numba compiles one function at a time."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(_run, range(2)))


def _run(half: int) -> None:
    for case in _half(half):
        case.function(*case.arguments)
    bank = embedded("toy-short", sizes={"train": 10}).train
    small: dict[str, Any] = {"epochs": 1, "progress": False}
    if half == 0:  # models run the kernels that Python calls for them
        Tagger(**small).fit(bank).predict(bank)
        chunks = embedded("toy-chunks", sizes={"train": 10}).train
        chain_crf = ChainCRF(progress=False).fit(chunks)
        chain_crf.predict(chunks), chain_crf.marginals(chunks), chain_crf.nbest(chunks[0], 2)
        parser = MIRAParser(bits=12, **small).fit(bank)
        parser.nbest_labelled(parser.predict(bank[0]), 2)
        TransitionParser(2, bits=12, **small).fit(bank).predict(bank)
    else:
        mst = MSTParser(bits=12, labels=True, **small).fit(bank)
        light = LightPasses(mst, bank, bank, Feedback(), 1)
        light.prefer(1, *light.two_best(1)[0])
        light.utilities("margin"), light.go()
        crf = CRFParser(bits=12, pruning=0.01, labels=True, **small).fit(bank)
        crf.set_params(decoder="mbr").predict(bank)
        flights, deriving = _derivations()
        deriving.touched(flights), deriving.log_prob(flights)


def _half(half: int) -> Iterator[Case]:
    """Return half of the kernels without a parser's; these halves have little in common."""
    return (
        joined(_tree_cases(10), _chain_cases(25, 9))
        if half == 0
        else joined(_edits_cases(), [_brown_case(), _derivation_case()])
    )


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
    for side in sides:
        side(1)  # compiles
    times = [max(3, int(_ROUND_SECONDS / max(side(3), 1e-7))) for side in sides]
    rounds = [
        [side(repeats) for side, repeats in zip(sides, times, strict=True)] for _ in range(_ROUNDS)
    ]
    least = [min(column) for column in zip(*rounds, strict=True)]
    return least[0], least[1] if theirs else float("nan")


def _cases() -> Iterator[Case]:
    for n in (10, 23, 50):
        yield from _tree_cases(n)
    yield from _chain_cases(25, 9, "<= 1.2")
    yield from _chain_cases(25, 23, "<= 1.6")
    yield from _edits_cases()
    yield _brown_case()
    yield _derivation_case()
    yield from _parser_cases()


def _tree_cases(n: int) -> Iterator[Case]:
    rng = np.random.default_rng(n)
    arcs, siblings = rng.normal(size=(n + 1, n + 1)), rng.normal(size=parts(n))
    marginals, of_parts = np.empty_like(arcs), np.empty_like(siblings)
    heads, many = np.empty(n + 1, np.int32), np.empty((100, n + 1), np.int32)
    work, scores, uniforms = second_order.workspace(n), np.empty(100), rng.random((100, 4 * n))
    bar = _BARS.get(n, {})
    kernels: tuple[tuple[str, Any, tuple[Any, ...]], ...] = (
        (
            _SECOND_ORDER,  # several roots, as the C side has them
            second_order.inside_outside,
            (arcs, siblings, False, marginals, of_parts, work),
        ),
        ("second order, best tree", second_order.best_tree, (arcs, siblings, True, heads, work)),
        ("second order, 100 best", kbest.best_trees, (arcs, siblings, True, many, scores)),
        ("first order, inside-outside", first_order.inside_outside, (arcs, True, marginals, work)),
        ("first order, best tree", first_order.best_tree, (arcs, True, heads, work)),
        ("matrix-tree marginals", matrix_tree.tree_marginals, (arcs, True, marginals)),
        ("spanning arborescence", arborescence.best_arborescence, (arcs, True, heads)),
        ("two best arborescences", arborescence.two_best_arborescences, (arcs, True, many[:2])),
        ("100 best arborescences", lawler.k_best_arborescences, (arcs, True, many, scores)),
        ("100 drawn projective trees", forest.sample, (arcs, siblings, True, uniforms, many)),
        ("100 drawn trees", tree_samples.sample_trees, (arcs, True, uniforms, many)),
    )
    for name, function, arguments in kernels:
        case = Case(name, f"n={n}", function, arguments, bar.get(name, ""))
        yield replace(case, c=lambda: _second_order_in_c(n)) if name == _SECOND_ORDER else case


def _chain_cases(tokens: int, labels: int, bar: str = "") -> Iterator[Case]:
    rng, size = np.random.default_rng(labels), f"{labels} labels"
    unary, allowed = rng.normal(size=(tokens, labels)), np.ones((tokens, labels), bool)
    transitions = rng.normal(size=(labels, labels))
    weights, counts = chain.weigh(transitions), np.zeros_like(transitions)
    many, scores = np.empty((100, tokens), np.int32), np.empty(100)
    scored = (unary, allowed, transitions)
    sums = Case(
        "chain, forward-backward",
        size,
        chain.forward_backward,
        (*scored, weights, np.empty_like(unary), counts),
        bar,
        lambda: _chain_in_c(tokens, labels),
    )
    drawn = (*scored, rng.random(many.shape), many)
    cases = (
        sums,
        Case("chain, best sequence", size, chain_paths.viterbi, (*scored, many[0])),
        Case("chain, 100 best", size, chain_paths.k_best, (*scored, many, scores)),
        Case("chain, 100 drawn", size, chain_paths.sample, drawn),
    )
    yield from (replace(case, units=tokens) for case in cases)


def _edits_cases(sequences: int = 100, events: int = 30) -> Iterator[Case]:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, size=(4, sequences * events)).astype(np.int32)
    offsets, many = np.arange(sequences + 1) * events, np.empty((sequences, sequences), np.float32)
    costs, name = (1.0, 1.0, edits.WHOLE), f"{sequences} of {events}"
    one = (values, offsets, 0, *costs, many[0])
    yield Case("edit distances from one", name, edits.distances_from, one, units=sequences)
    every = (values, offsets, 0, 1, *costs, many)
    pairs = sequences * (sequences - 1) // 2
    yield Case("edit distances of all", name, edits.pairwise_distances, every, units=pairs)
    rows = np.arange(10)
    some = (values, offsets, rows, 0, 1, *costs, many)
    name, pairs = f"{len(rows)} and {sequences} of {events}", len(rows) * sequences
    yield Case("edit distances of some", name, edits.some_distances, some, units=pairs)


def _brown_case(words: int = 500, window: int = 51) -> Case:
    """Time mergers of words that stand beside each other by Zipf's law."""
    drawn = np.random.default_rng(0).zipf(1.5, size=(2000, 10)) % words + 1
    bank = [list(map(str, row)) for row in drawn.tolist()]
    bigrams = count_bigrams(bank)
    arguments = merger_arguments(*bigrams, window)
    units = len(bigrams[0])
    return Case("mergers of words", f"{units} in {window}", merge_words, arguments, units=units)


def _derivations(sentences: int = 200) -> tuple[SlotTree, DerivationParser]:
    """Return a request that a parser of derivations makes something of, and the parser."""
    bank = embedded("toy-flights", sizes={"train": sentences, "dev": 1, "test": 1}).train
    parser = DerivationParser(clusters=20, frequent=40, threads=1).fit(bank)
    return parser.predict(bank[0]), parser


def _derivation_case() -> Case:
    tree, parser = _derivations()
    arguments, size = parser.search_arguments(tree.words, 20), f"n={len(tree)}"
    return Case("derivations, beam search", size, search, arguments, units=len(tree))


def _parser_cases(sentences: int = 100, bits: int = 22) -> Iterator[Case]:
    """Time scoring, with all features and a table full of weights, and what is done with scores."""
    bank, every = embedded("toy-en").test[:sentences], np.arange(sentences)
    slots = hash_slots(bank, select(GROUPS))
    weights = np.random.default_rng(0).normal(scale=0.05, size=1 << bits).astype(np.float32)
    size = f"{sentences} of toy-en"
    for order in (1, 2):
        at = batches.layout(slots.firsts, every, order == 2)
        scores = [np.zeros(size) for size in at[:, -1]]
        arguments = slots, every, weights, *Kept(), at, *scores
        name = f"features to scores, order {order}"
        yield Case(name, size, batches.score_batch, arguments, units=bank.n_words)
    heads = np.concatenate([sentence.heads for sentence in bank])
    results = *map(np.copy, scores), np.empty(sentences)
    yield Case(
        "marginals of scores", size, batches.sum_batch,
        (slots.firsts, every, True, True, at, *scores, *results), units=bank.n_words,
    )  # fmt: skip
    rng = np.random.default_rng(0)
    changes = [rng.normal(size=score.shape) * (rng.random(score.shape) < 0.1) for score in scores]
    tables = [np.zeros_like(weights) for _ in range(2)]
    places = np.empty(weights.size, np.int32)
    table = learning.Table(weights, tables[0], tables[1], places, 1e-3, 1.0, 0.0, 1e-3)
    yield Case(
        "AdaGrad step", size, learning.update,
        (slots, every, at, *changes, table, 0, weights.size), units=bank.n_words,
    )  # fmt: skip
    yield Case(
        "best trees", size, batches.decode,
        (slots.firsts, every, True, True, at, *scores, heads.copy()), units=bank.n_words,
    )  # fmt: skip
    yield _label_case(bank)
    yield _beam_case(bank, weights)


def _beam_case(bank: Treebank, weights: Weights, beam: int = 16) -> Case:
    """Time a transition-based parser, features included."""
    features = see_sentences(bank, select_states(STATES))
    at, allowed = np.zeros(len(bank) + 1, np.int64), np.zeros(0, np.bool_)
    results = np.empty((1, bank.n_words + len(bank)), np.int32), np.empty((len(bank), 1))
    arguments = features, Task(weights, beam, True), at, allowed, *results
    return Case(
        f"trees of a beam of {beam}", f"{len(bank)} of toy-en", actions.parse_batch,
        (*arguments, np.zeros(len(bank), np.int64)), units=bank.n_words,
    )  # fmt: skip


def _label_case(bank: Treebank, bits: int = 17, labels: int = 48) -> Case:
    slots = hash_slots(bank, [Template.read(text) for text in LABELS])
    weights = np.random.default_rng(0).normal(size=(1 << bits, labels)).astype(np.float32)
    words = np.flatnonzero(np.concatenate([sentence.heads for sentence in bank]) >= 0)
    arcs = np.stack([words, words - 1, np.full_like(words, labelling.NONE)], axis=1)
    arguments = (slots, arcs, weights, np.empty(len(arcs), np.int32))
    size = f"{len(bank)} of toy-en"
    return Case("labels of arcs", size, labelling.best_labels, arguments, units=len(arcs))


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
    return ("C", _apart(lambda: module.Chain(tokens, labels)).seconds) if module else None


def _second_order_in_c(n: int) -> tuple[str, Seconds] | None:
    """Return the C reference or, on a processor without AVX-512, which it needs, plain C."""
    module = _c_reference()
    if module and "avx512f" in _processor_flags():
        return "C, AVX-512", _apart(lambda: module.SecondOrder(n)).seconds
    source = _SOURCES / "benchmarks" / "second_order.c"
    if not source.is_file() or shutil.which("gcc") is None:
        return None
    return "C, plain", _plain_c(source, n)


def _apart(load: Callable[[], Any]) -> Any:
    """Load a library in a thread of its own: built with -ffast-math, it flushes denormals there."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(load).result()


def _processor_flags() -> str:
    """Return what Linux knows of the processor; nothing elsewhere."""
    path = Path("/proc/cpuinfo")
    return path.read_text() if path.exists() else ""


def _plain_c(source: Path, n: int) -> Seconds:
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "second_order.so"
        flags = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
        subprocess.run(["gcc", *flags, str(source), "-o", str(library), "-lm"], check=True)
        function = _apart(lambda: ctypes.CDLL(str(library))).repeat
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_int] * 3 + [ctypes.c_long] + [ctypes.c_void_p] * 5
    rng, ld, size = np.random.default_rng(n), (n + 8) // 8 * 8, parts(n)
    arcs = rng.normal(size=(n + 1, n + 1))
    results = [np.zeros((16, n + 1, ld)), np.zeros_like(arcs), np.zeros(size)]
    arrays = [rng.normal(size=size), arcs, *results]

    def seconds(times: int) -> float:
        start = time.thread_time()
        function(times, n, ld, size, *(array.ctypes.data for array in arrays))
        return (time.thread_time() - start) / times

    return seconds
