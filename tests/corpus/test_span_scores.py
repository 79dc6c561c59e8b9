"""F1 of spans: the numbers of seqeval, which follow conlleval."""

from dataclasses import replace

import numpy as np
import pytest
from seqeval.metrics import f1_score, precision_score, recall_score

from deppa_nb.corpus.sequences import Sequence, SequenceBank
from deppa_nb.corpus.span_scores import score_spans
from deppa_nb.errors import EvaluationError

LABELS = ("O", "B-A", "I-A", "B-B", "I-B")


def sequences(rng, count=40):
    for n in rng.integers(1, 12, count):
        yield Sequence(("word", "label"), (("w",) * n, tuple(rng.choice(LABELS, n).tolist())))


@pytest.mark.parametrize("seed", range(5))
def test_as_seqeval_counts(seed):
    rng = np.random.default_rng(seed)
    gold = SequenceBank(tuple(sequences(rng)))
    found = [
        replace(s, columns=(s.columns[0], tuple(
            label if rng.random() < 0.7 else str(rng.choice(LABELS)) for label in s.labels
        )))
        for s in gold
    ]  # fmt: skip
    ours = score_spans(gold, found)
    theirs = ([list(s.labels) for s in gold], [list(s.labels) for s in found])
    assert ours.f1 == pytest.approx(100 * f1_score(*theirs))
    assert ours.precision == pytest.approx(100 * precision_score(*theirs))
    assert ours.recall == pytest.approx(100 * recall_score(*theirs))
    table = ours.by_type()
    assert list(table.index) == ["A", "B"] and table["gold"].sum() == ours.gold.total()


def test_what_cannot_be_compared():
    one = Sequence(("word", "label"), (("a", "b"), ("B-A", "O")))
    with pytest.raises(EvaluationError, match="1 predicted sequences for 2"):
        score_spans([one, one], [one])
    with pytest.raises(EvaluationError, match="sequence 1: other words"):
        score_spans([one, one], [one, replace(one, columns=(("a", "c"), ("B-A", "O")))])
    with pytest.raises(EvaluationError, match="sequence 0: labels that are not given"):
        score_spans([one], [replace(one, columns=(("a", "b"), ("_", "O")))])
    with pytest.raises(EvaluationError, match="sequence 0: label 'NN', expected O, B-"):
        score_spans([one], [replace(one, columns=(("a", "b"), ("NN", "O")))])
    nothing = replace(one, columns=(("a", "b"), ("O", "O")))
    assert np.isnan(score_spans([nothing], [nothing]).f1)
