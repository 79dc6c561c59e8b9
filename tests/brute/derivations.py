"""Every tree over a few words, and its derivation step by step, in plain Python."""

from collections.abc import Iterator
from itertools import product

Node = int | tuple["Node", ...]
"""A word by its number, or the children of a constituent."""


def forests(first: int, end: int, depth: int) -> Iterator[tuple[Node, ...]]:
    """All ways to have words first..end-1 under some nodes, constituents up to a depth."""
    if first == end:
        yield ()
        return
    for middle in range(first + 1, end + 1):
        heads: list[Node] = [first] if middle == first + 1 else []
        if depth:
            heads += list(forests(first, middle, depth - 1))
        for head in heads:
            for rest in forests(middle, end, depth):
                yield (head, *rest)


def finished(node: Node) -> Iterator[tuple[Node, ...]]:
    """Constituents under a node and itself, as they are finished."""
    if isinstance(node, tuple):
        for child in node:
            yield from finished(child)
        yield node


def parents(root: tuple[Node, ...], n: int) -> list[int]:
    """Of each word and each constituent, as `SlotTree.parents` has them."""
    found, order = [-1] * n, list(finished(root))
    places = {id(node): k for k, node in enumerate(order)}
    of_constituents = [-1] * len(order)
    for k, node in enumerate(order):
        for child in node:
            if isinstance(child, int):
                found[child] = k
            else:
                of_constituents[places[id(child)]] = k
    return found + of_constituents


def shallow_trees(
    n: int, tags: int, labels: int
) -> Iterator[tuple[list[int], list[int], list[int]]]:
    """Tags, labels (0 is the root's) and parents of all trees with words under constituents under a root."""
    for root in forests(0, n, 1):
        above = parents(root, n)
        inner = len(above) - n - 1
        for own in product(range(tags), repeat=n):
            for names in product(range(1, labels), repeat=inner):
                yield list(own), [*names, 0], above


TAG, LABEL, EXTENSION = 0, 1, 2
RIGHT, LEFT, UP, UNIQUE = 0, 1, 2, 3
Steps = list[tuple[int, int]]
"""Kind and number of each action."""


def derivation(tags: list[int], labels: list[int], above: list[int]) -> Steps:
    """The actions of a tree."""
    n, found = len(tags), list[tuple[int, int]]()
    children = {k: [x for x, up in enumerate(above) if up == k] for k in range(len(labels))}

    def first_word(node: int) -> int:
        return node if node < n else min(first_word(child) for child in children[node - n])

    for word, tag in enumerate(tags):
        found.append((TAG, tag))
        node = word
        while above[node] >= 0:
            order = sorted(children[above[node]], key=first_word)
            only, last = len(order) == 1, node == order[-1]
            how = UNIQUE if only else RIGHT if node == order[0] else LEFT if last else UP
            found.append((EXTENSION, how))
            if not last:
                break
            found.append((LABEL, labels[above[node]]))
            node = n + above[node]
    return found


def known(steps: Steps, n: int, pad: int = 3) -> tuple[list[int], list[int], set[int], range]:
    """Places, symbols, labels and words between that questions are about after some actions.

    All actions are gone through anew, with lists of what is open: (is it a word, its first word).
    """
    tags = [number for kind, number in steps if kind == TAG]
    labels = [number for kind, number in steps if kind == LABEL]
    extensions = [number for kind, number in steps if kind == EXTENSION]
    tagging = not steps or (len(steps) > 1 and is_tag_next(steps))
    word = len(tags) - (not tagging)
    stack: list[list[tuple[bool, int]]] = []
    done: list[tuple[int, int]] = []  # first and last word of finished constituents
    node, closed = (True, 0), False
    seen_tags = 0
    for kind, number in steps:
        if kind == TAG:
            node = (True, seen_tags)
            seen_tags += 1
        elif kind == EXTENSION:
            if number in (RIGHT, UNIQUE):
                stack.append([])
            stack[-1].append(node)
            closed = number in (LEFT, UNIQUE)
        else:
            children = stack.pop()
            node = (False, children[0][1])
            done.append((children[0][1], seen_tags - 1))
            closed = False
    del closed
    top = stack[-1] if stack else []
    outer = stack[0] if stack else []
    start = top[0][1] if top else word
    places = [word + k for k in range(2 * pad + 1)]
    places += [start + pad - k for k in range(3)]
    places.append(done[-1][0] + pad - 1 if done else 0)

    def last(values: list[int], k: int) -> int:
        return values[-k] + 1 if len(values) >= k else 0

    own = [0, *(last(tags, k) for k in (1, 2))] if tagging else [last(tags, k) for k in (1, 2, 3)]
    first_is_word = bool(top) and top[0][0]
    symbols = [
        *own, *(last(labels, k) for k in (1, 2, 3)), *(last(extensions, k) for k in (1, 2)),
        len(stack) + 1, min(len(top), 4) + 1, tags[top[0][1]] + 1 if first_is_word else 0,
        any(not is_word for is_word, _ in outer) + 1,
        min(word - done[-1][1] if done else 5, 5) + 1,
    ]  # fmt: skip
    after = done[-1][1] + 1 if done else 0
    return places, symbols, set(labels), range(after, start if start >= after else word)


def is_tag_next(steps: Steps) -> bool:
    return steps[-1][0] == EXTENSION and steps[-1][1] in (RIGHT, UP)
