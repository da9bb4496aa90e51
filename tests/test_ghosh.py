"""The packaged scenarios `ghosh/wireless` and `ghosh/mixed` do as their parameters say."""

from __future__ import annotations

import itertools

import pytest

import airfair
from airfair import Scenario

QUEUES = ("drop_tail", "red", "choke", "codel", "fq_codel")
SCENARIOS = ("ghosh/wireless", "ghosh/mixed")
#: A constant window over lossy links, with delays that can be computed by hand.
PAIR = {"hop": "link", "tcp": "constant", "duration": "60 s"}


def metric(scenario, name, **parameters):
    return float(airfair.run(scenario, **parameters).metrics[name])


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("hop", ["wifi", "link"])
def test_every_combination_is_a_network(name, hop):
    for tcp, queue, error_at, loss, frames in itertools.product(
        ("reno", "constant"), QUEUES, ("above_mac", "mac"), ("wire", "air"), ("all", "data")
    ):
        chosen = {"tcp": tcp, "queue": queue, "error_at": error_at, "above_mac_loss": loss, "mac_frames": frames}
        overrides = [*chosen.items(), ("hop", hop), ("error", "10 %")]
        parameters = Scenario.load(name, overrides).parameters
        assert parameters["duration"]["value"] == 450 and parameters["warmup"]["value"] == 0


@pytest.mark.parametrize("window", [1, 4, 8])
def test_a_window_in_a_round_trip(window):
    """1040 bytes at 10 and 1 Mb/s forward, 40 bytes back, 51 ms each way."""
    round_trip = 2 * 0.051 + 8 * (1040 + 40) * (1 / 10e6 + 1 / 1e6)
    goodput = metric("ghosh/wireless", "goodput_total", cwnd=window, **PAIR)
    assert goodput == pytest.approx(window * 8000 / round_trip, rel=0.02)


def test_the_queue_holds_a_windows_first_burst_or_does_not():
    assert metric("ghosh/wireless", "rexmit_fraction", cwnd=13, **PAIR) == 0
    assert metric("ghosh/wireless", "rexmit_fraction", cwnd=26, **PAIR) > 0.1


@pytest.mark.parametrize("tcp", ["reno", "constant"])
def test_the_macs_retries_hide_losses(tcp):
    lossy = {"tcp": tcp, "error": "10 %", "duration": "60 s"}
    assert metric("ghosh/wireless", "rexmit_fraction", error_at="mac", cwnd=4, **lossy) < 0.03
    for loss in ("wire", "air"):
        sent_again = metric("ghosh/wireless", "rexmit_fraction", error_at="above_mac", above_mac_loss=loss, **lossy)
        assert sent_again > 0.08


def test_the_bottleneck_is_where_the_hop_says():
    wifi = airfair.run("ghosh/mixed", duration="20 s", tcp="constant", cwnd=1)
    link = airfair.run("ghosh/mixed", duration="20 s", tcp="constant", cwnd=8, hop="link")
    assert float(wifi.metrics["goodput_total"]) < 0.6e6 < 8e6 < float(link.metrics["goodput_total"]) < 10e6
    assert wifi.metrics["goodput_mean"].value == pytest.approx(float(wifi.metrics["goodput_total"]) / 20)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("ghosh/wireless", {"cwnd": 0}, "cwnd"),
        ("ghosh/mixed", {"queue": "red", "red_min": "80 %", "red_max": "50 %"}, "min_threshold"),
        ("ghosh/mixed", {"queue": "chocke"}, "did you mean `choke`"),
        ("ghosh/mixed", {"error": "110 %"}, "error"),
    ],
)
def test_bad_input_is_named(name, parameters, message):
    with pytest.raises(airfair.InputError, match=message):
        airfair.run(name, **parameters)
