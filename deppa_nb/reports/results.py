"""Results for the repository: tables, figures and claims of finished runs, and one page of them."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from deppa_nb.corpus.textfile import write_atomically
from deppa_nb.experiments.store import Store
from deppa_nb.experiments.study import Study, is_finished, is_ready
from deppa_nb.reports.exhibits import show
from deppa_nb.reports.page import Figure, Table
from deppa_nb.reports.scorecard import RULE, not_run, scorecard

__all__ = ["write_results"]

_TOP = """# Results on real text

Made by `deppa results` of runs that `deppa reproduce` has finished. The notebook of each paper
tells what is done differently from the paper, and why. An interval is over seeds (where there are
several) and sentences.
"""
_SECTION = re.compile(r"<!-- (\S+ \S+) -->\n(.*?)<!-- end -->\n", re.DOTALL)


def write_results(
    study: Study,
    profile: str,
    store: Store,
    folder: Path,
    changed: Mapping[str, object] = MappingProxyType({}),
) -> Path:
    """Write what is finished of a study, and its section of the page; return the page.

    Parameters
    ----------
    study, profile
        What is shown, and the name of its parameters.
    store
        Where results of runs are.
    folder
        Gets ``README.md`` and a folder for the study and profile with CSV, SVG and Vega-Lite JSON.
    changed
        Parameters that are not those of the profile.
    """
    page, own = folder / "README.md", folder / study.name / profile
    own.mkdir(parents=True, exist_ok=True)
    for old in own.iterdir():
        old.unlink()
    section = [f"## {study.title}", _finished(study, profile, store, changed)]
    judged = study.judge(store)
    claims = scorecard([*judged, *not_run(judged, study.name)])
    write_atomically(own / "claims.csv", [claims.to_csv(lineterminator="\n")])
    section.append(_table(Table(RULE, claims)))
    for exhibit in study.exhibits:
        if is_ready(exhibit, store):
            block = show(exhibit, store, own)
            (own / f"{exhibit.name}.png").unlink(missing_ok=True)  # the picture is there as SVG
            path = f"{study.name}/{profile}/{exhibit.name}.svg"
            drawn = f"![{block.caption}]({path})\n\n{block.caption}"
            section.append(drawn if isinstance(block, Figure) else _table(block))
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    sections = dict(_SECTION.findall(text))
    sections[f"{study.name} {profile}"] = "\n\n".join(section) + "\n"
    parts = [f"<!-- {name} -->\n{sections[name]}<!-- end -->\n" for name in sorted(sections)]
    write_atomically(page, ["\n".join([_TOP, *parts])])
    return page


def _finished(study: Study, profile: str, store: Store, changed: Mapping[str, object]) -> str:
    """Return how much of it is there, and what it took."""
    runs = [task.run for task in study.tasks]
    done = [run for run in runs if is_finished(run, store)]
    hours = sum(store.provenance(run)["seconds"] for run in done) / 3600
    made = f"`deppa reproduce {study.name} --profile {profile}`"
    if changed:
        made += " with " + ", ".join(f"`{name}: {value}`" for name, value in changed.items())
    missing = [exhibit.name for exhibit in study.exhibits if not is_ready(exhibit, store)]
    rest = f" Not finished yet: {', '.join(missing)}." if missing else ""
    return (
        f"Profile **{profile}**, {made}: {len(done)} of {len(runs)} runs, {hours:.1f} hours of one "
        f"processor.{rest}"
    )


def _table(table: Table) -> str:
    """Return a table as Markdown."""
    rows = [table.columns, ["---"] * len(table.columns), *table.rows]
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return f"{table.caption}\n\n" + "\n".join(lines)
