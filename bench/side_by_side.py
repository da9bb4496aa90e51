"""WLANs and a dumbbell, run by each simulator in turn, so that a noisy machine affects all of them."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from airfair import load
from bench.figures import Figure
from bench.programs import (
    HTSIM,
    AirFair,
    Cost,
    build_htsim,
    build_ns3,
    has_ns2,
    has_ns3,
    htsim,
    htsim_sources,
    mean,
    ns2,
    ns3,
)

MEBIBYTE = 1024 * 1024
HEAD = [
    "| Scenario | Program | CPU per acknowledged segment | Set-up | Peak memory | Goodput |",
    "|---|---|---|---|---|---|",
]


@dataclass(frozen=True)
class Case:
    """A packaged scenario, and the equivalent programs of other simulators."""

    scenario: str
    #: The network of the stations or flows, for the README.
    network: str
    size: str
    count: int
    #: Simulated time of all programs, in s.
    seconds: float
    ns3_target: float
    #: Target for ns-2's cost over AirFair's; `None`: ns-2 has no model of the case.
    ns2_target: float | None = None
    #: Target for csg-htsim's cost over AirFair's; `None`: csg-htsim has no model of the case.
    htsim_target: float | None = None

    @property
    def script(self) -> str:
        """The name of the other simulators' programs."""
        return self.scenario.removeprefix("bench/")

    @property
    def warmup(self) -> float:
        """The scenario's warm-up in s. The other simulators count from time zero, before anything is sent."""
        return float(load(self.scenario).parameters["warmup"]["value"])

    @property
    def measured(self) -> float:
        """Simulated time that AirFair measures, in s."""
        return self.seconds - self.warmup

    def shorter(self, by: float) -> Case:
        """The case with shorter runs, for `--quick`."""
        return replace(self, seconds=self.warmup + self.seconds / by)

    @property
    def title(self) -> str:
        return f"`{self.scenario}`, {self.count} {self.size}, {self.seconds:g} s"


#: The cases. Runs are so long that the set-up, which is subtracted on both sides, takes AirFair and ns-3 less than 5 %
#: of their time (with 802.11ax some 10 %), and ns-2 less than half of its time.
CASES = [
    Case("bench/wlan", "of 802.11b", "stations", 8, 2000, ns3_target=2000, ns2_target=100),
    Case("bench/dumbbell", "on wires", "flows", 100, 240, ns3_target=2500, ns2_target=25, htsim_target=12),
    Case("bench/ax", "of 802.11ax", "stations", 8, 100, ns3_target=1000),
    Case("bench/ax", "of 802.11ax", "stations", 64, 30, ns3_target=1000),
]


@dataclass(frozen=True)
class Round:
    """Two programs that simulated the same time: AirFair before the other one and after it."""

    ours: Cost
    theirs: Cost

    @property
    def ratio(self) -> float:
        return self.theirs.ns_per_segment / self.ours.ns_per_segment


@dataclass
class Costs:
    """The costs of one case, round by round."""

    ns2: list[Round] = field(default_factory=list)
    ns3: list[Round] = field(default_factory=list)
    htsim: list[Round] = field(default_factory=list)
    #: Costs of AirFair by itself, for machines without other simulators.
    alone: list[Cost] = field(default_factory=list)
    report: dict[str, float] = field(default_factory=dict)

    def rivals(self, case: Case) -> list[Rival]:
        """The other simulators that ran."""
        wanted = targets(case)
        all_of_them = [("ns-2", self.ns2), ("ns-3", self.ns3), ("csg-htsim", self.htsim)]
        return [Rival(program, wanted[name(case, program)], rounds) for program, rounds in all_of_them if rounds]


@dataclass(frozen=True)
class Rival:
    """Another simulator, and the target for the ratio of costs."""

    program: str
    target: float
    rounds: list[Round]

    def ratio(self, case: Case) -> Figure:
        return Figure.of(name(case, self.program), [one.ratio for one in self.rounds])


