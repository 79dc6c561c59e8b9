"""`deppa bench`: how fast it is here."""

import math

import click

from deppa_nb.cli.output import print_json, print_table

__all__ = ["bench", "compile_kernels"]


@click.group()
def bench() -> None:
    """Measure speeds on this machine."""


@bench.command()
@click.option("--compile", "compiling", is_flag=True, help="Time compilation too: a minute more.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def kernels(compiling: bool, as_json: bool) -> None:
    """Time every kernel, beside C where there is a C compiler."""
    from rich.console import Console
    from rich.status import Status

    from deppa_nb.experiments.speed import compile_seconds, kernel_speeds

    with Status("", console=Console(stderr=True)) as status:
        speeds = kernel_speeds(status.update)
        status.update("compiling")
        compiled = compile_seconds() if compiling else None
    if as_json:
        found = {"kernels": speeds.to_dict("records")}
        if compiled is not None:
            found["compilation"] = compiled.to_dict("records")
        print_json(found)
        return
    rows = [(*row[:2], row[2], round(row[3]), *row[4:]) for row in speeds.itertuples(index=False)]
    names = ("kernel", "size", "us", "per second", "reference", "its us", "ratio", "bar")
    print_table(names, rows)
    if compiled is not None:
        print_table(("compilation", "seconds"), compiled.itertuples(index=False))


@click.command("compile")
def compile_kernels() -> None:
    """Compile all kernels now, once a machine; else each is compiled when it is first used."""
    from rich.console import Console
    from rich.status import Status

    from deppa_nb.experiments.speed import compile_all

    with Status("compiling, about a minute", console=Console(stderr=True)):
        compile_all()


@bench.command()
@click.argument("corpus", default="toy-en")
@click.option("--sentences", type=click.IntRange(1), help="Use only so many of each split.")
@click.option(
    "--seconds", type=click.FloatRange(1), default=60, show_default=True, help="Of each peer."
)
@click.option(
    "--python",
    "pythons",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    help="An interpreter that has peers (any number of times); else this one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def parser(
    corpus: str, sentences: int | None, seconds: float, pythons: tuple[str, ...], as_json: bool
) -> None:
    """Train, score and time our parser beside others on CORPUS.

    Other parsers: spaCy and UDPipe 1, which learn for about SECONDS each. Libraries of structured
    inference: SuPar and torch-struct. All on one thread, in processor time.
    """
    import sys

    from rich.console import Console
    from rich.status import Status

    from deppa_nb.corpus.registry import load
    from deppa_nb.experiments.peers import inference_speeds, parser_scores

    known = (sys.executable, *pythons)
    with Status("", console=Console(stderr=True)) as status:
        scores = parser_scores(
            load(corpus), sentences=sentences, seconds=seconds, pythons=known, say=status.update
        )
        speeds = inference_speeds(pythons=known, say=status.update)
    if as_json:
        print_json({"parsers": scores.to_dict("records"), "inference": speeds.to_dict("records")})
        return
    print_table(
        ("parser", "UAS", "LAS", "train s", "x ours", "tokens/s", "x ours", ""),
        [(*row[:5], _whole(row[5]), *row[6:]) for row in scores.itertuples(index=False)],
    )
    click.echo()
    print_table(
        ("log Z and marginals", "", "n", "sentences/s", "ours", "ours / theirs", ""),
        [(*row[:2], *map(_whole, row[2:5]), *row[5:]) for row in speeds.itertuples(index=False)],
    )


def _whole(value: float) -> float:
    return value if math.isnan(value) else round(value)
