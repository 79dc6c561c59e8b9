"""The lexicon: classes of words, what they allow, and their forms."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from deppa_nb.corpus.toy.checks import check_verb
from deppa_nb.corpus.toy.dice import Table
from deppa_nb.corpus.toy.tree import NOTHING, Pair

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DEFAULT_USES = frozenset("main imp inf ing pass rel".split())


def read(name: str) -> dict[str, Any]:
    """Return one of the data files as a dictionary."""
    text = files(__package__).joinpath("data", f"{name}.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.load(text, Loader=_LOADER)
    return data


@dataclass(frozen=True)
class Noun:
    """A noun and its number: ``count``, ``mass`` or ``plural`` (only)."""

    lemma: str
    number: str


@dataclass
class NounClass:
    """A class of nouns or names; see nouns.yaml for the meaning of the fields."""

    name: str
    words: Table[Noun]
    adjectives: Table[str] | None = None
    pps: Table[Pair] | None = None
    allows: frozenset[Pair] = NOTHING
    compounds: tuple[str, ...] = ()
    pronoun: str = "it"
    determiner: str = ""
    plural: int = 38
    entity: str = ""
    outer: tuple[str, ...] = ()
    patterns: Any = None

    @property
    def human(self) -> bool:
        """Whether the class is one of people."""
        return self.pronoun in ("he", "she")


@dataclass(frozen=True)
class Complement:
    """One complement of a frame: its kind (obj, obl, prt, inf, that ...) and its class."""

    kind: str
    cls: str = ""
    prep: str = ""


@dataclass(frozen=True)
class Frame:
    """Subject class and complements."""

    subject: str
    complements: tuple[Complement, ...]

    def has(self, *kinds: str) -> bool:
        """Whether the frame has a complement of one of these kinds."""
        return any(complement.kind in kinds for complement in self.complements)


@dataclass
class VerbClass:
    """A class of verbs; see verbs.yaml for the meaning of the fields."""

    name: str
    words: Table[str]
    frames: list[Frame]
    weight: int
    uses: frozenset[str]
    scenes: frozenset[str]
    state: bool
    pps: Table[Pair] | None
    adverbs: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass
class Lexicon:
    """All word classes, with what each verb allows summed over its classes.

    A parser sees the verb, not its class; so what a verb allows (`verb_allows`, `verb_adverbs`,
    `verb_reasons`, `verb_subjects`) is the union over the classes it is in.
    """

    groups: dict[str, list[tuple[str, int]]]
    nouns: dict[str, NounClass] = field(default_factory=dict)
    verbs: dict[str, VerbClass] = field(default_factory=dict)
    adjectives: dict[str, Table[str]] = field(default_factory=dict)
    adverbs: dict[str, Table[str]] = field(default_factory=dict)
    forms: dict[Pair, str] = field(default_factory=dict)
    verb_allows: dict[str, frozenset[Pair]] = field(default_factory=dict)
    verb_adverbs: dict[str, frozenset[str]] = field(default_factory=dict)
    verb_reasons: dict[str, frozenset[str]] = field(default_factory=dict)
    verb_subjects: dict[str, frozenset[str]] = field(default_factory=dict)
    articles: dict[str, str] = field(default_factory=dict)
    class_of: dict[str, str] = field(default_factory=dict)
    common: frozenset[str] = frozenset()
    everywhere: frozenset[str] = frozenset()
    _choices: dict[str, Table[str]] = field(default_factory=dict)

    def members(self, name: str) -> list[tuple[str, int]]:
        """Return the classes of a group (or the class itself) with weights."""
        if name not in self.groups:
            return [(name, 1)]
        return [
            (inner, weight * share)
            for member, weight in self.groups[name]
            for inner, share in self.members(member)
        ]

    def choices(self, name: str, scene: str = "") -> Table[str]:
        """Return the table of classes from which a class or group is drawn in a scene."""
        special = f"{scene}.{name}"
        if special in self.groups:
            name = special
        if name not in self._choices:
            members = self.members(name)
            self._choices[name] = Table([m for m, _ in members], [w for _, w in members])
        return self._choices[name]

    def expand_pps(self, text: str) -> tuple[Table[Pair] | None, frozenset[Pair]]:
        """Read ``with/tool*3 +time`` into a table of pairs and the set of them."""
        pairs: dict[Pair, int] = {}
        for item, weight in weighted(text):
            if item.startswith("+"):
                inner = [(pair, w * weight) for pair, w in self.groups[item[1:]]]
            else:
                inner = [(item, weight * 7)]
            for pair, share in inner:
                prep, _, group = pair.partition("/")
                for cls, _ in self.members(group):
                    pairs[prep, cls] = pairs.get((prep, cls), 0) + share
        if not pairs:
            return None, NOTHING
        return Table(list(pairs), list(pairs.values())), frozenset(pairs)


def weighted(text: str) -> list[tuple[str, int]]:
    """Read ``a*3 b`` into ``[("a", 3), ("b", 1)]``.

    Examples
    --------
    >>> weighted("a*3 b")
    [('a', 3), ('b', 1)]
    """
    pairs = [item.partition("*") for item in text.split()]
    return [(name, int(number or 1)) for name, _, number in pairs]


def _noun(text: str, mass: bool, forms: dict[Pair, str]) -> Noun:
    lemma, _, plural = text.rstrip("!~").partition("=")
    if plural:
        forms[lemma, "NNS"] = plural
    if text.endswith("~"):
        forms[lemma, "NNS"] = lemma
        return Noun(lemma, "plural")
    return Noun(lemma, "mass" if mass or text.endswith("!") else "count")


def _noun_class(lexicon: Lexicon, name: str, data: dict[str, Any]) -> NounClass:
    mass = bool(data.get("mass"))
    words = [_noun(word, mass, lexicon.forms) for word in data["words"].split()]
    text = data.get("pp", "") + "".join(f" of/{cls}*6" for cls in data.get("of", "").split())
    pps, allows = lexicon.expand_pps(text)
    adjectives = data.get("adj", "").split()
    return NounClass(
        name,
        Table(words),
        Table(adjectives) if adjectives else None,
        pps,
        allows,
        tuple(data.get("compound", "").split() + data.get("outer", "").split()),
        data.get("pron", "it"),
        data.get("det", ""),
        data.get("plural", 38),
        data.get("entity", ""),
        tuple(data.get("outer", "").split()),
    )


def _complements(text: str) -> tuple[Complement, ...]:
    found: list[Complement] = []
    for item in text.split():
        if item.startswith("-"):
            found.append(Complement("prt", prep=item[1:]))
        elif item.endswith(("-V", "-S")):
            found.append(Complement({"to-V": "inf", "ing-V": "ing"}.get(item, item[:-2])))
        elif item.startswith("="):
            found.append(Complement("adj", item[1:]))
        elif "/" in item:
            prep, _, cls = item.partition("/")
            found.append(Complement("obl", cls, prep))
        elif item == "home_adv":
            found.append(Complement("advmod", item))
        else:
            if found and found[-1].kind == "obj":
                found[-1] = Complement("iobj", found[-1].cls)
            found.append(Complement("obj", item))
    return tuple(found)


def _verb(text: str, forms: dict[Pair, str]) -> str:
    if text.endswith("+"):
        lemma = text[:-1]
        double = lemma + lemma[-1]
        forms[lemma, "VBD"] = forms[lemma, "VBN"] = double + "ed"
        forms[lemma, "VBG"] = double + "ing"
        return lemma
    lemma, *parts = text.split("/")
    if parts:
        forms[lemma, "VBD"], forms[lemma, "VBN"] = parts
    return lemma


def _verb_class(lexicon: Lexicon, name: str, data: dict[str, Any]) -> VerbClass:
    frames = []
    for text in data["frame"].split("|"):
        subject, _, rest = text.strip().partition(" V")
        frames.append(Frame(subject, _complements(rest)))
        _check(lexicon, name, frames[-1])
    words = [_verb(word, lexicon.forms) for word in data["words"].split()]
    uses = frozenset(data["uses"].split()) if "uses" in data else DEFAULT_USES
    verb_class = VerbClass(
        name,
        Table(words),
        frames,
        data["weight"],
        uses,
        frozenset(data.get("scene", "").split()) or lexicon.everywhere,
        bool(data.get("state")),
        lexicon.expand_pps(data.get("pp", ""))[0],
        tuple(data.get("adv", "").split()),
        tuple(data.get("why", "").split()),
    )
    for word in words:
        _allow(lexicon, word, verb_class)
    return verb_class


def _check(lexicon: Lexicon, verb: str, frame: Frame) -> None:
    """Refuse a frame whose object could itself take the verb's complement."""
    objects = [
        m for part in frame.complements if part.kind == "obj" for m, _ in lexicon.members(part.cls)
    ]
    for part in frame.complements:
        if part.kind in ("obj", "iobj", "obl", "advmod"):
            for member, _ in lexicon.members(part.cls):
                if member not in lexicon.nouns:
                    raise ValueError(
                        f"toy lexicon: {verb} in verbs.yaml names the unknown class {member}"
                    )
        for member, _ in lexicon.members(part.cls) if part.kind == "obl" else ():
            for name in objects:
                if (part.prep, member) in lexicon.nouns[name].allows:
                    raise ValueError(
                        f"toy lexicon: {name} takes {part.prep}/{member} itself; "
                        f"change nouns.yaml or the frame of {verb} in verbs.yaml"
                    )


