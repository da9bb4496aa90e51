"""802.11n, ac and ax with EDCA against ns-3: saturated UDP and greedy TCP up, down and both ways."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from fidelity import ns3, references
from fidelity.points import Measurements, Metric, PointSet, Source

if TYPE_CHECKING:
    from airfair import _engine

PAYLOAD_BYTES = 1460
#: Length of the measured time, which follows the warm-up, and of the warm-up, in s.
DURATION, WARMUP = 4, 2
#: Maximum length of an A-MPDU in byte: the default of ns-3's attribute.
AMPDU = 65535
#: Access categories of stations 0, 1, 2, 3, and so on in turn, if they are mixed.
MIXED = ("be", "bk", "vi", "vo")


@dataclass(frozen=True, order=True)
class Cell:
    """A point: a network and its traffic."""

    protocol: str
    direction: str
    stations: int
    #: Maximum length of an A-MPDU in byte; 0: no aggregation.
    ampdu: int
    mcs: int
    category: str = "be"
    standard: str = "802.11ax"
    width: int = 20
    nss: int = 1

    @property
    def scenario(self) -> str:
        """The path of AirFair's scenario file."""
        return str(Path(__file__).parent / "scenarios" / "wifi.toml")

    @property
    def group(self) -> str:
        """The point's group in pass rates: its direction and aggregation."""
        return f"{self.direction}, {'A-MPDU' if self.ampdu else 'single frames'}"

    @property
    def offered(self) -> int:
        """Rate of each UDP source in bit/s. All sources of a direction together offer more than the channel carries."""
        return 160_000_000 * (self.width // 20) * self.nss // self.stations

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters for this point."""
        return {
            **{name: getattr(self, name) for name in ("protocol", "direction", "stations", "category")},
            "offered": f"{self.offered} b/s",
            "phy": self.standard,
            "wlan.wlan.ampdu": f"{self.ampdu} B",
            "wlan.wlan.mcs": self.mcs,
            "wlan.wlan.nss": self.nss,
            "wlan.wlan.width": f"{self.width} MHz",
            "payload": f"{PAYLOAD_BYTES} B",
            "warmup": f"{WARMUP} s",
            "duration": f"{DURATION} s",
        }

    def __str__(self) -> str:
        """The point's name in tables."""
        network = f"{self.standard} MCS {self.mcs}" + (
            f", {self.width} MHz, {self.nss} streams" if self.nss > 1 else ""
        )
        traffic = f"{self.protocol.upper()} {self.direction}, n={self.stations}"
        category = "" if self.category == "be" else f", {self.category}"
        return f"{network}, {traffic}{category}, {'A-MPDU' if self.ampdu else 'single frames'}"


def points(protocol: str) -> list[Cell]:
    """All points of one protocol, `udp` or `tcp`."""
    if protocol == "tcp":
        return [
            *_cells("tcp", ("up", "down", "both"), (1, 4, 8, 16), (AMPDU,)),
            *_cells("tcp", ("up", "down", "both"), (1, 8), (0,), (5,)),
        ]
    modern = Cell("udp", "up", 1, AMPDU, 8, standard="802.11ac", width=80, nss=2)
    return [
        *_cells("udp", ("up",), (1, 2, 4, 8, 16, 32)),
        *_cells("udp", ("down",), (1, 8, 32)),
        *_cells("udp", ("both",), (1, 4, 16)),
        *(Cell("udp", "up", n, ampdu, 7, standard="802.11n") for n, ampdu in product((1, 4, 16), (0, AMPDU))),
        *(Cell(**{**modern.__dict__, "stations": n}) for n in (1, 4, 16)),
        *(Cell("udp", "up", n, AMPDU, 5, category) for category, n in product(("bk", "vi", "vo"), (1, 4))),
        *(Cell("udp", "up", n, ampdu, 5, "mixed") for n, ampdu in product((4, 8, 16), (0, AMPDU))),
    ]


def halved() -> list[Cell]:
    """The points at which it matters what a TCP sender of ns-3 halves at a loss."""
    return [*_cells("tcp", ("both",), (8, 16), (AMPDU,), (5,))]


def _cells(
    protocol: str,
    directions: Iterable[str],
    stations: Iterable[int],
    ampdus: Iterable[int] = (0, AMPDU),
    schemes: Iterable[int] = (0, 5, 11),
) -> Iterator[Cell]:
    for direction, n, ampdu, mcs in product(directions, stations, ampdus, schemes):
        yield Cell(protocol, direction, n, ampdu, mcs)


def run(cell: Cell, seed: int, halves: str = "pipe") -> dict[str, float]:
    """The metrics of one run of ns3/wifi.cc. `halves` is what a TCP sender of ns-3 halves at a loss.

    `pipe` is what the sender counts as in flight, as ns-3 does; `flight size` is all unacknowledged data (RFC 5681).
    """
    found = ns3.call("wifi", {**cell.__dict__, **SETTINGS, "offered": cell.offered, "halves": halves, "seed": seed})
    return {name: found[name] for name in _compared(cell)}


#: Settings of ns3/wifi.cc, as in scenarios/wifi.toml.
SETTINGS = {"payload": PAYLOAD_BYTES, "window": 100, "queue": 500, "warmup": WARMUP, "duration": DURATION}


def _compared(cell: Cell, _: object = None) -> list[str]:
    if cell.category == "mixed":
        return [f"throughput_{category}" for category in MIXED]
    return ["throughput_up", "throughput_down"] if cell.direction == "both" else ["throughput_total"]


def delivered(outcome: _engine.Outcome) -> dict[str, float]:
    """The throughputs of what reached the sinks, as ns3/wifi.cc counts it.

    AirFair's own throughput of TCP is what was acknowledged. Stations have the access categories of `MIXED` in turn.
    """
    totals = dict.fromkeys(METRICS, 0.0)
    flows = outcome.flows.to_pydict()
    for name, count in zip(flows["flow"], flows["delivered_bytes"], strict=True):
        direction = name.rstrip("0123456789")
        category = MIXED[int(name.removeprefix(direction)) % len(MIXED)]
        for group in ("total", direction, category):
            totals[f"throughput_{group}"] += count * 8 / DURATION
    return totals


def _recorded(name: str) -> Measurements[Cell]:
    return references.read(file(name), _cell, METRICS)


def file(name: str) -> str:
    """Name of the file with ns-3's results of the set `wifi-NAME`."""
    return f"wifi_{name.replace('-', '_')}.csv"


def _cell(row: Mapping[str, str]) -> Cell:
    numbers = {name: int(row[name]) for name in ("stations", "ampdu", "mcs", "width", "nss")}
    words = {name: row[name] for name in ("protocol", "direction", "category", "standard")}
    return Cell(**words, **numbers)  # type: ignore[arg-type]


#: Labels of the metrics.
METRICS = {
    "throughput_total": "total, Mb/s",
    "throughput_up": "up, Mb/s",
    "throughput_down": "down, Mb/s",
    **{f"throughput_{category}": f"{category}, Mb/s" for category in MIXED},
}


def _set(name: str, relative: float, halves: str = "pipe") -> PointSet[Cell]:
    return PointSet(
        name=f"wifi-{name}",
        metrics={metric: Metric(label, relative=relative, scale=1e-6) for metric, label in METRICS.items()},
        sources=(Source("ns-3", partial(_recorded, name), partial(run, halves=halves)),),
        compared=_compared,
        counted=delivered,
        simulator="ns-3",
        simulator_seeds=SEEDS,
    )


#: Number of seeds of ns-3, which takes up to half a minute for a run.
SEEDS = 2

UDP, TCP = _set("udp", 0.03), _set("tcp", 0.05)
#: TCP against ns-3 with its halving corrected to RFC 5681.
HALVED = _set("tcp-halved", 0.05, halves="flight size")
