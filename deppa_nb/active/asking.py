"""From a pool and a model to questions, and what of the answers fits."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from deppa_nb.active.pool import Pool
from deppa_nb.active.queries import Answer, Candidate, Query
from deppa_nb.active.selection import Allowance, Candidates, Proposal, within
from deppa_nb.active.strategies import Strategy
from deppa_nb.active.updates import Preference
from deppa_nb.corpus.sentence import Sentence
from deppa_nb.corpus.trees import Heads
from deppa_nb.errors import ArgumentError
from deppa_nb.models.chain_crf import ChainCRF
from deppa_nb.models.constraints import Constraints
from deppa_nb.models.forests import Forests
from deppa_nb.models.graph import GraphParser
from deppa_nb.models.margin import Preferences

__all__ = ["ask", "find_candidates", "fitting", "known_heads", "list_candidates"]


def known_heads(parser: Any, sentences: Sequence[Sentence]) -> list[Constraints]:
    """Return what trees must respect: the given heads, or as many as a tree of the model can have.

    Heads that no tree has together are those that learning leaves open too, see `Forests`. Labels
    of sequences fit any sequence: models take them from the sequences themselves.
    """
    if isinstance(parser, ChainCRF):
        return [Constraints()] * len(sentences)
    given = [j for j, sentence in enumerate(sentences) if sentence.annotated.any()]
    limits = [Constraints()] * len(sentences)
    if given:
        known = [sentences[j] for j in given]
        forests = Forests.of(known, projective=parser.projective, single_root=parser.single_root)
        ends = np.cumsum([len(sentence) + 1 for sentence in known])
        for j, heads in zip(given, np.split(forests.heads, ends[:-1]), strict=True):
            limits[j] = Constraints(heads, sentences[j].labels)
    return limits


def find_candidates(strategy: Strategy, parser: Any, pool: Pool) -> Candidates:
    """Return what may be asked, with utilities; without a parser, as if nothing was measured."""
    places = pool.askable
    tokens = [pool.open(j) for j in places]
    by_sentence, by_token = None, None
    measured = parser is not None and (strategy.sentences or strategy.tokens)
    if measured and len(places):
        sentences = [pool[j] for j in places]
        known = known_heads(parser, sentences)
        if strategy.sentences:
            by_sentence = np.array(strategy.sentences.utilities(parser, sentences, known), float)
        if strategy.tokens:
            every = strategy.tokens.utilities(parser, sentences, known)
            by_token = [found[own] for found, own in zip(every, tokens, strict=True)]
    trees = _finder(parser, [pool[j] for j in places]) if isinstance(parser, GraphParser) else None
    return Candidates(pool, places, tokens, by_sentence, by_token, trees)


def _finder(parser: GraphParser, sentences: Sequence[Sentence]) -> Callable[[], list[Heads]]:
    """Return what finds the best trees, with the heads that are known."""
    return lambda: parser.predict_heads(sentences, known_heads(parser, sentences))


def ask(
    strategy: Strategy,
    found: Candidates,
    budget: Allowance,
    rng: np.random.Generator,
    light: Preferences | None = None,
    answered: Collection[object] = (),
) -> list[Query]:
    """Return the questions that a budget allows, one for each sentence.

    Parameters
    ----------
    strategy, found, budget, rng
        What may be asked and how to choose.
    light
        For preferences: what finds the two best trees.
    answered
        Keys of preferences that are known.
    """
    proposals = strategy.selection.propose(found, budget, rng)
    if light is None:
        merged: dict[int, tuple[set[int], float]] = {}
        for j, tokens, utility in within(proposals, budget):
            words, highest = merged.get(j, (set(), -np.inf))
            merged[j] = words | set(tokens.tolist()), max(highest, utility)
        return [
            Query(j, tuple(sorted(words)), strategy.kind, utility)
            for j, (words, utility) in merged.items()
        ]
    assert isinstance(strategy.update, Preference)
    trees: dict[int, Heads] = {}
    pairs = _pairs(proposals, light, strategy.update.single, answered, trees)
    return [
        Query(j, tuple(tokens.tolist()), "preference", utility, trees=trees[j])
        for j, tokens, utility in within(pairs, budget)
    ]


def _pairs(
    proposals: Iterator[Proposal],
    light: Preferences,
    single: bool,
    answered: Collection[object],
    trees: dict[int, Heads],
) -> Iterator[Proposal]:
    """Yield the words in which the two best trees of sentences differ; write down the trees."""
    for j, _, utility in proposals:
        pair, scores = light.two_best(j)
        differ = np.flatnonzero(pair[0] != pair[1])
        if scores[1] == -np.inf or (single and len(differ) > 1):
            continue
        if Query(j, tuple(differ.tolist()), "preference", trees=pair).key not in answered:
            trees[j] = pair
            yield Proposal(j, differ, utility)


def fitting(answers: Iterable[Answer], strategy: Strategy, pool: Pool) -> list[Answer]:
    """Return the answers about sentences that are not ignored; refuse any that cannot be one."""
    found, ignored = list(answers), set(pool.ignored.tolist())
    for answer in found:
        j, trees = answer.query.sentence, answer.query.trees
        pool.check_words(j, answer.query.tokens)
        if trees is not None and not isinstance(strategy.update, Preference):
            raise ArgumentError(f"{strategy.name} does not learn from preferences")
        if trees is not None and trees.shape[1] != len(pool[j]) + 1:
            problem = f"trees of {trees.shape[1] - 1} words for sentence {j}"
            raise ArgumentError(f"{problem}, which has {len(pool[j])}")
    return [answer for answer in found if answer.query.sentence not in ignored]


def list_candidates(parser: Any, pool: Pool, queries: Sequence[Query], most: int) -> list[Query]:
    """Return questions with the likeliest heads of each word, as far as the model tells."""
    asked = [query for query in queries if query.kind != "preference"]
    sentences = [pool[query.sentence] for query in asked]
    limits = known_heads(parser, sentences)
    marginals: Mapping[int, Any] = dict(
        zip(
            (query.sentence for query in asked),
            parser.map(lambda trees: trees.marginals, sentences, limits),
            strict=True,
        )
    )

    def likeliest(query: Query) -> tuple[tuple[Candidate, ...], ...]:
        p = marginals[query.sentence]
        rows = []
        for m in query.tokens:
            order = np.argsort(-p[:, m], kind="stable")[:most]
            rows.append(tuple((int(h), float(p[h, m])) for h in order if h != m))
        return tuple(rows)

    return [
        query if query.kind == "preference" else replace(query, candidates=likeliest(query))
        for query in queries
    ]
