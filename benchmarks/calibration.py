"""Expected calibration error of arc marginals on the dev split, and a reliability chart.

Also what a temperature does that was found on half of the split, measured on the other half.

python benchmarks/calibration.py ud/fr_sequoia ud/en_ewt -o calibration.svg
"""

import argparse
import sys

import pandas as pd

import deppa_nb as dp
from deppa_nb.corpus.textfile import write_atomically
from deppa_nb.experiments.calibration import (
    arc_probabilities,
    calibration_error,
    reliability,
    tempered,
)
from deppa_nb.reports.charts import reliability_chart, to_svg


def measured(parser: dp.CRFParser, bank: dp.Treebank, title: str) -> pd.DataFrame:
    p, right = arc_probabilities(parser, bank)
    table = reliability(p, right)
    print(
        f"{title}: ECE {calibration_error(table):.4f} over {len(p):,} words, "
        f"mean p {p.mean():.4f}, right {right.mean():.4f}"
    )
    return table.assign(corpus=title)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("corpora", nargs="*", default=["ud/fr_sequoia", "ud/en_ewt"])
    words.add_argument("-o", "--output", default="calibration.svg")
    words.add_argument("--order", type=int, default=2)
    words.add_argument("--epochs", type=int, default=3)
    words.add_argument("--rate", type=float, default=0.05)
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    tables = []
    for name in given.corpora:
        corpus = dp.load(name)
        parser = dp.CRFParser(
            given.order,
            epochs=given.epochs,
            rate=given.rate,
            rng=given.seed,
            progress=sys.stderr.isatty(),
        )
        parser.fit(corpus.train, dev=corpus.dev)
        tables.append(measured(parser, corpus.dev, name))
        half = len(corpus.dev) // 2
        measured(parser, corpus.dev[half:], f"{name}, its second half")
        mild, temperature = tempered(parser, corpus.dev[:half])
        title = f"{name}, its second half, temperature {temperature:.2f} by the first"
        measured(mild, corpus.dev[half:], title)
    write_atomically(given.output, [to_svg(reliability_chart(pd.concat(tables)))])
    print(given.output)


if __name__ == "__main__":
    main()
