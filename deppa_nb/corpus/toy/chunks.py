"""Base phrases and named entities, read off the trees of the English generator."""

from __future__ import annotations

from collections.abc import Iterator

from deppa_nb.corpus.toy.tree import Node
from deppa_nb.corpus.toy.treebanks import noise, sentences, spelling

_BEFORE_NOUN = frozenset(["det", "amod", "compound", "nummod", "nmod:poss"])
_VERB_PARTS = frozenset(["aux", "aux:pass", "cop", "advmod", "mark"])
_NOMINAL = frozenset(["NOUN", "PROPN", "PRON", "NUM", "SYM"])


def _heads(words: list[Node]) -> list[tuple[str, Node | None]]:
    """Give every word the type and the head word of its base phrase."""
    return [_phrase(node) for node in words]


def _phrase(node: Node) -> tuple[str, Node | None]:
    head, label, upos = node.head, node.label, node.upos
    if upos in ("PUNCT", "CCONJ", "INTJ"):
        return "O", None
    if label == "compound:prt":
        return "PRT", node
    if label == "mark" and upos == "SCONJ":
        return "SBAR", node
    if upos == "ADP":
        return "PP", node
    if upos in ("VERB", "AUX") or label == "mark":
        return "VP", node if upos == "VERB" or head is None else head
    return _other(node, head, label, upos)


def _other(node: Node, head: Node | None, label: str, upos: str) -> tuple[str, Node | None]:
    if upos == "PART" and label == "advmod" and head is not None:
        return "VP", head
    if upos in _NOMINAL or upos in ("DET", "PART"):
        return "NP", _noun(node)
    if upos == "ADJ":
        return ("NP", _noun(node)) if label in ("amod",) else ("ADJP", node)
    if upos == "ADV" and head is not None:
        if head.upos == "ADJ" and node in head.pre and not node.pre and _degree(node, head):
            return _phrase(head)
        if head.upos == "VERB" and node in head.pre and head.pre.index(node) > 0:
            return ("VP", head) if _inside(node, head) else ("ADVP", node)
    return "ADVP", node


def _degree(node: Node, head: Node) -> bool:
    """Whether an adverb is next to the adjective it intensifies."""
    return head.pre[-1] is node


def _inside(node: Node, head: Node) -> bool:
    """Whether an adverb stands between an auxiliary and its verb."""
    place = head.pre.index(node)
    return head.pre[place - 1].upos in ("AUX", "PART")


def _noun(node: Node) -> Node:
    """Return the noun whose base phrase a word is part of; possessives split phrases."""
    top = node
    while top.head is not None and (
        top.label == "flat" or (top.label in _BEFORE_NOUN and top in top.head.pre)
    ):
        if top.label == "nmod:poss" and top.upos != "PRON":
            break
        top = top.head
    if node.xpos == "POS" and node.head is not None and node.head.head is not None:
        return _noun(node.head.head) if node.head.label == "nmod:poss" else top
    return top


def tags(words: list[Node]) -> tuple[list[str], list[str]]:
    """Return the IOB2 chunk tags and entity tags of a sentence.

    Parameters
    ----------
    words : list of Node
        The words in order.

    Returns
    -------
    tuple of list of str
        Chunks (NP VP PP ADVP ADJP SBAR PRT) and entities (PER ORG LOC MISC).
    """
    chunks, entities = [], []
    last: tuple[str, Node | None] = ("O", None)
    before = ""
    for node, now in zip(words, _heads(words), strict=True):
        if now[0] == "O":
            chunks.append("O")
        else:
            inside = now[0] == last[0] and now[1] is last[1]
            chunks.append(("I-" if inside else "B-") + now[0])
        entity = node.entity
        joined = entity and entity == before and node.label == "flat"
        entities.append(("I-" if joined else "B-") + entity if entity else "O")
        last, before = now, entity
    return chunks, entities


def columns(name: str, seed: int, split: str, pos_accuracy: float) -> Iterator[str]:
    """Yield sentences without end: lines ``word POS chunk entity``, then a blank line."""
    tag = noise(name, seed, split, pos_accuracy)
    speller = spelling(name)
    for words in sentences(name, seed, split):
        forms = speller.spell(words)
        chunks, entities = tags(words)
        tag(words)
        rows = zip(forms, words, chunks, entities, strict=True)
        yield "".join(f"{f} {w.xpos} {c} {e}\n" for f, w, c, e in rows) + "\n"
