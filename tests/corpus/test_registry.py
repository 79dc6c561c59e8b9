"""Corpora by name: folders, manifests, added files, downloads from a server on loopback."""

import hashlib
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deppa_nb.corpus import fetch as fetching
from deppa_nb.corpus.fetch import Upstream, fetch, git_blob_id, upstream
from deppa_nb.corpus.registry import add, entries, find, load, remove
from deppa_nb.corpus.sentence import Sentence
from deppa_nb.errors import CorpusError, FetchError, FormatError, ParameterError

ROW = "1\t{}\t_\t_\t_\t_\t0\t_\t_\t_\n\n"


@pytest.fixture
def folder(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's data folder with a manifest."""
    data = tmp_path / "data"
    (data / "my" / "bank").mkdir(parents=True)
    files = {}
    for split in ("train", "dev"):
        text = ROW.format(split)
        (data / "my" / "bank" / f"{split}.conllu").write_text(text)
        files[f"{split}.conllu"] = {"sha256": hashlib.sha256(text.encode()).hexdigest()}
    entry = {
        "directory": "my/bank",
        "kind": "treebank",
        "language": "Mine",
        "licence": "CC0",
        "files": files,
    }
    (data / "MANIFEST.json").write_text(json.dumps({"corpora": [entry]}))
    monkeypatch.setenv("DEPPA_DATA", str(data))
    return data


def test_a_folder_with_a_manifest(folder: Path) -> None:
    corpus = load("my/bank")
    assert corpus.train[0].words == ("train",)
    assert find("my/bank").licence == "CC0"
    with pytest.raises(CorpusError, match="has no split 'test', it has train, dev"):
        _ = corpus.test


def test_checksums_are_verified_once_and_when_a_file_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = []
    real = hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda *args: digests.append(1) or real(*args))
    load("my/bank")
    load("my/bank")
    assert len(digests) == 2
    (folder / "my/bank/train.conllu").write_text(ROW.format("other"))
    with pytest.raises(CorpusError, match=r"train.conllu: SHA-256 .*, the manifest says"):
        load("my/bank")


def test_a_release_of_universal_dependencies(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = tmp_path / "ud-treebanks" / "UD_English-EWT"
    bank.mkdir(parents=True)
    for split in ("train", "dev", "test"):
        (bank / f"en_ewt-ud-{split}.conllu").write_text(ROW.format(split))
    (bank / "README.md").write_text("not a corpus")
    monkeypatch.setenv("DEPPA_DATA", str(tmp_path / "ud-treebanks"))
    assert load("ud/en_ewt").test[0].words == ("test",)
    assert load("UD_English-EWT").name == "ud/en_ewt"
    assert find("ud/en_ewt").licence == "CC BY-SA 4.0"


def test_own_files(tmp_path: Path, home: Path) -> None:
    for split in ("train", "test"):
        (tmp_path / f"x-{split}.conllu").write_text(ROW.format(split))
    add("mine", [tmp_path / "x-train.conllu", tmp_path / "x-test.conllu"])
    assert load("mine").test[0].words == ("test",)
    assert find("mine").state == "added"
    with pytest.raises(CorpusError, match="taken already; --replace"):
        add("mine", [tmp_path])
    add("mine", [f"dev={tmp_path / 'x-test.conllu'}"], replace=True)
    assert list(load("mine").files) == ["dev"]
    remove("mine")
    with pytest.raises(CorpusError, match="no such corpus"):
        load("mine")
    with pytest.raises(CorpusError, match="was not added"):
        remove("mine")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bad name", "", "is no name"),
        ("toy-en", "", "taken already; choose another"),
        ("x", "1\tx\n", r"train.conllu:1: 2 columns in"),
    ],
)
def test_what_cannot_be_added(
    name: str, content: str, message: str, tmp_path: Path, home: Path
) -> None:
    (tmp_path / "train.conllu").write_text(content + ROW.format("x"))
    with pytest.raises((CorpusError, FormatError), match=message):
        add(name, [tmp_path / "train.conllu"])
    assert not (home / "corpora.json").exists()


def test_which_split(tmp_path: Path, home: Path) -> None:
    a, b = tmp_path / "a.conllu", tmp_path / "b.conllu"
    a.write_text(ROW.format("a"))
    b.write_text(ROW.format("b"))
    assert load(a).train[0].words == ("a",)
    with pytest.raises(CorpusError, match=r"which split\? its name has none of train, dev, test"):
        add("x", [a, b])
    with pytest.raises(CorpusError, match="both claim to be the dev split"):
        add("x", [f"dev={a}", f"dev={b}"])
    with pytest.raises(CorpusError, match="no such file or folder"):
        add("x", [tmp_path / "none"])
    with pytest.raises(CorpusError, match="no file in it has train, dev, test"):
        load(tmp_path)


