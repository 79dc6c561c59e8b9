"""`deppa data`: corpora by name."""

from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from deppa_nb.cli.output import print_json, print_table

if TYPE_CHECKING:
    from deppa_nb.corpus.corpus import Kind

__all__ = ["data"]


def _names(context: click.Context, parameter: click.Parameter, start: str) -> list[CompletionItem]:
    from deppa_nb.corpus.registry import entries

    return [CompletionItem(e.name, help=e.language) for e in entries() if e.name.startswith(start)]


_name = click.argument("name", shell_complete=_names)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def data() -> None:
    """List, show, add, fetch and make corpora."""


@data.command("list")
@_json
def list_(as_json: bool) -> None:
    """List every corpus that is known by name, and whether it is here."""
    from deppa_nb.corpus.registry import entries

    columns = ("name", "kind", "state", "language", "licence", "note")
    rows = [[getattr(entry, column) for column in columns] for entry in entries()]
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        print_table(columns, [[*row[:-1], _short(row[-1])] for row in rows])


@data.command()
@_name
@_json
def show(name: str, as_json: bool) -> None:
    """Show a corpus: licence, files, statistics; or how to get it."""
    from deppa_nb.corpus.registry import find

    entry = find(name)
    facts: dict[str, Any] = {
        key: getattr(entry, key) for key in ("name", "kind", "state", "language", "licence", "note")
    }
    splits = _splits(entry.name) if entry.state in ("embedded", "added", "here") else []
    if as_json:
        print_json({**facts, "splits": splits})
        return
    for key, value in facts.items():
        click.echo(f"{key:9} {value}")
    if splits:
        click.echo()
        print_table(list(splits[0]), [list(split.values()) for split in splits])


@data.command()
@click.argument("name")
@click.argument("paths", nargs=-1, required=True)
@click.option(
    "--kind", type=click.Choice(["treebank", "sequence", "slots"]), help="If not told by the files."
)
@click.option("--replace", is_flag=True, help="Replace an added corpus of this name.")
def add(name: str, paths: tuple[str, ...], kind: "Kind | None", replace: bool) -> None:
    """Make your own files known as NAME.

    PATHS are files with train, dev or test in their names, or split=FILE, or one folder of such
    files. They are read through once, and stay where they are.
    """
    from deppa_nb.corpus.registry import add

    corpus = add(name, paths, kind=kind, replace=replace)
    for bank in corpus.banks():
        click.echo(f"{bank.name}: {len(bank):,} sentences, {bank.n_words:,} words")


@data.command()
@_name
def remove(name: str) -> None:
    """Forget an added corpus; its files are not touched."""
    from deppa_nb.corpus.registry import remove

    remove(name)


@data.command()
@_name
def fetch(name: str) -> None:
    """Download a Universal Dependencies treebank; size and licence are shown first."""
    from deppa_nb.corpus.fetch import fetch, upstream
    from deppa_nb.corpus.paths import data_home
    from deppa_nb.corpus.registry import find

    known = find(name)
    elsewhere = known.corpus is not None and known.corpus.facts.get("folder") != str(
        data_home() / "fetched"
    )
    if known.corpus is not None and elsewhere:
        click.echo(f"{known.name} is here already ({known.state}), nothing is fetched:", err=True)
        files = known.corpus.files
    else:
        entry = upstream().get(known.name)
        if entry is not None and not all(map(entry.is_right, entry.files)):
            click.echo(f"{entry.name}: {entry.treebank} {entry.release}, licence {entry.licence}")
            size = entry.size()
            shown = "size not told" if size is None else f"{size / 1e6:.1f} MB"
            click.echo(f"{len(entry.files)} files, {shown}, from {entry.repository}")
        files = fetch(known.name)
    for path in files.values():
        click.echo(path)


@data.command()
@_name
def path(name: str) -> None:
    """Print the files of a corpus, one a line."""
    from deppa_nb.corpus.registry import load

    for file in load(name).files.values():
        click.echo(file)


@data.command()
@_name
@click.argument("sentences", type=click.IntRange(1))
@click.option("-o", "--output", type=click.Path(dir_okay=False), required=True, help="Where to.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@click.option(
    "--split",
    type=click.Choice(["train", "dev", "test"]),
    default="train",
    show_default=True,
    help="Other sentences for each.",
)
@click.option("--pos-accuracy", type=float, default=1.0, show_default=True, help="POS noise.")
def make(
    name: str, sentences: int, output: str, seed: int, split: str, pos_accuracy: float
) -> None:
    """Write an embedded corpus (toy-*) of any size to a file."""
    from deppa_nb.corpus.embedded import generate

    generate(
        output, name, sentences, seed=seed, split=split, pos_accuracy=pos_accuracy, progress=True
    )
    click.echo(output)


def _splits(name: str) -> list[dict[str, Any]]:
    from deppa_nb.corpus.registry import load
    from deppa_nb.corpus.statistics import statistics

    corpus = load(name)
    table = statistics(corpus.banks()).reset_index(drop=True)
    rows = [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]
    pairs = zip(corpus.files.items(), rows, strict=True)
    return [{"split": split, **row, "file": str(path)} for (split, path), row in pairs]


def _short(note: str, limit: int = 70) -> str:
    return note if len(note) <= limit else note[: limit - 3] + "..."
