"""What every strategy has to do, whichever it is."""

import numpy as np
import pytest
from click.testing import CliRunner

from deppa_nb import CRFParser, MSTParser, Sentence, load
from deppa_nb.active.annotators import GoldOracle
from deppa_nb.active.learner import ActiveLearner
from deppa_nb.active.measures import MEASURES
from deppa_nb.active.pool import Pool
from deppa_nb.active.rounds import NO_QUESTION
from deppa_nb.active.selection import Combined, CostAware, TopTokens
from deppa_nb.active.strategies import STRATEGIES, Strategy, find_strategy, register
from deppa_nb.active.updates import Forest, Preference
from deppa_nb.cli import deppa
from deppa_nb.errors import ParameterError

QUICK = {"bits": 14, "epochs": 1, "progress": False}
# Those of label sequences: test_label_strategies.
every = pytest.mark.parametrize("name", [n for n, s in STRATEGIES.items() if s.kind != "labels"])


@pytest.fixture(scope="module")
def gold():
    return load("toy-short", sizes={"train": 70}).train


def learner_of(name, pool, *, rng=1, **options):
    light = STRATEGIES[name].kind == "preference"
    parser = MSTParser(**QUICK) if light else CRFParser(1, **QUICK)
    return ActiveLearner(parser, name, pool, rng=rng, **options)


def asked(queries):
    return [(query.sentence, query.tokens) for query in queries]


@every
def test_the_same_seed_asks_the_same(name, gold):
    found = [
        [asked(r.queries) for r in learner_of(name, Pool.hiding(gold, 10), rng=rng).rounds(GoldOracle(gold), 15, most=2)]
        for rng in (1, 1, 2)
    ]  # fmt: skip
    assert found[0] == found[1] and len(found[0]) == 3
    if "random" in name:
        assert found[0] != found[2]


@every
def test_nothing_known_is_asked(name, gold):
    learner, oracle = learner_of(name, Pool.hiding(gold, 10)), GoldOracle(gold)
    learner.pool.ignore(20)
    learner.pool.close(21)
    for j in range(22, 32):  # partly known from the start
        words = [m for m in range(1, len(gold[j]) + 1) if m % 2]
        learner.pool.give(j, {m: int(gold[j].heads[m]) for m in words})
    pairs = set()
    for _ in range(4):
        queries = learner.query(40)
        assert len({query.sentence for query in queries}) == len(queries)
        for query in queries:
            assert query.sentence not in (20, 21) and query.sentence >= 10
            assert not learner.pool[query.sentence].annotated[list(query.tokens)].any()
            assert query.tokens == tuple(sorted(set(query.tokens))) and query.tokens
            assert query.kind == learner.strategy.kind and np.isfinite(query.utility)
            assert query.key not in pairs
            if query.kind == "preference":
                pairs.add(query.key)
                known = learner.pool[query.sentence]
                assert (query.trees[:, known.annotated] == known.heads[known.annotated]).all()
                differ = np.flatnonzero(query.trees[0] != query.trees[1])
                assert tuple(differ.tolist()) == query.tokens
            if query.kind == "tree":
                assert query.tokens == tuple(learner.pool.unannotated(query.sentence).tolist())
        learner.teach(oracle.answer(queries))


@every
@pytest.mark.parametrize(("budget", "unit"), [(1, "sentences"), (7, "sentences"), (1, "dependencies"), (33, "dependencies")])  # fmt: skip
def test_the_budget_is_kept(name, gold, budget, unit):
    queries = learner_of(name, Pool.hiding(gold, 10)).query(budget, unit)
    spent = len(queries) if unit == "sentences" else sum(len(q.tokens) for q in queries)
    assert spent <= budget
    if name not in ("pa-threshold", "token-entropy-each") or unit == "sentences":
        shortest = min(len(s) for s in gold[10:])
        smallest = 1 if STRATEGIES[name].kind == "heads" else shortest
        assert spent > 0 or budget < smallest


