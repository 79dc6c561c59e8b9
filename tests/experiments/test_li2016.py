"""Li et al. 2016: which runs, what is made of them, and what the claims are about."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from deppa_nb import load
from deppa_nb.active.curves import Curve
from deppa_nb.active.log import to_line
from deppa_nb.active.statistics import Estimate
from deppa_nb.errors import ParameterError
from deppa_nb.experiments import li2016_claims as claims
from deppa_nb.experiments import li2016_people as people
from deppa_nb.experiments import li2016_tables as tables
from deppa_nb.experiments.claims import judge_effect, load_claims
from deppa_nb.experiments.compare import ALL
from deppa_nb.experiments.li2016 import Li2016Parameters, study
from deppa_nb.experiments.li2016_transition import TRANSITION, TransitionParameters
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.store import Store

TINY = Li2016Parameters(
    corpora="toy-short toy-headfinal", like="en zh", seeds=2, first=False, start=8, sentences=10,
    words=5, scaled=False, rounds=2, tags="jackknifed", longest=50, order=1, epochs=1, bits=12,
    pruning=0.0, beam=2, iterations=2, train=60, variants=False, sentence=0, logs="",
)  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("runs"))
    study(TINY).compute(store)
    return store


def test_the_runs():
    runs = [task.run for task in study(TINY).tasks]
    by_corpus = {
        c: {r.strategy for r in runs if r.corpus == c} for c in ("toy-short", "toy-headfinal")
    }
    assert by_corpus["toy-short"] - by_corpus["toy-headfinal"] == {
        "batch-marginal-gap", "batch-gap", "batch-marginal",
    }  # fmt: skip
    assert "batch-gap-20" in by_corpus["toy-short"]
    assert len(runs) == (2 + 2 * 11) + (2 + 2 * 10)
    words = {run.strategy: run.parameters for run in runs if run.corpus == "toy-short"}
    assert words["fa-marginal"]["unit"] == words["batch-gap"]["unit"] == "sentences"
    assert words["pa-gap"]["unit"] == "dependencies" and words["fa-marginal"]["budget"] == 10
    assert 20 < words["pa-gap"]["budget"] < 50  # five sentences' words on average
    assert all(run.parameters["tags"] == "jackknifed" for run in runs)
    assert all(run.parameters["test"] for run in runs if run.strategy != TRANSITION)
    other = words[TRANSITION]
    assert (other["beam"], other["iterations"], other["bits"]) == (2, 2, 12)


def test_steps_are_scaled_to_small_corpora():
    [run] = {t.run.parameters["budget"] for t in study(replace(TINY, scaled=True, sentences=1000)).tasks
             if t.run.corpus == "toy-headfinal" and t.run.strategy == "fa-random"}  # fmt: skip
    assert run == round(1000 * 60 / 14_304)


def test_tables_and_figures(store):
    found = study(TINY)
    table1 = found["table1"].make(store)
    assert list(table1.index[:3]) == ["toy-short train", "toy-short dev", "toy-short test"]
    assert found["table1"].paper.loc["zh dev", "words"] == 20_454
    fig3, other = (each.make(store) for each in found.each("fig3"))
    assert set(fig3["corpus"]) == {"toy-short"} and "batch-gap" not in set(fig3["strategy"])
    assert set(other["corpus"]) == {"toy-headfinal"}
    fig5 = found["fig5-toy-short"].make(store)
    assert {"batch-gap", "batch-marginal", "pa-gap", ALL} <= set(fig5["strategy"])
    table2 = found.table("table2", store).set_index("method", append=True)
    whole = table2.loc[("toy-short", ALL)]
    curve = fig3[(fig3["corpus"] == "toy-short") & (fig3["strategy"] == ALL)]
    assert whole["dev UAS"] == pytest.approx(curve["uas"].iloc[0])
    assert whole["dependencies"] == curve["dependencies"].iloc[0]
    reached = table2["dependencies"].notna()
    assert (table2["test UAS"].notna() == reached).all()
    assert (~reached == (table2["note"] != "")).all()
    full = fig3[(fig3["corpus"] == "toy-short") & fig3["strategy"].str.startswith("fa-")]
    assert table2.loc["toy-short"].filter(like="fa-", axis=0)["dependencies"].isna().all()
    ends = full.groupby(["strategy", "seed"])["dependencies"].max().groupby("strategy").mean()
    saved = 100 * (1 - whole["dependencies"] / ends.max())
    assert whole["saved (%)"] == pytest.approx(saved)
    assert whole["hours"] == pytest.approx(whole["dependencies"] * 6.7 / 3600)


def test_the_footnoted_measures_are_run_when_they_are_wanted():
    found = study(replace(TINY, variants=True))
    names = {task.run.strategy for task in found["footnotes-toy-short"].tasks}
    assert {"fa-score-n2", "fa-probability-sqrt", "fa-marginal-geometric", "fa-random"} <= names
    with pytest.raises(ParameterError, match="no table or figure 'footnotes'"):
        study(TINY).each("footnotes")


def test_table3_needs_people(store, tmp_path):
    assert study(TINY)["table3"].make(store).iloc[0, 0] == "needs people"
    for wrong in (str(tmp_path / "none"), "."):
        with pytest.raises(ParameterError, match="expected the whole path of a folder"):
            replace(TINY, logs=wrong)
    with pytest.raises(ParameterError, match=r"expected a folder with logs \(\*.jsonl\)"):
        study(replace(TINY, logs=str(tmp_path)))["table3"].make(store)
    bank = TINY.train_of_first
    for log in people.simulated_logs(bank, np.random.default_rng(1)):
        lines = b"".join(map(to_line, (log.header, *_written(log))))
        (tmp_path / f"{log.header.annotator}.jsonl").write_bytes(lines)
    table = study(replace(TINY, logs=str(tmp_path)))["table3"].make(store)
    assert list(table.index) == ["1", "2", "3", "4", "5", "6", "overall"]
    assert 5 < table.loc["overall", "seconds_full"] < 9

    first = (tmp_path / "1.jsonl").read_bytes()
    for content, message in (
        (first, "9.jsonl: a log that is there twice"),
        (first.replace(b'"key"', b'"simulated"'), "9.jsonl: has simulated answers"),
        (first.replace(b'"sentence": "', b'"sentence": "x'), "9.jsonl: has no sentence of"),
    ):
        (tmp_path / "9.jsonl").write_bytes(content)
        with pytest.raises(ParameterError, match=message):
            study(replace(TINY, logs=str(tmp_path)))["table3"].make(store)


def _written(log):
    """Return the events as a log on the disk has them, given by a person."""
    who, when = log.header.annotator, "2026-11-17T09:30:00.000Z"
    return [replace(event, annotator=who, utc=when, how="key") for event in log.events]


def test_what_is_put_into_logs_is_found_in_them():
    found = people.check_estimator(load("toy-en").train, np.random.default_rng(3))
    wide = (found["high"] - found["low"]) / 2 / 1.96
    errors = (found["found"] - found["put in"]) / wide
    assert len(errors) == 30 and (abs(errors) < 4).all() and abs(errors.mean()) < 1
    assert 0.5 < errors.std() < 1.5


def test_parsers_and_the_sentence_of_the_walk():
    assert 8 <= len(TINY.example) <= 14 and TINY.example.sent_id not in {
        sentence.sent_id for sentence in TINY.train_of_first[: TINY.start]
    }
    assert TINY.parser.get_params()["bits"] == 12


def test_the_transition_based_parser(store):
    """Its row of Table 2 and its claim are about test, with all data."""
    table2 = study(TINY).table("table2", store).set_index("method", append=True)
    first = table2.loc["toy-short"].iloc[0]
    whole, other = (table2.loc[("toy-short", name)] for name in (ALL, TRANSITION))
    assert first["test UAS"] == other["test UAS"] and table2.loc["toy-short"].index[0] == TRANSITION
    assert other["dependencies"] == whole["dependencies"] and np.isnan(other["low"])
    [l8] = [j for j in study(TINY).judge(store) if j.claim.id == "L8" and j.corpus == "toy-short"]
    difference = whole["test UAS"] - other["test UAS"]
    assert l8.found["uas"].value == pytest.approx(difference, abs=1e-9)
    with pytest.raises(ParameterError, match="beam is 0"):
        replace(TINY, beam=0)
    with pytest.raises(ParameterError, match="iterations is 0"):
        replace(TINY, iterations=0)
    run = Run("li2016_transition", "toy-short", TRANSITION, 1, {"beams": 3})
    with pytest.raises(ParameterError, match="no parameter 'beams'"):
        TransitionParameters.of(run)


def test_every_claim_is_checked(store):
    for like, batch in (("en", "batch-gap"), ("zh", "batch-gap-20")):
        every = claims.claimed_effects(like, batch) | claims.effects_on_test()
        for name, effects in every.items():
            known = {
                effect.name for effect in load_claims()[name].effects if effect.only in (None, like)
            }
            assert set(effects) == known, name
    judged = {(j.corpus, j.claim.id) for j in study(TINY).judge(store)}
    assert {claim for corpus, claim in judged if corpus == "toy-short"} == {
        "L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8", "L9", "L10",
    }  # fmt: skip
    assert ("toy-headfinal", "L9") not in judged


def curve(*pairs):
    return tuple(np.array(values, float) for values in zip(*pairs, strict=True))


def test_the_statistics_by_hand():
    full = curve((1000, 90))
    slow = curve((100, 80), (300, 86), (500, 89), (700, 89.5))
    fast = curve((100, 80), (200, 89), (400, 90))
    assert claims._saved(slow, fast, full) == 100 * (1 - 200 / 500)
    assert claims._saved(curve((100, 80), (600, 85)), fast, full) == pytest.approx(
        100 * (1 - 200 / 600)
    )
    assert claims._saved(slow, curve((100, 80), (600, 85)), full) == -np.inf
    assert claims._saved_more(slow, fast, curve((100, 80), (250, 89)), full) == pytest.approx(-10)
    assert claims._saved_seconds(slow, fast, full) == pytest.approx(
        100 * (1 - 200 * 13.6 / (500 * 6.7))
    )
    assert claims._share(fast, full) == 40 and claims._share(slow, full) == np.inf
    flat, above = curve((100, 80), (500, 80)), curve((100, 82), (500, 82))
    assert claims.higher(flat, above) == 2
    fine = curve((100, 80), (200, 84), (300, 90), (500, 90))
    coarse = curve((100, 80), (300, 86), (500, 90))
    assert claims.higher(coarse, fine) == 2  # at 300 and 500
    early = curve((100, 84), (150, 84), (200, 80), (500, 80))
    assert claims._higher_early(curve((100, 80), (150, 80), (500, 80)), early, full) == 4
    assert claims._higher_at_start(flat, above, curve((9000, 90))) == 2
    assert np.isnan(claims._higher_at_start(flat, above, curve((500, 90))))  # nothing so early
    assert claims._higher_at_end(flat, curve((100, 80), (200, 83))) == 3


GOOD = {
    ("L1", "marginal"): "fa-marginal", ("L1", "probability"): "fa-probability",
    ("L2", "saved"): "pa-gap", ("L3", "saved"): "batch-gap", ("L4", "gap-max"): "pa-gap",
    ("L4", "max-entropy"): "pa-max", ("L4", "early"): "pa-gap", ("L5", "share"): "pa-gap",
    ("L6", "probability"): "fa-probability", ("L6", "marginal"): "fa-marginal",
    ("L7", "seconds"): "batch-gap", ("L9", "ratio"): "batch-gap", ("L10", "start"): "batch-gap",
    ("L10", "end"): "pa-gap",
}  # fmt: skip


@pytest.mark.parametrize(("claim", "name"), GOOD)
def test_an_effect_is_on_the_claimed_side_if_the_claimed_method_is_better(claim, name):
    better = curve((100, 80), (150, 89), (400, 91))
    worse = curve((100, 80), (150, 82), (400, 89), (600, 90))
    statistic, strategies = claims.claimed_effects("en", "batch-gap")[claim][name]
    full = curve((3000 if claim == "L10" else 1000, 90))
    named = {ALL: full, GOOD[claim, name]: better}
    found = statistic(*(named.get(strategy, worse) for strategy in strategies))
    [effect] = [each for each in load_claims()[claim].effects if each.name == name]
    assert (found - effect.bound) * (1 if effect.direction == "more" else -1) > 0


class Known:
    """A part whose curves are known."""

    corpus, batch, steps = "ud/xx", ("batch-marginal-gap", "batch-gap", "batch-marginal"), ""

    def curves(self, store, split="dev"):
        up = 0 if split == "dev" else 5
        named = {
            TRANSITION: [(1000, 88)], ALL: [(1000, 90)], "fa-random": [(100, 80), (600, 85), (900, 88)],
            "fa-score": [(100, 80), (500, 89.5)], "fa-marginal": [(100, 80), (400, 89.2), (800, 89.9)],
            "pa-gap": [(100, 80), (150, 85), (200, 89.5), (300, 89.6)],
        }  # fmt: skip
        others = ("fa-probability", "pa-max", "pa-entropy", *self.batch, "batch-gap-20")
        rest = {name: [(100, 80), (300, 85)] for name in others}
        return {name: self._curve(pairs, up) for name, pairs in (named | rest).items()}

    def _curve(self, pairs, up):
        x = [[dependencies for dependencies, _ in pairs]]
        right = [[[10 * (uas + up)] for _, uas in pairs]]
        return Curve(x, right, [1000])


def test_table2_by_hand():
    table = pd.DataFrame(tables._needed(Known(), None)).set_index("method")
    assert (
        table.loc["fa-marginal", "dependencies"] == 400
        and table.loc["pa-gap", "dependencies"] == 200
    )
    assert table.loc["pa-gap", "saved (%)"] == pytest.approx(50)
    assert table.loc["fa-score", "saved (%)"] == pytest.approx(-25)
    assert table.loc["pa-gap", "hours"] == pytest.approx(200 * 13.6 / 3600)
    assert table.loc["fa-marginal", "hours"] == pytest.approx(400 * 6.7 / 3600)
    time = 100 * (1 - 200 * 13.6 / (400 * 6.7))
    assert table.loc["pa-gap", "time saved (%)"] == pytest.approx(time)
    assert table.loc["pa-gap", "dev UAS"] == pytest.approx(89.5)
    assert table.loc["pa-gap", "test UAS"] == pytest.approx(94.5)  # of the same round
    assert table.loc["fa-random", "note"] == "not reached: ends at 88.00 with 900"
    other = table.loc[TRANSITION]
    assert (other["dependencies"], other["dev UAS"], other["test UAS"]) == (1000, 88, 93)


def test_what_ran_out_before_it_came_near_does_not_hold(store, monkeypatch):
    check = study(TINY).checks[1]
    part, [effects] = check.make.func.__self__, check.make.args
    assert check.claim == "L2" and set(effects) == {"saved"}
    never = {"saved": (lambda *points: -np.inf, ("fa-marginal", "pa-gap", ALL))}
    capped = part.estimates(never, store, "dev")["saved"]
    assert np.isnan(capped.value)  # two rounds are few: who knows
    monkeypatch.setattr(tables.Part, "ran_out", lambda self, store, strategy: strategy == "pa-gap")
    assert part.estimates(never, store, "dev")["saved"].value == -np.inf
    [effect] = load_claims()["L2"].effects
    assert judge_effect(effect, Estimate(-np.inf, np.nan, np.nan)) == "does not hold"


def test_what_has_run_out(store):
    part = study(TINY).checks[1].make.func.__self__
    assert not part.ran_out(store, "pa-gap")
    every = replace(TINY, corpora="toy-short", like="en", seeds=1, sentences=30, rounds=9)
    [part] = {c.make.func.__self__ for c in study(every).checks if c.claim == "L2"}
    assert part.ran_out(store, "fa-marginal")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"like": "en"}, "like is 'en', expected zh or en for each"),
        ({"like": "en fr"}, "expected zh or en"),
        ({"corpora": "toy-en toy-en"}, "expected names, each once"),
        ({"first": True}, "seeds is 2, expected 1"),
        ({"sentences": 0}, "sentences is 0"),
        ({"rounds": 0}, "rounds is 0"),
        ({"tags": "gold"}, "tags is 'gold'"),
        ({"pruning": 1.5}, "pruning is 1.5"),
        ({"order": 3}, "order is 3"),
        ({"epochs": 0}, "epochs is 0"),
        ({"bits": 99}, "bits is 99"),
        ({"start": 59}, "there are 0 of 8 to 14 words"),
        ({"words": 0}, "words is 0"),
        ({"sentence": 1000}, "sentence is 1000, but after the first 8"),
        ({"corpora": "toy-en toy-flights"}, "expected a treebank"),
    ],
)
def test_wrong_parameters(wrong, message):
    with pytest.raises(ParameterError, match=message):
        replace(TINY, **wrong)
