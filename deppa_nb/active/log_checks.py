"""What a line of an annotation log may say: alone, and after the lines before it."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from deppa_nb.corpus.textfile import found

__all__ = ["Checker", "problem_with_event", "problem_with_header"]

_NOTHING = type(None)
_TYPES: dict[str, tuple[type, ...]] = {
    "seq": (int,), "act": (int,), "annotator": (str,), "round": (int,),
    "sentence": (str, _NOTHING), "digest": (str, _NOTHING), "token": (int, _NOTHING),
    "what": (str,), "task": (str, _NOTHING), "old": (int, str, _NOTHING),
    "new": (int, str, _NOTHING), "trees": (list, _NOTHING), "how": (str,),
    "rank": (int, _NOTHING), "probability": (float, int, _NOTHING), "strategy": (str, _NOTHING),
    "model": (str, _NOTHING), "utc": (str,), "ms": (int,), "visible": (bool,),
    "undo_of": (int, _NOTHING), "client": (str, _NOTHING),
}  # fmt: skip
_HEADER_TYPES: dict[str, tuple[type, ...]] = {
    "format": (str,), "version": (int,), "annotator": (str,), "treebank": (str,), "digest": (str,),
}  # fmt: skip
_NAMES = {int: "a whole number", str: "text", float: "a number", bool: "true or false"}
_NAMES |= {list: "a list", _NOTHING: "null"}

# Is it said of a sentence, and of a word? (None: either way.) Which values can be given?
_KINDS: dict[str, tuple[bool | None, bool | None, tuple[object, ...]]] = {
    "shown": (True, None, (None,)),
    "head": (True, True, ()),
    "label": (True, True, ()),
    "tree": (True, False, ("A", "B", "equal")),
    "skip": (True, None, (None,)),
    "unsure": (True, None, (None,)),
    "submit": (True, False, (None,)),
    "undo": (None, None, (None,)),
    "page": (False, False, ("open", "visible", "hidden", "idle", "active")),
}
_TASKS = ("full", "partial")
_LEAST = {"seq": 1, "act": 1, "round": 0, "token": 1, "rank": 1, "ms": 0, "undo_of": 1}
_UTC = re.compile(r"\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\d\.\d{3}Z", re.ASCII)
_UNWRITABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


def problem_with_header(given: Mapping[str, Any], name: str, version: int) -> str:
    """Say what is wrong with a log's first line, "" if nothing is."""
    if given.get("format") != name:
        return f"format {_shown(given.get('format'))}, expected the header of an annotation log"
    if given.get("version") != version:
        return f"version {_shown(given.get('version'))} of the format, expected {version}"
    if problem := _problem_with_fields(given, _HEADER_TYPES):
        return problem
    return "" if given["annotator"].strip() else "annotator is empty, expected a name"


def problem_with_event(given: Mapping[str, Any]) -> str:
    """Say what is wrong with an event by itself, "" if nothing is.

    >>> problem_with_event({"seq": 1})
    "no field 'act'"
    """
    if problem := _problem_with_fields(given, _TYPES):
        return problem
    for name, least in _LEAST.items():
        if given[name] is not None and given[name] < least:
            return f"{name} is {given[name]}, expected {least} or more"
    if not _UTC.fullmatch(given["utc"]):
        return f"utc is {found(given['utc'])}, expected a time like 2026-11-17T09:30:00.000Z"
    probability = given["probability"]
    if probability is not None and not 0 <= probability <= 1:
        return f"probability is {probability}, expected 0 to 1"
    if not given["how"]:
        return "how is empty, expected key, click, simulated or the like"
    return _problem_with_kind(given) or _problem_with_values(given) or _problem_with_trees(given)


