"""The packaged scenario `wifi/anomaly`, and the metrics of fast and slow stations."""

from __future__ import annotations

import pytest

import airfair

#: Bytes of a packet of 1500 in an A-MPDU: delimiter, MAC and LLC headers, FCS, and padding, which the last one lacks.
SUBFRAME, PADDING = 1544, 2
SHORT = {"protocol": "udp", "warmup": "1 s", "duration": "2 s"}


#: These are no aggregates, and for no station alone.
BEACONS = {"wlan.beacon_interval": "20 ms"}


@pytest.mark.parametrize(("given", "packets"), [({}, 3), ({"wlan.ampdu_duration": "4 ms"}, 2), (BEACONS, 3)])
def test_the_aggregates_of_a_slow_station_are_as_long_as_they_may_last(given, packets):
    """At 7.2 Mb/s: 5.484 ms unless the setting says otherwise."""
    run = airfair.run("wifi/anomaly", policy="mac80211", **given, **SHORT)
    assert float(run.metrics["aggregate_mean_slow"]) == packets * SUBFRAME - PADDING


@pytest.mark.parametrize("policy", ["airtime", "mac80211"])
def test_the_slow_station_has_its_third_of_the_air(policy):
    run = airfair.run("wifi/anomaly", policy=policy, protocol="udp", warmup="2 s", duration="10 s")
    assert float(run.metrics["airtime_share_slow"]) == pytest.approx(1 / 3, rel=0.01)


def test_streams_are_in_the_number_of_the_mcs_or_given():
    def throughput(**given):
        run = airfair.run("wifi/anomaly", fast=1, slow=0, policy="airtime", protocol="udp", duration="1 s", **given)
        return float(run.metrics["throughput_total"])

    newest = {"standard": "802.11ax", "guard_interval": "800 ns"}
    assert throughput(fast_mcs=15) == throughput(fast_mcs=7, nss=2) == throughput(fast_mcs=15, nss=2)
    assert throughput(fast_mcs=15, nss=1) == throughput(fast_mcs=7) < throughput(fast_mcs=15)
    assert throughput(fast_mcs=9, nss=1, **newest) > throughput(fast_mcs=7, nss=1, **newest)


@pytest.mark.parametrize("given", [{}, BEACONS])
def test_the_aggregates_of_a_fast_station_are_as_long_as_an_ampdu_may_be(given):
    run = airfair.run("wifi/anomaly", policy="mac80211", **given, **SHORT)
    assert float(run.metrics["aggregate_mean_fast"]) == 65535 // SUBFRAME * SUBFRAME - PADDING


def test_where_all_stations_are_fast_all_packets_count():
    metrics = ["latency_fast_mean", "ap_queue_delay_mean", "latency_fast_p95", "ap_queue_delay_p95"]
    found = airfair.run("wifi/anomaly", slow=0, metrics=[*metrics, "latency_slow_p50"], **SHORT).metrics
    assert float(found["latency_fast_mean"]) == pytest.approx(float(found["ap_queue_delay_mean"]))
    assert float(found["latency_fast_p95"]) == float(found["ap_queue_delay_p95"]) > 0
    assert found["latency_slow_p50"].value is None


def test_each_group_has_its_own_latency():
    """FQ-CoDel above a driver's queue of 128 packets, served in turn: a turn of the slow station's is a long one."""
    metrics = ["latency_fast_p50", "latency_slow_p50"]
    found = airfair.run("wifi/anomaly", policy="fq_codel", metrics=metrics, **SHORT).metrics
    assert float(found["latency_slow_p50"]) > 2 * float(found["latency_fast_p50"])


def test_the_air_is_told_only_if_it_was_asked_for():
    """Metrics of aggregates need every turn on the air; the result does not."""
    result = airfair.run("wifi/anomaly", metrics=["aggregate_mean_fast"], **SHORT)
    assert result.metrics["aggregate_mean_fast"].value
    assert len(result.air) == 0
