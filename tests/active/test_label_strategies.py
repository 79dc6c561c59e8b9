"""Strategies that ask for labels of sequences: what every strategy has to do."""

import numpy as np
import pytest

from deppa_nb import ChainCRF, load
from deppa_nb.active.annotators import GoldOracle
from deppa_nb.active.learner import ActiveLearner
from deppa_nb.active.pool import Pool
from deppa_nb.active.rounds import NO_QUESTION
from deppa_nb.active.stopping import Kappa
from deppa_nb.active.strategies import LABELLING, STRATEGIES
from deppa_nb.errors import ParameterError

LABELS = [name for name, strategy in STRATEGIES.items() if strategy.kind == "labels"]
every = pytest.mark.parametrize("name", LABELS)
GOLD = load("toy-chunks", sizes={"train": 70, "dev": 20}).train
SMALL = ("word[0]", "pos[0]", "pos[-1] pos[0]")


def learner_of(strategy, pool, **options):
    return ActiveLearner(ChainCRF(templates=SMALL, progress=False), strategy, pool, **options)


def asked(queries):
    return [(query.sentence, query.tokens) for query in queries]


def test_which_there_are():
    assert LABELS == ["labels-probability", "labels-0.90", "labels-0.99"]


@every
def test_the_same_seed_asks_the_same_and_nothing_that_is_known(name):
    oracle, found = GoldOracle(GOLD), []
    for _ in range(2):
        learner = learner_of(name, Pool.hiding(GOLD, 5))
        learner.pool.ignore(20)
        own = []
        for _ in range(3):
            queries = learner.query(6, "sentences")
            for query in queries:
                assert query.kind == "labels" and query.sentence >= 5 and query.sentence != 20
                assert not learner.pool[query.sentence].annotated[np.array(query.tokens) - 1].any()
            own.append(asked(queries))
            learner.teach(oracle.answer(queries))
        found.append(own)
    assert found[0] == found[1] and all(0 < len(queries) <= 6 for queries in found[0])


def test_one_uncertain_token_of_a_sequence_the_least_certain():
    learner = learner_of("labels-0.99", Pool.hiding(GOLD, 5))
    queries = learner.query(500, "sentences")
    p = {
        j: m.max(axis=1)
        for j, m in enumerate(learner.parser.marginals(list(learner.pool), keep=True))
    }
    open_ = {j: p[j][learner.pool.open(j) - 1] for j in learner.pool.askable.tolist()}
    assert {q.sentence for q in queries} == {j for j, own in open_.items() if own.min() < 0.99}
    for query in queries:
        (word,) = query.tokens
        assert p[query.sentence][word - 1] == open_[query.sentence].min()
    order = [-query.utility for query in queries]
    assert order == sorted(order)


def test_labels_that_are_given_make_others_certain():
    learner = learner_of("labels-0.90", Pool.hiding(GOLD, 5))
    queries = learner.query(500, "sentences")
    before = learner.parser
    learner.teach(GoldOracle(GOLD).answer(queries))
    some = [learner.pool[query.sentence] for query in queries]
    free, given = (before.marginals(some, keep=keep) for keep in (False, True))
    others = sum(
        int(((p.max(axis=1) < 0.9) & (q.max(axis=1) >= 0.9) & ~s.annotated).sum())
        for p, q, s in zip(free, given, some, strict=True)
    )
    assert others > 0


def test_whole_sequences_of_low_probability():
    learner = learner_of("labels-probability", Pool.hiding(GOLD, 5))
    queries = learner.query(3, "sentences")
    logs = np.array(learner.parser.best_log_prob(list(GOLD[5:]), keep=False))
    assert [query.sentence - 5 for query in queries] == np.argsort(logs)[:3].tolist()
    assert all(len(query.tokens) == len(GOLD[query.sentence]) for query in queries)


@pytest.mark.parametrize("warm", [False, True])
def test_it_ends_by_itself_and_scores(warm):
    learner = learner_of("labels-0.90", Pool.hiding(GOLD, 5), warm=warm)
    rounds = list(learner.rounds(GoldOracle(GOLD), 100, "sentences", dev=GOLD[:30]))
    assert rounds[-1].stopped == NO_QUESTION
    first, last = rounds[0].row(), rounds[-1].row()
    assert last["dev_f1"] > first["dev_f1"] + 10 and "dev_uas" not in last
    assert learner.pool.n_given < 0.6 * sum(map(len, GOLD))
    given = [label for s in learner.pool for label in s.labels]
    assert all(
        g in ("_", y) for g, y in zip(given, [y for s in GOLD for y in s.labels], strict=True)
    )


def test_kappa_waits_for_a_round_with_few_questions():
    def last(rule):
        learner = learner_of("labels-0.99", Pool.hiding(GOLD, 5))
        *_, found = learner.rounds(GoldOracle(GOLD), 20, "sentences", stopping=[rule])
        return found

    soon, patient = last(Kappa(-2)), last(Kappa(-2, fewer=20))
    assert soon.number == 1 and soon.stopped.startswith("kappa")
    assert patient.number > 1 and patient.stopped.startswith("kappa")


@every
def test_saved_and_gone_on_with(name, tmp_path):
    learner, oracle = learner_of(name, Pool.hiding(GOLD, 5), warm=True), GoldOracle(GOLD)
    learner.teach(oracle.answer(learner.query(6, "sentences")))
    learner.train()
    learner.save(tmp_path / "learner.zip")
    other = ActiveLearner.load(tmp_path / "learner.zip")
    assert asked(other.query(9, "sentences")) == asked(learner.query(9, "sentences"))
    assert other.cost == learner.cost and list(other.pool) == list(learner.pool)
    for one in (learner, other):
        one.teach(oracle.answer(one.query(9, "sentences")))
        one.train()
    assert (learner.predictions() == other.predictions()).all()


def test_a_start_with_nothing_and_the_wrong_pool():
    learner = learner_of("labels-0.90", Pool.hiding(GOLD))
    assert len(learner.query(4, "sentences")) == 4
    assert len(learner_of(LABELLING, Pool.hiding(GOLD)).query(4, "sentences")) == 4
    with pytest.raises(ParameterError, match="asks about sequences, the pool has trees"):
        learner_of("labels-0.90", Pool.hiding(load("toy-short", sizes={"train": 20}).train))
