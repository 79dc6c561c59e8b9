"""pyproject, lock and environment agree; what is installed is what was meant; nothing else lies about."""

import re
import subprocess
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text())


def locked() -> "dict[str, set[str]]":
    """Return the versions the lock names for each package (several where platforms differ)."""
    versions: dict[str, set[str]] = {}
    for line in (PROJECT / "requirements.lock").read_text().splitlines():
        if line and not line.startswith((" ", "#")):
            name, version = re.match(r"([^=\s]+)==([^;\s]+)", line).groups()  # type: ignore[union-attr]
            versions.setdefault(canonicalize_name(name), set()).add(version)
    return versions


def required() -> list[Requirement]:
    project = PYPROJECT["project"]
    texts = [*project["dependencies"], *project["optional-dependencies"]["cluster"]]
    return [Requirement(text) for text in [*texts, *PYPROJECT["dependency-groups"]["dev"]]]


def test_the_lock_satisfies_every_requirement() -> None:
    versions = locked()
    for requirement in required():
        found = versions.get(canonicalize_name(requirement.name), set())
        assert found, f"{requirement.name} is not in requirements.lock: make lock"
        assert all(requirement.specifier.contains(v, prereleases=True) for v in found), requirement


def test_the_lock_was_compiled_from_these_requirements() -> None:
    """The lock says behind each package what asked for it: this project, for exactly these."""
    asked, name = set(), ""
    for line in (PROJECT / "requirements.lock").read_text().splitlines():
        if not line.startswith((" ", "#")):
            name = canonicalize_name(line.split("==")[0])
        elif "deppa-nb (pyproject.toml" in line:
            asked.add(name)
    assert asked == {canonicalize_name(requirement.name) for requirement in required()}


def test_the_environment_is_python_pip_the_lock_and_this_project() -> None:
    environment = yaml.safe_load((PROJECT / "environment.yml").read_text())
    python, pip, from_pip = environment["dependencies"]
    assert python == f"python {PYPROJECT['project']['requires-python']}"
    assert pip == "pip"
    assert from_pip == {"pip": ["-r requirements.lock", "-e ."]}


def test_what_is_installed_is_what_is_locked() -> None:
    versions = locked()
    for requirement in required():
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            installed = distribution(requirement.name).version
            assert installed in versions[canonicalize_name(requirement.name)], requirement.name


def test_only_two_names_can_be_imported(tmp_path: Path) -> None:
    """Build the wheel that a user would install and look into it."""
    import sys
    import zipfile

    source = tmp_path / "source"
    tracked = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    for name in filter(None, tracked):
        if (PROJECT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((PROJECT / name).read_bytes())
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(source)],
        check=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == {
        "deppa_nb",
        "deppa_widgets",
    }
    for needed in (
        "__init__.pyi",
        "py.typed",
        "corpus/catalogue/upstream.json",
        "reports/templates/page.html",
    ):
        assert f"deppa_nb/{needed}" in names
    data = [path for path in (PROJECT / "deppa_nb/corpus/toy").rglob("*.yaml")]
    assert data and all(path.relative_to(PROJECT).as_posix() in names for path in data)


def test_the_venv_is_built_when_missing_or_old_and_only_then(tmp_path: Path) -> None:
    import os

    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        (tmp_path / name).write_bytes((PROJECT / name).read_bytes())
        os.utime(tmp_path / name, (1000, 1000))

    def is_fresh() -> bool:
        done = subprocess.run(
            ["make", "-q", ".venv"], cwd=tmp_path, capture_output=True, check=False
        )
        return done.returncode == 0

    assert not is_fresh()
    (tmp_path / ".venv").mkdir()
    assert not is_fresh()
    (tmp_path / ".venv" / ".ready").touch()
    assert is_fresh()
    os.utime(tmp_path / "requirements.lock")
    os.utime(tmp_path / ".venv" / ".ready", (2000, 2000))
    assert not is_fresh()


ALLOWED = {
    "notebooks", "deppa_nb", "widgets", "parameters", "tests", "environment.yml", "README.md", "pyproject.toml",
    "requirements.lock", "Makefile", "benchmarks", "docs", "results", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE",
    ".ci", ".gitignore",
}  # fmt: skip


def test_the_top_level_is_the_agreed_one() -> None:
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert {line.split("/")[0] for line in tracked.stdout.splitlines()} <= ALLOWED


def test_every_public_name_of_the_stub_is_there() -> None:
    import deppa_nb as dp

    for name in dp.__all__:
        assert getattr(dp, name) is not None
