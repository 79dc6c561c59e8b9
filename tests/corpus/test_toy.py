"""Toy corpora: sound trees, true posteriors, the same bytes everywhere."""

from __future__ import annotations

import hashlib
import math
import re
import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from deppa_nb.corpus import toy
from deppa_nb.corpus.toy import data, patterns
from deppa_nb.corpus.toy import lexicon as lexicons
from deppa_nb.corpus.toy.dice import Dice, Table, stream
from deppa_nb.corpus.toy.spelling import Respelt
from deppa_nb.errors import FormatError

TREEBANKS = [name for name in toy.NAMES if toy.kind(name) == "treebank"]
UPOS = set("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())
RELATIONS = set(
    "acl advcl advmod amod appos aux case cc ccomp compound conj cop csubj det discourse expl fixed"
    " flat iobj mark nmod nsubj nummod obj obl parataxis punct root vocative xcomp".split()
)
# Shares (in percent) of the training part of a treebank of English web text.
WEB = {
    "NOUN": 17.0,
    "PUNCT": 11.5,
    "VERB": 11.0,
    "PRON": 9.1,
    "ADP": 8.7,
    "DET": 8.0,
    "ADJ": 6.4,
    "AUX": 6.3,
    "PROPN": 6.2,
    "ADV": 5.0,
    "CCONJ": 3.3,
    "PART": 2.8,
    "NUM": 2.0,
    "SCONJ": 1.9,
}
DIGESTS = {
    "toy-en": "88e6e237327faadc781687ca9e63cd2d210a7cf22eb1da44c9d2dfbd26c694b6",
    "toy-headfinal": "75f0daaa8447c6a3f52759d98f853dc264a323b2d6fe60648885ecb82c2f6c06",
    "toy-freeorder": "41e799b1ab6f8c89ee174b52ac3573242a13f7e11fe7ae54ca03d0fd8875e0cf",
    "toy-verbinitial": "5c8fbfa7313fc469c4902548eb974e39a1350b5dbbbeae51bf2df0b1eca39ff2",
    "toy-short": "39480b528f64580feaf34896339e79dda60dcbb0a938a19c09a1d41e2cf02041",
    "toy-chunks": "4b45c0c9ad129d8a54848e548eff7fa35b211d2adeb387a43bc46cebcebb656e",
    "toy-flights": "ea1f347e6542aa6251ae30dfc67fb5a357c8308330e9b5e1a6c4c259613a0db3",
}

Rows = list[list[str]]


@cache
def text(name: str, sentences: int) -> tuple[str, ...]:
    return tuple(toy.blocks(name, sentences, seed=5))


def trees(name: str, sentences: int) -> Iterator[Rows]:
    """Yield the rows of every tree, with the English lemma where MISC has it."""
    for block in text(name, sentences):
        rows = [line.split("\t") for line in block.splitlines() if "\t" in line]
        for row in rows:
            row[2] = notes(row).get("Gloss", row[2])
        yield rows


def notes(row: list[str]) -> dict[str, str]:
    return dict(item.split("=", 1) for item in row[9].split("|")) if row[9] != "_" else {}


def ancestors(heads: list[int], word: int) -> list[int]:
    chain = [word]
    while heads[chain[-1]]:
        chain.append(heads[chain[-1]])
        assert len(chain) <= len(heads), "a cycle"
    return chain


def crossing(heads: list[int]) -> int:
    """Count the arcs that span a word which does not depend on their head."""
    above = [[0], *(ancestors(heads, word) for word in range(1, len(heads)))]
    return sum(
        any(
            heads[word] not in above[between]
            for between in range(min(word, heads[word]) + 1, max(word, heads[word]))
        )
        for word in range(1, len(heads))
        if heads[word]
    )


@pytest.mark.parametrize("name", TREEBANKS)
def test_trees_are_sound(name: str) -> None:
    arcs = crossed = 0
    for rows in trees(name, 1000):
        assert all(len(row) == 10 and all(row) for row in rows)
        assert [row[0] for row in rows] == [str(n) for n in range(1, len(rows) + 1)]
        assert {row[3] for row in rows} <= UPOS
        assert {row[7].split(":")[0] for row in rows} <= RELATIONS
        heads = [0, *(int(row[6]) for row in rows)]
        assert [row[7] for row in rows if row[6] == "0"] == ["root"]
        assert not any("\t" in row[1] or " " in row[1] for row in rows)
        crossed += crossing(heads)
        arcs += len(rows) - 1
    if name == "toy-freeorder":
        assert crossed / arcs >= 0.05
    else:
        assert crossed == 0


@pytest.mark.parametrize("name", TREEBANKS)
def test_text_comment_is_the_forms(name: str) -> None:
    for block in text(name, 1000)[:200]:
        lines = block.splitlines()
        assert re.fullmatch(rf"# sent_id = {name}-train-\d+", lines[0])
        rows = [line.split("\t") for line in lines if "\t" in line]
        glued = "".join(
            row[1] + ("" if "SpaceAfter=No" in row[9] else " ") for row in rows
        ).rstrip()
        assert lines[1] == f"# text = {glued}"
        assert block.endswith("\n\n")


def test_short_sentences_are_short() -> None:
    assert {len(rows) for rows in trees("toy-short", 1000)} == set(range(3, 9))


@pytest.mark.parametrize("name", toy.NAMES)
def test_same_seed_same_bytes_on_any_machine(name: str) -> None:
    content = "".join(toy.blocks(name, 200, seed=1)).encode()
    assert hashlib.sha256(content).hexdigest() == DIGESTS[name]


@pytest.mark.parametrize("name", toy.NAMES)
def test_sentences_do_not_depend_on_their_number(name: str) -> None:
    assert list(toy.blocks(name, 20)) == list(toy.blocks(name, 60))[:20]


@pytest.mark.parametrize("name", toy.NAMES)
def test_splits_and_seeds_are_streams_of_their_own(name: str) -> None:
    def body(**keys: Any) -> str:
        found = "".join(toy.blocks(name, 50, **keys))
        return re.sub("# sent_id.*\n", "", found)

    versions = [body(), body(split="dev"), body(split="test"), body(seed=2)]
    assert len(set(versions)) == 4


def test_presets_are_not_the_same_text() -> None:
    words = {
        name: {
            row[1].lower()
            for rows in trees(name, 1000)
            for row in rows
            if row[3] in ("NOUN", "VERB", "ADJ")
        }
        for name in TREEBANKS
    }
    for one, other in pairwise(["toy-en", "toy-headfinal", "toy-verbinitial", "toy-freeorder"]):
        assert len(words[one] & words[other]) < 0.05 * len(words[one])


def vocabulary() -> set[str]:
    """Return every lemma that the data can give."""
    lexicon = lexicons.load()
    found = {part for cls in lexicon.nouns.values() for n in cls.words.items for part in n.parts}
    found |= {word for cls in lexicon.verbs.values() for word in cls.words.items}
    for tables in (lexicon.adjectives, lexicon.adverbs, lexicon.closed):
        found |= {word for table in tables.values() for word in table.items}

    def collect(items: patterns.Pattern) -> None:
        for item in items:
            found.update(lemma.partition("=")[0] for lemma in item.word[:1])
            collect(item.inner)

    tables = [*lexicon.rules.values(), *(cls.patterns for cls in lexicon.nouns.values())]
    for items in (row for table in tables if table for row in table.items):
        collect(items)
    for tail in (tail for rows in lexicon.tails.values() for tail in rows):
        collect(tail.pattern)
    return {word for word in found if word[0].isalpha()}


@pytest.mark.parametrize("name", ["toy-headfinal", "toy-verbinitial", "toy-freeorder"])
def test_no_two_words_share_a_form_and_none_stays_english(name: str) -> None:
    """However they are inflected, and whether or not the corpus has them so far."""
    options = data.checked()["presets"][name]
    endings = {"", *options["endings"].values()}
    endings = {end + case for end in endings for case in {"", *options.get("cases", {}).values()}}
    forms: dict[str, set[str]] = defaultdict(set)
    for lemma in (vocabulary() | set(options["words"])) - set(options["drop"].split()):
        stem = Respelt(options).stem(lemma)
        assert stem != lemma
        for ending in endings:
            forms[(stem + ending).lower()].add(lemma.lower())
    assert {form: found for form, found in forms.items() if len(found) > 1} == {}


SMALL = {"ADP", "SCONJ", "CCONJ", "PART", "DET", "PRON", "AUX"}
SAME = {"toy-en": {"her", "'s"}, "toy-short": {"her", "'s"}}  # she/her; be, have and the genitive


@pytest.mark.parametrize("name", TREEBANKS)
def test_no_two_small_words_share_a_form(name: str) -> None:
    lemmas: dict[str, set[str]] = defaultdict(set)
    for rows in trees(name, 20000 if name == "toy-en" else 3000):
        for row in rows:
            if row[3] in SMALL:
                lemmas[row[1].lower()].add(row[2])
    shared = {form for form, found in lemmas.items() if len(found) > 1}
    assert shared <= SAME.get(name, set()), {form: lemmas[form] for form in shared}


def test_orders_differ() -> None:
    def share_after(name: str, label: str) -> float:
        places = [
            int(row[0]) > int(row[6])
            for rows in trees(name, 1000)
            for row in rows
            if row[7] == label and row[4] not in ("WDT", "WP")
        ]
        return sum(places) / len(places)

    assert share_after("toy-en", "obj") > 0.9 and share_after("toy-headfinal", "obj") == 0
    assert share_after("toy-headfinal", "case") == 1
    assert share_after("toy-headfinal", "acl:relcl") == 0
    assert share_after("toy-verbinitial", "nsubj") > 0.9
    assert share_after("toy-verbinitial", "amod") == 1
    assert 0.2 < share_after("toy-freeorder", "obj") < 0.8


INSIDE = {"det", "amod", "compound", "nmod:poss", "nummod", "flat", "fixed", "case", "punct"}


@pytest.mark.parametrize("name", [name for name in TREEBANKS if name != "toy-freeorder"])
def test_nothing_foreign_stands_between_a_case_marker_and_its_noun(name: str) -> None:
    seen = 0
    for rows in trees(name, 3000):
        for row in rows:
            if row[7] == "case" and row[4] != "POS":
                first, last = sorted((int(row[0]), int(row[6])))
                between = [r for r in rows[first : last - 1] if r[6] == row[6]]
                assert {r[7] for r in between} <= INSIDE, rows
                seen += 1
    assert seen > 500


@pytest.mark.parametrize("name", TREEBANKS)
def test_marks_stand_where_a_writer_puts_them(name: str) -> None:
    for rows in trees(name, 6000):
        tags = [row[4] for row in rows]
        assert tags[0] not in (",", ".", ":", "''", "-RRB-"), rows
        for tag, after in pairwise(tags):
            assert not (tag in (",", ":", "``", "-LRB-") and after in (",", ".", ":")), rows
        for row in rows:
            assert row[7] != "conj" or int(row[6]) < int(row[0])


# -- ambiguity -------------------------------------------------------------------------------
def classes() -> dict[str, str]:
    """Map every noun to its class and every name to the classes it is in."""
    found: dict[str, str] = {}
    for name, cls in lexicons.load().nouns.items():
        for noun in cls.words.items:
            first = noun.lemma
            found[first] = found.get(first, "") + "+" + name
    return found


def follows(row: list[str]) -> bool:
    """Whether a word at a site is the determiner that goes where its noun goes."""
    return notes(row)["Ambiguity"] == "ditrans" and row[7] not in ("iobj", "compound")


def visible(rows: Rows, row: list[str], known: dict[str, str]) -> tuple[Any, ...]:
    """Return what a parser may go by at a site: the words, nouns by their class."""

    def what(other: list[str]) -> str:
        return known.get(other[2], other[2]) if other[3] in ("NOUN", "PROPN") else other[2]

    note = notes(row)
    small = tuple(r[2] for r in rows if r[6] == row[0] and r[7] in ("case", "mark", "nsubj", "obj"))
    if note["Ambiguity"] not in ("pp", "advcl"):
        small = ()
    rivals = [rows[int(index) - 1] for index in note["Rivals"].split(",")]
    if follows(row):
        return ("determiner", *visible(rows, rivals[0], known))
    return (note["Ambiguity"], row[3], small, what(row), *(what(rival) for rival in rivals))


@pytest.mark.parametrize("name", TREEBANKS)
def test_words_decide_unless_a_coin_did(name: str) -> None:
    known = classes()
    decided: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    tossed = set()
    for rows in trees(name, 6000 if name == "toy-en" else 1000):
        for row in rows:
            note = notes(row)
            if "Ambiguity" not in note:
                continue
            rivals = note["Rivals"].split(",")
            assert row[6] in rivals and len(rivals) > 1
            key = visible(rows, row, known)
            if "Best" in note:
                tossed.add(key)
            else:
                decided[key].add(rivals.index(row[6]))
    assert len(decided) > 30
    assert all(len(heads) == 1 for heads in decided.values())
    assert not tossed & set(decided)


@pytest.mark.parametrize("name", TREEBANKS)
def test_a_word_takes_another_or_refuses_it(name: str) -> None:
    """What one rival does with a dependent at a decided site, it does at all of them."""
    taken, refused = set(), set()
    for rows in trees(name, 20000 if name == "toy-en" else 1000):
        for row in rows:
            note = notes(row)
            if "Ambiguity" not in note or "Best" in note or follows(row):
                continue
            case = next((r[2] for r in rows if r[6] == row[0] and r[7] == "case"), "")
            for index in note["Rivals"].split(","):
                rival = rows[int(index) - 1]
                key = note["Ambiguity"], rival[3], rival[2], case, row[2], row[3]
                (taken if index == row[6] else refused).add(key)
    assert taken and not taken & refused


def test_reasons_of_two_kinds_share_no_head() -> None:
    lexicon = lexicons.load()
    owners: dict[str, set[str]] = defaultdict(set)
    for kind in data.checked()["grammar"]["reasons"]:
        for items in lexicon.rules[f"because {kind}"].items:
            head = next(item for item in items if item.is_head)
            if head.call == "adj":
                words = lexicon.adjectives[head.args[0]].items
            else:
                words = [head.args[0] if head.call else head.word[0]]
            for word in words:
                owners[word].add(kind)
    assert all(len(kinds) == 1 for kinds in owners.values())


def test_coins_have_the_stated_bias() -> None:
    """The likelier head is right as often as MISC says, however the cases are grouped."""
    grammar = lexicons.load()
    results: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for rows in trees("toy-en", 6000):
        for row in rows:
            note = notes(row)
            if "Best" not in note:
                continue
            site = note["Ambiguity"]
            if follows(row):
                continue
            near = grammar.sites[site]["near"]
            assert float(note["Best"]) == max(near, 100 - near) / 100
            fitting = _fitting(rows, row, site)
            if len(fitting) == 2:
                likelier = fitting[0] if near > 50 else fitting[1]
                hit = row[6] == likelier
                length = "long" if len(rows) > 20 else "short"
                for group in ("all", rows[int(fitting[0]) - 1][3], length, row[4]):
                    results[site, group].append(hit)
    assert len(results["pp", "all"]) > 200
    for (site, _), hits in results.items():
        near = grammar.sites[site]["near"]
        chance = max(near, 100 - near) / 100
        spread = (chance * (1 - chance) / len(hits)) ** 0.5
        assert abs(sum(hits) / len(hits) - chance) < 4 * spread + 1e-9


def signs(rows: Rows, row: list[str], rivals: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield what can be seen around a site: words, tags and places, but not the tree."""
    forms = ["#", "#", *(r[1].lower() for r in rows), "#", "#"]
    here = int(row[0])
    for name, place in [("it", here), *zip(("near", "far"), map(int, rivals), strict=True)]:
        for step in (-2, -1, 1, 2):
            yield f"{name}{step:+}", forms[place + 1 + step]
        yield f"{name} tag", rows[place - 1][4]
        yield f"{name} gap", place - here
    yield "left", (len(rows) - here) // 4
    case = next((r[2] for r in rows if r[6] == row[0] and r[7] == "case"), "")
    near, far = (determiner(rows, int(rival)) for rival in rivals)
    yield from [("determiners", (case, near, far)), ("near", (case, near)), ("far", (case, far))]


def determiner(rows: Rows, noun: int) -> str:
    """Return what kind of determiner stands before a noun."""
    for row in reversed(rows[: noun - 1]):
        if row[4] in ("DT", "PRP$", "POS", "CD"):
            return row[2] if row[2] in ("a", "the") else "other"
        if row[3] not in ("ADJ", "NOUN", "PROPN"):
            break
    return ""


def surprise(hits: int, cases: int, chance: float) -> float:
    """Return the logarithm of how likely a share as far from the chance is, or a bound above it."""
    share = hits / cases
    terms = ((share, chance), (1 - share, 1 - chance))
    return -cases * sum(p * math.log(p / q) for p, q in terms if p)


@pytest.mark.parametrize("name", TREEBANKS)
def test_nothing_on_the_surface_tells_how_a_coin_fell(name: str) -> None:
    """However coins are grouped by determiners, tags, places or neighbours: they keep their bias."""
    results: dict[tuple[str, str, Any], list[bool]] = defaultdict(list)
    for rows in trees(name, 20000 if name == "toy-en" else 3000):
        for row in rows:
            note = notes(row)
            if "Best" in note and not follows(row):
                fitting = _fitting(rows, row, note["Ambiguity"])
                if len(fitting) == 2:
                    for sign, value in signs(rows, row, fitting):
                        results[note["Ambiguity"], sign, value].append(row[6] == fitting[0])
    for (site, *group), hits in results.items():
        near = lexicons.load().sites[site]["near"] / 100
        assert surprise(sum(hits), len(hits), near) > -12, (site, group, sum(hits), len(hits))


def _fitting(rows: Rows, row: list[str], site: str) -> list[str]:
    """Return the rivals that fit, nearest first; all of them at sites with two rivals."""
    rivals = notes(row)["Rivals"].split(",")
    if site != "pp" or len(rivals) == 2:
        return rivals
    lexicon, known = lexicons.load(), classes()
    case = next(r[2] for r in rows if r[6] == row[0] and r[7] == "case")

    def fits(index: str) -> bool:
        lemma, upos = rows[int(index) - 1][2:4]
        if upos == "VERB":
            allows = lexicon.verb_allows[lemma]
        else:
            allows = frozenset().union(
                *(lexicon.nouns[cls].allows for cls in known.get(lemma, "").split("+") if cls)
            )
        return any((case, cls) in allows for cls in known.get(row[2], "").split("+"))

    return [index for index in rivals if fits(index)]


def test_share_of_truly_ambiguous_sites() -> None:
    sites = [notes(row) for rows in trees("toy-en", 6000) for row in rows if "Amb" in row[9]]
    kinds = {note["Ambiguity"] for note in sites}
    assert kinds == set(data.checked()["presets"]["toy-en"]["sites"].split())
    assert len(kinds) >= 7
    assert 0.07 < sum("Best" in note for note in sites) / len(sites) < 0.3


def places(sentences: int) -> tuple[dict[str, Counter[int]], Counter[str]]:
    """Count, by kind of site in toy-en, which rival is the head where words decide; and coins."""
    decided: dict[str, Counter[int]] = defaultdict(Counter)
    coins: Counter[str] = Counter()
    for rows in trees("toy-en", sentences):
        for row in rows:
            note = notes(row)
            if "Ambiguity" in note and not follows(row):
                if "Best" in note:
                    coins[note["Ambiguity"]] += 1
                else:
                    decided[note["Ambiguity"]][note["Rivals"].split(",").index(row[6])] += 1
    return decided, coins


def test_place_alone_decides_nothing() -> None:
    decided, _ = places(20000)
    for site, counts in decided.items():
        assert max(counts.values()) / counts.total() < 0.75, site


def test_every_kind_of_site_is_frequent_enough_to_learn() -> None:
    decided, coins = places(2500)
    for site in lexicons.load().sites:
        assert decided[site].total() >= 40 and coins[site] >= 2, site
    assert coins["ditrans"] >= 12


def test_the_controller_is_known_from_the_verb() -> None:
    """Who is to do it: the subject after *promise her*, the object after *persuade her*."""
    seen: Counter[tuple[str, str]] = Counter()
    for rows in trees("toy-en", 20000):
        for row in rows:
            marked = any(r[6] == row[0] and r[2] == "to" and r[7] == "mark" for r in rows)
            verb = rows[int(row[6]) - 1]
            controller = notes(row).get("Controller")
            kind = {
                "promise": "promise",
                **dict.fromkeys(("persuade", "encourage", "invite"), "urge"),
            }
            if row[7] == "xcomp" and marked and verb[2] in kind and controller:
                assert rows[int(controller) - 1][6] == verb[0]
                has_object = any(r[6] == verb[0] and r[7] == "obj" for r in rows)
                seen[kind[verb[2]] + " X" * has_object, rows[int(controller) - 1][7]] += 1
    assert set(seen) == {("promise", "nsubj"), ("promise X", "nsubj"), ("urge X", "obj")}
    assert min(seen.values()) > 20


def test_a_coordinated_subject_takes_a_plural_verb() -> None:
    seen = 0
    for rows in trees("toy-en", 20000):
        for row in rows:
            if row[7] in ("nsubj", "nsubj:pass") and row[3] != "PRON":
                if any(r[6] == row[0] and r[7] == "conj" for r in rows):
                    group = [r for r in rows if r[0] == row[6] or r[6] == row[6]]
                    verbs = [
                        r
                        for r in group
                        if r[3] in ("VERB", "AUX") and r[7] not in ("conj", "advcl")
                    ]
                    assert not any(r[4] == "VBZ" or r[1] == "was" for r in verbs[:1]), rows
                    seen += 1
    assert seen > 50


def test_an_object_pronoun_for_a_thing_has_an_antecedent() -> None:
    for rows in trees("toy-en", 6000):
        for place, row in enumerate(rows):
            if row[7] == "obj" and row[2] in ("it", "they") and row[4] == "PRP":
                if row[2] == "it":
                    assert any(r[3] == "NOUN" for r in rows[:place]), rows


@pytest.mark.parametrize("name", TREEBANKS)
def test_best_uas(name: str) -> None:
    blocks = text(name, 1000)
    words = [row for rows in trees(name, 1000) for row in rows]
    loss = sum(1 - float(notes(row)["Best"]) for row in words if "Best" in row[9])
    assert toy.best_uas(blocks) == pytest.approx(1 - loss / len(words))
    assert toy.best_uas(blocks, punct=False) < toy.best_uas(blocks) < 1
    with pytest.raises(ValueError, match="no words"):
        toy.best_uas([])


@pytest.mark.parametrize("name", toy.NAMES)
def test_no_sentence_is_in_two_splits_or_twice_in_a_held_out_one(name: str) -> None:
    def forms(split: str, size: int) -> list[str]:
        blocks = (re.sub("(?m)^# sent_id.*\n", "", b) for b in toy.blocks(name, size, split=split))
        columns = {
            "treebank": r"(?m)^\d+\t([^\t]+)",
            "sequence": r"(?m)^(\S+) ",
            "slots": "^(.*)\t",
        }
        return [" ".join(re.findall(columns[toy.kind(name)], block)) for block in blocks]

    sizes = {"train": 1500, "dev": 100, "test": 100}
    train, dev, test = (forms(split, size) for split, size in sizes.items())
    assert len(set(dev)) == len(dev) and len(set(test)) == len(test)
    assert not {*train} & {*dev} and not {*train} & {*test} and not {*dev} & {*test}


# -- likeness to real text -------------------------------------------------------------------
def test_lengths_and_tags_are_near_web_english() -> None:
    lengths = sorted(len(rows) for rows in trees("toy-en", 6000))
    assert 14.5 < sum(lengths) / len(lengths) < 17.5
    assert 0.15 < sum(n <= 5 for n in lengths) / len(lengths) < 0.25
    assert 0.09 < sum(n >= 30 for n in lengths) / len(lengths) < 0.17
    counts = Counter(row[3] for rows in trees("toy-en", 6000) for row in rows)
    for tag, share in WEB.items():
        assert abs(100 * counts[tag] / counts.total() - share) < 3, tag


def test_lexicon_is_large_and_words_have_more_than_one_tag() -> None:
    lexicon = lexicons.load()
    nouns = {noun.lemma for cls in lexicon.nouns.values() for noun in cls.words.items}
    verbs = {word for cls in lexicon.verbs.values() for word in cls.words.items}
    others = {
        word
        for table in (*lexicon.adjectives.values(), *lexicon.adverbs.values())
        for word in table.items
    }
    assert len(nouns | verbs | others) >= 1500
    assert len(nouns & verbs) >= 30
    tags = defaultdict(set)
    for rows in trees("toy-en", 6000):
        for row in rows:
            tags[row[1].lower()].add(row[3])
    assert sum(len(found) > 1 for found in tags.values()) >= 60
    assert {"PRON", "SCONJ", "DET"} <= tags["that"] and {"ADP", "PART"} <= tags["to"]


class Recorder(data._Checker):
    """Remembers every name that the data files mention."""

    def __init__(self) -> None:
        super().__init__(data.checked(), data.read("schema"))
        self.used: set[str] = set()

    def _unknown(self, words: Iterable[str], *sections: str) -> Iterator[str]:
        self.used |= set(words)
        return iter(())


# what the code draws by itself
DRAWN = set(
    "sentence when_past when_later appos any new modals asked pronouns objects possessives"
    " intensifier often denied focus likely time era lasting".split()
)


def test_nothing_in_the_data_is_dead() -> None:
    recorder, files = Recorder(), data.checked()
    for name in data.FILES:
        assert not list(recorder.problems(files[name], data.read("schema")[name]))
    words, grammar = files["words"], files["grammar"]
    parts = [words["adjectives"], words["adverbs"], words["closed"], words["determiners"]]
    parts += [grammar["groups"], grammar["phrases"], grammar["rules"], grammar["reasons"]]
    parts += [files["nouns"], files["names"]]
    assert {name for part in parts for name in part} <= recorder.used | DRAWN


# small words that have two tags in any English text
HOMOGRAPHS = set("this that no there 's to can may am is are was were have has had do did".split())
HOMOGRAPHS |= set("after before because until".split())


def test_a_small_word_has_one_tag() -> None:
    tags: dict[str, set[str]] = defaultdict(set)
    for rows in trees("toy-en", 20000):
        for row in rows:
            tags[row[1].lower()].add(row[3])
    closed = {form for form, found in tags.items() if found & SMALL}
    assert {"nobody", "everybody", "everyone"} <= closed
    assert {form for form in closed if len(tags[form]) > 1} <= HOMOGRAPHS


def tagged(form: str, sentences: int = 20000) -> set[tuple[str, str, str]]:
    """Return UPOS, XPOS and label of a form wherever it occurs in toy-en."""
    rows = (row for rows in trees("toy-en", sentences) for row in rows)
    return {(row[3], row[4], row[7]) for row in rows if row[1].lower() == form}


def test_tags_are_those_of_web_treebanks() -> None:
    assert tagged("yesterday") == {("NOUN", "NN", "obl:unmarked")}
    assert tagged("later") == {("ADV", "RBR", "advmod")}
    assert tagged("least") == {("ADJ", "JJS", "nmod")}
    assert tagged("dear") == {("ADJ", "JJ", "amod")}
    assert tagged("york") & tagged("francisco") == set()
    assert ("PROPN", "NNP", "flat") in tagged("francisco")
    assert tagged("pm") == {("NOUN", "NN", "nmod:unmarked")}
    assert {tag for tag, _, _ in tagged("so")} == {"ADV"}


def test_two_objects_are_taken_up_by_a_plural() -> None:
    """*gave the baby toys ... them*: whatever the coin said."""
    seen = 0
    for rows in trees("toy-en", 20000):
        for row in rows:
            if "Ambiguity=ditrans" not in row[9] or follows(row):
                continue
            thing = rows[int(notes(row)["Rivals"].split(",")[0]) - 1]
            said = [r for r in rows if r[7] == "obj" and r[2] in (thing[2], "it", "they")]
            after = said[said.index(thing) + 1 :] if thing in said else []
            inside = rows[int(thing[6]) - 1][7] == "acl:relcl"
            if after and not inside and not any(r[3] == "NOUN" for r in rows if r[7] == "conj"):
                assert after[0][2] == "they", rows
                seen += 1
    assert seen > 2


def test_splits_are_alike() -> None:
    def mean(split: str, size: int) -> float:
        blocks = list(toy.blocks("toy-en", size, seed=3, split=split))
        return sum(block.count("\n") - 3 for block in blocks) / size

    # 900 lengths with a deviation of 10.5: 4 standard errors
    assert abs(mean("train", 3000) - mean("dev", 900)) < 1.6


def test_every_class_of_words_is_heard_of() -> None:
    """Nouns, verbs, adjectives and adverbs of each class occur, in one corpus or another."""
    lemmas = {row[2] for rows in trees("toy-en", 20000) for row in rows}
    lexicon = lexicons.load()
    tables = {name: [noun.lemma for noun in cls.words.items] for name, cls in lexicon.nouns.items()}
    tables |= {name: cls.words.items for name, cls in lexicon.verbs.items()}
    tables |= {f"={name}": table.items for name, table in lexicon.adjectives.items()}
    tables |= {f"+{name}": table.items for name, table in lexicon.adverbs.items()}
    silent = {name for name, table in tables.items() if table and lemmas.isdisjoint(table)}
    assert silent <= {"TITLE"}  # only toy-chunks has titles


def test_frequencies_fall_like_zipf() -> None:
    counts = Counter(row[2] for rows in trees("toy-en", 6000) for row in rows if row[3] == "NOUN")
    ranked = [count for _, count in counts.most_common()]
    assert ranked[0] > 5 * ranked[200] and sum(count <= 3 for count in ranked) > 50


# -- tag noise -------------------------------------------------------------------------------
@pytest.mark.parametrize("accuracy", [0.94, 0.97, 0.6])
def test_tag_noise(accuracy: float) -> None:
    right = total = 0
    seen: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for clean, noisy in zip(
        toy.blocks("toy-en", 1500), toy.blocks("toy-en", 1500, pos_accuracy=accuracy), strict=True
    ):
        for one, other in zip(clean.splitlines(), noisy.splitlines(), strict=True):
            if "\t" in one:
                a, b = one.split("\t"), other.split("\t")
                assert a[:3] == b[:3] and a[5:] == b[5:]
                right += a[3] == b[3]
                total += 1
                seen[a[3]] += 1
                wrong[a[3]] += a[3] != b[3]
    assert abs(right / total - accuracy) < 0.012
    # open classes are harder than closed ones, punctuation is not mistaken
    assert wrong["NOUN"] / seen["NOUN"] > 2 * wrong["ADP"] / seen["ADP"] > 0
    assert wrong["PUNCT"] == 0


# -- chunks ----------------------------------------------------------------------------------
def well_formed(tags: list[str]) -> bool:
    """Whether every I- continues a phrase of its type."""
    return all(
        not now.startswith("I-") or before[2:] == now[2:] for before, now in pairwise(["O", *tags])
    )


def test_chunks() -> None:
    entities: dict[str, set[str]] = defaultdict(set)
    chunks: Counter[str] = Counter()
    starts: Counter[str] = Counter()
    inside: set[str] = set()
    for block in text("toy-chunks", 1500):
        assert block.endswith("\n\n")
        rows = [line.split(" ") for line in block.splitlines() if line]
        assert all(len(row) == 4 for row in rows)
        assert well_formed([row[2] for row in rows]) and well_formed([row[3] for row in rows])
        for row in rows:
            chunks[row[2].split("-")[-1]] += 1
            if row[3] != "O":
                entities[row[0]].add(row[3][2:])
                inside |= {row[3]} if row[3].startswith("I-") else set()
                starts[row[3][2:]] += row[3].startswith("B-")
    assert {"NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "INTJ", "O"} == set(chunks)
    assert set().union(*entities.values()) == {"PER", "ORG", "LOC", "MISC"}
    assert sum(len(types) > 1 for types in entities.values()) >= 5
    assert {"PER", "ORG", "LOC", "MISC"} == {tag[2:] for tag in inside}
    assert starts["MISC"] > 0.08 * starts.total()


def test_a_particle_follows_its_verb_or_a_pronoun() -> None:
    before = [
        one
        for block in text("toy-chunks", 1500)
        for one, other in pairwise(block.splitlines())
        if " B-PRT " in other
    ]
    assert len(before) > 5 and all("-VP " in row or " PRP " in row for row in before)


# -- flights ---------------------------------------------------------------------------------
def test_flights() -> None:
    slots: Counter[str] = Counter()
    intents = set()
    nested = 0
    for line in text("toy-flights", 1500):
        words, tags = line.rstrip("\n").split("\t")
        form, mark = words.split(), tags.split()
        assert form[0] == "BOS" and form[-1] == "EOS" and len(form) == len(mark)
        assert words.lower() == words.replace("BOS", "bos").replace("EOS", "eos")
        intents.add(mark[-1])
        assert well_formed(mark[:-1])
        slots.update(tag[2:] for tag in mark if tag.startswith("B-"))
        nested += any(
            one != other and one[2:].split(".")[0] == other[2:].split(".")[0] and "." in one
            for one, other in pairwise(mark[1:-1])
            if other.startswith("B-")
        )
    assert {
        "fromloc.city_name",
        "depart_date.day_name",
        "depart_time.time",
        "airline_name",
        "round_trip",
        "cost_relative",
        "stoploc.city_name",
    } <= set(slots)
    assert len(slots) >= 30 and len(intents) >= 8 and nested > 200


def test_a_city_alone_does_not_tell_its_slot() -> None:
    roles = defaultdict(set)
    for line in text("toy-flights", 1500):
        words, tags = (part.split() for part in line.split("\t"))
        for word, tag in zip(words, tags, strict=True):
            if tag.endswith("city_name"):
                roles[word].add(tag)
    assert {"B-fromloc.city_name", "B-toloc.city_name", "B-stoploc.city_name"} <= roles["boston"]


# -- interface -------------------------------------------------------------------------------
def test_names_sizes_kinds() -> None:
    assert len(TREEBANKS) >= 5 and set(toy.SIZES) == set(toy.NAMES)
    assert toy.SIZES["toy-en"] == {"train": 2500, "dev": 300, "test": 300}
    assert toy.kind("toy-chunks") == "sequence" and toy.kind("toy-flights") == "slots"
    assert len({toy.describe(name) for name in toy.NAMES}) == len(toy.NAMES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "toy-latin", "sentences": 1}, "toy-en, "),
        ({"name": "toy-en", "sentences": -1}, "0 or more"),
        ({"name": "toy-en", "sentences": 1, "seed": -1}, "seed"),
        ({"name": "toy-en", "sentences": 1, "pos_accuracy": 0.5}, "above 0.5"),
        ({"name": "toy-en", "sentences": 1, "pos_accuracy": 1.01}, "at most 1"),
    ],
)
def test_errors_come_at_once(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        toy.blocks(**arguments)


def test_memory_is_bounded() -> None:
    source = toy.blocks("toy-en", 1200, seed=9)
    for _ in range(400):
        next(source)
    tracemalloc.start()
    for _ in source:
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def test_dice_are_fair() -> None:
    dice = Dice(stream("x", 1, "y"))
    counts = Counter(dice.pick(Table("abc", [5, 3, 2])) for _ in range(20_000))
    assert counts["a"] == pytest.approx(10_000, rel=0.05)
    assert counts["c"] == pytest.approx(4_000, rel=0.08)
    assert {dice.below(3) for _ in range(100)} == {0, 1, 2}


# -- the data can be extended ----------------------------------------------------------------
@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Let a test add entries to the data files."""

    def change(file: str, **entries: Any) -> None:
        earlier = data.read
        monkeypatch.setattr(
            data,
            "read",
            lambda name: {**earlier(name), **entries} if name == file else earlier(name),
        )
        forget()

    def forget() -> None:
        for kept in (data.checked, lexicons.load):
            kept.cache_clear()

    yield change
    monkeypatch.undo()
    forget()


def test_a_new_verb_class_is_used(changed: Any) -> None:
    changed(
        "verbs",
        yodel={
            "words": "yodel",
            "frame": "human V fruit",
            "weight": 400,
            "pp": "with/neighbour +time",
        },
        **data.read("verbs"),
    )
    forms = {
        line.split("\t")[2]
        for block in toy.blocks("toy-en", 100)
        for line in block.splitlines()
        if "\t" in line
    }
    assert "yodel" in forms


def test_a_new_kind_of_ambiguity_is_data(changed: Any) -> None:
    """*discussed the plan to leave*: the infinitive belongs to the noun or tells what for."""
    grammar = data.read("grammar")
    row = grammar["tails"]["end"][0]
    assert row[1] == "purpose"
    row[:] = [900, "event person", row[2], "infinitive"]
    site = {
        "near": 60,
        "keep": 80,
        "nouns": "topic meeting event document restaurant public_place university",
        "verb": "purpose",
        "label": "acl",
    }
    changed("grammar", tails=grammar["tails"], sites={**grammar["sites"], "infinitive": site})
    preset = data.read("presets")["toy-en"]
    changed("presets", **{"toy-en": {**preset, "sites": preset["sites"] + " infinitive"}})
    found: Counter[str] = Counter()
    for block in toy.blocks("toy-en", 5000):
        for row in (line.split("\t") for line in block.splitlines() if "\t" in line):
            if "Ambiguity=infinitive" in row[9]:
                found["coin" if "Best=0.60" in row[9] else row[7]] += 1
    assert min(found["acl"], found["advcl"]) >= 10 and found["coin"] >= 2


@pytest.mark.parametrize(
    ("file", "entry", "message"),
    [
        (
            "nouns",
            {"gadget": {"words": "gadget", "pp": "with/nonsense"}},
            "gadget.pp: has 'nonsens",
        ),
        ("nouns", {"gadget": {"words": "table gadget"}}, "a noun may have one class"),
        (
            "verbs",
            {"glue": {"words": "glue", "frame": "human V nonsense", "weight": 1}},
            "nonsense",
        ),
        (
            "verbs",
            {"top": {"words": "top+", "frame": "human V meal with/ingredient", "weight": 1}},
            "meal takes with/ingredient",
        ),
    ],
)
def test_bad_data_is_refused(changed: Any, file: str, entry: Any, message: str) -> None:
    changed(file, **entry)
    with pytest.raises(FormatError, match=message):
        lexicons.load()


@pytest.mark.parametrize("pattern", ["det:the/DT nsubj:dog/NN", "nonsense", "*:a/NN *:b/NN"])
def test_bad_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"cannot read|one head"):
        patterns.parse(pattern)
