"""L4S end to end: Prague and DCTCP at queues that mark."""

from __future__ import annotations

import pytest

import airfair as af
from fidelity import l4s


def test_both_kinds_of_flows_have_their_share_and_prague_a_short_queue() -> None:
    found = af.run("l4s/coupled", **{"tcp.delayed_ack": False}).metrics
    assert 0.5 < float(found["low_latency_rate_ratio"]) < 2
    # A packet takes 0.3 ms; De Schepper et al. (arXiv 2209.01078) have 99 % of the queue below 2 ms.
    assert float(found["rtt_low_latency_p99"]) < 0.0123
    # The target is 15 ms.
    assert 0.020 < float(found["rtt_classic_mean"]) < 0.030


def test_prague_alone_fills_the_link_and_loses_nothing() -> None:
    result = af.run("l4s/coupled", classic_flows=0)
    assert float(result.metrics["throughput_low_latency"]) == pytest.approx(40e6 * 1448 / 1500, rel=0.001)
    assert float(result.metrics["drop_rate"]) == 0


def test_dctcp_fills_the_link_and_is_marked_as_its_analysis_has_it() -> None:
    found = af.run(l4s.DCTCP)
    assert float(found.metrics["throughput_total"]) == pytest.approx(50e6 * 1448 / 1500, rel=0.001)
    assert float(found.metrics["drop_rate"]) == 0
    assert l4s.marked(found).mean == pytest.approx(l4s.alpha(50e6 * 0.01 / l4s.PACKET + 20), rel=0.15)
