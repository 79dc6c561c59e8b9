"""The idea of Tang et al. (2002) on dependency trees: sentences of each cluster of parses.

What is clustered are the events of an arc-standard derivation of the tree that a parser of arcs
finds. The curves are those of `compare`, so that these strategies stand beside all others.
"""

from dataclasses import asdict
from typing import Any

from deppa_nb.experiments.compare import ALL, CurveParameters, all_data, curve, work
from deppa_nb.experiments.part import Part
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.store import Task
from deppa_nb.experiments.study import Drawing, Exhibit

__all__ = ["TREES", "dependency_curves", "dependency_part"]

TREES = ("fa-random", "fa-word-entropy", "fa-cluster", "fa-parse-cluster", "fa-parse-density")
"""By chance; uncertain ones; of clusters of words; of clusters of parses, and dense in them."""


def dependency_part(
    corpus: str, seeds: int, start: int, batch: int, rounds: int, load: dict[str, Any]
) -> Part:
    """Return the curves of a treebank.

    Parameters
    ----------
    corpus, load
        Its name, and options of `load`.
    seeds
        Curves of each strategy.
    start, batch, rounds
        Sentences at the beginning; those of a round; how many rounds.
    """
    what = CurveParameters(
        start=start, budget=batch, unit="sentences", rounds=rounds, load=load,
        options={"order": 1, "bits": 20},  # small sets: more would be but slower
    )  # fmt: skip
    runs = [
        Run("compare", corpus, strategy, seed, asdict(what))
        for seed in range(1, seeds + 1)
        for strategy in TREES
    ]
    every = Run("compare", corpus, ALL, 1, what.of_all_data())
    return Part(
        corpus, "", (Task(every, all_data, work), *(Task(run, curve, work) for run in runs))
    )


def dependency_curves(part: Part) -> Exhibit:
    """Return the figure."""
    return Exhibit(
        part.named("trees"),
        f"{part.corpus}: the same idea on dependency trees: UAS on dev by annotated dependencies, "
        "for sentences by chance, uncertain ones, and the most uncertain of each cluster of words "
        "or of parses.",
        part.tasks, part.points, Drawing("curves"),
    )  # fmt: skip
