"""The grammar's data files, compiled."""

from __future__ import annotations

from deppa_nb.corpus.toy import lexicon as lexicons
from deppa_nb.corpus.toy.dice import Table
from deppa_nb.corpus.toy.patterns import table


def counted(text: str) -> Table[str]:
    """Read ``the:4 a:2`` into a table.

    Examples
    --------
    >>> counted("the:4 a:2").total
    6
    """
    pairs = [item.rpartition(":") for item in text.split()]
    return Table([word for word, _, _ in pairs], [int(weight) for _, _, weight in pairs])


class Grammar:
    """What the data files say, compiled once and shared by all generators."""

    def __init__(self) -> None:
        data, words = lexicons.read("grammar"), lexicons.read("words")
        self.lexicon = lexicons.load()
        self.sites: dict[str, dict[str, int]] = data["sites"]
        self.rates: dict[str, list[int]] = data["rates"]
        self.rich = Table(range(len(data["rich"])), data["rich"])
        self.sentences = table(data["sentences"])
        self.reasons = {kind: table(rows) for kind, rows in data["reasons"].items()}
        scenes = data["scenes"]
        self.scenes = Table(list(scenes), [scene["weight"] for scene in scenes.values()])
        self.predicates = {
            scene: Table(
                [text.split() for _, where, text in rows], [weight for weight, _, _ in rows]
            )
            for scene in scenes
            if (rows := [row for row in data["predicates"] if row[1] in (scene, "any")])
        }
        self.owned: dict[str, int] = words["owned"]
        closed = words["closed"]
        self.closed = {
            name: counted(text) if ":" in text else Table(text.split())
            for name, text in closed.items()
        }
        self.upos = {tag: value.split()[0] for tag, value in words["tags"].items()}
        self.features = {tag: value.split()[1] for tag, value in words["tags"].items()}
        self.ungraded = frozenset(words["ungraded"].split())
        self.gender = {noun: word for word in ("she", "he") for noun in words[word].split()}
        self.strong = frozenset(words["strong"].split())
        self.interjections = Table(words["interjections"].split())
        self.phrases = {
            name: table(cls.patterns)
            for name, cls in self.lexicon.nouns.items()
            if cls.patterns is not None
        }
