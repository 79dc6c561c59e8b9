"""`deppa annotate`: a working copy of the annotation notebook, at its widget, on a file.

A notebook that is opened shows what its kernel shows. So the cells are run here, in a kernel that
the server starts for the working copy, before the browser opens it: nobody has to run a cell.
"""

import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import nbformat
from nbformat.sign import NotebookNotary

from deppa_nb.active.log import read_log, sentences_by_id
from deppa_nb.active.log_writer import LogWriter
from deppa_nb.batch.notebooks import check_parameters
from deppa_nb.corpus.textfile import write_atomically
from deppa_nb.errors import CorpusError, RunError
from deppa_nb.experiments.annotate import exported, material
from deppa_nb.experiments.parameters import AnnotateParameters
from deppa_nb.experiments.project import project_folder

__all__ = ["Place", "annotate", "place"]

NOTEBOOK = "20_annotate.ipynb"
_START_SECONDS = 60
_QUIET = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
_FOLDED = {"collapsed": True, "visible": True}
_LAYOUT = {"left": _FOLDED, "right": _FOLDED}  # of JupyterLab: all room is for the question
_JUPYTER = 8888
_PORT = "deppa_port"  # in a working copy's metadata
_PARAMETERS = "parameters"
_WIDGET = "widget"  # the tag of the last cell that is run
_SUGGESTED = "suggested"  # of a cell on suggestions, which who works blind does not get
_BY_HAND = "by-hand"  # of a cell that tells how to run cells, which a working copy does by itself


@dataclass(frozen=True)
class Place:
    """Where a person's work is.

    Attributes
    ----------
    chosen
        The parameters, which know the log and the export.
    notebook
        The working copy.
    port
        Of the last time, or Jupyter's: answers that wait in a browser wait for a port.
    hidden
        Where every head is known: how many are hidden and asked for, to practise; else None.
    """

    chosen: AnnotateParameters
    notebook: Path
    port: int
    hidden: int | None


def place(folder: Path, values: dict[str, Any]) -> Place:
    """Make the working copy, or set up the one that is there.

    Parameters
    ----------
    folder
        Where the log, the export and the working copy go.
    values
        Parameters of the notebook.
    """
    source = project_folder() / "notebooks" / NOTEBOOK
    chosen = AnnotateParameters(**values, folder=str(folder.resolve()))
    check_parameters(source, vars(chosen))
    found = material(chosen.corpus)
    sentences_by_id(found.bank)  # tells which sentence has the name of another
    # Somebody who has this log open has the working copy open too, and it must stay as it is.
    try:
        LogWriter(chosen.log, annotator=chosen.annotator, treebank=found.bank).close()
    except CorpusError as error:  # two files of one name
        raise CorpusError(f"{error}; give this file another folder by -o") from error
    copy = chosen.log.with_suffix(".ipynb")
    notebook = new = nbformat.read(source, as_version=4)
    if copy.exists():
        notebook = nbformat.read(copy, as_version=4)
        notebook.cells = _mended(notebook.cells, new.cells)
    _set_up(notebook, vars(chosen))
    _write(copy, notebook)
    port = notebook.metadata.get(_PORT, _JUPYTER)
    hidden = None if found.gold is None else found.bank.n_words - found.bank.n_annotated
    return Place(chosen, copy, port, hidden)


def _mended(cells: list[Any], new: list[Any]) -> list[Any]:
    """Return cells with all that are run: beside the widget, one key makes text of a cell.

    Such a cell has another id. Its text and its tags tell what it was.
    """
    last = next(k for k, cell in enumerate(new) if _WIDGET in cell.metadata.get("tags", []))
    needed = {cell.id: cell for cell in new[: last + 1] if cell.cell_type == "code"}
    texts = {cell.source for cell in needed.values()}

    def is_other(cell: Any) -> bool:
        is_ours = cell.source in texts or {_WIDGET, _PARAMETERS} & {*cell.metadata.get("tags", [])}
        return cell.id not in needed and not is_ours

    kept = [cell for cell in cells if cell.id in needed or is_other(cell)]
    place = 0
    for cell in new[: last + 1]:
        here = next((k for k, one in enumerate(kept) if one.id == cell.id), None)
        if here is None and cell.id in needed:
            kept.insert(place, cell)
            here = place
        place = place if here is None else here + 1
    return kept


def _set_up(notebook: Any, known: dict[str, Any]) -> None:
    """Write the parameters into their cell, and fold or leave out what the person need not see."""
    unseen = {_BY_HAND, *([_SUGGESTED] if known["blind"] else [])}
    notebook.cells = [c for c in notebook.cells if not unseen & {*c.metadata.get("tags", [])}]
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        if _PARAMETERS in tags:
            lines = cell.source.splitlines()
            cell.source = "\n".join(_assigned(line, known) for line in lines)
        if cell.cell_type == "code":
            cell.metadata["jupyter"] = {"source_hidden": True}
            cell.outputs, cell.execution_count = [], None
        if _WIDGET in tags:
            return


def _assigned(line: str, known: dict[str, Any]) -> str:
    """Return the line of a parameter with its value.

    >>> _assigned('corpus = "toy-en"  # a name', {"corpus": "a b.conllu"})
    "corpus = 'a b.conllu'  # a name"
    """
    name = line.partition(" = ")[0]
    comment = re.search(r"  # .*$", line)
    return f"{name} = {known[name]!r}{comment[0] if comment else ''}" if name in known else line


