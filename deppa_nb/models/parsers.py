"""All parsers there are: what they have in common, their names, and one from a file."""

from collections.abc import Sequence
from typing import Any, Protocol, Self, overload, runtime_checkable

from numpy.typing import ArrayLike

from deppa_nb.corpus.sentence import Sentence, Treebank
from deppa_nb.corpus.textfile import PathLike
from deppa_nb.errors import FormatError
from deppa_nb.models.constraints import Constraints
from deppa_nb.models.crf import CRFParser
from deppa_nb.models.matrix_tree import MatrixTreeParser
from deppa_nb.models.mira import MIRAParser
from deppa_nb.models.mst import MSTParser
from deppa_nb.models.online import OnlineParser
from deppa_nb.models.storage import kind_of
from deppa_nb.models.transition import TransitionParser

__all__ = ["PARSERS", "Parser", "load_parser"]


@runtime_checkable
class Parser(Protocol):
    """What every parser does; probabilistic ones have `marginals` and `log_prob` too."""

    def fit(
        self,
        train: Sequence[Sentence],
        dev: Treebank | None = None,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from full or partial trees."""

    @overload
    def predict(self, sentences: Sentence, constraints: Constraints | None = None) -> Sentence: ...
    @overload
    def predict(
        self, sentences: Treebank, constraints: Sequence[Constraints] | None = None
    ) -> Treebank: ...
    def predict(self, sentences: Any, constraints: Any = None) -> Any:
        """Return a sentence or a treebank with the trees found."""

    def nbest(self, sentence: Sentence, k: int, constraints: Constraints | None = None) -> Any:
        """Return the k best trees and their scores."""

    def save(self, path: PathLike) -> None:
        """Write what was learned to a file."""


PARSERS: dict[str, type[OnlineParser]] = {
    "crf": CRFParser,
    "mira": MIRAParser,
    "mst": MSTParser,
    "matrix-tree": MatrixTreeParser,
    "transition": TransitionParser,
}
"""Parsers by the name that the command line gives them."""


def load_parser(path: PathLike) -> OnlineParser:
    """Return the parser of a file, of whichever class it is."""
    kind, classes = kind_of(path), {parser.__name__: parser for parser in PARSERS.values()}
    if kind not in classes:
        expected = " or ".join(classes)
        raise FormatError(path, None, f"a model of deppa_nb, but {kind!r} is no {expected}")
    return classes[kind].load(path)
