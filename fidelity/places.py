"""Networks of 802.11ax with places on one channel against ns-3: saturated UDP, hidden stations, networks in a row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from fidelity import ns3, references
from fidelity.points import Measurements, Metric, PointSet, Source

if TYPE_CHECKING:
    from airfair import _engine

#: Length of the measured time, which follows the warm-up, and of the warm-up, in s.
DURATION, WARMUP = 4, 1
#: Maximum length of an A-MPDU in byte.
AMPDU = 65535
FILE = "wifi_places.csv"


@dataclass(frozen=True, order=True)
class Row:
    """A point: access points in a row, `spacing` m apart, each with stations `reach` m away.

    If an access point has two stations, they are along the row.
    """

    networks: int
    stations: int
    spacing: int
    reach: int
    direction: str
    mcs: int
    #: Maximum length of an A-MPDU in byte; 0: no aggregation.
    ampdu: int = 0
    rts: bool = False

    @property
    def scenario(self) -> str:
        """The path of AirFair's scenario file."""
        return str(Path(__file__).parent / "scenarios" / "places.toml")

    @property
    def group(self) -> str:
        """The point's group in pass rates: the number of networks."""
        return "one network" if self.networks == 1 else "two networks" if self.networks == 2 else "more networks"

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters for this point."""
        return {
            **{name: getattr(self, name) for name in ("networks", "stations", "direction", "mcs")},
            **{name: f"{getattr(self, name)} m" for name in ("spacing", "reach")},
            "ampdu": f"{self.ampdu} B",
            **({"rts": "0 B"} if self.rts else {}),
            "warmup": f"{WARMUP} s",
            "duration": f"{DURATION} s",
        }

    def __str__(self) -> str:
        """The point's name in tables."""
        row = "1 network" if self.networks == 1 else f"{self.networks} networks {self.spacing} m apart"
        stations = f"2 stations {self.reach} m left and right" if self.stations == 2 else f"stations at {self.reach} m"
        frames = ("A-MPDU" if self.ampdu else "single frames") + (", RTS" if self.rts else "")
        return f"{row}, {stations}, {self.direction}, MCS {self.mcs}, {frames}"


def points() -> list[Row]:
    """All points."""
    return [
        # The stations hear each other, or are hidden from each other.
        *(Row(1, 2, 0, 20, "up", 3, ampdu) for ampdu in (0, AMPDU)),
        *(Row(1, 2, 0, 40, "up", 3, ampdu, rts) for ampdu in (0, AMPDU) for rts in (False, True)),
        # The access points hear each other. The other network's frames harm receptions more or less.
        *(Row(2, 1, 30, 3, "down", 3, ampdu) for ampdu in (0, AMPDU)),
        Row(2, 1, 30, 3, "up", 3),
        Row(2, 1, 30, 3, "down", 9),
        *(Row(2, 1, 10, 3, "down", mcs) for mcs in (3, 9)),
        Row(2, 1, 60, 20, "down", 3),
        # The access points do not hear each other.
        *(Row(2, 1, 80, reach, "down", 3) for reach in (3, 20)),
        Row(2, 1, 80, 20, "up", 3),
        Row(2, 1, 80, 20, "down", 5),
        # Networks in a row, in which neighbours hear each other.
        *(Row(3, 1, spacing, 3, "down", 3) for spacing in (50, 60)),
        Row(3, 1, 60, 10, "down", 3, AMPDU),
        Row(4, 1, 60, 3, "down", 3),
        Row(5, 1, 50, 3, "down", 3),
    ]


#: Settings of ns3/places.cc, as in scenarios/places.toml: rates in bit/s, path loss at 1 m in dB for 5 GHz.
SETTINGS = {
    "queue": 500,
    "exponent": 3,
    "loss_at_1m": 46.42,
    "offered": 100_000_000,
    "payload": 1460,
    "warmup": WARMUP,
    "duration": DURATION,
}
#: RTS threshold in byte that no packet exceeds.
NO_RTS = 4_692_480


def run(row: Row, seed: int) -> dict[str, float]:
    """The metrics of one run of ns3/places.cc."""
    found = ns3.call("places", {**row.__dict__, "rts": 0 if row.rts else NO_RTS, **SETTINGS, "seed": seed})
    return by_place([found[f"throughput_{network}"] for network in range(row.networks)])


def by_place(throughputs: list[float]) -> dict[str, float]:
    """The metrics of a row, from its end to its middle: the mean of two networks as far from either end."""
    mirrored = zip(throughputs, reversed(throughputs), strict=True)
    return dict(zip(METRICS, [fmean(pair) for pair in mirrored][: (len(throughputs) + 1) // 2], strict=False))


def delivered(outcome: _engine.Outcome) -> dict[str, float]:
    """The throughputs of what reached the sinks, as ns3/places.cc counts it."""
    flows = outcome.flows.to_pydict()
    totals: dict[int, float] = {}
    for name, count in zip(flows["flow"], flows["delivered_bytes"], strict=True):
        network = int(name.removeprefix("flow").partition("_")[0])
        totals[network] = totals.get(network, 0.0) + count * 8 / DURATION
    return by_place([totals[network] for network in sorted(totals)])


def _compared(row: Row, _: object = None) -> Iterable[str]:
    return list(METRICS)[: (row.networks + 1) // 2]


def _recorded() -> Measurements[Row]:
    return references.read(FILE, _row, METRICS)


def _row(of: Mapping[str, str]) -> Row:
    numbers = {name: int(of[name]) for name in ("networks", "stations", "spacing", "reach", "mcs", "ampdu")}
    return Row(**numbers, direction=of["direction"], rts=of["rts"] == "True")


#: Labels of the metrics, from the end of the row to its middle.
METRICS = {
    "throughput_end": "at the end, Mb/s",
    "throughput_next": "next to it, Mb/s",
    "throughput_third": "third, Mb/s",
}

SET = PointSet(
    name="wifi-places",
    metrics={metric: Metric(label, relative=0.03, scale=1e-6) for metric, label in METRICS.items()},
    sources=(Source("ns-3", _recorded, run),),
    compared=_compared,
    counted=delivered,
    simulator="ns-3",
    simulator_seeds=5,
)
