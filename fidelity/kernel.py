"""The TCP of Linux 6.18: Reno, CUBIC and BBR alone, against each other, and in bursts.

It is run in real time by the running kernel, and in virtual time by User-mode Linux.
"""

from __future__ import annotations

import random
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
#: Bursts: their size in byte, the time from one to the next in s, and the interval in s at which ACKs are sampled.
BURST, PERIOD, LOOK = 1_000_000, 3.0, 0.002
#: AirFair's name of each congestion control of Linux.
CONTROLS = {"reno": "sack", "cubic": "cubic", "bbr": "bbr"}


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
    traffic: str = "persistent"

    #: Whether the receiver's buffer has Linux's usual size; else it never limits a flow.
    usual_receiver = False

    @property
    def scenario(self) -> str:
        """The path of AirFair's scenario file."""
        return str(Path(__file__).parent / "scenarios" / "kernel.toml")

    @property
    def duration(self) -> int:
        """Length of a run in s, from the first SYN on."""
        return 40 if self.other else 15

    @property
    def group(self) -> str:
        """The point's group in pass rates: its congestion controls."""
        return f"{self.control} and {self.other}" if self.other else self.control

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters for this point."""
        return {
            "tcp": CONTROLS[self.control],
            "other": CONTROLS[self.other or self.control],
            "flows": 2 if self.other else 1,
            "rate": f"{self.rate_mbps} Mb/s",
            "rtt": f"{self.rtt_ms} ms",
            "buffer": self.buffer,
            "loss": self.loss,
            "traffic": self.traffic,
            "burst": f"{BURST} B",
            "period": f"{PERIOD} s",
            "duration": f"{self.duration} s",
        }

    def __str__(self) -> str:
        """The point's name in tables."""
        link = f"{self.rate_mbps} Mb/s, {self.rtt_ms} ms, {self.buffer} packets"
        loss = f", loss {self.loss:.1%}".replace("%", " %") if self.loss else ""
        return f"{self.group}, {link}{loss}{', bursts' if self.traffic == 'intermittent' else ''}"


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
    return [*alone, *lossy, *shared, *bursts]


def virtual_points() -> list[Cell]:
    """The points that User-mode Linux runs. Two flows at 50 Mb/s are left out: a run takes it a minute."""
    return [cell for cell in points() if not cell.other or cell.rate_mbps < 50]


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
    bursts = cell.traffic == "intermittent"
    flow = {
        "start": 0,
        "burst": BURST if bursts else 0,
        "period": PERIOD,
        "usual_receiver": cell.usual_receiver,
    }
    flows = [{**flow, "control": cell.control}]
    if cell.other:
        flows.append({**flow, "control": cell.other, "start": random.Random(seed).random()})
    found = runner(link(cell, seed), flows, cell.duration, LOOK if bursts else linux.INTERVAL)
    series = [
        {"start": [one["start"]], **dict(zip(found["columns"], map(list, zip(*one["rows"], strict=True)), strict=True))}
        for one in found["flows"]
    ]
    return series, found["link"]


def link(cell: Cell, seed: int) -> dict[str, float]:
    """The bottleneck's settings for a point."""
    return {
        "rate_bps": cell.rate_mbps * 1_000_000,
        "delay_ns": cell.rtt_ms * 500_000,
        "queue_packets": cell.buffer,
        "loss": cell.loss,
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
    if cell.traffic == "intermittent":
        found["finish_time_acked_mean"] = finish_time(flows[0], cell)
    else:
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


def finish_time(flow: Mapping[str, list[float]], cell: Cell) -> float:
    """Mean time in s from the start of a burst until all of it is acknowledged, over bursts that are acknowledged."""
    times = []
    for number in range(int(cell.duration / PERIOD)):
        # The kernel counts the SYN as a byte.
        end = (number + 1) * BURST + 1
        done = next((t for t, acked in zip(flow["t"], flow["acked"], strict=True) if acked >= end), None)
        if done is not None:
            times.append(done - number * PERIOD)
    return _mean(times)


def counted(outcome: _engine.Outcome) -> dict[str, float]:
    """The values of AirFair's outcome that are compared."""
    flows, links = outcome.flows.to_pydict(), outcome.links.to_pydict()
    goodput, queue = sum(flows["throughput"]), links["queue_mean"][0]
    return {
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
    if cell.traffic == "intermittent":
        return ["finish_time_acked_mean"]
    return ["goodput_bbr", "queue_bbr"] if cell.control == "bbr" else ["goodput", "queue"]


def _seeds(cell: Cell, asked: int) -> int:
    """Number of seeds for a point: `asked`, but 2 if the runs are nearly deterministic.

    Runs with random loss, with two flows, or with BBR, whose bandwidth varies in real time, are not.
    """
    return asked if cell.loss or cell.other or cell.control == "bbr" else min(asked, 2)


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
}
#: Further values of the kernel's runs, which help to find causes.
OTHERS = ("rtt_mean", "cwnd_mean", "rexmit_fraction", *(f"lateness_{name}" for name in linux.LATEST))
RECORDED = (*METRICS, *OTHERS)

SET: PointSet[Cell] = PointSet(
    name="kernel",
    metrics=METRICS,
    sources=(Source("Linux", partial(_recorded, FILE), partial(run, linux.run)),),
    simulator="Linux",
    compared=compared,
    counted=counted,
    seeds=_seeds,
    simulator_seeds=5,
    pairs_losses=True,
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
