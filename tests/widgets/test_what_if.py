"""What one given head does: the sliders without a browser."""

import numpy as np
import pytest
from deppa_widgets import WhatIf

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
