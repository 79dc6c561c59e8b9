"""Patterns of grammar.yaml: dependency trees written as ``label:what`` items in English order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from deppa_nb.corpus.toy.dice import Table

_ITEM = re.compile(r"(?P<label>\*|[a-z]+(?::[a-z]+)?):(?P<what>.*)$")


@dataclass(frozen=True)
class Item:
    """One item: a word, a builder call or a subtree, with its label and its chance."""

    label: str
    chance: int
    word: tuple[str, ...] = ()
    call: tuple[str, ...] = ()
    inner: tuple[Item, ...] = ()

    @property
    def is_head(self) -> bool:
        """Whether the other items of the pattern depend on this one."""
        return self.label == "*"


def _split(text: str) -> list[str]:
    """Split at spaces outside brackets of either kind."""
    parts, depth, current = [], 0, ""
    for char in text:
        depth += (char in "(<") - (char in ")>")
        if char == " " and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += char
    return [part for part in (*parts, current) if part]


def _item(text: str) -> Item:
    chance = 100
    found = re.search(r"\?(\d+)$", text)
    if found:
        chance, text = int(found[1]), text[: found.start()]
    match = _ITEM.match(text)
    if match is None:
        raise ValueError(f"toy grammar: cannot read the item {text!r}; write label:what")
    label, what = match["label"], match["what"]
    if what.startswith("<"):
        return Item(label, chance, call=tuple(what[1:-1].split()))
    if what.startswith("("):
        return Item(label, chance, inner=parse(what[1:-1]))
    return Item(label, chance, word=tuple(what.split("/")))


def parse(text: str) -> tuple[Item, ...]:
    """Read one pattern.

    Parameters
    ----------
    text : str
        Items ``label:what`` separated by spaces; exactly one label is ``*``.

    Returns
    -------
    tuple of Item
        The items in order.

    Examples
    --------
    >>> [item.label for item in parse("det:the/DT *:<np dish> nmod:(case:of/IN *:wood/NN)?30")]
    ['det', '*', 'nmod']
    """
    items = tuple(_item(part) for part in _split(text))
    if sum(item.is_head for item in items) != 1:
        raise ValueError(f"toy grammar: the pattern {text!r} needs exactly one head item '*:'")
    return items


def table(alternatives: list[Any]) -> Table[tuple[Item, ...]]:
    """Read ``[[weight, pattern], ...]`` into a table of patterns."""
    return Table([parse(text) for _, text in alternatives], [weight for weight, _ in alternatives])
