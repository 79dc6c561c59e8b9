"""Parameters that make sense, and models that stay as they were when learning fails."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deppa_nb.errors import ArgumentError, ParameterError

__all__ = ["check_parameters", "checked_importance", "listed", "restoring"]

T = TypeVar("T")

_CHOICES = {
    "order": (1, 2),
    "optimiser": ("adagrad", "sgd"),
    "decoder": ("viterbi", "mbr"),
    "column": ("upos", "xpos"),
}
_WHOLE = {
    "bits": (10, 30),
    "epochs": (1, 10**6),
    "batch_size": (1, 10**9),
    "patience": (1, 10**6),
    "iterations": (1, 10**6),
    "k": (1, 1000),
    "threads": (1, 4096),
    "clusters": (1, 10**6),
    "frequent": (0, 10**6),
    "beam": (1, 10**6),
}
_FLAGS = ("warm_start", "progress")
_MOST_WEIGHT = 1e100  # sums of such are finite
_FINITE = (0, np.finfo(float).max)
_NUMBERS = {
    "rate": _FINITE,
    "l2": _FINITE,
    "margin": _FINITE,
    "pruning": (0, 1),
    "tolerance": (0, 1),
    "least": _FINITE,
    "smoothing": (1e-6, np.finfo(float).max),
}


def check_parameters(parameters: Mapping[str, Any], *, any_rate: bool = False) -> None:
    """Refuse parameters of a model that make no sense.

    Parameters
    ----------
    parameters
        By name, as `get_params` gives them; None for threads means all.
    any_rate
        Whether the rate may be infinite: that of MIRA is only a bound.
    """
    for name, value in parameters.items():
        if name == "threads" and value is None:
            continue
        if name in _CHOICES and value not in _CHOICES[name]:
            raise ParameterError(f"{name} is {value!r}, expected one of {_CHOICES[name]}")
        if name in _FLAGS and not isinstance(value, bool | np.bool_):
            raise ParameterError(f"{name} is {value!r}, expected True or False")
        if name in _WHOLE and (isinstance(value, bool) or not isinstance(value, Integral)):
            raise ParameterError(f"{name} is {value!r}, expected a whole number")
        if name in _NUMBERS and (isinstance(value, bool) or not isinstance(value, Real)):
            raise ParameterError(f"{name} is {value!r}, expected a number")
        low, high = (_WHOLE | _NUMBERS).get(name, (None, None))
        if low is not None and not value >= low:
            raise ParameterError(f"{name} is {value!r}, expected at least {low}")
        if high is not None and value > high and not (any_rate and name == "rate"):
            most = "a finite number" if value == np.inf else f"at most {high}"
            raise ParameterError(f"{name} is {value!r}, expected {most}")


def listed(given: Iterable[T], kind: type[T], expected: str) -> list[T]:
    """Return several examples as a list; what is one alone, or of another kind, is refused.

    Parameters
    ----------
    given
        The examples.
    kind, expected
        Of each, and what they are called.
    """
    if isinstance(given, kind):
        raise ArgumentError(f"one {kind.__name__}, expected several: put it into a list")
    found = list(given) if isinstance(given, Iterable) else [given]
    if wrong := [each for each in found if not isinstance(each, kind)]:
        raise ArgumentError(f"a {type(wrong[0]).__name__}, expected {expected}")
    return found


def checked_importance(sample_weight: ArrayLike | None, sentences: int) -> NDArray[np.float64]:
    """Return what the loss of each sentence counts."""
    expected = f"expected {sentences} numbers from 0 to 1e100, not all 0"
    try:
        given = np.ones(sentences) if sample_weight is None else np.array(sample_weight, float)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"sample_weight: {expected}") from error
    if given.shape != (sentences,):
        raise ArgumentError(f"sample_weight: numbers of shape {given.shape}, {expected}")
    if (wrong := np.flatnonzero(~((given >= 0) & (given <= _MOST_WEIGHT)))).size:
        raise ArgumentError(f"sample_weight: number {wrong[0]} is {given[wrong[0]]}, {expected}")
    if not given.any():
        raise ArgumentError(f"sample_weight: all are 0, {expected}")
    return given


@contextmanager
def restoring(model: Any) -> Iterator[None]:
    """Let a model be as it was if what is done to it fails or is interrupted."""
    before = dict(vars(model))
    try:
        yield
    except BaseException:
        model.__dict__ = before
        raise
