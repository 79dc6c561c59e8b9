"""The learner: taught once, revised, stopped and gone on with."""

import zipfile
from dataclasses import replace

import numpy as np
import pytest

from deppa_nb import (
    CRFParser,
    MIRAParser,
    MSTParser,
    Sentence,
    evaluate,
    load,
    read_conllu,
    write_conllu,
)
from deppa_nb.active.annotators import GoldOracle
from deppa_nb.active.costs import Cost, Rates
from deppa_nb.active.learner import ActiveLearner
from deppa_nb.active.pool import Pool
from deppa_nb.active.queries import Answer, Query
from deppa_nb.active.rounds import NO_QUESTION
from deppa_nb.active.selection import Ratio, TopTokens
from deppa_nb.active.stopping import Budget, Kappa, MeanUncertainty
from deppa_nb.active.strategies import Strategy, find_strategy
from deppa_nb.active.updates import Completion, Forest, FullTree, PartialLabels, Preference
from deppa_nb.errors import (
    ArgumentError,
    DeppaError,
    FormatError,
    ParameterError,
    PoolError,
    TreeError,
)

QUICK = {"bits": 14, "epochs": 2, "progress": False}
TREES = np.array([[-1, 2, 0], [-1, 0, 1]])


@pytest.fixture(scope="module")
def corpus():
    return load("toy-short", sizes={"train": 80, "dev": 30, "test": 30})


def learner_of(corpus, strategy="pa-gap", *, seed=15, **options):
    light = strategy.startswith("light")
    parser = MSTParser(**QUICK) if light else CRFParser(1, **QUICK)
    return ActiveLearner(parser, strategy, Pool.hiding(corpus.train, seed), **options)


def rows(rounds):
    """What rounds say, without their times."""
    rounds = list(rounds)
    kept = [{k: str(v) for k, v in r.row().items() if not k.endswith("_seconds")} for r in rounds]
    return [(row, [(q.sentence, q.tokens) for q in r.queries]) for row, r in zip(kept, rounds, strict=True)]  # fmt: skip


def test_asking_answering_teaching(corpus):
    learner, oracle = learner_of(corpus), GoldOracle(corpus.train)
    queries = learner.query(20)
    assert [q.sentence for q in queries] == [q.sentence for q in learner.query(20)]
    answers = oracle.answer(queries)
    before = learner.cost
    assert learner.teach(answers) == 20 == learner.cost.dependencies - before.dependencies
    assert learner.round == 1
    after, weights = learner.cost, learner.train() and learner.parser.weights_.copy()
    assert learner.teach(answers) == 0  # idempotent
    assert learner.cost == after and learner.round == 1
    assert learner.train() and np.array_equal(learner.parser.weights_, weights)
    for query in queries:
        heads, gold = learner.pool[query.sentence].heads, corpus.train[query.sentence]
        assert all(heads[m] == gold.heads[m] for m in query.tokens)
        assert all(learner.pool[query.sentence].labels[m] == gold.labels[m] for m in query.tokens)


def test_half_of_the_answers_now_and_half_later(corpus):
    together, apart = learner_of(corpus), learner_of(corpus)
    answers = GoldOracle(corpus.train).answer(together.query(20))
    together.teach(answers)
    apart.query(20)
    apart.teach(answers[:5])
    apart.teach(answers)
    assert apart.cost.seconds == pytest.approx(together.cost.seconds)
    assert replace(apart.cost, seconds=0) == replace(together.cost, seconds=0)
    assert apart.round == together.round == 1
    assert [q.sentence for q in apart.query(10)] == [q.sentence for q in together.query(10)]


