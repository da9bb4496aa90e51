"""The points of `jung/table1` and `jung/mixed`: a WLAN with greedy or with mixed traffic."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, cast

from fidelity import ns2, references, sessions
from fidelity.points import Measurements, Metric, PointSet, Source
from fidelity.sample import Sample

Direction = Literal["download", "upload"]


@dataclass(frozen=True, order=True)
class Table1:
    """A cell of the paper's Table 1, in which all stations are greedy."""

    protocol: str
    direction: Direction
    stations: int

    scenario = "jung/table1"

    @property
    def group(self) -> str:
        """The point's group in pass rates: its protocol and direction."""
        return f"{'udp' if self.protocol == 'udp' else 'reno'} {self.direction}"

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters for this point."""
        return {
            "profile": "ns2",
            "protocol": self.protocol,
            "direction": self.direction,
            "stations": self.stations,
        }

    @property
    def ns2_settings(self) -> dict[str, object]:
        """Settings of ns2/wlan.tcl for this point."""
        return {
            "scenario": "table1",
            "protocol": self.protocol,
            "direction": self.direction,
            "stations": self.stations,
            "rate": f"{16 / self.stations:g}Mb",
            "duration": 40,
        }

    def __str__(self) -> str:
        """The point's name in tables."""
        return f"{self.protocol} {self.direction} n={self.stations}"


@dataclass(frozen=True, order=True)
class Mixed:
    """A point of the paper's mixed traffic: half of the stations are persistent, half intermittent."""

    direction: Direction
    tcp: str
    stations: int
    session_bytes: int
    connection: str

    scenario = "jung/mixed"

    @property
    def group(self) -> str:
        """The point's group in pass rates: its TCP and direction."""
        return f"{self.tcp} {self.direction}"

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters for this point."""
        return {
            "profile": "ns2",
            "direction": self.direction,
            "tcp": self.tcp,
            "stations": self.stations,
            "session_bytes": f"{self.session_bytes} B",
            "connection": self.connection,
        }

    @property
    def ns2_settings(self) -> dict[str, object]:
        """Settings of ns2/wlan.tcl for this point."""
        return {
            "scenario": "mixed",
            "direction": self.direction,
            "tcp": ns2.AGENT[self.tcp],
            "max_window": 10 if self.tcp == "reno-maxwin10" else 0,
            "stations": self.stations,
            "session_bytes": self.session_bytes,
            "connection": self.connection,
        }

    @property
    def fair_share(self) -> float:
        """The paper's fair share of a user in byte/s: 620 and 860 kB/s over the number of users."""
        return (620e3 if self.direction == "download" else 860e3) / self.stations

    def __str__(self) -> str:
        """The point's name in tables."""
        kilobytes = self.session_bytes / 1000
        text = f"{self.direction} {self.tcp} n={self.stations} {kilobytes:g} kB"
        return text + (" renewed" if self.connection == "renewed" else "")


Cell = Table1 | Mixed

#: Number of stations from which on mixed traffic has at least `CROWDED_SEEDS` seeds: seeds differ most there.
CROWDED = 8
CROWDED_SEEDS = 10

#: Metrics that are means over finished sessions, which mean little if many are unfinished.
OF_FINISHED = ("instantaneous_fairness_acked", "instantaneous_fairness_sent", "finish_time_acked_mean")
#: Metrics compared instead of `OF_FINISHED` where ns-2 left sessions unfinished.
OF_UNFINISHED = ("finish_time_acked_median", "sessions_unfinished")


@dataclass(frozen=True)
class Way:
    """How ns-2 is run, beyond the settings of a point."""

    settings: tuple[tuple[str, str], ...] = ()
    #: Whether to count ns-2's segment 0, which is a SYN (Vegas has none). The recorded results took it for data, and so
    #: the last segment but one of a session for its last.
    count_syn: bool = False


RECORDED = Way()
WITHOUT_ROUTING = Way((("routing_period", "1e9"),))
#: ns-2 without routing traffic, without losses to address resolution, and with its SYN counted.
MATCHED = Way((*WITHOUT_ROUTING.settings, ("resolved", "true")), count_syn=True)


def run(way: Way, point: Cell, seed: int) -> dict[str, float]:
    """The metrics of one run of ns2/wlan.tcl, by AirFair's names and in SI units."""
    with tempfile.TemporaryDirectory() as traces:
        lines = ns2.call("wlan.tcl", {**point.ns2_settings, "seed": seed, "traces": traces, **dict(way.settings)})
        if isinstance(point, Table1):
            return ns2.values(lines, ["throughput_total"])
        before = 1 if way.count_syn and point.tcp != "vegas" else 0
        finished = sessions.measure(lines, Path(traces), point.session_bytes, point.fair_share, before)
        return ns2.values(lines, ["throughput_persistent"]) | finished


def recorded(mixed: str) -> Measurements[Cell]:
    """ns-2's results: Table 1, and mixed traffic from the file `mixed`."""
    return references.read("jung_table1.csv", _cell, ["throughput_total"]) | references.read(
        mixed, _mixed, ["throughput_persistent", *OF_FINISHED, *OF_UNFINISHED]
    )


def _cell(row: dict[str, str]) -> Cell:
    return Table1(row["protocol"], cast("Direction", row["direction"]), int(row["stations"]))


def _mixed(row: dict[str, str]) -> Cell:
    return Mixed(
        cast("Direction", row["direction"]),
        row["tcp"],
        int(row["stations"]),
        int(row["session_bytes"]),
        row["connection"],
    )


def compared(point: Cell, theirs: Mapping[str, Sample]) -> tuple[str, ...]:
    """The metrics compared at a point, which depend on whether ns-2 left sessions unfinished there (`theirs`)."""
    if isinstance(point, Table1):
        return ("throughput_total",)
    unfinished = theirs["sessions_unfinished"].mean > 0
    return ("throughput_persistent", *(OF_UNFINISHED if unfinished else OF_FINISHED))


def seeds(point: Cell, n: int) -> int:
    """Number of seeds for a point: `n`, or more with many stations."""
    crowded = isinstance(point, Mixed) and point.stations >= CROWDED
    return max(n, CROWDED_SEEDS) if crowded else n


SET: PointSet[Cell] = PointSet(
    name="jung",
    metrics={
        "throughput_total": Metric("throughput, Mb/s", relative=0.03, scale=1e-6),
        "throughput_persistent": Metric("persistent, Mb/s", relative=0.03, scale=1e-6),
        "instantaneous_fairness_acked": Metric("IF acked", relative=0.08),
        "instantaneous_fairness_sent": Metric("IF sent", relative=0.08),
        "finish_time_acked_mean": Metric("mean finish, s", relative=0.08),
        "finish_time_acked_median": Metric("median finish, s", relative=0.08),
        "sessions_unfinished": Metric("unfinished", relative=0.08, rare=True),
    },
    sources=(
        Source("recorded", partial(recorded, "jung_mixed.csv"), partial(run, RECORDED)),
        Source("matched", partial(recorded, "jung_mixed_matched.csv"), partial(run, MATCHED)),
    ),
    compared=compared,
    seeds=seeds,
    simulator_seeds=3,
    each_group=0.90,
)
