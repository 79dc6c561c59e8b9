"""Derivations of shallow trees: what is asked of a state, which actions it allows, and the search.

A tree has words under constituents under one root (`corpus.derivation`); no constituent but the
root has another in it. So an outermost constituent that is open is the root or not, which only its
label tells, and inside it one more may be open. Actions that lead to no such tree have no
probability; what is left is renormalised, so that the probabilities of all trees of a sentence
sum to 1.

Symbols (tags, labels, extensions) are numbers from 0; label 0 is the root's. In a state they are
one higher, 0 for none. A question is about a word's bit or about a symbol; a decision tree goes
left where the answer is no.
"""

from collections import namedtuple

import numpy as np

from deppa_nb.kernels._derivation_states import (
    ANCHORS,
    BETWEEN,
    EXTENSION,
    LABEL,
    LEFT,
    MOST_CHILDREN,
    MOST_WORDS,
    PAD,
    SEEN,
    STATE,
    TAG,
    UNIQUE,
    allow,
    begin,
    do,
    extend,
    forced,
    label,
    look,
    next_word,
)
from deppa_nb.kernels._jit import jit

__all__ = [
    "ANCHORS",
    "BETWEEN",
    "MOST_CHILDREN",
    "MOST_WORDS",
    "PAD",
    "SEEN",
    "Model",
    "Questions",
    "columns",
    "find_leaves",
    "follow",
    "log_probability",
    "search",
]

Questions = namedtuple("Questions", "codes slots values")
"""What is asked.

codes : uint8 (words of the vocabulary, bits), row 0 of a place outside the sentence
slots, values : int16 (questions,): which place and bit of it, or `ANCHORS` + which symbol and value
"""

Model = namedtuple("Model", "left right questions logs")
"""A decision tree: int32 (nodes,) children, -1 at leaves, and questions; float64 (nodes, actions).
"""


@jit()
def _sums(words, codes):
    """Return how many of the words before each have each bit, (n + 1, bits)."""
    n = words.size - 2 * PAD
    sums = np.zeros((n + 1, codes.shape[1]), np.int16)
    for t in range(n):
        for k in range(codes.shape[1]):
            sums[t + 1, k] = sums[t, k] + codes[words[PAD + t], k]
    return sums


@jit(inline=True)
def _answer(slot, value, words, codes, sums, places, symbols, between):
    """Return the answer to a question."""
    if slot < ANCHORS:
        return codes[words[places[slot]], value] != 0
    if slot == ANCHORS + SEEN:
        return (symbols[SEEN] >> value) & 1 != 0
    if slot == ANCHORS + BETWEEN:
        return sums[between[1], value] > sums[between[0], value]
    return symbols[slot - ANCHORS] == value + 1


@jit()
def _descend(model, words, questions, sums, places, symbols, between):
    """Return the leaf that a context comes to."""
    node = 0
    while model.left[node] >= 0:
        k = model.questions[node]
        yes = _answer(
            questions.slots[k],
            questions.values[k],
            words,
            questions.codes,
            sums,
            places,
            symbols,
            between,
        )
        node = model.right[node] if yes else model.left[node]
    return node


@jit()
def _write(words, questions, sums, places, symbols, between, firsts, context):
    """Set all answers; those about one slot stand side by side, in the order of their values."""
    context[:] = 0
    for slot in range(firsts.size - 1):
        first, size = firsts[slot], firsts[slot + 1] - firsts[slot]
        if size == 0:
            continue
        value = questions.values[first]
        if slot < ANCHORS:
            row = questions.codes[words[places[slot]]]
            for k in range(size):
                context[first + k] = row[value + k]
        elif slot < ANCHORS + SEEN:
            k = symbols[slot - ANCHORS] - 1 - value
            if 0 <= k < size:
                context[first + k] = 1
        else:
            for k in range(size):
                context[first + k] = _answer(
                    slot, value + k, words, questions.codes, sums, places, symbols, between
                )


@jit()
def _firsts(slots):
    """Return where the questions about each slot begin."""
    firsts = np.zeros(ANCHORS + BETWEEN + 2, np.int64)
    for k in range(slots.size):
        firsts[slots[k] + 1] = k + 1
    for slot in range(1, firsts.size):
        firsts[slot] = max(firsts[slot], firsts[slot - 1])
    return firsts


