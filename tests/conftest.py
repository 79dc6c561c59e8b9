"""What the tests share: the real corpora where they are, and one rule for what a machine lacks."""

import os
import shutil
import subprocess
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("same every time", derandomize=True, deadline=None)
settings.load_profile("same every time")

PROJECT = Path(__file__).resolve().parents[1]
SHARED = PROJECT.parent / "shared" / "data"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: "pytest.CallInfo[None]"
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With DEPPA_REQUIRE_ALL=1 a skip, whatever its reason, is a failure."""
    report = yield
    if report.skipped and os.environ.get("DEPPA_REQUIRE_ALL") == "1":
        report.outcome = "failed"
        report.longrepr = f"DEPPA_REQUIRE_ALL=1, but skipped: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real corpora."""
    if not SHARED.is_dir():
        pytest.skip(f"this machine lacks the real corpora in {SHARED}")
    return SHARED


@pytest.fixture(scope="session")
def chromium() -> str:
    """A browser."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("this machine lacks Chromium")
    return path


@pytest.fixture
def look(chromium: str, tmp_path: Path) -> Callable[[Path, int, int], tuple[Path, str]]:
    """Opens a page in a browser without a network; returns a screenshot, and the page's HTML then."""
    flags = (
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--no-first-run",
        "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path / 'profile'}",
    )  # fmt: skip

    def looked(page: Path, width: int, height: int) -> tuple[Path, str]:
        shot = tmp_path / f"{page.stem}-{width}.png"
        for what in (f"--screenshot={shot}", "--dump-dom"):
            words = [chromium, *flags, f"--window-size={width},{height}", what, f"file://{page}"]
            ended = subprocess.run(words, check=True, capture_output=True, timeout=120)
        return shot, ended.stdout.decode()

    return looked


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home for added, fetched and cached corpora."""
    monkeypatch.setenv("DEPPA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DEPPA_DATA", raising=False)
    return tmp_path / "home"
