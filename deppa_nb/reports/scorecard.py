"""The claims scorecard: what the papers say, what we found, and the verdict."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import pandas as pd

from deppa_nb.experiments.claims import Judgement, Verdict, judge, load_claims
from deppa_nb.reports.charts import paper_chart, to_svg
from deppa_nb.reports.page import Figure, Section, Table

__all__ = ["RULE", "not_run", "not_run_section", "paper_frame", "scorecard", "scorecard_section"]

_MARKS: dict[Verdict, str] = {
    "holds": "✓", "partly": "◐", "does not hold": "✗", "illustration": "◇", "needs people": "☐",
    "not run": "–",
}  # fmt: skip

RULE = (
    "A claim holds if the 95% interval of its effect lies on the claimed side and the effect is "
    "between half and twice the paper's, where the paper gives a size; partly: the right sign, but "
    "the interval covers zero or the size is another; not run: there is no number, because runs "
    "are missing or end too early. What had nothing left to ask and did not come that far never "
    "will: that does not hold. On embedded corpora it is an illustration: their generator decides "
    "what happens there."
)

_COLUMNS = ["claim", "says", "paper", "ours (95%)", "corpus", "verdict"]


def scorecard_section(judgements: Sequence[Judgement]) -> Section:
    """Return the part of the report with the claims that something is known of."""
    every = [*judgements, *not_run(judgements)]
    counts = Counter(judgement.verdict for judgement in every)
    counted = ", ".join(f"{counts[verdict]} {verdict}" for verdict in _MARKS if counts[verdict])
    claims = len({judgement.claim.id for judgement in every})
    blocks: list[Table | Figure] = []
    if judgements:
        blocks.append(Table(RULE, scorecard(judgements), stacked=True))
    if len(sizes := paper_frame(judgements)):
        chart = to_svg(paper_chart(sizes, scale="ratio"))
        blocks.append(Figure("Our effects divided by the papers', where they give a size.", chart))
    return Section("Claims", f"{claims} claims, on one corpus or more: {counted}.", blocks)


def paper_frame(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """Return a row for each effect and value of the paper that it is compared with by size."""
    rows = []
    for judgement in judgements:
        for effect in judgement.claim.effects:
            ours = judgement.found.get(effect.name)
            if ours is None or not math.isfinite(ours.value) or effect.size == "any":
                continue
            known = {k: v for k, v in effect.paper.items() if judgement.like in (None, k)}
            for corpus, paper in (known or effect.paper).items():
                name = f"{judgement.claim.id} {effect.name}, {judgement.where} / {corpus}"
                row = {"effect": name, "unit": "", "paper": paper, "ours": ours.value}
                rows.append({**row, "low": ours.low, "high": ours.high})
    return pd.DataFrame(rows)


def not_run_section(judgements: Sequence[Judgement]) -> Section:
    """Return the part of the report with the other claims."""
    frame = scorecard(not_run(judgements))[["says", "paper", "verdict"]]
    caption = "What the papers say that no finished run of this profile tells of."
    return Section("Claims not run", blocks=[Table(caption, frame, stacked=True)])


def scorecard(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """Return a row for each claim that was not run, and for each effect of the others."""
    rows = [row for judgement in judgements for row in _rows(judgement)]
    return pd.DataFrame(rows, columns=_COLUMNS).set_index("claim")


def not_run(judgements: Sequence[Judgement], paper: str | None = None) -> list[Judgement]:
    """Return the claims that are not among these, of one paper or of all."""
    done = {judgement.claim.id for judgement in judgements}
    claims = [claim for claim in load_claims().values() if paper in (None, claim.paper)]
    return [judge(claim, {}, "") for claim in claims if claim.id not in done]


def _rows(judgement: Judgement) -> list[dict[str, str]]:
    """Return a row for each effect; the first has the claim's words as well."""
    common = {"claim": judgement.claim.id, "says": judgement.claim.text}
    effects = judgement.table().to_dict("records")
    if not judgement.found:
        papers = "; ".join(effect["paper"] for effect in effects if effect["paper"])
        return [_row(common, papers, "", "", judgement.verdict)]
    rows: list[dict[str, str]] = []
    for effect in effects:
        says = f"{common['says']} " if not rows else ""
        row = {**common, "says": f"{says}({effect['statistic']})"}
        ours = _ours(effect["ours"], effect["low"], effect["high"])
        rows.append(_row(row, effect["paper"], ours, judgement.where, effect["verdict"]))
    return rows


def _row(
    common: dict[str, str], paper: str, ours: str, corpus: str, verdict: Verdict
) -> dict[str, str]:
    marked = f"{_MARKS[verdict]} {verdict}"
    return {**common, "paper": paper, "ours (95%)": ours, "corpus": corpus, "verdict": marked}


def _ours(value: float, low: float, high: float) -> str:
    if not math.isfinite(value):
        return "no number" if math.isnan(value) else "never reached"
    ends = ["?" if math.isnan(x) else f"{x:.2f}" for x in (low, high)]
    return f"{value:.2f} ({ends[0]} to {ends[1]})"
