"""The MIRA parser: labelled trees, exact lists of them, labels under constraints."""

from itertools import pairwise, product

import numpy as np
import pytest

from deppa_nb import Constraints, MIRAParser, Sentence, evaluate, load, load_parser
from deppa_nb.errors import ArgumentError, NoTreeError

QUICK = {"bits": 16, "epochs": 3, "progress": False}


@pytest.fixture(scope="module")
def corpus():
    return load("toy-short", sizes={"train": 150, "dev": 40, "test": 40})


@pytest.fixture(scope="module")
def parser(corpus):
    return MIRAParser(**QUICK).fit(corpus.train, dev=corpus.dev)


@pytest.mark.parametrize("options", [{}, {"order": 1}, {"k": 1}, {"pruning": 1e-3}], ids=str)
def test_it_learns_labelled_trees(corpus, options):
    parser = MIRAParser(**QUICK, **options).fit(corpus.train)
    losses = [epoch["loss"] for epoch in parser.history_]
    assert losses == sorted(losses, reverse=True)
    assert evaluate(corpus.train, parser.predict(corpus.train)).las > 96
    assert evaluate(corpus.test, parser.predict(corpus.test)).las > 75


def score(parser, sentence):
    """The score of a labelled tree: the only one that its own constraints leave."""
    return parser.nbest_labelled(sentence, 1, Constraints.of(sentence)).scores[0]


def test_a_step_makes_up_for_what_the_margin_lacks(corpus):
    parser = MIRAParser(**{**QUICK, "epochs": 1}, k=1, averaging=False, rate=np.inf)
    parser.fit(corpus.train[:20]).set_params(warm_start=True)
    moved = 0
    for gold in corpus.train[20:40]:
        best = parser.predict(gold)
        pairs = zip(best.heads, best.labels, gold.heads, gold.labels, strict=True)
        wrong = sum((h, a) != (g, b) for h, a, g, b in pairs)
        parser.fit([gold])
        if wrong > 0:
            margin = score(parser, gold) - score(parser, best)
            assert margin == pytest.approx(wrong, abs=1e-3)
            moved += 1
    assert moved > 3


def labelled_by_enumeration():
    """A parser, a sentence, and the scores of its trees with all labellings, each scored alone."""
    bank = [
        Sentence.of(words, heads, labels=labels)
        for words, heads, labels in (
            (["she", "eats", "fish"], [2, 0, 2], ["subj", "root", "obj"]),
            (["fish", "swim"], [2, 0], ["subj", "root"]),
            (["eat", "fish"], [0, 1], ["root", "obj"]),
        )
    ]
    parser = MIRAParser(**QUICK).fit(bank)
    sentence = Sentence.of(["fish", "eats", "she"])
    every = {
        (*tree[1:].tolist(), *labels): score(parser, sentence.with_heads(tree[1:], labels))
        for tree in parser.nbest(sentence, 100)[0]
        for labels in product(("subj", "root", "obj"), repeat=3)
    }
    assert len(every) == 7 * 27
    return parser, sentence, every


def assert_list_of(found, every):
    keys = [(*t[1:].tolist(), *n) for t, n in zip(found.heads, found.labels, strict=True)]
    assert set(keys) == set(every) and len(keys) == len(every)
    assert all(a >= b for a, b in pairwise(found.scores))
    np.testing.assert_allclose(found.scores, [every[key] for key in keys], atol=1e-5)


def test_lists_of_labelled_trees_are_those_of_enumeration():
    parser, sentence, every = labelled_by_enumeration()
    assert_list_of(parser.nbest_labelled(sentence, 1000), every)


def test_arcs_with_forbidden_labels():
    """Trees that have such an arc are not in the list, all others are."""
    parser, sentence, every = labelled_by_enumeration()
    names, rng, none = ("subj", "root", "obj"), np.random.default_rng(0), 0
    arcs = [(h, m, name) for m in (1, 2, 3) for h in range(4) if h != m for name in names]
    for count in (1, 3, 9, 18, 22) * 6:
        banned = [arcs[k] for k in rng.choice(len(arcs), count, replace=False)]
        labels = ["_", *(rng.choice(names) if rng.random() < 0.3 else "_" for _ in range(3))]
        limits = Constraints(labels=tuple(labels), forbidden_labels={*banned, (1, 2, "unheard")})
        left = {
            key: score
            for key, score in every.items()
            if not any(key[m - 1] == h and key[m + 2] == name for h, m, name in banned)
            and all(labels[m] in ("_", key[m + 2]) for m in (1, 2, 3))
        }
        if left:
            found = parser.nbest_labelled(sentence, 1000, limits)
            assert_list_of(found, left)
            alone = parser.predict(sentence, limits)
            key = (*alone.heads[1:].tolist(), *alone.labels[1:])
            assert left[key] == pytest.approx(found.scores[0], abs=1e-5)
        else:
            none += 1
            with pytest.raises(NoTreeError):
                parser.nbest_labelled(sentence, 1000, limits)
            with pytest.raises(NoTreeError):
                parser.predict(sentence, limits)
    assert none > 2
    with pytest.raises(ArgumentError, match=r"\(2, 4, 'obj'\) among the forbidden labels"):
        parser.predict(sentence, Constraints(forbidden_labels=[(2, 4, "obj")]))


