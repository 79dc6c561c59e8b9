"""What learning curves say, as data frames: their means, and what it costs to be as good."""

import numpy as np
import pandas as pd

from deppa_nb.active.curves import Floats, smoothed
from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts.parts import check

__all__ = ["by_facet", "mean_curves", "needed", "savings", "standing"]

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
        Columns facet (if there is one), strategy, score, needed and baseline (cost of either's
        mean curve), saved (percent), low and high (of the seeds, each compared with the baseline's
        curve of that seed; nan where a seed is not that good, or there is only one), seeds (of
        both), reached (by how many of them). Only scores that both mean curves reach have a row.
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
            targets = _targets(base[None][1], [curve[None][1] for curve in curves.values()])
            for strategy, own in curves.items():
                found = _saved(base, own, targets).assign(strategy=strategy)
                rows.append(found.assign(**{facet: name}) if facet else found)
    table = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()
    if table.empty:
        problem = f"no {score} that both {baseline} and another strategy have on their way"
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


def _curves(own: pd.DataFrame, cost: str, score: str) -> dict[object, tuple[Floats, Floats]]:
    """Return the curve of each seed, and under None the mean one."""
    mean = own.groupby("round")[[cost, score]].mean()
    frames: dict[object, pd.DataFrame] = {None: mean, **dict(iter(own.groupby("seed")))}
    return {
        seed: (rows[cost].to_numpy(np.float64), rows[score].to_numpy(np.float64))
        for seed, rows in frames.items()
    }


def _saved(
    base: dict[object, tuple[Floats, Floats]],
    own: dict[object, tuple[Floats, Floats]],
    targets: Floats,
) -> pd.DataFrame:
    first, second = needed(*base[None], targets), needed(*own[None], targets)
    seeds = [seed for seed in own if seed is not None and seed in base]
    each = np.array([_percent(needed(*base[s], targets), needed(*own[s], targets)) for s in seeds])
    each = each.reshape(len(seeds), len(targets))
    reached = np.isfinite(each).sum(axis=0)
    alone = len(seeds) < 2
    frame = pd.DataFrame(
        {
            "score": targets,
            "needed": second,
            "baseline": first,
            "saved": _percent(first, second),
            "low": np.nan if alone else each.min(axis=0),
            "high": np.nan if alone else each.max(axis=0),
            "seeds": len(seeds),
            "reached": reached,
        }
    )
    return frame.replace([np.inf, -np.inf], np.nan).dropna(subset=["saved"])


def _percent(first: Floats, second: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(100 * (1 - second / first))


def _targets(base: Floats, others: list[Floats]) -> Floats:
    """Return scores in round numbers that the baseline has, and any of the others."""
    low = max(float(base.min()), min(float(y.min()) for y in others))
    high = min(float(base.max()), max(float(y.max()) for y in others))
    if high <= low:
        return np.array([low])
    rough = (high - low) / _TARGETS
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough * (1 - 1e-9))
    return np.asarray(
        np.round(np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step, 10)
    )
