"""The annotation log: nothing acknowledged is lost, nothing wrong gets in, undo is what a stack would do."""

import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deppa_nb.active.log import Event, Log, What, parse_log, read_log, to_line, words_digest
from deppa_nb.active.log_state import standing, state
from deppa_nb.active.log_writer import LogWriter
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.sequences import Sequence, SequenceBank
from deppa_nb.errors import CorpusError, DeppaError, FormatError
from deppa_nb.models.crf import CRFParser

PROJECT = Path(__file__).resolve().parents[2]
BANK = Treebank(
    (
        Sentence.of(["Fische", "schwimmen", "über", "Äcker"], sent_id="sätze-1"),
        Sentence.of(["魚", "が", "泳ぐ"], sent_id="魚-2"),
    ),
    "mine",
)
FIRST, SECOND = "sätze-1", "魚-2"


def ticking() -> Callable[[], str]:
    ticks = iter(range(10**6))
    return lambda: f"2026-11-17T09:00:{next(ticks) % 60:02d}.000Z"


def writer(path: Path, annotator: str = "ánna", bank: Any = BANK) -> LogWriter:
    return LogWriter(path, annotator=annotator, treebank=bank, clock=ticking())


def head(token: int, new: int | None, sentence: str = FIRST, **more: Any) -> Event:
    return Event("head", sentence, token, "partial", new=new, **more)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "annotations" / "anna.jsonl"


def example(path: Path) -> list[Event]:
    """Write a log with an event of each kind."""
    with writer(path) as log:
        log.append(Event("page", new="open", how="page"))
        log.append(
            Event("shown", FIRST, 1, "partial", ms=10, round=1, strategy="gap", model="0a1b")
        )
        log.append(head(1, 2, rank=1, probability=0.75, ms=900))
        log.append(Event("label", FIRST, 1, "partial", new="nsubj", how="click", ms=1500))
        log.append_act([head(3, 4), head(4, 2), Event("unsure", FIRST, 4, "partial")])
        log.append(Event("undo", undo_of=5))
        log.append(Event("undo", undo_of=8))
        log.append(head(1, None, old=2))
        log.append(Event("tree", SECOND, None, "full", new="B", trees=((3, 1, 0), (2, 3, 0))))
        log.append(Event("skip", SECOND, 1, "full"))
        log.append(Event("submit", FIRST, None, "full"))
        log.append(Event("page", new="hidden", how="page", visible=False))
        return log.events


def test_what_is_written_is_read(path: Path) -> None:
    events = example(path)
    log = read_log(path)
    assert log.events == tuple(events) and (log.torn, log.size) == (0, path.stat().st_size)
    assert (log.header.annotator, log.header.treebank) == ("ánna", "mine")
    assert [event.seq for event in events] == list(range(1, 15))
    assert {event.act for event in events[4:7]} == {5}
    found = state(events)
    assert found.heads == {(FIRST, 1): None, (FIRST, 3): 4, (FIRST, 4): 2}
    assert found.labels == {(FIRST, 1): "nsubj"}
    assert found.preferences == {(SECOND, ((3, 1, 0), (2, 3, 0))): "B"}
    assert (found.unsure, found.skipped) == ({(FIRST, 4)}, {(SECOND, 1)})
    assert found.submitted == {FIRST}
    first = json.loads(path.read_bytes().splitlines()[3])
    assert (first["digest"], first["utc"]) == (
        words_digest(BANK[0].words),
        "2026-11-17T09:00:02.000Z",
    )


def test_numbers_of_numpy_are_numbers(path: Path) -> None:
    with writer(path) as log:
        odd: Any = {"new": np.int32(2), "probability": np.float32(0.5), "visible": np.bool_(True)}
        event = log.append(Event("head", FIRST, 1, "full", **odd))
    assert read_log(path).events == (event,) and type(event.new) is int


def test_a_log_is_continued(path: Path) -> None:
    events = example(path)
    before = path.read_bytes()
    with writer(path) as log:
        assert log.events == events and log.set_aside is None
        assert log.append(head(2, 0)).seq == len(events) + 1
    assert path.read_bytes().startswith(before)
    assert len(read_log(path).events) == len(events) + 1


def test_sequences_have_logs_too(path: Path) -> None:
    bank = SequenceBank((Sequence(("word", "label"), (("New", "York"), ("_", "_"))),), "places")
    with writer(path, bank=bank) as log:
        log.append(Event("label", "1", 2, "partial", new="I-LOC"))
    assert state(read_log(path).events).labels == {("1", 2): "I-LOC"}


