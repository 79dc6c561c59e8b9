"""`deppa eval`: scores of one or two predictions."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from deppa_nb.cli.output import print_json, print_table

if TYPE_CHECKING:
    from deppa_nb.corpus.evaluate import Evaluation

__all__ = ["evaluate"]

_GROUPS = ("upos", "length", "distance")
_file = click.Path(exists=True, dir_okay=False)


@click.command("eval")
@click.argument("gold", type=_file)
@click.argument("predicted", type=_file)
@click.argument("other", type=_file, required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Of the bootstrap."
)
def evaluate(gold: str, predicted: str, other: str | None, as_json: bool, seed: int) -> None:
    """Score PREDICTED trees against GOLD; with OTHER, tell whether the two differ.

    UAS, LAS and exact match, with and without punctuation, by part of speech, sentence length and
    distance to the head. Words without a gold head do not count. The difference comes with a
    95% interval and p-value of a paired bootstrap over sentences.
    """
    from deppa_nb.corpus.conllu import read_conllu
    from deppa_nb.corpus.evaluate import evaluate

    trees = read_conllu(gold)
    scored = [(path, evaluate(trees, read_conllu(path))) for path in (predicted, other) if path]
    differences = _differences(*(result for _, result in scored), seed=seed) if other else {}
    if as_json:
        print_json({"gold": gold, "predictions": _as_dict(scored), "difference": differences})
    else:
        _print(scored, differences)


def _differences(first: "Evaluation", second: "Evaluation", *, seed: int) -> "dict[str, Any]":
    """Return the difference of each score, or why there is none."""
    import numpy as np

    from deppa_nb.corpus.evaluate import paired_bootstrap
    from deppa_nb.errors import EvaluationError

    found: dict[str, Any] = {}
    for score in ("uas", "las"):
        try:
            rng = np.random.default_rng(seed)
            found[score] = asdict(paired_bootstrap(first, second, score, rng=rng))
        except EvaluationError as error:
            found[score] = {"none": str(error)}
    return found


def _as_dict(scored: "list[tuple[str, Evaluation]]") -> list[dict[str, Any]]:
    return [
        {
            "file": path,
            **result.scores(),
            "by": {group: result.by(group).to_dict("index") for group in _GROUPS},
        }
        for path, result in scored
    ]


def _print(scored: "list[tuple[str, Evaluation]]", differences: dict[str, Any]) -> None:
    rows = []
    for path, result in scored:
        for name, part in (("all words", result), ("no punctuation", result.without_punctuation)):
            rows.append((path, name, len(part.words), part.uas, part.las, part.exact))
    print_table(("file", "", "words", "UAS", "LAS", "exact"), rows)
    for score, found in differences.items():
        if "none" in found:
            click.echo(f"\n{score.upper()}: not compared, {found['none']}")
            continue
        click.echo(
            f"\n{score.upper()} of the second minus the first: {found['points']:+.2f} "
            f"(95% {found['low']:+.2f} to {found['high']:+.2f}, p = {found['p']:.4f})"
        )
    for path, result in scored:
        for group in _GROUPS:
            click.echo()
            table = result.by(group).reset_index()
            title = f"by {group}" + (f", {path}" if len(scored) > 1 else "")
            print_table((group, "words", "UAS", "LAS"), table.to_numpy().tolist(), title)