def test_an_answer_that_does_not_fit_changes_nothing(corpus):
    learner = learner_of(corpus)
    queries = learner.query(20)
    answers = GoldOracle(corpus.train).answer(queries)
    learner.teach(answers[:1])
    heads = [sentence.heads.tolist() for sentence in learner.pool]
    other = Answer(queries[0], tuple((h + 1) % 3 for h in answers[0].heads))
    with pytest.raises((PoolError, TreeError)):
        learner.teach([*answers[1:], other])
    assert [sentence.heads.tolist() for sentence in learner.pool] == heads
    with pytest.raises(ArgumentError, match=r"2 heads in an answer about 1 words"):
        Answer(Query(0, (1,)), (1, 2))
    with pytest.raises(ArgumentError, match="is answered by a choice"):
        Answer(Query(0, (1,)), choice=1)
    with pytest.raises(ArgumentError, match="unit is 'wrods', expected dependencies or sentences"):
        learner.query(3, "wrods")
    for j in (-1, 80):
        with pytest.raises(PoolError, match=f"sentence {j}, the pool has 0 to 79"):
            learner.ignore(j)
    with pytest.raises(ArgumentError, match="pa-gap does not learn from preferences"):
        trees = np.array([[-1, 2, 0], [-1, 0, 1]])
        learner.teach([Answer(Query(0, (1, 2), "preference", trees=trees), choice=1)])
    with pytest.raises(PoolError, match="word 99 of a sentence of"):
        learner.teach([Answer(Query(20, (99,)), (-1,))])
    assert not learner.pool.closed
    nan, inf = float("nan"), float("inf")
    for budget in (0, nan, inf, 1.5):
        with pytest.raises(
            ArgumentError, match=f"budget is {budget}, expected a whole number from 1"
        ):
            learner.query(budget)
    with pytest.raises(ArgumentError, match="candidates is -1, expected a whole number from 0"):
        learner.query(5, candidates=-1)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (lambda: Answer(Query(20, (1,)), (2.9,)), r"heads \(2.9,\), expected whole numbers"),
        (lambda: Answer(Query(20, (1,)), ("2",)), r"heads \('2',\), expected whole numbers"),
        (lambda: Answer(Query(20, (1,))), "0 heads in an answer about 1 words"),
        (lambda: Answer(Query(20, (1,)), (2,), seconds=-100), "seconds is -100, expected"),
        (lambda: Answer(Query(20, (1,)), (2,), seconds=float("inf")), "seconds is inf, expected"),
        (lambda: Query(1.5, (1,)), r"sentence \[1.5\], expected whole numbers"),
        (lambda: Query(20, (1, 1)), r"tokens are \(1, 1\), expected each of them once"),
        (lambda: Query(20, (1,), "preference"), "is between two trees"),
        (lambda: Query(20, (1,), trees=TREES), "is between two trees"),
        (lambda: Query(20, (1,), "preference", trees=TREES[:, :2]), "expected two trees"),
        (lambda: Query(20, (1,), "preference", trees=TREES[[0, 1, 0]]), "expected two trees"),
        (lambda: Query(20, (1,), "preference", trees=TREES + 0.5), "expected two trees"),
        (lambda: Query(20, (1,), "preference", trees=np.ones((2, 3), int)), "expected two trees"),
        (lambda: Query(20, (), "preference", trees=TREES[[0, 0]]), "preference are the same"),
        (lambda: Query(20, (1,), "preference", trees=TREES), r"but the trees differ in \(1, 2\)"),
    ],
)
def test_what_is_no_question_or_no_answer(answer, problem):
    with pytest.raises(ArgumentError, match=problem):
        answer()


def test_heads_may_be_an_array(corpus):
    learner = learner_of(corpus)
    assert learner.teach([Answer(Query(20, np.array([1, 2])), np.array([2, 0]))]) == 2


@pytest.mark.parametrize(
    "wrong", [{"rng": None}, {"rng": -1}, {"rng": 1.5}, {"rng": np.random.default_rng(1)},
              {"warm_epochs": 1.5}, {"warm_epochs": 0}, {"review": float("nan")}]
)  # fmt: skip
def test_parameters_that_make_no_sense(corpus, wrong):
    (name,) = wrong
    with pytest.raises(ParameterError, match=f"{name} is .*, expected a"):
        learner_of(corpus, **wrong)


