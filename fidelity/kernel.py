"""The TCP of Linux 6.18: Reno, CUBIC and BBR alone, against each other, through outages, in bursts and in messages.

It is run in real time by the running kernel, and in virtual time by User-mode Linux.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fidelity import linux, references, virtual
from fidelity.points import Measurements, Metric, PointSet, Source

if TYPE_CHECKING:
    from airfair import _engine

FILE = "kernel.csv"
#: Files of results in virtual time, by the version of User-mode Linux. The last version is that of the running kernel.
VIRTUAL_FILES = {"6.12": "kernel_virtual_6_12.csv", "6.18": "kernel_virtual.csv"}
#: Size of a full segment with its headers, in byte.
PACKET = 1500
#: Payload of a full segment in byte.
PAYLOAD = 1448
#: Interval in s at which ACKs are sampled where it matters when a write is acknowledged.
LOOK = 0.002
#: AirFair's name of each congestion control of Linux.
CONTROLS = {"reno": "sack", "cubic": "cubic", "bbr": "bbr"}


@dataclass(frozen=True)
class Work:
    """What a flow writes, and what the link does meanwhile."""

    #: Name in tables.
    name: str
    #: The metrics compared.
    metrics: tuple[str, ...]
    #: Length of a run in s, from the first SYN on.
    duration: int = 15
    #: Interval in s at which ACKs are sampled.
    look: float = linux.INTERVAL
    #: For how much of each period the link holds its packets, in s.
    outage: float = 0.0
    #: Time from one outage to the next, in s; the first one begins after half of it.
    period: float = 4.0
    #: Each write's time in s after the SYN and its size in byte, by the link's rate in bit/s; none: the flow writes
    #: without end.
    writes: Callable[[int], list[tuple[float, int]]] = lambda _: []


def _limited(rate: int, gap: float) -> list[tuple[float, int]]:
    """What the link sends in 2 s at once; two segments each `gap` s from 6 to 14 s; the same as at first at once."""
    small = [(round(6 + gap * number, 2), 2 * PAYLOAD) for number in range(round(8 / gap))]
    return [(0.0, rate * 2 // 8), *small, (14.0, rate * 2 // 8)]


def _small(gap: float) -> Work:
    return Work(
        f"{gap * 1000:g} ms between small writes",
        ("finish_time_last",),
        duration=20,
        look=LOOK,
        writes=partial(_limited, gap=gap),
    )


#: The work of flows, by its name in records.
WORKS = {
    "persistent": Work("", ("goodput", "queue")),
    "intermittent": Work(
        "bursts",
        ("finish_time_acked_mean",),
        look=LOOK,
        writes=lambda _: [(3.0 * number, 1_000_000) for number in range(5)],
    ),
    "held": Work("outages", ("goodput", "queue"), duration=20, outage=0.4),
    # Over 60 ms and more, the first outage finds BBR in its STARTUP, and the others in slow start.
    "early": Work("early outages", ("goodput", "queue"), duration=6, outage=0.5, period=1.2),
    # At 40 ms something is in flight all the time, or nothing before each write.
    "limited": _small(0.02),
    "sparse": _small(0.1),
    "messages": Work(
        "messages",
        ("finish_time_acked_mean", "rexmit_fraction"),
        look=0.0001,
        # No multiple of the kernel's tick of 4 ms, so that messages begin at all of its phases.
        writes=lambda _: [(round(0.0507 * number, 4), 20_000) for number in range(290)],
    ),
}


@dataclass(frozen=True, order=True)
class Cell:
    """A point: one or two flows over the bottleneck."""

    control: str
    rate_mbps: int
    rtt_ms: int
    #: Queue of the bottleneck in packets.
    buffer: int
    loss: float = 0.0
    #: Control of the second flow, which begins within a second of the first; empty: there is no second flow.
    other: str = ""
    #: The work of each flow, a key of `WORKS`.
    traffic: str = "persistent"

    #: Whether the receiver's buffer has Linux's usual size; else it never limits a flow.
    usual_receiver = False

    @property
    def scenario(self) -> str:
        """The path of AirFair's scenario file."""
        return str(Path(__file__).parent / "scenarios" / "kernel.toml")

    @property
    def work(self) -> Work:
        """The work of each flow."""
        return WORKS[self.traffic]

    @property
    def writes(self) -> list[tuple[float, int]]:
        """The time of each write in s after the SYN, and its size in byte; none if a flow writes without end."""
        return self.work.writes(self.rate_mbps * 1_000_000)

    @property
    def duration(self) -> int:
        """Length of a run in s, from the first SYN on."""
        return 40 if self.other else self.work.duration

    @property
    def group(self) -> str:
        """The point's group in pass rates: its congestion controls and its work."""
        return self._named()

    def _named(self, link: str = "") -> str:
        controls = f"{self.control} and {self.other}" if self.other else self.control
        return ", ".join(part for part in (controls, link, self.work.name) if part)

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters for this point."""
        writes = "; ".join(f"{at}, {size}" for at, size in self.writes)
        return {
            "tcp": CONTROLS[self.control],
            "other": CONTROLS[self.other or self.control],
            "flows": 2 if self.other else 1,
            "rate": f"{self.rate_mbps} Mb/s",
            "rtt": f"{self.rtt_ms} ms",
            "buffer": self.buffer,
            "loss": self.loss,
            "outage": f"{self.work.outage} s",
            "period": f"{self.work.period} s",
            "duration": f"{self.duration} s",
            **({"traffic": "trace", "flow.first.trace": writes} if writes else {}),
        }

    def __str__(self) -> str:
        """The point's name in tables."""
        link = f"{self.rate_mbps} Mb/s, {self.rtt_ms} ms, {self.buffer} packets"
        loss = f", loss {self.loss:.1%}".replace("%", " %") if self.loss else ""
        return self._named(link + loss)


