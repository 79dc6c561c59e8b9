"""Corpora in folders: described by a MANIFEST.json with checksums, or told by names of files."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from deppa_nb.corpus.corpus import Corpus, Kind, kind_of, splits_of
from deppa_nb.corpus.paths import cache_home
from deppa_nb.corpus.textfile import write_atomically
from deppa_nb.errors import CorpusError

__all__ = ["corpora_in", "verify"]

_UD_FILE = re.compile(r"(?P<code>[a-z]+_[a-z]+)-ud-(?:train|dev|test)\.conllu(?:\.gz)?")
_TREEBANK_FILE = re.compile(r"(?:train|dev|test)\.conll[ux]?(?:\.gz)?")
_MANIFEST = "MANIFEST.json"


def corpora_in(folder: Path) -> dict[str, Corpus]:
    """Return the corpora of a folder by name, without reading their text."""
    if (folder / _MANIFEST).is_file():
        return _from_manifest(folder)
    return _from_names(folder)


def verify(corpus: Corpus) -> None:
    """Check a corpus's files against its manifest, once for each state of a file.

    What was found right is remembered with the file's size and time of change.
    """
    memory = cache_home() / "verified.json"
    known: dict[str, list[Any]] = _load_json(memory) if memory.is_file() else {}
    states = {path: _state(path) for path in corpus.files.values()}
    sums = corpus.facts.get("sha256", {})
    fresh = {
        str(path): [*states[path], sums[split]]
        for split, path in corpus.files.items()
        if split in sums and known.get(str(path)) != [*states[path], sums[split]]
    }
    for path, (_, _, expected) in fresh.items():
        with open(path, "rb") as file:
            got = hashlib.file_digest(file, "sha256").hexdigest()
        if got != expected:
            raise CorpusError(f"{path}: SHA-256 {got}, the manifest says {expected}")
    if fresh:
        write_atomically(memory, [json.dumps({**known, **fresh})])


def _state(path: Path) -> list[int]:
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns]


def _load_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CorpusError(f"{path}: not a readable JSON file ({error})") from error


def _from_manifest(folder: Path) -> dict[str, Corpus]:
    try:
        entries = _load_json(folder / _MANIFEST)["corpora"]
        return {entry["directory"]: _of_entry(folder, entry) for entry in entries}
    except (KeyError, TypeError) as error:
        raise CorpusError(f"{folder / _MANIFEST}: entry without {error}") from error


def _of_entry(folder: Path, entry: dict[str, Any]) -> Corpus:
    name, described = entry["directory"], entry["files"]
    files = splits_of(folder / name / file for file in described)
    sums = {split: described[path.name]["sha256"] for split, path in files.items()}
    kept = ("language", "licence", "status", "stands_in_for", "date", "note")
    facts = {key: entry[key] for key in kept if entry.get(key)}
    return Corpus(name, entry["kind"], files, {**facts, "sha256": sums, "folder": str(folder)})


def _from_names(folder: Path) -> dict[str, Corpus]:
    """Find folders that hold splits of a treebank, as deep as releases nest them."""
    found: dict[str, Corpus] = {}
    for depth in ("*", "*/*", "*/*/*"):
        for path in sorted(folder.glob(depth)):
            if ud := _UD_FILE.fullmatch(path.name):
                name = f"ud/{ud['code']}"
            elif _TREEBANK_FILE.fullmatch(path.name):
                name = path.parent.relative_to(folder).as_posix()
            else:
                continue
            if name not in found:
                siblings = [p for p in path.parent.iterdir() if _is_split(p, ud)]
                kind: Kind = kind_of(path)
                found[name] = Corpus(name, kind, splits_of(siblings), {"folder": str(folder)})
    return found


def _is_split(path: Path, ud: "re.Match[str] | None") -> bool:
    if ud is None:
        return bool(_TREEBANK_FILE.fullmatch(path.name))
    other = _UD_FILE.fullmatch(path.name)
    return other is not None and other["code"] == ud["code"]
