"""Learning curves of Mirroshandel & Nasr (2011): figures, the asymptote, claims."""

import numpy as np
import pandas as pd

from deppa_nb.active.curves import reached, saved
from deppa_nb.active.statistics import dependencies_to_reach
from deppa_nb.experiments.compare import ALL
from deppa_nb.experiments.mirroshandel2011 import Lists
from deppa_nb.experiments.mirroshandel2011_claims import (
    NEAR,
    SENTENCES,
    about_curves,
    by,
    combined,
    strategies,
)
from deppa_nb.experiments.part import Part
from deppa_nb.experiments.store import Store
from deppa_nb.experiments.study import Check, Drawing, Exhibit

__all__ = ["FIRST_ORDER", "checks", "exhibits", "variants"]

FIRST_ORDER = ("token-entropy", "token-marginal")
"""Of a parser of first order and of probabilities: its marginals are by the matrix-tree theorem."""

_RNG = 1  # of what is drawn anew for intervals
_ASYMPTOTE = pd.DataFrame(
    {"annotated tokens": [180_000, 130_000, 109_000], "% of the pool": [62.94, 45.45, 37.98]},
    index=["sentences", "tokens", "tokens of sentences"],
).rename_axis("paper")


def variants(lists: Lists) -> tuple[str, ...]:
    """Return other measures, lists of the other kind, and learning from forests."""
    [other] = {"token-entropy-heads", "token-entropy"} - {by("token-entropy", lists)}
    forest = by("token-entropy-forest", lists)
    return "fa-entropy-softmax", forest, other, "token-marginal", "token-local"


def exhibits(part: Part, first_order: Part, lists: Lists, percent: int) -> list[Exhibit]:
    """Return the figures of curves, and what is needed to come to the asymptote.

    Parameters
    ----------
    part, first_order
        Curves, and those of a parser of first order; what was not run is not shown.
    lists
        By which lists of trees words are chosen.
    percent
        Of the words of unsure sentences, those that Algorithm 3 asks for.
    """
    there = {task.run.strategy for task in part.tasks}
    random, sentences, tokens, each, third = names = strategies(lists, percent)
    found = [
        _figure("fig1", "full sentences", part, random, sentences),
        _figure("fig5", "tokens or sentences", part, random, sentences, tokens, each),
        _figure(
            "fig6", "uncertain tokens of uncertain sentences", part, random, sentences, tokens,
            third,
        ),
        _asymptote(part, names),
    ]  # fmt: skip
    if there >= set(variants(lists)):
        every, shares = (sentences, tokens, *variants(lists)), combined(lists).values()
        found.append(_figure("variants", "other measures, and forests", part, *every))
        found.append(_figure("shares", "how many words of sentences", part, sentences, *shares))
    if first_order.tasks:
        what = "lists or the matrix-tree theorem, first order"
        found.append(_figure("matrix-tree", what, first_order, *FIRST_ORDER))
    return found


def _figure(name: str, what: str, part: Part, *strategies: str) -> Exhibit:
    shown = part.only(ALL, *strategies)

    def make(store: Store) -> pd.DataFrame:
        return shown.points(store, "test", "las")

    caption = f"{part.corpus}: LAS on test by annotated tokens, {what}."
    options = {
        "title": f"{part.corpus}: {what}", "score": "las", "cost_title": "annotated tokens",
        "score_title": "test LAS (%)",
    }  # fmt: skip
    return Exhibit(part.named(name), caption, shown.tasks, make, Drawing("curves", options))


def _asymptote(part: Part, names: tuple[str, ...]) -> Exhibit:
    shown = part.only(ALL, *names)

    def make(store: Store) -> pd.DataFrame:
        curves = shown.curves(store, "test")
        full, first = curves[ALL].mean, curves[SENTENCES].mean
        goal, rows = full[1][-1] - NEAR, []
        for name in names:
            x, y = curves[name].mean
            found = dependencies_to_reach(curves[name], curves[ALL], minus=NEAR, rng=_rng())
            needs = reached(x, y, goal)
            rows.append(
                {
                    "strategy": name, "annotated tokens": found.value, "low": found.low,
                    "high": found.high, "% of the pool": 100 * found.value / full[0][-1],
                    "saved (%)": saved(first, (x, y), goal) if np.isfinite(needs) else np.nan,
                    "last": x[-1], "last LAS": y[-1], "LAS of all data": full[1][-1],
                }
            )  # fmt: skip
        return pd.DataFrame(rows).set_index("strategy")

    caption = (
        f"{part.corpus}: annotated tokens until test LAS is half a point below the parser of all "
        "data, by the smoothed mean curve at its rounds, the seed's included, with the 95% "
        f"interval; saved: percent of those of {SENTENCES} (or of its last round, if it does not "
        "come so far); last: where the curve ends."
    )
    return Exhibit(part.named("asymptote"), caption, shown.tasks, make, paper=_ASYMPTOTE)


def checks(part: Part, lists: Lists, percent: int) -> list[Check]:
    """Return the claims about learning curves: M1, M6, M7 and M9."""
    return part.checks(about_curves(lists, percent), "test")


def _rng() -> np.random.Generator:
    return np.random.default_rng(_RNG)
