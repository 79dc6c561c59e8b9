"""The data files, read and checked: a mistake is named by file and line, or by file and keys."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from deppa_nb.corpus.toy.patterns import BUILDERS, REQUEST, Item, parse
from deppa_nb.errors import FormatError

FILES = ("words", "grammar", "names", "nouns", "verbs", "presets", "flights")
_FEW = 20


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Refuses a key that stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.MarkedYAMLError(None, None, f"{key.value} stands twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def read(name: str) -> dict[str, Any]:
    """Return one of the data files as a dictionary."""
    try:
        text = files(__package__).joinpath("data", f"{name}.yaml").read_text(encoding="utf-8")
        data: dict[str, Any] = yaml.load(text, _Loader)
    except OSError as error:
        raise FormatError(f"{name}.yaml", None, f"cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{name}.yaml", None, f"not in UTF-8 ({error})") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise FormatError(f"{name}.yaml", line, f"{error.problem}") from error
    return data


class _Checker:
    """Finds what is wrong with the files, as schema.yaml describes them."""

    def __init__(self, data: dict[str, Any], schema: dict[str, Any]) -> None:
        self._data, self._sections, self._forms = data, schema["sections"], schema["forms"]

    @cache  # noqa: B019 - one at a time
    def _names(self, section: str) -> Collection[str]:
        found = set()
        for place in self._sections[section].split():
            file, _, part = place.partition(".")
            keys = self._data.get(file, {})
            keys = keys.get(part) if part and file[0] != "=" else keys
            names = (
                {place[1:]} if file[0] == "=" else keys.split() if isinstance(keys, str) else keys
            )
            found |= set(names) if isinstance(names, Collection) else set()
        return found

    def problems(self, value: Any, spec: Any, path: str = "") -> Iterator[str]:
        """Yield what is wrong with a value, each with the keys that lead to it."""
        if isinstance(spec, dict):
            yield from self._mapping(value, spec, path)
        elif isinstance(spec, list):
            yield from self._list(value, spec, path)
        else:
            yield from (f"{path}: {problem}" for problem in self._single(value, spec))

    def _single(self, value: Any, spec: str) -> Iterator[str]:
        if ".." in spec:
            low, high = (int(number) for number in spec.split(".."))
            if type(value) is not int or not low <= value <= high:
                yield f"is {value!r}, expected a whole number from {low} to {high}"
        elif spec == "flag":
            if not isinstance(value, bool):
                yield f"is {value!r}, expected true or false"
        elif not isinstance(value, str):
            yield f"is {value!r}, expected text"
        elif spec.startswith("names of "):
            words = [word.partition("*")[0].rstrip("!") for word in value.split()]
            yield from self._unknown(words, *spec.rstrip("?").split()[2:])
        elif spec in self._forms:
            yield from self._form(value, spec)
        elif spec != "text":
            yield from getattr(self, f"_{spec}")(value)

    def _list(self, value: Any, spec: list[Any], path: str) -> Iterator[str]:
        row, least = len(spec) > 1, len(spec) - str(spec[-1]).endswith("?")
        if not isinstance(value, list) or len(value) < least or (row and len(value) > len(spec)):
            expected = f"a list of {least}" + " or more" * (not row or least < len(spec))
            yield f"{path}: is {value!r}, expected {expected}"
            return
        parts = spec if row else spec * len(value)
        for number, (one, part) in enumerate(zip(value, parts, strict=False), 1):
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
            elif key not in known and not other:
                yield f"{below}: is unknown, expected one of {', '.join(sorted(known))}"
            else:
                if key not in known and other != "*":
                    yield from (f"{path}: {x}" for x in self._unknown([key], *other[1:].split()))
                yield from self.problems(one, known.get(key, spec.get(other)), below)

    def _unknown(self, words: Iterable[str], *sections: str) -> Iterator[str]:
        allowed = {name for section in sections for name in self._names(section)}
        for word in words:
            if word not in allowed:
                close = get_close_matches(word, allowed) if len(allowed) > _FEW else sorted(allowed)
                expected = f"one of {', '.join(close)}" if close else f"a name of {sections[0]}"
                yield f"has {word!r}, expected {expected}"

    # -- texts with a form of their own ------------------------------------------------------
    def _form(self, text: str, form: str) -> Iterator[str]:
        for split, piece, expected in self._forms[form]:
            for part in re.split(split, text.strip()):
                match = re.fullmatch(piece, part)
                if match is None:
                    yield f"has {part!r}, expected {expected}"
                    return
                for section, name in match.groupdict().items():
                    yield from self._unknown([name] * bool(name), section.rstrip("2"))

    def _letters(self, text: str) -> Iterator[str]:
        old, _, new = text.partition(" ")
        if sorted(old) != sorted(new) or len(set(old)) < len(old):
            yield f"has {text!r}, expected a row of letters and the same letters in another order"

    def _request(self, text: str) -> Iterator[str]:
        if set("<>[]{}") & set(REQUEST.sub(r"\5", REQUEST.sub(r"\5", text))):
            yield f"has {text!r}, expected <part>, [slot:list], [slot=words] and {{..}}?40"
        for part, _, sign, name, inner, _, _ in REQUEST.findall(text):
            yield from self._unknown([part] * bool(part), "part")
            yield from self._unknown([name] * (sign == ":"), "list")
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


def _cycles(contents: dict[str, set[str]]) -> Iterator[str]:
    """Yield the names of what contains itself, in one step or more."""
    for name, new in contents.items():
        inside: set[str] = set()
        while new := new - inside:
            inside |= new
            new = {inner for one in new for inner in contents.get(one, ())}  # noqa: PLW2901
        if name in inside:
            yield name


def _calls(items: Iterable[Item]) -> Iterator[str]:
    for item in items:
        yield item.call
        yield from _calls(item.inner)


def _odd(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the file and the mistake where parts are right but do not go together."""
    grammar, presets = data["grammar"], data["presets"]
    rules = {
        name: {call for _, text in rows for call in _calls(parse(text))}
        for name, rows in grammar["rules"].items()
    }
    groups = {
        name: {item.rpartition("/")[2].partition("*")[0] for item in text.split()}
        for name, text in grammar["groups"].items()
    }
    for part, contents in (("rules", rules), ("groups", groups)):
        yield from (("grammar", f"{part}.{name}: contains itself") for name in _cycles(contents))
    if not any(grammar["rates"]["rich"]):
        yield "grammar", "rates.rich: has only zeros, expected a weight above 0"
    for name, options in presets.items():
        low, high = options.get("length", (1, 1))
        if low > high:
            yield "presets", f"{name}.length: is [{low}, {high}], expected the smaller number first"
        spelt: dict[str, str] = {}
        for word, form in options.get("words", {}).items():
            if spelt.setdefault(form, word) != word:
                yield "presets", f"{name}.words: spells {spelt[form]} and {word} alike: {form}"


@cache
def checked() -> dict[str, dict[str, Any]]:
    """Return all data files by name; the first mistake raises a `FormatError`."""
    data, schema = {name: read(name) for name in FILES}, read("schema")
    checker = _Checker(data, schema)
    found = [(name, x) for name in FILES for x in checker.problems(data[name], schema[name])]
    # shapes before names: where a part is broken, its names are unknown
    found.sort(key=lambda entry: ": has '" in entry[1])
    for name, problem in found or _odd(data):
        raise FormatError(f"{name}.yaml", None, problem)
    return data
