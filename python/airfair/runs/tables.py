"""Results as Parquet files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

import polars

from airfair import _engine
from airfair._engine import Table
from airfair.runs.estimate import metrics_of
from airfair.runs.growing_table import with_version

if TYPE_CHECKING:
    from airfair._engine import Outcome


_OF_RUN = ("sessions", "flows", "stations", "links")
#: Name of the table of metrics, which has a row for each seed.
METRICS = "metrics"
#: Names of the tables of recorded time series.
_OVER_TIME = ("series", "air")


def names_of_run(*, with_series: bool) -> list[str]:
    """The names of the files that `of_run` may return."""
    return [f"{name}.parquet" for name in (METRICS, *_OF_RUN, *(_OVER_TIME if with_series else ()))]


def of_run(outcomes: Sequence[Outcome], *, with_series: bool) -> dict[str, bytes]:
    """The Parquet files of a run by name: metrics, sessions, flows, stations, links, and `with_series` time series."""
    names = [*_OF_RUN, *(["series"] if with_series else [])]
    names += ["air"] if any(len(outcome.air) for outcome in outcomes) else []
    tables = {name: Table.of_seeds([(one.seed, getattr(one, name)) for one in outcomes]) for name in names}
    frames = {METRICS: of_metrics(outcomes)} | {name: table.to_polars() for name, table in tables.items()}
    return {f"{name}.parquet": parquet(frame) for name, frame in frames.items()}


def of_metrics(outcomes: Sequence[Outcome]) -> polars.DataFrame:
    """The metrics of outcomes of one scenario, a row for each seed."""
    values = _engine.Outcome.rows(list(outcomes), list(metrics_of(outcomes[0])), [])
    return polars.DataFrame({"seed": [one.seed for one in outcomes]}).hstack(values.to_polars())


def parquet(frame: polars.DataFrame, facts: Mapping[str, str] | None = None) -> bytes:
    """A frame as a Parquet file, with facts in its metadata."""
    contents = BytesIO()
    frame.write_parquet(contents, metadata=with_version(facts or {}))
    return contents.getvalue()
