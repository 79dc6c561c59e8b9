"""Parameters of notebooks: frozen dataclasses that refuse what makes no sense."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deppa_nb.active.log import is_log
from deppa_nb.active.strategies import find_strategy
from deppa_nb.corpus.registry import load
from deppa_nb.errors import ParameterError
from deppa_nb.experiments.annotate import material
from deppa_nb.experiments.compare import CurveParameters
from deppa_nb.experiments.li2016 import Li2016Parameters
from deppa_nb.experiments.mejer2012_parameters import Mejer2012Parameters
from deppa_nb.experiments.mirroshandel2011_study import Mirroshandel2011Parameters
from deppa_nb.experiments.simulate import Simulation
from deppa_nb.experiments.tang2002_study import Tang2002Parameters
from deppa_nb.experiments.wanvarie2011_study import Wanvarie2011Parameters

__all__ = ["PARAMETERS", "AnnotateParameters", "TourParameters"]


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


@dataclass(frozen=True)
class AnnotateParameters:
    """What is annotated, by whom and how.

    Attributes
    ----------
    corpus
        The name of a treebank, a CoNLL-U file, or a text with a sentence a line.
    annotator
        Whose log it is.
    strategy
        One that asks for heads or trees.
    mode
        ``queries`` or ``sentence``: the words that the strategy chose, or all open ones.
    labels, blind
        Whether labels are asked for too; whether nothing is suggested.
    batch
        Questions of a round.
    certain
        A probability from which a word is no longer asked for; 0 asks for all.
    folder
        Where the log and the exported treebank go.
    replay
        Who answers: a person (empty), a log, or ``simulated``.
    """

    corpus: str = "toy-en"
    annotator: str = "me"
    strategy: str = "pa-gap"
    mode: str = "queries"
    labels: bool = False
    blind: bool = False
    batch: int = 20
    certain: float = 0.0
    folder: str = "../annotations"
    replay: str = ""

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise ParameterError(f"batch is {self.batch}, expected 1 or more")
        if not 0 <= self.certain <= 1:
            raise ParameterError(f"certain is {self.certain}, expected 0 to 1")
        if self.mode not in ("queries", "sentence"):
            raise ParameterError(f"mode is {self.mode!r}, expected queries or sentence")
        if not re.fullmatch(r"\w[\w. -]*", self.annotator):
            allowed = "a letter or digit, then letters, digits, spaces and any of . _ -"
            raise ParameterError(f"annotator is {self.annotator!r}, expected {allowed}")
        if find_strategy(self.strategy).kind not in ("heads", "tree"):
            raise ParameterError(f"strategy {self.strategy} does not ask for heads")
        if self.replay not in ("", "simulated") and not is_log(self.replay):
            raise ParameterError(f"replay is {self.replay!r}, expected simulated or a log")
        material(self.corpus)  # tells what is wrong with it

    @property
    def log(self) -> Path:
        """The annotator's log; that of a replay is another file, which may be written anew."""
        return self._file("jsonl")

    @property
    def export(self) -> Path:
        """Where the treebank goes."""
        return self._file("conllu")

    def _file(self, ending: str) -> Path:
        slug = re.sub(r"[^\w.-]+", "-", Path(self.corpus).name.split(".")[0])
        who = f"{self.annotator}.replay" if self.replay else self.annotator
        return Path(self.folder).resolve() / f"{slug}.{who}.{ending}"


PARAMETERS: dict[str, type[Any]] = {
    "00_tour": TourParameters,
    "11_li2016": Li2016Parameters,
    "12_mirroshandel2011": Mirroshandel2011Parameters,
    "13_mejer2012": Mejer2012Parameters,
    "14_tang2002": Tang2002Parameters,
    "15_wanvarie2011": Wanvarie2011Parameters,
    "20_annotate": AnnotateParameters,
    "40_your_treebank": AnnotateParameters,
}
"""What checks the parameters of each notebook."""