def test_splits_are_whole_words_of_names(tmp_path: Path, home: Path) -> None:
    for name in ("old_testament.conllu", "devanagari-test.conllu", "train-test.conllu"):
        (tmp_path / name).write_text(ROW.format("x"))
    assert list(load(tmp_path / "old_testament.conllu").files) == ["train"]
    assert list(load(tmp_path / "devanagari-test.conllu").files) == ["test"]
    assert list(load(tmp_path / "train-test.conllu").files) == ["train"]


def test_a_release_with_plain_text_beside_the_trees(tmp_path: Path, home: Path) -> None:
    for split in ("train", "dev"):
        (tmp_path / f"xx_yy-ud-{split}.conllu").write_text(ROW.format(split))
        (tmp_path / f"xx_yy-ud-{split}.txt").write_text("plain text")
    assert add("udx", [tmp_path]).dev[0].words == ("dev",)


def test_the_kind_is_told_by_content_or_given(tmp_path: Path, home: Path) -> None:
    columns = tmp_path / "eng.train.conll"
    columns.write_text("EU NNP I-NP I-ORG\n")
    assert load(columns).kind == "sequence"
    trees = tmp_path / "trees.txt"
    trees.write_text("#sent_id = 1\n" + ROW.format("x"))
    assert load(trees).kind == "treebank"
    with pytest.raises(FormatError, match="1 columns"):
        add("x", [columns], kind="treebank")


def test_concurrent_additions_are_all_kept(tmp_path: Path, home: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    (tmp_path / "train.conllu").write_text(ROW.format("x") * 500)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: add(f"c{i}", [tmp_path / "train.conllu"]), range(8)))
    assert sum(entry.state == "added" for entry in entries()) == 8


def test_one_broken_thing_does_not_stop_the_rest(folder: Path, home: Path) -> None:
    manifest = json.loads((folder / "MANIFEST.json").read_text())
    gone = {**manifest["corpora"][0], "directory": "my/gone"}
    (folder / "MANIFEST.json").write_text(
        json.dumps({"corpora": [*manifest["corpora"], gone, 7, {}]})
    )
    (home / "cache").mkdir(parents=True)
    (home / "cache" / "verified.json").write_text("[]")
    (home / "corpora.json").write_text(
        '{"odd": {"kind": "treebank", "files": {"train": 5}}, "bad": 3}'
    )
    assert load("my/bank").train[0].words == ("train",)
    states = {entry.name: entry.state for entry in entries()}
    assert (states["my/bank"], states["my/gone"], states["odd"], states["bad"]) == (
        "here",
        *["broken"] * 3,
    )
    for name in ("my/gone", "odd", "bad"):
        with pytest.raises(CorpusError, match=f"{name}: "):
            load(name)
    (folder / "MANIFEST.json").write_text("{")
    assert "broken" in {entry.state for entry in entries()}
    assert load("toy-short", sizes={"train": 2}).train


def test_a_file_that_went_away(tmp_path: Path, home: Path) -> None:
    (tmp_path / "train.conllu").write_text(ROW.format("x"))
    add("mine", [tmp_path / "train.conllu"])
    (tmp_path / "train.conllu").unlink()
    with pytest.raises(FormatError, match="no such file"):
        _ = load("mine").train
    with pytest.raises(CorpusError, match="no such corpus"):
        load("x" * 5000)


def test_conll2003_splits(tmp_path: Path, home: Path) -> None:
    for name in ("eng.train", "eng.testa", "eng.testb"):
        (tmp_path / name).write_text(f"{name} NN O O\n")
    corpus = add("conll2003", [tmp_path])
    assert {s: b[0].words[0] for s, b in zip(corpus.files, corpus.banks(), strict=True)} == {
        "train": "eng.train", "dev": "eng.testa", "test": "eng.testb",
    }  # fmt: skip


