"""Patterns of grammar.yaml: dependency trees written as ``label:what`` items in English order."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import Signature, signature
from typing import Any, NamedTuple, TypeVar

from deppa_nb.corpus.toy.dice import Table, drawn

_ITEM = re.compile(r"(?P<label>\*|[a-z]+(?::[a-z]+)?):(?P<what>.+?)(?:\?(?P<chance>\d+))?$")
# <part>, [slot:list], [slot=words], {optional}?40 and plain words of flights.yaml
REQUEST = re.compile(r"<(\w+)>|\[([\w.]+)([:=])([^\]]+)\]|\{([^{}]*)\}\?(\d+)|([^<\[{]+)")
Method = TypeVar("Method", bound=Callable[..., Any])

BUILDERS: dict[str, tuple[Signature, dict[str, str]]] = {}


def builder(**sections: str) -> Callable[[Method], Method]:
    """Mark a method that patterns may call, and say which names its arguments may have."""

    def mark(method: Method) -> Method:
        BUILDERS[method.__name__] = signature(method), sections
        return method

    return mark


class Item(NamedTuple):
    """One item: a word, a builder call or a subtree, with its label and its chance."""

    label: str
    chance: int
    word: tuple[str, ...] = ()
    call: str = ""
    args: tuple[int | str, ...] = ()
    keys: dict[str, Any] = {}  # noqa: RUF012 - never changed
    inner: tuple[Item, ...] = ()

    @property
    def is_head(self) -> bool:
        """Whether the other items of the pattern depend on this one."""
        return self.label == "*"


Pattern = tuple[Item, ...]


def _split(text: str) -> list[str]:
    """Split at spaces outside brackets of either kind."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in "(<") - (char in ")>")
        if char == " " and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    if depth:
        raise ValueError(f"the pattern {text!r} has a bracket without its other half")
    return [part for part in parts if part]


def _value(text: str) -> int | str:
    return int(text) if text.isdigit() else text


def _item(text: str) -> Item:
    match = _ITEM.match(text)
    if match is None:
        raise ValueError(f"cannot read the item {text!r}; write label:what")
    label, what, chance = match["label"], match["what"], int(match["chance"] or 100)
    if what[0] + what[-1] == "()":
        return Item(label, chance, inner=parse(what[1:-1]))
    if what[0] != "<" or what[-1] != ">" or not what[1:-1].strip():
        return Item(label, chance, word=tuple(what.split("/")))
    call, *given = what[1:-1].split()
    pairs = [item.partition("=") for item in given if "=" in item]
    keys = {key: _value(value) for key, _, value in pairs}
    args = tuple(_value(item) for item in given if "=" not in item)
    return Item(label, chance, call=call, args=args, keys=keys)


def parse(text: str) -> Pattern:
    """Read one pattern: items ``label:what`` separated by spaces; exactly one label is ``*``.

    Examples
    --------
    >>> [item.label for item in parse("det:the/DT *:<np dish> nmod:(case:of/IN *:wood/NN)?30")]
    ['det', '*', 'nmod']
    """
    items = tuple(_item(part) for part in _split(text))
    if sum(item.is_head for item in items) != 1:
        raise ValueError(f"the pattern {text!r} needs exactly one head item '*:'")
    return items


def table(rows: list[Any]) -> Table[Pattern]:
    """Read ``[[weight, pattern], ...]`` into a table of patterns."""
    return drawn((parse(text), weight) for weight, text in rows)