@pytest.mark.parametrize(
    "event, problem",
    [
        (head(5, 2), "token is 5, past the sentence's last word 4"),
        (head(1, 5), "new is 5, past the sentence's last word 4"),
        (head(1, 1), "the word itself"),
        (head(1, -1), "new is -1, expected a head, 0 or more, or null"),
        (replace(head(1, 2), new="2"), "new is '2', expected a head"),
        (head(1, 2, sentence="s9"), "sentence 's9' is not in mine"),
        (head(1, 2, rank=0), "rank is 0, expected 1 or more"),
        (head(1, 2, probability=float("nan")), "probability is nan"),
        (head(1, 2, ms=-1), "ms is -1"),
        (head(1, 2, ms=1.5), "ms is 1.5, expected a whole number"),
        (head(1, 2, utc="yesterday"), "utc is 'yesterday'"),
        (head(1, 2, how=""), "how is empty"),
        (head(1, 2, undo_of=1), "head with undo_of 1"),
        (head(1, 2, trees=((1,), (1,))), "head with trees"),
        (Event("label", FIRST, 1, "full", new="_"), "new is '_', expected a label without white space"),
        (Event("label", FIRST, 1, "full", new="a b"), "new is 'a b', expected a label without white space"),
        (Event("label", FIRST, 1, "full", new="a\tb"), "without control characters"),
        (Event("label", FIRST, 1, new="obj"), "task is null, expected full or partial"),
        (Event("head", FIRST, None, "full", new=1), "head with token null, expected one"),
        (Event("submit", FIRST, 1, "full"), "submit with token 1, expected null"),
        (Event("page", FIRST, new="open"), "page with sentence 'sätze-1'"),
        (Event("page", new="gone"), "page with new 'gone', expected open, visible, hidden"),
        (Event("tree", FIRST, None, "full", new="A"), "tree with trees null"),
        (Event("tree", FIRST, None, "full", new="A", trees=((0, 1), (0, 1))), "trees of 2 words, expected 4"),
        (Event("tree", FIRST, None, "full", new="A", trees=((0, 1), (0,))), "two trees of one length"),
        (Event("tree", FIRST, None, "full", new="A", trees=((0, 3), (0, 1))), "head 3 among the trees"),
        (Event("undo", undo_of=7), "undo of 7, which is no act"),
        (Event("undo", undo_of=2), "undo of 2, which is no act"),  # a question that was shown
        (Event("undo"), "undo with undo_of null"),
        (Event("nod", FIRST, 1, "full"), "what is 'nod', expected shown, head"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_nothing_wrong_is_written(path: Path, event: Event, problem: str) -> None:
    with writer(path) as log:
        log.append(head(1, 2))
        log.append(Event("shown", FIRST, 1, "partial"))
        before = path.read_bytes()
        with pytest.raises(FormatError) as raised:
            log.append_act([head(2, 0), event] if event.what != "undo" else [event])
        assert problem in str(raised.value) and str(raised.value).startswith(f"{path}:")
        assert path.read_bytes() == before and len(log.events) == 2
        assert log.append(head(2, 0)).seq == 3


def test_an_act_is_undone_once_and_a_later_undo_is_not_forgotten(path: Path) -> None:
    with writer(path) as log:
        log.append(head(1, 2))
        undo = log.append(Event("undo", undo_of=1))
        with pytest.raises(FormatError, match="undo of 1, which is taken back already"):
            log.append(Event("undo", undo_of=1))
        redo = log.append(Event("undo", undo_of=undo.seq))
        with pytest.raises(FormatError, match=r":5: undo of 2, which is taken back already"):
            log.append(Event("undo", undo_of=undo.seq))
        log.append(Event("undo", undo_of=1))
        log.append(Event("undo", undo_of=redo.seq))  # the first undo stands again, beside the last
        log.append(Event("undo", undo_of=4))
        assert state(log.events).heads == {}
    with writer(path) as log:
        with pytest.raises(FormatError, match="undo of 1"):
            log.append(Event("undo", undo_of=1))


def lines_of(path: Path) -> list[dict[str, Any]]:
    example(path)
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.mark.parametrize(
    "line, change, problem",
    [
        (1, {"format": "other"}, "format 'other', expected the header"),
        (1, {"version": 2}, "version 2 of the format, expected 1"),
        (1, {"annotator": " "}, "annotator is empty"),
        (1, {"extra": 1}, "unknown field 'extra'"),
        (1, {"digest": None}, "digest is null, expected text"),
        (4, {"seq": 4}, "seq is 4, expected 3"),
        (4, {"colour": "red"}, "unknown field 'colour'"),
        (4, {"visible": 1}, "visible is 1, expected true or false"),
        (4, {"token": True}, "token is true, expected a whole number or null"),
        (4, {"annotator": "bert"}, "annotator is 'bert', expected 'ánna'"),
        (4, {"digest": "00"}, "digest 00 of sentence 'sätze-1', expected"),
        (4, {"act": 2}, "act is 2, expected 3"),
        (7, {"act": 4}, "act is 4, expected 6 or 5"),
        (10, {"undo_of": 9}, "undo of 9, which is no act"),
        (10, {"undo_of": 6}, "undo of 6, which is no act"),
        (10, {"undo_of": 5}, "undo of 5, which is taken back already"),
    ],
)  # fmt: skip
def test_nothing_wrong_is_read(path: Path, line: int, change: dict[str, Any], problem: str) -> None:
    lines = lines_of(path)
    lines[line - 1] |= change
    path.write_text("".join(json.dumps(given) + "\n" for given in lines), encoding="utf-8")
    for act in (lambda: read_log(path), lambda: writer(path)):
        with pytest.raises(FormatError) as raised:
            act()
        assert str(raised.value).startswith(f"{path}:{line}: ") and problem in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        b"{",
        b"",
        b"[]",
        b"\xff",
        b"\0\0",
        b'{"seq": NaN',
        b"[" * 100_000,
        b'{"seq": 1}',
        b"1" * 5000,
    ],
)
def test_a_broken_line_in_the_middle_is_an_error_with_its_number(path: Path, text: bytes) -> None:
    example(path)
    lines = path.read_bytes().split(b"\n")
    lines[5] = text
    path.write_bytes(b"\n".join(lines))
    before = path.read_bytes()
    for act in (lambda: read_log(path), lambda: writer(path)):
        with pytest.raises(FormatError) as raised:
            act()
        assert str(raised.value).startswith(f"{path}:6: ") and len(str(raised.value)) < 300 + len(
            str(path)
        )
    assert path.read_bytes() == before


def test_a_byte_that_changed_is_an_error_with_a_line_or_another_value(path: Path) -> None:
    example(path)
    data, dice = path.read_bytes(), random.Random(1)
    refused = 0
    for _ in range(600):
        place = dice.randrange(len(data))
        changed = data[:place] + bytes([dice.choice(b'\0\n"{}[],:-1e9x\xff')]) + data[place + 1 :]
        try:
            parse_log("log", changed)
        except FormatError as error:
            refused += 1
            assert re.match(r"log:[0-9]+: .+", str(error)) and "\n" not in str(error)
    assert refused > 400


def test_a_field_that_is_missing_is_named(path: Path) -> None:
    lines = lines_of(path)
    for field in fields(Event):
        shorter = {name: value for name, value in lines[3].items() if name != field.name}
        path.write_text(
            "".join(json.dumps(g) + "\n" for g in [*lines[:3], shorter]), encoding="utf-8"
        )
        with pytest.raises(FormatError, match=f":4: no field '{field.name}'"):
            read_log(path)


def test_other_files_are_not_taken_for_logs(path: Path) -> None:
    path.parent.mkdir()
    for text in ("notes of mine", "notes\n", "# sent_id = 1\n1\tx\n"):
        path.write_text(text)
        for act in (lambda: read_log(path), lambda: writer(path)):
            with pytest.raises(FormatError, match=":1: "):
                act()
        assert path.read_text() == text and not list(path.parent.glob("*.torn"))
    with pytest.raises(FormatError, match="cannot be read"):
        read_log(path.parent)
    with pytest.raises(DeppaError, match="cannot be written"):
        writer(path / "below.jsonl")


def test_a_log_cut_anywhere_keeps_all_whole_lines(path: Path) -> None:
    events = example(path)
    data = path.read_bytes()
    ends = [i for i, byte in enumerate(data) if byte == ord("\n")]
    for cut in range(len(data) + 1):
        whole = sum(end <= cut for end in ends)  # a line lacks no more than its end, or is torn
        log = parse_log(path, data[:cut])
        if whole == 0:
            assert log is None
            continue
        assert log is not None and log.events == tuple(events[: whole - 1])
        assert log.size + log.torn == cut
    for cut in [*random.Random(1).sample(range(len(data)), 40), 0, 1, ends[0], ends[0] + 1]:
        path.write_bytes(data[:cut])
        whole = sum(end <= cut for end in ends)
        torn = path.with_name("anna.jsonl.torn")
        torn.unlink(missing_ok=True)
        with writer(path) as again:
            assert again.events == events[: max(0, whole - 1)]
            assert again.set_aside == (torn if torn.exists() else None)
            log_now = parse_log(path, data[:cut])
            left = data[:cut][log_now.size if log_now else 0 :]
            assert (torn.read_bytes() if torn.exists() else b"\n") == left + b"\n"
            again.append(Event("page", new="open"))
        assert len(read_log(path).events) == max(0, whole - 1) + 1


def test_another_treebank_or_annotator_is_noticed(path: Path) -> None:
    example(path)
    before = path.read_bytes()
    other = BANK.with_sentences([BANK[0], Sentence.of(["魚", "が", "飛ぶ"], sent_id=SECOND)])
    with pytest.raises(CorpusError, match="the words of 'mine' are not the same"):
        writer(path, bank=other)
    with pytest.raises(FormatError, match="a log of 'ánna', expected one of 'bert'"):
        writer(path, "bert")
    with pytest.raises(FormatError, match="annotator is empty"):
        writer(path.with_name("new.jsonl"), "")
    with pytest.raises(CorpusError, match="a second sentence 'sätze-1'"):
        writer(path.with_name("new.jsonl"), bank=BANK.with_sentences([BANK[0], BANK[0]]))
    assert path.read_bytes() == before and not path.with_name("new.jsonl").exists()


def test_one_writer_at_a_time(path: Path) -> None:
    with writer(path) as log:
        with pytest.raises(DeppaError, match="another program or notebook is writing this log"):
            writer(path)
        alias = path.with_name("alias.jsonl")
        alias.symlink_to(path)
        with pytest.raises(DeppaError, match="another program"):
            writer(alias)
        log.append(head(1, 2))
        assert len(read_log(path).events) == 1  # who reads does not wait
    log.close()
    with pytest.raises(DeppaError, match="the log is closed"):
        log.append(head(1, 2))
    left = writer(path)
    del left  # a writer that nobody closed
    with writer(path):
        pass
    assert sorted(file.name for file in path.parent.iterdir()) == ["alias.jsonl", "anna.jsonl"]


def test_a_log_that_is_changed_or_removed_under_the_writer_is_noticed(path: Path) -> None:
    for change in (lambda: path.write_bytes(path.read_bytes()[:-1]), path.unlink,
                   lambda: path.rename(path.with_name("moved"))):  # fmt: skip
        with writer(path) as log:
            log.append(head(1, 2))
            change()
            with pytest.raises(DeppaError, match="changed or removed by another program"):
                log.append(head(2, 0))
            assert len(log.events) == len([e for e in log.events if e.seq])


CHILD = """
import sys
from pathlib import Path
from deppa_nb.active.log import Event
from deppa_nb.active.log_writer import LogWriter
from deppa_nb.corpus.sentence import Sentence, Treebank
bank = Treebank((Sentence.of(["a", "b"], sent_id="s1"),), "mine")
log = LogWriter(Path(sys.argv[1]), annotator="anna", treebank=bank)
"""


def child(path: Path, code: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    return subprocess.Popen(
        [sys.executable, "-c", CHILD + code, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


def test_what_was_acknowledged_survives_kill_9(path: Path) -> None:
    endless = """
while True:
    print(log.append(Event("head", "s1", 1, "full", new=2)).seq, flush=True)
"""
    process = child(path, endless)
    assert process.stdout
    acknowledged = [process.stdout.readline() for _ in range(25)]
    os.kill(process.pid, signal.SIGKILL)
    acknowledged += process.stdout.readlines()
    process.wait()
    process.stdout.close()
    last = int([line for line in acknowledged if line.endswith("\n")][-1])
    events = read_log(path).events
    assert len(events) >= last >= 25
    bank = Treebank((Sentence.of(["a", "b"], sent_id="s1"),), "mine")
    with LogWriter(path, annotator="anna", treebank=bank) as log:  # the lock died with its holder
        assert log.append(Event("page", new="open")).seq == len(events) + 1


def test_a_full_disk_leaves_the_log_valid(path: Path) -> None:
    """A limit on the size of files cuts a write in the middle, as a full disk does."""
    filling = """
import resource, signal
from deppa_nb.errors import DeppaError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
log.append(Event("head", "s1", 1, "full", new=2))
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (Path(sys.argv[1]).stat().st_size + 100, hard))
try:
    log.append(Event("head", "s1", 2, "full", new=0))
except DeppaError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
print(log.append(Event("head", "s1", 1, "full", new=0)).seq)
"""
    process = child(path, filling)
    told, _ = process.communicate()
    assert told.splitlines() == [f"{path}: cannot be written (File too large)", "2"]
    assert [event.new for event in read_log(path).events] == [2, 0]


def test_a_disk_that_fails_to_sync_leaves_the_log_valid(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with writer(path) as log:
        log.append(head(1, 2))
        before = path.read_bytes()

        def fail(handle: int) -> None:
            raise OSError(5, "Input/output error")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail)
            with pytest.raises(DeppaError, match=r"cannot be written \(Input/output error\)"):
                log.append(head(2, 0))
        assert path.read_bytes() == before
        assert log.append(head(2, 0)).seq == 2
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail)
            patch.setattr(os, "ftruncate", lambda handle, size: fail(handle))
            with pytest.raises(DeppaError, match="cannot be written"):
                log.append(head(3, 2))
        with pytest.raises(DeppaError, match="closed"):  # its end is not known: begin anew
            log.append(head(3, 2))


def test_a_line_and_a_new_log_s_folder_are_synced_before_they_are_acknowledged(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    real = os.fsync

    def note(handle: int) -> None:
        synced.append(os.fstat(handle).st_ino)
        real(handle)

    monkeypatch.setattr(os, "fsync", note)
    with writer(path) as log:
        files = (path, path.parent, path.parent.parent)
        assert {file.stat().st_ino for file in files} <= set(synced)
        synced.clear()
        log.append(head(1, 2))
        assert synced == [path.stat().st_ino]


ACTS = st.lists(
    st.tuples(st.integers(1, 4), st.sampled_from([0, 5, 6, None])), min_size=1, max_size=3
)


@settings(max_examples=150)
@given(st.lists(ACTS | st.sampled_from(["undo", "redo"]), max_size=30))
def test_do_undo_and_redo_are_those_of_a_stack(
    steps: "list[list[tuple[int, int | None]] | str]",
) -> None:
    events: list[Event] = []
    done: list[tuple[int, Any]] = []  # (the act or the last undo of an undo, what it did)
    undone: list[tuple[int, int, Any]] = []  # (its undo, the act, what it did)
    for step in steps:
        seq = len(events) + 1
        if step == "undo" and done:
            act, did = done.pop()
            events.append(Event("undo", undo_of=act, seq=seq, act=seq))
            undone.append((seq, act, did))
        elif step == "redo" and undone:
            undo, act, did = undone.pop()
            events.append(Event("undo", undo_of=undo, seq=seq, act=seq))
            done.append((act, did))
        elif isinstance(step, list):
            for token, new in step:
                fresh = Event("head", "s", token, "full", new=new, seq=len(events) + 1, act=seq)
                events.append(fresh)
            done.append((seq, step))
            undone = []
    expected = {("s", token): new for _, did in done for token, new in did}
    assert state(events).heads == expected
    assert state(iter(events)) == state(standing(events))
    text = b"".join(to_line(replace(e, annotator="a", utc="2026-11-17T09:00:00.000Z", how="key",
                                    digest=None if e.what == "undo" else "0")) for e in events)  # fmt: skip
    log = parse_log(
        "x",
        b'{"format": "deppa-annotation-log", "version": 1, "annotator": "a", "treebank": "", "digest": ""}\n'
        + text,
    )
    assert isinstance(log, Log) and state(log.events) == state(events)


PAGE = (PROJECT / "docs" / "annotation-log.md").read_text(encoding="utf-8")


def test_the_page_explains_every_field_and_kind() -> None:
    for name in [field.name for field in fields(Event)]:
        assert f"`{name}`" in PAGE, name
    for what in get_args(What):
        assert f"`{what}`" in PAGE, what


def test_the_page_s_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bank = Treebank((Sentence.of(["a", "b", "c"], sent_id="toy-en-train-1"),), "toy-en train")
    parser = CRFParser(1, bits=14, epochs=1, progress=False)
    names: dict[str, Any] = {"corpus": SimpleNamespace(train=bank, dev=bank), "parser": parser}
    for example in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(example, "annotation-log.md", "exec"), names)
    assert len(names["read_log"]("annotations/anna.jsonl").events) == 3
    (header,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert parse_log("page", header.encode()) is not None
