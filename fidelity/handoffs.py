"""One flow through handoffs with a given start and phase: deterministic runs, compared one to one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from fidelity import ns2, references
from fidelity.lee import COUNTS, counted
from fidelity.mamatas import DURATION, VARIANTS
from fidelity.points import PointSet, Source

FILE = "handoffs.csv"
#: The packaged dumbbell's words for (outage, period) in s.
KINDS = {(0.1, 1.0): "short", (1.0, 10.0): "long"}
#: Number of pairs of start and phase for each variant and kind.
RUNS = 10


@dataclass(frozen=True, order=True)
class Handoffs:
    """A point: one TCP(alpha, beta) flow. Times are in s."""

    alpha: float
    beta: float
    outage: float
    period: float
    start: float
    phase: float

    scenario = "mamatas/dumbbell"

    @property
    def group(self) -> str:
        """The point's group in tables: its TCP."""
        return f"TCP({self.alpha:g}, {self.beta:g})"

    @property
    def parameters(self) -> dict[str, object]:
        """AirFair's parameters for this point."""
        times = {"start": f"{self.start} s", "handoff_phase": f"{self.phase} s"}
        return {"flows": 1, "alpha": self.alpha, "beta": self.beta, "handoff": KINDS[self.outage, self.period], **times}

    @property
    def ns2_settings(self) -> dict[str, object]:
        """Settings of ns2/dumbbell.tcl for this point."""
        names = ("alpha", "beta", "outage", "period", "start", "phase")
        return {"flows": 1, "duration": DURATION, **{name: getattr(self, name) for name in names}}

    def __str__(self) -> str:
        """The point's name in tables."""
        return f"{self.group}, {self.outage:g} s every {self.period:g} s, start {self.start}, phase {self.phase}"


def points() -> list[Handoffs]:
    """All points. Starts within 2 s and phases within a period are spread evenly by multiples of irrational numbers."""
    return [
        Handoffs(alpha, beta, outage, period, round(2 * (i * 0.618034 % 1), 6), round(period * (i * 0.754878 % 1), 6))
        for alpha, beta in VARIANTS
        for outage, period in KINDS
        for i in range(1, RUNS + 1)
    ]


def run(point: Handoffs, seed: int) -> dict[str, float]:
    """The counts of one run of ns2/dumbbell.tcl."""
    lines = ns2.call("dumbbell.tcl", {**point.ns2_settings, "seed": seed})
    _, sent, resent, _, cuts = next(words[1:] for words in lines if words[0] == "flow")
    return dict(zip(COUNTS, map(float, (sent, resent, cuts)), strict=True))


def _handoffs(row: Mapping[str, str]) -> Handoffs:
    return Handoffs(*(float(row[name]) for name in ("alpha", "beta", "outage", "period", "start", "phase")))


SET: PointSet[Handoffs] = PointSet(
    name="handoffs",
    metrics={},
    sources=(Source("ns-2", partial(references.read, FILE, _handoffs, COUNTS), run),),
    compared=lambda _point, _theirs: (),
    seeds=lambda _point, _n: 1,
    deterministic=lambda _point: True,
    counted=counted,
    counts=COUNTS,
)
