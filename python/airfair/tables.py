"""Results as Parquet files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

import polars

from airfair import _engine
from airfair._engine import Table

if TYPE_CHECKING:
    from airfair._engine import Outcome
    from airfair.measurements import Measurements


_OF_RUN = ("sessions", "flows", "stations", "links")
#: Further ones, of what was recorded over time.
_OVER_TIME = ("series", "air")


def names_of_run(*, with_series: bool) -> list[str]:
    """The files that `of_run` may give."""
    return [f"{name}.parquet" for name in (*_OF_RUN, *(_OVER_TIME if with_series else ()))]


def of_run(outcomes: Sequence[Outcome], *, with_series: bool) -> dict[str, bytes]:
    """Files with sessions, flows, stations, links (and what was recorded over time) of all seeds."""
    names = [*_OF_RUN, *(["series"] if with_series else [])]
    names += ["air"] if any(len(outcome.air) for outcome in outcomes) else []
    tables = {name: Table.of_seeds([(one.seed, getattr(one, name)) for one in outcomes]) for name in names}
    return {f"{name}.parquet": parquet(table.to_polars()) for name, table in tables.items()}


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


def parquet(frame: polars.DataFrame, facts: Mapping[str, str] | None = None) -> bytes:
    """A frame as a Parquet file's contents, with facts about it in its metadata."""
    contents = BytesIO()
    frame.write_parquet(contents, metadata={"airfair": _engine.__version__, **(facts or {})})
    return contents.getvalue()
