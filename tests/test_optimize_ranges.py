"""Values to choose from, as people write them."""

import pytest

from airfair import InputError
from airfair.optimizer.ranges import MOST, read


def parameter(unit, multiple_of=None):
    return {"unit": unit, "multiple_of": multiple_of}


def values(text, unit, multiple_of=None, alone=True):
    dimension = read("x", text, parameter(unit, multiple_of), alone=alone)
    return [dimension.value(place) for place in range(len(dimension))]


@pytest.mark.parametrize(
    ("text", "unit", "multiple_of", "expected"),
    [
        ("2..6", "count", None, ["2", "3", "4", "5", "6"]),
        ("2..6", "segment", None, ["2", "3", "4", "5", "6"]),
        ("2..6", "count", 2, ["2", "4", "6"]),
        ("2..10:4", "packet", None, ["2", "6", "10"]),
        ("2..9:4", "packet", None, ["2", "6"]),
        ("7..7", "count", None, ["7"]),
        ("1..2.5:0.5", "segment", None, ["1", "1.5", "2", "2.5"]),
        ("0..0.3:0.1", "fraction", None, ["0", "0.1", "0.2", "0.3"]),
        ("0..10%:5%", "fraction", None, ["0 %", "5 %", "10 %"]),
        ("-1..1:1", "number", None, ["-1", "0", "1"]),
        ("10..30 Mb/s:10 Mb/s", "bit/s", None, ["10 Mb/s", "20 Mb/s", "30 Mb/s"]),
        ("10 Mb/s..30 Mb/s:10", "bit/s", None, ["10 Mb/s", "20 Mb/s", "30 Mb/s"]),
        ("500kb/s..1.5Mb/s:500 kb/s", "bit/s", None, ["500000 b/s", "1000000 b/s", "1500000 b/s"]),
        ("1e1..3e1:1e1", "count", None, ["10", "20", "30"]),
        ("1,2 , 5 Mb/s", "bit/s", None, ["1 Mb/s", "2 Mb/s", "5 Mb/s"]),
        ("500 ms,1 s", "s", None, ["500 ms", "1 s"]),
        ("bdp,10,20", "packet", None, ["bdp", "10", "20"]),
        ("reno,vegas,reno", None, None, ["reno", "vegas"]),
        ("4", "count", None, ["4"]),
    ],
)
def test_values(text, unit, multiple_of, expected):
    assert values(text, unit, multiple_of) == expected


def test_the_end_of_a_converted_range_belongs_to_it():
    # 10 us is a hair below 1e-5 s in floating point.
    assert len(values("0ms..1ms:10us", "s")) == 101


def test_in_several_dimensions_reals_need_no_step():
    divided = values("1..2 Mb/s", "bit/s", alone=False)
    assert len(divided) == 101
    assert divided[:2] == ["1 Mb/s", "1.01 Mb/s"] and divided[-1] == "2 Mb/s"


@pytest.mark.parametrize(
    ("text", "unit", "words"),
    [
        ("6..2", "count", ["empty", "6 is above 2"]),
        ("2 Mb/s..1 Mb/s:1 kb/s", "bit/s", ["empty"]),
        ("1..2 s", "s", ["needs a step", "1..2 s:0.05 s"]),
        ("1..2", "s", ["1: it is a bare number where a time is needed", "`1 s`"]),
        ("0..1", "fraction", ["needs a step"]),
        ("1..2:0", "count", ["above zero"]),
        ("1..2:-1", "count", ["above zero"]),
        ("a..b", "count", ["`a` is no number"]),
        ("..5", "count", ["is no number"]),
        ("1..5:", "count", ["is no number"]),
        ("1,,2", "count", ["a value is missing"]),
        ("", "count", ["a value is missing"]),
        ("1 s..2 Mb/s:1 s", "s", ["2 Mb/s: it is a rate"]),
        ("1 s..2 Mb/s:1 s", None, ["same unit"]),
        ("0..1e9", "count", [str(MOST)]),
    ],
)
def test_bad_ranges_are_refused(text, unit, words):
    with pytest.raises(InputError) as caught:
        values(text, unit)
    for word in [f"--over x={text}", *words]:
        assert word in str(caught.value)
