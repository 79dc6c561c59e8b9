"""What the claims of Mejer & Crammer (2012) are about, with intervals and sign tests.

Most are about test UAS averaged over languages: test sentences and seeds are drawn anew in every
language, the same for all that is compared. Those about questions have no test sentences: there,
languages are drawn.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import spearmanr

from deppa_nb.active.statistics import Estimate, sign_test
from deppa_nb.experiments.claims import load_claims
from deppa_nb.experiments.mejer2012_grid import SKYLINE, Cell, Grid, Setting
from deppa_nb.experiments.store import Store
from deppa_nb.experiments.study import Check

__all__ = [
    "Effect",
    "by_language",
    "checks",
    "claimed_effects",
    "mean_difference",
    "one_share",
    "sign_table",
]

Floats = NDArray[np.float64]
_DRAWS, _RNG = 999, 1
_LOW, _HIGH = 0.025, 0.975


class Effect(NamedTuple):
    """A statistic of scores of some cells."""

    of: Callable[..., Floats]
    cells: tuple[Cell, ...]


def _less(one: Floats, two: Floats) -> Floats:
    return one - two


def _less_best(one: Floats, *others: Floats) -> Floats:
    return np.asarray(one - np.max(others, axis=0))


def claimed_effects(
    shares: Sequence[float], passes: int, has: Callable[[float], bool]
) -> dict[str, dict[str, Effect]]:
    """Return what each claim about scores is about; claims.yaml has the words.

    Parameters
    ----------
    shares
        Percents of full trees, the largest first: they stand for the paper's 10, 5 and 1.
    passes
        Of light feedback: the paper's five.
    has
        Tells whether there are runs with that noise.
    """
    most, middle, least = shares

    def of(variant: str, after: int = passes, full: float = least, **changes: object) -> Cell:
        return Cell(Setting.of(variant, full, **changes), after)

    single, multi, ternary = of("binary-single"), of("binary-multi"), of("ternary-single")
    both = of("ternary-multi")
    second = of("ternary-multi", annotator="second parser")
    random = of("ternary-multi", annotator="as often wrong")
    found = {
        "J1": {"lift": Effect(_less, (of("binary-single", 1), of("binary-single", 0)))},
        "J2": {
            "passes": Effect(_less, (single, of("binary-single", 1))),
            "skyline": Effect(_less, (SKYLINE, single)),
        },
        "J3": {
            "multi": Effect(_less, (multi, single)),
            "ternary": Effect(_less, (ternary, single)),
            "both": Effect(_less, (both, single)),
            "best": Effect(_less_best, (both, single, multi, ternary)),
        },
        "J5": {
            "one-pass": Effect(_less, (of("binary-single", 1), of("binary-single", 0, middle))),
            "two-passes": Effect(_less, (of("binary-single", 2), of("binary-single", 0, most))),
        },
        "J6": {
            f"at-{100 * noise:.0f}": Effect(_less, (both, of("ternary-multi", noise=noise)))
            for noise in (0.1, 0.3)
            if has(noise)
        },
        "J8": {"loss": Effect(_less, (second, random))},
        "J9": {
            name: Effect(_less, (of("ternary-single", full=full), of("binary-multi", full=full)))
            for name, full in (("at-90", most), ("at-95", middle))
        },
    }
    return {claim: effects for claim, effects in found.items() if effects}


def checks(
    grid: Grid, effects: Mapping[str, Mapping[str, Effect]], base: Setting
) -> tuple[Check, ...]:
    """Return the claims, each on all languages together.

    Parameters
    ----------
    grid
        The runs.
    effects
        Of `claimed_effects`.
    base
        The setting whose questions are counted.
    """
    where = " ".join(grid.corpora)
    found = []
    for claim, own in effects.items():
        settings = dict.fromkeys(cell.setting for e in own.values() for cell in e.cells)
        tasks = grid.of_all(*settings)
        found.append(Check(claim, where, tasks, partial(_estimates, grid, own)))
    tasks = grid.of_all(base)
    found.append(Check("J4", where, tasks, partial(_new_questions, grid, base)))
    found.append(Check("J7", where, tasks, partial(_single_heads, grid, base)))
    return tuple(sorted(found, key=lambda check: check.claim))


def _estimates(grid: Grid, effects: Mapping[str, Effect], store: Store) -> dict[str, Estimate]:
    return {name: mean_difference(grid, effect, store) for name, effect in effects.items()}


def mean_difference(grid: Grid, effect: Effect, store: Store) -> Estimate:
    """Return an effect of scores that are averaged over languages, with its interval.

    As everywhere, one seed fewer is drawn than there are, see `curve_difference`.
    """
    rng = np.random.default_rng(_RNG)
    total = np.zeros((len(effect.cells), _DRAWS + 1))  # the first is no draw
    for corpus in grid.corpora:
        words = grid.outcome(store, corpus, effect.cells[0].setting).words
        n, seeds = len(words), grid.seeds
        drawn = rng.multinomial(n, np.full(n, 1 / n), _DRAWS).T
        weights = np.column_stack([np.ones(n), drawn])
        chosen = rng.integers(seeds, size=(_DRAWS, max(1, seeds - 1)))
        for place, cell in enumerate(effect.cells):
            right = grid.outcome(store, corpus, cell.setting).right[:, cell.after]
            scores = 100 * (right @ weights) / np.maximum(words @ weights, 1)
            own = chosen % len(scores)  # the parser of all data has one seed
            total[place, 0] += scores[:, 0].mean()
            total[place, 1:] += scores[own, np.arange(1, _DRAWS + 1)[:, None]].mean(axis=1)
    return _estimate(effect.of(*total / len(grid.corpora)))


def _estimate(values: Floats) -> Estimate:
    """Return the first number, with the interval of the others."""
    low, high = np.quantile(values[1:], [_LOW, _HIGH])
    return Estimate(float(values[0]), float(low), float(high))


def _of_languages(statistic: Callable[[NDArray[np.int64]], float], languages: int) -> Estimate:
    """Return a statistic of languages; of one alone, the interval is not known."""
    rng, every = np.random.default_rng(_RNG), np.arange(languages)
    value = statistic(every)
    if languages < 2 or np.isnan(value):
        return Estimate(value, float("nan"), float("nan"))
    draws = np.array([statistic(rng.choice(every, languages)) for _ in range(_DRAWS)])
    low, high = np.nanquantile(draws, [_LOW, _HIGH])
    return Estimate(value, float(low), float(high))


def _shares_of_new(grid: Grid, base: Setting, store: Store) -> Floats:
    """Return new questions as percents of the light sentences: (languages, passes)."""
    every = [grid.passes(store, corpus, base).loc[1:] for corpus in grid.corpora]
    return np.array([100 * found["new"] / found["light"] for found in every])


def _new_questions(grid: Grid, base: Setting, store: Store) -> dict[str, Estimate]:
    shares = _shares_of_new(grid, base, store)
    first, last = shares[:, 0], shares[:, -1]
    length = np.array([grid.length(corpus) for corpus in grid.corpora])

    def correlation(some: NDArray[np.int64]) -> float:
        if min(len(np.unique(values[some])) for values in (length, last)) < 3:
            return float("nan")  # of two languages it is 1 or -1
        return float(spearmanr(length[some], last[some]).statistic)

    def change(some: NDArray[np.int64]) -> float:
        return float((last - first)[some].mean())

    count = len(grid.corpora)
    return {"passes": _of_languages(change, count), "length": _of_languages(correlation, count)}


def _single_heads(grid: Grid, base: Setting, store: Store) -> dict[str, Estimate]:
    shares = np.array([one_share(grid.passes(store, c, base))["one"] for c in grid.corpora])

    def mean(some: NDArray[np.int64]) -> float:
        return float(shares[some].mean())

    return {"share": _of_languages(mean, len(shares))}


def one_share(passes: pd.DataFrame) -> pd.Series:
    """Return in how many heads the two best trees of some passes differ: one, two, more, in %."""
    sums = passes[["one", "two", "more"]].sum()
    return 100 * sums / sums.sum()


def by_language(grid: Grid, effect: Effect, store: Store) -> Floats:
    """Return an effect in each language."""
    return np.array(
        [
            float(effect.of(*(np.array(grid.uas(store, corpus, cell)) for cell in effect.cells)))
            for corpus in grid.corpora
        ]
    )


def sign_table(
    grid: Grid, effects: Mapping[str, Mapping[str, Effect]], base: Setting, store: Store
) -> pd.DataFrame:
    """Return in how many languages each effect is as claimed, and how likely that is by chance.

    Parameters
    ----------
    grid, effects, base
        As for `checks`.
    """
    claims, rows = load_claims(), []
    measured = {
        claim: {name: by_language(grid, effect, store) for name, effect in own.items()}
        for claim, own in effects.items()
    }
    shares = _shares_of_new(grid, base, store)
    measured["J4"] = {"passes": shares[:, -1] - shares[:, 0]}
    for claim, of_claim in sorted(measured.items()):
        for stated in claims[claim].effects:
            if stated.name not in of_claim:
                continue
            values = of_claim[stated.name]
            sign = -1 if stated.direction == "less" else 1
            test = sign_test(sign * (values - stated.bound))
            side = {"more": "over", "less": "under"}[stated.direction]
            rows.append(
                {
                    "claim": claim, "effect": stated.name, "claimed": f"{side} {stated.bound:g}",
                    "mean": values.mean(), "least": values.min(), "most": values.max(),
                    "languages": test.wins, "against": test.losses, "p": test.p,
                }
            )  # fmt: skip
    return pd.DataFrame(rows).set_index("claim")
