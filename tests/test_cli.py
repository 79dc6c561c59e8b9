"""The command line as a user meets it: in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deppa_nb.cli import main
from deppa_nb.corpus.conllu import write_conllu
from deppa_nb.corpus.sentence import Sentence


def run(*words: object, **environment: str) -> "subprocess.CompletedProcess[str]":
    program = Path(sys.executable).parent / "deppa"
    return subprocess.run(
        [program, *map(str, words)], capture_output=True, text=True, env={**os.environ, **environment},
        check=False, timeout=120,
    )  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Gold trees, a worse and a better prediction."""
    words, tags = ["I", "see", "her", "."], ["PRON", "VERB", "PRON", "PUNCT"]
    heads = ([2, 0, 2, 2], [2, 0, 1, 3], [2, 0, 2, 3])
    paths = [tmp_path / name for name in ("gold.conllu", "a.conllu", "b.conllu")]
    for path, some in zip(paths, heads, strict=True):
        labels = ["nsubj", "root", "obj", "punct"]
        write_conllu(path, [Sentence.of(words, some, upos=tags, labels=labels)] * 5)
    return paths


def test_scores_for_people_and_machines(files: list[Path]) -> None:
    text = run("eval", *files[:2]).stdout
    assert "no punctuation" in text and "50.00" in text and "by distance" in text
    found = json.loads(run("eval", *files[:2], "--json").stdout)
    (scores,) = found["predictions"]
    assert (scores["uas"], scores["uas_nopunct"], scores["exact"]) == (
        50.0,
        pytest.approx(200 / 3),
        0.0,
    )
    assert scores["by"]["upos"]["PUNCT"]["uas"] == 0.0
    assert found["difference"] == {}


def test_two_predictions_are_compared(files: list[Path]) -> None:
    found = json.loads(run("eval", *files, "--json").stdout)
    assert found["difference"]["uas"]["points"] == 25.0
    assert "UAS of the second minus the first: +25.00" in run("eval", *files).stdout


def test_scores_are_shown_where_nothing_can_be_compared(files: list[Path], tmp_path: Path) -> None:
    bare = tmp_path / "bare.conllu"
    bare.write_text(
        files[1]
        .read_text()
        .replace("nsubj", "_")
        .replace("root", "_")
        .replace("obj", "_")
        .replace("punct", "_")
    )
    for pair in ((files[1], bare), (bare, files[1])):
        text = run("eval", files[0], *pair).stdout
        assert "50.00" in text and "LAS: not compared" in text and "UAS of the second" in text
    same = json.loads(run("eval", files[0], files[1], files[1], "--json").stdout)
    assert len(same["predictions"]) == 2


def test_a_pipe_is_read(files: list[Path]) -> None:
    program = Path(sys.executable).parent / "deppa"
    line = f"{program} eval <(cat {files[0]}) {files[0]} --json"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["predictions"][0]["uas"] == 100.0


