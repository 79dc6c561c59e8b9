"""What the widgets have in common that ask and write to a log."""

from collections.abc import Sequence
from typing import Any

import anywidget
import ipywidgets as widgets
import traitlets

from deppa_nb.active.choosing import Task
from deppa_nb.active.session import Session
from deppa_widgets.desk import Desk, Message, log_id
from deppa_widgets.round_panel import RoundPanel
from deppa_widgets.sources import style, with_picture

__all__ = ["Annotating"]


class Annotating(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """A widget at which one person answers.

    Nothing of the work is in its traits: pages ask the desk, and the desk asks the log.

    Attributes
    ----------
    log
        The name of the log in the browser's memory.
    options
        What does not change while it is used.
    """

    _css = style()
    log = traitlets.Unicode().tag(sync=True)
    options = traitlets.Dict().tag(sync=True)

    def __init__(self, session: Session, **options: Any) -> None:
        self.session = session
        self.desk = Desk(session, self.shown, self.estimated)
        annotator = session.recorder.log.header.annotator
        known = {"annotator": annotator, "compiles": session.compiles}
        super().__init__(log=log_id(session), options={**known, **options})
        self.panel: RoundPanel | None = None
        self.on_msg(self._receive)

    def _receive(self, _: Any, content: Message, buffers: Any) -> None:
        for reply in self.desk.handle(content):
            self.send(reply)
        if self.panel is not None:
            self.panel.refresh()

    def with_panel(self) -> widgets.VBox:
        """Return the widget above a panel that tells how the rounds go."""
        self.panel = RoundPanel(self.session)
        self.panel.on_next(lambda: self._receive(self, {"kind": "next"}, None))
        return _Framed(self, self.panel)

    def shown(self, tasks: Sequence[Task]) -> list[Message]:
        """Return questions as a page shows them."""
        raise NotImplementedError

    def estimated(self, name: str) -> Message | None:
        """Return what the model thinks of a sentence now, None if there is nothing to say."""
        return None

    def static(self) -> str:
        """Return the question as SVG, for where no kernel is."""
        return ""

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Show the widget and, to those who have none, a picture."""
        return with_picture(super()._repr_mimebundle_(**options), self.static())


class _Framed(widgets.VBox):  # type: ignore[misc, unused-ignore]
    """A widget and its panel."""

    def __init__(self, inner: Annotating, panel: RoundPanel) -> None:
        self._inner = inner
        super().__init__([inner, panel])

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return with_picture(super()._repr_mimebundle_(**options), self._inner.static())
