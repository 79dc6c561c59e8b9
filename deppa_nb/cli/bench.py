"""`deppa bench`: how fast it is here."""

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
