"""A projective parser of labelled trees that learns by the margin (McDonald et al. 2005)."""

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import ROOT, Sentence
from deppa_nb.corpus.trees import Heads
from deppa_nb.errors import ArgumentError
from deppa_nb.features.slots import hash_slots
from deppa_nb.features.templates import GROUPS
from deppa_nb.kernels import margin
from deppa_nb.kernels.kbest import best_trees
from deppa_nb.kernels.slots import Slots
from deppa_nb.models.constraints import Constraints, given_labels
from deppa_nb.models.graph import Limits, Scores, keep_labels, no_tree
from deppa_nb.models.labels import JOINT_LABELS, LabelModel, read_templates
from deppa_nb.models.margin import MarginParser, no_labels
from deppa_nb.models.steps import Floats, Weights

__all__ = ["LabelledTrees", "MIRAParser"]

_LABEL_BITS = 17


class LabelledTrees(NamedTuple):
    """The best labelled trees of a sentence.

    Attributes
    ----------
    heads
        ``(k, n + 1)``.
    labels
        k lists of n labels.
    scores
        ``(k,)``, the best first.
    """

    heads: NDArray[np.int32]
    labels: list[list[str]]
    scores: Floats


class MIRAParser(MarginParser):
    """The best labelled tree is the projective one with the highest score.

    A tree's score is the sum over its arcs, its pairs of neighbouring dependents if the order is 2,
    and the labels of its arcs. Learned by MIRA: after each sentence the weights take the shortest
    step with which the right tree is better than each of the k best by as much as that has words
    with a wrong head or label. Of a partial tree, the right one is the best that has the given
    heads and labels.

    Parameters
    ----------
    order, templates, bits
        As in `CRFParser`.
    k
        How many of the best trees a step looks at.
    rate
        The largest weight of one of them in a step (C of MIRA).
    labels
        Whether arcs have labels.
    epochs, patience, averaging, pruning, single_root, rng, warm_start, threads, progress
        As in `CRFParser`; one thread learns, all predict.

    Examples
    --------
    >>> from deppa_nb.corpus.registry import load
    >>> bank = load("toy-short", sizes={"train": 50}).train
    >>> parser = MIRAParser(bits=16, epochs=2, progress=False).fit(bank)
    >>> best = parser.nbest_labelled(bank[0], 10)
    >>> best.labels[0] == list(parser.predict(bank[0]).labels[1:])
    True
    """

    joint = True

    def __init__(
        self,
        order: int = 2,
        *,
        templates: Sequence[str] = GROUPS,
        bits: int = 22,
        k: int = 5,
        rate: float = 0.1,
        epochs: int = 5,
        patience: int = 2,
        averaging: bool = True,
        pruning: float = 0.0,
        single_root: bool = True,
        labels: bool = True,
        rng: int | np.random.Generator | None = 1,
        warm_start: bool = False,
        threads: int | None = None,
        progress: bool = True,
    ) -> None:
        self.order = order
        self.templates = templates
        self.bits = bits
        self.k = k
        self.rate = rate
        self.epochs = epochs
        self.patience = patience
        self.averaging = averaging
        self.pruning = pruning
        self.single_root = single_root
        self.labels = labels
        self.rng = rng
        self.warm_start = warm_start
        self.threads = threads
        self.progress = progress

    def _label_table(self, train: Sequence[Sentence], importance: Floats) -> margin.LabelTable:
        if not self.labels:
            self.labeller_ = None
            return no_labels(train)
        every = [label for sentence in train for label in sentence.labels]
        given = self.forests_.heads >= 0
        given &= np.repeat(importance > 0, [len(sentence) + 1 for sentence in train])
        found = {label for label, used in zip(every, given, strict=True) if used} - {"_", ROOT}
        old = self.labeller_ if self.warm_start else None
        known = old.labels_ if old is not None else ()
        names = (*known, *sorted(found.difference(known)))
        if not names:
            raise ArgumentError(
                f"none of the {len(train)} sentences to learn from has a head with a label; "
                "for trees without, say labels=False"
            )
        model = LabelModel(templates=JOINT_LABELS, bits=_LABEL_BITS, threads=self.threads)
        model.labels_, weights = names, np.zeros((1 << _LABEL_BITS, len(names)), np.float32)
        if old is not None:
            weights[:, : len(known)] = old.weights_
        self.labeller_, number = model, {name: place for place, name in enumerate(names)}
        places = np.array([number.get(label, -1) for label in every], np.int32)
        slots = hash_slots(train, read_templates(JOINT_LABELS))
        return margin.LabelTable(slots, weights, np.zeros_like(weights), places)

    def _adopt(self, tables: Sequence[Weights]) -> None:
        super()._adopt(tables)
        if self.labeller_ is not None:
            self.labeller_.weights_ = tables[1]

    def _score(self, sentences: Sequence[Sentence], limits: Limits) -> Scores:
        scores = super()._score(sentences, limits)
        if self.labeller_ is not None:
            slots, forced = self._forced(sentences, limits)
            weights = self.labeller_.weights_
            margin.add_labels(slots, weights, forced, scores.at, scores.arcs)
            for j, limit in enumerate(limits or ()):
                if limit.forbidden_labels:
                    first, end = scores.at[0, j : j + 2]
                    square = scores.arcs[first:end].reshape(2 * (len(sentences[j]) + 1,))
                    banned = self._banned(limit, len(sentences[j]))
                    margin.forbid_labels(slots, j, weights, banned, square)
        return scores

    def _banned(self, limit: Constraints, n: int) -> NDArray[np.int32]:
        """Return head, word and label of the labels that are forbidden to words without one."""
        assert self.labeller_ is not None
        names, given = self.labeller_.labels_, given_labels(limit.labels, n)
        rows = [
            (head, word, names.index(label))
            for head, word, label in limit.barred_labels(n)
            if given[word] == "_" and label in names
        ]
        return np.array(rows, np.int32).reshape(-1, 3)

    def _forced(
        self, sentences: Sequence[Sentence], limits: Limits
    ) -> tuple[Slots, NDArray[np.int32]]:
        """Return the slots of labels, and the labels that words must have, -1 for none."""
        slots = hash_slots(sentences, read_templates(JOINT_LABELS))
        forced = np.full(slots.firsts[-1], -1, np.int32)
        assert self.labeller_ is not None
        number = {name: place for place, name in enumerate(self.labeller_.labels_)}
        for j, limit in enumerate(limits or ()):
            first, names = slots.firsts[j], given_labels(limit.labels, len(sentences[j]))
            for word, label in enumerate(names[1:] if limit.labels else (), 1):
                if label != "_":
                    forced[first + word] = number.get(label, margin.NEVER_SEEN)
        return slots, forced

    def nbest_labelled(
        self, sentence: Sentence, k: int, constraints: Constraints | None = None
    ) -> LabelledTrees:
        """Return the k best labelled trees: two that differ in a label are two."""
        return self.nbests_labelled([sentence], k, None if constraints is None else [constraints])[
            0
        ]

    def nbests_labelled(
        self,
        sentences: Sequence[Sentence],
        k: int | Callable[[int], int],
        constraints: Limits = None,
    ) -> list[LabelledTrees]:
        """Do so for many sentences, by several threads; k may depend on the number of words."""

        def lists(some: Sequence[Sentence], limits: Limits) -> list[LabelledTrees]:
            _, at, arcs, siblings = self._score(some, limits)
            found = []
            for j, sentence in enumerate(some):
                square = arcs[at[0, j] : at[0, j + 1]].reshape(2 * (len(sentence) + 1,))
                most = how_many(len(sentence))
                heads, scores = np.empty((most, len(sentence) + 1), np.int32), np.empty(most)
                count = best_trees(
                    square, siblings[at[1, j] : at[1, j + 1]], self.single_root, heads, scores
                )
                if count == 0:
                    raise no_tree(sentence)
                found.append((heads[:count], scores[:count]))
            return self._labelled(some, limits, found, how_many)

        def how_many(n: int) -> int:
            return k(n) if callable(k) else k

        if not callable(k) and not (isinstance(k, Integral) and k >= 1):
            raise ArgumentError(f"k is {k}, expected 1 or more")
        return self._in_shards(lists, sentences, constraints)

    def _labelled(
        self,
        sentences: Sequence[Sentence],
        limits: Limits,
        found: list[tuple[Heads, Floats]],
        how_many: Callable[[int], int],
    ) -> list[LabelledTrees]:
        """Return the best labelled trees, given the best trees."""
        if self.labeller_ is None:
            results = [
                LabelledTrees(heads, [["_"] * (heads.shape[1] - 1) for _ in heads], scores)
                for heads, scores in found
            ]
        else:
            results = self._best_labelled(self.labeller_, sentences, limits, found, how_many)
        for best, limit in zip(results, limits or (), strict=limits is not None):
            for names in best.labels:
                keep_labels(names, limit)  # they may be labels that were never seen
        return results

    def _best_labelled(
        self,
        labeller: LabelModel,
        sentences: Sequence[Sentence],
        limits: Limits,
        found: list[tuple[Heads, Floats]],
        how_many: Callable[[int], int],
    ) -> list[LabelledTrees]:
        slots, forced = self._forced(sentences, limits)
        names, results = np.array(labeller.labels_, object), []
        for j, (heads, scores) in enumerate(found):
            own = forced[slots.firsts[j] : slots.firsts[j + 1]]
            k, n = how_many(len(own) - 1), len(own) - 1
            banned = self._banned(limits[j] if limits else Constraints(), n)
            trees, labels, totals = np.empty(k, np.int32), np.empty((k, n), np.int32), np.empty(k)
            count = margin.labelled_trees(
                slots, j, labeller.weights_, own, banned, heads, scores, trees, labels, totals
            )
            texts = names[labels[:count]].tolist()
            results.append(LabelledTrees(heads[trees[:count]], texts, totals[:count]))
        return results
