"""What the papers claim, and whether it holds: the rule is applied, never moved."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

import pandas as pd
import yaml

from deppa_nb.active.statistics import Estimate
from deppa_nb.corpus.embedded import is_embedded
from deppa_nb.errors import FormatError, ParameterError

__all__ = [
    "Claim",
    "Effect",
    "Judgement",
    "Verdict",
    "judge",
    "judge_effect",
    "load_claims",
    "parse_claims",
]

Verdict = Literal[
    "holds", "partly", "does not hold", "not run", "needs people", "illustration"
]  # fmt: skip
Direction = Literal["more", "less", "same"]
Size = Literal["half to twice", "any"]

_WORST_FIRST: tuple[Verdict, ...] = (
    "does not hold", "needs people", "not run", "partly", "holds",
)  # fmt: skip


@dataclass(frozen=True)
class Effect:
    """One number of a claim, see the head of claims.yaml.

    Attributes
    ----------
    name, statistic
        What is measured, in a word and in a sentence.
    direction, bound
        Whether it has to be over (more), under (less) or within `margin` of (same) the bound.
    paper
        The paper's value, by the corpus it is from.
    size
        Whether it has to be between half and twice the paper's value.
    only
        The corpus of the paper that it is about, if it is not about all.
    """

    name: str
    statistic: str
    direction: Direction
    bound: float
    margin: float | None
    paper: Mapping[str, float]
    size: Size
    only: str | None


@dataclass(frozen=True)
class Claim:
    """A claim of a paper; `people`: it is about people's work and needs logs of it."""

    id: str
    paper: str
    text: str
    effects: tuple[Effect, ...]
    people: bool = False


@dataclass(frozen=True)
class Judgement:
    """What became of a claim on a corpus: the verdict, and that of each effect with its number.

    `like` is the corpus of the paper that ours stands in for, `variant` how the experiment was done
    if it was done in several ways.
    """

    claim: Claim
    corpus: str
    verdict: Verdict
    effects: Mapping[str, Verdict]
    found: Mapping[str, Estimate]
    like: str | None = None
    variant: str = ""

    @property
    def where(self) -> str:
        """The corpus, and the variant."""
        return f"{self.corpus}, {self.variant}" if self.variant else self.corpus

    def table(self) -> pd.DataFrame:
        """Return a row for each effect: what the paper has, what we have, and the verdict."""
        rows = []
        for effect in self.claim.effects:
            if effect.name in self.effects:
                ours = self.found.get(effect.name, Estimate(math.nan, math.nan, math.nan))
                paper = ", ".join(f"{name} {value:g}" for name, value in effect.paper.items())
                rows.append(
                    {
                        "claim": self.claim.id, "corpus": self.where, "effect": effect.name,
                        "statistic": effect.statistic, "paper": paper, "ours": ours.value,
                        "low": ours.low, "high": ours.high, "verdict": self.effects[effect.name],
                    }
                )  # fmt: skip
        return pd.DataFrame(rows)


def judge_effect(effect: Effect, found: Estimate, like: str | None = None) -> Verdict:
    """Apply the rule to one effect.

    Parameters
    ----------
    effect
        What is claimed.
    found
        What was found, with its 95% interval. Nan tells that there is no number: ``not run``. An
        end of the interval that is nan is not known, so the interval covers everything there.
    like
        The corpus of the paper that ours stands in for; without one the size has to be between
        half of the paper's smallest value and twice its largest.

    Examples
    --------
    >>> effect = load_claims()["L2"].effects[0]
    >>> [judge_effect(effect, Estimate(*x)) for x in ((60, 55, 66), (60, -2, 80), (-5, -9, -1))]
    ['holds', 'partly', 'does not hold']
    """
    if math.isnan(found.value):
        return "not run"
    low = -math.inf if math.isnan(found.low) else found.low
    high = math.inf if math.isnan(found.high) else found.high
    if effect.direction == "same":
        least, most = _around(effect)
        if not least <= found.value <= most:
            return "does not hold"
        return "holds" if least <= low and high <= most else "partly"
    sign = 1 if effect.direction == "more" else -1
    if sign * (found.value - effect.bound) <= 0:
        return "does not hold"
    clear = min(sign * (low - effect.bound), sign * (high - effect.bound)) > 0
    return "holds" if clear and _is_of_size(effect, found.value, like) else "partly"


def _around(effect: Effect) -> tuple[float, float]:
    assert effect.margin is not None
    return effect.bound - effect.margin, effect.bound + effect.margin


def _is_of_size(effect: Effect, value: float, like: str | None) -> bool:
    if effect.size == "any" or not effect.paper:
        return True
    values = effect.paper
    known = [values[like]] if like is not None and like in values else list(values.values())
    low, high = min(known, key=abs) / 2, max(known, key=abs) * 2
    return min(low, high) <= value <= max(low, high)


