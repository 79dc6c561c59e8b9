"""Mejer & Crammer (2012): tables, figures and claims."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from deppa_nb.experiments import mejer2012_figures as figures
from deppa_nb.experiments import mejer2012_tables as tables
from deppa_nb.experiments.mejer2012 import VARIANTS
from deppa_nb.experiments.mejer2012_claims import checks, claimed_effects, sign_table
from deppa_nb.experiments.mejer2012_grid import Grid, Setting
from deppa_nb.experiments.mejer2012_parameters import Mejer2012Parameters
from deppa_nb.experiments.study import Drawing, Exhibit, Study

__all__ = ["study"]


def study(parameters: Mejer2012Parameters) -> Study:
    """Return the paper's tables, figures and claims.

    Parameters
    ----------
    parameters
        Which languages, and how much is asked.
    """
    grid, shares, noises = parameters.grid, parameters.percents, parameters.wrong
    effects = claimed_effects(shares, parameters.passes, noises.__contains__)
    base = Setting("binary-single", shares[-1])
    shown = [
        *_of_paper(grid, parameters.beside.split(), shares, noises),
        Exhibit(
            "signs",
            "In how many languages the effects of the claims are as claimed, and against, with the "
            "p-value of a sign test.",
            grid.of_all(
                *{c.setting for own in effects.values() for e in own.values() for c in e.cells}
            ),
            partial(sign_table, grid, effects, base),
        ),
    ]
    if parameters.beyond:
        noise = noises[-1] if noises else 0.2
        shown += [
            tables.comparisons(
                grid, "beyond",
                "Beyond the paper: new questions about a half or a fifth of the sentences in each "
                "pass, any, those of the smallest margin or of the most probable second tree; "
                "steps as long as Bayes' rule expects an answer to be right. Gain: mean over "
                "languages, with its interval; better in: languages, with the p of a sign test.",
                tables.beyond(shares[-1], noise),
            ),
            tables.comparisons(
                grid, "protocol", "What the paper leaves open, done otherwise.",
                tables.protocol(shares[-1], grid.common), shares=True,
            ),
        ]  # fmt: skip
    return Study(
        "mejer2012",
        "Mejer & Crammer (2012): Training Dependency Parser Using Light Feedback",
        tuple(shown),
        checks(grid, effects, base),
    )


def _of_paper(
    grid: Grid, beside: Sequence[str], shares: Sequence[float], noises: Sequence[float]
) -> list[Exhibit]:
    """Return what the paper shows."""
    single = [Setting("binary-single", full) for full in shares]
    every = [Setting(variant, full) for full in shares for variant in VARIANTS]
    few = {variant: Setting(variant, shares[-1]) for variant in VARIANTS}
    noisy = [Setting.of(v, shares[-1], noise=noise) for v in figures.NOISY for noise in noises]
    annotators = [
        Setting.of("ternary-multi", shares[-1], annotator=who)
        for who in ("second parser", "as often wrong")
    ]
    wide = replace(grid, corpora=(*grid.corpora, *beside))

    def table(
        name: str,
        caption: str,
        settings: Sequence[Setting | None],
        make: Callable[..., pd.DataFrame],
        of: Grid = grid,
    ) -> Exhibit:
        return Exhibit(name, caption, of.of_all(*settings), make, paper=tables.PAPER[name])

    def figure(
        name: str,
        caption: str,
        settings: Sequence[Setting | None],
        make: Callable[..., pd.DataFrame],
        drawing: Drawing,
    ) -> Exhibit:
        paper = tables.PAPER[name]
        return Exhibit(name, caption, grid.of_all(*settings), make, drawing, paper)

    return [
        table(
            "languages", "By language: training sentences, words in a sentence, full trees at each "
            "split, and test UAS: before light feedback; with the fewest full trees after one and "
            "all passes (binary-single), and with ternary-multi; with all data.",
            [*single, few["ternary-multi"], None], partial(tables.languages, wide, shares), wide,
        ),
        figure(
            "fig3-bars", "Figure 3, left: test UAS before light feedback and after one pass "
            "(binary-single).", [*single, None], partial(figures.after_one_pass, grid, single),
            Drawing("bars", {"group": "full", "facet": "corpus"}),
        ),
        figure(
            "fig3-curves", "Figure 3, right: test UAS by passes of light feedback (binary-single).",
            [*single, None], partial(figures.by_pass, grid, single),
            Drawing("curves", {"cost": "passes", "facet": "corpus"}),
        ),
        figure(
            "fig4-new", "Figure 4, left: new questions as a percent of the light sentences, pass "
            "by pass; languages with short sentences come first.", single[-1:],
            partial(figures.new_questions, grid, single[-1]),
            Drawing(
                "bars", {"group": "language", "score": "new",
                         "title": "New questions, pass by pass, from short sentences to long ones",
                         "score_title": "new questions (% of light sentences)"},
            ),
        ),
        figure(
            "fig4-variants", "Figure 4, middle: test UAS after all passes, average of languages.",
            [*every, None], partial(figures.variants, grid, shares),
            Drawing("bars", {"group": "full"}),
        ),
        figure(
            "fig4-noise", "Figure 4, right: test UAS after all passes by the share of wrong "
            "answers, average of languages; initial: before light feedback.",
            [*noisy, *(few[v] for v in figures.NOISY)],
            partial(figures.by_noise, grid, shares[-1], noises),
            Drawing("curves", {"cost": figures.NOISE, "cost_title": "wrong answers (%)"}),
        ),
        table(
            "edges", "About the same number of labelled edges: full trees and an edge for each new "
            "question, against full trees alone. Interpolated: full trees of as many edges, on a "
            "line through the UAS of all splits and all data by the logarithm of edges.",
            [*single, None], partial(tables.edges, grid, single),
        ),
        table(
            "one-edge", "In how many heads the best two trees differ: percent of the light "
            "sentences that have two trees; in all passes of binary-single, in its first alone, "
            "and in all of ternary-multi.", [single[-1], few["ternary-multi"]],
            partial(tables.one_edge, wide, single[-1], few["ternary-multi"]), wide,
        ),
        table(
            "second-parser", "A second parser as annotator, against random wrong answers at the "
            "rate of its errors on test (ternary-multi).", [*annotators, few["ternary-multi"]],
            partial(tables.second, grid, few["ternary-multi"], annotators),
        ),
    ]  # fmt: skip