def test_what_is_passed_over_is_not_asked_again(corpus):
    learner = learner_of(corpus)
    queries = learner.query(10)
    nothing = [Answer(query, (-1,) * len(query.tokens)) for query in queries]
    before = learner.cost
    assert learner.teach(nothing) == 0 and learner.cost.queries == before.queries + len(queries)
    asked = {(q.sentence, m) for q in queries for m in q.tokens}
    assert not asked & {(q.sentence, m) for q in learner.query(50) for m in q.tokens}
    after = learner.cost
    learner.teach(nothing)
    assert learner.cost == after
    late = GoldOracle(corpus.train).answer(queries)
    assert learner.teach(late) == 10  # it is said after all, and costs what it costs
    assert learner.cost.dependencies == after.dependencies + 10


def test_revising_and_ignoring(corpus):
    learner = learner_of(corpus)
    learner.train()
    weights = learner.parser.weights_.copy()
    long = next(j for j in range(15) if len(corpus.train[j]) > 4)
    word = int(np.flatnonzero(learner.pool[long].heads[1:] > 0)[0]) + 1
    root = int(np.flatnonzero(learner.pool[long].heads == 0)[0])
    other = next(h for h in range(1, len(corpus.train[long]) + 1) if h not in (word, root))
    try:
        learner.revise(long, word, other, "new")
    except TreeError:
        learner.revise(long, word, root, "new")
    assert learner.pool[long].labels[word] == "new"
    learner.train()
    assert not np.array_equal(learner.parser.weights_, weights)
    before = learner.pool.n_given
    learner.ignore(3)
    assert learner.pool.state(3) == "ignored"
    assert learner.pool.n_given == before - len(corpus.train[3])
    assert 3 not in Forest().lessons(learner.pool, {})
    with pytest.raises(PoolError, match="word 1 of sentence 20 has nothing to revise; teach it"):
        learner.revise(20, 1, 2)
    with pytest.raises(TreeError, match="form a cycle"):
        learner.revise(long, root, word)


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize(
    "strategy",
    ["pa-gap", "fa-cluster", "fa-parse-cluster", "token-entropy", "light-random", "batch-gap"],
)
def test_it_goes_on_where_it_was_stopped(corpus, tmp_path, strategy, warm):
    oracle, options = GoldOracle(corpus.train), {"dev": corpus.dev, "most": 3}
    whole = rows(learner_of(corpus, strategy, warm=warm).rounds(oracle, 25, **options))
    assert len(whole) == 4
    for stop in (1, 2):
        path, begun = tmp_path / "learner.zip", []
        running = learner_of(corpus, strategy, warm=warm).rounds(
            oracle, 25, checkpoint=path, **options
        )
        for found in running:
            begun.append(found)
            if len(begun) == stop:
                break
        again = ActiveLearner.load(path)
        assert again.round == stop
        rest = list(again.rounds(oracle, 25, **options))
        assert rows([*begun, *rest]) == whole


