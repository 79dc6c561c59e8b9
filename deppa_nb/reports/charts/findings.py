"""What a chart shows, in a sentence that its data support: the titles.

Nothing is said to be better unless the bands of the seeds are apart; with one seed there is no
band, which is said too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from deppa_nb.reports.charts.curve_data import by_facet, standing
from deppa_nb.reports.charts.parts import amount, cost_name, joined, named, score_name

__all__ = [
    "calibration_finding",
    "curve_finding",
    "paper_finding",
    "ranking_finding",
    "saving_finding",
    "time_finding",
]

_MOST = 3  # strategies that a title about several panels names


@dataclass(frozen=True)
class _Lead:
    """Who is best, by how much more than the next, at which cost and in which panel."""

    strategy: str
    margin: float
    cost: float
    where: str = ""


def curve_finding(curves: pd.DataFrame, cost: str, score: str, facet: str | None = None) -> str:
    """Say who is best, by how much and at which cost.

    Parameters
    ----------
    curves
        As `mean_curves` returns them.
    cost, score
        Names of the columns they were made of.
    facet
        The column of the panels, if there are several.
    """
    parts = by_facet(curves, facet)
    if len(parts) == 1:
        return _one_curve_finding(next(iter(parts.values())), cost, score)
    of, what = f"{len(parts)} {_plural(facet)}", score_name(score)
    if curves["strategy"].nunique() == 1:
        ends = [part["mean"].iloc[-1] for part in parts.values()]
        return f"{curves['strategy'].iloc[0]}: {what} {_range(ends, '.1f')} on {of}"
    chance = bool((curves["seeds"] < 2).any())
    found = {name: _leader(part, by_mean=chance) for name, part in parts.items()}
    leaders: dict[str, list[_Lead]] = {}
    for name, lead in found.items():
        if lead is not None:
            leaders.setdefault(lead.strategy, []).append(replace(lead, where=name))
    said = [
        f"{name} has the highest {what} on {len(leads)} of {of} "
        f"({joined([x.where for x in leads])}), by {_range([x.margin for x in leads], '.2f')} "
        f"at {_range([x.cost for x in leads], ',.0f')} {cost_name(cost)}"
        for name, leads in sorted(leaders.items(), key=lambda item: -len(item[1]))
    ]
    if unclear := [name for name, lead in found.items() if lead is None]:
        said.append(f"no clear difference on {named(unclear, f'of {of}', most=6)}")
    return _sentence(said, chance)


def ranking_finding(table: pd.DataFrame, what: str, at: str = "") -> str:
    """Say which row is highest, and whether that is clear.

    Parameters
    ----------
    table
        Index name; columns mean, low, high, seeds; the highest mean first.
    what
        Is measured.
    at
        Where, as it ends a sentence (" at 500 queries").
    """
    best, names = table.iloc[0], [str(name) for name in table.index]
    digits = 2 if table["mean"].abs().max() >= 10 else 3  # percent, or a share of 1
    value = f"{best['mean']:.{digits}f}"
    if len(table) == 1:
        return f"{names[0]}: {what} {value}{at}"
    equal = (best["mean"] - table["mean"]).round(digits) == 0
    if equal.sum() > 1:
        some = named([name for name, same in zip(names, equal, strict=True) if same])
        return f"No difference in {what} between {some}{at}: {value}"
    above = f"{best['mean'] - table['mean'].iloc[1]:.{digits}f} more than {names[1]}"
    lead = f"{names[0]} has the highest {what}{at}: {value}, {above}"
    if (table["seeds"] < 2).any():
        return _sentence([lead], chance=True)
    overlaps = (table["high"] >= best["low"]).to_numpy()
    near = [name for name, over in zip(names[1:], overlaps[1:], strict=True) if over]
    far = [name for name in names[1:] if name not in near]
    if not near:
        return lead
    if not far:
        return f"No clear difference in {what} between {named(names)}{at}: bands overlap"
    return f"{names[0]} ({what} {value}{at}) is above {named(far)}, not clearly above {named(near)}"


def saving_finding(
    saved: pd.DataFrame,
    baseline: str,
    cost: str,
    score: str,
    facet: str | None = None,
    missing: Sequence[str] = (),
) -> str:
    """Say how much is saved at the highest score that most strategies reach.

    Parameters
    ----------
    saved
        As `savings` returns it.
    baseline, cost, score, facet
        What it was made of.
    missing
        Facets of which it has no row.
    """
    parts = by_facet(saved, facet)
    if len(parts) == 1 and not missing:
        return _one_saving(next(iter(parts.values())), baseline, cost, score)
    rows = pd.concat([_at_one_score(part) for part in parts.values()])
    chance = bool((rows["seeds"] < 2).any())
    clear = rows[rows["low"] > 0].groupby("strategy", sort=False)["saved"].agg(list)
    what, of = f"{cost_name(cost)} than {baseline}", f"{len(parts) + len(missing)} {_plural(facet)}"
    ranked = sorted(clear.items(), key=lambda item: (-len(item[1]), -sum(item[1])))
    said = [
        f"{name} needs {_range(values, '.0f', '%')} fewer {what} on {len(values)} of {of}"
        if i == 0
        else f"{name} {_range(values, '.0f', '%')} on {len(values)}"
        for i, (name, values) in enumerate(ranked[:_MOST])
    ]
    if not said:
        said = [f"on none of {of} a strategy clearly needs fewer {what}"]
    if missing:
        said.append(f"nothing to compare on {named(missing, f'of {of}', most=6)}")
    return _sentence(said, chance)


def calibration_finding(bins: pd.DataFrame, by: str) -> str:
    """Say the expected calibration error, and whether predictions are too sure.

    That they are too sure, or not sure enough, is said only where probabilities that are right
    would differ from the share of right predictions by so much once in hundreds of cases (three
    standard deviations).

    Parameters
    ----------
    bins
        Columns `by`, predictions, confidence, accuracy.
    """
    said = []
    for name, own in bins.groupby(by, sort=False):
        weight, p = own["predictions"], own["confidence"]
        gap = weight * (p - own["accuracy"])
        sure = float(gap.sum()) / max(float((weight * p * (1 - p)).sum()) ** 0.5, 1e-9)
        word = " (too sure)" if sure > 3 else " (not sure enough)" if sure < -3 else ""
        said.append(f"{gap.abs().sum() / weight.sum():.3f} in {name}{word}")
    return f"Expected calibration error: {', '.join(said)}"


def time_finding(shares: pd.DataFrame) -> str:
    """Say which part takes the most time.

    Parameters
    ----------
    shares
        Index strategy, a column of seconds for each part.
    """
    total = shares.sum()
    percent = 100 * total / total.sum()
    part = str(percent.idxmax())
    own = 100 * shares[part] / shares.sum(axis=1)
    most = "Most of the time" if percent[part] > 50 else "The largest part of the time"
    text = f"{most} goes to {part}: {percent[part]:.0f}%"
    if len(shares) > 1 and round(own.min()) < round(own.max()):
        text += f" ({own.min():.0f}% with {own.idxmin()}, {own.max():.0f}% with {own.idxmax()})"
    return text


def paper_finding(table: pd.DataFrame) -> str:
    """Say how often our interval holds the paper's value.

    Parameters
    ----------
    table
        Columns paper, ours, low, high; nan where there is none.
    """
    both = table[table["paper"].notna() & table["ours"].notna()]
    ends = both[both["low"].notna() & both["high"].notna()]
    said = []
    if len(ends):
        below = int((ends["high"] < ends["paper"]).sum())
        above = int((ends["low"] > ends["paper"]).sum())
        inside = len(ends) - below - above
        said.append(
            f"The paper's value is within our interval in {inside} of {len(ends)} effects; "
            f"ours is lower in {below}, higher in {above}"
        )
    if len(both) > len(ends):
        said.append(f"{len(both) - len(ends)} of ours without an interval")
    if missing := int(table["ours"].isna().sum()):
        said.append(f"{missing} not run")
    if alone := int((table["paper"].isna() & table["ours"].notna()).sum()):
        said.append(f"{alone} without a value in the paper")
    return _sentence(said)


def _one_curve_finding(curves: pd.DataFrame, cost: str, score: str) -> str:
    found = standing(curves)
    if found is None:
        return f"{score_name(score)} by {cost_name(cost)}; no cost that all strategies have"
    at, table = found
    return ranking_finding(table, score_name(score), f" at {amount(at)} {cost_name(cost)}")


def _leader(curves: pd.DataFrame, *, by_mean: bool) -> _Lead | None:
    """Return who is clearly best, or has the best mean; None if nobody is."""
    found = standing(curves)
    if found is None or len(found[1]) < 2:
        return None
    cost, table = found
    low, high = ("mean", "mean") if by_mean else ("low", "high")
    if table[low].iloc[0] <= table[high].iloc[1:].max():
        return None
    return _Lead(str(table.index[0]), float(-table["mean"].diff().iloc[1]), cost)


def _at_one_score(saved: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the highest score that most strategies reach, most saved first."""
    count = saved.groupby("score")["strategy"].nunique()
    at = count.index[count == count.max()].max()
    rows: pd.DataFrame = saved[saved["score"] == at]
    return rows.sort_values("saved", ascending=False, kind="stable")


