"""Several annotators: merged in any order, compared with published numbers, timed as they were simulated."""

import itertools
import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deppa_nb.active.agreement import agreement_table, pair_table, reliability
from deppa_nb.active.log import Event, Log, bank_digest, read_log, words_digest
from deppa_nb.active.log import Header as LogHeader
from deppa_nb.active.log_export import export, write_merged
from deppa_nb.active.log_merge import POLICIES, merge_logs, open_cycles
from deppa_nb.active.log_state import state
from deppa_nb.active.log_writer import LogWriter
from deppa_nb.active.timing import OVERALL, fitted_rates, study_table
from deppa_nb.corpus.conllu import read_conllu, write_conllu
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.sequences import Sequence as LabelSequence
from deppa_nb.corpus.sequences import SequenceBank
from deppa_nb.corpus.trees import find_cycle, to_heads
from deppa_nb.errors import CorpusError, ParameterError

BANK = Treebank((Sentence.of(["a", "b", "c", "d"], sent_id="s1"), Sentence.of(["e", "f"], sent_id="s2")), "mine")  # fmt: skip


def log_of(annotator: str, *acts: Event, bank: Any = BANK) -> Log:
    """Return a log of acts; those without a time get one a second."""
    named = {getattr(s, "sent_id", str(s.number)): words_digest(s.words) for s in bank}
    events = (
        replace(e, seq=seq, act=seq, annotator=annotator, digest=named.get(e.sentence or ""),
                task=e.task or "partial", utc=e.utc or f"2026-11-17T09:00:{seq:02d}.000Z")
        for seq, e in enumerate(acts, 1)
    )  # fmt: skip
    return Log(
        LogHeader(annotator, bank.name, bank_digest(bank)), tuple(events), f"{annotator}.jsonl"
    )


def head(token: int, new: int | None, sentence: str = "s1", **more: Any) -> Event:
    return Event("head", sentence, token, new=new, **more)


def label(token: int, new: str, sentence: str = "s1") -> Event:
    return Event("label", sentence, token, new=new)


ANNA = log_of("anna", head(1, 2), label(1, "nsubj"), head(2, 0), head(3, 4), head(4, 2))
BERT = log_of("bert", head(1, 3), label(1, "obj"), head(2, 0), head(3, 2), label(3, "obj"))
CLEO = log_of("cleo", head(1, 2), label(1, "obj"), head(4, 3), head(3, None))


def decided(policy: Any, *logs: Log) -> dict[Any, Any]:
    return {(e.what, e.sentence, e.token): e.new for e in merge_logs(logs, policy).events}


def test_each_policy_by_hand() -> None:
    same = {("head", "s1", 2): 0}
    assert decided("open", ANNA, BERT, CLEO) == same
    majority = decided("majority", ANNA, BERT, CLEO)
    # 3 and 4: ties; and so is the label of 1, since Bert's is that of another head.
    assert majority == same | {("head", "s1", 1): 2}
    # Anna's first head of word 3 and Cleo's head of word 4 would go in a circle.
    first = decided("first", ANNA, BERT, CLEO)
    assert first == same | {("head", "s1", 1): 2, ("label", "s1", 1): "nsubj"}
    found = merge_logs([ANNA, BERT, CLEO])
    given = {(c.what, c.token): (c.given, c.kept) for c in found.conflicts}
    assert given["head", 1] == ({"anna": 2, "bert": 3, "cleo": 2}, 2)
    assert given["head", 3] == ({"anna": 4, "bert": 2}, None)  # who took it away has no vote
    assert found.givers["s1", 1] == ("anna", "cleo") and found.givers["s1", 2] == ("anna", "bert")
    assert ("label", ("s1", 3)) in found.opened  # its head is open


@pytest.mark.parametrize("policy", POLICIES)
def test_the_order_of_files_does_not_matter(policy: Any, tmp_path: Path) -> None:
    results = [merge_logs(logs, policy) for logs in itertools.permutations((ANNA, BERT, CLEO))]
    assert all(result == results[0] for result in results)
    write_merged(tmp_path / "merged.jsonl", results[0])
    again = read_log(tmp_path / "merged.jsonl")
    assert again.events == results[0].events and again.header.annotator == "merged"
    assert decided(policy, again) == decided(policy, ANNA, BERT, CLEO)


