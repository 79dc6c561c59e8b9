"""What learning curves say, as data frames: their means, and what it costs to be as good."""

import numpy as np
import pandas as pd

from deppa_nb.active.curves import Floats, Points, smoothed
from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts.parts import check

__all__ = ["by_facet", "mean_curves", "needed", "savings", "standing"]

_Curves = dict[object, Points]
"""A curve for each seed."""

_TARGETS = 40  # scores at which savings are read, about


def by_facet(frame: pd.DataFrame, facet: str | None) -> dict[str, pd.DataFrame]:
    """Return the rows of each value of a column, in their order; without one, all under ""."""
    if facet is None:
        return {"": frame}
    return {str(name): rows for name, rows in frame.groupby(facet, sort=False)}


def mean_curves(
    chart: str, points: pd.DataFrame, cost: str, score: str, facet: str | None = None
) -> pd.DataFrame:
    """Return the mean curve of each strategy, with the lowest and highest seed.

    As in `deppa_nb.active.curves.Curve`, rounds that not all seeds came to are left out: the mean
    would jump where a seed ends.

    Parameters
    ----------
    chart
        For messages.
    points
        Columns strategy, seed, round, `cost`, `score` and `facet`: a row for each seed and round.

    Returns
    -------
    DataFrame
        Columns facet (if there is one), strategy, round, cost (mean), mean, low, high (of the
        score over seeds), seeds (how many).
    """
    kept = _kept(chart, points, cost, score, facet)
    keys = [*([facet] if facet else []), "strategy", "round"]
    found = kept.groupby(keys, sort=False).agg(
        cost=(cost, "mean"),
        mean=(score, "mean"),
        low=(score, "min"),
        high=(score, "max"),
        seeds=("seed", "nunique"),
    )
    return found.reset_index()


def standing(curves: pd.DataFrame) -> tuple[float, pd.DataFrame] | None:
    """Return where strategies stand at the largest cost that all have, the best first.

    Between rounds a curve is a straight line.

    Parameters
    ----------
    curves
        As `mean_curves` returns them, of one facet.

    Returns
    -------
    tuple
        The cost, and a frame with index strategy and columns mean, low, high, seeds; None where
        one curve begins after another ends.
    """
    ends = curves.groupby("strategy")["cost"].agg(["min", "max"])
    at = float(ends["max"].min())
    if at < float(ends["min"].max()):
        return None
    rows = {
        name: [
            *(float(np.interp(at, own["cost"], own[column])) for column in ("mean", "low", "high")),
            int(own["seeds"].iloc[0]),
        ]
        for name, own in curves.groupby("strategy", sort=False)
    }
    table = pd.DataFrame.from_dict(rows, "index", columns=["mean", "low", "high", "seeds"])
    return at, table.sort_values("mean", ascending=False, kind="stable")


def needed(cost: Floats, score: Floats, targets: Floats) -> Floats:
    """Return the cost with which a curve first has each target.

    The curve is the nearest rising one (`smoothed`), a straight line between rounds. What it does
    not reach is nan, and so is what it has before its first round: that cost less than is known.

    Parameters
    ----------
    cost, score
        ``(rounds,)``.
    targets
        ``(targets,)`` scores.

    Examples
    --------
    >>> needed(np.array([10.0, 20.0]), np.array([60.0, 80.0]), np.array([50.0, 60.0, 70.0, 90.0]))
    array([nan, 10., 15., nan])
    """
    rising = smoothed(cost, score)
    after = np.searchsorted(rising, targets - 1e-9)  # the first round that is as good
    inside = (after < len(cost)) & ((after > 0) | (np.abs(targets - rising[0]) <= 1e-9))
    found = np.full(len(targets), np.nan)
    for i in np.flatnonzero(inside):
        k = int(after[i])
        if k == 0:
            found[i] = cost[0]
        else:
            share = (targets[i] - rising[k - 1]) / (rising[k] - rising[k - 1])
            found[i] = cost[k - 1] + share * (cost[k] - cost[k - 1])
    return found