def points() -> list[Cell]:
    """All points."""
    alone = [
        Cell(control, rate, rtt, max(1, round(part * max(20, bdp(rate, rtt)))))
        for control, rate, rtt, part in product(CONTROLS, (5, 20, 100), (10, 40, 100), (0.5, 1, 2))
    ]
    lossy = [
        Cell(control, rate, rtt, max(20, bdp(rate, rtt)), loss)
        for control, rate, rtt, loss in product(CONTROLS, (20, 100), (20, 80), (0.001, 0.01))
    ]
    shared = [
        Cell(control, rate, rtt, part * bdp(rate, rtt), other=other)
        for (control, other), rate, rtt, part in product(
            (("reno", "cubic"), ("cubic", "bbr")), (10, 50), (20, 60), (1, 4)
        )
    ]
    bursts = [
        Cell(control, rate, rtt, bdp(rate, rtt), traffic="intermittent")
        for control, (rate, rtt) in product(CONTROLS, ((20, 40), (100, 20)))
    ]
    held = [
        Cell(control, rate, 40, buffer, traffic="held")
        for control, (rate, buffer) in product(CONTROLS, ((20, 150), (100, 150)))
    ]
    early = [
        Cell(control, rate, rtt, bdp(rate, rtt), traffic="early")
        for control, (rate, rtt) in product(CONTROLS, ((20, 40), (20, 100), (50, 60), (100, 100)))
    ]
    limited = [
        Cell(control, rate, 40, buffer, traffic=traffic)
        for (control, traffic), (rate, buffer) in product(
            (("reno", "limited"), ("cubic", "limited"), ("cubic", "sparse")), ((20, 20), (100, 50))
        )
    ]
    messages = [Cell("cubic", rate, rtt, 8, traffic="messages") for rate, rtt in product((20, 100), (2, 4))]
    return [*alone, *lossy, *shared, *bursts, *held, *early, *limited, *messages]


def virtual_points() -> list[Cell]:
    """The points that User-mode Linux runs. Two flows at 50 Mb/s are left out: a run takes it a minute."""
    return [
        cell
        for cell in points()
        if cell.traffic in ("persistent", "intermittent") and not (cell.other and cell.rate_mbps >= 50)
    ]


