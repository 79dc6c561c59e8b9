"""`deppa reproduce`: every table and figure."""

import click

from deppa_nb.batch.project import PROFILES

__all__ = ["reproduce"]


@click.command()
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="quick",
    show_default=True,
    help="quick: embedded corpora, minutes; laptop: one real corpus; full: the papers' protocols.",
)
def reproduce(profile: str) -> None:
    """Run every notebook and write runs/PROFILE/report.html."""
    from deppa_nb.batch.project import project_folder
    from deppa_nb.batch.reproduce import reproduce

    report = reproduce(project_folder(), profile, lambda line: click.echo(line, err=True))
    click.echo(report)
