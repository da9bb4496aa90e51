"""`python -m fidelity.record lee wifi-tcp`: run ns-2 or ns-3 at every point of these sets, write references/*.csv.

`kernel` runs the TCP of the running kernel in real time.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from fidelity import blefari, ghosh, handoffs, kernel, lee, mamatas, ties, wifi
from fidelity.points import Measurements, P, PointSet
from fidelity.references import REFERENCES
from fidelity.simulators import SIMULATORS, measure_all

#: Sets, all of their points, the file of their records, and the recorded values.
RECORDED: dict[str, tuple[PointSet[Any], list[Any], str, Sequence[str]]] = {
    "lee": (lee.SET, lee.points(), lee.FILE, lee.MEASURED),
    "handoffs": (handoffs.SET, handoffs.points(), handoffs.FILE, lee.COUNTS),
    "ties": (ties.SET, ties.points(), ties.FILE, tuple(ties.METRICS)),
    "mamatas": (
        replace(mamatas.SET, sources=mamatas.SET.sources[:1]),
        mamatas.points(),
        mamatas.FILES[0],
        tuple(mamatas.METRICS),
    ),
    "mamatas-matched": (mamatas.SET, mamatas.points(), mamatas.FILES[1], tuple(mamatas.METRICS)),
    "blefari": (
        replace(blefari.SET, sources=blefari.SET.sources[:1]),
        blefari.measured_points(),
        blefari.FILE,
        tuple(blefari.METRICS),
    ),
    "blefari-matched": (
        blefari.SET,
        blefari.matched_points(),
        blefari.MATCHED_FILE,
        tuple(blefari.METRICS),
    ),
    "ghosh": (replace(ghosh.SET, sources=ghosh.SET.sources[:1]), ghosh.points(), ghosh.FILES[0], tuple(ghosh.METRICS)),
    "ghosh-matched": (
        ghosh.SET,
        ghosh.matched_points(),
        ghosh.FILES[1],
        tuple(ghosh.METRICS),
    ),
    "wifi-udp": (wifi.UDP, wifi.points("udp"), wifi.file("udp"), tuple(wifi.METRICS)),
    "kernel": (kernel.SET, kernel.points(), kernel.FILE, kernel.RECORDED),
    "wifi-tcp": (wifi.TCP, wifi.points("tcp"), wifi.file("tcp"), tuple(wifi.METRICS)),
}


def main() -> int:
    """Run and write."""
    parser = argparse.ArgumentParser(prog="python -m fidelity.record", description=__doc__)
    parser.add_argument("sets", nargs="+", choices=list(RECORDED))
    parser.add_argument("--seeds", type=int, default=10, help="seeds (default 10)")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time (default 2)")
    arguments = parser.parse_args()
    for name in arguments.sets:
        point_set, points, file, metrics = RECORDED[name]
        simulator = SIMULATORS[point_set.simulator]
        if not simulator.installed():
            print(simulator.install, file=sys.stderr)
            return 2
        found = measure_all(point_set, point_set.sources[-1].run, points, arguments.seeds, arguments.jobs)
        write(file, found, metrics)
    return 0


def write(name: str, found: Measurements[P], metrics: Sequence[str]) -> None:
    """One row for each point and seed; metrics that a point does not have stay empty."""
    with (REFERENCES / name).open("w", newline="") as file:
        columns = [*asdict(next(iter(found))), "seed", *metrics]
        rows = csv.DictWriter(file, columns, lineterminator="\n")
        rows.writeheader()
        for point, samples in found.items():
            for i in range(len(next(iter(samples.values())))):
                measured = {metric: f"{sample.values[i]:.7g}" for metric, sample in samples.items()}
                rows.writerow({**asdict(point), "seed": i + 1, **measured})


if __name__ == "__main__":
    sys.exit(main())
