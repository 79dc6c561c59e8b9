"""Completed sentences: what is kept, what is written, and in what order."""

import numpy as np
import pytest

from deppa_nb import CRFParser, Sentence, load, read_conllu, write_conllu
from deppa_nb.models.parsing import completed

TEXT = """# newdoc
# sent_id = s1
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tx=y
1\tde\tde\tADP\t_\t_\t_\t_\t_\t_
2\tle\tle\tDET\t_\tA=B\t3\tdet:own\t_\tKeep=Me|Marginal=0.1|Other
2.1\tghost\t_\t_\t_\t_\t_\t_\t_\t_
3\tpain\tpain\tNOUN\t_\t_\t_\t_\t4:dep\t_

"""


@pytest.fixture(scope="module")
def parser():
    bank = load("toy-short", sizes={"train": 60}).train
    return CRFParser(bits=14, epochs=1, labels=True, progress=False).fit(bank)


@pytest.fixture
def bank(tmp_path):
    (tmp_path / "in.conllu").write_text(TEXT)
    return read_conllu(tmp_path / "in.conllu")


def test_all_but_heads_labels_and_marginals_is_kept(parser, bank, tmp_path):
    (found,) = completed(parser, bank, keep_heads=True, marginals=True)
    write_conllu(tmp_path / "out.conllu", [found])
    before, after = (path.split("\n") for path in (TEXT, (tmp_path / "out.conllu").read_text()))
    for old, new in zip(before, after, strict=True):
        if old[:2] not in ("1\t", "2\t", "3\t"):
            assert old == new
        else:
            assert old.split("\t")[:6] == new.split("\t")[:6]
    assert found.heads[2] == 3 and found.labels[2] == "det:own"
    assert found.misc[2] == "Keep=Me|Other|Marginal=1.0000"
    p = parser.marginals(bank[0], None)
    (free,) = completed(parser, bank, marginals=True)
    assert free.misc[1] == f"Marginal={p[free.heads[1], 1]:.4f}"


def test_the_best_trees_in_order(parser, bank):
    found = list(completed(parser, [*bank, *bank], nbest=3))
    assert [s.comments[0] for s in found] == [f"# rank = {rank}" for rank in (1, 2, 3)] * 2
    heads, logs = parser.nbest(bank[0], 3)
    assert [s.heads.tolist() for s in found[:3]] == heads.tolist()
    assert [s.comments[1] for s in found[:3]] == [f"# log_prob = {log:.6f}" for log in logs]
    assert all(s.sent_id == "s1" and "_" not in s.labels for s in found)
    assert len(list(completed(parser, bank, nbest=100))) == 7  # as many as there are
    plain = next(iter(completed(parser, bank)))
    assert plain == parser.predict(bank[0]) and plain.heads.tolist() == heads[0].tolist()


def test_what_a_file_begins_with_is_there_once(parser, tmp_path):
    with open(tmp_path / "in.conllu", "w", newline="") as file:
        file.write(("\n" + TEXT).replace("\n", "\r\n"))
    found = completed(parser, read_conllu(tmp_path / "in.conllu"), nbest=2)
    write_conllu(tmp_path / "out.conllu", found)
    written = (tmp_path / "out.conllu").read_bytes().decode()
    assert written.startswith("\r\n# rank = 1\r\n") and "\r\n\r\n# rank = 2\r\n" in written
    assert written.count("\r\n\r\n") == 2 and len(read_conllu(tmp_path / "out.conllu")) == 2


def test_trees_that_are_not_projective(parser):
    """A full one is kept; a partial one loses what it must, which is told."""
    full = Sentence.of(list("abcd"), heads=[3, 4, 0, 3], labels=["x", "_", "root", "_"])
    partial = Sentence.of(list("abcd"), heads=[3, 4, -1, -1], labels=["x", "y", "_", "_"])
    told = []
    found = list(
        completed(
            parser,
            [full, partial],
            keep_heads=True,
            nbest=2,
            marginals=True,
            report=lambda s, words: told.append((s, words)),
        )
    )
    assert found[0].heads.tolist() == full.heads.tolist()
    assert found[0].labels[1] == "x" and "_" not in found[0].labels
    assert found[0].comments[1] == "# log_prob = 0.000000" and found[0].misc[1] == "Marginal=1.0000"
    ((sentence, words),) = told
    assert sentence is partial and len(words) == 1
    kept = 3 - words[0]
    assert all(s.heads[kept] == partial.heads[kept] for s in found[1:])
    assert len(found) == 3


def test_more_than_fits_into_memory_at_a_time(parser, bank, monkeypatch):
    monkeypatch.setattr("deppa_nb.models.parsing._CHUNK", 2)
    many = list(bank) * 5
    assert list(completed(parser, iter(many))) == [parser.predict(bank[0])] * 5
    assert np.shape(list(completed(parser, []))) == (0,)
