"""Learning labelled trees by the margin: MIRA with the k best trees of each sentence.

The score of a labelled tree is that of its parts plus, for each arc, that of its label, a sum of
rows of weights as in `labelling`. After each sentence the weights take the shortest step with which
the right tree is better than each of the k best by as much as that has wrong words (McDonald et al.
2005); a word is wrong if its head or its label is. Of the multipliers of these conditions one after
the other is set to what its condition asks for (Hildreth 1957), until none changes much.

Or, from a preference between two trees (Mejer & Crammer 2012), the shortest step with which the
better one's score is higher by as much as they differ.
"""

from collections import namedtuple

import numpy as np

from deppa_nb.kernels._jit import jit
from deppa_nb.kernels.arborescence import two_best_arborescences
from deppa_nb.kernels.batches import decode_one, layout, longest, score_one, scoring_room, square
from deppa_nb.kernels.constraints import constrain
from deppa_nb.kernels.items import ZERO
from deppa_nb.kernels.kbest import best_trees
from deppa_nb.kernels.labelled_kbest import best_labelled
from deppa_nb.kernels.labelling import UNKNOWN, add_rows, find_rows, largest, row_room
from deppa_nb.kernels.learning import add_tree, collect, differ_room

__all__ = [
    "LabelTable",
    "add_best_labels",
    "add_labels",
    "forbid_labels",
    "is_tree",
    "labelled_trees",
    "learn_labelled",
    "prefer",
    "two_best",
]  # fmt: skip

LabelTable = namedtuple("LabelTable", "slots weights gradient labels")
"""Labels as they are learned.

slots : Slots, of the templates of labels
weights, gradient : float32 (2**bits, labels), the second zero between steps
labels : int32 (tokens,), the given ones, -1 where one is open; laid out as the heads
"""

NEVER_SEEN = -2  # a label that words must have but that was not learned
_PASSES, _ENOUGH = 10, 1e-4  # over the conditions of a sentence; a change that ends them


@jit()
def add_best_labels(slots, k, weights, forced, arcs, which):
    """Add to the score of every arc of sentence k that of its best label.

    Parameters
    ----------
    slots : Slots
        Of the templates of labels.
    k : int
    weights : float32 array (2**bits, labels)
    forced : int32 array (n + 1,)
        Labels that words must have, -1 for none; `NEVER_SEEN` for one that has no score.
    arcs : float64 array (n + 1, n + 1)
        Changed, but for those of minus infinity.
    which : int32 array (n + 1, n + 1)
        Result: the label.
    """
    rows, scores = row_room(slots, weights)
    first = slots.firsts[k]
    for m in range(1, arcs.shape[0]):
        for h in range(arcs.shape[0]):
            if h != m and arcs[h, m] > -np.inf:
                _score_labels(slots, first + h, first + m, weights, rows, scores)
                label = forced[m] if forced[m] >= 0 else largest(scores)
                if forced[m] != NEVER_SEEN:
                    arcs[h, m] += scores[label]
                which[h, m] = label


@jit()
def add_labels(slots, weights, forced, at, arcs):
    """Do so for all sentences, whose squares of arcs are laid end to end."""
    for k in range(slots.firsts.size - 1):
        own = forced[slots.firsts[k] : slots.firsts[k + 1]]
        scores = square(arcs[at[0, k] :], own.size)
        add_best_labels(slots, k, weights, own, scores, np.empty((own.size, own.size), np.int32))


@jit()
def forbid_labels(slots, k, weights, banned, arcs):
    """Lower the scores of arcs of sentence k to those with their best allowed labels.

    Parameters
    ----------
    slots, k, weights
        As in `add_best_labels`.
    banned : int32 array (bans, 3)
        Head, word and label, in the order of arcs; of words that may have any other.
    arcs
        Changed; `add_best_labels` has been there.
    """
    rows, scores = row_room(slots, weights)
    first = slots.firsts[k]
    for i in range(banned.shape[0]):
        head, word = banned[i, 0], banned[i, 1]
        if i > 0 and banned[i - 1, 0] == head and banned[i - 1, 1] == word:
            continue
        _score_labels(slots, first + head, first + word, weights, rows, scores)
        best = np.float64(scores[largest(scores)])
        _ban(banned, head, word, scores)
        arcs[head, word] += scores[largest(scores)] - best


