"""CUBIC's window against the numbers of ns-3's tests."""

from __future__ import annotations

import pytest

from fidelity import cubic


def test_the_saw_tooth_is_in_the_range_of_ns3():
    rows = cubic.ranges().rows
    assert len(rows) == 7
    # The others are of an instant: they hold for ns-3's phase of the saw-tooth alone (docs/fidelity/cubic.md).
    whole = [row for row in rows if row[1] == "1 to 19"]
    assert len(whole) == 2
    for row in whole:
        (low, high), (least, most) = ([float(number) for number in cell.split(" to ")] for cell in row[2:4])
        assert low <= least and most <= high, row


def test_peaks_of_congestion_avoidance_are_those_of_ns3():
    _, *later = cubic.peaks().rows
    for _, theirs, their_time, ours, our_time, _ in later:
        assert float(ours) == pytest.approx(float(theirs), rel=0.02)
        assert float(our_time) == pytest.approx(float(their_time), abs=0.5)
