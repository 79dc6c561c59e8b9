"""Where a person's work goes, without a browser; the rest is in tests/widgets."""

import os
import signal
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from click.testing import CliRunner

from deppa_nb import cli
from deppa_nb.active.log import Event, read_log
from deppa_nb.active.log_writer import LogWriter
from deppa_nb.batch import annotate
from deppa_nb.corpus.conllu import read_conllu, write_conllu
from deppa_nb.corpus.sentence import Sentence
from deppa_nb.errors import CorpusError, ParameterError
from deppa_nb.experiments.annotate import exported, material


def write(path: Path, *words: str) -> dict[str, str]:
    path.parent.mkdir(exist_ok=True)
    write_conllu(path, [Sentence.of(words, sent_id="s1")])
    return {"corpus": str(path), "annotator": "anna"}


def test_a_working_copy_tells_nobody_to_run_cells(tmp_path: Path) -> None:
    found = annotate.place(tmp_path / "out", write(tmp_path / "my.conllu", "Fish", "swim"))
    cells = nbformat.read(found.notebook, as_version=4).cells
    assert not any("Shift" in cell.source for cell in cells) and len(cells) > 10


def test_a_working_copy_whose_cells_were_made_text_is_mended(tmp_path: Path) -> None:
    """As JupyterLab does it: the cell gets another id and keeps text and tags."""
    values = write(tmp_path / "my.conllu", "Fish", "swim")
    path = annotate.place(tmp_path / "out", values).notebook
    before = nbformat.read(path, as_version=4)
    own = nbformat.v4.new_markdown_cell("my notes")
    cells = [own]
    for cell in before.cells:
        if cell.id in ("annotate-02", "annotate-05", "annotate-06"):
            tags = {"tags": cell.metadata["tags"]} if "tags" in cell.metadata else {}
            cells.append(nbformat.v4.new_raw_cell(cell.source, metadata=tags))
        elif cell.id != "annotate-03":  # deleted
            cells.append(cell)
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=before.metadata), path)
    found = annotate.place(tmp_path / "out", {**values, "labels": True})
    after = nbformat.read(path, as_version=4).cells
    code = [(cell.id, cell.cell_type) for cell in before.cells]
    assert [(cell.id, cell.cell_type) for cell in after if cell.id != own.id] == code
    assert after[0].source == "my notes"
    assert "labels = True" in next(cell.source for cell in after if cell.id == "annotate-02")
    assert found.port == 8888 and found.hidden is None


def test_a_working_copy_says_what_to_do_without_its_widget(tmp_path: Path) -> None:
    found = annotate.place(tmp_path / "out", write(tmp_path / "my.conllu", "Fish", "swim"))
    cells = nbformat.read(found.notebook, as_version=4).cells
    widget = next(k for k, c in enumerate(cells) if "widget" in c.metadata.get("tags", []))
    assert any("Run All Cells" in cell.source for cell in cells[:widget])


def test_who_works_blind_reads_nothing_of_suggestions(tmp_path: Path) -> None:
    values = write(tmp_path / "my.conllu", "Fish", "swim")
    for blind in (False, True):
        copy = annotate.place(tmp_path / "out", {**values, "blind": blind}).notebook
        cells = nbformat.read(copy, as_version=4).cells
        above = " ".join(cell.source for cell in cells[:6] if cell.cell_type == "markdown")
        assert ("dashed" in above, "**1**" in above) == (not blind, not blind)


def test_the_port_of_the_last_time_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = write(tmp_path / "my.conllu", "Fish", "swim")
    where = annotate.place(tmp_path / "out", values)
    ports = []

    def server(_: Path, port: int) -> Any:
        ports.append(port)
        process = SimpleNamespace(wait=lambda: None)
        made = SimpleNamespace(process=process, session=str, address=str)
        return nullcontext(SimpleNamespace(**vars(made), url="http://127.0.0.1:8901/"))

    def run(path: Path, _: str, metadata: dict[str, Any]) -> None:
        notebook = nbformat.read(path, as_version=4)
        notebook.metadata.update(metadata)
        nbformat.write(notebook, path)

    monkeypatch.setattr(annotate, "_end_by_signals", lambda: None)
    monkeypatch.setattr(annotate, "_server", server)
    monkeypatch.setattr(annotate, "_run", run)
    annotate.annotate(where, None, str, str)
    annotate.annotate(annotate.place(tmp_path / "out", values), None, str, str)
    annotate.annotate(annotate.place(tmp_path / "out", values), 9000, str, str)
    assert ports == [8888, 8901, 9000]


