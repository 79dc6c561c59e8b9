"""Mejer & Crammer 2012: the runs, what goes on after a kill, and what is made of them."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from deppa_nb.errors import ParameterError
from deppa_nb.experiments import mejer2012
from deppa_nb.experiments import mejer2012_claims as claims
from deppa_nb.experiments.checkpoint import Checkpoint
from deppa_nb.experiments.claims import load_claims
from deppa_nb.experiments.compare import ALL
from deppa_nb.experiments.mejer2012 import VARIANTS, LightParameters, as_run, full_sentences, light
from deppa_nb.experiments.mejer2012_figures import NOISE
from deppa_nb.experiments.mejer2012_grid import SKYLINE, Cell, Setting
from deppa_nb.experiments.mejer2012_parameters import Mejer2012Parameters
from deppa_nb.experiments.mejer2012_study import study
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.store import Store
from deppa_nb.reports.exhibits import draw

SIZES = {"sizes": {"train": 60, "dev": 5, "test": 20}}
SMALL = LightParameters(full=10, least=5, passes=2, epochs=2, bits=12, load=SIZES)
TINY = Mejer2012Parameters(
    corpora="toy-short toy-headfinal toy-en", beside="toy-freeorder", seeds=2, shares="30 20 10",
    least=3, passes=2, noises="0.1 0.3", second=20.0, ties="random", alpha=0.0, averaging=True,
    epochs=1, all_epochs=2, bits=12, rate=0.1, beyond=True, train=60, sentence=0,
)  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("runs"))
    study(TINY).compute(store)
    return store


def run_of(variant="binary-multi", **changes):
    return as_run("toy-freeorder", variant, 1, replace(SMALL, **changes))


def table(tmp_path, run, name="run"):
    (tmp_path / name).mkdir()
    return light(run, Checkpoint(tmp_path / name))


def clean(frame):
    return frame.drop(columns="learn_seconds")


def test_rows_of_a_run(tmp_path):
    found = table(tmp_path, run_of())
    assert len(found) == 3 * 20 and sorted(set(found["pass"])) == [0, 1, 2]
    by = found.groupby("pass").first()
    assert (by["full"] == 6).all() and (by["light"] == 54).all() and by["asked"][0] == 0
    assert by["new"][1] == by["asked"][1] > 0 and by["new"][2] <= by["asked"][2]
    differ = by[["one", "two", "more"]].sum(axis=1)
    assert differ[1] == by["asked"][1] <= 54
    single = table(tmp_path, run_of("binary-single"), "single").groupby("pass").first()
    assert (single["asked"] == single["one"]).all()


def test_a_killed_run_goes_on(tmp_path):
    whole = table(tmp_path, run_of(noise=0.2))
    (tmp_path / "killed").mkdir()
    light(run_of(noise=0.2, passes=1), Checkpoint(tmp_path / "killed"))
    later = Checkpoint(tmp_path / "killed")
    assert len(later.rows) == 40
    assert clean(light(run_of(noise=0.2), later)).equals(clean(whole))


def test_settings_of_a_run(tmp_path):
    plain = table(tmp_path, run_of())
    for number, changes in enumerate(
        (
            {"averaging": False}, {"alpha": 1.0}, {"expected": True}, {"ties": "first"},
            {"asked": 50.0}, {"asked": 50.0, "choose": "margin"}, {"noise": 0.5},
            {"asked": 50.0, "choose": "probability"}, {"single_root": False},
        )
    ):  # fmt: skip
        found = table(tmp_path, run_of(**changes), str(number))
        assert not clean(found).equals(clean(plain)), changes
        if "asked" in changes:
            asked = found.groupby("pass")[["new", "asked"]].first()
            assert asked["asked"][1] == asked["new"][1] <= 27 and asked["new"][2] <= 27
            assert asked["asked"][2] >= asked["new"][2]


def test_a_second_parser_answers(tmp_path):
    second = table(tmp_path, run_of(annotator="second parser"), "second")
    random = table(tmp_path, run_of(annotator="as often wrong"), "random")
    assert 0 < second["noise"][0] == random["noise"][0] < 1
    assert not clean(second).equals(clean(random))


def test_full_trees_are_the_same_for_all_and_nested():
    order = np.random.default_rng(1).permutation(60)
    assert full_sentences(60, 10, 5) == 6 and len(set(order[:6])) == 6
    assert full_sentences(1000, 5, 20) == 50 and full_sentences(3, 50, 20) == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"full": 0}, "full is 0, expected over 0 to 100"),
        ({"passes": 0}, "passes is 0"),
        ({"annotator": "me"}, "annotator is 'me', expected one of gold"),
        ({"choose": "gap"}, "choose is 'gap'"),
        ({"ties": "both"}, "ties is 'both'"),
        ({"noise": 1.5}, "noise is 1.5"),
        ({"bits": 2}, "bits is 2"),
    ],
)
def test_wrong_parameters_of_a_run(wrong, message):
    with pytest.raises(ParameterError, match=message):
        replace(SMALL, **wrong)


def test_wrong_runs():
    with pytest.raises(ParameterError, match="expected one of binary-single"):
        LightParameters.of(Run("mejer2012", "toy-en", "unary", 1))
    with pytest.raises(ParameterError, match="no parameter 'nosie'"):
        LightParameters.of(Run("mejer2012", "toy-en", "binary-multi", 1, {"nosie": 1}))
    assert mejer2012.work(run_of()) < mejer2012.work(run_of(asked=50.0))  # all are looked at


def test_the_runs():
    found = study(TINY)
    runs = [task.run for task in found.tasks]
    assert len({(r.corpus, r.strategy, r.seed, str(r.parameters)) for r in runs}) == len(runs)
    of_one = [r for r in runs if r.corpus == "toy-en" and r.seed == 2]
    # variants x splits, noise, annotators, beyond (one of which is also there without), protocol
    assert len(of_one) == 12 + 4 + 2 + 9 + 5
    assert {r.strategy for r in runs if r.corpus == "toy-freeorder"} == {
        "binary-single", "ternary-multi", ALL,
    }  # fmt: skip
    fewer = study(replace(TINY, beyond=False))
    with pytest.raises(ParameterError, match="no table or figure 'beyond'"):
        fewer["beyond"]


def test_figures(store):
    found = study(TINY)
    bars = found["fig3-bars"].make(store)
    assert len(bars) == 2 * (3 * 2 + 1) and set(bars["corpus"]) == {
        "average of 3 languages", "toy-short",
    }  # fmt: skip
    curves = found["fig3-curves"].make(store).set_index(["corpus", "strategy"]).sort_index()
    one = curves.loc[("toy-short", "10% full")]
    assert len(one) == 2 * 3
    before = bars.set_index(["corpus", "full", "strategy"])["uas"]
    mean = one[one["round"] == 0]["uas"].mean()
    assert before["toy-short", "10% full", "before"] == pytest.approx(mean)
    new = found["fig4-new"].make(store)
    assert new["language"].iloc[0].startswith("toy-short") and new["new"].max() <= 100
    assert len(found["fig4-variants"].make(store)) == 3 * len(VARIANTS) + 1
    assert all(draw(each, store).to_dict() for each in found.exhibits if each.drawing)
    noise = found["fig4-noise"].make(store)
    assert set(noise["strategy"]) == {"binary-multi", "ternary-multi", "initial"}
    assert sorted(noise[NOISE].unique()) == [0, 10, 30]


def test_tables(store):
    found, grid = study(TINY), TINY.grid
    languages = found["languages"].make(store)
    assert list(languages.index) == ["toy-short", "toy-headfinal", "toy-en", "toy-freeorder"]
    assert languages.loc["toy-en", "full, 30%"] == 18
    edges = found["edges"].make(store)
    assert len(edges) == 2 * 3 + 2 and "average" in edges.index
    asked = grid.passes(store, "toy-en", Setting("binary-single", 10.0))
    both = asked["edges"][0] + asked["new"][1]
    assert edges.loc["toy-en"].iloc[0]["edges"] == both
    shares = found["one-edge"].make(store)
    np.testing.assert_allclose(shares.iloc[:, :3].sum(axis=1), 100)
    second = found["second-parser"].make(store)
    mean = second.drop("average")["second parser"].mean()
    assert second.loc["average", "second parser"] == pytest.approx(mean)
    for name, rows in (("beyond", 9), ("protocol", 5)):
        other = found[name].make(store)
        assert len(other) == rows and (other["low"] <= other["gain"] + 1e-9).all()
        assert (other["better in"] + other["worse in"] <= 3).all()


def test_every_claim_is_checked(store):
    judged = {judgement.claim.id: judgement for judgement in study(TINY).judge(store)}
    known = {name: claim for name, claim in load_claims().items() if claim.paper == "mejer2012"}
    assert set(judged) == set(known) and len(known) == 9
    for name, judgement in judged.items():
        assert set(judgement.found) == {effect.name for effect in known[name].effects}
        assert judgement.verdict == "illustration"
    paper = claims.claimed_effects((10.0, 5.0, 1.0), 5, lambda noise: True)
    for name, effects in paper.items():
        assert set(effects) == {effect.name for effect in known[name].effects}
    assert "at-30" not in claims.claimed_effects((10.0, 5.0, 1.0), 5, lambda x: x < 0.2)["J6"]


def test_means_and_their_intervals(store):
    grid = TINY.grid
    cells = Cell(Setting("ternary-multi", 10.0), 2), Cell(Setting("binary-single", 10.0), 0)
    effect = claims.Effect(claims._less, cells)
    by = claims.by_language(grid, effect, store)
    found = claims.mean_difference(grid, effect, store)
    assert found.value == pytest.approx(by.mean()) and found.low < found.value < found.high
    sky = claims.mean_difference(grid, claims.Effect(claims._less, (SKYLINE, cells[1])), store)
    assert sky.value == pytest.approx(
        grid.mean_uas(store, SKYLINE) - grid.mean_uas(store, cells[1])
    )
    best = claims._less_best(np.array([5.0, 1]), np.array([3.0, 2]), np.array([4.0, 0]))
    assert best.tolist() == [1, -1]


def test_sign_tests(store):
    table = study(TINY)["signs"].make(store)
    assert (table["languages"] + table["against"] <= 3).all()
    skyline = table[table["effect"] == "skyline"].iloc[0]
    assert skyline["claimed"] == "under 10" and skyline["least"] <= skyline["mean"]


def test_of_one_language_there_is_no_interval_of_questions(store):
    alone = replace(TINY, corpora="toy-en", beside="")
    judged = {j.claim.id: j for j in study(alone).judge(store)}
    assert np.isnan(judged["J7"].found["share"].low)
    assert np.isnan(judged["J4"].found["length"].value)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"corpora": ""}, "expected names, each once"),
        ({"beside": "toy-en"}, "beside is 'toy-en', expected others"),
        ({"shares": "1 5 10"}, "expected three percents, falling"),
        ({"shares": "10 5"}, "expected three percents"),
        ({"shares": "ten 5 1"}, "shares is 'ten 5 1', expected numbers"),
        ({"noises": "1.5"}, "150% in shares or noises"),
        ({"passes": 1}, "passes is 1, expected 2"),
        ({"ties": "both"}, "ties is 'both'"),
        ({"sentence": 1000}, "sentence is 1000, expected 0 to"),
        ({"corpora": "toy-flights"}, "expected a treebank"),
    ],
)
def test_wrong_parameters(wrong, message):
    with pytest.raises(ParameterError, match=message):
        replace(TINY, **wrong)


def test_parameters_reach_the_runs():
    [run] = {
        str(task.run.parameters)
        for task in TINY.grid.tasks("toy-en", Setting.of("binary-single", 10.0, noise=0.1))
    }
    common = asdict(TINY.grid.common)
    assert str({**common, "full": 10.0, "noise": 0.1, "load": TINY.grid.load("toy-en")}) == run
