"""RoundPanel: how far a person is, what it has cost and what it has brought."""

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from deppa_nb.active.log import Log
from deppa_nb.active.session import Session
from deppa_nb.active.timing import fitted_rates
from deppa_widgets.sources import module, style

__all__ = ["RoundPanel"]

_RECENT = 400  # events that tell how fast a person is: of a long log, all would take too long


class RoundPanel(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """Shows progress, cost, time left and the learning curve of a session.

    Parameters
    ----------
    session
        Which.

    Attributes
    ----------
    info
        What is shown; all of it is computed from the session.
    """

    _esm = module("dom", "round_panel")
    _css = style()
    info = traitlets.Dict().tag(sync=True)

    def __init__(self, session: Session) -> None:
        self.session = session
        self._answers = -1
        self._rate = float("nan")
        super().__init__(info=self._found())

    def on_next(self, go_on: Callable[[], None]) -> None:
        """Set what the button for other questions does."""
        self.on_msg(lambda *_: go_on())

    def refresh(self) -> None:
        """Show how things are now."""
        found = self._found()
        if found != self.info:
            self.info = found

    def _found(self) -> dict[str, Any]:
        session = self.session
        said, log = session.recorder.said, session.recorder.log
        heads = sum(head is not None for head in said.heads.values())
        labels = sum(label is not None for label in said.labels.values())
        answers = heads + labels + len(said.preferences)
        if answers != self._answers:
            self._answers, self._rate = answers, self._seconds()
        left = sum(len(session.open_words(task)) for task in session.left())
        known = self._rate == self._rate
        return {
            "annotator": log.header.annotator,
            "log": str(log.path),
            "round": session.recorder.round + 1,
            "left": left,
            "heads": heads,
            "labels": labels,
            "choices": len(said.preferences),
            "skipped": len(session.passed),
            "seconds": round(self._rate, 1) if known else None,
            "minutes": round(self._rate * left / 60, 1) if known else None,
            "learns": not session.is_ready,
            "curve": [
                (point.answers, point.uas) for point in session.curve if point.uas == point.uas
            ],
        }

    def _seconds(self) -> float:
        """Return the seconds for an answer of late, pauses left out; nan if there is none."""
        log = self.session.recorder.log
        recent = Log(log.header, tuple(log.events[-_RECENT:]))
        (rates, *_) = fitted_rates([recent]).values() or ({},)
        return min(rates.values(), default=float("nan"))
