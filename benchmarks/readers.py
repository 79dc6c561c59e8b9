"""CoNLL-U readers on the same file: ours, `conllu` and `pyconll`, interleaved, best of three.

Usage: python benchmarks/readers.py [FILE]
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import conllu
import pyconll

import deppa_nb as dp

ROUNDS = 3


def every_field(path: str) -> None:
    """Read, then split every line into its columns: what the other two do at once."""
    for sentence in dp.read_conllu(path):
        _ = sentence.forms


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else str(dp.load("ud/en_ewt").files["train"])
    words = dp.read_conllu(path).n_words
    readers: dict[str, Callable[[str], object]] = {
        "deppa_nb": dp.read_conllu,
        "deppa_nb, every field": every_field,
        "conllu": lambda p: conllu.parse(Path(p).read_text(encoding="utf-8")),
        "pyconll": pyconll.load_from_file,
    }
    seconds = dict.fromkeys(readers, float("inf"))
    for _ in range(ROUNDS):
        for name, read in readers.items():
            start = time.perf_counter()
            read(path)
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    print(f"{path}: {words:,} words")
    print(f"{'':24}{'seconds':>9}{'words/s':>12}{'x conllu':>10}{'x pyconll':>10}")
    for name, taken in seconds.items():
        ratios = (seconds["conllu"] / taken, seconds["pyconll"] / taken)
        print(f"{name:24}{taken:9.2f}{words / taken:12,.0f}{ratios[0]:10.1f}{ratios[1]:10.1f}")


if __name__ == "__main__":
    main()
