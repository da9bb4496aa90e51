"""AirFair against recorded ns-2 results: a sample of the points that `python -m fidelity` compares."""

from __future__ import annotations

import pytest

import airfair
from fidelity import (
    blefari,
    closed_forms,
    compare,
    counts,
    ghosh,
    handoffs,
    jung,
    lee,
    mamatas,
    ours,
    places,
    tables,
    ties,
    wifi,
)
from fidelity.blefari import Hotspot
from fidelity.deliveries import realtime_index
from fidelity.explanations import cause
from fidelity.ghosh import Lossy
from fidelity.jung import Mixed, Table1
from fidelity.lee import Path
from fidelity.mamatas import Shared
from fidelity.report import Table, update
from fidelity.sample import Sample
from fidelity.ties import Tied

SEEDS = 10

CELLS = [
    Table1("udp", "download", 1),
    Table1("udp", "upload", 8),
    Table1("tcp", "download", 4),
    Table1("tcp", "upload", 1),
    Table1("tcp", "upload", 8),
]
MIXED = [
    Mixed("download", "reno", 4, 10_000, "reuse"),
    Mixed("upload", "reno", 4, 50_000, "reuse"),
    Mixed("download", "reno-maxwin10", 2, 10_000, "reuse"),
    Mixed("upload", "vegas", 4, 10_000, "reuse"),
    Mixed("download", "westwood", 4, 50_000, "reuse"),
    Mixed("upload", "reno", 4, 10_000, "renewed"),
]


LOSSY = [
    Path("tahoe", 50, 1250, 625, loss=0.01),
    Path("reno", 10, 1250, 125, loss=0.001),
    Path("newreno", 100, 1250, 1250, loss=0.01, loss_position="after-queue"),
    Path("sack", 50, 1250, 625, loss=0.01, loss_direction="both"),
    Path("vegas", 10, 1250, 125, loss=0.01),
    Path("westwood", 10, 1250, 125, loss=0.001),
    Path("westwood", 10, 1250, 125, loss=0.001, timestamps=True),
]
SHARED = [
    Shared("wired", 1, 0.5, 10),
    Shared("wired, RED", 1, 0.5, 10),
    Shared("errors 2 %", 1.25, 0.25, 10),
    Shared("errors 1 %, increasing contention", 0.31, 0.875, 10),
    Shared("long handoffs", 1, 0.5, 10),
    Shared("short handoffs", 0.31, 0.875, 5),
    Shared("complex", 1.25, 0.25, 10),
]
LOSSY_HOPS = [
    Lossy("wireless", "reno", 0, 0.1),
    Lossy("wireless", "constant, segment", 8, 0.1),
    Lossy("wireless", "constant, window", 8, 0.1),
    Lossy("wireless", "reno", 0, 0.1, "mac"),
    Lossy("lossy link", "reno", 0, 0.02),
    Lossy("lossy link", "constant, segment", 10, 0.02),
    Lossy("mixed", "reno", 0, 0.1),
    Lossy("mixed", "newreno", 0, 0.1),
    Lossy("mixed", "newreno", 0, 0.1, queue="red"),
    Lossy("mixed", "reno", 0, 0.1, queue="red"),
    Lossy("mixed, lossy links", "constant, window", 16, 0.02, jitter=0.001),
]
HOTSPOTS = [
    Hotspot("R", "none", 1),
    Hotspot("R", "none", 4),
    Hotspot("Rfast", "rate_limiter", 10),
    Hotspot("R", "rate_limiter", 5, 400),
    Hotspot("R", "fixed_window", 10, 200),
    Hotspot("R", "lossless", 15, 250),
]
#: Buffers at which packets arrive at the same time as others leave.
TIED = [Tied(2, 1), Tied(3, 12), Tied(8, 4)]
SATURATED = [
    wifi.Cell("udp", "up", 16, 0, 0),
    wifi.Cell("udp", "up", 8, 0, 5, "mixed"),
    wifi.Cell("udp", "both", 4, wifi.AMPDU, 11),
]
PLACED = [
    places.Row(1, 2, 0, 40, "up", 3, places.AMPDU),
    places.Row(2, 1, 10, 3, "down", 9),
    places.Row(2, 1, 30, 3, "down", 3, places.AMPDU),
    places.Row(2, 1, 80, 20, "down", 5),
]
BY_SET = [
    *((wifi.UDP, point) for point in SATURATED),
    (wifi.TCP, wifi.Cell("tcp", "down", 4, wifi.AMPDU, 5)),
    *((places.SET, point) for point in PLACED),
    *((ties.SET, point) for point in TIED),
    *((blefari.SET, point) for point in HOTSPOTS),
    *((jung.SET, point) for point in [*CELLS, *MIXED]),
    *((lee.SET, point) for point in LOSSY),
    *((mamatas.SET, point) for point in SHARED),
    *((ghosh.SET, point) for point in LOSSY_HOPS),
]