@jit()
def _ban(banned, head, word, scores):
    for i in range(banned.shape[0]):
        if banned[i, 0] == head and banned[i, 1] == word:
            scores[banned[i, 2]] = -np.inf


@jit()
def labelled_trees(slots, k, weights, forced, banned, heads, scores, trees, labels, totals):
    """Write the best labelled trees of sentence k, see `labelled_kbest`; return how many.

    Parameters
    ----------
    slots, k, weights, forced
        As in `add_best_labels`.
    banned
        As in `forbid_labels`.
    heads : int32 array (trees, n + 1)
        The best trees.
    scores : float64 array (trees,)
        Theirs, with best labels.
    trees : int32 array (most,)
        Result: which tree.
    labels : int32 array (most, n)
        Result: the label of each word.
    totals : float64 array (most,)
        Result.
    """
    size, width = heads.shape[1], weights.shape[1]
    place = np.full((size, size), -1, np.int64)
    arcs = np.empty((heads.shape[0], size - 1), np.int64)
    count = ZERO
    for t in range(heads.shape[0]):
        for word in range(1, size):
            h = heads[t, word]
            if place[h, word] < 0:
                place[h, word] = count
                count += 1
            arcs[t, word - 1] = place[h, word]
    losses, names = np.full((count, width), np.inf), np.zeros((count, width), np.int32)
    rows, found = row_room(slots, weights)
    first = slots.firsts[k]
    for h in range(size):
        for word in range(1, size):
            a = place[h, word]
            if a >= 0:
                _score_labels(slots, first + h, first + word, weights, rows, found)
                _ban(banned, h, word, found)
                _rank_labels(found, forced[word], losses[a], names[a])
    ranks = np.empty(labels.shape, np.int32)
    made = best_labelled(scores, arcs, losses, trees, ranks, totals)
    for i in range(made):
        for word in range(size - 1):
            labels[i, word] = names[arcs[trees[i], word], ranks[i, word]]
    return made


@jit()
def _rank_labels(scores, forced, losses, names):
    """Write the labels of an arc, best first, and what they lose; a forced one is alone."""
    if forced != -1:
        losses[0], names[0] = 0.0, max(forced, 0)
        return
    for label in range(scores.size):
        j = label
        while j > 0 and scores[names[j - 1]] < scores[label]:
            names[j] = names[j - 1]
            j -= 1
        names[j] = label
    for j in range(scores.size):
        losses[j] = np.float64(scores[names[0]]) - scores[names[j]]


@jit()
def _score_labels(slots, head, word, weights, rows, scores):
    """Write the scores of the labels of an arc; return how many rows they are sums of."""
    arc = np.array([word, head, UNKNOWN])
    count = find_rows(slots, arc, weights.shape[0], rows)
    add_rows(weights, rows, count, scores)
    return count


@jit()
def learn_labelled(lesson, table, labels, sentences, k, losses):
    """Take a step after each sentence.

    Parameters
    ----------
    lesson : Lesson
    table : Table
        The rate is the largest multiplier of a condition.
    labels : LabelTable
    sentences : int64 array
        In the order in which they are learned from.
    k : int
        How many of the best trees make conditions.
    losses : float64 array (sentences,)
        Result: what the margin against the best tree lacked.
    """
    firsts = lesson.slots.firsts
    n = longest(firsts, sentences)
    space = differ_room(n, lesson.second, lesson.kept.size > 0)
    for j in range(sentences.size):
        losses[j] = _learn_one(lesson, table, labels, sentences[j : j + 1], k, space)


