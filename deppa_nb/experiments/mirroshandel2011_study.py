"""Mirroshandel & Nasr (2011): which corpora and how much, and all that is made of it."""

from dataclasses import asdict, dataclass
from math import ceil
from typing import Any, get_args

from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.errors import ParameterError
from deppa_nb.experiments import mirroshandel2011 as first_parser
from deppa_nb.experiments import mirroshandel2011_errors as errors
from deppa_nb.experiments import mirroshandel2011_tables as tables
from deppa_nb.experiments.compare import ALL, CurveParameters, all_data, curve, work
from deppa_nb.experiments.mirroshandel2011 import Lists
from deppa_nb.experiments.mirroshandel2011_claims import combined, strategies
from deppa_nb.experiments.mirroshandel2011_first import FirstParameters
from deppa_nb.experiments.part import Part, check_sizes
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.splits import Splits, Tags, splits
from deppa_nb.experiments.store import Task
from deppa_nb.experiments.study import Study
from deppa_nb.models.checks import check_parameters
from deppa_nb.models.mira import MIRAParser

__all__ = ["Mirroshandel2011Parameters", "study"]

_PAPER_SENTENCES = 11_165  # 500 of the beginning and the pool
_ENOUGH = 10_000  # sentences from which the numbers are the paper's
_LIKE = "fr"
_EXAMPLE = (8, 14)
_SHORT = 6


