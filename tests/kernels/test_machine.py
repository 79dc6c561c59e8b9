"""What the kernels take for granted: compilation, cache, floats, threads and processes."""

import os
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import deppa_nb
from deppa_nb.experiments import speed
from deppa_nb.kernels import forest, second_order
from deppa_nb.kernels._float import X86, exp, flush_denormals, log_add, restore_denormals
from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.items import parts

HERE = Path(__file__).parent
PACKAGE = Path(deppa_nb.__file__).parent


def python(code: str, path: Path = PACKAGE.parent, **variables: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=path,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@jit()
def exps(x, y):
    for k in range(x.size):
        y[k] = exp(x[k])


@jit()
def log_sum(a, b):
    return log_add(a, b)


@jit()
def halves(x, flush):
    state = flush_denormals() if flush else np.uint32(0)
    for k in range(x.size):
        x[k] *= 0.5
    if flush:
        restore_denormals(state)


def test_exp():
    x = np.concatenate([np.linspace(-708, 709, 100_001), np.linspace(-1, 1, 10_001)])
    y = np.empty_like(x)
    exps(x, y)
    np.testing.assert_allclose(y, np.exp(x), rtol=4e-16)
    edges = np.array([-np.inf, -1e300, -708.1, 0.0, 1.0])
    exps(edges, y)
    assert y[:4].tolist() == [0.0, 0.0, 0.0, 1.0]


def test_log_add():
    assert log_sum(-np.inf, -np.inf) == -np.inf
    assert log_sum(-np.inf, 3.0) == log_sum(3.0, -np.inf) == 3.0
    assert log_sum(1000.0, 1000.0) == pytest.approx(1000.0 + np.log(2.0))


def test_denormals_are_flushed_only_within_a_kernel():
    tiny = np.full(8, np.finfo(float).tiny)
    flushed, kept = tiny.copy(), tiny.copy()
    halves(flushed, True)
    halves(kept, False)
    assert np.all(kept == tiny / 2)
    assert np.all(tiny / 2 > 0.0)  # and Python's own arithmetic is as before
    if X86:
        assert np.all(flushed == 0.0)


def test_no_kernel_leaves_denormals_flushed():
    tiny = np.array([np.finfo(float).tiny])
    for case in islice(speed._cases(), 11):
        case.function(*case.arguments)
        assert (tiny / 2)[0] > 0.0, case.kernel
    for case in speed._cases():
        if case.kernel.startswith("chain"):
            case.function(*case.arguments)
            assert (tiny / 2)[0] > 0.0, case.kernel


def test_denormals_are_left_alone_where_there_is_no_such_flag(tmp_path):
    code = """
import numba, platform
platform.machine = lambda: "another"
from deppa_nb.kernels._float import flush_denormals, restore_denormals
@numba.njit
def half(x):
    state = flush_denormals()
    x[0] *= 0.5
    restore_denormals(state)
import numpy as np
x = np.array([np.finfo(float).tiny])
half(x)
print(x[0] > 0)
"""
    assert python(code, NUMBA_CACHE_DIR=str(tmp_path)) == "True"


def marginals(seed):
    n = 10 + seed % 7
    rng = np.random.default_rng(seed)
    arcs, siblings = rng.normal(size=(n + 1, n + 1)), rng.normal(size=parts(n))
    results = np.empty_like(arcs), np.empty_like(siblings)
    log_z = second_order.inside_outside(arcs, siblings, True, *results, second_order.workspace(n))
    return log_z, *(result.tobytes() for result in results)


def test_threads_change_no_bit():
    serial = [marginals(seed) for seed in range(60)]
    for workers in (1, 2):
        with ThreadPoolExecutor(workers) as pool:
            assert list(pool.map(marginals, range(60))) == serial


def test_spawned_workers_agree(tmp_path):
    script = tmp_path / "spawned.py"
    script.write_text(
        "from concurrent.futures import ProcessPoolExecutor\n"
        "from multiprocessing import get_context\n"
        "import numpy as np\n"
        "from deppa_nb.kernels import first_order\n"
        "def log_z(seed):\n"
        "    arcs = np.random.default_rng(seed).normal(size=(9, 9))\n"
        "    return first_order.inside_outside(\n"
        "        arcs, True, np.empty_like(arcs), first_order.workspace(8))\n"
        "if __name__ == '__main__':\n"
        "    with ProcessPoolExecutor(2, mp_context=get_context('spawn')) as pool:\n"
        "        print(list(pool.map(log_z, range(6))) == [log_z(seed) for seed in range(6)])\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "True", done.stderr


def test_a_kernel_leaves_the_interpreter_free():
    """While a kernel runs in a thread, as in a notebook's background, Python goes on."""
    n = 60
    rng = np.random.default_rng(0)
    arcs, siblings = rng.normal(size=(n + 1, n + 1)), rng.normal(size=parts(n))
    results = np.empty_like(arcs), np.empty_like(siblings)
    forest.inside_outside(arcs, siblings, True, *results)  # compile
    kernel = threading.Thread(target=forest.inside_outside, args=(arcs, siblings, True, *results))
    kernel.start()
    ticks = 0
    while kernel.is_alive():
        ticks += 1
    assert ticks > 100


def test_the_cache_is_never_stale(tmp_path):
    """A kernel is compiled anew when a callee in another file changes, and only then."""
    copy = tmp_path / "deppa_nb"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("toy", "catalogue", "__pycache__"))
    (copy / "kernels" / "callee.py").write_text(
        "from deppa_nb.kernels._jit import jit\n@jit()\ndef inner():\n    return 1\n"
    )
    (copy / "kernels" / "caller.py").write_text(
        "from deppa_nb.kernels._jit import jit\nfrom deppa_nb.kernels.callee import inner\n"
        "@jit()\ndef outer():\n    return inner() + 1\n"
    )
    code = (
        "from deppa_nb.kernels.caller import outer\n"
        "print(outer(), sum(outer.stats.cache_hits.values()))"
    )

    def run() -> str:
        return python(code, path=tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))

    assert run() == "2 0"
    assert run() == "2 1"
    callee = copy / "kernels" / "callee.py"
    stamp = callee.stat()
    callee.write_text(callee.read_text().replace("return 1", "return 5"))
    os.utime(callee, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # not even the time tells
    assert run() == "6 0"


def test_compiled_kernels_that_nobody_uses_are_removed(tmp_path):
    """But only in this program's own folder, and not those in use."""
    home = tmp_path / "cache" / "numba"
    old, recent, foreign = (home / name for name in ("kernels-old", "kernels-new", "other"))
    for folder in (old, recent, foreign):
        folder.mkdir(parents=True)
    for folder in (old, foreign):
        os.utime(folder, (0, 0))
    code = "import os; os.environ.pop('NUMBA_CACHE_DIR', None); import deppa_nb.kernels.constraints"
    python(code, DEPPA_HOME=str(tmp_path))
    assert not old.exists() and recent.exists() and foreign.exists()
    used = next(folder for folder in home.iterdir() if folder not in (recent, foreign))
    os.utime(used, (0, 0))
    python(code, DEPPA_HOME=str(tmp_path))
    assert used.exists()
    os.utime(recent, (0, 0))
    python("import deppa_nb.kernels.constraints", NUMBA_CACHE_DIR=str(home))
    assert recent.exists()  # a folder that the user named


def test_kernels_work_where_nothing_can_be_cached(tmp_path):
    (tmp_path / "file").touch()
    code = "from deppa_nb.kernels.items import parts; print(parts(2))"
    assert python(code, NUMBA_CACHE_DIR=str(tmp_path / "file" / "cache")) == "5"


def test_who_compiles_finds_the_same_as_who_does_not(tmp_path):
    """To the last bit: learning goes on from what was found, so that a rounding decides in time."""
    code = """
from dataclasses import replace
import deppa_nb as dp
def some(s, k):
    return replace(s, columns=(*s.columns[:-1], tuple("_" if (i + k) % 4 else label for i, label in enumerate(s.labels))))
bank = [some(s, k) for k, s in enumerate(dp.load("toy-chunks").train[:60])]
print(dp.ChainCRF(l2=0.01, iterations=20, tolerance=0, progress=False).fit(bank).weights_.tobytes().hex())
"""
    first, again = (python(code, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert len(first) > 10_000 and first == again


def test_bounds_checks_are_real(tmp_path):
    code = """
import numpy as np
from deppa_nb.kernels.constraints import constrain
try:
    constrain(np.zeros((3, 3)), np.zeros(4, np.int32), np.zeros((4, 4), bool), np.zeros((4, 4)))
except IndexError:
    print("caught")
"""
    checked = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    assert python(code, **checked) == "caught"


@pytest.mark.parametrize("variable", ["NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT"])
def test_all_kernels_again(variable):
    """Every test of a kernel once with bounds checks on, and once as plain Python."""
    tests = [str(path) for path in HERE.glob("test_*.py") if path != Path(__file__)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        env={**os.environ, variable: "1"},
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