def test_a_file_that_has_every_head_keeps_them(tmp_path: Path) -> None:
    sentences = [
        Sentence.of(["Fish", "swim", "here"], [2, 0, 2], sent_id=f"s{k}") for k in range(60)
    ]
    write_conllu(tmp_path / "my.conllu", sentences)
    where = annotate.place(
        tmp_path / "out", {"corpus": str(tmp_path / "my.conllu"), "annotator": "anna"}
    )
    found = material(where.chosen.corpus)
    with LogWriter(where.chosen.log, annotator="anna", treebank=found.bank) as log:
        log.append(Event("head", "s55", 3, "partial", new=1))
        log.append(Event("head", "s56", 3, "partial", new=1))
        log.append(Event("head", "s56", 3, "partial", old=1))
        log.append(Event("head", "s57", 2, "partial", new=1))
    assert where.hidden == 30 and (found.bank[55].heads < 0).all()
    told = exported(found, read_log(where.chosen.log), where.chosen.export)
    assert told == f"{where.chosen.export}, without answers that close a cycle: word 2 of s57"
    heads = [sentence.heads[1:].tolist() for sentence in read_conllu(where.chosen.export)]
    assert heads.pop(57) == [2, -1, 2]
    assert heads == [[2, 0, 1] if k == 55 else [2, 0, 2] for k in range(59)]


@pytest.mark.parametrize(
    "count, told", [(60, "fully annotated. To practise, 20 of"), (3, "nothing is asked")]
)
def test_who_practises_is_told(
    count: int, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = [Sentence.of(["Fish", "swim"], [2, 0], sent_id=f"s{k}") for k in range(count)]
    write_conllu(tmp_path / "my.conllu", sentences)
    monkeypatch.setattr(annotate, "annotate", lambda *_: None)
    command = [str(tmp_path / "my.conllu"), "-o", str(tmp_path / "out")]
    said = CliRunner().invoke(cli.annotate, command)
    assert said.exit_code == 0 and told in said.output


def test_what_cannot_be_is_said_with_what_can(tmp_path: Path) -> None:
    one = write(tmp_path / "a" / "my.conllu", "Fish", "swim")
    annotate.place(tmp_path / "out", one)
    with pytest.raises(CorpusError, match=r"another folder by -o"):
        annotate.place(tmp_path / "out", write(tmp_path / "b" / "my.conllu", "Go", "!"))
    with pytest.raises(ParameterError, match=r"'a/b', expected a letter or digit, then"):
        annotate.place(tmp_path / "out", {**one, "annotator": "a/b"})


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this machine lacks SIGHUP")
def test_a_closed_terminal_ends_with_the_treebank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The terminal's signal comes twice, and what is said then can no longer be written."""
    where = annotate.place(tmp_path / "out", write(tmp_path / "my.conllu", "Fish", "swim"))
    bank = material(where.chosen.corpus).bank
    with LogWriter(where.chosen.log, annotator="anna", treebank=bank) as log:
        log.append(Event("head", "s1", 1, "partial", new=2))

    def hang_up(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGHUP)

    def say(text: str) -> None:
        if "exported" in text:
            hang_up()
            raise OSError(5, "Input/output error")

    server = SimpleNamespace(
        process=SimpleNamespace(wait=hang_up), session=str, address=str, url="http://127.0.0.1:1/"
    )
    before = {number: signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGTERM)}
    monkeypatch.setattr(annotate, "_server", lambda *_: nullcontext(server))
    monkeypatch.setattr(annotate, "_run", lambda *_: None)
    try:
        annotate.annotate(where, 1, str, say)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert where.chosen.export.read_text().count("Annotator=anna") == 1
