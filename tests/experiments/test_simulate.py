"""Curves of strategies: run, interrupted, gone on with, compared."""

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from deppa_nb import CRFParser, Sentence, load, write_conllu
from deppa_nb.cli import deppa
from deppa_nb.corpus.corpus import Corpus
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.simulate import ALL, Simulation, compare, run

SMALL = {
    "corpus": "toy-short", "seeds": 2, "start": 10, "budget": 40, "unit": "dependencies",
    "rounds": 2, "warm": False, "model": "crf", "parameters": {},
}  # fmt: skip


def what(*strategies, **changes):
    return Simulation(strategies=strategies, **{**SMALL, **changes})


def ran(folder, *strategies, say=lambda *_: None):
    corpus = load("toy-short", sizes={"train": 80, "dev": 30})
    parser = CRFParser(1, bits=12, epochs=1, progress=False)
    return run(what(*strategies), corpus, parser, folder, say)


def steady(rounds):
    """A table without its times."""
    kept = [name for name in rounds if not name.endswith("_seconds")]
    return rounds[kept].reset_index(drop=True)


def test_what_is_finished_is_not_run_again(tmp_path):
    whole, by_sentence = ran(tmp_path / "a", "pa-random", "pa-gap")
    assert len(whole) == 2 * 2 * 3 and set(by_sentence["strategy"]) == {"pa-random", "pa-gap", ALL}
    told = []

    def interrupted(name, seed, found):
        told.append((name, seed, found.number))
        if (name, seed, found.number) == ("pa-gap", 1, 1):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ran(tmp_path / "b", "pa-random", "pa-gap", say=interrupted)
    again = []
    rounds, sentences = ran(
        tmp_path / "b", "pa-random", "pa-gap", say=lambda *now: again.append(now[:2])
    )
    assert set(again) == {("pa-gap", 1), ("pa-gap", 2)}  # the finished curves are not among them
    pd.testing.assert_frame_equal(steady(rounds), steady(whole), check_dtype=False)
    a, b = (
        compare(some, ["pa-random", "pa-gap"], np.random.default_rng(1))
        for some in (by_sentence, sentences)
    )
    pd.testing.assert_frame_equal(a, b)
    rows = pd.read_csv(tmp_path / "b" / "sentences.csv.gz")
    lost = rows[(rows["strategy"] != "pa-gap") | (rows["seed"] != 2)]
    lost.to_csv(tmp_path / "b" / "sentences.csv.gz", index=False)  # killed between two files
    mended, _ = ran(tmp_path / "b", "pa-random", "pa-gap")
    pd.testing.assert_frame_equal(steady(mended), steady(whole), check_dtype=False)
    (tmp_path / "b" / "rounds.csv").write_text("strat")
    mended, _ = ran(tmp_path / "b", "pa-random", "pa-gap")
    pd.testing.assert_frame_equal(steady(mended), steady(whole), check_dtype=False)
    more, _ = ran(tmp_path / "b", "pa-random", "pa-gap", "fa-random")
    assert list(dict.fromkeys(more["strategy"])) == ["pa-random", "pa-gap", "fa-random"]


def test_another_simulation_needs_another_folder(tmp_path):
    ran(tmp_path, "pa-gap")
    with pytest.raises(ParameterError, match="has another simulation; name another folder"):
        corpus = load("toy-short", sizes={"train": 80, "dev": 30})
        run(what("pa-gap", budget=41), corpus, CRFParser(1), tmp_path, lambda *_: None)
    with pytest.raises(ParameterError, match="has another simulation"):
        corpus = load("toy-short", sizes={"train": 81, "dev": 30})  # other data
        run(what("pa-gap"), corpus, CRFParser(1), tmp_path, lambda *_: None)


def test_scores_are_those_of_the_sentences(tmp_path):
    rounds, sentences = ran(tmp_path, "pa-gap")
    by = sentences[sentences["strategy"] == "pa-gap"].groupby(["seed", "round"])
    uas = 100 * by["right"].sum() / by["words"].sum()
    found = rounds.set_index(["seed", "round"])["dev_uas"].astype(float)
    np.testing.assert_allclose(uas.sort_index(), found.sort_index())
    assert found.groupby("seed").nth(0).nunique() == 2  # seeds begin with other sentences


def test_wrong_simulations(tmp_path):
    with pytest.raises(ParameterError, match="no strategy 'best'"):
        what("best")
    with pytest.raises(ParameterError, match="light-random needs --model mst"):
        what("fa-random", "light-random")
    with pytest.raises(ParameterError, match="no round had anything to learn from"):
        corpus, parser = load("toy-short", sizes={"train": 20, "dev": 5}), CRFParser(1, bits=12)
        little = what("fa-random", start=0, budget=1)
        run(little, corpus, parser.set_params(progress=False), tmp_path / "s", lambda *_: None)
    with pytest.raises(ParameterError, match="a strategy is named twice"):
        what("pa-gap", "pa-gap")
    with pytest.raises(ParameterError, match="rounds is 0, expected 1 or more"):
        what("pa-gap", rounds=0)
    with pytest.raises(ParameterError, match="expected a treebank with train and dev"):
        run(what("pa-gap"), load("toy-chunks"), CRFParser(1), tmp_path, lambda *_: None)
    half = tmp_path / "half.conllu"
    write_conllu(half, [Sentence.of(["Go", "on"], [0, -1], sent_id="h1")])
    corpus = Corpus("mine", "treebank", {"train": half, "dev": half})
    with pytest.raises(
        ParameterError, match=r"half.conllu:\d: sentence h1 has words without a head"
    ):
        run(what("pa-gap"), corpus, CRFParser(1), tmp_path, lambda *_: None)


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
    written = {"rounds.csv", "sentences.csv.gz", "simulation.json", "curves.svg", "comparison.csv"}
    assert files == written
    svg = ET.parse(tmp_path / "out" / "curves.svg").getroot()
    text = " ".join(svg.itertext())
    assert "annotated dependencies" in text and "pa-gap" in text and "all data" in text
    wrong = CliRunner().invoke(deppa, [*words, "--model", "mst"])
    assert wrong.exit_code == 2 and "--order is no option of --model mst" in wrong.output
