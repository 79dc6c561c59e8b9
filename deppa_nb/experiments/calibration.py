"""Whether probabilities of arcs are right: of arcs with p = 0.8, four in five."""

from copy import copy

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar

from deppa_nb.corpus.sentence import Treebank
from deppa_nb.corpus.trees import Heads
from deppa_nb.errors import ArgumentError
from deppa_nb.models.graph import GraphParser
from deppa_nb.models.steps import aligned

__all__ = ["arc_probabilities", "calibration_error", "reliability", "tempered"]

Floats = NDArray[np.float64]

_LOWEST, _HIGHEST, _NEAR = 0.5, 4.0, 0.02  # temperatures that are tried, and how closely


def reliability(p: ArrayLike, right: ArrayLike, *, bins: int = 10) -> pd.DataFrame:
    """Sort predictions by their probability into bins of equal width.

    Parameters
    ----------
    p
        ``(predictions,)``, from 0 to 1.
    right
        ``(predictions,)``, whether each is right.
    bins
        How many; those without a prediction are left out.

    Returns
    -------
    pandas.DataFrame
        A row a bin: `low` and `high` end, `predictions` in it, their mean `confidence` (p) and
        `accuracy` (share of right ones).

    Examples
    --------
    >>> reliability([0.9, 0.7, 0.8, 0.2], [1, 1, 0, 0], bins=2)
       low  high  predictions  confidence  accuracy
    0  0.0   0.5            1         0.2  0.000000
    1  0.5   1.0            3         0.8  0.666667
    """
    probabilities, hits = np.asarray(p, float), np.asarray(right, float)
    if probabilities.shape != hits.shape or probabilities.ndim != 1 or len(hits) == 0:
        problem = f"p of shape {probabilities.shape}, right of shape {hits.shape}"
        raise ArgumentError(f"{problem}, expected two equal ones with at least one prediction")
    if not ((probabilities >= 0) & (probabilities <= 1 + 1e-9)).all():
        raise ArgumentError("p has values outside 0 to 1")
    number = np.minimum((probabilities * bins).astype(int), bins - 1)
    frame = pd.DataFrame({"bin": number, "confidence": probabilities, "accuracy": hits})
    table = frame.groupby("bin").agg(
        predictions=("accuracy", "size"),
        confidence=("confidence", "mean"),
        accuracy=("accuracy", "mean"),
    )
    ends = table.index.to_numpy()
    table.insert(0, "low", ends / bins)
    table.insert(1, "high", (ends + 1) / bins)
    return table.reset_index(drop=True)


def calibration_error(table: pd.DataFrame) -> float:
    """Return the expected calibration error: mean |accuracy - confidence|, by predictions.

    >>> calibration_error(reliability([0.9, 0.7, 0.8, 0.2], [1, 1, 0, 0], bins=2))
    0.15
    """
    gap = (table["accuracy"] - table["confidence"]).abs()
    return round(float((gap * table["predictions"]).sum() / table["predictions"].sum()), 12)


def arc_probabilities(parser: GraphParser, gold: Treebank) -> tuple[Floats, Floats]:
    """Return p of the likeliest head of each word whose head is given, and whether it is right."""
    p, right = [np.empty(0)], [np.empty(0)]
    for sentence, marginals in zip(gold, parser.marginals(gold), strict=True):
        words = np.flatnonzero(sentence.annotated)
        best = marginals[:, words].argmax(axis=0)
        p.append(marginals[best, words])
        right.append(best == sentence.heads[words])
    return np.concatenate(p), np.concatenate(right)


def tempered(parser: GraphParser, gold: Treebank) -> tuple[GraphParser, float]:
    """Return the parser with its weights divided by a temperature, and that.

    A parser that has seen its training trees too often is too sure of others. The temperature is
    the one with which the heads in `gold` are likeliest, each by itself; `gold` must be trees that
    were not learned from. The best tree of a sentence stays the best.

    Parameters
    ----------
    parser
        It stays as it is.
    gold
        Trees, full or partial.
    """
    other = copy(parser)

    def loss(temperature: float) -> float:
        other.weights_ = aligned(parser.weights_ / np.float32(temperature))
        pairs = zip(gold, other.marginals(gold), strict=True)
        return sum(_surprise(marginals, sentence.heads) for sentence, marginals in pairs)

    found = minimize_scalar(
        loss, bounds=(_LOWEST, _HIGHEST), method="bounded", options={"xatol": _NEAR}
    )
    other.weights_ = aligned(parser.weights_ / np.float32(found.x))
    return other, float(found.x)


def _surprise(marginals: Floats, heads: Heads) -> float:
    words = np.flatnonzero(heads >= 0)
    p = marginals[heads[words], words]
    return -float(np.log(np.maximum(p, np.finfo(float).tiny)).sum())