def test_broken_files(corpus, tmp_path):
    path = tmp_path / "learner.zip"
    learner = learner_of(corpus)
    learner.query(5)
    learner.save(path)
    content = path.read_bytes()
    assert set(zipfile.ZipFile(path).namelist()) >= {"state.json", "pool.conllu", "parser.npz"}
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(FormatError, match="no learner of deppa_nb, or a broken one"):
        ActiveLearner.load(path)
    with pytest.raises(FormatError, match="no learner of deppa_nb"):
        ActiveLearner.load(tmp_path / "none.zip")
    packed = content.index(b"pool.conllu") + len("pool.conllu")
    method = content.index(b"PK\x01\x02") + 10
    for place, wrong in ((packed, b"\xff" * 9), (method, b"\x63")):
        path.write_bytes(content[:place] + wrong + content[place + len(wrong) :])
        with pytest.raises(FormatError, match="no learner of deppa_nb, or a broken one"):
            ActiveLearner.load(path)
    mine = Strategy("mine", "test", TopTokens(), Forest())
    ActiveLearner(CRFParser(1, **QUICK), mine, Pool.hiding(corpus.train, 5)).save(path)
    with pytest.raises(ParameterError, match="the strategy 'mine' is not known; give it to load"):
        ActiveLearner.load(path)
    assert ActiveLearner.load(path, mine).strategy is mine
    other = replace(find_strategy("batch-gap"), selection=Ratio(0.5))
    ActiveLearner(CRFParser(1, **QUICK), other, Pool.hiding(corpus.train, 5)).save(path)
    with pytest.raises(ParameterError, match="'batch-gap' is not the one that was saved"):
        ActiveLearner.load(path)
    assert ActiveLearner.load(path, other).strategy.selection == Ratio(0.5)
    ActiveLearner(CRFParser(1, **QUICK), "pa-gap", []).save(path)
    assert len(ActiveLearner.load(path).pool) == 0
    with pytest.raises(DeppaError, match="cannot be written"):
        learner.save(tmp_path)


def test_updates(corpus):
    gold = corpus.train[:4]
    pool = Pool.hiding(gold, seed=1)
    partial = next(j for j in range(1, 4) if len(gold[j]) > 2)
    pool.give(partial, {1: int(gold[partial].heads[1])})
    assert FullTree().lessons(pool, {}) == Preference().lessons(pool, {}) == {0: gold[0]}
    both = {0: gold[0], partial: pool[partial]}
    assert Forest().lessons(pool, {}) == PartialLabels().lessons(pool, {}) == both
    assert Completion().lessons(pool, {}) == {0: gold[0]}
    completed = {0: gold[1], partial: gold[partial]}
    assert Completion().lessons(pool, completed) == {0: gold[0], partial: gold[partial]}


def test_completions_keep_what_was_given_and_are_made_anew(corpus):
    learner, oracle = learner_of(corpus, "token-entropy"), GoldOracle(corpus.train)
    for _ in range(3):
        queries = learner.query(30)
        learner.teach(oracle.answer(queries))
        for j, tree in learner.completed.items():
            known = learner.pool[j]
            assert tree.is_full and (tree.heads == known.heads)[known.annotated].all()
    assert len(learner.completed) > 20
    mira = ActiveLearner(MIRAParser(1, **QUICK), "combined-entropy", Pool.hiding(corpus.train, 15))
    list(mira.rounds(oracle, 30, most=2))
    labelled = [tree for j, tree in mira.completed.items() if mira.pool.state(j) == "partial"]
    assert labelled and all("_" not in tree.labels for tree in labelled)


def test_preferences_move_the_parser(corpus):
    learner, oracle = learner_of(corpus, "light-margin"), GoldOracle(corpus.train)
    queries = learner.query(20, "sentences")
    before = learner.parser.weights_.copy()
    answers = oracle.answer(queries)
    assert learner.teach(answers) == 0 and len(learner.preferences) == 20
    cost = learner.cost
    learner.teach(answers)
    assert learner.cost == cost  # answered from memory
    learner.query(1)
    assert not np.array_equal(before, learner.parser.weights_)
    with pytest.raises(ArgumentError, match="preferences need a parser"):
        learner_of(corpus, "light-random", seed=0).query(5)
    single = Strategy("one", "", find_strategy("light-random").selection, Preference(single=True), kind="preference")  # fmt: skip
    found = ActiveLearner(MSTParser(**QUICK), single, Pool.hiding(corpus.train, 15)).query(99)
    assert found and all(len(query.tokens) == 1 for query in found)


