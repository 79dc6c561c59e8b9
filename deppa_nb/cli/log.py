"""`deppa log`: what people did in the annotation widgets, one log for each of them."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from deppa_nb.cli.output import print_json, print_table
from deppa_nb.cli.parser import treebank_file

if TYPE_CHECKING:
    from deppa_nb.active.log import Log
    from deppa_nb.active.log_merge import Conflict, Policy

__all__ = ["log"]

_POLICIES = ("majority", "open", "first", "last")  # as in `active.log_merge`
_logs = click.argument(
    "logs", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False), metavar="LOG..."
)
_output = click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, writable=True),
    required=True,
    help="Where to.",
)
_policy = click.option(
    "--policy",
    type=click.Choice(_POLICIES),
    default="majority",
    show_default=True,
    help="Where they differ: most votes (a tie stays open), open, first or last by time.",
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def log() -> None:
    """Show, compare, merge and export annotation logs."""


@log.command()
@_logs
@click.option("--gold", metavar="TREEBANK", help="What is right: a file or a corpus.")
@click.option(
    "--pause",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds without an act that count as a pause, not as work.",
)
@_json
def show(logs: tuple[str, ...], gold: str | None, pause: float, as_json: bool) -> None:
    """Show what is in each LOG, and for each annotator the seconds a dependency took.

    For full trees and for single words (partial); with --gold, how many heads are right, in
    percent: of full trees, of those of their words that were also asked for singly (hard), and of
    single words.
    """
    from deppa_nb.active.timing import study_table
    from deppa_nb.corpus.conllu import read_conllu

    read = _read(logs)
    trees = read_conllu(treebank_file(gold, "train")) if gold else None
    table = study_table(read, trees, max_gap=pause).reset_index()
    facts = [_facts(each) for each in read]
    if as_json:
        print_json({"logs": facts, "annotators": table.to_dict("records")})
        return
    print_table(list(facts[0]), [list(fact.values()) for fact in facts])
    click.echo()
    names = [str(name).replace("_", " ") for name in table.columns]
    print_table(names, list(table.itertuples(index=False, name=None)))


@log.command()
@_logs
@_json
def agree(logs: tuple[str, ...], as_json: bool) -> None:
    """Show how far annotators agree on words that two or more of them gave a head or label.

    Observed: how often another annotator says the same. Alpha: Krippendorff's, 1 is perfect, 0 what
    chance would give.
    """
    from deppa_nb.active.agreement import agreement_table, pair_table

    read = _read(logs)
    table, pairs = agreement_table(read).reset_index(), pair_table(read)
    if as_json:
        print_json({"all": table.to_dict("records"), "heads": pairs.to_dict("records")})
        return
    print_table(list(table.columns), list(table.itertuples(index=False, name=None)))
    if len(pairs) > 1:
        click.echo()
        rows = list(pairs.itertuples(index=False, name=None))
        print_table(list(pairs.columns), rows, "heads, two by two")


@log.command()
@_logs
@_output
@_policy
def merge(logs: tuple[str, ...], output: str, policy: "Policy") -> None:
    """Write one log with what the annotators of several say together.

    It has an event for each head, label and preference that was decided, and is read like any other
    log. Words on which they differ are listed. The order of LOG... does not matter.
    """
    from deppa_nb.active.log_export import write_merged
    from deppa_nb.active.log_merge import merge_logs

    _check_output(output, logs)
    if Path(output).exists() and Path(output).stat().st_size and not _is_merged(output):
        raise click.UsageError(f"{output} is no merged log, expected one or another file")
    merged = merge_logs(_read(logs), policy)
    write_merged(output, merged)
    click.echo(f"{output}: {len(merged.events):,} answers of {len(logs)} annotators")
    _print_conflicts(merged.conflicts)


@log.command()
@_logs
@click.option(
    "--treebank", required=True, metavar="FILE", help="What was annotated: a file or a corpus."
)
@_output
@_policy
@click.option("--only", is_flag=True, help="Open all heads and labels that no LOG gives.")
def export(logs: tuple[str, ...], treebank: str, output: str, policy: "Policy", only: bool) -> None:
    """Write FILE with the heads and labels that were given; an open head is _.

    All else stays as it is, to the byte, but MISC, which says who gave a head: Annotator=anna. FILE
    may be a column file of sequences: then it gets labels. Several logs are merged first, and words
    on which they differ are listed.
    """
    from deppa_nb.active.log_export import export
    from deppa_nb.active.log_merge import merge_logs
    from deppa_nb.corpus.conllu import read_conllu, write_conllu
    from deppa_nb.corpus.corpus import kind_of
    from deppa_nb.corpus.sequences import read_columns, write_columns

    _check_output(output, logs)
    merged = merge_logs(_read(logs), policy)
    path = treebank_file(treebank, "train")
    if kind_of(path) == "sequence":
        found = export(read_columns(path), merged, only=only)
        write_columns(output, found.bank)
    else:
        found = export(read_conllu(path), merged, only=only)
        write_conllu(output, found.bank)
    given = sum(event.what != "tree" for event in merged.events) - len(found.cycles)
    click.echo(f"{output}: {given:,} heads and labels of {len(logs)} annotators")
    _print_conflicts([*merged.conflicts, *found.cycles])


def _read(paths: Sequence[str]) -> "list[Log]":
    from deppa_nb.active.log import read_log

    logs = [read_log(path) for path in paths]
    for each in logs:
        if each.torn:
            problem = f"its last line is cut off ({each.torn} bytes) and left out"
            click.echo(f"{each.path}: {problem}", err=True)
    return logs


def _facts(of: "Log") -> dict[str, Any]:
    from deppa_nb.active.log_state import state

    now = state(of.events)
    return {
        "log": of.path,
        "annotator": of.header.annotator,
        "treebank": of.header.treebank,
        "events": len(of.events),
        "heads": sum(head is not None for head in now.heads.values()),
        "labels": sum(label is not None for label in now.labels.values()),
        "trees": len(now.preferences),
        "skipped": len(now.skipped),
        "unsure": len(now.unsure),
    }


def _check_output(output: str, logs: Iterable[str]) -> None:
    """Refuse to write over a log of a person: what is in it is nowhere else."""
    from deppa_nb.active.log import is_log, read_log

    if Path(output).resolve() in {Path(path).resolve() for path in logs}:
        raise click.UsageError(f"{output} is one of the logs, expected another file")
    if is_log(output) and not _is_merged(output):
        annotator = read_log(output).header.annotator
        raise click.UsageError(f"{output} is a log of {annotator!r}, expected another file")


def _is_merged(path: str) -> bool:
    """Tell whether a file is a log that was made from others, whatever its annotator is called."""
    from deppa_nb.active.log import is_log, read_log
    from deppa_nb.active.log_merge import MERGED

    if not is_log(path):
        return False
    log = read_log(path)
    return log.header.annotator == MERGED and {event.how for event in log.events} <= {MERGED}


def _print_conflicts(conflicts: "Iterable[Conflict]") -> None:
    rows = []
    for one in conflicts:
        given = ", ".join(f"{name}: {value}" for name, value in one.given.items())
        rows.append(
            (one.sentence, one.token, one.what, given, "open" if one.kept is None else one.kept)
        )
    if rows:
        click.echo()
        print_table(("sentence", "word", "differ in", "given", "kept"), rows)