def lawler(parser, sentence, k):
    """The k best labelled trees by partition of all trees, each part asked for its best one.

    Of the trees of a part that are not its best, each differs from that in a first word: in its
    head, which is then forbidden, or in its label alone, one part for each.
    """
    n, names = len(sentence), parser.labeller_.labels_

    def best(heads, labels, forbidden):
        limits = Constraints(np.array(heads), labels, forbidden)
        try:
            found = parser.nbest_labelled(sentence, 1, limits)
        except NoTreeError:
            return
        queue.append((found.scores[0], found.heads[0].tolist(), ["_", *found.labels[0]], limits))

    queue, results = [], []
    best([-1] * (n + 1), ["_"] * (n + 1), np.zeros((n + 1, n + 1), bool))
    while queue and len(results) < k:
        part = max(queue, key=lambda some: some[0])
        queue.remove(part)
        score, tree, labels, limits = part
        results.append((score, (*tree[1:], *labels[1:])))
        for m in range(1, n + 1):
            if limits.heads[m] >= 0:
                continue  # decided in the parts around this one
            heads = [tree[i] if i < m else h for i, h in enumerate(limits.heads.tolist())]
            forced = [labels[i] if i < m else label for i, label in enumerate(limits.labels)]
            forbidden = limits.forbidden.copy()
            forbidden[tree[m], m] = True
            best(heads, forced, forbidden)
            heads[m] = tree[m]
            for name in names:
                if name != labels[m]:
                    best(heads, [*forced[:m], name, *forced[m + 1 :]], limits.forbidden)
    return results


@pytest.mark.parametrize("order", [1, 2])
def test_lists_are_those_of_lawlers_partition(corpus, order):
    names = {"nsubj": "subj", "obj": "obj", "root": "root"}
    bank = [
        s.with_heads(s.heads[1:], [names.get(label, "other") for label in s.labels[1:]])
        for s in corpus.train[:30]
    ]
    parser = MIRAParser(order, **QUICK).fit(bank)
    for sentence in [s for s in corpus.test if 3 <= len(s) <= 5][:3]:
        found = parser.nbest_labelled(sentence, 25)
        expected = lawler(parser, sentence, 25)
        np.testing.assert_allclose(found.scores, [score for score, _ in expected], atol=1e-5)
        keys = [(*t[1:].tolist(), *n) for t, n in zip(found.heads, found.labels, strict=True)]
        assert len(set(keys)) == len(keys)
        last = expected[-1][0] + 1e-5  # those that tie with the last may be others
        assert {key for score, key in expected if score > last} <= set(keys)


def test_lists_agree_with_predictions(corpus, parser):
    lists = parser.nbests_labelled(corpus.test, 10)
    found = parser.predict(corpus.test)
    for sentence, best, alone in zip(found, lists, corpus.test, strict=True):
        assert np.array_equal(best.heads[0], sentence.heads)
        assert best.labels[0] == list(sentence.labels[1:])
        unlabelled, scores = parser.nbest(alone, 10)
        assert scores[0] == pytest.approx(best.scores[0], abs=1e-4)
        assert {tuple(t) for t in best.heads.tolist()} <= {tuple(t) for t in unlabelled.tolist()}
    for k in (0, 2.5):
        with pytest.raises(ArgumentError, match=f"k is {k}, expected 1 or more"):
            parser.nbest_labelled(corpus.test[0], k)


