"""The points of the study `lee`: one flow over two wired links, the second of which may lose packets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product as every
from typing import TYPE_CHECKING, Any

import polars

from fidelity import ns2, references
from fidelity.points import Metric, PointSet, Source
from fidelity.sample import Sample

if TYPE_CHECKING:
    from airfair import _engine

#: Names of the counts that both sides have.
COUNTS = ("segments_sent", "retransmissions", "window_cuts")
MEASURED = (*COUNTS, "achieved_goodput")
FILE = "path.csv"
#: AirFair's parameters for timestamps, for which ns-2 counts 10 bytes.
WITH_TIMESTAMPS = {"timestamps": True, "header_bytes": "50 B"}


@dataclass(frozen=True, order=True)
class Path:
    """A point: one flow over the packaged path."""

    tcp: str
    capacity_mbps: int
    queue_access: int
    queue_bottleneck: int
    window: int = 1000
    #: In segments; 0: as large as the receiver's window.
    initial_ssthresh: int = 0
    delayed_ack: bool = False
    loss: float = 0.0
    loss_direction: str = "forward"
    loss_position: str = "before-queue"
    #: Whether Westwood uses timestamps.
    timestamps: bool = False

    scenario = "lee/path"

    @property
    def group(self) -> str:
        """The point's group in pass rates: its TCP, with or without timestamps."""
        return f"{self.tcp}, timestamps" if self.timestamps else self.tcp

    @property
    def ns2_settings(self) -> dict[str, object]:
        """Settings of ns2/path.tcl for this point."""
        return {
            "tcp": ns2.AGENT[self.tcp],
            "capacity_mbps": self.capacity_mbps,
            "queue_access": self.queue_access,
            "queue_bottleneck": self.queue_bottleneck,
            **self._shared,
            "initial_ssthresh": self.initial_ssthresh or "",
            "delayed_ack": "true" if self.delayed_ack else "false",
            "timestamps": "true" if self.timestamps else "false",
        }

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters for this point."""
        return {
            "tcp": self.tcp,
            "wireless": f"{self.capacity_mbps} Mb/s",
            "queue": self._queue,
            **self._shared,
            **({"initial_ssthresh": self.initial_ssthresh} if self.initial_ssthresh else {}),
            **({"delayed_ack": True} if self.delayed_ack else {}),
            **(WITH_TIMESTAMPS if self.timestamps else {}),
        }

    @property
    def _queue(self) -> str | int:
        """The packaged path's setting for the queues of both links: a word, or a number of packets."""
        if (self.queue_access, self.queue_bottleneck) == (product(ACCESS_MBPS), product(self.capacity_mbps)):
            return "bdp"
        if self.queue_access != self.queue_bottleneck:
            raise ValueError(f"{self}: the packaged path has no such queues")
        return self.queue_access

    @property
    def _shared(self) -> dict[str, object]:
        """Values with the same name and unit on both sides."""
        names = ("window", "loss", "loss_direction", "loss_position")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        """The point's name in tables."""
        queues = f"{self.queue_access}/{self.queue_bottleneck}"
        text = f"{self.tcp}, {self.capacity_mbps} Mb/s, window {self.window}, queues {queues}"
        if self.initial_ssthresh:
            text += f", ssthresh {self.initial_ssthresh}"
        if self.delayed_ack:
            text += ", delayed ACKs"
        if self.timestamps:
            text += ", timestamps"
        if self.loss:
            text += f", loss {100 * self.loss:g} %"
        if self.loss_direction != "forward":
            text += f" {self.loss_direction} ways"
        return text + (f" {self.loss_position.replace('-', ' ')}" if self.loss_position != "before-queue" else "")


#: Rates of the access link, and of the bottlenecks, in Mb/s.
ACCESS_MBPS = 100
CAPACITIES = (10, 20, 40, 50, 60, 80, 90, 100, 110, 120, 130, 140, 160, 170, 180, 190, 200)
SOME_CAPACITIES = (10, 20, 50, 80, 100, 200)
#: Loss probabilities.
LOSSES = (0.001, 0.01)
TCPS = ("tahoe", "reno", "newreno", "sack", "vegas", "westwood")


