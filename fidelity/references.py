"""The recorded ns-2 results in references/."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import cast

from fidelity.points import Direction, Mixed, Point, Table1
from fidelity.sample import Sample

HERE = Path(__file__).resolve().parent
REFERENCES = HERE / "references"

#: Values of each metric over seeds, for each point.
Measurements = dict[Point, dict[str, Sample]]


def table1() -> Measurements:
    """All cells of Table 1."""
    runs = [(_cell(row), row) for row in _rows("jung_table1.csv")]
    return _by_point(runs, ("throughput_total",))


def mixed() -> Measurements:
    """All points of mixed traffic."""
    return _mixed_traffic("jung_mixed.csv")


def matched() -> Measurements:
    """The same points, run in ns-2 without what AirFair leaves out."""
    return _mixed_traffic("jung_mixed_matched.csv")


def _mixed_traffic(name: str) -> Measurements:
    runs = [(_mixed(row), row) for row in _rows(name)]
    keys = (*Mixed.__dataclass_fields__, "seed", "sessions")
    metrics = tuple(name for name in runs[0][1] if name not in keys)
    return _by_point(runs, metrics)


def _rows(name: str) -> list[dict[str, str]]:
    with (REFERENCES / name).open(newline="") as file:
        return list(csv.DictReader(file))


def _cell(row: dict[str, str]) -> Point:
    return Table1(row["protocol"], cast("Direction", row["direction"]), int(row["stations"]))


def _mixed(row: dict[str, str]) -> Point:
    return Mixed(
        cast("Direction", row["direction"]),
        row["tcp"],
        int(row["stations"]),
        int(row["session_bytes"]),
        row["connection"],
    )


def _by_point(runs: list[tuple[Point, dict[str, str]]], metrics: tuple[str, ...]) -> Measurements:
    found: Measurements = {}
    for point, row in runs:
        samples = found.setdefault(point, {})
        for metric in metrics:
            samples[metric] = samples.get(metric, Sample(())) + Sample((float(row[metric]),))
    return found