def test_no_arguments_is_help_and_any_terminal_will_do(files: list[Path]) -> None:
    assert "Commands:" in run().stdout and run().returncode == 0
    assert "fetch" in run("data").stdout
    done = run("data", "add", "x", files[0].parent / "\u00e9", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 2 and done.stderr.count("\n") == 1


def test_a_user_error_is_one_line_and_status_2(files: list[Path], tmp_path: Path) -> None:
    broken = tmp_path / "broken.conllu"
    broken.write_text(files[0].read_text().replace("\t0\t", "\t9\t", 1))
    for words in (["eval", files[0], broken], ["eval", files[0]], ["nonsense"], ["data", "show", "nonsense"],
                  ["data", "add", "x", tmp_path / "none"], ["data", "make", "toy-en", "0", "-o", "x"],
                  ["data", "make", "toy-none", "3", "-o", tmp_path / "x"],
                  ["eval", "none", "none"], ["reproduce", "--profile", "none"]):  # fmt: skip
        done = run(*words)
        assert done.returncode == 2, words
        assert done.stderr.startswith("deppa: ")
        assert done.stderr.count("\n") == 1, done.stderr
        assert done.stdout == ""
    assert f"{broken}:2: HEAD 9 is past" in run("eval", files[0], broken).stderr
    assert "Traceback" in run("eval", files[0], broken, "--debug").stderr


def test_versions_help_and_completion() -> None:
    assert run("--version").stdout.startswith("deppa, version ")
    assert "data" in run("--help").stdout
    for shell in ("bash", "zsh", "fish"):
        assert "_DEPPA_COMPLETE" in run("completion", shell).stdout
    words = {
        "COMP_WORDS": "deppa data show toy-",
        "COMP_CWORD": "3",
        "_DEPPA_COMPLETE": "bash_complete",
    }
    assert "plain,toy-en" in run(**words).stdout


def test_data_from_add_to_remove(files: list[Path], home: Path) -> None:
    assert (
        "mine train: 5 sentences, 20 words"
        in run("data", "add", "mine", f"train={files[0]}").stdout
    )
    assert run("data", "path", "mine").stdout.strip() == str(files[0])
    assert json.loads(run("data", "show", "mine", "--json").stdout)["splits"][0]["words"] == 20
    listed = {
        entry["name"]: entry["state"] for entry in json.loads(run("data", "list", "--json").stdout)
    }
    assert listed["mine"] == "added"
    assert run("data", "remove", "mine").returncode == 0
    assert run("data", "show", "mine").returncode == 2
    shown = run("data", "show", "ptb").stdout
    assert "LDC99T42" in shown and "deppa data add ptb" in shown
    offline = run("data", "fetch", "ud/hy_armtdp", DEPPA_FETCH_URL="http://127.0.0.1:1")
    assert offline.returncode == 2
    assert "licence CC BY-SA 4.0" in offline.stdout  # said before anything is downloaded
    assert "cannot be reached" in offline.stderr


def test_text_of_files_is_not_obeyed(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "train.conllu"
    write_conllu(path, [Sentence.of(["x"], [0], upos=["[red]X[/nonsense]"])])
    assert "[red]X[/nonsense]" in run("eval", path, path).stdout


def test_choices_are_the_library_s() -> None:
    """They stand again in the commands, which import the library only when they run."""
    from deppa_nb.cli.data import add, make
    from deppa_nb.corpus.corpus import KINDS, SPLITS

    choices = {p.name: tuple(getattr(p.type, "choices", ())) for c in (add, make) for p in c.params}
    assert choices["kind"] == KINDS
    assert choices["split"] == SPLITS


def test_any_size_to_a_file(tmp_path: Path, home: Path) -> None:
    target = tmp_path / "x.conllu.gz"
    assert run("data", "make", "toy-short", "7", "-o", target).returncode == 0
    other = tmp_path / "y.conllu.gz"
    assert run("data", "make", "toy-short", "7", "-o", other, "--split", "dev").returncode == 0
    assert other.read_bytes() != target.read_bytes()
    assert "7 sentences" in run("data", "add", "x", f"train={target}").stdout


def test_the_doctor_finds_all_well_and_what_is_not(home: Path, tmp_path: Path) -> None:
    findings = json.loads(run("doctor", "--json").stdout)
    assert not [finding for finding in findings if finding["todo"] and finding["needed"]]
    (tmp_path / "file").write_text("")
    assert "correct DEPPA_DATA" in run("doctor", DEPPA_DATA=str(tmp_path / "none")).stdout
    sick = run("doctor", DEPPA_HOME=str(tmp_path / "file"))
    assert sick.returncode != 0
    assert "DEPPA_HOME" in sick.stdout + sick.stderr


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parser, learned in a moment."""
    path = tmp_path_factory.mktemp("models") / "new" / "parser.npz"
    train = path.parents[1] / "train.conllu"
    run("data", "make", "toy-short", "60", "-o", train)
    done = run("train", path, train, "--dev", train, "--labels", "--epochs", "1", "--bits", "14")
    assert done.stdout.startswith(f"{path}: 3") and " sentences, UAS " in done.stdout, done.stderr
    assert done.stderr == ""
    return path


def test_a_parser_is_learned_and_used(model: Path, tmp_path: Path) -> None:
    train, out = model.parents[1] / "train.conllu", tmp_path / "out" / "parsed.conllu"
    assert run("parse", model, train, "-o", out, "--decoder", "mbr").returncode == 0
    (scores,) = json.loads(run("eval", train, out, "--json").stdout)["predictions"]
    assert scores["uas"] >= scores["las"] > 80
    done = run("parse", model, train, "-o", out, "--keep-heads", "--nbest", "3", "--marginals")
    assert done.returncode == 0 and done.stderr == ""
    text = out.read_text()
    assert text.count("# rank = 1\n") == 60 == text.count("# log_prob = 0.000000\n")
    assert text.count("Marginal=1.0000") == len(
        [line for line in text.split("\n") if line[:1].isdigit()]
    )


def test_heads_that_cannot_be_kept_or_learned_are_told(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "crossing.conllu"
    crossing = Sentence.of(list("abcd"), heads=[3, 4, -1, -1], sent_id="x7")
    write_conllu(path, [Sentence.of(["a"], heads=[0], sent_id="x6"), crossing])
    done = run("parse", model, path, "-o", tmp_path / "out.conllu", "--keep-heads")
    assert done.returncode == 0
    assert f"{path}:5: sentence x7: no tree of this parser has all its heads" in done.stderr
    learned = run("train", tmp_path / "m.npz", path, "--epochs", "1", "--bits", "12")
    assert "heads left open that no tree of the parser has: 1 in 1 sentences (x7)" in learned.stderr


def test_corpora_by_name(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.conllu"
    for name, split in (("toy-short:dev", "dev"), ("toy-short", "test")):
        assert run("parse", model, name, "-o", out).returncode == 0
        assert f"toy-short-{split}-1\n" in out.read_text()


def test_what_training_and_parsing_refuse(
    model: Path, files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one process: there are many."""
    broken, bare = tmp_path / "broken.conllu", tmp_path / "bare.conllu"
    broken.write_text(files[0].read_text() + files[0].read_text().replace("\t0\t", "\t9\t", 1))
    write_conllu(bare, [Sentence.of(["a", "b"])])
    out = tmp_path / "out"
    for words, problem in {
        ("parse", model, broken, "-o", out): f"{broken}:27: HEAD 9 is past",
        ("parse", files[0], files[0], "-o", out): f"{files[0]}: no model of deppa_nb",
        ("parse", model, "toy-short:none", "-o", out): "toy-short has no split 'none'",
        ("parse", model, "toy-chunks", "-o", out): "toy-chunks has no trees",
        ("parse", model, "nowhere", "-o", out): "nowhere: no such corpus and no such file",
        ("parse", model, files[0], "-o", tmp_path): "is a directory",
        ("parse", model, files[0], "-o", out, "--nbest", "0"): "--nbest",
        ("train", out, broken): f"{broken}:27: HEAD 9 is past",
        ("train", out, bare): "none of the 1 sentences to learn from has a head",
        ("train", out, files[0], "--dev", "nowhere"): "nowhere: no such corpus and no such file",
    }.items():
        with pytest.raises(SystemExit) as left:
            main(list(map(str, words)))
        told = capsys.readouterr()
        assert left.value.code == 2 and told.out == "", words
        assert problem in told.err and told.err.count("\n") == 1, told.err
        assert not out.exists()
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    "given, problem",
    [
        (("nonsense", "1"), "no parameter 'nonsense'"),
        (("seeds", "x"), "seeds is 'x', expected int"),
        (("seeds", "[1"), "seeds [1: expected a value as in YAML"),
    ],
)
def test_results_with_parameters_that_are_none(given: tuple[str, str], problem: str) -> None:
    found = run("results", "li2016", "-p", *given)
    assert found.returncode != 0 and problem in found.stderr and "Traceback" not in found.stderr
