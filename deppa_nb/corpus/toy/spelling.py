"""Forms: English inflection, and the systematic re-spelling of the other presets."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from deppa_nb.corpus.toy.lexicon import Lexicon
from deppa_nb.corpus.toy.orders import relative
from deppa_nb.corpus.toy.tree import Node

_MARKS = {"OPEN": '"', "CLOSE": '"', "LRB": "(", "RRB": ")"}


class English:
    """English forms, by the rules and exceptions of words.yaml.

    Examples
    --------
    >>> from deppa_nb.corpus.toy.lexicon import load
    >>> English(load()).inflect("study", "VBZ")
    'studies'
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self._forms = dict(lexicon.forms)
        self._rules = lexicon.words["inflection"]
        self._a, self._an = (re.compile(lexicon.words["articles"][word]) for word in ("a", "an"))

    def inflect(self, lemma: str, tag: str) -> str:
        """Return the form of a lemma for a Penn tag."""
        key = f"{lemma}/{tag}"
        if key not in self._forms:
            rules = [rule for rule in self._rules.get(tag, []) if re.search(rule[0], lemma)]
            self._forms[key] = re.sub(rules[0][0], rules[0][1], lemma, count=1) if rules else lemma
        return self._forms[key]

    def lemma(self, node: Node) -> str:
        """Return the lemma of a word."""
        return node.lemma

    def spell(self, words: list[Node]) -> list[str]:
        """Return the forms of a sentence, with *an* before vowels and a capital first letter."""
        out = [node.form or self.inflect(node.lemma, node.xpos) for node in words]
        for place, form in enumerate(out[:-1]):
            if form == "a" and self._an.match(out[place + 1]) and not self._a.match(out[place + 1]):
                out[place] = "an"
            elif words[place].xpos == "``":
                out[place + 1] = out[place + 1][0].upper() + out[place + 1][1:]
        return capitalise(out)


def capitalise(forms: list[str]) -> list[str]:
    """Give the first word (after an opening quote) a capital.

    Examples
    --------
    >>> capitalise(["so", "what"])
    ['So', 'what']
    """
    place = 1 if forms[0] in ('"', "(") else 0
    forms[place] = forms[place][0].upper() + forms[place][1:]
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
        self.stem = cache(lambda lemma: self._words.get(lemma) or lemma.translate(self._map))

    def spell(self, words: list[Node]) -> list[str]:
        """Return the forms of a sentence."""
        return capitalise([self._form(node) for node in words])

    def lemma(self, node: Node) -> str:
        """Return the lemma of a word in the preset's own spelling."""
        return self.stem(node.lemma)

    def _form(self, node: Node) -> str:
        if node.upos in ("PUNCT", "SYM", "NUM"):
            return _MARKS.get(node.lemma, node.lemma)
        carrier = node
        if relative(node):
            carrier = node.head.head  # the pronoun shows which noun it stands for
        while carrier.label in self._agree:
            carrier = carrier.head
        nominal = node.upos in ("NOUN", "PROPN", "ADJ", "PRON", "DET")
        case = self._cases.get(carrier.label, "") if nominal else ""
        return self.lemma(node) + self._endings.get(node.xpos, "") + case
