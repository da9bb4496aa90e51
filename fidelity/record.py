"""`python -m fidelity.record lee handoffs ties mamatas`: run ns-2 at every point, write references/*.csv."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from fidelity import blefari, ghosh, handoffs, lee, mamatas, ns2, ties
from fidelity.points import Measurements, P, PointSet
from fidelity.references import REFERENCES

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
}


def main() -> int:
    """Run and write."""
    parser = argparse.ArgumentParser(prog="python -m fidelity.record", description=__doc__)
    parser.add_argument("sets", nargs="+", choices=list(RECORDED))
    parser.add_argument("--seeds", type=int, default=10, help="seeds (default 10)")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time (default 2)")
    arguments = parser.parse_args()
    if not ns2.installed():
        print(ns2.INSTALL, file=sys.stderr)
        return 2
    for name in arguments.sets:
        point_set, points, file, metrics = RECORDED[name]
        found = ns2.measure_all(point_set, point_set.sources[-1].run, points, arguments.seeds, arguments.jobs)
        write(file, found, metrics)
    return 0


def write(name: str, found: Measurements[P], metrics: Sequence[str]) -> None:
    """One row for each point and seed."""
    with (REFERENCES / name).open("w", newline="") as file:
        columns = [*asdict(next(iter(found))), "seed", *metrics]
        rows = csv.DictWriter(file, columns, lineterminator="\n")
        rows.writeheader()
        for point, samples in found.items():
            for i in range(len(samples[metrics[0]])):
                measured = {metric: f"{samples[metric].values[i]:.7g}" for metric in metrics}
                rows.writerow({**asdict(point), "seed": i + 1, **measured})


if __name__ == "__main__":
    sys.exit(main())
