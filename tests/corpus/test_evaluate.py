"""Scores counted by hand, and the bootstrap where the answer is known."""

import math

import numpy as np
import pytest

from deppa_nb.corpus.evaluate import evaluate, is_punctuation, paired_bootstrap
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.errors import EvaluationError


def bank(*sentences: Sentence) -> Treebank:
    return Treebank(sentences, "gold")


GOLD = bank(
    Sentence.of(
        ["I", "see", "her", "."],
        [2, 0, 2, 2],
        upos=["PRON", "VERB", "PRON", "PUNCT"],
        labels=["nsubj", "root", "obj", "punct"],
    ),
    Sentence.of(["Go", "!"], [0, 1], upos=["VERB", "PUNCT"], labels=["root", "punct"]),
)


def test_scores_by_hand() -> None:
    first = GOLD[0].with_heads([2, 0, 2, 3], ["obj", "root", "obj", "punct"])
    result = evaluate(GOLD, GOLD.with_sentences([first, GOLD[1]]))
    assert result.scores() == pytest.approx(
        {
            "uas": 100 * 5 / 6, "las": 100 * 4 / 6, "exact": 50.0,
            "uas_nopunct": 100.0, "las_nopunct": 75.0, "exact_nopunct": 100.0,
            "words": 6, "words_nopunct": 4, "sentences": 2,
        }
    )  # fmt: skip
    assert result.by("upos").loc["PUNCT"].tolist() == [2, 50.0, 50.0]
    assert result.by("distance").index.tolist() == ["root", "1", "2"]
    assert result.by("distance").loc["2"].tolist() == [1, 0.0, 0.0]
    assert result.by("length").loc["1-10", "words"] == 6


def test_open_heads_and_labels_do_not_count_and_shift_nothing() -> None:
    gold = bank(GOLD[0].with_heads([2, -1, 2, -1], ["_", "_", "obj", "_"]), GOLD[1])
    wrong = bank(GOLD[0].with_heads([3, 0, 2, 1]), GOLD[1])
    scores = evaluate(gold, wrong).scores()
    assert scores["words"] == 4
    assert scores["words_nopunct"] == 3
    assert scores["uas"] == 75.0
    assert scores["las"] == 100.0  # of the three given labels


def test_heads_alone_have_no_las() -> None:
    result = evaluate(GOLD, [[2, 0, 2, 2], [0, 1]])
    assert result.uas == 100
    assert math.isnan(result.las)


def test_punctuation_by_tag_or_else_by_form() -> None:
    assert is_punctuation(GOLD).tolist() == [False, False, False, True, False, True]
    untagged = bank(Sentence.of(["$", "—", "...", "a."]))
    assert is_punctuation(untagged).tolist() == [False, True, True, False]


def test_other_words_are_refused() -> None:
    with pytest.raises(EvaluationError, match="gold:1: word 2 is 'saw', expected 'see'"):
        evaluate(GOLD, bank(Sentence.of(["I", "saw", "her", "."], [2, 0, 2, 2]), GOLD[1]))
    with pytest.raises(EvaluationError, match="1 sentences in gold for the 2"):
        evaluate(GOLD, GOLD[:1])
    with pytest.raises(EvaluationError, match="5 words, expected 4"):
        evaluate(GOLD, bank(Sentence.of(["I", "see", "her", ".", "x"]), GOLD[1]))


def predictions(right: "list[bool]") -> Treebank:
    return bank(*(Sentence.of(["a", "b"], [0, 1] if ok else [2, 0]) for ok in right))


def test_the_bootstrap_tells_a_difference_from_noise() -> None:
    rng = np.random.default_rng(0)
    gold = predictions([True] * 300)
    worse, better = (evaluate(gold, predictions(list(rng.random(300) < p))) for p in (0.7, 0.9))
    same = paired_bootstrap(worse, worse, rng=rng)
    assert (same.points, same.low, same.high, same.p) == (0, 0, 0, 1)
    real = paired_bootstrap(worse, better, rng=rng)
    assert real.points == pytest.approx(better.uas - worse.uas)
    assert 0 < real.low < real.points < real.high
    assert real.p < 0.001
    # The interval is about 1.96 standard errors wide on each side.
    a, b = (e.words.groupby("sentence")["uas"].mean() for e in (worse, better))
    error = 100 * (b - a).std() / np.sqrt(300)
    assert real.high - real.low == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_the_interval_holds_what_it_promises() -> None:
    """Of parsers that are equally good, about one pair in twenty may seem to differ."""
    rng = np.random.default_rng(0)
    gold = predictions([True] * 60)
    alarms = 0
    for _ in range(60):
        pair = [evaluate(gold, predictions(list(rng.random(60) < 0.7))) for _ in range(2)]
        found = paired_bootstrap(*pair, rng=rng, resamples=499)
        alarms += not found.low <= 0 <= found.high
    assert alarms <= 7


def test_the_bootstrap_depends_on_the_seed_only() -> None:
    gold = predictions([True] * 50)
    a, b = (evaluate(gold, predictions([i % k > 0 for i in range(50)])) for k in (3, 4))
    runs = [paired_bootstrap(a, b, rng=np.random.default_rng(7)) for _ in range(2)]
    assert runs[0] == runs[1]
    with pytest.raises(EvaluationError, match="do not have a uas on the same words"):
        paired_bootstrap(
            a, a.without_punctuation.__class__(a.words[:10]), rng=np.random.default_rng(7)
        )
