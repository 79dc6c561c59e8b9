"""Simulated annotators."""

from dataclasses import replace

import numpy as np
import pytest

from deppa_nb import CRFParser, MSTParser, Sentence, Treebank, load
from deppa_nb.active.annotators import PEOPLE, GoldOracle, NoisyOracle, Person, SecondParserOracle
from deppa_nb.active.costs import Rates
from deppa_nb.active.learner import ActiveLearner
from deppa_nb.active.log import Event, Header, Log, bank_digest, read_log, words_digest
from deppa_nb.active.log_writer import LogWriter
from deppa_nb.active.pool import Pool
from deppa_nb.active.queries import Answer, Query
from deppa_nb.active.replay import Logged, Replay
from deppa_nb.active.rounds import NO_QUESTION
from deppa_nb.active.timing import fitted
from deppa_nb.errors import ArgumentError, CorpusError, ParameterError

QUICK = {"bits": 14, "epochs": 2, "progress": False}


@pytest.fixture(scope="module")
def gold():
    return load("toy-en", sizes={"train": 300}).train


def whole(gold):
    return [Query(j, tuple(range(1, len(s) + 1)), "tree") for j, s in enumerate(gold)]


def test_gold(gold):
    for answer, sentence in zip(GoldOracle(gold).answer(whole(gold)), gold, strict=True):
        assert answer.heads == tuple(sentence.heads[1:]) and answer.labels == sentence.labels[1:]
    for j in (300, -1):
        with pytest.raises(ArgumentError, match=f"sentence {j}, but gold has 300"):
            GoldOracle(gold).answer([Query(j, (1,))])
    with pytest.raises(ArgumentError, match="word 99 of a sentence of"):
        GoldOracle(gold).answer([Query(0, (1, 99))])


def pair(heads, *changes):
    """A question between a tree and the same with other heads."""
    trees = np.array([heads, heads])
    for which, m, h in changes:
        trees[which, m] = h
    return Query(0, tuple(np.flatnonzero(trees[0] != trees[1]).tolist()), "preference", trees=trees)


def test_preferences():
    gold = [Sentence.of(list("abcd"), [2, 0, 2, 3])]
    heads = gold[0].heads
    better, worse = pair(heads, (1, 1, 3)), pair(heads, (0, 1, 3))
    tie = pair(heads, (0, 1, 3), (1, 4, 2))
    choices = [a.choice for a in GoldOracle(gold).answer([better, worse, tie])]
    assert choices == [1, -1, 0]
    assert GoldOracle(gold, ties="first").answer([tie])[0].choice == 1
    assert GoldOracle(gold, ties="second").answer([tie])[0].choice == -1
    some = {GoldOracle(gold, ties="random", rng=r).answer([tie])[0].choice for r in range(20)}
    assert some == {1, -1}
    with pytest.raises(ParameterError, match="ties is 'none'"):
        GoldOracle(gold, ties="none")


def test_noise_in_preferences():
    gold = [Sentence.of(list("abcd"), [2, 0, 2, 3])] * 2000
    query = pair(gold[0].heads, (1, 1, 3))
    queries = [Query(j, query.tokens, "preference", trees=query.trees) for j in range(2000)]
    three = [a.choice for a in NoisyOracle(gold, noise=0.3).answer(queries)]
    assert np.mean(np.array(three) != 1) == pytest.approx(0.3, abs=0.035)
    assert three.count(0) == pytest.approx(300, abs=60) == pytest.approx(three.count(-1), abs=80)
    two = [a.choice for a in NoisyOracle(gold, noise=0.3, ties="first").answer(queries)]
    assert set(two) == {1, -1} and two.count(-1) == pytest.approx(600, abs=80)
    again = [a.choice for a in NoisyOracle(gold, noise=0.3).answer(queries[::-1])]
    assert again[::-1] == three  # it does not matter when it is asked


def test_people_have_an_accuracy_and_a_speed(gold):
    people = (Person("a", 0.9, 2.0, 4.0), Person("b", 0.6, 3.0, 6.0))
    oracle = NoisyOracle(gold, people, rng=5)
    right = {"a": [], "b": []}
    for answer, sentence in zip(oracle.answer(whole(gold)), gold, strict=True):
        right[answer.annotator] += (np.array(answer.heads) == sentence.heads[1:]).tolist()
        assert answer.seconds == {"a": 2.0, "b": 3.0}[answer.annotator] * len(sentence)
        sentence.with_heads(answer.heads)  # is a tree
        assert answer.heads.count(0) == 1
    assert np.mean(right["a"]) == pytest.approx(0.9, abs=0.02)
    assert np.mean(right["b"]) == pytest.approx(0.6, abs=0.03)
    first = oracle.answer([Query(3, (2,))])[0]
    assert first.heads == NoisyOracle(gold, people, rng=5).answer([Query(3, (2,))])[0].heads
    assert first.seconds in (4.0, 6.0)
    assert len(PEOPLE) == 6
    with pytest.raises(ParameterError, match=r"accuracy is 1\.5"):
        Person("c", 1.5)
    with pytest.raises(ParameterError, match="at least one person"):
        NoisyOracle(gold, ())


