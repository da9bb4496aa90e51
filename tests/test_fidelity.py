"""AirFair against recorded ns-2 results: some points of everything that `python -m fidelity` compares."""

from __future__ import annotations

import pytest

from fidelity import compare, ours, paths, references
from fidelity.points import Mixed, Table1
from fidelity.report import Table, update
from fidelity.sample import Sample

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


@pytest.mark.parametrize("point", [*CELLS, *MIXED], ids=str)
def test_point_is_within_the_bar(point):
    theirs = (references.table1() | references.matched())[point]
    measured = ours.measure_all([point], SEEDS)
    outside = [
        f"{one.metric}: {one.ours.mean:.5g} against {one.theirs.mean:.5g}, allowed {one.allowed:.2g}"
        for one in compare.compare(measured, {point: theirs})
        if not one.within
    ]
    assert not outside


@pytest.mark.parametrize("tcp", ["tahoe", "reno", "newreno", "sack", "vegas", "westwood"])
def test_single_flows_equal_ns2(tcp):
    at_10_mbps = [flow for flow in paths.references() if flow.tcp == tcp and ("capacity_mbps", "10") in flow.settings]
    flows = [flow for flow in at_10_mbps if not paths.cause(flow)]
    assert len(flows) >= 3
    assert paths.measure(flows) == [flow.theirs for flow in flows]


def test_every_reference_point_is_there():
    assert len(references.table1()) == 16
    assert len(references.mixed()) == 64
    assert set(references.matched()) == set(references.mixed())
    assert len(paths.references()) == 216


POINT = Mixed("download", "reno", 4, 10_000, "reuse")


def comparison(metric, ours, theirs):
    return compare.Comparison(POINT, metric, Sample(ours), Sample(theirs))


def test_the_wider_of_two_deviations_and_the_fraction_is_allowed():
    assert comparison("throughput_persistent", (102.9,), (100.0, 100.0)).within
    assert not comparison("throughput_persistent", (103.1,), (100.0, 100.0)).within
    assert comparison("finish_time_acked_mean", (1.07,), (1.0, 1.0)).within
    assert comparison("throughput_persistent", (119.0,), (90.0, 110.0, 100.0)).within
    assert not comparison("throughput_persistent", (121.0,), (90.0, 110.0, 100.0)).within
    assert not comparison("throughput_persistent", (float("nan"),), (100.0, 100.0)).within


def test_unfinished_sessions_change_what_is_compared():
    none, some = {"sessions_unfinished": Sample((0.0, 0.0))}, {"sessions_unfinished": Sample((0.0, 1.0))}
    assert "instantaneous_fairness_acked" in compare.compared(POINT, none)
    assert "instantaneous_fairness_acked" not in compare.compared(POINT, some)
    assert "finish_time_acked_median" in compare.compared(POINT, some)


def test_rates_are_taken_by_metric_and_by_group():
    within = comparison("throughput_persistent", (100.0,), (100.0,))
    outside = comparison("throughput_persistent", (200.0,), (100.0,))
    by_metric, by_group = compare.rates([within] * 19 + [outside])
    assert (by_metric.within, by_metric.total, by_metric.holds) == (19, 20, True)
    assert by_group.group == "throughput_persistent, reno download"
    assert not compare.rates([within] * 18 + [outside] * 2)[0].holds


def test_a_section_of_a_document_is_replaced(tmp_path):
    document = tmp_path / "page.md"
    document.write_text("before\n<!-- a -->\nold\n<!-- /a -->\nafter\n")
    update(document, "a", Table("title", ["x", "y"], [["1", "2"]]).markdown())
    assert document.read_text() == (
        "before\n<!-- a -->\n\n| x | y |\n| --- | ---: |\n| 1 | 2 |\n\n<!-- /a -->\nafter\n"
    )
    with pytest.raises(ValueError, match="0 sections"):
        update(document, "b", "")
