"""Tables of Mejer & Crammer (2012)."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, get_args

import numpy as np
import pandas as pd

from deppa_nb.active.statistics import sign_test
from deppa_nb.experiments.mejer2012 import LightParameters, full_sentences
from deppa_nb.experiments.mejer2012_claims import (
    Effect,
    by_language,
    mean_difference,
    one_share,
)
from deppa_nb.experiments.mejer2012_grid import SKYLINE, Cell, Grid, Setting, short
from deppa_nb.experiments.store import Store
from deppa_nb.experiments.study import Exhibit
from deppa_nb.models.light import Ties

__all__ = ["PAPER", "beyond", "comparisons", "edges", "languages", "one_edge", "protocol", "second"]


def _table(name: str, rows: Sequence[Any], **columns: Sequence[float | None]) -> pd.DataFrame:
    return pd.DataFrame(columns, index=pd.Index(rows, name=name))


PAPER = {
    "languages": _table(
        "full trees (%)", [10, 5, 1], before=[76.3, 75.0, 70.1], one_pass=[None, None, 75.6],
        five_passes=[None, None, 80.0], ternary_multi=[None, None, 82.5], all_data=[85.0] * 3,
    ),
    "fig3-bars": _table(
        "full trees (%)", [10, 5, 1], before=[76.3, 75.0, 70.1], after_one_pass=[None, None, 75.6]
    ),
    "fig3-curves": _table("passes, with 1%", [0, 1, 2, 5], average=[70.1, 75.6, 77.8, 80.0]),
    "fig4-new": _table(
        "pass", [1, 5], Japanese=[100, 20], Chinese=[100, 20], Arabic=[100, 80], Spanish=[100, 80]
    ),
    "fig4-variants": _table(
        "with 1%", ["binary-single", "binary-multi", "ternary-multi", "all data"],
        average=[80.0, 81.4, 82.5, 85.0],
    ),
    "fig4-noise": _table(
        "wrong answers (%)", [0, 5, 10, 30], binary_multi=[81.4, 80.4, None, 70.0],
        ternary_multi=[82.5, None, 81.5, 77.5],
    ),
    "edges": _table(
        "compared", ["1% and one pass, 5%", "1% and two passes, 10%"], light=[75.6, 77.8],
        full_trees=[75.0, 76.3],
    ),
    "one-edge": _table("corpus", ["average"], one=[95.0]),
    "second-parser": _table(
        "annotator", ["second parser", "random answers"], UAS=[77.0, 77.5], wrong=[22.0, 30.0]
    ),
}  # fmt: skip
"""What the paper reports, by exhibit."""


def languages(grid: Grid, shares: Sequence[float], store: Store) -> pd.DataFrame:
    """Return a row for each language.

    Parameters
    ----------
    shares
        Percents of full trees, the largest first.
    """
    rows: list[dict[str, Any]] = []
    last = grid.common.passes
    base, both = (Setting(v, shares[-1]) for v in ("binary-single", "ternary-multi"))
    for corpus in grid.corpora:
        (sentences, _), uas = grid.size(corpus), partial(grid.uas, store, corpus)
        count = {
            f"full, {share:g}%": full_sentences(sentences, share, grid.common.least)
            for share in shares
        }
        before = {f"before, {s:g}%": uas(Cell(Setting("binary-single", s))) for s in shares}
        rows.append(
            {
                "corpus": short(corpus), "sentences": sentences, "words": grid.length(corpus),
                **count, **before, "one pass": uas(Cell(base, 1)),
                f"{last} passes": uas(Cell(base, last)),
                "ternary-multi": uas(Cell(both, last)), "all data": uas(SKYLINE),
            }
        )  # fmt: skip
    return pd.DataFrame(rows).set_index("corpus")


def edges(grid: Grid, single: Sequence[Setting], store: Store) -> pd.DataFrame:
    """Return light feedback and full trees with about as many edges, by language and on average."""
    rows = []
    for corpus in grid.corpora:
        (_, words), uas = grid.size(corpus), partial(grid.uas, store, corpus)
        known = [*((grid.passes(store, corpus, s)["edges"][0], uas(Cell(s))) for s in single),
                 (words, uas(SKYLINE))]  # fmt: skip
        counts, scores = np.array(sorted(known)).T
        asked = grid.passes(store, corpus, single[-1])
        for after, other in ((1, single[-2]), (2, single[-3])):
            labelled = asked["edges"][0] + asked["new"][: after + 1].sum()
            rows.append(
                {
                    "corpus": short(corpus), "passes": after, "edges": labelled,
                    "UAS": uas(Cell(single[-1], after)), "full": f"{other.full:g}%",
                    "full edges": grid.passes(store, corpus, other)["edges"][0],
                    "full UAS": uas(Cell(other)),
                    "interpolated": np.interp(np.log(labelled), np.log(counts), scores),
                }
            )  # fmt: skip
    found = pd.DataFrame(rows)
    mean = found.groupby(["passes", "full"], sort=False).mean(numeric_only=True).reset_index()
    return pd.concat([found, mean.assign(corpus="average")]).set_index("corpus")[
        found.columns.drop("corpus")
    ]


def one_edge(grid: Grid, setting: Setting, both: Setting, store: Store) -> pd.DataFrame:
    """Return in how many heads the two best trees differ, in percent, by language.

    Parameters
    ----------
    setting, both
        One that does not ask about several heads, and one that does.
    """
    rows = {}
    for corpus in grid.corpora:
        passes = {s: grid.passes(store, corpus, s) for s in (setting, both)}
        rows[short(corpus)] = {
            **one_share(passes[setting]).add_suffix(" (%)"),
            "one, first pass": one_share(passes[setting].loc[:1])["one"],
            f"one, {both.variant}": one_share(passes[both])["one"],
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("corpus")


def second(grid: Grid, right: Setting, others: Sequence[Setting], store: Store) -> pd.DataFrame:
    """Return the UAS with other annotators, by language and on average.

    Parameters
    ----------
    right
        With the annotator that makes no mistakes.
    others
        With a second parser, and with random mistakes.
    """
    last, (parser, random) = grid.common.passes, others
    rows = []
    for corpus in grid.corpora:
        uas = partial(grid.uas, store, corpus)
        wrong = 100 * grid.passes(store, corpus, parser)["noise"][0]
        scores = {"no mistakes": right, "second parser": parser, "random answers": random}
        rows.append(
            {
                "corpus": short(corpus), "wrong (%)": wrong, "before": uas(Cell(right)),
                **{name: uas(Cell(setting, last)) for name, setting in scores.items()},
            }
        )  # fmt: skip
    found = pd.DataFrame(rows).set_index("corpus")
    found.loc["average"] = found.mean()
    return found


def comparisons(
    grid: Grid, name: str, caption: str, pairs: Mapping[Setting, Setting], shares: bool = False
) -> Exhibit:
    """Return a table of settings, each against another one.

    Parameters
    ----------
    pairs
        By a setting, what it is compared with after all passes.
    shares
        Whether to tell how often the two best trees differ in one head; not where sentences were
        chosen, which are not all that have two.
    """

    def make(store: Store) -> pd.DataFrame:
        rows, passes = [], grid.common.passes
        for setting, other in pairs.items():
            effect = Effect(np.subtract, (Cell(setting, passes), Cell(other, passes)))
            found, test = (
                mean_difference(grid, effect, store),
                sign_test(by_language(grid, effect, store)),
            )
            row = {"setting": str(setting), "against": str(other)}
            uas = grid.mean_uas(store, Cell(setting, passes))
            asked = [grid.passes(store, corpus, setting) for corpus in grid.corpora]
            new = np.mean([passes["new"].sum() for passes in asked])
            one = {"one edge (%)": np.mean([one_share(passes)["one"] for passes in asked])}
            rows.append(
                {
                    **row, "UAS": uas, "gain": found.value, "low": found.low, "high": found.high,
                    "better in": test.wins, "worse in": test.losses, "p": test.p, "questions": new,
                    **(one if shares else {}),
                }
            )  # fmt: skip
        return pd.DataFrame(rows).set_index("setting")

    settings = dict.fromkeys([*pairs, *pairs.values()])
    return Exhibit(name, caption, grid.of_all(*settings), make)


def beyond(full: float, noise: float) -> dict[Setting, Setting]:
    """Return what the paper does not do, and what it is compared with."""
    of = partial(Setting.of, "binary-single", full)
    plain, noisy = of(), of(noise=noise)
    chosen = {
        of(asked=asked, choose=choose): of(asked=asked)
        for asked in (50.0, 20.0)
        for choose in ("margin", "probability")
    }
    return {
        **dict.fromkeys(chosen.values(), plain),
        **chosen,
        of(expected=True): plain,
        noisy: plain,
        of(noise=noise, expected=True): noisy,
    }


def protocol(full: float, usual: LightParameters) -> dict[Setting, Setting]:
    """Return other readings of what the paper leaves open than the usual one."""
    of = partial(Setting.of, "binary-single", full)
    ties = [of(ties=ties) for ties in get_args(Ties) if ties != usual.ties]
    step = of(alpha=0.0 if usual.alpha else 1.0)
    others = of(averaging=not usual.averaging), of(single_root=not usual.single_root)
    return dict.fromkeys([*ties, step, *others], of())
