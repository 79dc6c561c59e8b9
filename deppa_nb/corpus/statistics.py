"""What a corpus holds, in the rows of the papers' Table 1."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from deppa_nb.corpus.bank import Bank
from deppa_nb.corpus.iob import problem_with, spans
from deppa_nb.corpus.sentence import Treebank
from deppa_nb.corpus.sequences import OPEN, SequenceBank
from deppa_nb.corpus.slots import NO_SLOT, SlotBank
from deppa_nb.corpus.trees import is_projective, nonprojective_arcs, roots

__all__ = ["statistics", "tag_shares"]


def statistics(banks: Bank[Any] | Iterable[Bank[Any]]) -> pd.DataFrame:
    """Return a row a bank: sentences, words, mean length, and what its kind has besides.

    Treebanks: given heads, sentences with several roots, non-projective sentences and arcs (an arc
    is non-projective if it spans a word that does not descend from its head). Sequences: types of
    chunks and words inside them. Slots: labels of constituents and words in a slot.

    >>> from deppa_nb.corpus.sentence import Sentence
    >>> bank = Treebank((Sentence.of(["I", "see", "her"], heads=[2, 0, 2]),), name="one")
    >>> statistics([bank]).loc["one", ["sentences", "words", "heads"]].tolist()
    [1, 3, 3]
    """
    listed = [banks] if isinstance(banks, Bank) else list(banks)
    rows = [{"name": bank.name, **_common(bank), **_special(bank)} for bank in listed]
    return pd.DataFrame(rows, columns=None if rows else ["name"]).set_index("name")


def tag_shares(treebank: Treebank) -> "pd.Series[float]":
    """Return the share of words with each UPOS tag, in percent, the most frequent first."""
    tags = pd.Series([tag for s in treebank for tag in s.upos[1:]], dtype="object")
    return 100 * tags.value_counts(normalize=True)


def _common(bank: Bank[Any]) -> dict[str, Any]:
    return {
        "sentences": len(bank),
        "words": bank.n_words,
        "mean length": round(bank.n_words / max(len(bank), 1), 2),
        "longest": int(bank.lengths.max(initial=0)),
    }


def _special(bank: Bank[Any]) -> dict[str, Any]:
    if isinstance(bank, Treebank):
        return _of_treebank(bank)
    if isinstance(bank, SequenceBank):
        return _of_sequences(bank)
    if isinstance(bank, SlotBank):
        return _of_slots(bank)
    raise TypeError(f"{type(bank).__name__} is no kind of corpus")


def _of_treebank(bank: Treebank) -> dict[str, Any]:
    marked = sum(int(nonprojective_arcs(s.heads).sum()) for s in bank)
    crossing = sum(not is_projective(s.heads) for s in bank)
    return {
        "vocabulary": len({form for s in bank for form in s.words}),
        "heads": bank.n_annotated,
        "several roots": sum(len(roots(s.heads)) > 1 for s in bank),
        "% non-proj. sentences": round(100 * crossing / max(len(bank), 1), 2),
        "% non-proj. arcs": round(100 * marked / max(bank.n_annotated, 1), 3),
    }


def _of_sequences(bank: SequenceBank) -> dict[str, Any]:
    labels = {label for s in bank for label in s.labels} - {OPEN}
    iob = not any(map(problem_with, labels))
    return {
        "vocabulary": len({word for s in bank for word in s.words}),
        "types": len({span.type for s in bank for span in spans(s.labels)} if iob else labels),
        "entity words": sum(label not in ("O", OPEN) for s in bank for label in s.labels),
    }


def _of_slots(bank: SlotBank) -> dict[str, Any]:
    return {
        "vocabulary": len({word for s in bank for word in s.words}),
        "types": len({label for s in bank for label in s.labels[:-1]}),
        "entity words": sum(tag != NO_SLOT for s in bank for tag in s.tags),
        "intents": len({s.intent for s in bank}),
    }
