"""A learner in a file: a zip archive that can be looked into.

============  ====================================================================================
member        what it holds
============  ====================================================================================
state.json    version, strategy, seed, rates, cost, round, what is closed, ignored and preferred
pool.conllu   the sentences with what is known of them (`pool.txt` for sequences of labels)
completed...  trees that the parser has completed, in the same format
parser.npz    the parser, if it has learned, see `models.storage`
parser.json   its class and parameters
memory.npz    arrays that stopping rules keep
============  ====================================================================================
"""

import io
import json
import tempfile
import zipfile
from dataclasses import asdict, replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from deppa_nb.active.costs import Cost, Rates
from deppa_nb.active.pool import Item
from deppa_nb.active.queries import Answer, Query
from deppa_nb.active.strategies import STRATEGIES, Strategy, find_strategy
from deppa_nb.corpus.conllu import read_conllu, write_conllu
from deppa_nb.corpus.sentence import Sentence
from deppa_nb.corpus.sequences import read_columns, write_columns
from deppa_nb.corpus.textfile import replacing
from deppa_nb.errors import ArgumentError, DeppaError, FormatError, ParameterError
from deppa_nb.models.chain_crf import ChainCRF
from deppa_nb.models.parsers import PARSERS
from deppa_nb.models.storage import BROKEN

if TYPE_CHECKING:
    from deppa_nb.active.learner import ActiveLearner

__all__ = ["load", "save"]

VERSION = 1
_KINDS: dict[str, Any] = {kind.__name__: kind for kind in (*PARSERS.values(), ChainCRF)}


def save(learner: "ActiveLearner", path: Path) -> None:
    """Write a learner; the file is the old one or the new one, never half of it."""
    completed = sorted(learner.completed)
    state = {
        "version": VERSION,
        "strategy": learner.strategy.name,
        "composition": learner.strategy.composition,
        "given_up": learner.given_up,
        "rng": learner.rng,
        "warm": learner.warm,
        "warm_epochs": learner.warm_epochs,
        "review": learner.review,
        "rates": asdict(learner.rates),
        "cost": asdict(learner.cost),
        "round": learner.round,
        "asked": learner._asked,
        "fitted": learner._fitted,
        "changed": sorted(learner._changed),
        "stepped": learner._stepped,
        "closed": {j: sorted(words) for j, words in learner.pool.closed.items()},
        "ignored": learner.pool.ignored.tolist(),
        "completed": completed,
        "numbers": [item.number for item in learner.pool],  # what names those without a sent_id
        "preferences": [_preference(answer) for answer in learner.preferences.values()],
    }
    memory = io.BytesIO()
    arrays: dict[str, Any] = learner._memory
    np.savez(memory, **arrays)
    members: dict[str, str | bytes] = {
        "state.json": json.dumps(state, default=lambda value: value.item()),
        "parser.json": json.dumps(_description(learner.parser), default=lambda value: value.item()),
        "memory.npz": memory.getvalue(),
    }
    with tempfile.TemporaryDirectory() as folder:
        files = [_write(Path(folder) / "pool", list(learner.pool))]
        if completed:
            trees = [learner.completed[j] for j in completed]
            files.append(_write(Path(folder) / "completed", trees))
        if learner._fitted:
            files.append(Path(folder) / "parser.npz")
            learner.parser.save(files[-1])
        try:
            with replacing(path.resolve()) as raw, zipfile.ZipFile(raw, "w") as archive:
                for name, content in members.items():
                    archive.writestr(name, content)
                for file in files:
                    packed = zipfile.ZIP_STORED if file.suffix == ".npz" else zipfile.ZIP_DEFLATED
                    archive.write(file, file.name, packed, compresslevel=1)
        except OSError as error:
            raise DeppaError(f"{path}: cannot be written ({error.strerror})") from error


def load(cls: "type[ActiveLearner]", path: Path, strategy: Strategy | None) -> "ActiveLearner":
    """Return the learner of a file."""
    try:
        with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
            state = json.loads(archive.read("state.json"))
            if state["version"] != VERSION:
                problem = f"a learner of version {state['version']}, expected {VERSION}"
                raise FormatError(path, None, problem)
            archive.extractall(folder)
            return _restored(cls, Path(folder), state, strategy)
    except (*BROKEN, OSError) as error:
        raise FormatError(
            path, None, f"no learner of deppa_nb, or a broken one ({error})"
        ) from error


