"""LabelPicker: a person gives the labels of sequences, one key or a few letters each."""

from collections.abc import Sequence

from deppa_nb.active.choosing import Task
from deppa_nb.active.session import Session
from deppa_nb.errors import ParameterError
from deppa_nb.reports.text_width import runs_right_to_left
from deppa_widgets.annotating import Annotating
from deppa_widgets.desk import Message
from deppa_widgets.sources import module

__all__ = ["LabelPicker"]


class LabelPicker(Annotating):
    """Asks for the labels of words: chunks, entities, slots.

    Parameters
    ----------
    session
        On sequences; without a model of them, its strategy is `strategies.LABELLING`.
    names
        Labels, of which the first nine have keys; by default those that were used, the commonest
        first.
    """

    _esm = module("dom", "page", "asking", "arcs", "labels", "label_picker")

    def __init__(self, session: Session, *, names: Sequence[str] | None = None) -> None:
        if session.strategy.kind != "labels":
            raise ParameterError(f"{session.strategy.name} does not ask for labels")
        super().__init__(session, names=list(session.labels if names is None else names))

    def shown(self, tasks: Sequence[Task]) -> list[Message]:
        """Return the words, and the labels that are known."""
        return [self._one(task) for task in tasks]

    def _one(self, task: Task) -> Message:
        item = self.session.recorder.sentences[task.name]
        return {
            "sentence": task.name,
            "kind": "labels",
            "words": item.words,
            "labels": ["_", *item.labels],
            "tokens": task.query.tokens,
            "rtl": runs_right_to_left(item.words),
            "strategy": self.session.strategy.name,
            "model": self.session.model_hash or None,
        }