def test_learning_from_people_who_err(gold):
    learner = ActiveLearner(CRFParser(1, **QUICK), "pa-gap", Pool.hiding(gold, 20))
    *_, last = learner.rounds(NoisyOracle(gold), 300, dev=gold, most=3)
    assert last.dev.uas > 50 and last.cost.seconds > 3 * 300


def test_another_parser_answers(gold):
    parser = MSTParser(**QUICK).fit(gold[:50])
    oracle = SecondParserOracle(parser, gold)
    found = parser.predict(gold)
    for answer, sentence in zip(oracle.answer(whole(gold)), found, strict=True):
        assert answer.heads == tuple(sentence.heads[1:])
    assert answer.annotator == "MSTParser"


@pytest.mark.parametrize("strategy", ["pa-gap", "fa-marginal", "light-random"])
def test_a_log_is_replayed(gold, tmp_path, strategy):
    bank = Treebank(tuple(gold[:80]), "some")
    parser = MSTParser(**QUICK) if strategy.startswith("light") else CRFParser(1, **QUICK)

    def learned(annotator):
        learner = ActiveLearner(parser, strategy, Pool.hiding(bank, 20))
        return learner, [r.queries for r in learner.rounds(annotator, 40, most=2)]

    path = tmp_path / "gold.jsonl"
    with LogWriter(path, annotator="gold", treebank=bank) as log:
        first, asked = learned(Logged(GoldOracle(bank), log, bank))
    second, again = learned(Replay(read_log(path), bank))
    assert [[(q.sentence, q.tokens) for q in some] for some in again] == [
        [(q.sentence, q.tokens) for q in some] for some in asked
    ]
    assert list(second.pool) == list(first.pool) and second.cost == first.cost
    assert {event.round for event in read_log(path).events} == {0, 1}


def test_what_was_passed_over_is_replayed_too(gold, tmp_path):
    bank, path = Treebank(tuple(gold[:60]), "some"), tmp_path / "half.jsonl"

    class Half(GoldOracle):
        def _one(self, query):
            found = super()._one(query)
            return Answer(query, (-1,) * len(query.tokens)) if query.sentence % 2 else found

    def learned(annotator):
        learner = ActiveLearner(CRFParser(1, **QUICK), "pa-gap", Pool.hiding(bank, 20))
        list(learner.rounds(annotator, 30, most=3))
        return learner

    with LogWriter(path, annotator="half", treebank=bank) as log:
        first = learned(Logged(Half(bank), log, bank))
    second = learned(Replay(read_log(path), bank))
    assert list(second.pool) == list(first.pool) and second.cost == first.cost


def test_several_logs(tmp_path):
    bank = Treebank((Sentence.of(["Fish", "swim", "fast"], sent_id="s1"),), "mine")
    for name, word, undone in (("a", 1, False), ("b", 3, True)):
        with LogWriter(tmp_path / f"{name}.jsonl", annotator=name, treebank=bank) as log:
            given = log.append(Event("head", "s1", word, "partial", new=2, ms=1))
            if undone:
                log.append(Event("undo", undo_of=given.act, ms=2))
    logs = [read_log(tmp_path / f"{name}.jsonl") for name in "ab"]
    (answer,) = Replay(logs, bank).answer([Query(0, (1, 3))])
    assert answer.heads == (2, -1) and answer.annotator == "a b"


def log_of(bank, *events):
    """A log as it is read; who wrote it does not matter."""
    digests = {sentence.sent_id: words_digest(sentence.words) for sentence in bank}
    given = (replace(e, seq=k, act=k, digest=digests[e.sentence]) for k, e in enumerate(events, 1))
    return Log(Header("p", bank.name, bank_digest(bank)), tuple(given), "p.jsonl")


def head(token, new, **more):
    return Event("head", "s1", token, "partial", new=new, **more)


def test_a_later_log_does_not_get_the_label_of_another_head():
    bank = Treebank((Sentence.of(["Fish", "swim", "fast"], sent_id="s1"),), "mine")
    label = Event("label", "s1", 1, "partial", new="obj")
    for new, kept in ((2, "_"), (3, "obj")):
        logs = [log_of(bank, head(1, 3), label), log_of(bank, head(1, new))]
        (answer,) = Replay(logs, bank).answer([Query(0, (1,))])
        assert (answer.heads, answer.labels) == ((new,), (kept,))


