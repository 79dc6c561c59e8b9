"""`deppa doctor`: is everything there, and if not, what to do."""

import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import click

from deppa_nb.cli.output import print_json, print_table
from deppa_nb.errors import DeppaError

__all__ = ["doctor"]


@dataclass(frozen=True)
class Finding:
    """One thing looked at; `todo` is empty when it is well. Only what is `needed` is a failure."""

    what: str
    found: str
    todo: str = ""
    needed: bool = True

    @property
    def mark(self) -> str:
        """Return how it is."""
        return "ok" if not self.todo else "WRONG" if self.needed else "missing"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(as_json: bool) -> None:
    """Check the installation and say what to do."""
    checks = (_python, _packages, _compiler, _folders, _kernel, _browser, _corpora)
    findings = [finding for check in checks for finding in check()]
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        rows = [(f.mark, f.what, f.found, f.todo) for f in findings]
        print_table(("", "what", "found", "to do"), rows)
    if any(finding.todo and finding.needed for finding in findings):
        sys.exit(1)


def _python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    todo = "" if sys.version_info >= (3, 11) else "install Python 3.11 or newer"
    yield Finding("Python", f"{version}, {sys.executable}", todo)


def _packages() -> Iterator[Finding]:
    """Compare what is installed with what the package requires."""
    from importlib.metadata import PackageNotFoundError, requires, version

    from packaging.requirements import Requirement

    wrong = []
    required = [Requirement(text) for text in requires("deppa_nb") or ()]
    required = [r for r in required if r.marker is None or r.marker.evaluate({"extra": ""})]
    for requirement in required:
        try:
            installed = version(requirement.name)
        except PackageNotFoundError:
            wrong.append(f"{requirement.name} missing")
            continue
        if not requirement.specifier.contains(installed, prereleases=True):
            wrong.append(f"{requirement.name} {installed} is not {requirement.specifier}")
    todo = "make .venv in the project's folder, or pip install --upgrade deppa_nb" if wrong else ""
    yield Finding("packages", "; ".join(wrong) or f"{len(required)} as required", todo)


def _compiler() -> Iterator[Finding]:
    """Compile a function, as every kernel is."""
    import numba

    try:
        right = numba.njit(lambda x: x + 1)(1) == 2
        yield Finding("numba", f"{numba.__version__} compiles", "" if right else "reinstall numba")
    except Exception as error:  # whatever a broken compiler raises is the finding
        yield Finding("numba", str(error).splitlines()[0], "reinstall numba and llvmlite")


def _folders() -> Iterator[Finding]:
    """Try to write where corpora and caches go."""
    import tempfile

    from deppa_nb.corpus.paths import cache_home, data_home, named_folders

    for folder in named_folders():
        todo = "" if folder.is_dir() else "correct DEPPA_DATA: there is no such folder"
        yield Finding("DEPPA_DATA", str(folder), todo)
    for what, folder in (("data folder", data_home()), ("cache folder", cache_home())):
        todo = ""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            todo = f"set DEPPA_HOME to a folder you can write ({error.strerror})"
        yield Finding(what, str(folder), todo)


def _kernel() -> Iterator[Finding]:
    """Look for the Jupyter kernel that notebooks ask for."""
    from jupyter_client.kernelspec import KernelSpecManager

    names = KernelSpecManager().find_kernel_specs()
    todo = "" if "python3" in names else "python -m ipykernel install --sys-prefix"
    yield Finding("Jupyter kernel", ", ".join(sorted(names)) or "none", todo)


def _browser() -> Iterator[Finding]:
    """Look for Chromium, which only the widgets' tests need."""
    import shutil

    names: tuple[str, ...] = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    todo = "" if path else "install Chromium to run the browser tests"
    yield Finding("browser", path or "none", todo, needed=False)


def _corpora() -> Iterator[Finding]:
    """Count what is here, and read one of the embedded corpora."""
    from deppa_nb.corpus.registry import entries, load

    try:
        count = sum(entry.state in ("embedded", "added", "here") for entry in entries())
        sentences = len(load("toy-short", sizes={"train": 10}).train)
        yield Finding("corpora", f"{count} here, toy-short made and read ({sentences} sentences)")
        for entry in entries():
            if entry.state == "broken":
                yield Finding(entry.name, entry.note, "mend or remove it", needed=False)
    except DeppaError as error:
        yield Finding("corpora", str(error), "mend the file or folder it names")
