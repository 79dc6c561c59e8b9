"""The toy-corpora generator: sentences per second and peak memory, streamed to a file.

Usage: python benchmarks/generator.py [SENTENCES]
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

from deppa_nb.corpus import toy
from deppa_nb.corpus.embedded import generate


def main() -> None:
    sentences = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        for name in toy.NAMES:
            path = Path(folder, name)
            start = time.perf_counter()
            generate(path, name, sentences)
            taken = time.perf_counter() - start
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            size = path.stat().st_size / 1e6
            print(
                f"{name:16}{sentences:>10,} sentences{taken:8.1f} s"
                f"{sentences / taken:10,.0f} per s{size:9.1f} MB written{peak:8.0f} MB of memory"
            )
            path.unlink()


if __name__ == "__main__":
    main()
