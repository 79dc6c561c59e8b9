"""Numbers that make sense."""

import sys
from numbers import Integral, Real

from deppa_nb.errors import DeppaError, ParameterError

__all__ = ["check_number"]

_MOST = sys.float_info.max


def check_number(
    name: str,
    value: float,
    low: float = -_MOST,
    high: float = _MOST,
    *,
    whole: bool = False,
    above: bool = False,
    error: type[DeppaError] = ParameterError,
) -> None:
    """Refuse what is no number between two others; nan and, by default, infinity are none.

    Parameters
    ----------
    name, value
        Of what is checked.
    low, high
        The least and the most it may be.
    whole, above
        Whether it has to be a whole number, and more than `low`.
    error
        What is raised.

    Examples
    --------
    >>> check_number("share", 1.5, 0, 1, above=True)
    Traceback (most recent call last):
        ...
    deppa_nb.errors.ParameterError: share is 1.5, expected a number above 0, at most 1
    """
    is_number = isinstance(value, Integral if whole else Real)
    if is_number and low <= value <= high and not (above and value == low):
        return
    expected = "a whole number" if whole else "a number"
    if low > -_MOST:
        expected += f" {'above' if above else 'from'} {low}"
    if high < _MOST:
        expected += f", at most {high}"
    raise error(f"{name} is {value!r}, expected {expected}")