def _one_saving(saved: pd.DataFrame, baseline: str, cost: str, score: str) -> str:
    best, what = _at_one_score(saved).iloc[0], cost_name(cost)
    name, percent = best["strategy"], f"{abs(best['saved']):.0f}%"
    where = f"At {score_name(score)} {best['score']:g}"
    chance = bool(best["seeds"] < 2)
    over = (
        "" if chance else f" ({best['low']:.0f}% to {best['high']:.0f}% over {best['seeds']} seeds)"
    )
    if best["high"] <= 0:
        who = "nothing is saved" if saved["strategy"].nunique() == 1 else "no strategy saves"
        text = f"{where} {who}: {name} needs {percent} more {what} than {baseline}"
    elif best["low"] <= 0:
        text = f"{where} no clear saving of {what} against {baseline}: {name} {best['saved']:.0f}%"
        text += over
    else:
        text = f"{where} {name} needs {percent} fewer {what} than {baseline}{over}"
    return _sentence([text], chance)


def _plural(facet: str | None) -> str:
    return {"corpus": "corpora", None: "panels"}.get(facet, f"{facet}s")


def _range(values: list[float], form: str, unit: str = "") -> str:
    """Return the least and the most of some numbers, once if they are the same.

    >>> _range([3.2, 1.6], ".0f", "%"), _range([1.0, 1.0], "g")
    ('2% to 3%', '1')
    """
    least, most = (f"{value:{form}}{unit}" for value in (min(values), max(values)))
    return least if least == most else f"{least} to {most}"


def _sentence(said: list[str], chance: bool = False) -> str:
    """Join what is said; a sentence of ours begins with a capital, the name of a strategy does not.

    >>> _sentence(["no clear difference on a", "b"]), _sentence(["pa-gap is best"], chance=True)
    ('No clear difference on a; b', 'pa-gap is best (of one seed: it may be chance)')
    """
    text = "; ".join(said) + (" (of one seed: it may be chance)" if chance else "")
    return text[0].upper() + text[1:] if text.startswith(("no ", "on ")) else text
