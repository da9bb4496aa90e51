"""CUBIC's window against the numbers of ns-3's tests."""

from __future__ import annotations

import pytest

from fidelity import cubic


def test_windows_are_near_the_ranges_of_ns3():
    rows = cubic.ranges().rows
    assert len(rows) == 7
    for row in rows:
        (low, high), (least, most) = ([float(number) for number in cell.split(" to ")] for cell in row[2:4])
        assert least >= 0.92 * low and most <= 1.02 * high, row


def test_peaks_of_congestion_avoidance_are_those_of_ns3():
    _, *later = cubic.peaks().rows
    for _, theirs, their_time, ours, our_time, _ in later:
        assert float(ours) == pytest.approx(float(theirs), rel=0.02)
        assert float(our_time) == pytest.approx(float(their_time), abs=0.5)
