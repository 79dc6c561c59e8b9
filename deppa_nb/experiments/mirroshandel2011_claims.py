"""What the claims of Mirroshandel & Nasr (2011) are about: statistics of curves and of words."""

import numpy as np

from deppa_nb.active.curves import Points, between_rounds, higher, saved
from deppa_nb.experiments.compare import ALL
from deppa_nb.experiments.detection import Detection
from deppa_nb.experiments.mirroshandel2011 import LOCAL, MATRIX_TREE, Lists, list_name
from deppa_nb.experiments.part import Effects

__all__ = [
    "BEST",
    "NEAR",
    "RANDOM",
    "SENTENCES",
    "about_curves",
    "about_words",
    "by",
    "combined",
    "strategies",
]

RANDOM, SENTENCES = "fa-random", "fa-entropy"

BEST = "n = l^1.5"
"""The list that the paper takes for the best."""

NEAR = 0.5
"""The asymptote is so many points below the parser of all data: what the claims call the same."""


def by(strategy: str, lists: Lists) -> str:
    """Return the name of a strategy by lists of a kind.

    >>> by("token-entropy", "heads"), by("token-entropy", "labelled")
    ('token-entropy-heads', 'token-entropy')
    """
    return f"{strategy}-heads" if lists == "heads" else strategy


def combined(lists: Lists) -> dict[int, str]:
    """Return the strategies of Algorithm 3, by the percent of words (k') that they ask for.

    >>> combined("heads")[40]
    'combined-entropy-40-heads'
    """
    return {percent: by(f"combined-entropy-{percent}", lists) for percent in (40, 60, 80)}


def strategies(lists: Lists, percent: int) -> tuple[str, ...]:
    """Return the paper's: random sentences, Algorithm 1, both of Algorithm 2, Algorithm 3.

    >>> strategies("heads", 60)[3:]
    ('token-entropy-each-heads', 'combined-entropy-60-heads')
    """
    names = (by(name, lists) for name in ("token-entropy", "token-entropy-each"))
    return RANDOM, SENTENCES, *names, combined(lists)[percent]


def about_curves(lists: Lists, percent: int) -> dict[str, Effects]:
    """Return what claims about mean curves of strategies on test are about."""
    _, _, tokens, each, third = strategies(lists, percent)
    return {
        "M1": {"las": (higher, (RANDOM, SENTENCES))},
        "M6": {
            "start": (_higher_at_first, (SENTENCES, tokens, ALL)),
            "saved": (_saved, (SENTENCES, tokens, ALL)),
        },
        "M7": {
            "sentences": (_saved, (SENTENCES, third, ALL)),
            "tokens": (_saved, (tokens, third, ALL)),
            "every-round": (_least_lead, (SENTENCES, tokens, third)),
        },
        "M9": {"las": (higher, (tokens, each))},
    }


def about_words(lists: Lists) -> dict[str, Effects]:
    """Return what claims about measures that find wrong words are about; M8 is of first order."""
    n20, n1000, length, ten, best = (
        list_name(name, lists) for name in ("n = 20", "n = 1000", "n = l", "n = 10 l", BEST)
    )
    return {
        "M4": {
            "precision": (_more_precise, (n1000, n20)), "recall": (_more_recall, (n1000, n20)),
        },
        "M5": {
            "n20": (_more_average_precision, (n20, best)),
            "l": (_more_average_precision, (length, best)),
            "10l": (_more_average_precision, (ten, best)),
        },
        "M8": {"precision": (_more_average_precision, (best, MATRIX_TREE))},
        "M10": {"precision": (_more_average_precision, (best, LOCAL))},
    }  # fmt: skip


def _saved(one: Points, two: Points, full: Points) -> float:
    """Return the percent of tokens that the second saves to come to the asymptote."""
    return saved(one, two, full[1][-1] - NEAR)


def _higher_at_first(one: Points, two: Points, full: Points) -> float:
    return higher(one, two, (0, full[0][-1] / 4))


def _least_lead(one: Points, two: Points, third: Points) -> float:
    """Return how far the third is above the better of the others, where it is so least.

    At its own rounds after the first, as far as the others go; without such rounds, nan.
    """
    x, y = third
    best = np.maximum(between_rounds(one, x), between_rounds(two, x))
    inside = (x > x[0]) & (x <= min(one[0][-1], two[0][-1]))
    return float((y - best)[inside].min()) if inside.any() else float("nan")


def _more_precise(one: Detection, two: Detection) -> float:
    """Return how much more precise the second is over the recalls that both reach."""
    reached = min(one.highest_recall, two.highest_recall)
    return two.mean_precision(reached) - one.mean_precision(reached)


def _more_recall(one: Detection, two: Detection) -> float:
    return two.highest_recall - one.highest_recall


def _more_average_precision(one: Detection, two: Detection) -> float:
    return two.average_precision - one.average_precision
