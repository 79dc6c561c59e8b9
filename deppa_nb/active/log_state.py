"""What the events of a log amount to: the only way from a log to heads, labels and preferences."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from deppa_nb.active.log import Event, Trees

__all__ = ["PASSES", "State", "Word", "standing", "state"]

Word = tuple[str, int]
"""The sent_id of a sentence and a word of it, 1..n."""

PASSES = ("skip", "unsure", "submit")
"""Events after which words without an answer are not asked for."""


@dataclass(frozen=True)
class State:
    """What an annotator has said so far.

    Attributes
    ----------
    heads, labels
        What was given to each word; None where a value was taken away. Words that are not here were
        not touched.
    preferences
        A, B or equal, for each sentence and pair of trees that was shown.
    skipped, unsure
        Words (sentences: word 0) that got no answer, or a doubtful one, and no head or choice
        since.
    submitted
        Sentences that are done.
    """

    heads: dict[Word, int | None] = field(default_factory=dict)
    labels: dict[Word, str | None] = field(default_factory=dict)
    preferences: dict[tuple[str, Trees], str] = field(default_factory=dict)
    skipped: set[Word] = field(default_factory=set)
    unsure: set[Word] = field(default_factory=set)
    submitted: set[str] = field(default_factory=set)

    @property
    def answers(self) -> int:
        """How many words have a head or a label by now, and pairs of trees a preference."""
        given = (*self.heads.items(), *self.labels.items())
        return len({word for word, value in given if value is not None}) + len(self.preferences)


def standing(events: Iterable[Event]) -> list[Event]:
    """Return the events that are not taken back, without the undos.

    An act is taken back if an undo of it stands; an undo that is taken back itself does not. So the
    later decides over the earlier, and one pass from the end is enough.

    >>> done = Event("skip", "s1", 1, seq=1, act=1)
    >>> undo, redo = Event("undo", undo_of=1, seq=2, act=2), Event("undo", undo_of=2, seq=3, act=3)
    >>> standing([done, undo]), standing([done, undo, redo]) == [done]
    ([], True)
    """
    undone: set[int | None] = set()
    kept = []
    for event in reversed(list(events)):
        if event.act in undone:
            continue
        if event.what == "undo":
            undone.add(event.undo_of)
        else:
            kept.append(event)
    return kept[::-1]


def state(events: Iterable[Event]) -> State:
    """Fold the events of one log, in their order, into what stands at their end.

    >>> given = Event("head", "s1", 3, "partial", new=2, seq=1, act=1)
    >>> state([given]).heads
    {('s1', 3): 2}
    >>> state([given, Event("undo", undo_of=1, seq=2, act=2)]).heads
    {}
    """
    now = State()
    for event in standing(events):
        if event.sentence is not None:
            _apply(now, event, event.sentence)
    return now


def _apply(now: State, event: Event, sentence: str) -> None:
    word, new = (sentence, event.token or 0), event.new
    if event.what in ("head", "tree"):  # is the end of doubt; a label says nothing of the head
        now.skipped.discard(word)
        now.unsure.discard(word)
    if event.what == "head" and not isinstance(new, str):
        now.heads[word] = new
    elif event.what == "label" and not isinstance(new, int):
        now.labels[word] = new
    elif event.what == "tree" and event.trees is not None:
        now.preferences[sentence, event.trees] = str(new)
    elif event.what == "skip":
        now.skipped.add(word)
    elif event.what == "unsure":
        now.unsure.add(word)
    elif event.what == "submit":
        now.submitted.add(sentence)
