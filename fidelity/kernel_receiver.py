"""The receive window of Linux as it grows: one flow to a receiver with Linux's usual buffer, in runs of 1 to 15 s.

At the points of kernel.py no receive window limits a flow. Here it does, at first and over long pipes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product

from fidelity import kernel, references, virtual
from fidelity.kernel import Cell
from fidelity.points import Measurements, PointSet, Source

FILE = "kernel_receiver.csv"
#: The receive window of the `linux` profile in segments, at first and at most.
FIRST, MOST = 45, 2715


@dataclass(frozen=True, order=True)
class Reception(Cell):
    """A point: one flow for a number of seconds."""

    seconds: int = 15
    usual_receiver = True

    @property
    def duration(self) -> int:
        """Length of a run in s, from the first SYN on."""
        return self.seconds

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters for this point."""
        return {**super().parameters, "first": FIRST, "most": MOST}

    def __str__(self) -> str:
        """The point's name in tables."""
        return f"{super().__str__()}, {self.seconds} s"


def points() -> list[Reception]:
    """All points: short and long pipes over 1, 3 and 15 s, and one pipe that holds more than the largest window."""
    pipes = [(rate, rtt, kernel.bdp(rate, rtt)) for rate, rtt in ((20, 40), (20, 100), (100, 20), (100, 100))]
    deep = [(100, 100, 2 * kernel.bdp(100, 100))]
    usual = [
        Reception(control, *pipe, seconds=seconds)
        for control, pipe, seconds in product(("cubic", "bbr"), pipes, (1, 3, 15))
    ]
    return [*usual, *(Reception(control, *pipe) for control, pipe in product(("reno", "cubic"), deep))]


def _recorded() -> Measurements[Reception]:
    return references.read(FILE, _reception, kernel.RECORDED)


def _reception(row: Mapping[str, str]) -> Reception:
    rate, rtt, buffer, seconds = (int(row[name]) for name in ("rate_mbps", "rtt_ms", "buffer", "seconds"))
    return Reception(row["control"], rate, rtt, buffer, seconds=seconds)


SET: PointSet[Reception] = PointSet(
    name="kernel-receiver",
    metrics=kernel.METRICS,
    sources=(Source("User-mode Linux", _recorded, partial(kernel.run, virtual.run)),),
    simulator="User-mode Linux",
    compared=kernel.compared,
    counted=kernel.counted,
    simulator_seeds=1,
    paired=True,
    all_points=0.9,
    each_group=0.9,
)
