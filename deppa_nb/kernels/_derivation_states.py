"""States of derivations of shallow trees: what is open, what was done, what may come next.

A state is a row of numbers. Kinds of actions, extensions and places are numbers, too; symbols are
one higher than their numbers, 0 for none.
"""

from deppa_nb.kernels._jit import jit

__all__ = [
    "ANCHORS",
    "BETWEEN",
    "EXTENSION",
    "LABEL",
    "LEFT",
    "MOST_CHILDREN",
    "MOST_WORDS",
    "PAD",
    "RIGHT",
    "SEEN",
    "STATE",
    "TAG",
    "UNIQUE",
    "UP",
    "allow",
    "begin",
    "do",
    "extend",
    "forced",
    "label",
    "look",
    "next_word",
]

TAG, LABEL, EXTENSION = 0, 1, 2
RIGHT, LEFT, UP, UNIQUE = 0, 1, 2, 3
PAD = 3  # places before and after a sentence

# A state's columns. What the outer constituent was is kept while an inner one is open.
_WORD, _TAG, _TAG1, _TAG2, _LABEL1, _LABEL2, _LABEL3, _EXTENSION1, _EXTENSION2 = range(9)
_DEPTH, _CHILDREN, _FIRST, _START, _MIXED = range(9, 14)
_OUTER_CHILDREN, _OUTER_FIRST, _OUTER_START, _LAST_START, _LAST_END, _SEEN = range(14, 20)
STATE = 20

ANCHORS = 11
"""Places: three words before and after and the word itself; the first word of the open constituent
and the two before it; the one before the constituent that was finished last."""
SEEN = 13
"""As many symbols: tag of the word and of two before; three labels of finished constituents; two
extensions; how many constituents are open; children of the inner one and tag of its first; whether
the outer one has a constituent; how many words ago a constituent ended. One more is the set of
labels that were given."""
BETWEEN = 14
"""And the words, in any order, from the constituent that was finished last to the one that is open
or, without one, to the word."""
MOST_CHILDREN, MOST_WORDS = 4, 5


@jit(inline=True)
def begin(state):
    """Set the state before the first word."""
    state[:] = 0
    state[_LAST_END] = -1
    state[_LAST_START] = -1
    state[_START] = -1


@jit()
def look(state, places, symbols, between):
    """Set the places, symbols and words between that questions are about."""
    word = state[_WORD]
    for k in range(7):
        places[k] = word + k  # PAD - 3 .. PAD + 3
    start = state[_START] if state[_DEPTH] > 0 else word
    for k in range(3):
        places[7 + k] = start + PAD - k
    places[10] = state[_LAST_START] + PAD - 1 if state[_LAST_START] >= 0 else 0
    for k in range(8):
        symbols[k] = state[_TAG + k]
    symbols[8] = state[_DEPTH] + 1
    symbols[9] = min(state[_CHILDREN], MOST_CHILDREN) + 1
    symbols[10] = state[_FIRST]
    symbols[11] = state[_MIXED] + 1
    ago = word - state[_LAST_END] if state[_LAST_END] >= 0 else MOST_WORDS
    symbols[12] = min(ago, MOST_WORDS) + 1
    symbols[SEEN] = state[_SEEN]
    between[0] = state[_LAST_END] + 1
    between[1] = start if start > state[_LAST_END] else word


@jit()
def _tagged(state, tag):
    state[_TAG] = tag + 1


@jit(inline=True)
def extend(state, extension, constituent):
    """Extend the word, or the constituent that was labelled last."""
    state[_EXTENSION2] = state[_EXTENSION1]
    state[_EXTENSION1] = extension + 1
    if extension == RIGHT or extension == UNIQUE:
        if state[_DEPTH] == 1:
            state[_OUTER_CHILDREN] = state[_CHILDREN]
            state[_OUTER_FIRST] = state[_FIRST]
            state[_OUTER_START] = state[_START]
        state[_DEPTH] += 1
        state[_CHILDREN] = 0
        state[_FIRST] = 0 if constituent else state[_TAG]
        state[_START] = state[_LAST_START] if constituent else state[_WORD]
    state[_CHILDREN] += 1
    if constituent:
        state[_MIXED] = 1


@jit(inline=True)
def label(state, number):
    """Label the constituent that has all its children; the one around it is open again."""
    state[_LABEL3] = state[_LABEL2]
    state[_LABEL2] = state[_LABEL1]
    state[_LABEL1] = number + 1
    if number < 63:
        state[_SEEN] |= 1 << number
    state[_LAST_START] = state[_START]
    state[_LAST_END] = state[_WORD]
    state[_DEPTH] -= 1
    if state[_DEPTH] == 1:
        state[_CHILDREN] = state[_OUTER_CHILDREN]
        state[_FIRST] = state[_OUTER_FIRST]
        state[_START] = state[_OUTER_START]
    else:
        state[_CHILDREN] = 0
        state[_FIRST] = 0
        state[_START] = -1


@jit(inline=True)
def next_word(state):
    """Go to the next word."""
    state[_WORD] += 1
    state[_TAG2] = state[_TAG1]
    state[_TAG1] = state[_TAG]
    state[_TAG] = 0


@jit(inline=True)
def do(state, kind, action, constituent):
    """Do an action; return whether it has made a constituent, which is extended next."""
    if kind == TAG:
        _tagged(state, action)
    elif kind == EXTENSION:
        extend(state, action, constituent)
    else:
        label(state, action)
    return kind == LABEL


@jit()
def _allow_extensions(state, n, inner, allowed):
    """Set which extensions of the state's word lead to a tree."""
    more = state[_WORD] + 1 < n
    depth = state[_DEPTH]
    deepest = 1 if inner else 0
    allowed[RIGHT] = more and depth <= deepest
    allowed[UP] = more and depth > 0
    # What has a constituent in it is the root, which the last word ends; so is all there is, if
    # the root's is the only label.
    rooted = state[_MIXED] == 1 or not inner
    allowed[LEFT] = depth == 2 or (depth == 1 and not (more and rooted))
    allowed[UNIQUE] = depth <= deepest and (inner or not more)


@jit()
def _allow_labels(state, n, allowed):
    """Set which labels the constituent that has all its children may have."""
    allowed[:] = state[_DEPTH] == 2 or state[_MIXED] == 0
    allowed[0] = state[_DEPTH] == 1 and state[_WORD] + 1 == n


@jit(inline=True)
def allow(kind, state, n, inner, allowed):
    """Set which labels or extensions of the word are possible; `inner`: there are others than S."""
    if kind == LABEL:
        _allow_labels(state, n, allowed)
    else:
        _allow_extensions(state, n, inner, allowed)


@jit(inline=True)
def forced(state, n):
    """Return the only extension of a constituent that was labelled."""
    if state[_WORD] + 1 < n:
        return UP if state[_DEPTH] == 1 else RIGHT
    return LEFT if state[_DEPTH] == 1 else UNIQUE
