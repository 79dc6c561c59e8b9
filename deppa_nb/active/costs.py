"""What annotation costs: dependencies, questions, keys, seconds, words read."""

from collections.abc import Collection
from dataclasses import astuple, dataclass

from deppa_nb.active.checks import check_number
from deppa_nb.active.queries import Answer

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
        the means of the six people of Li et al. (2016, Table 3); `timing.fitted` has those of logs.
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
            check_number(name, value, 0)

    def price(
        self, answer: Answer, length: int, new: Collection[int], *, labelled: bool = False
    ) -> Cost:
        """Return what an answer costs.

        Parameters
        ----------
        answer
            With the seconds it took, if they are known; else they follow from the rates.
        length
            Words of the sentence.
        new
            Which of its words the answer decides; the seconds of others do not count.
        labelled
            Whether labels of heads are wanted.
        """
        kind, given = answer.query.kind, answer.given
        rate = self.full if kind == "tree" else self.partial
        seconds = self.preference if kind == "preference" else rate * len(new)
        if answer.seconds == answer.seconds:
            seconds = answer.seconds * (len(new) / given if given else 1.0)
        keys = 1 if kind == "preference" else keystrokes(answer, new, labelled=labelled)
        return Cost(len(new), 1, keys, seconds + self.reading * length, length)


def keystrokes(answer: Answer, words: Collection[int], *, labelled: bool) -> int:
    """Return how many keys an answer about words takes.

    One for a head that is listed or the root, two for another; two more for its label, if labels
    are wanted; one for a label that is asked for alone.
    """
    if answer.query.kind == "labels":
        return len(words)
    keys = 0
    for place, (word, head) in enumerate(zip(answer.query.tokens, answer.heads, strict=True)):
        if word in words:
            listed = answer.query.candidates[place][:_ONE_KEY] if answer.query.candidates else ()
            known = not listed or head == 0 or head in [candidate for candidate, _ in listed]
            keys += (1 if known else 2) + (2 if labelled else 0)
    return keys
