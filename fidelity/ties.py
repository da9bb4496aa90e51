"""NewReno flows at drop-tail buffers of a few packets, where packets arrive at the very instant at which others leave.

ns-2 breaks such ties by the order in which its events were scheduled. Here its packets wait for a random time of at
most 10 us, so that there are no ties; AirFair runs without such waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from fidelity import ns2, references
from fidelity.points import Metric, PointSet, Source

FILE = "ties.csv"
#: Sizes of the buffer in packets, including the packet in transmission.
BUFFERS = (2, 3, 4, 5, 8, 15, 30)
FLOWS = (1, 4, 12, 40)


@dataclass(frozen=True, order=True)
class Tied:
    """Flows that share a buffer: the settings of ns2/ties.tcl and the parameters of scenarios/ties.toml."""

    buffer: int
    flows: int

    scenario = str(references.HERE / "scenarios" / "ties.toml")

    #: The point's group in pass rates: its TCP, of which there is one.
    group = "newreno"

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters for this point."""
        return {"buffer": self.buffer, "flows": self.flows}

    def __str__(self) -> str:
        """The point's name in tables."""
        return f"{self.flows} flows, buffer {self.buffer}"


def points() -> list[Tied]:
    """All points: every buffer with every number of flows."""
    return [Tied(buffer, flows) for buffer in BUFFERS for flows in FLOWS]


def run(point: Tied, seed: int) -> dict[str, float]:
    """The metrics of one run of ns2/ties.tcl."""
    return ns2.values(ns2.call("ties.tcl", {**point.parameters, "seed": seed}), METRICS)


def _tied(row: Mapping[str, str]) -> Tied:
    return Tied(int(row["buffer"]), int(row["flows"]))


METRICS = {
    "throughput_total": Metric("throughput, Mb/s", scale=1e-6),
    "timeouts": Metric("timeouts", rare=True),
    "rexmit_fraction": Metric("resent"),
}

SET: PointSet[Tied] = PointSet(
    name="ties",
    metrics=METRICS,
    sources=(Source("ns-2", partial(references.read, FILE, _tied, METRICS), run),),
    simulator_seeds=20,
)
