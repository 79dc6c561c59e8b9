"""A mistake in the data is named: the file, the entry and what to change."""

import re
from typing import Any

import pytest

from deppa_nb.corpus.toy import checks
from deppa_nb.corpus.toy import lexicon as lexicons
from deppa_nb.corpus.toy.checks import check_grammar, check_noun, check_verb
from deppa_nb.corpus.toy.sentences import Sentences

GOOD = {"words": "juggle", "frame": "human V fruit", "weight": 4}
CASES: list[tuple[dict[str, Any], str]] = [
    (
        {"wieght": 3},
        "juggle in verbs.yaml has wieght:, expected one of accident, adv, control, frame",
    ),
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


NOUNS: list[tuple[dict[str, Any], str]] = [
    ({"adjective": "size"}, "gadget in nouns.yaml has adjective:, expected one of adj, compound"),
    ({"words": None}, "gadget in nouns.yaml has no words:"),
    ({"adj": "nosuch"}, "gadget in nouns.yaml has nosuch among adj:, expected some of"),
    ({"det": "nosuch"}, "gadget in nouns.yaml has nosuch among det:"),
    ({"pron": "xe"}, "gadget in nouns.yaml has xe among pron:"),
    ({"pp": "with/nosuch"}, "gadget in nouns.yaml names the unknown class nosuch"),
    ({"pp": "+nosuch"}, "gadget in nouns.yaml names the unknown group nosuch"),
    ({"pp": "with"}, "gadget in nouns.yaml has 'with' among pp:, expected preposition/class"),
    ({"compound": "nosuch"}, "gadget in nouns.yaml names the unknown class nosuch"),
    ({"of": "nosuch"}, "gadget in nouns.yaml names the unknown class nosuch"),
]


@pytest.mark.parametrize(("change", "message"), NOUNS, ids=str)
def test_the_mistake_in_a_noun_class_is_named(change: dict[str, Any], message: str) -> None:
    lexicon = lexicons.load()
    data = {"words": "gadget", **change}
    data = {key: value for key, value in data.items() if value is not None}
    with pytest.raises(ValueError, match=re.escape(message)):
        check_noun("gadget", data, lexicon.nouns, lexicon)


PATTERNS: list[tuple[Any, str]] = [
    ("*:<nosuch> punct:./.", "greeting in grammar.yaml calls the unknown builder nosuch"),
    ("*:<adj nosuch>", "greeting in grammar.yaml names the unknown class nosuch"),
    ("*:<closed nosuch UH>", "greeting in grammar.yaml names the unknown class nosuch"),
    ("*:<np nosuch>", "greeting in grammar.yaml names the unknown class nosuch"),
    ("*:hi/NOSUCH", "greeting in grammar.yaml has the tag NOSUCH"),
    ("*:hi/UH punct:!", "greeting in grammar.yaml has the word '!' without a tag"),
    ("discourse:hi/UH", "greeting in grammar.yaml has 'discourse:hi/UH': the pattern"),
    ("nonsense", "greeting in grammar.yaml has 'nonsense': cannot read the item"),
]


@pytest.mark.parametrize(("pattern", "message"), PATTERNS, ids=str)
def test_the_mistake_in_a_pattern_is_named(pattern: str, message: str) -> None:
    grammar = lexicons.read("grammar")
    grammar["rules"]["greeting"] = [[1, pattern]]
    with pytest.raises(ValueError, match=re.escape(message)):
        check_grammar(grammar, lexicons.read("words"), lexicons.load().nouns)


@pytest.mark.parametrize(
    ("part", "name", "value", "message"),
    [
        ("rules", "greeting", ["*:hi/UH"], "has '*:hi/UH', expected [weight, pattern]"),
        ("rates", "pp", [1, 2], "pp in grammar.yaml has [1, 2], expected four numbers"),
        ("sites", "pp", {"near": 60}, "pp in grammar.yaml has no keep:"),
        ("tails", "ends", [[1, "", "*:V", "nosuch"]], "ends in grammar.yaml has the site nosuch"),
    ],
)
def test_other_mistakes_in_the_grammar_are_named(
    part: str, name: str, value: Any, message: str
) -> None:
    grammar = lexicons.read("grammar")
    grammar[part][name] = value
    with pytest.raises(ValueError, match=re.escape(message)):
        check_grammar(grammar, lexicons.read("words"), lexicons.load().nouns)


def test_every_builder_that_patterns_may_call_is_there() -> None:
    assert all(callable(getattr(Sentences, name)) for name in checks.CALLS)
