"""Coverage-guided fuzzing of the readers (atheris) in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

TARGET = """
import sys, tempfile, os
import atheris
with atheris.instrument_imports(include=["deppa_nb.corpus"]):
    from deppa_nb.corpus.conllu import read_conllu, write_conllu
    from deppa_nb.corpus.sequences import read_columns
    from deppa_nb.corpus.slots import read_slots
from deppa_nb.errors import FormatError

folder = tempfile.mkdtemp()
path, copy = os.path.join(folder, "f"), os.path.join(folder, "g")

def target(data):
    with open(path, "wb") as file:
        file.write(data)
    for reader in (read_conllu, read_columns, read_slots):
        try:
            bank = reader(path)
        except FormatError:
            continue
        if reader is read_conllu:
            assert all(len(s.forms) == len(s.misc) == len(s.heads) for s in bank)
        if reader is read_conllu and data[:2] != bytes((31, 139)):
            write_conllu(copy, bank)
            assert open(copy, "rb").read() == data

atheris.Setup([sys.argv[0], sys.argv[1], "-runs=4000", "-max_len=400", "-seed=1", "-timeout=20"], target)
atheris.Fuzz()
"""


def test_atheris_finds_no_other_exception(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="this machine lacks atheris")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    word = "1\tx\t_\t_\t_\t_\t0\t_\t_\t_\n"
    seeds = ["# c\n1-1" + word[1:] + word + "\n", word + word.replace("1", "2", 1), "a NN B-NP\n\n",
             "BOS a EOS\tO B-x y\n", "1\ta\tO\n"]  # fmt: skip
    for i, seed in enumerate(seeds):
        (corpus / str(i)).write_text(seed)
    (tmp_path / "target.py").write_text(TARGET)
    command = [sys.executable, str(tmp_path / "target.py"), str(corpus)]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-500:]
    assert "Done 4000 runs" in done.stderr
