"""How much a parser learns from a toy treebank: UAS by the number of training sentences.

Usage: python benchmarks/toy_learning_curve.py [--name toy-en] [--sizes 50 ...] [--seeds 1 2 ...]
"""

import argparse

import numpy as np
from tqdm import tqdm

import deppa_nb as dp
from deppa_nb.corpus import toy
from deppa_nb.models.crf import CRFParser


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--name", default="toy-en", help="a toy treebank")
    options.add_argument("--sizes", type=int, nargs="+", default=[50, 200, 500, 1000, 2000])
    options.add_argument(
        "--seeds", type=int, nargs="+", default=[*range(1, 9)], help="of corpus and parser"
    )
    given = options.parse_args()
    scores = np.zeros((len(given.seeds), len(given.sizes)))
    best = np.zeros(len(given.seeds))
    with tqdm(total=scores.size, desc=given.name, unit="parser") as bar:
        for row, seed in enumerate(given.seeds):
            corpus = dp.load(given.name, seed=seed)
            best[row] = 100 * toy.best_uas([sentence.block for sentence in corpus.test])
            for column, size in enumerate(given.sizes):
                parser = CRFParser(rng=seed, progress=False).fit(corpus.train[:size])
                scores[row, column] = dp.evaluate(corpus.test, parser.predict(corpus.test)).uas
                bar.update()
    print("| training sentences | mean UAS | lowest | highest |\n|---|---|---|---|")
    rows = {f"{size:,}": column for size, column in zip(given.sizes, scores.T, strict=True)}
    rows |= {"rise from first to last": scores[:, -1] - scores[:, 0], "best possible": best}
    for name, values in rows.items():
        print(f"| {name} | {values.mean():.2f} | {values.min():.2f} | {values.max():.2f} |")


if __name__ == "__main__":
    main()