def test_candidates_for_a_person(corpus):
    learner = learner_of(corpus)
    for query in learner.query(15, candidates=3):
        marginals = learner.parser.marginals(learner.pool[query.sentence])
        assert len(query.candidates) == len(query.tokens)
        for m, listed in zip(query.tokens, query.candidates, strict=True):
            probabilities = [p for _, p in listed]
            assert probabilities == sorted(probabilities, reverse=True) and len(listed) <= 3
            head, p = listed[0]
            assert head == marginals[:, m].argmax() and p == pytest.approx(marginals[head, m])


def test_costs_add_up(corpus):
    rates = Rates(full=2.0, partial=5.0, reading=0.5)
    learner = learner_of(corpus, rates=rates)
    known = learner.pool.n_given
    start = sum(len(sentence) for sentence in corpus.train[:15])
    assert learner.cost == Cost(known, 15, known, 2.0 * known + 0.5 * start, start)
    queries = learner.query(10)
    learner.teach(GoldOracle(corpus.train).answer(queries))
    read = sum(len(corpus.train[q.sentence]) for q in queries)
    assert learner.cost.words_read == start + read
    assert learner.cost.seconds == pytest.approx(2.0 * known + 50.0 + 0.5 * (start + read))
    assert learner.cost.queries == 15 + len(queries)
    assert learner.cost.keystrokes == known + 10
    timed = Answer(Query(0, (1, 2)), (2, 0), seconds=3.5)
    assert rates.price(timed, 4, {1, 2}).seconds == 5.5
    assert rates.price(timed, 4, {1}).seconds == 3.75  # half of it was known
    listed = Query(0, (1, 2), candidates=(((3, 0.9),), ((3, 0.9),)))
    assert rates.price(Answer(listed, (3, 4)), 4, {1, 2}).keystrokes == 3
    assert rates.price(Answer(listed, (3, 4)), 4, {1, 2}, labelled=True).keystrokes == 7
    with pytest.raises(ParameterError, match="full is -1, expected a number from 0"):
        Rates(full=-1)


def test_stopping(corpus):
    oracle = GoldOracle(corpus.train)
    known = learner_of(corpus).pool.n_given
    *_, last = learner_of(corpus).rounds(oracle, 20, stopping=[Budget(known + 50)])
    assert last.stopped == f"{known + 60} dependencies are spent" and not last.queries
    *_, last = learner_of(corpus).rounds(oracle, 20, stopping=[Budget(1e6, "seconds")], most=2)
    assert last.stopped == "2 rounds"
    with pytest.raises(ParameterError, match="unit is 'euros', expected one of dependencies"):
        Budget(1, "euros")
    *_, last = learner_of(corpus).rounds(oracle, 5, stopping=[Kappa(0.5)])
    assert last.number == 1 and last.stopped.startswith("kappa of two rounds is")
    *_, last = learner_of(corpus).rounds(oracle, 50, stopping=[MeanUncertainty(-0.97)])
    assert last.stopped.startswith("mean utility is -0.9")
    *_, last = learner_of(corpus).rounds(oracle, 500)
    assert last.stopped == NO_QUESTION and last.cost.dependencies == corpus.train.n_words


def test_sequences_are_asked_for_labels():
    gold = load("toy-chunks", sizes={"train": 30}).train

    class Frequent:
        """The commonest label of each word; enough to run a loop of labels."""

        def fit(self, lessons):
            self.lessons_ = lessons
            return self

        def get_params(self, deep=True):
            return {}

        def set_params(self, **given):
            return self

    strategy = Strategy("labels", "", TopTokens(), PartialLabels(), kind="labels")
    learner = ActiveLearner(Frequent(), strategy, Pool.hiding(gold, 2))
    *_, last = learner.rounds(GoldOracle(gold), 100)
    assert last.stopped == NO_QUESTION and list(learner.pool) == list(gold)
    learner.revise(3, 1, label="B-XX")
    assert learner.pool[3].labels[0] == "B-XX"
    with pytest.raises(ParameterError, match="pa-gap asks about trees, the pool has sequences"):
        ActiveLearner(CRFParser(1), "pa-gap", Pool.hiding(gold, 2))
    assert len(learner.parser.lessons_) == 30


