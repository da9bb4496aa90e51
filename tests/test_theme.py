"""Colours and orders of figures: one table for all, readable on dark pages."""

import json
import math
import re
from itertools import combinations

import pytest

import airfair as af
from airfair import _engine, theme
from airfair.catalogue import settings
from airfair.figures.charts.choice import MOST_NUMBERS
from airfair.figures.drawing import Series
from airfair.optimizer import chart
from airfair.studies.file import packaged_studies
from fidelity import figure as comparison


def choices(scenario: str, parameter: str) -> set[str]:
    declared = json.loads(_engine.describe_json(scenario))["parameters"]
    [found] = [entry["choices"] for entry in declared if entry["name"] == parameter]
    return set(found)


TCPS = choices("jung/mixed", "tcp")
POLICIES = choices("blefari/hotspot", "policy") | set(settings.words("disciplines"))
ACCESS_POINTS = choices("wifi/anomaly", "policy")


def linear(colour: str) -> list[float]:
    """The parts of an sRGB colour in proportion to their light (IEC 61966-2-1)."""
    parts = [part / 255 for part in bytes.fromhex(colour[1:])]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2, 1.4.3)."""
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_every_tcp_and_every_policy_has_a_place_and_nothing_else():
    assert set(theme.PLACES) == TCPS | POLICIES | ACCESS_POINTS


def test_tcps_that_are_compared_look_different():
    for names in (TCPS, POLICIES - {"drop_tail"}, ACCESS_POINTS):  # no policy is drop-tail
        found = theme.places(sorted(names))
        assert len(set(found)) == len(names)
    assert len({theme.PALETTE[place] for place in range(16)}) == len(theme.SHAPES) == len(theme.DASHES) == 16


LIGHT, DARK = 0, 1
#: The papers that figures stand on, for light and for dark screens.
PAPERS = [(screen, theme.PAGE[name][screen]) for screen in (LIGHT, DARK) for name in ("paper", "raised")]


def on(screen: int, colour: str) -> str:
    """A colour of figures as a screen shows it."""
    return theme.DARK.get(colour, colour) if screen == DARK else colour


@pytest.mark.parametrize(("screen", "paper"), PAPERS)
def test_marks_are_readable_on_every_paper(screen, paper):
    """Graphics need a contrast of 3 (WCAG 2, 1.4.11)."""
    for colour in (*theme.PALETTE, *theme.RAMP, theme.GREYS[0]):
        assert contrast(on(screen, colour), paper) >= 3, colour


@pytest.mark.parametrize(("screen", "paper"), PAPERS)
def test_lines_of_many_users_stand_out_from_paper_and_from_their_bands(screen, paper):
    for shades in theme.SHADES:
        line, band = on(screen, shades[0]), on(screen, shades[3])
        assert contrast(line, paper) >= 3, shades
        assert contrast(line, band) > 1.9, shades


@pytest.mark.parametrize(("screen", "paper"), PAPERS)
def test_words_are_readable_on_every_paper(screen, paper):
    """Text needs a contrast of 4.5 (WCAG 2, 1.4.3)."""
    words = {name: theme.PAGE[name][screen] for name in ("ink", "quiet", "link", "holds", "fails", "undecided")}
    for name, colour in words.items():
        assert contrast(colour, paper) >= 4.5, name


def test_texts_of_timelines_are_ink_or_quiet():
    """The engine draws the text of timelines in colours that have the contrast of words."""
    runs = (
        af.timeline("wifi/home", duration="1 s", start="5 s", end="5.02 s"),
        af.timeline("jung/mixed", duration="20 s"),
    )
    for made in runs:
        fills = set(re.findall(r'<(?:text|tspan)[^>]* fill="(#\w+)"', made.svg))
        assert fills == {theme.INK, theme.QUIET}


#: How people without one kind of cone see colours, on linear RGB, with severity 1.0: G. M. Machado, M. M. Oliveira and
#: L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE Transactions on
#: Visualization and Computer Graphics 15(6), 2009, doi:10.1109/TVCG.2009.113.
VISION = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
#: From sRGB to CIE XYZ with the white of D65 as 1, 1, 1 (IEC 61966-2-1).
XYZ = ((0.4339, 0.3762, 0.1899), (0.2126, 0.7152, 0.0722), (0.0177, 0.1095, 0.8728))


def lab(colour: str, vision: str) -> tuple[float, float, float]:
    """A colour as it is seen, in CIE L*a*b* (ISO/CIE 11664-4)."""
    seen = [min(max(part, 0.0), 1.0) for part in times(VISION[vision], linear(colour))]
    x, y, z = (
        part ** (1 / 3) if part > (6 / 29) ** 3 else part / (3 * (6 / 29) ** 2) + 4 / 29 for part in times(XYZ, seen)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def apart(one: str, other: str) -> float:
    """The smallest distance between two colours (CIE 1976) over all kinds of vision."""
    return min(math.dist(lab(one, vision), lab(other, vision)) for vision in VISION)


def sharing() -> dict[str, set[str]]:
    """The colours of each study's figure with TCPs or policies, of timelines, and of the states of optimisations."""
    found = {"timeline": set(theme.PALETTE[:7]), "optimisation": set(chart._COLOURS.values())}
    for study in packaged_studies():
        for figure in study.figures:
            cells = study.experiments[figure.experiment].cells()
            words = dict.fromkeys(
                cell.at[figure.series]
                for cell in cells
                if figure.series in cell.at
                and all(
                    cell.at[axis] in ([kept] if isinstance(kept, str) else kept) for axis, kept in figure.where.items()
                )
            )
            if words and set(words) <= set(theme.PLACES):
                series = Series.of_words(words, list(study.value_labels.get(figure.series, ())), str)
                found[f"{study.name} {figure.name}"] = set(series.colours)
    return found


