"""What can be wrong with a verb class, said in a line that tells what to change."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deppa_nb.corpus.toy.lexicon import Lexicon

__all__ = ["check_verb"]

_KEYS = {"words", "frame", "pp", "adv", "why", "uses", "scene", "weight", "state"}
_NEEDED = ("words", "frame", "weight")
_USES = {"main", "imp", "inf", "ing", "pass", "rel", "goal", "there"}


def check_verb(lexicon: Lexicon, name: str, data: dict[str, Any], grammar: dict[str, Any]) -> None:
    """Raise ValueError for the first thing that is wrong with an entry of verbs.yaml."""
    for problem in _problems(lexicon, data, grammar):
        raise ValueError(f"toy lexicon: {name} in verbs.yaml {problem}")


def _problems(lexicon: Lexicon, data: dict[str, Any], grammar: dict[str, Any]) -> Iterator[str]:
    for key in sorted(set(data) - _KEYS):
        yield f"has {key}:, expected one of {', '.join(sorted(_KEYS))}"
    for key in _NEEDED:
        if key not in data:
            yield f"has no {key}:"
    yield from _unknown(data, "uses", _USES)
    yield from _unknown(data, "scene", grammar["scenes"])
    yield from _unknown(data, "adv", lexicon.adverbs)
    yield from _unknown(data, "why", {*grammar["reasons"], "purpose"})
    for frame in data["frame"].split("|"):
        subject, verb, _ = frame.strip().partition(" V")
        if not verb:
            yield f"has the frame {frame.strip()!r}, expected: subject V complements"
        yield from _undefined(lexicon, subject)
    for item in data.get("pp", "").split():
        group = item.partition("*")[0]
        if group.startswith("+"):
            if group[1:] not in lexicon.groups:
                yield f"names the unknown group {group[1:]}"
        elif "/" not in group:
            yield f"has {item!r} among pp:, expected preposition/class"
        else:
            yield from _undefined(lexicon, group.partition("/")[2])


def _unknown(data: dict[str, Any], key: str, known: Collection[str]) -> Iterator[str]:
    for word in str(data.get(key, "")).split():
        if word not in known:
            yield f"has {word} among {key}:, expected some of {', '.join(sorted(known))}"


def _undefined(lexicon: Lexicon, group: str) -> Iterator[str]:
    for member, _ in lexicon.members(group):
        if member not in lexicon.nouns:
            yield f"names the unknown class {member}"
