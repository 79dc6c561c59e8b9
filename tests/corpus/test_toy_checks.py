"""A mistake in the data is named: the file, the line or the keys, and what to change."""

import copy
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

from deppa_nb.corpus import toy
from deppa_nb.corpus.toy import data, flights
from deppa_nb.corpus.toy import lexicon as lexicons
from deppa_nb.errors import FormatError

JUGGLE = {"words": "juggle", "frame": "human V fruit", "weight": 4}
GADGET = {"words": "gadget"}
RIGHT = copy.deepcopy(data.checked())


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Let a test put a value at a path of keys of a data file."""

    def forget() -> None:
        for kept in (data.checked, lexicons.load, flights._table):
            kept.cache_clear()

    def put(file: str, path: str, value: Any) -> None:
        contents = copy.deepcopy(RIGHT)
        *keys, last = path.split(".")
        place = contents[file]
        for key in keys:
            place = place.setdefault(key, {})
        if value is None:
            del place[last]
        else:
            place[last] = value
        schema = data.read("schema")
        monkeypatch.setattr(data, "read", lambda name: {**contents, "schema": schema}[name])
        forget()

    yield put
    monkeypatch.undo()
    forget()


MISTAKES: list[tuple[str, str, Any, str]] = [
    ("verbs", "juggle", {**JUGGLE, "wieght": 3}, "juggle.wieght: is unknown, expected one of"),
    ("verbs", "juggle", {"words": "juggle", "frame": "human V fruit"}, "juggle: has no weight:"),
    ("verbs", "juggle", [1], "juggle: is [1], expected keys and values"),
    (
        "verbs",
        "juggle",
        {**JUGGLE, "weight": "4"},
        "juggle.weight: is '4', expected a whole number from 1 to",
    ),
    ("verbs", "juggle", {**JUGGLE, "frame": "human fruit"}, "juggle.frame: has 'human fruit'"),
    ("verbs", "juggle", {**JUGGLE, "frame": "nosuch V fruit"}, "juggle.frame: has 'nosuch'"),
    ("verbs", "juggle", {**JUGGLE, "frame": "human V =nosuch"}, "juggle.frame: has 'nosuch'"),
    (
        "verbs",
        "juggle",
        {**JUGGLE, "words": "eat/ate"},
        "juggle.words: has 'eat/ate', expected lemma,",
    ),
    ("verbs", "juggle", {**JUGGLE, "words": ""}, "juggle.words: has '', expected lemma, lemma/pa"),
    ("verbs", "juggle", {**JUGGLE, "pp": "wiht/fruit"}, "juggle.pp: has 'wiht', expected one of w"),
    ("verbs", "juggle", {**JUGGLE, "frame": "human V wiht/fruit"}, "juggle.frame: has 'wiht'"),
    ("verbs", "juggle", {**JUGGLE, "frame": "human V -pu fruit"}, "juggle.frame: has 'pu', expect"),
    ("verbs", "juggle", {**JUGGLE, "pp": "with/fruit*0"}, "has 'with/fruit*0', expected"),
    ("verbs", "juggle", {**JUGGLE, "pp": "with/nosuch"}, "juggle.pp: has 'nosuch'"),
    ("verbs", "juggle", {**JUGGLE, "pp": "+nosuch"}, "juggle.pp: has 'nosuch'"),
    ("verbs", "juggle", {**JUGGLE, "pp": "with"}, "has 'with', expected prepos"),
    ("verbs", "juggle", {**JUGGLE, "adv": "nosuch"}, "juggle.adv: has 'nosuch'"),
    ("verbs", "juggle", {**JUGGLE, "why": "nosuch"}, "juggle.why: has 'nosuch'"),
    ("verbs", "juggle", {**JUGGLE, "next": "nosuch"}, "juggle.next: has 'nosuch'"),
    ("verbs", "juggle", {**JUGGLE, "scene": "nosuch"}, "juggle.scene: has 'nosuch', expected one"),
    ("verbs", "juggle", {**JUGGLE, "uses": "nosuch"}, "juggle.uses: has 'nosuch', expected one of"),
    ("verbs", "juggle", {**JUGGLE, "state": "yes"}, "juggle.state: is 'yes', expected true or fal"),
    ("verbs", "juggle", {**JUGGLE, "pp": "with/fruit*x"}, "has 'with/fruit*x', expected"),
    ("words", "closed.numbers", "two*x", "closed.numbers: has 'two*x', expected words"),
    ("words", "determiners.any", "ONW*3", "determiners.any: has 'ONW'"),
    ("grammar", "groups.kin", "parent*4 nosuch", "groups.kin: has 'nosuch'"),
    ("nouns", "gadget", {**GADGET, "adjective": "size"}, "gadget.adjective: is unknown"),
    ("nouns", "gadget", {"adj": "size"}, "gadget: has no words:"),
    ("nouns", "gadget", {**GADGET, "adj": "siez"}, "gadget.adj: has 'siez', expected one of size"),
    ("nouns", "gadget", {**GADGET, "det": "nosuch"}, "gadget.det: has 'nosuch'"),
    ("nouns", "gadget", {**GADGET, "pron": "xe"}, "gadget.pron: has 'xe'"),
    (
        "nouns",
        "gadget",
        {**GADGET, "plural": 101},
        "gadget.plural: is 101, expected a whole number",
    ),
    ("nouns", "gadget", {**GADGET, "of": "nosuch"}, "gadget.of: has 'nosuch'"),
    ("nouns", "gadget", {"words": ""}, "gadget.words: has '', expected nouns: lemma"),
    ("nouns", "gadget", {"words": "tables~"}, "gadget: has tables~, the plural of table in surf"),
    ("nouns", "gadget", {"words": 7}, "gadget.words: is 7, expected text"),
    ("words", "adjectives.size", ["big"], "adjectives.size: is ['big'], expected text"),
    ("words", "adjectives", None, "has no adjectives:"),
    (
        "grammar",
        "sites.pp.near",
        160,
        "sites.pp.near: is 160, expected a whole number from 1 to 99",
    ),
    ("grammar", "sites.pp.near", 100, "sites.pp.near: is 100"),
    ("grammar", "sites.pp.keep", None, "sites.pp: has no keep:"),
    ("grammar", "rates.pp", [1, 2], "rates.pp: is [1, 2], expected a list of 4"),
    ("grammar", "tails.end", [[1, "", "*:V", "nosuch"]], "tails.end[1][4]: has 'nosuch'"),
    ("grammar", "tails.end", [[1, "pesron", "*:V"]], "tails.end[1][2]: has 'pesron'"),
    ("grammar", "scenes.home.human", "nosuch*3", "scenes.home.human: has 'nosuch'"),
    ("grammar", "predicates", [[1, "home", "house = nosuch"]], "predicates[1][3]: has 'nosuch'"),
    ("grammar", "steady.verb", {"pats": "past"}, "steady.verb: has 'pats'"),
    ("grammar", "rules", 5, "rules: is 5, expected keys and values"),
    ("grammar", "sites", None, "has no sites:"),
    ("grammar", "sites.new", {"near": 60, "keep": 80}, "sites.new: has no nouns:"),
    ("grammar", "rates.rich", [0, 0, 0, 0], "rates.rich: has only zeros"),
    ("grammar", "rules.trade", [[1, "*:<trade>"]], "rules.trade: contains itself"),
    ("grammar", "rules.trade", [[1, "*:a/DT punct:(*:<appos>)"]], "rules.appos: contains itself"),
    ("grammar", "groups.kin", "parent human", "groups.human: contains itself"),
    ("presets", "toy-en.sites", "pp nosuch", "toy-en.sites: has 'nosuch'"),
    ("presets", "toy-en.sties", "pp", "toy-en.sties: is unknown"),
    ("presets", "toy-headfinal.ranks", {"nsbj": 3}, "toy-headfinal.ranks: has 'nsbj'"),
    ("presets", "toy-headfinal.cases", {"nsbj": "wa"}, "toy-headfinal.cases: has 'nsbj'"),
    ("presets", "toy-headfinal.words", {True: "ue"}, "toy-headfinal.words.True: is no text"),
    ("presets", "toy-headfinal.words", {"on": False}, "toy-headfinal.words.on: is False"),
    ("presets", "toy-headfinal.letters", "abc abd", "has 'abc abd', expected a row of letters"),
    ("presets", "toy-short.length", [8, 3], "toy-short.length: is [8, 3], expected the smaller"),
    ("presets", "toy-headfinal.words.of", "de", "toy-headfinal.words: spells of and at alike: de"),
    ("presets", "toy-headfinal.words.of", "", "toy-headfinal.words.of: has '', expected a word"),
    ("presets", "toy-short.length", [3], "toy-short.length: is [3], expected a list of 2"),
    ("flights", "weights.flihgt", 3, "weights: has 'flihgt'"),
    ("flights", "parts.ask", ["show me"], "parts.ask[1]: is 'show me', expected a list of 2"),
    ("flights", "parts.ask", [[1, "<nosuch>"]], "parts.ask[1][2]: has 'nosuch'"),
    ("flights", "parts.ask", [[1, "to [city_name:nosuch]"]], "parts.ask[1][2]: has 'nosuch'"),
    ("flights", "parts.ask", [[1, "to [city_name"]], "parts.ask[1][2]: has 'to [city_name', "),
]


@pytest.mark.parametrize(("file", "path", "value", "message"), MISTAKES, ids=str)
def test_the_mistake_is_named(broken: Any, file: str, path: str, value: Any, message: str) -> None:
    broken(file, path, value)
    with pytest.raises(FormatError, match=re.escape(message)) as caught:
        lexicons.load()
    assert str(caught.value).startswith(f"{file}.yaml: ") and "\n" not in str(caught.value)


PATTERNS = [
    ("*:<nosuch> punct:./.", "has 'nosuch'"),
    ("*:<adj nosuch>", "has 'nosuch'"),
    ("*:<closed nosuch UH>", "has 'nosuch'"),
    ("*:<np nosuch>", "has 'nosuch'"),
    ("*:<np>", "calls <np> wrongly: missing a required argument: 'name'"),
    ("*:<np dish dish dish dish dish>", "calls <np> wrongly: too many positional arguments"),
    ("*:<clause wnat=event>", "calls <clause> wrongly: got an unexpected keyword argument 'wnat'"),
    ("*:<clause want=evnet>", "has 'evnet'"),
    ("*:<clause lean=x>", "calls <clause> with lean 'x', expected a number"),
    ("*:<num one 2>", "calls <num> with low 'one', expected a number"),
    ("*:hi/NOSUCH", "has 'NOSUCH'"),
    ("*:hi/UH punct:!", "has the word '!' without a tag"),
    ("*:hi/UH nosuch:!/.", "has 'nosuch'"),
    ("discourse:hi/UH", "the pattern 'discourse:hi/UH' needs exactly one head"),
    ("*:hi/UH punct:(*:!/.", "the pattern '*:hi/UH punct:(*:!/.' has a bracket without its other"),
    ("*:<np dish punct:./.", "the pattern '*:<np dish punct:./.' has a bracket without its other"),
    ("nonsense", "cannot read the item 'nonsense'"),
]


@pytest.mark.parametrize(("pattern", "message"), PATTERNS, ids=str)
def test_the_mistake_in_a_pattern_is_named(broken: Any, pattern: str, message: str) -> None:
    broken("grammar", "rules.greeting", [[1, pattern]])
    expected = "grammar.yaml: rules.greeting[1][2]: " + message
    with pytest.raises(FormatError, match=re.escape(expected)):
        lexicons.load()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb:\n  c: 2\n  c: 3\n", "verbs.yaml:4: c stands twice"),
        ("a: 1\nb: [1\n", "verbs.yaml:3: "),
        ("a: 1\n b: 2\n", "verbs.yaml:2: mapping values are not allowed"),
    ],
)
def test_broken_yaml_names_its_line(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "verbs.yaml").write_text(text)
    monkeypatch.setattr(data, "files", lambda package: tmp_path)
    with pytest.raises(FormatError, match=re.escape(message)):
        data.read("verbs")


def test_a_list_that_is_too_short_is_no_endless_search(broken: Any) -> None:
    broken("flights", "lists.city", "boston")
    with pytest.raises(FormatError, match=r"flights.yaml: lists.city: has 1 phrase"):
        list(toy.blocks("toy-flights", 50))


def test_the_data_are_as_they_are_read() -> None:
    assert {*RIGHT, "schema"} == {path.name[:-5] for path in files(toy).joinpath("data").iterdir()}