def test_a_log_of_another_treebank_is_not_replayed():
    bank = Treebank((Sentence.of(["Fish", "swim", "fast"], sent_id="s1"),), "mine")
    log = log_of(bank, head(1, 2))
    with pytest.raises(CorpusError, match=r"p.jsonl: sentence 's1' does not have the words"):
        Replay(log, [Sentence.of(["Cats", "swim", "fast"], sent_id="s1")])
    with pytest.raises(CorpusError, match=r"p.jsonl: speaks of no sentence of the pool"):
        Replay(log, [Sentence.of(["Fish", "swim", "fast"], sent_id="s2")])
    with pytest.raises(CorpusError, match=r"the pool:1: a second sentence 's1'"):
        Replay(log, [*bank, *bank])
    more = [Sentence.of(["Go"], sent_id="s2"), *bank]
    assert Replay(log, more).answer([Query(1, (1,))])[0].heads == (2,)


def test_a_replay_passes_over_what_the_log_does_not_know(gold):
    bank = Treebank(tuple(gold[:40]), "some")
    first = [Event("head", s.sent_id, 1, "full", new=int(s.heads[1])) for s in bank[10:]]
    for strategy in ("pa-gap", "fa-random"):
        learner = ActiveLearner(CRFParser(1, **QUICK), strategy, Pool.hiding(bank, 10))
        *_, last = learner.rounds(Replay(log_of(bank, *first), bank), 60)
        assert last.stopped == NO_QUESTION and not learner.pool.where("unannotated").size
    skipped = Event("skip", bank[0].sent_id, None, "full")
    open_again = [Event("label", bank[0].sent_id, 1, "full", new="obj")]
    for events in ([], [skipped], open_again):
        (answer,) = Replay(log_of(bank, *events), bank).answer([Query(0, (1, 2))])
        assert answer.heads == (-1, -1)


def test_a_pair_of_trees_is_replayed_in_either_order():
    bank = Treebank((Sentence.of(list("abcd"), [2, 0, 2, 3], sent_id="s1"),), "mine")
    query = pair(bank[0].heads, (1, 1, 3))
    a, b = (tuple(tree[1:].tolist()) for tree in query.trees)
    replay = Replay(log_of(bank, Event("tree", "s1", None, "full", new="A", trees=(a, b))), bank)
    swapped = replace(query, trees=query.trees[::-1])
    found = [(answer.choice, answer.annotator) for answer in replay.answer([query, swapped])]
    assert found == [(1, "p"), (-1, "p")]
    assert replay.answer([pair(bank[0].heads, (1, 1, 4))]) == []
    logs = [
        log_of(bank, Event("tree", "s1", None, "full", new="A", trees=trees))
        for trees in ((a, b), (b, a))
    ]
    assert Replay(logs, bank).answer([query])[0].choice == -1  # the later one counts


def test_rates_of_simulated_people(gold, tmp_path):
    bank, people = Treebank(tuple(gold[:40]), "some"), [Person("p", 0.9, 3.0, 7.0)]
    with LogWriter(tmp_path / "p.jsonl", annotator="p", treebank=bank) as log:
        annotator = Logged(NoisyOracle(bank, people), log, bank)
        annotator.answer(whole(bank[:20]))
        annotator.answer([Query(j, (1, 2)) for j in range(20, 40) if len(bank[j]) > 1])
    rates = fitted([read_log(tmp_path / "p.jsonl")])
    assert rates.full == pytest.approx(3.0, rel=0.01)
    assert rates.partial == pytest.approx(7.0, rel=0.01)


def test_rates_of_logs(tmp_path):
    bank = Treebank((Sentence.of(["Fish", "swim"], sent_id="s1"),), "mine")
    for name, seconds in (("a", 4), ("b", 8)):
        with LogWriter(tmp_path / f"{name}.jsonl", annotator=name, treebank=bank) as log:
            log.append(Event("shown", "s1", 1, "partial", ms=1000))
            log.append(Event("head", "s1", 1, "partial", new=2, ms=1000 + 1000 * seconds))
    rates = fitted([read_log(tmp_path / f"{name}.jsonl") for name in "ab"])
    assert rates == Rates(partial=6.0)
    logs = [read_log(tmp_path / f"{name}.jsonl") for name in "ab"]
    assert fitted(logs, max_gap=5) == Rates(partial=4.0)
    with pytest.raises(ArgumentError, match="no log has the time of a head"):
        fitted(logs, max_gap=1)


def test_a_log_goes_on_where_it_stopped(gold, tmp_path):
    bank, path = Treebank(tuple(gold[:40]), "some"), tmp_path / "p.jsonl"
    people = [Person("p", 0.9, 3.0, 7.0)]
    for part in range(2):
        with LogWriter(path, annotator="p", treebank=bank) as log:
            annotator = Logged(NoisyOracle(bank, people), log, bank)
            annotator.answer([Query(10 * part + j, (1,)) for j in range(10)])
    events = read_log(path).events
    assert [event.round for event in events] == sorted(event.round for event in events)
    assert {event.round for event in events} == {0, 1} and events[-1].ms == 140_000
