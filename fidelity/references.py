"""The recorded ns-2 results in references/: a row for each run, with the point's fields, its seed and its metrics."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path

from fidelity.points import Measurements, P
from fidelity.sample import Sample

HERE = Path(__file__).resolve().parent
REFERENCES = HERE / "references"


def read(name: str, point: Callable[[dict[str, str]], P], metrics: Iterable[str]) -> Measurements[P]:
    """Read the results of all points in a file. `point` makes a point of a row; a metric may be empty."""
    with (REFERENCES / name).open(newline="") as file:
        runs = [(point(row), row) for row in csv.DictReader(file)]
    return gather((at, {metric: float(row[metric]) for metric in metrics if row.get(metric)}) for at, row in runs)


def gather(runs: Iterable[tuple[P, dict[str, float]]]) -> Measurements[P]:
    """Gather the results of runs by point, in the order of the runs."""
    found: Measurements[P] = {}
    for point, values in runs:
        samples = found.setdefault(point, {})
        for metric, value in values.items():
            samples[metric] = samples.get(metric, Sample(())) + Sample((value,))
    return found