@jit()
def follow(words, kinds, actions, questions, contexts):
    """Set the context of each action of a derivation.

    Parameters
    ----------
    words : int32 array (PAD + n + PAD,)
        Rows of ``questions.codes``, 0 around the sentence.
    kinds, actions : int arrays (actions,)
    questions : Questions
        In the order of slots and values, no value of a slot left out.
    contexts : uint8 array (actions, questions)
        Become 1 where the answer is yes.
    """
    firsts = _firsts(questions.slots)
    state, places = np.empty(STATE, np.int64), np.empty(ANCHORS, np.int64)
    symbols, between = np.empty(SEEN + 1, np.int64), np.empty(2, np.int64)
    sums = _sums(words, questions.codes)
    begin(state)
    constituent = False
    for t in range(kinds.size):
        if kinds[t] == TAG and t > 0:
            next_word(state)
        look(state, places, symbols, between)
        _write(words, questions, sums, places, symbols, between, firsts, contexts[t])
        constituent = do(state, kinds[t], actions[t], constituent)


@jit()
def columns(contexts, rows):
    """Return the columns of some contexts in sparse form, as `scipy.sparse.csc_array` has them.

    Parameters
    ----------
    contexts : uint8 array (events, questions)
        Of 0 and 1.
    rows : int64 array (some,)

    Returns
    -------
    firsts : int32 array (questions + 1,)
    places : int32 array (ones,)
        Where the ones of column k are: ``places[firsts[k]:firsts[k + 1]]``, numbers of `rows`.
    """
    size = contexts.shape[1]
    firsts = np.zeros(size + 1, np.int32)
    for t in range(rows.size):
        row = contexts[rows[t]]
        for k in range(size):
            firsts[k + 1] += row[k]
    for k in range(size):
        firsts[k + 1] += firsts[k]
    places, at = np.empty(firsts[size], np.int32), firsts.copy()
    for t in range(rows.size):
        row = contexts[rows[t]]
        for k in range(size):
            if row[k] != 0:
                places[at[k]] = t
                at[k] += 1
    return firsts, places


@jit()
def find_leaves(words, kinds, actions, questions, tags, labels, extensions, leaves):
    """Set the leaf that the context of each action of a derivation comes to, in its kind's tree.

    Parameters
    ----------
    words, kinds, actions, questions
        See `follow`.
    tags, labels, extensions : Model
    leaves : int array (actions,)
    """
    state, places = np.empty(STATE, np.int64), np.empty(ANCHORS, np.int64)
    symbols, between = np.empty(SEEN + 1, np.int64), np.empty(2, np.int64)
    sums = _sums(words, questions.codes)
    begin(state)
    constituent = False
    for t in range(kinds.size):
        kind = kinds[t]
        if kind == TAG and t > 0:
            next_word(state)
        look(state, places, symbols, between)
        model = tags if kind == TAG else labels if kind == LABEL else extensions
        leaves[t] = _descend(model, words, questions, sums, places, symbols, between)
        constituent = do(state, kind, actions[t], constituent)


@jit()
def _log_sum(logs, allowed):
    top, total = -np.inf, 0.0
    for k in range(logs.size):
        if allowed[k]:
            top = max(top, logs[k])
    for k in range(logs.size):
        if allowed[k]:
            total += np.exp(logs[k] - top)
    return top + np.log(total)


@jit()
def log_probability(words, kinds, actions, questions, tags, labels, extensions):
    """Return the log of the probability of a derivation, minus infinity if it is not possible.

    Parameters
    ----------
    words : int32 array (PAD + n + PAD,)
    kinds, actions : int arrays (actions,)
    questions : Questions
    tags, labels, extensions : Model
    """
    n, total = words.size - 2 * PAD, 0.0
    state, places = np.empty(STATE, np.int64), np.empty(ANCHORS, np.int64)
    symbols, between = np.empty(SEEN + 1, np.int64), np.empty(2, np.int64)
    sums = _sums(words, questions.codes)
    begin(state)
    constituent = False
    for t in range(kinds.size):
        kind, action = kinds[t], actions[t]
        if kind == TAG and t > 0:
            next_word(state)
        if kind == EXTENSION and constituent:
            if action != forced(state, n):
                return -np.inf
        else:
            model = tags if kind == TAG else labels if kind == LABEL else extensions
            allowed = np.ones(model.logs.shape[1], np.bool_)
            if kind != TAG:
                allow(kind, state, n, labels.logs.shape[1] > 1, allowed)
            if not allowed[action]:
                return -np.inf
            look(state, places, symbols, between)
            row = model.logs[_descend(model, words, questions, sums, places, symbols, between)]
            total += row[action] - (0.0 if kind == TAG else _log_sum(row, allowed))
        constituent = do(state, kind, action, constituent)
    return total


