"""From utilities to what is asked: proposals in order, of which a budget takes the first.

A selection is a frozen dataclass with `propose`; its parameters are its fields. Utilities that are
equal are put in an order by the random generator, never by their place in the pool.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from deppa_nb.active.checks import check_number
from deppa_nb.active.pool import Pool
from deppa_nb.corpus.trees import Heads

__all__ = [
    "Allowance",
    "Candidates",
    "Combined",
    "CostAware",
    "PerCluster",
    "Proposal",
    "Ratio",
    "Selection",
    "Threshold",
    "TopSentences",
    "TopTokens",
    "Unit",
    "one_of_each",
    "ranked",
    "within",
]

Unit = Literal["dependencies", "sentences"]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Candidates:
    """What may be asked.

    Attributes
    ----------
    pool
        Where the sentences are.
    sentences
        ``(c,)``: their positions.
    tokens
        c arrays: the open words of each.
    by_sentence
        ``(c,)`` utilities, or None if the strategy has no measure of sentences.
    by_token
        c arrays of utilities of the open words, or None.
    trees
        Finds the model's trees of the sentences; None if there is no model of trees.
    """

    pool: Pool
    sentences: Ints
    tokens: list[Ints]
    by_sentence: Floats | None
    by_token: list[Floats] | None
    trees: Callable[[], list[Heads]] | None = None

    def sentence_utilities(self, rng: np.random.Generator) -> Floats:
        """Return a utility for each sentence: the measure's, the mean of its words', or random."""
        if self.by_sentence is not None:
            return self.by_sentence
        if self.by_token is not None:
            return np.array([utilities.mean() for utilities in self.by_token])
        return rng.random(len(self.sentences))

    @property
    def mean(self) -> float:
        """The mean utility by words or else by sentences; nan if nothing is measured."""
        every = [np.empty(0), *(self.by_token or ())]
        if self.by_token is None and self.by_sentence is not None:
            every.append(self.by_sentence)
        utilities = np.concatenate(every)
        finite = utilities[np.isfinite(utilities)]
        return float(finite.mean()) if finite.size else float("nan")

    def token_utilities(self, rng: np.random.Generator) -> list[Floats]:
        """Return utilities for the open words of each sentence: the measure's, or random."""
        if self.by_token is not None:
            return self.by_token
        return [rng.random(len(words)) for words in self.tokens]


class Allowance(NamedTuple):
    """How much may be asked in a round: so many dependencies (words) or sentences."""

    amount: int
    unit: Unit

    def sentences(self, words: float) -> int:
        """Return for how many sentences that is, if so many words of each are asked for."""
        return self.amount if self.unit == "sentences" else max(1, round(self.amount / words))


class Proposal(NamedTuple):
    """Some words of one sentence (by its position in the pool), and what they are worth."""

    sentence: int
    tokens: Ints
    utility: float


class Selection(Protocol):
    """How to go from utilities to proposals; `returns` tells whether sentences are asked again."""

    @property
    def returns(self) -> bool:
        """Whether a sentence that was asked about stays in the pool."""

    def propose(
        self, found: Candidates, budget: Allowance, rng: np.random.Generator
    ) -> Iterator[Proposal]:
        """Yield proposals, the most wanted first."""


def ranked(utilities: Floats, rng: np.random.Generator) -> Ints:
    """Return places in the order of falling utility; equal ones in an order of chance.

    >>> ranked(np.array([1.0, 3.0, 2.0]), np.random.default_rng(0)).tolist()
    [1, 2, 0]
    """
    return np.lexsort((rng.random(len(utilities)), -utilities))  # nan, no utility, comes last


def one_of_each(clusters: Sequence[int] | Ints, order: Sequence[int] | Ints) -> list[int]:
    """Return places, the first of each cluster in this order and then the others.

    >>> one_of_each([0, 0, 1, 1], order=[1, 0, 3, 2])
    [1, 3, 0, 2]
    """
    first: dict[int, int] = {}
    for c in order:
        first.setdefault(int(clusters[c]), int(c))
    leading = set(first.values())
    return [*first.values(), *(int(c) for c in order if c not in leading)]


