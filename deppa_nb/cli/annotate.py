"""`deppa annotate`: a person and a file."""

from pathlib import Path

import click

__all__ = ["annotate"]


@click.command()
@click.argument("file")
@click.option("--annotator", default="me", show_default=True, help="Whose log it is.")
@click.option("--strategy", default="pa-gap", show_default=True, help="See `deppa strategies`.")
@click.option("--labels", is_flag=True, help="Ask for labels, too.")
@click.option("--blind", is_flag=True, help="Suggest nothing.")
@click.option("--port", type=click.IntRange(1, 65535), help="By default that of the last time.")
@click.option("--browser/--no-browser", default=True, help="Open a browser.")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default="annotations",
    show_default=True,
    help="A folder for the log, the working copy and the treebank.",
)
def annotate(
    file: str, output: Path, port: int | None, browser: bool, annotator: str, **values: object
) -> None:
    """Give heads to FILE, one key each, in JupyterLab on this machine.

    FILE is CoNLL-U, raw or half done, or the name of a corpus. It is not changed: answers go to a
    log, and when you end this command the treebank is written with them. If FILE has every head,
    you practise: the first 50 sentences keep theirs, the other heads are hidden and asked for.
    """
    import webbrowser

    from deppa_nb.batch.annotate import annotate, place

    corpus = str(Path(file).resolve()) if Path(file).exists() else file
    where = place(output, {"corpus": corpus, "annotator": annotator, **values})
    for name, path in (
        ("working copy", where.notebook),
        ("log", where.chosen.log),
        ("treebank", where.chosen.export),
    ):
        click.echo(f"{name + ':':14}{path}")
    if where.hidden is not None:
        practice = (
            f"To practise, {where.hidden} of its heads are hidden and asked for; "
            "the treebank keeps them where you give none."
        )
        nothing = "It has too few sentences to practise on: nothing is asked."
        click.echo(f"{file} is fully annotated. {practice if where.hidden else nothing}")

    def opened(address: str) -> None:
        click.echo(f"{'address:':14}{address}\nEnd with Ctrl+C; every answer is in the log.")
        if browser:
            webbrowser.open(address)

    annotate(where, port, opened, click.echo)
