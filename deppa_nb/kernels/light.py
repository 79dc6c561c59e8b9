"""Light feedback: one pass over sentences, with a question and a step for each of them.

Mejer & Crammer (2012): the two best trees of a sentence are found, the annotator says which one has
more right heads, and the weights take a step before the next sentence is looked at. The annotator
is simulated by a tree of every sentence, so that a whole pass needs no Python.
"""

from collections import namedtuple

import numpy as np

from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.arborescence import two_best_arborescences
from deppa_nb.kernels.batches import layout, longest, score_one, scoring_room, square
from deppa_nb.kernels.margin import _difference, _step_length
from deppa_nb.kernels.matrix_tree import tree_marginals
from deppa_nb.kernels.slots import scramble

__all__ = ["KNOWN", "NEW", "NONE", "NOT_ASKED", "Memory", "Rules", "light_pass", "utilities"]

NOT_ASKED = 2  # where an answer would be
NONE, NEW, KNOWN = 0, 1, 2  # kinds of questions

Rules = namedtuple("Rules", "single ternary ties alpha noise expected")
"""What is asked, how it is answered and what is learned.

single : bool, whether only trees that differ in one head are asked about
ternary : bool, whether "equal" is an answer
ties : int, if it is none: what is said of equal trees, 1 the first, -1 the second, 0 either
alpha : float, the step; if negative, that of MIRA
noise : float, the share of answers that are wrong
expected : bool, whether a step is as long as the answer is expected to be right, see `_belief`
"""

Memory = namedtuple("Memory", "keys answers")
"""The questions of earlier passes.

keys : uint64 (sentences, passes), 0 where nothing was asked
answers : int8 (sentences, passes), 1 if the tree is better that has the lower head at the first
    word in which the two differ
"""


@jit()
def light_pass(
    lesson, table, sentences, allowed, truth, rules, memory, now, chances, sums, turn, found
):
    """Look at some sentences one after the other.

    Parameters
    ----------
    lesson : Lesson
        Of first order; heads are not looked at.
    table : Table
        Its weights change; the rate is the longest step.
    sentences : int64 array
        In the order in which they are looked at, each once.
    allowed : bool array (sentences,)
        Whether a new question may be asked; an old one, which costs nothing, always may.
    truth : int32 array (tokens,)
        Heads that the annotator takes for right, laid out as the slots.
    rules : Rules
    memory : Memory
    now : int
        The number of this pass, from 0: a column of the memory.
    chances : float64 array (sentences, 3)
        From 0 to 1: for equal trees, for a wrong answer, and for which of the two wrong ones.
    sums : float64 array (2**bits,) or (0,)
        Result: of steps, each by the number of sentences before it. The mean of the weights after
        each of t sentences is weights - sums / t. Empty: nobody wants it.
    turn : int
        How many sentences there were in earlier passes.
    found : int64 array (sentences, 3)
        Result: in how many heads the two trees differ (0: there is one tree only); the answer, 1 or
        -1 if the first or the second is better, 0 or `NOT_ASKED`; 1 if the question is new.
    """
    firsts = lesson.slots.firsts
    n = longest(firsts, sentences)
    space, flat, p = scoring_room(n, False, False), np.empty((n + 1) ** 2), np.empty((n + 1) ** 2)
    for i in range(sentences.size):
        k = sentences[i]
        right = truth[firsts[k] : firsts[k + 1]]
        size = right.size
        arcs, trees = square(flat, size), np.empty((2, size), np.int32)
        differ = _two_best(lesson, k, table.weights, arcs, trees, space)
        found[i, 0], found[i, 1], found[i, 2] = differ, NOT_ASKED, 0
        if differ == 0 or (rules.single and differ > 1):
            continue
        key, side = _key(trees)
        answer = _remembered(memory, k, now, key)
        if answer == NOT_ASKED:
            if not allowed[i]:
                continue
            answer = side * _answer(trees, right, rules, chances[i])
            found[i, 2] = 1
        memory.keys[k, now], memory.answers[k, now] = key, answer
        found[i, 1] = side * answer
        if answer == 0:
            continue
        weight = np.float64(side * answer)
        if rules.expected:
            tree_marginals(arcs, lesson.single_root, square(p, size))
            weight = _belief(weight, _support(trees, square(p, size), 0),
                             _support(trees, square(p, size), 1), rules.noise)  # fmt: skip
        better = 0 if weight > 0.0 else 1
        pair = trees[better], trees[1 - better]
        _step(lesson, table, k, pair, rules.alpha, abs(weight), sums, turn + i)


