"""What the claims of Li et al. (2016) are about: statistics of mean learning curves."""

import numpy as np

from deppa_nb.active.costs import Rates
from deppa_nb.active.curves import Points, higher, reached, saved
from deppa_nb.experiments.compare import ALL
from deppa_nb.experiments.li2016_transition import TRANSITION
from deppa_nb.experiments.part import Effects

__all__ = ["MINUS", "claimed_effects", "effects_on_test"]

MINUS = 1.0
"""How many points below the parser of all data are near."""


def claimed_effects(like: str, batch: str) -> dict[str, Effects]:
    """Return what each claim about dev is about; claims.yaml has the words.

    Parameters
    ----------
    like
        Which of the paper's corpora ours stands in for.
    batch
        The batch strategy by gap.
    """
    words: dict[str, Effects] = {
        "L1": {
            "marginal": (_saved, ("fa-random", "fa-marginal", ALL)),
            "probability": (_saved, ("fa-random", "fa-probability", ALL)),
        },
        "L2": {"saved": (_saved, ("fa-marginal", "pa-gap", ALL))},
        "L3": {
            "saved": (_saved, ("fa-marginal", batch, ALL)),
            "single": (_saved_more, ("fa-marginal", "pa-gap", batch, ALL)),
        },
        "L4": {
            "gap-max": (higher, ("pa-max", "pa-gap")),
            "max-entropy": (higher, ("pa-entropy", "pa-max")),
            "early": (_higher_early, ("pa-entropy", "pa-gap", ALL)),
        },
        "L5": {"share": (_share, ("pa-gap", ALL))},
        "L6": {
            "probability": (higher, ("fa-probability", "fa-score")),
            "marginal": (higher, ("fa-marginal", "fa-score")),
            **({"random": (higher, ("fa-random", "fa-score"))} if like == "zh" else {}),
        },
        "L7": {"seconds": (_saved_seconds, ("fa-marginal", batch, ALL))},
        "L9": {"ratio": (higher, ("batch-gap-20", "batch-gap"))} if like == "en" else {},
        "L10": {
            "start": (_higher_at_start, ("pa-gap", batch, ALL)),
            "end": (_higher_at_end, ("pa-gap", batch)),
        },
    }
    return {claim: effects for claim, effects in words.items() if effects}


def effects_on_test() -> dict[str, Effects]:
    """Return what the claim about test is about."""
    return {"L8": {"uas": (_better, (TRANSITION, ALL))}}


def _better(one: Points, two: Points) -> float:
    """Return by how many points the second is better at its end."""
    return float(two[1][-1] - one[1][-1])


def _needs(points: Points, full: Points, minus: float = MINUS) -> float:
    """Return the dependencies until a curve is so many points below all data."""
    return reached(*points, full[1][-1] - minus)


def _saved(one: Points, two: Points, full: Points) -> float:
    """Return the percent of dependencies that the second saves to come near all data."""
    return saved(one, two, full[1][-1] - MINUS)


def _saved_more(one: Points, single: Points, batch: Points, full: Points) -> float:
    return _saved(one, batch, full) - _saved(one, single, full)


def _saved_seconds(one: Points, two: Points, full: Points) -> float:
    """Return the percent of seconds saved, at the rates that people had in the paper."""
    rates = Rates()
    return 100 - (100 - _saved(one, two, full)) * rates.partial / rates.full


def _higher_early(one: Points, two: Points, full: Points) -> float:
    """Return how much more so over the first sixth of all dependencies than over the rest."""
    sixth = full[0][-1] / 6
    return higher(one, two, (0, sixth)) - higher(one, two, (sixth, np.inf))


def _higher_at_start(one: Points, two: Points, full: Points) -> float:
    return higher(one, two, (0, 0.06 * full[0][-1]))


def _higher_at_end(one: Points, two: Points) -> float:
    """Return how much higher the second is where it has run out."""
    return float(two[1][-1] - np.interp(two[0][-1], *one))


def _share(points: Points, full: Points) -> float:
    """Return the percent of all dependencies with which a curve is as high as all data."""
    return float(100 * _needs(points, full, 0.0) / full[0][-1])
