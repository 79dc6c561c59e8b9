"""Models in files: `.npz` without pickle, with a version, refused in one line if they do not fit.

======================  ==========================================================================
entry                   what it holds
======================  ==========================================================================
format, version         ``"deppa_nb CRFParser"`` (the class), 2
parameters              of `__init__`, as JSON
templates               the text of every template, as JSON: the weights mean nothing with others
weights                 float32
======================  ==========================================================================
"""

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from deppa_nb.corpus.textfile import PathLike, replacing
from deppa_nb.errors import DeppaError, FormatError
from deppa_nb.models.steps import Weights, aligned

__all__ = ["load_model", "save_model"]

VERSION = 2
"""It grows when atoms, hashes or the layout of the table change, so that old weights are no use."""


def save_model(
    path: PathLike,
    kind: str,
    parameters: dict[str, Any],
    templates: Sequence[str],
    weights: Weights,
) -> None:
    """Write a model; the file is the old one or the new one, never half of it."""
    target = Path(path).resolve()
    try:
        with replacing(target) as raw:
            np.savez_compressed(
                raw,
                format=np.array(f"deppa_nb {kind}"),
                version=np.array(VERSION),
                parameters=np.array(json.dumps(parameters)),
                templates=np.array(json.dumps(list(templates))),
                weights=weights,
            )
    except OSError as error:
        raise DeppaError(f"{target}: cannot be written ({error.strerror})") from error


def load_model(path: PathLike, kind: str) -> tuple[dict[str, Any], list[str], Weights]:
    """Return the parameters, the templates' texts and the weights of a model."""
    try:
        with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as found:
            name, version = str(found["format"]), int(found["version"])
            if name != f"deppa_nb {kind}" or version != VERSION:
                problem = f"{name}, version {version}, expected deppa_nb {kind}, version {VERSION}"
                raise FormatError(path, None, problem)
            parameters = json.loads(str(found["parameters"]))
            templates = json.loads(str(found["templates"]))
            weights = found["weights"]
        bits = parameters["bits"]
        if weights.dtype != np.float32 or weights.shape != (1 << bits,):
            raise ValueError(f"weights of shape {weights.shape}, expected 2**{bits}")
    except OSError as error:
        if error.strerror:
            raise DeppaError(f"{path}: cannot be read ({error.strerror})") from error
        raise FormatError(path, None, "no model of deppa_nb") from error
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise FormatError(path, None, f"no model of deppa_nb, or a broken one ({error})") from error
    return parameters, templates, aligned(weights)
