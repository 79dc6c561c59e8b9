"""The report: what is there is shown beside what the paper says, and the rest is named."""

import os
import re
from dataclasses import replace

import nbformat
import pandas as pd
import pytest

from deppa_nb.active.statistics import Estimate
from deppa_nb.experiments.claims import load_claims
from deppa_nb.experiments.compare import ALL
from deppa_nb.experiments.runs import Run
from deppa_nb.experiments.store import Store, Task
from deppa_nb.experiments.study import Check, Drawing, Exhibit, Study, is_ready
from deppa_nb.reports.exhibits import show
from deppa_nb.reports.page import Text
from deppa_nb.reports.report import Shown, deviations, render_report
from deppa_nb.reports.scorecard import not_run, paper_frame, scorecard

SIZES = {"load": {"sizes": {"train": 20, "dev": 5, "test": 5}}}
DONE, OPEN = (Run("compare", "toy-short", "pa-gap", seed, SIZES) for seed in (1, 2))
HOLDS = Estimate(60, 55, 66)
PAPER = pd.DataFrame({"strategy": ["gap", "<random>"], "saved": [69.0, 0.0]}).set_index("strategy")


def computed(run, checkpoint):
    rows = [
        {
            "strategy": name,
            "seed": seed,
            "round": k,
            "dependencies": 100 * k + 50,
            "uas": uas + seed,
        }
        for seed in (1, 2)
        for name, scores in (("pa-random", (70, 75, 78)), ("pa-gap", (70, 80, 85)))
        for k, uas in enumerate(scores)
    ]
    every = {"strategy": ALL, "seed": 1, "round": 0, "dependencies": 999, "uas": 90.0}
    return pd.DataFrame([*rows, every])


def make(store):
    return store.get_or_compute(DONE, computed)


def study(effect=HOLDS, corpus="ud/en_ewt"):
    done, rest = (Task(DONE, computed),), (Task(OPEN, computed),)
    return Study(
        "paper", "Somebody & al. (2016)",
        (
            Exhibit("fig1", "Curves <1>.", done, make, Drawing("curves"), PAPER),
            Exhibit("table1", "Ends.", done, lambda store: make(store).tail(2), paper=PAPER),
            Exhibit("fig2", "Not there.", rest, make, Drawing("curves")),
        ),
        (Check("L2", corpus, done, lambda store: {"saved": effect}),
         Check("L5", corpus, rest, lambda store: {})),
    )  # fmt: skip


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "runs")
    store.get_or_compute(DONE, computed)
    return store


@pytest.fixture
def notebook(tmp_path):
    book = nbformat.v4.new_notebook()
    cells = [
        "# A paper\n\n## Deviations\n\n- other <b>data</b>\n- *fewer* rounds",
        "## Try it\n\nno",
    ]
    book.cells = [nbformat.v4.new_markdown_cell(text) for text in cells]
    nbformat.write(book, tmp_path / "10_paper.ipynb")
    return tmp_path / "10_paper.ipynb"


def report(notebook, store, *, failures=("a <run> failed",), **changes):
    shown, folder = [Shown(notebook, study(**changes))], notebook.parent / "quick"
    return render_report("quick", shown, store, folder, list(failures), 1)


def test_what_it_shows(notebook, store):
    page = report(notebook, store)
    assert page.count(">As published.<") == page.count("<strong>The paper's<") == 2
    assert (
        "&lt;random&gt;" in page and "Curves &lt;1&gt;." in page and "a &lt;run&gt; failed" in page
    )
    assert "<li>other &lt;b&gt;data&lt;/b&gt;</li>" in page and "<em>fewer</em> rounds" in page
    assert "fig2" in page and "computes what is missing" in page and "Not there." not in page
    assert re.search(r"train [0-9a-f]{12}", page) and "numba" in page
    assert "Somebody &amp; al. (2016)" in page and ">no<" not in page
    links = re.findall(r"""(?:src|href)=["']?([^"'>\s]+)""", page)
    assert links and all(link.startswith("#part") for link in links)


@pytest.mark.parametrize(
    ("effect", "corpus", "verdict"),
    [
        (Estimate(60, 55, 66), "ud/en_ewt", "✓ holds"),
        (Estimate(60, -5, 66), "ud/en_ewt", "◐ partly"),
        (Estimate(-60, -66, -55), "ud/en_ewt", "✗ does not hold"),
        (Estimate(60, 55, 66), "toy-en", "◇ illustration"),
    ],
)
def test_a_verdict(notebook, store, effect, corpus, verdict):
    judgements = study(effect, corpus).judge(store)
    assert [judgement.claim.id for judgement in judgements] == ["L2"]  # L5's runs are not finished
    table = scorecard([*judgements, *not_run(judgements)])
    assert table.loc["L2", "verdict"] == verdict and table.loc["L5", "verdict"] == "– not run"
    assert table.loc["L2", "paper"] == "zh 65.8, en 69"
    page = report(notebook, store, effect=effect, corpus=corpus)
    assert f">{verdict}<" in page and f"1 {verdict[2:]}" in page


