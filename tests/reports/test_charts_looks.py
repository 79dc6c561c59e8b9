"""One look for a strategy everywhere; looks that the colour-blind and a printer tell apart."""

import itertools
import random

import numpy as np
import pytest

from deppa_nb.active.strategies import STRATEGIES
from deppa_nb.errors import ArgumentError
from deppa_nb.reports.charts import GREY, PALETTE, Look, look, looks
from deppa_nb.reports.charts.looks import encodings, looks_in_order

# Machado, Oliveira and Fernandes 2009, A Physiologically-based Model for Simulation of Color Vision
# Deficiency, IEEE TVCG 15(6): severity 1.0, for linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}  # fmt: skip

# Ottosson 2020, A perceptual color space for image processing (Oklab); linear RGB to cones to Lab.
CONES = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
OKLAB = np.array([[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099], [0.0259040371, 0.7827717662, -0.8086757660]])  # fmt: skip

COLOURS = (*PALETTE, GREY)


def linear(colour):
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def seen(colour, vision):
    return OKLAB @ np.cbrt(CONES @ np.clip(VISION[vision] @ linear(colour), 0, 1))


def distance(one, two, vision):
    return 100 * float(np.linalg.norm(seen(one, vision) - seen(two, vision)))


def test_the_distance_is_a_distance_and_finds_what_the_colour_blind_mix_up():
    assert distance("#000000", "#ffffff", "normal") == pytest.approx(100, abs=0.1)
    red, green = "#c04000", "#608000"
    assert distance(red, green, "normal") > 20 > 6 > distance(red, green, "deuteranopia")


@pytest.mark.parametrize("vision", VISION)
def test_all_colours_differ_for_everybody(vision):
    pairs = itertools.combinations(COLOURS, 2)
    assert min(distance(one, two, vision) for one, two in pairs) >= 10


@pytest.mark.parametrize("colour", COLOURS)
def test_contrast_on_white(colour):
    assert 1.05 / (linear(colour) @ [0.2126, 0.7152, 0.0722] + 0.05) >= 3


def test_every_strategy_of_the_library_has_a_look_of_its_own():
    found = {name: look(name) for name in STRATEGIES}
    assert looks(list(STRATEGIES)) == found  # nobody has to give way
    assert len(set(found.values())) == len(STRATEGIES)
    for colour in COLOURS:  # dashes differ on lines, shapes in the legend
        same = [one for one in found.values() if one.colour == colour]
        assert len({one.dash for one in same}) == len({one.shape for one in same}) == len(same)


@pytest.mark.parametrize(
    "figure",
    [
        ["fa-random", "fa-score", "fa-probability", "fa-marginal", "pa-max", "pa-gap", "pa-entropy"],
        ["pa-gap", "batch-gap", "batch-marginal", "batch-marginal-gap", "fa-marginal", "fa-random"],
        ["fa-random", "fa-entropy", "token-entropy", "combined-entropy", "token-entropy-each", "token-entropy-forest", "token-local"],
        ["fa-random", "fa-entropy", "fa-word-entropy", "fa-cluster", "fa-parse-cluster", "fa-parse-density"],
    ],
)  # fmt: skip
def test_the_figures_of_the_papers_have_colours_and_shapes_of_their_own(figure):
    found = looks(figure)
    assert len({one.colour for one in found.values()}) == len(figure)
    assert len({one.shape for one in found.values()}) == len(figure)


@pytest.mark.parametrize(
    "name", ["random", "fa-random", "my_random", "Random words", "light-random"]
)
def test_random_is_grey(name):
    assert look(name).colour == GREY


def test_only_random_is_grey():
    others = ["randomised", "mine", "pa-gap", *(f"s{i}" for i in range(200))]
    assert GREY not in {look(name).colour for name in others}
    assert {look(name).colour for name in others} == set(PALETTE)


def test_looks_of_other_names_do_not_change():
    """Written down: a figure of last year has to fit one of today."""
    assert look("my own") == Look("#10a96e", (1, 0), "triangle-right")
    assert look("split-0.90") == Look("#6b0f2b", (9, 3, 2, 3), "diamond")


def test_colours_depend_on_nothing_but_the_name():
    names = ["pa-gap", "fa-random", *(f"strategy {i}" for i in range(40))]
    together = looks(names)
    assert all(together[name].colour == look(name).colour for name in names)
    shuffled = random.Random(1).sample(names, len(names))
    assert looks(shuffled) == together and list(looks(shuffled)) == shuffled


def test_no_two_look_the_same_in_a_chart():
    names = [*STRATEGIES, *(f"strategy {i}" for i in range(100))]
    found = looks(names)
    assert len(set(found.values())) == len(names)
    assert all(found[name] == look(name) for name in STRATEGIES)


def test_those_of_one_colour_have_other_shapes_and_dashes():
    names = [f"random {i}" for i in range(6)]
    found = looks(names)
    assert len({one.shape for one in found.values()}) == 6
    assert len({one.dash for one in found.values()}) == 6


def test_too_many_of_one_colour_are_refused():
    assert len(set(looks([f"random {i}" for i in range(48)]).values())) == 48
    with pytest.raises(ArgumentError, match="over 48 strategies of one colour"):
        looks([f"random {i}" for i in range(49)])


def test_corpora_get_colours_by_position():
    found = looks_in_order([f"c{i}" for i in range(30)])
    assert [one.colour for one in found.values()][:8] == list(PALETTE)
    assert len(set(found.values())) == 30


def test_the_scales_of_a_chart_are_the_looks():
    found = encodings("strategy", looks(["pa-gap", "fa-random"]))
    for channel, part in (("color", "colour"), ("shape", "shape"), ("strokeDash", "dash")):
        scale = found[channel].to_dict()["scale"]
        assert scale["domain"] == ["pa-gap", "fa-random"]
        values = [getattr(look(name), part) for name in scale["domain"]]
        assert scale["range"] == [list(v) if isinstance(v, tuple) else v for v in values]
