"""The part of the report on corpora: how large they are and what they are made of."""

from collections.abc import Sequence

import pandas as pd

from deppa_nb.corpus.corpus import Corpus
from deppa_nb.corpus.statistics import statistics, tag_shares
from deppa_nb.reports.charts import length_chart, tag_chart, to_svg
from deppa_nb.reports.page import Figure, Section, Table

__all__ = ["corpus_section", "length_frame", "tag_frame"]


def corpus_section(corpora: Sequence[Corpus]) -> Section:
    """Return tables of all corpora, a kind each, and charts of the treebanks."""
    kinds = {
        "treebank": "Treebanks",
        "sequence": "Sequences with labels",
        "slots": "Requests with slots",
    }
    tables = [
        Table(title, statistics(bank for corpus in some for bank in corpus.banks()))
        for kind, title in kinds.items()
        if (some := [corpus for corpus in corpora if corpus.kind == kind])
    ]
    trees = [corpus for corpus in corpora if corpus.kind == "treebank"]
    figures = [
        Figure("Sentence length, training split.", to_svg(length_chart(length_frame(trees)))),
        Figure("Parts of speech, training split.", to_svg(tag_chart(tag_frame(trees)))),
    ]
    return Section("Corpora", blocks=[*tables, *(figures if trees else [])])


def length_frame(corpora: Sequence[Corpus]) -> pd.DataFrame:
    """Return a row a training sentence: corpus, length."""
    frames = [pd.DataFrame({"corpus": c.name, "length": c.train.lengths}) for c in corpora]
    return pd.concat(frames, ignore_index=True)


def tag_frame(corpora: Sequence[Corpus]) -> pd.DataFrame:
    """Return a row a corpus and tag: corpus, upos, share in percent."""
    frames = [
        tag_shares(c.train).rename_axis("upos").rename("share").reset_index().assign(corpus=c.name)
        for c in corpora
    ]
    return pd.concat(frames, ignore_index=True)
