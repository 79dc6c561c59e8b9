"""`deppa results`: what is finished, for the repository."""

import click

from deppa_nb.experiments.project import PROFILES

__all__ = ["results"]


@click.command()
@click.argument("papers", nargs=-1, required=True, metavar="PAPER...")
@click.option("--profile", type=click.Choice(PROFILES[1:]), default="laptop", show_default=True)
@click.option(
    "-p",
    "--parameter",
    "changed",
    nargs=2,
    multiple=True,
    metavar="NAME VALUE",
    help="Of runs with another parameter than the profile's: -p seeds 1.",
)
def results(papers: tuple[str, ...], profile: str, changed: tuple[tuple[str, str], ...]) -> None:
    """Write tables, figures and claims of finished runs to results/, with a page.

    Nothing is computed: `deppa reproduce` does that.
    """
    import yaml

    from deppa_nb.batch.reproduce import make_plan
    from deppa_nb.experiments.project import project_folder
    from deppa_nb.reports.results import write_results

    try:
        values = {name: yaml.safe_load(value) for name, value in changed}
    except yaml.YAMLError as error:
        given = ", ".join(f"{name} {value}" for name, value in changed)
        raise click.BadParameter(f"{given}: expected a value as in YAML") from error
    plan = make_plan(project_folder(), profile, papers, changed=values)
    for notebook in plan.executed:
        if notebook.study is not None:
            folder = plan.project / "results"
            click.echo(write_results(notebook.study, profile, plan.store, folder, values))
