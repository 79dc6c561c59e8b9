"""DerivationParser beside ChainCRF on requests with slots: F1, exact requests, seconds.

    python benchmarks/slot_parsing.py atis

The chain has labels in IOB2 and sees words in a window, with and without affixes; the parser
derives trees of the same slots.
"""

import argparse
import time

import numpy as np
import pandas as pd

import deppa_nb as dp
from deppa_nb.corpus.span_scores import score_spans
from deppa_nb.features.windows import moved

WINDOW = (*moved("word[0]", -2, 2), *moved("word[0] word[1]", -1, 0))


def sequences(trees):
    return [dp.Sequence(("word", "label"), (tree.words, tree.to_slots())) for tree in trees]


def scores(gold, found):
    exact = np.mean([a.labels == b.labels for a, b in zip(gold, found, strict=True)])
    return {"F1": score_spans(gold, found).f1, "exact": 100 * exact}


def main():
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("corpus", nargs="?", default="atis")
    corpus, rows = dp.load(given.parse_args().corpus), []
    chain = dp.ChainCRF(progress=False, threads=1)
    models = {
        "DerivationParser": (dp.DerivationParser(threads=1), lambda trees: trees),
        "ChainCRF, words": (dp.ChainCRF(**{**chain.get_params(), "templates": WINDOW}), sequences),
        "ChainCRF, words and affixes": (chain, sequences),
    }
    for name, (model, seen) in models.items():
        model.fit(seen(corpus.train[:20]))  # compiles
        model.predict(seen(corpus.test[:2]))
        start = time.process_time()
        model.fit(seen(corpus.train))
        row = {"model": name, "fit (s)": time.process_time() - start}
        for split in ("dev", "test"):
            bank = getattr(corpus, split)
            start = time.process_time()
            found = model.predict(seen(bank))
            row["sentences/s"] = len(bank) / (time.process_time() - start)
            trees = isinstance(model, dp.DerivationParser)
            own = scores(sequences(bank), sequences(found) if trees else list(found))
            row |= {f"{split} {what}": value for what, value in own.items()}
        rows.append(row)
        print(pd.DataFrame(rows[-1:]).to_string(index=False, float_format="{:.2f}".format))


if __name__ == "__main__":
    main()
