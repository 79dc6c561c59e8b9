"""Where pages hand in acts and get questions: the kernel's end of an annotating widget.

A page says hello and gets everything; it sends acts and gets a receipt when they are on the disk.
One page writes, the others look on and knock from time to time: they are granted the log only if
the first does not answer. No message depends on widget state, which would die with the kernel.
"""

import hashlib
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from deppa_nb.active.choosing import Task
from deppa_nb.active.log import Event
from deppa_nb.active.recording import Act
from deppa_nb.active.session import Session

__all__ = ["Desk", "Message", "log_id"]

Message = dict[str, Any]

_BACK = 60  # questions that a page which is loaded again can go back to

_FIELDS = {field.name for field in fields(Event)} - {"seq", "act", "annotator", "digest", "round"}


def log_id(session: Session) -> str:
    """Return a name of the log under which a browser keeps what is not written yet."""
    log = session.recorder.log
    text = f"{log.path}\n{log.header.annotator}\n{log.header.digest}"
    return hashlib.blake2s(text.encode(), digest_size=8).hexdigest()


class Desk:
    """Answers the messages of pages.

    Parameters
    ----------
    session
        What is asked, and where answers go.
    show
        Turns questions into what a page shows.
    estimate
        Turns a sentence's name into what the model thinks of it now, or nothing.
    """

    def __init__(
        self,
        session: Session,
        show: Callable[[Sequence[Task]], list[Message]],
        estimate: Callable[[str], Message | None],
    ) -> None:
        self.session, self._show, self._estimate = session, show, estimate
        self._writer = self._tab = ""
        self._denied: set[str] = set()  # pages that have been answered: the log is taken

    def handle(self, message: Mapping[str, Any]) -> list[Message]:
        """Return the answers to a message; what goes wrong is one of them, so that it is seen."""
        page = str(message.get("page", ""))
        known: dict[str, Callable[[str, Mapping[str, Any]], Iterable[Message]]] = {
            "hello": self._hello,
            "knock": self._knock,
            "here": self._here,
            "claim": self._claim,
            "acts": self._acts,
            "poll": self._poll,
            "next": self._next,
            "passed": self._passed,
        }
        replies: list[Message] = []
        try:
            for reply in known[message["kind"]](page, message):
                replies.append(reply)  # a receipt is sent, whatever goes wrong after it
        except Exception as error:
            traceback.print_exc()
            problem = f"{type(error).__name__}: {error}"
            replies.append({"kind": "failure", "to": page, "problem": problem})
        return replies

    def _hello(self, page: str, message: Mapping[str, Any]) -> list[Message]:
        if not self._writer or message.get("tab") == self._tab:  # of a tab that was loaded again
            return self._claim(page, message)
        why = "This log is being written in another tab; here you can only look on."
        who, waits = self._knock(page, message)
        return [who, self._state(page, why), waits]

    def _knock(self, page: str, _: Mapping[str, Any]) -> list[Message]:
        """Ask whether the page that writes is still there."""
        self._denied.discard(page)
        return [{"kind": "who", "asks": page}, self._waits(page)]

    def _here(self, page: str, message: Mapping[str, Any]) -> list[Message]:
        self._denied.add(message["asks"])
        return [{"kind": "taken", "to": message["asks"]}]

    def _claim(self, page: str, message: Mapping[str, Any]) -> list[Message]:
        if message.get("silent") and page in self._denied:  # a busy kernel has read the answer late
            return []
        self._writer, self._tab = page, str(message.get("tab", page))
        self.session.advance()
        return [self._state(page, ""), self._waits(page)]

    def _state(self, page: str, why: str, *, again: bool = False) -> Message:
        left = {id(task) for task in self.session.left()}
        every = self.session.tasks
        first = next((k for k, task in enumerate(every) if id(task) in left), len(every))
        tasks = every[min(first, max(0, len(every) - _BACK)) :]
        return {
            "kind": "state",
            "to": page,
            "writes": not why,
            "why": why,
            "again": again,
            "before": self._before({task.name for task in tasks}),
            "tasks": self._show(tasks),
            "acts": self._acts_on(tasks),
        }

    def _before(self, names: Collection[str]) -> int:
        """Return how many answers are of other sentences than these."""
        said = self.session.recorder.said
        known: dict[str, Mapping[Any, object]] = {
            "labels": said.labels,
            "preference": said.preferences,
        }
        given = known.get(self.session.strategy.kind, said.heads)
        return sum(name not in names and new is not None for (name, _), new in given.items())

    def _acts(self, page: str, message: Mapping[str, Any]) -> Iterator[Message]:
        if page != self._writer:
            yield self._state(page, "This log is being written in another tab.")
            return
        acts = [_act(given) for given in message["acts"]]
        receipt = self.session.recorder.record(acts)
        yield {
            "kind": "receipt",
            "to": page,
            "written": [_plain(act) for act in receipt.written],
            "refused": [{"client": client, "why": why} for client, why in receipt.refused],
            "problem": receipt.problem,
        }
        yield from self._again(receipt.written)
        yield from self._more()
        yield self._waits(page)

    def _again(self, acts: Sequence[Act]) -> list[Message]:
        """Return what the model thinks now of sentences that were changed."""
        if all(event.what in ("page", "shown") for act in acts for event in act.events):
            return []
        said = {event.sentence for act in acts for event in act.events if event.sentence}
        names = said or {task.name for task in self.session.tasks[-3:]}  # after an undo
        found = [self._estimate(name) for name in sorted(names)]
        return [{"kind": "estimates", "estimates": [one for one in found if one]}]

    def _poll(self, page: str, _: Mapping[str, Any]) -> list[Message]:
        return [*self._more(), self._waits(page)]

    def _next(self, page: str, _: Mapping[str, Any]) -> list[Message]:
        """Go on to other questions, though some are left."""
        self.session.end_round()
        return [*self._more(jump=True), self._waits(page)]

    def _passed(self, page: str, _: Mapping[str, Any]) -> list[Message]:
        """Ask for what was passed over, now."""
        if page != self._writer:
            return []
        return [self._state(page, "", again=self.session.ask_passed()), self._waits(page)]

    def _more(self, *, jump: bool = False) -> list[Message]:
        before = self.session.recorder.reopened
        more = self.session.advance()
        if self.session.recorder.reopened != before:  # answers that pages know count no more
            return [self._state(self._writer, "", again=True)]
        if not more:
            return []
        acts = self._acts_on(more)  # of earlier sessions, which pages do not know
        return [{"kind": "tasks", "tasks": self._show(more), "acts": acts, "jump": jump}]

    def _acts_on(self, tasks: Sequence[Task]) -> list[Message]:
        return [_plain(act) for act in self.session.recorder.acts({task.name for task in tasks})]

    def _waits(self, page: str) -> Message:
        return {"kind": "waits", "to": page, "waits": self.session.waits}


def _act(given: Mapping[str, Any]) -> Act:
    events = []
    for event in given["events"]:
        trees = event.get("trees")
        known = {name: value for name, value in event.items() if name in _FIELDS}
        known["trees"] = trees and tuple(map(tuple, trees))
        events.append(Event(**{**known, "undo_of": None}))
    return Act(str(given["client"]), tuple(events), given.get("undo_of"))


def _plain(act: Act) -> Message:
    return asdict(act)
