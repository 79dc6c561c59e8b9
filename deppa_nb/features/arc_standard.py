"""Dependency trees as derivations: what an arc-standard parser does to build one (Nivre 2004).

The idea of Tang et al. (2002) on other trees: two sentences are near whose trees are built by the
same transitions in the same contexts. A sentence of n words takes 2n; a shift plays the part of a
tag there and carries the tag of its word, an arc that of a label.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from deppa_nb.corpus.sentence import Sentence
from deppa_nb.corpus.trees import Heads, projectivise
from deppa_nb.features.brown import BrownClusters
from deppa_nb.features.events import Events
from deppa_nb.features.forms import hash_string

__all__ = ["ARC", "LEFT", "RIGHT", "SHIFT", "dependency_events", "transitions"]

SHIFT, ARC = 0, 1
"""Kinds of transitions."""

LEFT, RIGHT = 0, 1
"""The two arcs: the first word of the stack becomes the second one's head, or its dependent."""

_TAG_BITS = 32  # of which one is 1, whatever the tags are
_LARGEST = (1 << 31) - 1


def transitions(heads: Heads) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield the transitions that build a projective tree.

    Each is (kind, arc, first word of the stack, second one, first word of the buffer), the words
    before it; -1 where there is none. Words are attached as soon as they have all their dependents.

    >>> [step[:2] for step in transitions(np.array([-1, 2, 0]))]
    [(0, 0), (0, 0), (1, 0), (1, 1)]
    """
    n = len(heads) - 1
    waiting = np.bincount(heads[1:], minlength=n + 1).tolist()  # dependents yet to come
    head, stack, front = heads.tolist(), [0], 1
    while front <= n or len(stack) > 1:
        first, second = stack[-1], stack[-2] if len(stack) > 1 else -1
        seen = (first, second, front if front <= n else -1)
        if second > 0 and head[second] == first and not waiting[second]:
            yield ARC, LEFT, *seen
            del stack[-2]
            waiting[first] -= 1
        elif second >= 0 and head[first] == second and not waiting[first]:
            yield ARC, RIGHT, *seen
            stack.pop()
            waiting[second] -= 1
        else:
            yield SHIFT, 0, *seen
            stack.append(front)
            front += 1


def dependency_events(sentence: Sentence, heads: Heads, clusters: BrownClusters) -> Events:
    """Return the events of building a tree.

    Parameters
    ----------
    sentence
        Its words and tags are the contexts: of the two first words of the stack, and of the two
        first of the buffer.
    heads
        ``(n + 1,)``, a full tree; arcs that cross are lifted first.
    clusters
        Bits of words.

    Examples
    --------
    >>> clusters = BrownClusters(2).fit([["she", "eats"]])
    >>> events = dependency_events(
    ...     Sentence.of(["she", "eats"]), np.array([-1, 2, 0], np.int32), clusters
    ... )
    >>> events.kinds.tolist(), events.actions[2:].tolist()
    ([0, 0, 1, 1], [0, 1])
    """
    steps = np.array(list(transitions(projectivise(heads)[0])), np.int64).reshape(-1, 5)
    kinds, arcs, first, second, front = steps.T
    behind = np.where((front > 0) & (front < len(sentence)), front + 1, -1)
    words = np.stack([first, second, front, behind], axis=1)  # -1, no word, is the last row
    rows = np.concatenate([_bits(sentence, clusters), np.zeros((1, _width(clusters)), np.uint8)])
    tags = np.array([int(hash_string(tag)) % _LARGEST for tag in sentence.upos])
    actions = np.where(kinds == SHIFT, tags[front], arcs)
    return Events.of(rows[words].reshape(len(steps), -1), actions, kinds)


def _width(clusters: BrownClusters) -> int:
    return clusters.width + _TAG_BITS


def _bits(sentence: Sentence, clusters: BrownClusters) -> NDArray[np.uint8]:
    """Return bits of the root and of each word: of its cluster, and one for its tag."""
    return np.concatenate([clusters.codes(sentence.forms), _tag_bits(sentence.upos)], axis=1)


def _tag_bits(tags: Sequence[str]) -> NDArray[np.uint8]:
    places = [int(hash_string(tag)) % _TAG_BITS for tag in tags]
    return np.eye(_TAG_BITS, dtype=np.uint8)[places]
