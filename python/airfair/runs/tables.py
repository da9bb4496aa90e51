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


_OF_RUN = ("sessions", "flows", "stations", "links")
#: Tables of recorded time series.
_OVER_TIME = ("series", "air")


def names_of_run(*, with_series: bool) -> list[str]:
    """The files that `of_run` may return."""
    return [f"{name}.parquet" for name in (*_OF_RUN, *(_OVER_TIME if with_series else ()))]


def of_run(outcomes: Sequence[Outcome], *, with_series: bool) -> dict[str, bytes]:
    """Files with sessions, flows, stations, links (and recorded time series) of all seeds."""
    names = [*_OF_RUN, *(["series"] if with_series else [])]
    names += ["air"] if any(len(outcome.air) for outcome in outcomes) else []
    tables = {name: Table.of_seeds([(one.seed, getattr(one, name)) for one in outcomes]) for name in names}
    return {f"{name}.parquet": parquet(table.to_polars()) for name, table in tables.items()}


def parquet(frame: polars.DataFrame, facts: Mapping[str, str] | None = None) -> bytes:
    """A frame as a Parquet file, with facts in its metadata."""
    contents = BytesIO()
    frame.write_parquet(contents, metadata={"airfair": _engine.__version__, **(facts or {})})
    return contents.getvalue()