def judge(
    claim: Claim,
    found: Mapping[str, Estimate],
    corpus: str,
    like: str | None = None,
    variant: str = "",
) -> Judgement:
    """Apply the rule to a claim: it is as good as the worst of its effects.

    Parameters
    ----------
    claim
        Of `load_claims`.
    found
        An estimate for each effect that was measured, by its name.
    corpus
        On which, or on which together, with spaces between them. On the embedded ones everything is
        an illustration: their generator decides.
    like
        See `judge_effect`; effects that are about another corpus of the paper and were not measured
        are left out.
    variant
        How the experiment was done, if it was done in several ways.

    Examples
    --------
    >>> claim = load_claims()["L2"]
    >>> judge(claim, {}, "ud/en_ewt").verdict
    'not run'
    >>> judge(claim, {"saved": Estimate(60, 55, 66)}, "toy-en").verdict
    'illustration'
    """
    if unknown := sorted(found.keys() - {effect.name for effect in claim.effects}):
        raise ParameterError(f"claim {claim.id} has no effect {unknown[0]!r}")
    meant = [
        effect
        for effect in claim.effects
        if effect.only in (None, like) or like is None or effect.name in found
    ]
    missing: Verdict = "needs people" if claim.people else "not run"
    verdicts: dict[str, Verdict] = {
        effect.name: judge_effect(effect, found[effect.name], like)
        if effect.name in found
        else missing
        for effect in meant
    }
    worst = min([*verdicts.values()] or [missing], key=_WORST_FIRST.index)
    if found and all(map(is_embedded, corpus.split())):
        verdicts, worst = dict.fromkeys(verdicts, "illustration"), "illustration"
    return Judgement(claim, corpus, worst, verdicts, found, like, variant)


@cache
def load_claims() -> dict[str, Claim]:
    """Return all claims by identifier.

    >>> load_claims()["J7"].text
    'In about 95% of sentences the two best trees differ in a single edge.'
    """
    return parse_claims((files(__package__) / "claims.yaml").read_text(encoding="utf-8"))


def parse_claims(text: str) -> dict[str, Claim]:
    """Return the claims of a text like claims.yaml; anything that is not expected is refused."""
    try:
        papers = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise FormatError("claims.yaml", None, " ".join(str(error).split())) from error
    claims: dict[str, Claim] = {}
    for paper, listed in _entries(papers, "papers"):
        for name, entry in _entries(listed, paper):
            if name in claims:
                raise FormatError("claims.yaml", None, f"{name} is there twice")
            claims[name] = _claim(name, paper, entry)
    return claims


def _claim(name: str, paper: str, entry: Any) -> Claim:
    given = dict(_entries(entry, name))
    _check_names(name, given, {"text", "effects"}, {"people"})
    effects = tuple(_effect(f"{name} {key}", key, e) for key, e in _entries(given["effects"], name))
    return Claim(name, paper, _text(name, given["text"]), effects, given.get("people") is True)


def _effect(where: str, name: str, entry: Any) -> Effect:
    given = dict(_entries(entry, where))
    known = {field.name for field in fields(Effect)} - {"name"}
    _check_names(where, given, required := {"statistic", "direction"}, known - required)
    paper = {key: _number(where, value) for key, value in _entries(given.get("paper", {}), where)}
    size = given.get("size", "half to twice" if paper else "any")
    for value, allowed in ((given["direction"], Direction), (size, Size)):
        if value not in get_args(allowed):
            raise _wrong(where, f"{value!r}, expected one of {', '.join(get_args(allowed))}")
    margin = None if "margin" not in given else _number(where, given["margin"])
    if (margin is None) == (given["direction"] == "same"):
        raise _wrong(where, "a margin goes with the direction same, and only with it")
    if size != "any" and (not paper or margin is not None):
        raise _wrong(where, "a size, but no value of the paper that it could be compared with")
    return Effect(
        name, _text(where, given["statistic"]), given["direction"],
        _number(where, given.get("bound", 0)), margin, paper, size, given.get("only"),
    )  # fmt: skip


def _check_names(
    where: str, given: Mapping[str, Any], required: set[str], optional: set[str]
) -> None:
    if wrong := sorted(given.keys() - required - optional):
        raise _wrong(where, f"{wrong[0]!r} is not known")
    if missing := sorted(required - given.keys()):
        raise _wrong(where, f"no {missing[0]}")


def _entries(value: Any, where: str) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise _wrong(where, f"{value!r}, expected names with values")
    return [(str(name), entry) for name, entry in value.items()]


def _number(where: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _wrong(where, f"{value!r}, expected a number")
    return float(value)


def _text(where: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _wrong(where, f"{value!r}, expected a sentence")
    return value


def _wrong(where: str, problem: str) -> FormatError:
    return FormatError("claims.yaml", None, f"{where}: {problem}")
