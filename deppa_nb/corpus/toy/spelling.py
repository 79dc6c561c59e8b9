"""Forms: English inflection, and the systematic re-spelling of the other presets."""

from __future__ import annotations

from typing import Any

from deppa_nb.corpus.toy.lexicon import Lexicon
from deppa_nb.corpus.toy.orders import relative
from deppa_nb.corpus.toy.tree import Node, Pair

_VOWELS = "aeiou"


def _s(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2] not in _VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def _ed(word: str) -> str:
    if word.endswith("e"):
        return word + "d"
    if word.endswith("y") and word[-2] not in _VOWELS:
        return word[:-1] + "ied"
    return word + "ed"


def _ing(word: str) -> str:
    if word.endswith("ie"):
        return word[:-2] + "ying"
    if word.endswith("e") and not word.endswith(("ee", "oe", "ye")):
        return word[:-1] + "ing"
    if word in _DOUBLED:
        return word + word[-1] + "ing"
    return word + "ing"


_DOUBLED = frozenset("get put cut set sit run win swim begin shut forget let hit".split())
_RULES = {"NNS": _s, "VBZ": _s, "VBD": _ed, "VBN": _ed, "VBG": _ing}


class English:
    """English forms.

    Parameters
    ----------
    lexicon : Lexicon
        Holds the irregular forms.

    Examples
    --------
    >>> from deppa_nb.corpus.toy.lexicon import load
    >>> English(load()).inflect("study", "VBZ")
    'studies'
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self._forms: dict[Pair, str] = dict(lexicon.forms)
        self._a, self._an = (tuple(lexicon.articles[word].split()) for word in ("a", "an"))

    def inflect(self, lemma: str, tag: str) -> str:
        """Return the form of a lemma for a Penn tag."""
        key = lemma, tag
        if key not in self._forms:
            rule = _RULES.get(tag)
            self._forms[key] = rule(lemma) if rule else lemma
        return self._forms[key]

    def lemma(self, node: Node) -> str:
        """Return the lemma of a word."""
        return node.lemma

    def spell(self, words: list[Node]) -> list[str]:
        """Return the forms of a sentence, with *an* before vowels and a capital first letter."""
        forms = self._forms
        out = []
        for node in words:
            form = node.form or forms.get((node.lemma, node.xpos))
            out.append(form or self.inflect(node.lemma, node.xpos))
        for place, form in enumerate(out[:-1]):
            if form == "a" and self._takes_an(out[place + 1]):
                out[place] = "an"
            elif form == '"' and words[place].xpos == "``":
                out[place + 1] = out[place + 1][0].upper() + out[place + 1][1:]
        return capitalise(out)

    def _takes_an(self, word: str) -> bool:
        if word.startswith(self._a):
            return False
        return word[0] in "aeiouAEIO8" or word.startswith(self._an)


def capitalise(forms: list[str]) -> list[str]:
    """Give the first word (after an opening quote) a capital.

    Examples
    --------
    >>> capitalise(["so", "what"])
    ['So', 'what']
    """
    for place, form in enumerate(forms):
        if form[0].isalpha():
            forms[place] = form[0].upper() + form[1:]
            break
        if form[0].isdigit():
            break
    return forms


class Respelt:
    """Forms of a preset: letters exchanged one for one, own endings and own small words.

    Parameters
    ----------
    data : dict
        ``letters`` (``from to`` rows), ``words`` (own small words), ``endings`` by tag and
        ``cases`` by label.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        old, new = data["letters"].split()
        self._map = str.maketrans(old + old.upper(), new + new.upper())
        self._words: dict[str, str] = data["words"]
        self._endings: dict[str, str] = data["endings"]
        self._cases: dict[str, str] = data.get("cases", {})
        self._agree = frozenset(data.get("agree", "").split())
        self._cache: dict[tuple[str, str, str], str] = {}
        self._stems: dict[str, str] = {}

    def spell(self, words: list[Node]) -> list[str]:
        """Return the forms of a sentence."""
        return capitalise([self._form(node) for node in words])

    def lemma(self, node: Node) -> str:
        """Return the lemma of a word in the preset's own spelling."""
        stem = self._stems.get(node.lemma)
        if stem is None:
            stem = self._words.get(node.lemma) or node.lemma.translate(self._map)
            self._stems[node.lemma] = stem
        return stem

    def _form(self, node: Node) -> str:
        carrier = node
        if relative(node) and node.head is not None and node.head.head is not None:
            carrier = node.head.head  # the pronoun shows which noun it stands for
        while carrier.label in self._agree and carrier.head is not None:
            carrier = carrier.head
        key = node.lemma, node.xpos, carrier.label
        if key not in self._cache:
            self._cache[key] = self._build(node, carrier.label)
        return self._cache[key]

    def _build(self, node: Node, label: str) -> str:
        if node.upos in ("PUNCT", "SYM", "NUM") and not node.lemma.isalpha():
            return node.lemma
        if node.upos == "PUNCT":
            return {"OPEN": '"', "CLOSE": '"', "LRB": "(", "RRB": ")"}[node.lemma]
        nominal = node.upos in ("NOUN", "PROPN", "ADJ", "PRON", "DET")
        case = self._cases.get(label, "") if nominal else ""
        return self.lemma(node) + self._endings.get(node.xpos, "") + case