def test_a_treebank_as_it_is():
    half = [Sentence.of(["Fish", "swim"], [2, -1]), Sentence.of(["Go"])]
    learner = ActiveLearner(CRFParser(1, **QUICK), "pa-gap", half)
    assert learner.pool.state(0) == "partial" and learner.cost.dependencies == 1
    assert {(q.sentence, q.tokens) for q in learner.query(9)} == {(0, (2,)), (1, (1,))}


def test_a_warm_start_keeps_labels(corpus):
    """A round of few words, and one without labels, do not make it forget those it knows."""
    parser = CRFParser(1, **QUICK, labels=True)
    learner = ActiveLearner(parser, "pa-gap", Pool.hiding(corpus.train, 40), warm=True)
    oracle = GoldOracle(corpus.train)
    found = list(learner.rounds(oracle, 30, dev=corpus.dev, most=2))
    (query,) = learner.query(1)
    learner.teach(oracle.answer([query]))
    learner.train()
    las = evaluate(corpus.dev, learner.parser.predict(corpus.dev)).las
    assert las > found[-1].dev.las - 3
    answers = oracle.answer(learner.query(5))
    learner.teach([replace(answer, labels=()) for answer in answers])
    learner.train()
    assert evaluate(corpus.dev, learner.parser.predict(corpus.dev)).las > las - 3


def test_a_warm_start_learns_trees_that_are_complete_now(corpus):
    learner = learner_of(corpus, "token-entropy", warm=True)
    oracle = GoldOracle(corpus.train)
    j = next(j for j in range(15, 80) if len(corpus.train[j]) > 4)
    words = tuple(range(1, len(corpus.train[j]) + 1))
    learner.train()
    learner.teach(oracle.answer([Query(j, words[:1])]))
    learner.train()
    assert j in learner.completed
    before = learner.parser.weights_.copy()
    learner.teach(oracle.answer([Query(j, words[1:])]))
    assert learner.pool.state(j) == "annotated" and j not in learner.completed
    learner.train()
    assert not np.array_equal(before, learner.parser.weights_)


def test_partial_trees_are_completed_from_the_start(corpus):
    half = [s.with_heads([s.heads[1], *[-1] * (len(s) - 1)]) for s in corpus.train if len(s) > 2]
    learner = ActiveLearner(CRFParser(1, **QUICK), "token-entropy", half)
    assert learner.train() and len(learner.completed) == len(half)


def test_heads_that_a_completed_tree_cannot_have_are_counted():
    gold = load("toy-freeorder", sizes={"train": 150}).train
    learner = ActiveLearner(CRFParser(1, **QUICK), "token-entropy", Pool.hiding(gold, 20))
    list(learner.rounds(GoldOracle(gold), 300, most=3))
    lost = {
        j: int(((learner.pool[j].heads >= 0) & (tree.heads != learner.pool[j].heads)).sum())
        for j, tree in learner.completed.items()
    }
    assert learner.given_up == {j: count for j, count in lost.items() if count} != {}


def test_kappa_goes_on_after_a_stop(corpus):
    def learner():
        return learner_of(corpus)

    oracle, rule = GoldOracle(corpus.train), [Kappa(0.995)]
    whole = [r.stopped for r in learner().rounds(oracle, 5, stopping=rule, most=6)]
    again = learner()
    list(again.rounds(oracle, 5, stopping=rule, most=1))
    rest = [r.stopped for r in again.rounds(oracle, 5, stopping=rule, most=6)]
    assert rest == whole[1:]


