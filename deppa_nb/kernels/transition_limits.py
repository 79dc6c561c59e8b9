"""Which states of a transition-based parser still lead to a tree that constraints allow.

Of a state, all that matters is which words are on the stack and which is the first of the buffer.
In arc-hybrid, the top s of the stack can take words b..q-1 as further dependents, with all that is
below them, and then leave the stack, to the word below it or to a word h > b that has taken
all before it. So it is enough to know, for each s and b, up to where s can take words (`taken`),
for each h, from where on (`led`), and for each word on the stack where it may stop taking
(`targets`): the last is computed once, when a word is shifted, and holds until it leaves.

All are sets of positions 1..n + 1 as bits. This is exact: `tests/kernels/test_transition.py`
compares it with all sequences of actions.
"""

import numpy as np

from deppa_nb.kernels._jit import jit

__all__ = ["can_go_on", "limit_chart", "limit_room", "set_targets", "words_of"]

_ONE, _SIX, _LOW = np.uint64(1), 6, 63


@jit(inline=True)
def words_of(n):
    """Return how many numbers of 64 bits a set of positions takes."""
    return (n + 2 + _LOW) >> _SIX


@jit(inline=True)
def _has(bits, position):
    return (bits[position >> _SIX] >> np.uint64(position & _LOW)) & _ONE != 0


@jit(inline=True)
def _put(bits, position):
    bits[position >> _SIX] |= _ONE << np.uint64(position & _LOW)


@jit(inline=True)
def _meet(one, two):
    """Tell whether two sets have something in common."""
    for k in range(one.size):
        if one[k] & two[k] != 0:
            return True
    return False


@jit()
def limit_room(n):
    """Return room for n words: `taken`, `led`, where the root may go on, and others."""
    size, words = n + 2, words_of(n)
    taken, led = np.zeros((size, size, words), np.uint64), np.zeros((size, words), np.uint64)
    heads, below = np.zeros((size, words), np.uint64), np.zeros((size, words), np.uint64)
    return taken, led, np.zeros(words, np.uint64), heads, below


@jit()
def limit_chart(allowed, single_root, room):
    """Compute what does not depend on the state; return whether there is any tree.

    Parameters
    ----------
    allowed : bool array (n + 1, n + 1)
        ``allowed[head, word]``.
    single_root : bool
    room
        From `limit_room`, for as many words. Results are `taken`, ``taken[s, b]`` has q if s can
        take b..q-1; `led`, ``led[h]`` has b if h can take b..h-1; and the b from which the root,
        alone on the stack, can have all words.
    """
    taken, led, root, heads, below = room
    n = allowed.shape[0] - 1
    for array in (led, below):
        array[:] = 0
    root[:] = 0
    taken[:] = 0
    for word in range(n + 1):
        for m in range(1, n + 1):
            if m != word and allowed[word, m]:
                _put(below[word], m)
        _put(taken[word, n + 1], n + 1)
        _put(led[word], word)
    _put(root, n + 1)
    for b in range(n, 0, -1):
        # heads[q]: the words that can have all others of b..q-1 below them.
        for q in range(b + 1, n + 2):
            heads[q] = 0
            for c in range(b, q):
                if _has(led[c], b) and _has(taken[c, c + 1], q):
                    _put(heads[q], c)
            if q <= n:
                for end in range(b + 1, q + 1):
                    if _has(led[q], end) and _meet(heads[end], below[q]):
                        _put(led[q], b)
                        break
        for s in range(b):
            _put(taken[s, b], b)
            for q in range(b + 1, n + 2):
                if _meet(heads[q], below[s]):
                    for k in range(root.size):
                        taken[s, b, k] |= taken[s, q, k]
        alone = _meet(heads[n + 1], below[0])
        if alone if single_root else _has(taken[0, b], n + 1):
            _put(root, b)
    return n == 0 or _has(root, 1)


@jit(inline=True)
def can_go_on(room, word, targets, b):
    """Tell whether there is a way from a state to a tree.

    Parameters
    ----------
    room
        After `limit_chart`.
    word, targets
        The top of the stack and, if that is not the root, its targets.
    b : int
        The first word of the buffer.
    """
    return _has(room[2], b) if word == 0 else _meet(room[0][word, b], targets)


@jit()
def set_targets(allowed, single_root, room, s, below, below_targets, targets):
    """Compute where s may stop taking words: the positions from which it can leave the stack.

    Parameters
    ----------
    allowed, single_root, room
        As in `limit_chart`.
    s : int
        A word that is shifted.
    below, below_targets
        The word that is below it then, and its targets.
    targets : uint64 array
        Result.
    """
    n = allowed.shape[0] - 1
    targets[:] = 0
    if allowed[below, s]:
        if below == 0 and single_root:
            _put(targets, n + 1)  # the only dependent of the root is the last to leave
        else:
            for q in range(s + 1, n + 2):
                if can_go_on(room, below, below_targets, q):
                    _put(targets, q)
    for h in range(s + 1, n + 1):
        if allowed[h, s] and can_go_on(room, below, below_targets, h):
            for k in range(room[2].size):
                targets[k] |= room[1][h, k]
