"""Speed of the CRF parser on a treebank, exact and pruned.

    python benchmarks/parser_speed.py ud/en_ewt --pruning 0 0.003

An epoch is a third of the difference between learning with four epochs and with one, so that
features, pruner and compilation do not count; trees are found for the test split over and over,
features included; marginals are those of the whole training split. The best of three, wall and
processor seconds.
"""

import argparse
import time
from collections.abc import Callable

import deppa_nb as dp

ROUNDS = 3


def arguments() -> argparse.Namespace:
    words = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words.add_argument("corpora", nargs="+")
    words.add_argument("--pruning", nargs="+", type=float, default=[0.0, 0.003])
    words.add_argument("--bits", type=int, default=22)
    words.add_argument("--repeat", type=int, default=4, help="how often the test split is parsed")
    words.add_argument("--threads", type=int, help="all processors if not given")
    return words.parse_args()


def timed(function: Callable[[], object], rounds: int = ROUNDS) -> tuple[float, float]:
    """Return the least wall and processor seconds."""
    found = []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        function()
        found.append((time.perf_counter() - wall, time.process_time() - cpu))
    return min(wall for wall, _ in found), min(cpu for _, cpu in found)


def run(corpus: dp.Corpus, pruning: float, given: argparse.Namespace) -> None:
    def learned(epochs: int, bank: dp.Treebank, bits: int) -> dp.CRFParser:
        return dp.CRFParser(
            bits=bits, epochs=epochs, pruning=pruning, threads=given.threads, progress=False
        ).fit(bank)

    learned(1, corpus.train[:20], 12).predict(corpus.test[:20])  # compile first
    one, four = (timed(lambda e=e: learned(e, corpus.train, given.bits)) for e in (1, 4))
    epoch = [(longer - shorter) / 3 for shorter, longer in zip(one, four, strict=True)]
    parser = learned(2, corpus.train, given.bits)
    many = dp.Treebank(corpus.test.sentences * given.repeat)
    trees = [many.n_words / seconds for seconds in timed(lambda: parser.predict(many))]
    marginals = timed(lambda: parser.marginals(corpus.train))
    print(f"\n{corpus.name}, pruning {pruning:g}, 2**{given.bits} weights")
    print(f"an epoch          {epoch[0]:9.2f} s wall {epoch[1]:9.2f} s CPU")
    print(f"trees of test     {trees[0]:9,.0f} tokens/s {trees[1]:9,.0f} tokens/s of a processor")
    print(f"marginals of train{marginals[0]:9.2f} s wall {marginals[1]:9.2f} s CPU")


def main() -> None:
    given = arguments()
    for name in given.corpora:
        corpus = dp.load(name)
        for pruning in given.pruning:
            run(corpus, pruning, given)


if __name__ == "__main__":
    main()
