"""HeadPicker: a person gives heads, one key or click each."""

from collections.abc import Sequence
from typing import Literal

from deppa_nb.active.choosing import Task
from deppa_nb.active.estimates import Estimate
from deppa_nb.active.session import Session
from deppa_nb.errors import ParameterError
from deppa_nb.reports.text_width import runs_right_to_left
from deppa_nb.reports.trees import tree_svg
from deppa_widgets.annotating import Annotating
from deppa_widgets.desk import Message
from deppa_widgets.sources import module

__all__ = ["HeadPicker"]

_PLACES = 4  # decimals of a probability that a page gets


class HeadPicker(Annotating):
    """Asks for the heads of words.

    Parameters
    ----------
    session
        What is asked.
    mode
        ``"queries"``: the words that the strategy chose; ``"sentence"``: all open words of their
        sentences. A strategy that asks for trees always has the latter.
    labels
        Whether a label is asked for with each head.
    blind
        Whether to suggest nothing: the page then gets neither the model's tree nor probabilities.

    Examples
    --------
    >>> HeadPicker(session)  # doctest: +SKIP
    """

    _esm = module("dom", "page", "asking", "arcs", "labels", "head_picker")

    def __init__(
        self,
        session: Session,
        *,
        mode: Literal["queries", "sentence"] = "queries",
        labels: bool = False,
        blind: bool = False,
    ) -> None:
        if mode not in ("queries", "sentence"):
            raise ParameterError(f"mode is {mode!r}, expected queries or sentence")
        if session.strategy.kind not in ("heads", "tree"):
            raise ParameterError(f"{session.strategy.name} does not ask for heads")
        self.mode, self.blind = mode, blind
        super().__init__(
            session,
            labels=labels,
            blind=blind,
            names=session.labels,
            projective=bool(getattr(session.parser, "projective", False)),
            single_root=bool(getattr(session.parser, "single_root", True)),
        )

    def shown(self, tasks: Sequence[Task]) -> list[Message]:
        """Return the words and what is known and thought of them."""
        found = self.session.estimates([task.name for task in tasks])
        return [self._one(task, one) for task, one in zip(tasks, found, strict=True)]

    def _one(self, task: Task, estimate: Estimate | None) -> Message:
        item = self.session.recorder.sentences[task.name]
        sentence = self.session.recorder.sentence(task.name)
        full = self.mode == "sentence" or task.query.kind == "tree"
        words = sentence.words
        tokens = task.query.tokens
        if full:
            tokens = tuple(m for m in range(1, len(words) + 1) if item.heads[m] < 0)
        return {
            "sentence": task.name,
            "kind": "tree" if full else "heads",
            "words": words,
            "tags": ["" if tag == "_" else tag for tag in item.upos[1:]],
            "tokens": tokens,
            "heads": item.heads.tolist(),
            "labels": item.labels,
            "rtl": runs_right_to_left(words),
            "strategy": self.session.strategy.name,
            **self._thought(task.name, estimate),
        }

    def _thought(self, name: str, estimate: Estimate | None) -> Message:
        certain = sorted(self.session.certain_words.get(name, ()))
        known = {"model": self.session.model_hash or None, "certain": certain}
        if estimate is None or self.blind:
            return known
        rows = [[(h, round(p, _PLACES)) for h, p in row] for row in estimate.candidates]
        return {
            **known,
            "tree": estimate.heads.tolist(),
            "others": {m: heads.tolist() for m, heads in estimate.others.items()},
            "candidates": rows,
        }

    def estimated(self, name: str) -> Message | None:
        """Return what the model thinks of a sentence now."""
        (found,) = self.session.estimates([name])
        return {"sentence": name, **self._thought(name, found)}

    def static(self) -> str:
        """Return the first open question as a tree with the asked words in boxes."""
        left = self.session.left()
        if not left:
            return ""
        sentence = self.session.recorder.sentence(left[0].name)
        return tree_svg(sentence, highlight=self.session.open_words(left[0]))
