"""How commands print: tables for people, JSON for machines."""

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

__all__ = ["print_json", "print_table"]

_WIDTH_OF_A_PIPE = 200


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None
) -> None:
    """Print rows; numbers are put to the right, nan is left out, markup in text is not obeyed."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    listed = [list(row) for row in rows]
    for i, name in enumerate(columns):
        right = all(isinstance(row[i], int | float) for row in listed)
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for row in listed:
        table.add_row(*(Text(_shown(value)) for value in row))
    console = Console()
    console = console if console.is_terminal else Console(width=_WIDTH_OF_A_PIPE)
    console.print(table)


def print_json(value: Any) -> None:
    """Print strict JSON: nan becomes null."""
    click.echo(json.dumps(_plain(value), indent=1, ensure_ascii=False, allow_nan=False))


def _shown(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and math.isnan(value):
        return None
    return value
