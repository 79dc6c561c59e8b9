from .active.annotators import GoldOracle, NoisyOracle, SecondParserOracle
from .active.costs import Rates
from .active.learner import ActiveLearner
from .active.measures import MEASURES, Measure
from .active.pool import Pool
from .active.queries import Annotator, Answer, Query
from .active.replay import Logged, Replay
from .active.rounds import Round
from .active.strategies import STRATEGIES, Strategy, register
from .corpus.conllu import iter_conllu, read_conllu, write_conllu
from .corpus.corpus import Corpus
from .corpus.evaluate import Difference, Evaluation, evaluate, paired_bootstrap
from .corpus.partial import agreement, merge
from .corpus.registry import load
from .corpus.sentence import Sentence, Treebank
from .corpus.sequences import Sequence, SequenceBank, read_columns, write_columns
from .corpus.slots import SlotBank, SlotTree, read_slots, write_slots
from .corpus.statistics import statistics, tag_shares
from .corpus.trees import is_projective, nonprojective_arcs, projectivise
from .errors import DeppaError
from .experiments.store import Store
from .features.brown import BrownClusters
from .models.chain_crf import ChainCRF
from .models.constraints import Constraints
from .models.crf import CRFParser
from .models.derivation import DerivationParser
from .models.distribution import TreeDistribution
from .models.margin import Preferences
from .models.matrix_tree import MatrixTreeParser
from .models.mira import MIRAParser
from .models.mst import MSTParser
from .models.parsers import Parser, load_parser
from .models.tagger import Tagger
from .models.transition import TransitionParser

__version__: str

__all__ = [
    "MEASURES",
    "STRATEGIES",
    "ActiveLearner",
    "Annotator",
    "Answer",
    "BrownClusters",
    "CRFParser",
    "ChainCRF",
    "Constraints",
    "Corpus",
    "DeppaError",
    "DerivationParser",
    "Difference",
    "Evaluation",
    "GoldOracle",
    "Logged",
    "MIRAParser",
    "MSTParser",
    "MatrixTreeParser",
    "Measure",
    "NoisyOracle",
    "Parser",
    "Pool",
    "Preferences",
    "Query",
    "Rates",
    "Replay",
    "Round",
    "SecondParserOracle",
    "Sentence",
    "Sequence",
    "SequenceBank",
    "SlotBank",
    "SlotTree",
    "Store",
    "Strategy",
    "Tagger",
    "TransitionParser",
    "TreeDistribution",
    "Treebank",
    "agreement",
    "evaluate",
    "is_projective",
    "iter_conllu",
    "load",
    "load_parser",
    "merge",
    "nonprojective_arcs",
    "paired_bootstrap",
    "projectivise",
    "read_columns",
    "read_conllu",
    "read_slots",
    "register",
    "statistics",
    "tag_shares",
    "write_columns",
    "write_conllu",
    "write_slots",
]
