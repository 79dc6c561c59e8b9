"""The figures of docs/toy-corpora.md: best UAS, ambiguity, lengths and tags beside ud/en_ewt.

Usage: python benchmarks/toy_corpora.py [SENTENCES]
"""

import sys
from collections import Counter, defaultdict

import numpy as np

import deppa_nb as dp
from deppa_nb.corpus import toy
from deppa_nb.corpus.toy import data

PERCENTILES = (5, 25, 50, 75, 95)
SIZE = toy.SIZES["toy-en"]["train"]


def ambiguity(bank: dp.Treebank) -> tuple[float, float]:
    """Return sites per 100 words, and the share of sites that a coin decides."""
    misc = [value for s in bank for value in s.misc[1:] if "Ambiguity=" in value]
    coins = sum("Best=" in value for value in misc)
    return 100 * len(misc) / bank.n_words, 100 * coins / len(misc)


def sites(bank: dp.Treebank) -> tuple[dict[str, Counter[int]], Counter[str]]:
    """Count by kind of site which rival is the head where the words decide; and the coins."""
    decided: dict[str, Counter[int]] = defaultdict(Counter)
    coins: Counter[str] = Counter()
    for sentence in bank:
        for word, value in enumerate(sentence.misc):
            if "Ambiguity=" not in value:
                continue
            note = dict(item.split("=", 1) for item in value.split("|"))
            site = note["Ambiguity"]
            if site == "ditrans" and sentence.labels[word] not in ("iobj", "compound"):
                continue  # the determiner goes where its noun goes
            if "Best" in note:
                coins[site] += 1
            else:
                decided[site][note["Rivals"].split(",").index(str(sentence.heads[word]))] += 1
    return decided, coins


def print_sites(bank: dp.Treebank) -> None:
    first = dp.load("toy-en", sizes={"train": SIZE}).train
    few, many = sites(first), sites(bank)
    head = ("site", f"decided, {SIZE:,} sentences", f"coins, {SIZE:,} sentences",
            f"decided, {len(bank):,}", f"coins, {len(bank):,}", "truly ambiguous",
            "nearest rival", "commonest place")  # fmt: skip
    print("|", " | ".join(head), "|\n|" + "---|" * len(head))
    for site in data.checked()["presets"]["toy-en"]["sites"].split():
        places, coins = many[0][site], many[1][site]
        near, most = (100 * n / places.total() for n in (places[0], max(places.values())))
        print(
            f"| `{site}` | {few[0][site].total():,} | {few[1][site]:,} | {places.total():,} "
            f"| {coins:,} | {100 * coins / (coins + places.total()):.1f} % "
            f"| {near:.1f} % | {most:.1f} % |"
        )
    print()


def print_treebanks(banks: dict[str, dp.Treebank]) -> None:
    head = ("corpus", "words per sentence", "sites per 100 words", "truly ambiguous sites",
            "crossing arcs", "best UAS", "without punctuation")  # fmt: skip
    print("|", " | ".join(head), "|\n|" + "---|" * len(head))
    for name, bank in banks.items():
        blocks = [s.block for s in bank]
        sites, coins = ambiguity(bank)
        crossing = dp.statistics(bank).iloc[0]["% non-proj. arcs"]
        best = [100 * toy.best_uas(blocks, punct=punct) for punct in (True, False)]
        print(
            f"| `{name}` | {bank.lengths.mean():.1f} | {sites:.2f} | {coins:.1f} % "
            f"| {crossing:.2f} % | {best[0]:.2f} % | {best[1]:.2f} % |"
        )


def print_lengths(banks: dict[str, dp.Treebank]) -> None:
    rows = {"mean": np.mean, "standard deviation": np.std}
    rows |= {f"percentile {p}": lambda x, p=p: np.percentile(x, p) for p in PERCENTILES}
    rows |= {"% of 5 words or fewer": lambda x: 100 * np.mean(x <= 5)}
    rows |= {"% of 30 words or more": lambda x: 100 * np.mean(x >= 30)}
    print("\n| sentence length |", " | ".join(banks), "|\n|" + "---|" * (len(banks) + 1))
    for name, statistic in rows.items():
        print(f"| {name} |", " | ".join(f"{statistic(b.lengths):.1f}" for b in banks.values()), "|")


def print_tags(banks: dict[str, dp.Treebank]) -> None:
    shares = [Counter(dp.tag_shares(bank).to_dict()) for bank in banks.values()]
    print("\n| UPOS, % of words |", " | ".join(banks), "| difference |\n|---|---|---|---|")
    for tag, share in shares[1].most_common():
        print(f"| {tag} | {shares[0][tag]:.1f} | {share:.1f} | {shares[0][tag] - share:+.1f} |")


def main() -> None:
    sentences = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    names = [name for name in toy.NAMES if toy.kind(name) == "treebank"]
    sizes = {"train": sentences}
    banks = {name: dp.load(name, sizes=sizes).train for name in names}
    print_sites(banks["toy-en"])
    print_treebanks(banks)
    pair = {"toy-en": banks["toy-en"], "EWT": dp.load("ud/en_ewt").train}
    print_lengths(pair)
    print_tags(pair)


if __name__ == "__main__":
    main()
