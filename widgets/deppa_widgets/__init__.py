"""Widgets with which a person annotates in a notebook."""

from deppa_widgets.head_picker import HeadPicker
from deppa_widgets.label_picker import LabelPicker
from deppa_widgets.light_rounds import LightRounds
from deppa_widgets.round_panel import RoundPanel
from deppa_widgets.tree_choice import TreeChoice
from deppa_widgets.tree_view import TreeView
from deppa_widgets.what_if import Constrain, WhatIf

__all__ = [
    "Constrain",
    "HeadPicker",
    "LabelPicker",
    "LightRounds",
    "RoundPanel",
    "TreeChoice",
    "TreeView",
    "WhatIf",
]