def bdp(rate_mbps: int, rtt_ms: int) -> int:
    """The bandwidth-delay product in packets."""
    return round(rate_mbps * 1e6 * rtt_ms / 1e3 / 8 / PACKET)


#: Runs a kernel, as :func:`fidelity.linux.run` does.
Runner = Callable[[Mapping[str, object], Sequence[Mapping[str, object]], float, float], dict[str, Any]]


def run(runner: Runner, cell: Cell, seed: int) -> dict[str, float]:
    """The metrics of one run of a kernel."""
    return _measured(cell, *record(runner, cell, seed))


def record(runner: Runner, cell: Cell, seed: int) -> tuple[list[dict[str, list[float]]], dict[str, Any]]:
    """Run a kernel; returns each flow's TCP_INFO over time, by the names of its fields, and the bottleneck's report."""
    flow = {"start": 0, "writes": cell.writes, "usual_receiver": cell.usual_receiver}
    flows = [{**flow, "control": cell.control}]
    if cell.other:
        flows.append({**flow, "control": cell.other, "start": second_start(seed)})
    found = runner(link(cell, seed), flows, cell.duration, cell.work.look)
    series = [
        {"start": [one["start"]], **dict(zip(found["columns"], map(list, zip(*one["rows"], strict=True)), strict=True))}
        for one in found["flows"]
    ]
    return series, found["link"]


def second_start(seed: int) -> float:
    """When the second flow begins, in s after the first one's SYN."""
    return random.Random(seed).random()


def link(cell: Cell, seed: int) -> dict[str, float]:
    """The bottleneck's settings for a point."""
    return {
        "rate_bps": cell.rate_mbps * 1_000_000,
        "delay_ns": cell.rtt_ms * 500_000,
        "queue_packets": cell.buffer,
        "loss": cell.loss,
        "outage_ns": round(cell.work.outage * 1e9),
        "period_ns": round(cell.work.period * 1e9),
        "seed": seed,
    }


def _measured(cell: Cell, flows: Sequence[Mapping[str, list[float]]], report: Mapping[str, Any]) -> dict[str, float]:
    acked = [flow["acked"][-1] for flow in flows]
    begin = flows[0]["start"][0] - report["start_ns"] / 1e9
    found = {
        name: sum(acked) * 8 / cell.duration
        if name.startswith("goodput")
        else mean_queue(report["queue"], begin, cell.duration)
        for name in compared(cell)
        if name.startswith(("goodput", "queue"))
    }
    if cell.other:
        found["share"] = acked[0] / sum(acked)
    if cell.writes:
        times = finish_times(flows[0], cell)
        found["finish_time_acked_mean"] = _mean(list(times.values()))
        if (last := len(cell.writes) - 1) in times:
            found["finish_time_last"] = times[last]
    found["rtt_mean"] = _mean(flows[0]["srtt_us"]) / 1e6
    found["cwnd_mean"] = sum(_mean(flow["cwnd"]) for flow in flows) / len(flows)
    found["rexmit_fraction"] = sum(flow["retransmitted"][-1] for flow in flows) / sum(
        flow["sent"][-1] for flow in flows
    )
    return {**found, **{f"lateness_{name}": report["lateness"][f"{name}_ns"] / 1e9 for name in linux.LATEST}}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def mean_queue(readings: Sequence[tuple[int, int, int]], begin: float, duration: float) -> float:
    """Mean number of packets in the queue, from readings of time (ns), packets, and their integral over time."""
    first = next(one for one in readings if one[0] >= begin * 1e9)
    last = next((one for one in readings if one[0] >= (begin + duration) * 1e9), readings[-1])
    return (last[2] - first[2]) / (last[0] - first[0])


