"""What the tests share: the real corpora where they are, and one rule for what a machine lacks."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("same every time", derandomize=True, deadline=None)
settings.load_profile("same every time")

PROJECT = Path(__file__).resolve().parents[1]
SHARED = PROJECT.parent / "shared" / "data"


def lacking(what: str) -> None:
    """Skip with one line; with DEPPA_REQUIRE_ALL=1 what a machine lacks is a failure."""
    if os.environ.get("DEPPA_REQUIRE_ALL") == "1":
        pytest.fail(f"DEPPA_REQUIRE_ALL=1, but this machine lacks {what}")
    pytest.skip(f"this machine lacks {what}")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real corpora."""
    if not SHARED.is_dir():
        lacking(f"the real corpora in {SHARED}")
    return SHARED


@pytest.fixture(scope="session")
def chromium() -> str:
    """A browser."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        lacking("Chromium")
    assert path
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home for added, fetched and cached corpora."""
    monkeypatch.setenv("DEPPA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DEPPA_DATA", raising=False)
    return tmp_path / "home"