def test_first_and_last_go_by_time() -> None:
    early = log_of("zoe", head(1, 4, utc="2026-11-17T08:00:00.000Z"))
    late = log_of("anna", head(1, 3, utc="2026-11-17T10:00:00.000Z"))
    assert decided("first", late, early) == {("head", "s1", 1): 4}
    assert decided("last", late, early) == {("head", "s1", 1): 3}


def test_heads_of_two_annotators_that_go_in_a_circle_are_left_open() -> None:
    found = merge_logs(
        [log_of("anna", head(1, 2), head(4, 0)), log_of("bert", head(2, 1), label(2, "x"))]
    )
    assert {(e.token, e.new) for e in found.events} == {(4, 0)}
    assert [(c.what, c.token, c.given) for c in found.conflicts] == [("cycle", 1, {"anna": 2}), ("cycle", 2, {"bert": 1})]  # fmt: skip


def test_a_label_stays_with_the_head_that_it_was_given_for() -> None:
    anna, bert, cleo = log_of("anna", head(1, 2)), log_of("bert", head(1, 2)), log_of("cleo", head(1, 3), label(1, "obj"))  # fmt: skip
    assert decided("majority", anna, bert, cleo) == {("head", "s1", 1): 2}
    assert decided("first", anna, cleo) == {("head", "s1", 1): 2}
    assert decided("last", anna, log_of("cleo", head(1, 2), label(1, "obj"))) == {("head", "s1", 1): 2, ("label", "s1", 1): "obj"}  # fmt: skip
    said = decided("majority", anna, log_of("dora", label(1, "det")), cleo)
    assert said == {}  # a tie of heads, which leaves the label open
    said = decided("majority", anna, bert, log_of("dora", label(1, "det")), cleo)
    assert said[("label", "s1", 1)] == "det"  # who gave no head has a vote


def test_roots_that_nobody_gave_together_are_left_open() -> None:
    found = merge_logs([log_of("anna", head(1, 0), head(3, 2)), log_of("bert", head(2, 0))])
    assert {(e.token, e.new) for e in found.events} == {(3, 2)}
    assert [(c.what, c.token, c.given, c.kept) for c in found.conflicts] == [("root", 1, {"anna": 0}, None), ("root", 2, {"bert": 0}, None)]  # fmt: skip
    both = log_of("anna", head(1, 0), head(2, 0))
    assert len(merge_logs([both, log_of("bert", head(2, 0))]).events) == 2


@given(st.lists(st.integers(-1, 6), min_size=1, max_size=6), st.data())
def test_no_cycle_is_left(heads: list[int], data: st.DataObject) -> None:
    heads = [min(head, len(heads)) for head in heads]
    fixed = {m for m in range(1, len(heads) + 1) if data.draw(st.booleans())}
    if find_cycle(to_heads([h if m in fixed else -1 for m, h in enumerate(heads, 1)])):
        return
    free = set(range(1, len(heads) + 1)) - fixed
    gone = open_cycles(heads, free)
    assert set(gone) <= free
    assert not find_cycle(to_heads([-1 if m in gone else h for m, h in enumerate(heads, 1)]))


def test_preferences_are_merged_too() -> None:
    trees = ((2, 0), (0, 1))
    acts = [log_of(name, Event("tree", "s2", None, "full", new=new, trees=trees)) for name, new in zip("abc", "ABB", strict=True)]  # fmt: skip
    (event,) = merge_logs(acts).events
    assert (event.new, event.trees) == ("B", trees)