def test_labels_are_constraints(corpus, parser):
    sentence = max(corpus.test, key=len)
    best = parser.predict(sentence)
    other = next(name for name in parser.labeller_.labels_ if name != best.labels[1])
    limits = Constraints(labels=("_", other, *["_"] * (len(sentence) - 1)))
    assert parser.predict(sentence, limits).labels[1] == other
    assert all(names[0] == other for names in parser.nbest_labelled(sentence, 5, limits).labels)
    given = parser.predict(sentence, Constraints.of(sentence))
    assert np.array_equal(given.heads, sentence.heads) and given.labels == sentence.labels
    roots = Sentence.of(list("abc"), heads=[0, 0, -1], sent_id="x7")
    with pytest.raises(NoTreeError, match="sentence x7"):
        parser.nbest_labelled(roots, 3, Constraints.of(roots))


def test_partial_trees_and_open_labels(corpus):
    rng = np.random.default_rng(0)
    partly = []
    for s in corpus.train:
        heads = np.where(rng.random(len(s)) < 0.6, s.heads[1:], -1)
        labels = np.where((heads >= 0) & (rng.random(len(s)) < 0.7), s.labels[1:], "_")
        partly.append(s.with_heads(heads, labels.tolist()))
    parser = MIRAParser(**QUICK).fit(partly)
    assert "_" not in parser.labeller_.labels_
    assert evaluate(corpus.test, parser.predict(corpus.test)).las > 65


def test_in_a_file(corpus, parser, tmp_path):
    parser.save(tmp_path / "mira.npz")
    again = load_parser(tmp_path / "mira.npz")
    assert again.predict(corpus.test) == parser.predict(corpus.test)
    lists = [p.nbest_labelled(corpus.test[0], 5).labels for p in (parser, again)]
    assert lists[0] == lists[1]


def test_labels_of_constraints_belong_to_their_sentence(corpus, parser):
    first, second = corpus.test[0], corpus.test[1]
    long = Constraints(labels=("_",) * (len(first) + 2) + ("nsubj",) * len(second))
    short = Constraints(labels=("_", "nsubj"))
    for wrong in (long, short):
        for ask in (parser.nbests_labelled, lambda some, _, limits: parser.predict(some, limits)):
            with pytest.raises(ArgumentError, match=f"labels for {len(first)} words and the root"):
                ask(list(corpus.test[:2]), 1, [wrong, Constraints()])
    with pytest.raises(ArgumentError, match="None among the labels, expected text"):
        parser.predict(first, Constraints(labels=(None,) * (len(first) + 1)))


def test_a_label_that_was_never_seen_can_be_forced(corpus, parser):
    sentence = max(corpus.test, key=len)
    limits = Constraints(labels=("_", "unheard-of", *["_"] * (len(sentence) - 1)))
    best = parser.nbest_labelled(sentence, 8, limits)
    assert all(names[0] == "unheard-of" for names in best.labels)
    keys = {(*t.tolist(), *n) for t, n in zip(best.heads, best.labels, strict=True)}
    assert len(keys) == 8
    found = parser.predict(sentence, limits)
    assert np.array_equal(found.heads, best.heads[0]) and list(found.labels[1:]) == best.labels[0]
    bare = MIRAParser(**QUICK, labels=False).fit(corpus.train[:20])
    assert bare.nbest_labelled(sentence, 2, limits).labels[1][0] == "unheard-of"


def test_only_what_is_learned_from_has_labels(corpus):
    junk = [s.with_heads(s.heads[1:], ["bad"] * len(s)) for s in corpus.train[:20]]
    weights = [1.0] * 40 + [0.0] * 20
    parser = MIRAParser(**QUICK).fit([*corpus.train[30:70], *junk], sample_weight=weights)
    assert "bad" not in parser.labeller_.labels_
    open_ = [s.with_heads([-1, *s.heads[2:]], ["odd", *s.labels[2:]]) for s in corpus.train[:9]]
    assert "odd" not in MIRAParser(**QUICK).fit([*corpus.train[30:70], *open_]).labeller_.labels_
    with pytest.raises(ArgumentError, match="has a head with a label; for trees without"):
        MIRAParser(**QUICK).fit([Sentence.of(["Go", "on"], [0, 1])])


def test_small_tables(corpus):
    """More features are touched than there are weights: nothing may be left over."""
    learner = MIRAParser(1, bits=10, epochs=1, progress=False, labels=False)
    kept = []
    make = learner._learner

    def keeping(*arguments):
        kept.append(make(*arguments))
        return kept[-1]

    learner._learner = keeping
    learner.fit(load("toy-en", sizes={"train": 60}).train)
    assert not kept[0].table.gradient.any()
