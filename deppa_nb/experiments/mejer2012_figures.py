"""What the figures of Mejer & Crammer (2012) show, as data frames."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from deppa_nb.experiments.compare import ALL
from deppa_nb.experiments.mejer2012 import VARIANTS
from deppa_nb.experiments.mejer2012_grid import SKYLINE, Cell, Grid, Setting, short
from deppa_nb.experiments.store import Store

__all__ = ["NOISE", "NOISY", "after_one_pass", "by_noise", "by_pass", "new_questions", "variants"]

NOISY = ("binary-multi", "ternary-multi")
"""The variants that the paper adds noise to."""

NOISE = "percent_of_wrong_answers"
"""A column whose name is read in titles."""


def _panels(grid: Grid) -> dict[str, Grid]:
    """Return the average of all languages, and the first one alone."""
    mean = f"average of {len(grid.corpora)} languages"
    return {mean: grid, short(grid.corpora[0]): replace(grid, corpora=grid.corpora[:1])}


def _percent(full: float) -> str:
    return f"{full:g}% full"


def after_one_pass(grid: Grid, single: Sequence[Setting], store: Store) -> pd.DataFrame:
    """Return the UAS before and after one pass, on average and in the first language."""
    rows = []
    for name, of in _panels(grid).items():
        for setting in single:
            for after, said in enumerate(("before", "after one pass")):
                uas = of.mean_uas(store, Cell(setting, after))
                rows.append((name, _percent(setting.full), said, uas))
        rows.append((name, "", ALL, of.mean_uas(store, SKYLINE)))
    return pd.DataFrame(rows, columns=["corpus", "full", "strategy", "uas"])


def by_pass(grid: Grid, single: Sequence[Setting], store: Store) -> pd.DataFrame:
    """Return the UAS after each pass, on average and in the first language."""
    rows = []
    for name, of in _panels(grid).items():
        for setting in single:
            scores = np.mean([of.outcome(store, c, setting).uas for c in of.corpora], axis=0)
            rows += [
                (name, _percent(setting.full), seed, after, uas)
                for seed, own in enumerate(scores, 1)
                for after, uas in enumerate(own)
            ]
        rows.append((name, ALL, 1, 0, of.mean_uas(store, SKYLINE)))
    found = pd.DataFrame(rows, columns=["corpus", "strategy", "seed", "round", "uas"])
    return found.assign(passes=found["round"])


def new_questions(grid: Grid, setting: Setting, store: Store) -> pd.DataFrame:
    """Return the percent of light sentences with a new question, by language and pass."""
    rows = []
    for corpus in sorted(grid.corpora, key=grid.length):
        passes = grid.passes(store, corpus, setting).loc[1:]
        name = f"{short(corpus)} ({grid.length(corpus):.0f} words)"
        shares = 100 * passes["new"] / passes["light"]
        rows += [(name, f"pass {number}", share) for number, share in shares.items()]
    return pd.DataFrame(rows, columns=["language", "strategy", "new"])


def variants(grid: Grid, shares: Sequence[float], store: Store) -> pd.DataFrame:
    """Return the UAS of the variants after all passes."""
    passes = grid.common.passes
    rows = [
        (_percent(full), variant, grid.mean_uas(store, Cell(Setting(variant, full), passes)))
        for full in shares
        for variant in VARIANTS
    ]
    rows.append(("", ALL, grid.mean_uas(store, SKYLINE)))
    return pd.DataFrame(rows, columns=["full", "strategy", "uas"])


def by_noise(grid: Grid, full: float, noises: Sequence[float], store: Store) -> pd.DataFrame:
    """Return the UAS after all passes by the share of wrong answers."""
    rows, passes = [], grid.common.passes
    for place, noise in enumerate((0.0, *noises)):
        for variant in NOISY:
            setting = Setting.of(variant, full, noise=noise) if noise else Setting(variant, full)
            rows.append((variant, 100 * noise, place, grid.mean_uas(store, Cell(setting, passes))))
        initial = grid.mean_uas(store, Cell(Setting(NOISY[0], full), 0))
        rows.append(("initial", 100 * noise, place, initial))
    found = pd.DataFrame(rows, columns=["strategy", NOISE, "round", "uas"])
    return found.assign(seed=1)
