"""Windows: what a model of label sequences sees around a token.

A template is a string of atoms, ``"word[-1] word[0]"``: the words before and at the token, both at
once. An atom is a column of the sequences' file, or is made of the words: ``lower``, ``shape``, and
``prefix2``, ``suffix3`` and the like, of 1 to 9 letters.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sequences import Sequence as Labelled
from deppa_nb.errors import ParameterError
from deppa_nb.features.atoms import mix
from deppa_nb.features.forms import Hashes, hash_string, shape

__all__ = ["CHUNKS", "ENTITIES", "check_templates", "hash_windows", "moved", "templates_for"]

_ATOM = re.compile(r"([A-Za-z]\w*)\[([-+]?\d{1,4})\]")
_AFFIX = re.compile(r"(prefix|suffix)([1-9])")
_MOST = 1 << 16  # sequences that are remembered


def moved(template: str, first: int, last: int) -> tuple[str, ...]:
    """Return a template at some places around the token.

    >>> moved("pos[0] pos[1]", -1, 0)
    ('pos[-1] pos[0]', 'pos[0] pos[1]')
    """
    return tuple(
        " ".join(f"{name}[{place + offset}]" for name, place in _read(template))
        for offset in range(first, last + 1)
    )


@lru_cache
def _read(template: str) -> tuple[tuple[str, int], ...]:
    """Return the atoms of a template."""
    found = [_ATOM.fullmatch(atom) for atom in template.split()]
    if not found or None in found:
        raise ParameterError(f"template {template!r}, expected atoms such as word[-1] word[0]")
    return tuple((match[1], int(match[2])) for match in found if match)


CHUNKS: tuple[str, ...] = (
    *moved("word[0]", -2, 2), *moved("word[0] word[1]", -1, 0),
    *moved("pos[0]", -2, 2), *moved("pos[0] pos[1]", -2, 1), *moved("pos[0] pos[1] pos[2]", -2, 0),
)  # fmt: skip
"""What Wanvarie et al. (2011) look at for chunks."""

ENTITIES: tuple[str, ...] = (
    *moved("word[0]", -1, 1),
    "word[-4] word[-3] word[-2] word[-1]", "word[1] word[2] word[3] word[4]",
    *moved("pos[0]", -2, 2), *moved("pos[0] pos[1]", -2, 1), "pos[-1] pos[0] pos[1]",
    *moved("lower[0]", -2, 2), *moved("lower[0] lower[1]", -2, 1),
    *moved("shape[0]", -1, 1),
    *moved("chunk[0]", -2, 2), *moved("chunk[0] chunk[1]", -2, 1), "chunk[-1] chunk[0] chunk[1]",
    *moved("prefix2[0]", -1, 1), *moved("prefix3[0]", -1, 1),
    *moved("suffix2[0]", -1, 1), *moved("suffix3[0]", -1, 1),
)  # fmt: skip
"""What they look at for named entities."""


def check_templates(templates: object) -> None:
    """Refuse what is no list of different templates; None stands for those that fit."""
    if templates is None:
        return
    expected = "expected a list of different templates such as word[-1] word[0], or None"
    listed = list(templates) if isinstance(templates, list | tuple) else []
    texts = [template for template in listed if isinstance(template, str)]
    if not texts or len(set(texts)) < len(listed):
        raise ParameterError(f"templates is {templates!r}, {expected}")
    for template in texts:
        _read(template)


def templates_for(sequence: Labelled) -> tuple[str, ...]:
    """Return templates for labels of chunks or else of entities, as far as there are columns."""
    every = CHUNKS if sequence.names[-1] == "chunk" else ENTITIES
    there = set(sequence.names[:-1])
    return tuple(t for t in every if all(_column(name) in there for name, _ in _read(t)))


def hash_windows(
    sequences: Sequence[Labelled], templates: tuple[str, ...]
) -> tuple[Hashes, NDArray[np.int64]]:
    """Return what each template sees at each token, as 64-bit numbers, and where sequences begin.

    Labels are not looked at, so that sequences which differ in these alone are hashed once.

    Returns
    -------
    keys : uint64 array (tokens, templates)
        Sequences laid end to end. Different templates never see the same.
    firsts : int64 array (sequences + 1,)
    """
    sizes = [len(sequence) for sequence in sequences]
    firsts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    with _LOCK:
        places = [(templates, s.names, s.columns[:-1]) for s in sequences]
        found = [_KNOWN.get(place) for place in places]
        every = zip(places, sequences, found, strict=True)
        new = {place: sequence for place, sequence, rows in every if rows is None}
        if new:
            hashed = dict(zip(new, _hashed(list(new.values()), templates), strict=True))
            if len(_KNOWN) + len(hashed) > _MOST:
                _KNOWN.clear()  # a program that runs for long does not grow
            _KNOWN.update(hashed)
            both = zip(places, found, strict=True)
            found = [hashed[place] if rows is None else rows for place, rows in both]
    return np.concatenate([np.empty((0, len(templates)), np.uint64), *found]), firsts


# Rows by templates, names of columns, and columns.
_KNOWN: dict[tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, ...], ...]], Hashes] = {}
_LOCK = Lock()


def _hashed(sequences: list[Labelled], templates: tuple[str, ...]) -> list[Hashes]:
    """Return the rows of each sequence."""
    sizes = np.array([len(sequence) for sequence in sequences])
    ends = np.cumsum(sizes)
    place = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes)
    size = np.repeat(sizes, sizes)
    names = {name for template in templates for name, _ in _read(template)}
    atoms = {name: _atom(name, sequences) for name in sorted(names)}
    keys = np.empty((ends[-1], len(templates)), np.uint64)
    for column, template in enumerate(templates):
        key = np.full(ends[-1], hash_string(template))
        for name, offset in _read(template):
            inside = (place + offset >= 0) & (place + offset < size)
            key = mix(key, np.where(inside, np.roll(atoms[name], -offset), hash_string("<pad>")))
        keys[:, column] = key
    return np.split(keys, ends[:-1])


def _atom(name: str, sequences: list[Labelled]) -> Hashes:
    """Return an atom of all tokens."""
    strings = [value for s in sequences for value in _own_column(s, name)]
    different = dict.fromkeys(strings)
    made_of = _made(name)
    hashes = {string: hash_string(made_of(string)) for string in different}
    return np.fromiter(map(hashes.__getitem__, strings), np.uint64, len(strings))


def _own_column(sequence: Labelled, name: str) -> tuple[str, ...]:
    column = _column(name)
    if column not in sequence.names[:-1]:
        there = ", ".join(sequence.names[:-1])
        raise ParameterError(f"template with {name}: no such atom, nor a column of {there}")
    return sequence.column(column)


def _column(name: str) -> str:
    """Return the column that an atom is made of."""
    return "word" if name in ("lower", "shape") or _AFFIX.fullmatch(name) else name


def _made(name: str) -> Callable[[str], str]:
    """Return how an atom is made of its column."""
    if affix := _AFFIX.fullmatch(name):
        return partial(_prefix if affix[1] == "prefix" else _suffix, int(affix[2]))
    return {"lower": str.lower, "shape": shape}.get(name, str)


def _prefix(length: int, word: str) -> str:
    return word[:length]


def _suffix(length: int, word: str) -> str:
    return word[-length:]
