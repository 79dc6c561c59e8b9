"""Seconds of a round of active learning in the middle of its curve, cold and warm.

    python benchmarks/active_round.py ud/en_ewt

Single words by gap (Li et al. 2016) on a pool of 12,000 sentences, 10,000 dependencies a round,
500 sentences to begin with: learning, then marginals of the pool and selection. Beside it, the
marginals of the whole pool alone, as many times as a round takes.
"""

import argparse
import time

import deppa_nb as dp


def arguments() -> argparse.Namespace:
    words = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words.add_argument("corpus")
    words.add_argument("--sentences", type=int, default=12000)
    words.add_argument("--budget", type=int, default=10000)
    words.add_argument("--rounds", type=int, default=4)
    words.add_argument("--epochs", type=int, default=3, help="of a cold start")
    words.add_argument("--pruning", type=float, default=0.0)
    return words.parse_args()


def main() -> None:
    given = arguments()
    corpus = dp.load(given.corpus)
    gold = corpus.train[: given.sentences]
    parser = dp.CRFParser(epochs=given.epochs, pruning=given.pruning, progress=False)
    alone = parser.fit(gold[:100])
    start = time.perf_counter()
    alone.marginals(gold)
    print(f"marginals of {len(gold):,} sentences {time.perf_counter() - start:6.2f} s")
    print(f"{'':4} {'round':>5} {'dependencies':>12} {'dev UAS':>8} {'train':>7} {'select':>7}")
    for warm in (False, True):
        learner = dp.ActiveLearner(parser, "pa-gap", dp.Pool.hiding(gold, 500), warm=warm)
        for found in learner.rounds(
            dp.GoldOracle(gold), given.budget, dev=corpus.dev, most=given.rounds
        ):
            assert found.dev is not None
            seconds = found.seconds["train"], found.seconds["select"]
            print(
                f"{'warm' if warm else 'cold'} {found.number:5} {found.cost.dependencies:12,} "
                f"{found.dev.uas:8.2f} {seconds[0]:7.2f} {seconds[1]:7.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
