"""What can be wrong with an entry of the data files, said in a line that tells what to change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from deppa_nb.corpus.toy.patterns import Pattern, parse

if TYPE_CHECKING:
    from deppa_nb.corpus.toy.classes import NounClass, VerbClass
    from deppa_nb.corpus.toy.lexicon import Lexicon

_VERB = set("words frame pp adv why uses scene weight state accident step control".split())
_NOUN = set("words mass adj pp compound outer of pron det plural entity then patterns".split())
_USES = set("main imp inf ing pass rel goal there".split())
CALLS = set(
    "np bare adj adv num closed pro poss does clause second when timepp exists reason".split()
)


def _refuse(problems: Iterable[str], name: str, file: str) -> None:
    for problem in problems:
        raise ValueError(f"toy lexicon: {name} in {file}.yaml {problem}")


def _keys(data: dict[str, Any], known: Collection[str], needed: str = "") -> Iterator[str]:
    for key in sorted(set(data) - set(known)):
        yield f"has {key}:, expected one of {', '.join(sorted(known))}"
    yield from (f"has no {key}:" for key in needed.split() if key not in data)


def _among(data: dict[str, Any], **known: Collection[str]) -> Iterator[str]:
    for key, words in known.items():
        for word in str(data.get(key, "")).split():
            if word not in words:
                yield f"has {word} among {key}:, expected some of {', '.join(sorted(words))}"


def _classes(lexicon: Lexicon, groups: Iterable[str], known: Collection[str]) -> Iterator[str]:
    for group in groups:
        for member, _ in lexicon.members(group):
            if member not in known:
                yield f"names the unknown class {member}"


def _phrases(lexicon: Lexicon, data: dict[str, Any], known: Collection[str]) -> Iterator[str]:
    for item in data.get("pp", "").split():
        group = item.partition("*")[0]
        if group.startswith("+"):
            if group[1:] not in lexicon.groups:
                yield f"names the unknown group {group[1:]}"
        elif "/" not in group:
            yield f"has {item!r} among pp:, expected preposition/class"
        else:
            yield from _classes(lexicon, [group.partition("/")[2]], known)


def check_verb(lexicon: Lexicon, name: str, data: dict[str, Any], grammar: dict[str, Any]) -> None:
    """Raise ValueError for the first thing that is wrong with an entry of verbs.yaml."""
    _refuse(_keys(data, _VERB, "words frame weight"), name, "verbs")
    why = {*grammar["reasons"], "purpose"}
    known = _among(data, uses=_USES, scene=grammar["scenes"], adv=lexicon.adverbs, why=why)
    _refuse(known, name, "verbs")
    for frame in data["frame"].split("|"):
        subject, verb, _ = frame.strip().partition(" V")
        if not verb:
            problem = f"has the frame {frame.strip()!r}, expected: subject V complements"
            _refuse([problem], name, "verbs")
        _refuse(_classes(lexicon, [subject], lexicon.nouns), name, "verbs")
    _refuse(_phrases(lexicon, data, lexicon.nouns), name, "verbs")


def check_frames(lexicon: Lexicon, verb: VerbClass) -> None:
    """Refuse a frame of unknown classes, or whose object could take the verb's complement."""
    for frame in verb.frames:
        nouns = [part.cls for part in frame.parts if part.kind in ("obj", "iobj", "obl")]
        _refuse(_classes(lexicon, nouns, lexicon.nouns), verb.name, "verbs")
        objects = [m for p in frame.parts if p.kind == "obj" for m, _ in lexicon.members(p.cls)]
        for part in (part for part in frame.parts if part.kind == "obl"):
            for member, _ in lexicon.members(part.cls):
                for name in objects:
                    if (part.prep, member) in lexicon.nouns[name].allows:
                        problem = f"has an object that competes: {name} takes {part.prep}/{member}"
                        _refuse([f"{problem} itself; change one of them"], verb.name, "verbs")


def check_noun(name: str, data: dict[str, Any], known: Collection[str], lexicon: Lexicon) -> None:
    """Raise ValueError for the first thing that is wrong with a class of nouns or names."""
    file = "grammar" if "patterns" in data else "names" if name.isupper() else "nouns"
    _refuse(_keys(data, _NOUN, "" if "patterns" in data else "words"), name, file)
    det, pron = lexicon.determiners, lexicon.pronouns
    _refuse(_among(data, adj=lexicon.adjectives, det=det, pron=pron), name, file)
    _refuse(_phrases(lexicon, data, known), name, file)
    groups = " ".join(data.get(key, "") for key in ("of", "compound", "outer")).split()
    _refuse(_classes(lexicon, groups, known), name, file)


def owners(nouns: dict[str, NounClass]) -> dict[str, str]:
    """Return the class of every noun; refuse a second one."""
    found: dict[str, str] = {}
    for name, cls in nouns.items():
        for noun in cls.words.items if name.islower() else ():
            other = found.setdefault(noun.lemma, name)
            if other != name:
                problem = f"has {noun.lemma}, which also stands in {other}"
                _refuse([f"{problem}; a noun may have one class only"], name, "nouns")
    return found


def check_grammar(grammar: dict[str, Any], words: dict[str, Any], nouns: Collection[str]) -> None:
    """Raise ValueError for the first thing that is wrong with grammar.yaml."""
    classes = {*nouns, *grammar["groups"]}
    known = {"np": classes, "bare": classes, "adj": words["adjectives"], "adv": words["adverbs"]}
    known |= {"closed": words["closed"], "tag": words["tags"], "site": grammar["sites"]}
    known["call"] = CALLS | set(grammar["rules"])
    for part in ("rules", "phrases", "reasons", "tails"):
        for name, rows in grammar[part].items():
            for row in rows:
                _refuse(_row(row, known), name, "grammar")
    for name, rates in grammar["rates"].items():
        if len(rates) != 4 or not all(isinstance(rate, int) for rate in rates):
            _refuse([f"has {rates}, expected four numbers"], name, "grammar")
    for name, site in grammar["sites"].items():
        _refuse(_keys(site, site, "near keep"), name, "grammar")


def _row(row: Any, known: dict[str, Any]) -> Iterator[str]:
    if not isinstance(row, list) or not isinstance(row[0], int) or len(row) < 2:
        yield f"has {row!r}, expected [weight, pattern]"
    if len(row) > 3 and row[3] not in known["site"]:
        yield f"has the site {row[3]}, which is not among sites:"
    pattern = row[min(2, len(row) - 1)]
    try:
        yield from _items(parse(pattern), known)
    except ValueError as error:
        yield f"has {pattern!r}: {error}"


def _items(items: Pattern, known: dict[str, Any]) -> Iterator[str]:
    for item in items:
        yield from _items(item.inner, known)
        if item.call and item.call not in known["call"]:
            yield f"calls the unknown builder {item.call}"
        if item.call in known and item.args[0] not in known[item.call]:
            yield f"names the unknown class {item.args[0]}"
        if item.word and item.label != "*" and len(item.word) < 2:
            yield f"has the word {item.word[0]!r} without a tag; write word/TAG"
        if len(item.word) > 1 and item.word[1] not in known["tag"]:
            yield f"has the tag {item.word[1]}, which is not among tags: in words.yaml"
