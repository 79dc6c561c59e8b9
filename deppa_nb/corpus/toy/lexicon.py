"""The data files, compiled: classes of words, what they allow, their forms, and the grammar."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeVar

import yaml

from deppa_nb.corpus.toy import checks
from deppa_nb.corpus.toy.classes import Frame, Noun, NounClass, VerbClass, weighted
from deppa_nb.corpus.toy.dice import Table
from deppa_nb.corpus.toy.patterns import Pattern, parse, table
from deppa_nb.corpus.toy.tree import Pair

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Item = TypeVar("Item")


def read(name: str) -> dict[str, Any]:
    """Return one of the data files as a dictionary."""
    text = files(__package__).joinpath("data", f"{name}.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.load(text, Loader=_LOADER)
    return data


def _table(text: str) -> Table[str]:
    """Read ``the*4 a*2`` into a table with these weights, ``the a`` into one by rank."""
    return _drawn(weighted(text)) if "*" in text else Table(text.split())


def _drawn(rows: list[tuple[Item, int]]) -> Table[Item]:
    return Table([item for item, _ in rows], [weight for _, weight in rows])


Choice = tuple[VerbClass, Frame]


class Tail(NamedTuple):
    """What may follow a main clause, and the site where another word competes for it."""

    weight: int
    needs: list[set[str]]
    pattern: Pattern
    site: str


def _tail(weight: int, needs: str, text: str, site: str = "") -> Tail:
    return Tail(weight, [set(need.split("|")) for need in needs.split()], parse(text), site)


class Lexicon:
    """All word classes and rules.

    A parser sees the verb, not its class; so what a verb allows (`verb_allows`, `verb_adverbs`,
    `verb_reasons`, `verb_subjects`) is the union over the classes it is in. `frames` holds what
    can be drawn in a scene for a use, once with and once without verbs that take a clause;
    `relatives` what a noun class can be the subject or object of in a relative clause.
    """

    def __init__(self) -> None:
        grammar, words = read("grammar"), read("words")
        phrases = {name: {"patterns": rows} for name, rows in grammar["phrases"].items()}
        entries = {**read("names"), **read("nouns"), **phrases}
        checks.check_grammar(grammar, words, entries)
        self._read_grammar(grammar)
        self._read_words(words)
        self.nouns: dict[str, NounClass] = {}
        for name, data in entries.items():
            checks.check_noun(name, data, entries, self)
            self.nouns[name] = NounClass(name, data, self)
        self.class_of = checks.owners(self.nouns)
        self.verbs: dict[str, VerbClass] = {}
        everywhere = " ".join(scene for scene in grammar["scenes"] if scene != "news")
        drawn: dict[tuple[str, str, bool], list[tuple[Choice, int]]] = defaultdict(list)
        related: dict[tuple[str, str, str], list[tuple[Choice, int]]] = defaultdict(list)
        for name, data in read("verbs").items():
            checks.check_verb(self, name, data, grammar)
            cls = self.verbs[name] = VerbClass(name, data, self)
            checks.check_frames(self, cls)
            self._allow(cls)
            for scene in data.get("scene", everywhere).split():
                for frame in cls.frames:
                    choice = (cls, frame), cls.weight
                    for use in cls.uses:
                        for nested in (False, True)[: 2 - cls.clausal]:
                            drawn[scene, use, nested].append(choice)
                    for noun, role in self._roles(cls, frame):
                        related[scene, noun, role].append(choice)
        self.frames = {key: _drawn(rows) for key, rows in drawn.items()}
        self.relatives = {key: _drawn(rows) for key, rows in related.items()}
        self.time_table, self.times = self.phrases("+time")

    def _read_grammar(self, grammar: dict[str, Any]) -> None:
        self._choices: dict[str, Table[str]] = {}
        self._included: dict[str, frozenset[str]] = {}
        self.groups = {name: weighted(text) for name, text in grammar["groups"].items()}
        scenes = grammar["scenes"]
        self.groups |= {f"{s}.human": weighted(row["human"]) for s, row in scenes.items()}
        self.scenes = _drawn([(scene, row["weight"]) for scene, row in scenes.items()])
        self.rules = {name: table(rows) for name, rows in grammar["rules"].items()}
        self.reasons = {kind: table(rows) for kind, rows in grammar["reasons"].items()}
        self.tails = {
            kind: [_tail(*row) for row in rows] for kind, rows in grammar["tails"].items()
        }
        self.predicates = {
            scene: _drawn([(r[2].split(), r[0]) for r in rows if scene in r[1].split()])
            for scene in scenes
            if (rows := grammar["predicates"])
        }
        self.sites: dict[str, dict[str, Any]] = grammar["sites"]
        self.rates: dict[str, list[int]] = grammar["rates"]
        self.rich = Table(range(4), self.rates["rich"])
        self.tenses: dict[str, list[Any]] = grammar["tenses"]
        self.tense_table = _drawn([(tense, row[0]) for tense, row in self.tenses.items()])
        self.steady: dict[str, dict[str, str]] = grammar["steady"]

    def _read_words(self, words: dict[str, Any]) -> None:
        self.adjectives = {name: _table(text) for name, text in words["adjectives"].items()}
        self.adverbs = {name: _table(text) for name, text in words["adverbs"].items()}
        self.closed = {name: _table(text) for name, text in words["closed"].items()}
        self.determiners = {
            name: [_table(part) for part in text.split("|")]
            for name, text in words["determiners"].items()
        }
        self.contracted: dict[str, str] = words["contracted"]
        self.negated: dict[str, str] = words["negated"]
        self.pronouns = {word: text.split() for word, text in words["pronouns"].items()}
        self.upos = {tag: text.split()[0] for tag, text in words["tags"].items()}
        self.features = {tag: text.split()[1] for tag, text in words["tags"].items()}
        self.ungraded = frozenset(words["ungraded"].split())
        self.gender = {noun: word for word in ("she", "he") for noun in words[word].split()}
        self.articles: dict[str, str] = words["articles"]
        self.inflection: dict[str, list[list[str]]] = words["inflection"]
        self.confusion: dict[str, str] = words["confusion"]
        keys = [key.rpartition("/") for key in words["forms"]]
        forms = words["forms"].values()
        self.forms: dict[Pair, str] = {(k[0], k[2]): f for k, f in zip(keys, forms, strict=True)}
        self.verb_allows: dict[str, frozenset[Pair]] = defaultdict(frozenset)
        self.verb_adverbs: dict[str, set[str]] = defaultdict(set)
        self.verb_reasons: dict[str, set[str]] = defaultdict(set)
        self.verb_subjects: dict[str, set[str]] = defaultdict(set)
        self.ditransitive = set(words["ditransitive"].split())

    def members(self, name: str) -> list[tuple[str, int]]:
        """Return the classes of a group (or the class itself) with weights."""
        if name not in self.groups:
            return [(name, 1)]
        return [
            (inner, weight * share)
            for member, weight in self.groups[name]
            for inner, share in self.members(member)
        ]

    def includes(self, group: str, name: str) -> bool:
        """Whether a class is in a group (or is the class)."""
        if group not in self._included:
            self._included[group] = frozenset(member for member, _ in self.members(group))
        return name in self._included[group]

    def choices(self, name: str, scene: str = "") -> Table[str]:
        """Return the table of classes from which a class or group is drawn in a scene."""
        special = f"{scene}.{name}"
        key = special if special in self.groups else name
        if key not in self._choices:
            self._choices[key] = _drawn(self.members(key))
        return self._choices[key]

    def phrases(self, text: str) -> tuple[Table[Pair] | None, frozenset[Pair]]:
        """Read ``with/tool*3 +time`` into a table of pairs and the set of them."""
        pairs: dict[Pair, int] = defaultdict(int)
        for item, weight in weighted(text):
            for pair, share in self.groups[item[1:]] if item[0] == "+" else [(item, 7)]:
                prep, _, group = pair.partition("/")
                members = self.members(group)
                total = sum(part for _, part in members)
                for cls, part in members:
                    pairs[prep, cls] += 60 * share * weight * part // total
        return (_drawn(list(pairs.items())) if pairs else None), frozenset(pairs)

    def noun(self, text: str, mass: bool) -> Noun:
        """Read a noun of nouns.yaml and keep its irregular plural."""
        lemma, _, plural = text.rstrip("!~").partition("=")
        only = text.endswith("~")
        if plural or only:
            self.forms[lemma, "NNS"] = plural or lemma
        return Noun(lemma, "plural" if only else "mass" if mass or text[-1] == "!" else "count")

    def verb(self, text: str) -> str:
        """Read a verb of verbs.yaml and keep its irregular forms."""
        lemma, *parts = text.rstrip("+").split("/")
        if text.endswith("+"):
            parts = [lemma + lemma[-1] + "ed"] * 2
            self.forms[lemma, "VBG"] = lemma + lemma[-1] + "ing"
        if parts:
            self.forms[lemma, "VBD"], self.forms[lemma, "VBN"] = parts
        return lemma

    def _allow(self, cls: VerbClass) -> None:
        """Add what a class allows to what its verbs allow."""
        parts = [part for frame in cls.frames for part in frame.parts if part.kind == "obl"]
        pairs = {(part.prep, member) for part in parts for member, _ in self.members(part.cls)}
        for word in cls.words.items:
            self.verb_allows[word] |= pairs.union(cls.pps.items if cls.pps else ())
            self.verb_adverbs[word] |= {w for kind in cls.adverbs for w in self.adverbs[kind].items}
            self.verb_reasons[word] |= set(cls.reasons)
            self.verb_subjects[word] |= {m for f in cls.frames for m, _ in self.members(f.subject)}
            if any("iobj" in frame.kinds for frame in cls.frames):
                self.ditransitive.add(word)

    def _roles(self, cls: VerbClass, frame: Frame) -> list[tuple[str, str]]:
        """Return which nouns can be what in a relative clause."""
        if "rel" not in cls.uses or cls.clausal or "adj" in frame.kinds:
            return []
        found = [(name, "nsubj") for name, _ in self.members(frame.subject)]
        if frame.kinds == ["obj"]:
            found += [(name, "obj") for name, _ in self.members(frame.parts[0].cls)]
        return found


@cache
def load() -> Lexicon:
    """Return the lexicon; read once.

    Examples
    --------
    >>> load().forms["child", "NNS"]
    'children'
    """
    return Lexicon()
