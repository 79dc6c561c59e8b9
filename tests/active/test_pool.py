"""The pool: a partition, whatever is done to it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deppa_nb import Sentence, load
from deppa_nb.active.pool import Pool
from deppa_nb.errors import ArgumentError, ParameterError, PoolError, TreeError

GOLD = [
    Sentence.of(["she", "eats", "fish"], [2, 0, 2], labels=["subj", "root", "obj"]),
    Sentence.of(["fish", "swim"], [2, 0], labels=["subj", "root"]),
    Sentence.of(["go"], [0], labels=["root"]),
]
STATES = ("annotated", "partial", "unannotated", "ignored")
acts = st.lists(
    st.tuples(st.sampled_from(["give", "revise", "close", "ignore"]), st.integers(0, 2), st.integers(1, 3), st.integers(0, 3))
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(acts)
def test_a_sentence_is_in_one_state_whatever_is_done(done):
    pool = Pool.hiding(GOLD, seed=1)
    for act, j, m, head in done:
        before = list(pool)
        try:
            if act == "close":
                pool.close(j, [m])
            elif act == "ignore":
                pool.ignore(j)
            else:
                pool.give(j, {m: head}, revise=act == "revise")
        except (PoolError, TreeError):
            assert list(pool) == before
        where = {state: set(pool.where(state).tolist()) for state in STATES}
        assert sum(map(len, where.values())) == 3
        assert set().union(*where.values()) == {0, 1, 2}
        for state, places in where.items():
            for k in places:
                assert pool.state(k) == state
                given_ = pool[k].annotated.sum()
                expected = {"annotated": given_ == len(pool[k]), "unannotated": given_ == 0}
                assert expected.get(state, True)
        kept = [k for k in range(3) if k not in where["ignored"]]
        assert pool.n_given == sum(int(pool[k].annotated.sum()) for k in kept)
        for k in pool.askable:
            assert len(pool.open(k)) > 0 and k not in where["ignored"]
            assert not pool[k].annotated[pool.open(k)].any()


def test_hiding():
    pool = Pool.hiding(GOLD, seed=[1])
    assert [pool.state(j) for j in range(3)] == ["unannotated", "annotated", "unannotated"]
    assert pool[0].words == GOLD[0].words and set(pool[0].labels[1:]) == {"_"}
    assert repr(pool) == ("Pool(3 sentences: 1 annotated, 0 partial, 2 unannotated, 0 ignored)")
    with pytest.raises(ArgumentError, match="sentence 3 of the seed, there are 3"):
        Pool.hiding(GOLD, seed=4)
    assert len(Pool.hiding(GOLD, seed=np.int64(2)).where("annotated")) == 2
    with pytest.raises(ParameterError, match="seed is -1, expected a whole number from 0"):
        Pool.hiding(GOLD, seed=-1)
    with pytest.raises(ArgumentError, match=r"sentence 1\.5 of the seed, there are 3"):
        Pool.hiding(GOLD, seed=[1.5])


def test_places_that_are_not_there():
    pool = Pool.hiding(GOLD)
    for j in (-1, 3, 0.5):
        for act in (
            pool.state,
            pool.open,
            pool.ignore,
            pool.close,
            lambda j: pool.put({j: GOLD[0]}),
        ):
            with pytest.raises(PoolError, match=rf"sentence {j}, the pool has 0 to 2"):
                act(j)
    with pytest.raises(ArgumentError, match="state is 'foo', expected one of annotated, partial"):
        pool.where("foo")
    with pytest.raises(PoolError, match="word 3 of a sentence of 2 words"):
        pool.close(1, [1, 3])
    assert not pool.closed


def test_a_label_without_a_head_can_be_another():
    pool = Pool([Sentence.of(["a", "b"], heads=[-1, 0], labels=["det", "root"])])
    assert pool.give(0, {1: 2}, {1: "nsubj"}) == 1 and pool[0].labels[1] == "nsubj"
    for wrong in (-1, 1.5):
        with pytest.raises(PoolError, match=f"head {wrong} of word 1, expected 0 to 2"):
            pool.give(0, {1: wrong}, revise=True)


def test_heads_and_labels_are_given_once():
    pool = Pool.hiding(GOLD)
    assert pool.give(0, {1: 2}, {1: "subj"}) == 1
    assert pool.give(0, {1: 2}, {1: "subj"}) == 0  # the same again
    assert pool[0].heads.tolist() == [-1, 2, -1, -1] and pool[0].labels[1] == "subj"
    with pytest.raises(PoolError, match="word 1 has head 2, not 3; use revise to change it"):
        pool.give(0, {1: 3})
    with pytest.raises(PoolError, match="word 1 has label subj, not obj"):
        pool.give(0, {1: 2}, {1: "obj"})
    assert pool.give(0, {1: 3}, {1: "obj"}, revise=True) == 0
    assert pool[0].heads[1] == 3 and pool[0].labels[1] == "obj"
    with pytest.raises(TreeError, match="form a cycle"):
        pool.give(0, {3: 1})
    with pytest.raises(PoolError, match="word 4 of a sentence of 3 words"):
        pool.give(0, {4: 1})
    with pytest.raises(PoolError, match="sentence 0 of the pool has other words"):
        pool.put({0: GOLD[1]})


def test_sequences_of_labels():
    gold = load("toy-chunks", sizes={"train": 3}).train
    pool = Pool.hiding(gold)
    assert len(pool.where("unannotated")) == 3
    assert pool.give(0, labels={1: "O", 3: "B-NP"}) == 2
    assert pool[0].labels[:3] == ("O", "_", "B-NP") and pool.open(0)[0] == 2
    with pytest.raises(PoolError, match="heads are given for a sequence of labels"):
        pool.give(0, heads={2: 1})
    every = {m: label for m, label in enumerate(gold[1].labels, 1)}
    pool.give(1, labels=every)
    assert pool.state(1) == "annotated" and pool[1] == gold[1]
