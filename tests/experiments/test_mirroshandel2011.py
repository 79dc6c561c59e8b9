"""Mirroshandel & Nasr 2011: which runs, what is made of them, and what the claims are about."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import rankdata

from deppa_nb import MatrixTreeParser, MIRAParser, Sentence, Treebank, load
from deppa_nb.active.uncertainty import attachment_entropy, local_entropy
from deppa_nb.corpus.evaluate import evaluate, is_punctuation
from deppa_nb.errors import ParameterError
from deppa_nb.experiments import mirroshandel2011 as first
from deppa_nb.experiments import mirroshandel2011_claims as claims
from deppa_nb.experiments.claims import load_claims
from deppa_nb.experiments.compare import ALL, curve
from deppa_nb.experiments.detection import Ranking
from deppa_nb.experiments.mirroshandel2011_first import (
    First,
    completed,
    crossing,
    fitted_scales,
    local,
    near_punctuation,
    projective,
)
from deppa_nb.experiments.mirroshandel2011_study import Mirroshandel2011Parameters, study
from deppa_nb.experiments.store import Store
from tests.brute import naive

TINY = Mirroshandel2011Parameters(
    corpora="toy-short", seeds=2, start=10, sentences=12, words=6, percent=60, scaled=False,
    most=0, rounds=2, sample=20, lists="heads", tags="given", epochs=1, bits=12, pruning=0.0, train=60,
    variants=False, sentence=0,
)  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("runs"))
    study(TINY).compute(store)
    return store


def runs_of(parameters, experiment="compare"):
    return [t.run for t in study(parameters).tasks if t.run.experiment == experiment]


def test_the_runs():
    curves = runs_of(TINY)
    assert {run.strategy for run in curves} == {
        ALL, "fa-random", "fa-entropy", "token-entropy-heads", "token-entropy-each-heads",
        "combined-entropy-60-heads",
    }  # fmt: skip
    assert len(curves) == 1 + 2 * 5
    asked = {run.strategy: run.parameters for run in curves}
    assert all(given["score"] == "las" and given["model"] == "mira" for given in asked.values())
    by_sentence = ("fa-random", "fa-entropy", "combined-entropy-60-heads")
    assert {(asked[n]["unit"], asked[n]["budget"]) for n in by_sentence} == {("sentences", 12)}
    words = asked["token-entropy-heads"]
    mean = TINY.splits("toy-short").train.n_words / 60
    assert (words["unit"], words["budget"]) == ("dependencies", round(6 * mean))
    assert (words["rounds"], asked["fa-entropy"]["rounds"]) == (4, 2)
    assert len(runs_of(TINY, "mirroshandel2011")) == 2 * 5
    others = {run.strategy for run in runs_of(replace(TINY, variants=True))} - asked.keys()
    assert others == {
        "fa-entropy-softmax", "token-entropy-forest-heads", "token-entropy", "token-marginal",
        "token-local", "combined-entropy-40-heads", "combined-entropy-80-heads",
    }  # fmt: skip
    steps = {
        run.strategy: (run.parameters["budget"], run.parameters["rounds"])
        for run in runs_of(replace(TINY, variants=True))
        if run.strategy != ALL and run.parameters["model"] == "mira"
    }
    assert steps["combined-entropy-80-heads"] == steps["fa-entropy-softmax"] == (24, 1)
    assert steps["combined-entropy-60-heads"] == (12, 2)
    assert steps["fa-entropy-softmax"] == (24, 1) and steps["fa-entropy"] == (12, 2)
    assert steps["token-local"] == (2 * words["budget"], 2)
    pruned = replace(TINY, pruning=0.01)  # but the first parser is looked at with all arcs
    assert {run.parameters["options"].get("pruning") for run in runs_of(pruned)} == {0.01}
    first_ones = runs_of(pruned, "mirroshandel2011")
    assert {run.parameters["options"].get("pruning") for run in first_ones} == {None}
    labelled = {run.strategy for run in runs_of(replace(TINY, lists="labelled"))}
    assert {"token-entropy", "token-entropy-each", "combined-entropy-60"} <= labelled


def test_variants_have_figures_of_their_own():
    found = study(replace(TINY, variants=True))
    names = {task.run.strategy for task in found["variants-toy-short"].tasks}
    assert {"token-entropy-heads", "token-entropy", "token-local", "fa-entropy-softmax"} <= names
    names = {task.run.strategy for task in found["shares-toy-short"].tasks}
    assert names == {ALL, "fa-entropy", *claims.combined("heads").values()}
    [tree, *_] = found["matrix-tree-toy-short"].tasks
    assert (
        tree.run.parameters["model"] == "matrix-tree" and tree.run.parameters["options"]["labels"]
    )
    with pytest.raises(ParameterError, match="no table or figure 'variants'"):
        study(TINY).each("variants")


def test_steps_are_scaled_to_small_corpora():
    scaled = replace(TINY, scaled=True, start=5000, sentences=2000)
    share = 60 / 11_165
    given = {run.strategy: run.parameters for run in runs_of(scaled)}["fa-entropy"]
    assert (given["start"], given["budget"]) == (round(5000 * share), round(2000 * share))
    [start] = {run.parameters["start"] for run in runs_of(scaled, "mirroshandel2011")}
    assert start == given["start"]
    assert {run.parameters["most"] for run in runs_of(replace(TINY, most=40))} == {40}


def test_the_walk_learns_from_the_beginning_of_the_first_corpus():
    first_ones, others = TINY.walked
    assert (len(first_ones), len(others)) == (10, 50)
    assert 8 <= len(TINY.example) <= 14 and len(TINY.short) == 6
    learned = {s.sent_id for s in first_ones}
    assert not learned & {TINY.example.sent_id, TINY.short.sent_id}
    assert TINY.parser.get_params()["bits"] == 12


def first_of(seed=1, **options):
    run = next(r for r in runs_of(TINY, "mirroshandel2011") if r.strategy == "words")
    given = {**run.parameters, "options": {**run.parameters["options"], **options}}
    return First.of(replace(run, seed=seed, parameters=given))


def test_the_first_parser_is_that_of_the_curves(store):
    [task] = [t for t in study(TINY).tasks if t.run.strategy == "fa-entropy" and t.run.seed == 2]
    rows = store.get_or_compute(task.run, curve).query("round == 0 and split == 'test'")
    found = first_of(2)
    scores = evaluate(found.test, found.parser.predict(found.test))
    assert 100 * rows["right"].sum() / rows["words"].sum() == pytest.approx(scores.las)
    assert rows["dependencies"].iloc[0] == found.start.n_words
    learned = {s.sent_id for s in found.start}
    assert len(found.sample) == 20 and learned.isdisjoint(s.sent_id for s in found.sample)


@pytest.mark.parametrize("order", [1, 2])
def test_entropies_of_words_are_those_of_their_definitions(order):
    run = next(r for r in runs_of(TINY, "mirroshandel2011") if r.strategy == "words")
    given = {**run.parameters, "options": {**run.parameters["options"], "order": order}}
    table = first.words(replace(run, parameters=given), None)
    found = first_of(order=order)
    parser, j = found.parser, min(range(20), key=lambda j: len(found.sample[j]))
    sentence, own = found.sample[j], table[table["sentence"] == j]
    tree = parser.predict(sentence)
    right = [
        a == b and x == y
        for a, b, x, y in zip(
            tree.heads[1:], sentence.heads[1:], tree.labels[1:], sentence.labels[1:], strict=True
        )
    ]
    assert own["wrong"].tolist() == [int(not x) for x in right]
    n = len(sentence)
    for name, size in (("n = 20", 20), ("n = 10 l", 10 * n), ("n = l^1.5", round(n**1.5))):
        heads = attachment_entropy(parser.nbest(sentence, size)[0])[1:]
        np.testing.assert_allclose(own[f"{name} (heads)"], heads, atol=1e-6)
        labelled = attachment_entropy(parser.nbest_labelled(sentence, size).heads)[1:]
        np.testing.assert_allclose(own[f"{name} (labelled)"], labelled, atol=1e-6)
    trees, scale = parser.distribution(sentence), own[first.scale_name(first.EXACT)].iloc[0]
    np.testing.assert_allclose(
        own["local scores"], local_entropy(trees.relative_arcs)[1:], atol=1e-6
    )
    p = trees.scaled(scale).marginals[:, 1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.nansum(p * np.log(p), axis=0)
    np.testing.assert_allclose(own["exact marginals, scaled"], entropy, atol=1e-6)
    assert (first.MATRIX_TREE in table.columns) == (order == 1)


def test_words_of_a_crf_over_all_trees():
    run = next(r for r in runs_of(TINY, "mirroshandel2011") if r.strategy == "crossing-words")
    table, found = first.crossing_words(run, None), first_of()
    parser = MatrixTreeParser(epochs=1, bits=12, labels=True, rng=1, progress=False)
    parser.fit(found.start)
    sentence, own = found.sample[3], table[table["sentence"] == 3]
    tree = parser.predict(sentence)
    right = [
        (tree.heads[m], tree.labels[m]) == (sentence.heads[m], sentence.labels[m])
        for m in range(1, len(sentence) + 1)
    ]
    assert own["wrong"].tolist() == [int(not x) for x in right]
    p = parser.marginals(sentence)[:, 1:]
    np.testing.assert_allclose(
        own[first.CRF], -(p * np.log(np.maximum(p, 1e-300))).sum(0), atol=1e-6
    )
    lists = attachment_entropy(parser.nbest(sentence, round(len(sentence) ** 1.5))[0])[1:]
    np.testing.assert_allclose(own["n = l^1.5 (heads)"], lists, atol=1e-6)


def test_marginals_over_all_trees_by_enumeration():
    trees = first_of(order=1).parser.distribution(Sentence.of(["a", "b", "c", "d"])).scaled(10)
    _, p = naive.distribution(trees.relative_arcs, projective=False, single_root=True)
    np.testing.assert_allclose(crossing(trees), naive.marginals(p, 4), atol=1e-12)


@pytest.mark.parametrize("way", [local, projective, crossing])
def test_the_scale_makes_held_out_heads_likeliest(way):
    found = first_of(order=1)
    scale = fitted_scales(found, {"some": way})["some"]
    kept = [s for j, s in enumerate(found.start) if j % 5 < 4]
    parser = MIRAParser(**found.parser.get_params()).fit(kept)

    def log_likelihood(by):
        return sum(
            np.log(way(parser.distribution(s).scaled(by))[s.heads[1:], range(1, len(s) + 1)])
            .clip(np.log(1e-9)).sum()
            for s in found.start[4::5]
        )  # fmt: skip

    assert log_likelihood(scale) == max(log_likelihood(by) for by in (1, 2, 5, 10, 20, 50, 100))


def test_local_probabilities():
    trees = first_of().parser.distribution(Sentence.of(["a", "b", "c"]))
    p, arcs = local(trees), trees.relative_arcs
    for m in (1, 2, 3):
        np.testing.assert_allclose(p[:, m], np.exp(arcs[:, m]) / np.exp(arcs[:, m]).sum())
    assert not p[:, 0].any()


def test_trees_are_completed_around_what_is_given():
    found = first_of()
    gold = found.sample
    given = np.random.default_rng(1).random(gold.n_words) < 0.4
    trees = completed(found.parser, gold, given)
    heads, right = (np.concatenate([s.heads[1:] for s in bank]) for bank in (trees, gold))
    assert (heads[given] == right[given]).all() and (heads >= 0).all()
    labels, names = ([n for s in bank for n in s.labels[1:]] for bank in (trees, gold))
    assert all(a == b for a, b, own in zip(labels, names, given, strict=True) if own)
    assert completed(found.parser, gold, np.ones_like(given)) is gold
    free = completed(found.parser, gold, np.zeros_like(given))
    assert all(
        (a.heads == b.heads).all() for a, b in zip(free, found.parser.predict(gold), strict=True)
    )


def test_words_near_punctuation():
    bank = load("toy-en", sizes={"train": 40}).train
    found, marks = near_punctuation(bank), is_punctuation(bank)
    at = 0
    for sentence in bank:
        own, n = marks[at : at + len(sentence)], len(sentence)
        expected = [
            any(own[k] for k in range(max(0, m - 3), min(n, m + 4)) if k != m) for m in range(n)
        ]
        assert found[at : at + n].tolist() == expected
        at += n
    assert near_punctuation(Treebank((Sentence.of(["No", "mark"]),))).tolist() == [False, False]


def test_corrections(store):
    [task] = [t for t in study(TINY).tasks if t.run.strategy == "corrections" and t.run.seed == 1]
    rows = store.get_or_compute(task.run, first.corrections)
    by = rows.groupby("way")[["given", "lessons"]].first()
    assert set(by.index) == set(first.WAYS)
    found = first_of()
    assert by["given"]["all"] == found.sample.n_words and by["lessons"]["all"] == 100
    scores = evaluate(found.sample, found.parser.predict(found.sample))
    wrong = int((scores.words["las"] < 1).sum())
    assert by["given"]["wrong"] == wrong and by["lessons"]["none"] == pytest.approx(scores.las)
    assert by["given"]["window"] == by["given"]["random"] == by["given"]["uncertain"]
    whole = MIRAParser(**found.parser.get_params()).fit([*found.start, *found.sample])
    on_test = evaluate(found.test, whole.predict(found.test))
    own = rows[rows["way"] == "all"]
    assert 100 * own["right"].sum() / own["words"].sum() == pytest.approx(on_test.las)
    assert 100 * own["heads"].sum() / own["words"].sum() == pytest.approx(on_test.uas)
    assert (rows["right"] <= rows["heads"]).all()


def test_tables_and_figures(store):
    found = study(TINY)
    fig2 = found["fig2-toy-short"].make(store)
    assert len(fig2) == 40 and fig2["LAS"].between(0, 100).all() and fig2["smooth"].notna().all()
    order = fig2.sort_values("rank of entropy")
    assert order["entropy"].is_monotonic_increasing and order["rank of entropy"].iloc[-1] <= 100
    correlations, rows = found.table("correlations", store), []
    for seed in (1, 2):
        [task] = [t for t in found["fig2-toy-short"].tasks if t.run.seed == seed]
        own = store.get_or_compute(task.run, first.sentences)
        ranks = np.column_stack(
            [rankdata(x) for x in (own["entropy"], own["right"] / own["words"], own["length"])]
        )
        left = [r - np.poly1d(np.polyfit(ranks[:, 2], r, 1))(ranks[:, 2]) for r in ranks.T[:2]]
        rows.append((np.corrcoef(ranks.T)[0, 2], np.corrcoef(*left)[0, 1]))
    expected = correlations.loc["entropy, raw scores", ["with length", "with LAS, length aside"]]
    np.testing.assert_allclose(expected.astype(float), np.mean(rows, axis=0), atol=1e-9)
    table1 = found.table("table1", store)
    assert list(table1.index) == ["none", "all", "wrong"] and table1["LAS - all"]["all"] == 0
    assert table1["LAS"]["wrong"] - table1["LAS"]["all"] == pytest.approx(
        table1["LAS - all"]["wrong"]
    )
    assert found["table1-toy-short"].paper.loc["wrong", "given"] == 3_144
    fig4 = found["fig4-toy-short"].make(store)
    assert set(fig4["measure"]) == {f"n = {n} (heads)" for n in ("20", "l", "10 l", "l^1.5")}
    precision = found.table("precision", store)
    rows = store.get_or_compute(found["fig4-toy-short"].tasks[0].run, first.words)
    one = Ranking.of(rows["n = l (heads)"], rows["wrong"], rows["sentence"]).detection()
    areas = fig4.groupby(["measure", "seed"]).apply(
        lambda own: np.diff(own["recall"], prepend=0) @ own["precision"], include_groups=False
    )
    assert 100 * areas["n = l (heads)", 1] == pytest.approx(one.average_precision)
    second = precision[precision["parser"] == "MIRA, order 2"]["average precision"]
    assert 100 * areas["n = l (heads)"].mean() == pytest.approx(second["n = l (heads)"])
    fig6 = found["fig6-toy-short"].make(store)
    assert set(fig6["strategy"]) == {
        ALL, "fa-random", "fa-entropy", "token-entropy-heads", "combined-entropy-60-heads",
    }  # fmt: skip
    asymptote = found.table("asymptote", store)
    full = fig6[fig6["strategy"] == ALL]["las"].iloc[0]
    assert asymptote["LAS of all data"].iloc[0] == pytest.approx(full)
    reached = asymptote["annotated tokens"].notna()
    assert (asymptote["saved (%)"].notna() == reached).all()


def test_every_claim_is_checked(store):
    for lists in ("heads", "labelled"):
        effects = {**claims.about_curves(lists, 60), **claims.about_words(lists)}
        for name, known in effects.items():
            assert set(known) == {effect.name for effect in load_claims()[name].effects}, name
    judged = {j.claim.id: j for j in study(TINY).judge(store)}
    assert set(judged) == {c.id for c in load_claims().values() if c.paper == "mirroshandel2011"}
    for judgement in judged.values():
        assert set(judgement.found) == {effect.name for effect in judgement.claim.effects}
        assert judgement.verdict == "illustration"


def curve_of(*pairs):
    return tuple(np.array(values, float) for values in zip(*pairs, strict=True))


def test_the_statistics_by_hand():
    full = curve_of((1000, 90))
    slow = curve_of((100, 80), (300, 86), (500, 89.5), (700, 90))
    fast = curve_of((100, 80), (200, 89.6), (400, 90))
    assert claims._saved(slow, fast, full) == 100 * (1 - 200 / 500)
    at_400 = 86 + 3.5 * np.log(401 / 301) / np.log(501 / 301)  # lines over logarithms
    assert claims._least_lead(slow, slow, fast) == pytest.approx(90 - at_400)
    at_300 = 89.6 + 0.4 * np.log(301 / 201) / np.log(401 / 201)
    assert claims._least_lead(slow, fast, slow) == pytest.approx(86 - at_300)
    assert np.isnan(claims._least_lead(slow, fast, curve_of((100, 80))))
    flat = curve_of((100, 80), (250, 80), (500, 80))
    above = curve_of((100, 80), (250, 81), (500, 99))
    assert claims._higher_at_first(flat, above, full) == pytest.approx(1)
    one = Ranking.of([3, 2, 1, 0], [1, 0, 1, 1], [0, 0, 0, 0]).detection()
    two = Ranking.of([3, 0, 2, 1], [1, 0, 1, 1], [0, 0, 0, 0]).detection()
    assert claims._more_recall(one, two) == pytest.approx(100 / 3)
    assert claims._more_precise(one, two) == pytest.approx(100 - 100 * (1 + 2 / 3) / 2)
    assert claims._more_average_precision(one, two) == pytest.approx(
        100 - 100 * (1 + 2 / 3 + 3 / 4) / 3
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"corpora": "toy-short toy-short"}, "expected names, each once"),
        ({"seeds": 0}, "seeds is 0, expected 1 or more"),
        ({"seeds": 1.5}, "seeds is 1.5, expected a whole number"),
        ({"seeds": True}, "seeds is True, expected a whole number"),
        ({"pruning": "0"}, "pruning is '0', expected a number"),
        ({"variants": "no"}, "variants is 'no', expected true or false"),
        ({"corpora": 5}, "corpora is 5, expected text"),
        ({"sample": 51}, r"toy-short has 60 sentences and a test set, expected 10 \+ 51 sentences"),
        ({"percent": 50}, r"percent is 50, expected one of \[40, 60, 80\]"),
        ({"lists": "both"}, "lists is 'both', expected heads or labelled"),
        ({"tags": "gold"}, "tags is 'gold'"),
        ({"rounds": 0}, "rounds is 0"),
        ({"most": -1}, "most is -1"),
        ({"pruning": 1.5}, "pruning is 1.5"),
        ({"epochs": 0}, "epochs is 0"),
        ({"bits": 99}, "bits is 99"),
        ({"sentence": 1000}, "sentence is 1000, expected 0 to"),
        ({"corpora": "toy-flights"}, "expected a treebank"),
    ],
)
def test_wrong_parameters(wrong, message):
    with pytest.raises(ParameterError, match=message):
        replace(TINY, **wrong)


def test_a_run_that_asks_for_too_much():
    run = next(r for r in runs_of(TINY, "mirroshandel2011") if r.strategy == "words")
    with pytest.raises(ParameterError, match=r"60 sentences .* expected 50 \+ 20 and a test set"):
        first.words(replace(run, parameters={**run.parameters, "start": 50}), None)
    with pytest.raises(ParameterError, match="words seed 1: no parameter 'samples'"):
        first.words(replace(run, parameters={**run.parameters, "samples": 3}), None)
    assert first.work(run) > 0