def within(proposals: Iterable[Proposal], budget: Allowance) -> list[Proposal]:
    """Take proposals as long as the budget lasts.

    Of sentences, a budget counts different ones; of dependencies, words. What is too large for the
    rest of it ends the list, unless nothing was taken yet.
    """
    taken: list[Proposal] = []
    sentences: set[int] = set()
    left = budget.amount
    for proposal in proposals:
        price = len(proposal.tokens)
        if budget.unit == "sentences":
            price = int(proposal.sentence not in sentences)
        if price > left:
            if taken:
                break
            continue
        taken.append(proposal)
        sentences.add(proposal.sentence)
        left -= price
        if left == 0 and budget.unit == "dependencies":
            break
    return taken


@dataclass(frozen=True)
class TopSentences:
    """All open words of the sentences of highest utility; random ones without a measure."""

    returns: bool = False

    def propose(
        self, found: Candidates, budget: Allowance, rng: np.random.Generator
    ) -> Iterator[Proposal]:
        """Yield sentences."""
        utilities = found.sentence_utilities(rng)
        for c in ranked(utilities, rng):
            yield Proposal(int(found.sentences[c]), found.tokens[c], float(utilities[c]))


def _check_per_sentence(most: int | None) -> None:
    if most is not None:
        check_number("per_sentence", most, 1, whole=True)


@dataclass(frozen=True)
class TopTokens:
    """The words of highest utility, wherever they are, or at most so many of each sentence."""

    per_sentence: int | None = None
    returns: bool = True

    def __post_init__(self) -> None:
        _check_per_sentence(self.per_sentence)

    def propose(
        self, found: Candidates, budget: Allowance, rng: np.random.Generator
    ) -> Iterator[Proposal]:
        """Yield words."""
        if not found.tokens:
            return
        utilities = np.concatenate(found.token_utilities(rng))
        owners = np.repeat(np.arange(len(found.tokens)), [len(words) for words in found.tokens])
        words = np.concatenate(found.tokens)
        asked = np.zeros(len(found.tokens), int)
        for place in ranked(utilities, rng):
            c = owners[place]
            if self.per_sentence is None or asked[c] < self.per_sentence:
                asked[c] += 1
                word = words[place : place + 1]
                yield Proposal(int(found.sentences[c]), word, float(utilities[place]))


@dataclass(frozen=True)
class Threshold:
    """Words whose utility is above a value, the highest first, some of each sentence.

    With a measure for which low is uncertain, utilities are negative: to ask about words whose
    likeliest label has less than 0.9, say ``Threshold(-0.9)``.
    """

    above: float
    per_sentence: int | None = 1
    returns: bool = True

    def __post_init__(self) -> None:
        check_number("above", self.above)
        _check_per_sentence(self.per_sentence)

    def propose(
        self, found: Candidates, budget: Allowance, rng: np.random.Generator
    ) -> Iterator[Proposal]:
        """Yield words."""
        for proposal in TopTokens(self.per_sentence).propose(found, budget, rng):
            if not proposal.utility > self.above:
                return
            yield proposal


@dataclass(frozen=True)
class Ratio:
    """Some of the words of each sentence, those of highest utility (batches of Li et al. 2016).

    Sentences are in the order of their own measure or, without one, of the mean over those words.
    """

    share: float = 0.1
    returns: bool = False

    def __post_init__(self) -> None:
        check_number("share", self.share, 0, 1, above=True)

    def propose(
        self, found: Candidates, budget: Allowance, rng: np.random.Generator
    ) -> Iterator[Proposal]:
        """Yield words of sentences."""
        chosen = []
        for utilities, words in zip(found.token_utilities(rng), found.tokens, strict=True):
            best = ranked(utilities, rng)[: max(1, round(self.share * len(words)))]
            chosen.append((np.sort(words[best]), float(utilities[best].mean())))
        means = np.array([mean for _, mean in chosen])
        utilities = found.by_sentence if found.by_sentence is not None else means
        for c in ranked(utilities, rng):
            yield Proposal(int(found.sentences[c]), chosen[c][0], float(utilities[c]))


