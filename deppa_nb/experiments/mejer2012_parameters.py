"""The parameters of the notebook on Mejer & Crammer (2012)."""

from dataclasses import dataclass

from deppa_nb.corpus.registry import load
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.mejer2012 import LightParameters, full_sentences
from deppa_nb.experiments.mejer2012_grid import Grid, short
from deppa_nb.experiments.part import check_sizes
from deppa_nb.experiments.splits import splits
from deppa_nb.models.mst import MSTParser

__all__ = ["Mejer2012Parameters"]

_EXAMPLE = (8, 14)
_SHORT = 5
_LEAST = 2  # passes that claims need


@dataclass(frozen=True)
class Mejer2012Parameters:
    """What is run.

    Attributes
    ----------
    corpora
        Treebanks, with spaces between them, one for each language; the first is shown by itself.
    beside
        More of them, which are in tables but in no average.
    seeds
        Runs of each.
    shares
        The percents of full trees, three, falling.
    least
        Sentences with full trees at least.
    passes
        Of light feedback.
    noises
        Shares of wrong answers.
    second
        The percent of the training sentences that the second parser learns from.
    ties, alpha, averaging
        See `LightParameters`.
    epochs, all_epochs
        Over full trees, and over all data.
    bits, rate
        Of the parser.
    beyond
        Whether what the paper does not do, and other readings of it, are run as well.
    train
        Sentences of an embedded corpus.
    sentence
        Which one of the first corpus is looked at, of those of 8 to 14 words with light feedback.
    """

    corpora: str
    beside: str
    seeds: int
    shares: str
    least: int
    passes: int
    noises: str
    second: float
    ties: str
    alpha: float
    averaging: bool
    epochs: int
    all_epochs: int
    bits: int
    rate: float
    beyond: bool
    train: int
    sentence: int

    def __post_init__(self) -> None:
        check_sizes(self, "seeds", "all_epochs")
        names = [*self.corpora.split(), *self.beside.split()]
        if len(set(map(short, names))) < len(names):
            raise ParameterError(f"beside is {self.beside!r}, expected others than corpora")
        for name, least in (("passes", _LEAST), ("train", 30)):
            if getattr(self, name) < least:
                raise ParameterError(f"{name} is {getattr(self, name)}, expected {least} or more")
        shares = self.percents
        if len(shares) != 3 or sorted(shares, reverse=True) != shares:
            raise ParameterError(f"shares is {self.shares!r}, expected three percents, falling")
        for number in (*shares, *(100 * noise for noise in self.wrong)):
            if not 0 < number < 100:
                raise ParameterError(f"{number:g}% in shares or noises, expected 0 to 100")
        for name in names:
            corpus = load(name, **self.grid.load(name))
            if corpus.kind != "treebank" or not {"train", "dev", "test"} <= set(corpus.files):
                raise ParameterError(f"{name}: expected a treebank with train, dev and test")
        _ = self.example, self.short  # which check `sentence` and the first corpus

    @property
    def percents(self) -> list[float]:
        """The percents of full trees."""
        return _numbers("shares", self.shares)

    @property
    def wrong(self) -> list[float]:
        """The shares of wrong answers."""
        return _numbers("noises", self.noises)

    @property
    def grid(self) -> Grid:
        """The runs."""
        common = LightParameters(
            least=self.least, passes=self.passes, epochs=self.epochs, bits=self.bits,
            rate=self.rate, averaging=self.averaging, alpha=self.alpha, ties=self.ties,
            second=self.second,
        )  # fmt: skip
        return Grid(tuple(self.corpora.split()), self.seeds, self.all_epochs, common, self.train)

    @property
    def train_of_first(self) -> Treebank:
        """What the walk looks at."""
        corpus = self.corpora.split()[0]
        return splits(corpus, self.grid.load(corpus)).train

    @property
    def start(self) -> int:
        """How many sentences of it, the first ones, have full trees in the walk."""
        return full_sentences(len(self.train_of_first), self.percents[-1], self.least)

    @property
    def parser(self) -> MSTParser:
        """A parser as in the runs, which has not learned."""
        return self.grid.common.parser(1)

    @property
    def example(self) -> Sentence:
        """The sentence that is looked at: after those with full trees."""
        low, high = _EXAMPLE
        fit = [s for s in self.train_of_first[self.start :] if low <= len(s) <= high]
        if not 0 <= self.sentence < len(fit):
            raise ParameterError(
                f"sentence is {self.sentence}, expected 0 to {len(fit) - 1}: there are {len(fit)} "
                f"sentences of {low} to {high} words after the first {self.start}"
            )
        return fit[self.sentence]

    @property
    def short(self) -> Sentence:
        """One of five words, of which all trees can be listed."""
        found = next((s for s in self.train_of_first[self.start :] if len(s) == _SHORT), None)
        if found is None:
            raise ParameterError(
                f"corpora is {self.corpora!r}, expected a sentence of {_SHORT} words in the first"
            )
        return found


def _numbers(name: str, text: str) -> list[float]:
    try:
        return [float(number) for number in text.split()]
    except ValueError:
        raise ParameterError(f"{name} is {text!r}, expected numbers") from None
