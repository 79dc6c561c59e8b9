"""A treebank as experiments learn from it: whole trees, not too long, with tags of a tagger."""

import json
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from deppa_nb.corpus.corpus import Corpus
from deppa_nb.corpus.registry import load
from deppa_nb.corpus.sentence import Treebank
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.runs import Run, threads
from deppa_nb.models.tagger import Tagger

__all__ = ["Splits", "Tags", "splits", "splits_of", "thinned"]

Tags = Literal["given", "jackknifed"]

_FOLDS = 10


class Splits(NamedTuple):
    """What is learned from and what is scored on."""

    train: Treebank
    dev: Treebank
    test: Treebank | None


def splits_of(run: Run) -> Splits:
    """Return the splits of a run by its parameters ``load``, ``longest``, ``tags``, ``most``."""
    given = run.parameters
    options = json.dumps(given.get("load", {}), sort_keys=True)
    files = tuple(run.checksums().items())
    longest, tags, most = (
        given.get(name, default)
        for name, default in (("longest", 0), ("tags", "given"), ("most", 0))
    )
    return _splits(run.corpus, options, longest, tags, most, files)


def splits(
    corpus: str,
    options: dict[str, Any] | None = None,
    longest: int = 0,
    tags: Tags = "given",
    most: int = 0,
) -> Splits:
    """Return train, dev and (if there is one) test.

    Parameters
    ----------
    corpus, options
        See `load`.
    longest
        Training sentences with more words are left out; 0: none is.
    tags
        ``jackknifed``: in the place of the given ones, those of taggers that have learned from nine
        tenths of train and tag the last; dev and test are tagged by one that has learned from all.
    most
        If train has more sentences, so many of them are left, see `thinned`; 0: all are.
    """
    return _splits(corpus, json.dumps(options or {}, sort_keys=True), longest, tags, most, ())


def thinned(train: Treebank, most: int) -> Treebank:
    """Return so many sentences at equal distances, of all genres of a treebank; 0: all."""
    if not 0 < most < len(train):
        return train
    return train.with_sentences(train[j * len(train) // most] for j in range(most))


@lru_cache(maxsize=2)  # a worker does one run of a corpus after the other
def _splits(
    name: str, options: str, longest: int, tags: str, most: int, files: tuple[tuple[str, str], ...]
) -> Splits:
    corpus = load(name, **json.loads(options))
    train, dev, test = _trees(corpus)
    if longest:
        train = train.with_sentences(sentence for sentence in train if len(sentence) <= longest)
    train = thinned(train, most)
    if tags == "given":
        return Splits(train, dev, test)
    tagger = Tagger(progress=False, threads=threads())
    tagged = tagger.jackknifed(train, min(_FOLDS, len(train)))
    tagger.fit(train)
    return Splits(tagged, tagger.predict(dev), test and tagger.predict(test))


def _trees(corpus: Corpus) -> Splits:
    if corpus.kind != "treebank" or not {"train", "dev"} <= set(corpus.files):
        raise ParameterError(f"corpus is {corpus.name}, expected a treebank with train and dev")
    found = Splits(corpus.train, corpus.dev, corpus.test if "test" in corpus.files else None)
    for split in (bank for bank in found if bank is not None):
        open_ = next((sentence for sentence in split if not sentence.is_full), None)
        if open_ is not None:
            problem = "has words without a head: nobody can be simulated who gives them"
            raise ParameterError(f"{split.where(open_)}: sentence {open_.sent_id} {problem}")
    return found
