"""`deppa strategies` and `deppa simulate`: what could be asked, and what it would bring."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from deppa_nb.cli.output import print_json, print_table
from deppa_nb.cli.parser import MODELS

if TYPE_CHECKING:
    import pandas as pd

    from deppa_nb.active.rounds import Round
    from deppa_nb.experiments.simulate import Simulation

__all__ = ["simulate", "strategies"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def strategies(as_json: bool) -> None:
    """List the strategies, with what each measures."""
    from deppa_nb.active.strategies import STRATEGIES

    rows = [(s.name, s.kind, s.summary, s.equation) for s in STRATEGIES.values()]
    names = ("strategy", "asks for", "what", "measure")
    if as_json:
        print_json([dict(zip(names, row, strict=True)) for row in rows])
    else:
        print_table(names, rows)


@click.command()
@click.argument("corpus")
@click.option(
    "--strategy", "-s", "names", multiple=True, required=True,
    help="One of `deppa strategies`; others are compared with the first.",
)  # fmt: skip
@click.option(
    "--seeds", type=click.IntRange(1), default=3, show_default=True, help="Curves of each."
)
@click.option(
    "--start",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    help="Annotated sentences at the beginning.",
)
@click.option(
    "--budget", type=click.IntRange(1), default=500, show_default=True, help="Of each round."
)
@click.option(
    "--unit",
    type=click.Choice(["dependencies", "sentences"]),
    default="dependencies",
    show_default=True,
    help="What the budget counts.",
)
@click.option("--rounds", type=click.IntRange(1), default=10, show_default=True)
@click.option("--warm", is_flag=True, help="Parsers go on from their weights: faster.")
@click.option("--model", type=click.Choice(MODELS), default="crf", show_default=True)
@click.option("--order", type=click.IntRange(1, 2), help="Of crf and mira.")
@click.option("--beam", type=click.IntRange(1), help="Of transition.")
@click.option("--epochs", type=click.IntRange(1), default=3, show_default=True)
@click.option(
    "--bits",
    type=click.IntRange(10, 30),
    default=20,
    show_default=True,
    help="The table has 2**BITS weights.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False),
    default="simulation",
    show_default=True,
    help="A folder.",
)
def simulate(
    corpus: str, names: tuple[str, ...], seeds: int, output: str, model: str, **given: Any
) -> None:
    """Compare strategies on CORPUS, whose own trees give the answers.

    CORPUS is a name (`deppa data list`; `deppa data add` for your own): train is the pool, dev is
    scored on. OUTPUT gets rounds.csv, comparison.csv, curves.svg and the curves themselves: what
    was interrupted goes on from its last round, and what is finished is not computed again.
    """
    from rich.console import Console
    from rich.live import Live

    from deppa_nb.corpus.textfile import write_atomically
    from deppa_nb.experiments.compare import ALL, CurveParameters
    from deppa_nb.experiments.simulate import Simulation, compare, points, run
    from deppa_nb.experiments.store import Store
    from deppa_nb.models.parsers import PARSERS
    from deppa_nb.reports.charts import curve_chart, to_svg

    options = {name: given.pop(name) for name in ("order", "beam", "epochs", "bits")}
    options = {name: value for name, value in options.items() if value is not None}
    known = PARSERS[model]().get_params()
    if wrong := [name for name in options if name not in known]:
        raise click.UsageError(f"--{wrong[0]} is no option of --model {model}")
    curves = CurveParameters(model=model, options=options, **given)
    what = Simulation(corpus, names, seeds, curves)
    folder, lines = Path(output), {}
    console = Console(stderr=True)
    with Live(console=console, transient=True, refresh_per_second=4) as live:

        def say(name: str, seed: int, found: "Round") -> None:
            uas = found.row().get("dev_uas", float("nan"))
            lines[name, seed] = (name, seed, found.number, found.cost.dependencies, uas)
            live.update(_live_table(lines))
            if not console.is_terminal:
                click.echo(f"{name} seed {seed} round {found.number}: {uas:.2f}", err=True)

        sentences = run(what, Store(folder), say)
    table, rounds = compare(sentences, names), points(sentences)
    full = float(rounds.loc[rounds["strategy"] == ALL, "uas"].mean())
    chart = curve_chart(
        rounds[rounds["strategy"] != ALL],
        full=full,
        title=_title(table, what),
        score_title="UAS on dev (%)",
    )
    write_atomically(folder / "curves.svg", [to_svg(chart)])
    write_atomically(folder / "rounds.csv", [rounds.to_csv(index=False)])
    write_atomically(folder / "comparison.csv", [table.to_csv(index=False)])
    rows = [
        (
            row["strategy"], row["dependencies"], row["uas"], row["gain"],
            _interval(row["low"], row["high"], "+.2f"), _needed(row["needed"]),
            _interval(row["needed_low"], row["needed_high"], ",.0f"),
        )
        for row in table.to_dict("records")
    ]  # fmt: skip
    columns = ("strategy", "dependencies", "UAS", f"gain over {names[0]}", "95%")
    print_table((*columns, "to all data - 1", "95% "), rows)
    files = ("rounds.csv", "comparison.csv", "curves.svg")
    written = ", ".join(str(folder / name) for name in files)
    click.echo(f"all data: UAS {full:.2f}; {written}")


def _title(table: "pd.DataFrame", what: "Simulation") -> str:
    """Return what the curves show: who is better than the first, if that is no chance."""
    better = [str(row["strategy"]) for row in table.to_dict("records") if row["low"] > 0]
    seeds = f"mean of {what.seeds} seeds, band from lowest to highest"
    if not better:
        return f"Learning curves on {what.corpus}: {seeds}"
    return f"{', '.join(better)}: more than {what.strategies[0]} on {what.corpus} ({seeds})"


def _interval(low: float, high: float, form: str) -> str:
    numbers = [f"{x:{form}}" if abs(x) < float("inf") else "–" for x in (low, high)]
    return " to ".join(numbers) if set(numbers) != {"–"} else ""


def _needed(value: float) -> str:
    return "not reached" if value == float("inf") or value != value else f"{value:,.0f}"


def _live_table(lines: dict[tuple[str, int], tuple[Any, ...]]) -> Any:
    from rich.table import Table

    table = Table("strategy", "seed", "round", "dependencies", "UAS", box=None)
    for name, seed, number, dependencies, uas in lines.values():
        table.add_row(name, str(seed), str(number), f"{dependencies:,}", f"{uas:.2f}")
    return table