@pytest.mark.parametrize(("point_set", "point"), BY_SET, ids=lambda it: getattr(it, "name", str(it)))
def test_point_is_within_the_bar(point_set, point):
    theirs = point_set.sources[-1].recorded()[point]
    measured = ours.measure_all(point_set, [point], SEEDS)
    compared = compare.compare(point_set, measured, {point: theirs})
    outside = [
        f"{one.name}: {one.ours.mean:.5g} against {one.theirs.mean:.5g}, allowed {one.allowed:.2g}"
        for one in compared
        if not one.within
    ]
    assert not tables.unexplained(point_set, compared), outside


@pytest.mark.parametrize("tcp", lee.TCPS)
def test_flows_without_random_loss_equal_ns2(tcp):
    theirs = {
        path: counted
        for path, counted in lee.SET.sources[0].recorded().items()
        if path.tcp == tcp and path.capacity_mbps == 10 and not path.loss and not cause("counts", path)
    }
    assert len(theirs) >= 3
    measured = ours.measure_all(lee.SET, theirs, 1)
    assert not counts.differences(lee.SET, measured, theirs).rows


def test_every_set_up_is_a_packaged_scenario():
    """Comparisons run packaged scenarios, as users do, not special ones."""
    packaged = {scenario["name"] for scenario in airfair.scenarios()}
    for point_set in (blefari.SET, ghosh.SET, handoffs.SET, jung.SET, lee.SET, mamatas.SET):
        assert {point.scenario for point in point_set.sources[-1].recorded()} <= packaged


def test_westwood_is_compared_without_timestamps_and_with():
    plain, stamped = (Path("westwood", 50, 1250, 625, loss=0.01, timestamps=has) for has in (False, True))
    assert {plain, stamped} <= set(lee.points())
    assert "timestamps" not in plain.parameters
    assert (plain.ns2_settings["timestamps"], stamped.ns2_settings["timestamps"]) == ("false", "true")
    assert plain.group != stamped.group


def test_queues_that_the_packaged_path_cannot_have_are_refused():
    with pytest.raises(ValueError, match="no such queues"):
        _ = Path("reno", 50, 1250, 50).parameters


def test_every_reference_point_is_there():
    jung_recorded, jung_matched = (source.recorded() for source in jung.SET.sources)
    assert len(jung_recorded) == 80
    assert set(jung_matched) == set(jung_recorded)
    assert set(lee.SET.sources[0].recorded()) == set(lee.points())
    assert all(set(source.recorded()) == set(mamatas.points()) for source in mamatas.SET.sources)
    assert set(ghosh.recorded()) == set(ghosh.points())
    alike = {point for point in ghosh.points() if not ghosh.differs(point)}
    assert set(ghosh.matched()) == alike | set(ghosh.matched_points())
    assert set(places.SET.sources[0].recorded()) == set(places.points())


def test_networks_as_far_from_either_end_of_a_row_are_averaged():
    assert places.by_place([1.0, 4.0, 9.0, 6.0, 3.0]) == {
        "throughput_end": 2.0,
        "throughput_next": 5.0,
        "throughput_third": 9.0,
    }


POINT = Mixed("download", "reno", 4, 10_000, "reuse")


def comparison(name, ours, theirs):
    return compare.Comparison(POINT, name, jung.SET.metrics[name], Sample(ours), Sample(theirs))


def test_the_wider_of_two_deviations_and_the_fraction_is_allowed():
    assert comparison("throughput_persistent", (102.9,), (100.0, 100.0)).within
    assert not comparison("throughput_persistent", (103.1,), (100.0, 100.0)).within
    assert comparison("finish_time_acked_mean", (1.07,), (1.0, 1.0)).within
    assert comparison("throughput_persistent", (119.0,), (90.0, 110.0, 100.0)).within
    assert not comparison("throughput_persistent", (121.0,), (90.0, 110.0, 100.0)).within
    assert not comparison("throughput_persistent", (float("nan"),), (100.0, 100.0)).within


def test_unfinished_sessions_change_the_compared_quantities():
    none, some = {"sessions_unfinished": Sample((0.0, 0.0))}, {"sessions_unfinished": Sample((0.0, 1.0))}
    assert "instantaneous_fairness_acked" in jung.compared(POINT, none)
    assert "instantaneous_fairness_acked" not in jung.compared(POINT, some)
    assert "finish_time_acked_median" in jung.compared(POINT, some)


def test_a_cause_may_hold_against_one_of_the_results_only():
    point = Lossy("wireless", "constant, segment", 40, 0.0)
    assert cause("ghosh", point, "timeouts", "recorded") == "RFC793edu (1)"
    assert not cause("ghosh", point, "timeouts", "matched")