def test_names_that_are_not_here(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("deppa_nb.corpus.registry.data_folders", list)
    states = {entry.name: entry.state for entry in entries()}
    assert states["toy-en"] == "embedded"
    assert states["ud/fr_gsd"] == "to fetch"
    assert {name for name, state in states.items() if state == "licensed"} >= {
        "ptb",
        "ctb",
        "ftb",
        "conll2003",
    }
    assert all(entry.licence for entry in entries())
    with pytest.raises(CorpusError, match="`deppa data fetch ud/fr_gsd` downloads it"):
        load("ud/fr_gsd")
    with pytest.raises(CorpusError, match="`deppa data show ptb` says how to get it"):
        load("ptb")
    with pytest.raises(CorpusError, match="did you mean ud/fr_gsd"):
        load("fr_gsd")
    with pytest.raises(CorpusError, match="seed only apply to the embedded"):
        load("ptb", seed=2)


def test_embedded_corpora_are_made_once(home: Path) -> None:
    first = load("toy-short", sizes={"train": 5, "dev": 2, "test": 2})
    made = {path: path.stat().st_mtime_ns for path in first.files.values()}
    again = load("toy-short", sizes={"train": 5, "dev": 2, "test": 2})
    assert {path: path.stat().st_mtime_ns for path in again.files.values()} == made
    longer = load("toy-short", sizes={"train": 9, "dev": 2, "test": 2}).train
    assert list(longer[:5]) == list(first.train)
    assert load("toy-short", seed=2, sizes={"train": 5}).train != first.train


@pytest.mark.parametrize(
    "options",
    [
        {"sizes": {"trian": 5}}, {"sizes": {"train": -1}}, {"sizes": {"train": 0}}, {"sizes": [1, 2]},
        {"sizes": {"train": 1.5}}, {"sizes": {"train": "5"}}, {"seed": -1}, {"seed": 1.5}, {"seed": "x"},
        {"seed": True}, {"pos_accuracy": "0.9"}, {"pos_accuracy": 0.1}, {"pos_accuracy": 1.1},
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_generated(options: "dict[str, Any]", home: Path) -> None:
    with pytest.raises(ParameterError):
        load("toy-short", **options)
    assert not list(home.rglob("*.conllu"))


CONTENT = b"# sent_id = 1\n" + ROW.format("hello").encode()


@pytest.fixture
def server(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator["dict[str, bytes]"]:
    """A server on loopback; what it serves is in the dictionary, by path."""
    served: dict[str, bytes] = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(200 if self.path in served else 404)
            self.send_header("Content-Length", str(len(served.get(self.path, b""))))
            self.end_headers()

        def do_GET(self) -> None:
            self.do_HEAD()
            self.wfile.write(served.get(self.path, b""))

        def log_message(self, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        monkeypatch.setenv("DEPPA_FETCH_URL", f"http://127.0.0.1:{running.server_port}")
        yield served
        running.shutdown()


@pytest.fixture
def entry(server: "dict[str, bytes]", monkeypatch: pytest.MonkeyPatch) -> Upstream:
    blob = {"path": "xx_yy-ud-test.conllu", "git_blob": git_blob_id(CONTENT)}
    entry = Upstream("ud/xx_yy", "UD_Xx-Yy", "Xx", "CC0", "O/UD_Xx-Yy", "r1", "abc", {"test": blob})
    monkeypatch.setattr(fetching, "upstream", lambda: {"ud/xx_yy": entry})
    server["/O/UD_Xx-Yy/abc/xx_yy-ud-test.conllu"] = CONTENT
    return entry


def test_a_download_is_verified_and_found(entry: Upstream, server: "dict[str, bytes]") -> None:
    assert entry.size() == len(CONTENT)
    assert fetch("ud/xx_yy", progress=False)["test"].read_bytes() == CONTENT
    assert load("ud/xx_yy").test[0] == Sentence.of(["hello"], [0], sent_id="1")
    assert entry.path("test").stat().st_mode & 0o044  # as readable as any other file
    entry.path("test").write_bytes(b"spoilt")
    assert fetch("ud/xx_yy", progress=False)["test"].read_bytes() == CONTENT
    server.clear()  # what is here and right is not asked for again
    assert fetch("UD_Xx-Yy", progress=False)


def test_another_file_is_refused_and_leaves_nothing(
    entry: Upstream, server: "dict[str, bytes]"
) -> None:
    server["/O/UD_Xx-Yy/abc/xx_yy-ud-test.conllu"] = CONTENT + b"more"
    with pytest.raises(FetchError, match=r"git blob id .*, expected"):
        fetch("ud/xx_yy", progress=False)
    assert list(entry.path("test").parent.iterdir()) == []
    server.clear()
    with pytest.raises(FetchError, match="answers 404"):
        fetch("ud/xx_yy", progress=False)


def test_offline_is_one_clear_line(entry: Upstream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPPA_FETCH_URL", "http://127.0.0.1:1")
    with pytest.raises(FetchError, match="the server cannot be reached"):
        fetch("ud/xx_yy", progress=False)
    with pytest.raises(FetchError, match="the server cannot be reached"):
        entry.size()
    with pytest.raises(CorpusError, match="cannot be fetched"):
        fetch("ptb")


def test_the_catalogue_is_complete() -> None:
    assert len(upstream()) == 75
    for name, facts in upstream().items():
        assert name.startswith("ud/") and facts.licence and facts.repository
        assert len(facts.commit) == 40
        assert all(len(file["git_blob"]) == 40 for file in facts.files.values())


def test_git_agrees_on_blob_ids(tmp_path: Path) -> None:
    import shutil
    import subprocess

    if not shutil.which("git"):
        pytest.skip("this machine lacks git")
    (tmp_path / "f").write_bytes(CONTENT)
    done = subprocess.run(
        ["git", "hash-object", tmp_path / "f"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == git_blob_id(CONTENT)


def test_every_shared_corpus_loads(shared: Path, home: Path) -> None:
    described = json.loads((shared / "MANIFEST.json").read_text())["corpora"]
    here = {entry.name for entry in entries() if entry.state == "here"}
    assert {entry["directory"] for entry in described} <= here
    assert load("conll2003").test.name == "conll2003 test"
    assert len(load("atis").dev) == 500