def savings(
    chart: str,
    points: pd.DataFrame,
    baseline: str,
    cost: str,
    score: str,
    facet: str | None = None,
) -> pd.DataFrame:
    """Return how much less of a cost each strategy needs than the baseline to be as good.

    Parameters
    ----------
    chart, points
        As for `mean_curves`.
    baseline
        The strategy that others are compared with.

    Returns
    -------
    DataFrame
        Columns facet (if there is one), strategy, score, needed and baseline (cost of either, mean
        over the seeds that both have), saved (percent by these means), low and high (of single
        seeds, each compared with the baseline's curve of that seed), seeds (how many). Only scores
        that all these curves reach have a row.
    """
    kept = _kept(chart, points, cost, score, facet)
    if baseline not in set(kept["strategy"]):
        problem = f"the baseline is {baseline}, expected one of {', '.join(kept.strategy.unique())}"
        raise ArgumentError(f"{chart}: {problem}")
    rows = []
    for name, part in by_facet(kept, facet).items():
        curves = {s: _curves(own, cost, score) for s, own in part.groupby("strategy", sort=False)}
        base = curves.pop(baseline, None)
        if base is not None and curves:
            targets = _targets(base, list(curves.values()))
            for strategy, own in curves.items():
                found = _saved(base, own, targets).assign(strategy=strategy)
                rows.append(found.assign(**{facet: name}) if facet else found)
    table = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()
    if table.empty:
        problem = f"no {score} that {baseline} and another strategy reach with a seed of both"
        raise ArgumentError(f"{chart}: {problem}, so nothing can be compared")
    return table


def _kept(
    chart: str, points: pd.DataFrame, cost: str, score: str, facet: str | None
) -> pd.DataFrame:
    """Return the rows of rounds that all seeds came to, in order; refuse what is no curve."""
    names = [*([facet] if facet else []), "strategy"]
    points = check(chart, points, [*names, "seed"], ["round", cost, score])
    ordered = points.sort_values("round", kind="stable")
    if ordered.duplicated([*names, "seed", "round"]).any():
        problem = f"two rows of one {', '.join([*names, 'seed'])} and round, expected one"
        raise ArgumentError(f"{chart}: {problem}")
    if (ordered.groupby([*names, "seed"])[cost].diff() < 0).any():
        raise ArgumentError(f"{chart}: {cost} that falls from round to round, expected it to rise")
    order = points[names].drop_duplicates()  # the order in which they were given
    seeds = ordered.groupby(names)["seed"].transform("nunique")
    kept = ordered[ordered.groupby([*names, "round"])["seed"].transform("nunique") == seeds]
    return order.merge(kept, on=names, how="inner")


def _curves(own: pd.DataFrame, cost: str, score: str) -> _Curves:
    return {
        seed: (rows[cost].to_numpy(np.float64), rows[score].to_numpy(np.float64))
        for seed, rows in own.groupby("seed")
    }


def _saved(base: _Curves, own: _Curves, targets: Floats) -> pd.DataFrame:
    seeds = [seed for seed in own if seed in base]
    shape = (len(seeds), len(targets))
    first, second = (
        np.array([needed(*curves[seed], targets) for seed in seeds]).reshape(shape)
        for curves in (base, own)
    )
    sure = (np.isfinite(first) & np.isfinite(second) & (first > 0)).all(axis=0) & bool(seeds)
    first, second = first[:, sure], second[:, sure]
    each = 100 * (1 - second / first)
    means = first.sum(axis=0) / max(len(seeds), 1), second.sum(axis=0) / max(len(seeds), 1)
    return pd.DataFrame(
        {
            "score": targets[sure],
            "needed": means[1],
            "baseline": means[0],
            "saved": 100 * (1 - means[1] / means[0]),
            "low": each.min(axis=0, initial=np.inf),
            "high": each.max(axis=0, initial=-np.inf),
            "seeds": len(seeds),
        }
    )


def _targets(base: _Curves, others: list[_Curves]) -> Floats:
    """Return scores in round numbers that the baseline has, and any of the others."""
    ends = [
        [(float(scores.min()), float(scores.max())) for _, scores in curves.values()]
        for curves in (base, *others)
    ]
    lows, highs = ([pick(x[k] for x in own) for own in ends] for k, pick in ((0, max), (1, min)))
    low, high = max(lows[0], min(lows[1:])), min(highs[0], max(highs[1:]))
    if high <= low:
        return np.array([low])
    rough = (high - low) / _TARGETS
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough * (1 - 1e-9))
    return np.asarray(
        np.round(np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step, 10)
    )
