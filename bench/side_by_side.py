"""A WLAN and a dumbbell, run by each simulator in turn, so that a noisy machine touches all of them."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

from bench.figures import Figure
from bench.programs import AirFair, Cost, build_ns3, has_ns2, has_ns3, ns2, ns3

MEBIBYTE = 1024 * 1024
HEAD = [
    "| Scenario | Program | CPU per acknowledged segment | Set-up | Peak memory | Goodput |",
    "|---|---|---|---|---|---|",
]


@dataclass(frozen=True)
class Case:
    """A packaged scenario, and the script and the program that do the same."""

    scenario: str
    size: str
    count: int
    seconds: float
    #: ns-3 takes so long for a segment that it is given fewer.
    ns3_seconds: float
    #: What the scenario leaves out at its start; the others count from zero, when nothing is sent yet.
    warmup: int
    script: str
    ns2_target: float
    ns3_target: float

    def shorter(self, by: float) -> Case:
        """To try it out."""
        seconds, ns3_seconds = self.warmup + self.seconds / by, self.warmup + self.ns3_seconds / by
        return Case(**{**self.__dict__, "seconds": seconds, "ns3_seconds": ns3_seconds})

    def title(self, seconds: float) -> str:
        return f"`{self.scenario}`, {self.count} {self.size}, {seconds:g} s"


#: Long enough that ns-2's set-up, which is subtracted, is the smaller part of what it takes, and that AirFair takes
#: tenths of a second: what a processor does in the first few hundredths, after it has been elsewhere, varies by half.
CASES = [
    Case("bench/wlan", "stations", 8, 2000, 40, 1, "wlan", ns2_target=80, ns3_target=1000),
    Case("bench/dumbbell", "flows", 100, 240, 5, 0, "dumbbell", ns2_target=12, ns3_target=300),
]


@dataclass
class Costs:
    """Of one case, round by round."""

    ours: list[Cost] = field(default_factory=list)
    ns2: list[Cost] = field(default_factory=list)
    ns3: list[Cost] = field(default_factory=list)
    #: AirFair in the time that ns-3 is given: over another time the goodput is another one.
    ours_as_ns3: list[Cost] = field(default_factory=list)
    report: dict[str, float] = field(default_factory=dict)


def measure(case: Case, airfair: AirFair, runs: int) -> Costs:
    """Run each program as often, in turn."""
    program = build_ns3(case.script, airfair.binary.parent) if has_ns3() else None
    costs = Costs()
    size = f"{case.size}={case.count}"
    for _ in range(runs):
        cost, costs.report = airfair.cost(case.scenario, size, f"duration={case.seconds - case.warmup} s")
        costs.ours.append(cost)
        if has_ns2():
            costs.ns2.append(ns2(case.script, case.count, case.seconds))
        if program is not None:
            costs.ns3.append(ns3(program, case.count, case.ns3_seconds))
            cost, _ = airfair.cost(case.scenario, size, f"duration={case.ns3_seconds - case.warmup} s")
            costs.ours_as_ns3.append(cost)
    return costs


def figures(case: Case, costs: Costs) -> list[Figure]:
    """How many times as much the others take."""
    rivals = [("ns-2", costs.ns2), ("ns-3", costs.ns3)]
    return [Figure.of(name(case, rival), ratios(costs.ours, theirs)) for rival, theirs in rivals if theirs]


def targets(case: Case) -> dict[str, float]:
    return {name(case, "ns-2"): case.ns2_target, name(case, "ns-3"): case.ns3_target}


def name(case: Case, rival: str) -> str:
    return f"{case.scenario}: {rival} over AirFair"


def ratios(ours: list[Cost], theirs: list[Cost]) -> list[float]:
    return [their.ns_per_segment / our.ns_per_segment for our, their in zip(ours, theirs, strict=True)]


def rows(case: Case, costs: Costs) -> list[str]:
    """The table's rows for one case."""
    title = case.title(case.seconds)
    lines = [row(title, "AirFair", costs.ours)]
    rivals = [
        ("ns-2", costs.ns2, costs.ours, case.seconds, case.ns2_target),
        ("ns-3", costs.ns3, costs.ours_as_ns3, case.ns3_seconds, case.ns3_target),
    ]
    for rival, theirs, as_long, seconds, target in rivals:
        if not theirs:
            continue
        lines.append(row(case.title(seconds), rival, theirs))
        ratio = Figure.of(rival, ratios(costs.ours, theirs))
        difference = median(as_long, "goodput_bps") / median(theirs, "goodput_bps") - 1
        digits = 0 if ratio.median >= 100 else 1
        low, middle, high = (f"{value:,.{digits}f}" for value in (ratio.low, ratio.median, ratio.high))
        lines.append(
            f"| {title} | ratio to {rival} | **{middle}x** ({low} to {high}; target {target:,.0f}x) | | | "
            f"{difference:+.1%} in {seconds:g} s |"
        )
    report = costs.report
    lines.append(
        f"| {title} | once warm | {report['allocations_once_warm']:.0f} allocations in "
        f"{report['events_once_warm']:.0f} events; {report['ns_per_event']:.0f} ns an event | | | |"
    )
    return lines


def row(title: str, program: str, costs: list[Cost]) -> str:
    per_segment = median(costs, "ns_per_segment")
    set_up = median(costs, "set_up_s") * 1e3
    peak = median(costs, "peak_bytes") / MEBIBYTE
    goodput = median(costs, "goodput_bps") / 1e6
    return f"| {title} | {program} | {per_segment:,.0f} ns | {set_up:.2f} ms | {peak:.0f} MiB | {goodput:.2f} Mb/s |"


def median(costs: list[Cost], of: str) -> float:
    return float(statistics.median(getattr(cost, of) for cost in costs))


def absent() -> list[str]:
    """What is not installed, and how it would be."""
    sentences = []
    if not has_ns2():
        sentences.append("ns-2 is not installed, so it is left out; on Debian: apt-get install ns2")
    if not has_ns3():
        sentences.append("ns-3 is not installed, so it is left out; on Debian: apt-get install g++ libns3-dev")
    return sentences
