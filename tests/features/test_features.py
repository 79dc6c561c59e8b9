"""Templates and atoms: what is read, what is refused, and that sentences do not see each other."""

import numpy as np
import pytest

from deppa_nb import Sentence, load
from deppa_nb.errors import ParameterError
from deppa_nb.features import forms
from deppa_nb.features.atoms import ATOMS, Tokens, mix
from deppa_nb.features.forms import hash_string
from deppa_nb.features.slots import hash_slots
from deppa_nb.features.templates import GROUPS, LABELS, TAGS, TEMPLATES, Template, select

SENTENCE = Sentence.of(
    ["He", "said", "(", "that", "it", "will", "rain", ")", "."],
    upos=["PRON", "VERB", "PUNCT", "SCONJ", "PRON", "AUX", "VERB", "PUNCT", "PUNCT"],
)
HE, SAID, OPEN, THAT, IT, WILL, RAIN, CLOSE, STOP = range(1, 10)


def string(*values: str) -> np.uint64:
    state = np.zeros(1, np.uint64)
    for value in values:
        state = mix(state, hash_string(value))
    return state[0]


def test_every_template_has_known_atoms_and_stands_once():
    templates = select(TEMPLATES)
    assert len({t.text for t in templates}) == len(templates)
    every = [*templates, *map(Template.read, LABELS + TAGS)]
    used = {name for t in every for atoms in t.atoms.values() for name, _ in atoms}
    assert used == set(ATOMS)


@pytest.mark.parametrize(
    "text, part",
    [
        ("h.w m.p-1 b.each", "arc"),
        ("h.p first", "first"),
        ("s.p m.p", "pair"),
        ("h.p s.w", "triple"),
    ],
)
def test_parts(text, part):
    assert Template.read(text).part == part


@pytest.mark.parametrize("text", ["x.w", "h", "h.p b.what", "s.p first", "h.p s.p b.set"])
def test_wrong_templates(text):
    with pytest.raises(ParameterError, match=text.split()[-1]):
        Template.read(text)


def test_wrong_names():
    with pytest.raises(
        ParameterError, match="no templates 'pears', expected some of single, pairs"
    ):
        select(["single", "pears"])
    with pytest.raises(ParameterError, match="no atom 'q'"):
        hash_slots([SENTENCE], [Template.read("h.q")])


def test_atoms_say_what_they_mean():
    atom = Tokens([SENTENCE]).atom
    assert atom("w")[HE] == hash_string("he") and atom("form")[HE] == hash_string("He")
    assert atom("suffix3")[RAIN] == hash_string("ain")
    assert atom("p", -1)[HE] == hash_string("<root>") and atom("p", 1)[STOP] == hash_string("<pad>")
    assert atom("left")[RAIN] == string("AUX", "PRON", "SCONJ")
    assert atom("left")[SAID] == string("PRON") and atom("right")[OPEN] == string(
        "SCONJ", "PRON", "AUX"
    )
    assert atom("marker")[RAIN] == hash_string("that") and atom("marker")[SAID] == 0
    assert atom("clause")[RAIN] == hash_string("it") and atom("clause")[STOP] == 0
    assert len({atom("verbs")[word] for word in (HE, SAID, IT, STOP)}) == 4
    assert atom("nesting")[SAID] == atom("nesting")[CLOSE] != atom("nesting")[THAT]
    assert len({atom("edge")[word] for word in (HE, SAID, STOP)}) == 3
    assert (atom("final") == hash_string(".")).all()


def test_a_sentence_has_the_same_slots_alone_and_in_company():
    bank = load("toy-en").dev[:30]
    together = hash_slots(bank, select(GROUPS))
    for k, sentence in enumerate(bank):
        alone = hash_slots([sentence], select(GROUPS))
        place = slice(together.firsts[k], together.firsts[k + 1])
        assert np.array_equal(alone.kinds, together.kinds[place])
        for a, b in zip(alone[3:], together[3:], strict=True):
            assert np.array_equal(a, b[:, place])


def test_heads_are_not_looked_at():
    one, other = (SENTENCE.with_heads(heads) for heads in ([-1] * 9, [2, 0, *[2] * 7]))
    for a, b in zip(
        hash_slots([one], select(GROUPS)), hash_slots([other], select(GROUPS)), strict=True
    ):
        assert np.array_equal(a, b)


def test_groups_can_be_left_out_and_change_nothing_else():
    every = hash_slots([SENTENCE], select(GROUPS))
    fewer = hash_slots([SENTENCE], select(group for group in GROUPS if group != "single"))
    assert len(fewer.arc_h) == len(every.arc_h) - len(TEMPLATES["single"])
    assert np.array_equal(fewer.arc_h, every.arc_h[len(TEMPLATES["single"]) :])
    assert hash_slots([SENTENCE], select(["pairs"])).triple_h.shape == (0, 10)


def test_sides_of_one_template_differ():
    slots = hash_slots([SENTENCE], [Template.read("h.p m.p")])
    assert not (slots.arc_h == slots.arc_m).any()


def test_forms_are_forgotten_before_they_are_too_many(monkeypatch):
    monkeypatch.setattr(forms, "_MOST", 5)
    table = forms.Forms()
    for start in range(0, 3000, 3):
        words = [f"W{start + k}" for k in (0, 1, 2, 1)]
        hashes, numbers = table.look_up([*words, ")"])
        assert [hash_string(w.lower()) for w in words] == hashes["w"][:4].tolist()
        assert numbers["bracket"].tolist() == [0, 0, 0, 0, -1]
    assert len(table._places) <= 9
