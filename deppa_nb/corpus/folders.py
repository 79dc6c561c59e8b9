"""Corpora in folders: described by a MANIFEST.json with checksums, or told by names of files."""

import hashlib
import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from deppa_nb.corpus.corpus import KINDS, Corpus, Kind, kind_of, splits_of
from deppa_nb.corpus.paths import cache_home
from deppa_nb.corpus.textfile import write_atomically
from deppa_nb.errors import CorpusError, DeppaError

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
    sums = corpus.facts.get("sha256", {})
    states = {str(corpus.files[split]): _state(corpus.files[split], sums[split]) for split in sums}
    memory = cache_home() / "verified.json"
    known = _remembered(memory)
    fresh = {path: state for path, state in states.items() if known.get(path) != state}
    for path, (_, _, expected) in fresh.items():
        with open(path, "rb") as file:
            got = hashlib.file_digest(file, "sha256").hexdigest()
        if got != expected:
            raise CorpusError(f"{path}: SHA-256 {got}, the manifest says {expected}")
    if fresh:
        with suppress(DeppaError):  # it is only checked again where nothing can be remembered
            write_atomically(memory, [json.dumps({**known, **fresh})])


def _state(path: Path, checksum: str) -> list[Any]:
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns, checksum]


def _remembered(memory: Path) -> dict[str, Any]:
    try:
        known = json.loads(memory.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _load_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CorpusError(f"{path}: not a readable JSON file ({error})") from error


def _from_manifest(folder: Path) -> dict[str, Corpus]:
    manifest = folder / _MANIFEST
    entries = _load_json(manifest)
    if not isinstance(entries, dict) or not isinstance(entries.get("corpora"), list):
        raise CorpusError(f'{manifest}: expected {{"corpora": [...]}}')
    listed = [_of_entry(folder, number, entry) for number, entry in enumerate(entries["corpora"])]
    return {corpus.name: corpus for corpus in listed}


def _of_entry(folder: Path, number: int, entry: Any) -> Corpus:
    """Return the corpus an entry describes; if it is not as described, that is said on use."""
    name = entry.get("directory", "") if isinstance(entry, dict) else ""
    name = name or f"{folder.name}#{number}"
    try:
        kind, described = entry["kind"], entry["files"]
        files = splits_of(folder / name / file for file in described)
        sums = {split: described[path.name]["sha256"] for split, path in files.items()}
        kept = ("language", "licence", "status", "stands_in_for", "date", "note")
        facts = {key: entry[key] for key in kept if entry.get(key)}
        if kind not in KINDS:
            raise CorpusError(f"kind {kind!r}, expected {', '.join(KINDS)}")
        return Corpus(name, kind, files, {**facts, "sha256": sums, "folder": str(folder)})
    except (CorpusError, KeyError, TypeError) as error:
        reason = str(error) if isinstance(error, CorpusError) else f"no {error} in its entry"
        return Corpus(name, "treebank", {}, {"broken": f"{folder / _MANIFEST}: {reason}"})


def _from_names(folder: Path) -> dict[str, Corpus]:
    """Find folders that hold splits of a treebank, as deep as releases nest them."""
    found: dict[str, Corpus] = {}
    for depth in ("*", "*/*", "*/*/*"):
        for path in sorted(folder.glob(depth)):
            if ud := _UD_FILE.fullmatch(path.name):
                name = f"ud/{ud['code']}"
            elif _TREEBANK_FILE.fullmatch(path.name):
                inner = path.parent.relative_to(folder).as_posix()
                name = folder.name if inner == "." else inner
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