@pytest.mark.parametrize("screen", [LIGHT, DARK])
def test_colours_that_share_a_figure_differ_with_any_vision(screen):
    """The distance of 12 is some five times the smallest one that people see between large areas (2.3)."""
    figures = sharing()
    assert len(figures) > 10
    for name, colours in figures.items():
        for one, other in combinations(sorted(colours), 2):
            assert apart(on(screen, one), on(screen, other)) >= 12, (name, one, other)
    for one, other in combinations(theme.PALETTE, 2):  # of figures that somebody chooses; shapes help there
        assert apart(on(screen, one), on(screen, other)) >= 8, (one, other)


def test_words_of_other_axes_stay_in_the_order_given():
    assert theme.ordered(["b", "reno", "a"]) == ["b", "reno", "a"]
    assert theme.ordered(["vegas", "reno"]) == ["reno", "vegas"]


@pytest.mark.parametrize("count", range(1, MOST_NUMBERS + 1))
def test_numbers_in_order_get_distinct_colours_that_dark_pages_know(count):
    colours = theme.ramp(count)
    assert len(set(colours)) == count and set(colours) <= set(theme.DARK)
    for screen, paper in PAPERS:
        assert all(contrast(on(screen, colour), paper) >= 3 for colour in colours), screen
    # In order: darker numbers first on light pages, paler ones last on dark pages.
    for screen in (LIGHT, DARK):
        shades = [luminance(on(screen, colour)) for colour in colours]
        assert shades == sorted(shades), screen


def test_tcps_of_the_comparisons_have_their_colours():
    row = {"panel": "p", "loss": 0.01, "measured": 1.0, "predicted": 2.0}
    rows = [row | {"series": name, "tcp": word} for name, word in (("SACK", "sack"), ("New", "newreno"))]
    shown = json.dumps(comparison._panel("p", rows, "model").to_dict())
    for word in ("sack", "newreno"):
        assert theme.PALETTE[theme.PLACES[word]] in shown
    assert theme.PALETTE[0] not in shown