def measure(case: Case, airfair: AirFair, runs: int) -> Costs:
    """Run each program `runs` times, in turn."""
    program = build_ns3(case.script, airfair.binary.parent) if has_ns3() else None
    sources = htsim_sources() if case.htsim_target else None
    packets = build_htsim(case.script, sources, airfair.binary.parent) if sources else None
    costs = Costs()
    settings = [f"{case.size}={case.count}"]

    def beside(theirs: Callable[[float], Cost], *, delivered: bool = False) -> Round:
        """Run AirFair before the other program and after it."""
        before = airfair.runs(case.scenario, settings, case.measured)
        cost = theirs(case.seconds)
        after = airfair.runs(case.scenario, settings, case.measured)
        return Round(mean(before + after, delivered=delivered), cost)

    for _ in range(runs):
        alone, costs.report = airfair.cost(case.scenario, settings, case.measured)
        costs.alone.append(alone)
        if case.ns2_target and has_ns2():
            costs.ns2.append(beside(partial(ns2, case.script, case.count)))
        if packets is not None:
            costs.htsim.append(beside(partial(htsim, packets, case.count)))
        if program is not None:
            # The ns-3 programs count at the server: at the end, many ACKs are still under way, or lost.
            costs.ns3.append(beside(partial(ns3, program, case.count), delivered=True))
    return costs


def figures(case: Case, costs: Costs) -> list[Figure]:
    """The costs of the other simulators as multiples of AirFair's."""
    return [rival.ratio(case) for rival in costs.rivals(case)]


def targets(case: Case) -> dict[str, float]:
    wanted = {"ns-2": case.ns2_target, "ns-3": case.ns3_target, "csg-htsim": case.htsim_target}
    return {name(case, rival): target for rival, target in wanted.items() if target is not None}


def name(case: Case, rival: str) -> str:
    return f"{case.scenario}, {case.count} {case.size}: {rival} over AirFair"


def rows(case: Case, costs: Costs) -> list[str]:
    """The rows of the table for one case."""
    lines = [line for rival in costs.rivals(case) for line in beside(case, rival)]
    lines = lines or [row(case.title, "AirFair", costs.alone)]
    report = costs.report
    once_warm = f"{report['bytes_once_warm'] / 1e3:,.0f} kB allocated in {report['events_once_warm']:,.0f} events"
    return [*lines, f"| {case.title} | AirFair, once warm | {once_warm} | | | |"]


def beside(case: Case, rival: Rival) -> list[str]:
    """Rows for AirFair and another simulator over the same simulated time, and for the ratio of their costs."""
    ours, theirs = [one.ours for one in rival.rounds], [one.theirs for one in rival.rounds]
    ratio = rival.ratio(case)
    difference = median(ours, "goodput_bps") / median(theirs, "goodput_bps") - 1
    digits = 0 if ratio.median >= 100 else 1
    low, middle, high = (f"{value:,.{digits}f}" for value in (ratio.low, ratio.median, ratio.high))
    return [
        row(case.title, "AirFair", ours),
        row(case.title, rival.program, theirs),
        f"| {case.title} | ratio to {rival.program} | "
        f"**{middle}x** ({low} to {high}; target {rival.target:,.0f}x) | | | {difference:+.1%} |",
    ]


def row(title: str, program: str, costs: list[Cost]) -> str:
    per_segment = median(costs, "ns_per_segment")
    set_up = median(costs, "set_up_s") * 1e3
    peak = median(costs, "peak_bytes") / MEBIBYTE
    goodput = median(costs, "goodput_bps") / 1e6
    return f"| {title} | {program} | {per_segment:,.0f} ns | {set_up:.2f} ms | {peak:.0f} MiB | {goodput:.2f} Mb/s |"


def median(costs: list[Cost], of: str) -> float:
    return float(statistics.median(getattr(cost, of) for cost in costs))


def absent() -> list[str]:
    """One sentence for each simulator that is missing, with the way to add it."""
    sentences = []
    if not has_ns2():
        sentences.append("ns-2 is not installed, so it is left out; on Debian: apt-get install ns2")
    if not has_ns3():
        sentences.append("ns-3 is not installed, so it is left out; on Debian: apt-get install g++ libns3-dev")
    if htsim_sources() is None:
        reason = f"{HTSIM} names no directory with its sources, or there is no g++"
        sentences.append(f"csg-htsim is left out: {reason}; see docs/performance.md")
    return sentences
