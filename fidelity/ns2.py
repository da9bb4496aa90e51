"""Runs the real ns-2 (`ns`, version 2.35) on the scripts in ns2/."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from fidelity.points import Mixed, Point
from fidelity.references import HERE, Measurements
from fidelity.sample import Sample

INSTALL = "ns-2 is not installed (no command `ns`); on Debian and Ubuntu: sudo apt-get install ns2"

#: ns-2 counts segments of this many payload bytes.
SEGMENT_BYTES = 1000

#: Only sessions requested from here on are measured, in s.
WARMUP = 20.0

#: From so many stations on, mixed traffic is run with at least so many seeds.
CROWDED = 8
CROWDED_SEEDS = 10

#: A session sent in no time at all counts as this many s.
NO_TIME = 1e-3


def installed() -> bool:
    """Whether there is an `ns` to run."""
    return shutil.which("ns") is not None


def call(script: str, settings: Mapping[str, object]) -> list[list[str]]:
    """The lines that a script prints, as words."""
    words = [f"{name}={value}" for name, value in settings.items()]
    run = subprocess.run(["ns", HERE / "ns2" / script, *words], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"ns {script} {' '.join(words)}: {run.stderr.strip()}")
    return [line.split() for line in run.stdout.splitlines()]


def values(lines: Iterable[list[str]], names: Iterable[str]) -> dict[str, float]:
    """The numbers of these names; ns-2 prints chatter in between."""
    found = {words[0]: float(words[1]) for words in lines if len(words) == 2 and words[0] in set(names)}
    if missing := set(names) - set(found):
        raise RuntimeError(f"ns-2 printed no {', '.join(sorted(missing))}")
    return found


@dataclass(frozen=True)
class Way:
    """How ns-2 is run, beyond what a point says."""

    settings: tuple[tuple[str, str], ...] = ()
    #: ns-2's segment 0 is a SYN (Vegas has none). The recorded results took it for data, and so a session's last
    #: segment but one for its last; counting it puts that right.
    count_syn: bool = False


RECORDED = Way()
WITHOUT_ROUTING = Way((("routing_period", "1e9"),))
#: Without routing traffic and without losses to address resolution.
MATCHED = Way((*WITHOUT_ROUTING.settings, ("resolved", "true")), count_syn=True)


def measure(point: Point, seed: int, way: Way) -> dict[str, float]:
    """The metrics of one run of ns2/wlan.tcl, by AirFair's names and in SI units."""
    with tempfile.TemporaryDirectory() as traces:
        lines = call("wlan.tcl", {**point.ns2_settings, "seed": seed, "traces": traces, **dict(way.settings)})
        measured = values(lines, ["throughput_total", "throughput_persistent"])
        if isinstance(point, Mixed):
            starts: dict[str, list[float]] = {}
            for words in lines:
                if len(words) == 3 and words[0] == "session":
                    starts.setdefault(words[1], []).append(float(words[2]))
            before = 1 if way.count_syn and point.tcp != "vegas" else 0
            measured |= _sessions(point, starts, Path(traces), before)
    return measured


def measure_all(points: Iterable[Point], seeds: int, jobs: int, way: Way = RECORDED) -> Measurements:
    """Every point with seeds 1 to `seeds`; crowded ones with more, since there seeds differ most."""
    wanted = [(point, seed) for point in points for seed in range(1, _seeds(point, seeds) + 1)]
    with ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda run: measure(run[0], run[1], way), wanted)
        found: Measurements = {}
        for (point, _), measured in zip(wanted, results, strict=True):
            samples = found.setdefault(point, {})
            for metric, value in measured.items():
                samples[metric] = samples.get(metric, Sample(())) + Sample((value,))
    return found


def _seeds(point: Point, seeds: int) -> int:
    crowded = isinstance(point, Mixed) and point.stations >= CROWDED
    return max(seeds, CROWDED_SEEDS) if crowded else seeds


def _sessions(point: Mixed, starts: Mapping[str, list[float]], traces: Path, before: int) -> dict[str, float]:
    """Finish times by the definitions of AirFair's metrics.

    `before` segments come before the first one with data.
    """
    segments = -(-point.session_bytes // SEGMENT_BYTES)
    acked: list[float] = []
    sent: list[float] = []
    total = 0
    for flow, requested in starts.items():
        rows = [line.split() for line in (traces / f"{flow}.tr").read_text().splitlines()]
        for variable, finish_times in (("ack_", acked), ("maxseq_", sent)):
            changes = [(float(row[0]), float(row[6])) for row in rows if len(row) == 7 and row[5] == variable]
            reached = _reached(changes, segments, before)
            finish_times.extend(at - start for start, at in zip(requested, reached, strict=False) if start >= WARMUP)
        total += sum(start >= WARMUP for start in requested)
    ideal = point.session_bytes / point.fair_share
    counted = [time if time > 0 else NO_TIME for time in sent]
    return {
        "instantaneous_fairness_acked": statistics.fmean(ideal / time for time in acked),
        "instantaneous_fairness_sent": statistics.fmean(ideal / time for time in counted),
        "finish_time_acked_mean": statistics.fmean(acked),
        "finish_time_acked_median": statistics.median_high(acked),
        "sessions_unfinished": float(total - len(acked)),
    }


def _reached(changes: list[tuple[float, float]], segments: int, before: int) -> list[float]:
    """When the last segment of each session was reached, for as many sessions as were."""
    times: list[float] = []
    for at, highest in changes:
        while highest >= before + (len(times) + 1) * segments - 1:
            times.append(at)
    return times