def finish_times(flow: Mapping[str, list[float]], cell: Cell) -> dict[int, float]:
    """Time in s from the start of each write until all of it is acknowledged, by its number, if it is acknowledged."""
    times = {}
    # The kernel counts the SYN as a byte.
    end = 1
    for number, (begin, size) in enumerate(cell.writes):
        end += size
        if (row := bisect_left(flow["acked"], end)) < len(flow["t"]):
            times[number] = flow["t"][row] - begin
    return times


def counted(outcome: _engine.Outcome) -> dict[str, float]:
    """The values of AirFair's outcome that are compared."""
    flows, links = outcome.flows.to_pydict(), outcome.links.to_pydict()
    goodput, queue = sum(flows["throughput"]), links["queue_mean"][0]
    acked = outcome.sessions.to_pydict()["acked"]
    return {
        **({"finish_time_last": acked[-1]} if acked and acked[-1] is not None else {}),
        "goodput": goodput,
        "goodput_bbr": goodput,
        "queue": queue,
        "queue_bbr": queue,
        "share": flows["throughput"][0] / goodput,
        "rtt_mean": flows["rtt_mean"][0],
    }


def compared(cell: Cell, _: object = None) -> list[str]:
    """The metrics compared at a point."""
    if cell.other:
        return ["share"]
    of_bbr = ("goodput", "queue") if cell.control == "bbr" else ()
    return [f"{name}_bbr" if name in of_bbr else name for name in cell.work.metrics]


def _seeds(cell: Cell, asked: int) -> int:
    """Number of seeds for a point: `asked`, but 2 if the runs are nearly deterministic.

    Runs with random loss, with two flows, or with BBR, whose bandwidth varies in real time, are not. Of outages, small
    writes and messages not much is known.
    """
    steady = cell.traffic in ("persistent", "intermittent")
    return min(asked, 2) if steady and not (cell.loss or cell.other or cell.control == "bbr") else asked


def _recorded(file: str) -> Measurements[Cell]:
    return references.read(file, _cell, RECORDED)


def _cell(row: Mapping[str, str]) -> Cell:
    numbers = {name: int(row[name]) for name in ("rate_mbps", "rtt_ms", "buffer")}
    return Cell(row["control"], **numbers, loss=float(row["loss"]), other=row["other"], traffic=row["traffic"])


#: The metrics. Their tolerances apply to means over runs, however much the runs deviate.
METRICS = {
    "goodput": Metric("goodput, Mb/s", relative=0.05, deviations=0, scale=1e-6),
    "queue": Metric("mean queue, packets", relative=0.1, deviations=0),
    "goodput_bbr": Metric("goodput, Mb/s", relative=0.1, deviations=0, scale=1e-6),
    "queue_bbr": Metric("mean queue, packets", relative=0.1, deviations=0),
    "share": Metric("first flow's share", absolute=0.05, deviations=0),
    "finish_time_acked_mean": Metric("a burst's time, s", relative=0.05, deviations=0),
    "finish_time_last": Metric("the last write's time, s", relative=0.05, deviations=0),
    "rexmit_fraction": Metric("sent again, %", relative=0.1, deviations=0, scale=100),
}
#: Further values of the kernel's runs, which help to find causes.
OTHERS = ("rtt_mean", "cwnd_mean", *(f"lateness_{name}" for name in linux.LATEST))
RECORDED = (*METRICS, *OTHERS)

SET: PointSet[Cell] = PointSet(
    name="kernel",
    metrics=METRICS,
    sources=(Source("Linux", partial(_recorded, FILE), partial(run, linux.run)),),
    simulator="Linux",
    compared=compared,
    counted=counted,
    parameters=lambda cell, seed: {"second": f"{second_start(seed)} s"} if cell.other else {},
    seeds=_seeds,
    simulator_seeds=5,
    paired=True,
    all_points=0.9,
    each_group=0.9,
)

#: Like `SET`, for a kernel whose clock stands still while anything computes.
VIRTUAL: PointSet[Cell] = replace(
    SET,
    name="kernel-virtual",
    sources=tuple(
        Source(version, partial(_recorded, file), partial(run, virtual.run)) for version, file in VIRTUAL_FILES.items()
    ),
    simulator="User-mode Linux",
)
