"""Parameters of notebooks: frozen dataclasses that refuse what makes no sense."""

from dataclasses import dataclass

from deppa_nb.corpus.registry import load
from deppa_nb.errors import ParameterError

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

    Examples
    --------
    >>> TourParameters("toy-en", -1, 1)
    Traceback (most recent call last):
        ...
    deppa_nb.errors.ParameterError: sentence is -1, expected 0 or more
    """

    corpus: str
    sentence: int
    seed: int

    def __post_init__(self) -> None:
        for name in ("sentence", "seed"):
            if getattr(self, name) < 0:
                raise ParameterError(f"{name} is {getattr(self, name)}, expected 0 or more")
        corpus = load(self.corpus)
        if corpus.kind != "treebank" or not {"train", "test"} <= set(corpus.files):
            raise ParameterError(
                f"corpus is {self.corpus}, expected a treebank with train and test"
            )
        if self.sentence >= len(corpus.train):
            raise ParameterError(f"sentence is {self.sentence}, expected under {len(corpus.train)}")


PARAMETERS = {"00_tour": TourParameters}
"""What checks the parameters of each notebook."""