@dataclass(frozen=True)
class Mirroshandel2011Parameters:
    """What is run.

    Attributes
    ----------
    corpora
        Names of treebanks, with spaces between them.
    seeds
        Curves of each strategy.
    start, sentences, words
        L: sentences at the beginning; k: those that are asked for in a round; of how many sentences
        the words are as many, on average, as single words are asked for in a round.
    percent
        k': of the words of the k sentences, those that Algorithm 3 asks for; 40, 60 or 80.
    scaled
        Whether these become fewer where there are fewer than 10,000 sentences to learn from, as
        these are to the 11,165 of the paper.
    most
        Sentences to learn from, of a treebank that has more; 0: all.
    rounds
        At most; of single words, as many as ask for the same number of words.
    sample
        Sentences of the pool that the first parser is looked at with.
    lists
        Whether two trees that differ in a label alone are two in the lists for attachment entropy
        (labelled) or one (heads).
    tags
        See `splits`.
    epochs, bits
        Of the parser.
    pruning
        Of the parsers of learning curves; the first one is looked at with all arcs.
    train
        Sentences of an embedded corpus.
    variants
        Whether other measures, forests, and parsers of first order are run, too, with half as many
        rounds that are twice as long.
    sentence
        Which one of the first corpus is looked at, of those of 8 to 14 words in train.
    """

    corpora: str
    seeds: int
    start: int
    sentences: int
    words: int
    percent: int
    scaled: bool
    most: int
    rounds: int
    sample: int
    lists: Lists
    tags: Tags
    epochs: int
    bits: int
    pruning: float
    train: int
    variants: bool
    sentence: int

    def __post_init__(self) -> None:
        check_sizes(self, "seeds", "start", "sentences", "words", "sample", "train")
        if self.lists not in get_args(Lists):
            raise ParameterError(f"lists is {self.lists!r}, expected heads or labelled")
        if self.percent not in (known := combined(self.lists)):
            raise ParameterError(f"percent is {self.percent}, expected one of {[*known]}")
        check_parameters({**self.parser.get_params(), "pruning": self.pruning}, any_rate=True)
        self.curves("", 1, 1)  # which checks the others
        for name in self.corpora.split():
            train, _, test = self.splits(name)
            start = self.first(name)["start"]
            if test is None or len(train) < start + self.sample:
                found = f"{len(train)} sentences and {'no' if test is None else 'a'} test set"
                expected = f"{start} + {self.sample} sentences and a test set"
                raise ParameterError(f"{name} has {found}, expected {expected}")
        _ = self.example, self.short  # which check `sentence`

    def load(self, corpus: str) -> dict[str, object]:
        """Return the options with which a corpus is loaded."""
        sizes = {"train": self.train, "dev": self.train // 2, "test": self.train // 2}
        return {"sizes": sizes} if corpus.startswith("toy-") else {}

    def splits(self, corpus: str) -> Splits:
        """Return a corpus, with the tags that are given."""
        return splits(corpus, self.load(corpus), most=self.most)

    @property
    def options(self) -> dict[str, Any]:
        """What differs from the defaults of `MIRAParser`."""
        return {"epochs": self.epochs, "bits": self.bits}

    @property
    def parser(self) -> MIRAParser:
        """A parser as in the experiment, and exact."""
        return MIRAParser(epochs=self.epochs, bits=self.bits, rng=1, progress=False)

    @property
    def walked(self) -> tuple[Treebank, Treebank]:
        """The sentences of the first corpus that the walk learns from, and the others."""
        corpus = self.corpora.split()[0]
        train, start = self.splits(corpus).train, self.first(corpus)["start"]
        return train.with_sentences(train[:start]), train.with_sentences(train[start:])

    @property
    def example(self) -> Sentence:
        """The sentence that is looked at: after those of the beginning."""
        low, high = _EXAMPLE
        first, others = self.walked
        fit = [s for s in others if low <= len(s) <= high]
        if not 0 <= self.sentence < len(fit):
            problem = f"of {low} to {high} words after the first {len(first)}"
            raise ParameterError(
                f"sentence is {self.sentence}, expected 0 to {len(fit) - 1}: there are "
                f"{len(fit)} sentences {problem}"
            )
        return fit[self.sentence]

    @property
    def short(self) -> Sentence:
        """One of six words, of which all trees can be listed."""
        sentence = next((s for s in self.walked[1] if len(s) == _SHORT), None)
        if sentence is None:
            raise ParameterError(
                f"corpora is {self.corpora!r}, expected a sentence of {_SHORT} words in the first"
            )
        return sentence

    @property
    def rounds_of_words(self) -> int:
        """How many rounds ask for as many single words as `rounds` do for words of sentences."""
        return ceil(self.rounds * self.sentences / self.words)

    def share(self, corpus: str) -> float:
        """Return by what the numbers of sentences are multiplied."""
        n = len(self.splits(corpus).train)
        return n / _PAPER_SENTENCES if self.scaled and n < _ENOUGH else 1.0

    def curves(self, corpus: str, start: int, budget: int) -> CurveParameters:
        """Return the parameters of curves; `budget` is of sentences."""
        pruning = {"pruning": self.pruning} if self.pruning else {}
        return CurveParameters(
            start=start, budget=budget, unit="sentences", rounds=self.rounds, model="mira",
            options={**self.options, **pruning}, load=self.load(corpus), most=self.most,
            tags=self.tags, test=True, score="las",
        )  # fmt: skip

    def first(self, corpus: str) -> dict[str, Any]:
        """Return the parameters of runs about the first parser."""
        start = max(1, round(self.share(corpus) * self.start))
        return asdict(
            FirstParameters(
                start, self.sample, self.options, self.load(corpus), tags=self.tags, most=self.most
            )
        )


def study(parameters: Mirroshandel2011Parameters) -> Study:
    """Return the paper's tables, figures and claims.

    Parameters
    ----------
    parameters
        Which corpora, and how much is asked.
    """
    exhibits, checks = [], []
    for corpus in parameters.corpora.split():
        part, first_order = _parts(parameters, corpus)
        wrong, asked = _errors(parameters, corpus), (parameters.lists, parameters.percent)
        exhibits += [*errors.exhibits(wrong), *tables.exhibits(part, first_order, *asked)]
        checks += [*errors.checks(wrong, _LIKE), *tables.checks(part, *asked)]
    return Study(
        "mirroshandel2011",
        "Mirroshandel and Nasr (2011): Active Learning for Dependency Parsing Using Partially "
        "Annotated Sentences",
        tuple(exhibits),
        tuple(checks),
    )


def _parts(parameters: Mirroshandel2011Parameters, corpus: str) -> tuple[Part, Part]:
    """Return the learning curves of a corpus, and those of a parser of first order."""
    train, share = parameters.splits(corpus).train, parameters.share(corpus)
    start, k = (
        max(1, round(share * number)) for number in (parameters.start, parameters.sentences)
    )
    by_sentence = asdict(parameters.curves(corpus, start, k))
    by_word = {
        **by_sentence, "unit": "dependencies", "rounds": parameters.rounds_of_words,
        "budget": max(1, round(share * parameters.words * train.n_words / len(train))),
    }  # fmt: skip
    lists = parameters.lists
    asked = _steps(strategies(lists, parameters.percent), by_sentence, by_word)
    if not parameters.variants:
        return _curves(parameters, corpus, asked, by_sentence), Part(corpus, _LIKE, ())
    longer = _longer(by_word)
    shares = (name for name in combined(lists).values() if name not in asked)
    asked |= _steps((*tables.variants(lists), *shares), _longer(by_sentence), longer)
    options = {"epochs": parameters.epochs, "bits": parameters.bits, "labels": True}
    arcs = {**longer, "model": "matrix-tree", "options": options}
    return (
        _curves(parameters, corpus, asked, by_sentence),
        _curves(parameters, corpus, dict.fromkeys(tables.FIRST_ORDER, arcs), arcs),
    )


def _steps(
    names: tuple[str, ...], by_sentence: dict[str, Any], by_word: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    return {name: by_word if name.startswith("token-") else by_sentence for name in names}


def _longer(given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of curves that no claim is about: half the rounds, twice as long."""
    return {**given, "budget": 2 * given["budget"], "rounds": ceil(given["rounds"] / 2)}


def _curves(
    parameters: Mirroshandel2011Parameters,
    corpus: str,
    asked: dict[str, dict[str, Any]],
    of_all: dict[str, Any],
) -> Part:
    whole = Run("compare", corpus, ALL, 1, CurveParameters(**of_all).of_all_data())
    runs = [
        Run("compare", corpus, strategy, seed, given)
        for seed in range(1, parameters.seeds + 1)
        for strategy, given in asked.items()
    ]
    tasks = Task(whole, all_data, work), *(Task(run, curve, work) for run in runs)
    return Part(corpus, _LIKE, tasks)


def _errors(parameters: Mirroshandel2011Parameters, corpus: str) -> errors.Errors:
    given = parameters.first(corpus)
    arcs = {**given, "options": {**given["options"], "order": 1}}

    def tasks(name: str, compute: Any, what: dict[str, Any] = given) -> tuple[Task, ...]:
        return tuple(
            Task(Run("mirroshandel2011", corpus, name, seed, what), compute, first_parser.work)
            for seed in range(1, parameters.seeds + 1)
        )

    return errors.Errors(
        corpus, parameters.lists, tasks("sentences", first_parser.sentences),
        tasks("words", first_parser.words), tasks("first-order-words", first_parser.words, arcs),
        tasks("crossing-words", first_parser.crossing_words),
        tasks("corrections", first_parser.corrections),
    )  # fmt: skip