@jit()
def _enter(score, item, action, found, scores, origins):
    """Enter a candidate into the list of the best, in falling order; return how many there are."""
    most = scores.size
    if found == most and not score > scores[most - 1]:
        return found
    k = found if found < most else most - 1
    while k > 0 and scores[k - 1] < score:
        scores[k] = scores[k - 1]
        origins[k, 0] = origins[k - 1, 0]
        origins[k, 1] = origins[k - 1, 1]
        k -= 1
    scores[k] = score
    origins[k, 0] = item
    origins[k, 1] = action
    return min(found + 1, most)


@jit()
def _step(
    kind, n, inner, words, questions, sums, model, items, logs, closed, count, scores, origins
):  # fmt: skip
    """Find the best ways to go on with a tag, an extension or, where one is due, a label."""
    places, symbols = np.empty(ANCHORS, np.int64), np.empty(SEEN + 1, np.int64)
    between = np.empty(2, np.int64)
    allowed = np.ones(model.logs.shape[1], np.bool_)
    found = 0
    for item in range(count):
        state = items[item]
        if kind == LABEL and not closed[item]:
            found = _enter(logs[item], item, -1, found, scores, origins)
            continue
        if found == scores.size and not logs[item] > scores[found - 1]:
            break  # items are in falling order, and no action makes one better
        look(state, places, symbols, between)
        row = model.logs[_descend(model, words, questions, sums, places, symbols, between)]
        base = logs[item]
        if kind != TAG:
            allow(kind, state, n, inner, allowed)
            base -= _log_sum(row, allowed)
        for action in range(row.size):
            if allowed[action]:
                found = _enter(base + row[action], item, action, found, scores, origins)
    return found


@jit()
def search(words, questions, tags, labels, extensions, actions, lengths, scores):
    """Find the most probable derivations by beam search: distinct, the best first.

    What has the same words behind it is compared, after each tag, each extension, and the labels
    that follow it. As many are kept as there is room for; if that is enough for all, the search is
    exact.

    Parameters
    ----------
    words : int32 array (PAD + n + PAD,)
    questions : Questions
    tags, labels, extensions : Model
    actions : int32 array (beam, 4 n + 1)
        Become the actions of each, -1 after the last; kinds follow from the order.
    lengths : int64 array (beam,)
        Become the number of actions of each.
    scores : float64 array (beam,)
        Become the logs of their probabilities, minus infinity where there are fewer.

    Returns
    -------
    found : int
    """
    n, beam, inner = words.size - 2 * PAD, scores.size, labels.logs.shape[1] > 1
    sums = _sums(words, questions.codes)
    items, others = np.empty((beam, STATE), np.int64), np.empty((beam, STATE), np.int64)
    logs, new = np.empty(beam), np.empty(beam)
    closed, origins = np.zeros(beam, np.bool_), np.empty((beam, 2), np.int64)
    path, longer = np.empty((beam, 4 * n + 1), np.int32), np.empty((beam, 4 * n + 1), np.int32)
    length, size = np.zeros(beam, np.int64), np.zeros(beam, np.int64)
    begin(items[0])
    logs[0] = 0.0
    count = 1
    for word in range(n):
        for kind in (TAG, EXTENSION, LABEL):
            model = tags if kind == TAG else labels if kind == LABEL else extensions
            count = _step(
                kind, n, inner, words, questions, sums, model, items, logs, closed, count, new,
                origins,
            )  # fmt: skip
            for k in range(count):
                item, action = origins[k]
                others[k] = items[item]
                size[k] = length[item]
                longer[k, : size[k]] = path[item, : size[k]]
                if action >= 0:
                    longer[k, size[k]] = action
                    size[k] += 1
                    _go(kind, others[k], action, n, longer[k], size, k)
                if kind == LABEL and word + 1 < n:
                    next_word(others[k])
            for k in range(count):
                closed[k] = kind == EXTENSION and (origins[k, 1] == LEFT or origins[k, 1] == UNIQUE)
            items, others = others, items
            path, longer = longer, path
            length, size = size, length
            logs, new = new, logs
    actions[:] = -1
    scores[:] = -np.inf
    for k in range(count):
        actions[k, : length[k]] = path[k, : length[k]]
        lengths[k] = length[k]
        scores[k] = logs[k]
    return count


@jit()
def _go(kind, state, action, n, path, size, k):
    """Do an action and, after a label, what it forces: an extension, and the root's label."""
    do(state, kind, action, False)
    if kind == LABEL and action != 0:
        extension = forced(state, n)
        extend(state, extension, True)
        path[size[k]] = extension
        size[k] += 1
        if extension == LEFT or extension == UNIQUE:
            path[size[k]] = 0
            size[k] += 1
            label(state, 0)
