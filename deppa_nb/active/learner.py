"""A learner that learns, asks and is taught."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from deppa_nb.active import saving
from deppa_nb.active.asking import ask, find_candidates, known_heads, list_candidates
from deppa_nb.active.costs import Cost, Rates
from deppa_nb.active.pool import Item, Pool
from deppa_nb.active.queries import Annotator, Answer, Query
from deppa_nb.active.rounds import Round, play
from deppa_nb.active.selection import Allowance, Candidates, Unit
from deppa_nb.active.stopping import Stopping
from deppa_nb.active.strategies import Strategy, find_strategy
from deppa_nb.active.updates import Completion, Preference
from deppa_nb.corpus.sentence import Treebank
from deppa_nb.corpus.textfile import PathLike
from deppa_nb.errors import ArgumentError
from deppa_nb.models.margin import Preferences

__all__ = ["ActiveLearner"]


class ActiveLearner:
    """A parser, a strategy and a pool.

    Parameters
    ----------
    parser
        Its parameters; it learns when it is first asked for something.
    strategy
        A `Strategy` or the name of one.
    pool
        Sentences, some perhaps annotated: a `Pool`, or a treebank that becomes one as it is.
    rng
        A seed: the same one gives the same questions.
    warm
        Whether the parser goes on from its weights when something new is known, instead of from
        nothing; it then takes `warm_epochs` passes over what has changed and over `review` times
        as many of the other lessons.
    rates
        What answers cost.

    Attributes
    ----------
    cost
        So far, what was known at the beginning included.
    round
        How many rounds of questions were asked.

    Examples
    --------
    >>> from deppa_nb.active.annotators import GoldOracle
    >>> from deppa_nb.corpus.registry import load
    >>> from deppa_nb.models.crf import CRFParser
    >>> gold = load("toy-short", sizes={"train": 60}).train
    >>> parser = CRFParser(1, bits=14, epochs=1, progress=False)
    >>> learner = ActiveLearner(parser, "pa-gap", Pool.hiding(gold, seed=10))
    >>> queries = learner.query(budget=20)
    >>> sum(len(query.tokens) for query in queries)
    20
    >>> learner.teach(GoldOracle(gold).answer(queries))
    20
    """

    def __init__(
        self,
        parser: Any,
        strategy: Strategy | str,
        pool: Pool | Sequence[Item],
        *,
        rng: int = 1,
        warm: bool = False,
        warm_epochs: int = 1,
        review: float = 0.0,
        rates: Rates | None = None,
    ) -> None:
        self.strategy = find_strategy(strategy) if isinstance(strategy, str) else strategy
        self.pool = pool if isinstance(pool, Pool) else Pool(pool)
        self.parser = clone(parser)
        self.rng, self.warm, self.warm_epochs, self.review = rng, warm, warm_epochs, review
        self.rates = rates or Rates()
        known = self.pool.n_given
        self.cost = Cost(known, len(self.pool.known), known, known * self.rates.full)
        self.round = 0
        self.completed: dict[int, Item] = {}
        self.preferences: dict[tuple[object, ...], Answer] = {}
        self._memory: dict[str, NDArray[Any]] = {}
        self._changed: set[int] = set(self.pool.known.tolist())
        self._fitted = self._asked = False
        self._light: Preferences | None = None
        self._stepped = 0  # preferences that the parser has learned from
        self._found: Candidates | None = None

    def train(self) -> bool:
        """Let the parser learn what it does not know yet; return whether it knows anything."""
        lessons = self.strategy.update.lessons(self.pool, self.completed)
        if not lessons:
            return False
        if self._changed or not self._fitted:
            self._learn(lessons)
        self._step()
        return True

    def _learn(self, lessons: list[Item]) -> None:
        if not (self.warm and self._fitted):
            self.parser = clone(self.parser).set_params(warm_start=self.warm)
            self.parser.fit(lessons)
        elif some := self._review(lessons):
            epochs = self.parser.get_params()["epochs"]
            self.parser.set_params(epochs=self.warm_epochs)
            try:
                self.parser.fit(some)
            finally:
                self.parser.set_params(epochs=epochs)
        if not self.warm:
            self._stepped = 0
        self._fitted, self._light, self._found, self._changed = True, None, None, set()

    def _review(self, lessons: list[Item]) -> list[Item]:
        """Return what has changed and some other lessons."""
        ids = {id(self.completed.get(j, self.pool[j])) for j in self._changed}
        new = [item for item in lessons if id(item) in ids]
        old = [item for item in lessons if id(item) not in ids]
        rng = np.random.default_rng([self.rng, self.round, 1])
        some = rng.choice(len(old), min(len(old), round(self.review * len(new))), replace=False)
        return [*new, *(old[k] for k in np.sort(some))]

    def _step(self) -> None:
        """Take steps from preferences that were not taken yet."""
        answers = list(self.preferences.values())[self._stepped :]
        if not answers:
            return
        update = self.strategy.update
        assert isinstance(update, Preference)
        light = self._two_best()
        for answer in answers:
            trees, choice = answer.query.trees, answer.choice
            assert trees is not None and choice is not None
            if choice != 0:
                better, worse = trees[::choice]
                light.prefer(answer.query.sentence, better, worse, alpha=update.alpha)
        self._stepped, self._found = len(self.preferences), None

    def _two_best(self) -> Preferences:
        """Return what finds the two best trees of a sentence of the pool."""
        if self._light is None:
            self._light = Preferences(self.parser, list(self.pool))
        return self._light

    def query(
        self, budget: int, unit: Unit = "dependencies", *, candidates: int = 0
    ) -> list[Query]:
        """Return what to ask next, the most wanted first; the parser learns before, if need be.

        Parameters
        ----------
        budget, unit
            At most so many dependencies (words) or sentences.
        candidates
            How many of the likeliest heads are listed with each word.
        """
        if budget < 1:
            raise ArgumentError(f"budget is {budget}, expected 1 or more")
        found, light = self._candidates(), None
        if self.strategy.kind == "preference":
            if not self._fitted:
                raise ArgumentError("preferences need a parser: annotate some sentences before")
            light = self._two_best()
        rng = np.random.default_rng([self.rng, self.round])
        queries = ask(
            self.strategy, found, Allowance(budget, unit), rng, light, self.preferences.keys()
        )
        self._asked = True
        if candidates and self._fitted:
            return list_candidates(self.parser, self.pool, queries, candidates)
        return queries

    def _candidates(self) -> Candidates:
        """Return what can be asked and its utilities, which are computed once a round."""
        trained = self.train()
        if self._found is None:
            self._found = find_candidates(
                self.strategy, self.parser if trained else None, self.pool
            )
        return self._found

    def teach(self, answers: Sequence[Answer]) -> int:
        """Take in answers; return how many words are annotated that were not before.

        To teach the same twice changes nothing and costs nothing. If one of them does not fit what
        is known, none is taken.
        """
        trees = [answer for answer in answers if answer.query.kind != "preference"]
        changes = self.pool.tried((a.query.sentence, *_given(a)) for a in trees)
        before, open_ = self.pool.n_given, {j: set(self.pool.open(j).tolist()) for j in changes}
        spent = sum((self._price(answer, open_) for answer in answers), Cost())
        changed = {j for j, item in changes.items() if item is not self.pool[j]}
        self.pool.put(changes)
        for answer in trees:
            self._close(answer)
        for answer in answers:
            if answer.choice is not None:
                self.preferences.setdefault(answer.query.key, answer)
        if isinstance(self.strategy.update, Completion):
            self._complete(sorted(changed))
        if spent.queries:
            self.round += self._asked
            self._asked, self._found = False, None
        self._changed |= changed
        self.cost += spent
        return self.pool.n_given - before

    def _price(self, answer: Answer, open_: dict[int, set[int]]) -> Cost:
        """Return what an answer costs; nothing, if all it says is known."""
        query = answer.query
        length = len(self.pool[query.sentence])
        if query.kind == "preference":
            new = query.key not in self.preferences
            return self.rates.price(answer, length, len(query.tokens)) if new else Cost()
        left = open_[query.sentence]
        decided, passed = set(query.tokens) & left, set(query.tokens) & left
        heads, labels = _given(answer)
        decided &= (heads or labels).keys()
        left -= decided
        return self.rates.price(answer, length, len(decided)) if passed else Cost()

    def _close(self, answer: Answer) -> None:
        """Ask no more for words that were passed over, nor for others if the selection says so."""
        heads, labels = _given(answer)
        passed = set(answer.query.tokens) - (heads or labels).keys()
        if not self.strategy.selection.returns:
            self.pool.close(answer.query.sentence)
        elif passed:
            self.pool.close(answer.query.sentence, passed)

    def _complete(self, sentences: Sequence[int]) -> None:
        """Let the parser complete sentences around their given heads."""
        partial = [j for j in sentences if self.pool.state(j) == "partial"]
        if not self._fitted or not partial:
            return
        bank = Treebank(tuple(self.pool[j] for j in partial))
        limits = known_heads(self.parser, bank)
        self.completed.update(zip(partial, self.parser.predict(bank, limits), strict=True))

    def revise(self, sentence: int, word: int, head: int, label: str | None = None) -> None:
        """Give a word another head, and another label if one is given, than it has."""
        labels = {} if label is None else {word: label}
        (item,) = self.pool.tried([(sentence, {word: head}, labels)], revise=True).values()
        self.pool.put({sentence: item})
        self._changed.add(sentence)
        self._found = None
        if isinstance(self.strategy.update, Completion):
            self._complete([sentence])

    def ignore(self, sentence: int) -> None:
        """Take a sentence out of the pool: it is neither asked about nor learned from."""
        self.pool.ignore(sentence)
        self.completed.pop(sentence, None)
        self._changed.add(sentence)
        self._found = None

    def rounds(
        self,
        annotator: Annotator,
        budget: int,
        unit: Unit = "dependencies",
        *,
        dev: Treebank | None = None,
        test: Treebank | None = None,
        stopping: Sequence[Stopping] = (),
        most: int | None = None,
        checkpoint: PathLike | None = None,
    ) -> Iterator[Round]:
        """Yield one round after the other, until there is nothing to ask or a rule says so.

        Parameters
        ----------
        annotator
            Who answers.
        budget, unit
            Of each round.
        dev, test
            What to score the model of each round on.
        stopping
            Rules.
        most
            How many rounds of questions at most, those before included.
        checkpoint
            A file to which the learner is saved after each round.
        """
        return play(
            self, annotator, budget, unit, dev=dev, test=test, stopping=stopping, most=most,
            checkpoint=checkpoint,
        )  # fmt: skip

    def predictions(self) -> NDArray[Any]:
        """Return the head of every word of the pool: the given one or the predicted one."""
        bank = Treebank(tuple(self.pool))
        limits = known_heads(self.parser, bank)
        found = self.parser.predict_heads(bank, limits)
        pairs = zip(bank, found, strict=True)
        return np.concatenate([np.where(s.heads >= 0, s.heads, h)[1:] for s, h in pairs])

    def mean_utility(self) -> float:
        """Return the mean utility of what may be asked, by words or else by sentences."""
        found = self._candidates()
        if found.by_token is not None:
            return float(np.concatenate([np.empty(0), *found.by_token]).mean())
        return float("nan") if found.by_sentence is None else float(found.by_sentence.mean())

    def remember(self, name: str, values: NDArray[Any]) -> None:
        """Keep an array for a later round; it is saved with the learner."""
        self._memory[name] = values

    def remembered(self, name: str) -> NDArray[Any] | None:
        """Return an array of an earlier round."""
        return self._memory.get(name)

    def save(self, path: PathLike) -> None:
        """Write all of it to a file, see `active.saving`."""
        saving.save(self, Path(path))

    @classmethod
    def load(cls, path: PathLike, strategy: Strategy | None = None) -> "ActiveLearner":
        """Return the learner of a file; a strategy that is not registered has to be given."""
        return saving.load(cls, Path(path), strategy)


def _given(answer: Answer) -> tuple[dict[int, int], dict[int, str]]:
    """Return the heads and labels of an answer by word; what was passed over is not there."""
    tokens = answer.query.tokens
    heads = {m: h for m, h in zip(tokens, answer.heads, strict=False) if h >= 0}
    labels = {m: name for m, name in zip(tokens, answer.labels, strict=False) if name != "_"}
    if answer.heads:
        labels = {m: name for m, name in labels.items() if m in heads}
    return heads, labels
