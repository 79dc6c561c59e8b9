"""From a preset's name to its sentences in CoNLL-U, and the noise of an automatic tagger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice

from deppa_nb.corpus.toy import lexicon as lexicons
from deppa_nb.corpus.toy.data import checked
from deppa_nb.corpus.toy.dice import Dice, Table, admit, stream
from deppa_nb.corpus.toy.orders import Order
from deppa_nb.corpus.toy.sentences import Sentences
from deppa_nb.corpus.toy.spelling import English, Respelt
from deppa_nb.corpus.toy.tree import TOP, Node, flatten, settle

_SAMPLE = 400
_NO_SPACE_BEFORE = frozenset(", . ? ! : ; ) 's n't 'm 're 'll 've %".split())
_NO_SPACE_AFTER = frozenset("( $".split())
Tagger = Callable[[list[Node]], None]
Speller = English | Respelt


def spelling(name: str) -> Speller:
    """Return what spells the words of a preset."""
    options = checked()["presets"][name]
    return Respelt(options) if "letters" in options else English(lexicons.load())


def sentences(name: str, seed: int, split: str) -> Iterator[tuple[list[Node], list[str]]]:
    """Yield sentences without end: words in order, knowing their heads, and their forms."""
    options, speller, takes = checked()["presets"][name], spelling(name), admit(split)
    maker = Sentences(Dice(stream(name, seed, split)), lexicons.load(), options)
    order = Order(options, Dice(stream(name, seed, split, "order"))) if "order" in options else None
    dropped = frozenset(options.get("drop", "").split())
    shortest, longest = options.get("length", (1, 70))
    while True:
        root = maker.sentence()
        root.head = TOP
        settle(root, dropped)
        if order is not None:
            order.arrange(root)
        words = flatten(root, [])
        # a comma, say after an apposition, is left out before another mark
        marks = [node.xpos in (",", ".", ":") for node in words[1:]] + [False]
        words = [w for w, mark in zip(words, marks, strict=True) if not mark or w.xpos != ","]
        if shortest <= len(words) <= longest:
            forms = speller.spell(words)
            if takes(" ".join(forms)):
                yield words, forms


@cache
def _counts(name: str) -> Counter[str]:
    """Count every UPOS in a sample of a corpus."""
    sample = islice(sentences(name, 0, "sample"), _SAMPLE)
    return Counter(node.upos for words, _ in sample for node in words)


def noise(name: str, seed: int, split: str, accuracy: float) -> Tagger:
    """Return a function that mistags words so that `accuracy` of all tags stay right.

    ``confusion`` in words.yaml tells by UPOS how easily a word is mistaken, and for what; the
    shares of the tags in the corpus set the rates.
    """
    if accuracy == 1:
        return lambda words: None
    dice, counts = Dice(stream(name, seed, split, "tags")), _counts(name)
    rows = {tag: text.split() for tag, text in lexicons.load().words["confusion"].items()}
    ease = {tag: int(row[0]) for tag, row in rows.items()}
    mean = sum(counts[tag] / counts.total() * weight for tag, weight in ease.items())
    limit = {tag: int((1 - accuracy) * weight / mean * 100_000) for tag, weight in ease.items()}
    wrong = {tag: Table([c.split("/") for c in row[1:]]) for tag, row in rows.items()}

    def tag(words: list[Node]) -> None:
        for node in words:
            if dice.below(100_000) < limit[node.upos]:
                node.upos, node.xpos = dice.pick(wrong[node.upos])

    return tag


def trees(name: str, seed: int, split: str, pos_accuracy: float) -> Iterator[str]:
    """Yield CoNLL-U blocks without end."""
    known = lexicons.load().features
    feats = cache(lambda tag, label: known.get(f"{tag}.{label}") or known.get(tag, "_"))
    tag = noise(name, seed, split, pos_accuracy)
    speller = spelling(name)
    for number, (words, forms) in enumerate(sentences(name, seed, split), 1):
        features = [feats(word.xpos, word.label) for word in words]
        tag(words)
        yield f"# sent_id = {name}-{split}-{number}\n" + block(words, forms, features, speller)


def _glued(words: list[Node], forms: list[str]) -> list[bool]:
    """Tell for every word whether no space follows it."""
    after = [f in _NO_SPACE_AFTER or w.xpos == "``" for w, f in zip(words, forms, strict=True)]
    before = [f in _NO_SPACE_BEFORE or w.xpos == "''" for w, f in zip(words, forms, strict=True)]
    return [one or other for one, other in zip(after, [*before[1:], True], strict=True)]


def block(words: list[Node], forms: list[str], features: list[str], speller: Speller) -> str:
    """Return one sentence as a CoNLL-U block, ended by a blank line.

    Where the lemma is another than the English one, MISC has that as ``Gloss``.
    """
    glued = _glued(words, forms)
    for number, node in enumerate(words, 1):
        node.index = number
    text = "".join(f + ("" if g else " ") for f, g in zip(forms, glued, strict=True))
    lines = [f"# text = {text}\n"]
    for node, form, feats, glue in zip(words, forms, features, glued, strict=True):
        misc = [node.misc] if node.misc else []
        if node.rivals:
            misc.append("Rivals=" + ",".join([str(rival.index) for rival in node.rivals]))
        if node.controller is not None:
            misc.append(f"Controller={node.controller.index}")
        if glue and node is not words[-1]:
            misc.append("SpaceAfter=No")
        lemma = form if node.upos == "PUNCT" else speller.lemma(node)
        if lemma != node.lemma and node.upos != "PUNCT":
            misc.append(f"Gloss={node.lemma}")
        lines.append(
            f"{node.index}\t{form}\t{lemma}\t{node.upos}\t{node.xpos}\t"
            f"{feats}\t{node.head.index}\t{node.label}\t_\t{'|'.join(misc) or '_'}\n"
        )
    return "".join(lines) + "\n"


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
