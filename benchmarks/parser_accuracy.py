"""Accuracy of a parser: several seeds, both decoders, mean and spread.

    python benchmarks/parser_accuracy.py ud/fr_sequoia ud/en_ewt --labels
    python benchmarks/parser_accuracy.py ud/en_ewt --heads 0.5    # half of the heads, at random
    python benchmarks/parser_accuracy.py ud/en_ewt --morphology   # gold lemmas and features too
    python benchmarks/parser_accuracy.py ud/en_ewt --model transition --beam 16 --threads 1

Learning stops by dev; scores are those of the whole test split, punctuation included. Seconds are
those of learning (processor and wall), memory is the peak of the process.
"""

import argparse
import resource
import sys
import time

import numpy as np

import deppa_nb as dp
from deppa_nb.features.templates import TEMPLATES
from deppa_nb.models.parsers import PARSERS

DECODERS = ("viterbi", "mbr")
OPTIONS = {
    "order": int,
    "beam": int,
    "bits": int,
    "epochs": int,
    "rate": float,
    "pruning": float,
    "threads": int,
}


def arguments() -> argparse.Namespace:
    words = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words.add_argument("corpora", nargs="+")
    words.add_argument("--model", choices=list(PARSERS), default="crf")
    words.add_argument("--seeds", type=int, default=3)
    words.add_argument("--heads", type=float, default=1.0, help="share of heads to learn from")
    words.add_argument("--labels", action="store_true")
    words.add_argument("--morphology", action="store_true", help="lemmas and morphology too")
    for name, kind in OPTIONS.items():
        words.add_argument(f"--{name}", type=kind, help="as in CRFParser or TransitionParser")
    return words.parse_args()


def with_fewer_heads(bank: dp.Treebank, share: float, seed: int) -> dp.Treebank:
    rng = np.random.default_rng(seed)
    return bank.with_sentences(
        s.with_heads(np.where(rng.random(len(s)) < share, s.heads[1:], -1)) for s in bank
    )


def run(corpus: dp.Corpus, seed: int, given: argparse.Namespace) -> dict[str, float]:
    """Learn and score once."""
    chosen = {name: getattr(given, name) for name in OPTIONS if getattr(given, name) is not None}
    if given.morphology:
        chosen["templates"] = tuple(TEMPLATES)
    train = corpus.train if given.heads == 1 else with_fewer_heads(corpus.train, given.heads, seed)
    parser = PARSERS[given.model](rng=seed, labels=given.labels, progress=sys.stderr.isatty())
    parser.set_params(**chosen)
    cpu, wall = time.process_time(), time.perf_counter()
    parser.fit(train, dev=corpus.dev)
    found = {"CPU s": time.process_time() - cpu, "wall s": time.perf_counter() - wall}
    found["dev UAS"] = max(epoch["dev_uas"] for epoch in parser.history_)
    for decoder in DECODERS if "decoder" in parser.get_params() else DECODERS[:1]:
        parser.decoder = decoder
        scores = dp.evaluate(corpus.test, parser.predict(corpus.test))
        found[f"UAS {decoder}"] = scores.uas
        if given.labels:
            found[f"LAS {decoder}"] = scores.las
    start = time.process_time()
    parser.decoder = "viterbi"
    parser.predict(corpus.test)
    seconds = time.process_time() - start
    found["tokens per CPU s"] = corpus.test.n_words / seconds
    found["trees per CPU s"] = len(corpus.test) / seconds
    return found


def main() -> None:
    given = arguments()
    small = dp.load("toy-short", sizes={"train": 20, "dev": 5})
    parser = PARSERS[given.model](bits=12, epochs=1, labels=True, progress=False)
    parser.fit(small.train, dev=small.dev)
    for decoder in DECODERS:  # compile first
        parser.decoder = decoder
        parser.predict(small.dev)
    for name in given.corpora:
        corpus = dp.load(name)
        runs = []
        for seed in range(1, given.seeds + 1):
            runs.append(run(corpus, seed, given))
            each = ", ".join(f"{key} {value:,.2f}" for key, value in runs[-1].items())
            print(f"{name}, seed {seed}: {each}", file=sys.stderr, flush=True)
        print(f"\n{name}, {given.model}, {given.seeds} seeds, heads {given.heads:.0%}")
        for key in runs[0]:
            values = np.array([found[key] for found in runs])
            each = " / ".join(f"{value:,.2f}" for value in values)
            print(f"{key:17} {values.mean():10,.2f}  spread {np.ptp(values):,.2f}  ({each})")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"\npeak memory {peak:.2f} GB")


if __name__ == "__main__":
    main()
