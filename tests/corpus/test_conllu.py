"""CoNLL-U and CoNLL-X: what is kept, what is accepted, the real treebanks."""

import gzip
from pathlib import Path

import conllu
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deppa_nb.corpus.conllu import iter_conllu, read_conllu, write_conllu
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.trees import nonprojective_arcs
from deppa_nb.errors import DeppaError, FormatError

TEXT = """\
# sent_id = s1
# text = Vámonos al mar
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\tx=1
1\tVamos\tir\tVERB\t_\tMood=Imp\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t_\t_
2.1\tya\tya\tADV\t_\t_\t_\t_\t1:advmod\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\t_\t_\t5\tcase\t_\t_
4\tel\tel\tDET\t_\t_\t5\tdet\t_\t_
5\tmar\tmar\tNOUN\t_\t_\t1\tobl\t_\tSpaceAfter=No

1\tNew York\t_\tPROPN\t_\t_\t_\t_\t_\t_
2\t-\t_\tPUNCT\t_\t_\t1\t_\t_\t_

"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "a.conllu"
    file.write_bytes(TEXT.encode())
    return file


def test_columns_of_words_only(path: Path) -> None:
    first, second = read_conllu(path)
    assert first.words == ("Vamos", "nos", "a", "el", "mar")
    assert first.heads.tolist() == [-1, 0, 1, 5, 5, 1]
    assert first.forms[first.heads[5]] == "Vamos"
    assert first.labels[1:] == ("root", "obj", "case", "det", "obl")
    assert first.misc[5] == "SpaceAfter=No"
    assert [index for index, _ in first.extras] == [0, 3, 4]
    assert (first.sent_id, first.line, second.sent_id, second.line) == ("s1", 3, "2", 12)
    assert second.heads.tolist() == [-1, -1, 1]
    assert not second.is_full
    assert second.words == ("New York", "-")


def test_heads_are_read_only(path: Path) -> None:
    with pytest.raises(ValueError, match="read-only"):
        read_conllu(path)[0].heads[1] = 3


VARIANTS = {
    "as is": TEXT.encode(),
    "crlf": TEXT.replace("\n", "\r\n").encode(),
    "bom": b"\xef\xbb\xbf" + TEXT.encode(),
    "no last blank line": TEXT.encode()[:-1],
    "no last line end": TEXT.encode()[:-2],
    "no last line end, crlf": TEXT.replace("\n", "\r\n").encode()[:-4],
    "many blank lines": b"\n\n" + TEXT.replace("\n\n", "\n\n\n\n").encode(),
    "three blank lines": TEXT.replace("\n\n", "\n\n\n").encode(),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_same_sentences_and_same_bytes(name: str, path: Path, tmp_path: Path) -> None:
    expected = read_conllu(path)
    variant, copy = tmp_path / "b.conllu", tmp_path / "c.conllu"
    variant.write_bytes(VARIANTS[name])
    assert read_conllu(variant) == expected
    write_conllu(copy, read_conllu(variant))
    assert copy.read_bytes() == VARIANTS[name]


def test_lines_are_numbered_past_blank_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    file.write_bytes(VARIANTS["many blank lines"])
    assert [s.line for s in read_conllu(file)] == [5, 16]


def test_gzip_is_told_by_content_and_written_by_name(path: Path, tmp_path: Path) -> None:
    packed = tmp_path / "oddly.named"
    packed.write_bytes(gzip.compress(TEXT.encode()))
    assert read_conllu(packed) == read_conllu(path)
    write_conllu(tmp_path / "x.conllu.gz", read_conllu(path))
    assert gzip.decompress((tmp_path / "x.conllu.gz").read_bytes()).decode() == TEXT
    assert list(tmp_path.glob(".*")) == []


def test_only_changed_lines_change(path: Path, tmp_path: Path) -> None:
    first, second = read_conllu(path)
    changed = second.with_heads([0, 1], ["root", "punct"])
    write_conllu(tmp_path / "b.conllu", [first, changed])
    before, after = TEXT.split("\n"), (tmp_path / "b.conllu").read_text().split("\n")
    assert [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [11, 12]
    assert after[11] == "1\tNew York\t_\tPROPN\t_\t_\t0\troot\t_\t_"
    opened = first.with_heads([0, -1, 5, 5, 1])
    assert opened.block.split("\n")[4].split("\t")[6] == "_"
    assert opened.extras == first.extras


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_sentences_of_files_with_other_ends_can_be_joined(
    order: tuple[int, int], path: Path, tmp_path: Path
) -> None:
    crlf = tmp_path / "crlf.conllu"
    crlf.write_bytes(b"\xef\xbb\xbf" + VARIANTS["no last line end, crlf"])
    banks = [read_conllu(path), read_conllu(crlf)]
    joined = [sentence for i in order for sentence in banks[i]]
    write_conllu(tmp_path / "joined.conllu", joined)
    assert list(read_conllu(tmp_path / "joined.conllu")) == joined
    write_conllu(tmp_path / "joined.conllu", reversed(joined))
    assert list(read_conllu(tmp_path / "joined.conllu")) == joined[::-1]


def test_nothing_to_write_is_said(tmp_path: Path) -> None:
    with pytest.raises(DeppaError, match="no sentences to write"):
        write_conllu(tmp_path / "x.conllu", [])
    assert list(tmp_path.iterdir()) == []


def test_pipes_links_and_devices(path: Path, tmp_path: Path) -> None:
    import os
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    long = TEXT * 2000
    writer = threading.Thread(target=lambda: pipe.write_text(long))
    writer.start()
    assert len(read_conllu(pipe)) == 4000
    writer.join()
    link = tmp_path / "link.conllu"
    link.symlink_to(path)
    write_conllu(link, read_conllu(path)[:1])
    assert link.is_symlink() and len(read_conllu(path)) == 1
    reader = threading.Thread(target=pipe.read_bytes)
    reader.start()
    write_conllu(pipe, read_conllu(path))
    reader.join()
    assert pipe.is_fifo()


def test_what_a_killed_writer_left_is_swept(path: Path) -> None:
    import os

    old, young = (path.parent / f".{path.name}.{name}" for name in ("old", "young"))
    old.touch()
    young.touch()
    os.utime(old, (1, 1))
    write_conllu(path, read_conllu(path))
    assert not old.exists() and young.exists()


def test_several_roots_are_read_but_not_when_strict(tmp_path: Path) -> None:
    file = tmp_path / "two.conll"
    row = "{}\tx\t_\t_\t_\t_\t0\t_\t_\t_\n"
    file.write_text(row.format(1) + row.format(2))
    assert len(read_conllu(file)) == 1
    with pytest.raises(FormatError, match=r"two.conll:1: words \[1, 2\] all have HEAD 0"):
        read_conllu(file, strict=True)


def test_an_error_leaves_the_old_file(path: Path) -> None:
    def broken() -> object:
        yield read_conllu(path)[0]
        raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        write_conllu(path, broken())  # type: ignore[arg-type]
    assert path.read_text() == TEXT
    assert list(path.parent.iterdir()) == [path]


def test_streaming_does_not_keep_the_file(tmp_path: Path) -> None:
    import tracemalloc

    file = tmp_path / "large.conllu"
    block = TEXT.replace("2\t-\t", "2\t" + "-" * 2000 + "\t")
    file.write_text(block * 6_000)
    tracemalloc.start()
    count = sum(1 for _ in iter_conllu(file))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 12_000
    assert peak < file.stat().st_size


@st.composite
def trees(draw: st.DrawFn) -> Sentence:
    text = st.text(
        st.characters(exclude_characters="\t\n\r\0", exclude_categories=("Cs",)), min_size=1
    )
    words = draw(st.lists(text.filter(str.strip), min_size=1, max_size=8))
    n = len(words)
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for i, m in enumerate(order):
        heads[m - 1] = draw(st.sampled_from([0, -1, *order[:i]]))
    return Sentence.of(words, heads)


@given(st.lists(trees(), min_size=1, max_size=4))
def test_any_sentences_are_read_back(sentences: list[Sentence]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.conllu"
        write_conllu(file, sentences)
        assert list(read_conllu(file)) == sentences


def treebank_files(shared: Path) -> list[Path]:
    return [
        *shared.glob("ud/*/*.conllu"),
        *shared.glob("conllx/*/*.conll"),
        *shared.glob("wsj_sample/*"),
    ]


def test_real_files_are_written_back_byte_for_byte(shared: Path, tmp_path: Path) -> None:
    files = treebank_files(shared)
    assert len(files) >= 120
    for file in files:
        write_conllu(tmp_path / "x", read_conllu(file, strict=True))
        assert (tmp_path / "x").read_bytes() == file.read_bytes(), file


def assert_same_fields(ours: Treebank, theirs: "list[conllu.models.TokenList]") -> None:
    assert len(ours) == len(theirs)
    names = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
    for sentence, tokens in zip(ours, theirs, strict=True):
        words = [token for token in tokens if isinstance(token["id"], int)]
        columns = [
            sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats,
            [str(head) for head in sentence.heads], sentence.labels, sentence.deps, sentence.misc,
        ]  # fmt: skip
        for name, column in zip(names, columns, strict=True):
            assert [word[name] for word in words] == list(column[1:])
        extras = [token["form"] for token in tokens if not isinstance(token["id"], int)]
        assert extras == [line.split("\t")[1] for _, line in sentence.extras]


def test_every_field_agrees_with_the_conllu_package(shared: Path) -> None:
    """Its reader, told to leave the fields as they stand."""
    raw = {name: (lambda line, i: line[i]) for name in conllu.parser.DEFAULT_FIELDS}
    raw["id"] = lambda line, i: conllu.parser.parse_id_value(line[i])
    for file in treebank_files(shared):
        theirs = conllu.parse(file.read_text(encoding="utf-8"), field_parsers=raw)
        assert_same_fields(read_conllu(file), theirs)


def test_projectivity_agrees_with_the_manifest(shared: Path) -> None:
    import json

    for entry in json.loads((shared / "MANIFEST.json").read_text())["corpora"]:
        for name, facts in entry["files"].items():
            if entry["kind"] == "treebank" and name.startswith("test"):
                bank = read_conllu(shared / entry["directory"] / name)
                marked = [int(nonprojective_arcs(s.heads).sum()) for s in bank]
                arcs = 100 * sum(marked) / bank.n_words
                sentences = 100 * np.mean([count > 0 for count in marked])
                assert (len(bank), bank.n_words) == (facts["sentences"], facts["tokens"])
                assert arcs == pytest.approx(facts["nonproj_arcs_pct"], abs=6e-4)
                assert sentences == pytest.approx(facts["nonproj_sentences_pct"], abs=6e-3)
