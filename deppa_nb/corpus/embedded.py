"""The corpora that come with the project: generated on first use, then kept as ordinary files."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from numbers import Integral, Real

from tqdm import tqdm

from deppa_nb.corpus import toy
from deppa_nb.corpus.corpus import SPLITS, Corpus
from deppa_nb.corpus.paths import cache_home
from deppa_nb.corpus.textfile import PathLike, write_atomically
from deppa_nb.errors import ParameterError

__all__ = ["embedded", "generate", "is_embedded"]

_SUFFIX = {"treebank": ".conllu", "sequence": ".txt", "slots": ".iob"}


def is_embedded(name: str) -> bool:
    """Tell whether a name is one of the project's own corpora."""
    return name in toy.NAMES


def embedded(
    name: str,
    *,
    seed: int = 1,
    pos_accuracy: float = 1.0,
    sizes: Mapping[str, int] | None = None,
) -> Corpus:
    """Return one of the project's own corpora, generating what is not in the cache.

    Parameters
    ----------
    name
        One of `toy.NAMES`.
    seed
        Another seed gives another corpus of the same language.
    pos_accuracy
        Share of part-of-speech tags that are right.
    sizes
        Sentences per split, where they are to differ from the default.
    """
    seed, pos_accuracy = _whole("seed", seed), _accuracy(pos_accuracy)
    sizes = _sizes(name, sizes)
    kind = toy.kind(name)
    key = hashlib.sha256(f"{_generator()} {seed} {pos_accuracy}".encode()).hexdigest()[:8]
    folder = cache_home() / "toy" / f"{name}-{key}"
    paths = {split: folder / f"{split}-{size}{_SUFFIX[kind]}" for split, size in sizes.items()}
    for split, path in paths.items():
        if not path.is_file():
            generate(path, name, sizes[split], seed=seed, split=split, pos_accuracy=pos_accuracy)
    facts = {"language": "invented", "licence": "MIT", "note": toy.describe(name), "seed": seed}
    return Corpus(name, kind, paths, facts)


def generate(
    path: PathLike,
    name: str,
    sentences: int,
    *,
    seed: int = 1,
    split: str = "train",
    pos_accuracy: float = 1.0,
    progress: bool = False,
) -> None:
    """Write a corpus of any size to a file, a sentence at a time.

    `progress` shows a bar, on a terminal.
    """
    try:
        blocks = toy.blocks(name, sentences, seed=seed, split=split, pos_accuracy=pos_accuracy)
        bar = tqdm(blocks, name, sentences, unit="sent", disable=None if progress else True)
        write_atomically(path, bar)
    except ValueError as error:
        raise ParameterError(str(error)) from error


def _sizes(name: str, wanted: Mapping[str, int] | None) -> dict[str, int]:
    if wanted is None:
        return toy.SIZES[name]
    if not isinstance(wanted, Mapping) or set(wanted) - set(SPLITS):
        raise ParameterError(f"sizes are {wanted!r}, expected numbers for {', '.join(SPLITS)}")
    checked = {split: _whole(f"size of {split}", size, 1) for split, size in wanted.items()}
    return {**toy.SIZES[name], **checked}


def _whole(name: str, value: object, least: int = 0) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ParameterError(f"{name} is {value!r}, expected a whole number from {least}")
    return int(value)


def _accuracy(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ParameterError(f"pos_accuracy is {value!r}, expected a number up to 1")
    return float(value)


@cache
def _generator() -> str:
    """Return a digest of the generator, so that a change of it makes its corpora anew."""
    digest = hashlib.sha256()
    for file in _sources(files(toy)):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _sources(folder: Traversable) -> list[Traversable]:
    entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    here = [e for e in entries if e.is_file() and e.name.endswith((".py", ".yaml"))]
    return here + [
        f for e in entries if e.is_dir() and e.name != "__pycache__" for f in _sources(e)
    ]
