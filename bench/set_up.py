"""Short runs: the time spent before the first packet, in one process that makes many runs, as a sweep does."""

from __future__ import annotations

import statistics

from bench.programs import AirFair

SCENARIOS = ["lee/path", "jung/mixed", "bench/wlan"]
HEAD = [
    "| Scenario | Loading the file | Building the world | Set-up (target 1 ms) | Warm-up and 10 s | Set-up's share |",
    "|---|---|---|---|---|---|",
]


def measure(airfair: AirFair, runs: int) -> list[str]:
    """Measure each scenario; return the rows of the table."""
    return [row(scenario, [report(airfair, scenario) for _ in range(runs)]) for scenario in SCENARIOS]


def report(airfair: AirFair, scenario: str) -> dict[str, float]:
    return airfair.report("--set-up", scenario, "duration=10 s")[1]


def row(scenario: str, reports: list[dict[str, float]]) -> str:
    load, world, run = (
        statistics.median(report[name] for report in reports) * 1e3 for name in ("load_s", "world_s", "run_s")
    )
    set_up = load + world
    share = set_up / (set_up + run)
    return f"| `{scenario}` | {load:.3f} ms | {world:.3f} ms | **{set_up:.2f} ms** | {run:.3f} ms | {share:.0%} |"
