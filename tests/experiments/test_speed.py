"""The benchmark of kernels runs, names its reference, and covers every kernel that is public."""

import ast
import json
import shutil
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from deppa_nb import kernels
from deppa_nb.cli import deppa
from deppa_nb.experiments import speed

# Steps before or after a kernel, and what other kernels are made of.
NOT_TIMED = {
    *(
        "constrain",
        "pack",
        "unpack",
        "parts",
        "push",
        "row",
        "workspace",
        "build",
        "node",
        "score_edges",
    ),
    *("inside", "padded", "factorise", "log_partition", "expected_score", "entropy"),
    *("best_heads", "scaled_sums", "allow", "weigh", "distance", "event_distance", "exchange"),
    *("eliminate_logs", "differentiate_logs", "cache_folder", "jit"),
    *(
        "enter",
        "look_up",
        "add_scores",
        "add_expected",
        "tabulate",
        "collect",
        "count_given",
        "partial_loss",
    ),
    *("unary_weights", "forward", "emit", "backward", "is_small", "multiply", "add_transitions"),
    *("sum_losses", "best_batch", "marginal_batch"),  # see benchmarks/chain_crf.py
    *(
        "room",
        "places",
        "scramble",
        "spread",
        "describe",
        "add_gradient",
        "layout",
    ),  # steps of the parser
    *(
        "score",
        "score_kept",
        "list_room",
        "collect",
        "prefetch",
        "keep_arcs",
        "constrain_batch",
        "score_one",
        "scoring_room",
        "square",
        "longest",
        "sum_one",
        "decode_one",
        "best_labelled",
        "add_best_labels",
        "add_rows",
        "add_tree",
        "differ",
        "find_rows",
        "forbid_labels",
        "labelled_trees",
        "largest",
        "learn_labelled",
        "row_room",
        "merge",
        "record",
        "is_tree",
        "prefer",
        "two_best",
        "light_pass",  # benchmarks/light_feedback.py does
        "utilities",
        "differ_room",
        "learn",
        "meet",
        "take",
    ),
    *(
        "fresh_cells",
        "is_legal",
        "move",
        "see",
        "static_action",
        "static_actions",
        "learn_actions",  # benchmarks/parser_accuracy.py --model transition
        "limit_room",
        "limit_chart",
        "set_targets",
        "can_go_on",
        "words_of",
    ),
    *("follow", "find_leaves", "log_probability", "columns"),  # go through one derivation
    *("label_probabilities", "learn_labels", "learn_tags", "tag_batch", "add_labels"),
}


@pytest.fixture
def one_case(monkeypatch):
    every = speed._cases
    monkeypatch.setattr(speed, "_cases", lambda: islice(every(), 1))
    monkeypatch.setattr(speed, "_ROUNDS", 2)


def test_a_table_with_ratios(one_case):
    told = []
    (row,) = speed.kernel_speeds(told.append).to_dict("records")
    assert told == ["second order, inside-outside, n=10"]
    assert row["microseconds"] > 0 and row["per_second"] == pytest.approx(1e6 / row["microseconds"])
    if shutil.which("gcc"):
        assert row["reference"].startswith("C, ")
        assert row["ratio"] == pytest.approx(row["microseconds"] / row["reference_microseconds"])


def test_without_a_compiler_there_are_rates(one_case, monkeypatch):
    monkeypatch.setattr(speed.shutil, "which", lambda name: None)
    (row,) = speed.kernel_speeds().to_dict("records")
    assert row["reference"] == "" and np.isnan(row["ratio"]) and row["per_second"] > 0


def test_loading_c_leaves_denormals_alone():
    assert shutil.which("gcc") is None or speed._second_order_in_c(5) is not None
    if speed._c_reference():
        speed._chain_in_c(5, 9)
    assert (np.array([np.finfo(float).tiny]) / 2)[0] > 0.0


def test_the_command(one_case):
    shown = CliRunner().invoke(deppa, ["bench", "kernels"])
    assert shown.exit_code == 0 and "second order, inside-outside" in shown.output
    found = json.loads(CliRunner().invoke(deppa, ["bench", "kernels", "--json"]).stdout)
    assert found["kernels"][0]["size"] == "n=10"


def test_no_public_kernel_is_left_out():
    timed = {case.function.__name__ for case in speed._cases()}
    public = set()
    for path in Path(kernels.__file__).parent.glob("[a-z]*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                public.add(node.name)
    assert timed | NOT_TIMED >= public, public - timed - NOT_TIMED


def test_both_halves_are_all_kernels():
    halves = [set(), set()]
    for half, found in enumerate(halves):
        for case in speed._half(half):
            found.add(case.function)
    parsers = {case.function for case in speed._parser_cases()}
    assert halves[0] | halves[1] | parsers == {case.function for case in speed._cases()}
    assert not halves[0] & halves[1]
