"""Results as Parquet files."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import polars

from airfair import _engine
from airfair._engine import Table
from airfair.runs.estimate import metrics_of

if TYPE_CHECKING:
    from airfair._engine import Outcome


#: Number of rows in a row group of a table that grows.
_GROUP = 65_536

_OF_RUN = ("sessions", "flows", "stations", "links")
#: The metrics, a row for each seed.
METRICS = "metrics"
#: Tables of recorded time series.
_OVER_TIME = ("series", "air")


def names_of_run(*, with_series: bool) -> list[str]:
    """The files that `of_run` may return."""
    return [f"{name}.parquet" for name in (METRICS, *_OF_RUN, *(_OVER_TIME if with_series else ()))]


def of_run(outcomes: Sequence[Outcome], *, with_series: bool) -> dict[str, bytes]:
    """Files with metrics, sessions, flows, stations, links (and recorded time series) of all seeds."""
    names = [*_OF_RUN, *(["series"] if with_series else [])]
    names += ["air"] if any(len(outcome.air) for outcome in outcomes) else []
    tables = {name: Table.of_seeds([(one.seed, getattr(one, name)) for one in outcomes]) for name in names}
    frames = {METRICS: of_metrics(outcomes)} | {name: table.to_polars() for name, table in tables.items()}
    return {f"{name}.parquet": parquet(frame) for name, frame in frames.items()}


def of_metrics(outcomes: Sequence[Outcome]) -> polars.DataFrame:
    """The metrics of outcomes of one scenario, a row for each seed."""
    values = _engine.Outcome.rows(list(outcomes), list(metrics_of(outcomes[0])), [])
    return polars.DataFrame({"seed": [one.seed for one in outcomes]}).hstack(values.to_polars())


class GrowingTable:
    """A Parquet file that grows. It has no name: a killed process leaves nothing behind.

    Its bytes depend on the rows alone, not on the frames that they came in.
    """

    def __init__(self, folder: Path, like: polars.DataFrame) -> None:
        """Begin a file with the columns of `like`, on the disk of a folder."""
        self._file: BinaryIO = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - it is open until the table ends
        self._writer = _engine.ParquetWriter(like.clear())
        self._waiting = like.clear()

    def append(self, frame: polars.DataFrame) -> None:
        """Add rows. Raises `OSError` if the disk is full."""
        self._waiting = polars.concat([self._waiting, frame])
        while self._waiting.height >= _GROUP:
            self._write(self._waiting[:_GROUP])
            self._waiting = self._waiting[_GROUP:]

    def finish(self, facts: Mapping[str, str]) -> BinaryIO:
        """The whole file, with facts in its metadata."""
        if self._waiting.height:
            self._write(self._waiting)
        self._file.write(self._writer.finish([*_metadata(facts).items()]))
        self._file.seek(0)
        return self._file

    def _write(self, rows: polars.DataFrame) -> None:
        # In one piece, lest the encoder begin its pages anew with each.
        self._file.write(self._writer.write(rows.rechunk()))


def parquet(frame: polars.DataFrame, facts: Mapping[str, str] | None = None) -> bytes:
    """A frame as a Parquet file, with facts in its metadata."""
    contents = BytesIO()
    frame.write_parquet(contents, metadata=_metadata(facts or {}))
    return contents.getvalue()


def _metadata(facts: Mapping[str, str]) -> dict[str, str]:
    return {"airfair": _engine.__version__, **facts}
