"""Conversion from SI to readable units."""

import pytest

from airfair.catalogue.units import interval, number, plus_minus, quantity, scale_for


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (5.2e6, "bit/s", "5.2 Mb/s"),
        (1e9, "bit/s", "1 Gb/s"),
        (950.0, "bit/s", "950 b/s"),
        (0.0645, "s", "64.5 ms"),
        (150.0, "s", "150 s"),
        (2.5e-5, "s", "25 us"),
        (10_000.0, "byte", "10 kB"),
        (0.61234, "1", "0.6123"),
        (3.0, "session", "3 sessions"),
        (1.0, "packet", "1 packet"),
        (0.0, "s", "0 s"),
        (-0.002, "s", "-2 ms"),
    ],
)
def test_quantity(value, unit, text):
    assert quantity(value, unit) == text


@pytest.mark.parametrize(
    ("mean", "half", "text"),
    [
        (68, 0.48, "68.00 ± 0.48"),
        (85.7, 0.0099, "85.7000 ± 0.0099"),
        (0.883, 1.4e-5, "0.883000 ± 0.000014"),
        (1, 7.4e-7, "1.00000 ± < 0.000005"),
        (641.7, 1584, "600 ± 1600"),
        (0.3333, 1.4, "0.3 ± 1.4"),
        (0, 0.002, "0.0000 ± 0.0020"),
        (-0.001, 0.2, "0.00 ± 0.20"),
        (0.0999, 0.0999, "0.10 ± 0.10"),
        (5, 0, "5 ± 0"),
        (4.257e6, 6.5e3, "4.257e+06 ± 6500"),
    ],
)
def test_means_have_the_digits_of_their_intervals(mean, half, text):
    assert plus_minus(mean, half) == text


def test_numbers_keep_their_digits():
    assert [number(x) for x in (0.5, 1234.5678, 0.00012346, 1e-7)] == ["0.5", "1235", "0.0001235", "1e-07"]


def test_interval_shares_the_unit_of_its_middle():
    assert interval(0.9e6, 1.1e6, 1e6, "bit/s") == "0.9 to 1.1"


@pytest.mark.parametrize(
    ("largest", "unit", "label"),
    [
        (2e6, "bit/s", "Label (Mb/s)"),
        (3, "packet", "Label (packets)"),
        (3, "flow", "Label"),
        (0.5, "1", "Label"),
        (0, "byte", "Label (B)"),
    ],
)
def test_labels_name_units_but_not_counted_things(largest, unit, label):
    assert scale_for(largest, unit).label("Label") == label