@jit(merge=True)
def _learn_one(lesson, table, labels, batch, k, space):
    """Take a step after one sentence; return what its margin lacked."""
    scoring, floats, free, work = space
    slots, sentence = lesson.slots, batch[0]
    first, end = slots.firsts[sentence], slots.firsts[sentence + 1]
    given, gold = lesson.heads[first:end], labels.labels[first:end]
    size, known = given.size, 0
    for word in range(1, size):
        known += given[word] >= 0
    if known == 0 or lesson.importance[sentence] == 0.0:
        return 0.0
    at = layout(slots.firsts, batch, lesson.second)
    arcs, siblings = square(floats[0], size), floats[0, size * size : size * size + at[1, 1]]
    score_one(slots, sentence, table.weights, lesson.kept_at, lesson.kept, arcs, siblings, scoring)
    which, open_ = np.zeros((size, size), np.int32), np.full(size, -1, np.int32)
    if labels.slots.arc_h.shape[0] > 0:
        add_best_labels(labels.slots, sentence, labels.weights, open_, arcs, which)
    heads = np.empty((k, size), np.int32)
    count = 1
    if k == 1:
        decode_one(arcs, siblings, lesson.projective, lesson.single_root, heads[0], work)
    else:
        count = best_trees(arcs, siblings, lesson.single_root, heads, np.empty(k))
    right = given.copy()
    if known < size - 1:
        fewer = square(floats[1], size)
        constrain(arcs, given, square(free, size), fewer)
        decode_one(fewer, siblings, lesson.projective, lesson.single_root, right, work)
    names = np.empty(size, np.int32)
    for word in range(1, size):
        own = gold[word] if given[word] >= 0 else -1
        names[word] = own if own >= 0 else which[right[word], word]
    conditions = [
        _condition(lesson, table, labels, batch, at, heads[i], which, right, names)
        for i in range(count)
    ]
    importance = lesson.importance[sentence]
    return _satisfy(table.weights, labels.weights.ravel(), conditions, table.rate, importance)


@jit(merge=True)
def _condition(lesson, table, labels, batch, at, heads, which, right, names):
    """Return how many words of a tree are wrong, and what features it has more than the right one.

    Returns
    -------
    wrong : float
    places, values : of weights of parts
    label_places, label_values : of weights of labels, rows laid end to end
    """
    size = heads.size
    places, values = _difference(lesson, table, batch, at, heads, right)
    wrong, used = 0.0, ZERO
    templates = labels.slots.arc_h.shape[0]
    label_places = np.empty(2 * templates * size, np.int32)
    gradient = labels.gradient.ravel()
    rows, _ = row_room(labels.slots, labels.weights)
    first = lesson.slots.firsts[batch[0]]
    for word in range(1, size):
        if heads[word] == right[word] and which[heads[word], word] == names[word]:
            continue
        wrong += 1.0
        for side in range(2):
            head = heads[word] if side == 0 else right[word]
            label = which[heads[word], word] if side == 0 else names[word]
            arc = np.array([first + word, first + head, UNKNOWN])
            found = find_rows(labels.slots, arc, labels.weights.shape[0], rows)
            for t in range(found):
                place = rows[t] * labels.weights.shape[1] + label
                label_places[used] = place
                gradient[place] += 1.0 - 2.0 * side
                used += 1
    label_places = label_places[:used].copy()
    return wrong, places, values, label_places, _taken(gradient, label_places)


@jit()
def _difference(lesson, table, batch, at, heads, right):
    """Return the features that one tree of a sentence has more than another, and how often."""
    size = heads.size
    p, p_parts = np.zeros((size, size)), np.zeros(at[1, 1])
    none, no_parts = np.zeros((size, size)), np.zeros(at[1, 1])
    add_tree(heads, 1.0, none, no_parts, p, p_parts)
    add_tree(right, -1.0, none, no_parts, p, p_parts)
    flat = p.ravel()
    count = collect(lesson.slots, batch, at, flat, p_parts, table, 0, table.weights.size)
    if count > table.touched.size:  # so many that they were not noted
        count = table.touched.size
        for j in range(count):
            table.touched[j] = j
    places = table.touched[:count].copy()
    return places, _taken(table.gradient, places)


@jit()
def _taken(gradient, places):
    """Return the gradient at some places, which becomes 0 there; a place met again has 0."""
    values = np.empty(places.size, np.float32)
    for j in range(places.size):
        values[j] = gradient[places[j]]
        gradient[places[j]] = 0.0
    return values


