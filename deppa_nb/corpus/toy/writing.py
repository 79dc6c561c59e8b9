"""CoNLL-U blocks, and the noise of an automatic tagger."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from deppa_nb.corpus.toy.dice import Dice, Table
from deppa_nb.corpus.toy.tree import Node

_NO_SPACE_BEFORE = frozenset(
    [",", ".", "?", "!", ":", ";", ")", "'s", "n't", "'m", "'re", "'ll", "'ve", "...", "%"]
)
_NO_SPACE_AFTER = frozenset(["(", "$"])
Tagger = Callable[[list[Node]], None]


def _glued(words: list[Node], forms: list[str]) -> list[bool]:
    """Tell for every word whether no space follows it."""
    glued = [form in _NO_SPACE_AFTER for form in forms]
    for place, form in enumerate(forms):
        if place and (form in _NO_SPACE_BEFORE or words[place].xpos == "''"):
            glued[place - 1] = True
        if words[place].xpos == "``":
            glued[place] = True
    return glued


def block(
    words: list[Node],
    forms: list[str],
    lemma_of: Callable[[Node], str],
    features: dict[str, str],
    name: str,
) -> str:
    """Return one sentence as a CoNLL-U block, ended by a blank line.

    Parameters
    ----------
    words : list of Node
        The words in order; every word but the root knows its head.
    forms : list of str
        Their forms.
    lemma_of : callable
        Gives the lemma; where it is not the English one, MISC has that as ``Gloss``.
    features : dict
        FEATS by Penn tag.
    name : str
        The sentence's id.
    """
    glued = _glued(words, forms)
    for number, node in enumerate(words, 1):
        node.index = number
    text = "".join(f + ("" if g else " ") for f, g in zip(forms, glued, strict=True)).rstrip()
    lines = [f"# sent_id = {name}\n# text = {text}\n"]
    last = len(words)
    for node, form, glue in zip(words, forms, glued, strict=True):
        misc = node.misc
        if misc:
            misc += "|Rivals=" + ",".join([str(rival.index) for rival in node.rivals])
        if glue and node.index != last:
            misc = misc + "|SpaceAfter=No" if misc else "SpaceAfter=No"
        head = node.head.index if node.head is not None else 0
        lemma = form if node.upos == "PUNCT" else lemma_of(node)
        if lemma != node.lemma and node.upos != "PUNCT":
            misc = f"{misc}|Gloss={node.lemma}" if misc else f"Gloss={node.lemma}"
        lines.append(
            f"{node.index}\t{form}\t{lemma}\t{node.upos}\t{node.xpos}\t"
            f"{features.get(node.xpos, '_')}\t{head}\t{node.label}\t_\t{misc or '_'}\n"
        )
    lines.append("\n")
    return "".join(lines)


# What a tagger takes a tag for when it errs, by UPOS: likelier mistakes come first.
_CONFUSED = {
    "NOUN": ["VERB/VB", "ADJ/JJ", "PROPN/NNP"],
    "VERB": ["NOUN/NN", "ADJ/JJ", "AUX/VBP"],
    "ADJ": ["NOUN/NN", "ADV/RB", "VERB/VBN"],
    "PROPN": ["NOUN/NN", "ADJ/JJ", "X/FW"],
    "ADV": ["ADJ/JJ", "ADP/IN", "SCONJ/IN"],
    "ADP": ["SCONJ/IN", "ADV/RB", "PART/TO"],
    "AUX": ["VERB/VBP", "NOUN/NN", "PART/RB"],
    "PRON": ["DET/DT", "SCONJ/IN", "ADV/RB"],
    "DET": ["PRON/DT", "ADV/RB", "ADJ/JJ"],
    "SCONJ": ["ADP/IN", "PRON/WDT", "ADV/WRB"],
    "NUM": ["NOUN/NN", "PROPN/NNP", "ADJ/JJ"],
    "PART": ["ADP/IN", "ADV/RB", "AUX/MD"],
    "INTJ": ["ADV/RB", "NOUN/NN", "PROPN/NNP"],
    "CCONJ": ["ADV/RB", "SCONJ/IN", "ADP/IN"],
    "SYM": ["NOUN/NN", "PUNCT/:", "X/FW"],
    "PUNCT": ["SYM/SYM", "X/FW", "NOUN/NN"],
}
_HARD = frozenset(["NOUN", "VERB", "ADJ", "PROPN", "ADV", "SCONJ"])
_EASY = frozenset(["PUNCT", "DET", "CCONJ"])


def noisy_tagger(dice: Dice, accuracy: float, shares: dict[str, float]) -> Tagger:
    """Return a function that mistags words so that `accuracy` of all tags stay right.

    Words of open classes are hit four times as often as those of closed ones, punctuation hardly
    ever; `shares` are the corpus's UPOS shares, which set the rates.
    """
    ease = {tag: 4 if tag in _HARD else 0 if tag in _EASY else 1 for tag in _CONFUSED}
    mean = sum(shares.get(tag, 0.0) * ease[tag] for tag in ease)
    limit = {tag: int((1 - accuracy) * weight / mean * 100_000) for tag, weight in ease.items()}
    wrong = {tag: Table([c.split("/") for c in found]) for tag, found in _CONFUSED.items()}

    def tag(words: list[Node]) -> None:
        for node in words:
            if dice.below(100_000) < limit[node.upos]:
                node.upos, node.xpos = dice.pick(wrong[node.upos])

    return tag


def best_uas(blocks: Iterable[str], *, punct: bool = True) -> float:
    r"""Return the best possible UAS on generated sentences, as a share of 1.

    Where the words fit two heads, MISC records the chance of the likelier one (``Best=0.70``);
    everywhere else the words decide. The mean over words of that chance is the best any parser
    can expect.

    Parameters
    ----------
    blocks : iterable of str
        CoNLL-U blocks (or whole files) of a toy treebank.
    punct : bool
        Whether punctuation counts as words.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> row = "1\tit\tit\tPRON\tPRP\t_\t0\troot\t_\t"
    >>> best_uas([row + "_", row + "Ambiguity=pp|Best=0.70|Rivals=1,2"])
    0.85
    """
    total = right = 0.0
    for text in blocks:
        for line in text.splitlines():
            fields = line.split("\t")
            if len(fields) != 10 or not (punct or fields[3] != "PUNCT"):
                continue
            total += 1
            _, found, rest = fields[9].partition("Best=")
            right += float(rest.split("|")[0]) if found else 1.0
    if not total:
        raise ValueError("best_uas: no words; give CoNLL-U blocks of a toy treebank")
    return right / total
