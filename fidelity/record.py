"""`python -m fidelity.record lee wifi-tcp`: run ns-2 or ns-3 at every point of these sets, write references/*.csv.

`kernel` runs the TCP of the running kernel in real time, `kernel-virtual` that of User-mode Linux. With `--only TEXT`
only points whose names contain this text are run, and the rows of other points stay.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from fidelity import blefari, ghosh, handoffs, kernel, kernel_receiver, lee, mamatas, options, places, ties, wifi
from fidelity.points import P, PointSet
from fidelity.references import REFERENCES
from fidelity.simulators import UNAVAILABLE, runs

#: By name, a set, all of its points, the file of its records, and the names of the recorded values.
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
    "wifi-places": (places.SET, places.points(), places.FILE, tuple(places.METRICS)),
    "wifi-udp": (wifi.UDP, wifi.points("udp"), wifi.file("udp"), tuple(wifi.METRICS)),
    "kernel": (kernel.SET, kernel.points(), kernel.FILE, kernel.RECORDED),
    **{
        name: (kernel.VIRTUAL, kernel.virtual_points(), kernel.VIRTUAL_FILES[version], kernel.RECORDED)
        for name, version in (("kernel-virtual", "6.18"), ("kernel-virtual-6.12", "6.12"))
    },
    "kernel-receiver": (kernel_receiver.SET, kernel_receiver.points(), kernel_receiver.FILE, kernel.RECORDED),
    "wifi-tcp": (wifi.TCP, wifi.points("tcp"), wifi.file("tcp"), tuple(wifi.METRICS)),
    "wifi-tcp-halved": (wifi.HALVED, wifi.halved(), wifi.file("tcp-halved"), tuple(wifi.METRICS)),
}


def main() -> int:
    """Run the sets that the arguments name, write their records, and return the exit status."""
    parser = options.parser("record", __doc__, seeds=10, writes=False)
    parser.add_argument("sets", nargs="+", choices=list(RECORDED))
    parser.add_argument("--only", default="", metavar="TEXT", help="run the points whose names have this text")
    arguments = parser.parse_args()
    for name in arguments.sets:
        point_set, points, file, metrics = RECORDED[name]
        if reason := UNAVAILABLE[point_set.simulator]():
            print(reason, file=sys.stderr)
            return 2
        asked = [point for point in points if arguments.only in str(point)]
        found = runs(point_set, point_set.sources[-1].run, asked, arguments.seeds, arguments.jobs)
        write(file, points, found, metrics)
    return 0


def write(
    name: str, points: Sequence[P], found: Iterable[tuple[P, int, dict[str, float]]], metrics: Sequence[str]
) -> None:
    """Write a row for each point and seed, in the order of the points. Metrics that a run lacks stay empty.

    Points that were not run keep their rows.
    """
    fields = list(asdict(points[0]))
    rows: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for point, seed, measured in found:
        its = {field: str(value) for field, value in asdict(point).items()}
        values = {metric: f"{measured[metric]:.7g}" for metric in metrics if metric in measured}
        rows.setdefault(tuple(its.values()), []).append({**its, "seed": str(seed), **values})
    path = REFERENCES / name
    if path.exists():
        with path.open(newline="") as file:
            before: dict[tuple[str, ...], list[dict[str, str]]] = {}
            for row in csv.DictReader(file):
                before.setdefault(tuple(row[field] for field in fields), []).append(row)
        rows = before | rows
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*fields, "seed", *metrics], lineterminator="\n")
        writer.writeheader()
        for point in points:
            writer.writerows(rows.get(tuple(map(str, asdict(point).values())), ()))


if __name__ == "__main__":
    sys.exit(main())