def points() -> list[Path]:
    """The study's main setting, and variations, in which Westwood has timestamps.

    In the main setting Westwood runs with and without timestamps, the study's default. Without them, it is compared at
    fewer rates if segments are lost.
    """
    main = list(_points(CAPACITIES, (0.0, *LOSSES)))
    westwood = [path for path in main if path.tcp == "westwood"]
    plain = [path for path in main if path not in westwood or not path.loss or path.capacity_mbps in SOME_CAPACITIES]
    return [*plain, *map(_with_timestamps, [*westwood, *_variations()])]


def _with_timestamps(path: Path) -> Path:
    return replace(path, timestamps=path.tcp == "westwood")


def _variations() -> Iterator[Path]:
    yield from _points((10, 50, 100, 200), window=20_000)
    yield from _points((10, 50, 100), LOSSES, window=20_000)
    yield from _points((10, 50, 100, 200), window=20)
    yield from _points((10, 50, 100), LOSSES, window=20)
    for capacity in (10, 20, 50, 80):
        yield from _points((capacity,), initial_ssthresh=product(capacity))
    yield from _points((10, 50, 80), queue_access=50, queue_bottleneck=50)
    yield from _points((200,), queue_bottleneck=product(100))
    yield from _points((10, 50, 80), delayed_ack=True)
    yield from _points((10, 50, 100), (0.001,), delayed_ack=True)
    yield from _points((10, 50, 100), LOSSES, loss_direction="both")
    yield from _points((10, 50, 100), LOSSES, loss_position="after-queue")


def product(mbps: int) -> int:
    """The bandwidth-delay product of a link in segments of 1000 byte, over 100 ms."""
    return -(-mbps * 100_000 // 8000)


def _points(capacities: Iterable[int], losses: Iterable[float] = (0.0,), **settings: Any) -> Iterator[Path]:
    """Yield points of all TCPs. The queue of each link is its own bandwidth-delay product unless `settings` sets it."""
    for tcp, loss, capacity in every(TCPS, losses, capacities):
        path = Path(tcp, capacity, queue_access=product(ACCESS_MBPS), queue_bottleneck=product(capacity), loss=loss)
        yield replace(path, **settings)


def run(point: Path, seed: int) -> dict[str, float]:
    """The metrics of one run of ns2/path.tcl."""
    lines = ns2.call("path.tcl", {**point.ns2_settings, "seed": seed})
    return ns2.values(lines, MEASURED)


def counted(outcome: _engine.Outcome) -> dict[str, float]:
    """The counts of AirFair's only flow."""
    [flow] = polars.DataFrame(outcome.flows).select("segments", "retransmissions", "window_cuts").rows()
    return dict(zip(COUNTS, map(float, flow), strict=True))


def _path(row: Mapping[str, str]) -> Path:
    return Path(
        row["tcp"],
        int(row["capacity_mbps"]),
        int(row["queue_access"]),
        int(row["queue_bottleneck"]),
        int(row["window"]),
        int(row["initial_ssthresh"]),
        row["delayed_ack"] == "True",
        float(row["loss"]),
        row["loss_direction"],
        row["loss_position"],
        row["timestamps"] == "True",
    )


def deterministic(point: Path) -> bool:
    """Whether a point is deterministic: without random loss, only the phase of ns-2's clock is random."""
    return point.loss == 0


def compared(point: Path, _theirs: Mapping[str, Sample]) -> tuple[str, ...]:
    """The metrics compared at a point.

    Counts of deterministic runs are compared one to one instead. ns-2's Vegas does not count the cuts at a loss.
    """
    if deterministic(point):
        return ("achieved_goodput",)
    return ("achieved_goodput", "retransmissions", *(() if point.tcp == "vegas" else ("window_cuts",)))


def seeds(point: Path, n: int) -> int:
    """Number of seeds for a point: one if the point is deterministic, else `n`."""
    return 1 if deterministic(point) else n


SET: PointSet[Path] = PointSet(
    name="lee",
    metrics={
        "achieved_goodput": Metric("AG, Mb/s", relative=0.03, scale=1e-6),
        "retransmissions": Metric("retransmissions", relative=0.03),
        "window_cuts": Metric("window cuts", relative=0.03),
    },
    sources=(Source("ns-2", partial(references.read, FILE, _path, MEASURED), run),),
    compared=compared,
    counted=counted,
    seeds=seeds,
    deterministic=deterministic,
    counts=COUNTS,
)
