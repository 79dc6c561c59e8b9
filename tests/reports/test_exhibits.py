"""Charts of a study in a notebook."""

import pandas as pd
import pytest

from deppa_nb.experiments.store import Store
from deppa_nb.experiments.study import Drawing, Exhibit, Study
from deppa_nb.reports.charts import to_svg
from deppa_nb.reports.exhibits import draw_each

CURVES = pd.DataFrame(
    {"strategy": "a", "seed": 1, "round": [0, 1], "dependencies": [10, 20], "uas": [60.0, 70.0]}
)
SECONDS = pd.DataFrame(
    {"strategy": "a", "seed": 1, "round": [0, 1], "train_seconds": [1.0, 2.0], "select_seconds": 1}
)
DRAWINGS = {
    "curves": (CURVES, Drawing("curves", {})),
    "seconds": (SECONDS, Drawing("seconds", {"by": "round", "parts": ("train", "select")})),
    "total": (SECONDS, Drawing("seconds", {"parts": ("train", "select")})),
}


def study(kind, *names):
    frame, drawing = DRAWINGS[kind]
    exhibits = tuple(Exhibit(name, "...", (), lambda store: frame, drawing) for name in names)
    return Study("test", "Test", exhibits, ())


@pytest.mark.parametrize("kind", DRAWINGS)
def test_charts_of_several_corpora_say_what_they_are_of(kind, tmp_path):
    both = to_svg(draw_each(study(kind, "fig3-one", "fig3-two"), "fig3", Store(tmp_path)))
    assert ">one<" in both and ">two<" in both and ">fig3" not in both
    alone = to_svg(draw_each(study(kind, "fig3-one", "fig4-two"), "fig3", Store(tmp_path)))
    assert ">one<" not in alone and ">two<" not in alone
