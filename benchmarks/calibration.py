"""Expected calibration error of arc marginals on the dev split, and a reliability chart.

python benchmarks/calibration.py ud/fr_sequoia ud/en_ewt -o calibration.svg
"""

import argparse

import pandas as pd

import deppa_nb as dp
from deppa_nb.corpus.textfile import write_atomically
from deppa_nb.experiments.calibration import arc_probabilities, calibration_error, reliability
from deppa_nb.reports.charts import reliability_chart, to_svg


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("corpora", nargs="*", default=["ud/fr_sequoia", "ud/en_ewt"])
    words.add_argument("-o", "--output", default="calibration.svg")
    words.add_argument("--order", type=int, default=2)
    words.add_argument("--epochs", type=int, default=3)
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    tables = []
    for name in given.corpora:
        corpus = dp.load(name)
        parser = dp.CRFParser(given.order, epochs=given.epochs, rng=given.seed)
        p, right = arc_probabilities(parser.fit(corpus.train, dev=corpus.dev), corpus.dev)
        tables.append(reliability(p, right).assign(corpus=name))
        print(
            f"{name} dev: ECE {calibration_error(tables[-1]):.4f} over {len(p):,} words, "
            f"mean p {p.mean():.4f}, right {right.mean():.4f}"
        )
    write_atomically(given.output, [to_svg(reliability_chart(pd.concat(tables)))])
    print(given.output)


if __name__ == "__main__":
    main()