def test_logs_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(CorpusError, match=r"anna.jsonl and anna.jsonl are both by 'anna'"):
        merge_logs([ANNA, ANNA])
    other = log_of("dora", bank=BANK.with_sentences(BANK[:1]))
    with pytest.raises(
        CorpusError, match=r"anna.jsonl \(mine\) and dora.jsonl \(mine\) are not logs of the same"
    ):
        agreement_table([ANNA, other])
    changed = replace(BERT, events=tuple(replace(e, digest="0") for e in BERT.events))
    with pytest.raises(
        CorpusError, match=r"anna.jsonl and bert.jsonl do not have the same words in sentence 's1'"
    ):
        merge_logs([ANNA, changed])
    with pytest.raises(ParameterError, match="policy is 'loudest'"):
        merge_logs([ANNA], "loudest")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no logs"):
        merge_logs([])
    with pytest.raises(ParameterError, match="agreement of 'tails'"):
        pair_table([ANNA], "tails")


TEXT = """# sent_id = s1
# text = ab c d
1-2\tab\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\ta\tA\tX\tx\tF=1\t4\tdep\t4:dep\t_
2\tb\tB\tX\tx\tF=1\t_\t_\t_\tK=v|Annotator=old
3\tc\tC\tX\tx\tF=1\t2\tdep\t_\tK=v
3.1\tnull\t_\t_\t_\t_\t_\t_\t_\t_
4\td\tD\tX\tx\tF=1\t0\troot\t_\t_

# sent_id = s2
1\te\t_\t_\t_\t_\t0\troot\t_\t_
2\tf\t_\t_\t_\t_\t_\t_\t_\t_

"""


def exported(tmp_path: Path, *logs: Log, only: bool = False, **more: Any) -> tuple[str, Any]:
    (tmp_path / "in.conllu").write_text(TEXT)
    found = export(read_conllu(tmp_path / "in.conllu"), merge_logs(logs, **more), only=only)
    write_conllu(tmp_path / "out.conllu", found.bank)
    return (tmp_path / "out.conllu").read_text(), found.cycles


def test_a_treebank_gets_what_was_given_and_keeps_the_rest_to_the_byte(tmp_path: Path) -> None:
    acts = log_of("an|na b", head(2, 4), label(2, "obj"), head(1, 3), head(3, None))
    text, cycles = exported(tmp_path, acts)
    expected = (
        TEXT.replace("\t_\t_\t_\tK=v|Annotator=old", "\t4\tobj\t_\tK=v|Annotator=an_na_b")
        .replace("4\tdep\t4:dep\t_", "3\t_\t4:dep\tAnnotator=an_na_b")
        .replace("\t2\tdep\t_\tK=v", "\t_\t_\t_\tK=v")
    )
    assert text == expected and cycles == ()
    assert exported(tmp_path, log_of("idle", Event("shown", "s1", 1)))[0] == TEXT
    only, _ = exported(tmp_path, acts, only=True)
    assert [line.split("\t")[6:8] for line in only.splitlines() if "\tF=1\t" in line or "\te\t" in line] == [
        ["3", "_"], ["4", "obj"], ["_", "_"], ["_", "_"], ["_", "_"],
    ]  # fmt: skip


def test_a_head_that_closes_a_cycle_with_the_file_s_own_stays_open(tmp_path: Path) -> None:
    text, cycles = exported(tmp_path, log_of("anna", head(2, 3), label(2, "obj")))
    assert [(c.sentence, c.token, c.given) for c in cycles] == [("s1", 2, {"anna": 3})]
    assert text == TEXT.replace("K=v|Annotator=old", "K=v")


def test_another_treebank_is_not_filled(tmp_path: Path) -> None:
    (tmp_path / "in.conllu").write_text(TEXT.replace("\tc\t", "\tx\t"))
    with pytest.raises(CorpusError, match=r"in.conllu:3: sentence 's1' does not have the words"):
        export(read_conllu(tmp_path / "in.conllu"), merge_logs([ANNA]))
    with pytest.raises(CorpusError, match="no sentence 's1', of which the logs speak"):
        export(BANK[1:], merge_logs([ANNA]))


