"""Charts of data frames, in colours that the colour-blind and a printer tell apart.

==========  ======================================================================================
module      what it holds
==========  ======================================================================================
looks       one colour, dash and mark for each strategy, in all charts
parts       what all charts share: checks of the data, titles, units
curve_data  learning curves as frames: means, and what is needed to be as good
findings    the titles: sentences that the data support
curves      `curve_chart`, `savings_chart`
bars        `bar_chart`
detection   `precision_recall_chart`, `reliability_chart`
times       `time_chart`
papers      `paper_chart`
relations   `relation_chart`
clusters    `entropy_chart`, `cluster_map`
corpora     `length_chart`, `tag_chart`
arcs        `arc_chart`, `change_chart`
export      `save_chart`, `to_svg`, `to_png`
==========  ======================================================================================
"""

from deppa_nb.reports.charts.arcs import arc_chart, change_chart
from deppa_nb.reports.charts.bars import bar_chart
from deppa_nb.reports.charts.clusters import cluster_map, entropy_chart
from deppa_nb.reports.charts.corpora import length_chart, tag_chart
from deppa_nb.reports.charts.curves import curve_chart, savings_chart
from deppa_nb.reports.charts.detection import (
    average_precision,
    precision_recall_chart,
    reliability_chart,
)
from deppa_nb.reports.charts.export import SavedChart, save_chart, to_png, to_svg
from deppa_nb.reports.charts.looks import GREY, PALETTE, Look, look, looks
from deppa_nb.reports.charts.papers import paper_chart
from deppa_nb.reports.charts.parts import MAX_ROWS
from deppa_nb.reports.charts.relations import relation_chart
from deppa_nb.reports.charts.times import time_chart

__all__ = [
    "GREY",
    "MAX_ROWS",
    "PALETTE",
    "Look",
    "SavedChart",
    "arc_chart",
    "average_precision",
    "bar_chart",
    "change_chart",
    "cluster_map",
    "curve_chart",
    "entropy_chart",
    "length_chart",
    "look",
    "looks",
    "paper_chart",
    "precision_recall_chart",
    "relation_chart",
    "reliability_chart",
    "save_chart",
    "savings_chart",
    "tag_chart",
    "time_chart",
    "to_png",
    "to_svg",
]
