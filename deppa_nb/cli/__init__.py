"""The command `deppa`: reads arguments, calls the library, prints.

Commands import what they need when they run, so that `deppa --help` and completion answer at once.
"""

import io
import sys
import traceback
from collections.abc import Sequence

import click

import deppa_nb
from deppa_nb.cli.annotate import annotate
from deppa_nb.cli.bench import bench, compile_kernels
from deppa_nb.cli.data import data
from deppa_nb.cli.doctor import doctor
from deppa_nb.cli.evaluate import evaluate
from deppa_nb.cli.log import log
from deppa_nb.cli.parser import parse, tag, train
from deppa_nb.cli.reproduce import reproduce
from deppa_nb.cli.results import results
from deppa_nb.cli.simulate import simulate, strategies
from deppa_nb.corpus.paths import make_absolute
from deppa_nb.errors import DeppaError

__all__ = ["deppa", "main"]

SHELLS = ("bash", "zsh", "fish")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(deppa_nb.__version__, prog_name="deppa")
@click.option(
    "--debug", is_flag=True, help="Show the traceback of an error (anywhere in the line)."
)
def deppa(debug: bool) -> None:
    """Active learning for parsing with partial annotation."""


@deppa.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the completion script: eval "$(deppa completion bash)"."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(deppa, {}, "deppa", "_DEPPA_COMPLETE").source())


for command in (
    data,
    train,
    parse,
    tag,
    evaluate,
    annotate,
    log,
    strategies,
    simulate,
    bench,
    compile_kernels,
    doctor,
    reproduce,
    results,
):
    deppa.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; an error of the user is one line and exit status 2."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    make_absolute()
    if isinstance(sys.stdout, io.TextIOWrapper):  # what a terminal cannot show is no reason to stop
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        sys.exit(deppa.main(words, prog_name="deppa", standalone_mode=False) or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
    except (DeppaError, click.ClickException) as error:
        if debug:
            traceback.print_exc()
        message = error.format_message() if isinstance(error, click.ClickException) else str(error)
        click.echo(f"deppa: {' '.join(message.split())}", err=True)
        sys.exit(2)
    except click.Abort:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if debug:
            traceback.print_exc()
        click.echo(f"deppa: {error.filename or ''}: {error.strerror or error}", err=True)
        sys.exit(2)