def test_sequences_get_labels() -> None:
    bank = SequenceBank(
        (LabelSequence(("word", "label"), (("in", "New", "York"), ("O", "_", "_"))),), "places"
    )
    acts = log_of("anna", Event("label", "1", 2, new="B-LOC"), bank=bank)
    assert export(bank, merge_logs([acts])).bank[0].labels == ("O", "B-LOC", "_")
    assert export(bank, merge_logs([acts]), only=True).bank[0].labels == ("_", "B-LOC", "_")


# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C: four observers, twelve units.
KRIPPENDORFF = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""


def test_alpha_is_the_published_one() -> None:
    rows = [line.split() for line in KRIPPENDORFF.strip().splitlines()]
    units = [[value for value in column if value != "."] for column in zip(*rows, strict=True)]
    found = reliability(units)
    assert (found.words, round(found.alpha, 3)) == (11, 0.743)


def naive_alpha(units: Sequence[Sequence[Hashable]]) -> float:
    """1 - D_o / D_e as averages over pairs of values, within units and over all."""
    units = [values for values in units if len(values) > 1]
    n = sum(map(len, units))
    within = sum(
        sum(a != b for a, b in itertools.permutations(values, 2)) / (len(values) - 1)
        for values in units
    )
    everywhere = [
        a != b for a, b in itertools.permutations([v for values in units for v in values], 2)
    ]
    return 1 - (within / n) / (sum(everywhere) / len(everywhere)) if any(everywhere) else math.nan


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=8))
def test_alpha_is_that_of_all_pairs(units: list[list[int]]) -> None:
    assert reliability(units).alpha == pytest.approx(naive_alpha(units), nan_ok=True)


def test_agreement_of_logs() -> None:
    table = agreement_table([ANNA, BERT, CLEO])
    assert table["words"].tolist() == [4, 1, 1]  # words 1 to 4 have two heads, word 1 has labels
    assert table.loc["heads", "observed"] == pytest.approx((1 + 2 + 0 + 0) / 9)
    assert table.loc["heads with labels", "observed"] == 0
    pairs = pair_table([CLEO, BERT, ANNA]).set_index(["first", "second"])
    assert pairs.loc[("anna", "bert"), "words"] == 3
    assert pairs.loc[("anna", "bert"), "observed"] == pytest.approx(1 / 3)
    alone = agreement_table([ANNA])
    assert alone["words"].tolist() == [0, 0, 0] and alone["alpha"].isna().all()


def shown(ms: int, **more: Any) -> Event:
    return Event("shown", "s1", 1, "partial", ms=ms, **more)


def page(new: str, ms: int) -> Event:
    return Event("page", new=new, ms=ms, visible=new != "hidden")


@pytest.mark.parametrize(
    "acts, seconds",
    [
        ([shown(1000), head(1, 2, ms=4000)], 3.0),
        ([shown(1000), page("hidden", 2000), page("visible", 50_000), head(1, 2, ms=52_000)], 3.0),
        ([shown(1000), head(1, 2, ms=3000), head(1, 3, ms=5000)], 4.0),  # a correction costs time
        ([shown(1000), head(1, 2, ms=3000), shown(50_000), head(2, 0, ms=54_000)], 3.0),  # waiting does not
        ([shown(1000), head(1, 2, ms=3000), shown(4000), head(2, 0, ms=90_000)], 2.0),  # nor does a pause
        ([shown(9000), page("open", 10), shown(20), head(1, 2, ms=3020)], 3.0),
        ([shown(9000), head(1, 2, ms=20), shown(30), head(2, 0, ms=1030)], 1.0),  # opened anew, unsaid
        ([head(1, 2, ms=0), head(2, 0, ms=0)], None),  # nobody measured
        ([shown(1000), head(1, 2, ms=3000), Event("undo", undo_of=2, ms=4000)], None),
    ],
)  # fmt: skip
def test_what_counts_as_time(acts: list[Event], seconds: float | None) -> None:
    assert fitted_rates([log_of("anna", *acts)]) == (
        {} if seconds is None else {"anna": {"partial": seconds}}
    )


RATES = {"one": (4.0, 7.9, 0.85, 0.73, 0.75), "two": (7.5, 16.0, 0.79, 0.72, 0.62)}
"""Seconds FA and PA, accuracy FA on easy and on hard words, and PA: as put in."""