def _write(path: Path, notebook: Any) -> None:
    """Write and sign: JupyterLab shows no widget of a notebook that it does not trust."""
    NotebookNotary().sign(notebook)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, [nbformat.writes(notebook) + "\n"])


def annotate(
    where: Place, port: int | None, opened: Callable[[str], object], say: Callable[[str], object]
) -> None:
    """Serve the working copy until the server ends, then export the treebank.

    Parameters
    ----------
    where
        See `place`.
    port
        Of the server, on loopback; None is that of the last time. If it is taken, the next one.
    opened
        Is called with the address when the question is there.
    say
        Is told what happens.
    """
    _end_by_signals()
    with _server(where.notebook.parent, port or where.port) as server:
        say("starting the kernel ...")
        kernel = server.session(where.notebook.name)
        _run(where.notebook, kernel, {_PORT: urlsplit(server.url).port})
        opened(server.address(f"doc/tree/{where.notebook.name}"))
        with suppress(KeyboardInterrupt):
            server.process.wait()
    if where.chosen.log.exists():
        found = material(where.chosen.corpus)
        written = exported(found, read_log(where.chosen.log), where.chosen.export)
        with suppress(OSError):  # the terminal may be closed
            say(f"\nexported: {written}")


def _end_by_signals() -> None:
    """Let whatever ends this process do as Ctrl+C, or the server would be left alone."""

    def end(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_IGN)  # of a terminal that closes it may come twice
        raise KeyboardInterrupt

    for number in {signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}:
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup wants it
            signal.signal(number, end)


@dataclass(frozen=True)
class _Server:
    """A Jupyter server that was started here."""

    process: "subprocess.Popen[bytes]"
    url: str
    token: str

    def address(self, path: str) -> str:
        return f"{self.url}{path}?token={self.token}"

    def call(self, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data)
        request.add_header("Authorization", f"token {self.token}")
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=_START_SECONDS) as answer:
            return json.load(answer)

    def session(self, name: str) -> str:
        """Start the kernel of a notebook; return its number."""
        body = {"path": name, "name": name, "type": "notebook", "kernel": {"name": "python3"}}
        return str(self.call("api/sessions", body)["kernel"]["id"])


@contextmanager
def _server(folder: Path, port: int) -> Iterator[_Server]:
    """Run a server on loopback; its token is in nobody's list of processes."""
    from jupyterlab_server.workspaces_handler import WorkspacesManager

    token = secrets.token_hex(24)
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}",
        f"--ServerApp.root_dir={folder}", "--log-level=40",
    ]  # fmt: skip
    if getattr(os, "geteuid", lambda: 1)() == 0:
        command.append("--allow-root")
    with TemporaryDirectory() as settings:
        Path(settings, "labconfig").mkdir()
        Path(settings, "labconfig", "page_config.json").write_text(json.dumps(_QUIET))
        paths = os.pathsep.join(filter(None, (settings, os.environ.get("JUPYTER_CONFIG_PATH"))))
        layout = {"data": {"layout-restorer:data": _LAYOUT}, "metadata": {"id": "default"}}
        WorkspacesManager(settings).save("default", json.dumps(layout))
        own = {
            "JUPYTER_TOKEN": token,
            "JUPYTER_CONFIG_PATH": paths,
            "JUPYTERLAB_WORKSPACES_DIR": settings,
        }
        said = Path(settings, "said.txt")
        with open(said, "wb") as file:
            process = subprocess.Popen(
                command, env={**os.environ, **own}, stdout=file, stderr=subprocess.STDOUT
            )
        try:
            yield _Server(process, _url(process, said), token)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _url(process: "subprocess.Popen[bytes]", said: Path) -> str:
    """Return where a server listens, which it tells in a file."""
    from jupyter_core.paths import jupyter_runtime_dir

    file = Path(jupyter_runtime_dir(), f"jpserver-{process.pid}.json")
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            url = str(json.loads(file.read_text())["url"])
            with urllib.request.urlopen(url + "api", timeout=5):
                return url
        except (OSError, ValueError, urllib.error.URLError):
            time.sleep(0.1)
    last = said.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
    raise RunError(f"JupyterLab did not start: {last or 'no answer'}")


def _run(path: Path, kernel: str, metadata: dict[str, Any]) -> None:
    """Run the cells of a notebook down to the widget, in a kernel of the server."""
    from jupyter_client import BlockingKernelClient
    from jupyter_core.paths import jupyter_runtime_dir

    client = BlockingKernelClient(
        connection_file=str(Path(jupyter_runtime_dir(), f"kernel-{kernel}.json"))
    )
    client.load_connection_file()
    client.start_channels(hb=False)  # by its heart, a kernel of a busy machine is taken for dead
    try:
        try:
            client.wait_for_ready(timeout=_START_SECONDS)
        except RuntimeError as error:
            raise RunError(f"the kernel did not start: {error}") from error
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                _run_cell(client, cell)
            if _WIDGET in cell.metadata.get("tags", []):
                break
        notebook.metadata.update(metadata)
        _write(path, notebook)
    finally:
        client.stop_channels()


def _run_cell(client: Any, cell: Any) -> None:
    def keep(message: dict[str, Any]) -> None:
        if message["msg_type"] in ("stream", "display_data", "execute_result", "error"):
            cell.outputs.append(nbformat.v4.output_from_msg(message))

    reply = client.execute_interactive(cell.source, output_hook=keep, timeout=600)["content"]
    cell.execution_count = reply.get("execution_count")
    if reply["status"] != "ok":
        raise RunError(f"{reply.get('ename')}: {reply.get('evalue')}")
