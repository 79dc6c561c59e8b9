"""Base phrases and named entities, read off the trees of the English generator."""

from __future__ import annotations

from collections.abc import Iterator

from deppa_nb.corpus.toy.tree import TOP, Node
from deppa_nb.corpus.toy.treebanks import noise, sentences

_BEFORE_NOUN = frozenset(["det", "amod", "compound", "nummod", "nmod:poss"])
_NOMINAL = frozenset(["NOUN", "PROPN", "PRON", "NUM", "SYM", "DET", "PART"])
_OUTSIDE = frozenset(["PUNCT", "CCONJ"])
Phrase = tuple[str, Node | None]


def _phrase(node: Node) -> Phrase:
    """Return the type and the head word of a word's base phrase."""
    head, label, upos = node.head, node.label, node.upos
    if upos in _OUTSIDE:
        return "O", None
    if label == "compound:prt":
        return "PRT", node
    if upos == "INTJ":
        return "INTJ", node
    counted = head if label == "case" else node
    if counted.label == "nmod" and counted.head.label == "nummod":
        return "NP", _noun(counted.head)  # at least two people
    if upos in ("SCONJ", "ADP"):
        return "SBAR" if upos == "SCONJ" else "PP", node
    if upos in ("VERB", "AUX") or label == "mark":
        return "VP", node if upos == "VERB" else head
    if upos == "PART" and label == "advmod":
        return "VP", head
    if upos in _NOMINAL or label == "amod":
        return "NP", _noun(node)
    if upos == "ADJ":
        return "ADJP", node
    if node in head.pre and not node.pre:
        place = head.pre.index(node)
        if head.upos == "ADJ" and head.pre[-1] is node:
            return _phrase(head)  # very good
        if head.upos == "VERB" and place and head.pre[place - 1].upos in ("AUX", "PART"):
            return "VP", head  # has never seen
    return "ADVP", node


def _noun(node: Node) -> Node:
    """Return the noun whose base phrase a word is part of; possessives split phrases."""
    if node.xpos == "POS":
        return _noun(node.head.head)
    top = node
    while (
        top.label == "flat"
        or (top.label in _BEFORE_NOUN and top in top.head.pre)
        or (top.label == "nmod:unmarked" and not top.pre)  # 5 pm
    ):
        if top.label == "nmod:poss" and top.upos != "PRON":
            break
        top = top.head
    return top


def tags(words: list[Node]) -> Iterator[tuple[str, str]]:
    """Yield the IOB2 tags of a sentence, chunk and entity of every word.

    Chunks are NP VP PP ADVP ADJP SBAR PRT INTJ, entities PER ORG LOC MISC.
    """
    last: Phrase = "O", None
    before = TOP
    for node in words:
        now = _phrase(node)
        inside = now[0] == last[0] and now[1] is last[1]
        chunk = "O" if now[0] == "O" else ("I-" if inside else "B-") + now[0]
        joined = node.entity == before.entity and (
            node.label == "flat" or before.head in (node, node.head)
        )
        yield chunk, ("I-" if joined else "B-") + node.entity if node.entity else "O"
        last, before = now, node


def columns(name: str, seed: int, split: str, pos_accuracy: float) -> Iterator[str]:
    """Yield sentences without end: lines ``word POS chunk entity``, then a blank line."""
    tag = noise(name, seed, split, pos_accuracy)
    for words, forms in sentences(name, seed, split):
        right = list(tags(words))
        tag(words)
        rows = zip(forms, words, right, strict=True)
        yield "".join(f"{form} {word.xpos} {c} {e}\n" for form, word, (c, e) in rows) + "\n"
