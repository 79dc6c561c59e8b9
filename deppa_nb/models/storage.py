"""Models in files: `.npz` without pickle, with a version, refused in one line if they do not fit.

======================  ==========================================================================
entry                   what it holds
======================  ==========================================================================
format, version         ``"deppa_nb CRFParser"`` (the class), 2
parameters              of `__init__`, as JSON
templates               the text of every template, as JSON: the weights mean nothing with others
weights, pruner         float32, ``2**bits`` each (of a tagger: rows; of a `TransitionParser`: four
                        for a feature, see `kernels.transition`); the second if arcs are pruned
squares                 float32, of AdaGrad, if the model was to go on learning (`warm_start`)
labels, label_templates of a label model, if there is one: names and templates, as JSON
label_weights           float32, a row of weights for the labels in their order
tags, transitions       of a tagger: its tags as JSON, float64 scores of neighbouring ones
pair_weights, keys,     of a `ChainCRF`, which has labels for tags: weights of pairs of attribute
starts, pair_labels     and label, hashes of attributes, their first pairs, the labels of pairs
known                   of a `DerivationParser`: words, clusters, tags and labels, as JSON
tag_*, label_*,         its decision trees: int32 children (left, right; -1 at leaves) and questions
extension_*             of each node, float64 counts of actions; templates are the questions
======================  ==========================================================================
"""

import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.textfile import PathLike, replacing
from deppa_nb.errors import DeppaError, FormatError
from deppa_nb.models.steps import Weights

__all__ = ["BROKEN", "kind_of", "load_model", "save_model"]

BROKEN = (
    ValueError, KeyError, TypeError, AttributeError, EOFError, NotImplementedError, RuntimeError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What reading an archive raises that is none, or is broken."""

_HEADER = ("format", "version", "parameters", "templates")
_HASHED = ("weights", "pruner", "squares")
VERSION = 2
"""It grows when atoms, hashes or the layout of the table change, so that old weights are no use."""


def save_model(
    path: PathLike,
    kind: str,
    parameters: dict[str, Any],
    templates: Sequence[str],
    tables: dict[str, NDArray[Any]],
) -> None:
    """Write a model and its tables; the file is the old one or the new one, never half of it."""
    target = Path(path).resolve()
    try:
        with replacing(target) as raw:
            entries: dict[str, Any] = tables | {
                "format": np.array(f"deppa_nb {kind}"),
                "version": np.array(VERSION),
                "parameters": np.array(json.dumps(parameters, default=lambda value: value.item())),
                "templates": np.array(json.dumps(list(templates))),
            }
            np.savez_compressed(raw, **entries)
    except OSError as error:
        raise DeppaError(f"{target}: cannot be written ({error.strerror})") from error


def load_model(
    path: PathLike, kind: str
) -> tuple[dict[str, Any], list[str], dict[str, NDArray[Any]]]:
    """Return the parameters, the templates' texts and the tables of a model."""
    with _opened(path) as found:
        name, version = str(found["format"]), int(found["version"])
        if name != f"deppa_nb {kind}" or version != VERSION:
            problem = f"{name}, version {version}, expected deppa_nb {kind}, version {VERSION}"
            raise FormatError(path, None, problem)
        parameters = json.loads(str(found["parameters"]))
        templates = json.loads(str(found["templates"]))
        tables = {name: found[name] for name in found if name not in _HEADER}
        for name in _HASHED:
            if name in tables:
                tables[name] = _table(tables[name])
        if "bits" in parameters and tables["weights"].shape[0] != 1 << parameters["bits"]:
            raise ValueError(f"{tables['weights'].shape[0]} weights, not 2**{parameters['bits']}")
    return parameters, templates, tables


def kind_of(path: PathLike) -> str:
    """Return the class of the model in a file."""
    with _opened(path) as found:
        return str(found["format"]).removeprefix("deppa_nb ")


@contextmanager
def _opened(path: PathLike) -> Iterator[Any]:
    """Open a file of arrays; whatever is wrong with it becomes an error of one line."""
    try:
        with open(path, "rb") as raw:
            if not zipfile.is_zipfile(raw):
                raise FormatError(path, None, "no model of deppa_nb")
            raw.seek(0)
            with np.load(raw, allow_pickle=False) as found:
                yield found
    except OSError as error:
        if error.strerror:
            raise DeppaError(f"{path}: cannot be read ({error.strerror})") from error
        raise FormatError(path, None, "no model of deppa_nb") from error
    except BROKEN as error:
        raise FormatError(path, None, f"no model of deppa_nb, or a broken one ({error})") from error


def _table(found: NDArray[Any]) -> Weights:
    """Return a table if it is one."""
    if found.dtype != np.float32 or found.ndim == 0 or found.shape[0].bit_count() != 1:
        raise ValueError(f"a table of {found.dtype}, {found.shape}, expected 2**bits of float32")
    if not np.isfinite(found).all():
        raise ValueError("weights that are no numbers")
    return found
