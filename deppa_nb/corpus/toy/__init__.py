"""Embedded toy corpora: generated, deterministic, of any size.

The grammar and the lexicon are data (``data/*.yaml``); docs/toy-corpora.md tells how to extend
them. Treebanks know their ambiguities: MISC names every site of ambiguity, the rival heads and,
where the words fit two of them, the chance of the likelier one (see `best_uas`).

Examples
--------
>>> from deppa_nb.corpus import toy
>>> next(toy.blocks("toy-flights", 1)).startswith("BOS ")
True
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Literal

from deppa_nb.corpus.toy.chunks import columns
from deppa_nb.corpus.toy.data import checked
from deppa_nb.corpus.toy.flights import requests
from deppa_nb.corpus.toy.treebanks import best_uas, trees

__all__ = ["NAMES", "SIZES", "best_uas", "blocks", "describe", "kind"]

Kind = Literal["treebank", "sequence", "slots"]

NAMES: tuple[str, ...] = (
    "toy-en",
    "toy-headfinal",
    "toy-freeorder",
    "toy-verbinitial",
    "toy-short",
    "toy-chunks",
    "toy-flights",
)
SIZES: dict[str, dict[str, int]] = {
    name: {"train": 4000, "dev": 500, "test": 800}
    if name == "toy-flights"
    else {"train": 2500, "dev": 300, "test": 300}
    for name in NAMES
}
_KINDS: dict[str, Kind] = {"toy-chunks": "sequence", "toy-flights": "slots"}


def _known(name: str) -> str:
    if name not in NAMES:
        raise ValueError(f"no toy corpus {name!r}; choose one of {', '.join(NAMES)}")
    return name


def kind(name: str) -> Kind:
    """Return what a corpus holds: ``treebank``, ``sequence`` or ``slots``.

    Examples
    --------
    >>> kind("toy-chunks")
    'sequence'
    """
    return _KINDS.get(_known(name), "treebank")


def describe(name: str) -> str:
    """Return one line about a corpus.

    Examples
    --------
    >>> describe("toy-short")
    'English-like simple sentences of 3 to 8 words'
    """
    if _known(name) == "toy-flights":
        return "air-travel requests with slots and intents, in the manner of ATIS"
    return str(checked()["presets"][name]["about"])


def blocks(
    name: str, sentences: int, *, seed: int = 1, split: str = "train", pos_accuracy: float = 1.0
) -> Iterator[str]:
    """Yield the sentences of a corpus as text blocks, ready to be written one after the other.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    sentences : int
        How many; the first ones are the same whatever the number.
    seed : int
        Another seed, another text.
    split : str
        ``train``, ``dev``, ``test`` or any other name: every split is a stream of its own.
    pos_accuracy : float
        Share of right tags, above 0.5; below 1 a noisy tagger's UPOS and XPOS are given. Forms,
        FEATS, trees and chunks stay the same. Has no meaning for ``toy-flights``.

    Yields
    ------
    str
        A CoNLL-U block (treebanks), lines ``word POS chunk entity`` and a blank line
        (``toy-chunks``), or one line ``BOS ... EOS<tab>O ... intent`` (``toy-flights``).

    Raises
    ------
    ValueError
        For an unknown name, a negative size or seed, or an accuracy outside (0.5, 1].

    Examples
    --------
    >>> block = next(blocks("toy-en", 1, split="dev"))
    >>> block.splitlines()[0]
    '# sent_id = toy-en-dev-1'
    """
    _known(name)
    if sentences < 0:
        raise ValueError(f"sentences must be 0 or more, not {sentences}")
    if seed < 0:
        raise ValueError(f"seed must be 0 or more, not {seed}")
    if not 0.5 < pos_accuracy <= 1:
        raise ValueError(f"pos_accuracy must be above 0.5 and at most 1, not {pos_accuracy}")
    if name == "toy-flights":
        source = requests(name, seed, split)
    elif name == "toy-chunks":
        source = columns(name, seed, split, pos_accuracy)
    else:
        source = trees(name, seed, split, pos_accuracy)
    return islice(source, sentences)