@every
def test_ties_are_broken_by_the_seed_and_not_by_order(name):
    """Forty copies of one sentence: nothing but chance tells them apart."""
    words, tags = ["she", "eats", "fish"], ["PRON", "VERB", "NOUN"]
    gold = [
        Sentence.of(words, [2, 0, 2], upos=tags, labels=["a", "b", "c"], sent_id=f"s{j}")
        for j in range(40)
    ]
    chosen = [
        {q.sentence for q in learner_of(name, Pool.hiding(gold, 2), rng=rng).query(4, "sentences")}
        for rng in (1, 2, 3)
    ]
    if name == "pa-threshold":  # all are sure
        return
    assert len({frozenset(some) for some in chosen}) > 1
    assert any(max(some, default=0) > 8 for some in chosen)


@every
def test_pools_of_nothing_and_of_little(name, gold):
    one_word = [Sentence.of(["Go"], [0], labels=["root"]) for _ in range(3)]
    start = list(gold[:10])
    for rest in ([], gold[10:11], one_word):
        bank = [*start, *rest]
        learner = learner_of(name, Pool.hiding(bank, 10))
        rounds = list(learner.rounds(GoldOracle(bank), 50))
        assert rounds[-1].stopped in (NO_QUESTION, "nothing new was answered")
        assert len(rounds) < 60
        if learner.strategy.kind == "tree":
            assert learner.pool.n_given == sum(map(len, bank))
    if STRATEGIES[name].kind != "preference":
        nothing = learner_of(name, Pool([]))
        assert nothing.query(10) == []


@every
def test_it_can_begin_with_nothing(name, gold):
    """Without anything annotated the first questions are random."""
    if STRATEGIES[name].kind == "preference":
        return  # these need a parser, see test_learner
    learner = learner_of(name, Pool.hiding(gold))
    rounds = list(learner.rounds(GoldOracle(gold), 60, dev=gold, most=2))
    assert rounds[0].dev is None and rounds[0].cost.dependencies == 0
    assert rounds[-1].cost.dependencies > 60
    assert rounds[-1].dev.uas > 40


def test_crossing_heads_in_a_projective_pool():
    gold = load("toy-freeorder", sizes={"train": 150}).train
    learner = ActiveLearner(CRFParser(1, **QUICK), "pa-gap", Pool.hiding(gold, 10))
    *_, last = learner.rounds(GoldOracle(gold), 400, most=4)
    assert learner.parser.forests_.lifted or learner.parser.forests_.dropped
    assert last.cost.dependencies > 1500


def test_a_new_strategy_is_ten_lines(gold):
    mine = Strategy("mine", "test", TopTokens(), Forest(), tokens=MEASURES["marginal-max"])
    assert register(mine) is find_strategy("mine") is STRATEGIES["mine"]
    try:
        with pytest.raises(ParameterError, match="there is a strategy 'mine' already"):
            register(mine)
        assert asked(learner_of("mine", Pool.hiding(gold, 10)).query(9)) == asked(
            learner_of("pa-max", Pool.hiding(gold, 10)).query(9)
        )
    finally:
        del STRATEGIES["mine"]
    with pytest.raises(ParameterError, match="marginal-max measures a token, expected a sentence"):
        Strategy("odd", "", TopTokens(), Forest(), sentences=MEASURES["marginal-max"])
    with pytest.raises(ParameterError, match="odd: kind is 'foo', expected one of tree, heads"):
        Strategy("odd", "", TopTokens(), Forest(), kind="foo")
    for kind, update in (("preference", Forest()), ("heads", Preference())):
        with pytest.raises(ParameterError, match=f"odd: asks for {kind} and learns by"):
            Strategy("odd", "", TopTokens(), update, kind=kind)
    for wrong in (lambda: TopTokens(0), lambda: Combined(0), lambda: CostAware(TopTokens(), -1)):
        with pytest.raises(ParameterError, match="expected"):
            wrong()
    with pytest.raises(ParameterError, match="no strategy 'mine', there are fa-random, "):
        find_strategy("mine")


def test_they_are_listed():
    shown = CliRunner().invoke(deppa, ["strategies"])
    assert shown.exit_code == 0
    for name, strategy in STRATEGIES.items():
        assert name in shown.output and strategy.summary in shown.output
    assert "p(h0 -> i) - p(h1 -> i) (Li et al. 2016, eq. 9)" in shown.output
