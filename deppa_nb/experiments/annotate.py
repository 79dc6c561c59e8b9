"""What the annotation notebooks work with: the material, and how the answers went."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from deppa_nb.active.annotators import PEOPLE, GoldOracle, NoisyOracle
from deppa_nb.active.hindsight import Point, learned
from deppa_nb.active.log import Log, read_log, to_line
from deppa_nb.active.log_export import export
from deppa_nb.active.log_merge import merge_logs
from deppa_nb.active.pool import Pool
from deppa_nb.active.session import Session
from deppa_nb.active.simulated import play
from deppa_nb.corpus.conllu import write_conllu
from deppa_nb.corpus.registry import load
from deppa_nb.corpus.sentence import Treebank
from deppa_nb.corpus.textfile import write_atomically
from deppa_nb.corpus.tokens import read_tokens
from deppa_nb.errors import ParameterError
from deppa_nb.models.crf import CRFParser
from deppa_nb.models.parsing import MARGINAL, completed

__all__ = [
    "SIMULATED",
    "Material",
    "begin_replay",
    "completed_bank",
    "curve_frame",
    "exported",
    "latest",
    "least_sure",
    "material",
    "parser",
    "progress",
    "replay_answers",
]

SIMULATED = "simulated"
"""In the place of a log to replay: somebody who looks the answers up, and sometimes errs."""


@dataclass(frozen=True)
class Material:
    """What is annotated.

    Attributes
    ----------
    bank
        The sentences, with the heads that are known.
    dev
        What models are scored on, if there is anything.
    gold
        Where the answers can be looked up: of a corpus whose heads were hidden; else None.
    """

    bank: Treebank
    dev: Treebank | None
    gold: Treebank | None


def material(corpus: str, start: int = 50) -> Material:
    """Return the sentences to annotate.

    Parameters
    ----------
    corpus
        The name of a treebank, a CoNLL-U file, or a text with a sentence a line.
    start
        If every head of it is known it is for practice: so many sentences keep theirs.

    Examples
    --------
    >>> found = material("toy-short", start=20)
    >>> found.bank.n_annotated == found.gold[:20].n_words
    True
    """
    bank, dev = _banks(corpus)
    if not all(sentence.is_full for sentence in bank):
        return Material(bank, dev, None)
    hidden = bank.with_sentences(Pool.hiding(bank, seed=min(start, len(bank))))
    return Material(hidden, dev, bank)


def _banks(corpus: str) -> tuple[Treebank, Treebank | None]:
    """Return what may be annotated and, if there is any, what models are scored on."""
    if Path(corpus).suffix == ".txt":
        return read_tokens(corpus), None
    loaded = load(corpus)
    if loaded.kind != "treebank":
        raise ParameterError(f"corpus is {corpus}, expected a treebank")
    split = "train" if "train" in loaded.files else next(iter(loaded.files))
    bank = loaded.split(split)
    dev = loaded.dev if "dev" in loaded.files else None
    return Treebank(tuple(bank), bank.name, path=bank.path), dev


def parser(*, labels: bool = False) -> CRFParser:
    """Return a parser that learns in seconds and leaves a processor to the person who answers."""
    threads = max(1, (os.cpu_count() or 2) - 1)
    return CRFParser(1, bits=20, epochs=5, labels=labels, threads=threads, progress=False)


def begin_replay(replay: str, path: Path, annotator: str) -> None:
    """Begin the log of a replay: empty or, if a log is replayed, with all that it says.

    To ask again and look the answers up would give other rounds: what a round asked depended on how
    fast the person was.
    """
    if replay == SIMULATED:
        path.unlink(missing_ok=True)
        return
    log = read_log(replay)
    events = (replace(event, annotator=annotator) for event in log.events)
    lines = [to_line(replace(log.header, annotator=annotator)), *map(to_line, events)]
    write_atomically(path, (line.decode() for line in lines))


def replay_answers(session: Session, replay: str, found: Material) -> int:
    """Let somebody answer who is sometimes wrong, if no log was replayed; return all answers."""
    gold = found.gold
    oracle = GoldOracle(found.bank) if gold is None else NoisyOracle(gold, PEOPLE[:1])
    play(session, oracle, rounds=3 if replay == SIMULATED else 0)
    return session.recorder.said.answers


def curve_frame(points: Sequence[Point]) -> pd.DataFrame:
    """Return a learning curve as a table."""
    rows: list[dict[str, Any]] = [vars(point) for point in points]
    return pd.DataFrame(rows, columns=["round", "answers", "known", "uas"])


def progress(curve: pd.DataFrame) -> tuple[str, str, str]:
    """Return what a learning curve has to say: a title, the column to draw and its name.

    >>> progress(curve_frame([Point(0, 0, 9, float("nan")), Point(1, 5, 14, float("nan"))]))
    ('5 answers; there are no development sentences to score on', 'known', 'annotated words')
    """
    answers = f"{curve.answers.max()} answers"
    scores = curve.uas.dropna()
    if scores.empty:
        title = f"{answers}; there are no development sentences to score on"
        return title, "known", "annotated words"
    title = f"{answers}: from {scores.iloc[0]:.1f}% to {scores.iloc[-1]:.1f}% right heads"
    return title, "uas", "UAS on dev (%)"


def latest(session: Session) -> dict[str, Any]:
    """Return how to draw the sentence that was answered last, and whose arcs are whose."""
    tasks = session.recorder.acts(session.recorder.sentences.keys())
    names = [event.sentence for act in tasks for event in act.events if event.what == "head"]
    name = names[-1] if names and names[-1] else next(iter(session.recorder.sentences))
    sentence = session.recorder.sentence(name)
    given = {m: "forced" for (of, m), head in session.recorder.said.heads.items() if of == name}
    (found,) = session.estimates([name])
    drawn: dict[str, Any] = {"sentence": sentence, "styles": given}
    if found is not None:
        drawn |= {"heads": found.heads, "labels": [], "probabilities": found.probabilities}
    return drawn | {"legend": {"forced": "given by a person", "plain": "the parser's"}}


def completed_bank(session: Session, log: Log, path: Path) -> tuple[Any, Treebank]:
    """Train on all that is known, and let the parser complete the rest around it.

    Returns
    -------
    parser, treebank
        The treebank is written to the path; MISC tells the probability of each arc.
    """
    learner = learned(session.bank, log.events, session.parser, session.strategy)
    trees = completed(learner.parser, learner.pool, keep_heads=True, marginals=True)
    bank = Treebank(tuple(trees), session.bank.name)
    write_conllu(path, bank)
    return learner.parser, bank


def least_sure(bank: Treebank, most: int = 10) -> pd.DataFrame:
    """Return the arcs of a completed treebank that are least probable: look at these first."""
    rows = [
        (sentence.sent_id, m, sentence.forms[m], sentence.forms[sentence.heads[m]], float(p))
        for sentence in bank
        for m, misc in enumerate(sentence.misc)
        if m
        and (p := dict(item.split("=", 1) for item in misc.split("|") if "=" in item).get(MARGINAL))
    ]
    table = pd.DataFrame(rows, columns=["sentence", "word", "form", "head", "probability"])
    return table.sort_values("probability", kind="stable").head(most).reset_index(drop=True)


def exported(found: Material, log: Log, path: Path) -> str:
    """Write the treebank with what the log gave; return where, and which answers are not in it.

    Heads that were hidden for practice are there where the log gives none. With them, a wrong
    answer may close a cycle: that one is left out.
    """
    merged = merge_logs([log])
    if found.gold is not None:  # who took an answer back has not taken away what the file had
        merged = replace(merged, opened=frozenset())
    made = export(found.gold or found.bank, merged)
    write_conllu(path, made.bank)
    lost = ", ".join(f"word {one.token} of {one.sentence}" for one in made.cycles)
    return f"{path}, without answers that close a cycle: {lost}" if lost else str(path)
