"""Several logs, one for each annotator, as one: the same whatever their order."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from deppa_nb.active.log import Event, Header, Log, Trees
from deppa_nb.active.log_state import Word, standing
from deppa_nb.corpus.trees import find_cycle, to_heads
from deppa_nb.errors import CorpusError, ParameterError

__all__ = [
    "MERGED",
    "POLICIES",
    "Conflict",
    "Merged",
    "Policy",
    "check_together",
    "merge_logs",
    "open_cycles",
]

Policy = Literal["majority", "open", "first", "last"]
POLICIES: tuple[Policy, ...] = ("majority", "open", "first", "last")

MERGED = "merged"
"""The annotator of a log that was made from others, and how its events came about."""

_Key = tuple[str, str, int | Trees]
_GIVEN = ("head", "label", "tree")


@dataclass(frozen=True)
class Conflict:
    """A word on which annotators differ, or whose head does not go with the heads of others.

    Attributes
    ----------
    what
        ``head``, ``label``, ``tree`` (then `token` is 0), ``cycle`` or ``root``.
    given
        Who gave what.
    kept
        What was decided; None = left open.
    """

    sentence: str
    token: int
    what: str
    given: dict[str, int | str]
    kept: int | str | None = None


@dataclass(frozen=True)
class Merged:
    """What the annotators say together.

    Attributes
    ----------
    header
        Of the log that the events make.
    events
        One for each value that was decided, sorted by sentence and word.
    opened
        Words whose head or label is open by decision: taken away, or in a conflict.
    givers
        Who gave the head (where there is none: the label) that a word has.
    digests
        The `words_digest` of each sentence that a log speaks of.
    conflicts
        All of them, decided or not.
    """

    header: Header
    events: tuple[Event, ...]
    opened: frozenset[tuple[str, Word]]
    givers: dict[Word, tuple[str, ...]]
    digests: dict[str, str]
    conflicts: tuple[Conflict, ...]


def merge_logs(logs: Sequence[Log], policy: Policy = "majority") -> Merged:
    """Merge logs of the same treebank.

    Heads that form a cycle are left open, whatever the policy, and so are several roots that nobody
    gave together; so is the label of a word whose head is. Who took a value away has no vote, nor
    has on the label who has not given the head that is kept but another one.

    Parameters
    ----------
    logs
        One for each annotator.
    policy
        What becomes of a word on which they differ: ``majority`` decides and a tie is left open;
        all are left ``open``; the ``first`` or the ``last`` answer by time is kept.

    Examples
    --------
    >>> heads = {"anna": 2, "bert": 3, "cleo": 2}
    >>> logs = [
    ...     Log(Header(name, "mine", "d"), (Event("head", "s1", 1, "full", new=head, act=1),))
    ...     for name, head in heads.items()
    ... ]
    >>> merged = merge_logs(logs)
    >>> merged.events[0].new, merged.givers, merged.conflicts[0].given["bert"]
    (2, {('s1', 1): ('anna', 'cleo')}, 3)
    >>> merge_logs(logs, "open").events
    ()
    """
    if policy not in POLICIES:
        raise ParameterError(f"policy is {policy!r}, expected {', '.join(POLICIES)}")
    digests = check_together(logs)
    logs = sorted(logs, key=lambda log: log.header.annotator)
    kept: dict[_Key, list[Event]] = {}
    opened: set[_Key] = set()
    conflicts = []
    every = _votes(logs)
    for key in sorted(every):  # heads before labels
        others = set()
        if key[0] == "label" and (head := ("head", *key[1:])) in kept:
            others = _annotators(every[head]) - _annotators(kept[head])
        votes = [vote for vote in every[key] if vote.annotator not in others]
        if not votes:
            continue
        chosen = _decide(votes, policy)
        if len({vote.new for vote in votes} - {None}) > 1:
            conflicts.append(_conflict(key, votes, chosen))
        if chosen is None:
            opened.add(key)
        else:
            kept[key] = [vote for vote in votes if vote.new == chosen]
    conflicts += _take_out_misfits(kept, opened)
    for label in [("label", *key[1:]) for key in opened if key[0] == "head"]:
        if label in kept:
            del kept[label]
            opened.add(label)
    events = tuple(_event(kept[key], seq) for seq, key in enumerate(sorted(kept, key=_place), 1))
    header = replace(logs[0].header, annotator=MERGED)
    words = frozenset((w, (s, m)) for w, s, m in opened if isinstance(m, int))
    return Merged(header, events, words, _givers(kept), digests, tuple(conflicts))


def open_cycles(heads: Sequence[int], free: Iterable[int]) -> list[int]:
    """Return the words whose heads have to go, of those that may, so that no cycle is left.

    Parameters
    ----------
    heads
        n heads of words 1..n, -1 = open.
    free
        Words whose heads may be opened; every cycle has one.

    Examples
    --------
    >>> open_cycles([2, 1, 4, 0], free=[1, 3])
    [1]
    """
    array, may, gone = list(heads), set(free), []
    while cycle := find_cycle(to_heads(array)):
        for word in sorted(may & set(cycle)):
            array[word - 1] = -1
            gone.append(word)
    return gone


def check_together(logs: Sequence[Log]) -> dict[str, str]:
    """Return the digest of each sentence; refuse logs that cannot be put together, naming them."""
    if not logs:
        raise ParameterError("no logs, expected at least one")
    logs = sorted(logs, key=lambda log: (log.header.annotator, log.path))
    for a, b in pairwise(logs):
        if a.header.annotator == b.header.annotator:
            problem = f"are both by {a.header.annotator!r}, expected one log for each annotator"
            raise CorpusError(f"{a.path} and {b.path} {problem}")
    digests: dict[str, tuple[str, str]] = {}
    for log in logs:
        if log.header.digest != logs[0].header.digest:
            names = [f"{some.path} ({some.header.treebank})" for some in (logs[0], log)]
            raise CorpusError(f"{' and '.join(names)} are not logs of the same treebank")
        for event in log.events:
            if event.sentence is None:
                continue
            known, path = digests.setdefault(event.sentence, (event.digest or "", log.path))
            if known != (event.digest or ""):
                problem = f"do not have the same words in sentence {event.sentence!r}"
                raise CorpusError(f"{path} and {log.path} {problem}")
    return {sentence: digest for sentence, (digest, _) in digests.items()}


def _place(key: _Key) -> tuple[str, int, str, Trees]:
    what, sentence, token = key
    return (sentence, token, what, ()) if isinstance(token, int) else (sentence, 0, what, token)


def _votes(logs: Iterable[Log]) -> dict[_Key, list[Event]]:
    """Return the last answer of each annotator to each question."""
    votes: dict[_Key, list[Event]] = {}
    for log in logs:
        last: dict[_Key, Event] = {}
        for event in standing(log.events):
            if event.what in _GIVEN and event.sentence is not None:
                last[event.what, event.sentence, event.trees or event.token or 0] = event
        for key, event in last.items():
            votes.setdefault(key, []).append(replace(event, annotator=log.header.annotator))
    return votes


def _decide(votes: Sequence[Event], policy: Policy) -> int | str | None:
    given = [vote for vote in votes if vote.new is not None]
    counts = Counter(vote.new for vote in given).most_common()
    if len(counts) < 2:
        return counts[0][0] if counts else None
    if policy == "majority" and counts[0][1] > counts[1][1]:
        return counts[0][0]
    by_time = sorted(given, key=lambda vote: (vote.utc, vote.annotator))
    return {"first": by_time[0].new, "last": by_time[-1].new}.get(policy)


def _annotators(votes: Iterable[Event]) -> set[str]:
    return {vote.annotator for vote in votes}


def _take_out_misfits(kept: dict[_Key, list[Event]], opened: set[_Key]) -> list[Conflict]:
    """Open heads of different annotators that make several roots or a cycle."""
    sentences: dict[str, dict[int, int]] = {}
    for (what, sentence, token), votes in kept.items():
        if what == "head" and isinstance(token, int):
            sentences.setdefault(sentence, {})[token] = int(votes[0].new or 0)
    conflicts = []
    for sentence, heads in sentences.items():
        roots = {m: _annotators(kept["head", sentence, m]) for m, head in heads.items() if not head}
        together = len(roots) < 2 or set.intersection(*roots.values())
        misfits = [] if together else [("root", word) for word in roots]
        for _, word in misfits:
            heads[word] = -1
        n = max([*heads, *heads.values()])
        cycles = open_cycles([heads.get(m, -1) for m in range(1, n + 1)], heads)
        for what, word in [*misfits, *(("cycle", word) for word in cycles)]:
            key = ("head", sentence, word)
            conflicts.append(_conflict((what, sentence, word), kept.pop(key), None))
            opened.add(key)
    return conflicts


def _conflict(key: _Key, votes: Sequence[Event], kept: int | str | None) -> Conflict:
    what, sentence, token = key
    given = {vote.annotator: vote.new for vote in votes if vote.new is not None}
    return Conflict(sentence, token if isinstance(token, int) else 0, what, given, kept)


def _event(votes: Sequence[Event], seq: int) -> Event:
    """Return the latest of the answers that agree, as an event of the merged log."""
    last = max(votes, key=lambda vote: (vote.utc, vote.annotator))
    return replace(last, seq=seq, act=seq, annotator=MERGED, old=None, how=MERGED, ms=0)


def _givers(kept: dict[_Key, list[Event]]) -> dict[Word, tuple[str, ...]]:
    found: dict[Word, tuple[str, ...]] = {}
    for what in ("label", "head"):
        for (kind, sentence, token), votes in kept.items():
            if kind == what and isinstance(token, int):
                found[sentence, token] = tuple(vote.annotator for vote in votes)
    return found
