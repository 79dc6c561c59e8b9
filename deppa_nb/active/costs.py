"""What annotation costs: dependencies, questions, keys, seconds, words read."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np

from deppa_nb.active.log import Log
from deppa_nb.active.queries import Answer
from deppa_nb.active.timing import fitted_rates
from deppa_nb.errors import ParameterError

__all__ = ["Cost", "Rates"]

_ONE_KEY = 9  # heads that have a key of their own, the likeliest first


@dataclass(frozen=True)
class Cost:
    """Costs in every unit; they can be added.

    >>> Cost(dependencies=3, seconds=20.1) + Cost(dependencies=1)
    Cost(dependencies=4, queries=0, keystrokes=0, seconds=20.1, words_read=0)
    """

    dependencies: int = 0
    queries: int = 0
    keystrokes: int = 0
    seconds: float = 0.0
    words_read: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True)
class Rates:
    """How long people take.

    Attributes
    ----------
    full, partial
        Seconds for a head when whole trees are given, and when some words are asked for. By default
        the means of the six people of Li et al. (2016, Table 3).
    preference
        Seconds for a choice between two trees; no paper says, by default as for a head.
    reading
        Seconds for each word of a sentence that is looked at, besides.
    """

    full: float = 6.7
    partial: float = 13.6
    preference: float = 13.6
    reading: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 <= value < float("inf"):
                raise ParameterError(f"{name} is {value}, expected seconds from 0")

    @classmethod
    def fitted(cls, logs: Sequence[Log], *, reading: float = 0.0) -> "Rates":
        """Return the mean rates of the people of some logs, see `timing.fitted_rates`."""
        by_person = fitted_rates(logs).values()
        known = {
            task: float(np.mean([rates[task] for rates in by_person if task in rates]))
            for task in ("full", "partial")
            if any(task in rates for rates in by_person)
        }
        return cls(**known, reading=reading)

    def price(self, answer: Answer, length: int, given: int) -> Cost:
        """Return what an answer costs.

        Parameters
        ----------
        answer
            With the seconds it took, if they are known; else they follow from the rates.
        length
            Words of the sentence.
        given
            How many of its words the answer decided.
        """
        kind = answer.query.kind
        rate = self.full if kind == "tree" else self.partial
        seconds = self.preference if kind == "preference" else rate * given
        seconds = answer.seconds if answer.seconds == answer.seconds else seconds
        keys = 1 if kind == "preference" else keystrokes(answer)
        return Cost(given, 1, keys, seconds + self.reading * length, length)


def keystrokes(answer: Answer) -> int:
    """Return how many keys an answer takes: one for a listed head, two for another or a click.

    A label takes two more, except if the query is about labels alone.
    """
    keys = 0
    for place, head in enumerate(answer.heads):
        listed = answer.query.candidates[place][:_ONE_KEY] if answer.query.candidates else ()
        known = not listed or head == 0 or head in [candidate for candidate, _ in listed]
        keys += 0 if head < 0 else 1 if known else 2
    labels = sum(label != "_" for label in answer.labels)
    return keys + (labels if answer.query.kind == "labels" else 2 * labels)
