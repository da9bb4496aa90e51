"""`airfair.definitions`: closed forms of metrics, against values computed by hand."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import airfair as af
from airfair import definitions


def test_achievement() -> None:
    assert definitions.agi(1.5e6, 2e6) == 0.75
    assert definitions.nagi([0.75, 0.25]) == 0.5
    assert definitions.jain([1.0, 1.0, 0.0, 0.0]) == 0.5


def test_effort() -> None:
    # No packet moves: waiting costs 0.3, and no resource is used.
    assert definitions.eee(0.0, 0.0, 100.0) == 0.3
    assert definitions.uar(0.0, 0.0, 100.0) == 1.0
    assert definitions.eee(99.0, 1.0, 100.0) == pytest.approx(0.983)
    assert definitions.eee(50.0, 50.0, 100.0, a=2.0, b=1.0) == 0.5
    assert definitions.uar(8.0, 6.0, 10.0) == pytest.approx(0.225)
    assert definitions.overhead(1040.0, 1000.0) == pytest.approx(40 / 1040)


def test_aimd() -> None:
    assert definitions.friendly_alpha(0.875) == 0.3125
    assert definitions.window_share(1250.0, 0.06, 10) == 7.5
    assert definitions.congestion_epoch(20.0, alpha=1.25, beta=0.25) == 13.0
    # Square-root law: without timeouts 1 / (RTT sqrt(2 p / 3)).
    assert definitions.gaimd_throughput(0.01, 0.1, 0.0) == pytest.approx(1 / (0.1 * math.sqrt(0.02 / 3)))
    smooth = definitions.gaimd_throughput(p=0.01, rtt=0.1, timeout=0.0, alpha=0.31, beta=0.875)
    assert smooth == pytest.approx(152.479507)
    # One epoch of 11 round trips halves the gap of two flows.
    assert definitions.predicted_time_to_fairness(2, 20.0, 0.1, 1.0, 0.5, 0.8) == pytest.approx(1.1)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: definitions.agi(1.0, 0.0), "the bottleneck's rate is zero"),
        (lambda: definitions.nagi([]), "no networks"),
        (lambda: definitions.jain([0.0]), "the total throughput is zero"),
        (lambda: definitions.eee(1.0, 1.0, 0.0), "the maximum throughput is zero"),
        (lambda: definitions.uar(1.0, 1.0, float("nan")), "the maximum throughput is outside its range"),
        (lambda: definitions.overhead(0.0, 0.0), "the throughput is zero"),
        (lambda: definitions.friendly_alpha(1.0), "beta is outside its range"),
        (lambda: definitions.gaimd_throughput(0.0, 0.1, 1.0), "the loss rate is zero"),
        (lambda: definitions.congestion_epoch(10.0, 0.0, 0.5), "alpha is outside its range"),
        (lambda: definitions.window_share(1.0, 1.0, 0), "no flows"),
        (lambda: definitions.predicted_time_to_fairness(1, 10.0, 0.1, 1.0, 0.5, 0.9), "fewer than two flows"),
    ],
)
def test_undefined_input_is_an_input_error(call: Callable[[], float], reason: str) -> None:
    with pytest.raises(af.InputError, match=reason):
        call()
