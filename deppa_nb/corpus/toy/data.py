"""The data files, read and checked: a mistake is named by file and line, or by file and keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from deppa_nb.corpus.toy.patterns import BUILDERS, REQUEST, Item, parse
from deppa_nb.errors import FormatError

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
FILES = ("words", "grammar", "names", "nouns", "verbs", "presets", "flights")
_FEW = 20


def read(name: str) -> dict[str, Any]:
    """Return one of the data files as a dictionary; a key that stands twice is refused."""
    text = files(__package__).joinpath("data", f"{name}.yaml").read_text(encoding="utf-8")
    try:
        loader = _LOADER(text)
        node = loader.get_single_node()
        _once(node, f"{name}.yaml")
        data: dict[str, Any] = loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise FormatError(f"{name}.yaml", line, f"{error.problem}") from error
    return data


def _once(node: Any, file: str) -> None:
    seen = set()
    for entry in node.value if isinstance(node, yaml.CollectionNode) else ():
        key, value = entry if isinstance(node, yaml.MappingNode) else (None, entry)
        if key is not None and key.value in seen:
            raise FormatError(file, key.start_mark.line + 1, f"{key.value} stands twice")
        seen.add(key.value if key is not None else None)
        _once(value, file)


class _Checker:
    """Finds what is wrong with the files, as schema.yaml describes them."""

    def __init__(self, data: dict[str, Any], schema: dict[str, Any]) -> None:
        self._data, self._sections, self._forms = data, schema["sections"], schema["forms"]
        self._checks: dict[str, Callable[[str], Iterator[str]]] = {
            "pattern": self._pattern,
            "request": self._request,
            "letters": _letters,
        }

    @cache  # noqa: B019 - one at a time
    def _names(self, section: str) -> Collection[str]:
        found = set()
        for place in self._sections[section].split():
            file, _, part = place.partition(".")
            keys = self._data.get(file, {})
            keys = keys.get(part) if part and file[0] != "=" else keys
            found |= {place[1:]} if file[0] == "=" else set(keys if isinstance(keys, dict) else ())
        return found

    def problems(self, value: Any, spec: Any, path: str = "") -> Iterator[str]:
        """Yield what is wrong with a value, each with the keys that lead to it."""
        if isinstance(spec, dict):
            yield from self._mapping(value, spec, path)
        elif isinstance(spec, list):
            yield from self._list(value, spec, path)
        elif ".." in spec:
            low, high = (int(number) for number in spec.split(".."))
            if type(value) is not int or not low <= value <= high:
                yield f"{path}: is {value!r}, expected a whole number from {low} to {high}"
        elif spec == "flag" or not isinstance(value, str):
            if not (spec == "flag" and isinstance(value, bool)):
                expected = "true or false" if spec == "flag" else "text"
                yield f"{path}: is {value!r}, expected {expected}"
        elif spec.startswith("names of "):
            words = [word.partition("*")[0].rstrip("!") for word in value.split()]
            found = self._unknown(words, *spec.rstrip("?").split()[2:])
            yield from (f"{path}: {problem}" for problem in found)
        elif spec in self._forms:
            yield from (f"{path}: {problem}" for problem in self._form(value, spec))
            if spec == "frame":
                yield from (f"{path}: {problem}" for problem in self._form(value, "complements"))
        elif spec != "text":
            yield from (f"{path}: {problem}" for problem in self._checks[spec](value))

    def _list(self, value: Any, spec: list[Any], path: str) -> Iterator[str]:
        row = len(spec) > 1
        least = len(spec) - (row and str(spec[-1]).endswith("?"))
        if not isinstance(value, list) or len(value) < least or (row and len(value) > len(spec)):
            expected = f"a list of {least}" + " or more" * (not row or least < len(spec))
            yield f"{path}: is {value!r}, expected {expected}"
            return
        for number, (one, part) in enumerate(
            zip(value, spec if row else spec * len(value), strict=False), 1
        ):
            yield from self.problems(one, part, f"{path}[{number}]")

    def _mapping(self, value: Any, spec: dict[str, Any], path: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{path}: is {value!r}, expected keys and values"
            return
        for key in spec:
            if key[0] != "*" and key[-1] != "?" and key not in value:
                yield f"{path}: has no {key}:"
        known = {key.rstrip("?"): part for key, part in spec.items()}
        other = next((key for key in spec if key[0] == "*"), "")
        for key, one in value.items():
            below = f"{path}.{key}".lstrip(".")
            if not isinstance(key, str):
                yield f"{below}: is no text; write it in quotes"
            elif key in known or other == "*":
                yield from self.problems(one, known.get(key, spec.get("*")), below)
            elif other:
                yield from (f"{path}: {x}" for x in self._unknown([key], *other[1:].split()))
                yield from self.problems(one, spec[other], below)
            else:
                yield f"{below}: is unknown, expected one of {', '.join(sorted(known))}"

    def _unknown(self, words: Iterable[str], *sections: str) -> Iterator[str]:
        allowed = {name for section in sections for name in self._names(section)}
        for word in words:
            if word not in allowed:
                close = get_close_matches(word, allowed) if len(allowed) > _FEW else sorted(allowed)
                expected = f"one of {', '.join(close)}" if close else f"a name of {sections[0]}"
                yield f"has {word!r}, expected {expected}"

    # -- texts with a form of their own ------------------------------------------------------
    def _form(self, text: str, form: str) -> Iterator[str]:
        split, piece, expected = self._forms[form]
        for part in re.split(split, text.strip()):
            match = re.fullmatch(piece, part)
            if match is None:
                yield f"has {part!r}, expected {expected}"
                return
            for section, name in match.groupdict().items():
                yield from self._unknown([name] if name else [], section.rstrip("2"))

    def _request(self, text: str) -> Iterator[str]:
        if set("<>[]{}") & set(REQUEST.sub(r"\5", REQUEST.sub(r"\5", text))):
            yield f"has {text!r}, expected <part>, [slot:list], [slot=words] and {{..}}?40"
        for part, _, sign, name, inner, _, _ in REQUEST.findall(text):
            yield from self._unknown([part] if part else [], "part")
            yield from self._unknown([name] if sign == ":" else [], "list")
            yield from self._request(inner)

    def _pattern(self, text: str) -> Iterator[str]:
        try:
            for item in parse(text):
                yield from self._item(item)
        except ValueError as error:
            yield str(error)

    def _item(self, item: Item) -> Iterator[str]:
        for inner in item.inner:
            yield from self._item(inner)
        yield from self._unknown([item.label] if not item.is_head else [], "label")
        if item.word and item.word != ("V",):
            if len(item.word) < 2:
                yield f"has the word {item.word[0]!r} without a tag; write word/TAG"
            yield from self._unknown(item.word[1:2], "tag")
        if item.call in BUILDERS:
            yield from self._call(item)
        elif item.call:
            yield from self._unknown([item.call], "rule")

    def _call(self, item: Item) -> Iterator[str]:
        signature, sections = BUILDERS[item.call]
        try:
            given = signature.bind(None, *item.args, **item.keys).arguments
        except TypeError as error:
            yield f"calls <{item.call}> wrongly: {error}"
            return
        for name, value in given.items():
            if name in sections:
                yield from self._unknown(str(value).split("+"), sections[name])
            elif signature.parameters[name].annotation == "int" and not isinstance(value, int):
                yield f"calls <{item.call}> with {name} {value!r}, expected a number"


def _letters(text: str) -> Iterator[str]:
    old, _, new = text.partition(" ")
    if sorted(old) != sorted(new) or len(set(old)) < len(old):
        yield f"has {text!r}, expected a row of letters and the same letters in another order"


@cache
def checked() -> dict[str, dict[str, Any]]:
    """Return all data files by name; the first mistake raises a `FormatError`."""
    data, schema = {name: read(name) for name in FILES}, read("schema")
    checker = _Checker(data, schema)
    found = [(name, x) for name in FILES for x in checker.problems(data[name], schema[name])]
    # shapes before names: where a part is broken, its names are unknown
    for name, problem in sorted(found, key=lambda entry: ": has '" in entry[1]):
        raise FormatError(f"{name}.yaml", None, problem)
    return data
