"""Tables and claims of Wanvarie et al. (2011)."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from deppa_nb.errors import ParameterError
from deppa_nb.experiments import wanvarie2011_study
from deppa_nb.experiments.claims import load_claims
from deppa_nb.experiments.store import Store
from deppa_nb.experiments.wanvarie2011 import EVERYTHING, SYSTEMS
from deppa_nb.experiments.wanvarie2011_claims import System, claimed
from deppa_nb.experiments.wanvarie2011_study import Wanvarie2011Parameters

PROFILES = Path(__file__).parents[2] / "parameters"
QUICK = yaml.safe_load((PROFILES / "15_wanvarie2011.quick.yaml").read_text())
SMALL = Wanvarie2011Parameters(
    **{**QUICK, "train": 60, "start": 6, "queries": 15, "starts": "cold"}
)


def system(labels, actions, seconds, spans, tasks=1, by_hand=None):
    """A run that took so many labels and acts, and so many seconds in each round."""
    rounds = [
        {
            "row": "round",
            "task": f"t{k % tasks}",
            "train_seconds": 0.75 * s,
            "select_seconds": 0.25 * s,
        }
        for k, s in enumerate(seconds)
    ]
    final = {
        "row": "final",
        "task": EVERYTHING,
        "labels": labels,
        "actions": actions,
        "by_hand": labels if by_hand is None else by_hand,
        "train_seconds": 4.0,
    }
    rows = [{"row": "sequence", "gold": g, "found": f, "right": r} for g, f, r in spans]
    return System(pd.DataFrame([*rounds, final, *rows]))


@pytest.fixture(scope="module")
def systems():
    rng = np.random.default_rng(1)
    right = rng.integers(0, 4, 400)
    good, fair = (
        [(4, 4, r) for r in right],
        [(4, 4, max(0, r - (k % 10 == 0))) for k, r in enumerate(right)],
    )
    return {
        "supervised": system(1000, 1000, [], good),
        "sup-al": system(800, 800, [2.0, 4.0], good),
        "all-0.90": system(100, 100, [8.0, 12.0], good),
        "all-0.99": system(120, 120, [10.0, 12.0], good),
        "split-0.90": system(130, 200, [4.0, 6.0, 5.0, 5.0], fair, 2, 110),
        "split-0.99": system(150, 260, [6.0, 6.0, 6.0, 6.0], fair, 2, 126),
    }


def test_what_claims_are_about(systems):
    found = claimed(systems, 0)
    claims = {name: claim for name, claim in load_claims().items() if claim.paper == "wanvarie2011"}
    assert found.keys() == claims.keys()
    for name, claim in claims.items():
        assert found[name].keys() == {effect.name for effect in claim.effects}
    values = {(c, e): estimate.value for c, own in found.items() for e, estimate in own.items()}
    assert values["W1", "labels"] == 12.5 and values["W1", "f1"] == 0
    assert values["W2", "seconds"] == pytest.approx(50)
    assert values["W3", "at-90"] == pytest.approx(24 / 24)  # each with the final model's four
    assert values["W3", "at-99"] == pytest.approx(26 / 28)
    assert values["W5", "labels-all"] == pytest.approx(20)
    assert values["W5", "labels-split"] == pytest.approx(30)
    assert values["W6", "share"] == pytest.approx(75) and values["W7", "rounds"] == 2
    assert values["W8", "2000-at-90"] == pytest.approx(30)
    assert values["W8", "2003-merged-90"] == pytest.approx(10)
    assert values["W8", "2000-merged-99"] == pytest.approx(5)


def test_f1_is_paired(systems):
    loss = claimed(systems, 0)["W4"]["at-90"]
    good, fair = systems["all-0.90"].spans.sum(axis=0), systems["split-0.90"].spans.sum(axis=0)
    assert loss.value == pytest.approx(200 * (good[2] - fair[2]) / (good[0] + good[1]))
    assert 0 < loss.low < loss.value < loss.high < 2 * loss.value
    rng, drawn = np.random.default_rng(2), []
    for _ in range(500):  # as if the two were scored on different sequences
        sums = [
            own.spans[rng.integers(len(own.spans), size=len(own.spans))].sum(axis=0)
            for own in (systems["all-0.90"], systems["split-0.90"])
        ]
        drawn.append(np.subtract(*(200 * s[2] / (s[0] + s[1]) for s in sums)))
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert high - low > 1.5 * (loss.high - loss.low)  # what both share cancels out


def test_everything_is_made_of_runs(tmp_path):
    study, store = wanvarie2011_study.study(SMALL), Store(tmp_path)
    assert {task.run.strategy for task in study.tasks} == set(SYSTEMS)
    study.compute(store)
    frames = {exhibit.name: exhibit.make(store) for exhibit in study.exhibits}
    assert frames["table1"].loc["toy-chunks train", "sequences"] == 60
    table = frames["table2-toy-chunks-cold"].set_index("system")
    assert [name.lower() for name in table.index] == ["supervised", "supal", *SYSTEMS[2:]]
    assert (table["seconds"][1:] > 0).all()
    assert (table["labels"] <= table["asked"]).all() and (table["asked"] <= table["acts"]).all()
    assert (table["labels"] > 0).all() and (table["rounds"][1:] > 0).all()
    whole, longest = frames["fig3b-toy-chunks-cold"], frames["fig3a-toy-chunks-cold"]
    split = [
        frame[frame["strategy"] == "Split-0.90"]["train_seconds"].sum()
        for frame in (whole, longest)
    ]
    assert split[0] > 1.2 * split[1]
    assert len(study.judge(store)) == 9
    run = next(task.run for task in study.tasks if task.run.strategy == "split-0.90"
               and not task.run.parameters["warm"])  # fmt: skip
    rounds = store.timing(run)[store.find(run)["row"] == "round"]
    most = rounds[["train_seconds", "select_seconds"]].sum(axis=1).max()  # of any task
    title = wanvarie2011_study._longest_rounds(longest)
    assert f"{most:#.2g} s with Split-0.90" in title
    labels = frames["fig3c-toy-chunks"].set_index(["strategy", "what"])["labels"]
    asked = [labels[name, "asked about"] for name in ("All-0.90", "Split-0.90")]
    title = wanvarie2011_study._counted(frames["fig3c-toy-chunks"])
    assert f"Split-0.90 asks about {abs(asked[1] / asked[0] - 1):.0%}" in title
    assert ("more tokens than All-0.90" in title) == (asked[1] > asked[0])
    times = frames["times-toy-chunks-cold"]
    assert (times["All / Split"] > 0).all() and (times["of Split"] < times["with Split"]).all()


def test_claims_are_judged_by_each_start_and_those_about_time_by_cold_ones():
    both = wanvarie2011_study.study(replace(SMALL, starts="warm cold"))
    for check in both.checks:
        (warm,) = {
            task.run.parameters["warm"]
            for task in check.tasks
            if task.run.strategy != "supervised"  # which all share
        }
        assert check.variant in ("", f"{'warm' if warm else 'cold'} starts")
    told = [(check.claim, check.variant[:4]) for check in both.checks]
    of_both = {
        (claim, start) for claim in ("W1", "W4", "W5", "W7", "W8") for start in ("warm", "cold")
    }
    assert set(told) == of_both | {(claim, "") for claim in ("W0", "W2", "W3", "W6")}
    assert len(told) == 14
    alone = wanvarie2011_study.study(replace(SMALL, starts="warm"))
    assert len(alone.checks) == 6


def test_claims_about_one_corpus_are_not_judged_by_another(shared):
    of = {
        corpus: {
            check.claim: wanvarie2011_study._meant(check.claim, corpus)
            for check in wanvarie2011_study.study(
                replace(SMALL, starts="warm cold", corpora=corpus)
            ).checks
        }
        for corpus in ("conll2000", "conll2003", "uner_en_ewt", "toy-chunks")
    }
    assert of["conll2000"]["W0"] == ["table", "f1-2000"] and len(of["conll2000"]) == 9
    assert {name[:4] for name in of["conll2003"]["W8"]} == {"2003"} and "W3" not in of["conll2003"]
    assert not {"W0", "W3", "W8"} & of["uner_en_ewt"].keys() and "W4" in of["uner_en_ewt"]
    assert all(
        len(names) == len(load_claims()[claim].effects) for claim, names in of["toy-chunks"].items()
    )


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ParameterError, match="starts is 'hot', expected warm, cold or both"):
        replace(SMALL, starts="hot")
    with pytest.raises(ParameterError, match="corpora has toy-en, expected sequences"):
        replace(SMALL, corpora="toy-en")
    with pytest.raises(ParameterError, match="sentence is 999, but test has"):
        replace(SMALL, sentence=999)
    with pytest.raises(ParameterError, match="start is 60, expected fewer than the 60 sequences"):
        replace(SMALL, start=60)
    with pytest.raises(ParameterError, match="queries is 0"):
        replace(SMALL, queries=0)
