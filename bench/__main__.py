"""Speed of the engine, side by side with ns-2 in one run.

Both programs run in turn, A B A B ..., so that a noisy machine touches both; what counts is the median of the pairs'
ratios. Costs are CPU seconds of the whole process (user and system) less those of the same process stopped right
after set-up, over the data segments acknowledged.

    python bench/run.py [--runs N] [--write docs/performance.md]
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEBIBYTE = 1024 * 1024


@dataclass(frozen=True)
class Case:
    """A packaged scenario and the ns-2 script that does the same."""

    scenario: str
    size: str
    count: int
    seconds: int
    #: What the scenario leaves out at its start; ns-2's scripts count from zero, when nothing is sent yet.
    warmup: int
    script: str
    target: float


CASES = [
    Case("bench/wlan", "stations", 8, 400, 1, "wlan.tcl", target=40.0),
    Case("bench/dumbbell", "flows", 100, 60, 0, "dumbbell.tcl", target=5.0),
]


@dataclass(frozen=True)
class Size:
    """A dumbbell whose shared link and its queue grow with the number of flows."""

    flows: int
    seconds: float
    #: Whether ns-2 gets that far: its set-up takes a time that grows with the square of the number of nodes.
    with_ns2: bool

    @property
    def mbps(self) -> int:
        """1 Mb/s for each flow."""
        return self.flows

    @property
    def queue(self) -> int:
        """Packets: as many for a rate as in the packaged scenario."""
        return 2 * self.flows


SIZES = [
    Size(10, 400, with_ns2=True),
    Size(100, 60, with_ns2=True),
    Size(1_000, 12, with_ns2=False),
    Size(10_000, 3, with_ns2=False),
    Size(100_000, 2, with_ns2=False),
]


@dataclass(frozen=True)
class Process:
    """What one finished process printed and used."""

    output: str
    cpu_s: float
    peak_bytes: int


def spawn(command: list[str]) -> Process:
    """Run a command to its end; its own resource usage comes from the operating system."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        assert child.stdout is not None
        output = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with status {child.returncode}")
    return Process(output, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


@dataclass(frozen=True)
class Cost:
    """One program's cost of one case."""

    ns_per_segment: float
    set_up_s: float
    peak_bytes: int
    goodput_bps: float


def airfair(case: Case, binary: Path) -> tuple[Cost, dict[str, float]]:
    """Run the case here; the second value is all that the program reports."""
    return run_here(binary, case.scenario, f"{case.size}={case.count}", f"duration={case.seconds - case.warmup} s")


def run_here(binary: Path, *arguments: str) -> tuple[Cost, dict[str, float]]:
    """Run a packaged scenario."""
    whole = spawn([str(binary), *arguments])
    report = json.loads(whole.output)
    cost = Cost(report["ns_per_segment"], report["set_up_s"], whole.peak_bytes, report["goodput_bps"])
    return cost, report


def ns2(script: str, count: int, seconds: float, *more: int) -> Cost:
    """Run an ns-2 script."""
    command = ["ns", str(ROOT / "bench" / "ns2" / script), str(count)]
    set_up = spawn([*command, "0.001", *map(str, more)])
    whole = spawn([*command, str(seconds), *map(str, more)])
    segments, goodput = next(
        line.split() for line in whole.output.splitlines() if line[:1].isdigit() and len(line.split()) == 2
    )
    spent = whole.cpu_s - set_up.cpu_s
    return Cost(spent * 1e9 / int(segments), set_up.cpu_s, whole.peak_bytes, float(goodput))


def build() -> Path:
    """The benchmark program, built as wheels are."""
    command = ["cargo", "build", "--quiet", "--profile", "dist", "--package", "airfair-bench", "--message-format=json"]
    lines = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    messages = [json.loads(line) for line in lines]
    return Path(next(m["executable"] for m in messages if m.get("executable")))


def median(values: list[float]) -> float:
    return statistics.median(values)


def compare(case: Case, binary: Path, runs: int) -> list[str]:
    """The rows of the table for one case."""
    ours: list[Cost] = []
    theirs: list[Cost] = []
    report: dict[str, float] = {}
    for _ in range(runs):
        cost, report = airfair(case, binary)
        ours.append(cost)
        if shutil.which("ns"):
            theirs.append(ns2(case.script, case.count, case.seconds))
    title = f"`{case.scenario}`, {case.count} {case.size}, {case.seconds} s"
    rows = [row(title, "AirFair", ours)]
    if theirs:
        rows.append(row(title, "ns-2", theirs))
        ratios = [b.ns_per_segment / a.ns_per_segment for a, b in zip(ours, theirs, strict=True)]
        difference = ours[-1].goodput_bps / theirs[-1].goodput_bps - 1
        rows.append(
            f"| {title} | ratio | **{median(ratios):.1f}x** ({min(ratios):.1f} to {max(ratios):.1f}; target "
            f"{case.target:.0f}x) | | | {difference:+.1%} |"
        )
    rows.append(
        f"| {title} | once warm | {report['allocations_once_warm']:.0f} allocations in "
        f"{report['events_once_warm']:.0f} events; {report['ns_per_event']:.0f} ns an event | | | |"
    )
    return rows


def row(title: str, program: str, costs: list[Cost]) -> str:
    per_segment = median([cost.ns_per_segment for cost in costs])
    set_up = median([cost.set_up_s for cost in costs]) * 1e3
    peak = median([cost.peak_bytes for cost in costs]) / MEBIBYTE
    goodput = median([cost.goodput_bps for cost in costs]) / 1e6
    return f"| {title} | {program} | {per_segment:,.0f} ns | {set_up:.2f} ms | {peak:.0f} MiB | {goodput:.2f} Mb/s |"


def scale(size: Size, binary: Path, runs: int) -> str:
    """The row of the table for one size."""
    sent: list[float] = []
    acknowledged: list[Cost] = []
    theirs: list[Cost] = []
    report: dict[str, float] = {}
    arguments = (f"flows={size.flows}", f"rate={size.mbps} Mb/s", f"queue={size.queue}", f"duration={size.seconds} s")
    for _ in range(runs):
        cost, report = run_here(binary, "bench/dumbbell", *arguments)
        sent.append(report["ns_per_segment_sent"])
        acknowledged.append(cost)
        if size.with_ns2 and shutil.which("ns"):
            theirs.append(ns2("dumbbell.tcl", size.flows, size.seconds, size.mbps, size.queue))
    beside = f"{median([cost.ns_per_segment for cost in theirs]):,.0f} ns" if theirs else ""
    per_acknowledged = median([cost.ns_per_segment for cost in acknowledged])
    set_up = median([cost.set_up_s for cost in acknowledged]) * 1e3
    world, scenario = (report[name] / size.flows for name in ("world_bytes", "scenario_bytes"))
    return (
        f"| {size.flows:,} | {size.seconds:g} s | {median(sent):,.0f} ns | {per_acknowledged:,.0f} ns | {beside} | "
        f"{set_up:,.1f} ms | {world:,.0f} B | {scenario:,.0f} B |"
    )


def write(path: Path, name: str, body: list[str]) -> None:
    """Replace what stands between a section's markers."""
    begin, end = (f"<!-- {name}:{edge} -->" for edge in ("begin", "end"))
    head, rest = path.read_text().split(begin)
    tail = rest.split(end)[1]
    text = "\n".join(body)
    path.write_text(f"{head}{begin}\n{text}\n{end}{tail}")


def main() -> None:
    """Print the table; write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="pairs of runs for each case (default 5)")
    parser.add_argument("--write", type=Path, help="Markdown file whose table between the markers is replaced")
    arguments = parser.parse_args()
    if not shutil.which("ns"):
        print("ns-2 is not installed, so AirFair runs alone; on Debian: apt-get install ns2", file=sys.stderr)
    binary = build()
    table = [
        "| Scenario | Program | CPU per acknowledged segment | Set-up | Peak memory | Goodput |",
        "|---|---|---|---|---|---|",
    ]
    for case in CASES:
        print(f"running {case.scenario} ...", file=sys.stderr)
        table += compare(case, binary, arguments.runs)
    print("\n".join(table))
    sizes = [
        "| Flows | Run | CPU per segment sent | per segment acknowledged | ns-2, acknowledged | Set-up "
        "| World, a flow | Scenario, a flow |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for size in SIZES:
        print(f"running {size.flows} flows ...", file=sys.stderr)
        sizes.append(scale(size, binary, arguments.runs))
    print("\n" + "\n".join(sizes))
    if arguments.write:
        date = f"Measured {datetime.date.today().isoformat()}, {arguments.runs} runs of each in turn, medians."
        write(arguments.write, "bench", [date, "", *table])
        write(arguments.write, "sizes", [date, "", *sizes])


if __name__ == "__main__":
    main()
