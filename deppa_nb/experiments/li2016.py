"""Li et al. (2016): which sentences, and which words of them, with a probabilistic parser."""

from dataclasses import asdict, dataclass
from pathlib import Path

from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.compare import ALL, CurveParameters, all_data, curve, work
from deppa_nb.experiments.li2016_tables import (
    FULL,
    SINGLE,
    VARIANTS,
    Part,
    batch_strategies,
    checks,
    exhibits,
    table1,
    table3,
)
from deppa_nb.experiments.li2016_transition import TRANSITION, TransitionParameters, transition
from deppa_nb.experiments.li2016_transition import work as transition_work
from deppa_nb.experiments.part import check_sizes
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.splits import Splits, Tags, splits
from deppa_nb.experiments.store import Task
from deppa_nb.experiments.study import Study
from deppa_nb.models.checks import check_parameters
from deppa_nb.models.crf import CRFParser

__all__ = ["Li2016Parameters", "study"]

_PAPER_SENTENCES = 14_304  # of the smaller of the paper's corpora
_ENOUGH = 10_000  # sentences from which steps are the paper's
_EXAMPLE, _SHORT = (8, 14), (5, 5)  # words of the sentences that are looked at


@dataclass(frozen=True)
class Li2016Parameters:
    """What is run.

    Attributes
    ----------
    corpora, like
        Names of treebanks, with spaces between them, and for each which of the paper's two (zh, en)
        it stands in for: a fifth of the words is asked for in batches where the parser is as poor
        as on zh, a tenth on en (and also a fifth, to compare).
    seeds, first
        Curves of each strategy; whether all start from the first sentences, as in the paper.
    start, sentences, words
        Sentences at the beginning; K: sentences that are asked for in a round; how many sentences'
        words, on average, are asked for in a round singly (M).
    scaled
        Whether these three become fewer where there are fewer than 10,000 sentences to learn from,
        as these are to the 14,304 of the paper.
    rounds
        At most.
    tags, longest
        See `splits`.
    order, epochs, bits, pruning
        Of the parser.
    beam, iterations
        Of the transition-based parser, which learns from all data.
    train
        Sentences of an embedded corpus.
    variants
        Whether the footnoted measures of sentences are run, too.
    sentence
        Which one of the first corpus is looked at, of those of 8 to 14 words in train.
    logs
        The whole path of a folder with logs of people who annotated train of the first corpus;
        empty: there are none.
    """

    corpora: str
    like: str
    seeds: int
    first: bool
    start: int
    sentences: int
    words: int
    scaled: bool
    rounds: int
    tags: Tags
    longest: int
    order: int
    epochs: int
    bits: int
    pruning: float
    beam: int
    iterations: int
    train: int
    variants: bool
    sentence: int
    logs: str

    def __post_init__(self) -> None:
        names, like = self.corpora.split(), self.like.split()
        if not names or len(like) != len(names) or not set(like) <= {"zh", "en"}:
            raise ParameterError(
                f"like is {self.like!r}, expected zh or en for each of {self.corpora!r}"
            )
        check_sizes(self, "start", "sentences", "words", "train")
        if self.seeds < 1 or (self.first and self.seeds > 1):
            raise ParameterError(f"seeds is {self.seeds}, expected 1 (or more if first is False)")
        self.curves(1.0, 1.0)  # which checks the others
        check_parameters({**self.parser.get_params(), "pruning": self.pruning})
        self.transition({})  # which checks its own
        if self.logs and not (Path(self.logs).is_absolute() and Path(self.logs).is_dir()):
            raise ParameterError(f"logs is {self.logs!r}, expected the whole path of a folder")
        for name in names:
            if self.splits(name).test is None:
                raise ParameterError(f"corpora has {name}, expected treebanks with test")
        _ = self.example, self.short  # which check `sentence`

    def load(self, corpus: str) -> dict[str, object]:
        """Return the options with which a corpus is loaded."""
        sizes = {"train": self.train, "dev": self.train // 2, "test": self.train // 2}
        return {"sizes": sizes} if corpus.startswith("toy-") else {}

    @property
    def train_of_first(self) -> Treebank:
        """What the walk and people look at."""
        return self.splits(self.corpora.split()[0]).train

    def splits(self, corpus: str) -> Splits:
        """Return a corpus, with the tags that are given."""
        return splits(corpus, self.load(corpus), self.longest)

    @property
    def parser(self) -> CRFParser:
        """A parser as in the experiment, and exact."""
        return CRFParser(
            order=self.order, epochs=self.epochs, bits=self.bits, rng=1, progress=False
        )

    @property
    def example(self) -> Sentence:
        """The sentence that is looked at: after those of the beginning."""
        return self._after_start(_EXAMPLE, self.sentence)

    @property
    def short(self) -> Sentence:
        """One whose trees can all be listed."""
        return self._after_start(_SHORT, 0)

    def _after_start(self, lengths: tuple[int, int], number: int) -> Sentence:
        low, high = lengths
        fit = [s for s in self.train_of_first[self.start :] if low <= len(s) <= high]
        if 0 <= number < len(fit):
            return fit[number]
        problem = f"sentence is {number}, but after the first {self.start} (start) there are"
        raise ParameterError(f"{problem} {len(fit)} of {low} to {high} words, counted from 0")

    def transition(self, load: dict[str, object]) -> TransitionParameters:
        """Return the parameters of the transition-based parser."""
        return TransitionParameters(
            self.beam, self.bits, self.iterations, load, self.longest, self.tags
        )

    def curves(self, share: float, budget: float) -> CurveParameters:
        """Return the parameters of curves with only a share of what was asked for.

        Parameters
        ----------
        share
            Of all that are numbers of sentences.
        budget
            Sentences or words of a round.
        """
        pruning = {"pruning": self.pruning} if self.pruning else {}
        return CurveParameters(
            start=max(1, round(share * self.start)), first=self.first,
            budget=max(1, round(share * budget)), rounds=self.rounds,
            unit="sentences", tags=self.tags, longest=self.longest, test=True,
            options={"order": self.order, "epochs": self.epochs, "bits": self.bits, **pruning},
        )  # fmt: skip


def study(parameters: Li2016Parameters) -> Study:
    """Return the paper's tables, figures and claims.

    Parameters
    ----------
    parameters
        Which corpora, and how much is asked.
    """
    pairs = zip(parameters.corpora.split(), parameters.like.split(), strict=True)
    parts = [_part(parameters, corpus, like) for corpus, like in pairs]
    return Study(
        "li2016",
        "Li et al. (2016): Active Learning for Dependency Parsing with Partial Annotation",
        (
            table1([parameters.splits(part.corpus) for part in parts]),
            *(exhibit for part in parts for exhibit in exhibits(part, parameters.variants)),
            *table3(parameters.logs, parameters.train_of_first),
        ),
        tuple(check for part in parts for check in checks(part)),
    )


def _part(parameters: Li2016Parameters, corpus: str, like: str) -> Part:
    options = parameters.load(corpus)
    train = parameters.splits(corpus).train
    few = parameters.scaled and len(train) < _ENOUGH
    share = len(train) / _PAPER_SENTENCES if few else 1.0
    words = parameters.words * train.n_words / len(train)
    full = {**asdict(parameters.curves(share, parameters.sentences)), "load": options}
    single = {**asdict(parameters.curves(share, words)), "load": options, "unit": "dependencies"}
    every = CurveParameters(**full).of_all_data()
    batch = batch_strategies(like)
    asked = {
        **dict.fromkeys(FULL, full), **dict.fromkeys(SINGLE, single), **dict.fromkeys(batch, full),
        **({"batch-gap-20": full} if like == "en" else {}),
        **(dict.fromkeys(VARIANTS, full) if parameters.variants else {}),
    }  # fmt: skip
    runs = [
        Run("compare", corpus, strategy, seed, given)
        for seed in range(1, parameters.seeds + 1)
        for strategy, given in asked.items()
    ]
    other = Run("li2016_transition", corpus, TRANSITION, 1, asdict(parameters.transition(options)))
    tasks = (
        Task(other, transition, transition_work),
        Task(Run("compare", corpus, ALL, 1, every), all_data, work),
        *(Task(run, curve, work) for run in runs),
    )
    return Part(corpus, like, tasks)
