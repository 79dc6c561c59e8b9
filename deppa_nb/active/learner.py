"""A learner that learns, asks and is taught."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from deppa_nb.active import saving
from deppa_nb.active.asking import ask, find_candidates, fitting, known_heads, list_candidates
from deppa_nb.active.checks import check_number
from deppa_nb.active.costs import Cost, Rates
from deppa_nb.active.pool import Item, Pool
from deppa_nb.active.queries import Annotator, Answer, Query
from deppa_nb.active.rounds import Round, play
from deppa_nb.active.selection import Allowance, Candidates, Unit
from deppa_nb.active.stopping import Stopping
from deppa_nb.active.strategies import Strategy, find_strategy
from deppa_nb.active.updates import Completion, Forest, Preference
from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.textfile import PathLike
from deppa_nb.errors import ArgumentError, ParameterError, PoolError
from deppa_nb.models.margin import Preferences

__all__ = ["ActiveLearner"]


class ActiveLearner:
    """A parser, a strategy and a pool.

    Parameters
    ----------
    parser
        Its parameters; it learns when it is first asked for something. None of a pool that is only
        looked at.
    strategy
        A `Strategy` or the name of one.
    pool
        Sentences, some perhaps annotated: a `Pool`, of which a copy is taken, or a treebank that
        becomes one as it is.
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
    completed
        Trees that the parser has completed, by position in the pool.
    given_up
        How many given heads such a tree does not have, because no tree of the parser has them all.

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
        self.pool = pool.copy() if isinstance(pool, Pool) else Pool(pool)
        self.parser: Any = None if parser is None else clone(parser)
        self.rng, self.warm, self.warm_epochs, self.review = rng, warm, warm_epochs, review
        self.rates = rates or Rates()
        check_number("rng", rng, 0, whole=True)
        check_number("warm_epochs", warm_epochs, 1, whole=True)
        check_number("review", review, 0)
        about, other = ("trees", "sequences")[:: -1 if self.strategy.kind == "labels" else 1]
        if any(isinstance(item, Sentence) != (about == "trees") for item in self.pool):
            raise ParameterError(f"{self.strategy.name} asks about {about}, the pool has {other}")
        self.cost = self._cost_of_start()
        self.round = 0
        self.completed: dict[int, Item] = {}
        self.given_up: dict[int, int] = {}
        self.preferences: dict[tuple[object, ...], Answer] = {}
        self._memory: dict[str, NDArray[Any]] = {}
        self._changed: set[int] = set(self.pool.known.tolist())
        self._fitted = self._asked = False
        self._light: Preferences | None = None
        self._stepped = 0  # preferences that the parser has learned from
        self._found: Candidates | None = None

    def _cost_of_start(self) -> Cost:
        """Return what is known at the beginning as if full trees had been asked for."""
        given, read = self.pool.n_given, [len(self.pool[j]) for j in self.pool.known]
        seconds = given * self.rates.full + sum(read) * self.rates.reading
        return Cost(given, len(read), given * (3 if self._labelled else 1), seconds, sum(read))

    @property
    def _labelled(self) -> bool:
        """Whether labels of heads are wanted."""
        return bool(getattr(self.parser, "labels", False))

    def train(self) -> bool:
        """Let the parser learn what it does not know yet; return whether it knows anything."""
        self._note()
        if isinstance(self.strategy.update, Completion):
            self._complete_all()
        lessons = self.strategy.update.lessons(self.pool, self.completed)
        if not lessons:
            return False
        if self._changed or not self._fitted:
            self._learn(lessons)
        self._step()
        return True

    def _learn(self, lessons: dict[int, Item]) -> None:
        if not (self.warm and self._fitted):
            self.parser = clone(self.parser).set_params(warm_start=self.warm)
            self.parser.fit([lessons[j] for j in sorted(lessons)])
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

    def _review(self, lessons: dict[int, Item]) -> list[Item]:
        """Return the lessons that have changed and some others."""
        new = [j for j in sorted(lessons) if j in self._changed]
        old = [j for j in sorted(lessons) if j not in self._changed]
        rng = np.random.default_rng([self.rng, self.round, 1])
        some = rng.choice(len(old), min(len(old), round(self.review * len(new))), replace=False)
        return [lessons[j] for j in (*new, *(old[k] for k in np.sort(some)))]

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
            if choice != 0 and self.pool.state(answer.query.sentence) != "ignored":
                better, worse = trees[::choice]
                light.prefer(answer.query.sentence, better, worse, alpha=update.alpha)
        self._stepped, self._found = len(self.preferences), None

    def _two_best(self) -> Preferences:
        """Return what finds the two best trees of a sentence of the pool."""
        if self._light is None:
            sentences = list(self.pool)
            self._light = Preferences(self.parser, sentences, known_heads(self.parser, sentences))
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
        check_number("budget", budget, 1, whole=True, error=ArgumentError)
        check_number("candidates", candidates, 0, whole=True, error=ArgumentError)
        if unit not in get_args(Unit):
            raise ArgumentError(f"unit is {unit!r}, expected {' or '.join(get_args(Unit))}")
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

    def teach(self, answers: Iterable[Answer]) -> int:
        """Take in answers; return how many words are annotated that were not before.

        To teach the same twice changes nothing and costs nothing, nor do answers about sentences
        that are ignored. If one of them does not fit what is known, none is taken.
        """
        answers = fitting(answers, self.strategy, self.pool)
        trees = [answer for answer in answers if answer.query.kind != "preference"]
        light = [answer for answer in answers if answer.query.kind == "preference"]
        changes = self.pool.tried((a.query.sentence, *a.by_word) for a in trees)
        before = self.pool.n_given
        left = {j: set(self.pool.unannotated(j).tolist()) for j in changes}
        closed = self.pool.closed
        spent = sum((self._price(answer, left, closed) for answer in trees), Cost())
        for answer in light:
            if answer.query.key not in self.preferences:
                self.preferences[answer.query.key] = answer
                spent += self._priced(answer, set(answer.query.tokens))
        self.pool.put(changes)
        for answer in trees:
            self._close(answer)
        self._note()
        if spent.queries:
            self.round += self._asked
            self._asked = False
        self.cost += spent
        return self.pool.n_given - before

    def _price(
        self, answer: Answer, left: dict[int, set[int]], closed: dict[int, set[int]]
    ) -> Cost:
        """Return what an answer costs; nothing, if all it says is known.

        The words that it decides or passes over are taken from those that are left, or are closed.
        """
        j, tokens = answer.query.sentence, set(answer.query.tokens)
        heads, labels = answer.by_word
        decided = tokens & left[j] & (heads or labels).keys()
        passed = (tokens & left[j]) - (heads or labels).keys() - closed.get(j, set())
        left[j] -= decided
        closed.setdefault(j, set()).update(passed)
        return self._priced(answer, decided) if decided or passed else Cost()

    def _priced(self, answer: Answer, words: set[int]) -> Cost:
        length = len(self.pool[answer.query.sentence])
        return self.rates.price(answer, length, words, labelled=self._labelled)

    def _note(self) -> None:
        """Take note of what has changed in the pool, also by hand."""
        news = self.pool.take_news()
        changed = {j for j, other in news.items() if other}
        self._changed |= changed
        if news:
            self._found = self._light = None
        if isinstance(self.strategy.update, Completion):
            for j in changed:
                self.completed.pop(j, None)
                self.given_up.pop(j, None)
            if self._fitted:
                self._complete(sorted(changed))

    def _close(self, answer: Answer) -> None:
        """Ask no more for words that were passed over, nor for others if the selection says so."""
        heads, labels = answer.by_word
        passed = set(answer.query.tokens) - (heads or labels).keys()
        if not self.strategy.selection.returns:
            self.pool.close(answer.query.sentence)
        elif passed:
            self.pool.close(answer.query.sentence, passed)

    def _complete_all(self) -> None:
        """Complete what is not yet, if need be by a parser that learns from forests."""
        places = set(self.pool.where("partial").tolist()) - self.completed.keys()
        if not places:
            return
        if not self._fitted:
            self._learn(Forest().lessons(self.pool, {}))
            self._fitted = False
            self._changed = set(self.pool.known.tolist())
        self._complete(sorted(places))

    def _complete(self, places: Sequence[int]) -> None:
        """Let the parser complete sentences around their given heads."""
        partial = [j for j in places if self.pool.state(j) == "partial"]
        bank = Treebank(tuple(self.pool[j] for j in partial))
        trees = self.parser.predict(bank, known_heads(self.parser, bank)) if partial else ()
        for j, tree in zip(partial, trees, strict=True):
            self.completed[j] = tree
            given = self.pool[j].heads
            if lost := int(((given >= 0) & (tree.heads != given)).sum()):
                self.given_up[j] = lost

    def revise(
        self, sentence: int, word: int, head: int | None = None, label: str | None = None
    ) -> None:
        """Give a word that is annotated another head, another label, or both.

        With another head and no label, the word has none: what it had was said of the old head.
        """
        if word in self.pool.unannotated(sentence):
            raise PoolError(f"word {word} of sentence {sentence} has nothing to revise; teach it")
        heads = {} if head is None else {word: head}
        labels = {} if label is None else {word: label}
        self.pool.put(self.pool.tried([(sentence, heads, labels)], revise=True))
        self._note()

    def ignore(self, sentence: int) -> None:
        """Take a sentence out of the pool: it is neither asked about nor learned from."""
        self.pool.ignore(sentence)
        self._note()

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
        return self._candidates().mean

    def remember(self, name: str, values: NDArray[Any]) -> None:
        """Keep an array for a later round; it is saved with the learner."""
        if name == "file" or values.dtype.hasobject:  # which numpy does not save, or load
            raise ArgumentError(f"cannot remember {name!r} of {values.dtype}: no object, no 'file'")
        self._memory[name] = values

    def remembered(self, name: str) -> NDArray[Any] | None:
        """Return an array of an earlier round."""
        return self._memory.get(name)

    def forget(self, name: str) -> None:
        """Keep an array no longer."""
        self._memory.pop(name, None)

    def save(self, path: PathLike) -> None:
        """Write all of it to a file, see `active.saving`."""
        self._note()
        saving.save(self, Path(path))

    @classmethod
    def load(cls, path: PathLike, strategy: Strategy | None = None) -> "ActiveLearner":
        """Return the learner of a file; a strategy that is not registered has to be given."""
        return saving.load(cls, Path(path), strategy)
