"""Corpora by name: embedded, added by the user, in local folders, fetched, or only described."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from filelock import FileLock

from deppa_nb.corpus import toy
from deppa_nb.corpus.corpus import KINDS, Corpus, Kind, kind_of, splits_of
from deppa_nb.corpus.embedded import embedded, is_embedded
from deppa_nb.corpus.fetch import upstream
from deppa_nb.corpus.folders import corpora_in, verify
from deppa_nb.corpus.paths import data_folders, data_home
from deppa_nb.corpus.textfile import PathLike, write_atomically
from deppa_nb.errors import CorpusError, MissingCorpusError

__all__ = ["Entry", "add", "entries", "find", "load", "remove"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)*")


@dataclass(frozen=True)
class Entry:
    """What is known of a corpus without opening its files.

    `state` is ``"embedded"``, ``"added"``, ``"here"`` (in a local folder), ``"to fetch"``,
    ``"licensed"`` (to be obtained from its owner) or ``"broken"`` (the note says why).
    """

    name: str
    kind: str
    state: str
    language: str
    licence: str
    note: str = ""
    corpus: Corpus | None = None


def load(
    name: PathLike,
    *,
    seed: int | None = None,
    pos_accuracy: float | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Corpus:
    """Return a corpus by name or path; its splits are read when they are asked for.

    Parameters
    ----------
    name
        A name that `deppa data list` shows, or the path of a file or of a folder with files named
        after the splits.
    seed, pos_accuracy, sizes
        For embedded corpora only, see `embedded`.

    Examples
    --------
    >>> load("toy-short", sizes={"train": 20}).train
    Treebank('toy-short train', 20 sentences, ... words)
    """
    options = {"seed": seed, "pos_accuracy": pos_accuracy, "sizes": sizes}
    given = {key: value for key, value in options.items() if value is not None}
    if is_embedded(str(name)):
        return embedded(str(name), **given)  # type: ignore[arg-type]
    if given:
        raise CorpusError(f"{name}: {', '.join(given)} only apply to the embedded toy-* corpora")
    entry = _known().get(str(name))
    if entry is None and os.path.exists(name):
        paths = splits_of([name])
        return Corpus(Path(name).stem, kind_of(next(iter(paths.values()))), paths)
    entry = entry or find(str(name))
    if entry.corpus is None or entry.state == "broken":
        raise MissingCorpusError(_not_here(entry))
    verify(entry.corpus)
    return entry.corpus


def find(name: str) -> Entry:
    """Return what is known of a name."""
    known = _known()
    aliases = {entry.treebank: code for code, entry in upstream().items()}
    if (code := aliases.get(name, name)) in known:
        return known[code]
    alike = [other for other in known if name.lower() in other.lower()][:5]
    hint = f"did you mean {', '.join(alike)}?" if alike else "`deppa data list` shows what is there"
    raise CorpusError(f"{name}: no such corpus and no such file; {hint}")


def entries() -> list[Entry]:
    """Return every corpus that is known, each name once: what is here before what is not."""
    return list(_known().values())


def _known() -> dict[str, Entry]:
    sources = [_embedded(), _added(), *map(_in_folder, data_folders()), _fetchable(), _licensed()]
    known: dict[str, Entry] = {}
    for source in sources:
        for entry in source:
            known.setdefault(entry.name, entry)
    return known


def add(
    name: str, paths: Iterable[PathLike], *, kind: Kind | None = None, replace: bool = False
) -> Corpus:
    """Make a user's own files known under a name; all of them are read first, so they are right.

    The files stay where they are. `kind` is told by the files unless it is given.
    """
    if not _NAME.fullmatch(name):
        raise CorpusError(f"{name!r} is no name; letters, digits and . _ - / make one")
    if is_embedded(name):
        raise CorpusError(f"{name} is taken already; choose another name")
    files_of = splits_of(paths)
    corpus = Corpus(name, kind or kind_of(next(iter(files_of.values()))), files_of)
    corpus.banks()
    described = {"kind": corpus.kind, "files": {s: str(p) for s, p in files_of.items()}}
    with _list_to_change() as listed:
        if name in listed and not replace:
            raise CorpusError(f"{name} is taken already; --replace replaces it")
        listed[name] = described
    return corpus


def remove(name: str) -> None:
    """Forget an added corpus; its files are not touched."""
    with _list_to_change() as listed:
        if name not in listed:
            raise CorpusError(f"{name} was not added, so there is nothing to remove")
        del listed[name]


def _not_here(entry: Entry) -> str:
    if entry.state == "broken":
        return f"{entry.name}: {entry.note}"
    if entry.state == "to fetch":
        return f"{entry.name} is not here yet; `deppa data fetch {entry.name}` downloads it"
    return (
        f"{entry.name} is licensed and not here; `deppa data show {entry.name}` says how to get it"
    )


def _embedded() -> Iterable[Entry]:
    for name in toy.NAMES:
        yield Entry(name, toy.kind(name), "embedded", "invented", "MIT", toy.describe(name))


def _added() -> Iterable[Entry]:
    for name, entry in _load_added().items():
        try:
            paths = {split: Path(path) for split, path in entry["files"].items()}
            wrong = not paths or entry["kind"] not in KINDS
        except (KeyError, TypeError, AttributeError):
            wrong = True
        facts = {"broken": f"its entry in {_list_file()} is not right; add it again"}
        yield _entry(
            Corpus(name, "treebank", {}, facts) if wrong else Corpus(name, entry["kind"], paths),
            "added",
        )


def _in_folder(folder: Path) -> Iterable[Entry]:
    try:
        found = corpora_in(folder).values()
    except CorpusError as error:
        yield Entry(str(folder), "", "broken", "", "", str(error))
        return
    for corpus in found:
        yield _entry(corpus, "here")


def _entry(corpus: Corpus, state: str) -> Entry:
    facts = {"language": "", "licence": "", "stands_in_for": "", **corpus.facts}
    if state == "here" and not facts["licence"] and corpus.name in upstream():
        known = upstream()[corpus.name]
        facts.update(language=known.language, licence=known.licence)
    note = facts.get("broken") or facts["stands_in_for"]
    state = "broken" if "broken" in facts else state
    return Entry(corpus.name, corpus.kind, state, facts["language"], facts["licence"], note, corpus)


def _fetchable() -> Iterable[Entry]:
    for name, entry in upstream().items():
        note = f"{entry.treebank} {entry.release}"
        yield Entry(name, "treebank", "to fetch", entry.language, entry.licence, note)


def _licensed() -> Iterable[Entry]:
    for name, entry in _load_licensed().items():
        note = f"{entry['obtain']}. Then: {entry['add']}"
        yield Entry(name, entry["kind"], "licensed", entry["language"], entry["licence"], note)


@cache
def _load_licensed() -> dict[str, dict[str, str]]:
    text = (files("deppa_nb.corpus") / "catalogue/licensed.yaml").read_text(encoding="utf-8")
    listed: dict[str, dict[str, str]] = yaml.safe_load(text)
    return listed


def _list_file() -> Path:
    return data_home() / "corpora.json"


def _load_added() -> dict[str, Any]:
    path = _list_file()
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise CorpusError(f"{path}: not a readable list of added corpora ({error})") from error
    if not isinstance(listed, dict):
        raise CorpusError(f"{path}: not a list of added corpora, expected a JSON object")
    return listed


@contextmanager
def _list_to_change() -> Iterator[dict[str, Any]]:
    """Hold the list of added corpora alone, and write it back when all went well."""
    path = _list_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock")):
            listed = _load_added()
            yield listed
            write_atomically(path, [json.dumps(listed, indent=1, ensure_ascii=False)])
    except OSError as error:
        raise CorpusError(f"{path}: cannot be written ({error.strerror})") from error
