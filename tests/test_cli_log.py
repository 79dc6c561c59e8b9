"""`deppa log` on the logs of two people."""

import json
import re
import shlex
from pathlib import Path

import pytest

from deppa_nb.active.log import Event, read_log
from deppa_nb.active.log_merge import POLICIES
from deppa_nb.active.log_writer import LogWriter
from deppa_nb.cli import main
from deppa_nb.cli.log import log, merge
from deppa_nb.corpus.conllu import read_conllu, write_conllu
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.sequences import read_columns


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A treebank without heads, and logs of anna (2 s a word) and bert (4 s a word)."""
    bank = Treebank((Sentence.of(["I", "see", "her", "[b]"], sent_id="s1"),), "mine")
    write_conllu(tmp_path / "raw.conllu", bank)
    for name, seconds, heads in (("anna", 2, [2, 0, 2]), ("bert", 4, [2, 0, 1])):
        with LogWriter(tmp_path / f"{name}.jsonl", annotator=name, treebank=bank) as writer:
            writer.append(Event("shown", "s1", None, "full"))
            for m, head in enumerate(heads, 1):
                writer.append(Event("head", "s1", m, "full", new=head, ms=m * seconds * 1000))
            writer.append(Event("label", "s1", 1, "full", new="nsubj", ms=3 * seconds * 1000))
    return tmp_path / "raw.conllu", tmp_path / "anna.jsonl", tmp_path / "bert.jsonl"


def run(capsys: pytest.CaptureFixture[str], *words: object, status: int = 0) -> str:
    """Run a command; return what it printed (of an error: where errors go)."""
    with pytest.raises(SystemExit) as left:
        main(list(map(str, words)))
    told = capsys.readouterr()
    assert left.value.code == status, told
    if status:
        assert told.out == "" and told.err.startswith("deppa: ") and told.err.count("\n") == 1, told
    return told.err if status else told.out


def test_logs_are_shown_with_times_and_accuracy(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    raw, anna, bert = files
    gold = tmp_path / "gold.conllu"
    write_conllu(gold, [read_conllu(raw)[0].with_heads([2, 0, 2, 2])])
    found = json.loads(run(capsys, "log", "show", anna, bert, "--gold", gold, "--json"))
    assert [each["events"] for each in found["logs"]] == [5, 5]
    rows = {row["annotator"]: row for row in found["annotators"]}
    assert (rows["anna"]["seconds_full"], rows["bert"]["seconds_full"]) == (2.0, 4.0)
    assert rows["overall"]["seconds_full"] == 3.0 and rows["overall"]["seconds_partial"] is None
    assert (rows["anna"]["accuracy_full"], rows["bert"]["accuracy_full"]) == (
        100,
        pytest.approx(200 / 3),
    )
    text = run(capsys, "log", "show", anna, bert, "--gold", gold, "--pause", "3")
    assert "seconds full" in text and "100.00" in text and "overall" in text


def test_agreement_for_people_and_machines(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    found = json.loads(run(capsys, "log", "agree", *files[1:], "--json"))
    assert found["all"][0] == {"what": "heads", "words": 3, "observed": pytest.approx(2 / 3), "alpha": pytest.approx(6 / 11)}  # fmt: skip
    text = run(capsys, "log", "agree", files[1])
    assert "alpha" in text and "two by two" not in text


def test_logs_are_merged_and_what_differs_is_listed(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    merged = tmp_path / "merged.jsonl"
    text = run(capsys, "log", "merge", *files[1:], "-o", merged)
    assert f"{merged}: 3 answers of 2 annotators" in text and "anna: 2, bert: 1" in text
    before = merged.read_bytes()
    run(capsys, "log", "merge", files[2], files[1], "-o", merged)  # again, the other way round
    assert merged.read_bytes() == before
    assert {event.annotator for event in read_log(merged).events} == {"merged"}
    run(capsys, "log", "merge", *files[1:], "-o", merged, "--policy", "last")
    assert len(read_log(merged).events) == 4
    assert "1.00" not in run(capsys, "log", "show", merged)  # it has no times


def test_a_treebank_is_written(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "out.conllu"
    text = run(capsys, "log", "export", *files[1:], "--treebank", files[0], "-o", out)
    assert "3 heads and labels of 2 annotators" in text and "differ in" in text
    (sentence,) = read_conllu(out)
    assert sentence.heads[1:].tolist() == [2, 0, -1, -1]
    assert sentence.labels[1:] == ("nsubj", "_", "_", "_")
    assert sentence.misc[1:] == ("Annotator=anna,bert", "Annotator=anna,bert", "_", "_")
    only = tmp_path / "only.conllu"
    run(capsys, "log", "export", files[1], "--treebank", out, "-o", only, "--only")
    assert read_conllu(only)[0].heads[1:].tolist() == [2, 0, 2, -1]


def test_sequences_are_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "chunks.txt"
    path.write_text("New NN _\nYork NN _\n\n")
    with LogWriter(tmp_path / "a.jsonl", annotator="anna", treebank=read_columns(path)) as writer:
        writer.append(Event("label", "1", 1, "partial", new="B-NP"))
    run(
        capsys,
        "log",
        "export",
        tmp_path / "a.jsonl",
        "--treebank",
        path,
        "-o",
        tmp_path / "out.txt",
    )
    assert (tmp_path / "out.txt").read_text() == "New NN B-NP\nYork NN _\n\n"


def test_a_cut_off_line_is_told_and_costs_nothing_else(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    files[1].write_bytes(files[1].read_bytes()[:-20])
    with pytest.raises(SystemExit) as left:
        main(["log", "agree", *map(str, files[1:])])
    told = capsys.readouterr()
    assert left.value.code == 0 and f"{files[1]}: its last line is cut off (" in told.err


def test_what_is_refused(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    raw, anna, bert = files
    out, broken = tmp_path / "out", tmp_path / "broken.jsonl"
    lines = anna.read_bytes().splitlines(keepends=True)
    broken.write_bytes(b"".join([*lines[:2], lines[3]]))
    other = tmp_path / "other.conllu"
    write_conllu(other, [Sentence.of(["You", "see", "her", "!"], sent_id="s1")])
    named = tmp_path / "named.jsonl"  # by a person called so
    with LogWriter(named, annotator="merged", treebank=read_conllu(raw)) as writer:
        writer.append(Event("head", "s1", 1, "full", new=2))
    before = {path: path.read_bytes() for path in (anna, bert, broken, named, raw)}
    for words, problem in {
        ("show", broken): f"{broken}:3: seq is 3, expected 2",
        ("show", raw): f"{raw}:1: ",
        ("show", tmp_path / "none.jsonl"): "does not exist",
        ("show",): "Missing argument",
        ("show", anna, "--pause", "0"): "--pause",
        ("show", anna, "--gold", other): f"{other}:2: sentence 's1' does not have the words",
        ("show", anna, "--gold", "nowhere"): "nowhere: no such corpus",
        ("agree", anna, anna): "are both by 'anna'",
        ("merge", anna, bert, "-o", anna): "is one of the logs",
        ("merge", anna, "-o", bert): "is a log of 'bert', expected another file",
        ("merge", anna, "-o", named): "is a log of 'merged', expected another file",
        ("merge", anna, "-o", raw): "is no merged log, expected one or another file",
        ("merge", anna, "-o", broken): f"{broken}:3: seq",
        ("merge", anna, "-o", out, "--policy", "loudest"): "--policy",
        ("export", anna, "--treebank", other, "-o", out): f"{other}:2: sentence 's1' does not have",
        ("export", anna, "--treebank", raw, "-o", bert): "is a log of 'bert'",
        ("export", anna, "-o", out): "--treebank",
    }.items():  # fmt: skip
        assert problem in run(capsys, "log", *words, status=2), words
        assert not out.exists()
    assert before == {path: path.read_bytes() for path in before}


def test_the_policies_are_the_library_s() -> None:
    (choice,) = [parameter.type for parameter in merge.params if parameter.name == "policy"]
    assert tuple(getattr(choice, "choices", ())) == POLICIES


def test_an_empty_log_is_no_error(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "idle.jsonl"
    LogWriter(path, annotator="idle", treebank=read_conllu(files[0])).close()
    assert "idle" in run(capsys, "log", "show", path)
    assert "alpha" in run(capsys, "log", "agree", path, files[1])
    run(capsys, "log", "export", path, "--treebank", files[0], "-o", tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_bytes() == files[0].read_bytes()
    run(capsys, "log", "merge", path, "-o", tmp_path / "merged.jsonl")
    assert read_log(tmp_path / "merged.jsonl").events == ()


def test_the_commands_of_the_page_are_real() -> None:
    page = (Path(__file__).parents[1] / "docs" / "annotation-log.md").read_text(encoding="utf-8")
    lines = [
        shlex.split(line, comments=True)
        for line in re.findall(r"^deppa log .*", page, re.MULTILINE)
    ]
    assert {line[2] for line in lines} == set(log.commands)
    for line in lines:
        options = {name for parameter in log.commands[line[2]].params for name in parameter.opts}
        assert {word for word in line if word.startswith("-")} <= options
