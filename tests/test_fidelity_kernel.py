"""AirFair against Linux's TCP: recorded results, and a run of each kernel where the machine allows it."""

from __future__ import annotations

import pytest

import airfair
from fidelity import compare, kernel, kernel_receiver, linux, ours, record, tables, virtual
from fidelity.kernel import Cell
from fidelity.sample import Sample

POINTS = [
    Cell("reno", 20, 40, 67),
    Cell("cubic", 20, 40, 67),
    Cell("bbr", 20, 40, 67),
    Cell("bbr", 20, 100, 167),
    Cell("bbr", 5, 100, 42),
]


SETS = {point_set.name: point_set for point_set in (kernel.SET, kernel.VIRTUAL, kernel_receiver.SET)}


#: Where the clock of CUBIC and what an undone timeout gives back decide.
CLOCKS = [
    Cell("cubic", 100, 40, 150, traffic="held"),
    Cell("cubic", 20, 40, 20, traffic="limited"),
    Cell("cubic", 100, 40, 50, traffic="sparse"),
]
#: Of the receiver's points the short ones: the window grows in the first second.
RECEPTIONS = [cell for cell in kernel_receiver.points() if cell.seconds < 15]


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        *((cell, name) for cell in POINTS for name in ("kernel", "kernel-virtual")),
        *((cell, "kernel") for cell in CLOCKS),
        *((cell, "kernel-receiver") for cell in RECEPTIONS),
    ],
    ids=str,
)
def test_a_point_is_within_the_bar_of_the_recorded_kernel(cell, name):
    point_set = SETS[name]
    theirs = {cell: point_set.sources[-1].recorded()[cell]}
    compared = compare.compare(point_set, ours.measure_all(point_set, theirs, 5), theirs)
    assert compared and not tables.unexplained(point_set, compared)


def in_virtual_time(_: object) -> dict[str, float]:
    return {"p99": 2e-6, "worst": 2e-4}


@pytest.mark.parametrize(
    ("name", "points", "latest"),
    [
        ("kernel", kernel.points(), linux.latest),
        ("kernel-virtual", kernel.virtual_points(), in_virtual_time),
        ("kernel-receiver", kernel_receiver.points(), in_virtual_time),
    ],
)
def test_every_point_is_recorded_and_in_time(name, points, latest):
    assert set(SETS[name].sources[0].recorded()) == set(points)
    for source in SETS[name].sources:
        recorded = source.recorded()
        assert {cell for cell in points if not cell.other} <= set(recorded) <= set(points)
        for cell, samples in recorded.items():
            assert set(kernel.SET.compared(cell, samples)) <= set(samples)
            controls = [cell.control, cell.other or cell.control]
            for quantile, most in latest(controls).items():
                assert max(samples[f"lateness_{quantile}"].values) <= most


def test_only_recorded_seeds_are_compared():
    cell = POINTS[0]
    ours_of_two = {cell: {"goodput": Sample((1.0, 3.0)), "queue": Sample((1.0, 3.0))}}
    theirs = {cell: {"goodput": Sample((1.0,)), "queue": Sample((1.0, 3.0))}}
    assert [one.ours.mean for one in compare.compare(kernel.SET, ours_of_two, theirs)] == [1.0, 2.0]


def test_points_that_were_not_run_keep_their_rows_and_rows_have_their_seeds(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "REFERENCES", tmp_path)
    points = [Cell("reno", 5, 10, 10), Cell("bbr", 5, 10, 10)]
    record.write("some.csv", points, [(points[1], 1, {"goodput": 1.0}), (points[0], 1, {"goodput": 2.0})], ["goodput"])
    record.write("some.csv", points, [(points[1], 2, {"goodput": 3.0}), (points[1], 4, {})], ["goodput"])
    rows = [line.split(",") for line in (tmp_path / "some.csv").read_text().splitlines()]
    assert [(row[0], *row[-2:]) for row in rows[1:]] == [("reno", "1", "2"), ("bbr", "2", "3"), ("bbr", "4", "")]