def test_an_answer_that_closes_a_cycle_is_passed_over(corpus):
    sentence = next(s for s in corpus.train if len(s) > 4)
    root = int(np.flatnonzero(sentence.heads == 0)[0])
    start = Pool([*corpus.train[:10], sentence.with_heads([1 if m == 2 else -1 for m in range(1, len(sentence) + 1)])])  # fmt: skip

    class Stubborn:
        def answer(self, queries):
            return [Answer(q, tuple(2 if m == 1 else root for m in q.tokens)) for q in queries]

    learner = ActiveLearner(CRFParser(1, **QUICK), "pa-gap", start)
    found = list(learner.rounds(Stubborn(), 1, most=30))
    assert sum(r.refused for r in found) >= 1 and len(found) > 1


def test_mean_uncertainty_of_what_has_one_tree(corpus):
    bank = [*corpus.train[:20], Sentence.of(["Go"], [0])]
    learner = ActiveLearner(MSTParser(**QUICK), "light-margin", Pool.hiding(bank, 15))
    assert np.isfinite(learner.mean_utility())


def test_sentences_keep_their_names_in_a_file(tmp_path):
    """Those without a sent_id are known by their number, wherever they are in the pool."""
    every = [Sentence.of(["Fish", "swim", str(j)], [2, 0, 2]) for j in range(9)]
    write_conllu(tmp_path / "bank.conllu", every)
    bank = list(read_conllu(tmp_path / "bank.conllu"))[4:]
    learner = ActiveLearner(CRFParser(1, **QUICK), "token-entropy", Pool.hiding(bank, 2))
    learner.teach(GoldOracle(bank).answer(learner.query(3)))
    learner.save(tmp_path / "learner.zip")
    again = ActiveLearner.load(tmp_path / "learner.zip")
    assert [s.sent_id for s in again.pool] == [s.sent_id for s in bank] == list("56789")
    assert (
        {j: s.sent_id for j, s in again.completed.items()}
        == {j: s.sent_id for j, s in learner.completed.items()}
        != {}
    )


def test_two_learners_do_not_disturb_each_other(corpus):
    pool, oracle = Pool.hiding(corpus.train, 15), GoldOracle(corpus.train)
    first, second = (ActiveLearner(CRFParser(1, **QUICK), "pa-gap", pool) for _ in range(2))
    asked = second.query(50)
    first.teach(oracle.answer(first.query(100)))
    assert second.pool.n_given == pool.n_given < first.pool.n_given
    assert second.teach(oracle.answer(asked)) == 50


def test_preferences_about_nothing_change_nothing(corpus):
    learner = learner_of(corpus, "light-random")
    queries = learner.query(3, "sentences")
    wrong = replace(queries[0], sentence=999)
    with pytest.raises(PoolError, match="sentence 999, the pool has 0 to 79"):
        learner.teach([Answer(queries[1], choice=1), Answer(wrong, choice=1)])
    small = Query(queries[0].sentence, (1, 2), "preference", trees=TREES)
    with pytest.raises(ArgumentError, match=r"trees of 2 words for sentence \d+, which has"):
        learner.teach([Answer(queries[1], choice=1), Answer(small, choice=1)])
    assert not learner.preferences and learner.query(3, "sentences")


def test_a_preference_is_the_same_the_other_way_round(corpus):
    learner = learner_of(corpus, "light-margin")
    (query, *_) = learner.query(5, "sentences")
    learner.teach(iter([Answer(query, choice=1)]))
    after = learner.cost
    learner.teach([Answer(replace(query, trees=query.trees[::-1]), choice=-1)])
    assert len(learner.preferences) == 1 and learner.cost == after


def test_what_is_done_to_the_pool_by_hand_is_noticed(corpus):
    learner = learner_of(corpus)
    given, ignored, closed, *_ = learner.query(30)
    word, gold = given.tokens[0], corpus.train[given.sentence]
    before = learner.parser
    learner.pool.close(closed.sentence)
    after = {q.sentence for q in learner.query(30)}
    assert closed.sentence not in after and learner.parser is before  # nothing new to learn
    learner.pool.give(given.sentence, {word: int(gold.heads[word])})
    learner.pool.ignore(ignored.sentence)
    after = {(q.sentence, m) for q in learner.query(30) for m in q.tokens}
    assert (given.sentence, word) not in after and learner.parser is not before
    assert not {ignored.sentence, closed.sentence} & {j for j, _ in after}
    learner.pool.put(dict(enumerate(corpus.train)))
    assert learner.query(30) == []