def _allow(lexicon: Lexicon, word: str, cls: VerbClass) -> None:
    pairs = set(cls.pps.items) if cls.pps else set()
    for frame in cls.frames:
        for part in frame.complements:
            if part.kind == "obl":
                pairs |= {(part.prep, member) for member, _ in lexicon.members(part.cls)}
    adverbs = {word for name in cls.adverbs for word in lexicon.adverbs[name].items}
    subjects = {m for frame in cls.frames for m, _ in lexicon.members(frame.subject)}
    lexicon.verb_allows[word] = lexicon.verb_allows.get(word, NOTHING) | pairs
    for store, new in (
        (lexicon.verb_adverbs, adverbs),
        (lexicon.verb_reasons, set(cls.reasons)),
        (lexicon.verb_subjects, subjects),
    ):
        store[word] = store.get(word, frozenset()) | new


@cache
def load() -> Lexicon:
    """Return the lexicon; read once.

    Examples
    --------
    >>> load().forms["child", "NNS"]
    'children'
    """
    grammar, words, names = read("grammar"), read("words"), read("names")
    lexicon = Lexicon({name: weighted(text) for name, text in grammar["groups"].items()})
    for scene, data in grammar["scenes"].items():
        lexicon.groups[f"{scene}.human"] = weighted(data["human"])
    lexicon.everywhere = frozenset(grammar["scenes"]) - {"news"}
    lexicon.groups["PERSON"] = [(name, 1) for name in names.pop("PERSON")["union"].split()[:2]]
    lexicon.adjectives = {k: Table(v.split()) for k, v in words["adjectives"].items()}
    lexicon.adverbs = {k: Table(v.split()) for k, v in words["adverbs"].items()}
    lexicon.articles = words["articles"]
    for key, form in words["forms"].items():
        lemma, _, tag = key.partition("/")
        lexicon.forms[lemma, tag] = form
    for name, patterns in grammar["phrases"].items():
        lexicon.nouns[name] = NounClass(name, Table([]), patterns=patterns)
    for name, data in {**names, **read("nouns")}.items():
        lexicon.nouns[name] = _noun_class(lexicon, name, data)
    lexicon.common = frozenset(name for name in lexicon.nouns if name.islower())
    _known(lexicon)
    for name, data in read("verbs").items():
        check_verb(lexicon, name, data, grammar)
        lexicon.verbs[name] = _verb_class(lexicon, name, data)
    return lexicon


def _known(lexicon: Lexicon) -> None:
    """Note the class of every noun; refuse a second one, and classes nobody has defined."""
    owner = lexicon.class_of
    for name, cls in lexicon.nouns.items():
        named = {pair[1] for pair in cls.allows} | {
            member for group in cls.compounds for member, _ in lexicon.members(group)
        }
        for other in sorted(named - set(lexicon.nouns)):
            raise ValueError(f"toy lexicon: {name} in nouns.yaml names the unknown class {other}")
        for noun in cls.words.items if name in lexicon.common else ():
            if owner.setdefault(noun.lemma, name) != name:
                raise ValueError(
                    f"toy lexicon: {noun.lemma} stands in {owner[noun.lemma]} and "
                    f"{name}; a noun may have one class only"
                )