def test_readings_of_the_queue_count_from_the_first_syn_on():
    readings = [(0, 0, 0), (10**9, 4, 2 * 10**9), (2 * 10**9, 4, 6 * 10**9), (3 * 10**9, 0, 7 * 10**9)]
    assert kernel.mean_queue(readings, 0.9, 1.0) == pytest.approx(4)
    assert kernel.mean_queue(readings, 0.0, 3.0) == pytest.approx(7 / 3)


def test_a_write_lasts_until_all_of_it_is_acknowledged():
    """One is acknowledged after 0.5 s, the next after 0.25 s; the others are not."""
    cell = Cell("cubic", 20, 40, 67, traffic="intermittent")
    assert cell.writes[:2] == [(0.0, 1_000_000), (3.0, 1_000_000)]
    flow = {"t": [0.0, 0.5, 3.0, 3.25], "acked": [1, 1_000_001, 1_000_001, 2_000_001]}
    assert kernel.finish_times(flow, cell) == {0: 0.5, 1: 0.25}


def test_airfair_writes_what_the_kernel_writes():
    cell = Cell("cubic", 20, 40, 20, traffic="sparse")
    [outcome] = airfair.run(cell.scenario, **cell.parameters).outcomes
    sessions = outcome.sessions.to_pydict()
    assert list(zip(sessions["start"], sessions["bytes"], strict=True)) == cell.writes
    assert kernel.counted(outcome)["finish_time_last"] == sessions["acked"][-1]


def test_the_second_flow_begins_when_the_kernels_does():
    cell = Cell("cubic", 10, 60, 200, other="bbr")

    def kernel_of(_link, flows, *_):
        starts.append(flows[1]["start"])
        raise LookupError

    starts: list[float] = []
    for seed in (1, 2):
        with pytest.raises(LookupError):
            kernel.record(kernel_of, cell, seed)
        parameters = {**cell.parameters, **kernel.SET.parameters(cell, seed), "duration": "1 s"}
        series = airfair.run(cell.scenario, traces="cwnd", **parameters).series.to_pydict()
        begin = {
            flow: time for time, flow in sorted(zip(series["time_s"], series["subject"], strict=True), reverse=True)
        }
        assert begin == {"first": 0, "second": pytest.approx(starts[-1])}
    assert starts[0] != starts[1]


def test_a_run_with_a_late_write_is_made_again(monkeypatch):
    in_time = {"lateness": {"p99_ns": 0, "worst_ns": 0}}
    monkeypatch.setattr(linux, "bottleneck", lambda: "")

    def kept(*controls: str) -> object:
        runs = iter([0.02, 0.006, 0.0])
        monkeypatch.setattr(linux, "attempt", lambda *_: {"link": in_time, "flows": [{"late": next(runs)}]})
        return linux.run({}, [{"control": control} for control in controls], 1)["flows"]

    assert kept("cubic", "bbr") == [{"late": 0.006}]
    assert kept("bbr") == [{"late": 0.0}]


def _check_a_run(runner):
    """As much as 5 % goes from a link of 10 Mb/s to headers and the start; CUBIC leaves no more unused."""
    link = kernel.link(Cell("cubic", 10, 20, 34), 1)
    found = runner(link, [{"control": "cubic", "start": 0, "writes": []}], 3)
    last = dict(zip(found["columns"], found["flows"][0]["rows"][-1], strict=True))
    assert 0.9 < last["acked"] * 8 / 3 / 10e6 < 1448 / 1500
    assert 20_000 < last["min_rtt_us"] < 24_000
    assert 10 < max(held for _, held, _ in found["link"]["queue"]) <= 34
    assert last["retransmitted"] <= found["link"]["dropped"]
    return found


def test_the_kernel_itself():
    if reason := linux.unavailable():
        pytest.skip(reason)
    try:
        _check_a_run(linux.run)
    except linux.LateError as late:
        pytest.skip(str(late))


def test_where_the_kernel_cannot_be_run_the_reason_is_told(monkeypatch, capsys):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("sys.argv", ["record", "kernel"])
    assert record.main() == 2
    assert capsys.readouterr().err == "the kernel's TCP cannot be run here: not installed: ip, unshare, cargo\n"


def test_in_virtual_time_nothing_is_late():
    if reason := virtual.unavailable():
        pytest.skip(reason)
    assert _check_a_run(virtual.run)["link"]["lateness"]["worst_ns"] < 10_000
