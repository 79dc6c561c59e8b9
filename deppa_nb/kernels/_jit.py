"""How kernels are compiled: the one place that owns every flag and the cache.

Numba caches a function by its own file and does not see that a callee in another file has
changed. Here the folder of the cache is named after the content of all kernels, so that a stale
kernel cannot be found, and copies of this package never disturb each other.
"""

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from llvmlite.binding import Linkage
from numba import config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from deppa_nb.corpus.paths import cache_home

__all__ = ["cache_folder", "jit"]

_KEPT_SECONDS = 30 * 24 * 3600
_FUSED = {"contract"}
# What lets LLVM vectorise maxima and sums. Infinities keep their meaning; NaN must not arise.
_MAXIMA = {"contract", "nsz", "nnan"}
_SUMS = {*_MAXIMA, "reassoc"}


def cache_folder() -> Path:
    """Return the folder of compiled kernels: `NUMBA_CACHE_DIR`, if set, or this program's cache."""
    digest = hashlib.sha256(repr(config.BOUNDSCHECK).encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    home = Path(config.CACHE_DIR) if config.CACHE_DIR else cache_home() / "numba"
    return home / f"kernels-{digest.hexdigest()[:16]}"


def _made(folder: Path) -> bool:
    """Make the folder; in this program's own cache, remove those that nobody has used for a month.

    False if it cannot be made: kernels are then compiled in every session.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for other in folder.parent.glob("kernels-*") if not config.CACHE_DIR else ():
            if time.time() - other.stat().st_mtime > _KEPT_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
    except OSError:
        return folder.is_dir()
    return True


_FOLDER = cache_folder()
_CACHED = _made(_FOLDER)


class _Library(JITCodeLibrary):  # type: ignore[misc, unused-ignore]
    """The machine code of a kernel, which calls its own copies of other kernels and no others.

    Numba lets the linker choose between a copy and the other kernel itself, if that has been
    compiled before. The two may add in another order, so that a program which compiles would not
    find the same numbers as one which finds everything in the cache.
    """

    def _finalize_specific(self) -> None:
        if self._shared_module is None:  # it is not from the cache
            self._finalized = True  # or else it would be finalised once more for the next line
            self._get_module_for_linking()  # what others copy, as it is
            for function in self._final_module.functions:
                if function.linkage == Linkage.linkonce_odr and not function.is_declaration:
                    function.linkage = Linkage.internal
        super()._finalize_specific()


class _Kernel(CPUDispatcher):  # type: ignore[misc, unused-ignore]
    """A compiled function whose code is of that kind."""

    def compile(self, signature: Any) -> Any:
        with global_compiler_lock:
            code = self.targetctx.codegen()
            before, code._library_class = code._library_class, _Library
            try:
                return super().compile(signature)
            finally:
                code._library_class = before


class _Step(_Kernel):
    """A kernel without the wrapper that Python would call, which takes time to compile."""

    def __call__(self, *arguments: Any, **named: Any) -> None:
        raise TypeError(f"{self.__name__} is a step of other kernels, which Python cannot call")


def jit(
    *, vector: bool = False, maxima: bool = False, inline: bool = False, merge: bool = False
) -> Callable[[Callable[..., Any]], Any]:
    """Compile a kernel on first call; it runs without the GIL.

    Parameters
    ----------
    vector
        Sums may be reordered, so that loops run on vector units.
    maxima
        Only maxima may be: every sum is rounded as it is written.
    inline
        For steps of other kernels so small that a call would cost more.
    merge
        For large steps of few kernels: their lines become lines of those, since what is called is
        optimised once more with every kernel that calls it. Flags are those of the caller.

    These steps, and kernels whose name begins with an underscore, cannot be called from Python.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        step = inline or function.__name__.startswith("_")
        before, config.CACHE_DIR = config.CACHE_DIR, str(_FOLDER)
        try:
            dispatcher = numba.njit(
                cache=_CACHED,
                nogil=True,
                error_model="numpy",
                fastmath=_SUMS if vector else _MAXIMA if maxima else _FUSED,
                forceinline=inline,
                inline="always" if merge else "never",
                no_cfunc_wrapper=True,  # nothing calls kernels from C
                no_cpython_wrapper=step,
            )(function)
        finally:
            config.CACHE_DIR = before
        if not config.DISABLE_JIT:
            dispatcher.__class__ = _Step if step else _Kernel
        return dispatcher

    return compiled
