"""Parameters of notebooks: frozen dataclasses that refuse what makes no sense."""

from dataclasses import dataclass

from deppa_nb.corpus.registry import load
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.compare import CurveParameters
from deppa_nb.experiments.simulate import Simulation

__all__ = ["PARAMETERS", "TourParameters"]


@dataclass(frozen=True)
class TourParameters:
    """What the tour shows.

    Attributes
    ----------
    corpus
        The name of a treebank.
    sentence
        Which training sentence is drawn, counted from 0.
    seed
        Of an embedded corpus.
    baseline, strategy
        Names of two strategies, of which the second is compared with the first.
    seeds, start, budget, rounds
        Curves of each; sentences that are annotated at the beginning; dependencies that are asked
        for in a round; rounds.

    Examples
    --------
    >>> TourParameters("toy-en", -1, 1, "pa-random", "pa-gap", 3, 20, 100, 5)
    Traceback (most recent call last):
        ...
    deppa_nb.errors.ParameterError: sentence is -1, expected 0 or more
    """

    corpus: str
    sentence: int
    seed: int
    baseline: str
    strategy: str
    seeds: int
    start: int
    budget: int
    rounds: int

    def __post_init__(self) -> None:
        for name in ("sentence", "seed"):
            if getattr(self, name) < 0:
                raise ParameterError(f"{name} is {getattr(self, name)}, expected 0 or more")
        _ = self.simulation  # which checks the others
        corpus = load(self.corpus)
        if corpus.kind != "treebank" or not {"train", "test"} <= set(corpus.files):
            raise ParameterError(
                f"corpus is {self.corpus}, expected a treebank with train and test"
            )
        if self.sentence >= len(corpus.train):
            raise ParameterError(f"sentence is {self.sentence}, expected under {len(corpus.train)}")

    @property
    def simulation(self) -> Simulation:
        """The worked experiment."""
        curves = CurveParameters(
            start=self.start, budget=self.budget, rounds=self.rounds,
            options={"order": 1, "bits": 18, "epochs": 3},
        )  # fmt: skip
        return Simulation(self.corpus, (self.baseline, self.strategy), self.seeds, curves)


PARAMETERS = {"00_tour": TourParameters}
"""What checks the parameters of each notebook."""
