"""Whether a sweep of many small points keeps the cores busy, and the cost of a point beside its run."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from bench.figures import Figure
from bench.programs import Process, spawn

CORES = 2
NAME = "sweep of 1,000 points: share of two cores in use"
TARGET = 0.98
#: Number of windows and of numbers of stations in the sweep.
WINDOWS, STATIONS = 50, 20
#: CPU time that a point shall take, in ms. A trial decides how long a point has to simulate for that.
POINT_MS = 20.0
#: Simulated time of a point in that trial, in s.
TRIAL_S = 100.0

#: Number of runs of a sweep that simulates nothing.
POINTS = 10_000
NOTHING = ("--set", "stations=1", "--set", "warmup=0 s", "--set", "duration=1 ms")
KINDS = {"seeds of one point": ("--seeds", "{points}"), "points of their own": ("--over", "window=1..{points}")}
#: Target for the time of such a point in ms, start and tables included.
NOTHING_TARGET = 0.15
#: Target for the gain by a second job. It compares times of points alone: the time of a sweep of `FEW` points, which is
#: nearly all start and tables, is subtracted.
GAIN_TARGET = 1.9
FEW = 2
NOTHING_HEAD = [
    f"| Runs | Jobs | Time a run (target {NOTHING_TARGET} ms) | CPU a run | Start and end "
    f"| Two jobs over one, whole commands | Beyond start and end (target {GAIN_TARGET}) |",
    "|---|---|---|---|---|---|---|",
]


class Busy(NamedTuple):
    """The results of sweeps whose points cost the same on average."""

    #: CPU time of the whole command, start and tables included, over the time available on the cores.
    share: Figure
    #: CPU time of the whole command for each point, in ms.
    point_ms: float


def measure(runs: int, point_ms: float) -> Busy:
    """Measure sweeps of points that take about `point_ms` each."""
    trial_s = TRIAL_S * point_ms / POINT_MS
    seconds = trial_s * point_ms / cost_ms(grid(trial_s))
    made = [grid(seconds) for _ in range(runs)]
    share = Figure.of(NAME, [each.cpu_s / (CORES * each.wall_s) for each in made])
    return Busy(share, statistics.median(map(cost_ms, made)))


def grid(seconds: float) -> Process:
    """Sweep all windows and numbers of stations, with points of `seconds` simulated seconds."""
    over = ("--over", f"window=1..{WINDOWS}", "--over", f"stations=1..{STATIONS}")
    return swept(CORES, *over, "--set", f"duration={seconds} s")


def cost_ms(sweep: Process) -> float:
    """CPU time of a sweep of `grid` for each of its points, in ms."""
    return sweep.cpu_s / (WINDOWS * STATIONS) * 1e3


def swept(jobs: int, *options: str) -> Process:
    """Run a sweep of `bench/wlan` into a new directory, from start to end."""
    command = [str(Path(sys.executable).with_name("airfair")), "sweep", "bench/wlan", *options, "--jobs", str(jobs)]
    # Python shall keep bytecode, as for an installed package.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        return spawn([*command, "--out", str(Path(folder) / "sweep")], environment)


class Sweeps(NamedTuple):
    """A sweep that simulates nothing, and a sweep of a few points of the same kind before it."""

    few: Process
    all: Process

    @property
    def beyond_s(self) -> float:
        """The time that the larger sweep takes beyond the smaller one, in s."""
        return self.all.wall_s - self.few.wall_s


def nothing(runs: int, points: int) -> tuple[list[str], list[Figure]]:
    """Measure sweeps that simulate nothing, with one job and with two in turn; returns the rows and the figures."""
    rows: list[str] = []
    figures: list[Figure] = []
    swept(CORES, *NOTHING)  # so that Python keeps the bytecode

    def both(options: tuple[str, ...], jobs: int) -> Sweeps:
        few, all_ = ([option.format(points=number) for option in options] for number in (FEW, points))
        return Sweeps(swept(jobs, *few, *NOTHING), swept(jobs, *all_, *NOTHING))

    for kind, options in KINDS.items():
        rounds = [(both(options, 1), both(options, CORES)) for _ in range(runs)]
        one, two = zip(*rounds, strict=True)
        times = [[sweeps.all.wall_s / points * 1e3 for sweeps in each] for each in (one, two)]
        whole = Figure.of("", [before / after for before, after in zip(*times, strict=True)])
        gain = Figure.of(gain_name(kind), [before.beyond_s / after.beyond_s for before, after in rounds])
        figures += [Figure.of(nothing_name(kind), times[1], larger_is_better=False), gain]
        rows += [
            f"| {kind} | {jobs} | **{statistics.median(each):.3f} ms** ({min(each):.3f} to {max(each):.3f}) "
            f"| {statistics.median(sweeps.all.cpu_s for sweeps in made) / points * 1e3:.3f} ms "
            f"| {statistics.median(sweeps.few.wall_s for sweeps in made):.2f} s | {last} |"
            for jobs, each, made, last in [(1, times[0], one, " | "), (CORES, times[1], two, f"{whole} | **{gain}**")]
        ]
    return rows, figures


def nothing_name(kind: str) -> str:
    return f"sweep of nothing, {kind}: ms a point, two jobs"


def gain_name(kind: str) -> str:
    return f"sweep of nothing, {kind}: two jobs over one, beyond start and end"


def sentence(busy: Busy) -> str:
    share = busy.share
    low, middle, high = (f"{value:.1%}" for value in (share.low, share.median, share.high))
    return (
        f"A sweep of 1,000 points of {busy.point_ms:.1f} ms keeps two cores busy for **{middle}** of its time "
        f"({low} to {high}; target {TARGET:.0%} with points of {POINT_MS:.0f} ms)."
    )