def _restored(
    cls: "type[ActiveLearner]", folder: Path, state: dict[str, Any], strategy: Strategy | None
) -> "ActiveLearner":
    if strategy is None and state["strategy"] not in STRATEGIES:
        raise ParameterError(f"the strategy {state['strategy']!r} is not known; give it to load")
    known = strategy or find_strategy(state["strategy"])
    if strategy is None and known.composition != state["composition"]:
        raise ParameterError(
            f"the strategy {known.name!r} is not the one that was saved, {state['composition']}; "
            "give it to load"
        )
    found = json.loads((folder / "parser.json").read_text())
    kind = _KINDS[found["class"]]
    parser = kind(**found["parameters"])
    learner = cls(
        parser, known, _numbered(_read(folder, "pool"), state["numbers"]),
        rng=state["rng"], warm=state["warm"], warm_epochs=state["warm_epochs"],
        review=state["review"], rates=Rates(**state["rates"]),
    )  # fmt: skip
    if state["fitted"]:
        learner.parser = kind.load(folder / "parser.npz").set_params(**found["parameters"])
    for j, words in state["closed"].items():
        learner.pool.close(int(j), words)
    for j in state["ignored"]:
        learner.pool.ignore(j)
    if state["completed"]:
        trees = _read(folder, "completed")
        numbers = [state["numbers"][j] for j in state["completed"]]
        completed = _numbered(trees, numbers)
        learner.completed = dict(zip(state["completed"], completed, strict=True))
    learner.given_up = {int(j): count for j, count in state["given_up"].items()}
    answers = [_answer(row) for row in state["preferences"]]
    learner.preferences = {answer.query.key: answer for answer in answers}
    with np.load(folder / "memory.npz", allow_pickle=False) as arrays:
        learner._memory = dict(arrays)
    learner.pool.take_news()  # nothing has changed since it was saved
    learner.cost, learner.round = Cost(**state["cost"]), state["round"]
    learner._asked, learner._fitted = state["asked"], state["fitted"]
    learner._changed, learner._stepped = set(state["changed"]), state["stepped"]
    return learner


def _description(parser: Any) -> dict[str, Any]:
    if type(parser) not in _KINDS.values():
        names = ", ".join(_KINDS)
        problem = f"a learner whose parser is a {type(parser).__name__} cannot be saved"
        raise ArgumentError(f"{problem}, expected one of {names}")
    parameters = parser.get_params()
    if not isinstance(parameters.get("rng"), Integral | None):
        raise ArgumentError("a learner whose parser has a generator cannot be saved: give a seed")
    return {"class": type(parser).__name__, "parameters": parameters}


def _write(stem: Path, items: list[Item]) -> Path:
    if not items:
        (path := stem.with_suffix(".conllu")).touch()
    elif all(isinstance(item, Sentence) for item in items):
        write_conllu(path := stem.with_suffix(".conllu"), items)  # type: ignore[arg-type]
    else:
        write_columns(path := stem.with_suffix(".txt"), items)  # type: ignore[arg-type]
    return path


def _read(folder: Path, stem: str) -> list[Item]:
    if (trees := folder / f"{stem}.conllu").exists():
        return list(read_conllu(trees)) if trees.stat().st_size else []
    return list(read_columns(folder / f"{stem}.txt"))


def _numbered(items: list[Item], numbers: list[int]) -> list[Item]:
    """Return sentences with the numbers that they had in their own file."""
    return [replace(item, number=n) for item, n in zip(items, numbers, strict=True)]


def _preference(answer: Answer) -> dict[str, Any]:
    query = answer.query
    assert query.trees is not None
    return {
        "sentence": query.sentence,
        "tokens": query.tokens,
        "utility": query.utility,
        "trees": query.trees.tolist(),
        "choice": answer.choice,
        "annotator": answer.annotator,
        "seconds": None if answer.seconds != answer.seconds else answer.seconds,
    }


def _answer(row: dict[str, Any]) -> Answer:
    trees = np.array(row["trees"], np.int32)
    tokens, utility = tuple(row["tokens"]), row["utility"]
    query = Query(row["sentence"], tokens, "preference", utility, trees=trees)
    seconds = float("nan") if row["seconds"] is None else row["seconds"]
    return Answer(query, choice=row["choice"], annotator=row["annotator"], seconds=seconds)
