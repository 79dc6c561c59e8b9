"""A mistake in verbs.yaml is named, with what to change."""

from typing import Any

import pytest

from deppa_nb.corpus.toy import lexicon as lexicons
from deppa_nb.corpus.toy.checks import check_verb

GOOD = {"words": "juggle", "frame": "human V fruit", "weight": 4}
CASES: list[tuple[dict[str, Any], str]] = [
    ({"wieght": 3}, "juggle in verbs.yaml has wieght:, expected one of adv, control, frame"),
    ({"weight": None}, "juggle in verbs.yaml has no weight:"),
    ({"frame": "human fruit"}, "has the frame 'human fruit', expected: subject V"),
    ({"frame": "nosuch V fruit"}, "names the unknown class nosuch"),
    ({"pp": "with/nosuch"}, "names the unknown class nosuch"),
    ({"pp": "+nosuch"}, "names the unknown group nosuch"),
    ({"pp": "with"}, "has 'with' among pp:, expected preposition/class"),
    ({"adv": "nosuch"}, "has nosuch among adv:, expected some of"),
    ({"why": "nosuch"}, "has nosuch among why:, expected some of"),
    ({"scene": "nosuch"}, "has nosuch among scene:, expected some of"),
    ({"uses": "nosuch"}, "has nosuch among uses:, expected some of"),
]


@pytest.mark.parametrize(("change", "message"), CASES, ids=str)
def test_the_mistake_is_named(change: dict[str, Any], message: str) -> None:
    data = {key: value for key, value in {**GOOD, **change}.items() if value is not None}
    with pytest.raises(ValueError, match=message):
        check_verb(lexicons.load(), "juggle", data, lexicons.read("grammar"))


def test_a_right_entry_passes() -> None:
    check_verb(lexicons.load(), "juggle", GOOD, lexicons.read("grammar"))
