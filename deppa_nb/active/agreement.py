"""How far annotators agree, beyond what chance would give."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import pandas as pd

from deppa_nb.active.log import Log
from deppa_nb.active.log_merge import check_together
from deppa_nb.active.log_state import State, Word, state
from deppa_nb.errors import ParameterError

__all__ = ["Reliability", "agreement_table", "pair_table", "reliability"]

_Units = dict[Word, list[Hashable]]


def _labelled(of: State) -> dict[Word, Hashable]:
    pairs = ((word, head, of.labels.get(word)) for word, head in of.heads.items())
    return {w: None if head is None or label is None else (head, label) for w, head, label in pairs}


_VALUES: dict[str, Callable[[State], "dict[Word, Hashable]"]] = {
    "heads": lambda of: dict(of.heads),
    "labels": lambda of: dict(of.labels),
    "heads with labels": _labelled,
}


@dataclass(frozen=True)
class Reliability:
    """Agreement over words that two or more annotators gave a value.

    Attributes
    ----------
    words
        Such words.
    observed
        How often another annotator gave the same value, averaged over all values; nan if there is
        no such word.
    alpha
        Krippendorff's; 1 = perfect, 0 = as by chance.
    """

    words: int
    observed: float
    alpha: float


def reliability(units: Iterable[Sequence[Hashable]]) -> Reliability:
    """Return observed agreement and Krippendorff's alpha for nominal values.

    With m_u values of unit u, n = sum of m_u over units with m_u >= 2, n_c of them equal to c,
    o_c = sum_u (values of u that are c) (those - 1) / (m_u - 1)::

        observed = sum_c o_c / n
        alpha    = 1 - (n - 1) (n - sum_c o_c) / (n^2 - sum_c n_c^2)

    Parameters
    ----------
    units
        For each unit the values it was given, by however many observers; units with fewer than two
        do not count. Alpha is nan where all values are the same: nothing could have differed.

    Examples
    --------
    >>> reliability([[1, 1], [1, 1], [2, 2], [2, 1]])
    Reliability(words=4, observed=0.75, alpha=0.5333333333333333)
    """
    paired = [Counter(values) for values in units if len(values) >= 2]
    totals: Counter[Hashable] = Counter()
    same = 0.0
    for counts in paired:
        totals += counts
        same += sum(k * (k - 1) for k in counts.values()) / (counts.total() - 1)
    n = totals.total()
    if n == 0:
        return Reliability(0, float("nan"), float("nan"))
    differ = n * n - sum(count * count for count in totals.values())
    alpha = 1 - (n - 1) * (n - same) / differ if differ else float("nan")
    return Reliability(len(paired), same / n, alpha)


def agreement_table(logs: Sequence[Log]) -> pd.DataFrame:
    """Return words, observed agreement and alpha for heads, labels, and both together.

    >>> from deppa_nb.active.log import Event, Header
    >>> logs = [
    ...     Log(Header(name, "mine", "d"), (Event("head", "s1", 1, "full", new=2, act=1),))
    ...     for name in ("anna", "bert")
    ... ]
    >>> agreement_table(logs).loc["heads", "observed"]
    np.float64(1.0)
    """
    states = _states(logs)
    rows = {what: reliability(_units(states.values(), what).values()) for what in _VALUES}
    return pd.DataFrame([vars(row) for row in rows.values()], index=pd.Index(rows, name="what"))


def pair_table(logs: Sequence[Log], what: str = "heads") -> pd.DataFrame:
    """Return, for each two annotators, the words both gave a value and their agreement.

    Parameters
    ----------
    logs
        One for each annotator.
    what
        ``heads``, ``labels`` or ``heads with labels``.
    """
    if what not in _VALUES:
        raise ParameterError(f"agreement of {what!r}, expected {', '.join(_VALUES)}")
    rows = []
    for (a, first), (b, second) in combinations(sorted(_states(logs).items()), 2):
        found = reliability(_units((first, second), what).values())
        rows.append({"first": a, "second": b, **vars(found)})
    return pd.DataFrame(rows, columns=["first", "second", "words", "observed", "alpha"])


def _states(logs: Sequence[Log]) -> dict[str, State]:
    """Return what each annotator said."""
    check_together(logs)
    return {log.header.annotator: state(log.events) for log in logs}


def _units(states: Iterable[State], what: str) -> _Units:
    units: _Units = {}
    for of in states:
        for word, value in _VALUES[what](of).items():
            if value is not None:
                units.setdefault(word, []).append(value)
    return units
