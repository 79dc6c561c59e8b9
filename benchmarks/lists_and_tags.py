"""Lists of labelled trees and tags of a treebank: CPU seconds, accuracy, tokens per second.

    python benchmarks/lists_and_tags.py ud/en_ewt

The 100 best labelled trees of 10,665 sentences (as many as the pool of Mirroshandel & Nasr 2011) by
a parser that has learned from the first 2,000; a tagger that has learned from train, on test.
"""

import argparse
import time

import deppa_nb as dp


def arguments() -> argparse.Namespace:
    words = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words.add_argument("corpus")
    words.add_argument("--sentences", type=int, default=10665)
    words.add_argument("--best", type=int, default=100)
    words.add_argument("--column", default="upos", choices=["upos", "xpos"])
    words.add_argument("--threads", type=int, help="all processors if not given")
    return words.parse_args()


def main() -> None:
    given = arguments()
    corpus = dp.load(given.corpus)
    parser = dp.MIRAParser(epochs=2, threads=given.threads, progress=False).fit(corpus.train[:2000])
    pool = corpus.train[-given.sentences :]
    parser.nbests_labelled(pool[:10], given.best)  # compile first
    start, wall = time.process_time(), time.perf_counter()
    trees = sum(len(best.scores) for best in parser.nbests_labelled(pool, given.best))
    spent, wall = time.process_time() - start, time.perf_counter() - wall
    print(
        f"{trees:,} trees of {len(pool):,} sentences: {spent:.1f} CPU s, {wall:.1f} s on the clock"
    )
    for seed in (1, 2, 3):
        tagger = dp.Tagger(column=given.column, rng=seed, threads=1, progress=False)
        start = time.process_time()
        tagger.fit(corpus.train)
        learned, start = time.process_time() - start, time.process_time()
        tagger.predict(corpus.test)
        rate = corpus.test.n_words / (time.process_time() - start)
        print(
            f"{given.column}, seed {seed}: {tagger.accuracy(corpus.test):6.2f}% right, "
            f"learned in {learned:.1f} CPU s, {rate:,.0f} tokens per CPU s"
        )


if __name__ == "__main__":
    main()