def simulate(path: Path, gold: Treebank, name: str, half: int, rng: np.random.Generator) -> Log:
    """Annotate one half of the sentences fully and every fifth word of the other, with breaks."""
    fast, slow, easy, hard, single = RATES[name]
    ms = 0
    with LogWriter(
        path, annotator=name, treebank=gold, clock=lambda: "2026-11-17T09:00:00.000Z"
    ) as log:
        for k, sentence in enumerate(gold):
            task: Any = "full" if k % 2 == half else "partial"
            ms += int(rng.integers(0, 30_000))
            log.append(Event("shown", sentence.sent_id, None, task, ms=ms))
            for m in (
                range(1, len(sentence) + 1) if task == "full" else range(5, len(sentence) + 1, 5)
            ):
                ms += round(1000 * (fast if task == "full" else slow) * rng.uniform(0.5, 1.5))
                chance = single if task == "partial" else hard if m % 5 == 0 else easy
                right = int(sentence.heads[m])
                wrong = next(h for h in range(len(sentence) + 1) if h not in (m, right))
                log.append(
                    Event(
                        "head",
                        sentence.sent_id,
                        m,
                        task,
                        new=right if rng.random() < chance else wrong,
                        ms=ms,
                    )
                )
                if rng.random() < 0.05:
                    log.append(Event("page", new="hidden", ms=ms, visible=False))
                    ms += 20_000
                    log.append(Event("page", new="visible", ms=ms))
    return read_log(path)


def test_simulated_annotators_get_back_what_was_put_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    monkeypatch.setattr(os, "fsync", lambda handle: None)  # thousands of them
    rng = np.random.default_rng(1)
    gold = Treebank(
        tuple(Sentence.of(["w"] * 15, [0, *range(1, 15)], sent_id=str(i)) for i in range(160)),
        "gold",
    )
    logs = [
        simulate(tmp_path / f"{name}.jsonl", gold, name, half, rng)
        for half, name in enumerate(RATES)
    ]
    table = study_table(logs, gold)
    rates = fitted_rates(logs)
    for name, (fast, slow, easy, hard, single) in RATES.items():
        row = table.loc[name]
        assert (row["dependencies_full"], row["dependencies_partial"]) == (1200, 240)
        assert row["seconds_full"] == pytest.approx(fast, rel=0.03) == rates[name]["full"]
        assert row["seconds_partial"] == pytest.approx(slow, rel=0.06)
        assert row["accuracy_full"] == pytest.approx(100 * (0.8 * easy + 0.2 * hard), abs=3)
        assert row["accuracy_full_hard"] == pytest.approx(100 * hard, abs=7)
        assert row["accuracy_partial"] == pytest.approx(100 * single, abs=7)
    assert table.loc[OVERALL, "dependencies_full"] == 2400
    assert table.loc[OVERALL, "seconds_full"] == pytest.approx(
        table["seconds_full"].iloc[:2].mean()
    )
    assert study_table(logs).filter(like="accuracy").isna().all().all()


def test_somebody_may_be_called_overall() -> None:
    acts = [shown(0), replace(head(1, 2), ms=4000)]
    assert fitted_rates([log_of(OVERALL, *acts)]) == {OVERALL: {"partial": 4.0}}


def test_gold_trees_of_other_words_are_refused() -> None:
    with pytest.raises(CorpusError, match="mine:1: sentence 's1' does not have the words"):
        study_table([ANNA], BANK.with_sentences([Sentence.of(["x"], [0], sent_id="s1")]))
    with pytest.raises(CorpusError, match="mine: has no sentence that was annotated"):
        study_table([ANNA], BANK[1:])
    with pytest.raises(ParameterError, match="max_gap is 0"):
        study_table([ANNA], max_gap=0)


def test_heads_that_were_not_touched_are_no_one_s() -> None:
    assert state(ANNA.events).heads.keys() == {("s1", m) for m in (1, 2, 3, 4)}
