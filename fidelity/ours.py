"""Runs AirFair on the points that are compared."""

from __future__ import annotations

import json
from collections.abc import Iterable

from airfair import Scenario
from airfair.api import overrides
from airfair.executor import Point as Run
from airfair.executor import execute
from fidelity.points import Point
from fidelity.references import Measurements
from fidelity.sample import Sample


def measure_all(points: Iterable[Point], seeds: int, jobs: int | None = None) -> Measurements:
    """Every metric of every point with seeds 1 to `seeds`, without seeds that leave it undefined."""
    runs = [
        (point, Run(scenario, seed))
        for point in points
        for scenario in [Scenario.load(point.scenario, overrides(point.parameters))]
        for seed in range(1, seeds + 1)
    ]
    execution = execute([run for _, run in runs], jobs=jobs)
    if execution.interrupted:
        raise KeyboardInterrupt
    for failure in execution.failures:
        raise RuntimeError(f"seed {failure.point.seed}: {failure.reason}")
    found: Measurements = {}
    for point, run in runs:
        samples = found.setdefault(point, {})
        for name, entry in json.loads(execution.outcomes[run].metrics_json).items():
            if entry["value"] is not None:
                samples[name] = samples.get(name, Sample(())) + Sample((entry["value"],))
    return found
