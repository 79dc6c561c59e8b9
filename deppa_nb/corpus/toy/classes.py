"""Classes of nouns and verbs, as their entries in the data files say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deppa_nb.corpus.toy.dice import Table
from deppa_nb.corpus.toy.patterns import table

if TYPE_CHECKING:
    from deppa_nb.corpus.toy.lexicon import Lexicon

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


class Noun(NamedTuple):
    """A noun and its number: ``count``, ``mass`` or ``plural`` (only)."""

    lemma: str
    number: str


class NounClass:
    """A class of nouns, names or fixed phrases; see nouns.yaml for the meaning of the fields."""

    def __init__(self, name: str, data: dict[str, Any], lexicon: Lexicon) -> None:
        def words(key: str) -> tuple[str, ...]:
            return tuple(data.get(key, "").split())

        self.name = name
        self.words = Table([lexicon.noun(w, data.get("mass", False)) for w in words("words")])
        self.adjectives = Table(words("adj"))
        of = "".join(f" of/{cls}*17" for cls in words("of"))
        self.pps, self.allows = lexicon.phrases(data.get("pp", "") + of)
        self.outer = words("outer")
        self.compounds = words("compound") + self.outer
        self.pronoun: str = data.get("pron", "it")
        self.human = self.pronoun != "it"
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
        follow = data.get("next", "").split()
        self.next = frozenset(name.rstrip("!") for name in follow)
        self.same = frozenset(name[:-1] for name in follow if name[-1] == "!")
        self.control: str = data.get("control", "object")
        self.pps = lexicon.phrases(data.get("pp", ""))[0]
        self.adverbs = tuple(data.get("adv", "").split())
        self.reasons = tuple(data.get("why", "").split())
        found = {"planned": not self.accident, "event": not self.state, "leads": self.next}
        self.flags = {flag for flag, holds in found.items() if holds}


Choice = tuple[VerbClass, Frame]