def test_rates_are_taken_by_metric_and_by_group():
    within = comparison("throughput_persistent", (100.0,), (100.0,))
    outside = comparison("throughput_persistent", (200.0,), (100.0,))
    by_metric, by_group = compare.rates(jung.SET, [within] * 19 + [outside])
    assert (by_metric.within, by_metric.total, by_metric.holds) == (19, 20, True)
    assert by_group.group == "throughput_persistent, reno download"
    assert not compare.rates(jung.SET, [within] * 18 + [outside] * 2)[0].holds


def test_a_section_of_a_document_is_replaced(tmp_path):
    document = tmp_path / "page.md"
    document.write_text("before\n<!-- a -->\nold\n<!-- /a -->\nafter\n")
    update(document, "a", Table("title", ["x", "y"], [["1", "2"]]).markdown())
    assert document.read_text() == (
        "before\n<!-- a -->\n\n| x | y |\n| --- | ---: |\n| 1 | 2 |\n\n<!-- /a -->\nafter\n"
    )
    with pytest.raises(ValueError, match="0 sections"):
        update(document, "b", "")


def test_padhye_at_its_limits():
    """Rare losses give sqrt(3 / (2 b p)) / RTT (equation 20); a small window gives itself over RTT."""
    assert closed_forms.padhye(1e-7, 0.1, 0.2, 1e9) == pytest.approx((1.5e7) ** 0.5 / 0.1, rel=0.002)
    assert closed_forms.padhye(1e-7, 0.1, 0.2, 20) == pytest.approx(200, rel=0.001)


def test_gaimd_by_hand():
    """0.1 sqrt(0.02 / 3) + 0.2 x 3 sqrt(0.00375) 0.01 x 1.0032 = 0.008164966 + 0.000368599."""
    assert closed_forms.gaimd(0.01, 0.1, 0.2, 1, 0.5) == pytest.approx(1 / 0.008533565, rel=1e-6)


def test_realtime_index_counts_first_arrivals():
    trace = [
        "r 1.00 1 2 tcp 1040 ------- 0 0.0 3.0 0 0",
        "r 1.05 1 2 tcp 1040 ------- 0 0.0 3.0 2 1",
        "r 1.06 1 2 tcp 1040 ------- 1 0.0 3.0 0 2",
        "r 1.07 1 2 tcp 1040 ------- 0 0.0 3.0 2 3",
        "r 1.20 1 2 tcp 1040 ------- 0 0.0 3.0 1 4",
        "r 1.25 1 2 tcp 1040 ------- 0 0.0 3.0 3 5",
    ]
    assert realtime_index(trace, 0.1) == pytest.approx(2 / 3)


def test_effort_by_hand():
    """Two flows that send 3 and 1 Mb/s while they last, the second in the latter half; all of it is useful."""
    sent = [[0, 3 * 60e6 / 8320, 0, 3 * 60e6 / 8320, 0], [30, 30e6 / 8320, 0, 30e6 / 8320, 0]]
    found = mamatas.metrics(sent)
    assert found["throughput"] == pytest.approx(3.5e6)
    assert found["goodput"] == pytest.approx(3.5e6 * 1000 / 1040)
    assert found["eee"] == pytest.approx(0.35 * 40 / 1040 + 0.3 * 0.65)
    assert found["uar"] == pytest.approx(1 - 0.5 * 0.35 - 0.5 * 1000 / 1040)
    assert found["jain"] == pytest.approx(16 / 20)
    assert found["worst_case_fairness"] == pytest.approx(1 / 3)


def test_a_constant_window_by_hand():
    """Two flows that get 3 and 1 packets through, of 5 sent one again, after two timeouts."""
    found = ghosh.metrics([[20.1, 4, 1, 3, 2], [20.2, 1, 0, 1, 0]])
    assert found["goodput_total"] == pytest.approx(4 * 8000 / 450)
    assert found["rexmit_fraction"] == pytest.approx(1 / 5)
    assert found["timeouts"] == 2
    assert found["packets_stddev"] == pytest.approx(1)
    assert found["jain"] == pytest.approx(16 / 20)


def test_stock_ns2_is_not_asked_for_features_it_lacks(monkeypatch):
    stock, sender = Lossy("wireless", "reno", 0, 0.1), Lossy("wireless", "constant, window", 8, 0.1)
    errors = Lossy("mixed", "reno", 0, 0.1, "mac", interface_queue=50)
    monkeypatch.delenv("AIRFAIR_NS2_LIBRARY", raising=False)
    assert [ghosh.runnable(point) for point in (stock, sender, errors)] == [True, False, False]
    monkeypatch.setenv("AIRFAIR_NS2_LIBRARY", "library.so")
    assert all(ghosh.runnable(point) for point in (stock, sender, errors))
