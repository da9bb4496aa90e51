"""The cost of a segment as the scenario grows: from few flows to many, over a wire and over the air."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from bench.figures import Figure
from bench.programs import AirFair, Cost, has_ns2, ns2

FLOWS_HEAD = [
    "| Flows | Run | CPU per segment sent | per segment acknowledged | ns-2, acknowledged | Set-up "
    "| World, a flow | Scenario, a flow |",
    "|---|---|---|---|---|---|---|---|",
]
STATIONS_HEAD = [
    "| Stations | Run | CPU per segment sent | per segment acknowledged | per event | ns-2, acknowledged | Set-up |",
    "|---|---|---|---|---|---|---|",
]
#: Name of the figure: the cost of a segment in the largest dumbbell over that in the smallest.
GROWTH = "bench/dumbbell: 100,000 flows over 10"
GROWTH_TARGET = 3.0


@dataclass(frozen=True)
class Size:
    """The size of a scenario, and the length of its run."""

    count: int
    seconds: float
    #: Whether ns-2 runs this size, too: its set-up time grows with the square of the number of nodes.
    with_ns2: bool

    def shorter(self, by: float) -> Size:
        """The size with a shorter run, for `--quick`."""
        return Size(self.count, 1 + self.seconds / by, self.with_ns2)


#: Numbers of flows. The shared link and its queue grow with them: by 1 Mb/s and 2 packets for each flow.
FLOWS = [
    Size(10, 400, with_ns2=True),
    Size(100, 240, with_ns2=True),
    Size(1_000, 12, with_ns2=False),
    Size(10_000, 3, with_ns2=False),
    Size(100_000, 2, with_ns2=False),
]
#: Numbers of stations, which all share one channel.
STATIONS = [
    Size(2, 2000, with_ns2=True),
    Size(8, 2000, with_ns2=True),
    Size(64, 400, with_ns2=True),
    Size(256, 2000, with_ns2=False),
]


@dataclass(frozen=True)
class Measured:
    """One run of one size."""

    ours: Cost
    report: dict[str, float]
    ns2: Cost | None

    def ns_per(self, counted: str) -> float:
        """CPU time in nanoseconds, divided by a count in the report."""
        return self.ours.spent_s * 1e9 / self.report[counted]


def flows(sizes: list[Size], airfair: AirFair, runs: int) -> list[list[Measured]]:
    """Run all dumbbells, then all of them again, so that changes of the machine's load affect every size."""

    def one(size: Size) -> Measured:
        settings = [f"flows={size.count}", f"rate={size.count} Mb/s", f"queue={2 * size.count}"]
        cost, report = airfair.cost("bench/dumbbell", settings, size.seconds)
        theirs = size.with_ns2 and has_ns2()
        beside = ns2("dumbbell", size.count, size.seconds, size.count, 2 * size.count) if theirs else None
        return Measured(cost, report, beside)

    return [[one(size) for size in sizes] for _ in range(runs)]


def stations(sizes: list[Size], airfair: AirFair, runs: int) -> list[list[Measured]]:
    """Run all WLANs, then all of them again, as `flows` does with dumbbells."""

    def one(size: Size) -> Measured:
        cost, report = airfair.cost("bench/wlan", [f"stations={size.count}"], size.seconds)
        theirs = size.with_ns2 and has_ns2()
        return Measured(cost, report, ns2("wlan", size.count, size.seconds + 1) if theirs else None)

    return [[one(size) for size in sizes] for _ in range(runs)]


def growth(rounds: list[list[Measured]]) -> Figure:
    """The cost of a sent segment in the largest size over that in the smallest."""
    sent = [[measured.ns_per("segments_sent") for measured in one] for one in rounds]
    return Figure.of(GROWTH, [one[-1] / one[0] for one in sent], larger_is_better=False)


def flow_rows(sizes: list[Size], rounds: list[list[Measured]]) -> list[str]:
    return [flow_row(size, [one[index] for one in rounds]) for index, size in enumerate(sizes)]


def flow_row(size: Size, measured: list[Measured]) -> str:
    sent, acknowledged, beside, set_up = columns(measured)
    world, scenario = (measured[-1].report[name] / size.count for name in ("world_bytes", "scenario_bytes"))
    return (
        f"| {size.count:,} | {size.seconds:g} s | {sent} | {acknowledged} | {beside} | {set_up} "
        f"| {world:,.0f} B | {scenario:,.0f} B |"
    )


def station_rows(sizes: list[Size], rounds: list[list[Measured]]) -> list[str]:
    return [station_row(size, [one[index] for one in rounds]) for index, size in enumerate(sizes)]


def station_row(size: Size, measured: list[Measured]) -> str:
    sent, acknowledged, beside, set_up = columns(measured)
    event = statistics.median(one.ns_per("events") for one in measured)
    return f"| {size.count:,} | {size.seconds:g} s | {sent} | {acknowledged} | {event:,.0f} ns | {beside} | {set_up} |"


def columns(measured: list[Measured]) -> tuple[str, str, str, str]:
    """The cost of a segment sent, of one acknowledged, of one acknowledged in ns-2, and of the set-up."""
    sent = statistics.median(one.ns_per("segments_sent") for one in measured)
    acknowledged = statistics.median(one.ours.ns_per_segment for one in measured)
    theirs = [one.ns2.ns_per_segment for one in measured if one.ns2 is not None]
    beside = f"{statistics.median(theirs):,.0f} ns" if theirs else ""
    set_up = statistics.median(one.ours.set_up_s for one in measured) * 1e3
    return f"{sent:,.0f} ns", f"{acknowledged:,.0f} ns", beside, f"{set_up:,.1f} ms"
