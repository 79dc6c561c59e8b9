"""From a preset's name to its sentences."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from deppa_nb.corpus.toy import lexicon as lexicons
from deppa_nb.corpus.toy.data import checked
from deppa_nb.corpus.toy.dice import Dice, stream
from deppa_nb.corpus.toy.orders import Ranked, Scrambled, drop
from deppa_nb.corpus.toy.sentences import Sentences
from deppa_nb.corpus.toy.spelling import English, Respelt
from deppa_nb.corpus.toy.splits import admit
from deppa_nb.corpus.toy.tree import Node, flatten, settle
from deppa_nb.corpus.toy.writing import Tagger, block, noisy_tagger

_SAMPLE = 400


@cache
def presets() -> dict[str, dict[str, Any]]:
    """Return the presets by name."""
    return checked()["presets"]


def spelling(name: str) -> English | Respelt:
    """Return what spells the words of a preset."""
    options = presets()[name]
    return Respelt(options) if "letters" in options else English(lexicons.load())


def sentences(name: str, seed: int, split: str) -> Iterator[tuple[list[Node], list[str]]]:
    """Yield sentences without end: words in order, knowing their heads, and their forms."""
    options, speller, takes = presets()[name], spelling(name), admit(split)
    maker = Sentences(Dice(stream(name, seed, split)), lexicons.load(), options)
    order = _order(options, Dice(stream(name, seed, split, "order")))
    dropped = frozenset(options.get("drop", "").split())
    shortest, longest = options.get("length", (1, 70))
    while True:
        root = maker.sentence()
        if dropped:
            drop(root, dropped)
        settle(root)
        if order is not None:
            order.arrange(root)
        words = flatten(root, [])
        # a comma, say after an apposition, is left out before another mark
        marks = [node.xpos in (",", ".", ":") for node in words[1:]] + [False]
        words = [w for w, mark in zip(words, marks, strict=True) if not mark or w.xpos != ","]
        if shortest <= len(words) <= longest:
            forms = speller.spell(words)
            if takes(" ".join(forms)):
                yield words, forms


def _order(options: dict[str, Any], dice: Dice) -> Ranked | None:
    if options.get("order") == "free":
        return Scrambled(options, dice)
    return Ranked(options) if options.get("order") == "ranked" else None


@cache
def _shares(name: str) -> dict[str, float]:
    """Return the share of every UPOS in a sample of a corpus."""
    counts: dict[str, int] = {}
    source = sentences(name, 0, "sample")
    for _ in range(_SAMPLE):
        for node in next(source)[0]:
            counts[node.upos] = counts.get(node.upos, 0) + 1
    total = sum(counts.values())
    return {tag: count / total for tag, count in counts.items()}


def noise(name: str, seed: int, split: str, accuracy: float) -> Tagger:
    """Return the tagger of a corpus: one that errs, or one that changes nothing."""
    if accuracy == 1:
        return lambda words: None
    dice = Dice(stream(name, seed, split, "tags"))
    return noisy_tagger(dice, accuracy, _shares(name), lexicons.load().words["confusion"])


def trees(name: str, seed: int, split: str, pos_accuracy: float) -> Iterator[str]:
    """Yield CoNLL-U blocks without end."""
    known = lexicons.load().features
    feats = cache(lambda tag, label: known.get(f"{tag}.{label}") or known.get(tag, "_"))
    tag = noise(name, seed, split, pos_accuracy)
    speller = spelling(name)
    for number, (words, forms) in enumerate(sentences(name, seed, split), 1):
        features = [feats(word.xpos, word.label) for word in words]
        tag(words)
        yield block(words, forms, speller.lemma, features, f"{name}-{split}-{number}")
