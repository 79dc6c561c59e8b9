"""What the tests share: the real corpora where they are, and one rule for what a machine lacks."""

import os
import shutil
from collections.abc import Generator
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
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home for added, fetched and cached corpora."""
    monkeypatch.setenv("DEPPA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DEPPA_DATA", raising=False)
    return tmp_path / "home"
