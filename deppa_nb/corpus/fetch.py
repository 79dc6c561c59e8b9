"""Universal Dependencies treebanks by name: the file of one commit, checked by its git blob id."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import pooch
import requests

from deppa_nb.corpus.paths import data_home
from deppa_nb.corpus.textfile import replacing
from deppa_nb.errors import CorpusError, FetchError

__all__ = ["Upstream", "fetch", "git_blob_id", "upstream"]

_HOST = "https://raw.githubusercontent.com"
_TIMEOUT = 30


@dataclass(frozen=True)
class Upstream:
    """A treebank that can be fetched: the facts of one commit."""

    name: str
    treebank: str
    language: str
    licence: str
    repository: str
    release: str
    commit: str
    files: Mapping[str, Mapping[str, str]]

    def url(self, split: str) -> str:
        """Return the address of a split's file (`DEPPA_FETCH_URL` names a mirror)."""
        host = os.environ.get("DEPPA_FETCH_URL", _HOST)
        return f"{host}/{self.repository}/{self.commit}/{self.files[split]['path']}"

    def path(self, split: str) -> Path:
        """Return where a split is kept once it is fetched."""
        return data_home() / "fetched" / self.name / f"{split}.conllu"

    def is_right(self, split: str) -> bool:
        """Tell whether a split is here and has the registered blob id."""
        try:
            return git_blob_id(self.path(split).read_bytes()) == self.files[split]["git_blob"]
        except OSError:
            return False

    def size(self) -> int | None:
        """Ask the server for the number of bytes of all files, None if it does not say."""
        sizes = [self._size(split) for split in self.files]
        return sum(map(int, sizes)) if all(size.isdecimal() for size in sizes) else None

    def _size(self, split: str) -> str:
        with _network(self.name):
            answer = requests.head(self.url(split), allow_redirects=True, timeout=_TIMEOUT)
            answer.raise_for_status()
        return str(answer.headers.get("Content-Length", ""))


@cache
def upstream() -> dict[str, Upstream]:
    """Return the treebanks that can be fetched, by name (``ud/en_ewt``)."""
    text = (files("deppa_nb.corpus") / "catalogue/upstream.json").read_text(encoding="utf-8")
    return {name: Upstream(name, **facts) for name, facts in json.loads(text).items()}


def git_blob_id(content: bytes) -> str:
    """Return the name git gives to a file's content.

    >>> git_blob_id(b"")
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def fetch(name: str, *, progress: bool = True) -> dict[str, Path]:
    """Download a treebank's files that are not here yet, and return the path of each split.

    A file takes its place only once it has the registered blob id, so a download that is cut off
    leaves nothing behind and is simply run again.
    """
    entry = upstream().get(name) or next(
        (e for e in upstream().values() if e.treebank == name), None
    )
    if entry is None:
        raise CorpusError(f"{name} cannot be fetched; `deppa data list` shows what can")
    for split in entry.files:
        if not entry.is_right(split):
            _download(entry, split, progress)
    return {split: entry.path(split) for split in entry.files}


def _download(entry: Upstream, split: str, progress: bool) -> None:
    expected = entry.files[split]["git_blob"]
    try:
        with replacing(entry.path(split)) as partial, _network(entry.name):
            download = pooch.HTTPDownloader(progressbar=progress, timeout=_TIMEOUT)
            download(entry.url(split), partial, None)
            partial.seek(0)
            if (got := git_blob_id(partial.read())) != expected:
                raise FetchError(f"{entry.url(split)}: git blob id {got}, expected {expected}")
    except OSError as error:
        raise FetchError(f"{entry.path(split)}: cannot be written ({error.strerror})") from error


@contextmanager
def _network(name: str) -> Iterator[None]:
    """Turn what a network can do wrong into one line."""
    try:
        yield
    except requests.HTTPError as error:
        answer = error.response
        raise FetchError(f"{name}: {answer.url} answers {answer.status_code}") from error
    except (requests.ConnectionError, requests.Timeout) as error:
        raise FetchError(
            f"{name}: the server cannot be reached (offline?); the toy-* corpora need no network, "
            "and `deppa data add` takes files you have"
        ) from error
    except requests.RequestException as error:
        raise FetchError(f"{name}: the download broke off ({error}); try again") from error
