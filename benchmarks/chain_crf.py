"""ChainCRF against CRFsuite: the same features and regularisation, one thread and two.

    python benchmarks/chain_crf.py conll2000 conll2003

Both are given what templates see as it is; making it is not timed. Seconds are by the clock, and of
processors (which do not depend on what else the machine does).
"""

import argparse
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pycrfsuite

import deppa_nb as dp
from deppa_nb.corpus.span_scores import score_spans
from deppa_nb.features.windows import hash_windows, templates_for


def clocked(function):
    """Return what a function returns, seconds by the clock, and those of processors."""
    clock, processor = time.perf_counter(), time.process_time()
    found = function()
    return found, time.perf_counter() - clock, time.process_time() - processor


def attributes(bank):
    """Return what templates see of each token, as CRFsuite takes it."""
    keys, firsts = hash_windows(bank.sentences, templates_for(bank[0]))
    rows = [[format(key, "x") for key in row] for row in keys.tolist()]
    return [rows[a:b] for a, b in pairwise(firsts)]


def crfsuite(train, test, l2):
    """Return loss, iterations, F1 and seconds of CRFsuite."""
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model")
        trainer = pycrfsuite.Trainer(verbose=False)
        for rows, sequence in zip(attributes(train), train, strict=True):
            trainer.append(rows, list(sequence.labels))
        trainer.set_params({"c2": l2, "feature.possible_transitions": True})
        _, clock, processor = clocked(lambda: trainer.train(model))
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        found = [tagger.tag(rows) for rows in attributes(test)]
    last = trainer.logparser.last_iteration
    return last["loss"], last["num"], f1_of(test, found), clock, processor


def ours(train, test, l2, threads):
    """Return the same of ours."""
    hash_windows(train.sentences, templates_for(train[0]))
    model = dp.ChainCRF(l2=l2, threads=threads, progress=False)
    model.fit(train[:20])  # compiles
    _, clock, processor = clocked(lambda: model.fit(train))
    return model.loss_, model.n_iter_, f1_of(test, model.predict_labels(test)), clock, processor


def f1_of(test, found):
    """Return F1 of labels."""
    predicted = [
        dp.Sequence(s.names, (*s.columns[:-1], tuple(labels)))
        for s, labels in zip(test, found, strict=True)
    ]
    return score_spans(test, predicted).f1


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--l2", type=float, default=1.0)
    given = parser.parse_args()
    names = ("loss", "iterations", "F1", "seconds", "processor")
    for corpus in given.corpora:
        bank = dp.load(corpus)
        rows = {"CRFsuite": crfsuite(bank.train, bank.test, given.l2)}
        rows |= {f"ChainCRF, {n} threads": ours(bank.train, bank.test, given.l2, n) for n in (1, 2)}
        table = pd.DataFrame.from_dict(rows, orient="index", columns=list(names))
        first = table.iloc[0]
        table["loss, relative"] = table["loss"] / first["loss"] - 1
        table["seconds, ratio"] = table["seconds"] / first["seconds"]
        table["processor, ratio"] = table["processor"] / first["processor"]
        print(corpus, table.to_string(float_format="{:.6g}".format), sep="\n")


if __name__ == "__main__":
    main()
