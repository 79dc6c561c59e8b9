"""Where a person's work goes, without a browser; the rest is in tests/widgets."""

import os
import signal
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from deppa_nb.active.log import Event
from deppa_nb.active.log_writer import LogWriter
from deppa_nb.batch import annotate
from deppa_nb.corpus.conllu import write_conllu
from deppa_nb.corpus.sentence import Sentence
from deppa_nb.errors import CorpusError, ParameterError
from deppa_nb.experiments.annotate import material


def write(path: Path, *words: str) -> dict[str, str]:
    path.parent.mkdir(exist_ok=True)
    write_conllu(path, [Sentence.of(words, sent_id="s1")])
    return {"corpus": str(path), "annotator": "anna"}


def test_a_working_copy_tells_nobody_to_run_cells(tmp_path: Path) -> None:
    found = annotate.place(tmp_path / "out", write(tmp_path / "my.conllu", "Fish", "swim"))
    cells = nbformat.read(found.notebook, as_version=4).cells
    assert not any("Shift" in cell.source for cell in cells) and len(cells) > 10


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

    server = SimpleNamespace(process=SimpleNamespace(wait=hang_up), session=str, address=str)
    before = {number: signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGTERM)}
    monkeypatch.setattr(annotate, "_server", lambda *_: nullcontext(server))
    monkeypatch.setattr(annotate, "_run", lambda *_: None)
    try:
        annotate.annotate(where, 1, str, say)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert where.chosen.export.read_text().count("Annotator=anna") == 1