class Checker:
    """What depends on the lines before: numbers without gaps, acts in one piece, undo of what is.

    An act stands unless an undo that stands takes it back.
    """

    def __init__(self, annotator: str, before: Iterable[Mapping[str, Any]] = ()) -> None:
        self.annotator, self.seq = annotator, 0
        self._digests: dict[str, str] = {}
        self._last: tuple[int, str] = (0, "")
        self._undone: dict[int, int] = {}  # act -> how many undos of it stand
        self._undo_of: dict[int, int] = {}
        for given in before:
            self.add(given)

    def problem_with(self, given: Mapping[str, Any]) -> str:
        """Say what is wrong with the next event, "" if nothing is."""
        seq, act, target = given["seq"], given["act"], given["undo_of"]
        if seq != self.seq + 1:
            return f"seq is {seq}, expected {self.seq + 1}"
        if given["annotator"] != self.annotator:
            return f"annotator is {found(given['annotator'])}, expected {found(self.annotator)}"
        alone = {"undo", "shown", "page"} & {given["what"], self._last[1]}
        if act != seq and (alone or act != self._last[0]):
            return f"act is {act}, expected {seq}" + ("" if alone else f" or {self._last[0]}")
        if target is not None and target not in self._undone:
            return f"undo of {target}, which is no act that can be taken back"
        if target is not None and self._undone[target]:
            return f"undo of {target}, which is taken back already"
        known = self._digests.get(given["sentence"], given["digest"])
        if given["digest"] != known:
            problem = f"digest {given['digest']} of sentence {found(given['sentence'])}"
            return f"{problem}, expected {known} as before"
        return ""

    def add(self, given: Mapping[str, Any]) -> None:
        """Take the next event as one that was written."""
        self.seq, self._last = given["seq"], (given["act"], given["what"])
        if given["sentence"] is not None:
            self._digests[given["sentence"]] = given["digest"]
        if given["what"] not in ("shown", "page"):
            self._undone.setdefault(given["act"], 0)
        if given["undo_of"] is not None:
            self._undo_of[given["act"]] = given["undo_of"]
            self._count(given["undo_of"], 1)

    def _count(self, act: int, change: int) -> None:
        """Count one undo of an act more or less; if that fells or raises an undo, go on to its."""
        while True:
            before = self._undone[act]
            self._undone[act] += change
            if act not in self._undo_of or (before == 0) == (self._undone[act] == 0):
                return
            act, change = self._undo_of[act], -change


def _problem_with_fields(given: Mapping[str, Any], types: Mapping[str, tuple[type, ...]]) -> str:
    for name in given:
        if name not in types:
            return f"unknown field {found(name)}"
    for name, allowed in types.items():
        if name not in given:
            return f"no field {name!r}"
        value = given[name]
        if type(value) not in allowed:
            expected = " or ".join(_NAMES[kind] for kind in allowed)
            return f"{name} is {_shown(value)}, expected {expected}"
        if isinstance(value, str) and _UNWRITABLE.search(value):
            return f"{name} is {found(value)}, expected text without control characters"
    return ""


def _problem_with_kind(given: Mapping[str, Any]) -> str:
    what = given["what"]
    if what not in _KINDS:
        return f"what is {found(what)}, expected {', '.join(_KINDS)}"
    of_sentence, of_word, _ = _KINDS[what]
    for name, needed in (("sentence", of_sentence), ("token", of_word)):
        if needed is not None and (given[name] is not None) != needed:
            return (
                f"{what} with {name} {_shown(given[name])}, expected {'one' if needed else 'null'}"
            )
    if (given["sentence"] is None) != (given["digest"] is None):
        return "sentence or digest is null, expected both or none"
    if (given["undo_of"] is not None) != (what == "undo"):
        return f"{what} with undo_of {_shown(given['undo_of'])}, expected it with undo alone"
    task = given["task"]
    if task not in _TASKS and not (task is None and what in ("page", "undo")):
        return f"task is {_shown(task)}, expected {' or '.join(_TASKS)}"
    return ""


def _problem_with_values(given: Mapping[str, Any]) -> str:
    what, new, token = given["what"], given["new"], given["token"]
    values = _KINDS[what][2]
    if values and new not in values:
        expected = ", ".join("null" if value is None else str(value) for value in values)
        return f"{what} with new {_shown(new)}, expected {expected}"
    for name in ("old", "new"):
        value = given[name]
        if what == "head" and value is not None and (not isinstance(value, int) or value < 0):
            return f"{name} is {_shown(value)}, expected a head, 0 or more, or null"
        if what == "label" and value is not None and not _is_label(value):
            return f"{name} is {_shown(value)}, expected a label without white space, or null"
    if what == "head" and new == token:
        return f"new is {new}, the word itself, expected another word as its head"
    return ""


def _is_label(value: object) -> bool:
    """Tell whether a value can stand in a column of a file; `_` there means that it is open."""
    return isinstance(value, str) and value != "_" and value.split() == [value]


def _problem_with_trees(given: Mapping[str, Any]) -> str:
    trees = given["trees"]
    if (trees is not None) != (given["what"] == "tree"):
        return f"{given['what']} with trees {_shown(trees)}, expected them with tree alone"
    if trees is None:
        return ""
    sizes = {len(heads) if isinstance(heads, list) else 0 for heads in trees}
    if len(trees) != 2 or len(sizes) != 1 or 0 in sizes:
        return f"trees is {_shown(trees)}, expected the heads of two trees of one length"
    top = sizes.pop()
    if wrong := [h for tree in trees for h in tree if type(h) is not int or not 0 <= h <= top]:
        return f"head {_shown(wrong[0])} among the trees, expected 0 to {top}"
    return ""


def _shown(value: object) -> str:
    """Show a value as its line has it, briefly."""
    if isinstance(value, str):
        return found(value)
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:40] + "..."
