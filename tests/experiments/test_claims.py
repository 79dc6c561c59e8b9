"""The claims and the rule by which they are judged."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from deppa_nb.active.statistics import Estimate
from deppa_nb.errors import FormatError, ParameterError
from deppa_nb.experiments.claims import (
    Claim,
    Effect,
    judge,
    judge_effect,
    load_claims,
    parse_claims,
)

PROJECT = Path(__file__).resolve().parents[2]
SIZED = Effect("x", "a difference", "more", 0, None, {"zh": 20, "en": 50}, "half to twice", None)
UNSIZED = replace(SIZED, paper={}, size="any")
LESS = replace(SIZED, direction="less", paper={"zh": -0.3})
SAME = replace(UNSIZED, direction="same", bound=95, margin=5)


def test_all_claims_of_the_five_papers_are_there() -> None:
    expected = {
        "tour": ["A1"],  # ours
        "li2016": [f"L{k}" for k in range(1, 11)],
        "mirroshandel2011": [f"M{k}" for k in range(11)],
        "mejer2012": [f"J{k}" for k in range(1, 10)],
        "tang2002": [f"T{k}" for k in range(1, 7)],
        "wanvarie2011": [f"W{k}" for k in range(9)],
    }
    found = {paper: [] for paper in expected}
    for claim in load_claims().values():
        found[claim.paper].append(claim.id)
        assert claim.text.endswith(".") and claim.effects
        assert all(effect.only is None or len(effect.paper) < 2 for effect in claim.effects)
    assert found == expected


def test_the_claims_are_those_of_the_specifications() -> None:
    folder = PROJECT.parent / "shared" / "papers"
    if not folder.is_dir():
        pytest.skip(f"this machine lacks the specifications in {folder}")
    written = set()
    for path in folder.glob("[a-z]*.md"):
        claims = path.read_text().partition("## Claims")[2].partition("\n## ")[0]
        written |= set(re.findall(r"(?:^|[.] |- |\n)([LMJTW]\d+) ", claims))
    assert {*written, "A1"} == set(load_claims())


@pytest.mark.parametrize(
    ("effect", "found", "like", "verdict"),
    [
        (SIZED, (30, 20, 40), None, "holds"),
        (SIZED, (-30, -40, -20), None, "does not hold"),
        (SIZED, (-1, -40, 20), None, "does not hold"),
        (SIZED, (0, -1, 1), None, "does not hold"),
        (SIZED, (30, -1, 60), None, "partly"),
        (SIZED, (30, 0, 60), None, "partly"),
        (SIZED, (9.9, 5, 15), None, "partly"),
        (SIZED, (10, 5, 15), None, "holds"),
        (SIZED, (100.1, 95, 105), None, "partly"),
        (SIZED, (45, 40, 50), "en", "holds"),
        (SIZED, (45, 40, 50), "zh", "partly"),
        (SIZED, (45, 40, 50), "fr", "holds"),
        (SIZED, (math.nan, 1, 2), None, "not run"),
        (SIZED, (30, math.nan, 60), None, "partly"),
        (SIZED, (-math.inf, math.nan, 60), None, "does not hold"),
        (UNSIZED, (0.01, 0.001, 0.02), None, "holds"),
        (UNSIZED, (1e9, 1, 1e10), None, "holds"),
        (LESS, (-0.3, -0.5, -0.1), None, "holds"),
        (LESS, (-0.7, -0.9, -0.1), None, "partly"),
        (LESS, (-0.3, -0.9, 0.1), None, "partly"),
        (LESS, (0.3, 0.1, 0.5), None, "does not hold"),
        (replace(UNSIZED, direction="less", bound=10), (8, 6, 9.9), None, "holds"),
        (replace(UNSIZED, direction="less", bound=10), (8, 6, 10.1), None, "partly"),
        (replace(UNSIZED, direction="less", bound=10), (12, 6, 18), None, "does not hold"),
        (SAME, (96, 92, 99), None, "holds"),
        (SAME, (96, 89, 99), None, "partly"),
        (SAME, (89, 88, 92), None, "does not hold"),
        (replace(SAME, bound=0, margin=0), (0, 0, 0), None, "holds"),
    ],
)
def test_the_rule(effect, found, like, verdict) -> None:
    assert judge_effect(effect, Estimate(*found), like) == verdict


@pytest.mark.parametrize("claim", load_claims().values(), ids=lambda claim: claim.id)
def test_a_reversed_effect_does_not_hold(claim: Claim) -> None:
    """Whatever else a claim has, one effect on the wrong side of its bound is the end of it."""
    for effect in claim.effects:
        found = {other.name: _as_claimed(other) for other in claim.effects}
        assert judge(claim, found, "mine", effect.only).verdict == "holds"
        far = (effect.margin or 0) + 1
        value = effect.bound + (far if effect.direction != "more" else -far)
        found[effect.name] = Estimate(value, value - 0.1, value + 0.1)
        assert judge(claim, found, "mine", effect.only).verdict == "does not hold"


def _as_claimed(effect: Effect) -> Estimate:
    side = {"more": 1, "less": -1, "same": 0}[effect.direction]
    value = effect.bound + side * 0.5
    if effect.size != "any":
        value = max(effect.paper.values(), key=abs)
    return Estimate(value, value, value)


def test_a_claim_is_as_good_as_its_worst_effect() -> None:
    two = Claim("X1", "li2016", "Something.", (UNSIZED, replace(UNSIZED, name="y")))
    good, doubtful, bad = Estimate(1, 0.5, 2), Estimate(1, -0.5, 2), Estimate(-1, -2, 0.5)
    assert judge(two, {"x": good, "y": good}, "mine").verdict == "holds"
    assert judge(two, {"x": good, "y": doubtful}, "mine").verdict == "partly"
    assert judge(two, {"x": doubtful, "y": bad}, "mine").verdict == "does not hold"
    assert judge(two, {"x": good}, "mine").verdict == "not run"
    assert judge(two, {"x": good, "y": good}, "toy-en").verdict == "illustration"
    assert judge(two, {}, "toy-en").verdict == "not run"
    assert judge(replace(two, people=True), {}, "mine").verdict == "needs people"
    with pytest.raises(ParameterError, match="claim X1 has no effect 'z'"):
        judge(two, {"z": good}, "mine")


def test_effects_of_other_corpora_are_left_out() -> None:
    claim = load_claims()["L6"]
    assert set(judge(claim, {}, "mine", "en").effects) == {"probability", "marginal"}
    assert set(judge(claim, {}, "mine", "zh").effects) == {"probability", "marginal", "random"}
    assert judge(load_claims()["L9"], {}, "mine", "zh").verdict == "not run"
    clear = {"ratio": Estimate(1, 0.5, 2)}
    assert judge(load_claims()["L9"], clear, "mine").verdict == "holds"
    assert set(judge(load_claims()["L9"], {}, "").effects) == {"ratio"}
    table = judge(claim, {"marginal": Estimate(-1, -2, -0.5)}, "mine", "en").table()
    assert table["verdict"].tolist() == ["not run", "holds"]
    assert table.loc[1, "ours"] == -1 and table["paper"].tolist() == ["", ""]


EFFECT = "{statistic: s, direction: more}"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [", "while parsing"),
        ("[]", "expected names with values"),
        ("p: {L1: {text: t}}", "L1: no effects"),
        (f"p: {{L1: {{effects: {{a: {EFFECT}}}}}}}", "L1: no text"),
        (f"p: {{L1: {{text: 3, effects: {{a: {EFFECT}}}}}}}", "L1: 3, expected a sentence"),
        (f"p: {{L1: {{txt: t, effects: {{a: {EFFECT}}}}}}}", "L1: 'txt' is not known"),
        ("p: {L1: {text: t, effects: {a: {statistic: s}}}}", "L1 a: no direction"),
        ("p: {L1: {text: t, effects: {a: {statistic: s, direction: up}}}}", "'up', expected one"),
        ("p: {L1: {text: t, effects: {a: {statistic: s, direction: same}}}}", "a margin goes"),
        (
            "p: {L1: {text: t, effects: {a: {statistic: s, direction: more, margin: 1}}}}",
            "a margin",
        ),
        ("p: {L1: {text: t, effects: {a: {statistic: s, direction: more, bound: x}}}}", "'x', exp"),
        (
            "p: {L1: {text: t, effects: {a: {statistic: s, direction: more, size: half to twice}}}}",
            "a size, but no value",
        ),
        (
            f"p: {{L1: {{text: t, effects: {{a: {EFFECT}}}}}}}\nq: {{L1: {{text: t, effects: {{a: {EFFECT}}}}}}}",
            "L1 is there twice",
        ),
    ],
)
def test_a_list_that_is_not_right_is_refused(text: str, problem: str) -> None:
    with pytest.raises(FormatError, match=re.escape(problem)):
        parse_claims(text)
