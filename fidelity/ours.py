"""Runs AirFair on the points that are compared."""

from __future__ import annotations

import json
from collections.abc import Iterable

from airfair import Scenario
from airfair.catalogue.parameters import overrides
from airfair.runs.executor import Point as Run
from airfair.runs.executor import execute
from fidelity.points import Measurements, P, PointSet
from fidelity.references import gather


def measure_all(point_set: PointSet[P], points: Iterable[P], seeds: int, jobs: int | None = None) -> Measurements[P]:
    """Run every point with seeds 1 to `seeds`; returns each metric's values, without seeds in which it has none."""
    runs = [
        (point, Run(Scenario.load(point.scenario, overrides(parameters)), seed))
        for point in points
        for seed in range(1, point_set.seeds(point, seeds) + 1)
        for parameters in [{**point.parameters, **point_set.parameters(point, seed)}]
    ]
    execution = execute([run for _, run in runs], jobs=jobs)
    if execution.interrupted:
        raise KeyboardInterrupt
    for failure in execution.failures:
        raise RuntimeError(f"seed {failure.point.seed}: {failure.reason}")
    return gather(
        (point, _defined(outcome.metrics_json) | point_set.counted(outcome))
        for point, run in runs
        for outcome in [execution.outcomes[run]]
    )


def _defined(metrics_json: str) -> dict[str, float]:
    entries = json.loads(metrics_json).items()
    return {name: entry["value"] for name, entry in entries if entry["value"] is not None}