@dataclass(frozen=True)
class Combined:
    """The most uncertain words of the most uncertain sentences (Mirroshandel & Nasr 2011, alg. 3).

    As many sentences as the budget has or, if it is one of dependencies, allows with `words` of
    each on average; then as many words of these, wherever they are. With a `share`, it is this
    share of the open words of sentences, in the place of `words`.
    """

    words: float = 5.0
    share: float | None = None
    returns: bool = False

    def __post_init__(self) -> None:
        check_number("words", self.words, 0, above=True)
        if self.share is not None:
            check_number("share", self.share, 0, 1, above=True)

    def propose(
        self, found: Candidates, budget: Allowance, rng: np.random.Generator
    ) -> Iterator[Proposal]:
        """Yield words."""
        order, opens = ranked(found.sentence_utilities(rng), rng), [len(w) for w in found.tokens]
        if self.share is None:
            wanted = np.full(len(order), self.words)
        else:
            wanted = self.share * np.array(opens, float)
        kept = order[: budget.sentences(float(wanted.mean()) if len(order) else 1.0)]
        utilities = found.token_utilities(rng)
        fewer = Candidates(
            found.pool, found.sentences[kept], [found.tokens[c] for c in kept], None,
            [utilities[c] for c in kept],
        )  # fmt: skip
        most = max(1, round(wanted[kept].sum()))
        yield from islice(TopTokens().propose(fewer, budget, rng), most)


@dataclass(frozen=True)
class PerCluster:
    """The most uncertain sentence of each of as many clusters as the budget allows sentences.

    After Tang et al. (2002), who cluster by their parser's derivations (`clustering.PerParse`);
    here sentences are near that have words and tags in common (k-means on tf-idf vectors).
    """

    returns: bool = False

    def propose(
        self, found: Candidates, budget: Allowance, rng: np.random.Generator
    ) -> Iterator[Proposal]:
        """Yield sentences."""
        utilities = found.sentence_utilities(rng)
        count = budget.sentences(float(np.mean([len(words) for words in found.tokens] or [1])))
        clusters = _clusters([found.pool[j] for j in found.sentences], count, rng)
        for c in one_of_each(clusters, ranked(utilities, rng)):
            yield Proposal(int(found.sentences[c]), found.tokens[c], float(utilities[c]))


def _clusters(items: list[Any], count: int, rng: np.random.Generator) -> Ints:
    """Return a cluster for each sentence."""
    if len(items) <= count:
        return np.arange(len(items))
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [
        [*item.words, *(f"<{tag}>" for tag in getattr(item, "upos", ())[1:])] for item in items
    ]
    vectors = TfidfVectorizer(analyzer=lambda words: words, max_features=2000).fit_transform(texts)
    seed = int(rng.integers(1 << 31))
    means = MiniBatchKMeans(count, random_state=seed, n_init=1, batch_size=1024)
    return np.asarray(means.fit_predict(vectors))


@dataclass(frozen=True)
class CostAware:
    """Another selection with utilities by what answers cost: reading a sentence, giving heads.

    Utilities are first brought between 0 and 1 by their ranks, so that they can be divided.
    """

    selection: Selection
    per_word_read: float = 1.0
    per_head: float = 1.0

    def __post_init__(self) -> None:
        check_number("per_head", self.per_head, 0, above=True)
        check_number("per_word_read", self.per_word_read, 0)

    @property
    def returns(self) -> bool:
        """As the other."""
        return self.selection.returns

    def propose(
        self, found: Candidates, budget: Allowance, rng: np.random.Generator
    ) -> Iterator[Proposal]:
        """Yield what the other one would."""
        lengths = np.array([len(found.pool[j]) for j in found.sentences], float)
        opens = np.array([len(words) for words in found.tokens], float)
        by_sentence, by_token = None, None
        if found.by_token is None:
            costs = self.per_word_read * lengths + self.per_head * opens
            by_sentence = _ranks(found.sentence_utilities(rng)) / costs
        else:
            costs = self.per_word_read * lengths + self.per_head
            ranks = _ranks(np.concatenate([np.empty(0), *found.by_token]))
            parts = np.split(ranks, np.cumsum(opens).astype(int)[:-1])
            by_token = [part / cost for part, cost in zip(parts, costs, strict=False)]
            if found.by_sentence is not None:
                by_sentence = _ranks(found.by_sentence) / costs
        priced = replace(found, by_sentence=by_sentence, by_token=by_token)
        yield from self.selection.propose(priced, budget, rng)


def _ranks(utilities: Floats) -> Floats:
    """Return the share of utilities that are lower, equal ones alike; nan has no rank."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(utilities, nan_policy="omit") / max(len(utilities), 1))
