"""What one given head does: the sliders without a browser."""

import numpy as np
import pytest
from deppa_widgets import Constrain, WhatIf

from deppa_nb import Sentence, TreeDistribution


@pytest.fixture
def what():
    trees = TreeDistribution(np.random.default_rng(1).normal(size=(5, 5)))
    return WhatIf(Sentence.of(["Fish", "swim", "<b>", "fast"]), trees), trees


def test_heads_are_offered_the_likeliest_first(what):
    view, trees = what
    view.word.value = 3
    offered = [head for _, head in view.head.options]
    p = trees.marginals[:, 3]
    assert offered == sorted(offered, key=lambda h: -p[h]) and offered[0] == p.argmax()
    assert view.head.options[0][0].endswith(f"{p.max():.3f}")


def test_the_tree_has_the_given_head(what):
    view, trees = what
    view.word.value, view.head.index = 3, 1
    head = view.head.value
    assert f'data-head="{head}"' in view.tree.value and view.tree.value.count('"forced"') == 1
    given = [-1, -1, -1, head, -1]
    assert f"{trees.log_prob(given):.3f}" in view.said.value
    assert f"{trees.given(given).entropy:.3f}" in view.said.value
    assert "<b>" not in view.tree.value


def test_an_arc_is_forced_or_forbidden(what):
    _, trees = what
    view = Constrain(Sentence.of(["Fish", "swim", "<b>", "fast"]), trees)
    view.word.value, view.head.index = 3, 1
    head, heads, forbidden = view.head.value, np.full(5, -1), np.zeros((5, 5), bool)
    heads[3] = head
    forced = trees.given(heads)
    assert view.tree.value.count('"forced"') == 1
    assert f"from {trees.best_score:.3f} to {forced.best_score:.3f}" in view.said.value
    view.head.index = next(k for k, (_, h) in enumerate(view.head.options) if h == trees.best[3])
    assert view.said.value.endswith("; it stays the same.")
    view.how.value, forbidden[trees.best[3], 3] = "forbid", True
    without = trees.given(forbidden=forbidden)
    assert f"to {without.best_score:.3f}; it has another head for" in view.said.value
    assert "<b>" not in view.said.value and "&lt;b&gt;" in view.said.value
    assert without.best[3] != trees.best[3] and f'data-head="{without.best[3]}"' in view.tree.value


def test_an_arc_that_every_tree_has():
    view = Constrain(Sentence.of(["Go"]), TreeDistribution([[0, 1.0], [0, 0]]))
    view.how.value = "forbid"
    assert (view.said.value, view.tree.value) == ("No tree is without this arc.", "")
