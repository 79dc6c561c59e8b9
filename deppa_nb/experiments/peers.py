"""Our parser beside others: the same files, one thread each, processor time.

Other parsers may need environments of their own, so each runs as a script of `benchmarks/peers`
with the first interpreter that has it; what it writes is scored here.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from deppa_nb.corpus.conllu import read_conllu, write_conllu
from deppa_nb.corpus.corpus import SPLITS, Corpus
from deppa_nb.corpus.evaluate import evaluate
from deppa_nb.corpus.sentence import Treebank
from deppa_nb.kernels import first_order, matrix_tree, second_order
from deppa_nb.kernels.items import parts
from deppa_nb.models.crf import CRFParser

__all__ = ["inference_speeds", "parser_scores"]

_SCRIPTS = Path(__file__).resolve().parents[2] / "benchmarks" / "peers"
_OURS = "ours, order 2"
_ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "BLIS", "NUMEXPR")}
_ROUNDS = 3  # the fastest counts, as in the scripts

Say = Callable[[str], None]


@dataclass(frozen=True)
class Peer:
    """Another parser: what Python must be able to import, and how it gets it."""

    name: str
    script: str
    module: str
    pip: str


PARSERS = (
    Peer("spaCy", "spacy_parser.py", "spacy", "pip install spacy"),
    Peer("UDPipe 1", "udpipe_parser.py", "ufal.udpipe", "pip install ufal.udpipe"),
)
LIBRARIES = (
    Peer("SuPar", "inference.py", "supar", "pip install torch; pip install --no-deps supar"),
    Peer("torch-struct", "inference.py", "torch_struct", "pip install torch torch-struct"),
)


def parser_scores(
    corpus: Corpus,
    *,
    sentences: int | None = None,
    seconds: float = 60.0,
    pythons: Sequence[str] = (sys.executable,),
    say: Say = lambda line: None,
) -> pd.DataFrame:
    """Train and score our parser and others.

    Parameters
    ----------
    corpus
        Splits train, dev and test, with labels.
    sentences
        Only so many of each split.
    seconds
        How long others may learn, if they can be stopped; ours takes its epochs.
    pythons
        Interpreters that may have the others.
    say
        Told what is being done.

    Returns
    -------
    pandas.DataFrame
        A row a parser: `uas` and `las` on test, processor seconds of training and tokens parsed in
        a second, both as ratios to ours too (of time: how many times as long), and a note.
    """
    banks: dict[str, Treebank] = {name: getattr(corpus, name)[:sentences] for name in SPLITS}
    rows = []
    for order, name in ((2, _OURS), (1, "ours, order 1")):
        say(name)
        rows.append({"parser": name, **_score_ours(order, banks)})
    with tempfile.TemporaryDirectory() as folder:
        for split, bank in banks.items():
            write_conllu(Path(folder) / f"{split}.conllu", bank)
        for peer in PARSERS:
            say(peer.name)
            rows.append({"parser": peer.name, **_score(peer, folder, banks, seconds, pythons)})
    table = pd.DataFrame(rows)
    table.insert(4, "train_ratio", table["train_seconds"] / table["train_seconds"][0])
    table.insert(6, "speed_ratio", table["tokens_per_second"] / table["tokens_per_second"][0])
    return table


def inference_speeds(
    *, pythons: Sequence[str] = (sys.executable,), say: Say = lambda line: None
) -> pd.DataFrame:
    """Time log Z with all marginals (its gradient), ours beside others', in sentences a second.

    Returns
    -------
    pandas.DataFrame
        A row for each peer, structure and number of words n: `per_second`, `ours_per_second`,
        and the `ratio` of ours to the peer's; peers that are not there have only a `note`.
    """
    rows: list[dict[str, Any]] = []
    for peer in LIBRARIES:
        say(peer.name)
        found = _run(peer, [peer.module], pythons)
        rows += found.get("rows") or [{"peer": peer.name, "note": found["note"]}]
    table = pd.DataFrame(rows, columns=["peer", "structure", "n", "per_second", "note"])
    say("ours")
    there = table["n"].notna()
    ours = [_ours(s, int(n)) for s, n in table.loc[there, ["structure", "n"]].to_numpy()]
    table.insert(4, "ours_per_second", pd.Series(ours, table.index[there], dtype=float))
    table.insert(5, "ratio", table["ours_per_second"] / table["per_second"])
    return table.assign(note=table["note"].fillna(""))


def _score_ours(order: int, banks: dict[str, Treebank]) -> dict[str, Any]:
    options: dict[str, Any] = {"labels": True, "threads": 1, "progress": False}
    CRFParser(order, bits=12, epochs=1, **options).fit(banks["train"][:5]).predict(
        banks["test"][:2]
    )
    parser = CRFParser(order, **options)
    start = time.process_time()
    parser.fit(banks["train"], dev=banks["dev"])
    train_seconds, times = time.process_time() - start, []
    for _ in range(_ROUNDS):
        start = time.process_time()
        found = parser.predict(banks["test"])
        times.append(time.process_time() - start)
    return _row(banks["test"], found, train_seconds, min(times), f"{len(parser.history_)} epochs")


def _row(
    gold: Treebank, found: Treebank, train_seconds: float, parse_seconds: float, note: str
) -> dict[str, Any]:
    scores = evaluate(gold, found)
    return {
        "uas": scores.uas,
        "las": scores.las,
        "train_seconds": train_seconds,
        "tokens_per_second": gold.n_words / parse_seconds,
        "note": note,
    }


def _score(
    peer: Peer, folder: str, banks: dict[str, Treebank], seconds: float, pythons: Sequence[str]
) -> dict[str, Any]:
    """Run a peer and score what it has written; or say why there is nothing."""
    paths = [str(Path(folder) / f"{name}.conllu") for name in (*SPLITS, peer.module)]
    found = _run(peer, [*paths, str(seconds)], pythons)
    if "train_seconds" not in found:
        return {"note": found["note"]}
    return _row(banks["test"], read_conllu(paths[-1]), **found)


def _run(peer: Peer, arguments: list[str], pythons: Sequence[str]) -> dict[str, Any]:
    """Return what a peer's script reports, or a note why it does not."""
    script = _SCRIPTS / peer.script
    if not script.is_file():
        return {"note": "benchmarks/peers is not here: it comes with the project's sources"}
    for python in pythons:
        known = [python, "-c", f"import importlib.util as u; u.find_spec({peer.module!r}).name"]
        if subprocess.run(known, capture_output=True, check=False).returncode == 0:
            break
    else:
        return {"note": f"not installed: {peer.pip}"}
    done = subprocess.run(
        [python, str(script), *arguments],
        env={**os.environ, **_ONE_THREAD},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        return {"note": f"failed: {(done.stderr.strip() or 'no reason given').splitlines()[-1]}"}
    reported: dict[str, Any] = json.loads(done.stdout)
    return reported


def _ours(structure: str, n: int) -> float:
    """Return how many sentences our kernel does in a second of one thread."""
    rng = np.random.default_rng(n)
    arcs, siblings = rng.normal(size=(n + 1, n + 1)), rng.normal(size=parts(n))
    results, work = (np.empty_like(arcs), np.empty_like(siblings)), second_order.workspace(n)
    calls: dict[str, Callable[[], Any]] = {
        "first order": lambda: first_order.inside_outside(arcs, True, results[0], work),
        "second order": lambda: second_order.inside_outside(arcs, siblings, True, *results, work),
        "non-projective": lambda: matrix_tree.tree_marginals(arcs, True, results[0]),
    }
    call, repeats = calls[structure], 32
    call()
    times = []
    for _ in range(_ROUNDS):
        start = time.process_time()
        for _ in range(repeats):
            call()
        times.append(time.process_time() - start)
    return repeats / min(times)
