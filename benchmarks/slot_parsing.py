"""DerivationParser beside ChainCRF on requests with slots: F1, exact requests, seconds.

    python benchmarks/slot_parsing.py atis

The chain has labels in IOB2 and sees words in a window, with and without affixes; the parser
derives trees of the same slots. Of each model the setting with the best F1 on dev is compared, and
it alone: of the chain the weight of its regularisation, of the parser how many single words may be
asked for.
"""

import argparse
import time

import numpy as np
import pandas as pd

import deppa_nb as dp
from deppa_nb.corpus.span_scores import score_spans
from deppa_nb.features.windows import moved

WINDOW = (*moved("word[0]", -2, 2), *moved("word[0] word[1]", -1, 0))
L2 = (1.0, 0.1, 0.01, 0.001)
FREQUENT = (200, 400, 800)
PARSER = "DerivationParser"


def sequences(trees):
    return [dp.Sequence(("word", "label"), (tree.words, tree.to_slots())) for tree in trees]


def scores(gold, found):
    exact = np.mean([a.labels == b.labels for a, b in zip(gold, found, strict=True)])
    return {"F1": score_spans(gold, found).f1, "exact": 100 * exact}


def measured(model, seen, corpus):
    """Return F1, exact requests and seconds of a model, which sees trees as `seen` says."""
    model.fit(seen(corpus.train[:20]))  # compiles
    model.predict(seen(corpus.test[:2]))
    start = time.process_time()
    model.fit(seen(corpus.train))
    row = {"fit (s)": time.process_time() - start}
    for split in ("dev", "test"):
        bank = getattr(corpus, split)
        start = time.process_time()
        found = model.predict(seen(bank))
        row["sentences/s"] = len(bank) / (time.process_time() - start)
        trees = isinstance(model, dp.DerivationParser)
        own = scores(sequences(bank), sequences(found) if trees else list(found))
        row |= {f"{split} {what}": value for what, value in own.items()}
    return row


def main():
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("corpus", nargs="?", default="atis")
    corpus = dp.load(given.parse_args().corpus)
    models = {}
    for frequent in FREQUENT:
        parser = dp.DerivationParser(frequent=frequent, threads=1)
        models[PARSER, f"frequent {frequent}"] = (parser, lambda trees: trees)
    for name, see in {"words": {"templates": WINDOW}, "words and affixes": {}}.items():
        for l2 in L2:
            chain = dp.ChainCRF(l2=l2, progress=False, threads=1, **see)
            models[f"ChainCRF, {name}", f"l2 {l2:g}"] = (chain, sequences)
    rows = []
    for (name, setting), (model, seen) in models.items():
        rows.append({"model": name, "setting": setting, **measured(model, seen, corpus)})
        print(pd.DataFrame(rows[-1:]).to_string(index=False, float_format="{:.4g}".format))
    best = pd.DataFrame(rows).sort_values("dev F1").groupby("model").last()
    best["test F1 - parser's"] = best["test F1"] - best.loc[PARSER, "test F1"]
    print(best.to_string(float_format="{:.4g}".format))


if __name__ == "__main__":
    main()