def test_a_change_by_hand_is_saved(corpus, tmp_path):
    learner = learner_of(corpus)
    before = learner.mean_utility()
    learner.pool.put({20: corpus.train[20]})
    learner.save(tmp_path / "learner.zip")
    again = ActiveLearner.load(tmp_path / "learner.zip")
    weights = again.parser.weights_.copy()
    assert again.mean_utility() == learner.mean_utility() != before
    assert not np.array_equal(again.parser.weights_, weights)


def test_what_is_ignored_costs_nothing_more(corpus):
    learner = learner_of(corpus)
    queries = learner.query(10)
    learner.ignore(queries[0].sentence)
    before = learner.cost
    assert learner.teach(GoldOracle(corpus.train).answer(queries[:1])) == 0
    assert learner.cost == before and learner.round == 0


def test_revising_makes_nothing_that_cannot_be_mended(corpus):
    learner = learner_of(corpus, warm=True)
    learner.train()
    weights = learner.parser.weights_.copy()
    learner.revise(0, 1)  # to what it is
    assert learner.train() and np.array_equal(learner.parser.weights_, weights)
    with pytest.raises(PoolError, match="head -1 of word 1, expected 0 to"):
        learner.revise(0, 1, head=-1)
    head, n = int(learner.pool[0].heads[1]), len(learner.pool[0])
    for other in range(n + 1):
        try:
            learner.revise(0, 1, head=other)
        except TreeError:
            continue
        if other != head:
            assert learner.pool[0].heads[1] == other and learner.pool[0].labels[1] == "_"
            return


@pytest.mark.parametrize("strategy", ["batch-gap", "token-entropy"])
def test_positions_of_numpy_are_saved(corpus, tmp_path, strategy):
    learner = learner_of(corpus, strategy)
    learner.train()
    place = learner.pool.where("unannotated")[0]
    learner.teach([Answer(Query(place, (np.int64(1),)), (np.int64(2),))])
    learner.pool.close(place + 1)
    learner.revise(learner.pool.where("annotated")[0], np.int64(1), label="x")
    learner.save(tmp_path / "learner.zip")
    assert ActiveLearner.load(tmp_path / "learner.zip").pool.closed == learner.pool.closed


def test_what_could_not_be_loaded_is_not_saved(corpus, tmp_path):
    class Mine(CRFParser):
        pass

    learner = ActiveLearner(Mine(1, **QUICK), "pa-gap", corpus.train)
    with pytest.raises(ArgumentError, match="a learner whose parser is a Mine cannot be saved"):
        learner.save(tmp_path / "learner.zip")
    for name, values in (("file", np.zeros(2)), ("mine", np.array([None]))):
        with pytest.raises(ArgumentError, match=f"cannot remember '{name}'"):
            learner.remember(name, values)


def test_labels_are_not_asked_for_in_trees(corpus):
    mine = Strategy("mine", "", TopTokens(), PartialLabels(), kind="labels")
    with pytest.raises(ParameterError, match="mine asks about sequences, the pool has trees"):
        ActiveLearner(CRFParser(1, **QUICK), mine, corpus.train)


def test_passing_over_takes_its_time(corpus):
    learner = learner_of(corpus)
    before = learner.cost.seconds
    learner.teach([Answer(Query(20, (1, 2)), (-1, -1), seconds=30.0)])
    assert learner.cost.seconds == before + 30
    with pytest.raises(ArgumentError, match="labels without heads"):
        Answer(Query(20, (1,)), labels=("x",))
    learner.teach([Answer(Query(np.int64(21), (np.int64(1),)), (np.int64(0),))])
