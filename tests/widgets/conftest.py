"""A JupyterLab on loopback with a token, and a browser in front of it."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

TOKEN = "a-token-for-tests"

SETUP = """\
import os
from pathlib import Path
import deppa_nb as dp
from deppa_nb.active.session import Session
from deppa_widgets import *
Path("{name}.pid").write_text(str(os.getpid()))
{bank}
parser = dp.CRFParser(1, bits=14, epochs=1, progress=False, threads=1)
session = Session(bank, "{name}.jsonl", annotator="anna", parser=parser, strategy="{strategy}", batch={batch})
{widget}
"""
TOY = 'bank = dp.Treebank(tuple(dp.Pool.hiding(dp.load("toy-short", sizes={"train": 150}).train, seed=20)), "toy")'


class Lab:
    """A server with a folder for its notebooks."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}?token={TOKEN}"

    def call(self, path: str, method: str = "GET") -> Any:
        request = urllib.request.Request(
            self.url(path), method=method, data=b"" if method == "POST" else None
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def notebook(
        self,
        name: str,
        *,
        bank: str = TOY,
        widget: str = "HeadPicker(session)",
        strategy: str = "pa-gap",
        batch: int = 30,
    ) -> None:
        source = SETUP.format(name=name, bank=bank, widget=widget, strategy=strategy, batch=batch)
        cell = nbformat.v4.new_code_cell(source)
        spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": spec})
        nbformat.write(notebook, self.folder / f"{name}.ipynb")

    def events(self, name: str) -> list[dict[str, Any]]:
        """The events of a notebook's log; a last line that is being written is left out."""
        path = self.folder / f"{name}.jsonl"
        lines = path.read_bytes().split(b"\n")[1:-1] if path.exists() else []
        return [json.loads(line) for line in lines]

    def answers(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self.events(name) if event["what"] not in ("page", "shown")]

    def kill(self, name: str) -> None:
        """Kill the kernel of a notebook as a power cut would."""
        os.kill(int((self.folder / f"{name}.pid").read_text()), signal.SIGKILL)

    def shut(self, name: str) -> None:
        for session in self.call("api/sessions"):
            if session["path"] == f"{name}.ipynb":
                self.call(f"api/sessions/{session['id']}", "DELETE")


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("lab")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
        f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={folder}", "--LabApp.expose_app_in_browser=True",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", "--ServerApp.port_retries=0",
    ]  # fmt: skip
    home = {
        "JUPYTER_CONFIG_DIR": str(folder / ".config"),
        "JUPYTER_RUNTIME_DIR": str(folder / ".run"),
    }
    with open(folder / "lab.txt", "wb") as said:
        server = subprocess.Popen(command, stdout=said, stderr=said, env={**os.environ, **home})
    found = Lab(folder, port)
    try:
        for _ in range(150):
            try:
                found.call("api/status")
                break
            except OSError:
                assert server.poll() is None, (folder / "lab.txt").read_text()
                time.sleep(0.2)
        yield found
    finally:
        server.terminate()
        server.wait(20)


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


class Desktop:
    """A page of JupyterLab with one notebook, as a person has it before them."""

    def __init__(self, lab: Lab, context: Any, name: str) -> None:
        self.lab, self.name = lab, name
        self.page = context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self) -> "Desktop":
        own = f"{self.name}{id(self)}"  # or the notebooks of the test before would be opened too
        self.page.goto(self.lab.url(f"lab/workspaces/{own}/tree/{self.name}.ipynb"))
        self.page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
        return self

    def run(self, waits_for: str = ".deppa .word.active") -> "Desktop":
        """Run the notebook's cell and wait until there is something to answer."""
        self.page.wait_for_function(
            "jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'",
            timeout=60_000,
        )
        self.page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
        self.page.wait_for_selector(waits_for, timeout=90_000)
        self.page.locator(".deppa").first.scroll_into_view_if_needed()
        return self

    def restart(self) -> "Desktop":
        """Restart a kernel that was killed, and take away what it has shown."""
        self.page.evaluate(
            "jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
            ".then(() => jupyterapp.commands.execute('notebook:clear-all-cell-outputs'))"
        )
        return self

    def save(self) -> None:
        self.page.evaluate("jupyterapp.commands.execute('docmanager:save')")

    def press(self, *keys: str) -> "Desktop":
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def wait_saved(self) -> "Desktop":
        self.page.wait_for_selector('.deppa[data-state="saved"]', timeout=15_000)
        return self


@pytest.fixture
def desktop(lab: Lab, browser: Any) -> Iterator[Any]:
    """Open a notebook by its name; kernels are shut down afterwards."""
    contexts, opened = [], []

    def open_one(name: str, *, context: Any = None, **viewport: Any) -> Desktop:
        if context is None:
            size = {"width": viewport.pop("width", 1200), "height": 900}
            context = browser.new_context(viewport=size, **viewport)
            contexts.append(context)
        opened.append(Desktop(lab, context, name))
        return opened[-1].open()

    yield open_one
    for one in contexts:
        one.close()
    for name in {desktop.name for desktop in opened}:
        lab.shut(name)
    assert not [error for desktop in opened for error in desktop.errors]
