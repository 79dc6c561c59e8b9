"""From logs back to files: a treebank or sequences with what the annotators gave."""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deppa_nb.active.log import sentences_by_id, to_line, words_digest
from deppa_nb.active.log_merge import Conflict, Merged, open_cycles
from deppa_nb.corpus.bank import Bank
from deppa_nb.corpus.sentence import Sentence
from deppa_nb.corpus.sequences import OPEN, Sequence
from deppa_nb.corpus.textfile import PathLike, write_atomically
from deppa_nb.errors import CorpusError, TreeError

__all__ = ["ANNOTATOR", "Exported", "export", "write_merged"]

ANNOTATOR = "Annotator"
"""The key in MISC that tells who gave a word's head."""

_Given = dict[tuple[str, int], int | str | None]


@dataclass(frozen=True)
class Exported:
    """A bank with what logs gave, and the heads that had to stay open because of cycles."""

    bank: Bank[Any]
    cycles: tuple[Conflict, ...]


def write_merged(path: PathLike, merged: Merged) -> None:
    """Write what was decided as a log, which is read like any other."""
    lines = [to_line(merged.header), *map(to_line, merged.events)]
    write_atomically(path, (line.decode() for line in lines))


def export(bank: Bank[Any], merged: Merged, *, only: bool = False) -> Exported:
    """Put heads and labels that were given into a treebank, or labels into sequences.

    What no log speaks of stays as it is, to the byte. A word's label that was there before stays if
    its head does. A tree that gets a cycle from heads it had before and heads of the logs loses the
    latter.

    Parameters
    ----------
    bank
        What was annotated.
    merged
        What `merge_logs` made of one or more logs.
    only
        Open all heads and labels that are not from the logs.

    Examples
    --------
    >>> from deppa_nb.active.log import Event, Header, Log
    >>> from deppa_nb.active.log_merge import merge_logs
    >>> from deppa_nb.corpus.sentence import Treebank
    >>> bank = Treebank((Sentence.of(["Fish", "swim"], heads=[-1, 0], sent_id="s1"),))
    >>> event = Event("head", "s1", 1, "full", new=2, digest=words_digest(bank[0].words))
    >>> log = Log(Header("anna", "mine", ""), (event,))
    >>> export(bank, merge_logs([log])).bank[0].heads.tolist()
    [-1, 2, 0]
    """
    values = _values(merged)
    named = sentences_by_id(bank)
    _check(bank, merged.digests, named)
    cycles: list[Conflict] = []
    sentences = []
    for name, sentence in named.items():
        given = values.get(name, {})
        _check_words(bank, sentence, given)
        if not given and not only:
            sentences.append(sentence)
        elif isinstance(sentence, Sequence):
            sentences.append(_labelled(sentence, given, only))
        else:
            changed, lost = _annotated(sentence, given, merged, only)
            sentences.append(changed)
            cycles += [Conflict(name, m, "cycle", {"+".join(who): head}) for m, who, head in lost]
    return Exported(bank.with_sentences(sentences), tuple(cycles))


def _values(merged: Merged) -> dict[str, _Given]:
    """Return, for each sentence, the value of (what, word); None = open by decision."""
    values: dict[str, _Given] = {}
    for what, (sentence, word) in merged.opened:
        values.setdefault(sentence, {})[what, word] = None
    for event in merged.events:
        if event.what != "tree" and event.sentence is not None and event.token is not None:
            values.setdefault(event.sentence, {})[event.what, event.token] = event.new
    return values


def _check(bank: Bank[Any], digests: dict[str, str], named: dict[str, Any]) -> None:
    """Refuse a bank that is not the one that was annotated, naming the sentence."""
    for name, digest in digests.items():
        if name not in named:
            problem = f"no sentence {name!r}, of which the logs speak"
            raise CorpusError(f"{bank.path or bank.name}: {problem}")
        if digest != words_digest(named[name].words):
            problem = f"sentence {name!r} does not have the words that were annotated"
            raise CorpusError(f"{bank.where(named[name])}: {problem}")


def _check_words(bank: Bank[Any], sentence: Any, given: _Given) -> None:
    last = max((word for _, word in given), default=0)
    if last > len(sentence):
        problem = f"word {last} in the logs, the sentence's last is {len(sentence)}"
        raise TreeError(f"{bank.where(sentence)}: {problem}")


def _labelled(sequence: Sequence, given: _Given, only: bool) -> Sequence:
    own = (OPEN,) * len(sequence) if only else sequence.labels
    labels = [_text(given.get(("label", m), label)) for m, label in enumerate(own, 1)]
    return replace(sequence, columns=(*sequence.columns[:-1], tuple(labels)))


def _annotated(
    sentence: Sentence, given: _Given, merged: Merged, only: bool
) -> tuple[Sentence, list[tuple[int, tuple[str, ...], int]]]:
    """Return the sentence, and (word, givers, head) of heads that would have closed a cycle."""
    n = len(sentence)
    own = [-1] * n if only else sentence.heads[1:].tolist()
    heads = [_head(given.get(("head", m), head)) for m, head in enumerate(own, 1)]
    asked = [m for m in range(1, n + 1) if given.get(("head", m)) is not None]
    who = {m: merged.givers.get((sentence.sent_id, m), ()) for m in range(1, n + 1)}
    lost = [(m, who[m], heads[m - 1]) for m in open_cycles(heads, asked)] if _fit(heads) else []
    for m, _, _ in lost:
        heads[m - 1], who[m] = -1, ()
    closing, labels = {m for m, _, _ in lost}, []
    for m, (head, label) in enumerate(zip(heads, sentence.labels[1:], strict=True), 1):
        kept = label if head == sentence.heads[m] and not only else OPEN
        labels.append(OPEN if m in closing else _text(given.get(("label", m), kept)))
    changed = sentence.with_heads(np.array(heads), labels)
    touched = {m for _, m in given}
    misc = [
        _with_givers(text, who[m]) if m in touched else text
        for m, text in enumerate(sentence.misc[1:], 1)
    ]
    return changed.with_column("misc", misc), lost


def _fit(heads: list[int]) -> bool:
    """Tell whether all heads are words of the sentence; if not, the sentence itself complains."""
    return max(heads) <= len(heads)


def _head(value: int | str | None) -> int:
    return -1 if value is None else int(value)


def _text(value: int | str | None) -> str:
    return OPEN if value is None else str(value)


def _with_givers(misc: str, givers: tuple[str, ...]) -> str:
    """Return MISC with who gave the head, in place of who gave an earlier one."""
    items = [item for item in misc.split("|") if item.partition("=")[0] != ANNOTATOR]
    if givers:
        names = ",".join(re.sub(r"[\s|,=]+", "_", name) for name in givers)
        items = [*(item for item in items if item != OPEN), f"{ANNOTATOR}={names}"]
    return "|".join(items) or OPEN
