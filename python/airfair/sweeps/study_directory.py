"""A directory of `airfair reproduce`: what its files say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from airfair._engine import InputError
from airfair.store import received
from airfair.store.reading import json_of, read_text, unreadable

if TYPE_CHECKING:
    import polars

#: The files with the answer, and with the values of all metrics.
DOCUMENT, RESULTS = "reproduce.json", "results.parquet"
#: The columns with the number of sessions that a mean leaves out, and of all sessions. Older tables lack them.
COUNTS = ("left_out", "sessions")
_AGAIN = "run airfair reproduce again"


class Asked(NamedTuple):
    """What a directory's results are of."""

    study: str
    #: What `--set` changed, by name, as written.
    set: dict[str, str]


def asked(directory: Path) -> Asked:
    """What the results in a directory are of. Raises `InputError` if its document is missing or damaged."""
    file = directory / DOCUMENT
    try:
        document = json_of(read_text(file))
        return Asked(str(document["study"]), {str(name): str(value) for name, value in document["set"].items()})
    except PermissionError as error:
        raise unreadable(file, error) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{file} is damaged; {_AGAIN}") from None


def rows(directory: Path) -> polars.DataFrame:
    """Read the table that `study_frame` describes. Raises `InputError` if it is damaged or no study's."""
    found = received.frame(directory, RESULTS, "airfair reproduce")
    if not {"experiment", "scenario", "seed", "metric", "value", "unit"} <= set(found.columns) or found.is_empty():
        raise InputError(f"{directory}: {RESULTS} is not a study's table; {_AGAIN}")
    return found


def check_points(directory: Path, some: polars.DataFrame) -> None:
    """Raise `InputError` if two of these rows have the same point, seed and metric."""
    if some.drop("scenario", "value", "unit", *COUNTS, strict=False).is_duplicated().any():
        raise InputError(f"{directory}: an older AirFair wrote it; {_AGAIN}")


def counted(rows: polars.DataFrame) -> polars.DataFrame:
    """The rows whose values are means over sessions; none of an older table."""
    import polars

    missing = [polars.lit(None, polars.UInt64).alias(name) for name in COUNTS if name not in rows.columns]
    return rows.with_columns(missing).filter(polars.col(COUNTS[0]).is_not_null())


def counts(rows: polars.DataFrame, axes: list[str]) -> polars.DataFrame:
    """For each point and metric that is a mean over sessions: `COUNTS` over all seeds."""
    import polars

    return counted(rows).group_by(*axes, "metric").agg(polars.col(COUNTS).sum())
