"""Whether a sweep of many small points keeps the cores busy."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bench.figures import Figure
from bench.programs import spawn

CORES = 2
NAME = "sweep of 1,000 points: share of two cores in use"
TARGET = 0.98
#: Simulated time of each point.
SECONDS = 120.0


def measure(runs: int, seconds: float) -> Figure:
    """CPU time of the whole command, including start and tables, over the time available on the cores."""
    return Figure.of(NAME, [once(seconds) for _ in range(runs)])


def once(seconds: float) -> float:
    """Sweep 50 windows by 20 numbers of stations. A point takes some 20 ms."""
    command = [str(Path(sys.executable).with_name("airfair")), "sweep", "bench/wlan"]
    command += ["--over", "window=1..50", "--over", "stations=1..20", "--set", f"duration={seconds} s"]
    with tempfile.TemporaryDirectory() as folder:
        process = spawn([*command, "--jobs", str(CORES), "--out", str(Path(folder) / "sweep")])
    return process.cpu_s / (CORES * process.wall_s)


def sentence(share: Figure) -> str:
    low, middle, high = (f"{value:.1%}" for value in (share.low, share.median, share.high))
    return (
        f"A sweep of 1,000 points of some 20 ms keeps two cores busy for **{middle}** of its time "
        f"({low} to {high}; target {TARGET:.0%})."
    )
