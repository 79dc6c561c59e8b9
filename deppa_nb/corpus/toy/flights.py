"""Requests for air travel with slots, in the manner of ATIS files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from deppa_nb.corpus.toy.data import checked
from deppa_nb.corpus.toy.dice import Dice, Table, admit, drawn, stream
from deppa_nb.corpus.toy.patterns import REQUEST
from deppa_nb.errors import FormatError

Words = list[tuple[str, str]]


@cache
def _table(kind: str, name: str) -> Table[str]:
    """Return what one of the ``lists``, ``parts`` or ``requests`` is drawn from."""
    rows = checked()["flights"][kind][name]
    if kind == "lists":
        return Table([phrase.strip() for phrase in rows.split("|")])
    return drawn((text, weight) for weight, text in rows)


def expand(pattern: str, dice: Dice, used: list[str]) -> Words:
    """Return the words of a pattern with their tags; a phrase of a list is not used twice.

    Examples
    --------
    >>> expand("in [city_name=new york] now", Dice(stream("x", 1, "train")), [])
    [('in', 'O'), ('new', 'B-city_name'), ('york', 'I-city_name'), ('now', 'O')]
    """
    out: Words = []
    for part, slot, sign, value, option, percent, text in REQUEST.findall(pattern):
        if part:
            out += expand(dice.pick(_table("parts", part)), dice, used)
        elif slot:
            out += _filled(slot, value if sign == "=" else _fresh(value, dice, used))
        elif percent:
            if dice.chance(int(percent)):
                out += expand(option, dice, used)
        else:
            out += [(word, "O") for word in text.split()]
    return out


def _fresh(name: str, dice: Dice, used: list[str]) -> str:
    table = _table("lists", name)
    if all(phrase.partition(",")[0] in used for phrase in table.items):
        number = f"{len(table.items)} phrase(s), a request needs more"
        raise FormatError("flights.yaml", None, f"lists.{name}: has {number}")
    phrase = dice.pick(table)
    while phrase.partition(",")[0] in used:
        phrase = dice.pick(table)
    used.append(phrase.partition(",")[0])
    return phrase


def _filled(slot: str, phrase: str) -> Words:
    city, _, state = phrase.partition(", ")
    if state:
        return _filled(slot, city) + _filled(slot.replace("city_name", "state_name"), state)
    return [(word, ("I-" if place else "B-") + slot) for place, word in enumerate(phrase.split())]


def requests(name: str, seed: int, split: str) -> Iterator[str]:
    """Yield requests without end, one line each: words, a tab, tags and the intent."""
    dice, takes = Dice(stream(name, seed, split)), admit(split)
    intents = drawn(checked()["flights"]["weights"].items())
    while True:
        intent = dice.pick(intents)
        words = expand(dice.pick(_table("requests", intent)), dice, [])
        text = " ".join(word for word, _ in words)
        tags = " ".join(tag for _, tag in words)
        if takes(text):
            yield f"BOS {text} EOS\tO {tags} {intent}\n"
