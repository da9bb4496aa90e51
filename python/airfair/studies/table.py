"""A study's results as a table."""

from __future__ import annotations

import polars

from airfair.studies.measurements import Measurements
from airfair.sweeps.study_directory import COUNTS


def study_frame(measured: Measurements) -> polars.DataFrame:
    """A study's results, one row for each point, seed and metric. Parameters are as written in the study.

    `setup` names the set-up of the sensitivity analysis; it is empty for the study's own assumptions. A mean over
    sessions leaves out `left_out` of `sessions` as unfinished; other metrics have neither number.
    """
    axes = list(dict.fromkeys(axis for row in measured for axis in row.cell.at))
    records = [
        {"experiment": row.cell.experiment, "scenario": row.cell.scenario, "setup": row.cell.setup}
        | {axis: row.cell.at.get(axis) for axis in axes}
        | {"seed": seed, "metric": name, "value": metric["value"], "unit": metric["unit"]}
        | {count: metric.get(count) for count in COUNTS}
        for row in measured
        for seed, metrics in row.metrics.items()
        for name, metric in metrics.items()
    ]
    texts = dict.fromkeys(("experiment", "scenario", "setup", *axes), polars.String)
    numbers = {"seed": polars.UInt64, "metric": polars.String, "value": polars.Float64, "unit": polars.String}
    counts = dict.fromkeys(COUNTS, polars.UInt64)
    return polars.DataFrame(records, schema={**texts, **numbers, **counts})
