"""Results as Parquet files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import polars

from airfair.files import write_bytes

if TYPE_CHECKING:
    from airfair._engine import Outcome, Table
    from airfair.measurements import Measurements


def write_parquet(directory: Path, outcomes: Sequence[Outcome], *, with_series: bool) -> None:
    """Write sessions, flows, stations, links (and what was recorded over time) of all seeds below `directory`."""
    for name in ("sessions", "flows", "stations", "links"):
        frames = [_of_seed(outcome, getattr(outcome, name)) for outcome in outcomes]
        write(polars.concat(frames), directory / f"{name}.parquet")
    if with_series:
        frames = [_of_seed(outcome, outcome.series()) for outcome in outcomes]
        write(polars.concat(frames), directory / "series.parquet")
    if any(len(outcome.air()) for outcome in outcomes):
        frames = [_of_seed(outcome, outcome.air()) for outcome in outcomes]
        write(polars.concat(frames), directory / "air.parquet")


def study_frame(measured: Measurements) -> polars.DataFrame:
    """A study's results, one row for each point, seed and metric. Parameters are as written in the study.

    `setup` names the other assumptions that a point was run under; it is empty where they are the study's own.
    """
    axes = list(dict.fromkeys(axis for row in measured for axis in row.cell.at))
    records = [
        {"experiment": row.cell.experiment, "scenario": row.cell.scenario, "setup": row.cell.setup}
        | {axis: row.cell.at.get(axis) for axis in axes}
        | {"seed": seed, "metric": name, "value": metric["value"], "unit": metric["unit"]}
        for row in measured
        for seed, metrics in row.metrics.items()
        for name, metric in metrics.items()
    ]
    texts = dict.fromkeys(("experiment", "scenario", "setup", *axes), polars.String)
    numbers = {"seed": polars.UInt64, "metric": polars.String, "value": polars.Float64, "unit": polars.String}
    return polars.DataFrame(records, schema={**texts, **numbers})


def write(frame: polars.DataFrame, path: Path, facts: Mapping[str, str] | None = None) -> None:
    """Write one file, whole or not at all, with facts about it in its metadata."""
    write_bytes(path, parquet(frame, facts))


def parquet(frame: polars.DataFrame, facts: Mapping[str, str] | None = None) -> bytes:
    """A frame as a Parquet file's contents."""
    contents = BytesIO()
    frame.write_parquet(contents, metadata=dict(facts) if facts else None)
    return contents.getvalue()


def _of_seed(outcome: Outcome, table: Table) -> polars.DataFrame:
    frame = polars.DataFrame(table)
    if "seed" in frame.columns:
        return frame
    return frame.select(polars.lit(outcome.seed, polars.UInt64).alias("seed"), polars.all())
