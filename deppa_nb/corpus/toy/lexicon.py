"""The data files, compiled: classes of nouns and verbs, what they allow, forms, the grammar."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import Any, NamedTuple

from deppa_nb.corpus.toy.data import checked
from deppa_nb.corpus.toy.dice import Table, drawn
from deppa_nb.corpus.toy.patterns import Pattern, parse, table
from deppa_nb.corpus.toy.tree import Pair
from deppa_nb.errors import FormatError

CLAUSAL = frozenset(["inf", "ing", "that", "if"])


def weighted(text: str) -> list[tuple[str, int]]:
    """Read ``a*3 b`` into ``[("a", 3), ("b", 1)]``.

    Examples
    --------
    >>> weighted("a*3 b")
    [('a', 3), ('b', 1)]
    """
    pairs = [item.partition("*") for item in text.split()]
    return [(name, int(number or 1)) for name, _, number in pairs]


def _table(text: str) -> Table[str]:
    """Read ``the*4 a*2`` into a table with these weights, ``the a`` into one by rank."""
    return drawn(weighted(text)) if "*" in text else Table(text.split())


class Noun(NamedTuple):
    """A noun, its number (``count``, ``mass`` or only ``plural``), and the other words of a name.

    Those come with their labels; the words before the noun are `before`, those after it flat.
    """

    lemma: str
    number: str
    before: tuple[tuple[str, str], ...] = ()
    after: tuple[str, ...] = ()

    @property
    def parts(self) -> list[str]:
        """All words, from left to right."""
        return [*(word for word, _ in self.before), self.lemma, *self.after]


class NounClass:
    """A class of nouns, names or fixed phrases; see nouns.yaml for the meaning of the fields."""

    def __init__(self, name: str, data: dict[str, Any], lexicon: Lexicon) -> None:
        def words(key: str) -> tuple[str, ...]:
            return tuple(data.get(key, "").split())

        self.name = name
        self.words = Table([lexicon.noun(w, data.get("mass", False)) for w in words("words")])
        self.adjectives = Table(words("adj"))
        of = "".join(f" of/{cls}*20" for cls in words("of"))
        self.outer = words("outer")
        self.compounds = words("compound") + self.outer
        self.inner = self.compounds + words("inner")
        self.alone: bool = data.get("alone", False)
        self.pps, allows = lexicon.phrases(data.get("pp", "") + of)
        self.allows = allows | {("compound", cls) for cls in self.inner}
        self.pronoun: str = data.get("pron", "it")
        self.human: bool = self.pronoun != "it"
        self.determiner: str = data.get("det", "any")
        self.plural: int = data.get("plural", 38)
        self.entity: str = data.get("entity", "")
        self.then = weighted(data.get("then", ""))
        self.patterns = table(data["patterns"]) if "patterns" in data else None


class Part(NamedTuple):
    """One complement of a frame: its kind (obj, obl, prt, inf, that ...) and its class."""

    kind: str
    cls: str = ""
    prep: str = ""


def _part(item: str) -> Part:
    if item[0] in "-=":
        return Part("prt", prep=item[1:]) if item[0] == "-" else Part("adj", item[1:])
    if item.endswith(("-V", "-S")):
        return Part({"to-V": "inf", "ing-V": "ing"}.get(item, item[:-2]))
    prep, _, cls = item.rpartition("/")
    return Part("obl" if prep else "advmod" if item == "home_adv" else "obj", cls, prep)


class Frame:
    """Subject class and complements; `flags` are what patterns may ask for (``want=``)."""

    def __init__(self, text: str) -> None:
        self.subject, _, rest = text.strip().partition(" V")
        self.parts = [_part(item) for item in rest.split()]
        kinds = self.kinds = [part.kind for part in self.parts]
        if kinds == ["obj", "obj"]:
            self.parts[0] = Part("iobj", self.parts[0].cls)
            kinds[0] = "iobj"
        found = {"people": self.subject == "human", "direct": set(kinds) <= {"obj", "prt"}}
        found["rel"] = CLAUSAL.isdisjoint(kinds) and "adj" not in kinds
        found["relobj"] = kinds == ["obj"]
        self.flags = {flag for flag, holds in found.items() if holds}


class VerbClass:
    """A class of verbs; see verbs.yaml for the meaning of the fields."""

    def __init__(self, name: str, data: dict[str, Any], lexicon: Lexicon) -> None:
        self.name = name
        self.words = Table([lexicon.verb(word) for word in data["words"].split()])
        self.frames = [Frame(text) for text in data["frame"].split("|")]
        self.clausal = any(not CLAUSAL.isdisjoint(frame.kinds) for frame in self.frames)
        self.uses: list[str] = data.get("uses", "main imp inf ing pass rel").split()
        self.scenes = data["scene"].split() if "scene" in data else lexicon.usual
        self.weight = max(1, 60 * data["weight"] // len(self.frames))
        self.state: bool = data.get("state", False)
        self.accident: bool = data.get("accident", False)
        kinds = ("accident", "state", "once", "verb")  # the first that is true tells its tenses
        self.steady = next(kind for kind in kinds if data.get(kind, kind == "verb"))
        follow = data.get("next", "").split()
        self.next = frozenset(name.rstrip("!") for name in follow)
        self.same = frozenset(name[:-1] for name in follow if name[-1] == "!")
        self.control: str = data.get("control", "object")
        self.pps = lexicon.phrases(data.get("pp", ""))[0]
        self.adverbs = tuple(data.get("adv", "").split())
        self.reasons = tuple(data.get("why", "").split())
        self.allowed = {("reason", kind) for kind in (*self.reasons, *data.get("also", "").split())}
        found = {
            "planned": not self.accident,
            "event": not self.state,
            "leads": self.next - self.same,
        }
        self.flags = {flag for flag, holds in found.items() if holds}


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

    A parser sees the verb, not its class; so what a verb allows (`verb_allows`) and its subjects
    (`verb_subjects`) are the union over the classes it is in.
    """

    def __init__(self, data: dict[str, dict[str, Any]]) -> None:
        self._read_words(data["words"])
        self._read_grammar(data["grammar"])
        phrases = {name: {"patterns": rows} for name, rows in data["grammar"]["phrases"].items()}
        entries = {**data["names"], **data["nouns"], **phrases}
        self.nouns = {name: NounClass(name, entry, self) for name, entry in entries.items()}
        self.class_of: dict[str, str] = {}
        for name in data["nouns"]:
            for noun in self.nouns[name].words.items:
                if noun.lemma in self.class_of:
                    other = self.class_of[noun.lemma]
                    problem = f"{name}: has {noun.lemma}, which also stands in {other}"
                    raise FormatError("nouns.yaml", None, f"{problem}; a noun may have one class")
                self.class_of[noun.lemma] = name
        for lemma, name in self.class_of.items():
            one = lemma.removesuffix("s")
            if self.forms.get(f"{lemma}/NNS") == lemma != one and one in self.class_of:
                problem = f"{name}: has {lemma}~, the plural of {one} in {self.class_of[one]}"
                raise FormatError("nouns.yaml", None, f"{problem}; leave out one of them")
        self.verbs = {name: VerbClass(name, row, self) for name, row in data["verbs"].items()}
        self.be = VerbClass("be", {"words": "be", "frame": "", "weight": 1, "state": True}, self)
        for verb in self.verbs.values():
            self._allow(verb)
        self.time_table = self.phrases("+time")[0]
        self.times = self.phrases("+time +era +lasting")[1]

    def _read_grammar(self, grammar: dict[str, Any]) -> None:
        self.groups = {name: weighted(text) for name, text in grammar["groups"].items()}
        scenes = grammar["scenes"]
        self.usual = [scene for scene in scenes if scene != "news"]
        self.groups |= {f"{s}.human": weighted(row["human"]) for s, row in scenes.items()}
        self.scenes = drawn((scene, row["weight"]) for scene, row in scenes.items())
        reasons = {f"because {kind}": rows for kind, rows in grammar["reasons"].items()}
        self.rules = {name: table(rows) for name, rows in (grammar["rules"] | reasons).items()}
        self.tails = {
            kind: [_tail(*row) for row in rows] for kind, rows in grammar["tails"].items()
        }
        tails = [tail for rows in self.tails.values() for tail in rows]
        self.needs = {flag for tail in tails for need in tail.needs for flag in need}
        rows = grammar["predicates"]
        self.predicates = {
            scene: drawn((row[2].split(), row[0]) for row in rows if scene in row[1].split())
            for scene in scenes
        }
        self.sites: dict[str, dict[str, Any]] = grammar["sites"]
        self.rates: dict[str, list[int]] = grammar["rates"]
        self.rich = Table(range(4), self.rates["rich"])
        self.tenses: dict[str, list[Any]] = grammar["tenses"]
        self.tense_table = drawn((tense, row[0]) for tense, row in self.tenses.items())
        self.steady: dict[str, dict[str, str]] = grammar["steady"]

    def _read_words(self, words: dict[str, Any]) -> None:
        self.adjectives, self.adverbs, self.closed = (
            {name: _table(text) for name, text in words[part].items()}
            for part in ("adjectives", "adverbs", "closed")
        )
        rows = {name: text.split("|") for name, text in words["determiners"].items()}
        self.determiners = {
            name: [_table(part) for part in (*row, row[-1], row[-1])] for name, row in rows.items()
        }
        self.words = words
        self.pronouns = {word: text.split() for word, text in words["pronouns"].items()}
        self.upos = {tag: text.split()[0] for tag, text in words["tags"].items()}
        self.features = {tag: text.split()[1] for tag, text in words["tags"].items()}
        self.days = frozenset(words["days"].split())
        self.ungraded = frozenset(words["ungraded"].split())
        self.gender = {noun: word for word in ("she", "he") for noun in words[word].split()}
        self.forms: dict[str, str] = dict(words["forms"])
        self.verb_allows: dict[str, frozenset[Pair]] = defaultdict(frozenset)
        self.verb_subjects: dict[str, set[str]] = defaultdict(set)
        self.ditransitive = set(words["apart"].split())

    @cache  # noqa: B019 - there is one lexicon
    def members(self, name: str) -> list[tuple[str, int]]:
        """Return the classes of a group (or the class itself) with weights."""
        if name not in self.groups:
            return [(name, 1)]
        return [
            (inner, weight * share)
            for member, weight in self.groups[name]
            for inner, share in self.members(member)
        ]

    @cache  # noqa: B019
    def includes(self, group: str, name: str) -> bool:
        """Whether a class is in a group (or is the class)."""
        return any(member == name for member, _ in self.members(group))

    @cache  # noqa: B019
    def choices(self, name: str, scene: str = "") -> Table[str]:
        """Return the table of classes from which a class or group is drawn in a scene."""
        special = f"{scene}.{name}"
        return drawn(self.members(special if special in self.groups else name))

    @cache  # noqa: B019
    def frames(
        self, use: str, scene: str, nested: bool, want: str, after: VerbClass | None = None,
        given: str = "", thing: str = "",
    ) -> Table[Choice] | None:  # fmt: skip
        """Return the verbs and frames for a use, if there are any.

        They are at home in the `scene`, or such as may follow the verb class `after`; they take no
        clause if `nested`, have the flags that `want` lists (event+people), the class `given` as
        their subject (or, for relobj, as their object); some follow only with `thing` as a part.
        """
        flags = set(want.split("+")) - {""}
        pool = [self.verbs[name] for name in sorted(after.next)] if after else self.verbs.values()
        rows = [
            ((verb, frame), verb.weight)
            for verb in pool
            if use in verb.uses
            and not (nested and verb.clausal)
            and (after or scene in verb.scenes)
            for frame in verb.frames
            if flags <= verb.flags | frame.flags
            if not given
            or self.takes(frame.parts[0].cls if "relobj" in flags else frame.subject, given)
            if not (after and verb.name in after.same)
            or any(self.includes(part.cls, thing) for part in frame.parts)
        ]
        return drawn(rows) if rows else None

    def takes(self, group: str, given: str) -> bool:
        """Whether a class (or "human", a person of no known class) is in a group."""
        if given == "human" or (group == "human" and self.nouns[given].human):
            return group == "human"
        return self.includes(group, given)

    def phrases(self, text: str) -> tuple[Table[Pair], frozenset[Pair]]:
        """Read ``with/tool*3 +time`` into a table of pairs and the set of them."""
        pairs: dict[Pair, int] = defaultdict(int)
        for item, weight in weighted(text):
            for pair, share in self.groups[item[1:]] if item[0] == "+" else [(item, 7)]:
                prep, _, group = pair.partition("/")
                members = self.members(group)
                total = sum(part for _, part in members)
                for cls, part in members:
                    pairs[prep, cls] += 60 * share * weight * part // total
        return drawn(pairs.items()), frozenset(pairs)

    def noun(self, text: str, mass: bool) -> Noun:
        """Read a noun of nouns.yaml or a name, and keep its irregular plural."""
        lemma, _, plural = text.rstrip("!~").partition("=")
        *before, lemma = re.findall(r"[^+^]+[+^]?", lemma)
        lemma, *after = lemma.split("_")
        only = text.endswith("~")
        if plural or only:
            self.forms[f"{lemma}/NNS"] = plural or lemma
        number = "plural" if only else "mass" if mass or text[-1] == "!" else "count"
        labels = {"+": "compound", "^": "amod"}
        return Noun(lemma, number, tuple((w[:-1], labels[w[-1]]) for w in before), tuple(after))

    def verb(self, text: str) -> str:
        """Read a verb of verbs.yaml and keep its irregular forms."""
        lemma, *parts = text.rstrip("+").split("/")
        if text.endswith("+"):
            parts = [lemma + lemma[-1] + "ed"] * 2
            self.forms[f"{lemma}/VBG"] = lemma + lemma[-1] + "ing"
        if parts:
            self.forms[f"{lemma}/VBD"], self.forms[f"{lemma}/VBN"] = parts
        return lemma

    def _allow(self, cls: VerbClass) -> None:
        """Add what a class allows to what its verbs allow; note in its frames what is a thing."""
        pairs = {*cls.pps.items, *cls.allowed}
        pairs |= {("adverb", word) for kind in cls.adverbs for word in self.adverbs[kind].items}
        for frame in cls.frames:
            objects = [m for p in frame.parts if p.kind == "obj" for m, _ in self.members(p.cls)]
            things = [m for m in objects[:1] if m.islower() and not self.nouns[m].human]
            frame.flags |= {"thing"} if things and frame.kinds == ["obj"] else set()
            for part in (part for part in frame.parts if part.kind == "obl"):
                own = {(part.prep, member) for member, _ in self.members(part.cls)}
                self._separate(cls.name, objects, own)
                pairs |= own
        for word in cls.words.items:
            self.verb_allows[word] |= pairs
            self.verb_subjects[word] |= {m for f in cls.frames for m, _ in self.members(f.subject)}
        if any("iobj" in frame.kinds for frame in cls.frames):
            self.ditransitive |= {*cls.words.items}

    def _separate(self, verb: str, objects: list[str], own: set[Pair]) -> None:
        """Refuse a frame whose object could take the verb's own complement."""
        for name in objects:
            for prep, cls in sorted(own & self.nouns[name].allows):
                problem = f"{verb}.frame: the object {name} takes {prep}/{cls} itself"
                raise FormatError("verbs.yaml", None, f"{problem}; change one of them")


@cache
def load() -> Lexicon:
    """Return the lexicon; read once.

    Examples
    --------
    >>> load().forms["child/NNS"]
    'children'
    """
    return Lexicon(checked())
