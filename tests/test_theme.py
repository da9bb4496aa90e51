"""Colours and orders of figures: one table for all, readable on dark pages."""

import json
import re

from airfair import _engine, theme


def choices(scenario: str, parameter: str) -> set[str]:
    declared = json.loads(_engine.describe_json(scenario))["parameters"]
    [found] = [entry["choices"] for entry in declared if entry["name"] == parameter]
    return set(found)


TCPS = choices("jung/mixed", "tcp")
KIND = json.loads(_engine.schema_json())["$defs"]["Discipline"]["properties"]["kind"]
DISCIPLINES = set(re.findall(r"`(\w+)`", KIND["description"]))
POLICIES = choices("blefari/hotspot", "policy") | DISCIPLINES
ACCESS_POINTS = choices("wifi/anomaly", "policy")


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2, 1.4.3)."""
    parts = [part / 255 for part in bytes.fromhex(colour[1:])]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_every_place_is_of_a_tcp_or_a_policy():
    assert set(theme.PLACES) <= TCPS | POLICIES | ACCESS_POINTS


def test_tcps_that_are_compared_look_different():
    for names in (TCPS, POLICIES - {"drop_tail"}, ACCESS_POINTS):  # no policy is drop-tail
        found = theme.places(sorted(names))
        assert len(set(found)) == len(names)
    assert len({theme.PALETTE[place] for place in range(16)}) == len(theme.SHAPES) == len(theme.DASHES) == 16


def test_marks_are_readable_on_dark_pages():
    """Graphics need a contrast of 3 (WCAG 2, 1.4.11)."""
    _, paper = theme.PAGE["paper"]
    for colour in (*theme.PALETTE, *theme.RAMP, theme.INK, theme.QUIET):
        assert contrast(theme.DARK.get(colour, colour), paper) >= 3, colour


def test_words_of_other_axes_stay_in_the_order_given():
    assert theme.ordered(["b", "reno", "a"]) == ["b", "reno", "a"]
    assert theme.ordered(["vegas", "reno"]) == ["reno", "vegas"]


def test_numbers_in_order_get_distinct_colours():
    for count in range(1, 20):
        assert len(set(theme.ramp(count))) == count
    assert all(set(theme.ramp(count)) <= set(theme.RAMP) for count in range(1, 9))
