"""A run: experiment x corpus x strategy x seed, and what its result depends on."""

import ast
import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from deppa_nb.corpus.corpus import Corpus
from deppa_nb.corpus.paths import data_folders, data_home
from deppa_nb.corpus.registry import load
from deppa_nb.errors import ParameterError

__all__ = ["Run", "names_of", "read_parameters", "threads"]

P = TypeVar("P")

_PACKAGE = Path(__file__).resolve().parents[1]
_HASHED_VERSIONS = ("numba", "numpy")
_NOT_RESULTS = {"deppa_nb.errors"} | {
    f"deppa_nb.experiments.{name}"
    for name in ("checkpoint", "claims", "project", "runs", "store", "study")
}
"""Modules that keep, judge and show results, or tell that there are none, and do not make them."""


@dataclass(frozen=True)
class Run:
    """What is computed once and kept.

    Attributes
    ----------
    experiment
        The module of `deppa_nb.experiments` that computes it.
    corpus
        A name or a path that `load` knows.
    strategy, seed
        Which of the experiment's methods, and what its random choices begin with.
    parameters
        Everything else, in plain values. ``load``, if it is there, has the options with which the
        corpus is loaded. What does not change the result (threads, say) does not belong here.

    Examples
    --------
    >>> options = {"sizes": {"train": 20, "dev": 5, "test": 5}}
    >>> run = Run("compare", "toy-short", "pa-gap", 1, {"rounds": 3, "load": options})
    >>> run.slug
    'toy-short_pa-gap_s1'
    >>> print(run)
    compare toy-short pa-gap seed 1
    """

    experiment: str
    corpus: str
    strategy: str
    seed: int
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not (_PACKAGE / "experiments" / f"{self.experiment}.py").is_file():
            raise ParameterError(f"experiment is {self.experiment!r}, which deppa_nb does not have")
        try:
            plain = json.loads(json.dumps(dict(self.parameters), allow_nan=False))
        except (TypeError, ValueError) as error:
            raise ParameterError(f"{self}: parameters that are no plain values ({error})") from None
        object.__setattr__(self, "parameters", plain)

    def __str__(self) -> str:
        return f"{self.experiment} {self.corpus} {self.strategy} seed {self.seed}"

    @property
    def slug(self) -> str:
        """The part of the folder's name that a person reads."""
        parts = (self.corpus, self.strategy, f"s{self.seed}")
        return "_".join(re.sub(r"[^A-Za-z0-9.]+", "-", part).strip("-.")[-40:] for part in parts)

    def described(self) -> dict[str, Any]:
        """Return all that was asked for, in plain values."""
        names = ("experiment", "corpus", "strategy", "seed", "parameters")
        return {name: getattr(self, name) for name in names}

    def load(self) -> Corpus:
        """Return the corpus; of hundreds of runs on it, the first looks it up."""
        options = json.dumps(self.parameters.get("load", {}), sort_keys=True)
        found = _loaded(self.corpus, options, _catalogues(self.corpus))
        if all(path.is_file() for path in found.files.values()):
            return found
        return load(self.corpus, **json.loads(options))  # which says what is missing, or makes it

    def checksums(self) -> dict[str, str]:
        """Return the SHA-256 of the file of each split."""
        return {split: _checksum(path) for split, path in self.load().files.items()}

    def digest(self) -> str:
        """Return eight hexadecimal digits over all that the result depends on.

        Not among it: notebooks, reports, widgets.
        """
        made_of = {
            **self.described(),
            "data": self.checksums(),
            "sources": _sources(self.experiment),
            "versions": {name: version(name) for name in _HASHED_VERSIONS},
        }
        return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:8]


def names_of(runs: Iterable[Run]) -> dict[Run, str]:
    """Return names for people; runs of one name are told apart by the parameters that differ.

    >>> one, two = (Run("compare", "toy-short", "pa-gap", 1, {"rounds": k}) for k in (3, 4))
    >>> list(names_of([one, two]).values())
    ['compare toy-short pa-gap seed 1, rounds 3', 'compare toy-short pa-gap seed 1, rounds 4']
    """
    alike: dict[str, list[Run]] = {}
    for run in runs:
        alike.setdefault(str(run), []).append(run)
    found = {}
    for name, some in alike.items():
        keys = sorted({key for run in some for key in run.parameters})
        values = {key: [run.parameters.get(key) for run in some] for key in keys}
        apart = [key for key in keys if any(value != values[key][0] for value in values[key])]
        for run in some:
            own = [f"{key} {run.parameters.get(key)}" for key in apart if key != "load"]
            found[run] = ", ".join([name, *own])
    return found


def read_parameters(kind: type[P], run: Run, strategies: Collection[str] = ()) -> P:
    """Return a run's parameters as a dataclass; names that it does not have are refused.

    So is a strategy that is not one of `strategies`, where these are given.
    """
    if strategies and run.strategy not in strategies:
        raise ParameterError(f"{run}: expected one of {', '.join(strategies)}")
    if wrong := sorted(set(run.parameters) - {each.name for each in fields(kind)}):  # type: ignore[arg-type]
        raise ParameterError(f"{run}: no parameter {wrong[0]!r}")
    return kind(**run.parameters)


def threads() -> int:
    """Return how many threads a run may use: `OMP_NUM_THREADS`, if set, or all processors.

    Executors set it, so that runs side by side do not compete.
    """
    given = os.environ.get("OMP_NUM_THREADS", "")
    return int(given) if given.isdecimal() and int(given) else os.cpu_count() or 1


def _catalogues(corpus: str) -> tuple[tuple[str, int, int] | None, ...]:
    """Return the state of all that tells which files a name stands for."""
    folders = data_folders()
    listed = [*folders, *(folder / "MANIFEST.json" for folder in folders), data_home()]
    return tuple(map(_state, [*listed, data_home() / "corpora.json", Path(corpus)]))


def _state(path: Path) -> tuple[str, int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return str(path.absolute()), state.st_size, state.st_mtime_ns


@lru_cache(maxsize=256)
def _loaded(corpus: str, options: str, catalogues: tuple[Any, ...]) -> Corpus:
    return load(corpus, **json.loads(options))


def _checksum(path: Path) -> str:
    state = path.stat()
    return _checksum_of(path, state.st_size, state.st_mtime_ns)


@cache
def _checksum_of(path: Path, size: int, changed: int) -> str:
    """Return the SHA-256 of a file, once for each state of it."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def _sources(experiment: str) -> str:
    """Return a digest of the experiment and of all modules that it imports."""
    digest = hashlib.sha256()
    for path in _modules(experiment):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def _modules(experiment: str) -> list[Path]:
    """Return the files of the package that an experiment is made of, directly or not.

    What it does not import may change without making its results stale: a person's session, say.
    So may what makes embedded corpora, a package by itself: `Run.checksums` has what it made.
    """
    found, open_ = set(), [f"deppa_nb.experiments.{experiment}"]
    while open_:
        path = _PACKAGE.joinpath(*open_.pop().split(".")[1:]).with_suffix(".py")
        if path not in found and path.is_file():
            found.add(path)
            open_ += set(_imported(path)) - _NOT_RESULTS
    return sorted(found)


def _imported(path: Path) -> Iterator[str]:
    """Yield the names of modules of this package that a module may import."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (name for name in names if name.startswith("deppa_nb."))
