"""The studies by name, as notebooks and `deppa reproduce` call them."""

from collections.abc import Callable
from typing import Any

from deppa_nb.experiments import (
    li2016,
    mejer2012_study,
    mirroshandel2011_study,
    tang2002_study,
    tour,
    wanvarie2011_study,
)
from deppa_nb.experiments.study import Study

__all__ = ["STUDIES"]

STUDIES: dict[str, Callable[[Any], Study]] = {
    "tour": tour.study,
    "li2016": li2016.study,
    "mirroshandel2011": mirroshandel2011_study.study,
    "mejer2012": mejer2012_study.study,
    "tang2002": tang2002_study.study,
    "wanvarie2011": wanvarie2011_study.study,
}
"""What makes a study of the parameters of the notebook of that name."""