@jit()
def utilities(lesson, weights, sentences, rules, memory, now, probable, found, kinds):
    """Compute how much each sentence is worth a question.

    Parameters
    ----------
    lesson, sentences, rules, memory, now
        As in `light_pass`.
    weights : float32 array (2**bits,)
    probable : bool
        Whether it is the probability of the second tree's heads, see `_support`, instead of its
        score less the first one's.
    found : float64 array (sentences,)
        Result; minus infinity where there is one tree only.
    kinds : int8 array (sentences,)
        Result: `NONE` if the rules have nothing to ask, `NEW`, or `KNOWN` if the memory has it.
    """
    firsts = lesson.slots.firsts
    n = longest(firsts, sentences)
    space, flat, p = scoring_room(n, False, False), np.empty((n + 1) ** 2), np.empty((n + 1) ** 2)
    for i in range(sentences.size):
        k = sentences[i]
        size = firsts[k + 1] - firsts[k]
        arcs, trees = square(flat, size), np.empty((2, size), np.int32)
        found[i], kinds[i] = -np.inf, NONE
        differ = _two_best(lesson, k, weights, arcs, trees, space)
        if differ == 0:
            continue
        if differ == 1 or not rules.single:
            asked = _remembered(memory, k, now, _key(trees)[0])
            kinds[i] = NEW if asked == NOT_ASKED else KNOWN
        if probable:
            tree_marginals(arcs, lesson.single_root, square(p, size))
            found[i] = _support(trees, square(p, size), 1)
        else:
            found[i] = 0.0
            for word in range(1, size):
                found[i] += arcs[trees[1, word], word] - arcs[trees[0, word], word]


@jit()
def _two_best(lesson, k, weights, arcs, trees, space):
    """Write the scores and the two best trees of sentence k; return in how many heads they differ.

    0: there is one tree only.
    """
    none = np.empty(0)
    score_one(lesson.slots, k, weights, lesson.kept_at, lesson.kept, arcs, none, space)
    second = two_best_arborescences(arcs, lesson.single_root, trees)[1]
    differ = 0
    for word in range(1, arcs.shape[0] if second > -np.inf else 1):
        differ += trees[0, word] != trees[1, word]
    return differ


@jit()
def _key(trees):
    """Return a hash of the arcs in which two trees differ, and which of them is named first.

    That is 1 for the first tree and -1 for the second: the one with the lower head where they
    begin to differ, so that the same two trees are the same question whichever is the best. Only
    questions about one sentence are compared, of which there are a few: 32 bits tell them apart.
    """
    key, side = np.uint64(0), 0
    for word in range(1, trees.shape[1]):
        if trees[0, word] != trees[1, word]:
            if side == 0:
                side = 1 if trees[0, word] < trees[1, word] else -1
            first = (1 - side) // 2
            key = scramble(key ^ np.uint64(word))
            key = scramble(key ^ np.uint64(trees[first, word]))
            key = scramble(key ^ np.uint64(trees[1 - first, word]))
    return key | np.uint64(1 << 32), side  # never 0


@jit()
def _remembered(memory, k, now, key):
    """Return what was said when sentence k had the same question, or `NOT_ASKED`."""
    for earlier in range(now):
        if memory.keys[k, earlier] == key:
            return np.int64(memory.answers[k, earlier])
    return NOT_ASKED


@jit()
def _answer(trees, right, rules, chance):
    """Return what the annotator says: 1 the first tree, -1 the second, 0 neither."""
    more = 0
    for word in range(1, right.size):
        more += int(trees[0, word] == right[word]) - int(trees[1, word] == right[word])
    answer = min(max(more, -1), 1)
    if answer == 0 and not rules.ternary:
        answer = rules.ties if rules.ties != 0 else 1 if chance[0] < 0.5 else -1
    if chance[1] < rules.noise:
        if rules.ternary:
            return (answer + (2 if chance[2] < 0.5 else 3)) % 3 - 1
        return -answer
    return answer


@jit()
def _support(trees, p, which):
    """Return the mean probability of a tree's heads where the two differ: of one head, its own."""
    total, differ = 0.0, 0
    for word in range(1, trees.shape[1]):
        if trees[0, word] != trees[1, word]:
            total += p[trees[which, word], word]
            differ += 1
    return total / differ


@jit()
def _belief(answer, first, second, noise):
    """Return by how much the first tree is expected to be better, given a binary answer.

    Before it, the first is better with probability `first`, the second with `second`, else they are
    equal. An answer is wrong with probability `noise`, and either if they are equal.
    """
    said, other = (first, second) if answer > 0.0 else (second, first)
    said, other = (1.0 - noise) * said, noise * other
    total = said + other + 0.5 * max(1.0 - first - second, 0.0)
    return answer * (said - other) / total if total > 0.0 else 0.0


@jit()
def _step(lesson, table, k, pair, alpha, weight, sums, turn):
    """Take a step, of which `weight` is a part, that makes the first tree of a pair better."""
    better, worse = pair
    batch = np.full(1, k)
    at = layout(lesson.slots.firsts, batch, False)
    places, values = _difference(lesson, table, batch, at, worse, better)
    alpha = _step_length(table, places, values, better, worse, alpha)
    step = np.float32(weight * alpha)
    for j in range(places.size):
        table.weights[places[j]] -= step * values[j]
    for j in range(places.size if sums.size > 0 else 0):
        sums[places[j]] -= turn * np.float64(step * values[j])
