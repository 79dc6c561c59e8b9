"""A corpus: named splits of one kind, read from their files when first asked for."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from deppa_nb.corpus.bank import Bank
from deppa_nb.corpus.conllu import read_conllu
from deppa_nb.corpus.sequences import read_columns
from deppa_nb.corpus.slots import read_slots
from deppa_nb.corpus.textfile import PathLike, lines
from deppa_nb.errors import CorpusError

__all__ = ["KINDS", "SPLITS", "Corpus", "Kind", "kind_of", "splits_of"]

Kind = Literal["treebank", "sequence", "slots"]

KINDS: tuple[Kind, ...] = ("treebank", "sequence", "slots")

SPLITS = ("train", "dev", "test")

# What names of files call the splits: a whole word of the name.
_SPLIT_NAMES = {
    **{split: split for split in SPLITS},
    "training": "train", "valid": "dev", "validation": "dev", "testa": "dev", "testb": "test",
}  # fmt: skip
_TREEBANK_SUFFIXES = {".conllu", ".conll", ".conllx"}

_READERS: dict[Kind, Callable[..., Bank[Any]]] = {
    "treebank": read_conllu,
    "sequence": read_columns,
    "slots": read_slots,
}


@dataclass(frozen=True, eq=False)
class Corpus:
    """Splits of a corpus, read on first use.

    Attributes
    ----------
    name, kind
        What it is called and what its sentences are.
    files
        The file of each split.
    facts
        Language, licence and whatever else is known of it.
    """

    name: str
    kind: Kind
    files: dict[str, Path]
    facts: dict[str, Any] = field(default_factory=dict)
    _banks: dict[str, Bank[Any]] = field(default_factory=dict, repr=False)

    def split(self, name: str) -> Bank[Any]:
        """Return a split by name."""
        if reason := self.facts.get("broken"):
            raise CorpusError(f"{self.name}: {reason}")
        if name not in self.files:
            has = ", ".join(self.files)
            raise CorpusError(f"{self.name} has no split {name!r}, it has {has}")
        if name not in self._banks:
            reader = _READERS[self.kind]
            self._banks[name] = reader(self.files[name], name=f"{self.name} {name}")
        return self._banks[name]

    @property
    def train(self) -> Any:
        """The training split."""
        return self.split("train")

    @property
    def dev(self) -> Any:
        """The development split."""
        return self.split("dev")

    @property
    def test(self) -> Any:
        """The test split."""
        return self.split("test")

    def banks(self) -> list[Bank[Any]]:
        """Return all splits."""
        return [self.split(name) for name in self.files]


def kind_of(path: PathLike) -> Kind:
    """Tell what kind of corpus a file holds: by its name, else by its first line of words."""
    if {".conllu", ".conllx"} & set(Path(path).suffixes[-2:]):
        return "treebank"
    for _, line in lines(path):
        if line.startswith("BOS "):
            return "slots"
        if line and (not line.startswith("#") or "\t" in line):
            return "treebank" if line.count("\t") >= 7 else "sequence"
    raise CorpusError(f"{path}: no line of words, so its kind cannot be told")


def splits_of(paths: Iterable[PathLike]) -> dict[str, Path]:
    """Return the file of each split: told by names, by ``split=path``, or all files of a folder.

    A single file whose name says nothing is the training split.
    """
    named = [pair for path in paths for pair in _named(path)]
    if len(named) == 1 and named[0][0] is None:
        return {"train": named[0][1]}
    files: dict[str, Path] = {}
    for split, path in named:
        if split is None:
            raise CorpusError(
                f"{path}: which split? its name has none of {', '.join(SPLITS)}; "
                f"say so as train={path}"
            )
        if split in files:
            raise CorpusError(f"{files[split]} and {path} both claim to be the {split} split")
        files[split] = path
    return {split: files[split] for split in SPLITS if split in files}


def _named(path: PathLike) -> list[tuple[str | None, Path]]:
    split, equals, rest = str(path).partition("=")
    if equals and split in SPLITS:
        return [(split, _existing(Path(rest)))]
    folder = _existing(Path(path))
    if not folder.is_dir():
        return [(_split_in(folder.name), folder)]
    inside = [file for file in sorted(folder.iterdir()) if file.is_file() and _split_in(file.name)]
    # A release has the plain text of each split beside its trees.
    trees = [file for file in inside if _TREEBANK_SUFFIXES & set(file.suffixes[-2:])]
    if not inside:
        raise CorpusError(f"{path}: no file in it has {', '.join(SPLITS)} in its name")
    return [(_split_in(file.name), file) for file in trees or inside]


def _split_in(name: str) -> str | None:
    """Return the split that a name speaks of, None if there is none or more than one."""
    words = set(re.split(r"[^a-z0-9]+", name.lower())) & set(_SPLIT_NAMES)
    splits = {_SPLIT_NAMES[word] for word in words}
    return splits.pop() if len(splits) == 1 else None


def _existing(path: Path) -> Path:
    if not path.exists():
        raise CorpusError(f"{path}: no such file or folder")
    return path.resolve()
