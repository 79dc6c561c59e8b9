"""What a page sends, written to the annotator's log before it is acknowledged."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from operator import attrgetter
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from deppa_nb.active.hindsight import with_answers
from deppa_nb.active.log import Event, sentences_by_id
from deppa_nb.active.log_state import PASSES, State, state
from deppa_nb.active.log_writer import LogWriter
from deppa_nb.corpus.bank import Bank
from deppa_nb.corpus.textfile import PathLike
from deppa_nb.errors import DeppaError, FormatError, PoolError, TreeError

__all__ = ["Act", "Receipt", "Recorder"]


@dataclass(frozen=True)
class Act:
    """Events that belong together, or the undo of an act.

    Attributes
    ----------
    client
        The page's name for it.
    events
        At least one; round, act and client are filled in.
    undo_of
        The `client` of the act that is taken back.
    reopened
        Whether what it passes over is open again, see `Recorder.reopen`.
    """

    client: str
    events: tuple[Event, ...]
    undo_of: str | None = None
    reopened: bool = False


@dataclass(frozen=True)
class Receipt:
    """What became of acts.

    Attributes
    ----------
    written
        Those that are on the disk, be it since before.
    refused
        Acts that can never be written, by name, and why.
    problem
        Why the rest could not be written now.
    """

    written: tuple[Act, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    problem: str = ""


class Recorder:
    """An annotator's log, and what it says.

    Parameters
    ----------
    bank
        What is annotated.
    path
        The log. If another recorder of this process has it open, that one is closed: a cell of a
        notebook may be run again.
    annotator
        Who.

    Attributes
    ----------
    round
        Written with every event; that of a log that is continued is a new one.
    said
        What stands, but for what was passed over before `reopen`.
    reopened
        How many events there were then.

    Examples
    --------
    >>> import tempfile
    >>> from deppa_nb.corpus.sentence import Sentence, Treebank
    >>> bank = Treebank((Sentence.of(["Fish", "swim"], sent_id="s1"),), "mine")
    >>> recorder = Recorder(bank, tempfile.mkdtemp() + "/anna.jsonl", "anna")
    >>> act = Act("page-1", (Event("head", "s1", 1, "partial", new=2),))
    >>> receipt = recorder.record([act, act])
    >>> len(receipt.written), len(recorder.log.events), recorder.said.heads
    (2, 1, {('s1', 1): 2})
    >>> recorder.close()
    """

    _open: ClassVar["WeakValueDictionary[str, Recorder]"] = WeakValueDictionary()

    def __init__(self, bank: Bank[Any], path: PathLike, annotator: str) -> None:
        if before := self._open.get(str(path)):
            before.close()
        self.sentences: dict[str, Any] = sentences_by_id(bank)
        self.log = LogWriter(path, annotator=annotator, treebank=bank)
        self._open[str(path)] = self
        self.reopened = 0
        self.said = state(self.log.events)
        self.round = 1 + max((event.round for event in self.log.events), default=-1)
        self._acts = {_name(event): event.act for event in self.log.events}

    def close(self) -> None:
        """Let others write the log."""
        self.log.close()

    @property
    def events(self) -> tuple[Event, ...]:
        """All events that count."""
        return self._counting(self.log.events)

    def reopen(self) -> None:
        """Let what was passed over up to now be open again, as long as this recorder lives."""
        self.reopened = len(self.log.events)
        self.said = state(self.events)

    def _counting(self, events: Iterable[Event]) -> tuple[Event, ...]:
        return tuple(e for e in events if e.seq > self.reopened or e.what not in PASSES)

    def record(self, acts: Sequence[Act]) -> Receipt:
        """Write acts to the log, in their order; return when they are on the disk.

        One that was written before is not written again. One that has waited in a browser while a
        newer answer was given elsewhere is refused, and kept in a file beside the log. After one
        that cannot be written because of the disk or another writer, the rest is not tried.
        """
        written, refused = [], []
        for act in acts:
            try:
                if act.client not in self._acts:
                    self._write(act)
                written.append(act)
            except (FormatError, PoolError, TreeError) as error:
                refused.append((act.client, str(error)))
            except DeppaError as error:
                return Receipt(tuple(written), tuple(refused), str(error))
        return Receipt(tuple(written), tuple(refused))

    def _write(self, act: Act) -> None:
        undo_of = self._acts.get(act.undo_of) if act.undo_of else None
        if act.undo_of and undo_of is None:
            raise PoolError("undo of an answer that was not taken")
        for event in act.events:
            self._check_newest(act, event)
        events = [
            replace(event, round=self.round, client=act.client, undo_of=undo_of)
            for event in act.events
        ]
        said = self._tried(events)
        self._acts[act.client] = self.log.append_act(events)[0].act
        self.said = said

    def _check_newest(self, act: Act, event: Event) -> None:
        """Refuse an answer that was given before the one that stands, by a page that knew neither.

        A page tells which value it has changed. If another one stands, and is newer, this answer
        has waited somewhere: the person has answered again since.
        """
        if not event.utc or event.sentence not in self.sentences:
            return
        stands, word = self._value(event), event.token
        if stands in (event.old, event.new) or event.utc >= self._last_change(event):
            return
        with open(self.log.path.with_name(f"{self.log.path.name}.late"), "a") as file:
            file.write(json.dumps(asdict(act)) + "\n")
        of = f"“{self.sentences[event.sentence].words[word - 1]}” of " if word else ""
        new = "none" if event.new is None else event.new
        problem = f"an older answer for {of}{event.sentence} ({event.what}: {new})"
        raise PoolError(f"{problem} was not taken: it has a newer one")

    def _value(self, event: Event) -> int | str | None:
        """Return what stands of that which an event gives."""
        word = (event.sentence or "", event.token or 0)
        if event.what == "tree" and event.trees is not None:
            return self.said.preferences.get((word[0], event.trees))
        if event.what == "head":
            return self.said.heads.get(word)
        return self.said.labels.get(word) if event.what == "label" else None

    def _last_change(self, event: Event) -> str:
        """Return when this value was last given, taken back or done again; "" if never."""
        key = attrgetter("what", "sentence", "token", "trees")
        found, last = set(), ""
        for one in self.log.events:
            if key(one) == key(event) or one.undo_of in found:
                found.add(one.act)
                last = one.utc
        return last

    def _tried(self, events: Sequence[Event]) -> State:
        """Return what would be said then; heads that are no tree together are an error."""
        seq = len(self.log.events) + 1
        new = (replace(event, seq=seq, act=seq) for event in events)
        said = state(self._counting([*self.log.events, *new]))
        for name in {event.sentence for event in events if event.what == "head"}:
            if name in self.sentences:
                with_answers(self.sentences[name], said)
        return said

    def sentence(self, name: str) -> Any:
        """Return a sentence with what was said of it."""
        return with_answers(self.sentences[name], self.said)

    def acts(self, names: Collection[str]) -> list[Act]:
        """Return what was done to some sentences, in order, with the undos of it."""
        found: dict[int, Act] = {}
        for event in self.log.events:
            ours = event.undo_of in found if event.what == "undo" else event.sentence in names
            if not ours or event.what == "shown":
                continue
            earlier = found.get(event.act)
            undo_of = found[event.undo_of].client if event.undo_of else None
            events = (*earlier.events, event) if earlier else (event,)
            found[event.act] = Act(_name(event), events, undo_of, event.seq <= self.reopened)
        return list(found.values())


def _name(event: Event) -> str:
    """Return what a page may call an act, also one that no page has sent."""
    return event.client or f"#{event.act}"
