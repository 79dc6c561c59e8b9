"""The table of peers, with stand-ins for them: present, absent and broken."""

import json
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from deppa_nb import load
from deppa_nb.cli import deppa
from deppa_nb.experiments import peers

GOLD = """
import json, shutil, sys
train, dev, test, out, seconds = sys.argv[1:]
shutil.copy(test, out)
print(json.dumps({"train_seconds": float(seconds), "parse_seconds": 0.5, "note": "perfect"}))
"""
ROWS = """
import json
rows = [{"peer": "A", "structure": s, "n": 5, "per_second": 10.0} for s in ("first order", "non-projective")]
print(json.dumps({"rows": rows}))
"""


@pytest.fixture
def stand_ins(tmp_path, monkeypatch):
    """One peer that knows the answers, one that fails, one that is not installed."""
    for name, code in (("gold.py", GOLD), ("bad.py", "raise SystemExit('x\\nno luck')"), ("a.py", ROWS)):  # fmt: skip
        (tmp_path / name).write_text(code)
    monkeypatch.setattr(peers, "_SCRIPTS", tmp_path)
    monkeypatch.setattr(
        peers,
        "PARSERS",
        (
            peers.Peer("Gold", "gold.py", "json", "pip install gold"),
            peers.Peer("Bad", "bad.py", "json", ""),
            peers.Peer("Gone", "gold.py", "no_such_module_1", "pip install gone"),
        ),
    )
    monkeypatch.setattr(
        peers,
        "LIBRARIES",
        (
            peers.Peer("A", "a.py", "json", ""),
            peers.Peer("B", "none.py", "json", "pip install b"),
        ),
    )


def test_peers_are_scored_on_the_same_sentences(stand_ins):
    told = []
    table = peers.parser_scores(load("toy-short"), sentences=30, seconds=7, say=told.append)
    assert told == ["ours, order 2", "ours, order 1", "Gold", "Bad", "Gone"]
    rows = table.set_index("parser")
    assert rows.loc["Gold", "uas"] == rows.loc["Gold", "las"] == 100.0
    words = load("toy-short").test[:30].n_words
    assert rows.loc["Gold", "tokens_per_second"] == pytest.approx(2 * words)
    ours = rows.loc["ours, order 2"]
    assert 50 < ours["las"] <= ours["uas"] and ours["train_ratio"] == ours["speed_ratio"] == 1.0
    assert rows.loc["Gold", "train_ratio"] == pytest.approx(7 / ours["train_seconds"])
    assert rows.loc["Bad", "note"] == "failed: no luck" and np.isnan(rows.loc["Bad", "uas"])
    assert rows.loc["Gone", "note"] == "not installed: pip install gone"


def test_inference_beside_peers(stand_ins):
    table = peers.inference_speeds(pythons=("/no/such/python", sys.executable)[1:])
    first, second, missing = table.to_dict("records")
    assert first["structure"] == "first order" and second["structure"] == "non-projective"
    assert first["ratio"] == pytest.approx(first["ours_per_second"] / 10.0) and first["ratio"] > 1
    assert missing["peer"] == "B" and "comes with the project's sources" in missing["note"]


def test_the_command(stand_ins):
    shown = CliRunner().invoke(deppa, ["bench", "parser", "toy-short", "--sentences", "20"])
    assert shown.exit_code == 0 and "not installed: pip install gone" in shown.output
    assert "nan" not in shown.output
    words = ["bench", "parser", "toy-short", "--sentences", "20", "--json"]
    found = json.loads(CliRunner().invoke(deppa, words).stdout)
    assert found["parsers"][2]["note"] == "perfect" and found["inference"][0]["n"] == 5


def test_the_scripts_are_there():
    for peer in (*peers.PARSERS, *peers.LIBRARIES):
        assert (peers._SCRIPTS / peer.script).is_file()
