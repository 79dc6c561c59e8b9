"""Tables and claims of Tang et al. (2002)."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import spearmanr

from deppa_nb.active.curves import Curve
from deppa_nb.errors import ParameterError
from deppa_nb.experiments import tang2002_study
from deppa_nb.experiments.claims import load_claims
from deppa_nb.experiments.compare import ALL
from deppa_nb.experiments.store import Store
from deppa_nb.experiments.tang2002 import STRATEGIES
from deppa_nb.experiments.tang2002_claims import (
    LONG_CURVES,
    SHORT_CURVES,
    correlations,
    needed,
)
from deppa_nb.experiments.tang2002_dependencies import TREES
from deppa_nb.experiments.tang2002_study import Tang2002Parameters

PROFILES = Path(__file__).parents[2] / "parameters"
QUICK = yaml.safe_load((PROFILES / "14_tang2002.quick.yaml").read_text())
SMALL = Tang2002Parameters(
    **{
        **QUICK, "seeds": 2, "train": 60, "start": 20, "batch": 8, "rounds": 2, "longer": 3,
        "few": 10, "many": 4, "clusters": 10, "frequent": 20, "beam": 5,
    }
)  # fmt: skip


def test_every_effect_of_every_claim_has_a_statistic():
    claims = {name: claim for name, claim in load_claims().items() if claim.paper == "tang2002"}
    found = {**SHORT_CURVES, **LONG_CURVES, "T6": dict.fromkeys(("change", "sentence", "word"))}
    assert found.keys() == claims.keys()
    for name, claim in claims.items():
        assert found[name].keys() == {effect.name for effect in claim.effects}


def curve(*scores, step=100):
    """A curve of one seed over a hundred test sentences."""
    right = [[[1] * score + [0] * (100 - score) for score in scores]]
    return Curve([[step * k for k in range(len(scores))]], right, [1] * 100)


def test_statistics_of_curves():
    chance, active = curve(50, 60, 70, 80).mean, curve(50, 80, 85, 90).mean
    assert needed(chance, active) == pytest.approx(100 * 100 / 300)
    assert needed(active, chance) == pytest.approx(100 * 400 / 300)  # a round more, at least
    assert needed(chance, active, share=2 / 3) == pytest.approx(100 * 100 / 200)
    higher, _ = SHORT_CURVES["T1"]["change"]
    assert higher(chance, active) == pytest.approx((20 + 15 + 10) / 3)
    last, _ = SHORT_CURVES["T3"]["density"]
    assert last(chance, curve(50, 55, 77).mean) == pytest.approx(7)


def test_correlations_are_spearmans():
    rng = np.random.default_rng(1)
    seeds = []
    for _ in range(2):
        length = rng.integers(1, 30, 400)
        noise = rng.normal(size=(3, 400))
        seeds.append(
            pd.DataFrame(
                {"sentence": np.arange(400), "length": length, "change": length + 5 * noise[0],
                 "sentence_entropy": noise[1], "word": -length + noise[2]}
            )
        )  # fmt: skip
    found = correlations(seeds)
    for name, column in (("change", "change"), ("sentence", "sentence_entropy"), ("word", "word")):
        expected = np.mean([spearmanr(rows["length"], rows[column]).statistic for rows in seeds])
        assert found[name].value == pytest.approx(expected)
        assert found[name].low < found[name].value < found[name].high
    assert found["change"].low > 0.7 and found["word"].high < -0.9
    one = correlations(seeds[:1])["sentence"]
    twice = correlations([seeds[0], seeds[0]])["sentence"]
    assert twice == one  # the same sentences once more tell nothing new
    assert found["sentence"].low < 0 < found["sentence"].high


def test_everything_is_made_of_runs(tmp_path):
    study, store = tang2002_study.study(SMALL), Store(tmp_path)
    assert {task.run.strategy for task in study.tasks} == {*STRATEGIES, *TREES, ALL, "entropies"}
    assert len(study.tasks) == 1 + 2 * (len(STRATEGIES) + 3) + 1 + 2 * len(TREES)
    study.compute(store)
    frames = {exhibit.name: exhibit.make(store) for exhibit in study.exhibits}
    assert len(frames["fig1"]) == 17
    means = frames["fig2-toy-flights"]
    assert set(means["entropy"]) == {"change of entropy", "sentence entropy", "word entropy"}
    start = SMALL.start
    assert means.groupby("entropy")["sentences"].sum().to_numpy() == pytest.approx(60 - start)
    for name in ("fig3", "fig4", "fig5", "fig6"):
        points = frames[f"{name}-toy-flights"]
        assert set(points["round"]) == {0, 1, 2} and points["strategy"].nunique() == 5
    assert frames["fig7-toy-flights"]["sentences"].max() == 60  # of all data
    own = frames["fig7-toy-flights"].query("strategy != 'all data'")
    assert own["sentences"].max() == 24 and set(own["seed"]) == {1, 2}
    assert frames["fig8-toy-flights"].query("strategy == 'random'")["sentences"].max() == 32
    table = frames["table1-toy-flights"]
    assert list(table.index) == ["none", "density", "performance"]
    assert ((table["low"] <= table["accuracy"]) & (table["accuracy"] <= table["high"])).all()
    last = frames["last-toy-flights"]
    assert last.loc["random", "sentences"] == 16
    both = frames["splits-toy-flights"]
    assert both.index.unique().tolist() == [f"T{k}" for k in range(1, 6)]
    density = last.loc["density-word"] - last.loc["cluster-word"]
    (values,) = (row for _, row in both.loc["T3"].iterrows() if row["effect"] == "density")
    for split in ("test", "dev"):
        assert values[split] == pytest.approx(density[f"exact on {split}"])
        assert values[f"low, {split}"] <= values[split] <= values[f"high, {split}"]
    needs = frames["needed-toy-flights"]
    assert needs["sentences by chance"].tolist() == [8, 16, 24, 32]
    (share,) = both.loc[["T5"], "test"]
    assert needs["test"].iloc[-1] == pytest.approx(share)
    two = replace(study, exhibits=tuple(
        replace(study["last-toy-flights"], name=f"last-{corpus}") for corpus in ("one", "two")
    ))  # fmt: skip
    both = two.table("last", store)  # rows tell of which corpus they are
    assert both.loc["two"].equals(last) and both.index.is_unique and len(both) == 2 * len(last)
    trees = frames["trees-toy-en"]
    assert set(trees["strategy"]) == {*TREES, ALL} and trees["round"].max() == 2
    assert [judged.claim.id for judged in study.judge(store)] == [f"T{k}" for k in range(1, 7)]


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ParameterError, match="longer is 1, expected at least 2 rounds"):
        replace(SMALL, longer=1)
    with pytest.raises(ParameterError, match="has 60 sentences to learn from, expected 90"):
        replace(SMALL, many=10)
    with pytest.raises(ParameterError, match="corpora has toy-en, expected slots"):
        replace(SMALL, corpora="toy-en")
    with pytest.raises(ParameterError, match="treebanks has toy-flights, expected dependency"):
        replace(SMALL, treebanks="toy-flights")
    with pytest.raises(ParameterError, match="treebanks is 'toy-en toy-en', expected names, each"):
        replace(SMALL, treebanks="toy-en toy-en")
    without = tang2002_study.study(replace(SMALL, treebanks=""))
    assert not [exhibit for exhibit in without.exhibits if "trees" in exhibit.name]
    with pytest.raises(ParameterError, match="sentence is 999, expected 0 to"):
        replace(SMALL, sentence=999)
    with pytest.raises(ParameterError, match="batch is 0"):
        replace(SMALL, batch=0)
    with pytest.raises(ParameterError, match="beam is 0"):
        replace(SMALL, beam=0)
