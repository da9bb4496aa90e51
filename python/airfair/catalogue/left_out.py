"""The number of unfinished sessions that a mean leaves out, in the same words wherever the mean is shown.

`counts_once` of a metric that is a mean over finite sessions names the stage that a session must reach to count:
`sent`, `acked` or `delivered`. The results of a sweep have a column with the number of all sessions, and one for each
stage with the number of sessions that did not reach it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from airfair import _engine
from airfair.catalogue.known import every_metric

if TYPE_CHECKING:
    import polars

#: The column with the number of finite sessions.
SESSIONS = "sessions"
_COLUMNS = {"sent": "sessions_unsent", "acked": "sessions_unacked", "delivered": "sessions_undelivered"}


@cache
def _columns_by_metric() -> dict[str, str]:
    stages = {name: metric["counts_once"] for name, metric in every_metric().items()}
    return {name: _COLUMNS[stage] for name, stage in stages.items() if stage}


def column(metric: str) -> str | None:
    """The column with the number of sessions that a metric leaves out; `None` if it counts all sessions."""
    return _columns_by_metric().get(metric)


def columns(metrics: Iterable[str]) -> dict[str, str]:
    """The columns that these metrics need in a table of results, each with a metric that gives the count."""
    return {found: metric for metric in metrics if (found := column(metric))}


def all_columns() -> frozenset[str]:
    """Every column that counts sessions."""
    return frozenset({SESSIONS, *_COLUMNS.values()})


def told(left_out: int, sessions: int) -> str:
    """Return the note `77 of 400 sessions unfinished: left out`; empty if all are finished."""
    return _engine.left_out(left_out, sessions)


def flag(left_out: int) -> str:
    """Return the note ` (77 left out)` for narrow columns; empty if all sessions are finished."""
    return f" ({left_out} left out)" if left_out else ""


def flag_in(row: Mapping[str, Any], metric: str) -> str:
    """Return the note of `flag` on a metric's value in a row of results; empty if the row has no count."""
    return flag(row.get(column(metric) or "") or 0)


def total(counts: Iterable[tuple[int, int]]) -> tuple[int, int] | None:
    """Add up how many sessions means leave out, and of how many; `None` without any counts."""
    each = list(counts)
    return (sum(left for left, _ in each), sum(every for _, every in each)) if each else None


def as_json(counts: tuple[int, int] | None) -> dict[str, int]:
    """What documents add to a mean that leaves out the first of `counts` sessions, of the second; `None`: nothing."""
    return {} if counts is None else {"sessions": counts[1], "left_out": counts[0]}


def sums(metric: str, columns: Collection[str]) -> tuple[polars.Expr, polars.Expr] | None:
    """Over rows of results with these columns: how many sessions a mean of `metric` leaves out, of how many.

    `None` if the metric is no mean over sessions, or if the rows lack the counts.
    """
    import polars

    counts = column(metric)
    if counts is None or not {counts, SESSIONS} <= set(columns):
        return None
    return polars.col(counts).sum(), polars.col(SESSIONS).sum()


def counted(metric: str, rows: polars.DataFrame) -> tuple[int, int] | None:
    """The values of `sums` over all rows."""
    asked = sums(metric, rows.columns)
    if asked is None:
        return None
    left, every = rows.select(*asked).row(0)
    return int(left), int(every)


def note(metric: str, rows: polars.DataFrame) -> str:
    """The text of `told` for what is `counted`; empty if nothing is."""
    return told(*(counted(metric, rows) or (0, 0)))