@jit()
def _satisfy(weights, label_weights, conditions, most, importance):
    """Take the shortest step after which all conditions hold; return what the first one lacked.

    The step is multiplied by the importance.
    """
    multipliers = np.zeros(len(conditions))
    first = 0.0
    for turn in range(_PASSES if len(conditions) > 1 else 1):
        change = 0.0
        for i in range(len(conditions)):
            wrong, places, values, label_places, label_values = conditions[i]
            dot, norm = 0.0, 0.0
            for j in range(places.size):
                dot += weights[places[j]] * values[j]
                norm += values[j] * values[j]
            for j in range(label_places.size):
                dot += label_weights[label_places[j]] * label_values[j]
                norm += label_values[j] * label_values[j]
            if turn == 0 and i == 0:
                first = max(wrong + dot, 0.0)
            if norm == 0.0:
                continue
            new = min(max(multipliers[i] + (wrong + dot) / norm, 0.0), most)
            step = np.float32(new - multipliers[i])
            multipliers[i] = new
            change = max(change, abs(step))
            for j in range(places.size):
                weights[places[j]] -= step * values[j]
            for j in range(label_places.size):
                label_weights[label_places[j]] -= step * label_values[j]
        if change < _ENOUGH:
            break
    for i in range(len(conditions) if importance != 1.0 else 0):
        _, places, values, label_places, label_values = conditions[i]
        more = np.float32((importance - 1.0) * multipliers[i])
        for j in range(places.size):
            weights[places[j]] -= more * values[j]
        for j in range(label_places.size):
            label_weights[label_places[j]] -= more * label_values[j]
    return importance * first


@jit()
def two_best(lesson, k, weights, heads):
    """Write the best arborescence of sentence k and the best other one; return their scores.

    Parameters
    ----------
    lesson : Lesson
        Of first order; the trees have the given heads.
    k : int
    weights : float32 array (2**bits,)
    heads : int32 array (2, n + 1)
        Result.
    """
    size = heads.shape[1]
    arcs, none = np.empty((size, size)), np.empty(0)
    space = scoring_room(size - 1, False, lesson.kept.size > 0)
    score_one(lesson.slots, k, weights, lesson.kept_at, lesson.kept, arcs, none, space)
    first = lesson.slots.firsts[k]
    given = lesson.heads[first : first + size]
    if given[1:].max() >= 0:
        constrain(arcs, given, np.zeros((size, size), np.bool_), arcs)
    return two_best_arborescences(arcs, lesson.single_root, heads)


@jit()
def is_tree(heads):
    """Tell whether all words have a head among the others or the root, and none is above itself."""
    for word in range(1, heads.size):
        above = word
        for _ in range(heads.size):
            if above > 0:
                above = heads[above]
                if above < 0 or above >= heads.size:
                    return False
        if above != 0:
            return False
    return True


@jit()
def _step_length(table, places, values, better, worse, alpha):
    """Return alpha or, if it is negative, the shortest step of `prefer`."""
    if alpha >= 0.0:
        return alpha
    dot, norm = 0.0, 0.0
    for word in range(1, better.size):
        dot += better[word] != worse[word]
    for j in range(places.size):
        dot += table.weights[places[j]] * values[j]
        norm += values[j] * values[j]
    return min(max(dot / max(norm, 1.0), 0.0), table.rate)


@jit()
def prefer(lesson, table, k, better, worse, alpha):
    """Take a step that makes one tree of sentence k better than another; return its length.

    Parameters
    ----------
    lesson : Lesson
    table : Table
        The rate is the longest step.
    k : int
    better, worse : int32 arrays (n + 1,)
    alpha : float
        The step; if negative, the shortest with which the scores differ as the trees do in heads.
    """
    batch = np.full(1, k)
    at = layout(lesson.slots.firsts, batch, lesson.second)
    places, values = _difference(lesson, table, batch, at, worse, better)
    alpha = _step_length(table, places, values, better, worse, alpha)
    for j in range(places.size):
        table.weights[places[j]] -= np.float32(alpha) * values[j]
    return alpha
