"""Every command, file and line of Python that the README names is real."""

import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest

from deppa_nb.cli import deppa

PROJECT = Path(__file__).resolve().parents[1]
README = (PROJECT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def commands() -> list[list[str]]:
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.strip()]
    inline = re.findall(r"`((?:make|deppa|conda) [^`]+)`", README)
    return [shlex.split(line, comments=True) for line in [*lines, *inline]]


def subcommand(words: list[str]) -> click.Command:
    """Follow words down the groups of `deppa`; a word that is no command fails."""
    found: click.Command = deppa
    for word in words:
        if not isinstance(found, click.Group):
            break
        found = found.commands[word]
    return found


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_the_command_exists(words: list[str]) -> None:
    program, *rest = words
    program = program.removeprefix(".venv/bin/")
    if program == "make":
        # -n: what make would do, without doing it (and without running the tests in the tests).
        subprocess.run(["make", "-n", *rest], cwd=PROJECT, check=True, capture_output=True)
    elif program == "deppa":
        command = subcommand(rest)
        options = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in rest if word.startswith("-")} <= options
    elif program == "pip":
        assert [(PROJECT / word).exists() for word in rest if word.endswith(".lock")] in (
            [],
            [True],
        )
    elif program == "conda":
        assert (PROJECT / rest[rest.index("-f") + 1]).exists()
    else:
        assert words == ["python3", "-m", "venv", ".venv"]


def test_the_readme_has_commands_to_check() -> None:
    assert len(commands()) >= 12


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}  # one reader types all blocks, one after the other
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), names)
    assert (tmp_path / "partial.conllu").read_text().count("\t_\t") > 0


def test_links_and_pictures_exist() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    for target in targets:
        assert (PROJECT / target).exists(), target
