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
SIZE: Any = {"width": 1200, "height": 900}

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

    def events(self, name: str) -> list[dict[str, Any]]:
        """The events of a notebook's log; a last line that is being written is left out."""
        path = self.folder / f"{name}.jsonl"
        lines = path.read_bytes().split(b"\n")[1:-1] if path.exists() else []
        return [json.loads(line) for line in lines]

    def answers(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self.events(name) if event["what"] not in ("page", "shown")]

    def kill(self, name: str) -> None:
        """Kill the kernel that has run a cell, as a power cut would."""
        os.kill(int((self.folder / f"{name}.pid").read_text()), signal.SIGKILL)


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
        "--KernelManager.autorestart=False",  # its dialog would come at any moment and take keys
    ]  # fmt: skip
    home = {
        "JUPYTER_CONFIG_DIR": str(folder / ".config"),
        "JUPYTER_RUNTIME_DIR": str(folder / ".run"),
    }
    with open(folder / "lab.txt", "wb") as said:
        server = subprocess.Popen(command, stdout=said, stderr=said, env={**os.environ, **home})
    found = Lab(folder, port)
    try:
        for _ in range(600):
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

    def __init__(self, lab: Lab, context: Any) -> None:
        self.lab, self.context = lab, context
        self.page = context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", self._note)
        own = f"workspace{id(self)}"  # or two pages would restore each other's tabs
        self.page.goto(lab.url(f"lab/workspaces/{own}/tree/work.ipynb"))
        self.page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        # Cells are shown before the file is read, and what is put into them then is overwritten.
        self.page.evaluate("jupyterapp.shell.currentWidget.context.ready")
        self.wait_idle()

    def _note(self, error: Any) -> None:
        """Keep errors of the page, but for what JupyterLab says when its kernel is killed."""
        if "Canceled future" not in str(error):
            self.errors.append(str(error))

    def show(
        self,
        name: str,
        *,
        bank: str = TOY,
        widget: str = "HeadPicker(session)",
        strategy: str = "pa-gap",
        batch: int = 30,
        waits_for: str = ".deppa .word.active",
    ) -> "Desktop":
        """Put a cell with a session of this name into the notebook, and run it."""
        source = SETUP.format(name=name, bank=bank, widget=widget, strategy=strategy, batch=batch)
        self.page.evaluate(
            "(text) => jupyterapp.shell.currentWidget.content.widgets[0].model.sharedModel.setSource(text)",
            source,
        )
        return self.run(waits_for)

    def run(self, waits_for: str = ".deppa .word.active") -> "Desktop":
        """Run the notebook's cell and wait until there is something to answer."""
        self.clear()
        self.wait_idle()
        self.page.evaluate("document.activeElement?.blur()")  # nobody is typing in the cell
        self.page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
        self.page.wait_for_selector(waits_for)
        self.page.locator(".deppa").first.scroll_into_view_if_needed()
        return self

    def clear(self) -> None:
        self.page.evaluate("jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
        self.page.wait_for_selector(".deppa", state="detached")

    def wait_idle(self) -> None:
        kernel = "jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel"
        self.page.wait_for_function(f"{kernel}?.status === 'idle'")

    def restart(self) -> "Desktop":
        """Restart a kernel that was killed."""
        self.page.evaluate("jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
        return self

    def save(self) -> None:
        self.page.evaluate("jupyterapp.commands.execute('docmanager:save')")
        self.page.wait_for_function("!jupyterapp.shell.currentWidget.context.model.dirty")

    def press(self, *keys: str) -> "Desktop":
        """Press keys in the widget: JupyterLab may have the focus for a moment."""
        self.page.wait_for_function("document.activeElement?.closest('.deppa')")
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def wait_text(self, selector: str, text: str) -> None:
        self.page.locator(selector).filter(has_text=text).wait_for(state="attached")

    def text(self, selector: str) -> str:
        """What is read there, without the marks that keep directions of writing apart."""
        return str(self.page.inner_text(selector)).translate({0x2068: None, 0x2069: None})

    def wait_saved(self) -> "Desktop":
        self.page.wait_for_selector('.deppa[data-state="saved"]')
        return self


@pytest.fixture(scope="session")
def opened(lab: Lab, browser: Any) -> Iterator[Desktop]:
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cell = nbformat.v4.new_code_cell("")
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": spec})
    nbformat.write(notebook, lab.folder / "work.ipynb")
    context = browser.new_context(viewport=SIZE)
    context.set_default_timeout(90_000)  # of a machine that has other things to do
    yield Desktop(lab, context)
    context.close()


@pytest.fixture
def desk(opened: Desktop) -> Iterator[Desktop]:
    """One page with one notebook for all tests: kernels and pages take long to start."""
    opened.page.bring_to_front()
    opened.page.set_viewport_size(SIZE)
    yield opened
    assert opened.errors == []
