"""What the peers' scripts share; they run in environments without this project."""

import json
import sys
import time

ID, FORM, UPOS, HEAD, DEPREL = 0, 1, 3, 6, 7


def read(path):
    """Return sentences, each a list of the rows of its words."""
    with open(path, encoding="utf-8") as file:
        blocks = file.read().strip("\n").split("\n\n")
    rows = ([line.split("\t") for line in block.split("\n")] for block in blocks)
    return [[row for row in some if row[ID].isdigit()] for some in rows]


def write(path, sentences, trees):
    """Write sentences with other heads and labels, one pair for each word."""
    with open(path, "w", encoding="utf-8") as file:
        for rows, tree in zip(sentences, trees, strict=True):
            for row, (head, label) in zip(rows, tree, strict=True):
                file.write("\t".join([*row[:HEAD], str(head), label, "_", "_"]) + "\n")
            file.write("\n")


def report(**found):
    """Print what was measured, for whoever started the script."""
    json.dump(found, sys.stdout)


def timed(function, rounds=1):
    """Return what a function returns and the least processor time that it takes."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        result = function()
        times.append(time.process_time() - start)
    return result, min(times)
