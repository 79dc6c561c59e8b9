"""A conditional random field over label sequences that learns from some of their labels."""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
from tqdm.auto import tqdm

from deppa_nb.corpus.sequences import OPEN, SequenceBank
from deppa_nb.corpus.sequences import Sequence as Labelled
from deppa_nb.corpus.textfile import PathLike
from deppa_nb.errors import ArgumentError, FormatError, ParameterError
from deppa_nb.features.windows import check_templates, hash_windows, templates_for
from deppa_nb.kernels.attributes import add_scores, tabulate
from deppa_nb.kernels.chain import allow
from deppa_nb.kernels.chain_batches import best_batch, marginal_batch
from deppa_nb.kernels.chain_loss import sum_losses
from deppa_nb.kernels.chain_paths import k_best
from deppa_nb.models.attributes import Attributes
from deppa_nb.models.checks import check_parameters, listed, restoring
from deppa_nb.models.storage import load_model, save_model

__all__ = ["ChainCRF"]

Floats = NDArray[np.float64]
T = TypeVar("T")

_PARTS = 4  # of the sum over sequences, whatever the number of threads: sums are the same then
_PERIOD = 10  # iterations over which the loss has to fall
_CORRECTIONS = 6  # that L-BFGS remembers
_SHARD = 512  # sequences that a thread takes at a time


class _Words(NamedTuple):
    """Sequences laid end to end: attributes, where sequences begin, labels (-1: open)."""

    attributes: NDArray[np.int32]
    firsts: NDArray[np.int64]
    given: NDArray[np.int32]

    @property
    def n(self) -> int:
        """How many sequences."""
        return len(self.firsts) - 1

    def parts(self, count: int) -> "list[_Words]":
        """Return as many parts, of about as many tokens each."""
        wanted = np.linspace(0, self.firsts[-1], count + 1)
        bounds = np.unique(np.searchsorted(self.firsts, wanted))
        return [self._part(a, b) for a, b in pairwise(bounds.tolist())]

    def _part(self, first: int, last: int) -> "_Words":
        own = slice(self.firsts[first], self.firsts[last])
        firsts = self.firsts[first : last + 1] - self.firsts[first]
        return _Words(self.attributes[own], firsts, self.given[own])