def test_a_claim_of_several_effects_has_a_row_for_each(store):
    checks = (Check("L3", "ud/en_ewt", (), lambda store: {"saved": Estimate(70, 60, 80)}),)
    table = scorecard(Study("x", "x", (), checks).judge(store))
    assert list(table["verdict"]) == ["✓ holds", "– not run"]
    assert list(table["ours (95%)"]) == ["70.00 (60.00 to 80.00)", "no number"]


def test_sizes_beside_the_papers(notebook, store):
    frame = paper_frame(study().judge(store))
    assert list(frame["effect"]) == ["L2 saved, ud/en_ewt / zh", "L2 saved, ud/en_ewt / en"]
    assert list(frame["paper"]) == [65.8, 69] and list(frame["ours"]) == [60, 60]
    alike = Check("L2", "ud/en_ewt", (), lambda store: {"saved": HOLDS}, "en").judge(store)
    assert list(paper_frame([alike])["paper"]) == [69]
    any_size = Check("L1", "x", (), lambda store: {"probability": HOLDS}).judge(store)
    assert paper_frame([any_size]).empty
    assert "half to twice" in report(notebook, store)


def test_files(store, tmp_path):
    folder = tmp_path / "quick" / "paper"
    for exhibit in study().exhibits[:2]:
        show(exhibit, store, folder)
    assert sorted(os.listdir(folder)) == [
        "fig1.csv",
        "fig1.json",
        "fig1.png",
        "fig1.svg",
        "table1.csv",
    ]
    assert len(pd.read_csv(folder / "fig1.csv")) == 13
    before = {path: path.read_bytes() for path in folder.iterdir()}
    show(study()["fig1"], store, folder)
    assert before == {path: path.read_bytes() for path in folder.iterdir()}


def test_computing_a_study(tmp_path, store):
    asked = study()
    assert [is_ready(exhibit, store) for exhibit in asked.exhibits] == [True, True, False]
    asked.compute(store)
    assert all(is_ready(part, store) for part in (*asked.exhibits, *asked.checks))
    assert [task.run for task in asked.tasks] == [DONE, OPEN]


def test_what_cannot_be_made_does_not_stop_the_rest(notebook, store):
    def broken(store):
        raise ValueError("no\nsuch thing ![x](http://example.com/x.png)")

    given = study()
    exhibits = (replace(given.exhibits[0], make=broken), *given.exhibits[1:])
    checks = (replace(given.checks[0], make=broken), *given.checks[1:])
    failures = []
    shown = Shown(notebook, replace(given, exhibits=exhibits, checks=checks))
    page = render_report("quick", [shown], store, notebook.parent, failures, 1)
    assert [line.partition(": ")[0] for line in failures] == ["claim L2", "paper.fig1"]
    assert all("ValueError: no such thing" in line for line in failures)
    assert "Ends." in page and "Failed" in page and "<img" not in page


def test_a_missing_corpus_is_a_missing_run(notebook, store):
    gone = Run("compare", "ud/xx_nope", "pa-gap", 1)
    exhibit = Exhibit("fig9", "x", (Task(gone, computed),), make)
    page = render_report(
        "quick", [Shown(notebook, Study("p", "P", (exhibit,)))], store, notebook.parent, [], 1
    )
    assert "fig9" in page and "computes what is missing" in page


def test_all_claims_judged(notebook, store):
    found = {
        claim.id: {effect.name: Estimate(1, 1, 1) for effect in claim.effects}
        for claim in load_claims().values()
    }
    checks = tuple(Check(name, "x", (), lambda store, e=e: e) for name, e in found.items())
    page = render_report(
        "quick", [Shown(notebook, Study("p", "P", (), checks))], store, notebook.parent, [], 1
    )
    assert "not run" not in re.sub("not run: there is no number", "", page)
    assert all(f">{name}<" in page for name in found)  # those for one corpus of the paper, too


def test_pictures_are_not_loaded_and_failures_are_no_markdown(notebook, store):
    assert "<img" not in Text("t", "![a <b>](http://example.com/x.png)").html
    assert "__init__" in report(notebook, store, failures=["x.__init__ failed ![y](http://z)"])


def test_a_notebook_without_deviations(tmp_path):
    book = nbformat.v4.new_notebook()
    nbformat.write(book, tmp_path / "x.ipynb")
    assert deviations(tmp_path / "x.ipynb") == ""


@pytest.mark.parametrize("width", [500, 1000])
def test_a_browser_without_a_network_shows_it(notebook, store, look, tmp_path, width):
    """Also on a phone: nothing but a wide table or figure may be wider than the screen."""
    probe = (
        "<script>addEventListener('load', () => document.title = 'wide ' + "
        "(document.documentElement.scrollWidth - document.documentElement.clientWidth))</script>"
    )
    text = report(notebook, store).replace("</head>", f"{probe}</head>")
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    shot, html = look(tmp_path / "page.html", width, 1400)
    assert "<title>wide 0</title>" in html and shot.stat().st_size > 20_000
