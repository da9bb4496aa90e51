"""How close the engine is to the bare operations of a packet's life: schedule, queue, random numbers."""

from __future__ import annotations

import statistics

from bench.figures import Figure
from bench.programs import AirFair
from bench.side_by_side import Case

HEAD = [
    "| Scenario | Events a segment | Queue passages | Random numbers | Bare operations | Engine | Engine over bare |",
    "|---|---|---|---|---|---|---|",
]
OPERATIONS = (("events", "event_ns"), ("queue_passages", "queue_passage_ns"), ("draws", "draw_ns"))


def measure(case: Case, airfair: AirFair, runs: int) -> list[dict[str, float]]:
    """Run the program `runs` times, and return its reports."""
    duration = f"duration={case.measured} s"
    arguments = ("--limit", case.scenario, f"{case.size}={case.count}", duration)
    return [airfair.report(*arguments)[1] for _ in range(runs)]


def bare(report: dict[str, float]) -> float:
    """Cost of the bare operations, in ns per segment."""
    return sum(report[count] * report[cost] for count, cost in OPERATIONS)


def figure(case: Case, reports: list[dict[str, float]]) -> Figure:
    """The engine's time as a multiple of the bare operations."""
    over = [report["ns_per_segment"] / bare(report) for report in reports]
    return Figure.of(
        f"{case.scenario}, {case.count} {case.size}: AirFair over bare operations", over, larger_is_better=False
    )


def row(case: Case, reports: list[dict[str, float]]) -> str:
    cells = []
    for count, cost in OPERATIONS:
        number, each = (statistics.median(report[name] for report in reports) for name in (count, cost))
        cells.append(f"{number:.2f} of {each:.1f} ns" if number else "none")
    floor = statistics.median(bare(report) for report in reports)
    engine = statistics.median(report["ns_per_segment"] for report in reports)
    over = figure(case, reports).median
    title = f"`{case.scenario}`, {case.count} {case.size}"
    return f"| {title} | {' | '.join(cells)} | {floor:,.0f} ns | {engine:,.0f} ns | **{over:.1f}x** |"