class ChainCRF(BaseEstimator):  # type: ignore[misc, unused-ignore]
    """p(labels | tokens) of a linear chain (Lafferty et al. 2001), learned from partial labels.

    What is minimised is ``- sum log p(given labels)`` over the sequences that have one (Wanvarie
    et al. 2011, eq. 4-5) and ``l2 |w|^2``, which they do not name, by L-BFGS.

    Parameters
    ----------
    templates
        What is seen around a token, see `features.windows`; by default that of the paper, as far as
        the sequences have columns for it.
    l2
        Weight of the regularisation.
    iterations
        At most so many.
    tolerance
        Learning ends when ten iterations have not made the loss smaller by this share of it.
    warm_start
        Whether `fit` goes on from the weights of the last time, for labels and attributes that
        were there.
    threads
        How many work, four at most (as there are processors if None); results are the same with
        any number.
    progress
        Whether to show a bar.

    Attributes
    ----------
    labels_
        Those seen, in alphabetical order.
    attributes_
        What was seen at labelled tokens, and with which labels.
    weights_, transitions_
        ``(pairs of attribute and label,)`` and ``(labels, labels)``, of a label and the next.
    loss_, n_iter_
        What was reached, and after how many iterations; not of a model that was loaded.

    Examples
    --------
    >>> from deppa_nb.corpus.registry import load
    >>> bank = load("toy-chunks").train[:200]
    >>> crf = ChainCRF(progress=False).fit(bank)
    >>> crf.predict(bank[0]).labels == bank[0].labels
    True
    >>> crf.marginals(bank[:1])[0].sum(axis=1).round(6).min()
    np.float64(1.0)
    """

    def __init__(
        self,
        *,
        templates: Sequence[str] | None = None,
        l2: float = 1.0,
        iterations: int = 1000,
        tolerance: float = 1e-5,
        warm_start: bool = False,
        threads: int | None = None,
        progress: bool = True,
    ) -> None:
        self.templates = templates
        self.l2 = l2
        self.iterations = iterations
        self.tolerance = tolerance
        self.warm_start = warm_start
        self.threads = threads
        self.progress = progress

    def fit(self, sequences: Sequence[Labelled]) -> Self:
        """Learn from all labels; sequences without any do not take part."""
        check_parameters(self.get_params())
        check_templates(self.templates)
        known = [s for s in _listed(sequences) if any(label != OPEN for label in s.labels)]
        with restoring(self):
            self._fit(known)
        return self

    def _fit(self, known: list[Labelled]) -> None:
        if not known:
            raise ArgumentError("none of the sequences to learn from has a label")
        before = dict(vars(self)) if self.warm_start and hasattr(self, "weights_") else None
        own = templates_for(known[0]) if self.templates is None else self.templates
        self.templates_ = tuple(own)
        self.labels_ = tuple(sorted({label for s in known for label in s.labels} - {OPEN}))
        keys, firsts = hash_windows(known, self.templates_)
        given = self._numbered([label for s in known for label in s.labels])
        self.attributes_ = Attributes.seen(keys, given, len(self.labels_))
        words = _Words(self.attributes_.look_up(keys), firsts, given)
        self._minimise(words.parts(_PARTS), self._start(before))

    def _start(self, before: dict[str, Any] | None) -> Floats:
        """Return the weights that learning begins with: of the last time, or 0."""
        size = len(self.labels_)
        transitions = np.zeros((size, size))
        if before is None or before["templates_"] != self.templates_:
            return np.zeros(len(self.attributes_) + size * size)
        number = {label: k for k, label in enumerate(before["labels_"])}
        old = np.array([number.get(label, -1) for label in self.labels_])
        both = np.ix_(old >= 0, old >= 0)
        transitions[both] = before["transitions_"][np.ix_(old[old >= 0], old[old >= 0])]
        weights = before["attributes_"].carried(before["weights_"], self.attributes_, old)
        return np.concatenate([weights, transitions.ravel()])

    def _minimise(self, parts: list[_Words], start: Floats) -> None:
        size, labels = len(self.attributes_), len(self.labels_)
        pairs = self.attributes_.pairs
        buffers = np.empty((len(parts), len(start)))
        slopes = np.empty((len(parts), *tabulate(pairs, start[:size], labels).shape))

        def split(values: Floats) -> tuple[Floats, Floats]:
            return values[:size], values[size:].reshape(labels, labels)

        def part(k: int, x: Floats, rows: Floats) -> float:
            buffers[k] = 0.0
            found = (*split(buffers[k]), slopes[k])
            return float(sum_losses(*parts[k], pairs, *split(x), rows, *found))

        def objective(x: Floats) -> tuple[float, Floats]:
            rows = tabulate(pairs, x[:size], labels)
            losses = list(pool.map(lambda k: part(k, x, rows), range(len(parts))))
            return sum(losses) + self.l2 * float(x @ x), 2.0 * self.l2 * x + buffers.sum(axis=0)

        bar = tqdm(desc="iterations", disable=not self.progress, leave=False)
        with ThreadPoolExecutor(self._workers) as pool, threadpool_limits(1, "blas"), bar:
            found = minimize(
                objective, start, jac=True, method="L-BFGS-B", callback=self._stopping(bar),
                options={
                    "maxcor": _CORRECTIONS, "maxiter": self.iterations, "maxfun": 10**9,
                    "ftol": 0.0, "gtol": 1e-6,
                },
            )  # fmt: skip
        self.weights_, self.transitions_ = split(found.x)
        self.loss_, self.n_iter_ = float(found.fun), int(found.nit)

    def _stopping(self, bar: Any) -> Callable[..., None]:
        """Return what ends learning: single iterations may stand still for a while."""
        losses: list[float] = []

        def stop(intermediate_result: Any) -> None:
            losses.append(float(intermediate_result.fun))
            bar.set_postfix(loss=f"{losses[-1]:.1f}", refresh=False)
            bar.update()
            if len(losses) > _PERIOD:
                fallen = losses[-1 - _PERIOD] - losses[-1]
                if fallen < self.tolerance * abs(losses[-1]):
                    raise StopIteration

        return stop

    @property
    def _workers(self) -> int:
        return min(self.threads or os.cpu_count() or 1, _PARTS)

    @overload
    def predict(self, sequences: Labelled, *, keep: bool = ...) -> Labelled: ...
    @overload
    def predict(self, sequences: SequenceBank, *, keep: bool = ...) -> SequenceBank: ...
    def predict(self, sequences: Any, *, keep: bool = False) -> Any:
        """Return a sequence or a bank with the best labels in the place of those it has.

        Parameters
        ----------
        sequences
            What to label.
        keep
            Whether labels that are given stay: the best are then those that fit them.
        """
        if isinstance(sequences, Labelled):
            return self.predict(SequenceBank((sequences,)), keep=keep)[0]
        if not isinstance(sequences, SequenceBank):
            return self.predict(SequenceBank(tuple(_listed(sequences))), keep=keep)
        found = zip(sequences, self.predict_labels(sequences, keep=keep), strict=True)
        return sequences.with_sentences(
            replace(s, columns=(*s.columns[:-1], tuple(labels))) for s, labels in found
        )

    def predict_labels(
        self, sequences: Sequence[Labelled], *, keep: bool = False
    ) -> list[list[str]]:
        """Return the best labels of each sequence."""

        def look(words: _Words) -> list[list[str]]:
            best = np.array(self.labels_, object)[self._best(words)[0]]
            return [found.tolist() for found in np.split(best, words.firsts[1:-1])]

        return self._map(look, sequences, keep)

    def marginals(self, sequences: Sequence[Labelled], *, keep: bool = False) -> list[Floats]:
        """Return p(label of a token | tokens), ``(n, labels)`` for each sequence.

        With `keep`, given the labels that are there; the same of what follows.
        """
        return self._map(
            lambda words: np.split(self._sums(words)[0], words.firsts[1:-1]), sequences, keep
        )

    def log_prob(self, sequences: Sequence[Labelled]) -> list[float]:
        """Return log p(given labels | tokens) of each sequence."""

        def look(words: _Words) -> list[float]:
            free = words._replace(given=np.full_like(words.given, -1))
            logs: list[float] = (self._sums(words)[1] - self._sums(free)[1]).tolist()
            return logs

        return self._map(look, sequences, True)

    def best_log_prob(self, sequences: Sequence[Labelled], *, keep: bool = False) -> list[float]:
        """Return log p(best labels | tokens) of each sequence."""
        return self._map(
            lambda words: (self._best(words)[1] - self._sums(words)[1]).tolist(), sequences, keep
        )

    def nbest(
        self, sequence: Labelled, k: int = 10, *, keep: bool = False
    ) -> list[tuple[tuple[str, ...], float]]:
        """Return the k best label sequences with their log-probabilities, the best first."""
        if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
            raise ArgumentError(f"k is {k!r}, expected a whole number from 1")

        def look(words: _Words) -> list[tuple[tuple[str, ...], float]]:
            unary = self._unary(words)
            allowed = np.empty(unary.shape, bool)
            allow(words.given, allowed)
            labels, scores = np.empty((k, len(sequence)), np.int32), np.empty(k)
            found = k_best(unary, allowed, self.transitions_, labels, scores)
            logs = (scores[:found] - self._sums(words)[1][0]).tolist()
            names = [tuple(self.labels_[i] for i in row) for row in labels[:found]]
            return list(zip(names, logs, strict=True))

        return self._map(look, [sequence], keep)

    def scores(self, sequence: Labelled) -> Floats:
        """Return the sum of weights of each label at each token, ``(n, labels)``."""
        return np.array(self._map(lambda words: list(self._unary(words)), [sequence], False))

    def _unary(self, words: _Words) -> Floats:
        unary = np.empty((len(words.attributes), len(self.labels_)))
        rows = tabulate(self.attributes_.pairs, self.weights_, len(self.labels_))
        add_scores(words.attributes, self.attributes_.pairs, self.weights_, rows, unary)
        return unary

    @property
    def _model(self) -> tuple[Any, ...]:
        return self.attributes_.pairs, self.weights_, self.transitions_

    def _sums(self, words: _Words) -> tuple[Floats, Floats]:
        """Return marginals, and the log of the sum over all sequences with the given labels."""
        p, log_z = np.empty((words.firsts[-1], len(self.labels_))), np.empty(words.n)
        marginal_batch(*words, *self._model, p, log_z)
        return p, log_z

    def _best(self, words: _Words) -> tuple[NDArray[np.int32], Floats]:
        """Return the best labels, and their scores."""
        labels, scores = np.empty(words.firsts[-1], np.int32), np.empty(words.n)
        best_batch(*words, *self._model, labels, scores)
        return labels, scores

    def _map(
        self, look: Callable[[_Words], list[T]], sequences: Iterable[Labelled], keep: bool
    ) -> list[T]:
        """Return what is found for shards of sequences, by several threads."""
        if not hasattr(self, "weights_"):
            raise NotFittedError("this ChainCRF has no weights yet; call fit")
        sequences = _listed(sequences)
        if empty := [k for k, sequence in enumerate(sequences) if not len(sequence)]:
            raise ArgumentError(f"sequence {empty[0]} has no tokens")

        def shard(start: int) -> list[T]:
            some = sequences[start : start + _SHARD]
            keys, firsts = hash_windows(some, self.templates_)
            names = [label if keep else OPEN for s in some for label in s.labels]
            return look(_Words(self.attributes_.look_up(keys), firsts, self._numbered(names)))

        with ThreadPoolExecutor(self._workers) as pool:
            shards = pool.map(shard, range(0, len(sequences), _SHARD))
            return [found for shard in shards for found in shard]

    def _numbered(self, names: Sequence[str]) -> NDArray[np.int32]:
        """Return the numbers of labels, -1 for open ones."""
        number = {label: k for k, label in enumerate(self.labels_)} | {OPEN: -1}
        try:
            return np.fromiter(map(number.__getitem__, names), np.int32, len(names))
        except KeyError as error:
            problem = f"label {error.args[0]!r} is given, which the model has never seen"
            raise ArgumentError(f"{problem}; it has {', '.join(self.labels_)}") from None

    def save(self, path: PathLike) -> None:
        """Write the parameters and the weights to a file, see `models.storage`."""
        if not hasattr(self, "weights_"):
            raise NotFittedError("this ChainCRF has no weights yet; call fit")
        parameters = self.get_params()
        tables: dict[str, NDArray[Any]] = {
            "pair_weights": self.weights_,
            "transitions": self.transitions_,
            "tags": np.array(json.dumps(self.labels_)),
            "keys": self.attributes_.keys,
            "starts": self.attributes_.pairs.starts,
            "pair_labels": self.attributes_.pairs.labels,
        }
        save_model(path, type(self).__name__, parameters, list(self.templates_), tables)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Return the model that a file holds."""
        parameters, texts, tables = load_model(path, cls.__name__)
        try:
            own = parameters["templates"]
            crf = cls(**{**parameters, "templates": None if own is None else tuple(own)})
            check_parameters(crf.get_params())
            crf.templates_, crf.labels_ = tuple(texts), _checked_labels(str(tables["tags"]))
            crf.weights_, crf.transitions_ = tables["pair_weights"], tables["transitions"]
            names = ("keys", "starts", "pair_labels")
            crf.attributes_ = _checked(crf, *(tables[name] for name in names))
        except (KeyError, TypeError, ValueError, ParameterError) as error:
            raise FormatError(path, None, f"a model of another kind ({error})") from error
        return crf


def _listed(sequences: Iterable[Labelled]) -> list[Labelled]:
    return listed(sequences, Labelled, "label sequences (dp.Sequence)")


def _checked_labels(text: str) -> tuple[str, ...]:
    """Return the labels of a file: some strings, each once."""
    found = json.loads(text)
    texts = [label for label in found if isinstance(label, str) and label != OPEN]
    if not isinstance(found, list) or not texts or len(set(texts)) < len(found):
        raise ValueError(f"labels {text[:80]}")
    return tuple(texts)


def _checked(
    crf: ChainCRF, keys: NDArray[Any], starts: NDArray[Any], labels: NDArray[Any]
) -> Attributes:
    """Return attributes of a file, if kernels can rely on them."""
    size, weights, transitions = len(crf.labels_), crf.weights_, crf.transitions_
    sound = (
        keys.dtype == np.uint64
        and len(np.unique(keys)) == keys.size
        and keys.ndim == 1
        and starts.dtype == np.int64
        and labels.dtype == np.int16
        and weights.dtype == transitions.dtype == np.float64
        and transitions.shape == (size, size)
        and starts.shape == (len(keys) + 1,)
        and weights.shape == labels.shape == (starts[-1],)
        and starts[0] == 0
        and bool((np.diff(starts) >= 0).all())
        and bool(((labels >= 0) & (labels < size)).all())
        and bool(np.isfinite(weights).all() and np.isfinite(transitions).all())
    )
    if not sound:
        raise ValueError("tables that do not fit each other")
    return Attributes(keys, starts, labels)
