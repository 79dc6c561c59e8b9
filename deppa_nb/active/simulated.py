"""Somebody who answers a session's questions without waiting, as a page would send the answers."""

from collections.abc import Iterator
from dataclasses import replace

from deppa_nb.active.log import Event, Task
from deppa_nb.active.queries import Annotator, Answer
from deppa_nb.active.recording import Act
from deppa_nb.active.replay import CHOICES
from deppa_nb.active.session import Session
from deppa_nb.errors import DeppaError

__all__ = ["play"]


def play(session: Session, annotator: Annotator, rounds: int) -> int:
    """Answer so many rounds of questions; return the number of answers.

    The model of each round is waited for, so that the same annotator gives the same log.

    Parameters
    ----------
    session
        Of which the log is written.
    annotator
        Who answers: an oracle, or a `Replay`.
    rounds
        At most.
    """
    count, clock = 0, max((event.ms for event in session.recorder.log.events), default=0)
    for _ in range(rounds):
        session.wait()
        session.advance(wait=True)
        answers = annotator.answer([task.query for task in session.left()])
        names = {task.query.sentence: task.name for task in session.left()}
        for answer in answers:
            for events in _events(answer, names[answer.query.sentence], clock):
                clock = events[-1].ms
                client = f"simulated-{len(session.recorder.log.events) + 1}"
                receipt = session.recorder.record([Act(client, events)])
                if receipt.problem:
                    raise DeppaError(receipt.problem)
                count += events[0].what != "shown"
        if not answers:
            break
    session.wait()
    session.advance(wait=True)  # who looks at the session now sees what is asked next
    return count


def _events(answer: Answer, name: str, clock: int) -> Iterator[tuple[Event, ...]]:
    """Yield acts: the question, then one for each word, or the choice of a tree."""
    query = answer.query
    task: Task = "full" if query.kind == "tree" else "partial"
    seconds = 0.0 if answer.seconds != answer.seconds else answer.seconds
    step = round(1000 * seconds / max(len(query.tokens), 1))
    shown = Event("shown", name, None, task, how="simulated", ms=clock)
    yield (shown,)
    if query.trees is not None:
        trees = tuple(tuple(tree[1:].tolist()) for tree in query.trees)
        choice = next(said for said, value in CHOICES.items() if value == answer.choice)
        yield (replace(shown, what="tree", new=choice, trees=trees, ms=clock + step),)
        return
    for place, m in enumerate(query.tokens):
        one = replace(shown, token=m, ms=clock + step * (place + 1))
        head = answer.heads[place] if answer.heads else -1
        label = answer.labels[place] if answer.labels else "_"
        given = [replace(one, what="head", new=head)] if head >= 0 else []
        if label != "_":
            given.append(replace(one, what="label", new=label))
        yield tuple(given) or (replace(one, what="skip"),)
