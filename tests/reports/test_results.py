"""Results for the repository: what is finished, in files and on one page."""

import pandas as pd
import pytest
from reports.test_report import DONE, OPEN, computed, study

from deppa_nb.experiments.store import Store
from deppa_nb.reports.results import write_results


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "runs")
    store.get_or_compute(DONE, computed)
    return store


def test_what_is_finished_is_written_and_the_rest_named(store, tmp_path):
    page = write_results(study(), "laptop", store, tmp_path / "results")
    text = page.read_text()
    assert "## Somebody & al. (2016)" in text and "1 of 2 runs" in text
    assert "Not finished yet: fig2." in text
    assert "![Curves <1>.](paper/laptop/fig1.svg)" in text
    names = {path.name for path in (page.parent / "paper" / "laptop").iterdir()}
    assert names == {"claims.csv", "fig1.csv", "fig1.json", "fig1.svg", "table1.csv"}
    claims = pd.read_csv(page.parent / "paper" / "laptop" / "claims.csv")
    assert claims["claim"].tolist() == ["L2"] and "holds" in claims["verdict"][0]
    assert "| L2 |" in text


def test_a_section_is_replaced_and_others_stay(store, tmp_path):
    folder = tmp_path / "results"
    write_results(study(), "laptop", store, folder)
    first = write_results(study(), "full", store, folder).read_text()
    store.get_or_compute(OPEN, computed)
    second = write_results(study(), "full", store, folder).read_text()
    assert first.count("## Somebody") == second.count("## Somebody") == 2
    assert "1 of 2 runs" in second and "2 of 2 runs" in second
    assert write_results(study(), "full", store, folder).read_text() == second


def test_parameters_that_are_not_the_profiles_are_named(store, tmp_path):
    page = write_results(study(), "full", store, tmp_path / "results", {"seeds": 1})
    assert "--profile full` with `seeds: 1`: 1 of 2 runs" in page.read_text()
