"""Curves of strategies: run, interrupted, gone on with, compared."""

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from deppa_nb import Sentence, load, write_conllu
from deppa_nb.cli import deppa
from deppa_nb.cli.simulate import _interval
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.compare import ALL, CurveParameters
from deppa_nb.experiments.simulate import Simulation, compare, points, run
from deppa_nb.experiments.store import Store

SMALL = {
    "start": 10, "budget": 40, "rounds": 2,
    "options": {"order": 1, "bits": 12, "epochs": 1},
    "load": {"sizes": {"train": 80, "dev": 30}},
}  # fmt: skip


def what(*strategies, corpus="toy-short", seeds=2, **changes):
    return Simulation(corpus, strategies, seeds, CurveParameters(**{**SMALL, **changes}))


def ran(folder, *strategies, say=lambda *_: None, **changes):
    found = run(what(*strategies, **changes), Store(folder), say)
    return found[[name for name in found if not name.endswith("_seconds")]]


def test_what_is_finished_is_not_run_again(tmp_path):
    whole = ran(tmp_path / "a", "pa-random", "pa-gap")
    assert set(whole["strategy"]) == {"pa-random", "pa-gap", ALL}
    assert len(points(whole)) == 2 * 2 * 3 + 1

    def interrupted(name, seed, found):
        if (name, seed, found.number) == ("pa-gap", 1, 1):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ran(tmp_path / "b", "pa-random", "pa-gap", say=interrupted)
    again = []
    rest = ran(
        tmp_path / "b",
        "pa-random",
        "pa-gap",
        say=lambda *now: again.append((*now[:2], now[2].number)),
    )
    # Finished curves are not among them, and the interrupted one goes on from its last round.
    assert again == [("pa-gap", 1, 2), *(("pa-gap", 2, r) for r in range(3))]
    pd.testing.assert_frame_equal(rest, whole)
    more = ran(tmp_path / "b", "pa-random", "pa-gap", "fa-random", seeds=1)
    assert list(dict.fromkeys(more["strategy"])) == [ALL, "pa-random", "pa-gap", "fa-random"]


def test_other_data_and_parameters_are_other_curves(tmp_path):
    told = []
    for changes in ({}, {"budget": 41}, {"load": {"sizes": {"train": 81, "dev": 30}}}, {}):
        before = len(told)
        ran(tmp_path, "pa-gap", seeds=1, say=lambda *now: told.append(now), **changes)
        assert (len(told) > before) == (before == 0 or bool(changes))


def test_a_comparison(tmp_path):
    found = ran(tmp_path, "fa-random", "pa-gap")
    table = compare(found, ["fa-random", "pa-gap"])
    rounds = points(found)
    ends = rounds[rounds["round"] == 2].groupby("strategy")["uas"].mean()
    np.testing.assert_allclose(table["uas"], ends[["fa-random", "pa-gap"]])
    assert table["gain"][0] == 0 and table["low"][1] <= table["gain"][1] <= table["high"][1]
    first = rounds[(rounds["strategy"] == "pa-gap") & (rounds["round"] == 0)]
    assert first["uas"].nunique() == 2  # seeds begin with other sentences
    assert (rounds.loc[rounds["strategy"] == ALL, "dependencies"] == 0).sum() == 0


def test_wrong_simulations(tmp_path):
    with pytest.raises(ParameterError, match="no strategy 'best'"):
        what("best")
    with pytest.raises(ParameterError, match="light-random needs --model mst"):
        what("fa-random", "light-random")
    with pytest.raises(ParameterError, match="a strategy is named twice"):
        what("pa-gap", "pa-gap")
    with pytest.raises(ParameterError, match="rounds is 0, expected a whole number from 1"):
        what("pa-gap", rounds=0)
    with pytest.raises(ParameterError, match="no round had anything to learn from"):
        ran(tmp_path, "fa-random", start=0, budget=1)
    with pytest.raises(ParameterError, match="expected a treebank with train and dev"):
        ran(tmp_path, "pa-gap", corpus="toy-chunks", load={})
    half = tmp_path / "half"
    half.mkdir()
    for split in ("train", "dev"):
        bank = [Sentence.of(["Go", "on"], [0, -1], sent_id="h1")]
        write_conllu(half / f"x-ud-{split}.conllu", bank)
    with pytest.raises(ParameterError, match="sentence h1 has words without a head"):
        ran(tmp_path, "pa-gap", corpus=str(half), load={})


def test_an_interval_may_have_one_end():
    nan = float("nan")
    assert _interval(73, nan, ",.0f") == "73 to –" and _interval(nan, nan, ",.0f") == ""
    assert _interval(-0.5, 1, "+.2f") == "-0.50 to +1.00"


def test_the_command(tmp_path):
    bank = load("toy-short", sizes={"train": 60, "dev": 20})
    for split in ("train", "dev"):
        write_conllu(tmp_path / f"x-ud-{split}.conllu", getattr(bank, split))
    words = [
        "simulate", str(tmp_path), "-s", "fa-random", "-s", "pa-gap", "--seeds", "2", "--start", "5",
        "--budget", "30", "--rounds", "2", "--order", "1", "--bits", "12", "--epochs", "1",
        "-o", str(tmp_path / "out"),
    ]  # fmt: skip
    shown = CliRunner().invoke(deppa, words)
    assert shown.exit_code == 0, shown.output
    assert "pa-gap" in shown.output and "to all data - 1" in shown.output
    files = {path.name for path in Path(tmp_path / "out").iterdir()}
    assert files == {"rounds.csv", "comparison.csv", "curves.svg", "compare"}
    svg = ET.parse(tmp_path / "out" / "curves.svg").getroot()
    text = " ".join(svg.itertext())
    assert "annotated dependencies" in text and "pa-gap" in text and "all data" in text
    wrong = CliRunner().invoke(deppa, [*words, "--model", "mst"])
    assert wrong.exit_code == 2 and "--order is no option of --model mst" in wrong.output
