"""Sentences per second of light feedback: best and second-best tree, an answer, an update.

    python benchmarks/light_feedback.py ud/en_ewt --words 20

The parser has learned from 1,000 sentences; the answers are simulated from gold trees. On one
processor, features are hashed once before: as passes of one kernel, question by question through
Python, and by the methods that do not keep anything between questions.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

import deppa_nb as dp
from deppa_nb.models.light import Feedback, LightPasses
from deppa_nb.models.margin import Preferences


def arguments() -> argparse.Namespace:
    words = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words.add_argument("corpus")
    words.add_argument("--words", type=int, default=20)
    words.add_argument("--rounds", type=int, default=5)
    return words.parse_args()


def per_second(function: Callable[[int, dp.Sentence], object], bank: list[dp.Sentence]) -> float:
    start = time.process_time()
    for j, sentence in enumerate(bank):
        function(j, sentence)
    return len(bank) / (time.process_time() - start)


def main() -> None:
    given = arguments()
    corpus = dp.load(given.corpus)
    bank = [sentence for sentence in corpus.train[1000:] if len(sentence) == given.words]
    parser = dp.MSTParser(epochs=5, threads=1, progress=False).fit(corpus.train[:1000])
    light, differing = Preferences(parser, bank), []
    passes = LightPasses(parser, bank, bank, Feedback(single=False), 1)

    def whole() -> float:
        start = time.process_time()
        passes.go()
        return len(bank) / (time.process_time() - start)

    def kept(j: int, sentence: dp.Sentence) -> None:
        trees, _ = light.two_best(j)
        right = (trees == sentence.heads).sum(axis=1)
        better = int(right[1] > right[0])
        light.prefer(j, trees[better], trees[1 - better])
        differing.append(np.count_nonzero(trees[0] != trees[1]))

    def anew(_: int, sentence: dp.Sentence) -> None:
        trees, _ = parser.nbest(sentence, 2)
        Preferences(parser, [sentence]).prefer(0, trees[0], trees[1])

    for j, sentence in enumerate(bank[:2]):
        kept(j, sentence), anew(j, sentence), passes.go(np.array([j]))  # compile first
    fast = [whole() for _ in range(given.rounds)]
    rates = [per_second(kept, bank) for _ in range(given.rounds)]
    slow = per_second(anew, bank[:100])
    print(f"{len(bank)} sentences of {given.words} words of {corpus.name}, one processor")
    print(f"a pass as one kernel    {np.median(fast):7,.0f} sentences/s ({max(fast):,.0f} best)")
    print(f"kept between questions  {np.median(rates):7,.0f} sentences/s ({max(rates):,.0f} best)")
    print(
        f"anew for each           {slow:7,.0f} sentences/s, {np.median(rates) / slow:.1f}x slower"
    )
    print(f"differ in one head      {np.mean(np.array(differing) == 1):7.1%}")


if __name__ == "__main__":
    main()
