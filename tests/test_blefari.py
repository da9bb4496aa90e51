"""The packaged scenario `blefari/hotspot`, and its comparison with ns-2."""

from __future__ import annotations

import pytest

import airfair
from fidelity import blefari
from fidelity.blefari import Hotspot

POLICIES = ["none", "rate_limiter", "lossless", "red", "codel", "pie", "dualpi2", "fq_codel", "cake", "airtime_drr"]


def hotspot(**parameters):
    return airfair.run("blefari/hotspot", duration="20 s", **parameters)


def flows(result):
    return [(row["flow"], row["from"], row["to"], row["direction"]) for row in result.flows.to_polars().to_dicts()]


def test_as_many_download_as_upload_unless_set():
    assert flows(hotspot(up=2)) == [
        ("up0", "sta0", "server", "up"),
        ("up1", "sta1", "server", "up"),
        ("down0", "server", "sta2", "down"),
        ("down1", "server", "sta3", "down"),
    ]
    assert [name for name, *_ in flows(hotspot(up=2, down=1))] == ["up0", "up1", "down0"]
    assert [name for name, *_ in flows(hotspot(up=1, down=0))] == ["up0"]
    assert [name for name, *_ in flows(hotspot(up=0, down=1))] == ["down0"]


def test_defaults_are_those_of_the_paper():
    resolved = airfair.Scenario.load("blefari/hotspot", []).parameters
    values = {name: entry["value"] for name, entry in resolved.items()}
    expected = {
        "policy": "none",
        "rtt": 0.0002,
        "limiter_rate": 2.3e6,
        "limiter_bucket": 200 * 1500,
        "buffer": 100,
        "window": 43,
        "segment_bytes": 1460,
        "wired_rate": 100e6,
        "warmup": 20.0,
        "duration": 100.0,
    }
    assert {name: values[name] for name in expected} == expected


@pytest.mark.parametrize("policy", POLICIES)
def test_a_policy_acts_where_it_says(policy):
    metrics = hotspot(up=10, policy=policy).metrics
    assert (metrics["limiter_drop_rate"].value is not None) == (policy == "rate_limiter")
    dropped = float(metrics["ap_drop_rate"])
    if policy == "none":
        assert dropped > 0.4
    elif policy == "lossless":
        # 20 windows of 5 packets fill exactly the buffer: almost no packet is lost.
        assert dropped < 0.001
    elif policy == "rate_limiter":
        assert float(metrics["limiter_drop_rate"]) > 0.01
        assert float(metrics["throughput_up_ip"]) < 2.3e6
    else:
        assert float(metrics["throughput_ip"]) > 1e6


def test_ecn_marks_instead_of_dropping():
    marked = hotspot(up=2, policy="codel", ecn=True).metrics
    assert float(marked["ap_mark_rate"]) > 0
    assert float(hotspot(up=2, policy="codel").metrics["ap_mark_rate"]) == 0


def test_a_window_shares_the_buffer():
    assert [Hotspot("R", "lossless", n).share for n in (1, 2, 4, 10, 30)] == [43, 25, 12, 5, 1]
    assert Hotspot("R", "fixed_window", 5, shared_buffer=98).share == 9


def test_ns2_runs_the_same_settings():
    point = Hotspot("R", "lossless", 10, 200)
    assert point.parameters == {"up": 10, "down": 10, "policy": "lossless", "rtt": "200 ms"}
    settings = point.ns2_settings
    assert (settings["window"], settings["wired_delay"], "limiter" in settings) == (5, "100ms", False)
    assert Hotspot("R", "rate_limiter", 1).ns2_settings["wired_delay"] == "0.1ms"


def test_metrics_of_flows_by_hand():
    """Up: 0.4 and 1.2 Mb/s of payload; down: 0.8 Mb/s and nothing."""
    found = blefari.metrics([("up", 5e6, 1), ("up", 15e6, 0), ("down", 10e6, 2), ("down", 0, 7)])
    assert found["throughput_up_ip"] == pytest.approx(1.6e6 * 1500 / 1460)
    assert found["throughput_ip"] == pytest.approx(2.4e6 * 1500 / 1460)
    assert found["sigma_over_mean_up"] == pytest.approx(0.5)
    assert found["sigma_over_mean_down"] == pytest.approx(1.0)
    assert (found["starved_up"], found["starved_down"], found["timeouts"]) == (0, 1, 10)


def test_every_reference_point_is_there():
    for source in blefari.SET.sources:
        recorded = source.recorded()
        assert set(recorded) == set(blefari.points())
        assert all(len(samples["throughput_ip"]) >= 5 for samples in recorded.values())


def test_rewriting_is_compared_with_fixed_windows():
    recorded = blefari.SET.sources[0].recorded()
    fixed, rewritten = (recorded[Hotspot("R", policy, 15, 250)] for policy in blefari.WINDOWS)
    assert fixed == rewritten
